//! Calendars that were made to take long: each ends within its bounds.

use super::*;
use crate::domain::recurrence::TooMuch;
use std::cell::Cell;

fn of(parts: impl IntoIterator<Item = String>) -> String {
    let parts: String = parts.into_iter().collect();
    format!("BEGIN:VCALENDAR\r\n{parts}END:VCALENDAR\r\n")
}

/// Events with these lines, in which `#` is the number of the event.
fn events(count: usize, lines: &str) -> impl Iterator<Item = String> {
    let event = format!("BEGIN:VEVENT\r\n{lines}\r\nEND:VEVENT\r\n");
    (0..count).map(move |number| event.replace('#', &number.to_string()))
}

/// Zones whose rules take all the work that a zone may take.
fn zones(count: usize) -> impl Iterator<Item = String> {
    let rules = "RRULE:FREQ=DAILY\r\n".repeat(9);
    (0..count).map(move |number| {
        format!(
            "BEGIN:VTIMEZONE\r\nTZID:Z{number}\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0100\r\n\
             TZOFFSETTO:+0200\r\n{rules}END:STANDARD\r\nEND:VTIMEZONE\r\n"
        )
    })
}

/// Every weekday of a year, from both ends, as long as a list may be.
fn all_weekdays() -> String {
    let numbers = (-53..=53).filter(|number| *number != 0);
    let days = numbers.flat_map(|number| {
        ["MO", "TU", "WE", "TH", "FR", "SA", "SU"].map(|day| format!("{number}{day}"))
    });
    days.take(732).collect::<Vec<_>>().join(",")
}

/// Reads and expands: how many events failed in the reading and in the expansion.
fn taken(body: &str, work: &mut Work) -> Result<(usize, usize), Unreadable> {
    let calendar = read_within(body, work)?;
    let wanted = InstanceQuery {
        span: whole(),
        near: at(FROM),
        most: 5_000,
    };
    let counts = |at: usize| calendar.said[at].counts;
    let found = expand(&calendar.times, &counts, wanted, work)?;
    Ok((calendar.failed, found.failed))
}

/// rules.md 24.3.
#[test]
fn each_ends_within_its_work() {
    let at_nine = "DTSTART;TZID=Z#:20270101T090000\r\nDURATION:PT1H";
    let in_first = "DTSTART;TZID=Z0:20270101T090000\r\nDURATION:PT1H";
    let utc = "DTSTART:20270101T090000Z\r\nDURATION:PT1H";
    let dates = ["20270101T090000"; 5_000].join(",");
    let parts: String = (0..25_000).map(|number| format!(";X-{number}=1")).collect();
    let weekdays = all_weekdays();
    let weekdays = format!(
        "DTSTART:00010101T090000Z\r\nDURATION:PT1H\r\nRRULE:FREQ=YEARLY;COUNT=9999999;BYMONTHDAY=1;BYDAY={weekdays}"
    );
    let slow = || zones(250).chain(events(250, at_nine));
    // The calendar, the units that do for it, and how many events fail; `None` where the reading ends.
    for (what, body, units, expected) in [
        (
            "a zone that fails, after 500 other names",
            of(zones(1)
                .chain(events(500, "DTSTART;TZID=N#:20270101T090000"))
                .chain(events(4_000, in_first))),
            1_000_000,
            Some((4_500, 0)),
        ),
        (
            "weekdays",
            of(events(5, &weekdays)),
            5_500_000,
            Some((0, 5)),
        ),
        (
            "weekdays of many",
            of(events(50, &weekdays)),
            20_000_000,
            None,
        ),
        ("zones", of(slow()), 30_000_000, Some((250, 0))),
        (
            "zones of many",
            of(zones(500).chain(events(500, at_nine))),
            20_000_000,
            None,
        ),
        (
            "zones of several calendars",
            (0..8).map(|_| of(slow())).collect(),
            20_000_000,
            None,
        ),
        (
            "a name of a zone with many parts",
            of(events(
                90,
                &format!("DTSTART;TZID={}#:20270101T090000", "/a".repeat(50_000)),
            )),
            1_500_000,
            Some((90, 0)),
        ),
        (
            "many names of zones",
            of(events(20_000, "DTSTART;TZID=/a/b/c/d#:20270101T090000")),
            4_000_000,
            Some((20_000, 0)),
        ),
        (
            "dates in a zone behind a long parameter",
            of(events(
                20,
                &format!(
                    "{utc}\r\nEXDATE;X={};TZID=Europe/Berlin:{dates}",
                    "x".repeat(100_000)
                ),
            )),
            2_000_000,
            Some((0, 0)),
        ),
        (
            "parts of rules",
            of(events(20, &format!("{utc}\r\nRRULE:FREQ=DAILY{parts}"))),
            1_000_000,
            Some((20, 0)),
        ),
        (
            "texts",
            of(events(
                50,
                &format!("{utc}\r\nCATEGORIES:{}", "\u{491}".repeat(60_000)),
            )),
            1_000_000,
            Some((0, 0)),
        ),
        (
            "changes of one event",
            of(
                events(1, &format!("UID:1\r\n{utc}\r\nRRULE:FREQ=DAILY")).chain(events(
                    20_000,
                    &format!("UID:1\r\nRECURRENCE-ID;RANGE=THISANDFUTURE:20270101T09#Z\r\n{utc}"),
                )),
            ),
            4_000_000,
            Some((16_950, 0)),
        ),
    ] {
        let found = taken(&body, &mut Work::new(units));
        match expected {
            Some(expected) => assert_eq!(found, Ok(expected), "{what}"),
            None => assert_eq!(found, Err(Unreadable::TooMuch(TooMuch::Reading)), "{what}"),
        }
    }
}

#[test]
fn what_is_kept_has_a_bound() {
    let many = |lines: &str| of(events(20_000, lines));
    let dates = ["20270101T090000Z"; 9_000].join(",");
    for body in [
        many("DTSTART:20270101"),
        many("UID:#\r\nDTSTART:20270101"),
        of(events(20, &format!("DTSTART:20270101\r\nEXDATE:{dates}"))),
        of(events(20, &format!("DTSTART:20270101\r\nRDATE:{dates}"))),
        of(zones(400)),
        (0..20_000).map(|_| of([])).collect(),
    ] {
        let room = |bytes| taken(&body, &mut Work::watched(u64::MAX, bytes, &|| Ok(())));
        let error = room(200_000).unwrap_err();
        assert_eq!(error, Unreadable::TooMuch(TooMuch::Room));
        assert!(error.to_string().contains("too many"), "{error}");
        assert!(room(64 << 20).is_ok());
    }
    // Of one event only so many lines are looked at.
    let lines = format!("DTSTART:20270101\r\n{}UID:1", "UID:\r\n".repeat(20_000));
    let found = taken(
        &of(events(3, &lines)),
        &mut Work::watched(u64::MAX, 2_000, &|| Ok(())),
    );
    assert_eq!(found, Ok((3, 0)));
}

#[test]
fn a_large_calendar_of_a_program_is_read() {
    let lines = "UID:event-#@calendar.example\r\nSUMMARY:Vacation\r\nDTSTART:20270101T090000Z\r\nDURATION:PT1H";
    let body = of(events(30_000, lines));
    let room = 2 * body.len() as u64;
    assert_eq!(
        taken(&body, &mut Work::watched(7_000_000, room, &|| Ok(()))),
        Ok((0, 0))
    );
}

#[test]
fn whoever_watches_ends_a_reading_at_any_point() {
    let weekdays = format!(
        "DTSTART:20260101T090000Z\r\nDURATION:PT1H\r\nRRULE:FREQ=YEARLY;BYDAY={}",
        all_weekdays()
    );
    let at_nine = "DTSTART;TZID=Z#:20270101T090000";
    let body = of(zones(3)
        .chain(events(3, at_nine))
        .chain(events(10, &weekdays)));
    let asked = Cell::new(0);
    let watch = |end: u32| {
        move |asked: &Cell<u32>| {
            asked.set(asked.get() + 1);
            if asked.get() == end {
                Err(TooMuch::Unwanted)
            } else {
                Ok(())
            }
        }
    };
    let ended = |end| {
        asked.set(0);
        let watch = watch(end);
        taken(
            &body,
            &mut Work::watched(u64::MAX, u64::MAX, &|| watch(&asked)),
        )
    };
    assert_eq!(ended(0), Ok((3, 0)));
    let all = asked.get();
    assert!(all > 20, "{all}");
    for end in 1..=all {
        assert_eq!(
            ended(end),
            Err(Unreadable::TooMuch(TooMuch::Unwanted)),
            "{end}"
        );
    }
}
