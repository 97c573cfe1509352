//! How the server stands, and the way to what an administrator does.

use super::check;
use crate::actions::status::{self, WorkStatus};
use crate::actions::{Error, TIMER, replica};
use crate::domain::zones;
use crate::runtime::heartbeat::{Heartbeat, late_after};
use crate::server::{Outcome, Problem};
use crate::store::{ReadTx, load_rotation, load_team, schema_version, sqlite_version};
use crate::web::layout;
use crate::web::pages::{link_to, times};
use crate::web::visit::Visit;
use maud::{Markup, html};
use std::time::Duration;

/// Rotations that are named of those in which nobody is on call.
const NAMED: usize = 20;

/// From when on it is wrong that the system clock was set back.
const CLOCK_BEHIND: Duration = Duration::from_secs(60);

/// GET /admin.
pub fn show(visit: &Visit) -> Outcome {
    check(visit)?;
    let (app, now) = (visit.app(), visit.now);
    let team = app.store().read(load_team)?;
    let work = app
        .store()
        .read(|tx: &ReadTx| -> Result<WorkStatus, Error> { status::read(tx, now) })?;
    let (wrong, epoch) = (wrong(visit, &work)?, replica::epoch(app)?.number);
    let places = [
        (
            "/admin/keys",
            "API keys",
            "For programs: scopes, rotations, expiry.",
        ),
        (
            "/admin/tokens",
            "Member tokens",
            "For programs that act as one person.",
        ),
        (
            "/admin/problems",
            "Problems",
            "What is wrong with the plans, and what is silenced.",
        ),
        ("/admin/audit", "Audit log", "Who changed what."),
        (
            "/reports/duty",
            "Report",
            "Who carries how much, by the record and the plan.",
        ),
        (
            "/admin/directory",
            "Directory",
            "Import people, groups and channels.",
        ),
        ("/admin/boards", "Boards", "Pages for a screen on a wall."),
        ("/webhooks", "Webhooks", "Endpoints and their deliveries."),
    ];
    let content = html! {
        div.head { div { h1 { "Admin" } p.sub { bdi { (team.name.as_deref().unwrap_or(&team.id)) } } } }
        @if wrong.is_empty() { div.flash role="status" { p { "Everything works: nothing is overdue, and nothing waits too long." } } }
        @else { div.note.warn.said role="alert" { h2 { "Look at this" } ul { @for line in &wrong { li { (line) } } } } }
        div.cols.a {
            (server_state(visit, &work, epoch))
            section.card.pad aria-labelledby="places" {
                h2 #places { "Administer" }
                ul.items {
                    @for (path, name, about) in places { li { a href=(path) { (name) } br; span.muted { (about) } } }
                }
            }
        }
    };
    Ok(layout::page(visit, "Admin", content))
}

/// The problems of the server, a line each.
fn wrong(visit: &Visit, work: &WorkStatus) -> Result<Vec<Markup>, Problem> {
    let times = times(visit);
    let mut lines = Vec::new();
    if let Some(since) = work.late_since() {
        lines.push(html! { (work.overdue) " rotations wait for what has been due since " (times.show(since)) "." });
    }
    if let Some(event) = work.undelivered() {
        lines.push(html! {
            "A webhook endpoint has not taken " code { (event.event_type) } " since " (times.show(event.created_at)) ". "
            a href="/webhooks" { "Webhooks" }
        });
    }
    for id in work.nobody_in.iter().take(NAMED) {
        let found = visit.app().store().read(|tx| load_rotation(tx, id))?;
        if let Some(rotation) = found {
            lines.push(html! { "Nobody is on call in " (link_to(&rotation)) "." });
        }
    }
    if work.nobody_in.len() > NAMED {
        lines.push(
            html! { "Nobody is on call in " (work.nobody_in.len() - NAMED) " more rotations." },
        );
    }
    for watched in visit.app().runtime().watched() {
        if let Some(why) = trouble(&watched.heartbeat) {
            lines.push(html! { "The " (watched.heartbeat.name()) " " (why) "." });
        }
    }
    let behind = visit.app().clock().behind();
    if behind >= CLOCK_BEHIND {
        lines.push(html! { "The system clock was set back and is " (behind.as_secs()) " s behind what the server has seen; hand-overs and retries wait for as long." });
    }
    for problem in visit.app().store().health().problems() {
        lines.push(html! { (problem) });
    }
    Ok(lines)
}

/// The problem of a background thread, in words.
fn trouble(heartbeat: &Heartbeat) -> Option<String> {
    let failing = heartbeat.failing_for().filter(|time| *time > late_after());
    if let Some(failing) = failing {
        return Some(format!("has failed for {} s", failing.as_secs()));
    }
    match heartbeat.age() {
        None => Some("does not run".to_owned()),
        Some(age) if age > late_after() => {
            Some(format!("has made no progress for {} s", age.as_secs()))
        }
        Some(_) => None,
    }
}

/// What the server is to its database, and its standbys.
fn role(visit: &Visit, epoch: u64) -> Markup {
    let (app, times) = (visit.app(), times(visit));
    let copied = app.standby().and_then(|standby| standby.copied());
    html! {
        dt { "Role" }
        dd {
            (app.role().name()) " of epoch " (epoch)
            @if let Some(copied) = copied { ", its copy is of " (times.show(copied.at)) }
        }
        @for seen in app.replicas().seen() {
            dt { "Standby" } dd { code { (seen.address) } ", has what was committed by " (times.show(seen.copied_at)) }
        }
    }
}

fn server_state(visit: &Visit, work: &WorkStatus, epoch: u64) -> Markup {
    let (app, times, queue) = (visit.app(), times(visit), &work.queue);
    let timer = app.runtime().heartbeat(TIMER);
    let capabilities = app.chat().capabilities();
    html! {
        section.card.pad aria-labelledby="standing" {
            h2 #standing { "How it stands" }
            dl.kv {
                (role(visit, epoch))
                @if app.standby().is_none() {
                dt { "Timer" }
                dd {
                    @match timer.as_ref().and_then(Heartbeat::age) {
                        Some(age) if age <= late_after() => span.tag.good { "Running" },
                        _ => span.tag.bad { "Not running" },
                    }
                    @if work.overdue > 0 { " " (work.overdue) " rotations overdue" } @else { " nothing is overdue" }
                }
                }
                dt { "Next due" }
                dd { @match work.next_due { Some(at) => { (times.show(at)) " " span.muted { (times.away(at)) } }, None => span.muted { "Nothing" } } }
                dt { "Deliveries" }
                dd {
                    (queue.pending) " waiting; endpoints: " (queue.enabled_endpoints) " enabled, " (queue.disabled_endpoints) " disabled"
                    @if let Some(oldest) = &queue.oldest { ", the oldest " code { (oldest.event_type) } " of " (times.show(oldest.created_at)) }
                }
                dt { "Chat" }
                dd {
                    (queue.messages) " messages waiting"
                    @if let Some(why) = capabilities.no_binding { br; span.muted { "On-duty groups: " (why) } }
                }
                dt { "Nobody on call" } dd { (work.open_slots) @if work.open_slots == 1 { " turn" } @else { " turns" } }
                dt { "Threads" }
                dd {
                    @for (index, watched) in app.runtime().watched().iter().enumerate() {
                        @if index > 0 { ", " }
                        (watched.heartbeat.name())
                        @if trouble(&watched.heartbeat).is_some() { " " span.tag.bad { "late" } }
                    }
                }
                dt { "Plan" } dd { @if app.tier_limits().has_webhooks() { "Pro" } @else { "Free" } }
                dt { "Version" } dd { "rota " (env!("CARGO_PKG_VERSION")) ", schema " (schema_version()) ", SQLite " (sqlite_version()) ", tzdata " (zones::tzdata_version()) }
            }
        }
    }
}
