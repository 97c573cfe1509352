//! Writing iCalendar (RFC 5545): content lines, escaped, folded and ended as calendar programs expect.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The longest line, in octets, without its end.
const LONGEST_LINE: usize = 75;

/// A calendar that is being written.
#[derive(Debug, Default)]
pub struct Writer {
    out: String,
}

impl Writer {
    /// Adds a line whose value is written as it stands. Line breaks and other control characters are left out: nothing that
    /// comes from people can begin a line of its own.
    pub fn line(&mut self, name: &str, value: &str) {
        let mut used = 0;
        let whole = name.chars().chain([':']).chain(value.chars());
        for c in whole.filter(|c| !c.is_control()) {
            if used + c.len_utf8() > LONGEST_LINE {
                // The space that begins a continued line counts.
                self.out.push_str("\r\n ");
                used = 1;
            }
            self.out.push(c);
            used += c.len_utf8();
        }
        self.out.push_str("\r\n");
    }

    /// Adds a line of text, escaped.
    pub fn text(&mut self, name: &str, text: &str) {
        self.line(name, &escaped(text));
    }

    /// Adds a line of an instant, in UTC and whole seconds.
    pub fn instant(&mut self, name: &str, at: Timestamp) {
        let local = TimeZone::UTC.to_datetime(at);
        let text = format!(
            "{:04}{:02}{:02}T{:02}{:02}{:02}Z",
            local.year(),
            local.month(),
            local.day(),
            local.hour(),
            local.minute(),
            local.second()
        );
        self.line(name, &text);
    }

    /// What was written.
    pub fn finish(self) -> String {
        self.out
    }
}

/// A text as a value: backslashes, semicolons, commas and line breaks are escaped.
fn escaped(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' | ';' | ',' => value.extend(['\\', c]),
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' | '\n' => value.push_str("\\n"),
            c => value.push(c),
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        for (text, expected) in [
            ("plain: \"x\"", "plain: \"x\""),
            ("a;b,c\\d", "a\\;b\\,c\\\\d"),
            ("a\nb\r\nc\rd", "a\\nb\\nc\\nd"),
            ("x\r\nBEGIN:VEVENT", "x\\nBEGIN:VEVENT"),
            ("bell\u{7}", "bell"),
        ] {
            let mut out = Writer::default();
            out.text("SUMMARY", text);
            assert_eq!(out.finish(), format!("SUMMARY:{expected}\r\n"), "{text:?}");
        }
    }

    #[test]
    fn values_cannot_begin_lines() {
        let mut out = Writer::default();
        out.line("URL", "https://x/\r\nBEGIN:VALARM\u{85}");
        assert_eq!(out.finish(), "URL:https://x/BEGIN:VALARM\r\n");
    }

    #[test]
    fn lines_are_folded_between_characters() {
        for c in ["a", "ä", "語", "🚒", ","] {
            for length in [10, 33, 34, 66, 67, 68, 69, 140, 141, 300] {
                let mut out = Writer::default();
                let text = c.repeat(length);
                out.text("SUMMARY", &text);
                let written = out.finish();
                let lines: Vec<&str> = written.split_terminator("\r\n").collect();
                assert!(lines.iter().all(|line| line.len() <= LONGEST_LINE));
                let (first, more) = lines.split_first().unwrap();
                assert!(more.iter().all(|line| line.starts_with(' ')));
                let joined = more
                    .iter()
                    .fold(first.to_string(), |all, line| all + &line[1..]);
                assert_eq!(joined, format!("SUMMARY:{}", escaped(&text)));
                // No line is shorter than it has to be.
                let room = LONGEST_LINE - escaped(c).len();
                assert!(
                    lines[..lines.len() - 1]
                        .iter()
                        .all(|line| line.len() > room - 1)
                );
            }
        }
    }

    #[test]
    fn instants_are_in_utc() {
        let mut out = Writer::default();
        out.instant("DTSTART", "2026-03-29T02:59:59.999+01:00".parse().unwrap());
        assert_eq!(out.finish(), "DTSTART:20260329T015959Z\r\n");
    }
}
