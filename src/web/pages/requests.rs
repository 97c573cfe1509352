//! Cover and swap requests: to the reader and from them, and the answers.

use super::{conflicts, failing, path_of, slot_text, tag, times};
use crate::actions::ActionError;
use crate::actions::answering::AnswerRequest;
use crate::actions::overview::{self, Asked, OwnRequests};
use crate::domain::conflict::Conflict;
use crate::domain::edit::Answering;
use crate::domain::ids::{RequestId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::request::{Request, RequestKind, RequestState, Step};
use crate::domain::rotation::Rotation;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::Errors;
use crate::web::notes::Note;
use crate::web::pages::cover::made;
use crate::web::parts::confirm;
use crate::web::parts::fields::{self, hidden};
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use maud::{Markup, html};

/// Settled requests that are listed at the most.
const SETTLED: usize = 50;

fn people<'a>(visit: &Visit, all: impl IntoIterator<Item = &'a Asked>) -> Result<People, Problem> {
    let mut users: Vec<UserId> = Vec::new();
    for asked in all {
        let request = &asked.view.request;
        users.push(request.requester.clone());
        users.extend(request.recipients.iter().cloned());
        users.extend(request.accepted_by.clone());
        for leg in &request.legs {
            users.push(leg.holder.clone());
            users.extend(leg.assignee.clone());
        }
    }
    Ok(People::load(visit.app(), &users, true)?)
}

/// GET /requests.
pub fn show_all(visit: &Visit) -> Outcome {
    let me = visit.me()?.person.id.clone();
    let mut all = overview::requests_of(visit.app(), &visit.caller, &me, OwnRequests::All)?;
    let people = people(visit, &all)?;
    let is_open = |asked: &Asked| asked.view.request.state == RequestState::Pending;
    let from_me = |asked: &Asked| asked.view.request.requester == me;
    let settled = all
        .extract_if(.., |asked| !is_open(asked))
        .collect::<Vec<_>>();
    let (mine, to_me): (Vec<Asked>, Vec<Asked>) = all.into_iter().partition(from_me);
    let settled: Vec<Asked> = settled.into_iter().rev().take(SETTLED).collect();
    let part = |id: &str, title: &str, asked: &[Asked], empty: &str| {
        html! {
            section.card.pad aria-labelledby=(id) {
                h2 id=(id) { (title) }
                @if asked.is_empty() { p.muted { (empty) } } @else { (list(visit, asked.iter().map(line), &people)) }
            }
        }
    };
    let content = html! {
        h1 { "Requests" }
        (part("to-me", "To you", &to_me, "Nobody waits for your answer."))
        (part("from-me", "From you", &mine, "You have asked nobody. To ask for cover, or to offer a swap, open a rotation and choose a turn of yours."))
        (part("settled", "Settled", &settled, "None yet."))
    };
    Ok(layout::page(visit, "Requests", content))
}

/// A request, with the name of its rotation.
fn line(asked: &Asked) -> (&Request, &str) {
    (&asked.view.request, &asked.view.rotation_name)
}

/// Requests, a line each, with the names of their rotations.
pub fn list<'a>(
    visit: &Visit,
    asked: impl IntoIterator<Item = (&'a Request, &'a str)>,
    people: &People,
) -> Markup {
    let times = times(visit);
    html! {
        ul.items {
            @for (request, rotation_name) in asked {
                @let span = request.span();
                li {
                    div.split {
                        span {
                            a href=(format!("/requests/{}", request.id)) {
                                (kind(request)) " in " bdi { (rotation_name) } ", "
                                (times.period(span.from, Some(span.until)))
                            }
                            br;
                            span.muted { "from " } (people.show(&request.requester))
                            span.muted { " to " } (people.show_all(&request.recipients))
                        }
                        (state(request.state))
                    }
                }
            }
        }
    }
}

fn kind(request: &Request) -> &'static str {
    match request.kind {
        RequestKind::Cover => "Cover",
        RequestKind::Swap => "Swap",
    }
}

fn state(state: RequestState) -> Markup {
    let class = match state {
        RequestState::Pending => "tag warning",
        RequestState::Accepted => "tag good",
        _ => "tag",
    };
    html! { span class=(class) { (state.name()) } }
}

fn id(visit: &Visit) -> RequestId {
    RequestId::from(visit.part(0))
}

/// GET /requests/{request}.
pub fn show(visit: &Visit) -> Outcome {
    let (rotation, asked) = overview::request(visit.app(), &visit.caller, &id(visit))?;
    page(visit, 200, &rotation, &asked, &Errors::default(), &[])
}

fn page(
    visit: &Visit,
    status: u16,
    rotation: &Rotation,
    asked: &Asked,
    errors: &Errors,
    in_the_way: &[Conflict],
) -> Result<Response, Problem> {
    let (request, times) = (&asked.view.request, times(visit));
    let users = in_the_way.iter().map(|conflict| conflict.user.clone());
    let mut people = people(visit, [asked])?;
    people.add(visit.app(), users)?;
    let capability = &asked.view.capability;
    let started: Vec<String> = request
        .legs
        .iter()
        .filter(|leg| leg.has_started(visit.now))
        .filter_map(|leg| leg.key.clone())
        .collect();
    let title = format!("{} in {}", kind(request), asked.view.rotation_name);
    let path = path_of(&rotation.id, asked.code.as_deref());
    let button = |step: &str, label: &str, class: &str, more: Markup| {
        html! {
            form.bare method="post" action=(format!("/requests/{}/{step}", request.id)) {
                (confirm::carried(&tag(visit, rotation), rotation))
                (hidden("expectedRevision", &request.revision.to_string()))
                (more)
                button.btn.(class) type="submit" { (label) }
            }
        }
    };
    let content = html! {
        p.crumb { a href="/requests" { "Requests" } }
        (fields::summary(errors))
        div.head { div { h1 { (kind(request)) " in " a href=(path) { bdi { (asked.view.rotation_name) } } } } (state(request.state)) }
        section.card.pad aria-label="Request" {
            dl.kv {
                dt { "From" } dd { (people.show(&request.requester)) }
                dt { "To" } dd { (people.show_all(&request.recipients)) }
                @if !request.declined.is_empty() { dt { "Declined by" } dd { (people.show_all(&request.declined)) } }
                @if let Some(user) = &request.accepted_by { dt { "Accepted by" } dd { (people.show(user)) } }
                @for ((leg, slot), covered) in request.legs.iter().zip(&asked.slots).zip(&asked.view.covered) {
                    @let cell = rotation.slot_of(&leg.cell).map(|index| &rotation.cells[index]);
                    @let zone = cell.and_then(|cell| rotation.windows[cell.window].zone);
                    dt { @match request.kind { RequestKind::Cover => "To cover", RequestKind::Swap => "Turn" } }
                    dd {
                        (people.show(&leg.holder)) ": " (times.period_with(leg.period.from, Some(leg.period.until), zone))
                        @if !slot.is_empty() { ", " bdi { (slot_text(slot)) } }
                        @if leg.has_started(visit.now) { " " span.tag { "begun" } }
                        @if cell.is_some() { (times.covered(covered, leg.period)) }
                    }
                }
                dt { "Reason" } dd { @if request.reason.is_empty() { span.muted { "None given" } } @else { bdi { (request.reason) } } }
            }
            @if capability.can_accept && (!in_the_way.is_empty() || !started.is_empty() || !errors.is_empty()) {
                form method="post" action=(format!("/requests/{}/accept", request.id)) {
                    (confirm::carried(&tag(visit, rotation), rotation))
                    (hidden("expectedRevision", &request.revision.to_string()))
                    (conflicts(visit, in_the_way, &people, &visit.form))
                    @for key in &started {
                        div.choice {
                            input type="checkbox" id=(format!("f-started-{key}")) name="acknowledgedStartedLegKeys" value=(key);
                            label for=(format!("f-started-{key}")) { "A turn has begun: the rest of it changes hands." }
                        }
                    }
                    p.actions { button.btn.go type="submit" { "Accept" } }
                }
            } @else if capability.can_accept {
                p.actions { (button("accept", "Accept", "go", html! {})) @if capability.can_decline { (button("decline", "Decline", "plain", html! {})) } }
            }
            @if capability.can_decline && (!capability.can_accept || !in_the_way.is_empty() || !started.is_empty() || !errors.is_empty()) {
                p.actions { (button("decline", "Decline", "plain", html! {})) }
            }
            @if capability.can_cancel { p.actions { (button("cancel", "Cancel the request", "bad", html! {})) } }
            @if capability.can_end { p.actions { (button("end", "End the cover", "bad", html! {})) } }
            @if let Some(reason) = &capability.reason { p.muted { "Nothing to do here: " (reason) "." } }
        }
    };
    Ok(layout::page_with(visit, status, &title, content))
}

/// POST /requests/{request}/{step}.
pub fn answer_step(visit: &Visit) -> Outcome {
    let (step, actions, told) = match visit.part(1) {
        "accept" => (
            Step::Accept,
            ["acceptCoverRequest", "acceptSwapRequest"],
            "You have accepted.",
        ),
        "decline" => (
            Step::Decline,
            ["declineCoverRequest", "declineSwapRequest"],
            "You have declined.",
        ),
        "cancel" => (
            Step::Cancel,
            ["cancelCoverRequest", "cancelSwapRequest"],
            "The request was cancelled.",
        ),
        "end" => (
            Step::End,
            ["endCoverRequest", "endCoverRequest"],
            "The cover was ended.",
        ),
        _ => return Err(answer::nothing_here()),
    };
    let (rotation, asked) = overview::request(visit.app(), &visit.caller, &id(visit))?;
    let operation = AnswerRequest {
        kind: asked.view.request.kind,
        request: asked.view.request.id.clone(),
        step,
        answering: Answering {
            expected_revision: visit.form.one("expectedRevision").parse().unwrap_or(0),
            acknowledged: visit.form.list("acknowledgedConflictIds"),
            started_legs: visit.form.list("acknowledgedStartedLegKeys"),
        },
    };
    let [cover, swap] = actions;
    let action = match asked.view.request.kind {
        RequestKind::Cover => cover,
        RequestKind::Swap => swap,
    };
    let outcome = visit.write(&rotation.id, (action, visit.part(0)), operation, made);
    let in_the_way = match &outcome {
        Err(ActionError::Refused(
            Refusal::ConflictsNotAcknowledged(found) | Refusal::ConflictBlocks(found),
        )) => found.clone(),
        _ => Vec::new(),
    };
    let again = |status, mut errors: Errors| {
        if !in_the_way.is_empty() {
            errors = Errors::default();
            errors.add_whole("Something is in the way. Look at it below.");
        }
        page(visit, status, &rotation, &asked, &errors, &in_the_way)
    };
    if let Err(page) = failing(visit, &rotation.id, outcome, &[], again)? {
        return Ok(page);
    }
    visit.note(Note::new(told));
    Ok(answer::see(format!("/requests/{}", asked.view.request.id)))
}
