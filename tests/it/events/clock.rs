//! Scheduled events: hand-overs, windows and absences, after downtime, and changes by another process.

use crate::cli::{imported, key, on, succeeds};
use crate::events::{Reader, word};
use crate::support::*;
use serde_json::{Value, json};

const DAYTIME: (&str, &str) = ("09:00", "17:00");

/// Working days within these hours, handed over on Mondays at their start.
fn office((start, end): (&str, &str)) -> Value {
    let cadence = weekly("UTC", &format!("2026-01-12T{start}"));
    hours("UTC", &weekdays(start, end), cadence)
}

/// An event with its instant: `2026-01-06T09:00Z duty scheduled U2`.
fn line(body: &Value) -> String {
    let on_call = people_on_call(&body["rotation"]["onCall"]);
    let emitted = format!("{} {} {on_call}", instant(&body["timestamp"]), word(body));
    emitted.trim_end().to_owned()
}

type Make = fn(&Rota) -> Rot<'_>;

fn daily(rota: &Rota) -> Rot<'_> {
    rota.daily("U1 U2 U3", 1)
}

fn alone(rota: &Rota) -> Rot<'_> {
    rota.daily("U1", 1)
}

fn pair(rota: &Rota) -> Rot<'_> {
    rota.daily("U1 U2 U3", 2)
}

fn full(rota: &Rota) -> Rot<'_> {
    rota.daily("U1 U2", 2)
}

fn daytime(rota: &Rota) -> Rot<'_> {
    let rotation = rota.rotation("U1 U2");
    rotation.cover(1, &[office(DAYTIME)]);
    rotation
}

/// Open without anyone to deal to: its only member is away until Tuesday noon.
fn daytime_away(rota: &Rota) -> Rot<'_> {
    let rotation = rota.rotation("U1");
    rotation.away("U1", MONDAY, "2026-01-06T12:00Z");
    rotation.cover(1, &[office(DAYTIME)]);
    rotation
}

/// Follow-the-sun: the day's window shuts as the night's opens.
fn sun(rota: &Rota) -> Rot<'_> {
    let rotation = rota.rotation("U1 U2");
    rotation.cover(1, &[office(("07:00", "17:00")), office(("17:00", "23:00"))]);
    rotation
}

fn away_at_hand_over(rota: &Rota) -> Rot<'_> {
    let rotation = alone(rota);
    rotation.away("U1", "2026-01-06T08:00Z", "2026-01-06T10:00Z");
    rotation
}

fn next_is_away(rota: &Rota) -> Rot<'_> {
    let rotation = daily(rota);
    rotation.away("U2", "2026-01-06T08:00Z", "2026-01-06T10:00Z");
    rotation
}

fn empty_until_hand_over(rota: &Rota) -> Rot<'_> {
    let rotation = rota.rotation("U1");
    rotation.away("U1", MONDAY, "2026-01-06T09:00Z");
    rotation.cover(1, &[always(crate::support::daily())]);
    rotation
}

/// Two slots and one person: the other slot is empty, so an event is published.
fn daytime_half(rota: &Rota) -> Rot<'_> {
    let rotation = rota.rotation("U1");
    rotation.cover(2, &[office(DAYTIME)]);
    rotation
}

fn disabled(rota: &Rota) -> Rot<'_> {
    let rotation = daily(rota);
    rotation.patch(json!({ "enabled": false })).is(200);
    rotation
}

fn manual(rota: &Rota) -> Rot<'_> {
    let rotation = rota.rotation("U1 U2");
    rotation.put_on_call("U1").is(200);
    rotation
}

#[test]
fn the_clock_tells_what_changes_hands() {
    type Row<'a> = (Make, &'a str, &'a [&'a str]);
    let rows: &[Row] = &[
        (daily, "2026-01-06T08:59:59Z", &[]),
        (
            daily,
            "2026-01-06T09:00Z",
            &["2026-01-06T09:00Z duty scheduled U2"],
        ),
        (
            pair,
            "2026-01-06T09:00Z",
            &["2026-01-06T09:00Z duty scheduled U3 U1"],
        ),
        // The same people again.
        (alone, "2026-01-08T09:00Z", &[]),
        (full, "2026-01-08T09:00Z", &[]),
        (disabled, "2026-01-08T09:00Z", &[]),
        (manual, "2026-01-08T09:00Z", &[]),
        // Windows.
        (
            daytime,
            "2026-01-06T09:00Z",
            &[
                "2026-01-05T09:00Z duty scheduled U1",
                "2026-01-05T17:00Z duty scheduled",
                "2026-01-05T17:00Z nobody as-arranged 2026-01-06T09:00Z",
                "2026-01-06T09:00Z duty scheduled U1",
            ],
        ),
        (
            sun,
            "2026-01-06T07:00Z",
            &[
                "2026-01-05T17:00Z duty scheduled U2",
                "2026-01-05T23:00Z duty scheduled",
                "2026-01-05T23:00Z nobody as-arranged 2026-01-06T07:00Z",
                "2026-01-06T07:00Z duty scheduled U1",
            ],
        ),
        // A window opens on an empty slot, and shuts on it.
        (
            daytime_away,
            "2026-01-06T12:00Z",
            &[
                "2026-01-05T09:00Z nobody unplanned",
                "2026-01-06T09:00Z nobody unplanned",
                "2026-01-06T12:00Z duty scheduled U1",
            ],
        ),
        // The start and end of an absence publish nothing, their consequences do.
        (
            away_at_hand_over,
            "2026-01-06T10:00Z",
            &[
                "2026-01-06T09:00Z duty scheduled",
                "2026-01-06T09:00Z nobody unplanned",
                "2026-01-06T10:00Z duty scheduled U1",
            ],
        ),
        // An absence that ends at a hand-over is one change with it.
        (
            empty_until_hand_over,
            "2026-01-06T09:00Z",
            &["2026-01-06T09:00Z duty scheduled U1"],
        ),
        (
            daytime_half,
            "2026-01-05T17:00Z",
            &[
                "2026-01-05T09:00Z duty scheduled U1",
                "2026-01-05T09:00Z nobody unplanned U1",
                "2026-01-05T17:00Z duty scheduled",
                "2026-01-05T17:00Z nobody as-arranged 2026-01-06T09:00Z",
            ],
        ),
        (
            next_is_away,
            "2026-01-07T08:00Z",
            &["2026-01-06T09:00Z duty scheduled U3"],
        ),
    ];
    for (row, (make, until, expected)) in rows.iter().enumerate() {
        let rota = Rota::with_people(3);
        let rotation = make(&rota);
        let mut reader = Reader::new(&rota);
        rota.to(until);
        let news = reader.news();
        let emitted: Vec<String> = news.iter().map(line).collect();
        assert_eq!(emitted, *expected, "row {row}");
        let now = rota.now();
        for body in news
            .iter()
            .filter(|body| instant(&body["timestamp"]) == now)
        {
            assert_eq!(body["rotation"], rotation.read(), "row {row}");
        }
    }
}

#[test]
fn friday_resumes_on_monday() {
    let rota = Rota::at("2026-01-09T12:00Z");
    rota.people(2);
    let rotation = rota.rotation("U1 U2");
    rotation.cover(1, &[office(DAYTIME)]);
    let mut reader = Reader::new(&rota);
    rota.to("2026-01-09T17:00Z");
    let nobody = "duty scheduled, nobody as-arranged 2026-01-12T09:00Z";
    assert_eq!(reader.words(), nobody);
    // The window opens for the person who gets the slot in the hand-over of that instant.
    rota.to("2026-01-12T09:00Z");
    assert_eq!(reader.words(), "duty scheduled");
    assert_eq!(rotation.on_call(), "U2");
}

#[test]
fn days_off_are_as_arranged() {
    let rota = Rota::at("2026-01-09T12:00Z");
    rota.people(2);
    let rotation = rota.rotation("U1 U2");
    let more = json!({ "times": ["09:00"], "skipWeekends": true, "countryCodes": ["NO"] });
    let skipping = cadence("daily", "UTC", "2026-01-12T09:00", more);
    rotation.cover(1, &[always(skipping)]);
    let mut reader = Reader::new(&rota);
    let off = |on: bool| drop(rotation.patch(json!({ "skipsAreOffTime": on })).is(200));
    off(true);
    assert_eq!(reader.words(), "updated");
    rota.to("2026-01-10T00:00Z");
    let nobody = "nobody as-arranged 2026-01-12T00:00Z";
    assert_eq!(reader.words(), format!("duty scheduled, {nobody}"));
    rota.to("2026-01-10T12:00Z");
    off(false);
    assert_eq!(reader.words(), "updated, duty scheduled");
    off(true);
    assert_eq!(reader.words(), format!("updated, duty manual, {nobody}"));
    rota.to("2026-01-12T00:00Z");
    assert_eq!(reader.words(), "duty scheduled");
}

/// Changes during a disabled period publish nothing; changes on enabling do.
#[test]
fn enabling_tells_how_things_stand_now() {
    let rota = Rota::at("2026-01-05T12:00Z");
    rota.people(2);
    let rotation = daytime(&rota);
    let mut reader = Reader::new(&rota);
    let enabled = |on: bool| drop(rotation.patch(json!({ "enabled": on })).is(200));
    enabled(false);
    assert_eq!(reader.words(), "updated");
    rota.to("2026-01-05T18:00Z");
    assert_eq!(reader.words(), "");
    enabled(true);
    let nobody = "nobody as-arranged 2026-01-06T09:00Z";
    assert_eq!(reader.words(), format!("updated, duty manual, {nobody}"));
    enabled(false);
    assert_eq!(reader.words(), "updated");
    rota.to("2026-01-07T12:00Z");
    assert_eq!(reader.words(), "");
    enabled(true);
    assert_eq!(reader.words(), "updated, duty scheduled");
}

#[test]
fn an_absence_that_ends_everywhere_is_told_everywhere() {
    let rota = Rota::with_people(2);
    let body = json!({
        "userId": "U1", "from": rfc(MONDAY), "until": "2026-02-01T00:00:00Z", "appliesTo": "allRotations",
    });
    let first = rota.rotation("U1");
    let absence = rota.post(&first.path("/availability"), body).is(201).json();
    first.cover(1, &[always(crate::support::daily())]);
    let second = alone(&rota);
    let held = rota.daily("U2 U1", 1);
    let mut reader = Reader::new(&rota);
    first.back(text(&absence["id"]));
    let news = reader.news();
    for rotation in [&first, &second] {
        let emitted = news
            .iter()
            .filter(|body| body["rotationId"] == json!(rotation.id));
        let emitted: Vec<String> = emitted.map(line).collect();
        assert_eq!(emitted, [format!("{MONDAY} duty scheduled U1")]);
    }
    assert_eq!(news.len(), 2);
    assert_eq!(held.on_call(), "U2");
}

/// Later attempts have the same event: id, timestamp and body, whatever has changed since.
#[test]
fn a_retried_event_is_the_same() {
    let rota = Rota::with_people(2);
    let (_, receiver) = rota.hook("rotation.created");
    receiver.answers(json!({ "status": 500 }));
    let rotation = rota.rotation("U1 U2");
    rotation.patch(json!({ "name": "Later" })).is(200);
    rota.advance(0);
    receiver.answers(json!({ "status": 204 }));
    rota.advance(60);
    let requests = receiver.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0]["body"], requests[1]["body"]);
    let at = |request: &Value| text(&request["headers"]["service-timestamp"]).parse::<i64>();
    let times = [at(&requests[0]).unwrap(), at(&requests[1]).unwrap()];
    assert_eq!(times[1] - times[0], 1, "each attempt has its own time");
    rota.advance(DAY);
    assert_eq!(receiver.requests().len(), 2, "delivered once");
}

#[test]
fn a_moved_clock_announces_every_instant() {
    let rota = Rota::with_people(3);
    let mut reader = Reader::new(&rota);
    let (first, second) = (daily(&rota), rota.daily("U3 U2", 1));
    let made = reader.news();
    let begun = made.last().expect("news")["version"].as_u64().unwrap();
    rota.to("2026-01-19T09:00Z");
    let news = reader.news();
    assert_eq!(news.len(), 28);
    for (rotation, order) in [(&first, words("U2 U3 U1")), (&second, words("U2 U3"))] {
        let own = news
            .iter()
            .filter(|body| body["rotationId"] == json!(rotation.id));
        let own: Vec<&Value> = own.collect();
        assert_eq!(own.len(), 14);
        for (day, body) in (0..).zip(own) {
            let at = plus("2026-01-06T09:00Z", day * DAY);
            let who = &order[day as usize % order.len()];
            assert_eq!(line(body), format!("{at} duty scheduled {who}"));
            assert_eq!(body["version"], json!(begun + 1 + day as u64));
        }
    }
    let mut instants: Vec<&str> = news.iter().map(|body| text(&body["timestamp"])).collect();
    instants.dedup();
    assert_eq!(instants.len(), 14, "in order, both rotations at each");
    assert!(instants.is_sorted());
    assert_eq!(
        news.iter()
            .rev()
            .take(2)
            .filter(|body| {
                let path = format!("/v1/rotations/{}", text(&body["rotationId"]));
                rota.get(&path).is(200).json() == body["rotation"]
            })
            .count(),
        2
    );
}

/// The events of several rotations, sorted, each with its name.
fn by_name(news: &[Value]) -> Vec<String> {
    let mut emitted: Vec<String> = (news.iter())
        .map(|body| format!("{}: {}", text(&body["rotation"]["name"]), line(body)))
        .collect();
    emitted.sort();
    emitted
}

/// rules.md 5.2.
#[test]
fn downtime_is_told_once_a_rotation() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(3);
    let made: [(&str, Make); 6] = [
        ("daily", daily),
        ("alone", alone),
        ("pair", pair),
        ("daytime", daytime),
        ("away", away_at_hand_over),
        ("empty", daytime_away),
    ];
    for (name, make) in made {
        make(&rota).patch(json!({ "name": name })).is(200);
    }
    let hook = rota.hook("duty.changed nobody.on_call").0.id;
    rota.to("2026-01-05T10:00Z");
    let known = rota.get(&format!("/v1/webhooks/{hook}/deliveries"));
    let known = int(&known.is(200).json()["totalItems"]);
    rota.stop();
    // Three hand-overs later, at night.
    let rota = Start::default().db(&db).clock("2026-01-08T20:00Z").go();
    let path = format!("/v1/webhooks/{hook}");
    // The receiver's address changed with the server; the next attempt uses the new one.
    let receiver = rota.receiver();
    let url = json!({
        "name": "moved", "url": receiver.url(), "eventTypes": ["duty.changed", "nobody.on_call"],
    });
    rota.put_if(&path, "*", url).is(200);
    rota.advance(2);
    let news = receiver.bodies();
    // If the same people are on call as before, nothing is published.
    assert_eq!(
        by_name(&news),
        [
            "daytime: 2026-01-08T20:00Z duty scheduled",
            "daytime: 2026-01-08T20:00Z nobody as-arranged 2026-01-09T09:00Z",
        ]
    );
    let total = rota.get(&format!("{path}/deliveries")).is(200).json();
    assert_eq!(int(&total["totalItems"]), known + 2);
}

#[test]
fn downtime_tells_where_a_rotation_ended_up() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(3);
    let (daily, second) = (daily(&rota).id, rota.daily("U3 U1 U2", 2).id);
    let hook = rota.hook(ALL_EVENTS).0.id;
    rota.stop();
    let rota = Start::default().db(&db).clock("2026-01-07T12:00Z").go();
    let receiver = rota.receiver();
    let url = json!({ "name": "moved", "url": receiver.url(), "eventTypes": [] });
    rota.put_if(&format!("/v1/webhooks/{hook}"), "*", url)
        .is(200);
    rota.advance(2);
    let news = receiver.bodies();
    assert_eq!(news.len(), 2, "one each");
    for (id, on_call) in [(&daily, "U3"), (&second, "U1 U2")] {
        let body = news.iter().find(|body| body["rotationId"] == json!(id));
        let body = body.expect("news of the rotation");
        assert_eq!(
            line(body),
            format!("2026-01-07T12:00Z duty scheduled {on_call}")
        );
        let path = format!("/v1/rotations/{id}");
        assert_eq!(body["rotation"], rota.get(&path).is(200).json());
        assert_eq!(body["self"], format!("{}{path}", rota.url).as_str());
    }
}

/// There is no receiver: what was sent is read from the log of attempts.
#[test]
fn self_is_where_others_reach_the_server() {
    let (dir, db) = imported();
    let key = key(
        &db,
        "--scope read:rotations write:rotations manage:webhooks",
    );
    let mut command = on(
        &db,
        "serve --listen 127.0.0.1:0 --base-url https://rota.example/",
    );
    command.env("ROTA_WEBHOOKS_ALLOW_NETS", "127.0.0.1");
    command.env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", "0");
    let rota = serve(command, &key);
    let hook = rota.hook_at("https://127.0.0.1:1/", "rotation.created rotation.updated");
    let rotation = rota.rotation("U1 U2");
    let mut people = directory(3);
    people["users"].as_array_mut().unwrap().remove(1);
    dir.file("people.json", people.to_string());
    succeeds(&db, "directory import people.json --yes");
    let expected = format!("https://rota.example{}", rotation.path(""));
    eventually("an attempt of both", || {
        let listed = hook.deliveries();
        listed.len() == 2
            && listed
                .iter()
                .all(|delivery| !hook.attempts(text(&delivery["deliveryId"])).is_empty())
    });
    for delivery in hook.deliveries() {
        let attempts = hook.attempts(text(&delivery["deliveryId"]));
        let body: Value = serde_json::from_str(text(&attempts[0]["requestBody"])).unwrap();
        assert_eq!(body["self"], expected.as_str(), "{}", body["eventType"]);
    }
}

#[test]
fn a_command_beside_the_server_is_news_too() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().running_clock().db(&db).go();
    let import = |users: &str| {
        let mut all = directory(3);
        all["groups"] = json!([group("G1", users)]);
        dir.file("people.json", all.to_string());
        succeeds(&db, "directory import people.json --yes");
    };
    import("U1 U2");
    let body = json!({ "name": "G", "owners": ["U3"], "userIds": [], "userGroupIds": ["G1"] });
    let rotation = rota.create(body);
    rotation.put_on_call("U1").is(200);
    let (_, receiver) = rota.hook(ALL_EVENTS);
    for (users, expected) in [
        ("U1 U3 U2", "rotation.updated"),
        ("U3 U2", "rotation.updated duty.changed nobody.on_call"),
    ] {
        import(users);
        let count = words(expected).len();
        assert_eq!(receiver.events(count), expected);
        let now = rotation.read();
        for body in receiver.bodies() {
            assert_eq!(body["rotation"], now);
            assert_eq!(
                body["self"],
                format!("{}{}", rota.url, rotation.path("")).as_str()
            );
        }
        receiver.forget();
    }
    // A change without effect publishes nothing; the following one is alone.
    import("U3 U2");
    rotation.patch(json!({ "name": "Last" })).is(200);
    assert_eq!(receiver.events(1), "rotation.updated");
}
