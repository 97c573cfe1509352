//! Replies of the server (RFC 5321, 4.2). lettre parses it; it is read here, so that its size and time are bounded.

use crate::domain::relay::RelayError;
use crate::relays::plain::plain;
use lettre::transport::smtp::extension::ServerInfo;
use lettre::transport::smtp::response::Response;
use std::io::{self, BufRead, Read};

/// The longest reply that is read, in bytes.
const LONGEST: u64 = 16 * 1024;

/// The characters of a reply that are shown.
const SHOWN: usize = 300;

/// A reply of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply(Response);

impl Reply {
    /// Reads a reply.
    ///
    /// # Errors
    /// Those of the stream; `InvalidData` for what is no reply, `UnexpectedEof` where the server closes.
    pub fn read(stream: &mut impl BufRead) -> io::Result<Reply> {
        let odd = |what| io::Error::new(io::ErrorKind::InvalidData, what);
        let mut stream = stream.take(LONGEST);
        let mut reply = String::new();
        loop {
            let mut line = Vec::new();
            stream.read_until(b'\n', &mut line)?;
            if !line.ends_with(b"\n") {
                return Err(match stream.limit() {
                    0 => odd("the reply of the server is too long"),
                    _ => io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        "the server closed the connection",
                    ),
                });
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches(['\r', '\n']);
            // A reply without text may leave out the blank that lettre expects.
            reply += &format!("{line:<4}\r\n");
            if line.as_bytes().get(3) != Some(&b'-') {
                let parsed = reply.parse().map(Reply);
                return parsed.map_err(|_| odd("the server does not speak SMTP"));
            }
        }
    }

    pub fn code(&self) -> u16 {
        self.0.code().into()
    }

    /// As lettre takes it.
    pub fn response(&self) -> &Response {
        &self.0
    }

    /// The extensions that the server offers, if this answers its greeting.
    pub fn offers(&self) -> ServerInfo {
        // lettre expects the words in upper case, and does not know the `AUTH=` of old servers.
        let lines = self.0.message();
        let lines = lines.map(|line| line.to_ascii_uppercase().replace('=', " "));
        let reply = Response::new(self.0.code(), lines.collect());
        // Fails without a name of the server, which matters to nobody.
        ServerInfo::from_response(&reply).unwrap_or_default()
    }

    /// Whether the server did what it was asked.
    pub fn is_done(&self) -> bool {
        (200..300).contains(&self.code())
    }

    /// Whether it closes the connection.
    pub fn closes(&self) -> bool {
        self.code() == 421
    }

    /// The reply on one line.
    pub fn text(&self) -> String {
        let lines: Vec<&str> = self.0.message().collect();
        let text = format!("{} {}", self.code(), plain(&lines.join(" ")));
        match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text.trim_end().to_owned(),
        }
    }

    /// The refusal of a letter: permanent with a code from 500.
    pub fn refusal(&self) -> RelayError {
        let why = format!("the mail server said: {}", self.text());
        match self.code() >= 500 {
            true => RelayError::Permanent(why),
            false => RelayError::temporary(why),
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
            let mut stream = bytes.as_bytes();
            let read = Reply::read(&mut stream).ok();
            let found = read.map(|reply| (reply.code(), reply.text()));
            let expected_text = expected.map(|(code, text, _)| (code, text.to_owned()));
            assert_eq!(found, expected_text, "{bytes:?}");
            if let Some((_, _, rest)) = expected {
                assert_eq!(String::from_utf8_lossy(stream), rest);
            }
        }
        let endless = "250-x\r\n".repeat(10_000);
        assert!(Reply::read(&mut endless.as_bytes()).is_err());
    }

    #[test]
    fn only_codes_from_500_are_final() {
        let reply = |code| {
            let text = format!("{code} x\r\n");
            Reply::read(&mut text.as_bytes()).expect("a reply")
        };
        assert!(matches!(reply(451).refusal(), RelayError::Temporary { .. }));
        assert!(matches!(reply(354).refusal(), RelayError::Temporary { .. }));
        assert_eq!(
            reply(550).refusal(),
            RelayError::Permanent("the mail server said: 550 x".into())
        );
    }

    #[test]
    fn offers_are_known_in_any_case() {
        use lettre::transport::smtp::authentication::Mechanism;
        use lettre::transport::smtp::extension::Extension;
        for (bytes, tls, plain) in [
            (
                "250-mail.test\r\n250-STARTTLS\r\n250 AUTH LOGIN PLAIN\r\n",
                true,
                true,
            ),
            (
                "250-mail.test\r\n250-starttls\r\n250 auth=plain\r\n",
                true,
                true,
            ),
            (
                "250-mail.test\r\n250-SIZE 1000\r\n250 AUTH LOGIN\r\n",
                false,
                false,
            ),
            ("250\r\n", false, false),
        ] {
            let offers = Reply::read(&mut bytes.as_bytes())
                .expect("a reply")
                .offers();
            assert_eq!(
                (
                    offers.supports_feature(Extension::StartTls),
                    offers.supports_auth_mechanism(Mechanism::Plain)
                ),
                (tls, plain),
                "{bytes:?}"
            );
        }
    }
}
