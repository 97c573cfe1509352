//! Somebody on call whom the workspace does not know: not nobody, wherever it is said who is on call. Times of which nothing is
//! known: whoever was on call last stays, and it is said why.

use super::*;

/// Somebody unknown until Tuesday, then U1.
const STRANGER: &[&str] = &[
    "P3 2026-01-05T00:00Z 2026-01-06T08:00Z",
    "P1 2026-01-06T08:00Z 2026-01-25T00:00Z",
];

/// rules.md 22.7.
#[test]
fn topics_name_them() {
    let (pager, rota) = started();
    pager.has("S2", "P1", STRANGER);
    let rotation = linked(&rota, "S2");
    rotation.tells_in("C1");
    assert_eq!(
        rota.topic("C1"),
        "Rotation: Pager 3 until 2026-01-06 08:00, next Person U1"
    );
    let template = "%DUTY_SIZE% %USER% %USERID% %UNTIL_UTC%";
    rotation.patch(json!({ "topicTemplate": template })).is(200);
    assert_eq!(rota.topic("C1"), "1 Pager 3 N/A 2026-01-06 08:00");
    rota.to("2026-01-06T08:00Z");
    assert_eq!(rota.topic("C1"), "1 Person U1 U1 2026-01-25 00:00");
}

#[test]
fn a_shift_without_an_end_is_shown_without_one() {
    let (pager, rota) = started();
    for (schedule, who) in [("S2", "P1"), ("S3", "P3")] {
        pager.has(schedule, "P1", &[&format!("{who} 2026-01-05T00:00Z -")]);
        let rotation = linked(&rota, schedule);
        rotation.tells_in("C1");
        let read = rotation.get("").is(200).json();
        assert!(!read.to_string().contains("9999-12-31"), "{read}");
        let current = &read["onCall"]["externalAssignments"]["current"][0];
        for end in [
            &read["cells"][0]["holder"]["until"],
            &current["untilUtc"],
            &current["externalAssignment"]["originalEndUtc"],
            match who {
                "P1" => &read["onCall"]["onCall"][0]["until"],
                _ => &read["onCall"]["unmappedExternalDuty"]["until"],
            },
        ] {
            assert!(end.is_null(), "{read}");
        }
        let schedule = format!(
            "/schedule?from={}&to={}",
            rfc("2026-01-05T00:00Z"),
            rfc("2026-02-05T00:00Z")
        );
        for path in [schedule.as_str(), "/explain", "/on-call"] {
            let read = rotation.get(path).is(200).json();
            assert!(!read.to_string().contains("9999-12-31"), "{path} {read}");
        }
        assert!(!rota.topic("C1").contains("9999"), "{}", rota.topic("C1"));
        // The answer for an instant has no end either.
        let past = format!("/on-call?at={}", rfc("2026-01-05T08:00Z"));
        let read = rotation.get(&past).is(200).json();
        assert!(!read.to_string().contains("9999-12-31"), "{read}");
    }
}

/// rules.md 22.7.
#[test]
fn a_mention_says_that_they_are_not_in_chat() {
    let (pager, rota) = started();
    pager.has("S2", "P1", STRANGER);
    let rotation = linked(&rota, "S2");
    let mut reader = rota.message_reader();
    reader.messages();
    let opened = rotation.try_mention("U2").is(200).json();
    assert_eq!(opened["state"], "nobody");
    assert_eq!(
        reader.lines(),
        ["C1: Rotation: Pager 3 is on call, but is not in chat to answer Person U2."]
    );
}

/// rules.md 26.7.
#[test]
fn past_what_is_known_an_explanation_says_that_nothing_is() {
    let (pager, rota) = started();
    let rotation = linked(&rota, "S1");
    let steps = |rotation: &Rot, at: &str| {
        let path = format!("/explain?at={}", rfc(at));
        let cell = rotation.get(&path).is(200).json()["cells"][0].clone();
        assert_eq!(cell["source"], "external");
        let steps = cell["steps"].as_array().expect("steps").clone();
        let rules: Vec<&str> = steps.iter().map(|step| text(&step["rule"])).collect();
        (
            format!("{}: {}", text(&cell["userId"]), rules.join(", ")),
            steps,
        )
    };
    pager.troubles(Trouble::Closes);
    // P1 has the turn until the 25th; the schedule was read to the 19th.
    let last = "2026-01-19T07:59Z";
    rota.to(last);
    assert_eq!(steps(&rotation, last).0, "U1: externalShift");
    rota.to("2026-01-21T00:00Z");
    let unknown = |at: &str| {
        let (said, steps) = steps(&rotation, at);
        assert_eq!(said, "U1: externalShift, scheduleUnknown", "{at}");
        assert_eq!(steps[0]["at"], "2026-01-06T12:00:00Z");
        assert_eq!(steps[0]["until"], Value::Null);
        assert_eq!(steps[1]["since"], "2026-01-19T08:00:00Z");
        assert_eq!(
            steps[1]["text"],
            "Nothing is known of the partner's schedule from Mon 19 Jan 2026, 09:00 (Europe/Oslo) on, so it stands as it was known last."
        );
    };
    unknown("2026-01-20T00:00Z");
    unknown("2026-01-21T00:00Z");
    rotation
        .get(&format!("/explain?at={}", rfc("2026-01-21T00:01Z")))
        .refused(409, "not_known_yet");
    // From the record, too.
    rotation.patch(json!({ "description": "Edited" })).is(200);
    unknown("2026-01-20T00:00Z");
    assert_eq!(steps(&rotation, last).0, "U1: externalShift");
    // A rotation that stands still does so whatever is known.
    rotation.patch(json!({ "enabled": false })).is(200);
    assert_eq!(
        steps(&rotation, "2026-01-21T00:00Z").0,
        "U1: frozen, externalShift"
    );
    let unlinked = rota.rotation("U1");
    link(&unlinked, json!({ "partner": "none" })).is(200);
    let (said, steps) = steps(&unlinked, "2026-01-21T00:00Z");
    assert_eq!(said, "-: scheduleUnknown");
    assert_eq!(steps[0]["since"], Value::Null);
    assert_eq!(
        steps[0]["text"],
        "The rotation follows no schedule of a partner yet."
    );
}
