//! Content lines: folded lines joined, and their name, parameters and value.

use std::borrow::Cow;

/// What is kept of one line. Attachments within a calendar are longer, and nothing that is read is.
const LONGEST: usize = 256 * 1024;

/// The content lines of a calendar. Empty lines are left out.
pub struct Lines<'a> {
    rest: &'a [u8],
}

/// A content line.
#[derive(Clone, Debug)]
pub struct ContentLine<'a> {
    text: Cow<'a, str>,
    /// Where the name ends.
    name: usize,
    /// Where the colon stands.
    colon: usize,
    /// Whether the end is missing because the line was too long.
    pub is_cut: bool,
}

impl<'a> Lines<'a> {
    /// The lines of a body, with or without a byte order mark.
    pub fn new(body: &'a [u8]) -> Lines<'a> {
        Lines {
            rest: body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body),
        }
    }

    /// Bytes that were not looked through yet.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    fn physical(&mut self) -> &'a [u8] {
        let end = self.rest.iter().position(|byte| *byte == b'\n');
        let (line, rest) = match end {
            Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
            None => (self.rest, &[][..]),
        };
        self.rest = rest;
        line.strip_suffix(b"\r").unwrap_or(line)
    }
}

impl<'a> Iterator for Lines<'a> {
    /// `None` for a line that has no name or no colon.
    type Item = Option<ContentLine<'a>>;

    fn next(&mut self) -> Option<Option<ContentLine<'a>>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            // Joined as bytes: programs fold within characters too.
            let mut line = Cow::Borrowed(self.physical());
            let mut is_cut = false;
            while let Some(b' ' | b'\t') = self.rest.first() {
                let more = &self.physical()[1..];
                let free = LONGEST.saturating_sub(line.len());
                is_cut |= more.len() > free;
                if !more.is_empty() && free > 0 {
                    line.to_mut()
                        .extend_from_slice(&more[..more.len().min(free)]);
                }
            }
            if line.len() > LONGEST {
                is_cut = true;
                line = Cow::Owned(line[..LONGEST].to_vec());
            }
            if line.is_empty() {
                continue;
            }
            let text = match line {
                Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
                Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
            };
            return Some(ContentLine::new(text, is_cut));
        }
    }
}

impl<'a> ContentLine<'a> {
    fn new(text: Cow<'a, str>, is_cut: bool) -> Option<ContentLine<'a>> {
        let mut quoted = false;
        let mut name = None;
        let mut colon = None;
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'"' => quoted = !quoted,
                b';' if name.is_none() => name = Some(at),
                b':' if !quoted => {
                    colon = Some(at);
                    break;
                }
                _ => {}
            }
        }
        let colon = colon?;
        let name = name.unwrap_or(colon);
        (name > 0).then_some(ContentLine {
            text,
            name,
            colon,
            is_cut,
        })
    }

    /// Its length, in bytes.
    pub fn length(&self) -> usize {
        self.text.len()
    }

    /// The name, as it was written.
    pub fn name(&self) -> &str {
        &self.text[..self.name]
    }

    /// Whether it has a name, without regard to case.
    pub fn is(&self, name: &str) -> bool {
        self.name().eq_ignore_ascii_case(name)
    }

    /// The value, as it was written.
    pub fn value(&self) -> &str {
        &self.text[self.colon + 1..]
    }

    /// A parameter, without its quotes.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let parameters = self.text[self.name..self.colon].strip_prefix(';')?;
        let mut quoted = false;
        let split = parameters.split(move |c: char| {
            quoted ^= c == '"';
            c == ';' && !quoted
        });
        let mut pairs = split.filter_map(|pair| pair.split_once('='));
        let (_, value) = pairs.find(|(own, _)| own.trim().eq_ignore_ascii_case(name))?;
        let value = value.trim();
        let bare = value
            .strip_prefix('"')
            .and_then(|value| value.strip_suffix('"'));
        Some(bare.unwrap_or(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(body: &[u8]) -> Vec<String> {
        let lines = Lines::new(body);
        lines
            .map(|line| line.map_or("-".into(), |line| line.text.into_owned()))
            .collect()
    }

    #[test]
    fn folded_lines_are_joined() {
        for (body, expected) in [
            (&b"A:1\r\nB:2\r\n"[..], &["A:1", "B:2"][..]),
            (b"A:1\nB:2", &["A:1", "B:2"]),
            (b"\xef\xbb\xbfA:1\r\n\r\n\nB:2\r\n", &["A:1", "B:2"]),
            (b"A:1\r\n 2\r\n\t3\r\nB:\r\n", &["A:123", "B:"]),
            (b"A:1\n \n 2\n", &["A:12"]),
            // Within a character.
            (b"A:\xc3\r\n \xa4\r\n", &["A:\u{e4}"]),
            (b"A:\xff\r\n", &["A:\u{fffd}"]),
            (b"no colon\r\n:no name\r\nA;X=\":\r\n", &["-", "-", "-"]),
        ] {
            assert_eq!(texts(body), expected, "{body:?}");
        }
    }

    #[test]
    fn long_lines_are_cut() {
        let line = |body: &[u8]| Lines::new(body).next().unwrap().unwrap().is_cut;
        let long = "x".repeat(LONGEST);
        assert!(!line(format!("A:{}", &long[2..]).as_bytes()));
        assert!(line(format!("A:{long}").as_bytes()));
        assert!(line(format!("A:\r\n {long}\r\n y").as_bytes()));
        assert_eq!(
            texts(format!("A:\r\n {long}\r\n y\r\nB:1").as_bytes())[1],
            "B:1"
        );
    }

    #[test]
    fn lines_have_parameters() {
        let body = b"DTSTART;tzid=\"a;b:c\";VALUE=DATE:20260101:x";
        let line = Lines::new(body).next().unwrap().unwrap();
        assert!(line.is("dtstart"));
        assert_eq!(line.value(), "20260101:x");
        assert_eq!(line.parameter("TZID"), Some("a;b:c"));
        assert_eq!(line.parameter("value"), Some("DATE"));
        assert_eq!(line.parameter("RANGE"), None);
    }
}
