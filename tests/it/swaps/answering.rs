//! Who may act on an offer, in every state.

use crate::support::*;
use serde_json::json;

fn rotation(rota: &Rota) -> Rot<'_> {
    let mut people = directory(5);
    people["users"][4]["isAdmin"] = json!(true);
    rota.import(&people);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.patch(json!({ "public": true })).is(200);
    rotation
}

/// U2 offers U3 one of their shifts. U1 is the owner, U4 is no member, U5 is a workspace admin.
#[track_caller]
fn offered<'a>(rotation: &Rot<'a>, state: &str) -> Asked<'a> {
    let asked = match state {
        "expired" => rotation.offer_swap("U2", "06 07", "U3", "10 11"),
        _ => rotation.offer_swap("U2", "09 10", "U3", "10 11"),
    };
    match state {
        "pending" => {}
        "accepted" => drop(asked.accepted_by("U3")),
        "declined" => drop(asked.step("U3", "decline").is(200)),
        "cancelled" => drop(asked.step("U2", "cancel").is(200)),
        "expired" => asked.on.by.rota.to(&when("07")),
        other => panic!("state {other}"),
    }
    assert_eq!(asked.state(), state);
    asked
}

#[test]
fn what_each_may_do_follows_from_part_and_state() {
    const NOT: &str = "requestNotPending";
    for (state, table) in [
        (
            "pending",
            "U1 cancel, U2 cancel, U3 accept decline, U5 cancel",
        ),
        ("accepted", ""),
        ("declined", ""),
        ("cancelled", ""),
        ("expired", ""),
    ] {
        let rota = Rota::with_people(5);
        let rotation = rotation(&rota);
        let asked = offered(&rotation, state);
        let everybody = ["U1", "U2", "U3", "U4", "U5"];
        let may = everybody.map(|user| (user, asked.may(&rotation.seen_by(user))));
        let may = may.into_iter().filter(|(_, may)| !may.is_empty());
        let may: Vec<String> = may.map(|(user, may)| format!("{user} {may}")).collect();
        assert_eq!(may.join(", "), table, "{state}");
        assert_eq!(asked.may(&rotation), "", "a key has no part");
        let before = (rotation.etag(), asked.item());
        for (step, parts) in [("accept", "U3"), ("decline", "U3"), ("cancel", "U1 U2 U5")] {
            for user in everybody {
                let has_part = words(parts).iter().any(|part| part == user);
                match has_part {
                    false => drop(asked.step(user, step).refused(403, "resource_denied")),
                    true if state != "pending" => {
                        drop(asked.step(user, step).refused(409, NOT));
                    }
                    true => {}
                }
            }
        }
        assert_eq!((rotation.etag(), asked.item()), before, "{state}");
    }
}

#[test]
fn declining_and_cancelling_settle_an_offer() {
    let rota = Rota::with_people(5);
    let rotation = rotation(&rota);
    let plan = rotation.planned("05 12");
    for (user, step, state) in [
        ("U3", "decline", "declined"),
        ("U2", "cancel", "cancelled"),
        ("U1", "cancel", "cancelled"),
        ("U5", "cancel", "cancelled"),
    ] {
        let asked = offered(&rotation, "pending");
        let etag = rotation.etag();
        let answer = asked.step(user, step).is(200);
        assert_ne!(answer.etag(), etag);
        assert_eq!(answer.etag(), rotation.etag());
        let response = answer.json();
        assert_eq!(response["arrangements"], json!([]));
        assert_eq!(response["request"]["request"], asked.record());
        assert_eq!(asked.state_line(), format!("{state} 2 -"));
        let declined: &[&str] = if step == "decline" { &["U3"] } else { &[] };
        assert_eq!(asked.record()["declinedUserIds"], json!(declined));
    }
    assert_eq!(rotation.planned("05 12"), plan);
    assert_eq!(rotation.agreed(), [""; 0]);
}

#[test]
fn a_step_names_the_revision_that_it_is_about() {
    let rota = Rota::with_people(5);
    let rotation = rotation(&rota);
    let asked = offered(&rotation, "pending");
    let before = (rotation.etag(), asked.item());
    for (user, step) in [("U3", "accept"), ("U3", "decline"), ("U2", "cancel")] {
        for wrong in [0, 2] {
            let body = json!({ "expectedRevision": wrong });
            asked
                .step_with(user, step, body)
                .refused(409, "requestChanged");
        }
        for member in ["expectedRevision", "operationId"] {
            asked
                .step_with(user, step, json!({ member: null }))
                .names(member);
        }
    }
    let body = json!({ "acknowledgedStartedLegKeys": "own" });
    asked
        .step_with("U3", "accept", body)
        .names("acknowledgedStartedLegKeys");
    assert_eq!((rotation.etag(), asked.item()), before);
}
