//! /v1/rotations/{id}/availability: recording and deleting absences.

use crate::support::*;
use serde_json::{Value, json};

fn away(user: &str, from: &str, until: &str) -> Value {
    json!({ "userId": user, "from": from, "until": until })
}

/// Takes away what is told on creation alone.
fn without_standing(absence: &mut Value) -> Value {
    let members = absence.as_object_mut().expect("an absence");
    members.remove("standingDuties").expect("what stands")
}

const FROM: &str = "2026-02-01T00:00:00Z";
const UNTIL: &str = "2026-02-08T00:00:00Z";

#[test]
fn an_absence_is_answered_and_found() {
    let rota = Rota::with_people(2);
    let (rotation, other) = (rota.rotation("U1 U2"), rota.rotation("U1 U2"));
    let path = rotation.path("/availability");
    let mut body = away("U1", "2026-02-01T01:00:00+01:00", UNTIL);
    body["reason"] = json!("Holiday");
    let answer = rota.post(&path, body.clone()).is(201);
    let mut absence = answer.json();
    // Lists show the absence alone.
    assert_eq!(without_standing(&mut absence), json!([]));
    let id = text(&absence["id"]);
    assert!(id.starts_with("abs_"), "{id}");
    assert!(answer.header("location").unwrap().ends_with(id));
    for (member, expected) in [
        ("userId", json!("U1")),
        ("reason", json!("Holiday")),
        ("appliesTo", json!("rotation")),
        ("rotationIds", json!([rotation.id])),
        ("recurring", json!(false)),
        ("source", json!("internalAvailability")),
    ] {
        assert_eq!(absence[member], expected, "{member}");
    }
    assert_eq!(
        [instant(&absence["from"]), instant(&absence["until"])],
        ["2026-02-01T00:00Z", "2026-02-08T00:00Z"]
    );
    // The same again in another notation is the same.
    let again = rota.post(&path, away("U1", FROM, UNTIL)).is(200).json();
    assert_eq!(again["id"], absence["id"]);
    assert_eq!(rota.caller().all(&path), *std::slice::from_ref(&absence));
    assert!(other.by.all(&other.path("/availability")).is_empty());

    let mut everywhere = away("U1", FROM, UNTIL);
    everywhere["appliesTo"] = json!("allRotations");
    let mut everywhere = rota.post(&path, everywhere).is(201).json();
    without_standing(&mut everywhere);
    assert_ne!(everywhere["id"], absence["id"]);
    assert_eq!(
        (&everywhere["rotationIds"], &everywhere["reason"]),
        (&json!([]), &Value::Null)
    );
    assert_eq!(
        other.by.all(&other.path("/availability")),
        *std::slice::from_ref(&everywhere)
    );
    other.back(text(&everywhere["id"]));
    assert_eq!(rota.caller().all(&path), *std::slice::from_ref(&absence));
    rotation.back(id);
    assert!(rota.caller().all(&path).is_empty());
    rota.caller()
        .delete(&rotation.path(&format!("/availability/{id}")))
        .refused(404, "");
    rota.post(&path, body).is(201);
}

#[test]
fn an_absence_that_is_refused() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2");
    let post = |body: Value| rota.post(&rotation.path("/availability"), body);
    for (body, member) in [
        (json!({ "from": FROM, "until": UNTIL }), "userId"),
        (json!({ "userId": "U1", "until": UNTIL }), "from"),
        (json!({ "userId": "U1", "from": FROM }), "until"),
        (away("U1", UNTIL, FROM), "until"),
        (away("U1", FROM, FROM), "until"),
        (away("U1", "tomorrow", UNTIL), "from"),
        (
            json!({ "userId": 1, "from": FROM, "until": UNTIL }),
            "userId",
        ),
        (
            json!({ "userId": "U1", "from": FROM, "until": UNTIL, "appliesTo": "all" }),
            "appliesTo",
        ),
        (
            json!({ "userId": "U1", "from": FROM, "until": UNTIL, "reason": 1 }),
            "reason",
        ),
        (away("U3", FROM, UNTIL), "userId"),
    ] {
        post(body).names(member);
    }
    post(away("U9", FROM, UNTIL)).refused(404, "");
    rota.post(
        "/v1/rotations/rot_unknown/availability",
        away("U1", FROM, UNTIL),
    )
    .refused(404, "");
    rota.caller()
        .delete(&rotation.path("/availability/abs_unknown"))
        .refused(404, "");
    assert!(
        rota.caller()
            .all(&rotation.path("/availability"))
            .is_empty()
    );
}

#[test]
fn the_list_takes_a_range() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    rotation.away("U1", FROM, UNTIL);
    rotation.away("U2", "2026-02-07T00:00Z", "2026-02-09T00:00Z");
    for (query, users) in [
        ("", "U1 U2"),
        ("?from=2026-02-08T00:00:00Z", "U2"),
        ("?from=2026-02-07T23:59:59Z", "U1 U2"),
        ("?to=2026-02-07T00:00:00Z", "U1"),
        ("?to=2026-02-01T00:00:00Z", ""),
        ("?from=2026-02-02T00:00:00Z&to=2026-02-03T00:00:00Z", "U1"),
        ("?from=2026-02-09T00:00:00Z", ""),
    ] {
        let all = rota
            .caller()
            .all(&rotation.path(&format!("/availability{query}")));
        let mut found: Vec<&str> = all.iter().map(|a| text(&a["userId"])).collect();
        found.sort_unstable();
        assert_eq!(found.join(" "), users, "{query}");
    }
    rotation.get("/availability?from=x").names("from");
}

/// rules.md 10.1.
#[test]
fn an_absence_from_all_rotations_counts_in_all() {
    let rota = Rota::with_people(3);
    let (here, there) = (rota.daily("U1 U2 U3", 1), rota.daily("U1 U2 U3", 1));
    let mut body = away("U2", "2026-01-06T00:00:00Z", "2026-01-07T00:00:00Z");
    body["appliesTo"] = json!("allRotations");
    rota.post(&here.path("/availability"), body).is(201);
    let here_only = rota.daily("U1 U2 U3", 1);
    here_only.away("U3", "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    rota.to("2026-01-06T09:00Z");
    assert_eq!(
        [here.on_call(), there.on_call(), here_only.on_call()],
        ["U3", "U3", "U1"]
    );
}

/// rules.md 10.3.
#[test]
fn absences_leave_the_version_alone() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let etag = rotation.etag();
    let id = rotation.away("U2", FROM, UNTIL);
    assert_eq!(rotation.etag(), etag);
    rotation.back(&id);
    assert_eq!(rotation.etag(), etag);
}

/// The duties that still stand, `place from to`, with the cells by their places.
fn standing(rotation: &Rot, answer: &Value) -> Vec<String> {
    let read = rotation.read();
    let cells: Vec<&str> = places(&read).iter().map(|cell| text(&cell["id"])).collect();
    let duties = answer["standingDuties"].as_array().expect("duties");
    let line = |duty: &Value| {
        let place = cells.iter().position(|cell| *cell == text(&duty["cellId"]));
        format!("{} {}", place.expect("a cell"), interval(duty))
    };
    duties.iter().map(line).collect()
}

/// rules.md 10.4.
#[test]
fn an_absence_tells_what_still_stands() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    rotation.assign_at(0, "U1", "08T10 08T14");
    let post = |body: Value, status: u16| {
        rota.post(&rotation.path("/availability"), body)
            .is(status)
            .json()
    };
    // U1 is on call until the 6th, by arrangement on the 8th, and next dealt the 9th, which passes over them now.
    let week = away("U1", "2026-01-05T12:00:00Z", "2026-01-12T00:00:00Z");
    let told = post(week.clone(), 201);
    let stands = ["0 05T12 06", "0 08T10 08T14"];
    assert_eq!(standing(&rotation, &told), stands);
    assert_eq!(standing(&rotation, &post(week, 200)), stands);
    // One who is only dealt a turn later is passed over: nothing stands.
    let told = post(
        away("U3", "2026-01-06T00:00:00Z", "2026-01-12T00:00:00Z"),
        201,
    );
    assert_eq!(told["standingDuties"], json!([]));
    // A turn to come during which somebody leaves stands, as far as they are away.
    let told = post(
        away("U2", "2026-01-06T12:00:00Z", "2026-01-06T18:00:00Z"),
        201,
    );
    assert_eq!(standing(&rotation, &told), ["0 06T12 06T18"]);
    // Lists show the absence alone.
    let listed = rota.caller().all(&rotation.path("/availability"));
    assert!(
        listed
            .iter()
            .all(|absence| absence.get("standingDuties").is_none())
    );
}

/// rules.md 10.4.
#[test]
fn what_stands_is_clipped_to_covered_hours() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    let office = hours(
        "UTC",
        &weekdays("10:00", "16:00"),
        weekly("UTC", "2026-01-12T09:00"),
    );
    rotation.cover(2, &[office]);
    let told = rota
        .post(
            &rotation.path("/availability"),
            away("U2", "2026-01-06T12:00:00Z", "2026-01-09T12:00:00Z"),
        )
        .is(201)
        .json();
    let stands = [
        "1 06T12 06T16",
        "1 07T10 07T16",
        "1 08T10 08T16",
        "1 09T10 09T12",
    ];
    assert_eq!(standing(&rotation, &told), stands);
}

#[test]
fn what_stands_is_told_of_all_rotations_and_bounded() {
    let rota = Rota::with_people(3);
    let (here, there) = (rota.daily("U2 U1", 1), rota.daily("U1 U2", 1));
    for rotation in [&here, &there] {
        rotation.put_on_call("U1").is(200);
    }
    let mut body = away("U1", "2026-01-05T12:00:00Z", "2026-01-07T00:00:00Z");
    body["appliesTo"] = json!("allRotations");
    let told = rota.post(&here.path("/availability"), body).is(201).json();
    let cells: Vec<&str> = told["standingDuties"]
        .as_array()
        .unwrap()
        .iter()
        .map(|duty| text(&duty["cellId"]))
        .collect();
    assert_eq!(cells, [here.place(0), there.place(0)]);

    let lonely = rota.rotation("U3");
    let office = hours(
        "UTC",
        &weekdays("10:00", "16:00"),
        weekly("UTC", "2026-01-12T09:00"),
    );
    lonely.cover(1, &[office]);
    lonely.assign_at(0, "U3", "2026-01-06T00:00Z 2027-01-01T00:00Z");
    let body = away("U3", "2026-01-06T00:00:00Z", "9999-12-31T23:59:59Z");
    let told = rota
        .post(&lonely.path("/availability"), body)
        .is(201)
        .json();
    assert_eq!(told["standingDuties"].as_array().unwrap().len(), 100);
    // On a manual rotation a turn has no end: what stands ends with the absence, or a year ahead.
    let manual = rota.rotation("U3");
    manual.put_on_call("U3").is(200);
    let body = away("U3", "2026-01-06T00:00:00Z", "9999-12-31T23:59:59Z");
    let told = rota
        .post(&manual.path("/availability"), body)
        .is(201)
        .json();
    assert_eq!(standing(&manual, &told), ["0 06T00 2027-01-06T08:00Z"]);
}

/// rules.md 10.3.
#[test]
fn who_is_on_call_while_absent_shows_it_and_the_validator_changes() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let read = || {
        let on_call = rotation.get("/on-call").is(200);
        let whole = rotation.get("").is(200);
        assert_eq!(on_call.etag(), whole.etag());
        assert_eq!(on_call.json(), whole.json()["onCall"]);
        (on_call.etag(), on_call.json())
    };
    let shown = |item: &Value| -> Vec<String> {
        let absences = item["absences"].as_array();
        let line = |away: &Value| {
            format!(
                "{} {} {}",
                day(&away["from"]),
                day(&away["until"]),
                text(&away["source"])
            )
        };
        absences
            .map(|all| all.iter().map(line).collect())
            .unwrap_or_default()
    };
    let (etag, body) = read();
    assert!(body["onCall"][0].get("absences").is_none());
    // Outside the turn of U1, and of somebody else: nothing to show, nothing changes.
    let outside = rotation.away("U1", "2026-01-06T09:00Z", "2026-01-06T20:00Z");
    rotation.away("U2", "2026-01-05T09:00Z", "2026-01-05T20:00Z");
    assert_eq!(read(), (etag.clone(), body));
    let within = rotation.away("U1", "2026-01-05T12:00Z", "2026-01-05T20:00Z");
    let (with_one, body) = read();
    assert_ne!(with_one, etag);
    assert_eq!(
        shown(&body["onCall"][0]),
        ["05T12 05T20 internalAvailability"]
    );
    // The old validator is stale, for reading and for writing.
    rotation
        .by
        .request("GET", &rotation.path("/on-call"))
        .header("If-None-Match", &etag)
        .send()
        .is(200);
    rotation
        .by
        .request("GET", &rotation.path("/on-call"))
        .header("If-None-Match", &with_one)
        .send()
        .is(304);
    let patch = |etag: &str| {
        rotation
            .by
            .patch_if(&rotation.path(""), etag, json!({ "name": "Other" }))
    };
    patch(&etag).refused(412, "precondition_failed");
    // Over the end of the turn, and before its beginning.
    rotation.away("U1", "2026-01-01T00:00Z", "2026-01-05T08:30Z");
    let everywhere = json!({
        "userId": "U1", "from": "2026-01-06T08:00:00Z", "until": "2026-01-06T10:00:00Z", "appliesTo": "allRotations",
    });
    rota.post(&rotation.path("/availability"), everywhere)
        .is(201);
    let (_, body) = read();
    let three = [
        "01T00 05T08:30 internalAvailability",
        "05T12 05T20 internalAvailability",
        "06T08 06T10 internalAvailability",
    ];
    assert_eq!(shown(&body["onCall"][0]), three);
    // The plan shows the same of its items, of turns to come too.
    let plan = rotation.turns("schedule", "2026-01-05T09:00Z", "2026-01-09T12:00Z");
    assert_eq!(shown(&plan[0]), three);
    rotation.away("U3", "2026-01-07T12:00Z", "2026-01-07T13:00Z");
    let plan = rotation.turns("schedule", "2026-01-05T09:00Z", "2026-01-09T12:00Z");
    let of_u3 = plan.iter().find(|item| text(&item["userId"]) == "U3");
    assert_eq!(
        shown(of_u3.expect("a turn of U3")),
        ["07T12 07T13 internalAvailability"]
    );
    assert!(plan.iter().any(|item| item.get("absences").is_none()));
    // Gone with the absence; one that is over stays shown as long as the turn runs.
    let before = read();
    rota.to("2026-01-05T21:00Z");
    assert_eq!(read(), before);
    rotation.back(&within);
    let (etag, body) = read();
    assert_ne!(etag, before.0);
    assert_eq!(shown(&body["onCall"][0]), [three[0], three[2]]);
    rotation.back(&outside);
    assert_eq!(read(), (etag, body));
    // And events show what GET shows.
    let (_hook, receiver) = rota.hook("rotation.updated");
    rotation.patch(json!({ "name": "Third" })).is(200);
    rota.advance(0);
    let event = &receiver.bodies()[0];
    assert_eq!(event["rotation"], rotation.read());
    assert_eq!(shown(&event["rotation"]["onCall"]["onCall"][0]).len(), 2);
}
