//! Who may act on a request, in every state.

use crate::support::*;
use serde_json::{Value, json};

/// A public rotation with daily hand-overs: U1 is the owner, U2 holds the 6th, U3 and U4 are asked to cover it, U5 is a
/// member, U6 is not, U7 is a workspace admin.
fn rotation(rota: &Rota) -> Rot<'_> {
    let mut people = directory(7);
    people["users"][6]["isAdmin"] = json!(true);
    rota.import(&people);
    let rotation = rota.daily("U1 U2 U3 U4 U5", 1);
    rotation.patch(json!({ "public": true })).is(200);
    rotation
}

const EVERYBODY: [&str; 7] = ["U1", "U2", "U3", "U4", "U5", "U6", "U7"];

/// A request in a given state.
#[track_caller]
fn asked<'a>(rotation: &Rot<'a>, state: &str) -> Asked<'a> {
    let period = match state {
        // The first to end when the clock is moved past it.
        "expired" => "05T08:10 05T08:20",
        _ => "06 07",
    };
    let requester = if state == "expired" { "U1" } else { "U2" };
    let asked = rotation.ask_cover(requester, period, "U3 U4");
    let steps: &[(&str, &str)] = match state {
        "pending" => &[],
        "half declined" => &[("U3", "decline")],
        "declined" => &[("U3", "decline"), ("U4", "decline")],
        "cancelled" => &[("U2", "cancel")],
        "accepted" => &[("U4", "accept")],
        "accepted after a decline" => &[("U4", "decline"), ("U4", "accept")],
        "ended" => &[("U4", "accept"), ("U2", "end")],
        "expired" => {
            rotation.by.rota.to(&when("05T08:20"));
            &[]
        }
        other => panic!("state {other}"),
    };
    for (user, step) in steps {
        asked.step(user, step).is(200);
    }
    asked
}

/// rules.md 9.2.
#[test]
fn what_each_may_do_follows_from_part_and_state() {
    let rota = Rota::with_people(7);
    let rotation = rotation(&rota);
    for (state, stands, table) in [
        (
            "pending",
            "pending 1 -",
            "U1 cancel, U2 cancel, U3 accept decline, U4 accept decline, U7 cancel",
        ),
        (
            "half declined",
            "pending 2 -",
            "U1 cancel, U2 cancel, U3 accept, U4 accept decline, U7 cancel",
        ),
        ("declined", "declined 3 -", ""),
        ("cancelled", "cancelled 2 -", ""),
        ("accepted", "accepted 2 U4", "U2 end, U4 end"),
        (
            "accepted after a decline",
            "accepted 3 U4",
            "U2 end, U4 end",
        ),
        ("ended", "ended 3 U4", ""),
        ("expired", "expired 2 -", ""),
    ] {
        let asked = asked(&rotation, state);
        let now = asked.state_line();
        // An expiry may leave the revision unchanged.
        match state {
            "expired" => assert!(now.starts_with("expired "), "{now}"),
            _ => assert_eq!(now, stands),
        }
        let may = EVERYBODY.map(|user| (user, asked.may(&rotation.seen_by(user))));
        let may = may.into_iter().filter(|(_, may)| !may.is_empty());
        let may: Vec<String> = may.map(|(user, may)| format!("{user} {may}")).collect();
        assert_eq!(may.join(", "), table, "{state}");
        assert_eq!(asked.may(&rotation), "", "a key has no part");
        if now.starts_with("accepted") {
            asked.step("U2", "end").is(200);
        }
    }
}

#[test]
fn a_step_out_of_its_state_is_refused() {
    let rota = Rota::with_people(7);
    let rotation = rotation(&rota);
    const NOT: &str = "requestNotPending";
    for (state, accept, decline, cancel, end) in [
        ("pending", "", "", "", NOT),
        ("declined", NOT, NOT, NOT, NOT),
        ("cancelled", NOT, NOT, NOT, NOT),
        ("accepted", "coverAlreadyAccepted", NOT, NOT, ""),
        ("ended", NOT, NOT, NOT, NOT),
        ("expired", NOT, NOT, NOT, NOT),
    ] {
        let asked = asked(&rotation, state);
        let requester = text(&asked.record()["requesterUserId"]).to_owned();
        let before = (rotation.etag(), asked.item());
        for (user, step, code) in [
            ("U3", "accept", accept),
            ("U4", "accept", accept),
            ("U3", "decline", decline),
            (&requester, "cancel", cancel),
            (&requester, "end", end),
        ] {
            if !code.is_empty() {
                asked.step(user, step).refused(409, code);
            }
        }
        assert_eq!((rotation.etag(), asked.item()), before, "{state}");
        if state == "accepted" {
            asked.step("U2", "end").is(200);
        }
        if state == "pending" {
            asked.step("U2", "cancel").is(200);
        }
    }
}

#[test]
fn a_step_of_somebody_without_that_part_is_refused() {
    let rota = Rota::with_people(7);
    let rotation = rotation(&rota);
    let pending = asked(&rotation, "pending");
    let later = rotation.ask_cover("U2", "06T10 06T12", "U3 U4");
    later.accepted_by("U4");
    // The other lost its duty.
    assert_eq!(pending.state(), "expired");
    let pending = rotation.ask_cover("U3", "07 08", "U4 U5");
    let before = (rotation.etag(), pending.item(), later.item());
    for (asked, step, parts) in [
        (&pending, "accept", "U4 U5"),
        (&pending, "decline", "U4 U5"),
        (&pending, "cancel", "U1 U3 U7"),
        (&later, "end", "U2 U4"),
    ] {
        let parts = words(parts);
        for user in EVERYBODY {
            if !parts.iter().any(|part| part == user) {
                asked.step(user, step).refused(403, "resource_denied");
            }
        }
    }
    assert_eq!((rotation.etag(), pending.item(), later.item()), before);
}

#[test]
fn recipients_decline_one_by_one() {
    let rota = Rota::with_people(7);
    let rotation = rotation(&rota);
    let asked = rotation.ask_cover("U2", "06 07", "U3 U4 U5");
    let plan = rotation.planned("05 09");
    for (user, declined, stands) in [
        ("U4", "U4", "pending 2 -"),
        ("U3", "U4 U3", "pending 3 -"),
        ("U5", "U4 U3 U5", "declined 4 -"),
    ] {
        let etag = rotation.etag();
        let answer = asked.step(user, "decline").is(200);
        assert_ne!(answer.etag(), etag);
        assert_eq!(answer.etag(), rotation.etag());
        let response = answer.json();
        assert_eq!(response["arrangements"], json!([]));
        let record = &response["request"]["request"];
        assert_eq!(record["declinedUserIds"], json!(words(declined)));
        assert_eq!(*record, asked.record());
        assert_eq!(asked.state_line(), stands);
    }
    assert_eq!(rotation.planned("05 09"), plan);
    assert_eq!(rotation.agreed(), [""; 0]);
}

#[test]
fn who_has_declined_may_think_better_of_it() {
    let rota = Rota::with_people(7);
    let rotation = rotation(&rota);
    let asked = asked(&rotation, "half declined");
    asked.accepted_by("U3");
    assert_eq!(asked.state_line(), "accepted 3 U3");
    assert_eq!(rotation.agreed(), ["U3 06 07 acceptedCover"]);
}

#[test]
fn the_requester_an_editor_and_an_admin_may_cancel() {
    let rota = Rota::with_people(7);
    let rotation = rotation(&rota);
    for user in ["U2", "U1", "U7"] {
        let asked = asked(&rotation, "half declined");
        let response = asked.step(user, "cancel").is(200).json();
        assert_eq!(response["arrangements"], json!([]));
        assert_eq!(response["request"]["request"], asked.record());
        assert_eq!(asked.state_line(), "cancelled 3 -", "{user}");
    }
    assert_eq!(rotation.agreed(), [""; 0]);
}

#[test]
fn a_step_names_the_revision_that_it_is_about() {
    let rota = Rota::with_people(7);
    let rotation = rotation(&rota);
    let asked = asked(&rotation, "half declined");
    let before = (rotation.etag(), asked.item());
    for (user, step) in [("U4", "accept"), ("U4", "decline"), ("U2", "cancel")] {
        for wrong in [0, 1, 3] {
            let body = json!({ "expectedRevision": wrong });
            let answer = asked.step_with(user, step, body);
            answer.refused(409, "requestChanged");
        }
        for (member, value) in [
            ("expectedRevision", Value::Null),
            ("expectedRevision", json!("two")),
            ("operationId", Value::Null),
            ("operationId", json!("")),
            ("operationId", json!("x".repeat(129))),
            ("acknowledgedConflictIds", json!("all")),
        ] {
            asked
                .step_with(user, step, json!({ member: value }))
                .names(member);
        }
    }
    assert_eq!((rotation.etag(), asked.item()), before);
    asked.accepted_by("U4");
    let answer = asked.step_with("U4", "end", json!({ "expectedRevision": 2 }));
    answer.refused(409, "requestChanged");
    asked
        .step_with("U4", "end", json!({ "expectedRevision": 3 }))
        .is(200);
    let body = asked.step_body();
    let path = rotation.path("/cover-requests/cov_unknown/accept");
    let answer = rotation.seen_by("U4").by.post_if(&path, "*", body.clone());
    answer.refused(404, "");
    let path = asked.path("/repeat");
    let answer = rotation.seen_by("U4").by.post_if(&path, "*", body);
    answer.refused(404, "");
}
