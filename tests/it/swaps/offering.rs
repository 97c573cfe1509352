//! Previews and offers: which two shifts may be swapped.

use crate::support::*;
use serde_json::{Value, json};

const SWAP: &str = "swap-requests";
const PREVIEW: &str = "swap-requests/preview";

fn state(rotation: &Rot) -> (String, Value) {
    let list = "/swap-requests?from=2026-01-01T00:00:00Z&to=2026-12-01T00:00:00Z";
    (rotation.etag(), rotation.get(list).is(200).json())
}

/// U1 gives the 8th for U2's 9th.
const LEGS: [Shift; 2] = [("a", "U1", 0, "08 09"), ("b", "U2", 0, "09 10")];

#[test]
fn a_preview_says_leg_by_leg_what_the_swap_would_meet() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let before = state(&rotation);
    let asker = rotation.seen_by("U1");
    let mut body = rotation.swap_body("U2", &LEGS);
    let answer = asker.request(PREVIEW, body.clone()).is(200);
    assert_eq!(answer.etag(), before.0);
    let response = answer.json();
    assert_eq!(response["canProceed"], json!(true));
    let legs = response["legs"].as_array().unwrap();
    let line = |leg: &Value| {
        let (key, assignee) = (text(&leg["key"]), text(&leg["assigneeUserId"]));
        format!("{key} {assignee} {}", interval(leg))
    };
    let lines: Vec<String> = legs.iter().map(line).collect();
    assert_eq!(lines, ["a U2 08 09", "b U1 09 10"]);
    for leg in legs {
        assert_eq!(leg["conflicts"], json!([]));
        assert_eq!(leg["canAcknowledge"], json!(true));
        assert_ne!(leg.get("hasStarted"), Some(&json!(true)));
    }
    assert_eq!(state(&rotation).1, before.1);

    // An absent person only needs to acknowledge it.
    rotation.away("U1", "2026-01-09T12:00Z", "2026-01-09T13:00Z");
    let response = asker.request(PREVIEW, body.clone()).is(200).json();
    assert_eq!(response["legs"][0]["conflicts"], json!([]));
    let leg = &response["legs"][1];
    let (lines, ids) = conflicts(&leg["conflicts"]);
    assert_eq!(lines, ["U1 absence manualAvailability 09T12 09T13"]);
    assert_eq!(
        (&leg["canAcknowledge"], &leg["acknowledged"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(response["canProceed"], json!(false));
    body["acknowledgedConflictIds"] = json!(ids);
    let response = asker.request(PREVIEW, body).is(200).json();
    assert_eq!(response["legs"][1]["acknowledged"], json!(true));
    assert_eq!(conflicts(&response["legs"][1]["conflicts"]).1, ids);
    assert_eq!(response["canProceed"], json!(true));
    assert_eq!(state(&rotation), before);
}

#[test]
fn an_offer_is_pending_and_leaves_duty_as_it_was() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let plan = rotation.planned("05 12");
    let mut body = rotation.swap_body("U2", &LEGS);
    body["operationId"] = json!("offer");
    body["reason"] = json!("Concert");
    let asker = rotation.seen_by("U1");
    let preview = asker.request(PREVIEW, body.clone()).is(200);
    let answer = asker
        .by
        .post_if(&rotation.path("/swap-requests"), &preview.etag(), body)
        .is(200);
    assert_ne!(answer.etag(), preview.etag());
    assert_eq!(answer.etag(), rotation.etag());
    let response = answer.json();
    assert_eq!(response["operationId"], json!("offer"));
    assert_eq!(int(&response["rotationVersion"]), 3);
    assert_eq!(response["arrangements"], json!([]));
    let item = &response["request"];
    assert_eq!(item["rotationName"], json!("Rotation"));
    let request = &item["request"];
    let id = text(&request["id"]);
    assert!(id.starts_with("swp_"), "{id}");
    for (member, value) in [
        ("rotationId", json!(rotation.id)),
        ("requesterUserId", json!("U1")),
        ("recipientUserId", json!("U2")),
        ("declinedUserIds", json!([])),
        ("reason", json!("Concert")),
        ("revision", json!(1)),
        ("state", json!("pending")),
        ("acceptedUserId", Value::Null),
        ("arrangementId", Value::Null),
    ] {
        assert_eq!(request[member], value, "{member}");
    }
    let legs: Vec<(&str, String)> = request["legs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|leg| (text(&leg["key"]), interval(leg)))
        .collect();
    assert_eq!(legs, [("a", "08 09".to_owned()), ("b", "09 10".to_owned())]);
    let read = asker.get(&format!("/swap-requests/{id}")).is(200);
    assert_eq!((read.etag(), read.json()), (answer.etag(), item.clone()));
    assert_eq!(rotation.planned("05 12"), plan);
    assert_eq!(rotation.agreed(), [""; 0]);
    rotation
        .get(&format!("/cover-requests/{id}"))
        .refused(404, "");
    rotation.get("/swap-requests/swp_unknown").refused(404, "");
    // In the list of swaps if it overlaps the range, and in no other.
    for (period, count) in [("05 08", 0), ("08 08T10", 1), ("09T20 12", 1), ("10 12", 0)] {
        let [from, to] = ends(period);
        for (what, count) in [("swap-requests", count), ("cover-requests", 0)] {
            let page = rotation
                .get(&format!("/{what}?from={from}&to={to}"))
                .is(200)
                .json();
            assert_eq!(
                page["items"].as_array().unwrap().len(),
                count,
                "{what} {period}"
            );
            assert_eq!(page["complete"], json!(true));
        }
    }
}

#[test]
fn the_recipients_leg_may_stand_first() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let legs = [("b", "U2", 0, "06 07"), ("a", "U1", 0, "08 09")];
    let asked = rotation.made(SWAP, "U1", rotation.swap_body("U2", &legs));
    asked.accepted_by("U2");
    assert_eq!(
        rotation.planned("06 09"),
        ["U1 06 07", "U3 07 08", "U2 08 09"]
    );
}

#[test]
fn a_body_that_says_what_it_may_not_is_refused_by_name() {
    let rota = Rota::with_people(5);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    let before = state(&rotation);
    let asker = rotation.seen_by("U1");
    // Of four: U1 has the 5th, 9th and 13th, U2 the 6th, 10th and 14th.
    let legs =
        |first: Shift, second: Shift| rotation.swap_body("U2", &[first, second])["legs"].clone();
    let (a, b) = (("a", "U1", 0, "09 10"), ("b", "U2", 0, "10 11"));
    let third = {
        let all = [a, b, ("c", "U1", 0, "13 14")];
        rotation.swap_body("U2", &all)["legs"].clone()
    };
    let with = |index: usize, member: &str, value: Value| {
        let mut legs = legs(a, b);
        legs[index][member] = value;
        legs
    };
    let rows = [
        ("recipientUserId", json!("U1"), "recipientUserId"),
        ("recipientUserId", Value::Null, "recipientUserId"),
        ("recipientUserId", json!(7), "recipientUserId"),
        ("recipientUserId", json!("U5"), "recipientUserId"),
        ("recipientUserId", json!("nobody"), "recipientUserId"),
        // The other leg is not theirs.
        ("recipientUserId", json!("U3"), "legs[1].holderUserId"),
        ("legs", Value::Null, "legs"),
        ("legs", json!([]), "legs"),
        ("legs", json!([legs(a, b)[0]]), "legs"),
        ("legs", third, "legs"),
        ("legs", json!("both"), "legs"),
        ("legs", with(1, "key", json!("a")), "legs[1].key"),
        ("legs", with(0, "key", json!("")), "legs[0].key"),
        ("legs", with(0, "key", Value::Null), "legs[0].key"),
        (
            "legs",
            with(1, "cellId", json!("cel_unknown")),
            "legs[1].cellId",
        ),
        ("legs", with(1, "cellId", Value::Null), "legs[1].cellId"),
        (
            "legs",
            with(0, "holderUserId", Value::Null),
            "legs[0].holderUserId",
        ),
        (
            "legs",
            with(0, "from", json!("2026-01-09T10:00:00+01:00")),
            "legs[0].from",
        ),
        (
            "legs",
            with(0, "to", json!("2026-01-10T10:00:00+01:00")),
            "legs[0].to",
        ),
        ("legs", with(0, "to", json!(when("08"))), "legs[0].to"),
        ("legs", with(1, "to", json!(when("10"))), "legs[1].to"),
        // One shift of each.
        ("legs", legs(a, ("b", "U1", 0, "13 14")), "legs[1]"),
        ("legs", legs(("a", "U2", 0, "14 15"), b), "legs[1]"),
        (
            "legs",
            legs(a, ("b", "U3", 0, "11 12")),
            "legs[1].holderUserId",
        ),
        // Their holders.
        (
            "legs",
            legs(("a", "U1", 0, "11 12"), b),
            "legs[0].holderUserId",
        ),
        (
            "legs",
            legs(a, ("b", "U2", 0, "11 12")),
            "legs[1].holderUserId",
        ),
        // Whole turns.
        ("legs", legs(("a", "U1", 0, "09 09T20"), b), "legs[0]"),
        ("legs", legs(("a", "U1", 0, "09T10 10"), b), "legs[0]"),
        ("legs", legs(a, ("b", "U2", 0, "10T09:01 11")), "legs[1]"),
        // Both in the future.
        ("legs", legs(("a", "U1", 0, "05T08 06"), b), "legs[0]"),
        ("legs", legs(("a", "U1", 0, "04 05"), b), "legs[0]"),
        ("reason", json!("x".repeat(2001)), "reason"),
        ("reason", json!(7), "reason"),
        ("operationId", json!(""), "operationId"),
        ("operationId", json!("x".repeat(129)), "operationId"),
        (
            "acknowledgedConflictIds",
            json!("all"),
            "acknowledgedConflictIds",
        ),
        (
            "acknowledgedConflictIds",
            json!([1]),
            "acknowledgedConflictIds",
        ),
    ];
    for (member, value, named) in rows {
        for rest in [PREVIEW, SWAP] {
            let mut body = rotation.swap_body("U2", &[a, b]);
            body[member] = value.clone();
            asker.request(rest, body).names(named);
        }
    }
    let mut body = rotation.swap_body("U2", &[a, b]);
    body.as_object_mut().unwrap().remove("operationId");
    asker.request(SWAP, body).names("operationId");
    assert_eq!(state(&rotation), before);
    let mut body = rotation.swap_body("U2", &[a, b]);
    body["reason"] = json!("ø".repeat(2000));
    body["operationId"] = json!("x".repeat(128));
    body["legs"][0]["from"] = json!("2026-01-09T09:00:00+00:00");
    asker.request(PREVIEW, body.clone()).is(200);
    asker.request(SWAP, body).is(200);
}

#[test]
fn legs_end_within_six_months() {
    let rota = Rota::with_people(2);
    // At 08:00 on the 5th of January; turns end at 09:00.
    let rotation = rota.daily("U1 U2", 1);
    let plan = rotation.turns("schedule", "2026-07-02T00:00Z", "2026-07-06T00:00Z");
    let leg = |key: &str, end: &str| {
        let turn = plan.iter().find(|turn| instant(&turn["end"]) == end);
        let turn = turn.unwrap_or_else(|| panic!("none ends at {end}: {plan:#?}"));
        let body = json!({
            "key": key, "cellId": turn["cellId"], "holderUserId": turn["userId"], "from": turn["start"],
            "to": turn["end"],
        });
        body
    };
    let days = [
        "2026-07-03T09:00Z",
        "2026-07-04T09:00Z",
        "2026-07-05T09:00Z",
    ];
    let [third, fourth, fifth] = days.map(|end| leg(end, end));
    let offer = |first: &Value, second: &Value| json!({ "operationId": unique("swap"), "recipientUserId": "U2", "legs": [first, second] });
    let asker = rotation.seen_by("U1");
    for rest in [PREVIEW, SWAP] {
        asker
            .request(rest, offer(&fourth, &fifth))
            .names("legs[1].to");
        asker
            .request(rest, offer(&fifth, &fourth))
            .names("legs[0].to");
        asker.request(rest, offer(&third, &fourth)).is(200);
    }
    // An hour later, the limit is 09:00 itself.
    rota.advance(HOUR);
    for rest in [PREVIEW, SWAP] {
        asker.request(rest, offer(&fourth, &fifth)).is(200);
    }
}

#[test]
fn legs_may_lie_in_two_cells_and_are_judged_together() {
    let rota = Rota::with_people(4);
    // U1 and U2 on the 5th, 7th and 9th, U3 and U4 on the days between.
    let lanes = |double: bool| {
        let rotation = rota.rotation("U1 U2 U3 U4");
        match double {
            true => rotation.cover_doubly(2, &[always(daily())]),
            false => rotation.cover(2, &[always(daily())]),
        };
        rotation
    };
    let (plain, double) = (lanes(false), lanes(true));
    let plan = ["U1 07 08", "U2 07 08", "U3 08 09", "U4 08 09"];
    assert_eq!(plain.planned("07 09"), plan);
    for (recipient, others, in_two) in [
        // Each would hold the other's lane at once.
        ("U2", (1, "07 08"), false),
        ("U4", (1, "08 09"), false),
        ("U3", (0, "08 09"), false),
        // U2 would hold both lanes on the 7th.
        ("U2", (1, "09 10"), true),
    ] {
        let legs = [
            ("a", "U1", 0, "07 08"),
            ("b", recipient, others.0, others.1),
        ];
        for rest in [PREVIEW, SWAP] {
            let body = plain.swap_body(recipient, &legs);
            let answer = plain.seen_by("U1").request(rest, body);
            match in_two {
                true => answer.names("legs[0]"),
                false => drop(answer.is(200)),
            }
            let body = double.swap_body(recipient, &legs);
            double.seen_by("U1").request(rest, body).is(200);
        }
    }
    let legs = [("a", "U1", 0, "07 08"), ("b", "U2", 1, "07 08")];
    let asked = plain.made(SWAP, "U1", plain.swap_body("U2", &legs));
    let response = asked.accepted_by("U2");
    let cells: Vec<&Value> = response["arrangements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|made| &made["cellId"])
        .collect();
    assert_eq!(cells, [&json!(plain.place(0)), &json!(plain.place(1))]);
    assert_eq!(plain.planned("07 08"), ["U2 07 08", "U1 07 08"]);
    rota.to(&when("07T10"));
    assert_eq!(plain.on_call(), "U2 U1");
    assert_eq!(plain.holders(), "U1 U2");
    plain.is_a_chain("05T08 09");
}

#[test]
fn a_recipient_of_another_roster_may_not_take_a_leg() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3 U4");
    let mut grid = rotation.grid(2, &[always(daily())]);
    for (cell, roster) in [(0, "early"), (1, "late")] {
        grid["cells"][cell]["rosterId"] = json!(roster);
    }
    rotation.put("/coverage", grid).is(200);
    for (roster, people) in [("early", "U1 U2"), ("late", "U3 U4")] {
        let body = json!({ "userIds": words(people) });
        rotation.put(&format!("/rosters/{roster}"), body).is(200);
    }
    let planned = rotation.turns("schedule", &when("07"), &when("10"));
    let shift = |key: &str, place: usize, user: &str| {
        let cell = rotation.place(place);
        let turn = planned
            .iter()
            .find(|turn| turn["cellId"] == cell.as_str() && text(&turn["userId"]) == user);
        let turn = turn.unwrap_or_else(|| panic!("{user} at {place}: {planned:#?}"));
        json!({
            "key": key, "cellId": cell, "holderUserId": user, "from": turn["start"], "to": turn["end"],
        })
    };
    for enabled in [true, false] {
        rotation.patch(json!({ "enabled": enabled })).is(200);
        for (recipient, place) in [("U2", 0), ("U3", 1)] {
            let body = json!({
                "operationId": unique("swap"), "recipientUserId": recipient,
                "legs": [shift("a", 0, "U1"), shift("b", place, recipient)],
            });
            let answer = rotation.seen_by("U1").request(PREVIEW, body);
            match (recipient, enabled) {
                ("U3", _) => answer.names("legs[0]"),
                (_, true) => drop(answer.is(200)),
                (_, false) => drop(answer.refused(409, "rotation_disabled")),
            }
        }
    }
}
