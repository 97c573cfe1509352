//! `rota import`: overrides, imports that are done again, and rotations that run beside the schedule they were made of.

use super::import::{World, weekly};
use crate::support::partners::{Hours, Kind, Layer, Override, Plan, Turns};
use crate::support::*;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const ALL: &str = "agrees    on 129600 of 129600 minutes";

/// An import that agrees on every minute, with these words in its messages.
#[track_caller]
fn agrees(world: &World, line: &str, says: &str) -> String {
    let (code, output, errors) = world.import(line);
    assert_eq!(code, 0, "{:?} {output}{errors}", world.partner.kind);
    assert!(output.contains(ALL), "{output}{errors}");
    assert!(errors.contains(says), "{says}: {output}{errors}");
    output
}

/// The only rotation.
fn rotation(world: &World) -> Rot<'_> {
    let all = world.rota.caller().all("/v1/rotations");
    Rot {
        by: world.rota.caller(),
        id: text(&all[0]["id"]).to_owned(),
    }
}

/// Days from 8 to 18 have people of their own; others have the rest, or all hours where both are on call beside one another.
fn two_layers(id: &str) -> Plan {
    let mut plan = Plan::weekly(id, "Europe/Oslo", "2025-12-01T08:00:00Z", &["a3", "a4"]);
    let days = Layer {
        id: format!("{id}-days"),
        people: vec!["a1".to_owned(), "a2".to_owned()],
        turns: Turns::Days(1),
        hours: vec![Hours {
            day: None,
            from: 8 * 60,
            minutes: 10 * 60,
        }],
        ..plan.layers[0].clone()
    };
    plan.layers.insert(0, days);
    plan
}

/// rules.md 8.5 and 22.11.
#[test]
fn overrides_by_people_who_take_no_turns_are_arrangements() {
    for kind in Kind::ALL {
        let world = World::of(kind);
        let plan = weekly().override_by("O1", "a5", "2026-01-07T10:00:00Z", "2026-01-07T12:00:00Z");
        world.partner.plan("S1", plan);
        let output = agrees(&world, "S1 --code DB --apply", "was made");
        let line = "override  2026-01-07T10:00:00Z to 2026-01-07T12:00:00Z: U5";
        assert!(output.contains(line), "{kind:?} {output}");
        assert!(!output.contains("not said"), "{kind:?} {output}");
        agrees(&world, "S1 --code DB --apply", "the same already");
        let made = rotation(&world);
        let usual = made.on_call();
        for (now, who) in [
            ("2026-01-07T10:00Z", "U5"),
            ("2026-01-07T12:00Z", usual.as_str()),
        ] {
            world.rota.to(now);
            assert_eq!(made.on_call(), who, "{kind:?} {now}");
        }
        // What is over is no difference, and everybody keeps their place.
        agrees(&world, "S1 --code DB --apply", "");
        agrees(&world, "S1 --code DB --apply", "the same already");
    }
}

#[test]
fn overrides_across_layers_are_arrangements_of_each() {
    let world = World::of(Kind::Pager);
    // Somebody of the other layer, somebody of none, and over the border of both.
    let plan = two_layers("S1")
        .override_by("O1", "a3", "2026-01-07T09:00:00Z", "2026-01-07T11:00:00Z")
        .override_by("O2", "a6", "2026-01-08T15:00:00Z", "2026-01-08T20:00:00Z");
    world.partner.plan("S1", plan);
    let output = agrees(&world, "S1 --code DB --apply", "was made");
    for line in [
        "override  2026-01-07T09:00:00Z to 2026-01-07T11:00:00Z: U3",
        "override  2026-01-08T15:00:00Z to 2026-01-08T17:00:00Z: U6",
        "override  2026-01-08T17:00:00Z to 2026-01-08T20:00:00Z: U6",
    ] {
        assert!(output.contains(line), "{line}: {output}");
    }
    agrees(&world, "S1 --code DB --apply", "the same already");
}

#[test]
fn an_override_outside_all_hours_is_said() {
    let world = World::of(Kind::Pager);
    let mut plan = two_layers("S1");
    plan.layers.truncate(1);
    let plan = plan.override_by("O1", "a1", "2026-01-07T15:00:00Z", "2026-01-07T20:00:00Z");
    world.partner.plan("S1", plan);
    let (code, output, _) = world.import("S1 --apply");
    assert_eq!(code, 1, "{output}");
    for line in [
        "not said  the override from 2026-01-07T15:00:00Z to 2026-01-07T20:00:00Z by",
        "where it is outside the hours of all rotations",
        "differs   2026-01-07T17:00:00Z to 2026-01-07T20:00:00Z",
    ] {
        assert!(output.contains(line), "{line}: {output}");
    }
    assert_eq!(world.rotations(), 0);
}

/// rules.md 22.13.
#[test]
fn overrides_that_are_gone_at_the_partner_end() {
    for kind in Kind::ALL {
        let world = World::of(kind);
        let overridden = |until: &str| {
            weekly()
                .override_by("O1", "a1", "2026-01-07T10:00:00Z", until)
                .override_by("O2", "a6", "2026-01-20T10:00:00Z", "2026-01-20T12:00:00Z")
        };
        world.partner.plan("S1", overridden("2026-01-07T12:00:00Z"));
        agrees(&world, "S1 --code DB --apply", "was made");
        // One lasts longer now, and the other is gone.
        let mut plan = overridden("2026-01-07T13:00:00Z");
        plan.overrides.truncate(1);
        world.partner.plan("S1", plan);
        let looked_at = agrees(&world, "S1 --code DB", "add --apply");
        let output = agrees(&world, "S1 --code DB --apply", "changed to the same");
        assert_eq!(looked_at, output, "{kind:?}");
        for line in [
            "ended     2026-01-07T10:00:00Z to 2026-01-07T12:00:00Z: U1",
            "ended     2026-01-20T10:00:00Z to 2026-01-20T12:00:00Z: U6",
            "override  2026-01-07T10:00:00Z to 2026-01-07T13:00:00Z: U1",
        ] {
            assert!(output.contains(line), "{kind:?} {line}: {output}");
        }
        agrees(&world, "S1 --code DB --apply", "the same already");
        let made = rotation(&world);
        let usual = made.on_call();
        for (now, who) in [
            ("2026-01-07T12:59Z", "U1"),
            ("2026-01-07T13:00Z", usual.as_str()),
        ] {
            world.rota.to(now);
            assert_eq!(made.on_call(), who, "{kind:?} {now}");
        }
    }
}

#[test]
fn people_who_come_and_go_at_the_partner_do_here_too() {
    for kind in Kind::ALL {
        let world = World::of(kind);
        world.partner.plan("S1", two_layers("S1"));
        agrees(&world, "S1 --code DB --apply", "was made");
        // Whoever has the turn keeps it; the order behind them changes.
        let now: Timestamp = "2026-01-05T08:00:00Z".parse().expect("an instant");
        let later = now + SignedDuration::from_hours(1);
        let mut plan = two_layers("S1");
        let current = plan.last(1, now, later)[0].person.clone();
        let other = plan.layers[1].people.iter().find(|id| **id != current);
        let other = other.expect("somebody else").clone();
        plan.layers[1].people = vec![current, "a6".to_owned(), other];
        plan.layers[1].anchor = now;
        world.partner.plan("S1", plan);
        agrees(&world, "S1 --code DB --apply", "changed to the same");
        agrees(&world, "S1 --code DB --apply", "the same already");
    }
}

/// rules.md 22.13.
#[test]
fn every_schedule_is_written_and_written_again() {
    for kind in Kind::ALL {
        let world = World::of(kind);
        world.partner.plan("S1", weekly());
        world.partner.plan("S2", two_layers("S2"));
        let mut unknown = weekly();
        unknown.name = "Unknown people".to_owned();
        unknown.layers[0].people.push("a9".to_owned());
        world.partner.plan("S3", unknown);
        for result in ["made", "unchanged"] {
            let (code, output, errors) = world.import("--all --apply");
            assert_eq!(code, 1, "{kind:?} {output}{errors}");
            let rows: Vec<&str> = output.lines().skip(1).collect();
            for (row, result) in rows.iter().zip([result, result, "differs, not written"]) {
                assert!(row.ends_with(result), "{kind:?} {result}: {output}");
            }
            assert!(errors.contains("1 of 3 schedules differ"), "{errors}");
            assert_eq!(world.rotations(), 2, "{kind:?}");
        }
        let (code, output, _) = world.import("--all --apply --accept-differences");
        assert_eq!((code, world.rotations()), (0, 3), "{kind:?} {output}");
    }
}

/// rules.md 22.11.
#[test]
fn people_are_who_somebody_said() {
    for kind in Kind::ALL {
        let world = World::of(kind);
        world.partner.with(|it| {
            it.people.get_mut("a1").expect("somebody").email = None;
        });
        world.partner.plan("S1", weekly());
        let (code, output, _) = world.import("S1");
        assert_eq!(code, 1, "{kind:?} {output}");
        let follower = world.rota.rotation("U1");
        let body = json!({ "partner": kind.name(), "scheduleId": "S1" });
        let linked = (follower.by).put_if(&follower.path("/external"), "*", body);
        linked.is(200);
        let path = format!("/v1/partners/{}/people/a1", kind.name());
        let put = world.rota.caller().request("PUT", &path);
        put.json(&json!({ "userId": "U6" })).send().is(200);
        let output = agrees(&world, "S1", "add --apply");
        let mut order: Vec<&str> = (output.lines())
            .find_map(|line| line.strip_prefix("turns     S1-1: "))
            .expect("the turns")
            .split(", ")
            .collect();
        order.sort();
        assert_eq!(order, ["U2", "U3", "U6"], "{kind:?}");
    }
}

#[test]
fn custom_shifts_are_said() {
    let world = World::of(Kind::Pager);
    let mut plan = weekly();
    plan.shift_based = true;
    plan.customs.push(Override {
        id: "C1".to_owned(),
        person: "a5".to_owned(),
        from: "2026-01-07T10:00:00Z".parse().expect("an instant"),
        until: "2026-01-07T12:00:00Z".parse().expect("an instant"),
        layers: Vec::new(),
    });
    world.partner.plan("S1", plan);
    let (code, output, _) = world.import("S1 --apply");
    assert_eq!((code, world.rotations()), (1, 0), "{output}");
    for line in [
        "from 2026-01-07T10:00:00Z to 2026-01-07T12:00:00Z, which belongs to no rotation",
        "differs   2026-01-07T10:00:00Z to 2026-01-07T12:00:00Z",
        "agrees    on 129480 of 129600 minutes",
    ] {
        assert!(output.contains(line), "{line}: {output}");
    }
}

/// Somebody on call from an instant to another one.
type Duty = (Timestamp, Timestamp, String);

/// Whoever is on call by a plan.
fn planned(plan: &Plan, kind: Kind, from: Timestamp, until: Timestamp) -> Vec<Duty> {
    let runs = match kind {
        Kind::Pager => plan.layered(from, until),
        Kind::Ops | Kind::Desk => (0..plan.layers.len())
            .flat_map(|layer| plan.last(layer, from, until))
            .collect(),
    };
    let here = |id: &str| id.to_uppercase().replace('A', "U");
    let runs = runs.into_iter();
    runs.map(|run| (run.from, run.until, here(&run.person)))
        .collect()
}

/// Whoever was on call by a record. What has no end lasts.
fn recorded(history: &[Value]) -> Vec<Duty> {
    let instant = |value: &Value| value.as_str()?.parse::<Timestamp>().ok();
    let held = history
        .iter()
        .filter(|entry| entry["nobodyWasOnCall"] == false);
    held.map(|entry| {
        let from = instant(&entry["start"]).expect("a start");
        let until = instant(&entry["end"]).unwrap_or(Timestamp::MAX);
        (from, until, text(&entry["userId"]).to_owned())
    })
    .collect()
}

fn at_once(duties: &[Duty], at: Timestamp) -> BTreeSet<&str> {
    let then = duties.iter().filter(|one| one.0 <= at && at < one.1);
    then.map(|(_, _, who)| who.as_str()).collect()
}

#[test]
fn an_imported_schedule_runs_beside_its_own_for_ninety_days() {
    for kind in Kind::ALL {
        let world = World::of(kind);
        let plan = two_layers("S1")
            .override_by("O1", "a2", "2026-01-15T09:00:00Z", "2026-01-15T15:30:00Z")
            .override_by("O2", "a6", "2026-02-20T10:15:00Z", "2026-02-20T11:45:00Z");
        world.partner.plan("S1", plan.clone());
        let output = agrees(&world, "S1 --code DB --apply", "was made");
        assert!(!output.contains("not said"), "{kind:?} {output}");
        let made = rotation(&world);
        let follower = world.rota.rotation("U1");
        let body = json!({ "partner": kind.name(), "scheduleId": "S1" });
        (follower.by)
            .put_if(&follower.path("/external"), "*", body)
            .is(200);
        let sorted = |rotation: &Rot| {
            let on_call = rotation.on_call();
            let mut people: Vec<String> = on_call.split(' ').map(str::to_owned).collect();
            people.sort();
            people
        };
        // The clocks go forward on 29 March.
        for step in 0..10 {
            world.rota.advance(9 * 24 * 3600 - 3600 * 5 * step);
            assert_eq!(sorted(&made), sorted(&follower), "{kind:?} {step}");
        }
        world.rota.to("2026-04-05T08:00Z");
        let history = made.turns("history", "2026-01-05T08:00Z", "2026-04-05T08:00Z");
        let begins: Timestamp = "2026-01-05T08:00:00Z".parse().expect("an instant");
        let ends = begins + SignedDuration::from_hours(90 * 24);
        let (there, here) = (planned(&plan, kind, begins, ends), recorded(&history));
        for quarter in 0..90 * 24 * 4 {
            let at = begins + SignedDuration::from_mins(15 * quarter);
            let (there, here) = (at_once(&there, at), at_once(&here, at));
            assert_eq!(there, here, "{kind:?} {at}");
        }
    }
}
