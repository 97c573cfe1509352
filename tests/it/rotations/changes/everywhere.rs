//! Cells that a change adds later or takes away are in every view of the plan (rules.md 30.4).

use crate::support::*;
use serde_json::{Value, json};

/// When the change begins: in the middle of a turn.
const THEN: &str = "2026-01-08T12:00:00Z";

/// The warnings of one kind in the next week: `from/to users`.
#[track_caller]
fn warned(rotation: &Rot, kind: &str) -> Vec<String> {
    let found = rotation.by.all(&rotation.path("/warnings?days=7"));
    let of_kind = found.iter().filter(|one| text(&one["kind"]) == kind);
    let line = |one: &Value| {
        let users = one["userIds"].as_array().expect("a list");
        let users: Vec<&str> = users.iter().map(text).collect();
        let period = format!("{}/{}", text(&one["from"]), text(&one["to"]));
        format!("{period} {}", users.join(" "))
            .trim_end()
            .to_owned()
    };
    of_kind.map(line).collect()
}

/// The events of a calendar feed: `start end summary`, times as `20260108T120000Z`.
#[track_caller]
fn feed(rota: &Rota, body: Value) -> Vec<String> {
    let made = rota.caller().post("/v1/calendar-feeds", body).is(201);
    let url = text(&made.json()["url"]).to_owned();
    let path = url.find("/calendar/").expect("a path");
    let read = rota.anyone().get(&url[path..]).is(200).text();
    let read = read.replace("\r\n ", "");
    let value = |event: &str, name: &str| {
        let line = event.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("{name} of {event}"))
            .to_owned()
    };
    let line = |event: &str| {
        ["DTSTART:", "DTEND:", "SUMMARY:"]
            .map(|name| value(event, name))
            .join(" ")
    };
    read.split("BEGIN:VEVENT\r\n").skip(1).map(line).collect()
}

fn compact(instant: &Value) -> String {
    at(text(instant)).strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// Whoever has a lane that is added: the schedule, their shifts, the feeds and who is on call then are the same.
#[test]
fn a_lane_to_come_is_planned_in_every_view() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    let mut grid = rotation.grid(2, &[always(daily())]);
    grid["lanes"][0]["name"] = json!("First");
    grid["lanes"][1]["name"] = json!("Second");
    rotation.stage(json!({ "at": THEN, "coverage": grid }));
    let to = "2026-01-15T00:00:00Z";
    let known = rotation.cell_id(0);
    let schedule = rotation.turns("schedule", MONDAY, to);
    let coming: Vec<&Value> = schedule
        .iter()
        .filter(|turn| turn["cellId"] != json!(known))
        .collect();
    assert!(coming.len() > 6, "{schedule:#?}");
    assert!(coming.iter().all(|turn| turn["laneName"] == "Second"));
    for user in ["U1", "U2", "U3", "U4"] {
        let path = format!("/v1/users/{user}/shifts?from={MONDAY}&to={to}");
        let shifts = rota.caller().all(&path);
        let line = |turn: &Value| {
            let cell = text(&turn["cellId"]);
            format!("{} {} {cell}", text(&turn["start"]), text(&turn["end"]))
        };
        let mut of_schedule: Vec<String> = schedule
            .iter()
            .filter(|turn| turn["userId"] == user)
            .map(line)
            .collect();
        let mut of_shifts: Vec<String> = shifts.iter().map(line).collect();
        of_schedule.sort();
        of_shifts.sort();
        assert_eq!(of_shifts, of_schedule, "{user}");
        let events = feed(&rota, json!({ "userId": user }));
        for turn in coming.iter().filter(|turn| turn["userId"] == user) {
            let [start, end] = ["start", "end"].map(|name| compact(&turn[name]));
            let event = format!("{start} {end} Duty: Rotation (Second)");
            assert!(events.contains(&event), "{event} in {events:#?}");
        }
    }
    let of_all = feed(&rota, json!({ "rotationId": rotation.id }));
    for turn in &coming {
        let [start, end] = ["start", "end"].map(|name| compact(&turn[name]));
        let user = text(&turn["userId"]);
        let event = format!("{start} {end} Person {user}: Rotation (Second)");
        assert!(of_all.contains(&event), "{event} in {of_all:#?}");
    }
    let then = rotation
        .get("/on-call?at=2026-01-10T12:00:00Z")
        .is(200)
        .json();
    assert_eq!(then["onCall"].as_array().map(Vec::len), Some(2), "{then}");
}

/// Somebody who joins later has shifts, and a calendar, from then on.
#[test]
fn who_joins_later_has_their_turns_already() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2", 1);
    rotation.patch(json!({ "public": true })).is(200);
    rotation.stage(json!({ "at": THEN, "rotation": { "userIds": ["U1", "U2", "U4"] } }));
    let planned = rotation.turns("schedule", MONDAY, "2026-01-15T00:00:00Z");
    let theirs = planned.iter().filter(|turn| turn["userId"] == "U4").count();
    assert!(theirs > 1, "{planned:#?}");
    let path = format!("/v1/users/U4/shifts?from={MONDAY}&to=2026-01-15T00:00:00Z");
    assert_eq!(rota.caller().all(&path).len(), theirs);
    let own = rota.with(&rota.token("U4"));
    let made = own
        .post("/v1/calendar-feeds", json!({ "userId": "U4" }))
        .is(201);
    let url = text(&made.json()["url"]).to_owned();
    let read = rota
        .anyone()
        .get(&url[url.find("/calendar/").expect("a path")..]);
    assert!(read.is(200).text().matches("BEGIN:VEVENT").count() >= theirs);
}

/// rules.md 27.13. Warnings begin with the change that causes them, and end with the one that mends them.
#[test]
fn warnings_follow_the_grid_of_their_time() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2", 1);
    let elsewhere = rota.rotation("U1");
    elsewhere.put_on_call("U1").is(200);
    let end = "2026-01-12T08:00:00Z";
    assert_eq!(warned(&rotation, "noFallback"), [""; 0]);
    let grid = rotation.grid(2, &[always(daily())]);
    let made = rotation.stage(json!({ "at": THEN, "coverage": grid }));
    // With two lanes both are on call at once, and nobody is left over.
    let alone = warned(&rotation, "noFallback");
    assert!(!alone.is_empty());
    let begins = |line: &&String| line.starts_with(THEN) || line.as_str() > THEN;
    assert!(alone.iter().all(|line| begins(&line)), "{alone:?}");
    // U1 is on call in another rotation all the time, and here from then on in one lane or the other.
    let double = warned(&rotation, "doubleDuty");
    let hours: i64 = double
        .iter()
        .map(|line| {
            let (period, _) = line.split_once(' ').expect("people");
            let (from, to) = period.split_once('/').expect("a period");
            let from = at(from).max(at(THEN));
            at(to).duration_since(from).as_hours().max(0)
        })
        .sum();
    assert_eq!(
        hours,
        at(end).duration_since(at(THEN)).as_hours(),
        "{double:?}"
    );
    rotation.cancel(&made).is(200);
    assert_eq!(warned(&rotation, "noFallback"), [""; 0]);
    // A lane without anybody goes.
    let rotation = rota.daily("U2", 2);
    let grid = rotation.grid(1, &[always(daily())]);
    let nobody = format!("2026-01-05T08:00:00Z/{end}");
    assert_eq!(warned(&rotation, "nobody"), [nobody.as_str()]);
    rotation.stage(json!({ "at": THEN, "coverage": grid }));
    assert_eq!(
        warned(&rotation, "nobody"),
        [format!("2026-01-05T08:00:00Z/{THEN}")]
    );
    // Nobody is in the roster of its only cell, until somebody comes; what a change leaves as it is goes on.
    let rotation = rota.daily("U2", 1);
    rotation.stage(json!({ "at": THEN, "rotation": { "description": "None" } }));
    rotation.patch(json!({ "userIds": [] })).is(200);
    let empty = warned(&rotation, "emptyRoster");
    assert_eq!(empty, [nobody.as_str()], "one, across the change");
    rotation.stage(json!({ "at": "2026-01-09T12:00:00Z", "rotation": { "userIds": ["U3"] } }));
    assert_eq!(
        warned(&rotation, "emptyRoster"),
        ["2026-01-05T08:00:00Z/2026-01-09T12:00:00Z"]
    );
}

/// Nothing can be agreed about a cell after it has gone, and whoever holds one that comes is on call elsewhere.
#[test]
fn agreements_see_cells_that_come_and_go() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    let grid = rotation.grid(1, &[always(daily())]);
    rotation.stage(json!({ "at": THEN, "coverage": grid }));
    let (before, after) = (
        ("2026-01-08T10:00Z", "2026-01-08T11:00Z"),
        ("2026-01-08T13:00Z", "2026-01-08T14:00Z"),
    );
    let on_call = |instant: &str, cell: &str| {
        let turns = rotation.turns("schedule", MONDAY, "2026-01-15T00:00:00Z");
        let covers = |turn: &&Value| {
            turn["cellId"] == cell
                && at(text(&turn["start"])) <= at(instant)
                && turn["end"].as_str().is_none_or(|end| at(end) > at(instant))
        };
        let turn = turns.iter().find(covers);
        turn.and_then(|turn| turn["userId"].as_str().map(str::to_owned))
    };
    let free = |instant: &str, cells: &[String]| {
        let busy: Vec<String> = cells
            .iter()
            .filter_map(|cell| on_call(instant, cell))
            .collect();
        let mut all = ["U1", "U2", "U3", "U4"].into_iter();
        all.find(|user| !busy.iter().any(|one| one == user))
            .expect("somebody")
    };
    let cells = [rotation.cell_id(0), rotation.cell_id(1)];
    let user = free(before.0, &cells);
    rotation
        .try_preview(&rotation.assignment(1, user, before.0, before.1))
        .is(200);
    rotation
        .try_preview(&rotation.assignment(1, user, after.0, after.1))
        .names("from");
    // Across its end only what is left of it is covered.
    let across = rotation
        .try_preview(&rotation.assignment(1, user, "2026-01-08T11:00Z", "2026-01-08T14:00Z"))
        .is(200)
        .json();
    assert_eq!(
        across["covered"],
        json!([{ "from": rfc("2026-01-08T11:00Z"), "to": rfc(THEN) }])
    );
    let holder = on_call("2026-01-08T11:00Z", &cells[1]).expect("somebody");
    let cover = |from: &str, to: &str| {
        let body = json!({
            "operationId": unique("cover"), "cellId": cells[1], "from": rfc(from), "to": rfc(to),
            "recipientUserIds": [user], "reason": "errand",
        });
        let own = rotation.with(&rota.token(&holder));
        own.by.post_if(&own.path("/cover-requests"), "*", body)
    };
    cover("2026-01-08T11:00Z", "2026-01-08T11:30Z").is(200);
    cover("2026-01-08T11:30Z", "2026-01-08T14:00Z").refused(409, "notYourDuty");

    // A lane that comes: its holder cannot take the other one as well.
    let rotation = rota.daily("U1 U2 U3", 1);
    let known = rotation.cell_id(0);
    let grid = rotation.grid(2, &[always(daily())]);
    rotation.stage(json!({ "at": THEN, "coverage": grid }));
    let turns = rotation.turns("schedule", THEN, "2026-01-08T13:00:00Z");
    let coming = turns.iter().find(|turn| turn["cellId"] != json!(known));
    let coming = text(&coming.expect("a lane to come")["userId"]).to_owned();
    let assign = |from, to| rotation.try_preview(&rotation.assignment(0, &coming, from, to));
    assign(before.0, before.1).is(200);
    assign(after.0, after.1).names("userId");
}
