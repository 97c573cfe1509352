//! The texts of the document, in which backticks mark code and an empty line ends a paragraph.

use maud::{Markup, PreEscaped, html};

/// Paragraphs.
pub fn paragraphs(text: &str) -> Markup {
    html! { @for part in text.split("\n\n") { p { (inline(part)) } } }
}

/// One paragraph, without its tag.
pub fn inline(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// A block of code, which the keyboard can scroll.
pub fn block(text: &str) -> Markup {
    // Quotes stay as they are: JSON has many.
    let escaped = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    html! { pre.code tabindex="0" { (PreEscaped(escaped)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        for (text, expected) in [
            ("plain", "<p>plain</p>"),
            ("a `b` c", "<p>a <code>b</code> c</p>"),
            ("one\n\ntwo <x>", "<p>one</p><p>two &lt;x&gt;</p>"),
            ("`<`", "<p><code>&lt;</code></p>"),
        ] {
            assert_eq!(paragraphs(text).into_string(), expected);
        }
        let shown = block("{\"a\": \"<&>\"}").into_string();
        assert!(
            shown.ends_with(">{\"a\": \"&lt;&amp;&gt;\"}</pre>"),
            "{shown}"
        );
    }
}
