//! Requests that expire without an answer, or whose requester loses the duty.

use crate::faults::durability::{rotation as found, version};
use crate::support::*;
use serde_json::json;
use std::path::PathBuf;

/// A server with four people and a database that the test can open.
fn stored() -> (TempDir, PathBuf, Rota) {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(5);
    (dir, db, rota)
}

#[test]
fn a_request_expires_when_its_end_passes() {
    let (_dir, db, rota) = stored();
    let (_hook, receiver) = rota.hook(ALL_EVENTS);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    let asked = rotation.ask_cover("U2", "06T10 06T12", "U3 U4");
    rota.to("2026-01-06T11:59:59Z");
    assert_eq!(asked.state_line(), "pending 1 -");
    assert_eq!(asked.may(&rotation.seen_by("U3")), "accept decline");
    let (before, etag) = (version(&db, &rotation.id), rotation.etag());
    receiver.forget();
    rota.to(&when("06T12"));
    assert_eq!(asked.state(), "expired");
    assert_eq!(version(&db, &rotation.id), before + 1);
    assert_ne!(rotation.etag(), etag);
    rota.advance(HOUR);
    assert_eq!(receiver.requests(), [json!(null); 0]);
    assert_eq!(version(&db, &rotation.id), before + 1);
    assert_eq!(asked.may(&rotation.seen_by("U3")), "");
    for (user, step) in [("U3", "accept"), ("U4", "decline"), ("U2", "cancel")] {
        asked.step(user, step).refused(409, "requestNotPending");
    }
    assert_eq!(rotation.on_call(), "U2");
    // A list by range still contains it.
    let list = format!(
        "/cover-requests?from={}&to={}",
        when("06T11"),
        when("06T12")
    );
    let page = rotation.get(&list).is(200).json();
    assert_eq!(page["items"][0]["request"]["state"], json!("expired"));
}

#[test]
fn a_request_expires_while_the_server_is_down() {
    let (_dir, db, rota) = stored();
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    let passed = rotation.ask_cover("U2", "06T10 06T12", "U3");
    let begun = rotation.ask_cover("U2", "06T10 06T15", "U3");
    let accepted = rotation.ask_cover("U1", "05T10 05T12", "U3");
    accepted.accepted_by("U3");
    let id = rotation.id;
    let ids = [passed.id, begun.id, accepted.id];
    assert_eq!(rota.stop().0.code(), Some(0));
    let rota = Start::default().db(&db).clock(&when("06T13")).go();
    let rotation = found(&rota, &id);
    let [passed, begun, accepted] = ids.each_ref().map(|own| Asked::known(&rota, &id, own));
    assert_eq!(passed.state(), "expired");
    assert_eq!(begun.state_line(), "pending 1 -");
    assert_eq!(accepted.state_line(), "accepted 2 U3");
    assert_eq!(
        rotation.recorded("05T08 06T20"),
        [
            "U1 05T08 05T10 coverage-changed",
            "U3 05T10 05T12 explicit-change",
            "U1 05T12 06 explicit-change",
            "U2 06 - next-on-scheduled-duty",
        ]
    );
    begun.accepted_by("U3");
    assert_eq!(rotation.on_call(), "U3");
}

type Loss = fn(&Rot);

/// U1 holds the 5th and asks for part of it, U2 for part of the 6th; each row has the requests that stay pending.
/// rules.md 9.2.
#[test]
fn a_request_expires_when_its_requester_loses_the_duty() {
    let rows: &[(&str, Loss, bool, bool)] = &[
        ("rotate", |r| r.rotate(), false, false),
        (
            "put on call",
            |r| drop(r.put_on_call("U3").is(200)),
            false,
            false,
        ),
        (
            "put on call the same",
            |r| drop(r.put_on_call("U1").is(200)),
            true,
            true,
        ),
        ("clear", |r| drop(r.clear().is(200)), false, true),
        (
            "absent at the next hand-over",
            |r| drop(r.away("U2", "2026-01-06T08:00Z", "2026-01-06T10:00Z")),
            true,
            false,
        ),
        (
            "absent within the turn",
            |r| drop(r.away("U2", "2026-01-06T12:00Z", "2026-01-06T13:00Z")),
            true,
            true,
        ),
        (
            "absent recipient",
            |r| drop(r.away("U4", "2026-01-05T08:00Z", "2026-01-06T20:00Z")),
            true,
            true,
        ),
        (
            "removal of the requester",
            |r| drop(r.patch(json!({ "userIds": ["U2", "U3", "U4"] })).is(200)),
            false,
            false,
        ),
        (
            "removal of who is next",
            |r| drop(r.patch(json!({ "userIds": ["U1", "U3", "U4"] })).is(200)),
            true,
            false,
        ),
        (
            "removal of somebody else",
            |r| drop(r.patch(json!({ "userIds": ["U1", "U2", "U4"] })).is(200)),
            true,
            true,
        ),
        (
            "another order",
            |r| {
                drop(
                    r.patch(json!({ "userIds": ["U1", "U4", "U2", "U3"] }))
                        .is(200),
                )
            },
            true,
            true,
        ),
        (
            "later hand-overs",
            |r| {
                drop(r.cover(
                    1,
                    &[always(cadence(
                        "daily",
                        "UTC",
                        "2026-01-06T15:00",
                        json!({ "times": ["15:00"] }),
                    ))],
                ))
            },
            true,
            false,
        ),
        (
            "earlier hand-overs",
            |r| {
                drop(r.cover(
                    1,
                    &[always(cadence(
                        "daily",
                        "UTC",
                        "2026-01-05T11:00",
                        json!({ "times": ["11:00"] }),
                    ))],
                ))
            },
            false,
            false,
        ),
        (
            "another lane",
            |r| drop(r.cover(2, &[always(daily())])),
            true,
            false,
        ),
        (
            "assigned over",
            |r| drop(r.assign_at(0, "U3", "05T11 05T11:30")),
            false,
            true,
        ),
        (
            "assigned over the other",
            |r| drop(r.assign_at(0, "U3", "06T11:59 06T13")),
            true,
            false,
        ),
        (
            "assigned beside",
            |r| drop(r.assign_at(0, "U3", "05T12 06T10")),
            true,
            true,
        ),
        (
            "assigned the same",
            |r| drop(r.assign_at(0, "U1", "05T10 05T11")),
            true,
            true,
        ),
        (
            "renamed",
            |r| drop(r.patch(json!({ "name": "Other" })).is(200)),
            true,
            true,
        ),
        (
            "a cover of the same",
            |r| drop(r.ask_cover("U1", "05T11 05T20", "U3").accepted_by("U3")),
            false,
            true,
        ),
    ];
    let (_dir, db, rota) = stored();
    for (name, lose, first, second) in rows {
        let rotation = rota.daily("U1 U2 U3 U4", 1);
        let now = rotation.ask_cover("U1", "05T10 05T12", "U3 U4");
        let next = rotation.ask_cover("U2", "06T10 06T12", "U3 U4");
        let before = version(&db, &rotation.id);
        lose(&rotation);
        let state = |pending: bool| if pending { "pending" } else { "expired" };
        let expected = [state(*first), state(*second)];
        assert_eq!([now.state(), next.state()], expected, "{name}");
        let rises = version(&db, &rotation.id) - before;
        let expected = match *name {
            "put on call the same" | "absent within the turn" | "absent recipient" => 0..=1,
            "a cover of the same" => 2..=2,
            _ => 1..=1,
        };
        assert!(expected.contains(&rises), "{name}: {rises}");
        rotation.by.delete_if(&rotation.path(""), "*").is(204);
    }
}

#[test]
fn an_absence_that_costs_a_duty_is_a_version_and_no_news() {
    let (_dir, db, rota) = stored();
    let (_hook, receiver) = rota.hook(ALL_EVENTS);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    let asked = rotation.ask_cover("U2", "06 07", "U3 U4");
    rota.advance(0);
    receiver.forget();
    let before = version(&db, &rotation.id);
    let absence = rotation.away("U2", "2026-01-06T08:00Z", "2026-01-06T10:00Z");
    assert_eq!(asked.state(), "expired");
    assert_eq!(version(&db, &rotation.id), before + 1);
    rota.advance(0);
    assert_eq!(receiver.requests(), [json!(null); 0]);
    // It does not become pending again.
    rotation.back(&absence);
    assert_eq!(rotation.planned("06 07"), ["U2 06 07"]);
    assert_eq!(asked.state(), "expired");
    assert_eq!(version(&db, &rotation.id), before + 1);
}

#[test]
fn nothing_expires_on_a_disabled_rotation_before_it_is_enabled() {
    let (_dir, db, rota) = stored();
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    let passed = rotation.ask_cover("U1", "05T10 05T12", "U3");
    let running = rotation.ask_cover("U1", "05T10 05T20", "U3");
    let lost = rotation.ask_cover("U2", "06 07", "U3");
    rotation.patch(json!({ "enabled": false })).is(200);
    let before = version(&db, &rotation.id);
    rota.to(&when("05T13"));
    rota.advance(HOUR);
    for asked in [&passed, &running, &lost] {
        assert_eq!(asked.state_line(), "pending 1 -");
    }
    assert_eq!(version(&db, &rotation.id), before);
    rotation.patch(json!({ "enabled": true })).is(200);
    let states = [&passed, &running, &lost].map(|asked| asked.state());
    assert_eq!(states, ["expired", "pending", "pending"]);
    assert_eq!(version(&db, &rotation.id), before + 1);
    // Days pass without hand-overs.
    rotation.patch(json!({ "enabled": false })).is(200);
    rota.to(&when("06T12"));
    assert_eq!([running.state(), lost.state()], ["pending", "pending"]);
    rotation.patch(json!({ "enabled": true })).is(200);
    // U1 holds the slot until the next future hand-over.
    assert_eq!(rotation.on_call(), "U1");
    assert_eq!([running.state(), lost.state()], ["expired", "expired"]);
}

#[test]
fn a_lane_that_stops_takes_its_requests_with_it() {
    let (_dir, _db, rota) = stored();
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    let kept = rotation.ask_cover("U1", "05T10 05T12", "U3");
    let mut body = rotation.cover_body("05T10 05T12", "U3");
    body["cellId"] = json!(rotation.place(1));
    let stopped = rotation.made("cover-requests", "U2", body);
    rota.plan("free");
    assert_eq!([kept.state(), stopped.state()], ["pending", "expired"]);
    let mut body = rotation.cover_body("05T10 05T12", "U3");
    body["cellId"] = json!(rotation.place(1));
    let answer = rotation.seen_by("U2").request("cover-requests", body);
    answer.is(402);
}

#[test]
fn a_rotation_takes_its_requests_with_it() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let asked = rotation.ask_cover("U1", "05T10 05T12", "U3");
    let body = asked.step_body();
    let by = rotation.seen_by("U3").by;
    rotation.by.delete_if(&rotation.path(""), "*").is(204);
    by.get(&asked.path("")).refused(404, "");
    by.post_if(&asked.path("/accept"), "*", body)
        .refused(404, "");
    rota.to(&when("07"));
}

#[test]
fn a_request_of_somebody_who_leaves_the_group_or_the_workspace_expires() {
    let rota = Rota::at(MONDAY);
    rota.people_and_groups(4, &[("G1", "U1 U2 U3 U4")]);
    let spec = json!({ "name": "R", "owners": ["U1"], "userGroupIds": ["G1"] });
    let rotation = rota.create(spec);
    rotation.cover(1, &[always(daily())]);
    let second = rotation.ask_cover("U2", "06 07", "U3");
    let third = rotation.ask_cover("U3", "07 08", "U1");
    rota.people_and_groups(4, &[("G1", "U1 U3 U4")]);
    // U3 is next now, a day earlier.
    assert_eq!([second.state(), third.state()], ["expired", "expired"]);
    let third = rotation.ask_cover("U3", "06 07", "U1");
    let first = rotation.ask_cover("U1", "05T10 05T12", "U3");
    let mut left = directory(4);
    left["users"][2]["isDeleted"] = json!(true);
    left["groups"] = json!([group("G1", "U1 U3 U4")]);
    rota.import(&left);
    assert_eq!([third.state(), first.state()], ["expired", "pending"]);
}

#[test]
fn a_request_beyond_what_can_be_planned_hides_no_loss() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    rotation.away("U2", "2026-01-01T00:00Z", "2099-01-01T00:00Z");
    let far = rotation.ask_cover("U1", "06 2030-01-01T00:00Z", "U2");
    let near = rotation.ask_cover("U1", "05T08:30 05T12", "U2");
    let times: Vec<String> = (0..24).map(|hour| format!("{hour:02}:00")).collect();
    let hourly = cadence(
        "daily",
        "UTC",
        "2026-01-05T09:00",
        json!({ "times": times }),
    );
    rotation.cover(1, &[always(hourly)]);
    assert_eq!([far.state(), near.state()], ["pending", "pending"]);
    // U1 is back from the next hour on.
    rotation.clear().is(200);
    assert_eq!([far.state(), near.state()], ["pending", "expired"]);
    rotation.patch(json!({ "userIds": ["U2"] })).is(200);
    assert_eq!(far.state(), "expired");
}
