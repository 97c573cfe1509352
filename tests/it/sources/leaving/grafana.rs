//! Grafana OnCall.

mod reading;

use super::{ALL, World, at, times_of_a_year};
use crate::support::leaving::grafana::{Grafana, Schedule, Shift};
use crate::support::leaving::people_of;
use jiff::civil::{DateTime, date};

const NOW: &str = "2026-01-05T08:00:00Z";

fn system() -> Grafana {
    Grafana::new(people_of(&["a1", "a2", "a3", "a4", "a5", "a6"]))
}

fn world() -> World<Grafana> {
    World::of("grafanaOnCall", NOW, system())
}

impl World<Grafana> {
    fn schedule(&self, id: &str, kind: &'static str, zone: &str, shifts: &[Shift]) {
        let schedule = Schedule {
            kind,
            zone: zone.to_owned(),
            shifts: shifts.to_vec(),
        };
        self.system
            .with(|it| it.schedules.insert(id.to_owned(), schedule));
    }
}

/// A Monday in December, at an hour.
fn monday(hour: i8) -> DateTime {
    date(2025, 12, 1).at(hour, 0, 0, 0)
}

fn days(mut shift: Shift, by_day: &[&'static str]) -> Shift {
    shift.by_day = by_day.to_vec();
    shift
}

fn every(mut shift: Shift, interval: i64) -> Shift {
    shift.interval = interval;
    shift
}

fn level(mut shift: Shift, level: i64) -> Shift {
    shift.level = level;
    shift
}

/// What recurs and has one group.
fn recurrent(
    id: &str,
    frequency: &'static str,
    start: DateTime,
    hours: i64,
    people: &[&str],
) -> Shift {
    Shift {
        kind: "recurrent_event",
        groups: vec![people.iter().map(|id| (*id).to_owned()).collect()],
        ..Shift::rolling(id, frequency, start, hours, &[])
    }
}

/// What takes place once.
fn once(kind: &'static str, id: &str, start: DateTime, hours: i64, people: &[&str]) -> Shift {
    Shift {
        kind,
        frequency: "",
        ..recurrent(id, "", start, hours, people)
    }
}

const WEEKDAYS: [&str; 5] = ["MO", "TU", "WE", "TH", "FR"];

/// rules.md 22.17.
#[test]
fn each_rhythm_agrees_on_every_minute() {
    let world = world();
    let rolling = Shift::rolling;
    let three = ["a1", "a2", "a3"];
    for (id, zone, shifts) in [
        (
            "S1",
            "Europe/Oslo",
            vec![rolling("H1", "weekly", monday(9), 168, &three)],
        ),
        (
            "S2",
            "America/New_York",
            vec![days(
                rolling("H2", "weekly", monday(9), 8, &three),
                &WEEKDAYS,
            )],
        ),
        (
            "S3",
            "Europe/Oslo",
            vec![every(rolling("H3", "weekly", monday(9), 336, &three), 2)],
        ),
        (
            "S4",
            "Asia/Kolkata",
            vec![rolling("H4", "daily", monday(9), 24, &three)],
        ),
        (
            "S5",
            "Asia/Kolkata",
            vec![rolling("H5", "daily", monday(9), 10, &three)],
        ),
        (
            "S6",
            "UTC",
            vec![every(
                rolling("H6", "daily", monday(6), 48, &["a1", "a2"]),
                2,
            )],
        ),
        (
            "S7",
            "Europe/Oslo",
            vec![days(
                rolling("H7", "daily", monday(8), 12, &three),
                &["MO", "WE", "FR"],
            )],
        ),
        (
            "S8",
            "Europe/Oslo",
            vec![every(
                days(
                    rolling("H8", "daily", monday(8), 24, &three),
                    &["MO", "TU", "TH", "FR"],
                ),
                2,
            )],
        ),
        (
            "S9",
            "UTC",
            vec![every(rolling("H9", "hourly", monday(0), 12, &three), 12)],
        ),
        (
            "S10",
            "Europe/Oslo",
            vec![every(
                rolling("H10", "hourly", monday(6), 8, &["a1", "a2", "a3", "a4"]),
                8,
            )],
        ),
        (
            "S11",
            "Europe/Oslo",
            vec![recurrent("H11", "weekly", monday(9), 168, &["a1"])],
        ),
        // It starts within a week, of which only the rest is left to the first one.
        (
            "S12",
            "Europe/Oslo",
            vec![days(
                rolling(
                    "H12",
                    "weekly",
                    date(2025, 12, 4).at(9, 0, 0, 0),
                    24,
                    &three,
                ),
                &["MO", "TU", "WE", "TH", "FR", "SA", "SU"],
            )],
        ),
        // Its first day is not one of its days.
        (
            "S13",
            "Europe/Oslo",
            vec![days(
                rolling(
                    "H13",
                    "weekly",
                    date(2025, 12, 3).at(20, 0, 0, 0),
                    10,
                    &three,
                ),
                &["MO", "TU"],
            )],
        ),
    ] {
        world.schedule(id, "calendar", zone, &shifts);
        let output = world.agrees(id);
        assert!(output.contains(ALL) || zone != "UTC", "{id}: {output}");
        assert!(!output.contains("not said"), "{id}: {output}");
    }
    // The order begins where it is said to.
    let mut shift = rolling("H20", "weekly", monday(9), 168, &three);
    shift.first = 2;
    world.schedule("S20", "calendar", "UTC", &[shift]);
    // The sixth week: two from the third on.
    let output = world.agrees("S20");
    assert!(
        output.contains("turns     Named H20: U1, U2, U3"),
        "{output}"
    );
}

/// rules.md 22.17.
#[test]
fn sets_of_shifts_become_windows_and_lanes() {
    let world = world();
    let week = |id: &str, number: i8, person: &str| {
        every(
            recurrent(
                id,
                "weekly",
                date(2025, 12, 1 + 7 * number).at(9, 0, 0, 0),
                168,
                &[person],
            ),
            3,
        )
    };
    // Three shifts of one rhythm take turns.
    world.schedule(
        "S1",
        "calendar",
        "Europe/Oslo",
        &[
            week("H1", 1, "a2"),
            week("H2", 0, "a1"),
            week("H3", 2, "a3"),
        ],
    );
    // Groups of two are two lanes.
    let mut pairs = Shift::rolling("H4", "weekly", monday(9), 168, &[]);
    pairs.groups = [["a1", "a2"], ["a3", "a4"]]
        .map(|pair| pair.map(str::to_owned).to_vec())
        .to_vec();
    world.schedule("S2", "web", "UTC", &[pairs]);
    // Days and nights, weekends apart.
    world.schedule(
        "S3",
        "calendar",
        "America/New_York",
        &[
            days(
                Shift::rolling("H5", "weekly", monday(9), 12, &["a1", "a2"]),
                &WEEKDAYS,
            ),
            days(
                Shift::rolling("H6", "weekly", monday(21), 12, &["a3", "a4"]),
                &["MO", "TU", "WE", "TH"],
            ),
            days(
                Shift::rolling(
                    "H7",
                    "weekly",
                    date(2025, 12, 5).at(21, 0, 0, 0),
                    60,
                    &["a5", "a6"],
                ),
                &["FR"],
            ),
        ],
    );
    for id in ["S1", "S2", "S3"] {
        let output = world.agrees(id);
        assert!(
            output.contains(ALL) || output.contains("clocks"),
            "{id}: {output}"
        );
        assert!(!output.contains("not said"), "{id}: {output}");
    }
    let all = world.rota.caller().all("/v1/rotations");
    let made = |code: &str| all.iter().find(|one| one["code"] == code).expect("made");
    let count = |code: &str, what: &str| made(code)[what].as_array().expect("a list").len();
    assert_eq!((count("S1", "lanes"), count("S1", "windows")), (1, 1));
    assert_eq!((count("S2", "lanes"), count("S2", "windows")), (2, 1));
    assert_eq!((count("S3", "lanes"), count("S3", "windows")), (1, 3));
}

/// rules.md 22.17.
#[test]
fn levels_lie_over_one_another() {
    let world = world();
    let base = Shift::rolling("H1", "weekly", monday(9), 168, &["a1", "a2"]);
    let office = days(
        Shift::rolling("H2", "weekly", monday(9), 8, &["a3", "a4"]),
        &WEEKDAYS,
    );
    let lunch = days(
        Shift::rolling("H3", "daily", monday(12), 1, &["a5", "a6"]),
        &["TU"],
    );
    world.schedule(
        "S1",
        "calendar",
        "Europe/Oslo",
        &[
            level(base.clone(), 0),
            level(office.clone(), 1),
            level(lunch, 2),
        ],
    );
    let output = world.agrees("S1");
    assert!(!output.contains("not said"), "{output}");
    // At one level both are on call.
    world.schedule(
        "S2",
        "calendar",
        "Europe/Oslo",
        &[level(base, 1), level(office, 1)],
    );
    let output = world.agrees("S2");
    assert!(!output.contains("not said"), "{output}");
}

/// rules.md 22.17.
#[test]
fn overrides_and_single_events_become_assignments() {
    let world = world();
    let base = Shift::rolling("H1", "weekly", monday(9), 168, &["a1", "a2"]);
    let second = Shift::rolling("H2", "weekly", monday(9), 168, &["a3", "a4"]);
    world.schedule(
        "S1",
        "web",
        "Europe/Oslo",
        &[
            base.clone(),
            second,
            once(
                "override",
                "O1",
                date(2026, 1, 20).at(10, 0, 0, 0),
                6,
                &["a5"],
            ),
            once(
                "override",
                "O2",
                date(2026, 2, 20).at(10, 0, 0, 0),
                48,
                &["a5", "a6"],
            ),
            // Without people it covers nothing.
            once("override", "O3", date(2026, 2, 25).at(10, 0, 0, 0), 6, &[]),
            once(
                "override",
                "O4",
                date(2025, 12, 20).at(10, 0, 0, 0),
                6,
                &["a6"],
            ),
            // Behind the days that are compared.
            once(
                "override",
                "O5",
                date(2026, 5, 20).at(10, 0, 0, 0),
                6,
                &["a6"],
            ),
        ],
    );
    let output = world.agrees("S1");
    for line in [
        "override  2026-01-20T10:00:00Z to 2026-01-20T16:00:00Z: U5",
        "override  2026-05-20T10:00:00Z",
    ] {
        assert!(output.contains(line), "{output}");
    }
    assert!(output.contains("the shifts are in UTC"), "{output}");
    assert!(!output.contains("2025-12-20"), "{output}");
    world.schedule(
        "S2",
        "calendar",
        "Europe/Oslo",
        &[
            level(base.clone(), 0),
            level(
                once(
                    "single_event",
                    "E1",
                    date(2026, 1, 20).at(10, 0, 0, 0),
                    6,
                    &["a5"],
                ),
                3,
            ),
        ],
    );
    let output = world.agrees("S2");
    assert!(
        output.contains("override  2026-01-20T09:00:00Z to 2026-01-20T15:00:00Z: U5"),
        "{output}"
    );
    // Beside the others there is no slot for it.
    world.schedule(
        "S3",
        "calendar",
        "Europe/Oslo",
        &[
            level(base, 1),
            level(
                once(
                    "single_event",
                    "E1",
                    date(2026, 1, 20).at(10, 0, 0, 0),
                    6,
                    &["a5"],
                ),
                1,
            ),
        ],
    );
    let (code, output, errors) = world.import("S3");
    assert_eq!(code, 1, "{output}{errors}");
    let line = "not said  from 2026-01-20T09:00:00Z to 2026-01-20T15:00:00Z, the single event \"Named E1\": U5 is on call beside";
    assert!(output.contains(line), "{output}");
    assert!(
        output.contains("agrees    on 129240 of 129600 minutes"),
        "{output}"
    );
}

/// rules.md 22.12.
#[test]
fn what_a_rotation_cannot_say_is_a_line() {
    let world = world();
    let three = ["a1", "a2", "a3"];
    let month = Shift::rolling("H8", "monthly", monday(9), 720, &three);
    let mut until = Shift::rolling("H6", "weekly", monday(9), 168, &three);
    until.until = Some(at("2026-02-09T09:00:00Z"));
    let mut next = Shift::rolling(
        "H7",
        "weekly",
        date(2026, 2, 9).at(9, 0, 0, 0),
        168,
        &["a4", "a5"],
    );
    next.rotation_start = next.start;
    for (id, shifts, words) in [
        (
            "S1",
            vec![every(
                Shift::rolling("H1", "daily", monday(9), 8, &three),
                2,
            )],
            "takes place every 2 days for 8 hours",
        ),
        (
            "S2",
            vec![every(
                Shift::rolling("H2", "hourly", monday(9), 5, &three),
                5,
            )],
            "turns of 5 hours, which neither",
        ),
        (
            "S3",
            vec![every(
                days(
                    Shift::rolling("H3", "weekly", monday(9), 8, &three),
                    &WEEKDAYS,
                ),
                2,
            )],
            "takes place every 2 weeks",
        ),
        (
            "S4",
            vec![Shift::rolling(
                "H4",
                "weekly",
                monday(9),
                168,
                &["a1", "a9"],
            )],
            "is not known here",
        ),
        (
            "S5",
            vec![Shift::rolling("H5", "weekly", monday(9), 180, &three)],
            "goes on for 12 hours into the next turn",
        ),
        (
            "S6",
            vec![until, next],
            "the shift \"Named H7\" takes over from another one at 2026-02-09T09:00:00Z",
        ),
        (
            "S8",
            vec![month],
            "takes place every 1 months for 720 hours, and months differ in length",
        ),
    ] {
        world.system.with(|it| {
            it.people.insert(
                "a9".to_owned(),
                ("Nina".to_owned(), "nina@elsewhere.org".to_owned()),
            )
        });
        world.schedule(id, "calendar", "UTC", &shifts);
        let (code, output, errors) = world.import(&format!("{id} --apply"));
        assert_eq!(code, 1, "{id}: {output}{errors}");
        let said = output
            .lines()
            .find(|line| line.starts_with("not said") && line.contains(words));
        assert!(said.is_some(), "{id} {words}: {output}{errors}");
        assert!(
            said.is_some_and(|line| line.contains("20") || id == "S4"),
            "{said:?}"
        );
    }
    world.schedule("S7", "ical", "", &[]);
    let (code, output, errors) = world.import("S7 --apply");
    assert_eq!(code, 1, "{output}{errors}");
    assert!(
        output.contains("not said  the schedule follows a calendar (iCal)"),
        "{output}"
    );
    assert!(output.contains("make a schedule of type web"), "{output}");
    assert!(!output.contains("secret"), "{output}");
}

/// A year of schedules: at four times of it, so that 90 days each are compared.
#[test]
fn a_year_of_schedules_agrees_but_for_the_hours_named() {
    for now in times_of_a_year() {
        let world = World::of("grafanaOnCall", now, system());
        let mut number = 0;
        for zone in [
            "Europe/Oslo",
            "America/New_York",
            "Australia/Adelaide",
            "UTC",
        ] {
            for shape in 0..5 {
                number += 1;
                let start = date(2024, 2, 5).at(9, 0, 0, 0);
                let own = |kind: &str| format!("H{number}{kind}");
                let shifts = match shape {
                    0 => vec![Shift::rolling(
                        &own(""),
                        "weekly",
                        start,
                        168,
                        &["a1", "a2", "a3"],
                    )],
                    1 => vec![
                        level(
                            Shift::rolling(&own(""), "daily", start, 24, &["a1", "a2", "a3"]),
                            0,
                        ),
                        level(
                            days(
                                Shift::rolling(&own("o"), "weekly", start, 8, &["a4", "a5"]),
                                &WEEKDAYS,
                            ),
                            1,
                        ),
                    ],
                    2 => vec![every(
                        Shift::rolling(&own(""), "hourly", start, 6, &["a1", "a2", "a3"]),
                        6,
                    )],
                    3 => vec![
                        every(recurrent(&own(""), "weekly", start, 168, &["a1"]), 2),
                        every(
                            recurrent(
                                &own("b"),
                                "weekly",
                                date(2024, 2, 12).at(9, 0, 0, 0),
                                168,
                                &["a2"],
                            ),
                            2,
                        ),
                        days(
                            Shift::rolling(&own("c"), "daily", start, 12, &["a5", "a6"]),
                            &["SA", "SU"],
                        ),
                    ],
                    _ => vec![days(
                        Shift::rolling(&own(""), "daily", start, 10, &["a1", "a2", "a3"]),
                        &["MO", "TU", "TH"],
                    )],
                };
                world.schedule(&format!("S{number}"), "calendar", zone, &shifts);
            }
        }
        let (code, output, errors) = world.import("--all");
        assert_eq!(code, 0, "{now}: {output}{errors}");
        assert_eq!(output.lines().count(), number + 1, "{output}");
    }
}
