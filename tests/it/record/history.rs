//! GET history: a chain per cell without gaps, and why each entry began.

use crate::support::*;
use serde_json::{Value, json};

const WEEK_RANGE: (&str, &str) = ("2026-01-01T00:00Z", "2026-01-31T00:00Z");

#[track_caller]
fn record(rotation: &Rot) -> Vec<String> {
    rotation.history(WEEK_RANGE.0, WEEK_RANGE.1)
}

/// rules.md 7.2.
#[test]
fn every_reason_has_its_cause() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3 U4");
    rota.to("2026-01-05T10:00Z");
    rotation.cover(1, &[always(daily())]);
    rota.to("2026-01-06T10:00Z");
    rotation.rotate();
    rota.to("2026-01-06T11:00Z");
    rotation.put_on_call("U1").is(200);
    rota.to("2026-01-06T12:00Z");
    rotation.clear().is(200);
    rota.to("2026-01-07T10:00Z");
    // With hours from now on: an edit during a running turn splits it.
    rotation.cover(1, &[hours("UTC", &weekdays("08:00", "16:00"), daily())]);
    rota.to("2026-01-08T10:00Z");
    assert_eq!(
        record(&rotation),
        [
            "2026-01-05T08:00Z 2026-01-05T10:00Z - explicit-change",
            "2026-01-05T10:00Z 2026-01-06T09:00Z U1 coverage-changed",
            "2026-01-06T09:00Z 2026-01-06T10:00Z U2 next-on-scheduled-duty",
            "2026-01-06T10:00Z 2026-01-06T11:00Z U3 rotate-to-next-on-duty",
            "2026-01-06T11:00Z 2026-01-06T12:00Z U1 explicit-change",
            "2026-01-06T12:00Z 2026-01-07T09:00Z - duty-cleared",
            "2026-01-07T09:00Z 2026-01-07T10:00Z U2 next-on-scheduled-duty",
            "2026-01-07T10:00Z 2026-01-07T16:00Z U2 coverage-changed",
            "2026-01-07T16:00Z 2026-01-08T08:00Z - business-hours-offline",
            "2026-01-08T08:00Z 2026-01-08T09:00Z U2 business-hours-back-online",
            "2026-01-08T09:00Z - U3 next-on-scheduled-duty",
        ]
    );
    let all = rotation.turns("history", WEEK_RANGE.0, WEEK_RANGE.1);
    for (before, after) in all.iter().zip(&all[1..]) {
        assert_eq!(before["end"], after["start"], "no holes");
    }
    for entry in &all {
        let nobody = entry["nobodyWasOnCall"] == json!(true);
        assert_eq!(nobody, entry.get("userId").is_none(), "{entry}");
        assert_eq!(nobody, entry.get("turn").is_none(), "{entry}");
    }
    assert_eq!(all.last().unwrap().get("end"), None);
}

/// A rotation that gets its hours right after its creation was not without anybody until then.
/// rules.md 7.1.
#[test]
fn what_a_slot_was_before_anybody_held_it_lasts_a_second_or_is_not_recorded() {
    for (hours_at, replaced, before) in [
        ("2026-01-05T08:00:00Z", false, false),
        ("2026-01-05T08:00:00.005Z", false, false),
        ("2026-01-05T08:00:00.999Z", true, false),
        ("2026-01-05T08:00:01Z", false, true),
        ("2026-01-05T08:00:01Z", true, true),
    ] {
        let rota = Rota::with_people(2);
        let rotation = rota.rotation("U1 U2");
        rota.to(hours_at);
        let mut grid = rotation.grid(1, &[always(daily())]);
        if replaced {
            grid["lanes"][0]["id"] = json!("own");
            grid["cells"][0]["laneId"] = json!("own");
        }
        rotation.put("/coverage", grid).is(200);
        // Those who held the slot are recorded, however short; so is that nobody did, later.
        rotation.put_on_call("U2").is(200);
        rota.to("2026-01-05T08:00:01.005Z");
        rotation.clear().is(200);
        rota.to("2026-01-05T08:00:01.010Z");
        rotation.put_on_call("U1").is(200);
        let all = rotation.turns("history", WEEK_RANGE.0, WEEK_RANGE.1);
        let who = |entry: &Value| entry.get("userId").map_or("-", text).to_owned();
        let expected = match before {
            true => "- U2 - U1",
            false => "U2 - U1",
        };
        let found: Vec<String> = all.iter().map(who).collect();
        assert_eq!(found.join(" "), expected, "{hours_at} {replaced}");
        if !replaced {
            for (before, after) in all.iter().zip(&all[1..]) {
                assert_eq!(before["end"], after["start"], "no holes");
            }
        }
        let planned = rotation.turns("schedule", "2026-01-05T08:00Z", "2026-01-05T09:00Z");
        for turn in &planned {
            assert_ne!(turn.get("end"), Some(&turn["start"]), "{turn}");
        }
    }
}

#[test]
fn a_removal_is_told_apart() {
    let rota = Rota::with_people(3);
    let manual = rota.rotation("U1 U2");
    manual.rotate();
    rota.advance(HOUR);
    manual.patch(json!({ "userIds": ["U2"] })).is(200);
    assert_eq!(
        record(&manual)[..2],
        [
            "2026-01-05T08:00Z 2026-01-05T09:00Z U1 rotate-to-next-on-duty",
            "2026-01-05T09:00Z - - removal-of-active-duty",
        ]
    );
}

#[test]
fn an_edit_that_shuts_a_window_is_the_edit() {
    let rota = Rota::with_people(1);
    let rotation = rota.daily("U1", 1);
    rota.advance(HOUR);
    rotation.cover(1, &[hours("UTC", &weekdays("12:00", "16:00"), daily())]);
    rota.to("2026-01-05T17:00Z");
    assert_eq!(
        record(&rotation),
        [
            "2026-01-05T08:00Z 2026-01-05T09:00Z U1 coverage-changed",
            "2026-01-05T09:00Z 2026-01-05T12:00Z - coverage-changed",
            "2026-01-05T12:00Z 2026-01-05T16:00Z U1 business-hours-back-online",
            "2026-01-05T16:00Z - - business-hours-offline",
        ]
    );
}

#[test]
fn the_same_person_dealt_again_begins_a_new_entry() {
    let rota = Rota::with_people(1);
    let rotation = rota.daily("U1", 1);
    rota.to("2026-01-07T10:00Z");
    assert_eq!(
        record(&rotation)[1..],
        [
            "2026-01-06T09:00Z 2026-01-07T09:00Z U1 next-on-scheduled-duty",
            "2026-01-07T09:00Z - U1 next-on-scheduled-duty",
        ]
    );
}

#[test]
fn reopening_after_a_hand_over_while_shut() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    rotation.cover(
        1,
        &[hours(
            "UTC",
            &weekdays("08:00", "16:00"),
            weekly("UTC", "2026-01-05T20:00"),
        )],
    );
    rota.to("2026-01-06T10:00Z");
    assert_eq!(
        record(&rotation),
        [
            "2026-01-05T08:00Z 2026-01-05T16:00Z U1 coverage-changed",
            "2026-01-05T16:00Z 2026-01-06T08:00Z - business-hours-offline",
            "2026-01-06T08:00Z - U2 business-hours-back-online",
        ]
    );
}

/// rules.md 7.1.
#[test]
fn entries_keep_the_names_and_hours_they_were_held_under() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    rota.advance(HOUR);
    let mut grid = rotation.grid(
        2,
        &[hours("Europe/Oslo", &weekdays("08:00", "16:00"), daily())],
    );
    grid["windows"][0]["name"] = json!("Office");
    rotation.put("/coverage", grid).is(200);
    rota.advance(HOUR);
    let mut grid = rotation.grid(1, &[always(daily())]);
    grid["windows"][0]["name"] = json!("Always");
    rotation.put("/coverage", grid).is(200);
    let all = rotation.turns("history", WEEK_RANGE.0, WEEK_RANGE.1);
    let line = |entry: &Value| {
        let held = &entry["hoursAsHeld"];
        let stretches = held["coverage"].as_array().unwrap().len();
        let (lane, window) = (text(&entry["laneName"]), text(&entry["windowName"]));
        format!(
            "{} {window}/{lane} {:?} {} {stretches}",
            instant(&entry["start"]),
            text(&held["timeZone"]),
            held["alwaysOpen"]
        )
    };
    let lines: Vec<String> = all.iter().map(line).collect();
    assert_eq!(lines[0], "2026-01-05T08:00Z -/- \"\" true 0");
    assert_eq!(
        lines[1],
        "2026-01-05T09:00Z Office/Lane 1 \"Europe/Oslo\" false 5"
    );
    assert_eq!(
        lines[2],
        "2026-01-05T09:00Z Office/Lane 2 \"Europe/Oslo\" false 5"
    );
    assert!(
        lines[3].starts_with("2026-01-05T10:00Z Always/"),
        "{}",
        lines[3]
    );
    assert!(
        lines[3].ends_with("\"Europe/Oslo\" true 0") || lines[3].ends_with("\"UTC\" true 0"),
        "{}",
        lines[3]
    );
    // The lane is gone; its turn stays, ended.
    assert_eq!(instant(&all[2]["end"]), "2026-01-05T10:00Z");
    assert_eq!(all.len(), 4);
}

#[test]
fn the_range_picks_what_touches_it() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    rota.to("2026-01-10T12:00Z");
    for (from, to, starts) in [
        ("2026-01-07T10:00Z", "2026-01-08T08:00Z", "07"),
        ("2026-01-07T09:00Z", "2026-01-08T09:00Z", "07"),
        ("2026-01-07T09:00Z", "2026-01-08T09:00:01Z", "07 08"),
        ("2026-01-07T08:59:59Z", "2026-01-08T09:00Z", "06 07"),
        ("2026-01-10T13:00Z", "2026-01-11T13:00Z", "10"),
        ("2025-12-01T00:00Z", "2026-01-01T00:00Z", ""),
    ] {
        let all = rotation.turns("history", from, to);
        let days: Vec<String> = all
            .iter()
            .map(|e| instant(&e["start"])[8..10].to_owned())
            .collect();
        assert_eq!(days.join(" "), starts, "{from} to {to}");
    }
    let whole = rotation
        .turns("history", "2026-01-07T10:00Z", "2026-01-07T11:00Z")
        .remove(0);
    assert_eq!(
        [instant(&whole["start"]), instant(&whole["end"])],
        ["2026-01-07T09:00Z", "2026-01-08T09:00Z"]
    );
    let range = |days: i64, more: i64| {
        let to = plus("2026-01-01T00:00Z", days * DAY + more);
        rotation.get(&format!(
            "/history?from=2026-01-01T00:00:00Z&to={}",
            rfc(&to)
        ))
    };
    assert_eq!(range(90, 0).is(200).header("etag"), None);
    range(90, 1).refused(400, "invalid_request");
}

#[test]
fn history_is_paged() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    rota.to("2026-02-05T12:00Z");
    let path = rotation.path("/history?from=2026-01-06T10:00:00Z&to=2026-02-05T10:00:00Z");
    let page = |n: i64, size: i64| {
        rota.get(&format!("{path}&page={n}&pageSize={size}"))
            .is(200)
            .json()
    };
    let (first, last) = (page(1, 20), page(2, 20));
    assert_eq!(
        ["page", "pageSize", "totalItems", "totalPages"].map(|n| int(&last[n])),
        [2, 20, 31, 2]
    );
    let starts = |page: &Value| -> Vec<String> {
        page["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|e| instant(&e["start"]))
            .collect()
    };
    let mut all: Vec<String> = starts(&first).into_iter().chain(starts(&last)).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 31);
}
