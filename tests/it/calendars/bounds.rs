//! What one calendar may cost: its reading ends, nobody else waits for it, and only so many run at once.

use super::*;
use crate::web::Browser;
use std::thread;

/// A zone whose rules take too much work is not looked for again for each of four thousand events.
fn with_a_zone_that_fails() -> String {
    let rules = "RRULE:FREQ=DAILY\r\n".repeat(9);
    let event = |zone: &str| {
        format!("BEGIN:VEVENT\r\nDTSTART;TZID={zone}:20260106T000000\r\nEND:VEVENT\r\n")
    };
    let others: String = (0..500)
        .map(|number| event(&format!("N{number}")))
        .collect();
    format!(
        "BEGIN:VCALENDAR\r\nBEGIN:VTIMEZONE\r\nTZID:Bad\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\n\
         TZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\n{rules}END:STANDARD\r\nEND:VTIMEZONE\r\n{others}{}END:VCALENDAR\r\n",
        event("Bad").repeat(4_000)
    )
}

#[test]
fn a_zone_that_fails_is_not_worked_out_again() {
    let rota = Rota::with_people(1);
    let feed = Feed::new(Then::Calendar(with_a_zone_that_fails(), "1"));
    let shown = add(&rota, "U1", &feed).shown(&rota);
    let error = text(&shown["lastError"]);
    assert!(
        error.starts_with("4500 events could not be read"),
        "{error}"
    );
}

#[test]
fn a_reading_that_hangs_delays_no_other() {
    let rota = Rota::with_people(2);
    let (slow, quick) = (Feed::new(Then::Hang), Feed::of(&[TUESDAY]));
    for _ in 0..3 {
        let body = json!({ "url": slow.url() });
        rota.post(&path_of("U1"), body).is(201);
    }
    eventually("one is being read", || !slow.asked().is_empty());
    // While it hangs, and not only after it was given up.
    let added = add(&rota, "U2", &quick);
    assert_eq!(added.state(&rota), "current");
    let shown = rota.caller().all(&path_of("U1"));
    assert!(
        shown.iter().all(|one| one["lastError"].is_null()),
        "{shown:?}"
    );
    // Of one person one calendar at a time.
    assert_eq!(slow.asked().len(), 1);
}

/// rules.md 24.3.
#[test]
fn one_reading_of_a_calendar_and_four_at_once() {
    let rota = Rota::with_people(2);
    let feed = Feed::of(&[TUESDAY]);
    let all: Vec<Added> = (0..5).map(|_| add(&rota, "U1", &feed)).collect();
    let before = feed.asked().len();
    let read = |at: usize| rota.request("POST", &all[at].path("/read")).send();
    feed.now(Then::Hang);
    thread::scope(|scope| {
        let running: Vec<_> = (0..4).map(|at| scope.spawn(move || read(at))).collect();
        eventually("four are being read", || feed.asked().len() == before + 4);
        for at in [0, 4] {
            let answer = read(at);
            assert_eq!(answer.header("retry-after"), Some("5"));
            let problem = answer.refused(429, "too_many_readings");
            let why = [
                "the calendar is being read already",
                "the server is reading as many",
            ];
            assert!(
                text(&problem["detail"]).starts_with(why[at / 4]),
                "{problem}"
            );
        }
        // The button says the same.
        let browser = Browser::signed_in(&rota, "U1");
        let button = format!("/me/calendars/{}/read", all[0].id);
        let answer = browser.fill("/me/calendars", &button, &[]).is(429);
        assert_eq!(answer.header("retry-after"), Some("5"));
        let page = answer.text();
        assert!(
            page.contains("The calendar is being read already; wait 5 seconds"),
            "{page}"
        );
        feed.now(Then::Calendar(calendar(&[TUESDAY]), "2"));
        feed.let_go();
        for reading in running {
            reading.join().expect("an answer").is(200);
        }
    });
    assert_eq!(feed.asked().len(), before + 4);
    assert!(all[4].read(&rota)["lastError"].is_null());
    assert!(all[0].read(&rota)["lastError"].is_null());
}

#[test]
fn a_reading_ends_when_the_server_stops() {
    let mut rota = Rota::with_people(1);
    let feed = Feed::of(&[TUESDAY]);
    let added = add(&rota, "U1", &feed);
    feed.now(Then::Hang);
    thread::scope(|scope| {
        let (shared, path) = (&rota, added.path("/read"));
        let reading = scope.spawn(move || shared.request("POST", &path).send());
        eventually("it is being read", || feed.asked().len() == 2);
        rota.process.signal("TERM");
        // And not after the time that the other server has.
        reading
            .join()
            .expect("an answer")
            .refused(503, "storage_unavailable");
    });
    let (status, log) = rota.process.ended();
    assert_eq!(status.code(), Some(0), "{log}");
}
