//! Text of people without what changes how other text is read.

use crate::domain::wording::turns_direction;

/// A text on one line, without control characters and without those that change the direction of the text around them: a name
/// must not hide or reorder what stands beside it.
pub fn plain(text: &str) -> String {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let kept = text.chars().filter(|c| !turns_direction(*c));
    kept.map(|c| if breaks(c) { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn text_stays_on_its_line_and_in_its_direction() {
        for (text, shown) in [
            ("Ana Ruiz", "Ana Ruiz"),
            ("a\r\nBcc: x", "a  Bcc: x"),
            ("evil\u{202e}txt.exe", "eviltxt.exe"),
            ("\u{2067}\u{5d0}\u{2069}", "\u{5d0}"),
            ("a\u{2028}b\0c", "a b c"),
        ] {
            assert_eq!(plain(text), shown, "{text:?}");
        }
    }
}
