//! Changes at their instants, with what is shown, recorded and published.

use super::*;

/// rules.md 22.5 and 22.8.
#[test]
fn changes_happen_at_their_instants_while_the_partner_is_off() {
    let (pager, rota) = started();
    let rotation = linked(&rota, "S1");
    let (_hook, receiver) = rota.hook(ALL_EVENTS);
    pager.troubles(Trouble::Closes);
    for (now, who) in [
        ("2026-01-05T11:59Z", "U1|-"),
        ("2026-01-05T12:00Z", "U2|-"),
        ("2026-01-06T00:00Z", "|-"),
        ("2026-01-06T06:00Z", "|Pager 3"),
        ("2026-01-06T12:00Z", "U1|-"),
    ] {
        rota.to(now);
        assert_eq!(on_call(&rotation), who, "{now}");
        assert_eq!(external(&rotation)["state"], "stale", "{now}");
    }
    let told: Vec<String> = receiver
        .bodies()
        .iter()
        .map(|body| {
            let unknown = text(&body["rotation"]["onCall"]["unmappedExternalDuty"]["name"]);
            let why = format!("{}{}", text(&body["cause"]), text(&body["reason"]));
            format!("{} {why} {unknown}", text(&body["eventType"]))
        })
        .collect();
    assert_eq!(
        told,
        [
            "duty.changed scheduled- -",
            "duty.changed scheduled- -",
            "nobody.on_call -nobody-on-call-unplanned -",
            "duty.changed scheduled- Pager 3",
            "duty.changed scheduled- -",
        ]
    );
    let history = rota.caller().all(&rotation.path(&format!(
        "/history?from={}&to={}",
        rfc("2026-01-05T00:00Z"),
        rfc("2026-01-07T00:00Z")
    )));
    let lines: Vec<String> = history
        .iter()
        .filter(|entry| entry["reason"] == "change-in-external-schedule")
        .map(|entry| {
            let nobody = entry["nobodyWasOnCall"].as_bool().unwrap();
            format!(
                "{} {} {nobody}",
                text(&entry["start"]),
                text(&entry["userId"])
            )
        })
        .collect();
    assert_eq!(
        lines,
        [
            "2026-01-05T08:00:00Z U1 false",
            "2026-01-05T12:00:00Z U2 false",
            "2026-01-06T00:00:00Z - true",
            "2026-01-06T06:00:00Z - false",
            "2026-01-06T12:00:00Z U1 false",
        ]
    );
    let schedule = rota.caller().all(&rotation.path(&format!(
        "/schedule?from={}&to={}",
        rfc("2026-01-06T00:00Z"),
        rfc("2026-03-01T00:00Z")
    )));
    assert_eq!(schedule.len(), 1);
    assert_eq!(schedule[0]["end"], "2026-01-25T00:00:00Z");
    assert_eq!(schedule[0]["userId"], "U1");
}

/// rules.md 22.6.
#[test]
fn a_reading_that_changes_who_is_on_call_counts_at_once() {
    let (pager, rota) = started();
    let rotation = linked(&rota, "S1");
    rotation.posts_in("C1");
    let (_hook, receiver) = rota.hook(ALL_EVENTS);
    // Only what is ahead: one event, nobody changes.
    pager.has(
        "S1",
        "P1 P2",
        &[
            "P1 2026-01-05T00:00Z 2026-01-05T14:00Z",
            "P2 2026-01-05T14:00Z 2026-01-25T00:00Z",
        ],
    );
    assert_eq!(sync(&rota), (1, 0));
    receiver.wait_for(1);
    let bodies = receiver.bodies();
    assert_eq!(bodies[0]["eventType"], "rotation.updated");
    let events = &bodies[0]["rotation"]["windows"][0]["cadence"]["nextEvents"];
    assert_eq!(*events, json!(["2026-01-05T14:00:00Z"]));
    // The same again is no change.
    let version = |body: &Value| body["version"].as_i64().unwrap();
    let first = version(&bodies[0]);
    assert_eq!(sync(&rota), (1, 0));
    // Somebody else now, and somebody unknown.
    receiver.forget();
    pager.has("S1", "P1 P2", &["P2 2026-01-05T07:30Z 2026-01-25T00:00Z"]);
    assert_eq!(sync(&rota), (1, 0));
    assert_eq!(on_call(&rotation), "U2|-");
    pager.has("S1", "P1 P2", &["P3 2026-01-05T07:30Z 2026-01-25T00:00Z"]);
    assert_eq!(sync(&rota), (1, 0));
    assert_eq!(on_call(&rotation), "|Pager 3");
    pager.has("S1", "P1 P2", &[]);
    assert_eq!(sync(&rota), (1, 0));
    assert_eq!(on_call(&rotation), "|-");
    receiver.wait_for(4);
    let bodies = receiver.bodies();
    let kinds: Vec<&str> = bodies.iter().map(|body| text(&body["eventType"])).collect();
    assert_eq!(
        kinds,
        [
            "duty.changed",
            "duty.changed",
            "duty.changed",
            "nobody.on_call"
        ]
    );
    assert_eq!(version(&bodies[0]), first + 1);
    let shown = external(&rotation);
    assert_eq!(shown["coverage"], "none");
    assert_eq!(int(&rotation.read()["openSeats"]), 1);
    rota.chat_settles();
    let lines: Vec<String> = rota.messages().iter().map(message_line).collect();
    let all = lines.join("\n");
    assert!(all.contains("takes over from Person U1"), "{all}");
    assert!(
        all.contains("Pager 3 (not in chat) takes over from Person U2"),
        "{all}"
    );
    assert!(all.contains("nobody is on call"), "{all}");
    let audit = rota.caller().all(&format!(
        "/v1/audit?rotationId={}&actor=partner",
        rotation.id
    ));
    assert_eq!(audit.len(), 4);
    assert_eq!(audit[0]["action"], "followSchedule");
}

/// rules.md 22.4.
#[test]
fn each_schedule_is_read_once_at_the_end_of_a_move() {
    let (pager, rota) = started();
    let (_one, _two) = (linked(&rota, "S1"), linked(&rota, "S1"));
    let before = pager.count("/schedules/S1");
    rota.advance(30);
    assert_eq!(pager.count("/schedules/S1"), before);
    rota.advance(24 * 3600);
    assert_eq!(pager.count("/schedules/S1"), before + 1);
    assert_eq!(sync(&rota), (1, 0));
    assert_eq!(pager.count("/schedules/S1"), before + 2);
}

#[test]
fn a_restart_uses_what_was_last_read() {
    let pager = Pager::new();
    pager.has("S1", "P1 P2", WEEK);
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let rota = pager.start().db(&db).go();
    rota.people(2);
    let id = linked(&rota, "S1").id;
    rota.stop();
    pager.troubles(Trouble::Closes);
    let rota = pager.start().db(&db).clock("2026-01-05T13:00Z").go();
    let rotation = Rot {
        by: rota.caller(),
        id,
    };
    assert_eq!(on_call(&rotation), "U2|-");
    rota.to("2026-01-06T12:00Z");
    assert_eq!(on_call(&rotation), "U1|-");
}

#[test]
fn a_partner_without_settings_is_not_connected() {
    let pager = Pager::new();
    pager.has("S1", "P1 P2", WEEK);
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let rota = pager.start().db(&db).go();
    rota.people(2);
    let id = linked(&rota, "S1").id;
    rota.stop();
    let rota = Start::default().db(&db).go();
    let rotation = Rot {
        by: rota.caller(),
        id,
    };
    assert_eq!(external(&rotation)["state"], "notConnected");
    rota.to("2026-01-05T12:00Z");
    assert_eq!(on_call(&rotation), "U2|-");
    assert!(rota.caller().all("/v1/partners").is_empty());
}

/// rules.md 25.4.
#[test]
fn who_is_on_call_at_an_instant_is_known_as_far_as_the_schedule_is() {
    let (pager, rota) = started();
    let rotation = linked(&rota, "S1");
    let made = text(&rotation.read()["updatedAt"]).to_owned();
    let ask = |instant: &str| rotation.get(&format!("/on-call?at={}", rfc(instant)));
    let who = |instant: &str| {
        let shown = ask(instant).is(200).json();
        let outside = text(&shown["unmappedExternalDuty"]["name"]).to_owned();
        let reason = text(&shown["nobodyOnCallReason"]);
        format!("{}|{outside}|{reason}", people_on_call(&shown))
    };
    let week = [
        ("2026-01-05T11:59Z", "U1|-|-"),
        ("2026-01-05T12:00Z", "U2|-|-"),
        ("2026-01-06T00:00Z", "|-|nobody-on-call-unplanned"),
        ("2026-01-06T06:00Z", "|Pager 3|-"),
        ("2026-01-06T12:00Z", "U1|-|-"),
    ];
    let all = || week.map(|(instant, _)| who(instant));
    let expected = week.map(|(_, expected)| expected.to_owned());
    assert_eq!(all(), expected);
    ask("2026-01-25T00:00Z").refused(409, "not_known_yet");
    let everywhere = format!("/v1/on-call?at={}", rfc("2026-01-25T00:00Z"));
    let lines = rota.caller().all(&everywhere);
    assert_eq!(lines[0]["onCall"], json!([]));
    assert_eq!(lines[0]["nobodyOnCallReason"], Value::Null);
    // The record has the same, whatever becomes of the schedule.
    pager.troubles(Trouble::Closes);
    rota.to("2026-01-08T00:00Z");
    rotation
        .by
        .delete_if(&rotation.path("/external"), "*")
        .is(200);
    assert_eq!(all(), expected);
    assert_eq!(who(&made), "U1|-|-");
    // A rotation that follows nothing yet.
    let unlinked = rota.rotation("U1 U2");
    link(&unlinked, json!({ "partner": "none" })).is(200);
    let now = rota.now();
    unlinked.get(&format!("/on-call?at={now}")).is(200);
    let later = plus(&now, HOUR);
    unlinked
        .get(&format!("/on-call?at={later}"))
        .refused(409, "not_known_yet");
}
