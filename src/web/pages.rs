//! The pages, a file each, and what several of them share.

pub mod absences;
pub mod admin;
pub mod assign;
pub mod board;
pub mod calendars;
pub mod cover;
pub mod create;
pub mod docs;
pub mod duty;
mod elsewhere;
pub mod feeds;
pub mod getting_started;
pub mod history;
pub mod home;
pub mod inbox;
pub mod load;
pub mod login;
pub mod mail;
pub mod me;
pub mod mention;
pub mod notices;
pub mod people;
pub mod provider;
pub mod report;
pub mod requests;
pub mod rotation;
pub mod rotations;
pub mod secret_link;
pub mod sessions;
pub mod settings;
pub mod setup;
pub mod shift;
pub mod swap;
pub mod trades;
pub mod warnings;
pub mod webhooks;
mod week;
pub mod why;

use super::form::{Errors, Form};
use super::layout;
use super::parts::confirm;
use super::parts::fields::hidden;
use super::parts::people::People;
use super::parts::place;
use super::parts::refusals;
use super::parts::time::{self, Times};
use super::visit::Visit;
use crate::actions::once::{Receipt, Render};
use crate::actions::proposals::{self, Decision, Proposal, Proposed};
use crate::actions::{ActionError, audit, reads};
use crate::domain::agreement::{LegPreview, Preview};
use crate::domain::audit::AuditFilter;
use crate::domain::conflict::{Conflict, ConflictKind, ConflictSource};
use crate::domain::ids::RotationId;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::{Cell, Rotation};
use crate::domain::zones::ZoneName;
use crate::server::{Problem, Response};
use crate::store::Page;
use crate::wire::etag;
use jiff::Timestamp;
use maud::{Markup, html};

/// How the reader is shown instants.
pub fn times(visit: &Visit) -> Times {
    Times {
        zone: visit.zone,
        now: visit.now,
    }
}

/// The address of a rotation's page: by its code where it has one.
pub fn path_of(id: &RotationId, code: Option<&str>) -> String {
    format!("/rotations/{}", code.unwrap_or(id.as_str()))
}

/// What the reader may do with the turns of a rotation, for the menu of its bars: `m` of members, `e` of editors.
pub fn may(visit: &Visit, rotation: &Rotation) -> &'static str {
    if !rotation.enabled || rotation.external.is_some() || visit.reader.is_none() {
        return "";
    }
    let is_member = visit.user().is_some_and(|user| rotation.has_member(user));
    match (is_member, visit.caller.check_edit(rotation).is_ok()) {
        (true, true) => "me",
        (true, false) => "m",
        (false, true) => "e",
        (false, false) => "",
    }
}

/// The path of the pages of a rotation that was read.
pub fn path_to(rotation: &Rotation) -> String {
    path_of(&rotation.id, rotation.profile.code.as_deref())
}

/// A link to a rotation.
pub fn link_to(rotation: &Rotation) -> Markup {
    html! { a href=(path_to(rotation)) { bdi { (rotation.profile.name) } } }
}

/// The name of a slot; none where the rotation has one slot.
pub fn slot_text(names: &[String]) -> String {
    names.join(" · ")
}

/// The name of a cell; never empty.
pub fn slot_label(rotation: &Rotation, cell: &Cell) -> String {
    place::of(rotation, cell).whole
}

/// The rotation that the path names, as far as the reader sees it.
///
/// # Errors
/// 404 where it is not there for them.
pub fn named(visit: &Visit) -> Result<Rotation, Problem> {
    let id = reads::rotation_named(visit.app(), &visit.caller, visit.part(0))?;
    Ok(reads::rotation(visit.app(), &visit.caller, &id)?)
}

/// The rotation that the path names, where the reader may change it.
///
/// # Errors
/// 403 where they may not.
pub fn editable(visit: &Visit) -> Result<Rotation, Problem> {
    let rotation = named(visit)?;
    visit.caller.check_edit(&rotation)?;
    Ok(rotation)
}

/// The validator of a rotation.
pub fn tag(visit: &Visit, rotation: &Rotation) -> String {
    etag::tag(rotation, visit.app().calendar())
}

/// The result of a form's write: its output, or the page that says why nothing was done. Refusals that name a field stand beside it;
/// `fields` are those that the form has. `again` shows the form once more, with what was typed and what is wrong.
///
/// # Errors
/// Refusals that no form can mend, and errors of ours.
pub fn failing<T>(
    visit: &Visit,
    rotation: &RotationId,
    outcome: Result<T, ActionError>,
    fields: &[&str],
    again: impl FnOnce(u16, Errors) -> Result<Response, Problem>,
) -> Result<Result<T, Response>, Problem> {
    if let Err(ActionError::Refused(Refusal::StaleValidator | Refusal::WeakValidator)) = outcome {
        return changed_meanwhile(visit, rotation).map(Err);
    }
    refused(visit, outcome, fields, again)
}

/// The result of a write that concerns no rotation: without the page for what has changed meanwhile.
///
/// # Errors
/// Refusals that no form can mend, and errors of ours.
pub fn refused<T>(
    visit: &Visit,
    outcome: Result<T, ActionError>,
    fields: &[&str],
    again: impl FnOnce(u16, Errors) -> Result<Response, Problem>,
) -> Result<Result<T, Response>, Problem> {
    let stop = match outcome {
        Ok(output) => return Ok(Ok(output)),
        Err(stop) => stop,
    };
    let problem = Problem::from(stop);
    match problem.status {
        400 | 402 | 409 | 422 => {
            let mut errors = Errors::default();
            refusals::add(visit, &mut errors, &problem, fields)?;
            again(problem.status, errors).map(Err)
        }
        _ => Err(problem),
    }
}

/// "Changed since you looked": what differs, and a button to go on with the same form all the same.
fn changed_meanwhile(visit: &Visit, id: &RotationId) -> Result<Response, Problem> {
    let rotation = reads::rotation(visit.app(), &visit.caller, id)?;
    let seen = visit.form.one("seen");
    let named = confirm::named(seen, &rotation);
    let people = People::load(visit.app(), &named, true)?;
    let title = "Changed since you looked";
    let content = html! {
        (crumbs(&rotation))
        h1 { (title) }
        div.note.warn.said role="alert" {
            p { "Nothing was done: " bdi { (rotation.profile.name) } " has changed since you opened the form." }
        }
        div.card.pad {
            h2 { "What differs" }
            ul { @for line in confirm::differences(seen, &rotation, &people) { li { (line) } } }
            (said_meanwhile(visit, &rotation, seen)?)
            form method="post" action=(visit.here()) {
                (confirm::sent_again(&visit.form, &tag(visit, &rotation), &rotation))
                p.actions {
                    button.btn.go type="submit" { "Go on all the same" }
                    a.btn href=(path_to(&rotation)) { "Look at the rotation" }
                }
            }
        }
    };
    Ok(layout::page_with(visit, 412, title, content))
}

/// Changes that the page about a change meanwhile lists at the most.
const MOST_CHANGES: u64 = 20;

/// The changes of others since a version was seen, by the audit log, for readers who may read it.
fn said_meanwhile(visit: &Visit, rotation: &Rotation, seen: &str) -> Result<Markup, Problem> {
    let seen = confirm::version_seen(seen).filter(|_| visit.caller.check_edit(rotation).is_ok());
    let Some((version, at)) = seen else {
        return Ok(html! {});
    };
    // Several changes can have one instant, so they are counted as well.
    let changes = rotation.stamps.version.saturating_sub(version);
    let filter = AuditFilter {
        from: Some(at),
        rotation: Some(rotation.id.clone()),
        ..AuditFilter::default()
    };
    let size = u32::try_from(changes.min(MOST_CHANGES)).unwrap_or_default();
    let page = Page::first(size.max(1));
    let (mut entries, _) = audit::list(visit.app(), &visit.caller, &filter, page)?;
    entries.truncate(size as usize);
    entries.reverse();
    Ok(html! {
        @if !entries.is_empty() {
            h3 { "Changes since" }
            ul {
                @for entry in &entries {
                    li { bdi { (entry.actor.name.as_deref().unwrap_or(entry.actor.kind.name())) } ": " bdi { (entry.summary) } }
                }
            }
        }
    })
}

/// Previews what a form proposes, and writes it unless `weighs` finds something to show first.
///
/// # Errors
/// As [`proposals::propose`]; [`Refusal::Invalid`] where the form lacks `ifMatch`.
pub fn propose<P: Proposal>(
    visit: &Visit,
    rotation: &RotationId,
    (action, render): (&'static str, Render<P::Output>),
    new: Result<P, Refusal>,
    weighs: impl FnOnce(&Rotation, &Preview) -> Result<bool, ActionError>,
) -> Result<Proposed<Receipt>, ActionError> {
    let weigh = |stored: &Rotation, preview: &Preview| {
        Ok(match weighs(stored, preview)? {
            true => Decision::Weigh,
            false => Decision::Write,
        })
    };
    let write = |operation| visit.write(rotation, (action, ""), operation, render);
    proposals::propose((visit.app(), &visit.caller), rotation, new?, weigh, write)
}

/// The page about what a proposal will do, with a button to go on unless a conflict blocks it. `part` is the last part of the
/// address that it is sent to.
pub fn weigh(
    visit: &Visit,
    (rotation, preview): (&Rotation, &Preview),
    (part, title, button): (&str, &str, &str),
    content: Markup,
) -> Result<Response, Problem> {
    let is_blocked = preview.legs.iter().any(LegPreview::is_blocked);
    let left = ["acknowledgedConflictIds", "confirmed", "zone"];
    let kept = visit.form.fields().filter(|(name, _)| !left.contains(name));
    let content = html! {
        (crumbs(rotation))
        h1 { (title) }
        form.card.pad method="post" action=(format!("{}/{part}", path_to(rotation))) {
            (content)
            @for (name, value) in kept { (hidden(name, value)) }
            (hidden("zone", zone_of(visit).as_str()))
            (hidden("confirmed", "true"))
            p.actions {
                @if !is_blocked { button.btn.go type="submit" { (button) } }
                a.btn href=(path_to(rotation)) { "Back" }
            }
        }
    };
    let status = if is_blocked { 409 } else { 200 };
    Ok(layout::page_with(visit, status, title, content))
}

/// The ids that a form names.
pub fn ids<T: From<String>>(texts: Vec<String>) -> Vec<T> {
    texts.into_iter().map(T::from).collect()
}

/// The way back to a rotation, above the heading of a page below it.
pub fn crumbs(rotation: &Rotation) -> Markup {
    html! { p.crumb { a href="/rotations" { "Rotations" } " / " (link_to(rotation)) } }
}

/// The zone that the local times of a form are in.
pub fn zone_of(visit: &Visit) -> ZoneName {
    let sent = visit.form.filled("zone");
    sent.and_then(|name| ZoneName::parse(name).ok())
        .unwrap_or(visit.zone)
}

/// Reads a local time of a form. What is odd about it is remarked on; what is wrong with it is an error.
pub fn instant(
    visit: &Visit,
    name: &str,
    errors: &mut Errors,
    remarks: &mut Vec<String>,
) -> Option<Timestamp> {
    let zone = zone_of(visit);
    let Some(typed) = time::parse(visit.form.one(name), zone) else {
        errors.add(name, "Enter a date and a time, such as 2026-11-23 09:00.");
        return None;
    };
    remarks.extend(typed.remark(zone));
    Some(typed.at)
}

/// A form with instants from an address as its inputs take them: RFC 3339 becomes local time.
pub fn localised(visit: &Visit, form: &Form, instants: &[&str]) -> Form {
    let times = times(visit);
    Form::with(form.fields().map(|(name, value)| {
        let local = instants
            .contains(&name)
            .then(|| time::parse(value, visit.zone));
        let value = match local.flatten() {
            Some(typed) => times.value(typed.at),
            None => value.to_owned(),
        };
        (name.to_owned(), value)
    }))
}

/// Conflicts as boxes to tick; one that blocks cannot be ticked.
pub fn conflicts(visit: &Visit, conflicts: &[Conflict], people: &People, form: &Form) -> Markup {
    let times = times(visit);
    html! {
        @if !conflicts.is_empty() {
            fieldset {
                legend { "In the way" }
                p.hint { "Tick what you have seen and accept." }
                @for (index, conflict) in conflicts.iter().enumerate() {
                    @let id = format!("f-acknowledgedConflictIds-{index}");
                    @let text = match (conflict.kind, conflict.source) {
                        (ConflictKind::Absence, ConflictSource::ChatStatus) => "is away by their chat status",
                        (ConflictKind::Absence, ConflictSource::ExternalCalendar) => "is away by their calendar",
                        (ConflictKind::Absence, _) => "is away",
                        (ConflictKind::SameCellArrangement, _) => "has it already by another cover or swap, which has to end first,",
                        (ConflictKind::UnknownAvailability, _) => "may be away, their calendar cannot be read,",
                    };
                    div.choice {
                        @if conflict.kind.can_acknowledge() {
                            input type="checkbox" id=(id) name="acknowledgedConflictIds" value=(conflict.id)
                                checked[form.has("acknowledgedConflictIds", &conflict.id)];
                        }
                        @let told = html! {
                            (people.label(&conflict.user)) " " (text) " "
                            (times.period(conflict.period.from, Some(conflict.period.until)))
                        };
                        @if conflict.kind.can_acknowledge() { label for=(id) { (told) } } @else { span { (told) } }
                    }
                }
            }
        }
    }
}

/// Remarks on what was typed, and other things to know before a button is pressed.
pub fn remarks(remarks: &[String]) -> Markup {
    html! {
        @if !remarks.is_empty() {
            div.note.warn.said { @for remark in remarks { p { (remark) } } }
        }
    }
}

/// The way through the pages of a list: which page it is of how many rows in all, and the address of each.
pub fn pager(number: u32, total: u64, rows: u32, path: impl Fn(u32) -> String) -> Markup {
    let pages = total.div_ceil(u64::from(rows)).max(1);
    html! {
        @if pages > 1 || number > 1 {
            nav aria-label="Pages" {
                p.actions {
                    @if number > 1 { a.btn.s href=(path(number - 1)) { "Back" } }
                    span.muted { "Page " (number) " of " (pages) }
                    @if u64::from(number) < pages { a.btn.s href=(path(number + 1)) { "More" } }
                }
            }
        }
    }
}
