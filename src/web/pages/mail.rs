//! The page on which a reader chooses how and when they are told.

use crate::actions::{ActionError, notification_settings, notification_test};
use crate::domain::fault::Fault;
use crate::domain::lead::{Lead, Leads};
use crate::domain::limits::time_of_day;
use crate::domain::message::MessageKind;
use crate::domain::notification::{NotificationChange, Notifications};
use crate::domain::push::PushChange;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::relay::NotificationSettings;
use crate::domain::weekly::Weekly;
use crate::domain::wording;
use crate::server::{Outcome, Problem};
use crate::web::form::{Errors, Form};
use crate::web::notes::Note;
use crate::web::parts::fields::{self, Choice, Filled};
use crate::web::parts::refusals;
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use maud::{Markup, html};

/// The kinds that people are sent directly; the others go to channels.
const DIRECT: [(MessageKind, &str); 11] = [
    (MessageKind::OnDuty, "I come on call"),
    (MessageKind::OffDuty, "I go off call"),
    (MessageKind::ComingUp, "My turn begins soon"),
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
    (
        MessageKind::Mention,
        "Somebody asks for whoever is on call, and that is me",
    ),
    (MessageKind::Summary, "My weekly summary"),
];

/// The fields of the form that a refusal may name.
const FIELDS: [&str; 7] = [
    "kinds",
    "remindBefore",
    "summary.day",
    "summary.time",
    "push.url",
    "push.token",
    "invitations",
];

/// What stands for no reminders.
const NEVER: &str = "never";

/// GET /me/mail.
pub fn show(visit: &Visit) -> Outcome {
    let user = visit.me()?.person.id.clone();
    let settings = notification_settings::read(visit.app(), &visit.caller, &user)?;
    page(visit, 200, &values(&settings), &Errors::default())
}

fn values(settings: &Notifications) -> Form {
    let messages = &settings.messages;
    let mut chosen: Vec<(&str, String)> = Vec::new();
    if messages.mail {
        chosen.push(("mail", "true".to_owned()));
    }
    let kinds = messages.kinds.iter();
    chosen.extend(kinds.map(|kind| ("kinds", kind.name().to_owned())));
    if let Some(leads) = &settings.remind_before {
        let texts = leads.texts();
        let shown = match texts.is_empty() {
            true => NEVER.to_owned(),
            false => texts.join(", "),
        };
        chosen.push(("remindBefore", shown));
    }
    if let Some(weekly) = settings.summary {
        chosen.push(("summary.day", wording::day_name(weekly.day).to_owned()));
        chosen.push(("summary.time", weekly.time.to_string()));
    }
    if settings.invitations {
        chosen.push(("invitations", "true".to_owned()));
    }
    if let Some(push) = &settings.push {
        chosen.push(("push.url", push.url().to_owned()));
    }
    Form::with(chosen)
}

/// The choice as a part of the reader's own page.
pub fn card(visit: &Visit) -> Result<Markup, Problem> {
    let user = visit.me()?.person.id.clone();
    let settings = notification_settings::read(visit.app(), &visit.caller, &user)?;
    let (values, errors) = (values(&settings), Errors::default());
    let filled = Filled {
        values: &values,
        errors: &errors,
    };
    Ok(html! {
        section.card aria-labelledby="tell" {
            header { h2 #tell { "Tell me" } a.btn.s.ghost href="/me/mail" { "What works" } }
            form.pad.pt0.stack method="post" action="/me/mail" {
                (filled.tick("mail", "By mail"))
                (chosen(&filled, visit.app().relays().mail.is_some()))
                div.row { button.btn.go type="submit" { "Save" } }
            }
            form.step method="post" action="/me/mail/test" {
                div.row {
                    button.btn.s type="submit" { "Send a test" }
                    span.small.muted { "One line by every way that is set up." }
                }
            }
        }
    })
}

fn page(visit: &Visit, status: u16, values: &Form, errors: &Errors) -> Outcome {
    let user = visit.me()?.person.id.clone();
    let settings = notification_settings::read(visit.app(), &visit.caller, &user)?;
    let filled = Filled { values, errors };
    let content = html! {
        p.crumb { a href="/me" { "Me" } }
        (fields::summary(errors))
        h1 { "How I am told" }
        (reach(visit)?)
        @if let Some(failure) = &settings.last_failure {
            div.note.warn.said { p { "The last thing that could not be sent, by " (failure.by.name()) ": " bdi { (failure.error) } "." } }
        }
        form.card.pad method="post" action="/me/mail" {
            (filled.tick("mail", "Mail me"))
            (chosen(&filled, visit.app().relays().mail.is_some()))
            p.actions { button.btn.go type="submit" { "Save" } }
        }
        form.card.pad method="post" action="/me/mail/test" {
            p { "Sends you one line by every way that is set up, and says which ones work." }
            p.actions { button.btn type="submit" { "Send me one" } }
        }
    };
    Ok(layout::page_with(visit, status, "How I am told", content))
}

/// Where messages go.
fn reach(visit: &Visit) -> Result<Markup, Problem> {
    let email = visit.me()?.person.email.as_deref();
    let has_mail = visit.app().relays().mail.is_some();
    Ok(html! {
        @if !has_mail {
            div.note.warn.said { p { "This server sends no mail. Your choice counts once it does; until then look at your " a href="/me/inbox" { "inbox" } "." } }
        } @else if email.is_none_or(str::is_empty) {
            div.note.warn.said { p { "The directory has no mail address of yours." } }
        }
        @if let Some(email) = email { p { "Mail goes to " bdi { (email) } ". Whatever you choose, every message is in your " a href="/me/inbox" { "inbox" } "." } }
    })
}

fn chosen(filled: &Filled, has_mail: bool) -> Markup {
    let kinds: Vec<Choice> = (DIRECT.iter())
        .map(|(kind, label)| Choice::new(kind.name(), label))
        .collect();
    let mut days = vec![Choice::new("", "Never")];
    days.extend(wording::DAYS.map(|day| Choice::new(day, &wording::capital(day))));
    html! {
        (filled.chips("kinds", "By mail and push, when", &kinds))
        (filled.input("text", "remindBefore", "Remind me before my turn begins",
            "Up to five times, such as 1d, 1h, 15m. Empty: when everybody is reminded. never: not at all.", false))
        (filled.select("summary.day", "My next 14 days, every week on", "", &days))
        (filled.input("time", "summary.time", "at", "In your time zone.", false))
        @if has_mail {
            (filled.tick("invitations", "Mail me my turns as calendar invitations, and every change of them"))
        }
        (filled.input("url", "push.url", "Push: the address of my ntfy topic",
            "Optional, such as https://ntfy.sh/TOPIC. Whoever knows the topic can read it, so choose a long one. Empty: no push.", false))
        (filled.input("password", "push.token", "Push: access token", "Only for a topic that needs one. Empty: the one that is stored stays.", false))
    }
}

/// POST /me/mail. What the form does not show stays as it was.
pub fn choose(visit: &Visit) -> Outcome {
    let user = visit.me()?.person.id.clone();
    let before = notification_settings::read(visit.app(), &visit.caller, &user)?;
    let author = visit.author("setNotificationSettings");
    let has_mail = visit.app().relays().mail.is_some();
    let change = read(&visit.form, &before, has_mail).map_err(ActionError::from);
    let outcome = change
        .and_then(|change| notification_settings::choose(visit.app(), &author, &user, change));
    match outcome {
        Ok(_) => {
            visit.note(Note::new("Saved. It counts for messages from now on."));
            Ok(answer::see("/me/mail"))
        }
        Err(ActionError::Refused(refusal)) => {
            let mut errors = Errors::default();
            let problem = Problem::from(refusal);
            refusals::add(visit, &mut errors, &problem, &FIELDS)?;
            page(visit, 400, &visit.form, &errors)
        }
        Err(error) => Err(error.into()),
    }
}

fn read(
    form: &Form,
    before: &Notifications,
    has_mail: bool,
) -> Result<NotificationChange, Refusal> {
    let shown = |kind: &MessageKind| DIRECT.iter().any(|(direct, _)| direct == kind);
    let kept = before.messages.kinds.iter().copied();
    let kept = kept.filter(|kind| !shown(kind));
    let sent = NotificationSettings::parse(form.one("mail") == "true", &form.list("kinds"))?;
    let mut change = NotificationChange::of(NotificationSettings::new(
        sent.mail,
        sent.kinds.into_iter().chain(kept),
    ));
    if form.names("remindBefore") {
        change.remind_before = Some(leads(form.filled("remindBefore"))?);
        // A box that is not ticked is not sent, and without mail it is not shown.
        change.invitations = has_mail.then(|| form.one("invitations") == "true");
    }
    if form.names("summary.day") {
        change.summary = Some(weekly(form)?);
    }
    if form.names("push.url") {
        let token = form
            .filled("push.token")
            .map(|token| Some(token.to_owned()));
        change.push = Some(form.filled("push.url").map(|url| PushChange {
            url: Some(url.to_owned()),
            token,
        }));
    }
    Ok(change)
}

fn leads(text: Option<&str>) -> Result<Option<Leads>, Refusal> {
    let Some(text) = text else {
        return Ok(None);
    };
    if text.eq_ignore_ascii_case(NEVER) {
        return Ok(Some(Leads::default()));
    }
    let read = |one: &str| {
        Lead::parse(one).ok_or_else(|| {
            Refusal::invalid(
                "remindBefore",
                Fault::Mistyped {
                    expected: "durations from 5m to 30d, such as 1d, 1h, 15m".to_owned(),
                    found: format!("{one:?}"),
                },
            )
        })
    };
    let parts = text.split([',', ' ']).filter(|part| !part.is_empty());
    let leads: Result<Vec<Lead>, Refusal> = parts.map(read).collect();
    Leads::new(leads?).map(Some)
}

fn weekly(form: &Form) -> Result<Option<Weekly>, Refusal> {
    let Some(day) = form.filled("summary.day") else {
        return Ok(None);
    };
    let Some(day) = wording::weekday(day) else {
        return invalid("summary.day", "send a day of the week");
    };
    let time = time_of_day(
        "summary.time",
        form.filled("summary.time").unwrap_or("08:00"),
    )?;
    Ok(Some(Weekly { day, time }))
}

/// POST /me/mail/test.
pub fn test(visit: &Visit) -> Outcome {
    let user = visit.me()?.person.id.clone();
    let author = visit.author("testNotifications");
    let ways = notification_test::send(visit.app(), &author, &user)?;
    let said = ways.iter().map(|way| match &way.error {
        None => format!("{}: sent.", way.by.name()),
        Some(error) => format!("{}: {error}.", way.by.name()),
    });
    visit.note(Note::new(said.collect::<Vec<_>>().join(" ")));
    Ok(answer::see("/me/mail"))
}
