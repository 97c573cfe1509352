//! A mention of the people on call, and their answer.

use super::{path_of, times};
use crate::actions::mentions::{self, MentionAnswer};
use crate::actions::{ActionError, reads};
use crate::domain::ids::MentionId;
use crate::domain::mention::{Mention, MentionState};
use crate::domain::refusal::Refusal;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::Errors;
use crate::web::notes::Note;
use crate::web::parts::fields;
use crate::web::parts::people::People;
use crate::web::parts::refusals;
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use maud::html;

fn id(visit: &Visit) -> MentionId {
    MentionId::from(visit.part(0))
}

/// GET /mentions/{mention}.
pub fn show(visit: &Visit) -> Outcome {
    let mention = mentions::read(visit.app(), &visit.caller, &id(visit))?;
    page(visit, 200, &mention, &Errors::default())
}

fn page(
    visit: &Visit,
    status: u16,
    mention: &Mention,
    errors: &Errors,
) -> Result<Response, Problem> {
    let rotation = reads::rotation(visit.app(), &visit.caller, &mention.rotation)?;
    let users = std::iter::once(&mention.asker).chain(&mention.notified);
    let people = People::load(visit.app(), users, true)?;
    let times = times(visit);
    let profile = &rotation.profile;
    let name = profile.name.as_str();
    let me = visit.user();
    let asks_me = mention.state == MentionState::Open
        && me.is_some_and(|me| mention.notified.contains(me) && !mention.passed.contains(me));
    let button = |step: &str, label: &str, class: &str| {
        html! {
            form.bare method="post" action=(format!("/mentions/{}/{step}", mention.id)) {
                button.btn.(class) type="submit" { (label) }
            }
        }
    };
    let content = html! {
        p.crumb { a href="/me/inbox" { "Inbox" } }
        (fields::summary(errors))
        div.head {
            h1 { "Mention in " a href=(path_of(&rotation.id, profile.code.as_deref())) { bdi { (name) } } }
            span.tag.good[mention.state == MentionState::Acknowledged].warn[mention.state == MentionState::Open] { (mention.state.name()) }
        }
        section.card.pad aria-label="Mention" {
            dl.kv {
                dt { "From" } dd { (people.show(&mention.asker)) }
                dt { "Message" } dd { @if let Some(message) = &mention.message { bdi { (message) } } @else { span.muted { "None" } } }
                dt { "Asked" } dd { (times.show(mention.opened_at)) }
                dt { "Notified" } dd { @if mention.notified.is_empty() { span.muted { "Nobody was on call" } } @else { (people.show_all(&mention.notified)) } }
                @if !mention.passed.is_empty() { dt { "Passed" } dd { (people.show_all(&mention.passed)) } }
                @if let Some(by) = &mention.acknowledged_by { dt { "Acknowledged by" } dd { (people.show(by)) } }
                @if mention.state == MentionState::Open { dt { "Until" } dd { (times.show(mention.expires_at)) } }
            }
            @if asks_me {
                p.actions { (button("acknowledge", "Acknowledge", "go")) (button("pass", "Pass on", "plain")) }
            } @else if mention.state == MentionState::Open {
                p.muted { "Nothing to do here: those who are notified answer." }
            }
        }
    };
    let title = format!("Mention in {name}");
    Ok(layout::page_with(visit, status, &title, content))
}

/// POST /mentions/{mention}/{step}.
pub fn answer_step(visit: &Visit) -> Outcome {
    let (given, action, told) = match visit.part(1) {
        "acknowledge" => (
            MentionAnswer::Acknowledge,
            "acknowledgeMention",
            "You have acknowledged.",
        ),
        "pass" => (MentionAnswer::Pass, "passMention", "You have passed it on."),
        _ => return Err(answer::nothing_here()),
    };
    let answered = mentions::answer(visit.app(), &visit.author(action), &id(visit), given);
    match answered {
        Ok(mention) => {
            visit.note(Note::new(told));
            Ok(answer::see(format!("/mentions/{}", mention.id)))
        }
        Err(ActionError::Refused(refusal @ Refusal::MentionNotOpen(_))) => {
            let problem = Problem::from(refusal);
            let mention = mentions::read(visit.app(), &visit.caller, &id(visit))?;
            let mut errors = Errors::default();
            refusals::add(visit, &mut errors, &problem, &[])?;
            page(visit, problem.status, &mention, &errors)
        }
        Err(stop) => Err(stop.into()),
    }
}
