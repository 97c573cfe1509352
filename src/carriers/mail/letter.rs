//! A letter as the bytes that are sent: headers, and the text twice, plain and as HTML.

use super::address::{Address, Mailbox};
use super::encode;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;
use std::fmt::Write;

/// A letter to one person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// Without angle brackets. The same whenever the letter is sent again.
    pub message_id: String,
    /// When the message was queued.
    pub at: Timestamp,
    pub from: Mailbox,
    pub reply_to: Option<Mailbox>,
    pub to: Mailbox,
    pub subject: String,
    /// With lines that end in `\n`.
    pub text: String,
    pub html: String,
    pub thread: Thread,
    /// Where the reader chooses what they are mailed: a URL.
    pub unsubscribe: String,
}

/// The place of a letter in a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// The message id of the first letter of the conversation; `None` for the first one, and for a letter without others.
    pub first: Option<String>,
}

/// The message id of a letter: unique in the world, and the same for the same message.
pub fn message_id(id: &str, queued_at: Timestamp, host: &str) -> String {
    format!("{id}.{:x}@{host}", queued_at.as_millisecond())
}

impl Letter {
    /// The address that it goes to.
    pub fn recipient(&self) -> &Address {
        &self.to.address
    }

    /// The whole letter, with lines that end in `\r\n`.
    pub fn bytes(&self) -> String {
        let mut letter = String::new();
        let mut header = |name: &str, value: &str| {
            // Writing to a string never fails.
            let _ = write!(letter, "{name}: {value}\r\n");
        };
        header("Date", &date(self.at));
        header("From", &mailbox(&self.from));
        header("To", &mailbox(&self.to));
        if let Some(reply_to) = &self.reply_to {
            header("Reply-To", &mailbox(reply_to));
        }
        header("Subject", &encode::text(&self.subject));
        header("Message-ID", &format!("<{}>", self.message_id));
        if let Some(first) = &self.thread.first {
            header("In-Reply-To", &format!("<{first}>"));
            header("References", &format!("<{first}>"));
        }
        header("Auto-Submitted", "auto-generated");
        header("List-Unsubscribe", &format!("<{}>", self.unsubscribe));
        header("MIME-Version", "1.0");
        let parts = [("plain", &self.text), ("html", &self.html)];
        header(
            "Content-Type",
            &format!("multipart/alternative; boundary=\"{BOUNDARY}\""),
        );
        for (kind, text) in parts {
            let body = encode::quoted_printable(text);
            let _ = write!(
                letter,
                "\r\n--{BOUNDARY}\r\nContent-Type: text/{kind}; charset=utf-8\r\n\
                 Content-Transfer-Encoding: quoted-printable\r\n\r\n{body}"
            );
        }
        let _ = write!(letter, "\r\n--{BOUNDARY}--\r\n");
        letter
    }
}

/// Cannot occur in quoted-printable text, where `=` is followed by digits or the end of a line.
const BOUNDARY: &str = "=_rota_=";

fn date(at: Timestamp) -> String {
    let printed = DateTimePrinter::new().timestamp_to_string(&at);
    // Fails for years after 9999, which no message is queued in.
    printed.unwrap_or_else(|_| "Thu, 1 Jan 1970 00:00:00 -0000".into())
}

fn mailbox(mailbox: &Mailbox) -> String {
    match &mailbox.name {
        Some(name) => format!("{}\r\n <{}>", encode::phrase(name), mailbox.address),
        None => mailbox.address.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter(name: &str, subject: &str) -> Letter {
        Letter {
            message_id: "msg_1.2@rota.example".into(),
            at: "2026-11-23T08:00:00Z".parse().unwrap(),
            from: "rota <rota@example.org>".parse().unwrap(),
            reply_to: None,
            to: Mailbox::new(name, "ana@example.org".parse().unwrap()),
            subject: subject.into(),
            text: "One.\nTwo = 2.".into(),
            html: "<p>One.</p>".into(),
            thread: Thread {
                first: Some("msg_0.1@rota.example".into()),
            },
            unsubscribe: "https://rota.example/me".into(),
        }
    }

    #[test]
    fn a_letter_has_its_headers_and_two_parts() {
        let expected = "Date: Mon, 23 Nov 2026 08:00:00 -0000\n\
            From: \"rota\"\n <rota@example.org>\n\
            To: \"Ana\"\n <ana@example.org>\n\
            Subject: You are on duty: Platform\n\
            Message-ID: <msg_1.2@rota.example>\n\
            In-Reply-To: <msg_0.1@rota.example>\n\
            References: <msg_0.1@rota.example>\n\
            Auto-Submitted: auto-generated\n\
            List-Unsubscribe: <https://rota.example/me>\n\
            MIME-Version: 1.0\n\
            Content-Type: multipart/alternative; boundary=\"=_rota_=\"\n\n\
            --=_rota_=\n\
            Content-Type: text/plain; charset=utf-8\n\
            Content-Transfer-Encoding: quoted-printable\n\n\
            One.\nTwo =3D 2.\n\n\
            --=_rota_=\n\
            Content-Type: text/html; charset=utf-8\n\
            Content-Transfer-Encoding: quoted-printable\n\n\
            <p>One.</p>\n\n\
            --=_rota_=--\n";
        let bytes = letter("Ana", "You are on duty: Platform").bytes();
        assert_eq!(bytes.replace("\r\n", "\n"), expected);
    }

    #[test]
    fn names_and_subjects_add_no_header() {
        for hostile in [
            "x\r\nBcc: evil@example.org",
            "x\nSubject: y",
            "=?utf-8?Q?=0D=0ABcc:_x?=",
            "\"><script>",
            "\u{202e}evil",
        ] {
            let bytes = letter(hostile, hostile).bytes();
            let (head, _) = bytes.split_once("\r\n\r\n").unwrap();
            let names = head.split("\r\n").filter(|line| !line.starts_with(' '));
            let names: Vec<&str> = names
                .filter_map(|line| line.split_once(':'))
                .map(|(name, _)| name)
                .collect();
            assert_eq!(names.len(), 11, "{names:?}");
            assert!(!names.contains(&"Bcc"), "{hostile:?}");
        }
    }
}
