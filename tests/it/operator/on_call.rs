//! Who is on call by metrics, compared with the API.

use super::Page;
use crate::support::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// `rotation,lane,window,user` of everyone on call.
fn on_call_by_metrics(page: &Page) -> BTreeSet<String> {
    let series = page.family("rota_on_call").into_iter();
    let plain = |series: String| {
        series
            .split('"')
            .skip(1)
            .step_by(2)
            .collect::<Vec<_>>()
            .join(",")
    };
    series.map(plain).collect()
}

fn asked(rota: &Rota) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for rotation in rota.caller().all("/v1/rotations") {
        let places = rotation["onCall"]["onCall"].as_array().expect("places");
        let members = ["laneId", "windowId", "userId"];
        all.extend(places.iter().map(|place| {
            let values = members.map(|member| text(&place[member]).to_owned());
            format!("{},{}", text(&rotation["id"]), values.join(","))
        }));
    }
    all
}

/// Rotations and seconds.
fn nobody(page: &Page) -> BTreeSet<String> {
    let series = page.family("rota_nobody_on_call_seconds").into_iter();
    let line = |series: String| {
        let id = series.split('"').nth(1).expect("an id").to_owned();
        format!("{id} {}", series.rsplit(' ').next().expect("a value"))
    };
    series.map(line).collect()
}

fn assign(rotation: &Rot, user: &str, from: &str, to: &str) {
    let cell: Value = rotation.read()["cells"][0]["id"].clone();
    let body = json!({
        "operationId": unique("op"), "cellId": cell, "userId": user, "expectedRevision": 0,
        "from": rfc(from), "to": rfc(to),
    });
    rotation
        .by
        .post_if(&rotation.path("/duty-arrangements"), "*", body)
        .is(200);
}

#[test]
fn metrics_and_the_api_agree_on_who_is_on_call() {
    // A Monday at eight.
    let rota = Rota::with_people(6);
    let daily_hours = |hours_of: &str| hours("UTC", &weekdays("09:00", hours_of), daily());
    let empty = rota.rotation("U1 U2");
    let held = rota.rotation("U1 U2");
    held.put_on_call("U2").is(200);
    let arranged = rota.daily("U1 U2 U3", 1);
    assign(&arranged, "U3", "2026-01-05T08:00Z", "2026-01-05T12:00Z");
    let covered = rota.rotation("U3 U4");
    covered.cover(1, &[daily_hours("17:00")]);
    let grid = rota.rotation("U1 U2 U3 U4");
    grid.cover(2, &[daily_hours("12:00"), always(daily())]);
    let frozen = rota.daily("U4 U5", 1);
    let paused = rota.rotation("U6");
    for rotation in [&frozen, &paused] {
        rotation.patch(json!({ "enabled": false })).is(200);
    }
    let check = |what: &str, without: &[(&Rot, i64)]| {
        let page = rota.metrics();
        let on_call_by_metrics = on_call_by_metrics(&page);
        assert_eq!(on_call_by_metrics, asked(&rota), "{what}");
        assert!(!on_call_by_metrics.is_empty());
        let expected = without.iter();
        let expected = expected.map(|(rotation, seconds)| format!("{} {seconds}", rotation.id));
        assert_eq!(nobody(&page), expected.collect(), "{what}");
    };
    check("before hours", &[(&empty, 0)]);
    rota.to("2026-01-05T09:30Z");
    check("within hours", &[(&empty, 5400)]);
    // The window is shut by an edit, not as scheduled.
    covered.cover(1, &[hours("UTC", "sunday 10:00 - sunday 11:00", daily())]);
    check("shut by an edit", &[(&empty, 5400)]);
    held.clear().is(200);
    grid.clear().is(200);
    check(
        "cleared",
        &[(&empty, 5400), (&held, 0), (&grid, 0), (&grid, 0)],
    );
    rota.to("2026-01-05T12:30Z");
    check(
        "an arrangement over, a window shut",
        // The slots of the grid are filled when a window of it shuts.
        &[(&empty, 16_200), (&held, 10_800)],
    );
    rota.plan("free");
    check("one lane", &[(&empty, 16_200), (&held, 10_800)]);
    rota.plan("pro");
    rota.to("2026-01-06T10:00Z");
    let (since, held_since) = (93_600, 88_200);
    check("the next day", &[(&empty, since), (&held, held_since)]);
    paused.patch(json!({ "enabled": true })).is(200);
    let page = rota.metrics();
    assert_eq!(page.count("rota_rotations{state=\"enabled\"}"), 6);
    assert_eq!(page.count("rota_rotations{state=\"disabled\"}"), 1);
    let open: Vec<String> = nobody(&page).into_iter().collect();
    assert!(
        open.iter().any(|line| line.starts_with(&paused.id)),
        "{open:?}"
    );
}

/// The time without anyone on call continues across edits, and restarts when a window opens.
#[test]
fn nobody_on_call_is_counted_through_edits() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let open = |until: &str| hours("UTC", &weekdays("06:00", until), daily());
    rotation.cover(1, &[open("20:00")]);
    rotation.away("U1", "2026-01-05T08:00Z", "2026-02-05T08:00Z");
    rotation.clear().is(200);
    let seconds = |expected: i64| {
        let line = format!("{} {expected}", rotation.id);
        assert_eq!(nobody(&rota.metrics()), BTreeSet::from([line]));
    };
    rota.advance(HOUR);
    seconds(HOUR);
    rotation.cover(1, &[open("19:00")]);
    rota.advance(HOUR);
    seconds(2 * HOUR);
    rotation.cover(1, &[open("21:00")]);
    seconds(2 * HOUR);
    rota.to("2026-01-06T07:00Z");
    seconds(HOUR);
    rotation.cover(1, &[open("18:00")]);
    rota.advance(HOUR);
    seconds(2 * HOUR);
    rotation.put_on_call("U1").is(200);
    rota.advance(HOUR);
    rotation.clear().is(200);
    rota.advance(60);
    seconds(60);
}

#[test]
fn names_are_told_whatever_is_in_them() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    rotation
        .patch(json!({ "name": "a\"b\\n {c}\\", "code": "ODD" }))
        .is(200);
    let plain = rota.rotation("U1");
    let page = rota.metrics();
    let series = |rotation: &Rot, code: &str, name: &str| {
        let id = &rotation.id;
        format!("rota_rotation_info{{rotation=\"{id}\",code=\"{code}\",name=\"{name}\"}}")
    };
    for series in [
        series(&rotation, "ODD", "a\\\"b\\\\n {c}\\\\"),
        series(&plain, "", "Rotation"),
    ] {
        assert_eq!(page.value(&series), Some(1.0), "{series}\n{}", page.0);
    }
}
