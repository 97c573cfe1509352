//! Instants at the limits of the calendar: "for ever", and historical offsets with seconds.

use crate::support::*;
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

const FOREVER: &str = "9999-12-31T23:59:59Z";

/// Notations of the last instant, with the offset that each member accepts.
const WITH_OFFSETS: [&str; 5] = [
    FOREVER,
    "9999-12-31T23:59:59.999Z",
    "9999-12-31T23:59:59+01:00",
    "9999-12-31T23:59:59-01:00",
    "9999-12-31T00:00:00-12:00",
];

/// An instant in a query.
fn encoded(instant: &str) -> String {
    instant.replace('+', "%2B")
}

#[test]
fn absences_may_last_for_ever() {
    for until in WITH_OFFSETS {
        let rota = Rota::with_people(2);
        let rotation = rota.daily("U1 U2", 1);
        let body = json!({ "userId": "U2", "from": "2026-01-05T00:00:00Z", "until": until });
        let answer = rota.post(&rotation.path("/availability"), body.clone());
        let absence = answer.is(201).json();
        assert_eq!(absence["until"], FOREVER, "{until}");
        // The response describes the same absence again.
        let again = json!({ "userId": "U2", "from": absence["from"], "until": absence["until"] });
        let same = rota.post(&rotation.path("/availability"), again).is(200);
        assert_eq!(same.json()["id"], absence["id"], "{until}");
        rota.to("2026-01-08T10:00Z");
        assert_eq!(rotation.on_call(), "U1", "{until}");
        let cell = rotation.read()["cells"][0]["holder"]["skippedForAbsence"].clone();
        assert_eq!(cell[0]["until"], FOREVER);
        let listed = format!(
            "/availability?from=2026-01-05T00:00:00Z&to={}",
            encoded(until)
        );
        let data = rotation.get(&listed).is(200).json()["data"].clone();
        assert_eq!(data.as_array().map(Vec::len), Some(1), "{until}");
    }
}

#[test]
fn arrangements_may_last_for_ever() {
    let rota = Rota::with_people(3);
    let manual = rota.rotation("U1 U2 U3");
    manual.put_on_call("U1").is(200);
    let daily = rota.daily("U1 U2 U3", 1);
    let shut = rota.rotation("U1 U2 U3");
    let office = weekdays("09:00", "17:00");
    shut.cover(
        1,
        &[hours(
            "Europe/Oslo",
            &office,
            weekly("Europe/Oslo", "2026-01-05T09:00"),
        )],
    );
    for rotation in [&manual, &daily, &shut] {
        let mut body = rotation.assignment(0, "U3", "2026-01-06T00:00Z", "2026-01-07T00:00Z");
        body["to"] = json!(FOREVER);
        let preview = rotation.try_preview(&body).is(200).json();
        assert_eq!(preview["to"], FOREVER);
        let written = rotation.post_arrangement("", &body).is(200).json();
        let record = only_arrangement(&written);
        assert_eq!(record["to"], FOREVER);
        let path = format!("/duty-arrangements/{}", text(&record["id"]));
        assert_eq!(rotation.get(&path).is(200).json(), record);
        let listed = format!("/duty-arrangements?from=2026-01-01T00:00:00Z&to={FOREVER}");
        assert_eq!(rotation.get(&listed).is(200).json()["data"][0], record);
        rotation
            .get("/schedule?from=2026-01-05T00:00:00Z&to=2026-02-05T00:00:00Z")
            .is(200);
    }
    rota.to("2026-03-03T12:00Z");
    for rotation in [&manual, &daily, &shut] {
        assert_eq!(rotation.on_call(), "U3");
        let entry = rotation.get("/on-call").is(200).json()["onCall"][0].clone();
        assert_eq!(entry["until"], FOREVER, "{entry}");
    }
    assert_eq!(
        manual.read()["onCall"]["onCall"][0]["coveredUntil"],
        FOREVER
    );
    // Only a write ends them.
    for rotation in [&manual, &daily, &shut] {
        let listed = format!("/duty-arrangements?from=2026-01-01T00:00:00Z&to={FOREVER}");
        let record = rotation.get(&listed).is(200).json()["data"][0].clone();
        let body = json!({ "operationId": unique("end"), "expectedRevision": record["revision"] });
        let path = format!("/{}/end", text(&record["id"]));
        rotation.post_arrangement(&path, &body).is(200);
    }
}

#[test]
fn covers_may_last_for_ever_where_the_duty_does() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.put_on_call("U1").is(200);
    let (asker, taker) = (rota.token("U1"), rota.token("U2"));
    let body = json!({
        "operationId": unique("cover"), "cellId": rotation.cell_id(0), "recipientUserIds": ["U2"],
        "from": "2026-01-06T00:00:00Z", "to": FOREVER,
    });
    let path = rotation.path("/cover-requests");
    let asked = rota.with(&asker).post_if(&path, "*", body).is(200).json();
    let request = asked["request"]["request"].clone();
    assert_eq!(request["to"], FOREVER, "{asked}");
    rotation.patch(json!({ "name": "Other" })).is(200);
    let step = json!({ "operationId": unique("accept"), "expectedRevision": request["revision"] });
    let accept = format!("{path}/{}/accept", text(&request["id"]));
    let taken = rota.with(&taker).post_if(&accept, "*", step).is(200).json();
    assert_eq!(only_arrangement(&taken)["to"], FOREVER);
    let listed = format!("{path}?from=2026-01-01T00:00:00Z&to={FOREVER}");
    let list = rota.get(&listed).is(200).json();
    assert_eq!(
        (&list["to"], list["items"].as_array().map(Vec::len)),
        (&json!(FOREVER), Some(1))
    );
    rota.to("2026-01-06T00:00Z");
    assert_eq!(rotation.on_call(), "U2");
    // A swap may be at most six months ahead.
    let leg = |key: &str, holder: &str| {
        json!({ "key": key, "cellId": rotation.cell_id(0), "holderUserId": holder,
                "from": "2026-02-01T00:00:00Z", "to": FOREVER })
    };
    let swap = json!({ "operationId": unique("swap"), "recipientUserId": "U3",
                       "legs": [leg("a", "U1"), leg("b", "U3")] });
    let swaps = rotation.path("/swap-requests");
    rota.with(&asker)
        .post_if(&swaps, "*", swap)
        .refused(400, "invalid_request");
}

#[test]
fn a_cadence_may_begin_at_the_end_of_time() {
    let rota = Rota::with_people(2);
    for (starts_at, last) in WITH_OFFSETS.map(|text| (text, true)).into_iter().chain([
        ("9999-12-31T23:59:59", true),
        ("9999-12-30T21:00:00Z", false),
        ("9999-12-30T22:00:00Z", true),
        ("9999-12-01T09:00:00+14:00", false),
    ]) {
        for zone in ["UTC", "Pacific/Kiritimati", "America/New_York"] {
            for (kind, more) in [
                ("dayOfWeek", json!({})),
                ("dayOfMonth", json!({ "period": 7 })),
                ("daily", json!({ "times": ["00:00", "23:59"] })),
                (
                    "daysOfWeekList",
                    json!({ "daysOfWeek": ["monday", "sunday"], "period": 3 }),
                ),
                (
                    "nthWeekdayOfMonth",
                    json!({ "dayOfWeek": "friday", "weeksInMonth": [1, 5] }),
                ),
                ("workday", json!({ "countryCodes": ["NO"], "period": 2 })),
                (
                    "dayOfWeek",
                    json!({ "skipWeekends": true, "skipNationalHolidays": true, "countryCodes": ["DE"] }),
                ),
            ] {
                let rotation = rota.rotation("U1 U2");
                let mut cadence = json!({ "type": kind, "timeZone": zone, "startsAt": starts_at });
                for (name, value) in more.as_object().into_iter().flatten() {
                    cadence[name] = value.clone();
                }
                let mut window = always(cadence.clone());
                window["timeZone"] = json!(zone);
                let body = rotation.grid(1, &[window]);
                let first = rotation.put("/coverage", body.clone()).is(200);
                let (etag, shown) = (first.etag(), first.json());
                let shown = &shown["windows"][0]["cadence"];
                let what = format!("{starts_at} {zone} {kind}");
                if last {
                    assert_eq!(shown["startsAt"], FOREVER, "{what}");
                    assert_eq!(shown["nextEvents"], json!([]), "{what}");
                    if kind == "dayOfMonth" {
                        assert_eq!(shown["dayOfMonth"], 31);
                    }
                }
                let mut again = body;
                again["windows"][0]["cadence"]["startsAt"] = shown["startsAt"].clone();
                let second = rotation.put("/coverage", again).is(200);
                assert_eq!(second.etag(), etag, "{what}");
            }
        }
    }
}

#[test]
fn the_clock_may_stand_at_the_end_of_time() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.put_on_call("U1").is(200);
    let mut body = rotation.assignment(0, "U2", "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    body["to"] = json!(FOREVER);
    rotation.post_arrangement("", &body).is(200);
    let to = rota
        .post("/dev/clock", json!({ "to": FOREVER }))
        .is(200)
        .json();
    assert_eq!(to["now"], FOREVER);
    rotation.get("").is(200);
    rotation.get("/on-call").is(200);
    rotation.put_on_call("U3").is(200);
    rotation.rotate();
    let daily = rota.rotation("U1 U2");
    daily
        .put("/coverage", daily.grid(1, &[always(daily_cadence())]))
        .is(200);
    daily.get("").is(200);
    let open = rota.rotation("U1 U2");
    let office = weekdays("09:00", "17:00");
    open.cover(
        1,
        &[hours(
            "Asia/Tokyo",
            &office,
            weekly("Asia/Tokyo", "2026-01-05T09:00"),
        )],
    );
    rota.get("/readyz").is(200);
    rota.get("/metrics").is(200);
    rota.post("/dev/clock", json!({ "advanceSeconds": 1 }))
        .refused(400, "invalid_request");
    let log = rota.process.log.text();
    assert!(!log.contains("panicked"), "{log}");
}

fn daily_cadence() -> Value {
    cadence(
        "daily",
        "UTC",
        "2026-01-06T09:00",
        json!({ "times": ["09:00"] }),
    )
}

#[test]
fn an_instant_past_the_last_year_is_none() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    for wrong in [
        "10000-01-01T00:00:00Z",
        "9999-12-32T00:00:00Z",
        "9999-12-31T24:00:00Z",
        "+9999-12-31T23:59:59Z",
    ] {
        let body = json!({ "userId": "U1", "from": "2026-01-05T00:00:00Z", "until": wrong });
        rota.post(&rotation.path("/availability"), body)
            .refused(400, "invalid_request");
    }
}

/// Anchors between 1850 and 2100, including offsets with seconds.
#[test]
fn an_anchor_read_is_the_anchor_written() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let zones = [
        "Europe/Paris",
        "Africa/Monrovia",
        "Europe/Amsterdam",
        "America/New_York",
        "Asia/Kolkata",
        "Asia/Singapore",
        "Pacific/Apia",
        "Australia/Lord_Howe",
        "Europe/Dublin",
        "Asia/Riyadh",
    ];
    let begin = "1850-01-01T00:00:00Z".parse::<Timestamp>().unwrap();
    // A fixed step through the years that covers every month, weekday and second.
    let step = SignedDuration::new(86_400 * 521 + 3_667, 999_000_000);
    let anchors = (0..175).map(|n| begin + step * n);
    let known = [
        "1900-01-01T00:00:00Z",
        "1970-01-01T00:00:00Z",
        "1911-03-10T23:50:39Z",
    ]
    .map(|text| text.parse::<Timestamp>().unwrap());
    for (n, at) in known.into_iter().chain(anchors).enumerate() {
        let zone = match n {
            0 => "Europe/Paris",
            1 => "Africa/Monrovia",
            _ => zones[n % zones.len()],
        };
        let window = |starts_at: Value| {
            let cadence = json!({ "type": "dayOfWeek", "timeZone": zone, "startsAt": starts_at });
            rotation.grid(1, &[always(cadence)])
        };
        let written = rotation
            .put("/coverage", window(json!(at.to_string())))
            .is(200);
        let (etag, shown) = (written.etag(), written.json());
        let shown = shown["windows"][0]["cadence"]["startsAt"].clone();
        assert_eq!(
            text(&shown).parse::<Timestamp>().ok(),
            Some(at),
            "{zone} {shown}"
        );
        // The offset is the zone's own, except for its seconds.
        let own = TimeZone::get(zone).unwrap().to_offset(at).seconds();
        let zoned = jiff::fmt::temporal::DateTimeParser::new();
        let pieces = zoned.parse_pieces(text(&shown)).unwrap();
        let offset = pieces.to_numeric_offset().unwrap_or(Offset::UTC);
        assert_eq!(offset.seconds(), own - own % 60, "{zone} {shown}");
        let again = rotation.put("/coverage", window(shown.clone())).is(200);
        assert_eq!(again.etag(), etag, "{zone} {at}");
        assert_eq!(again.json()["windows"][0]["cadence"]["startsAt"], shown);
    }
}
