//! GET /v1/reports/duty and `rota report`: who carries how much, by the record and the plan.

use crate::cli::{fails_with, on, succeeds};
use crate::record::walk::Dice;
use crate::support::*;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const WEEK: &str = "from=2026-01-05T00:00:00Z&to=2026-01-12T00:00:00Z";

#[track_caller]
fn report(by: &Caller, query: &str) -> Vec<Value> {
    let answer = by.get(&format!("/v1/reports/duty?{query}")).is(200).json();
    let rows = answer["data"].as_array().expect("rows").clone();
    assert_eq!(answer["totalItems"], json!(rows.len()));
    rows
}

/// `U1 plan 24 16 0 0`: whom, what, hours, nights, weekends, holidays.
fn line(row: &Value) -> String {
    let named = ["week", "month", "userId", "rotationId"];
    let named = named.iter().filter_map(|name| row[name].as_str());
    let planned = (row["planned"] == json!(true)).then_some("plan");
    let hours =
        ["hours", "nights", "weekends", "holidays"].map(|name| row[name].as_f64().expect(name));
    let hours = hours.map(|hours| hours.to_string());
    let words = named.chain(planned).chain(hours.iter().map(String::as_str));
    words.collect::<Vec<_>>().join(" ")
}

fn lines(rows: &[Value]) -> Vec<String> {
    rows.iter().map(line).collect()
}

#[test]
fn the_record_and_the_plan_are_apart() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2", 1);
    rota.to("2026-01-07T12:00Z");
    // Monday 08:00 to Tuesday 09:00 U1, to Wednesday U2, to Thursday U1, and so on; everybody lives in Oslo.
    let caller = rota.caller();
    let rows = report(&caller, WEEK);
    assert_eq!(
        lines(&rows),
        [
            "U1 28 8 0 0",
            "U1 plan 60 19 24 0",
            "U2 24 8 0 0",
            "U2 plan 48 16 24 0"
        ]
    );
    let turns = |row: &Value| (int(&row["turns"]), int(&row["handOvers"]));
    assert_eq!(
        rows.iter().map(turns).collect::<Vec<_>>(),
        [(2, 2), (2, 2), (1, 1), (2, 2)]
    );
    let id = &rotation.id;
    assert_eq!(
        lines(&report(&caller, &format!("{WEEK}&rotationId={id}"))),
        lines(&rows)
    );
    assert_eq!(
        lines(&report(&caller, &format!("{WEEK}&userId=U2"))),
        lines(&rows)[2..]
    );
    assert!(report(&caller, &format!("{WEEK}&userId=UNOBODY")).is_empty());
    let by = report(&caller, &format!("{WEEK}&groupBy=rotation"));
    let named: Vec<&str> = by.iter().map(|row| text(&row["rotationId"])).collect();
    assert_eq!(named, [id.as_str(), id.as_str()]);
    assert_eq!(
        by[0]["hours"].as_f64().unwrap() + by[1]["hours"].as_f64().unwrap(),
        160.0
    );
    let by = report(
        &caller,
        "from=2026-01-05T00:00:00Z&to=2026-01-19T00:00:00Z&groupBy=week&userId=U1",
    );
    let weeks: Vec<&str> = by.iter().map(|row| text(&row["week"])).collect();
    assert_eq!(weeks, ["2026-W02", "2026-W02", "2026-W03"]);
    let by = report(
        &caller,
        "from=2026-01-05T00:00:00Z&to=2026-03-01T00:00:00Z&groupBy=month&userId=U1",
    );
    let months: Vec<&str> = by.iter().map(|row| text(&row["month"])).collect();
    assert_eq!(months, ["2026-01", "2026-01", "2026-02"]);
    // Five years, and a page of it.
    let years = "from=2024-01-05T00:00:00Z&to=2029-01-05T00:00:00Z";
    assert_eq!(report(&caller, years).len(), 4);
    let page = caller
        .get(&format!("/v1/reports/duty?{years}&pageSize=3&page=2"))
        .is(200)
        .json();
    assert_eq!(page["data"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&page["totalItems"], &page["totalPages"]),
        (&json!(4), &json!(2))
    );
}

/// rules.md 7.6.
#[test]
fn who_may_ask_for_what() {
    let rota = Rota::at(MONDAY);
    let mut people = directory(4);
    people["users"][3]["isAdmin"] = json!(true);
    rota.import(&people);
    let (ours, hidden) = (rota.daily("U1 U2", 1), rota.daily("U2 U3", 1));
    rota.to("2026-01-08T12:00Z");
    let users = |caller: &Caller, more: &str| {
        let rows = report(caller, &format!("{WEEK}{more}"));
        let mut users: Vec<String> = rows
            .iter()
            .map(|row| text(&row["userId"]).to_owned())
            .collect();
        users.dedup();
        users.join(" ")
    };
    let key = |scopes: &str| rota.key(scopes);
    let person = |user: &str| rota.token(user);
    let reader = rota.with(&key("read:rotations")).credential.unwrap();
    assert_eq!(users(&rota.with(&reader), ""), "U1 U2 U3");
    assert_eq!(users(&rota.with(&person("U4")), ""), "U1 U2 U3");
    assert_eq!(users(&rota.with(&person("U4")), "&userId=U3"), "U3");
    // A person gets their own rows, of the rotations that they see.
    assert_eq!(users(&rota.with(&person("U1")), ""), "U1");
    assert_eq!(users(&rota.with(&person("U1")), "&userId=U1"), "U1");
    let own = report(
        &rota.with(&person("U2")),
        &format!("{WEEK}&groupBy=personRotation"),
    );
    assert_eq!(own.len(), 4, "{own:?}");
    let path = |more: &str| format!("/v1/reports/duty?{WEEK}{more}");
    let of_hidden = format!("&rotationId={}", hidden.id);
    let limited =
        rota.mint(json!({ "name": "one", "scopes": ["read:rotations"], "rotationIds": [ours.id] }));
    for (credential, more, status, code) in [
        (person("U1"), "&userId=U2", 403, "resource_denied"),
        (person("U1"), of_hidden.as_str(), 404, "not_found"),
        (limited, "", 403, "resource_denied"),
        (key("read:oncall write:duty"), "", 403, "scope_denied"),
    ] {
        rota.with(&credential)
            .get(&path(more))
            .refused(status, code);
    }
    rota.anyone()
        .get(&path(""))
        .refused(401, "missing_credential");
    let caller = rota.caller();
    caller
        .get(&path("&rotationId=rot_none"))
        .refused(404, "not_found");
    for (query, member) in [
        ("to=2026-01-12T00:00:00Z", "from"),
        ("from=2026-01-05T00:00:00Z&to=2026-01-05T00:00:00Z", "to"),
        ("from=2026-01-05T00:00:00Z&to=2031-01-07T00:00:00Z", "to"),
        (&format!("{WEEK}&groupBy=team"), "groupBy"),
        (&format!("{WEEK}&by=person"), "by"),
    ] {
        let answer = caller.get(&format!("/v1/reports/duty?{query}"));
        answer.is(400).names(member);
    }
}

/// rules.md 7.5.
#[test]
fn what_people_did_is_counted() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation
        .ask_cover("U1", "08 08T12", "U2 U3")
        .accepted_by("U2");
    rotation
        .offer_swap("U2", "09 10", "U3", "10 11")
        .accepted_by("U3");
    rotation.away("U1", "2026-01-11T00:00Z", "2026-01-12T00:00Z");
    let mention = rotation.mention("U4");
    mention.step("U1", "acknowledge");
    rota.to("2026-01-12T10:00Z");
    let rows = report(
        &rota.caller(),
        "from=2026-01-05T00:00:00Z&to=2026-01-12T10:00:00Z",
    );
    let counts = |row: &Value| {
        let names = [
            "coversGiven",
            "coversTaken",
            "swaps",
            "passedOver",
            "mentions",
            "acknowledged",
        ];
        let counts = names.map(|name| int(&row[name]).to_string());
        format!("{} {}", text(&row["userId"]), counts.join(" "))
    };
    let counted: Vec<String> = rows.iter().map(counts).collect();
    assert_eq!(
        counted,
        ["U1 1 0 0 1 1 1", "U2 0 1 1 0 0 0", "U3 0 0 1 0 0 0"]
    );
}

/// rules.md 7.4.
#[test]
fn two_places_at_once_are_counted_once_and_in_full() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    rotation.cover_doubly(2, &[always(daily())]);
    let second = rota.daily("U1", 1);
    rota.to("2026-01-06T08:00Z");
    let day = "from=2026-01-05T08:00:00Z&to=2026-01-06T08:00:00Z";
    let hours = |row: &Value| {
        (
            row["hours"].as_f64().unwrap(),
            row["placeHours"].as_f64().unwrap(),
        )
    };
    let rows = report(&rota.caller(), day);
    assert_eq!(rows.iter().map(hours).collect::<Vec<_>>(), [(24.0, 72.0)]);
    let rows = report(
        &rota.caller(),
        &format!("{day}&groupBy=personRotation&rotationId={}", second.id),
    );
    assert_eq!(rows.iter().map(hours).collect::<Vec<_>>(), [(24.0, 24.0)]);
}

#[test]
fn tables() {
    let rota = Rota::at(MONDAY);
    let mut people = directory(2);
    people["users"][0]["id"] = json!("=U1");
    rota.import(&people);
    rota.daily("=U1 U2", 1);
    rota.to("2026-01-07T09:00Z");
    let path = "/v1/reports/duty?from=2026-01-05T00:00:00Z&to=2026-01-07T00:00:00Z";
    let ask = |accept: &str| {
        rota.caller()
            .request("GET", path)
            .header("Accept", accept)
            .send()
            .is(200)
    };
    let answer = ask("text/csv");
    assert_eq!(
        answer.header("content-type"),
        Some("text/csv; charset=utf-8")
    );
    assert_eq!(answer.header("vary"), Some("Accept"));
    let table = answer.text();
    let table: Vec<&str> = table.split("\r\n").collect();
    assert_eq!(
        table,
        [
            "userId,planned,hours,placeHours,nights,weekends,holidays,turns,handOvers,coversGiven,coversTaken,swaps,passedOver,\
             mentions,acknowledged,ownTurns,traded,repaid,helped",
            "'=U1,false,25,25,8,0,0,1,1,0,0,0,0,0,0,0,0,0,0",
            "U2,false,15,15,3,0,0,1,1,0,0,0,0,0,0,0,0,0,0",
            "",
        ]
    );
    for accept in ["application/json", "*/*", "application/json, text/csv"] {
        assert_eq!(
            ask(accept).header("content-type"),
            Some("application/json"),
            "{accept}"
        );
    }
}

#[test]
fn the_command_prints_the_same() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.import(&directory(2));
    rota.daily("U1 U2", 1);
    rota.to("2026-01-07T09:00Z");
    let flags = "report --from 2026-01-05 --to 2026-01-07T00:00:00Z";
    let csv = succeeds(&db, &format!("{flags} --by person --csv"));
    let answer = rota.caller().request(
        "GET",
        "/v1/reports/duty?from=2026-01-05T00:00:00Z&to=2026-01-07T00:00:00Z",
    );
    assert_eq!(
        csv,
        answer
            .header("Accept", "text/csv")
            .send()
            .is(200)
            .text()
            .replace("\r\n", "\n")
    );
    let table = succeeds(&db, &format!("{flags} --by month"));
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        rows[0][..4],
        ["MONTH", "USER", "PLANNED", "HOURS"],
        "{table}"
    );
    assert_eq!(
        rows[1][..6],
        ["2026-01", "Person", "U1", "(U1)", "false", "25"],
        "{table}"
    );
    let run_on = |line: &str| run(&mut on(&db, line));
    fails_with(
        run_on("report --from 2026-01-05 --to 2026-01-05"),
        &["--to"],
    );
    fails_with(
        run_on("report --from 2026-01-05 --to 2026-13-05"),
        &["2026-13-05"],
    );
    fails_with(
        run_on("report --from 2026-01-05 --to 2032-01-05"),
        &["5 years"],
    );
    fails_with(
        run_on("report --from 2026-01-05 --to 2026-02-05 --by team"),
        &["team"],
    );
}

/// Hours by person, walked in steps of five minutes over what history and schedule say; all that these worlds do happens at whole
/// fives.
fn walked(rotations: &[Rot], from: Timestamp, until: Timestamp) -> BTreeMap<String, (u64, u64)> {
    let mut spans: Vec<(String, Timestamp, Timestamp)> = Vec::new();
    let range = (from.to_string(), until.to_string());
    for rotation in rotations {
        let mut known: Vec<(String, String)> = Vec::new();
        for what in ["history", "schedule"] {
            for turn in rotation.turns(what, &range.0, &range.1) {
                let cell = format!("{} {}", turn["laneId"], turn["windowId"]);
                let begin = text(&turn["start"]).to_owned();
                // The running entry of the record has no end; the schedule has it too.
                let is_running = what == "history" && turn["end"].is_null();
                if is_running || known.contains(&(cell.clone(), begin.clone())) {
                    continue;
                }
                let end = turn["end"].as_str().map_or(until, at);
                if let Some(user) = turn["userId"].as_str() {
                    spans.push((user.to_owned(), at(&begin), end));
                }
                known.push((cell, begin));
            }
        }
    }
    let mut found = BTreeMap::new();
    let mut now = from;
    while now < until {
        let mut here: BTreeMap<&str, u64> = BTreeMap::new();
        for (user, begin, end) in &spans {
            if *begin <= now && now < *end {
                *here.entry(user).or_default() += 5;
            }
        }
        for (user, minutes) in here {
            let sums: &mut (u64, u64) = found.entry(user.to_owned()).or_default();
            *sums = (sums.0 + 5, sums.1 + minutes);
        }
        now += SignedDuration::from_mins(5);
    }
    found
}

#[test]
fn hours_add_up_to_what_history_and_schedule_cover() {
    let zones = [
        "UTC",
        "Europe/Oslo",
        "America/New_York",
        "Australia/Lord_Howe",
        "Asia/Kathmandu",
    ];
    for seed in 0..4 {
        let mut dice = Dice(seed);
        // Around a change of clocks in the north, and one in the south.
        let begin = [
            "2026-03-23T08:00Z",
            "2026-03-30T08:00Z",
            "2026-10-19T08:00Z",
            "2026-09-28T08:00Z",
        ][seed as usize];
        let rota = Start::default().clock(begin).go();
        rota.people(5);
        let rotations: Vec<Rot> = (0..3)
            .map(|_| {
                let people: Vec<String> = (0..2 + dice.roll(3))
                    .map(|n| format!("U{}", n + 1))
                    .collect();
                let rotation = rota.rotation(&people.join(" "));
                let zone = zones[dice.roll(5) as usize];
                let starts = plus(&rfc(begin), 3600 * dice.roll(48) as i64);
                let cadence = weekly(zone, starts.trim_end_matches('Z'));
                let cadence = if dice.roll(2) == 0 { daily() } else { cadence };
                let window = match dice.roll(3) {
                    0 => hours(zone, &weekdays("08:00", "17:30"), cadence),
                    1 => hours(zone, "saturday 01:00 - monday 04:00", cadence),
                    _ => always(cadence),
                };
                rotation.cover(1 + dice.roll(2) as usize, &[window]);
                rotation
            })
            .collect();
        for _ in 0..6 {
            rota.advance(300 * dice.roll(500) as i64);
            let rotation = &rotations[dice.roll(3) as usize];
            match dice.roll(3) {
                0 => rotation.rotate(),
                1 => {
                    let from = at(&rota.now());
                    let until = from + SignedDuration::from_mins(5 * (1 + dice.roll(400) as i64));
                    rotation.away("U1", &short(from), &short(until));
                }
                _ => drop(rotation.put_on_call("U2")),
            }
        }
        let now = at(&rota.now());
        let (from, until) = (at(&rfc(begin)), now + SignedDuration::from_hours(24 * 12));
        let query = |from: Timestamp, until: Timestamp| format!("from={from}&to={until}");
        let whole = walked(&rotations, from, until);
        let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        for row in report(&rota.caller(), &query(from, until)) {
            let sum = sums.entry(text(&row["userId"]).to_owned()).or_default();
            sum.0 += row["hours"].as_f64().unwrap() * 60.0;
            sum.1 += row["placeHours"].as_f64().unwrap() * 60.0;
        }
        let sums: BTreeMap<String, (u64, u64)> = sums
            .into_iter()
            .map(|(user, sum)| (user, (sum.0.round() as u64, sum.1.round() as u64)))
            .collect();
        assert_eq!(sums, whole, "seed {seed}");
        // What was planned is what is recorded once it is over, if nothing else happens.
        let planned = report(&rota.caller(), &query(now, until));
        rota.to(&until.to_string());
        let recorded = report(&rota.caller(), &query(now, until));
        let hours = |rows: &[Value]| -> Vec<(String, f64, f64, f64, f64)> {
            let number = |row: &Value, name: &str| row[name].as_f64().unwrap();
            rows.iter()
                .map(|row| {
                    (
                        text(&row["userId"]).to_owned(),
                        number(row, "hours"),
                        number(row, "nights"),
                        number(row, "weekends"),
                        number(row, "turns"),
                    )
                })
                .collect()
        };
        assert_eq!(hours(&planned), hours(&recorded), "seed {seed}");
    }
}
