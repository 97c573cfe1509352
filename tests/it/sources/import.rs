//! `rota import`: schedules of the stand-ins as rotations, compared minute by minute.

use crate::cli::on;
use crate::support::partners::{Hours, Kind, Layer, Plan, StandIn, Turns};
use crate::support::*;
use jiff::civil::Weekday;
use jiff::{SignedDuration, Timestamp};
use std::path::PathBuf;

/// A database with six people, its server and a partner who has them too.
pub(super) struct World {
    pub(super) partner: StandIn,
    pub(super) rota: Rota,
    pub(super) db: PathBuf,
    pub(super) dir: TempDir,
}

impl World {
    pub(super) fn of(kind: Kind) -> World {
        let dir = TempDir::new();
        let db = dir.join("rota.db");
        let partner = StandIn::new(kind);
        let settings = partner.settings().into_iter();
        let start = settings.fold(Start::default().db(&db), |start, (name, value)| {
            start.env(name, value)
        });
        let rota = start.go();
        rota.people(6);
        partner.people(&["a1", "a2", "a3", "a4", "a5", "a6"]);
        World {
            partner,
            rota,
            db,
            dir,
        }
    }

    /// Exit code, output and messages of an import.
    pub(super) fn import(&self, line: &str) -> (i32, String, String) {
        let line = format!("import {} {line}", self.partner.kind.name());
        let mut command = on(&self.db, &line);
        for (name, value) in self.partner.settings() {
            command.env(name, value);
        }
        run(&mut command)
    }

    pub(super) fn rotations(&self) -> usize {
        self.rota.caller().all("/v1/rotations").len()
    }
}

pub(super) fn weekly() -> Plan {
    Plan::weekly(
        "S1",
        "Europe/Oslo",
        "2025-12-01T08:00:00Z",
        &["a3", "a1", "a2"],
    )
}

/// rules.md 22.10.
#[test]
fn a_schedule_becomes_a_rotation_that_agrees() {
    for kind in Kind::ALL {
        let world = World::of(kind);
        let plan = weekly();
        let plan = plan.override_by("O1", "a2", "2026-01-20T10:00:00Z", "2026-01-20T12:00:00Z");
        world.partner.plan("S1", plan);
        // Looked at, nothing is written.
        let (code, output, errors) = world.import("S1 --code DB");
        assert_eq!(code, 0, "{kind:?} {output}{errors}");
        assert!(
            output.contains("agrees    on 129600 of 129600 minutes"),
            "{output}"
        );
        assert!(errors.contains("add --apply"), "{errors}");
        assert_eq!(world.rotations(), 0);

        let (code, output, errors) = world.import("S1 --code db --owner U1 --apply");
        assert_eq!(code, 0, "{output}{errors}");
        assert!(errors.contains("the rotation was made"), "{errors}");
        let rotation = world.rota.caller().all("/v1/rotations").remove(0);
        assert_eq!(
            (text(&rotation["code"]), text(&rotation["name"])),
            ("DB", "Schedule S1")
        );
        assert_eq!(rotation["owners"][0], "U1");
        let version = rotation["version"].clone();

        // Once more, at another time too, nothing changes.
        for _ in 0..2 {
            let (code, _, errors) = world.import("S1 --code DB --apply");
            assert_eq!(code, 0, "{kind:?} {errors}");
            assert!(errors.contains("the same already"), "{kind:?} {errors}");
        }
        let rotation = world.rota.caller().all("/v1/rotations").remove(0);
        assert_eq!(rotation["version"], version);
    }
}

/// rules.md 22.12.
#[test]
fn what_differs_is_named_and_not_written() {
    let world = World::of(Kind::Ops);
    let mut plan = weekly();
    plan.layers[0].people.push("a9".to_owned());
    world.partner.plan("S1", plan);
    let (code, output, errors) = world.import("S1 --apply");
    assert_eq!(code, 1, "{output}{errors}");
    assert!(
        output.contains("not said  the rotation \"S1-1\": a9 is not known here"),
        "{output}"
    );
    assert!(
        output.contains("differs   ") && output.contains("at the partner"),
        "{output}"
    );
    assert!(errors.contains("--accept-differences"), "{errors}");
    assert_eq!(world.rotations(), 0);
    let (code, _, errors) = world.import("S1 --apply --accept-differences");
    assert_eq!(code, 0, "{errors}");
    assert_eq!(world.rotations(), 1);
}

/// A file with a weekly schedule of Opsgenie, whose timeline reaches so many weeks from 5 January.
pub(super) fn file(weeks: i64) -> String {
    let rotation = r#"{"id":"R1","name":"Primary","startDate":"2025-12-01T08:00:00Z","type":"weekly","length":1,
        "participants":[{"type":"user","id":"a1","username":"u1@example.com"},{"type":"user","id":"a2"}]}"#;
    let week = SignedDuration::from_hours(24 * 7);
    let begins: Timestamp = "2026-01-05T00:00:00Z".parse().expect("an instant");
    let ends = begins + week * weeks as i32;
    let mut periods = Vec::new();
    for number in 0..weeks {
        let from = begins + SignedDuration::from_hours(8) + week * number as i32;
        let until = from + week;
        // Five turns have passed.
        let who = if number % 2 == 0 { "a2" } else { "a1" };
        periods.push(format!(
            r#"{{"startDate":"{from}","endDate":"{until}","type":"base","recipient":{{"id":"{who}","type":"user"}}}}"#
        ));
    }
    let periods = periods.join(",");
    format!(
        r#"{{"partner":"opsPartner",
            "schedule":{{"data":{{"id":"S1","name":"Files","timezone":"UTC","rotations":[{rotation}]}}}},
            "timeline":{{"data":{{"startDate":"{begins}","endDate":"{ends}",
                "finalTimeline":{{"rotations":[{{"id":"R1","periods":[{periods}]}}]}}}}}},
            "users":[{{"id":"a1","email":"U1@example.com","name":"One"}},{{"id":"a2","email":"u2@example.com","name":"Two"}}]}}"#
    )
}

#[test]
fn a_file_says_the_same_as_the_partner() {
    let world = World::of(Kind::Ops);
    let path = world.dir.file("schedule.json", file(14));
    // Without any settings of the partner, so nothing is asked.
    let line = format!("import opsPartner S1 --from {} --apply", path.display());
    let (code, output, errors) = run(&mut on(&world.db, &line));
    assert_eq!(world.partner.asked(""), 0);
    assert_eq!(code, 0, "{output}{errors}");
    assert!(output.contains("turns     Primary: U2, U1"), "{output}");
    assert_eq!(
        text(&world.rota.caller().all("/v1/rotations")[0]["code"]),
        "FILES"
    );
}

#[test]
fn wrong_calls_are_refused() {
    let world = World::of(Kind::Pager);
    for (line, exit, words) in [
        ("import opsPartner S1", 2, "partners.opsPartner: missing"),
        ("import PagerDuty S1", 2, "is no partner"),
        ("import pagerPartner", 2, "SCHEDULE"),
        ("import pagerPartner S1 --days 0", 2, "--days"),
        ("import pagerPartner none", 1, "not_found"),
        (
            "import pagerPartner --from /none/there.json",
            1,
            "/none/there.json",
        ),
    ] {
        let mut command = on(&world.db, line);
        for (name, value) in world.partner.settings() {
            command.env(name, value);
        }
        let (code, output, errors) = run(&mut command);
        assert_eq!(code, exit, "{line}: {output}{errors}");
        assert!(errors.contains(words), "{line}: {errors}");
    }
}

/// rules.md 22.10.
#[test]
fn turns_of_hours_are_counted_as_the_partner_counts_them() {
    for kind in Kind::ALL {
        let world = World::of(kind);
        // The clocks change on 29 March, within the 90 days that are compared.
        let of = |id: &str, turns: Turns, anchor: &str| {
            let mut plan = Plan::weekly(id, "Europe/Paris", anchor, &["a1", "a2", "a3"]);
            plan.layers[0].turns = turns;
            plan
        };
        for (id, turns, anchor, zone) in [
            (
                "S1",
                Turns::LocalHours(8),
                "2025-12-01T07:00:00Z",
                "Europe/Paris",
            ),
            ("S2", Turns::Hours(8), "2025-12-01T07:00:00Z", "UTC"),
            // They changed between the anchor and now as well.
            (
                "S3",
                Turns::LocalHours(12),
                "2025-08-01T06:00:00Z",
                "Europe/Paris",
            ),
            ("S4", Turns::Hours(12), "2025-08-01T06:00:00Z", "UTC"),
        ] {
            world.partner.plan(id, of(id, turns, anchor));
            let (code, output, errors) = world.import(&format!("{id} --code {id} --apply"));
            assert_eq!(code, 0, "{kind:?} {id} {output}{errors}");
            assert!(
                output.contains("agrees    on 129600 of 129600 minutes"),
                "{kind:?} {id} {output}"
            );
            let rotations = world.rota.caller().all("/v1/rotations");
            let made = rotations.iter().find(|one| one["code"] == id);
            let made = made.expect("the rotation");
            assert_eq!(
                made["windows"][0]["cadence"]["timeZone"], zone,
                "{kind:?} {id} {made}"
            );
        }
    }
}

#[test]
fn a_timeline_without_a_change_of_the_clocks_leaves_it_open_how_hours_are_counted() {
    let world = World::of(Kind::Ops);
    for (id, zone, is_open) in [("S1", "Europe/Paris", true), ("S2", "Asia/Kolkata", false)] {
        let mut plan = Plan::weekly(id, zone, "2025-12-01T07:00:00Z", &["a1", "a2"]);
        plan.layers[0].turns = Turns::LocalHours(8);
        world.partner.plan(id, plan);
        let (code, output, errors) = world.import(&format!("{id} --days 30"));
        assert_eq!(code, 0, "{output}{errors}");
        let said = output.contains("does not show whether a hand-over keeps its local time");
        assert_eq!(said, is_open, "{zone} {output}");
    }
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }

    fn one_of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// A schedule of one to three layers. Where several are on call at once, each has people of its own.
fn random(dice: &mut Dice, id: &str, kind: Kind) -> Plan {
    let zone = dice.one_of(&["Europe/Oslo", "America/New_York", "Asia/Kolkata", "UTC"]);
    let mut plan = Plan::weekly(id, zone, "2025-12-01T08:00:00Z", &["a1"]);
    let base = plan.layers[0].anchor;
    let layers = 1 + dice.below(3);
    plan.layers = (0..layers)
        .map(|number| {
            let own = ["a1", "a2", "a3", "a4", "a5", "a6"];
            let mut people: Vec<String> = own[number * 2..number * 2 + 2]
                .iter()
                .map(|&id| id.to_owned())
                .collect();
            if layers == 1 {
                people = own[..1 + dice.below(6)]
                    .iter()
                    .map(|&id| id.to_owned())
                    .collect();
            }
            if dice.below(2) == 0 {
                people.reverse();
            }
            let turns = match dice.below(5) {
                0 => Turns::Days(1 + dice.below(4) as i64),
                1 if kind == Kind::Pager => Turns::Hours([4, 6, 8, 12][dice.below(4)]),
                1 => Turns::Hours([4, 6, 8, 12, 24, 48][dice.below(6)]),
                2 => Turns::LocalHours([4, 6, 8, 12][dice.below(4)]),
                _ => Turns::Weeks(1 + dice.below(2) as i64),
            };
            let hours = match dice.below(4) {
                0 => vec![Hours {
                    day: None,
                    from: 60 * (6 + dice.below(4) as i64) + 30,
                    minutes: 60 * (8 + dice.below(4) as i64),
                }],
                1 => vec![Hours {
                    day: Some(Weekday::Friday),
                    from: 60 * 17,
                    minutes: 60 * 62,
                }],
                _ => Vec::new(),
            };
            Layer {
                id: format!("{id}-{}", number + 1),
                people,
                turns,
                anchor: base + SignedDuration::from_hours(dice.below(100) as i64),
                until: None,
                hours,
            }
        })
        .collect();
    plan.shift_based = false;
    if kind == Kind::Pager && dice.below(2) == 0 {
        // The lowest layer has all hours.
        plan.layers.last_mut().expect("a layer").hours.clear();
    }
    plan
}

#[test]
fn random_schedules_agree_or_say_why_not() {
    let many = if in_full() { 16 } else { 4 };
    for (number, kind) in Kind::ALL.into_iter().enumerate() {
        let world = World::of(kind);
        let mut dice = Dice(20_261_122 + number as u64);
        for number in 10..10 + many {
            let id = format!("S{number}");
            let plan = random(&mut dice, &id, kind);
            world.partner.plan(&id, plan);
        }
        let (_, output, errors) = world.import("--all");
        let rows: Vec<&str> = output.lines().skip(1).collect();
        assert_eq!(rows.len(), many, "{kind:?} {output}{errors}");
        for row in rows {
            let agrees = row.contains(" 129600 of 129600 ");
            let plan = world.partner.with(|it| {
                let id = row.split_whitespace().next().unwrap_or_default();
                format!(
                    "{:#?}",
                    it.plans.get(id).map(|plan| (&plan.zone, &plan.layers))
                )
            });
            assert!(agrees, "{kind:?} {row}\n{plan}\n{output}{errors}");
        }
    }
}
