//! What absences of calendars do to duty.

use super::*;

#[test]
fn a_hand_over_passes_over_who_is_away_by_their_calendar() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let version = rotation.read()["version"].clone();
    let before = rotation.planned("05T09 08");
    let feed = Feed::of(&[TUESDAY]);
    let added = add(&rota, "U2", &feed);
    // The plan knows it, and the rotation has not changed.
    let planned = rotation.turns("schedule", "2026-01-06T09:00Z", "2026-01-07T09:00Z");
    assert_eq!(planned[0]["userId"], json!("U3"), "{planned:?}");
    assert_ne!(rotation.planned("05T09 08"), before);
    assert_eq!(rotation.read()["version"], version);
    rota.to("2026-01-06T09:00Z");
    let on_call = rotation.get("/on-call").is(200).json();
    let entry = &on_call["onCall"][0];
    assert_eq!(entry["userId"], json!("U3"));
    let skipped = &entry["skippedForAbsence"][0];
    assert_eq!(
        (text(&skipped["userId"]), text(&skipped["source"])),
        ("U2", "externalCalendar")
    );
    assert_eq!(instant(&skipped["from"]), "2026-01-06T00:00Z");
    rota.caller().delete(&added.path("")).is(204);
    let planned = rotation.turns("schedule", "2026-01-07T09:00Z", "2026-01-08T09:00Z");
    assert_eq!(planned[0]["userId"], json!("U1"));
}

/// rules.md 24.5.
#[test]
fn an_empty_slot_is_filled_when_a_calendar_lets_somebody_come_back() {
    let rota = Rota::with_people(1);
    let away = Feed::of(&["Sick 20260105 20260120"]);
    let added = add(&rota, "U1", &away);
    let rotation = rota.daily("U1", 1);
    rota.to("2026-01-06T09:00Z");
    assert_eq!(
        rotation.on_call(),
        "",
        "{}",
        rotation.get("/on-call").text()
    );
    away.now(Then::Calendar(calendar(&["Sick 20260105 20260107"]), "2"));
    rota.to("2026-01-06T12:00Z");
    assert_eq!(rotation.on_call(), "");
    // When the absence ends.
    rota.to("2026-01-07T00:00Z");
    assert_eq!(rotation.on_call(), "U1");
    // And at once when the event goes.
    away.now(Then::Calendar(calendar(&["Sick 20260108 20260120"]), "3"));
    added.read(&rota);
    rota.to("2026-01-08T12:00Z");
    assert_eq!(rotation.on_call(), "");
    away.now(Then::Calendar(calendar(&[]), "4"));
    added.read(&rota);
    assert_eq!(rotation.on_call(), "U1");
}

/// rules.md 24.4.
#[test]
fn events_that_touch_are_one_absence_in_dealing() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let first = Feed::of(&[
        "Vacation 20260105 20260107",
        "Sick 20260106T120000Z 20260107T230000Z",
    ]);
    let second = Feed::of(&["Leave 20260108 20260110"]);
    add(&rota, "U2", &first);
    add(&rota, "U2", &second);
    assert_eq!(absences(&rota.caller(), "U2").len(), 3);
    rota.to("2026-01-06T09:00Z");
    let entry = rotation.get("/on-call").is(200).json()["onCall"][0].clone();
    let skipped = &entry["skippedForAbsence"][0];
    assert_eq!(
        [instant(&skipped["from"]), instant(&skipped["until"])],
        ["2026-01-04T23:00Z", "2026-01-09T23:00Z"]
    );
}

#[test]
fn an_absence_of_a_calendar_is_a_conflict_and_shows_with_the_duty() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let etag = rotation.get("/on-call").is(200).etag();
    let feed = Feed::of(&[
        "Leave 20260105T100000Z 20260105T110000Z",
        "Leave 20260106T100000Z 20260106T110000Z",
    ]);
    add(&rota, "U1", &feed);
    let answer = rotation.get("/on-call").is(200);
    assert_ne!(answer.etag(), etag);
    let entry = answer.json()["onCall"][0].clone();
    assert_eq!(
        entry["absences"][0]["source"],
        json!("externalCalendar"),
        "{entry}"
    );
    let preview = rotation.preview(0, "U1", "2026-01-06T09:00Z", "2026-01-06T12:00Z");
    let found = conflicts_in(&preview);
    assert_eq!(
        (&found[0]["type"], &found[0]["source"]),
        (&json!("absence"), &json!("externalCalendar"))
    );
    assert_eq!(instant(&found[0]["from"]), "2026-01-06T10:00Z");
}

#[test]
fn a_calendar_that_cannot_be_read_is_a_warning() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let feed = Feed::of(&[TUESDAY]);
    let added = add(&rota, "U2", &feed);
    let stale = || {
        let page = rotation.get("/warnings?days=1").is(200).json();
        let found = page["data"].as_array().expect("a list").clone();
        let stale = found.iter().filter(|one| one["kind"] == "staleSource");
        stale.map(|one| one["userIds"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(stale(), Vec::<Value>::new());
    feed.now(status(404, ""));
    rota.advance(20 * 60);
    assert_eq!(added.state(&rota), "stale");
    assert_eq!(stale(), [json!(["U2"])]);
    let shown = rotation.get("/warnings?days=1").is(200).text();
    assert!(!shown.contains(&feed.url()), "{shown}");
}
