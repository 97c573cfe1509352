//! GoAlert.

mod reading;

use super::{ALL, World, at, times_of_a_year};
use crate::cli::on;
use crate::support::leaving::goalert::{
    ALWAYS, GoAlert, Override, Rotation, Rule, Schedule, WEEKDAYS,
};
use crate::support::leaving::people_of;
use crate::support::*;

const NOW: &str = "2026-01-05T08:00:00Z";

/// The document that the program prints.
fn query() -> String {
    let dir = TempDir::new();
    // No database and no settings are needed.
    let (code, output, errors) = run(&mut on(&dir.join("none.db"), "import goAlert --query"));
    assert_eq!(code, 0, "{errors}");
    // The end of the line is of the harness.
    output.trim_end().to_owned()
}

fn world() -> World<GoAlert> {
    world_at(NOW)
}

fn world_at(now: &str) -> World<GoAlert> {
    let people = people_of(&["a1", "a2", "a3", "a4", "a5", "a6"]);
    World::of("goAlert", now, GoAlert::new(query(), now, people))
}

fn rotation(kind: &'static str, length: i64, zone: &str, start: &str, people: &[&str]) -> Rotation {
    Rotation {
        zone: zone.to_owned(),
        start: at(start),
        kind,
        length,
        people: people.iter().map(|id| (*id).to_owned()).collect(),
    }
}

/// A rule of a rotation, or of a person whose id begins with `a`.
fn rule(target: &str, days: [bool; 7], from: i64, until: i64) -> Rule {
    Rule {
        is_rotation: !target.starts_with('a'),
        target: target.to_owned(),
        days,
        from: from * 60,
        until: until * 60,
    }
}

impl World<GoAlert> {
    fn rotate(&self, id: &str, rotation: Rotation) {
        self.system
            .with(|it| it.rotations.insert(id.to_owned(), rotation));
    }

    fn schedule(&self, id: &str, zone: &str, rules: &[Rule]) {
        let schedule = Schedule {
            zone: zone.to_owned(),
            rules: rules.to_vec(),
            ..Schedule::default()
        };
        self.system
            .with(|it| it.schedules.insert(id.to_owned(), schedule));
    }
}

/// rules.md 22.15.
#[test]
fn each_type_of_rotation_agrees_on_every_minute() {
    let world = world();
    for (id, kind, length, zone, start, people) in [
        (
            "R1",
            "weekly",
            1,
            "Europe/Oslo",
            "2025-12-01T08:00:00Z",
            "a3 a1 a2",
        ),
        (
            "R2",
            "weekly",
            2,
            "America/New_York",
            "2024-06-03T14:00:00Z",
            "a1 a2 a3 a4",
        ),
        (
            "R3",
            "daily",
            1,
            "Asia/Kolkata",
            "2025-10-01T03:30:00Z",
            "a1 a2",
        ),
        (
            "R4",
            "daily",
            3,
            "Europe/Paris",
            "2025-08-01T06:00:00Z",
            "a1 a2 a3",
        ),
        (
            "R5",
            "hourly",
            8,
            "Europe/Paris",
            "2025-08-01T06:00:00Z",
            "a1 a2 a3",
        ),
        ("R6", "hourly", 12, "UTC", "2025-12-01T06:00:00Z", "a2 a1"),
        (
            "R7",
            "hourly",
            48,
            "Europe/Oslo",
            "2025-12-01T06:00:00Z",
            "a2 a1 a5",
        ),
        (
            "R8",
            "monthly",
            1,
            "Europe/Oslo",
            "2025-03-15T08:00:00Z",
            "a1 a2 a3",
        ),
        (
            "R9",
            "monthly",
            2,
            "UTC",
            "2024-11-01T00:00:00Z",
            "a6 a1 a3",
        ),
        // It begins later, and turns go back from there.
        (
            "R10",
            "weekly",
            1,
            "Europe/Oslo",
            "2026-05-04T07:00:00Z",
            "a1 a2 a3",
        ),
        ("R11", "daily", 1, "UTC", "2025-12-01T06:00:00Z", "a4"),
    ] {
        let people: Vec<&str> = people.split(' ').collect();
        world.rotate(id, rotation(kind, length, zone, start, &people));
        let schedule = id.replace('R', "S");
        world.schedule(&schedule, zone, &[rule(id, ALWAYS, 0, 0)]);
        let output = world.agrees(&schedule);
        assert!(output.contains(ALL), "{id}: {output}");
        assert!(output.contains(": 100 %"), "{id}: {output}");
    }
}

/// rules.md 22.15.
#[test]
fn rules_become_windows_and_lanes() {
    let world = world();
    world.rotate(
        "R1",
        rotation(
            "weekly",
            1,
            "Europe/Oslo",
            "2025-12-01T08:00:00Z",
            &["a1", "a2"],
        ),
    );
    world.rotate(
        "R2",
        rotation(
            "weekly",
            1,
            "Europe/Oslo",
            "2025-12-01T08:00:00Z",
            &["a3", "a4"],
        ),
    );
    // Hand-overs in the zone of the rotation, hours in that of the schedule.
    world.rotate(
        "R3",
        rotation(
            "daily",
            1,
            "America/New_York",
            "2025-12-01T14:00:00Z",
            &["a5", "a6", "a1"],
        ),
    );
    // Days and nights.
    world.schedule(
        "S1",
        "Europe/Oslo",
        &[rule("R1", WEEKDAYS, 8, 16), rule("R2", WEEKDAYS, 16, 8)],
    );
    // Two at one time, of the same hand-overs.
    world.schedule(
        "S2",
        "Europe/Oslo",
        &[rule("R1", ALWAYS, 0, 0), rule("R2", ALWAYS, 0, 0)],
    );
    // A person beside a rotation, and a second rule of one target.
    world.schedule(
        "S3",
        "Europe/Oslo",
        &[
            rule("R1", WEEKDAYS, 9, 17),
            rule(
                "R1",
                [true, false, false, false, false, false, true],
                12,
                12,
            ),
            rule("a6", ALWAYS, 20, 22),
        ],
    );
    world.schedule("S4", "Europe/London", &[rule("R3", WEEKDAYS, 7, 19)]);
    for id in ["S1", "S2", "S3", "S4"] {
        let output = world.agrees(id);
        assert!(output.contains(ALL), "{id}: {output}");
    }
    let all = world.rota.caller().all("/v1/rotations");
    let made = |code: &str| all.iter().find(|one| one["code"] == code).expect("made");
    let count = |code: &str, what: &str| made(code)[what].as_array().expect("a list").len();
    assert_eq!((count("S1", "lanes"), count("S1", "windows")), (1, 2));
    assert_eq!((count("S2", "lanes"), count("S2", "windows")), (2, 1));
    assert_eq!((count("S3", "lanes"), count("S3", "windows")), (1, 2));
}

/// rules.md 22.15.
#[test]
fn overrides_and_temporary_schedules_become_assignments() {
    let world = world();
    world.rotate(
        "R1",
        rotation(
            "weekly",
            1,
            "Europe/Oslo",
            "2025-12-01T08:00:00Z",
            &["a1", "a2"],
        ),
    );
    world.rotate(
        "R2",
        rotation(
            "weekly",
            1,
            "Europe/Oslo",
            "2025-12-01T08:00:00Z",
            &["a3", "a4"],
        ),
    );
    world.schedule(
        "S1",
        "Europe/Oslo",
        &[rule("R1", ALWAYS, 0, 0), rule("R2", ALWAYS, 0, 0)],
    );
    let over = |add: &str, remove: &str, from: &str, until: &str| Override {
        add: add.to_owned(),
        remove: remove.to_owned(),
        from: at(from),
        until: at(until),
    };
    let turn = |id: &str, from: &str, until: &str| (id.to_owned(), at(from), at(until));
    world.system.with(|it| {
        let schedule = it.schedules.get_mut("S1").expect("S1");
        schedule.overrides = vec![
            // Past ones are nobody's business.
            over("a6", "a1", "2025-12-20T08:00:00Z", "2025-12-21T08:00:00Z"),
            // Over turns of a1 and of a2, whichever has them.
            over("a5", "a1", "2026-01-10T10:00:00Z", "2026-01-16T10:00:00Z"),
            // Somebody who takes no turns, for a while over which nobody has to take over.
            over("a6", "a3", "2026-02-01T00:00:00Z", "2026-02-01T06:00:00Z"),
            // The other one is on call alone.
            over("", "a4", "2026-03-01T00:00:00Z", "2026-03-05T06:00:00Z"),
        ];
        schedule.temporary = vec![(
            at("2026-02-10T00:00:00Z"),
            at("2026-02-12T00:00:00Z"),
            vec![
                turn("a6", "2026-02-10T00:00:00Z", "2026-02-11T12:00:00Z"),
                turn("a5", "2026-02-11T12:00:00Z", "2026-02-12T00:00:00Z"),
            ],
        )];
    });
    let output = world.agrees("S1");
    assert!(output.contains(ALL), "{output}");
    assert!(
        output.contains("override  2026-01-12T08:00:00Z to 2026-01-16T10:00:00Z: U5"),
        "{output}"
    );
    assert!(!output.contains("2025-12-20"), "{output}");

    // What a grid cannot say is a line with times, and a difference.
    world.system.with(|it| {
        let schedule = it.schedules.get_mut("S1").expect("S1");
        schedule.overrides = vec![over(
            "a6",
            "",
            "2026-01-10T10:00:00Z",
            "2026-01-10T12:00:00Z",
        )];
        schedule.temporary = vec![(
            at("2026-02-10T00:00:00Z"),
            at("2026-02-10T01:00:00Z"),
            Vec::new(),
        )];
    });
    let (code, output, errors) = world.import("S1 --code S1 --apply");
    assert_eq!(code, 1, "{output}{errors}");
    for line in [
        "not said  from 2026-01-10T10:00:00Z to 2026-01-10T12:00:00Z, the override that adds Outside 6: U6 is on call beside the \
         others; here no slot is left",
        "not said  from 2026-02-10T00:00:00Z to 2026-02-10T01:00:00Z, the temporary schedule: nobody is on call",
        "agrees    on 129420 of 129600 minutes",
        ": 99.86 %",
    ] {
        assert!(output.contains(line), "{line}: {output}");
    }
    let (code, output, errors) = world.import("S1 --code S1 --apply --accept-differences");
    assert_eq!(code, 0, "{output}{errors}");
    assert!(errors.contains("changed to the same"), "{errors}");
}

#[test]
fn an_override_behind_the_compared_days_is_read_as_well() {
    let world = world();
    world.rotate(
        "R1",
        rotation("weekly", 1, "UTC", "2025-12-01T08:00:00Z", &["a1", "a2"]),
    );
    world.schedule("S1", "UTC", &[rule("R1", ALWAYS, 0, 0)]);
    world.system.with(|it| {
        it.schedules.get_mut("S1").expect("S1").overrides = vec![Override {
            add: "a3".to_owned(),
            remove: "a1".to_owned(),
            from: at("2026-06-01T00:00:00Z"),
            until: at("2026-06-15T00:00:00Z"),
        }];
    });
    let output = world.agrees("S1");
    assert!(output.contains("override  2026-06-"), "{output}");
}

/// rules.md 22.16.
#[test]
fn an_hour_at_a_change_of_the_clocks_is_named_and_no_failure() {
    let world = world();
    // Nobody's clock shows 02:30 on 29 March.
    world.rotate(
        "R1",
        rotation(
            "daily",
            1,
            "Europe/Oslo",
            "2025-12-01T01:30:00Z",
            &["a1", "a2"],
        ),
    );
    world.schedule("S1", "Europe/Oslo", &[rule("R1", ALWAYS, 0, 0)]);
    let output = world.agrees("S1");
    let named = output
        .lines()
        .find(|line| line.starts_with("clocks    2026-03-29T01:"));
    assert!(
        named.is_some_and(|line| line.ends_with("the clocks change")),
        "{output}"
    );
    assert!(output.contains("agrees    on 1295"), "{output}");
}

/// rules.md 22.12.
#[test]
fn what_a_rotation_cannot_say_is_a_line() {
    let world = world();
    world.rotate(
        "R1",
        rotation("hourly", 5, "UTC", "2025-12-01T08:00:00Z", &["a1", "a2"]),
    );
    world.rotate(
        "R2",
        rotation("weekly", 1, "UTC", "2025-12-01T08:00:00Z", &["a1", "a9"]),
    );
    world.rotate(
        "R3",
        rotation("monthly", 1, "UTC", "2025-10-31T08:00:00Z", &["a1", "a2"]),
    );
    world.rotate(
        "R4",
        rotation("weekly", 1, "UTC", "2025-12-01T08:00:00Z", &[]),
    );
    world.system.with(|it| {
        it.people.insert(
            "a9".to_owned(),
            ("Nina".to_owned(), "nina@elsewhere.org".to_owned()),
        )
    });
    for (rotation, words) in [
        (
            "R1",
            "turns of 5 hours, which neither divide a day nor are whole days",
        ),
        ("R2", "Nina (nina@elsewhere.org) is not known here"),
        ("R3", "hands over on day 31 of a month, first on 2025-10-31"),
        (
            "R4",
            "is left out: nobody who takes turns in it is known here",
        ),
    ] {
        let id = rotation.replace('R', "S");
        world.schedule(&id, "UTC", &[rule(rotation, ALWAYS, 0, 0)]);
        let (code, output, errors) = world.import(&format!("{id} --apply"));
        let said = output
            .lines()
            .find(|line| line.starts_with("not said") && line.contains(words));
        assert!(said.is_some(), "{rotation}: {output}{errors}");
        assert_eq!(
            code,
            i32::from(rotation != "R4"),
            "{rotation}: {output}{errors}"
        );
    }
    world.schedule("S5", "UTC", &[rule("R2", [false; 7], 0, 0)]);
    let (_, output, _) = world.import("S5");
    assert!(output.contains("has no rule with a day"), "{output}");
}

/// A year of schedules: at four times of it, so that 90 days each are compared.
#[test]
fn a_year_of_schedules_agrees_but_for_the_hours_named() {
    for now in times_of_a_year() {
        let world = world_at(now);
        let mut number = 0;
        for zone in [
            "Europe/Oslo",
            "America/New_York",
            "Australia/Adelaide",
            "UTC",
        ] {
            for (kind, length) in [
                ("hourly", 6),
                ("daily", 1),
                ("daily", 2),
                ("weekly", 1),
                ("weekly", 3),
                ("monthly", 1),
            ] {
                number += 1;
                let (first, second) = (format!("R{number}"), format!("Q{number}"));
                world.rotate(
                    &first,
                    rotation(
                        kind,
                        length,
                        zone,
                        "2024-02-05T09:00:00Z",
                        &["a1", "a2", "a3"],
                    ),
                );
                world.rotate(
                    &second,
                    rotation("weekly", 1, zone, "2025-01-06T07:00:00Z", &["a4", "a5"]),
                );
                let rules = match number % 3 {
                    0 => vec![rule(&first, ALWAYS, 0, 0)],
                    1 => vec![rule(&first, WEEKDAYS, 7, 19), rule(&second, ALWAYS, 19, 7)],
                    _ => vec![
                        rule(&first, WEEKDAYS, 6, 18),
                        rule(&second, WEEKDAYS, 10, 22),
                        rule("a6", ALWAYS, 9, 9),
                    ],
                };
                world.schedule(&format!("S{number}"), zone, &rules);
            }
        }
        let (code, output, errors) = world.import("--all");
        assert_eq!(code, 0, "{now}: {output}{errors}");
        assert_eq!(output.lines().count(), number + 1, "{output}");
    }
}
