//! PUT coverage: replacing the grid, its limits, and covered hours.

use crate::support::*;
use serde_json::{Value, json};

fn ids(list: &Value) -> Vec<&str> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|each| text(&each["id"]))
        .collect()
}

/// The body with the member at a path such as `windows[0].cadence.period` set, or removed if it is null.
fn with(mut body: Value, path: &str, value: Value) -> Value {
    let pointer = format!(
        "/{}",
        path.replace("].", "/")
            .replace(['.', '['], "/")
            .replace(']', "")
    );
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match body
        .pointer_mut(parent)
        .unwrap_or_else(|| panic!("no {parent}"))
    {
        Value::Object(members) if value.is_null() => drop(members.remove(name)),
        Value::Object(members) => drop(members.insert(name.to_owned(), value)),
        Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
        other => panic!("{path} in {other}"),
    }
    body
}

#[test]
fn a_replacement_keeps_what_it_names() {
    let rota = Rota::with_people(6);
    let rotation = rota.rotation("U1 U2 U3 U4 U5 U6");
    let first = rotation.cover(2, &[always(daily()), always(daily())]);
    assert_eq!(rotation.holders(), "U1 U2 U4 U5");
    // The same again, without cell ids: nothing has changed.
    let etag = rotation.etag();
    let again = rotation
        .put(
            "/coverage",
            rotation.grid(2, &[always(daily()), always(daily())]),
        )
        .is(200);
    assert_eq!((again.etag(), again.json()), (etag, first.clone()));
    // Without `windows` the columns stay with their cadence; a lane without an id is new, with its cells.
    let mut grid = rotation.grid(2, &[always(daily()), always(daily())]);
    grid.as_object_mut().unwrap().remove("windows");
    grid["lanes"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "name": "Third" }));
    let wide = rotation.put("/coverage", grid).is(200).json();
    assert_eq!(wide["windows"], first["windows"]);
    assert_eq!(ids(&wide["lanes"])[..2], ids(&first["lanes"])[..]);
    assert_eq!(text(&wide["lanes"][2]["name"]), "Third");
    assert_eq!(rotation.holders(), "U1 U2 U3 U4 U5 U6");
    for cell in first["cells"].as_array().unwrap() {
        assert!(ids(&wide["cells"]).contains(&text(&cell["id"])), "{cell}");
    }
    // Reordered lanes are dealt in the new order; everyone keeps their slot.
    let mut turned = rotation.grid(3, &[always(daily()), always(daily())]);
    turned["lanes"].as_array_mut().unwrap().reverse();
    rotation.put("/coverage", turned).is(200);
    assert_eq!(rotation.holders(), "U3 U2 U1 U6 U5 U4");
    rota.to("2026-01-06T09:00Z");
    assert_eq!(rotation.holders(), "U4 U5 U6 U1 U2 U3");
}

#[test]
fn own_handles_name_what_is_added() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3 U4");
    let window = |id: &str| with(always(daily()), "id", json!(id));
    let body = json!({
        "lanes": [{ "id": "a", "name": "A" }, { "id": "b", "name": "B" }],
        "windows": [window("day"), window("night")],
        "cells": [
            { "laneId": "a", "windowId": "day", "rosterId": null },
            { "laneId": "b", "windowId": "day", "rosterId": null },
            { "laneId": "a", "windowId": "night", "rosterId": "n" },
            { "laneId": "b", "windowId": "night", "rosterId": "n" },
        ],
    });
    let old = rotation.read();
    let now = rotation.put("/coverage", body).is(200).json();
    assert!(
        ids(&now["lanes"]).iter().all(|id| id.starts_with("lan_")),
        "{:?}",
        now["lanes"]
    );
    assert!(ids(&now["windows"]).iter().all(|id| id.starts_with("win_")));
    assert!(!ids(&now["windows"]).contains(&text(&old["windows"][0]["id"])));
    let rosters: Vec<_> = places(&now)
        .iter()
        .map(|cell| text(&cell["rosterId"]))
        .collect();
    assert_eq!(rosters, ["-", "-", "n", "n"]);
    assert_eq!(
        (&now["isGrid"], int(&now["runningLanes"])),
        (&json!(true), 2)
    );
    assert_eq!(
        [
            text(&now["lanes"][0]["name"]),
            text(&now["lanes"][1]["name"])
        ],
        ["A", "B"]
    );
}

/// rules.md 4.7.
#[test]
fn what_is_omitted_on_a_window_is_kept_or_cleared() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    let mut window = hours("Europe/Oslo", &weekdays("08:00", "16:00"), daily());
    window["name"] = json!("Office");
    let before = rotation.cover(1, &[window.clone()])["windows"][0].clone();
    assert_eq!(text(&before["name"]), "Office");
    let id = before["id"].clone();
    for (sent, zone, open, name) in [
        (json!({ "id": id }), "Europe/Oslo", true, "-"),
        (
            json!({ "id": id, "timeZone": "UTC", "name": "Late" }),
            "UTC",
            true,
            "Late",
        ),
        (
            json!({ "id": id, "coverage": coverage(&weekdays("08:00", "16:00")) }),
            "UTC",
            false,
            "-",
        ),
    ] {
        let after = rotation.cover(1, std::slice::from_ref(&sent))["windows"][0].clone();
        assert_eq!(
            (text(&after["timeZone"]), text(&after["name"])),
            (zone, name),
            "{sent}"
        );
        assert_eq!(after["alwaysOpen"], json!(open), "{sent}");
        assert_eq!(after["cadence"], before["cadence"], "{sent}");
    }
}

#[test]
fn a_new_cadence_moves_the_next_hand_over_alone() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rota.to("2026-01-06T10:00Z");
    rotation.cover(1, &[always(weekly("UTC", "2026-01-02T12:00"))]);
    let entry = rotation.get("/on-call").json()["onCall"][0].clone();
    let (since, until) = (instant(&entry["since"]), instant(&entry["until"]));
    assert_eq!(
        (text(&entry["userId"]), until.as_str()),
        ("U2", "2026-01-09T12:00Z")
    );
    assert_eq!(
        (since.as_str(), rotation.next_turn()),
        ("2026-01-06T09:00Z", 2)
    );
    rota.to("2026-01-09T12:00Z");
    assert_eq!(rotation.on_call(), "U3");
}

#[test]
fn a_grid_that_is_refused_names_the_member_and_changes_nothing() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    rotation.cover(2, &[always(daily()), always(daily())]);
    let good = rotation.grid(2, &[always(daily()), always(daily())]);
    let etag = rotation.etag();
    let stretch = coverage("monday 09:00 - monday 17:00")[0].clone();
    let many = |item: Value, n: usize| Value::from(vec![item; n]);
    for (path, value, member) in [
        ("lanes", json!([]), "lanes"),
        ("lanes", Value::Null, "lanes"),
        ("lanes", many(json!({}), 21), "lanes"),
        ("lanes[1].id", good["lanes"][0]["id"].clone(), "lanes"),
        ("lanes[0].name", json!(1), "lanes[0].name"),
        ("windows", json!([]), "windows"),
        (
            "windows[1].id",
            good["windows"][0]["id"].clone(),
            "windows[1].id",
        ),
        (
            "windows[0].timeZone",
            json!("+02:00"),
            "windows[0].timeZone",
        ),
        ("windows[0].cadence", json!({ "type": "manual" }), "windows"),
        ("cells", Value::Null, "cells"),
        ("cells", json!([]), "cells"),
        ("cells[3]", good["cells"][2].clone(), "cells"),
        ("cells[0].laneId", json!("lan_unknown"), "cells[0].laneId"),
        ("cells[0].laneId", Value::Null, "cells[0].laneId"),
        (
            "cells[1].windowId",
            json!("win_unknown"),
            "cells[1].windowId",
        ),
        ("cells[0].id", json!("cel_unknown"), "cells[0].id"),
        ("cells[0].rosterId", json!(5), "cells[0].rosterId"),
        ("doubleCover", json!("yes"), "doubleCover"),
        ("windows[0].coverage", json!({}), "windows[0].coverage"),
        (
            "windows[1].coverage",
            many(stretch.clone(), 51),
            "windows[1].coverage",
        ),
        (
            "windows[0].coverage",
            json!([with(stretch.clone(), "startDay", json!("Monday"))]),
            "coverage[0].startDay",
        ),
        (
            "windows[0].coverage",
            json!([with(stretch.clone(), "endDay", json!("mon"))]),
            "coverage[0].endDay",
        ),
        (
            "windows[0].coverage",
            json!([with(stretch.clone(), "startTime", json!("9:00"))]),
            "coverage[0].startTime",
        ),
        (
            "windows[0].coverage",
            json!([with(stretch.clone(), "startTime", json!("09:60"))]),
            "coverage[0].startTime",
        ),
        (
            "windows[0].coverage",
            json!([with(stretch.clone(), "endTime", json!("25:00"))]),
            "coverage[0].endTime",
        ),
        (
            "windows[0].coverage",
            json!([stretch, with(stretch.clone(), "endTime", Value::Null)]),
            "coverage[1].endTime",
        ),
    ] {
        rotation
            .put("/coverage", with(good.clone(), path, value))
            .names(member);
    }
    let swapped = with(
        good.clone(),
        "cells[0].id",
        rotation.read()["cells"][3]["id"].clone(),
    );
    rotation.put("/coverage", swapped).names("cells[0].id");
    assert_eq!(rotation.etag(), etag);
    let path = rotation.path("/coverage");
    rota.request("PUT", &path)
        .json(&good)
        .send()
        .refused(428, "precondition_required");
    rota.put_if(&path, "\"old\"", good)
        .refused(412, "precondition_failed");
}

#[test]
fn limits_of_a_grid_are_inclusive() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let minutes: Vec<String> = (0..48)
        .map(|n| format!("{:02}:{:02}", n / 2, n % 2 * 30))
        .collect();
    let cadence = cadence(
        "daily",
        "UTC",
        "2026-01-06T09:00",
        json!({ "times": minutes }),
    );
    let stretches: Vec<String> = (0..50)
        .map(|n| {
            format!(
                "monday {:02}:{:02} - monday {:02}:{:02}",
                n / 4,
                n % 4 * 15,
                n / 4,
                n % 4 * 15 + 5
            )
        })
        .collect();
    let window = hours("UTC", &stretches.join(","), cadence.clone());
    let now = rotation.cover(20, &vec![window.clone(); 20]);
    assert_eq!(now["cells"].as_array().unwrap().len(), 400);
    let refused = |lanes: usize, windows: &[Value], member: &str| {
        rotation
            .put("/coverage", rotation.grid(lanes, windows))
            .names(member);
    };
    refused(21, std::slice::from_ref(&window), "lanes");
    refused(1, &vec![window; 21], "windows");
    let mut more = minutes;
    more.push("12:15".to_owned());
    refused(
        1,
        &[always(with(cadence, "times", json!(more)))],
        "windows[0].cadence.times",
    );
}

#[test]
fn without_a_cadence_there_are_no_hours() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let id = rotation.read()["windows"][0]["id"].clone();
    for (window, member) in [
        (json!({ "id": id, "timeZone": "Europe/Oslo" }), "windows[0]"),
        (
            json!({ "id": id, "coverage": coverage("monday 09:00 - monday 17:00") }),
            "windows[0]",
        ),
        (
            json!({ "id": "new", "timeZone": "UTC", "coverage": [] }),
            "windows[0]",
        ),
    ] {
        rotation
            .put("/coverage", rotation.grid(1, &[window]))
            .names(member);
    }
    // More lanes are no hours: the rotation stays manual, and deals nothing.
    let mut grid = rotation.grid(2, &[]);
    grid.as_object_mut().unwrap().remove("windows");
    let cells = |lane: usize| json!({ "laneId": grid["lanes"][lane]["id"], "windowId": id, "rosterId": null });
    let cells = json!([cells(0), cells(1)]);
    grid["cells"] = cells;
    let now = rotation.put("/coverage", grid).is(200).json();
    assert_eq!((text(&now["mode"]), int(&now["openSeats"])), ("manual", 2));
}

#[test]
fn a_cadence_that_is_refused_names_the_member() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let plain = weekly("UTC", "2026-01-06T09:00");
    let of = |kind: &str, more: Value| cadence(kind, "UTC", "2026-01-06T09:00", more);
    let norway = json!(["NO"]);
    let list = |days: Value| of("daysOfWeekList", json!({ "daysOfWeek": days }));
    let nth = |day: Value, weeks: Value| {
        of(
            "nthWeekdayOfMonth",
            json!({ "dayOfWeek": day, "weeksInMonth": weeks }),
        )
    };
    let times = |times: Value| of("daily", json!({ "times": times }));
    let country = |codes: Value| {
        of(
            "dayOfWeek",
            json!({ "skipWeekends": true, "countryCodes": codes }),
        )
    };
    let mut refused: Vec<(Value, &str)> = vec![
        (with(plain.clone(), "type", json!("weekly")), "type"),
        (with(plain.clone(), "type", json!("external")), "type"),
        (with(plain.clone(), "type", Value::Null), "type"),
        (with(plain.clone(), "startsAt", Value::Null), "startsAt"),
        (
            with(plain.clone(), "startsAt", json!("tomorrow")),
            "startsAt",
        ),
        (
            with(plain.clone(), "startsAt", json!("2026-02-30T09:00:00Z")),
            "startsAt",
        ),
        (with(plain.clone(), "startsAt", json!(17)), "startsAt"),
        (with(plain.clone(), "timeZone", Value::Null), "timeZone"),
        (
            of("dayOfWeek", json!({ "skipWeekends": true })),
            "countryCodes",
        ),
        (
            of(
                "dayOfWeek",
                json!({ "skipNationalHolidays": true, "countryCodes": [] }),
            ),
            "countryCodes",
        ),
        (
            of(
                "dayOfWeek",
                json!({ "skipWeekends": "yes", "countryCodes": norway }),
            ),
            "skipWeekends",
        ),
        (of("workday", json!({})), "countryCodes"),
        (
            of("workday", json!({ "countryCodes": "NO" })),
            "countryCodes",
        ),
        (country(json!(["XX"])), "countryCodes"),
        (country(json!(["no"])), "countryCodes"),
        (country(json!(["NO", "NOR"])), "countryCodes"),
        (country(json!(["GB-XXX"])), "countryCodes"),
        (list(Value::Null), "daysOfWeek"),
        (list(json!([])), "daysOfWeek"),
        (list(json!(["Monday"])), "daysOfWeek"),
        (list(json!(["monday", 2])), "daysOfWeek[1]"),
        (nth(Value::Null, json!([1])), "dayOfWeek"),
        (nth(json!("mon"), json!([1])), "dayOfWeek"),
        (nth(json!("monday"), Value::Null), "weeksInMonth"),
        (nth(json!("monday"), json!([])), "weeksInMonth"),
        (nth(json!("monday"), json!([0])), "weeksInMonth"),
        (nth(json!("monday"), json!([1, 6])), "weeksInMonth"),
        (times(Value::Null), "times"),
        (times(json!([])), "times"),
        (times(json!(["9:00"])), "times"),
        (times(json!(["24:00"])), "times"),
        (times(json!(["09:00", "12:60"])), "times"),
        (times(json!("09:00")), "times"),
    ];
    for period in [
        json!(0),
        json!(-1),
        json!(1.5),
        json!("x"),
        json!(""),
        json!([1]),
    ] {
        refused.push((with(plain.clone(), "period", period), "period"));
    }
    let zones = [
        "",
        "Asia/Calcutta",
        "US/Pacific",
        "EST",
        "Etc/GMT+5",
        "Etc/UTC",
        "+02:00",
        "europe/paris",
        "GMT",
        "Z",
        "CET",
        "Mars/Base",
        "utc",
        "Europe/Oslo ",
    ];
    refused.extend(zones.map(|zone| (with(plain.clone(), "timeZone", json!(zone)), "timeZone")));
    for (cadence, member) in refused {
        let window = json!({ "timeZone": "UTC", "coverage": [], "cadence": cadence });
        let grid = rotation.grid(1, &[window]);
        rotation
            .put("/coverage", grid)
            .names(&format!("windows[0].cadence.{member}"));
    }
    for zone in zones.into_iter().filter(|zone| !zone.is_empty()) {
        let window = with(always(plain.clone()), "timeZone", json!(zone));
        rotation
            .put("/coverage", rotation.grid(1, &[window]))
            .names("windows[0].timeZone");
    }
    assert_eq!(text(&rotation.read()["mode"]), "manual");
}

#[test]
fn names_of_zones_are_kept_as_given() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    for zone in [
        "UTC",
        "Europe/Oslo",
        "Asia/Kolkata",
        "America/Argentina/Buenos_Aires",
        "Pacific/Apia",
        "Europe/Kyiv",
    ] {
        let window =
            rotation.cover(1, &[always(weekly(zone, "2026-01-06T09:00"))])["windows"][0].clone();
        assert_eq!(
            [
                text(&window["timeZone"]),
                text(&window["cadence"]["timeZone"])
            ],
            [zone, zone]
        );
    }
}

#[test]
fn a_cadence_is_answered_with_its_defaults() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let sent = json!({ "type": "dayOfWeek", "timeZone": "Europe/Oslo", "startsAt": "2026-01-06T09:00:00" });
    let cadence = rotation.cover(1, &[always(sent)])["windows"][0]["cadence"].clone();
    // Without an offset it is UTC; the response has the cadence's zone.
    assert_eq!(text(&cadence["startsAt"]), "2026-01-06T10:00:00+01:00");
    assert_eq!(
        (int(&cadence["period"]), text(&cadence["dayOfWeek"])),
        (1, "tuesday")
    );
    for name in ["skipWeekends", "skipNationalHolidays"] {
        assert_eq!(cadence[name], json!(false), "{name}");
    }
    assert_eq!(cadence["countryCodes"], json!([]));
    for name in [
        "dayOfMonth",
        "daysOfWeek",
        "weeksInMonth",
        "times",
        "partner",
    ] {
        assert_eq!(cadence.get(name), None, "{name} means nothing here");
    }
    for (kind, more, name, expected) in [
        ("dayOfMonth", json!({}), "dayOfMonth", "6"),
        (
            "daysOfWeekList",
            json!({ "daysOfWeek": ["friday"] }),
            "daysOfWeek",
            "[\"friday\"]",
        ),
        (
            "nthWeekdayOfMonth",
            json!({ "dayOfWeek": "monday", "weeksInMonth": [1, 3] }),
            "weeksInMonth",
            "[1,3]",
        ),
        (
            "nthWeekdayOfMonth",
            json!({ "dayOfWeek": "monday", "weeksInMonth": [5] }),
            "dayOfWeek",
            "\"monday\"",
        ),
        (
            "daily",
            json!({ "times": ["09:00", "21:00"] }),
            "times",
            "[\"09:00\",\"21:00\"]",
        ),
        (
            "workday",
            json!({ "countryCodes": ["NO", "GB-SCT"] }),
            "countryCodes",
            "[\"NO\",\"GB-SCT\"]",
        ),
        (
            "workday",
            json!({ "countryCodes": ["NO"] }),
            "skipWeekends",
            "true",
        ),
        (
            "workday",
            json!({ "countryCodes": ["NO"] }),
            "skipNationalHolidays",
            "true",
        ),
        (
            "daily",
            json!({ "times": ["09:00"], "period": "3" }),
            "period",
            "3",
        ),
    ] {
        let sent = crate::support::cadence(kind, "UTC", "2026-01-06T09:00", more);
        let cadence = rotation.cover(1, &[always(sent)])["windows"][0]["cadence"].clone();
        assert_eq!(
            cadence[name].to_string().trim_matches('"'),
            expected.trim_matches('"'),
            "{kind} {name}"
        );
        assert_eq!(text(&cadence["type"]), kind);
    }
}
