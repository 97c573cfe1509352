//! `rota import` where something speaks against it: codes that are taken, timelines that end early, rotations that cannot be
//! changed. What is refused or unproved is never silent.

use super::import::{World, file, weekly};
use crate::cli::on;
use crate::support::partners::{Kind, Plan};
use crate::support::*;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// A rotation of the workspace by its code.
fn by_code(world: &World, code: &str) -> Value {
    let all = world.rota.caller().all("/v1/rotations");
    let found = all.into_iter().find(|one| one["code"] == code);
    found.unwrap_or_else(|| panic!("no rotation {code}"))
}

/// An import of a file, which needs no settings.
fn import_file(world: &World, file: &str, line: &str) -> (i32, String, String) {
    let path = world.dir.file("schedule.json", file);
    let partner = world.partner.kind.name();
    let line = format!("import {partner} --from {} {line}", path.display());
    run(&mut on(&world.db, &line))
}

/// rules.md 22.14.
#[test]
fn two_schedules_never_share_a_rotation() {
    let world = World::of(Kind::Ops);
    for (id, name) in [("S1", "Prod"), ("S2", "prod"), ("S3", "日本 当番")] {
        let mut plan = Plan::weekly(id, "UTC", "2025-12-01T08:00:00Z", &["a1", "a2"]);
        plan.name = name.to_owned();
        world.partner.plan(id, plan);
    }
    for result in ["made", "unchanged"] {
        let (code, output, errors) = world.import("--all --apply");
        assert_eq!(code, 1, "{output}{errors}");
        let rows: Vec<&str> = output.lines().skip(1).collect();
        assert!(rows[0].ends_with(result), "{output}");
        let refused = "refused: the schedule S1 has the code PROD already";
        assert!(
            rows[1].contains(refused) && rows[1].contains("--code"),
            "{output}"
        );
        assert!(rows[2].ends_with(result), "{output}");
        assert!(errors.contains("1 of 3 schedules"), "{errors}");
        assert_eq!(world.rotations(), 2);
    }
    assert_eq!(by_code(&world, "PROD")["name"], "Prod");
    assert_eq!(by_code(&world, "S3")["name"], "日本 当番");
}

/// rules.md 22.14.
#[test]
fn a_rotation_made_by_hand_is_left_alone_unless_its_code_is_given() {
    let world = World::of(Kind::Ops);
    world.partner.plan("S1", weekly());
    let mut body = new_rotation("U6");
    body["code"] = json!("SCHEDULE-S1");
    body["name"] = json!("By hand");
    let rotation = world.rota.create(body);
    let etag = rotation.etag();
    for line in ["S1", "S1 --apply", "--all --apply"] {
        let (code, output, errors) = world.import(line);
        assert_eq!(code, 1, "{line}: {output}{errors}");
        let said = format!("{output}{errors}");
        for words in ["By hand", "SCHEDULE-S1", "was not imported", "--code"] {
            assert!(said.contains(words), "{line}: {said}");
        }
        assert_eq!(rotation.etag(), etag, "{line}");
    }
    let (code, output, errors) = world.import("S1 --code schedule-s1 --apply");
    assert_eq!(code, 0, "{output}{errors}");
    assert_eq!(by_code(&world, "SCHEDULE-S1")["name"], "Schedule S1");
    // From now on it is an imported one.
    let (code, _, errors) = world.import("S1 --apply");
    assert!(code == 0 && errors.contains("the same already"), "{errors}");
}

/// rules.md 22.12.
#[test]
fn a_timeline_that_ends_early_proves_nothing_beyond() {
    let world = World::of(Kind::Ops);
    let (code, output, errors) = import_file(&world, &file(1), "--apply");
    assert_eq!(code, 1, "{output}{errors}");
    for line in [
        "unproved  2026-01-12T00:00:00Z to 2026-04-05T08:00:00Z",
        "agrees    on 9600 of 129600 minutes",
    ] {
        assert!(output.contains(line), "{line}: {output}");
    }
    for words in [
        "nothing was written",
        "120000",
        "--days",
        "--accept-differences",
    ] {
        assert!(errors.contains(words), "{words}: {errors}");
    }
    assert_eq!(world.rotations(), 0);
    let (code, output, errors) = import_file(&world, &file(1), "--apply --days 6");
    assert_eq!((code, world.rotations()), (0, 1), "{output}{errors}");
    let (code, output, errors) = import_file(&world, &file(1), "--apply --accept-differences");
    assert_eq!(code, 0, "{output}{errors}");
}

/// A file with a schedule of PagerDuty for every day from 9 to 17, and a timeline of these days from 5 January on.
fn office_hours(days: std::ops::Range<i64>) -> String {
    let first: Timestamp = "2026-01-05T09:00:00Z".parse().expect("an instant");
    let entries: Vec<Value> = days
        .map(|day| {
            let start = first + SignedDuration::from_hours(24 * day);
            let end = start + SignedDuration::from_hours(8);
            // 35 turns have passed on 5 January.
            let id = ["a2", "a1"][day.rem_euclid(2) as usize];
            json!({ "start": start.to_string(), "end": end.to_string(), "user": { "id": id, "type": "user_reference" } })
        })
        .collect();
    let user = |id: &str| json!({ "user": { "id": id, "type": "user_reference" } });
    let mut schedule = json!({
        "id": "S1", "type": "schedule", "name": "Office", "time_zone": "UTC", "users": [],
        "schedule_layers": [{
            "id": "L1", "name": "Office hours", "start": "2025-12-01T00:00:00Z", "end": null,
            "rotation_virtual_start": "2025-12-01T09:00:00Z", "rotation_turn_length_seconds": 86400,
            "users": [user("a1"), user("a2")], "rendered_schedule_entries": [],
            "restrictions": [{
                "type": "daily_restriction", "start_time_of_day": "09:00:00", "duration_seconds": 28800
            }],
        }],
        "overrides_subschedule": { "rendered_schedule_entries": [] },
    });
    let definition = schedule.clone();
    schedule["final_schedule"] = json!({ "rendered_schedule_entries": entries });
    let person = |id: &str, email: &str| json!({ "id": id, "email": email, "name": id });
    json!({
        "partner": "pagerPartner",
        "schedule": { "schedule": definition },
        "timeline": { "schedule": schedule },
        "users": [person("a1", "u1@example.com"), person("a2", "u2@example.com")],
    })
    .to_string()
}

#[test]
fn a_timeline_of_the_past_proves_nothing() {
    let world = World::of(Kind::Pager);
    // The night behind the last shift belongs to nobody on both sides.
    let (code, output, errors) = import_file(&world, &office_hours(0..90), "");
    assert_eq!(code, 0, "{output}{errors}");
    for (days, agrees, from) in [
        (-10..0, 0, "2026-01-05T08:00:00Z"),
        (-10..1, 1500, "2026-01-06T09:00:00Z"),
    ] {
        let (code, output, errors) = import_file(&world, &office_hours(days), "--apply");
        assert_eq!(code, 1, "{output}{errors}");
        let unproved = format!("unproved  {from} to 2026-04-05T08:00:00Z");
        assert!(output.contains(&unproved), "{output}");
        let agrees = format!("agrees    on {agrees} of 129600 minutes");
        assert!(output.contains(&agrees), "{output}");
        assert_eq!(world.rotations(), 0);
    }
}

#[test]
fn a_file_of_another_schedule_is_refused() {
    let world = World::of(Kind::Ops);
    let (code, output, errors) = import_file(&world, &file(14), "S2 --apply");
    assert_eq!(code, 1, "{output}{errors}");
    assert!(errors.contains("\"S1\", not \"S2\""), "{errors}");
    assert_eq!(world.rotations(), 0);
}

#[test]
fn differences_have_the_names_of_both_sides() {
    for kind in Kind::ALL {
        let world = World::of(kind);
        let mut plan = weekly();
        plan.layers[0].people.push("a9".to_owned());
        world.partner.plan("S1", plan);
        let (code, output, errors) = world.import("S1");
        assert_eq!(code, 1, "{kind:?} {output}{errors}");
        let both = output.lines().any(|line| {
            line.starts_with("differs")
                && line.contains(": at the partner Outside ")
                && line.contains("@example.com), here Person U")
        });
        assert!(both, "{kind:?} {output}");
    }
}

#[test]
fn somebody_in_two_places_at_once_is_said() {
    let world = World::of(Kind::Ops);
    let mut plan = Plan::weekly("S1", "UTC", "2025-12-01T08:00:00Z", &["a1", "a2"]);
    let mut second = plan.layers[0].clone();
    second.id = "S1-second".to_owned();
    plan.layers.push(second);
    world.partner.plan("S1", plan);
    let (_, output, errors) = world.import("S1");
    let line = "not said  \"S1-1\" and \"S1-second\" have the same person on call at once, first Outside 2";
    let said = output.lines().filter(|one| one.starts_with(line));
    assert_eq!(said.count(), 1, "{output}{errors}");
}

#[test]
fn a_rotation_that_follows_a_schedule_is_not_imported_into() {
    let world = World::of(Kind::Ops);
    world.partner.plan("S1", weekly());
    let mut body = new_rotation("U1");
    body["code"] = json!("FOLLOWS");
    let rotation = world.rota.create(body);
    let link = json!({ "partner": "opsPartner", "scheduleId": "S1" });
    let linked = (rotation.by).put_if(&rotation.path("/external"), "*", link);
    linked.is(200);
    let (code, output, errors) = world.import("S1 --code FOLLOWS --apply");
    assert_eq!(code, 1, "{output}{errors}");
    let says = "a partner's schedule says who is on call; change it there, or unlink the rotation";
    assert!(errors.contains(says), "{errors}");
}

/// rules.md 22.14.
#[test]
fn a_rotation_without_a_named_owner_has_one() {
    let world = World::of(Kind::Ops);
    world.partner.plan("S1", weekly());
    let first = |output: &str| {
        let turns = output
            .lines()
            .find_map(|line| line.strip_prefix("turns     S1-1: "));
        turns
            .and_then(|turns| turns.split(", ").next())
            .map(str::to_owned)
    };
    let (code, output, errors) = world.import("S1 --code NOBODY --apply");
    assert_eq!(code, 0, "{output}{errors}");
    let owners = by_code(&world, "NOBODY")["owners"].clone();
    assert_eq!(owners, json!([first(&output).expect("turns")]));
    let mut people = directory(6);
    people["users"][4]["isAdmin"] = json!(true);
    world.rota.import(&people);
    let (code, output, errors) = world.import("S1 --code ADMIN --apply");
    assert_eq!(code, 0, "{output}{errors}");
    assert_eq!(by_code(&world, "ADMIN")["owners"], json!(["U5"]));
}
