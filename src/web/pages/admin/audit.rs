//! The audit log, with the filters of the API.

use super::crumbs;
use crate::actions::{audit, reads};
use crate::domain::audit::{ActorFilter, ActorKind, AuditEntry, AuditFilter};
use crate::domain::ids::RotationId;
use crate::server::{Outcome, Problem};
use crate::store::Page;
use crate::web::form::{Errors, Form, capital};
use crate::web::layout::{self, encoded};
use crate::web::pages::{pager, remarks, times, zone_of};
use crate::web::parts::fields::{self, Filled, zone_field};
use crate::web::parts::time;
use crate::web::visit::Visit;
use jiff::Timestamp;
use maud::{Markup, html};
use std::collections::{HashMap, HashSet};

/// Entries on one page.
const ROWS: u32 = 20;

/// Letters of a summary from which on the rest is folded.
const FOLDED: usize = 160;

const FILTERS: [&str; 5] = ["from", "to", "actor", "rotationId", "action"];

/// GET /admin/audit.
pub fn show(visit: &Visit) -> Outcome {
    visit.caller.check_administer()?;
    let query = &visit.query;
    let (mut errors, mut remarked) = (Errors::default(), Vec::new());
    let from = instant(visit, "from", &mut errors, &mut remarked);
    let until = instant(visit, "to", &mut errors, &mut remarked);
    let number = query.one("page").parse().unwrap_or(1).clamp(1, 10_000);
    let filter = AuditFilter {
        from,
        until,
        actor: query.filled("actor").map(ActorFilter::parse),
        rotation: query.filled("rotationId").map(Into::into),
        action: query.filled("action").map(str::to_owned),
    };
    let page = Page { number, size: ROWS };
    let (entries, total) = match errors.is_empty() {
        true => audit::list(visit.app(), &visit.caller, &filter, page)?,
        false => (Vec::new(), 0),
    };
    let names = rotation_names(visit, &entries)?;
    let page_path = |number: u32| {
        let part = |name: &&str| format!("{name}={}", encoded(query.one(name)));
        let parts: Vec<String> = FILTERS.iter().map(part).collect();
        let zone = encoded(zone_of(visit).as_str());
        format!("/admin/audit?{}&zone={zone}&page={number}", parts.join("&"))
    };
    let is_narrowed = FILTERS.iter().any(|name| query.filled(name).is_some());
    let content = html! {
        (fields::summary(&errors))
        (crumbs())
        div.head { div { h1 { "Audit log" } p.sub { "Who changed what, the newest first." } } }
        (remarks(&remarked))
        (search(visit, query, &errors))
        section.card.flush aria-label="Entries" {
            @if entries.is_empty() {
                div.pad {
                    @if is_narrowed { p.muted { "No entry matches. " a href="/admin/audit" { "Show all" } } }
                    @else { p.muted { "Nothing was changed yet." } }
                }
            } @else { (table(visit, &entries, &names)) }
        }
        (pager(number, total, ROWS, page_path))
    };
    let status = if errors.is_empty() { 200 } else { 400 };
    Ok(layout::page_with(visit, status, "Audit log", content))
}

/// An instant of the query, which may be left out.
fn instant(
    visit: &Visit,
    name: &str,
    errors: &mut Errors,
    remarked: &mut Vec<String>,
) -> Option<Timestamp> {
    let text = visit.query.filled(name)?;
    let Some(typed) = time::parse(text, visit.zone) else {
        errors.add(name, "Enter a date and a time, such as 2026-11-23 09:00.");
        return None;
    };
    remarked.extend(typed.remark(visit.zone));
    Some(typed.at)
}

fn search(visit: &Visit, query: &Form, errors: &Errors) -> Markup {
    let filled = Filled {
        values: query,
        errors,
    };
    let zone = format!("Time in {}", visit.zone.as_str());
    let kinds = ActorKind::ALL.map(ActorKind::name).join(", ");
    html! {
        form.card.pad role="search" method="get" action="/admin/audit" {
            div.pair {
                (filled.input("datetime-local", "from", "From", &zone, false))
                (filled.input("datetime-local", "to", "To", &zone, false))
            }
            div.pair {
                (filled.input("text", "actor", "Actor", &format!("An id, or one of {kinds}"), false))
                (filled.input("text", "rotationId", "Rotation id", "", false))
                (filled.input("text", "action", "Action", "An operation of the API, or a command such as “key create”", false))
            }
            (zone_field(visit.zone))
            p.actions { button.btn type="submit" { "Filter" } a.btn href="/admin/audit" { "Show all" } }
        }
    }
}

/// The names of the rotations of entries, as far as they exist.
fn rotation_names(
    visit: &Visit,
    entries: &[AuditEntry],
) -> Result<HashMap<RotationId, String>, Problem> {
    let ids: HashSet<&RotationId> = entries.iter().filter_map(|e| e.rotation.as_ref()).collect();
    Ok(reads::rotation_names(visit.app(), &visit.caller, ids)?)
}

fn table(visit: &Visit, entries: &[AuditEntry], names: &HashMap<RotationId, String>) -> Markup {
    let times = times(visit);
    html! {
        table.rows {
            caption.sr { "Entries, the newest first" }
            thead { tr { th scope="col" { "When" } th scope="col" { "Who" } th scope="col" { "Action" } th scope="col" { "What" } th scope="col" { "From" } } }
            tbody {
                @for entry in entries {
                    tr data-entry=(entry.id) {
                        th scope="row" { (times.show(entry.at)) }
                        td data-label="Who" {
                            @match &entry.actor.name { Some(name) => bdi { (name) }, None => (capital(entry.actor.kind.name())) }
                            @if let Some(id) = &entry.actor.id { " " code { (id) } }
                        }
                        td data-label="Action" { code { (entry.action) } }
                        td data-label="What" {
                            @if entry.summary.chars().count() > FOLDED {
                                details.more { summary { bdi { (entry.summary.chars().take(FOLDED).collect::<String>()) "…" } } bdi { (entry.summary) } }
                            } @else { bdi { (entry.summary) } }
                            @if let Some(rotation) = &entry.rotation {
                                @if let Some(name) = names.get(rotation) { " " a href=(format!("/rotations/{rotation}")) { bdi { (name) } } }
                                " " code.muted { (rotation) }
                            }
                            @if let Some(subject) = entry.subject.as_deref().filter(|id| !is_rotation(entry, id)) { " " code.muted { (subject) } }
                        }
                        td data-label="From" {
                            @if let Some(address) = &entry.address { (address) }
                            @if let Some(request) = &entry.request_id { " " code.muted { (request) } }
                        }
                    }
                }
            }
        }
    }
}

/// Whether an id is that of the entry's rotation, which is shown already.
fn is_rotation(entry: &AuditEntry, id: &str) -> bool {
    let rotation = entry.rotation.as_ref();
    rotation.is_some_and(|rotation| rotation.as_str() == id)
}
