//! A message to a person in the words of a letter: what, when in their zone, whom to ask, and where to answer.

use crate::domain::ids::UserId;
use crate::domain::message::{Message, PeopleNames};
use crate::domain::wording::{self, NameForms, Renderer};
use crate::domain::zones::ZoneName;
use crate::relays::plain::plain;
use jiff::Timestamp;
use maud::{DOCTYPE, html};

/// The content of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice<'a> {
    pub message: &'a Message,
    /// The reader's.
    pub zone: ZoneName,
    /// Whom to ask: name and address.
    pub contact: Option<(String, Option<String>)>,
    /// Where the reader answers or sees more: what the link says, and its URL.
    pub link: Option<(&'static str, String)>,
    /// Where the reader chooses what they are mailed.
    pub settings: Option<String>,
}

/// Words for a reader of plain text.
struct Plain<'a> {
    names: &'a PeopleNames,
    zone: ZoneName,
}

impl Renderer for Plain<'_> {
    fn named(&self, user: &UserId) -> NameForms {
        let name = self.names.get(user).map_or(user.as_str(), String::as_str);
        NameForms {
            name: plain(name),
            handle: plain(name),
        }
    }

    fn plain(&self, text: &str) -> String {
        plain(text)
    }

    fn time(&self, at: Timestamp, _: Option<ZoneName>) -> String {
        wording::time(at, Some(self.zone))
    }
}

impl Notice<'_> {
    /// The subject.
    pub fn subject(&self) -> String {
        wording::subject(self.message, &self.renderer())
    }

    /// The text, with lines that end in `\n`.
    pub fn text(&self) -> String {
        let mut parts = vec![self.said()];
        if let Some((label, url)) = &self.link {
            parts.push(format!("{label}: {url}"));
        }
        parts.extend(self.asking());
        if let Some(url) = &self.settings {
            parts.push(format!("Choose what you are mailed: {url}"));
        }
        parts.join("\n\n") + "\n"
    }

    /// The content as HTML.
    pub fn html(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head { meta charset="utf-8"; title { (self.subject()) } }
                body {
                    @for line in self.said().lines() { p { bdi { (line) } } }
                    @if let Some((label, url)) = &self.link { p { a href=(url) { (label) } } }
                    @if let Some(asking) = self.asking() { p { bdi { (asking) } } }
                    @if let Some(url) = &self.settings { p { small { a href=(url) { "Choose what you are mailed" } } } }
                }
            }
        };
        // One element a line keeps the source readable.
        page.into_string().replace("><", ">\n<")
    }

    fn renderer(&self) -> Plain<'_> {
        Plain {
            names: &self.message.people,
            zone: self.zone,
        }
    }

    fn said(&self) -> String {
        wording::text(self.message, &self.renderer())
    }

    fn asking(&self) -> Option<String> {
        let (name, address) = self.contact.as_ref()?;
        let name = plain(name);
        Some(match address {
            Some(address) => format!("Questions? Ask {name}, {}.", plain(address)),
            None => format!("Questions? Ask {name}."),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::message::{Content, Recipient, RequestAsked, Subject};

    fn message(name: &str) -> Message {
        Message {
            to: Recipient::Person("U2".into()),
            rotation: Some("rot_1".into()),
            rotation_name: name.into(),
            subject: Subject::Request("cov_1".into()),
            content: Content::CoverAsked(RequestAsked {
                requester: "U1".into(),
                shifts: Vec::new(),
                reason: Some("a\r\n<b>".into()),
            }),
            answers: Vec::new(),
            people: [("U1".into(), "<i>Ana</i>".to_owned())].into(),
            expires_at: None,
            thread: None,
        }
    }

    #[test]
    fn a_letter_says_what_whom_to_ask_and_where_to_answer() {
        let message = message("Ops");
        let notice = Notice {
            message: &message,
            zone: ZoneName::utc(),
            contact: Some(("Ana".into(), Some("ana@example.org".into()))),
            link: Some(("Answer", "https://rota.example/requests/cov_1".into())),
            settings: Some("https://rota.example/me/mail".into()),
        };
        assert_eq!(notice.subject(), "<i>Ana</i> asks you for cover: Ops");
        let text = notice.text();
        assert!(
            text.contains("\n\nAnswer: https://rota.example/requests/cov_1\n\n"),
            "{text}"
        );
        assert!(
            text.contains("Reason: a  <b>") && text.contains("Ask Ana, ana@example.org."),
            "{text}"
        );
        let html = notice.html();
        assert!(
            html.contains("&lt;i&gt;Ana&lt;/i&gt;") && !html.contains("<i>"),
            "{html}"
        );
        assert!(
            html.contains("href=\"https://rota.example/requests/cov_1\""),
            "{html}"
        );
    }
}
