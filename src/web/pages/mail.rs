//! The page on which a reader chooses what is mailed.

use crate::actions::notification_settings;
use crate::domain::message::MessageKind;
use crate::domain::notification::NotificationChange;
use crate::domain::relay::NotificationSettings;
use crate::server::{Outcome, Problem};
use crate::web::form::{Errors, Form};
use crate::web::notes::Note;
use crate::web::parts::fields::{self, Choice, Filled};
use crate::web::parts::refusals;
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use maud::html;

/// The kinds that people are sent directly; the others go to channels.
const DIRECT: [(MessageKind, &str); 9] = [
    (MessageKind::OnDuty, "I come on duty"),
    (MessageKind::OffDuty, "I go off duty"),
    (MessageKind::ComingUp, "My duty begins soon"),
    (
        MessageKind::Nobody,
        "Nobody is on call in a rotation that I own",
    ),
    (MessageKind::CoverAsked, "Somebody asks me for cover"),
    (
        MessageKind::CoverAnswered,
        "My request for cover is answered, or a cover ends",
    ),
    (MessageKind::SwapAsked, "Somebody offers me a swap"),
    (MessageKind::SwapAnswered, "My offer of a swap is answered"),
    (MessageKind::ShiftsMoved, "My shifts move"),
];

/// GET /me/mail.
pub fn show(visit: &Visit) -> Outcome {
    let user = visit.me()?.person.id.clone();
    let settings = notification_settings::read(visit.app(), &visit.caller, &user)?.messages;
    let mut chosen: Vec<(&str, String)> = Vec::new();
    if settings.mail {
        chosen.push(("mail", "true".to_owned()));
    }
    let kinds = settings.kinds.iter();
    chosen.extend(kinds.map(|kind| ("kinds", kind.name().to_owned())));
    page(visit, 200, &Form::with(chosen), &Errors::default())
}

fn page(visit: &Visit, status: u16, values: &Form, errors: &Errors) -> Outcome {
    let email = visit.me()?.person.email.as_deref();
    let has_mail = visit.app().relays().mail.is_some();
    let filled = Filled { values, errors };
    let choices: Vec<Choice> = (DIRECT.iter())
        .map(|(kind, label)| Choice::new(kind.name(), label))
        .collect();
    let content = html! {
        p.crumb { a href="/me" { "Me" } }
        (fields::summary(errors))
        h1 { "What I am mailed" }
        @if !has_mail {
            div.note.warn.said { p { "This server sends no mail. Your choice counts once it does; until then look at your " a href="/me/inbox" { "inbox" } "." } }
        } @else if email.is_none_or(str::is_empty) {
            div.note.warn.said { p { "The directory has no mail address of yours." } }
        }
        form.card.pad method="post" action="/me/mail" {
            @if let Some(email) = email { p { "Mail goes to " bdi { (email) } ". Whatever you choose, every message is in your " a href="/me/inbox" { "inbox" } "." } }
            (filled.tick("mail", "Mail me"))
            (filled.boxes("kinds", "When", "", &choices))
            p.actions { button.btn.go type="submit" { "Save" } }
        }
    };
    Ok(layout::page_with(
        visit,
        status,
        "What I am mailed",
        content,
    ))
}

/// POST /me/mail. What the form does not show stays as it was.
pub fn choose(visit: &Visit) -> Outcome {
    let user = visit.me()?.person.id.clone();
    let before = notification_settings::read(visit.app(), &visit.caller, &user)?;
    let shown = |kind: &MessageKind| DIRECT.iter().any(|(direct, _)| direct == kind);
    let kept = before
        .messages
        .kinds
        .into_iter()
        .filter(|kind| !shown(kind));
    let sent = visit.form.list("kinds");
    let settings = match NotificationSettings::parse(visit.form.one("mail") == "true", &sent) {
        Ok(sent) => NotificationSettings::new(sent.mail, sent.kinds.into_iter().chain(kept)),
        Err(refusal) => {
            let mut errors = Errors::default();
            let problem = Problem::from(refusal);
            refusals::add(visit.app(), &mut errors, &problem, &["kinds"])?;
            return page(visit, 400, &visit.form, &errors);
        }
    };
    let author = visit.author("setNotificationSettings");
    notification_settings::choose(
        visit.app(),
        &author,
        &user,
        NotificationChange::of(settings),
    )?;
    visit.note(Note::new("Saved. It counts for messages from now on."));
    Ok(answer::see("/me/mail"))
}
