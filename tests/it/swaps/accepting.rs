//! The effect of an acceptance: both legs change hands, or neither.

use crate::events::word;
use crate::support::*;
use serde_json::{Value, json};

/// rules.md 9.3.
#[test]
fn accepting_makes_two_arrangements_in_one_change() {
    let rota = Rota::with_people(3);
    let (_hook, receiver) = rota.hook(ALL_EVENTS);
    let rotation = rota.daily("U1 U2 U3", 1);
    let asked = rotation.offer_swap("U1", "08 09", "U2", "09 10");
    rota.advance(0);
    receiver.forget();
    let answer = asked.step("U2", "accept").is(200);
    assert_eq!(answer.etag(), rotation.etag());
    let response = answer.json();
    // Created, grid, offered, accepted.
    assert_eq!(int(&response["rotationVersion"]), 4);
    assert_eq!(response["deliveryState"], json!("pending"));
    let made = response["arrangements"].as_array().unwrap();
    let lines: Vec<String> = made.iter().map(arrangement_line).collect();
    assert_eq!(lines, ["U2 08 09 swapLeg", "U1 09 10 swapLeg"]);
    assert_eq!(rotation.agreements(), *made);
    for (made, (from, to, origin)) in made.iter().zip([("08", "09", "U1"), ("09", "10", "U2")]) {
        assert_eq!(int(&made["revision"]), 1);
        assert_eq!(
            selection(&made["turnSelection"]),
            format!("fullTurn {from} {to}")
        );
        assert_eq!(made["origin"]["userIds"], json!([origin]));
        let segment = &made["originalSnapshot"]["segments"][0];
        assert_eq!(segment["userIds"], json!([origin]));
        assert_eq!(interval(segment), format!("{from} {to}"));
    }
    let record = asked.record();
    assert_eq!(asked.state_line(), "accepted 2 U2");
    assert_eq!(response["request"]["request"], record);
    let ids: Vec<&Value> = made.iter().map(|made| &made["id"]).collect();
    let legs = record["legs"].as_array().unwrap();
    let named: Vec<&Value> = legs.iter().map(|leg| &leg["arrangementId"]).collect();
    assert_eq!(named, ids);
    assert!(ids.contains(&&record["arrangementId"]));

    rota.advance(0);
    let bodies = receiver.bodies();
    let news: Vec<String> = bodies.iter().map(word).collect();
    assert_eq!(news, ["updated"]);
    assert_eq!(bodies[0]["version"], response["rotationVersion"]);
    assert_eq!(
        rotation.planned("07 11"),
        ["U3 07 08", "U2 08 09", "U1 09 10", "U3 10 11"]
    );
    for (now, on_call, dealt) in [
        ("07T20", "U3", "U3"),
        ("08", "U2", "U1"),
        ("09", "U1", "U2"),
        ("10", "U3", "U3"),
    ] {
        rota.to(&when(now));
        let holds = (rotation.on_call(), rotation.holders());
        assert_eq!(holds, (on_call.to_owned(), dealt.to_owned()), "{now}");
    }
    rotation.is_a_chain("05T08 11");
    assert_eq!(asked.state_line(), "accepted 2 U2");
}

#[test]
fn arrangements_made_by_a_swap_are_not_changed_or_ended_as_such() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let asked = rotation.offer_swap("U1", "08 09", "U2", "09 10");
    let response = asked.accepted_by("U2");
    let before = rotation.etag();
    for made in response["arrangements"].as_array().unwrap() {
        let path = format!("duty-arrangements/{}", text(&made["id"]));
        let change = json!({
            "operationId": unique("change"), "cellId": made["cellId"], "userId": "U3", "from": made["from"],
            "to": made["to"], "expectedRevision": 1,
        });
        let end = json!({ "operationId": unique("end"), "expectedRevision": 1 });
        for (rest, body) in [("changes", change), ("end", end)] {
            let answer = rotation.request(&format!("{path}/{rest}"), body);
            answer.refused(409, "repairNotSupported");
        }
    }
    // A swap cannot be ended.
    let body = asked.step_body();
    let by = rotation.seen_by("U1").by;
    by.post_if(&asked.path("/end"), "*", body).refused(404, "");
    assert_eq!(rotation.etag(), before);
    for user in ["U1", "U2", "U3"] {
        assert_eq!(asked.may(&rotation.seen_by(user)), "");
    }
}

#[test]
fn a_conflict_of_one_leg_holds_both_back_until_it_is_acknowledged() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.away("U1", "2026-01-09T12:00Z", "2026-01-09T13:00Z");
    rotation.away("U2", "2026-01-08T00:00Z", "2026-01-08T10:00Z");
    let asked = rotation.offer_swap("U1", "08 09", "U2", "09 10");
    let before = (rotation.etag(), asked.item());
    let refused = asked.step("U2", "accept");
    let refused = refused.refused(409, "conflictsNotAcknowledged");
    let (lines, ids) = conflicts(&refused["conflicts"]);
    assert_eq!(
        lines,
        [
            "U2 absence manualAvailability 08 08T10",
            "U1 absence manualAvailability 09T12 09T13",
        ]
    );
    for known in [json!([ids[0]]), json!([ids[1]]), json!(["cfl_other"])] {
        let answer = asked.step_with("U2", "accept", json!({ "acknowledgedConflictIds": known }));
        answer.refused(409, "conflictsNotAcknowledged");
    }
    assert_eq!((rotation.etag(), asked.item()), before);
    assert_eq!(rotation.agreed(), [""; 0]);
    let known = json!({ "acknowledgedConflictIds": ids });
    asked.step_with("U2", "accept", known).is(200);
    assert_eq!(rotation.agreed(), ["U2 08 09 swapLeg", "U1 09 10 swapLeg"]);
}

#[test]
fn what_the_offer_acknowledged_need_not_be_acknowledged_again() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.away("U1", "2026-01-09T12:00Z", "2026-01-09T13:00Z");
    let legs = [("a", "U1", 0, "08 09"), ("b", "U2", 0, "09 10")];
    let mut body = rotation.swap_body("U2", &legs);
    let asker = rotation.seen_by("U1");
    let response = asker.request("swap-requests/preview", body.clone());
    let (_, ids) = conflicts(&response.is(200).json()["legs"][1]["conflicts"]);
    body["acknowledgedConflictIds"] = json!(ids);
    let asked = rotation.made("swap-requests", "U1", body);
    // A new conflict is not acknowledged.
    let absence = rotation.away("U1", "2026-01-10T00:00Z", "2026-01-10T08:00Z");
    let refused = asked.step("U2", "accept");
    let refused = refused.refused(409, "conflictsNotAcknowledged");
    let (lines, all) = conflicts(&refused["conflicts"]);
    assert!(lines.contains(&"U1 absence manualAvailability 10T00 10T08".to_owned()));
    let new: Vec<&String> = all.iter().filter(|id| !ids.contains(id)).collect();
    assert_eq!(new.len(), 1);
    rotation.back(&absence);
    asked.accepted_by("U2");
    assert_eq!(asked.state_line(), "accepted 2 U2");
}

#[test]
fn both_acknowledgements_together_suffice() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.away("U1", "2026-01-09T12:00Z", "2026-01-09T13:00Z");
    rotation.away("U2", "2026-01-08T12:00Z", "2026-01-08T13:00Z");
    let legs = [("a", "U1", 0, "08 09"), ("b", "U2", 0, "09 10")];
    let mut body = rotation.swap_body("U2", &legs);
    let asker = rotation.seen_by("U1");
    let response = asker.request("swap-requests/preview", body.clone());
    let response = response.is(200).json();
    let ids = [0, 1].map(|leg| conflicts(&response["legs"][leg]["conflicts"]).1);
    body["acknowledgedConflictIds"] = json!(ids[1]);
    let asked = rotation.made("swap-requests", "U1", body);
    let known = json!({ "acknowledgedConflictIds": ids[0] });
    asked.step_with("U2", "accept", known).is(200);
}

#[test]
fn who_came_to_hold_another_place_meanwhile_gets_neither_leg() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    // U1 on the 7th, U4 on the 8th.
    let legs = [("a", "U1", 0, "07 08"), ("b", "U4", 1, "08 09")];
    let asked = rotation.made("swap-requests", "U1", rotation.swap_body("U4", &legs));
    rotation.assign_at(1, "U4", "07T10 07T12");
    let before = (rotation.etag(), asked.item(), rotation.agreed());
    asked.step("U4", "accept").is(400);
    assert_eq!((rotation.etag(), asked.item(), rotation.agreed()), before);
}

#[test]
fn who_is_removed_keeps_no_leg() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    let asked = rotation.offer_swap("U1", "09 10", "U2", "10 11");
    asked.accepted_by("U2");
    rota.to(&when("09T12"));
    assert_eq!(rotation.on_call(), "U2");
    rotation
        .patch(json!({ "userIds": ["U1", "U3", "U4"] }))
        .is(200);
    assert_eq!(
        rotation.agreed(),
        ["U2 09 09T12 swapLeg", "U1 10 11 swapLeg"]
    );
    assert_eq!(rotation.on_call(), "U1");
    rotation.patch(json!({ "userIds": ["U3", "U4"] })).is(200);
    assert_eq!(
        rotation.agreed(),
        ["U2 09 09T12 swapLeg", "U1 10 11 swapLeg cancelled"]
    );
    rotation.is_a_chain("05T08 12");
}

/// rules.md 8.4.
#[test]
fn who_is_not_given_a_shift_in_return_owes_none() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    let asked = rotation.offer_swap("U1", "09 10", "U2", "10 11");
    asked.accepted_by("U2");
    rotation
        .patch(json!({ "userIds": ["U1", "U3", "U4"] }))
        .is(200);
    let gone = ["U2 09 10 swapLeg cancelled", "U1 10 11 swapLeg cancelled"];
    assert_eq!(rotation.agreed(), gone);
    assert_eq!(asked.state(), "accepted");

    let lanes = rota.daily("U1 U2 U3 U4", 2);
    let legs = [("a", "U1", 0, "07 08"), ("b", "U2", 1, "07 08")];
    let asked = lanes.made("swap-requests", "U1", lanes.swap_body("U2", &legs));
    asked.accepted_by("U2");
    let legs = [("a", "U1", 0, "09 10"), ("b", "U2", 1, "09 10")];
    let pending = lanes.made("swap-requests", "U1", lanes.swap_body("U2", &legs));
    lanes.cover(1, &[always(daily())]);
    let mut gone = lanes.agreed();
    gone.sort();
    assert_eq!(
        gone,
        ["U1 07 08 swapLeg cancelled", "U2 07 08 swapLeg cancelled",]
    );
    assert_eq!([asked.state(), pending.state()], ["accepted", "expired"]);
}

/// What happens to a rotation in which the first of two people has offered the other a swap.
type Goes = fn(&Rota, &Rot, [&str; 2]);

/// Everybody but one.
fn without(gone: &str) -> Value {
    let others = (1..=6).map(|n| format!("U{n}"));
    others.filter(|user| user != gone).collect()
}

/// rules.md 8.4.
#[test]
fn a_leg_that_goes_before_it_begins_takes_the_other_along() {
    let rows: [(&str, Goes); 6] = [
        ("requester removed", |_, rotation, [one, _]| {
            rotation.patch(json!({ "userIds": without(one) })).is(200);
        }),
        ("recipient removed", |_, rotation, [_, other]| {
            rotation.patch(json!({ "userIds": without(other) })).is(200);
        }),
        ("requester deactivated", |rota, _, [one, _]| {
            let mut people = directory(6);
            let users = people["users"].as_array_mut().unwrap();
            let one = users.iter_mut().find(|user| text(&user["id"]) == one);
            one.expect("a user")["isDeleted"] = json!(true);
            rota.import(&people);
        }),
        ("recipient not imported", |rota, _, [_, other]| {
            let mut people = directory(6);
            let users = people["users"].as_array_mut().unwrap();
            users.retain(|user| text(&user["id"]) != other);
            rota.import(&people);
        }),
        ("lane deleted", |_, rotation, _| {
            rotation.cover(1, &[always(daily()), always(daily())]);
        }),
        ("window deleted", |_, rotation, _| {
            rotation.cover(2, &[always(daily())]);
        }),
    ];
    for (what, goes) in rows {
        let rota = Rota::with_people(6);
        let rotation = rota.rotation("U1 U2 U3 U4 U5 U6");
        rotation.cover(2, &[always(daily()), always(daily())]);
        // A shift in the first place and one in the last, for each of which the other person is free.
        let plan = rotation.turns("schedule", "2026-01-06T10:00Z", "2026-01-12T09:00Z");
        let meets = |one: &Value, other: &Value| {
            text(&one["start"]) < text(&other["end"]) && text(&other["start"]) < text(&one["end"])
        };
        let is_free = |user: &Value, shift: &Value| {
            let mut others = plan.iter().filter(|other| meets(other, shift));
            others.all(|other| other["userId"] != *user)
        };
        let shifts = |place: usize| {
            let cell = rotation.place(place);
            let coming = plan.iter().filter(|item| *day(&item["start"]) > *"06");
            coming
                .filter(|item| text(&item["cellId"]) == cell)
                .collect::<Vec<_>>()
        };
        let last = shifts(3);
        let mut pairs = shifts(0)
            .into_iter()
            .flat_map(|one| last.iter().map(move |two| (one, *two)));
        let (one, two) = pairs
            .find(|(one, two)| is_free(&one["userId"], two) && is_free(&two["userId"], one))
            .expect("a pair to swap");
        let people = [text(&one["userId"]), text(&two["userId"])];
        let period = |shift: &Value| format!("{} {}", day(&shift["start"]), day(&shift["end"]));
        let (own, others) = (period(one), period(two));
        let legs = [
            ("own", people[0], 0, own.as_str()),
            ("other", people[1], 3, others.as_str()),
        ];
        let body = rotation.swap_body(people[1], &legs);
        let asked = rotation.made("swap-requests", people[0], body);
        asked.accepted_by(people[1]);
        assert_eq!(rotation.agreed().len(), 2, "{what}");
        goes(&rota, &rotation, people);
        let left = rotation.agreed();
        let cancelled = left.iter().filter(|line| line.ends_with(" cancelled"));
        assert_eq!((cancelled.count(), left.len()), (2, 2), "{what}: {left:?}");
        assert_eq!(asked.state(), "accepted", "{what}");
    }
}

#[test]
fn an_acceptance_is_carried_out_once_under_its_operation_id() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let stale = rotation.etag();
    let legs = [("a", "U1", 0, "08 09"), ("b", "U2", 0, "09 10")];
    let body = rotation.swap_body("U2", &legs);
    let (u1, u2) = (rotation.seen_by("U1").by, rotation.seen_by("U2").by);
    let create = rotation.path("/swap-requests");
    let offered = u1.post_if(&create, &stale, body.clone()).is(200);
    let id = text(&offered.json()["request"]["request"]["id"]).to_owned();
    let asked = Asked::known(&rota, &rotation.id, &id);
    let accept = asked.step_body();
    let validator = rotation.etag();
    let accepted = u2.post_if(&asked.path("/accept"), &validator, accept.clone());
    let accepted = accepted.is(200);
    let before = (rotation.etag(), rotation.agreements());
    for (by, path, validator, body, answer) in [
        (&u1, &create, &stale, body, &offered),
        (&u2, &asked.path("/accept"), &validator, accept, &accepted),
    ] {
        let again = by.post_if(path, validator, body.clone()).is(200);
        assert_eq!((again.text(), again.etag()), (answer.text(), answer.etag()));
        let mut other = body;
        other["acknowledgedConflictIds"] = json!(["another"]);
        let answer = by.post_if(path, "*", other);
        answer.refused(409, "operationIdReused");
    }
    assert_eq!((rotation.etag(), rotation.agreements()), before);
}
