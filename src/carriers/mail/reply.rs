//! What the server says: a code of three digits and lines of text (RFC 5321, 4.2).

use crate::carriers::plain::plain;
use crate::domain::relay::RelayError;
use std::io::{self, Read};

/// The longest reply that is read, in bytes.
const LONGEST: usize = 16 * 1024;

/// The characters of a reply that are shown.
const SHOWN: usize = 300;

/// A reply of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub code: u16,
    /// The text of each line.
    pub lines: Vec<String>,
}

impl Reply {
    /// Reads a reply. Bytes after it are left in `buffer`.
    ///
    /// # Errors
    /// Those of the stream; `InvalidData` for what is no reply, `UnexpectedEof` where the server closes.
    pub fn read(stream: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<Reply> {
        let odd = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
        let (mut reply, mut size) = (None::<Reply>, 0);
        loop {
            let line = read_line(stream, buffer)?;
            size += line.len();
            if size > LONGEST {
                return Err(odd("the reply of the server is too long"));
            }
            let (code, rest) = line.split_at_checked(3).unwrap_or(("", ""));
            let code: u16 = match code.bytes().all(|byte| byte.is_ascii_digit()) {
                true => code
                    .parse()
                    .map_err(|_| odd("the server does not speak SMTP"))?,
                false => return Err(odd("the server does not speak SMTP")),
            };
            let reply = reply.get_or_insert(Reply {
                code,
                lines: Vec::new(),
            });
            reply
                .lines
                .push(rest.get(1..).unwrap_or_default().to_owned());
            if !rest.starts_with('-') {
                let lines = std::mem::take(&mut reply.lines);
                return Ok(Reply { code, lines });
            }
        }
    }

    /// Whether the server did what it was asked.
    pub fn is_done(&self) -> bool {
        (200..300).contains(&self.code)
    }

    /// Whether it closes the connection.
    pub fn closes(&self) -> bool {
        self.code == 421
    }

    /// The reply on one line.
    pub fn text(&self) -> String {
        let text = format!("{} {}", self.code, plain(&self.lines.join(" ")));
        match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text.trim_end().to_owned(),
        }
    }

    /// The refusal of a letter: permanent with a code from 500.
    pub fn refusal(&self) -> RelayError {
        let why = format!("the mail server said: {}", self.text());
        match self.code >= 500 {
            true => RelayError::Permanent(why),
            false => RelayError::temporary(why),
        }
    }
}

fn read_line(stream: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<String> {
    loop {
        if let Some(end) = buffer.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = buffer.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            return Ok(line.trim_end_matches(['\r', '\n']).to_owned());
        }
        if buffer.len() > LONGEST {
            let why = "the reply of the server is too long";
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        let mut piece = [0; 1024];
        match stream.read(&mut piece)? {
            0 => {
                let why = "the server closed the connection";
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why));
            }
            count => buffer.extend_from_slice(&piece[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_line_by_line() {
        for (bytes, expected) in [
            ("250 OK\r\n", Some((250, "250 OK", ""))),
            ("250\r\nrest", Some((250, "250", "rest"))),
            (
                "250-a\r\n250-STARTTLS\r\n250 b\r\n",
                Some((250, "250 a STARTTLS b", "")),
            ),
            (
                "550 5.1.1 no\u{7}such\r\n",
                Some((550, "550 5.1.1 no such", "")),
            ),
            ("421 bye\nnext", Some((421, "421 bye", "next"))),
            ("HTTP/1.1 400\r\n", None),
            ("25\r\n", None),
            ("+50 x\r\n", None),
            ("250-a\r\n", None),
            ("", None),
        ] {
            let mut buffer = Vec::new();
            let read = Reply::read(&mut bytes.as_bytes(), &mut buffer).ok();
            let found = read.map(|reply| (reply.code, reply.text()));
            let expected_text = expected.map(|(code, text, _)| (code, text.to_owned()));
            assert_eq!(found, expected_text, "{bytes:?}");
            if let Some((_, _, rest)) = expected {
                assert_eq!(String::from_utf8_lossy(&buffer), rest);
            }
        }
        let endless = "250-x\r\n".repeat(10_000);
        assert!(Reply::read(&mut endless.as_bytes(), &mut Vec::new()).is_err());
    }

    #[test]
    fn only_codes_from_500_are_final() {
        let reply = |code| Reply {
            code,
            lines: vec!["x".into()],
        };
        assert!(matches!(reply(451).refusal(), RelayError::Temporary { .. }));
        assert!(matches!(reply(354).refusal(), RelayError::Temporary { .. }));
        assert_eq!(
            reply(550).refusal(),
            RelayError::Permanent("the mail server said: 550 x".into())
        );
    }
}
