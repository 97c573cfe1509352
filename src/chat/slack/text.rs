//! Text as Slack writes it: three characters are escaped, and names in angle brackets are markup.

/// A text in which Slack reads no markup.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A text of Slack as it was typed. Slack may have escaped a text that was escaped already, so what is left of entities is
/// read again.
pub fn unescaped(text: &str) -> String {
    let mut text = text.to_owned();
    loop {
        let once = text
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&");
        if once == text {
            return once;
        }
        text = once;
    }
}

/// Removes what a cut has left of an entity or of a name in angle brackets before the mark of the cut.
pub fn mended(text: &str) -> String {
    let Some(body) = text.strip_suffix('…') else {
        return text.to_owned();
    };
    let open = |begin: char, end: char| {
        let at = body.rfind(begin)?;
        (!body[at..].contains(end)).then_some(at)
    };
    // An entity is short: an ampersand far from the end is not the beginning of one.
    let entity = open('&', ';').filter(|at| body.len() - at < "&amp;".len());
    let end = open('<', '>').into_iter().chain(entity).min();
    match end {
        Some(end) => format!("{}…", body[..end].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_read_back() {
        for (text, expected) in [
            ("R&D <core>", "R&amp;D &lt;core&gt;"),
            ("<!channel> <@U1> *_~", "&lt;!channel&gt; &lt;@U1&gt; *_~"),
            ("plain", "plain"),
            ("", ""),
        ] {
            assert_eq!(escaped(text), expected);
            assert_eq!(unescaped(expected), text);
            assert_eq!(unescaped(&escaped(expected)), text);
            assert_eq!(unescaped(text), text);
        }
    }

    #[test]
    fn cuts_leave_no_half_markup() {
        for (text, expected) in [
            ("a &am…", "a…"),
            ("a &amp; b…", "a &amp; b…"),
            ("a <@U1…", "a…"),
            ("a <!date^1^{date_num}…", "a…"),
            ("a <@U1> b…", "a <@U1> b…"),
            ("a &am", "a &am"),
            ("<…", "…"),
        ] {
            assert_eq!(mended(text), expected, "{text}");
        }
    }
}
