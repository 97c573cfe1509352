//! Rotations that follow schedules of partners.

pub mod faults;
mod following;
mod linking;
pub mod outages;
mod pages;
mod read_only;
mod standins;
mod unknown;
mod warned;

use crate::support::*;
use serde_json::{Value, json};

/// A Monday of U1 and U2 by turns, with a gap, somebody unknown, and U1 at last.
const WEEK: &[&str] = &[
    "P1 2026-01-05T00:00Z 2026-01-05T12:00Z",
    "P2 2026-01-05T12:00Z 2026-01-06T00:00Z",
    "P3 2026-01-06T06:00Z 2026-01-06T12:00Z",
    "P1 2026-01-06T12:00Z 2026-01-25T00:00Z",
];

/// A PagerDuty with that week, and a server with people U1 and U2 that has settings for it.
fn started() -> (Pager, Rota) {
    let pager = Pager::new();
    pager.has("S1", "P1 P2 P3", WEEK);
    let rota = pager.start().go();
    rota.people(2);
    (pager, rota)
}

fn to(schedule: &str) -> Value {
    json!({ "partner": "pagerPartner", "scheduleId": schedule })
}

/// A rotation that follows a schedule.
#[track_caller]
fn linked<'a>(rota: &'a Rota, schedule: &str) -> Rot<'a> {
    let rotation = rota.rotation("U1");
    link(&rotation, to(schedule)).is(200);
    rotation
}

#[track_caller]
fn link(rotation: &Rot, body: Value) -> Answer {
    rotation.by.put_if(&rotation.path("/external"), "*", body)
}

/// Who is on call: people here, then whoever is unknown.
#[track_caller]
fn on_call(rotation: &Rot) -> String {
    let read = rotation.get("/on-call").is(200).json();
    let here = people_on_call(&read);
    format!("{here}|{}", text(&read["unmappedExternalDuty"]["name"]))
}

/// The external assignments, as the on-call resource has them.
#[track_caller]
fn external(rotation: &Rot) -> Value {
    rotation.get("/on-call").is(200).json()["externalAssignments"].clone()
}

/// Reads every schedule now: how many were read, how many could not be.
#[track_caller]
fn sync(rota: &Rota) -> (i64, i64) {
    let answer = rota.request("POST", "/dev/sync").send().is(200).json();
    (int(&answer["read"]), int(&answer["failed"]))
}
