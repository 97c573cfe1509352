//! A letter as the bytes that are sent: headers, and the text twice, plain and as HTML or as an invitation.

use super::address::{Address, Mailbox};
use email_encoding::headers::rfc2047;
use email_encoding::headers::writer::EmailWriter;
use jiff::Timestamp;
use lettre::message::header::{
    self, ContentTransferEncoding, ContentType, HeaderName, HeaderValue, Headers,
};
use lettre::message::{MultiPart, SinglePart};
use std::time::SystemTime;

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
    pub second: Second,
    pub thread: Thread,
    /// Where the reader chooses what they are mailed: a URL.
    pub unsubscribe: String,
}

/// What is sent beside the plain text, for programs that show it instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Second {
    Html(String),
    /// An iCalendar object with a method (RFC 6047), with lines that end in `\r\n`.
    Invitation {
        method: &'static str,
        calendar: String,
    },
}

impl Second {
    fn part(&self) -> SinglePart {
        match self {
            Second::Html(html) => part(ContentType::TEXT_HTML, html),
            Second::Invitation { method, calendar } => {
                let kind = format!("text/calendar; method={method}; charset=utf-8");
                // A method is a plain word.
                let kind = ContentType::parse(&kind).unwrap_or(ContentType::TEXT_PLAIN);
                part(kind, calendar)
            }
        }
    }
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

    /// The whole letter: ASCII in short lines that end in `\r\n`. The same bytes whenever it is asked for.
    ///
    /// `lettre::Message` is not used: it adds nothing here but reads the sender back from its header, and refuses what it cannot
    /// read.
    pub fn bytes(&self) -> String {
        let body = MultiPart::alternative()
            .boundary(BOUNDARY)
            .singlepart(part(ContentType::TEXT_PLAIN, &self.text))
            .singlepart(self.second.part());
        self.headers().to_string() + &String::from_utf8_lossy(&body.formatted())
    }

    fn headers(&self) -> Headers {
        let mut headers = Headers::new();
        headers.set(header::Date::new(date(self.at)));
        headers.set(header::From::from(self.from.in_headers()));
        headers.set(header::To::from(self.to.in_headers()));
        if let Some(reply_to) = &self.reply_to {
            headers.set(header::ReplyTo::from(reply_to.in_headers()));
        }
        headers.insert_raw(subject(&self.subject));
        headers.set(header::MessageId::from(format!("<{}>", self.message_id)));
        if let Some(first) = &self.thread.first {
            headers.set(header::InReplyTo::from(format!("<{first}>")));
            headers.set(header::References::from(format!("<{first}>")));
        }
        for (name, value) in [
            ("Auto-Submitted", "auto-generated".to_owned()),
            ("List-Unsubscribe", format!("<{}>", self.unsubscribe)),
        ] {
            let name = HeaderName::new_from_ascii_str(name);
            headers.insert_raw(HeaderValue::new(name, value));
        }
        headers.set(header::MIME_VERSION_1_0);
        headers
    }
}

/// Cannot occur in quoted-printable text, where `=` is followed by digits or the end of a line. Fixed, so that a letter that is
/// sent again is the same.
const BOUNDARY: &str = "=_rota_=";

/// Always quoted-printable: readable in the source, whatever the language.
fn part(kind: ContentType, text: &str) -> SinglePart {
    SinglePart::builder()
        .header(kind)
        .header(ContentTransferEncoding::QuotedPrintable)
        .body(text.to_owned())
}

/// The longest subject that may be left without line breaks: a line of a letter has at most 998 characters.
const LONGEST: usize = 900;

/// lettre leaves a word such as `=?utf-8?Q?=41?=` as it is, and readers would decode it, so such a subject is encoded whole.
fn subject(text: &str) -> HeaderValue {
    let name = HeaderName::new_from_ascii_str("Subject");
    if !text.contains("=?") && text.len() <= LONGEST {
        return HeaderValue::new(name, text.to_owned());
    }
    let mut encoded = String::new();
    // Writing to a string never fails.
    let _ = rfc2047::encode(
        text,
        &mut EmailWriter::new(&mut encoded, "Subject: ".len(), 0, false),
    );
    HeaderValue::dangerous_new_pre_encoded(name, text.to_owned(), encoded)
}

/// The header has no years before 1970, which no message is queued in.
fn date(at: Timestamp) -> SystemTime {
    SystemTime::from(at).max(SystemTime::UNIX_EPOCH)
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
            second: Second::Html("<p>One.</p>".into()),
            thread: Thread {
                first: Some("msg_0.1@rota.example".into()),
            },
            unsubscribe: "https://rota.example/me".into(),
        }
    }

    #[test]
    fn a_letter_has_its_headers_and_two_parts() {
        let expected = "Date: Mon, 23 Nov 2026 08:00:00 +0000\n\
            From: rota <rota@example.org>\n\
            To: Ana <ana@example.org>\n\
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
            One.\nTwo =3D 2.\n\
            --=_rota_=\n\
            Content-Type: text/html; charset=utf-8\n\
            Content-Transfer-Encoding: quoted-printable\n\n\
            <p>One.</p>\n\
            --=_rota_=--\n";
        let bytes = letter("Ana", "You are on duty: Platform").bytes();
        assert_eq!(bytes.replace("\r\n", "\n"), expected);
    }

    /// rules.md 19.15.
    #[test]
    fn an_invitation_is_the_last_part() {
        let invitation = Letter {
            second: Second::Invitation {
                method: "CANCEL",
                calendar: "BEGIN:VCALENDAR\r\nMETHOD:CANCEL\r\nEND:VCALENDAR\r\n".into(),
            },
            ..letter("Ana", "Duty")
        };
        let bytes = invitation.bytes();
        let (_, last) = bytes.rsplit_once("--=_rota_=\r\n").expect("parts");
        let expected = "Content-Type: text/calendar; method=CANCEL; charset=utf-8\r\n\
            Content-Transfer-Encoding: quoted-printable\r\n\r\n\
            BEGIN:VCALENDAR\r\nMETHOD:CANCEL\r\nEND:VCALENDAR\r\n\r\n\
            --=_rota_=--\r\n";
        assert_eq!(last, expected);
    }

    #[test]
    fn names_and_subjects_add_no_header() {
        let (long, wide) = ("x".repeat(2_000), "\u{5d0}\u{1f600} ".repeat(200));
        for hostile in [
            &long,
            &wide,
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
            let short = |line: &str| line.is_ascii() && line.len() < 998;
            assert!(head.split("\r\n").all(short), "{hostile:?}");
            assert!(!head.contains("=?utf-8?Q?"), "{head}");
        }
    }
}
