//! Many rotations that change at once.

use crate::support::*;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// People of each rotation.
const PEOPLE: usize = 6;

/// rules.md 28.3: everybody is told soon after the delay, once, and others are answered meanwhile.
#[test]
fn all_rotations_that_an_import_changes_are_told_within_seconds() {
    let rotations = if in_full() { 200 } else { 40 };
    let delay = Duration::from_secs(1);
    let rota = Start::default()
        .env("ROTA_CHAT_REMINDER_BEFORE", "0s")
        .env("ROTA_NOTICES_DELAY", "1s")
        .go();
    rota.people_and_groups(PEOPLE, &[("G1", "U1 U2 U3 U4 U5 U6")]);
    let made: Vec<Rot> = (0..rotations)
        .map(|number| {
            let body = json!({ "name": format!("Rotation {number}"), "owners": ["U1"], "userGroupIds": ["G1"] });
            let rotation = rota.create(body);
            rotation.cover(1, &[always(weekly("UTC", "2026-01-05T09:00"))]);
            rotation
        })
        .collect();
    let is_settled = |rotation: &Rot| rotation.get("/pending-notices").status() == 204;
    eventually("the first plans", || made.iter().all(is_settled));
    // One person leaves the group: the turns of all others move.
    let mut all = directory(PEOPLE);
    all["groups"] = json!([group("G1", "U1 U2 U3 U4 U5")]);
    rota.import(&all);
    let begun = Instant::now();
    let is_told = || {
        let list = rota
            .caller()
            .get("/v1/messages?userId=U6&pageSize=1")
            .is(200)
            .json();
        int(&list["totalItems"]) >= rotations as i64
    };
    eventually("the notices", is_told);
    let took = begun.elapsed().saturating_sub(delay);
    // A limit for a release build on a machine that does nothing else is in the benchmarks.
    assert!(took < Duration::from_secs(30), "{took:?}");
    eventually("all of them", || made.iter().all(is_settled));
    for user in ["U1", "U6"] {
        let messages = rota.caller().all(&format!("/v1/messages?userId={user}"));
        let told = |message: &&Value| message["kind"] == "shiftsMoved";
        assert_eq!(messages.iter().filter(told).count(), rotations, "{user}");
    }
}
