//! Messages as text and HTML, with whom they mention.

use crate::client::encode_segment;
use crate::domain::ids::UserId;
use crate::domain::message::{Message, PeopleNames, QuestionOutcome, Recipient};
use crate::domain::wording::{self, NameForms, Renderer, one_line, shortened};
use crate::domain::zones::ZoneName;
use jiff::Timestamp;
use serde_json::{Value, json};

/// The longest text. An event takes 64 KiB, HTML and markup included.
pub(super) const LONGEST: usize = 4_000;

/// Stands before the link of a person who is meant, and is taken away again: nobody else can write it.
const MEANT: char = '\u{e000}';

/// Where something was said that is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    pub room: &'a str,
    /// What is answered.
    pub event: &'a str,
    /// The thread that it is in.
    pub thread: Option<&'a str>,
}

/// Renders people and times.
struct Words<'a> {
    names: &'a PeopleNames,
    /// The zone of the reader; `None` in a room, or if it is not known.
    reader: Option<ZoneName>,
    html: bool,
}

impl Renderer for Words<'_> {
    fn named(&self, user: &UserId) -> NameForms {
        let name = self.names.get(user).map_or(user.as_str(), String::as_str);
        let name = match self.html {
            true => link(user, &one_line(name)),
            false => self.plain(name),
        };
        NameForms {
            handle: match self.html {
                true => format!("{MEANT}{name}"),
                false => name.clone(),
            },
            name,
        }
    }

    fn plain(&self, text: &str) -> String {
        let text = one_line(text).replace(MEANT, "");
        match self.html {
            true => escaped(&text),
            false => text,
        }
    }

    fn time(&self, at: Timestamp, zone: Option<ZoneName>) -> String {
        wording::time(at, self.reader.or(zone))
    }
}

/// A link to a person, which clients show as their name.
fn link(user: &UserId, name: &str) -> String {
    let id = encode_segment(user.as_str());
    let name = escaped(&name.replace(MEANT, ""));
    format!("<a href=\"https://matrix.to/#/{id}\">{name}</a>")
}

/// Text in which HTML has no meaning.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A text and its HTML, with whom it means.
struct Worded {
    text: String,
    html: String,
    meant: Vec<UserId>,
}

impl Worded {
    /// Words something twice.
    fn of(
        names: &PeopleNames,
        reader: Option<ZoneName>,
        word: impl Fn(&dyn Renderer) -> String,
    ) -> Worded {
        let renderer = |html| Words {
            names,
            reader,
            html,
        };
        let (text, html) = (word(&renderer(false)), word(&renderer(true)));
        let is_meant = |user: &&UserId| {
            let id = encode_segment(user.as_str());
            html.contains(&format!("{MEANT}<a href=\"https://matrix.to/#/{id}\">"))
        };
        let meant = names.keys().filter(is_meant).cloned().collect();
        let short = shortened(&text, LONGEST);
        let html = match short.len() == text.len() {
            true => html.replace(MEANT, ""),
            // A cut could go through a tag.
            false => escaped(&short),
        };
        Worded {
            html: html.replace('\n', "<br>"),
            text: short.into_owned(),
            meant,
        }
    }

    fn content(&self, meant: &[UserId]) -> Value {
        json!({
            "msgtype": "m.text",
            "body": self.text,
            "format": "org.matrix.custom.html",
            "formatted_body": self.html,
            "m.mentions": mentions(meant),
        })
    }
}

/// Whom a message rings for. It is never left out: without it older rules look for names and `@room` in the text.
fn mentions(meant: &[UserId]) -> Value {
    match meant {
        [] => json!({}),
        meant => json!({ "user_ids": meant.iter().map(UserId::as_str).collect::<Vec<_>>() }),
    }
}

/// Text of HTML that this server made: without its tags.
fn text_of(html: &str) -> String {
    let lines = html.replace("<br>", "\n").replace("<blockquote>", "\n> ");
    let mut text = String::with_capacity(lines.len());
    let mut is_tag = false;
    for c in lines.chars() {
        match c {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            c if !is_tag => text.push(c),
            _ => {}
        }
    }
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&quot;", "\"").replace("&amp;", "&")
}

/// An answer. It rings for nobody.
pub(super) fn notice(html: &str, place: Option<Place>) -> Value {
    let mut content = made_of("m.notice", html, &[]);
    if let Some(place) = place {
        content["m.relates_to"] = reply(place);
    }
    content
}

/// A message in the thread of what called people, that rings for them.
pub(super) fn ringing(html: &str, place: Place, meant: &[UserId]) -> Value {
    let mut content = made_of("m.text", html, meant);
    let thread = place.thread.unwrap_or(place.event);
    content["m.relates_to"] = reply(Place {
        thread: Some(thread),
        ..place
    });
    content
}

/// A message that rings for people.
pub(super) fn rung(html: &str, meant: &[UserId]) -> Value {
    made_of("m.text", html, meant)
}

fn made_of(kind: &str, html: &str, meant: &[UserId]) -> Value {
    json!({
        "msgtype": kind,
        "body": text_of(html),
        "format": "org.matrix.custom.html",
        "formatted_body": html,
        "m.mentions": mentions(meant),
    })
}

/// In reply to something, in its thread.
fn reply(place: Place) -> Value {
    let answered = json!({ "event_id": place.event });
    match place.thread {
        Some(thread) => json!({
            "rel_type": "m.thread", "event_id": thread, "is_falling_back": false, "m.in_reply_to": answered,
        }),
        None => json!({ "m.in_reply_to": answered }),
    }
}

/// A text without people in it.
pub(super) fn plain(text: &str, meant: &[UserId]) -> Value {
    let worded = Worded::of(&PeopleNames::new(), None, |_| text.to_owned());
    worded.content(meant)
}

/// A message and whom it means: in a direct room, its recipient too.
fn worded(message: &Message, reader: Option<ZoneName>) -> Worded {
    let mut worded = Worded::of(&message.people, reader, |renderer| {
        wording::text(message, renderer)
    });
    if let Recipient::Person(user) = &message.to
        && !worded.meant.contains(user)
    {
        worded.meant.push(user.clone());
    }
    worded
}

/// The content of a message.
pub(super) fn message(message: &Message, reader: Option<ZoneName>) -> Value {
    let worded = worded(message, reader);
    let mut content = worded.content(&worded.meant);
    if let Some(thread) = &message.thread {
        content["m.relates_to"] = json!({
            "rel_type": "m.thread",
            "event_id": thread.0,
            "is_falling_back": true,
            "m.in_reply_to": { "event_id": thread.0 },
        });
    }
    content
}

/// The content of an edit that says what came of a message. It rings for nobody.
pub(super) fn answered(
    event: &str,
    message: &Message,
    outcome: &QuestionOutcome,
    reader: Option<ZoneName>,
) -> Value {
    let meant = worded(message, reader).meant;
    let worded = Worded::of(&message.people, reader, |renderer| {
        let (asked, outcome) = (
            wording::text(message, renderer),
            wording::standing(outcome, renderer),
        );
        format!("{asked}\n{outcome}")
    });
    let mut content = worded.content(&[]);
    content["body"] = format!("* {}", worded.text).into();
    content["formatted_body"] = format!("* {}", worded.html).into();
    content["m.new_content"] = worded.content(&meant);
    content["m.relates_to"] = json!({ "rel_type": "m.replace", "event_id": event });
    content
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::mention::Thread;
    use crate::domain::message::{Content, Subject};

    fn mention(to: Recipient, text: &str) -> Message {
        let names = [("@ana:a.org", "Ana <b>"), ("@bo:a.org", "Bo")];
        let names = names.map(|(id, name)| (UserId::from(id), name.to_owned()));
        Message {
            to,
            rotation: Some("rot_1".into()),
            rotation_name: "R&D\u{e000}".into(),
            subject: Subject::Rotation,
            content: Content::Mention {
                asker: "@ana:a.org".into(),
                called: vec!["@bo:a.org".into()],
                message: Some(text.into()),
                again: false,
            },
            answers: Vec::new(),
            people: names.into_iter().collect(),
            expires_at: None,
            thread: None,
        }
    }

    #[test]
    fn messages_name_and_mean_people() {
        let room = Recipient::Channel("!r".into());
        let content = message(&mention(room, "<i>@room</i>"), None);
        assert_eq!(
            content["body"],
            "Bo Ana <b> asks for whoever is on call in R&D: <i>@room</i>"
        );
        assert_eq!(
            content["formatted_body"],
            "<a href=\"https://matrix.to/#/@bo:a.org\">Bo</a> \
             <a href=\"https://matrix.to/#/@ana:a.org\">Ana &lt;b&gt;</a> asks for whoever is on call in R&amp;D: \
             &lt;i&gt;@room&lt;/i&gt;"
        );
        assert_eq!(content["m.mentions"], json!({ "user_ids": ["@bo:a.org"] }));
        assert_eq!(content["msgtype"], "m.text");
        let person = Recipient::Person("@bo:a.org".into());
        let content = message(&mention(person, "x"), None);
        assert_eq!(content["m.mentions"], json!({ "user_ids": ["@bo:a.org"] }));
    }

    #[test]
    fn nobody_is_meant_unless_said() {
        let mut quiet = mention(Recipient::Channel("!r".into()), "x");
        quiet.content = Content::Nobody {
            rotation_deleted: false,
        };
        quiet.thread = Some(Thread("$root".into()));
        let content = message(&quiet, None);
        assert_eq!(content["m.mentions"], json!({}));
        assert_eq!(
            content["m.relates_to"],
            json!({
                "rel_type": "m.thread", "event_id": "$root", "is_falling_back": true,
                "m.in_reply_to": { "event_id": "$root" },
            })
        );
    }

    #[test]
    fn edits_ring_for_nobody() {
        let asked = mention(Recipient::Channel("!r".into()), "x");
        let content = answered("$1", &asked, &QuestionOutcome::Passed, None);
        assert_eq!(content["m.mentions"], json!({}));
        let new = &content["m.new_content"];
        assert_eq!(new["m.mentions"], json!({ "user_ids": ["@bo:a.org"] }));
        assert_eq!(
            content["body"],
            format!("* {}", new["body"].as_str().unwrap())
        );
        assert!(
            new["body"]
                .as_str()
                .unwrap()
                .ends_with("\nEverybody has passed.")
        );
        assert!(
            new["formatted_body"]
                .as_str()
                .unwrap()
                .ends_with("<br>Everybody has passed.")
        );
        assert_eq!(
            content["m.relates_to"],
            json!({ "rel_type": "m.replace", "event_id": "$1" })
        );
    }

    #[test]
    fn answers_ring_for_nobody() {
        let place = |thread| Place {
            room: "!r",
            event: "$1",
            thread,
        };
        let html = "<a href=\"https://matrix.to/#/@bo:a.org\">Bo &lt;b&gt;</a> &amp; co<br><code>!rota</code><blockquote>x</blockquote>";
        let content = notice(html, Some(place(None)));
        assert_eq!(content["body"], "Bo <b> & co\n!rota\n> x");
        assert_eq!(content["msgtype"], "m.notice");
        assert_eq!(content["m.mentions"], json!({}));
        assert_eq!(
            content["m.relates_to"],
            json!({ "m.in_reply_to": { "event_id": "$1" } })
        );
        let content = notice(html, Some(place(Some("$0"))));
        assert_eq!(
            content["m.relates_to"],
            json!({
                "rel_type": "m.thread", "event_id": "$0", "is_falling_back": false, "m.in_reply_to": { "event_id": "$1" },
            })
        );
        let content = ringing(html, place(None), &["@bo:a.org".into()]);
        assert_eq!(content["msgtype"], "m.text");
        assert_eq!(content["m.relates_to"]["event_id"], "$1");
        assert_eq!(content["m.mentions"], json!({ "user_ids": ["@bo:a.org"] }));
    }

    #[test]
    fn long_messages_are_cut() {
        let long = mention(Recipient::Channel("!r".into()), &"<&> ".repeat(2_000));
        let content = message(&long, None);
        let body = content["body"].as_str().unwrap();
        assert!(
            body.chars().count() <= LONGEST && body.ends_with('…'),
            "{body}"
        );
        let html = content["formatted_body"].as_str().unwrap();
        assert!(
            !html.contains('<') && content.to_string().len() < 60_000,
            "{html}"
        );
        assert_eq!(content["m.mentions"], json!({ "user_ids": ["@bo:a.org"] }));
    }

    #[test]
    fn times_are_in_the_readers_zone() {
        let renderer = |reader: &str| {
            Words {
                names: &PeopleNames::new(),
                reader: ZoneName::parse(reader).ok(),
                html: false,
            }
            .time(
                "2026-11-23T08:00:00Z".parse().unwrap(),
                ZoneName::parse("Europe/Oslo").ok(),
            )
        };
        assert_eq!(
            renderer("America/New_York"),
            "2026-11-23 03:00 (America/New_York)"
        );
        assert_eq!(renderer("no zone"), "2026-11-23 09:00 (Europe/Oslo)");
    }
}
