//! Each kind, on the real program.

use super::*;

#[test]
fn nobody_no_fallback_and_absent_on_duty() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1", 1);
    let whole = "2026-01-05T08:00:00Z/2026-01-12T08:00:00Z 0 U1";
    assert_eq!(rotation.warned("noFallback", 7), [whole]);
    assert_eq!(rotation.warned("backToBack", 7), [whole]);
    rotation.away("U1", "2026-01-07T12:00Z", "2026-01-09T12:00Z");
    assert_eq!(
        rotation.warned("absentOnDuty", 7),
        ["2026-01-07T12:00:00Z/2026-01-08T09:00:00Z 0 U1"]
    );
    assert_eq!(
        rotation.warned("nobody", 7),
        ["2026-01-08T09:00:00Z/2026-01-09T12:00:00Z 0"]
    );
    let severities: Vec<String> = rotation
        .warnings(7)
        .iter()
        .map(|one| format!("{} {}", text(&one["kind"]), text(&one["severity"])))
        .collect();
    for expected in [
        "nobody high",
        "noFallback medium",
        "backToBack medium",
        "absentOnDuty high",
    ] {
        assert!(
            severities.contains(&expected.to_owned()),
            "{expected} in {severities:?}"
        );
    }
    // The record says the same afterwards.
    rota.to("2026-01-10T08:00:00Z");
    let record = rotation.history("2026-01-08T09:30:00Z", "2026-01-09T11:00:00Z");
    assert_eq!(record.len(), 1, "{record:?}");
    assert!(record[0].contains(" - "), "{record:?}");
    let members = json!({ "userIds": ["U1", "U2"] });
    rotation.patch(members).is(200);
    assert_eq!(rotation.warned("noFallback", 7), [""; 0]);
}

#[test]
fn empty_rosters_and_unfair_shares() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    assert_eq!(rotation.warned("unfair", 30), [""; 0]);
    rotation.away("U2", "2026-01-01T00:00Z", "2026-06-01T00:00Z");
    rotation.away("U3", "2026-01-01T00:00Z", "2026-06-01T00:00Z");
    assert_eq!(
        rotation.warned("unfair", 30),
        ["2026-01-05T08:00:00Z/2026-02-04T08:00:00Z - U1"]
    );
    rotation.patch(json!({ "userIds": [] })).is(200);
    let whole = "2026-01-05T08:00:00Z/2026-01-06T08:00:00Z 0";
    assert_eq!(rotation.warned("emptyRoster", 1), [whole]);
    assert_eq!(rotation.warned("nobody", 1), [whole]);
}

#[test]
fn two_rotations_at_once_and_little_rest_between_them() {
    let rota = Rota::with_people(4);
    let first = rota.daily("U1", 1);
    first.patch(json!({ "public": true })).is(200);
    let hidden = rota.create(json!({
        "name": "Hush", "owners": ["U4"], "userIds": ["U1", "U4"], "public": false,
    }));
    hidden.put_on_call("U1").is(200);
    let whole = "2026-01-05T08:00:00Z/2026-01-07T08:00:00Z 0 U1";
    for rotation in [&first, &hidden] {
        assert_eq!(rotation.warned("doubleDuty", 2), [whole]);
    }
    let texts = |rotation: &Rot| -> String {
        let found = rotation.warnings(2).into_iter();
        found
            .map(|one| text(&one["text"]).to_owned())
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert!(texts(&first).contains("Hush"), "{}", texts(&first));
    // U2 does not see the other rotation, and is not told its name.
    let seen = first.with(&rota.token("U2"));
    assert_eq!(seen.warned("doubleDuty", 2), [whole]);
    assert!(
        texts(&seen).contains("another rotation"),
        "{}",
        texts(&seen)
    );
    assert!(!texts(&seen).contains("Hush"));
    let all = |user: &str| -> Vec<String> {
        let caller = rota.with(&rota.token(user));
        let data = all_pages(&caller, "/v1/warnings?days=2", 200);
        let data = data.iter();
        let double = data.filter(|one| one["kind"] == "doubleDuty");
        let mut rotations: Vec<String> = double
            .map(|one| text(&one["rotationId"]).to_owned())
            .collect();
        rotations.sort();
        rotations
    };
    assert_eq!(all("U2"), std::slice::from_ref(&first.id));
    let mut both = [first.id.clone(), hidden.id.clone()];
    both.sort();
    assert_eq!(all("U4"), both);
    let hour = |start: &str, end: &str| {
        let rotation = rota.rotation("U2 U3");
        let days = [
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
            "saturday",
            "sunday",
        ];
        let hours_of = days
            .map(|day| format!("{day} {start} - {day} {end}"))
            .join(", ");
        rotation.cover(
            1,
            &[hours("UTC", &hours_of, weekly("UTC", "2026-01-05T00:00"))],
        );
        rotation.put_on_call("U2").is(200);
        rotation
    };
    let (day, evening) = (hour("09:00", "17:00"), hour("20:00", "23:00"));
    for (rotation, cell) in [(&day, 0), (&evening, 0)] {
        assert_eq!(
            rotation.warned("shortRest", 1),
            [format!(
                "2026-01-05T17:00:00Z/2026-01-06T04:00:00Z {cell} U2"
            ),],
            "{}",
            rotation.id
        );
        assert_eq!(rotation.warned("shortRest", 2).len(), 3);
    }
    let settings = json!({ "shortRestHours": 3 });
    day.put("/warning-settings", settings).is(200);
    assert_eq!(day.warned("shortRest", 1), [""; 0]);
    assert_eq!(evening.warned("shortRest", 1).len(), 1);
}

#[test]
fn hours_nights_clocks_and_holidays() {
    let rota = Rota::at("2026-03-25T08:00Z");
    let mut file = directory(2);
    file["users"][1]["timeZone"] = json!("Australia/Sydney");
    rota.import(&file);
    let rotation = rota.rotation("U1 U2");
    let mut clock = cadence(
        "daily",
        "Europe/Oslo",
        "2026-03-20T02:30",
        json!({ "times": ["02:30"] }),
    );
    clock["skipNationalHolidays"] = json!(true);
    clock["countryCodes"] = json!(["NO"]);
    rotation.cover(
        1,
        &[hours("Europe/Oslo", "monday 00:00 - sunday 22:00", clock)],
    );
    // The clocks went forward meanwhile.
    assert_eq!(
        rotation.warned("clockChange", 7),
        ["2026-03-29T01:30:00Z/2026-03-29T02:30:00Z 0"]
    );
    let uncovered = rotation.warned("uncovered", 7);
    assert_eq!(uncovered, ["2026-03-29T20:00:00Z/2026-03-29T22:00:00Z -"]);
    let nights = rotation.warned("nightWork", 7);
    assert!(
        nights.iter().any(|line| line.ends_with("0 U1")),
        "{nights:?}"
    );
    // Maundy Thursday and Good Friday are holidays in Norway.
    let holidays = rotation.warned("holidayDuty", 14).join("\n");
    assert!(holidays.contains("2026-04-02T"), "{holidays}");
    assert_eq!(rotation.warned("endsSoon", 366), [""; 0]);
}

#[test]
fn what_is_known_of_holidays_ends() {
    let rota = Rota::at("2050-12-06T00:00Z");
    rota.people(2);
    let rotation = rota.rotation("U1 U2");
    let mut cadence = weekly("UTC", "2050-12-06T00:00");
    cadence["skipNationalHolidays"] = json!(true);
    cadence["countryCodes"] = json!(["NO"]);
    rotation.cover(1, &[always(cadence)]);
    assert_eq!(rotation.warned("endsSoon", 20), [""; 0]);
    assert_eq!(
        rotation.warned("endsSoon", 30),
        ["2051-01-01T00:00:00Z/2051-01-05T00:00:00Z -"]
    );
}
