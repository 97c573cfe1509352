//! GET explain: the steps that decided who is on call, ahead, now and in the past.

use crate::support::*;
use serde_json::{Value, json};

/// The first cell at an instant.
fn cell(rotation: &Rot, instant: &str) -> Value {
    let path = format!("/explain?at={}", rfc(instant));
    let answer = rotation.get(&path).is(200);
    assert_eq!(answer.header("etag"), None);
    answer.json()["cells"][0].clone()
}

/// `source user: rule, ...`, each rule with the person whom it names.
fn line(cell: &Value) -> String {
    let steps = cell["steps"].as_array().expect("a list").iter();
    let steps = steps.map(|step| {
        assert!(text(&step["text"]).ends_with('.'), "{step}");
        let rule = text(&step["rule"]).to_owned();
        match step["userId"].as_str().or(step["what"].as_str()) {
            Some(named) => format!("{rule} {named}"),
            None => rule,
        }
    });
    let steps: Vec<String> = steps.collect();
    let source = text(&cell["source"]);
    format!("{source} {}: {}", text(&cell["userId"]), steps.join(", "))
}

fn step<'a>(cell: &'a Value, rule: &str) -> &'a Value {
    let steps = cell["steps"].as_array().expect("a list");
    let found = steps.iter().find(|step| step["rule"] == rule);
    found.unwrap_or_else(|| panic!("{rule} in {cell}"))
}

/// rules.md 26.1.
#[test]
fn a_turn_ahead_is_explained_by_dealing_and_a_past_one_by_the_record() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    let absence = rotation.away("U3", "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    let ahead = cell(&rotation, "2026-01-06T12:00Z");
    assert_eq!(
        line(&ahead),
        "turn U4: windowOpen, dealtAt, order, passedOver U3, chosen U4"
    );
    let order = step(&ahead, "order");
    assert_eq!(order["order"], json!(["U1", "U2", "U3", "U4"]));
    assert_eq!(
        [&order["nextTurn"], &order["rosterId"]],
        [&json!(2), &Value::Null]
    );
    let passed = step(&ahead, "passedOver");
    assert_eq!(passed["absenceId"], *absence);
    assert_eq!(passed["from"], "2026-01-06T00:00:00Z");
    let dealt = step(&ahead, "dealtAt");
    assert_eq!(dealt["at"], "2026-01-06T09:00:00Z");
    assert_eq!(dealt["cadence"]["type"], "daily");
    rota.to("2026-01-08T12:00Z");
    let was = line(&ahead);
    let past = cell(&rotation, "2026-01-06T12:00Z");
    assert_eq!(line(&past), was);
    assert_eq!(step(&past, "order"), order);
    assert_eq!(step(&past, "passedOver")["absenceId"], *absence);
    rotation.back(&absence);
    let past = cell(&rotation, "2026-01-06T12:00Z");
    assert_eq!(line(&past), format!("{was}, notRecorded absence"));
    assert_eq!(step(&past, "passedOver")["absenceId"], Value::Null);
    // One cell, and cells that are not there.
    let second = rotation.cell_id(1);
    let one = rotation
        .get(&format!("/explain?cellId={second}"))
        .is(200)
        .json();
    assert_eq!(one["cells"].as_array().map(Vec::len), Some(1));
    assert_eq!(one["cells"][0]["cellId"], *second);
    rotation
        .get("/explain?cellId=cel_x")
        .refused(404, "not_found");
    rotation.get("/explain?at=2020-01-01T00:00:00Z").names("at");
    rota.with(&rota.key("read:oncall"))
        .get(&rotation.path("/explain"))
        .refused(403, "scope_denied");
}

/// rules.md 26.2.
#[test]
fn people_on_call_elsewhere_and_nobody() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 2);
    let second = |instant: &str| {
        let path = format!("/explain?at={}", rfc(instant));
        rotation.get(&path).is(200).json()["cells"][1].clone()
    };
    rotation.away("U2", "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    let nobody = second("2026-01-06T12:00Z");
    assert_eq!(
        line(&nobody),
        "nobody -: windowOpen, dealtAt, order, passedOver U2, alreadyOnDuty U1, nobodyLeft"
    );
    let first = rotation.cell_id(0);
    assert_eq!(step(&nobody, "alreadyOnDuty")["cellId"], *first);
    rotation.cover_doubly(2, &[always(daily())]);
    let doubled = second("2026-01-06T12:00Z");
    assert_eq!(
        line(&doubled),
        "turn U1: windowOpen, dealtAt, order, passedOver U2, alreadyOnDuty U1, doubleCover, chosen U1"
    );
}

/// rules.md 26.3.
#[test]
fn the_record_keeps_who_did_a_thing_by_hand() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.put_on_call("U2").is(200);
    let set = cell(&rotation, &rota.now());
    assert_eq!(line(&set), "turn U2: windowOpen, setByHand, chosen U2");
    let by = &step(&set, "setByHand")["by"];
    assert_eq!(by["kind"], "key");
    assert!(by["id"].is_string() && by["via"].is_null(), "{by}");
    rota.advance(HOUR);
    let owner = rotation.with(&rota.token("U1"));
    owner.rotate();
    let rotated = cell(&rotation, &rota.now());
    let by = &step(&rotated, "rotatedByHand")["by"];
    assert_eq!([&by["kind"], &by["id"]], ["person", "U1"]);
    let rotated_at = rota.now();
    rota.advance(HOUR);
    owner.clear().is(200);
    rota.advance(HOUR);
    let cleared = cell(&rotation, &rota.now());
    assert_eq!(line(&cleared), "nobody -: windowOpen, clearedByHand");
    // Also later.
    let past = cell(&rotation, &rotated_at);
    assert_eq!(step(&past, "rotatedByHand")["by"]["id"], "U1");
    owner.rotate();
    rota.advance(HOUR);
    rotation.set_mention_settings(json!({ "rotateAfterAcknowledgement": true }));
    let holder = rotation.on_call();
    rotation.mention("U1").step(&holder, "acknowledge").is(200);
    let handed = cell(&rotation, &rota.now());
    let next = rotation.on_call();
    assert_ne!(next, holder);
    assert_eq!(
        line(&handed),
        format!("turn {next}: windowOpen, mentionAcknowledged, order, chosen {next}")
    );
    assert_eq!(step(&handed, "mentionAcknowledged")["by"]["id"], *holder);
    let assigned = rota.daily("U1 U2 U3", 1);
    let now = rota.now();
    assigned.assign(0, "U3", &plus(&now, DAY), &plus(&now, 2 * DAY));
    let over = cell(&assigned, &plus(&now, DAY + HOUR));
    assert_eq!(line(&over), "arrangement U3: windowOpen, arrangement");
    let over = step(&over, "arrangement");
    assert_eq!(
        [&over["kind"], &over["by"]["kind"]],
        ["directAssignment", "key"]
    );
}

/// rules.md 26.5.
#[test]
fn a_slot_that_nobody_has_had_was_cleared_by_nobody() {
    let rota = Rota::with_people(1);
    let mut body = new_rotation("U1");
    body["userIds"] = json!([]);
    let empty = rota.create(body);
    empty.cover(1, &[always(daily())]);
    let created = rota.now();
    let never = "nobody -: windowOpen, rotationEdited, order, nobodyLeft";
    assert_eq!(line(&cell(&empty, &created)), never);
    let rotation = rota.daily("U1", 1);
    rotation.cover(2, &[always(daily())]);
    let added = rotation.get("/explain").is(200).json()["cells"][1].clone();
    assert_eq!(line(&added).split(": ").next(), Some("nobody -"));
    for rule in added["steps"].as_array().unwrap() {
        assert_ne!(rule["rule"], "clearedByHand");
    }
    rota.advance(HOUR);
    assert_eq!(line(&cell(&empty, &created)), never);
    // One that was cleared stays empty until the next hand-over, which finds nobody here.
    rotation.cover(1, &[always(daily())]);
    rotation.clear().is(200);
    rota.advance(HOUR);
    let cleared = rota.now();
    rotation.away("U1", "2026-01-05T00:00Z", "2026-01-08T00:00Z");
    let now = cell(&rotation, &cleared);
    assert_eq!(line(&now), "nobody -: windowOpen, clearedByHand");
    rota.to("2026-01-06T12:00Z");
    assert_eq!(cell(&rotation, &cleared), now);
    let searched = cell(&rotation, &rota.now());
    assert_eq!(
        line(&searched),
        "nobody -: windowOpen, clearedByHand, dealtAt, order, passedOver U1, nobodyLeft"
    );
}

#[test]
fn hours_days_off_and_rotations_that_stand_still() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    let skipping = cadence(
        "daily",
        "Europe/Oslo",
        "2026-01-06T09:00",
        json!({ "times": ["09:00"], "skipWeekends": true, "countryCodes": ["NO"] }),
    );
    let office = hours(
        "Europe/Oslo",
        &format!(
            "{}, saturday 09:00 - saturday 17:00",
            weekdays("09:00", "17:00")
        ),
        skipping,
    );
    rotation.cover(1, &[office]);
    let night = cell(&rotation, "2026-01-06T20:00Z");
    assert_eq!(line(&night), "shut -: windowShut");
    assert_eq!(step(&night, "windowShut")["until"], "2026-01-07T08:00:00Z");
    let day = cell(&rotation, "2026-01-07T10:00Z");
    let open = step(&day, "windowOpen");
    assert_eq!(open["localStart"], "2026-01-07T09:00:00+01:00");
    assert_eq!(open["timeZone"], "Europe/Oslo");
    // Monday's is that of the weekend.
    let monday = cell(&rotation, "2026-01-12T10:00Z");
    assert_eq!(step(&monday, "dealtAt")["at"], "2026-01-12T08:00:00Z");
    rotation.patch(json!({ "skipsAreOffTime": true })).is(200);
    // Open hours of a past instant are told as they were ahead of it, days off and all.
    let whole = rota.rotation("U1 U2");
    whole.patch(json!({ "skipsAreOffTime": true })).is(200);
    let skips = json!({ "times": ["09:00"], "skipWeekends": true, "countryCodes": ["NO"] });
    let oslo = cadence("daily", "Europe/Oslo", "2026-01-06T09:00", skips);
    whole.cover(1, &[always(oslo)]);
    let open = step(&cell(&whole, "2026-01-06T12:00Z"), "windowOpen").clone();
    assert_eq!(open["until"], "2026-01-09T23:00:00Z");
    let off = cell(&rotation, "2026-01-10T10:00Z");
    assert_eq!(line(&off), "shut -: offDay");
    let day = step(&off, "offDay");
    assert_eq!(
        [&day["date"], &day["country"], &day["name"]],
        ["2026-01-10", "NO", "weekend"]
    );
    rota.to("2026-01-07T10:00Z");
    assert_eq!(
        *step(&cell(&whole, "2026-01-06T12:00Z"), "windowOpen"),
        open
    );
    rotation.patch(json!({ "enabled": false })).is(200);
    let frozen = cell(&rotation, "2026-03-07T10:00Z");
    assert_eq!(frozen["steps"][0]["rule"], "frozen");
    assert_eq!(
        frozen["userId"],
        rotation.get("/on-call").json()["onCall"][0]["userId"]
    );
}

/// rules.md 26.6.
#[test]
fn the_record_says_when_a_rotation_stood_still() {
    let rota = Rota::with_people(2);
    let office = hours("UTC", &weekdays("09:00", "17:00"), daily());
    let [open, shut] = [(), ()].map(|()| {
        let rotation = rota.rotation("U1 U2");
        rotation.cover(1, std::slice::from_ref(&office));
        rotation
    });
    let nobody_at = |instant: &str| {
        let read = shut.get(&format!("/on-call?at={}", rfc(instant))).is(200);
        text(&read.json()["nobodyOnCallReason"]).to_owned()
    };
    rota.to("2026-01-07T16:00Z");
    let holder = open.on_call();
    open.patch(json!({ "enabled": false })).is(200);
    rota.to("2026-01-07T20:00Z");
    shut.patch(json!({ "enabled": false })).is(200);
    rota.to("2026-01-08T12:00Z");
    let (night, day) = ("2026-01-07T22:00Z", "2026-01-08T11:00Z");
    let opened = format!("turn {holder}: frozen, windowOpen, dealtAt, order, chosen {holder}");
    let now = line(&cell(&open, night));
    assert_eq!(now, opened);
    assert_eq!(nobody_at(day), "nobody-on-call-as-arranged");
    // The record answers for what was before an edit.
    for rotation in [&open, &shut] {
        rotation.patch(json!({ "description": "Edited" })).is(200);
    }
    let check = |until: Value| {
        let cells = [cell(&open, night), cell(&shut, day)];
        assert_eq!(
            cells.each_ref().map(line),
            [opened.as_str(), "shut -: frozen, windowShut"]
        );
        let frozen = cells.each_ref().map(|cell| step(cell, "frozen"));
        let since = ["2026-01-07T16:00:00Z", "2026-01-07T20:00:00Z"];
        assert_eq!(frozen.map(|step| text(&step["since"])), since);
        assert_eq!(frozen.map(|step| &step["until"]), [&until; 2]);
        let hours = step(&cells[0], "windowOpen");
        assert_eq!(hours["until"], "2026-01-07T17:00:00Z");
        assert_eq!(nobody_at(day), "nobody-on-call-as-arranged");
    };
    check(Value::Null);
    for rotation in [&open, &shut] {
        rotation.patch(json!({ "enabled": true })).is(200);
    }
    rota.to("2026-01-09T12:00Z");
    check(json!("2026-01-08T12:00:00Z"));
    // Before and after it goes on as ever, up to the instant.
    for around in [
        "2026-01-07T15:59Z",
        "2026-01-08T12:00Z",
        "2026-01-09T10:00Z",
    ] {
        let steps = cell(&open, around)["steps"].clone();
        assert_eq!(steps[0]["rule"], "windowOpen", "{around}");
    }
    // Enabled at the instant at which it was disabled, it did not stand still.
    for enabled in [false, true] {
        open.patch(json!({ "enabled": enabled })).is(200);
    }
    rota.advance(HOUR);
    open.patch(json!({ "description": "Again" })).is(200);
    let then = cell(&open, "2026-01-09T12:00Z");
    assert_eq!(then["steps"][0]["rule"], "windowOpen");
}

#[test]
fn a_slot_that_was_cleared_before_the_rotation_stood_still_was_not_dealt() {
    let rota = Rota::with_people(1);
    let rotation = rota.daily("U1", 1);
    rotation.clear().is(200);
    rota.advance(60);
    rotation.patch(json!({ "enabled": false })).is(200);
    rota.to("2026-01-07T12:00Z");
    let cleared = "nobody -: frozen, windowOpen, clearedByHand";
    assert_eq!(line(&cell(&rotation, "2026-01-07T11:00Z")), cleared);
    rotation.patch(json!({ "enabled": true })).is(200);
    rota.advance(HOUR);
    assert_eq!(line(&cell(&rotation, "2026-01-07T11:00Z")), cleared);
}

#[test]
fn days_off_have_the_names_that_the_operator_gives_them() {
    let dir = TempDir::new();
    let file = dir.join("holidays");
    std::fs::write(&file, "NO 2026-01-06 Founders' day, Oslo\n").expect("the file");
    let rota = Start::default()
        .env("ROTA_HOLIDAYS_FILE", file.display())
        .go();
    rota.people(2);
    let rotation = rota.rotation("U1 U2");
    let skips = json!({ "times": ["09:00"], "skipNationalHolidays": true, "countryCodes": ["NO"] });
    let skipping = cadence("daily", "Europe/Oslo", "2026-01-05T09:00", skips);
    rotation.cover(1, &[always(skipping)]);
    rotation.patch(json!({ "skipsAreOffTime": true })).is(200);
    for (instant, name, says) in [
        (
            "2026-01-06T12:00Z",
            "Founders' day, Oslo",
            "Tue 6 Jan 2026 is a national holiday in NO (Founders' day, Oslo), and days off count as not covered.",
        ),
        // One that is compiled in has no name.
        (
            "2026-05-01T12:00Z",
            "national holiday",
            "Fri 1 May 2026 is a national holiday in NO, and days off count as not covered.",
        ),
    ] {
        let shut = cell(&rotation, instant);
        assert_eq!(line(&shut), "shut -: offDay");
        let day = step(&shut, "offDay");
        assert_eq!((text(&day["name"]), text(&day["text"])), (name, says));
    }
}
