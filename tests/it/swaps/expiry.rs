//! Offers that expire without an answer, or when a leg is no longer its holder's.

use crate::faults::durability::version;
use crate::support::*;
use serde_json::json;

/// A server with five people and a database that the test can open.
fn stored() -> (TempDir, std::path::PathBuf, Rota) {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(5);
    (dir, db, rota)
}

#[test]
fn an_offer_expires_when_the_first_of_its_legs_has_passed() {
    for (own, others, last, expired) in [
        ("06 07", "08 09", "2026-01-07T08:59:59Z", "07"),
        ("10 11", "08 09", "2026-01-09T08:59:59Z", "09"),
    ] {
        let (_dir, db, rota) = stored();
        let (_hook, receiver) = rota.hook("rotation.updated nobody.on_call");
        let rotation = rota.daily("U1 U2 U3 U4", 1);
        // U2 has the 6th and the 10th, U4 the 8th.
        let asked = rotation.offer_swap("U2", own, "U4", others);
        rota.to(last);
        assert_eq!(asked.state_line(), "pending 1 -");
        let before = version(&db, &rotation.id);
        receiver.forget();
        rota.to(&when(expired));
        assert_eq!(asked.state(), "expired");
        // Together with the hand-over of that instant, in one change.
        assert_eq!(version(&db, &rotation.id), before + 1);
        assert_eq!(receiver.requests(), [json!(null); 0]);
        asked.step("U4", "accept").refused(409, "requestNotPending");
        assert_eq!(rotation.agreed(), [""; 0]);
    }
}

#[test]
fn an_offer_expires_while_the_server_is_down() {
    let (_dir, db, rota) = stored();
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    let passed = rotation.offer_swap("U2", "06 07", "U4", "08 09").id;
    let kept = rotation.offer_swap("U3", "07 08", "U4", "08 09").id;
    let id = rotation.id;
    assert_eq!(rota.stop().0.code(), Some(0));
    let rota = Start::default().db(&db).clock(&when("07T12")).go();
    let [passed, kept] = [passed, kept].map(|own| Asked::known(&rota, &id, &own));
    assert_eq!(passed.state(), "expired");
    assert_eq!(kept.state_line(), "pending 1 -");
    let own = json!({ "acknowledgedStartedLegKeys": ["own"] });
    kept.step_with("U4", "accept", own).is(200);
    assert_eq!(kept.on.on_call(), "U4");
}

type Loss = fn(&Rot);

/// U2 offers the 6th for the 8th of U4.
#[test]
fn an_offer_expires_when_a_holder_loses_a_leg() {
    let rows: &[(&str, Loss, &str)] = &[
        ("rotate", |r| r.rotate(), "expired"),
        (
            "renamed",
            |r| drop(r.patch(json!({ "name": "Other" })).is(200)),
            "pending",
        ),
        (
            "put on call",
            |r| drop(r.put_on_call("U2").is(200)),
            "expired",
        ),
        (
            "the requester absent",
            |r| drop(r.away("U2", "2026-01-06T08:00Z", "2026-01-06T10:00Z")),
            "expired",
        ),
        (
            "the recipient absent",
            |r| drop(r.away("U4", "2026-01-08T08:00Z", "2026-01-08T10:00Z")),
            "expired",
        ),
        (
            "one between absent",
            |r| drop(r.away("U3", "2026-01-07T08:00Z", "2026-01-07T10:00Z")),
            "expired",
        ),
        (
            "one after absent",
            |r| drop(r.away("U1", "2026-01-09T08:00Z", "2026-01-09T10:00Z")),
            "pending",
        ),
        (
            "within",
            |r| drop(r.away("U2", "2026-01-06T12:00Z", "2026-01-06T13:00Z")),
            "pending",
        ),
        (
            "the requester removed",
            |r| drop(r.patch(json!({ "userIds": ["U1", "U3", "U4"] })).is(200)),
            "expired",
        ),
        (
            "the recipient removed",
            |r| drop(r.patch(json!({ "userIds": ["U1", "U2", "U3"] })).is(200)),
            "expired",
        ),
        (
            "one added last",
            |r| {
                drop(
                    r.patch(json!({ "userIds": ["U1", "U2", "U3", "U4", "U5"] }))
                        .is(200),
                )
            },
            "pending",
        ),
        (
            "the hand-over moved",
            |r| {
                drop(r.cover(
                    1,
                    &[always(cadence(
                        "daily",
                        "UTC",
                        "2026-01-06T10:00",
                        json!({ "times": ["10:00"] }),
                    ))],
                ))
            },
            "expired",
        ),
        (
            "assigned over the one",
            |r| drop(r.assign_at(0, "U3", "06T12 06T13")),
            "expired",
        ),
        (
            "assigned over the other",
            |r| drop(r.assign_at(0, "U3", "08T12 08T13")),
            "expired",
        ),
        (
            "assigned between",
            |r| drop(r.assign_at(0, "U1", "07 08")),
            "pending",
        ),
        (
            "a cover of the one",
            |r| drop(r.ask_cover("U2", "06T12 06T13", "U1").accepted_by("U1")),
            "expired",
        ),
        (
            "a cover of the other",
            |r| drop(r.ask_cover("U4", "08T12 08T13", "U1").accepted_by("U1")),
            "expired",
        ),
        (
            "a swap of the one",
            |r| drop(r.offer_swap("U2", "06 07", "U3", "07 08").accepted_by("U3")),
            "expired",
        ),
        (
            "a swap of the other",
            |r| drop(r.offer_swap("U3", "07 08", "U4", "08 09").accepted_by("U4")),
            "expired",
        ),
        (
            "a swap beside",
            |r| drop(r.offer_swap("U3", "07 08", "U1", "09 10").accepted_by("U1")),
            "pending",
        ),
    ];
    let (_dir, db, rota) = stored();
    for (name, lose, state) in rows {
        let rotation = rota.daily("U1 U2 U3 U4", 1);
        let asked = rotation.offer_swap("U2", "06 07", "U4", "08 09");
        let before = version(&db, &rotation.id);
        lose(&rotation);
        assert_eq!(asked.state(), *state, "{name}");
        let rises = version(&db, &rotation.id) - before;
        let expected = match *name {
            "one after absent" | "within" => 0,
            _ if name.starts_with("a cover") || name.starts_with("a swap") => 2,
            _ => 1,
        };
        assert_eq!(rises, expected, "{name}");
        let made: Vec<String> = rotation.agreed();
        let legs = made.iter().filter(|line| line.contains("swapLeg")).count();
        let expected = if name.starts_with("a swap") { 2 } else { 0 };
        assert_eq!(legs, expected, "{name}: {made:?}");
        rotation.by.delete_if(&rotation.path(""), "*").is(204);
    }
}

#[test]
fn nothing_expires_on_a_disabled_rotation_before_it_is_enabled() {
    let (_dir, db, rota) = stored();
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    let asked = rotation.offer_swap("U2", "06 07", "U4", "08 09");
    rotation.patch(json!({ "enabled": false })).is(200);
    let before = version(&db, &rotation.id);
    rota.to(&when("07T12"));
    assert_eq!(asked.state_line(), "pending 1 -");
    assert_eq!(version(&db, &rotation.id), before);
    rotation.patch(json!({ "enabled": true })).is(200);
    assert_eq!(asked.state(), "expired");
    assert_eq!(version(&db, &rotation.id), before + 1);
}
