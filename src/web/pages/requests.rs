//! Cover and swap requests: to the reader and from them, and the answers.

mod answer_card;
mod change;
mod words;

use super::{failing, path_of, slot_text, times};
use crate::actions::ActionError;
use crate::actions::acceptance;
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
use crate::web::pages::home::waiting;
use crate::web::parts::fields;
use crate::web::parts::icon::icon;
use crate::web::parts::people::{People, Size};
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use maud::{Markup, html};

/// Settled requests that are listed at the most.
const SETTLED: usize = 50;

/// Other requests below one, at the most.
const OTHERS: usize = 5;

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
    Ok(People::load(visit.app(), &users, true)?.read_by(visit.user()))
}

/// Whether the reader can answer.
fn waits(asked: &Asked) -> bool {
    asked.view.capability.can_accept || asked.view.capability.can_decline
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
    let mut waiting = Vec::new();
    for asked in &to_me {
        waiting.push(match waits(asked) {
            true => waiting::line(visit, asked, &people)?,
            false => line(
                visit,
                &asked.view.request,
                &asked.view.rotation_name,
                &people,
            ),
        });
    }
    let lines = |all: &[Asked]| -> Vec<Markup> {
        let line = |asked: &Asked| {
            line(
                visit,
                &asked.view.request,
                &asked.view.rotation_name,
                &people,
            )
        };
        all.iter().map(line).collect()
    };
    let part = |id: &str, title: &str, lines: &[Markup], empty: &str| {
        html! {
            section.card aria-labelledby=(id) {
                header { h2 id=(id) { (title) } @if !lines.is_empty() { span.count aria-hidden="true" { (lines.len()) } } }
                @if lines.is_empty() { p.pad.pt0.muted { (empty) } } @else { ul.list { @for line in lines { (line) } } }
            }
        }
    };
    let content = html! {
        h1 { "Requests" }
        (part("to-me", "Waiting for you", &waiting, "Nobody waits for your answer."))
        (part("from-me", "You asked", &lines(&mine), "You have asked nobody. To ask for cover, or to offer a swap, open a turn of yours."))
        (part("settled", "Settled", &lines(&settled), "None yet."))
    };
    Ok(layout::page(visit, "Requests", content))
}

/// Requests, a line each, with the names of their rotations.
pub fn list<'a>(
    visit: &Visit,
    asked: impl IntoIterator<Item = (&'a Request, &'a str)>,
    people: &People,
) -> Markup {
    html! {
        ul.list { @for (request, rotation_name) in asked { (line(visit, request, rotation_name, people)) } }
    }
}

fn line(visit: &Visit, request: &Request, rotation_name: &str, people: &People) -> Markup {
    let times = times(visit);
    let span = request.span();
    let (mark, drawing) = match (request.state, request.kind) {
        (RequestState::Accepted, _) => ("mark good", "check"),
        (_, RequestKind::Cover) => ("mark me", "cover"),
        (_, RequestKind::Swap) => ("mark me", "swap"),
    };
    html! {
        li {
            div.ml.mid {
                span class=(mark) { (icon(drawing)) }
                div.what {
                    a href=(format!("/requests/{}", request.id)) { (words::sentence(request, people, &times)) }
                    small.muted {
                        bdi { (rotation_name) } " · " (times.stretch(span.from, span.until))
                        @if let Some(user) = &request.accepted_by { " · " bdi { (people.name(user)) } " accepted" }
                    }
                }
            }
            (state(request, visit.user()))
        }
    }
}

/// How a request stands, in a word.
fn state(request: &Request, me: Option<&UserId>) -> Markup {
    let is_asked =
        me.is_some_and(|me| request.recipients.contains(me) && !request.declined.contains(me));
    let (class, word) = match request.state {
        RequestState::Pending if is_asked => ("tag warn", "waits for you"),
        RequestState::Pending => ("tag warn", "pending"),
        RequestState::Accepted => ("tag good", "accepted"),
        other => ("tag", other.name()),
    };
    html! { span class=(class) { (word) } }
}

fn id(visit: &Visit) -> RequestId {
    RequestId::from(visit.part(0))
}

/// GET /requests/{request}.
pub fn show(visit: &Visit) -> Outcome {
    let (rotation, asked) = overview::request(visit.app(), &visit.caller, &id(visit))?;
    let in_the_way = in_the_way(visit, &asked)?;
    page(
        visit,
        200,
        &rotation,
        &asked,
        &Errors::default(),
        &in_the_way,
    )
}

/// What the reader has to accept along with the request.
fn in_the_way(visit: &Visit, asked: &Asked) -> Result<Vec<Conflict>, Problem> {
    let request = &asked.view.request;
    if !asked.view.capability.can_accept {
        return Ok(Vec::new());
    }
    match acceptance::preview(visit.app(), &visit.caller, &request.rotation, &request.id) {
        Ok(found) => Ok(found.conflicts),
        // What cannot be accepted any more is said when it is tried.
        Err(ActionError::Refused(_)) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
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
    let mut people = people(visit, [asked])?;
    people.add(
        visit.app(),
        in_the_way.iter().map(|conflict| conflict.user.clone()),
    )?;
    let path = path_of(&rotation.id, asked.code.as_deref());
    let slot = asked
        .slots
        .first()
        .map(|slot| slot_text(slot))
        .unwrap_or_default();
    let title = words::plain(request, &people, &times);
    let is_open = request.state == RequestState::Pending;
    let content = html! {
        (fields::summary(errors))
        div.head {
            div {
                p.crumb { a href="/requests" { "Requests" } }
                h1 { (words::sentence(request, &people, &times)) }
                p.sub {
                    a href=(path) { bdi { (asked.view.rotation_name) } }
                    @if !slot.is_empty() { ", " bdi { (slot) } }
                    @if is_open { " · open until " (times.text(request.span().from.max(visit.now))) }
                }
            }
            (state(request, visit.user()))
        }
        @if !request.reason.is_empty() {
            blockquote.note { span { (people.avatar(&request.requester, Size::Usual)) } p { "“" bdi { (request.reason) } "”" } }
        }
        (words::sides(visit, rotation, asked, &people))
        @if is_open { (change::card(visit, rotation, asked, &people)?) }
        div.cols.h {
            (words::for_whom(asked, &people))
            (answer_card::card(visit, rotation, asked, (errors, in_the_way), &people))
        }
        (others(visit, request)?)
    };
    Ok(layout::page_with(visit, status, &title, content))
}

/// The other requests that wait, below one.
fn others(visit: &Visit, request: &Request) -> Result<Markup, Problem> {
    let me = visit.me()?.person.id.clone();
    let all = overview::requests_of(visit.app(), &visit.caller, &me, OwnRequests::Pending)?;
    let all: Vec<Asked> = all
        .into_iter()
        .filter(|one| one.view.request.id != request.id)
        .collect();
    if all.is_empty() {
        return Ok(html! {});
    }
    let people = people(visit, &all)?;
    let lines = all
        .iter()
        .take(OTHERS)
        .map(|one| (&one.view.request, one.view.rotation_name.as_str()));
    Ok(html! {
        section.card aria-labelledby="others" {
            header { h2 #others { "Other requests" } }
            (list(visit, lines, &people))
            @if all.len() > OTHERS { p.pad { a href="/requests" { "All " (all.len()) } } }
        }
    })
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
