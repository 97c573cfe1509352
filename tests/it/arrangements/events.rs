//! Events of arrangements: none have a cause as scheduled, `manual` if a write changes duty at once, otherwise an update.

use super::four;
use crate::events::word;
use crate::support::*;
use serde_json::{Value, json};

/// A receiver of all events, read incrementally.
struct News<'a>(Receiver<'a>);

impl<'a> News<'a> {
    #[track_caller]
    fn of(rota: &'a Rota) -> News<'a> {
        News(rota.hook(ALL_EVENTS).1)
    }

    /// The new events: `v4 2026-01-05T12:00Z duty manual U3`.
    #[track_caller]
    fn lines(&self) -> Vec<String> {
        self.0.rota.advance(0);
        let bodies = self.0.bodies();
        self.0.forget();
        let line = |body: &Value| {
            let on_call = people_on_call(&body["rotation"]["onCall"]);
            let when = instant(&body["timestamp"]);
            let event_words = format!("v{} {when} {} {on_call}", body["version"], word(body));
            event_words.trim_end().to_owned()
        };
        bodies.iter().map(line).collect()
    }
}

#[test]
fn an_arrangement_that_begins_and_ends_by_the_clock_is_news_without_a_cause() {
    let rota = Rota::with_people(4);
    let news = News::of(&rota);
    let rotation = four(&rota);
    news.lines();
    rotation.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    assert_eq!(news.lines(), ["v3 2026-01-05T08:00Z updated U1"]);
    rota.to("2026-01-05T13:00Z");
    let (_, on_call) = (news.0.bodies(), rotation.get("/on-call").json());
    let body = news.0.bodies().pop().unwrap();
    assert_eq!(body.get("cause"), None);
    assert_eq!(body["rotation"]["onCall"], on_call);
    assert_eq!(body["rotation"], rotation.read());
    assert_eq!(news.lines(), ["v4 2026-01-05T12:00Z duty U3"]);
    rota.to("2026-01-06T09:00Z");
    assert_eq!(
        news.lines(),
        [
            "v5 2026-01-05T14:00Z duty U1",
            "v6 2026-01-06T09:00Z duty scheduled U2",
        ]
    );
}

#[test]
fn hand_overs_beneath_are_no_news_of_duty() {
    let rota = Rota::with_people(4);
    let news = News::of(&rota);
    let rotation = four(&rota);
    rotation.assign(0, "U4", "2026-01-05T12:00Z", "2026-01-08T12:00Z");
    rota.to("2026-01-05T12:00Z");
    news.lines();
    rota.to("2026-01-08T10:00Z");
    assert!(news.lines().is_empty());
    rotation.rotate();
    rotation.put_on_call("U2").is(200);
    rotation.clear().is(200);
    assert!(news.lines().is_empty());
    rotation.put_on_call("U4").is(200);
    rota.to("2026-01-08T12:00Z");
    // The same person continues.
    assert!(news.lines().is_empty());
}

#[test]
fn writes_are_news_once_each_with_the_version_they_made() {
    let rota = Rota::with_people(4);
    let news = News::of(&rota);
    let rotation = four(&rota);
    news.lines();
    rota.to("2026-01-05T10:00Z");
    let ten = "2026-01-05T10:00Z";
    let event_words = |written: &Value| {
        assert_eq!(text(&written["deliveryState"]), "pending");
        let lines = news.lines();
        let version = format!("v{} {ten} ", written["rotationVersion"]);
        let line = |line: &String| line.strip_prefix(&version).expect("its version").to_owned();
        lines.iter().map(line).collect::<Vec<_>>().join(", ")
    };
    let assign =
        |user: &str, from: &str, to: &str| rotation.try_assign(0, user, from, to).is(200).json();
    // Takes effect at once.
    let running = assign("U3", MONDAY, "2026-01-05T12:00Z");
    assert_eq!(event_words(&running), "duty manual U3");
    let changed = rotation.change(
        &only_arrangement(&running),
        0,
        "U4",
        ten,
        "2026-01-05T12:00Z",
    );
    assert_eq!(event_words(&changed), "duty manual U4");
    // The same person for longer.
    let changed = rotation.change(
        &changed["arrangements"][1],
        0,
        "U4",
        ten,
        "2026-01-05T13:00Z",
    );
    assert_eq!(event_words(&changed), "updated U4");
    let ended = rotation.end(&changed["arrangements"][1]);
    assert_eq!(event_words(&ended), "duty manual U1");
    // The person who is on duty anyway.
    let own = assign("U1", ten, "2026-01-05T12:00Z");
    assert_eq!(event_words(&own), "updated U1");
    let later = rotation.change(
        &only_arrangement(&own),
        0,
        "U2",
        "2026-01-05T11:00Z",
        "2026-01-05T12:00Z",
    );
    assert_eq!(event_words(&later), "updated U1");
    // In the future.
    let coming = assign("U3", "2026-01-05T14:00Z", "2026-01-05T15:00Z");
    assert_eq!(event_words(&coming), "updated U1");
    let cancelled = rotation.end(&only_arrangement(&coming));
    assert_eq!(event_words(&cancelled), "updated U1");
    // Refusals, replays and previews publish nothing.
    rotation.preview(0, "U3", ten, "2026-01-05T11:00Z");
    rotation
        .try_assign(0, "U3", ten, "2026-01-05T12:00Z")
        .is(409);
    let body = rotation.assignment(0, "U3", "2026-01-05T16:00Z", "2026-01-05T17:00Z");
    rotation.post_arrangement("", &body).is(200);
    rotation.post_arrangement("", &body).is(200);
    assert_eq!(news.lines().len(), 1);
}

#[test]
fn an_empty_place_is_news_when_its_arrangement_ends() {
    let rota = Rota::with_people(4);
    let news = News::of(&rota);
    let rotation = rota.rotation("U1 U2 U3");
    news.lines();
    let record = rotation.assign(0, "U3", MONDAY, "2026-01-05T12:00Z");
    assert_eq!(news.lines(), ["v2 2026-01-05T08:00Z duty manual U3"]);
    rotation.end(&record);
    assert_eq!(
        news.lines(),
        [
            "v3 2026-01-05T08:00Z duty manual",
            "v3 2026-01-05T08:00Z nobody unplanned",
        ]
    );
    rotation.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    rota.to("2026-01-05T15:00Z");
    assert_eq!(
        news.lines()[1..],
        [
            "v5 2026-01-05T12:00Z duty U3",
            "v6 2026-01-05T14:00Z duty",
            "v6 2026-01-05T14:00Z nobody unplanned",
        ]
    );
}

#[test]
fn windows_are_news_as_ever_over_an_arrangement() {
    let rota = Rota::with_people(4);
    let news = News::of(&rota);
    let rotation = rota.rotation("U1 U2");
    let office = hours(
        "UTC",
        &weekdays("08:00", "16:00"),
        weekly("UTC", "2026-01-12T08:00"),
    );
    rotation.cover(1, &[office]);
    rotation.assign(0, "U2", "2026-01-05T12:00Z", "2026-01-06T18:00Z");
    rota.to("2026-01-05T12:00Z");
    news.lines();
    rota.to("2026-01-06T20:00Z");
    assert_eq!(
        news.lines(),
        [
            "v5 2026-01-05T16:00Z duty scheduled",
            "v5 2026-01-05T16:00Z nobody as-arranged 2026-01-06T08:00Z",
            "v6 2026-01-06T08:00Z duty scheduled U2",
            "v7 2026-01-06T16:00Z duty scheduled",
            "v7 2026-01-06T16:00Z nobody as-arranged 2026-01-07T08:00Z",
        ]
    );
}

#[test]
fn a_write_is_published_where_nothing_was_to_be_sent() {
    for (events, later) in [
        (None, "published"),
        (Some("rotation.created"), "published"),
        (Some("duty.changed"), "published"),
        (Some("rotation.updated"), "pending"),
        (Some(ALL_EVENTS), "pending"),
    ] {
        let rota = Rota::with_people(4);
        let _hook = events.map(|events| rota.hook(events));
        let rotation = four(&rota);
        let state = |written: &Value| text(&written["deliveryState"]).to_owned();
        let at_once = rotation
            .try_assign(0, "U3", MONDAY, "2026-01-05T12:00Z")
            .is(200)
            .json();
        let ended = rotation.end(&only_arrangement(&at_once));
        let coming = rotation
            .try_assign(0, "U3", "2026-01-05T14:00Z", "2026-01-05T15:00Z")
            .is(200)
            .json();
        let cancelled = rotation.end(&only_arrangement(&coming));
        // People who come on or go off at once get a message, whatever endpoints subscribe to.
        let found = [&at_once, &ended, &coming, &cancelled].map(state);
        assert_eq!(found, ["pending", "pending", later, later], "{events:?}");
        // A person who is on duty anyway gets none.
        let own = rotation.try_assign(0, "U1", MONDAY, "2026-01-05T12:00Z");
        assert_eq!(state(&own.is(200).json()), later, "{events:?}");
    }
}

#[test]
fn a_disabled_endpoint_is_nothing_to_send_to() {
    let rota = Rota::with_people(4);
    let (hook, _) = rota.hook(ALL_EVENTS);
    hook.act("disable").is(200);
    let rotation = four(&rota);
    let assign = |from: &str, to: &str| {
        let answer = rotation.try_assign(0, "U3", from, to).is(200).json();
        text(&answer["deliveryState"]).to_owned()
    };
    let later = || assign("2026-01-05T14:00Z", "2026-01-05T15:00Z");
    assert_eq!(later(), "published");
    // Chat messages are sent anyway.
    assert_eq!(assign(MONDAY, "2026-01-05T12:00Z"), "pending");
    hook.act("enable").is(200);
    assert_eq!(assign("2026-01-05T16:00Z", "2026-01-05T17:00Z"), "pending");
}

#[test]
fn downtime_is_told_once_where_it_ended_up() {
    for (clock, expected) in [
        ("2026-01-05T13:00Z", Some("duty U3")),
        // It began and ended.
        ("2026-01-05T15:00Z", None),
        ("2026-01-06T10:00Z", Some("duty scheduled U2")),
    ] {
        let dir = TempDir::new();
        let db = dir.join("rota.db");
        let rota = Start::default().db(&db).go();
        rota.people(4);
        let rotation = four(&rota);
        rotation.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
        let hook = rota.hook(ALL_EVENTS).0.id;
        rota.stop();
        let rota = Start::default().db(&db).clock(clock).go();
        let news = News(rota.receiver());
        // The receiver's address changed with the server.
        let url = json!({ "name": "moved", "url": news.0.url(), "eventTypes": [] });
        let path = format!("/v1/webhooks/{hook}");
        rota.put_if(&path, "*", url).is(200);
        rota.advance(2);
        let lines = news.lines();
        let event_words: Vec<&str> = lines
            .iter()
            .map(|line| line.splitn(3, ' ').nth(2).unwrap())
            .collect();
        assert_eq!(event_words, Vec::from_iter(expected), "{clock}");
    }
}
