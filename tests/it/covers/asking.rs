//! Previews and requests: who may ask whom for what.

use crate::support::*;
use serde_json::{Value, json};

const COVER: &str = "cover-requests";

/// The state to compare with: a preview and a refusal change nothing.
fn state(rotation: &Rot) -> (String, Value) {
    let list = "/cover-requests?from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z";
    (rotation.etag(), rotation.get(list).is(200).json())
}

#[test]
fn a_preview_says_what_the_request_would_take_and_leaves_no_trace() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rota.advance(HOUR);
    let before = state(&rotation);
    for (user, period, effective, selection_is) in [
        // The running turn, from before and from within.
        ("U1", "05T08 06", "05 06", "remainingTurn 05T08 06"),
        ("U1", "04 06", "05 06", "remainingTurn 05T08 06"),
        ("U1", "05T12 06", "05T12 06", "remainingTurn 05T08 06"),
        ("U1", "05T12 05T18", "05T12 05T18", "-"),
        ("U1", "05T08 05T18", "05 05T18", "-"),
        // A future one.
        ("U2", "06 07", "06 07", "fullTurn 06 07"),
        ("U2", "06T10 07", "06T10 07", "-"),
        ("U2", "06 06T10", "06 06T10", "-"),
        ("U1", "08 09", "08 09", "fullTurn 08 09"),
    ] {
        let recipient = ["U2", "U3"][usize::from(user == "U2")];
        let answer = rotation
            .seen_by(user)
            .by
            .post(
                &rotation.path("/cover-requests/preview"),
                rotation.cover_body(period, recipient),
            )
            .is(200);
        assert_eq!(answer.etag(), before.0, "{period}");
        let response = answer.json();
        let from = day(&response["effectiveFrom"]);
        assert_eq!(
            format!("{from} {}", day(&response["to"])),
            effective,
            "{period}"
        );
        assert_eq!(
            selection(&response["turnSelection"]),
            selection_is,
            "{period}"
        );
        assert_eq!(response["conflicts"], json!([]), "{period}");
        assert_eq!(response["canCommit"], json!(true), "{period}");
    }
    assert_eq!(state(&rotation), before);
}

#[test]
fn a_request_is_pending_and_leaves_duty_as_it_was() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let on_call = rotation.get("/on-call").json();
    let plan = rotation.planned("05 12");
    let mut body = rotation.cover_body("06 07", "U3 U1");
    body["operationId"] = json!("first");
    body["reason"] = json!("Dentist");
    let asker = rotation.seen_by("U2");
    let preview = asker
        .by
        .post(
            &rotation.path("/cover-requests/preview"),
            json!({ "operationId": "look", "cellId": body["cellId"], "from": body["from"], "to": body["to"],
                "recipientUserIds": body["recipientUserIds"] }),
        )
        .is(200);
    body["turnSelection"] = preview.json()["turnSelection"].clone();
    let answer = asker.by.post_if(
        &rotation.path("/cover-requests"),
        &preview.etag(),
        body.clone(),
    );
    let answer = answer.is(200);
    assert_ne!(answer.etag(), preview.etag());
    assert_eq!(answer.etag(), rotation.etag());
    let response = answer.json();
    assert_eq!(response["operationId"], json!("first"));
    // The rotation was created and got its grid.
    assert_eq!(int(&response["rotationVersion"]), 3);
    assert_eq!(day(&response["effectiveFrom"]), "06");
    assert_eq!(response["arrangements"], json!([]));
    let item = &response["request"];
    assert_eq!(item["rotationName"], json!("Rotation"));
    let request = &item["request"];
    let id = text(&request["id"]);
    assert!(id.starts_with("cov_"), "{id}");
    assert_eq!(
        *request,
        json!({
            "id": id, "rotationId": rotation.id, "cellId": rotation.place(0), "requesterUserId": "U2",
            "recipientUserIds": ["U3", "U1"], "declinedUserIds": [], "from": request["from"], "to": request["to"],
            "reason": "Dentist", "revision": 1, "state": "pending", "acceptedUserId": null, "arrangementId": null,
        })
    );
    assert_eq!(interval(request), "06 07");
    let read = asker.get(&format!("/cover-requests/{id}")).is(200);
    assert_eq!((read.etag(), read.json()), (answer.etag(), item.clone()));
    assert_eq!(rotation.get("/on-call").json(), on_call);
    assert_eq!(rotation.planned("05 12"), plan);
    assert_eq!(rotation.agreed(), [""; 0]);
    // Without a reason it is empty.
    let plain = rotation.ask_cover("U1", "05T10 05T12", "U2");
    assert_eq!(plain.record()["reason"], json!(""));
    rotation.get("/cover-requests/cov_unknown").refused(404, "");
    rotation
        .get(&format!("/swap-requests/{id}"))
        .refused(404, "");
    let other = rota.daily("U1 U2 U3", 1);
    other.get(&format!("/cover-requests/{id}")).refused(404, "");
}

#[test]
fn a_body_that_says_what_it_may_not_is_refused_by_name() {
    let rota = Rota::with_people(5);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    rota.advance(HOUR);
    let before = state(&rotation);
    let asker = rotation.seen_by("U2");
    let hundred: Vec<String> = (0..101).map(|n| format!("N{n}")).collect();
    for (member, value, named) in [
        ("recipientUserIds", json!([]), "recipientUserIds"),
        ("recipientUserIds", json!(hundred), "recipientUserIds"),
        ("recipientUserIds", json!(["U3", "U3"]), "recipientUserIds"),
        (
            "recipientUserIds",
            json!(["U3", "U2"]),
            "recipientUserIds[1]",
        ),
        (
            "recipientUserIds",
            json!(["U3", "U5"]),
            "recipientUserIds[1]",
        ),
        ("recipientUserIds", json!(["nobody"]), "recipientUserIds[0]"),
        ("recipientUserIds", json!("U3"), "recipientUserIds"),
        ("recipientUserIds", json!([3]), "recipientUserIds[0]"),
        ("recipientUserIds", Value::Null, "recipientUserIds"),
        ("cellId", json!("cel_unknown"), "cellId"),
        ("cellId", Value::Null, "cellId"),
        ("from", Value::Null, "from"),
        ("from", json!("soon"), "from"),
        ("from", json!("2026-01-06T10:00:00"), "from"),
        ("from", json!("2026-01-06T10:00:00+01:00"), "from"),
        ("to", json!("2026-01-07T10:00:00+01:00"), "to"),
        // Not after its start.
        ("to", json!(when("06")), "to"),
        ("to", json!(when("05T20")), "to"),
        ("reason", json!("x".repeat(2001)), "reason"),
        ("reason", json!(7), "reason"),
        ("operationId", json!(""), "operationId"),
        ("operationId", json!("x".repeat(129)), "operationId"),
        ("operationId", json!(5), "operationId"),
        // The forecast's selection is a full turn.
        (
            "turnSelection",
            json!({ "kind": "remainingTurn", "from": when("06"), "to": when("07") }),
            "turnSelection",
        ),
        (
            "turnSelection",
            json!({ "kind": "fullTurn", "from": when("06"), "to": when("06T20") }),
            "turnSelection",
        ),
        (
            "turnSelection",
            json!({ "kind": "other", "from": when("06"), "to": when("07") }),
            "turnSelection",
        ),
    ] {
        for rest in ["cover-requests/preview", COVER] {
            let mut body = rotation.cover_body("06 07", "U3");
            body[member] = value.clone();
            asker.request(rest, body).names(named);
        }
    }
    // It has already ended.
    for rest in ["cover-requests/preview", COVER] {
        let body = rotation.cover_body("05T08 05", "U3");
        rotation.seen_by("U1").request(rest, body).names("to");
    }
    let mut body = rotation.cover_body("06 07", "U3");
    body.as_object_mut().unwrap().remove("operationId");
    asker.request(COVER, body).names("operationId");
    assert_eq!(state(&rotation), before);

    // Just within the limits.
    rota.people(101);
    let all: Vec<String> = (1..=101).map(|n| format!("U{n}")).collect();
    rotation.patch(json!({ "userIds": all })).is(200);
    let others = all[..].join(" ").replace("U2 ", "");
    let mut body = rotation.cover_body("06 07", &others);
    body["reason"] = json!("ø".repeat(2000));
    body["operationId"] = json!("x".repeat(128));
    body["from"] = json!("2026-01-06T09:00:00+00:00");
    asker.request(COVER, body).is(200);
}

/// rules.md 9.1.
#[test]
fn only_people_of_the_cells_roster_may_be_asked() {
    let rota = Rota::with_people(5);
    let rotation = rota.rotation("U1 U2 U3 U4 U5");
    let mut grid = rotation.grid(2, &[always(daily())]);
    grid["cells"][1]["rosterId"] = json!("late");
    rotation.put("/coverage", grid).is(200);
    rotation
        .put("/rosters/late", json!({ "userIds": ["U4", "U5"] }))
        .is(200);
    rota.to(&when("06"));
    let late = places(&rotation.read())[1].clone();
    let now = text(&late["holder"]["userId"]);
    let free = if now == "U4" { "U5" } else { "U4" };
    let ask = |people: &str| {
        let mut body = rotation.cover_body("06T12 06T15", people);
        body["cellId"] = json!(rotation.place(1));
        rotation.seen_by(now).request(COVER, body)
    };
    ask("U3").names("recipientUserIds[0]");
    ask(&format!("{free} U1")).names("recipientUserIds[1]");
    let made = ask(free).is(200).json();
    assert_eq!(made["request"]["request"]["cellId"], late["id"]);
}

#[test]
fn who_holds_another_place_then_may_accept_only_under_double_cover() {
    let rota = Rota::with_people(3);
    for double in [false, true] {
        let rotation = rota.rotation("U1 U2 U3");
        match double {
            true => rotation.cover_doubly(2, &[always(daily())]),
            false => rotation.cover(2, &[always(daily())]),
        };
        assert_eq!(rotation.holders(), "U1 U2");
        let asked = rotation.ask_cover("U1", "05T10 05T12", "U2 U3");
        let answer = asked.step("U2", "accept");
        match double {
            true => drop(answer.is(200)),
            false => {
                answer.refused(400, "invalid_request");
                assert_eq!(asked.state_line(), "pending 1 -");
                asked.accepted_by("U3");
            }
        }
    }
}

/// rules.md 9.1.
#[test]
fn one_asks_for_what_one_holds_over_the_whole_interval() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.patch(json!({ "public": true })).is(200);
    rota.advance(HOUR);
    rotation.assign_at(0, "U3", "06T12 06T15");
    rotation.assign_at(0, "U3", "09T12 10");
    assert_eq!(
        rotation.planned("05 11"),
        [
            "U1 05T08 06",
            "U2 06 06T12",
            "U3 06T12 06T15",
            "U2 06T15 07",
            "U3 07 08",
            "U1 08 09",
            "U2 09 09T12",
            "U3 09T12 10",
            "U3 10 11",
        ]
    );
    for (user, period, theirs) in [
        ("U1", "05T08 06", true),
        ("U1", "05T10 05T12", true),
        ("U1", "05T10 06T10", false),
        ("U1", "06T10 06T12", false),
        ("U1", "08 09", true),
        ("U1", "08 09T09:01", false),
        ("U1", "07T23 08T12", false),
        ("U2", "05T10 05T12", false),
        ("U2", "06 06T12", true),
        ("U2", "06 07", false),
        ("U2", "06T15 07", true),
        ("U3", "06T12 06T15", true),
        ("U3", "06T13 06T15:01", false),
        ("U3", "06T11 06T13", false),
        // Arranged first, then dealt.
        ("U3", "09T12 11", true),
        ("U4", "05T10 05T12", false),
    ] {
        let others = words("U1 U2 U3").into_iter().filter(|other| other != user);
        let others: Vec<String> = others.collect();
        for rest in ["cover-requests/preview", COVER] {
            let body = rotation.cover_body(period, &others.join(" "));
            let answer = rotation.seen_by(user).request(rest, body);
            match theirs {
                true => drop(answer.is(200)),
                false => drop(answer.refused(409, "notYourDuty")),
            }
        }
    }
}

#[test]
fn waiting_for_a_window_to_open_is_holding() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.cover(1, &[hours("UTC", &weekdays("09:00", "17:00"), daily())]);
    assert_eq!(rotation.holders(), "(U1)");
    rotation.ask_cover("U1", "05T08 05T09:30", "U2");
    rotation.ask_cover("U1", "05T08 06", "U2");
    rotation.ask_cover("U2", "06T16 07", "U3");
    let asked = rotation.ask_cover("U1", "05T08:30 05T10", "U3 U2");
    asked.accepted_by("U3");
    assert_eq!(rotation.on_call(), "");
    for (now, on_call) in [
        ("05T08:45", ""),
        ("05", "U3"),
        ("05T10", "U1"),
        ("05T17", ""),
    ] {
        rota.to(&when(now));
        assert_eq!(rotation.on_call(), on_call, "{now}");
    }
    assert_eq!(
        rotation.recorded("05 06"),
        [
            "U3 05 05T10 business-hours-back-online",
            "U1 05T10 05T17 explicit-change",
            "- 05T17 - business-hours-offline",
        ]
    );
}

#[test]
fn nobody_holds_anything_on_a_disabled_rotation() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let asked = rotation.ask_cover("U1", "05T10 05T12", "U2");
    rotation.patch(json!({ "enabled": false })).is(200);
    for rest in ["cover-requests/preview", COVER] {
        let mut body = rotation.cover_body("05T12 05T15", "U2");
        let asker = rotation.seen_by("U1");
        asker
            .request(rest, body.clone())
            .refused(409, "rotation_disabled");
        // Errors in the body are reported first.
        for (member, value) in [
            ("recipientUserIds", json!(["U1"])),
            ("recipientUserIds", json!(["U2", "U9"])),
            ("to", json!(when("05T08"))),
            ("cellId", json!("cel_unknown")),
        ] {
            let mut wrong = body.clone();
            wrong[member] = value;
            asker.request(rest, wrong).names(member);
        }
        // As an earlier preview returned it.
        body["turnSelection"] =
            json!({ "kind": "remainingTurn", "from": when("05T08"), "to": when("06") });
        asker.request(rest, body).refused(409, "rotation_disabled");
    }
    for (user, step) in [("U2", "accept"), ("U2", "decline"), ("U1", "cancel")] {
        asked.step(user, step).refused(409, "rotation_disabled");
        assert_eq!(asked.may(&rotation.seen_by(user)), "");
    }
    assert_eq!(asked.state_line(), "pending 1 -");
}

#[test]
fn whoever_holds_another_place_is_told_that_they_cannot_accept() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    let asked = rotation.ask_cover("U1", "05T12 06", "U2 U3");
    let may = |user: &str| {
        let path = rotation.path(&format!("/cover-requests/{}", asked.id));
        let item = rota.with(&rota.token(user)).get(&path).is(200).json();
        let capability = &item["capability"];
        (
            capability["canAccept"].clone(),
            capability["canDecline"].clone(),
        )
    };
    // U2 holds the other lane.
    assert_eq!(may("U2"), (json!(false), json!(true)));
    assert_eq!(may("U3"), (json!(true), json!(true)));
}

#[test]
fn one_person_has_three_hundred_requests_pending_at_the_most() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let (mine, theirs) = (rotation.seen_by("U1"), rotation.seen_by("U2"));
    let body = |period: &str| rotation.cover_body(period, "U3");
    for _ in 0..300 {
        mine.request(COVER, body("05T12 06")).is(200);
    }
    let refused = mine
        .request(COVER, body("05T12 06"))
        .refused(409, "tooManyPendingRequests");
    assert!(text(&refused["detail"]).contains("300"), "{refused}");
    theirs.request(COVER, body("06 07")).is(200);
}
