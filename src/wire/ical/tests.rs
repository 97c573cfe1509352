use super::component::Unreadable;
use super::error::EventError;
use super::reader::{Calendar, Terms, read};
use crate::domain::recurrence::Work;
use crate::domain::recurrence::expand::{InstanceQuery, expand};
use crate::domain::recurrence::zone::Zone;
use crate::domain::time::Interval;
use jiff::Timestamp;
use std::fmt::Write;
use std::path::Path;

mod fuzz;
mod hostile;

/// What `.ci/calendars` asks for too.
const FROM: &str = "2026-11-15T10:00:00Z";
const UNTIL: &str = "2027-12-27T10:00:00Z";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn berlin() -> Zone {
    Zone::by_name("Europe/Berlin").unwrap()
}

fn read_within(body: &str, work: &mut Work) -> Result<Calendar, Unreadable> {
    let terms = Terms {
        person: &berlin(),
        until: at(UNTIL),
        counts: &|about| !about.is_cancelled,
    };
    read(body.as_bytes(), &terms, work)
}

fn parsed(body: &str) -> Calendar {
    read_within(body, &mut Work::new(50_000_000)).unwrap()
}

/// The instances of all events, as `FROM/UNTIL` in order.
fn instances(calendar: &Calendar, span: Interval) -> Vec<Interval> {
    let wanted = InstanceQuery {
        span,
        near: span.from,
        most: 100_000,
    };
    let work = &mut Work::new(50_000_000);
    let found = expand(&calendar.times, &|_| true, wanted, work).unwrap();
    assert_eq!(found.failed, 0);
    let mut periods: Vec<_> = found
        .instances
        .iter()
        .map(|instance| instance.period)
        .collect();
    periods.dedup();
    periods
}

fn whole() -> Interval {
    Interval {
        from: at(FROM),
        until: at(UNTIL),
    }
}

/// A calendar with one event of these lines.
fn calendar(lines: &str) -> String {
    let lines = lines.split_whitespace().collect::<Vec<_>>().join("\r\n");
    format!(
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\n{lines}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

/// Every calendar of a folder as lines `NAME<tab>FROM<tab>UNTIL`, in order.
fn listing(folder: &Path) -> String {
    let files = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|kind| kind == "ics"));
    files.sort();
    let mut out = String::new();
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let calendar = parsed(&std::fs::read_to_string(&file).unwrap());
        assert_eq!((calendar.failed, &calendar.first), (0, &None), "{name}");
        for period in instances(&calendar, whole()) {
            writeln!(out, "{name}\t{}\t{}", period.from, period.until).unwrap();
        }
    }
    out
}

/// For `.ci/calendars`, which compares them with what another library finds.
#[test]
#[ignore = "prints the instances of the calendars in $ROTA_CALENDARS"]
fn print_instances() {
    let folder = std::env::var_os("ROTA_CALENDARS").expect("a folder with calendars");
    let folder = Path::new(&folder);
    std::fs::write(folder.join("found.txt"), listing(folder)).unwrap();
}

#[test]
fn calendars_of_programs_have_the_instances_that_another_library_finds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/calendars");
    let expected = std::fs::read_to_string(folder.join("expected.txt")).unwrap();
    let sorted = |text: &str| {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&listing(&folder)), sorted(&expected));
}

/// rules.md 24.2.
#[test]
fn instances_are_where_the_standard_has_them() {
    let year = Interval {
        from: at("2027-01-01T00:00:00Z"),
        until: at("2028-01-01T00:00:00Z"),
    };
    for (lines, expected) in [
        // A number of a weekday, days from the end of a month, and the last working day.
        (
            "DTSTART:20260101T090000Z DURATION:PT1H RRULE:FREQ=YEARLY;BYDAY=20MO",
            "2027-05-17T09",
        ),
        (
            "DTSTART:20260101T090000Z DURATION:PT1H RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1",
            "2027-02-28T09",
        ),
        (
            "DTSTART:20260101T090000Z DURATION:PT1H RRULE:FREQ=YEARLY;BYYEARDAY=-1",
            "2027-12-31T09",
        ),
        (
            "DTSTART:20260101T090000Z DURATION:PT1H RRULE:FREQ=MONTHLY;BYMONTH=1,5;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
            "2027-01-29T09 2027-05-31T09",
        ),
        // The weekday of a week is the event's own: 2026-01-01 is a Thursday.
        (
            "DTSTART:20260101T090000Z DURATION:PT1H RRULE:FREQ=YEARLY;BYWEEKNO=1,53",
            "2027-01-07T09",
        ),
        (
            "DTSTART:20260101T090000Z DURATION:PT1H RRULE:FREQ=YEARLY;BYWEEKNO=-1;BYDAY=FR",
            "2027-01-01T09 2027-12-31T09",
        ),
        // Weeks begin on Monday or Sunday, which matters to every second week.
        (
            "DTSTART:20261229T090000Z DURATION:PT1H RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO",
            "2027-01-03T09 2027-01-12T09 2027-01-17T09",
        ),
        (
            "DTSTART:20261229T090000Z DURATION:PT1H RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU",
            "2027-01-10T09 2027-01-12T09 2027-01-24T09",
        ),
        // The first week of a rule is whole for its positions.
        (
            "DTSTART:20270106T090000Z DURATION:PT1H RRULE:FREQ=WEEKLY;COUNT=2;BYDAY=MO,WE;BYSETPOS=1",
            "2027-01-06T09 2027-01-11T09 2027-01-18T09",
        ),
        // A month without the day has no instance; a leap day is in leap years.
        (
            "DTSTART:20261031T090000Z DURATION:PT1H RRULE:FREQ=MONTHLY;UNTIL=20270501T000000Z",
            "2027-01-31T09 2027-03-31T09",
        ),
        (
            "DTSTART:20240229T090000Z DURATION:PT1H RRULE:FREQ=YEARLY",
            "",
        ),
        // A leap second is the last second of its minute.
        (
            "DTSTART:20270101T000060Z DURATION:PT1H RRULE:FREQ=DAILY;COUNT=1",
            "2027-01-01T00",
        ),
        // The last day of a rule, as programs write it for days and times.
        (
            "DTSTART;VALUE=DATE:20270101 RRULE:FREQ=DAILY;UNTIL=20270102T000000Z",
            "2026-12-31T23 2027-01-01T23",
        ),
        (
            "DTSTART:20270101T090000Z DURATION:PT1H RRULE:FREQ=DAILY;UNTIL=20270102",
            "2027-01-01T09 2027-01-02T09",
        ),
        // Dates name all instances of their day; times name days by their own date.
        (
            "DTSTART:20270101T090000Z DURATION:PT1H RRULE:FREQ=DAILY;COUNT=3 EXDATE;VALUE=DATE:20270102",
            "2027-01-01T09 2027-01-03T09",
        ),
        (
            "DTSTART;VALUE=DATE:20270101 RRULE:FREQ=DAILY;COUNT=2 EXDATE:20270101T000000",
            "2027-01-01T23",
        ),
        // A week of the calendar's end: a day that ends with itself lasts that day.
        (
            "DTSTART;VALUE=DATE:20270101 DTEND;VALUE=DATE:20270101",
            "2026-12-31T23",
        ),
        // Nothing lasts no time.
        ("DTSTART:20270101T090000Z", ""),
    ] {
        let calendar = parsed(&calendar(lines));
        assert_eq!(calendar.first, None, "{lines}");
        let found = instances(&calendar, year);
        let found: Vec<_> = found
            .iter()
            .map(|period| period.from.to_string()[..13].to_owned())
            .collect();
        let mut whole: Vec<&str> = expected.split_whitespace().collect();
        whole.sort_unstable();
        assert_eq!(found, whole, "{lines}");
    }
}

/// rules.md 24.2.
#[test]
fn instances_keep_their_local_times_over_a_clock_change() {
    let lines = "DTSTART;TZID=Europe/Berlin:20270327T220000 DTEND;TZID=Europe/Berlin:20270328T060000 RRULE:FREQ=DAILY;COUNT=2";
    let found = instances(&parsed(&calendar(lines)), whole());
    let hours: Vec<_> = found
        .iter()
        .map(|period| period.until.duration_since(period.from).as_hours())
        .collect();
    assert_eq!(hours, [7, 8], "the clock is put forward in the first night");
    let lines = "DTSTART;TZID=Europe/Berlin:20270325T090000 DURATION:PT8H RRULE:FREQ=DAILY;COUNT=5";
    let found = instances(&parsed(&calendar(lines)), whole());
    let begins: Vec<_> = found.iter().map(|period| period.from.to_string()).collect();
    assert_eq!(
        begins[2..4],
        ["2027-03-27T08:00:00Z", "2027-03-28T07:00:00Z"]
    );
    assert_eq!(found[3].until, at("2027-03-28T15:00:00Z"));
    // A time that the clock skips is as far after the change as it is after the time before.
    let lines = "DTSTART;TZID=Europe/Berlin:20270328T023000 DURATION:PT2H";
    assert_eq!(
        instances(&parsed(&calendar(lines)), whole())[0].from,
        at("2027-03-28T01:30:00Z")
    );
    // What is left of it then may be nothing: it lasts as long as it says.
    let lines = "DTSTART;TZID=Europe/Berlin:20270327T023000 DURATION:PT1H RRULE:FREQ=DAILY;COUNT=3";
    let found = instances(&parsed(&calendar(lines)), whole());
    assert_eq!(found[1].from, at("2027-03-28T01:30:00Z"));
    assert_eq!(found[1].length().as_mins(), 60);
}

const OWN_ZONE: &str = "BEGIN:VTIMEZONE\r\nTZID:Our time\r\nBEGIN:STANDARD\r\nDTSTART:16010101T030000\r\n\
    TZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\r\nEND:STANDARD\r\n\
    BEGIN:DAYLIGHT\r\nDTSTART:16010101T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\n\
    RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE\r\n";

#[test]
fn a_zone_by_its_own_rules_is_as_the_zone_with_these_rules() {
    for time in ["0000", "0130", "0200", "0230", "0300", "1200", "2330"] {
        let with = |zone: &str| {
            let lines =
                format!("DTSTART;TZID={zone}:20260101T{time}00 DURATION:PT30M RRULE:FREQ=DAILY");
            let lines = lines.replace("Our-time", "Our time");
            let body = calendar("X").replace(
                "X\r\n",
                &(lines.replace(" D", "\r\nD").replace(" R", "\r\nR") + "\r\n"),
            );
            let body = body.replace("BEGIN:VEVENT", &format!("{OWN_ZONE}BEGIN:VEVENT"));
            instances(&parsed(&body), whole())
        };
        assert_eq!(with("Our-time"), with("Europe/Berlin"), "{time}");
    }
}

#[test]
fn zones_are_found_by_the_names_that_programs_write() {
    for (name, hour) in [
        ("Europe/Berlin", "11"),
        ("europe/berlin", "11"),
        ("W. Europe Standard Time", "11"),
        ("\"W. Europe Standard Time\"", "11"),
        ("/freeassociation.sourceforge.net/Europe/Berlin", "11"),
        ("/mozilla.org/20050126_1/America/New_York", "17"),
        ("America/Argentina/Buenos_Aires", "15"),
        ("Eastern Standard Time", "17"),
        ("UTC", "12"),
        ("Asia/Calcutta", "06"),
    ] {
        let body = calendar("X").replace(
            "X\r\n",
            &format!("DTSTART;TZID={name}:20270101T120000\r\nDURATION:PT1H\r\n"),
        );
        let begins = instances(&parsed(&body), whole())[0].from.to_string();
        assert_eq!(&begins[11..13], hour, "{name}");
    }
}

/// rules.md 24.3.
#[test]
fn an_event_that_cannot_be_read_is_left_out_and_counted() {
    for (lines, error) in [
        ("SUMMARY:x", EventError::NoStart),
        (
            "DTSTART;TZID=Mars/Olympus:20270101T090000",
            EventError::Zone("Mars/Olympus".into()),
        ),
        (
            "DTSTART:20270230T090000",
            EventError::Property("DTSTART", "20270230T090000".into()),
        ),
        (
            "DTSTART:20270101T090000Z RRULE:FREQ=HOURLY",
            EventError::TooOften,
        ),
        (
            "DTSTART:20270101T090000Z RRULE:FREQ=DAILY;BYHOUR=25",
            EventError::Rule("BYHOUR=25".into()),
        ),
        (
            "DTSTART:20270101T090000Z EXRULE:FREQ=DAILY",
            EventError::ExceptionRule,
        ),
        (
            "DTSTART:20270101T090000Z DTEND:20270101T080000Z",
            EventError::EndsBeforeStart,
        ),
        (
            "DTSTART:20270101T090000Z DURATION:1H",
            EventError::Property("DURATION", "1H".into()),
        ),
        (
            "DTSTART:20270101T090000Z RDATE:2027",
            EventError::Property("RDATE", "2027".into()),
        ),
    ] {
        let good = "BEGIN:VEVENT\r\nUID:2\r\nDTSTART:20270101T090000Z\r\nDURATION:PT1H\r\nEND:VEVENT\r\nEND:VCALENDAR";
        let calendar = parsed(&calendar(lines).replace("END:VCALENDAR", good));
        assert_eq!(
            (calendar.failed, calendar.first),
            (1, Some(error)),
            "{lines}"
        );
        assert_eq!(calendar.times.len(), 1);
    }
}

#[test]
fn what_is_no_calendar_is_refused() {
    let deep = format!("BEGIN:VCALENDAR\n{}", "BEGIN:X\n".repeat(9));
    let many = format!(
        "BEGIN:VCALENDAR\n{}END:VCALENDAR",
        "BEGIN:X\nEND:X\n".repeat(100_000)
    );
    for (body, error) in [
        ("", Unreadable::NotACalendar),
        (
            "<!DOCTYPE html>\n<title>Sign in: calendar</title>",
            Unreadable::NotACalendar,
        ),
        ("BEGIN:VEVENT\nEND:VEVENT\n", Unreadable::NotACalendar),
        (
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VEVENT\n",
            Unreadable::Unfinished,
        ),
        (
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR\n",
            Unreadable::Unfinished,
        ),
        (&deep, Unreadable::TooDeep),
        (&many, Unreadable::TooMany),
    ] {
        assert_eq!(
            read_within(body, &mut Work::new(50_000_000)).unwrap_err(),
            error
        );
    }
    assert!(parsed("BEGIN:VCALENDAR\nEND:VCALENDAR\n").times.is_empty());
}

#[test]
fn hostile_rules_end() {
    for rule in [
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;BYMONTHDAY=30;BYMONTH=2;COUNT=5",
        "FREQ=DAILY;INTERVAL=4294967295",
        "FREQ=YEARLY;INTERVAL=4294967295;COUNT=3",
        "FREQ=DAILY;COUNT=18446744073709551615",
    ] {
        let calendar = parsed(&calendar(&format!(
            "DTSTART:00010101T000000Z DURATION:PT1H RRULE:{rule}"
        )));
        assert_eq!(calendar.first, None, "{rule}");
        let wanted = InstanceQuery {
            span: whole(),
            near: at(FROM),
            most: 5_000,
        };
        let mut work = Work::new(2_000_000);
        let found = expand(&calendar.times, &|_| true, wanted, &mut work).unwrap();
        assert!(found.failed <= 1);
    }
    let list = |most: u32| {
        (0..most)
            .map(|n| n.to_string())
            .collect::<Vec<_>>()
            .join(",")
    };
    let rule = format!(
        "FREQ=DAILY;BYHOUR={};BYMINUTE={};BYSECOND={}",
        list(24),
        list(60),
        list(60)
    );
    let calendar = parsed(&calendar(&format!(
        "DTSTART:20200101T000000Z DURATION:PT1S RRULE:{rule}"
    )));
    let wanted = InstanceQuery {
        span: whole(),
        near: at(FROM),
        most: 5_000,
    };
    let work = &mut Work::new(50_000_000);
    let found = expand(&calendar.times, &|_| true, wanted, work).unwrap();
    assert_eq!(found.failed, 1);
}

#[test]
fn changed_instances_replace_those_of_the_rule() {
    let event = |lines: &str| {
        let lines = lines.split_whitespace().collect::<Vec<_>>().join("\r\n");
        format!("BEGIN:VEVENT\r\nUID:1\r\n{lines}\r\nEND:VEVENT\r\n")
    };
    let daily = "DTSTART:20270101T090000Z DURATION:PT1H RRULE:FREQ=DAILY;COUNT=4";
    for (events, expected) in [
        (vec![daily], "01T09 02T09 03T09 04T09"),
        // Moved, and of two versions the newer one.
        (
            vec![
                daily,
                "RECURRENCE-ID:20270102T090000Z SEQUENCE:2 DTSTART:20270102T150000Z DURATION:PT1H",
                "RECURRENCE-ID:20270102T090000Z SEQUENCE:1 DTSTART:20270102T200000Z DURATION:PT1H",
            ],
            "01T09 02T15 03T09 04T09",
        ),
        // Cancelled: one, and this and all that follow.
        (
            vec![
                daily,
                "RECURRENCE-ID:20270102T090000Z STATUS:CANCELLED DTSTART:20270102T090000Z DURATION:PT1H",
            ],
            "01T09 03T09 04T09",
        ),
        (
            vec![
                daily,
                "RECURRENCE-ID;RANGE=THISANDFUTURE:20270103T090000Z STATUS:CANCELLED DTSTART:20270103T090000Z DURATION:PT1H",
            ],
            "01T09 02T09",
        ),
        // Moved from here on, but for one that is changed alone, and one that does not happen.
        (
            vec![
                &format!("{daily} EXDATE:20270104T090000Z"),
                "RECURRENCE-ID;RANGE=THISANDFUTURE:20270102T090000Z DTSTART:20270102T100000Z DURATION:PT2H",
                "RECURRENCE-ID:20270103T090000Z DTSTART:20270103T200000Z DURATION:PT1H",
            ],
            "01T09 02T10 03T20",
        ),
        // Without the event that they are of.
        (
            vec!["RECURRENCE-ID:20270103T090000Z DTSTART:20270103T200000Z DURATION:PT1H"],
            "03T20",
        ),
        // An older version of the event itself.
        (
            vec![
                &format!("SEQUENCE:1 {daily}"),
                "DTSTART:20270120T090000Z DURATION:PT1H",
            ],
            "01T09 02T09 03T09 04T09",
        ),
    ] {
        let events: String = events.iter().map(|lines| event(lines)).collect();
        let calendar = parsed(&format!("BEGIN:VCALENDAR\r\n{events}END:VCALENDAR\r\n"));
        assert_eq!(calendar.first, None, "{events}");
        let counts = |at: usize| calendar.said[at].counts;
        let wanted = InstanceQuery {
            span: whole(),
            near: at(FROM),
            most: 100,
        };
        let work = &mut Work::new(1_000_000);
        let found = expand(&calendar.times, &counts, wanted, work).unwrap();
        let begins = found
            .instances
            .iter()
            .map(|instance| instance.period.from.to_string()[8..13].to_owned());
        assert_eq!(begins.collect::<Vec<_>>().join(" "), expected, "{events}");
    }
}

/// rules.md 24.2.
#[test]
fn of_too_many_instances_the_nearest_are_kept() {
    let calendar = parsed(&calendar(
        "DTSTART:20260101T000000Z DURATION:PT1H RRULE:FREQ=DAILY;BYHOUR=0,6,12,18",
    ));
    let wanted = InstanceQuery {
        span: whole(),
        near: at("2026-11-22T00:00:00Z"),
        most: 100,
    };
    let work = &mut Work::new(1_000_000);
    let found = expand(&calendar.times, &|_| true, wanted, work).unwrap();
    let found = found.instances;
    assert_eq!(found.len(), 100);
    assert_eq!(found[0].period.from, at("2026-11-15T12:00:00Z"));
    assert!(found.is_sorted());
}
