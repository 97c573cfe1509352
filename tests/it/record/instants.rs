//! GET on-call with `at`, in one rotation and in all of them.

use crate::support::*;
use serde_json::{Value, json};

/// Who is on call at an instant.
fn at_instant(rotation: &Rot, instant: &str) -> Answer {
    rotation.get(&format!("/on-call?at={}", rfc(instant)))
}

fn office() -> Value {
    let cadence = weekly("UTC", "2026-01-07T10:00");
    hours("UTC", &weekdays("09:00", "17:00"), cadence)
}

/// Without the absences of people on duty, which the record does not have.
fn recorded(mut shown: Value) -> Value {
    for entry in shown["onCall"].as_array_mut().expect("a list") {
        entry.as_object_mut().expect("an object").remove("absences");
    }
    shown
}

/// rules.md 25.1.
#[test]
fn what_is_planned_happens_and_is_recorded() {
    let rota = Rota::with_people(4);
    let daily = rota.daily("U1 U2 U3", 2);
    daily.away("U3", "2026-01-08T00:00Z", "2026-01-09T00:00Z");
    daily.assign(0, "U2", "2026-01-07T12:00Z", "2026-01-07T18:00Z");
    let in_office = rota.rotation("U1 U2 U3 U4");
    in_office.cover(1, &[office()]);
    let both = [&daily, &in_office];
    let instants = [
        "2026-01-05T08:00Z",
        "2026-01-05T18:00Z",
        "2026-01-06T09:00Z",
        "2026-01-07T09:30Z",
        "2026-01-07T10:00Z",
        "2026-01-07T13:00Z",
        "2026-01-07T18:00Z",
        "2026-01-08T09:00Z",
        "2026-01-10T12:00Z",
        "2026-01-12T10:30Z",
    ];
    let ask = || instants.map(|instant| both.map(|one| at_instant(one, instant).is(200).json()));
    let foretold = ask();
    for (instant, foretold) in instants.into_iter().zip(&foretold) {
        rota.to(instant);
        for (one, foretold) in both.iter().zip(foretold) {
            assert_eq!(one.get("/on-call").is(200).json(), *foretold, "{instant}");
        }
    }
    rota.to("2026-01-30T12:00Z");
    assert_eq!(
        ask().map(|both| both.map(recorded)),
        foretold.map(|both| both.map(recorded))
    );
    let answer = at_instant(&daily, "2026-01-07T13:00Z").is(200);
    assert_eq!(answer.header("etag"), None);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let whole = answer.json();
    let first = &whole["onCall"][0];
    assert_eq!(first["userId"], "U2");
    assert_eq!(first["since"], "2026-01-07T12:00:00Z");
    assert_eq!(first["until"], "2026-01-07T18:00:00Z");
    assert_eq!(first["turnEnds"], "2026-01-08T09:00:00Z");
    let shut = at_instant(&in_office, "2026-01-10T12:00Z").is(200).json();
    assert_eq!(shut["nobodyOnCallReason"], "nobody-on-call-as-arranged");
}

/// rules.md 25.3.
#[test]
fn past_turns_end_as_they_were_to_end() {
    let rota = Rota::with_people(4);
    let bounds = |rotation: &Rot, instant: &str| {
        let shown = at_instant(rotation, instant).is(200).json();
        let first = &shown["onCall"][0];
        ["userId", "since", "until", "turnEnds"].map(|member| first[member].clone())
    };
    // Turns that are dealt while the hours are shut have no entry.
    let office = rota.rotation("U1 U2 U3 U4");
    office.cover(1, &[hours("UTC", &weekdays("09:00", "17:00"), daily())]);
    // Hand-overs beneath an assignment.
    let assigned = rota.daily("U1 U2 U3", 1);
    assigned.assign(0, "U1", "2026-01-08T00:00Z", "2026-01-12T00:00Z");
    // Nobody is left at a hand-over.
    let alone = rota.daily("U3", 1);
    alone.away("U3", "2026-01-10T08:00Z", "2026-01-13T10:00Z");
    let asked = [
        (&office, "2026-01-09T12:00Z"),
        (&assigned, "2026-01-07T12:00Z"),
        (&assigned, "2026-01-08T12:00Z"),
        (&assigned, "2026-01-10T12:00Z"),
        (&alone, "2026-01-09T12:00Z"),
    ];
    let foretold = asked.map(|(rotation, instant)| bounds(rotation, instant));
    assert_eq!(foretold[0][3], "2026-01-10T09:00:00Z");
    for later in [
        "2026-01-11T12:00Z",
        "2026-01-12T12:00Z",
        "2026-01-20T12:00Z",
    ] {
        rota.to(later);
        let found = asked.map(|(rotation, instant)| bounds(rotation, instant));
        assert_eq!(found, foretold, "{later}");
    }
    // Without a cadence, the turn ends when it is taken away.
    let manual = rota.rotation("U1 U2");
    manual.put_on_call("U1").is(200);
    let begun = rota.now();
    rota.advance(HOUR);
    let cleared = rota.now();
    manual.clear().is(200);
    rota.advance(HOUR);
    manual.put_on_call("U2").is(200);
    let [_, _, until, turn_ends] = bounds(&manual, &begun);
    assert_eq!([&until, &turn_ends], [&json!(rfc(&cleared)); 2]);
}

/// rules.md 25.2.
#[test]
fn the_past_bears_the_names_of_its_time_and_has_what_is_gone() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2");
    let mut grid = rotation.grid(2, &[always(daily())]);
    grid["lanes"][0]["name"] = json!("First");
    grid["lanes"][1]["name"] = json!("Second");
    grid["windows"][0]["name"] = json!("Always");
    rotation.put("/coverage", grid).is(200);
    rota.to("2026-01-07T12:00Z");
    let seen = rotation.get("/on-call").is(200).json();
    rota.to("2026-01-08T12:00Z");
    let mut grid = rotation.grid(1, &[always(daily())]);
    grid["lanes"][0]["name"] = json!("Other");
    rotation.put("/coverage", grid).is(200);
    rotation.patch(json!({ "enabled": false })).is(200);
    rota.to("2026-02-08T12:00Z");
    let past = at_instant(&rotation, "2026-01-07T12:00Z").is(200).json();
    assert_eq!(past, seen);
    assert_eq!(past["onCall"][1]["laneName"], "Second");
    assert_eq!(past["onCall"][0]["windowName"], "Always");
    let expanded = rotation.get(&format!(
        "/on-call?expand=users&at={}",
        rfc("2026-01-07T12:00Z")
    ));
    let users = expanded.is(200).json()["users"].clone();
    assert_eq!(users.as_array().map(Vec::len), Some(2));
    // Disabled: as it stands, also to come.
    let ahead = at_instant(&rotation, "2026-03-08T12:00Z").is(200).json();
    assert_eq!(ahead, rotation.get("/on-call").is(200).json());
    // By hand: nobody has been on duty since.
    rotation.patch(json!({ "enabled": true })).is(200);
    rotation.clear().is(200);
    rota.advance(HOUR);
    let now = rota.now();
    let nobody = rotation.get(&format!("/on-call?at={now}")).is(200).json();
    assert_eq!(nobody["nobodyOnCallReason"], "nobody-on-call-unplanned");
}

/// What was running when a rotation was disabled goes on beyond its end.
/// rules.md 25.6.
#[test]
fn an_assignment_that_outlasts_its_end_in_a_disabled_rotation() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rota.to("2026-01-06T10:00Z");
    rotation.assign(0, "U3", "2026-01-06T11:00Z", "2026-01-06T13:00Z");
    rota.to("2026-01-06T12:00Z");
    rotation.patch(json!({ "enabled": false })).is(200);
    rota.to("2026-01-06T15:00Z");
    rotation.patch(json!({ "enabled": true })).is(200);
    rota.to("2026-01-06T16:00Z");
    for (at, until) in [
        ("2026-01-06T12:30Z", "2026-01-06T13:00:00Z"),
        ("2026-01-06T13:00Z", "2026-01-06T15:00:00Z"),
        ("2026-01-06T14:00Z", "2026-01-06T15:00:00Z"),
    ] {
        let past = at_instant(&rotation, at).is(200).json();
        let entry = &past["onCall"][0];
        assert_eq!(entry["userId"], "U3", "{at}");
        assert_eq!(entry["coveredUntil"], until, "{at}");
    }
}

#[test]
fn hours_that_were_edited_on_a_day_off() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    rotation.patch(json!({ "skipsAreOffTime": true })).is(200);
    let skips = json!({ "times": ["09:00"], "skipWeekends": true, "countryCodes": ["NO"] });
    let daily = || cadence("daily", "UTC", "2026-01-06T09:00", skips.clone());
    let all_week = |ends: &str| {
        let saturday = format!("saturday 09:00 - saturday {ends}");
        hours(
            "UTC",
            &format!("{}, {saturday}", weekdays("09:00", ends)),
            daily(),
        )
    };
    // Both on a Saturday: one that was always open, and one with hours.
    for (edited, other) in [
        ("2026-01-10T10:00Z", always(daily())),
        ("2026-01-17T10:00Z", all_week("18:00")),
    ] {
        rotation.cover(1, &[all_week("17:00")]);
        rota.to(edited);
        rotation.cover(1, &[other]);
        rota.advance(HOUR);
        let now = rota.now();
        let then = |path: &str| rotation.get(&format!("{path}?at={now}")).is(200).json();
        let reason = || then("/on-call")["nobodyOnCallReason"].clone();
        let cell = || then("/explain")["cells"][0].clone();
        let (seen, explained) = (reason(), cell());
        assert_eq!(seen, "nobody-on-call-as-arranged");
        assert_eq!(explained["source"], "shut");
        rota.advance(5 * DAY);
        assert_eq!(reason(), seen);
        assert_eq!(cell(), explained);
    }
}

/// rules.md 25.1.
#[test]
fn instants_that_nothing_is_known_of() {
    let rota = Rota::with_people(2);
    rota.to("2026-01-05T08:30:30Z");
    let rotation = rota.daily("U1 U2", 1);
    let made = text(&rotation.read()["createdAt"]).to_owned();
    rotation.get(&format!("/on-call?at={made}")).is(200);
    let furthest = plus(&rota.now(), 366 * DAY);
    rotation.get(&format!("/on-call?at={furthest}")).is(200);
    rota.caller()
        .get(&format!("/v1/on-call?at={furthest}"))
        .is(200);
    let refused = [
        "at=2026-01-05T08:30:29Z".to_owned(),
        format!("at={}", plus(&furthest, 1)),
        "at=2026-01-05".to_owned(),
        "at=".to_owned(),
        format!("at={made}&at={made}"),
    ];
    for query in &refused {
        rotation.get(&format!("/on-call?{query}")).names("at");
    }
    for query in &refused[1..] {
        rota.caller()
            .get(&format!("/v1/on-call?{query}"))
            .names("at");
    }
    // Before anything was there.
    let nothing = rota.caller().get("/v1/on-call?at=2020-01-01T00:00:00Z");
    assert_eq!(nothing.is(200).json()["totalItems"], 0);
    let path = format!("/v1/rotations/none/on-call?at={made}");
    rota.caller().get(&path).refused(404, "not_found");
    let private = rotation.with(&rota.token("U2"));
    at_instant(&private, "2026-01-06T12:00Z").is(200);
    rota.with(&rota.key("read:rotations"))
        .get(&rotation.path(&format!("/on-call?at={made}")))
        .refused(403, "scope_denied");
}

/// rules.md 25.5.
#[test]
fn the_whole_workspace_at_one_instant() {
    let rota = Rota::with_people(5);
    let first = rota.daily("U1 U2", 1);
    first.patch(json!({ "code": "ONE" })).is(200);
    let second = rota.rotation("U3 U4");
    second.put_on_call("U3").is(200);
    rota.to("2026-01-06T12:00Z");
    let third = rota.rotation("U2 U3");
    // Not a member, and on call for a while.
    first.assign(0, "U2", "2026-01-08T00:00Z", "2026-01-08T06:00Z");
    let lines = |query: &str| -> Vec<String> {
        let line = |line: Value| {
            let people = line["onCall"].as_array().expect("a list").iter();
            let people: Vec<&str> = people.map(|one| text(&one["userId"])).collect();
            let known = [&first, &second, &third];
            let place = known
                .iter()
                .position(|one| one.id == text(&line["rotationId"]));
            let code = text(&line["code"]);
            let reason = text(&line["nobodyOnCallReason"]);
            format!("{} {code} {} {reason}", place.unwrap(), people.join(","))
        };
        let all = rota.caller().all(&format!("/v1/on-call{query}"));
        all.into_iter().map(line).collect()
    };
    let unplanned = "nobody-on-call-unplanned";
    let third_now = format!("2 -  {unplanned}");
    assert_eq!(lines(""), ["0 ONE U2 -", "1 - U3 -", &third_now]);
    let third_soon = &third_now;
    assert_eq!(
        lines("?at=2026-01-07T12:00:00Z"),
        ["0 ONE U1 -", "1 - U3 -", third_soon]
    );
    // The third was not there yet.
    assert_eq!(
        lines("?at=2026-01-05T12:00:00Z"),
        ["0 ONE U1 -", "1 - U3 -"]
    );
    assert_eq!(
        lines("?userId=U2"),
        ["0 ONE U2 -".to_owned(), third_now.clone()]
    );
    assert_eq!(lines("?userId=U5"), [""; 0]);
    // Once on call, no member any more.
    second.patch(json!({ "userIds": ["U4"] })).is(200);
    rota.advance(HOUR);
    assert_eq!(lines("?userId=U3"), std::slice::from_ref(&third_now));
    assert_eq!(lines("?userId=U3&at=2026-01-06T11:00:00Z"), ["1 - U3 -"]);
    let page = rota.caller().get("/v1/on-call?userId=U2&pageSize=1&page=2");
    let page = page.is(200);
    assert_eq!(page.header("cache-control"), Some("no-store"));
    assert_eq!(page.header("etag"), None);
    let page = page.json();
    assert_eq!(page["data"][0]["rotationId"], *third.id);
    assert_eq!([&page["totalItems"], &page["totalPages"]], [2, 2]);
    // Whoever sees some of them is shown these.
    let seen = rota.with(&rota.token("U1")).all("/v1/on-call");
    assert_eq!(seen.len(), 1);
    let limited = rota.mint(json!({
        "name": "one", "scopes": ["read:oncall"], "rotationIds": [second.id],
    }));
    let seen = rota.with(&limited).all("/v1/on-call");
    assert_eq!(seen[0]["rotationId"], *second.id);
    assert_eq!(seen.len(), 1);
}
