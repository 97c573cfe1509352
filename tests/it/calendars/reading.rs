//! How calendars are read: validators, failures, redirects, and answers that are made to harm.

use super::*;

#[test]
fn what_has_not_changed_is_not_read_again() {
    let rota = Rota::with_people(1);
    let feed = Feed::of(&[TUESDAY]);
    let added = add(&rota, "U1", &feed);
    assert!(!feed.asked()[0].contains("if-none-match"));
    assert!(added.read(&rota)["lastError"].is_null());
    assert!(
        feed.asked()[1].contains("if-none-match: \"1\"\r\n"),
        "{:?}",
        feed.asked()
    );
    assert_eq!(absences(&rota.caller(), "U1").len(), 1);
    // Once a day it is read whole: events that recur come into sight.
    rota.advance(24 * 3600);
    assert!(!feed.asked().last().unwrap().contains("if-none-match"));
    // Another body replaces all of it.
    feed.now(Then::Calendar(
        calendar(&["Sick 20260301 20260302", "Leave 20260401 20260402"]),
        "2",
    ));
    assert_eq!(added.read(&rota)["eventsAhead"], json!(2));
    feed.now(Then::Calendar(calendar(&[]), "3"));
    assert_eq!(added.read(&rota)["eventsAhead"], json!(0));
    assert_eq!(added.state(&rota), "current");
}

/// rules.md 24.7.
#[test]
fn a_frozen_clock_reads_at_the_end_of_its_moves() {
    let rota = Rota::with_people(1);
    let feed = Feed::of(&[TUESDAY]);
    let added = add(&rota, "U1", &feed);
    let asked = || feed.asked().len();
    for (seconds, expected) in [(899, 1), (1, 2), (0, 2), (7 * 86_400, 3)] {
        rota.advance(seconds);
        assert_eq!(asked(), expected, "{seconds}");
    }
    assert_eq!(sync(&rota), json!({ "read": 1, "failed": 0 }));
    assert_eq!(asked(), 4);
    feed.now(status(500, ""));
    assert_eq!(sync(&rota), json!({ "read": 0, "failed": 1 }));
    assert_eq!(
        added.shown(&rota)["lastError"],
        json!("the server answered 500")
    );
}

#[test]
fn read_every_is_a_setting() {
    let rota = Start::default().env("ROTA_CALENDARS_READ_EVERY", "2h").go();
    rota.people(1);
    let feed = Feed::of(&[TUESDAY]);
    add(&rota, "U1", &feed);
    rota.advance(3600);
    assert_eq!(feed.asked().len(), 1);
    rota.advance(3600);
    assert_eq!(feed.asked().len(), 2);
}

/// rules.md 24.6.
#[test]
fn what_was_read_counts_for_a_week() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let feed = Feed::of(&["Vacation 20260201 20260301"]);
    let added = add(&rota, "U2", &feed);
    feed.now(status(404, ""));
    rota.advance(7 * 86_400 - 1);
    assert_eq!(added.state(&rota), "stale");
    assert_eq!(absences(&rota.caller(), "U2").len(), 1);
    rota.advance(1);
    assert_eq!(added.state(&rota), "unknown");
    assert!(absences(&rota.caller(), "U2").is_empty());
    // Nobody is passed over for it, but whoever wants to give them a duty is told.
    let preview = rotation.preview(0, "U2", "2026-02-02T09:00Z", "2026-02-02T12:00Z");
    let conflicts = conflicts_in(&preview);
    assert_eq!(conflicts.len(), 1, "{preview}");
    for (member, expected) in [
        ("type", json!("unknownAvailability")),
        ("source", json!("externalCalendar")),
        ("userId", json!("U2")),
        ("canAcknowledge", json!(true)),
    ] {
        assert_eq!(conflicts[0][member], expected, "{member}");
    }
    feed.now(Then::Calendar(
        calendar(&["Vacation 20260201 20260301"]),
        "2",
    ));
    rota.advance(15 * 60);
    assert_eq!(added.state(&rota), "current");
    let preview = rotation.preview(0, "U2", "2026-02-02T09:00Z", "2026-02-02T12:00Z");
    assert_eq!(conflicts_in(&preview)[0]["type"], json!("absence"));
    assert_eq!(
        conflicts_in(&preview)[0]["source"],
        json!("externalCalendar")
    );
}

/// rules.md 24.8.
#[test]
fn redirects_are_followed_and_judged() {
    let rota = Rota::with_people(1);
    let good = Feed::of(&[TUESDAY]);
    let feed = Feed::new(status(302, &format!("Location: {}\r\n", good.url())));
    let added = add(&rota, "U1", &feed);
    assert_eq!(added.state(&rota), "current");
    for (location, error) in [
        (
            "ftp://127.0.0.1/a.ics",
            "the server redirects to an address that is not https",
        ),
        ("/again", "the server redirects more than 3 times"),
        (
            "http://10.0.0.1/a.ics",
            "the host has an address that is not public",
        ),
        (
            "http://169.254.169.254/latest/meta-data",
            "the host has an address that is not public",
        ),
    ] {
        feed.now(status(307, &format!("Location: {location}\r\n")));
        assert_eq!(added.read(&rota)["lastError"], json!(error), "{location}");
    }
    assert_eq!(added.state(&rota), "stale");
}

/// rules.md 24.3.
#[test]
fn answers_that_are_no_calendar_change_nothing() {
    let rota = Rota::with_people(1);
    let feed = Feed::of(&[TUESDAY]);
    let added = add(&rota, "U1", &feed);
    let raw = |head: &str, body: &[u8]| {
        let mut bytes = format!("HTTP/1.1 200 OK\r\n{head}Connection: close\r\n\r\n").into_bytes();
        bytes.extend(body);
        Then::Raw(bytes)
    };
    let good = calendar(&["Sick 20260301 20260302"]);
    let long = "x".repeat(11 * 1024 * 1024);
    for (then, error) in [
        (
            raw("", b"<html><title>Sign in</title></html>"),
            "the address does not lead to a calendar",
        ),
        (
            raw("Content-Length: 99999\r\n", good.as_bytes()),
            "the calendar did not arrive completely",
        ),
        (
            raw("", &good.as_bytes()[..good.len() - 20]),
            "the calendar is incomplete",
        ),
        (
            raw("Content-Encoding: gzip\r\n", &[0x1f, 0x8b, 8, 0]),
            "the server compresses",
        ),
        (
            raw("", long.as_bytes()),
            "the calendar is larger than 10 MB",
        ),
        (
            Then::Raw(b"nonsense\r\n\r\n".to_vec()),
            "the answer of the server is not HTTP",
        ),
        (status(401, ""), "the server answered 401"),
    ] {
        feed.now(then);
        let shown = added.read(&rota);
        assert!(
            text(&shown["lastError"]).starts_with(error),
            "{error}: {shown}"
        );
        assert_eq!(shown["eventsAhead"], json!(1), "{error}");
    }
    // A single event that cannot be read is left out.
    let odd = good.replace(
        "END:VCALENDAR",
        "BEGIN:VEVENT\r\nDTSTART;TZID=Mars:20260101T000000\r\nEND:VEVENT\r\nEND:VCALENDAR",
    );
    feed.now(Then::Calendar(odd, "9"));
    let shown = added.read(&rota);
    assert_eq!(
        shown["lastError"],
        json!("1 event could not be read: the time zone `Mars` is not known")
    );
    assert_eq!(
        (&shown["state"], &shown["eventsAhead"]),
        (&json!("current"), &json!(1))
    );
}

pub fn a_server_that_hangs_delays_nobody_else() {
    let rota = Rota::with_people(2);
    let (slow, quick) = (Feed::new(Then::Hang), Feed::of(&[TUESDAY]));
    rota.post(&path_of("U1"), json!({ "url": slow.url() }))
        .is(201);
    let added = add(&rota, "U2", &quick);
    assert_eq!(added.state(&rota), "current");
    eventually("the other one has been given up", || {
        let shown = &rota.caller().all(&path_of("U1"))[0];
        shown["lastError"] == json!("the server did not answer within 10 seconds")
    });
}

#[test]
fn all_day_events_are_in_the_zone_of_the_calendar_or_the_person() {
    let rota = Start::default().demo().go();
    let feed = Feed::of(&["Vacation 20260206 20260207"]);
    let zone = rota.caller().get("/v1/users/UADA").is(200).json();
    let zone = text(&zone["timeZone"]).to_owned();
    let added = add(&rota, "UADA", &feed);
    let midnight = local(&zone, "2026-02-06T00:00");
    assert!(
        absences(&rota.caller(), "UADA")[0].starts_with(&short(at(&midnight))),
        "{zone}"
    );
    let body = calendar(&["Vacation 20260206 20260207"]);
    let tokyo = body.replace("VERSION:2.0", "VERSION:2.0\r\nX-WR-TIMEZONE:Asia/Tokyo");
    feed.now(Then::Calendar(tokyo, "2"));
    added.read(&rota);
    assert!(absences(&rota.caller(), "UADA")[0].starts_with("2026-02-05T15:00Z 2026-02-06T15:00Z"));
}
