//! Days, rights, and rotations that take much.

use super::*;

#[test]
fn days_are_bounded() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1", 1);
    for days in ["0", "367", "-1", "1.5", "x", "", "01x"] {
        rotation
            .get(&format!("/warnings?days={days}"))
            .names("days");
        rota.caller()
            .get(&format!("/v1/warnings?days={days}"))
            .names("days");
    }
    for (query, member) in [
        ("page=0", "page"),
        ("pageSize=201", "pageSize"),
        ("severity=", "severity"),
        ("severity=High", "severity"),
        ("severity=low&severity=high", "severity"),
        ("kind=nobody", "kind"),
    ] {
        rotation.get(&format!("/warnings?{query}")).names(member);
        let all = format!("/v1/warnings?{query}");
        rota.caller().get(&all).names(member);
    }
    rotation.get("/warnings?days=1&days=2").names("days");
    for days in [1, 366] {
        rotation.get(&format!("/warnings?days={days}")).is(200);
        rota.caller()
            .get(&format!("/v1/warnings?days={days}"))
            .is(200);
    }
    // Ninety days unless they are said.
    let usual = rotation.get("/warnings").is(200).json();
    assert_eq!(usual["data"][0]["to"], "2026-04-05T08:00:00Z");
}

#[test]
fn they_are_there_for_whoever_sees_the_rotation() {
    let rota = Rota::with_people(3);
    let hidden = rota.create(json!({
        "name": "Hush", "owners": ["U1"], "userIds": ["U1"], "public": false,
    }));
    hidden
        .with(&rota.token("U3"))
        .get("/warnings")
        .refused(404, "");
    hidden.with(&rota.token("U1")).get("/warnings").is(200);
    hidden
        .with(&rota.key("read:oncall"))
        .get("/warnings")
        .refused(403, "scope_denied");
    rota.with(&rota.key("read:oncall"))
        .get("/v1/warnings")
        .refused(403, "scope_denied");
    let other = rota.rotation("U2");
    let selected =
        json!({ "name": "one", "scopes": ["read:rotations"], "rotationIds": [other.id] });
    let selected = rota.mint(selected);
    hidden
        .with(&selected)
        .get("/warnings")
        .refused(403, "resource_denied");
    let all = rota.with(&selected).get("/v1/warnings").is(200).json();
    let data = all["data"].as_array().expect("a list");
    assert!(!data.is_empty() && data.iter().all(|one| one["rotationId"] == json!(other.id)));
}

/// rules.md 27.1.
#[test]
fn nothing_is_wrong_with_what_is_disabled() {
    let rota = Rota::with_people(1);
    let rotation = rota.daily("U1", 1);
    assert!(!rotation.warnings(7).is_empty());
    rotation.patch(json!({ "enabled": false })).is(200);
    assert_eq!(rotation.warnings(7), [Value::Null; 0]);
}

/// With eight lanes instead of twenty if not all tests are asked for.
#[test]
fn the_largest_grid_over_a_year_is_answered_or_refused() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    let windows: Vec<Value> = (0..20)
        .map(|hour| {
            let hours_of = weekdays(&format!("{hour:02}:00"), &format!("{hour:02}:45"));
            hours("UTC", &hours_of, daily())
        })
        .collect();
    rotation.cover(if in_full() { 20 } else { 8 }, &windows);
    let answer = rotation.get("/warnings?days=366");
    assert!(matches!(answer.status(), 200 | 400), "{}", answer.text());
    if answer.status() == 200 {
        let count = int(&answer.json()["totalItems"]);
        assert!((1..=15_000).contains(&count), "{count}");
    }
    rotation.get("/warnings?days=1").is(200);
}

/// Counted beside everything else, for keys that may see rotations.
#[test]
fn high_ones_are_metrics() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1", 1);
    rotation.patch(json!({ "userIds": [] })).is(200);
    let key = rota.key("read:oncall");
    let page = || rota.with(&key).get("/metrics").is(200).text();
    let line = |kind: &str, count: u32| {
        format!(
            "rota_warnings{{rotation=\"{}\",kind=\"{kind}\"}} {count}\n",
            rotation.id
        )
    };
    eventually("the warnings are counted", || {
        let page = page();
        page.contains(&line("nobody", 1)) && page.contains(&line("emptyRoster", 1))
    });
    assert!(!page().contains("noFallback"));
    let without = rota.anyone().get("/metrics").is(200).text();
    assert!(!without.contains("rota_warnings"));
    rotation
        .put("/warning-settings", json!({ "off": ["nobody"] }))
        .is(200);
    eventually("the kind is off", || {
        let page = page();
        !page.contains("kind=\"nobody\"") && page.contains(&line("emptyRoster", 1))
    });
}

#[test]
fn a_rotation_too_large_to_be_forecast_keeps_no_other_from_its_warnings() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1", 1);
    let large = rota.rotation("U1 U2");
    let windows: Vec<Value> = [0, 15]
        .map(|begins| {
            let times =
                (0..48).map(|half| format!("{:02}:{:02}", half / 2, half % 2 * 30 + begins));
            let times: Vec<String> = times.collect();
            let more = json!({ "times": times });
            always(cadence("daily", "UTC", "2026-01-06T09:00", more))
        })
        .to_vec();
    large.cover(1, &windows);
    large.get("/warnings?days=366").names("days");
    rotation.get("/warnings?days=366").is(200);
    rota.caller().get("/v1/warnings?days=366").names("days");
}
