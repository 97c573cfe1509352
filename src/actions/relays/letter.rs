//! Writes the letter of a message.

use super::link;
use crate::actions::{App, Error, sessions};
use crate::domain::directory::Person;
use crate::domain::ids::UserId;
use crate::domain::message::{Content, Message, Recipient, RequestOutcome, Subject};
use crate::domain::relay::{self, RelayError};
use crate::relays::mail::{Letter, Mailbox, Mailer, Notice, Second, Thread, message_id};
use crate::store::{self, Outgoing, ReadTx};

/// The letter of a message to a person, or why there is none.
pub(super) fn write(
    tx: &ReadTx,
    app: &App,
    mailer: &Mailer,
    outgoing: &Outgoing,
) -> Result<Result<Letter, RelayError>, Error> {
    let refused = |why: String| Ok(Err(RelayError::Permanent(why)));
    let (Ok(message), Recipient::Person(user)) = (&outgoing.message, &outgoing.to) else {
        return refused("it is no message to a person".into());
    };
    let person = store::load_person(tx, user)?.filter(|person| !person.is_deleted);
    let Some(person) = person else {
        return refused(format!("nobody in the workspace has the id `{user}`"));
    };
    let to = match person.email.as_deref().unwrap_or_default().parse() {
        Ok(address) => Mailbox::new(person.name(), address),
        Err(why) => return refused(format!("the directory has no address to mail to: {why}")),
    };
    let chosen = store::load_chosen_zone(tx, user)?;
    let zone = sessions::zone_of(chosen.or(person.time_zone).as_deref());
    let settings = &mailer.settings;
    let links = app.relays().links.as_deref();
    let notice = Notice {
        message,
        zone,
        contact: contact(tx, user, message)?,
        link: links
            .and_then(|base| link(message).map(|(label, path)| (label, format!("{base}{path}")))),
        settings: links.map(|base| format!("{base}/me/mail")),
    };
    let host = links
        .and_then(host)
        .unwrap_or(settings.from.address.domain());
    let named = |sequence, at| message_id(&relay::message_id(sequence), at, host);
    let first = match message.subject {
        Subject::Rotation => None,
        _ => store::first_message_about(tx, &message.subject)?,
    };
    let first = first.filter(|(sequence, _)| *sequence != outgoing.sequence);
    let answers_to = settings.reply_to.as_ref().unwrap_or(&settings.from);
    let unsubscribe = match links {
        Some(base) => format!("{base}/me/mail"),
        None => format!("mailto:{}?subject=unsubscribe", answers_to.address),
    };
    Ok(Ok(Letter {
        message_id: named(outgoing.sequence, outgoing.created_at),
        at: outgoing.created_at,
        from: settings.from.clone(),
        reply_to: settings.reply_to.clone(),
        to,
        subject: notice.subject(),
        text: notice.text(),
        second: Second::Html(notice.html()),
        thread: Thread {
            first: first.map(|(sequence, at)| named(sequence, at)),
        },
        unsubscribe,
    }))
}

/// The host of a URL, where it can stand in a message id.
pub(super) fn host(url: &str) -> Option<&str> {
    let rest = url.split_once("://")?.1;
    let host = rest.split(['/', ':']).next()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
    (!host.is_empty() && host.chars().all(plain)).then_some(host)
}

/// Whom a reader asks: the other side of a request or a mention, else an owner of the rotation.
fn contact(
    tx: &ReadTx,
    reader: &UserId,
    message: &Message,
) -> Result<Option<(String, Option<String>)>, Error> {
    let other = match &message.content {
        Content::CoverAsked(asked) | Content::SwapAsked(asked) => Some(asked.requester.clone()),
        Content::CoverAnswered(outcome) | Content::SwapAnswered(outcome) => match outcome {
            RequestOutcome::Accepted { by, .. }
            | RequestOutcome::Declined { by, .. }
            | RequestOutcome::Ended { by } => Some(by.clone()),
        },
        Content::Mention { asker, .. } | Content::MentionAnswered { asker, .. } => {
            Some(asker.clone())
        }
        Content::Text { .. }
        | Content::OnDuty { .. }
        | Content::OffDuty { .. }
        | Content::ComingUp { .. }
        | Content::Nobody { .. }
        | Content::HandOver { .. }
        | Content::ShiftsMoved(_)
        | Content::Summary(_)
        | Content::WeekAhead(_) => {
            let rotation = match &message.rotation {
                Some(rotation) => store::load_rotation(tx, rotation)?,
                None => None,
            };
            let owners = rotation.map(|rotation| rotation.profile.owners);
            owners.into_iter().flatten().find(|owner| owner != reader)
        }
    };
    let Some(other) = other.filter(|other| other != reader) else {
        return Ok(None);
    };
    let person = store::load_person(tx, &other)?;
    let present = person.filter(|person| !person.is_deleted);
    Ok(present.map(|person: Person| (person.name().to_owned(), person.email)))
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn the_host_of_a_url_stands_in_message_ids() {
        for (url, expected) in [
            ("https://rota.example.org", Some("rota.example.org")),
            (
                "https://rota.example.org:8443/on-call",
                Some("rota.example.org"),
            ),
            ("http://127.0.0.1:8080", Some("127.0.0.1")),
            ("http://[::1]:8080", None),
            ("rota", None),
        ] {
            assert_eq!(host(url), expected, "{url}");
        }
    }
}
