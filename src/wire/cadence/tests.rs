use super::*;
use crate::wire::body;
use serde_json::{Value, json};

fn read(change: Value) -> Result<Option<cadence::Cadence>, String> {
    let mut cadence =
        json!({ "type": "dayOfWeek", "timeZone": "Europe/Oslo", "startsAt": "2026-11-23T09:00" });
    for (name, value) in change.as_object().unwrap() {
        match value {
            Value::String(text) if text == "absent" => {
                cadence.as_object_mut().unwrap().remove(name)
            }
            value => cadence
                .as_object_mut()
                .unwrap()
                .insert(name.clone(), value.clone()),
        };
    }
    let parsed = body::parse::<CadenceRequest>(cadence.to_string().as_bytes());
    match parsed.and_then(|cadence| cadence.read("windows[0].cadence")) {
        Ok(cadence) => Ok(cadence),
        Err(refusal) => Err(crate::tests::detail(&refusal)),
    }
}

#[test]
fn refusals_name_the_wrong_member() {
    for (change, member) in [
        (json!({ "type": "weekly" }), "type: send one of `dayOfWeek`"),
        (json!({ "type": "external" }), "type"),
        (json!({ "type": 5 }), "type"),
        (json!({ "type": "absent" }), "type: missing"),
        (json!({ "timeZone": "absent" }), "cadence.timeZone: missing"),
        (json!({ "timeZone": null }), "timeZone"),
        (
            json!({ "timeZone": "US/Pacific" }),
            "use America/Los_Angeles",
        ),
        (json!({ "timeZone": "+02:00" }), "timeZone"),
        (json!({ "startsAt": "absent" }), "cadence.startsAt: missing"),
        (json!({ "startsAt": "monday" }), "startsAt"),
        (json!({ "period": 0 }), "cadence.period: send 1 or more"),
        (json!({ "period": "x" }), "period"),
        (json!({ "period": null }), "period"),
        (json!({ "skipWeekends": true }), "cadence.countryCodes"),
        (
            json!({ "skipNationalHolidays": true, "countryCodes": [] }),
            "cadence.countryCodes",
        ),
        (json!({ "skipWeekends": "yes" }), "skipWeekends"),
        (json!({ "countryCodes": ["NO", "no"] }), "countryCodes[1]"),
        (
            json!({ "countryCodes": ["N\0\u{7f}"] }),
            "countryCodes[0]: `N\u{fffd}\u{fffd}` is not known",
        ),
        (json!({ "countryCodes": "NO" }), "countryCodes"),
        (json!({ "type": "workday" }), "cadence.countryCodes"),
        (json!({ "type": "daysOfWeekList" }), "cadence.daysOfWeek"),
        (
            json!({ "type": "daysOfWeekList", "daysOfWeek": ["Monday"] }),
            "daysOfWeek[0]",
        ),
        (
            json!({ "type": "nthWeekdayOfMonth", "weeksInMonth": [1] }),
            "cadence.dayOfWeek",
        ),
        (
            json!({ "type": "nthWeekdayOfMonth", "dayOfWeek": "monday" }),
            "cadence.weeksInMonth",
        ),
        (
            json!({ "type": "nthWeekdayOfMonth", "dayOfWeek": "monday", "weeksInMonth": [1, 6] }),
            "cadence.weeksInMonth[1]: send 1 to 5, not 6",
        ),
        (json!({ "type": "daily" }), "cadence.times"),
        (
            json!({ "type": "daily", "times": ["9:00"] }),
            "times[0]: send a time of day as HH:mm",
        ),
        (
            json!({ "type": "daily", "times": vec!["09:00"; 49] }),
            "cadence.times: send at most 48",
        ),
    ] {
        let detail = read(change.clone()).expect_err("a refusal");
        assert!(detail.contains(member), "{change}: {detail}");
    }
}

#[test]
fn cadences_are_read() {
    let kind = |change| read(change).unwrap().unwrap().kind;
    assert_eq!(kind(json!({})), Kind::DayOfWeek);
    let nth =
        json!({ "type": "nthWeekdayOfMonth", "dayOfWeek": "friday", "weeksInMonth": ["5", 1, 5] });
    let expected = Kind::NthWeekdayOfMonth {
        weekday: jiff::civil::Weekday::Friday,
        weeks: vec![5, 1],
    };
    assert_eq!(kind(nth), expected);
    assert_eq!(
        read(json!({ "type": "manual", "timeZone": "absent" })),
        Ok(None)
    );
    let workday = read(json!({ "type": "workday", "countryCodes": ["GB-SCT"], "period": "2" }));
    let workday = workday.unwrap().unwrap();
    assert!(workday.skips.weekends && workday.skips.national_holidays);
    assert_eq!(
        (workday.period, workday.starts_at.to_string().as_str()),
        (2, "2026-11-23T09:00:00Z")
    );
}
