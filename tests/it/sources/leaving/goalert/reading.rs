//! How answers of GoAlert are read, from its API and from files.

use super::super::{ALL, World, at};
use super::{NOW, query, rotation, rule, world};
use crate::cli::on;
use crate::support::leaving::goalert::{ALWAYS, GoAlert};
use crate::support::leaving::{Asked, System};
use crate::support::*;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

#[test]
fn a_key_that_may_not_read_people_says_so() {
    let world = world();
    world.rotate(
        "R1",
        rotation("weekly", 1, "UTC", "2025-12-01T08:00:00Z", &["a1", "a2"]),
    );
    world.schedule("S1", "UTC", &[rule("R1", ALWAYS, 0, 0)]);
    world.system.with(|it| it.may_read_people = false);
    let (code, output, errors) = world.import("S1");
    assert_eq!(code, 1, "{output}{errors}");
    assert!(
        output.contains("not said  the key may not read people"),
        "{output}"
    );
    assert!(output.contains("access denied"), "{output}");
}

#[test]
fn pages_are_followed_and_everything_is_imported_at_once() {
    let world = world();
    world.system.with(|it| it.page = 2);
    for number in 1..=7 {
        let (rotation_id, id) = (format!("R{number}"), format!("S{number}"));
        let people = ["a1", "a2", "a3", "a4", "a5", "a6"];
        world.rotate(
            &rotation_id,
            rotation(
                "weekly",
                1,
                "Europe/Oslo",
                "2025-12-01T08:00:00Z",
                &people[number - 1..]
                    .iter()
                    .chain(&people[..number - 1])
                    .copied()
                    .collect::<Vec<_>>(),
            ),
        );
        world.schedule(&id, "Europe/Oslo", &[rule(&rotation_id, ALWAYS, 0, 0)]);
    }
    let (code, output, errors) = world.import("--all --apply");
    assert_eq!(code, 0, "{output}{errors}");
    assert_eq!(output.matches("129600 of 129600").count(), 7, "{output}");
    assert_eq!(world.rotations(), 7);
    // Rotations and people are read once, four and three pages.
    let listed = |what: &str| {
        let asked = world.system.asked();
        let on = format!("\"{what}\":true");
        asked.iter().filter(|line| line.contains(&on)).count()
    };
    assert_eq!((listed("listRotations"), listed("listUsers")), (4, 3));
    assert_eq!(listed("listSchedules"), 4);
}

#[test]
fn the_query_is_printed_and_sent_byte_for_byte() {
    let query = query();
    assert!(
        query.starts_with("query ") && query.ends_with('}'),
        "{query}"
    );
    let world = world();
    world.schedule("S1", "UTC", &[rule("a1", ALWAYS, 0, 0)]);
    world.agrees("S1");
    let sent = world.system.asked();
    assert!(!sent.is_empty());
    for line in sent {
        let body: Value =
            serde_json::from_str(line.splitn(3, ' ').nth(2).expect("a body")).expect("JSON");
        assert_eq!(body["query"], json!(query));
    }
    for (line, words) in [
        ("import goAlert --query --all", "cannot be used with"),
        ("import goAlert S1 --query", "cannot be used with"),
        (
            "import opsPartner --query",
            "--query: keys of Opsgenie belong to no query",
        ),
        (
            "import grafanaOnCall --query",
            "--query: keys of Grafana OnCall belong to no query",
        ),
    ] {
        let (code, _, errors) = run(&mut on(&world.db, line));
        assert_eq!(code, 2, "{errors}");
        assert!(errors.contains(words), "{line}: {errors}");
    }
}

#[test]
fn errors_are_named() {
    let world = world();
    world.schedule("S1", "UTC", &[rule("a1", ALWAYS, 0, 0)]);
    let error = r#"{"errors":[{"message":"boom","path":["schedule","shifts",0],"locations":[{"line":36,"column":5}]}],"data":null}"#;
    let endless =
        r#"{"data":{"schedules":{"nodes":[],"pageInfo":{"endCursor":"x","hasNextPage":true}}}}"#;
    for (line, answers, words) in [
        ("none", vec![], "not_found: there is no such schedule"),
        (
            "S1",
            vec![(200, error)],
            "invalid_response: GoAlert answers \"boom\" at schedule.shifts.0, line 36 of the query",
        ),
        ("S1", vec![(422, error)], "GoAlert answers \"boom\""),
        (
            "S1",
            vec![(200, r#"{"data":null}"#)],
            "neither data nor errors",
        ),
        (
            "S1",
            vec![(200, "<html>")],
            "the answer to /api/graphql is not as documented",
        ),
        ("S1", vec![(500, "{}")], "server_error: 500 to /api/graphql"),
        ("S1", vec![(401, "{}")], "unauthorized: 401 to /api/graphql"),
        (
            "--all",
            vec![(200, endless), (200, endless)],
            "page 2 of a listing leads back to the page \"x\"",
        ),
    ] {
        world.system.instead(&answers);
        let (code, output, errors) = world.import(line);
        assert_eq!(code, 1, "{line}: {output}{errors}");
        assert!(errors.contains(words), "{words}: {errors}");
        world.system.instead(&[]);
    }
    world
        .system
        .with(|it| it.query = "query Other { __typename }".to_owned());
    let (code, _, errors) = world.import("S1");
    assert_eq!(code, 1, "{errors}");
    assert!(
        errors.contains("forbidden: the key belongs to another query"),
        "{errors}"
    );
    assert!(errors.contains("rota import goAlert --query"), "{errors}");
}

/// An answer to everything at once, over so many days.
fn answer(world: &World<GoAlert>, from: Timestamp, days: i64) -> Value {
    let answers = world.system.with(|it| {
        let until = from + SignedDuration::from_hours(24 * days);
        let asked = Asked {
            method: "POST".to_owned(),
            target: "/api/graphql".to_owned(),
            headers: vec![
                ("authorization".to_owned(), "Bearer key-of-tests".to_owned()),
                ("content-type".to_owned(), "application/json".to_owned()),
            ],
            body: json!({
                "query": it.query,
                "variables": {
                    "listSchedules": false, "readSchedule": true, "readShifts": true, "listRotations": true,
                    "listOverrides": true, "listUsers": true, "schedule": "S1", "after": "",
                    "start": from.to_string(), "end": until.to_string()
                }
            })
            .to_string(),
        };
        System::answer(it, &asked, "").expect("an answer")
    });
    answers.1
}

#[test]
fn a_file_has_answers_as_they_are() {
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
    world.schedule("S1", "Europe/Oslo", &[rule("R1", ALWAYS, 0, 0)]);
    let first = answer(&world, at(NOW), 50);
    let second = answer(&world, at("2026-02-24T08:00:00Z"), 50);
    let one = world.dir.file("one.json", first.to_string());
    let both = world
        .dir
        .file("both.json", json!([first, second]).to_string());
    let broken = world.dir.file(
        "broken.json",
        "{\n  \"data\": {\n    \"schedule\": 7\n  }\n}",
    );
    let none = world.dir.file("none.json", "{\"data\":{}}");
    let wrong = world
        .dir
        .file("wrong.json", "{\"errors\":[{\"message\":\"boom\"}]}");
    for (line, exit, words) in [
        (
            format!("--from {} --days 45", one.display()),
            0,
            "agrees    on 64800 of 64800 minutes",
        ),
        (format!("--from {}", one.display()), 1, "unproved  "),
        (format!("S1 --from {} --apply", both.display()), 0, ALL),
        (
            format!("S2 --from {}", both.display()),
            1,
            "this is the schedule \"S1\", not \"S2\"",
        ),
        (format!("--from {}", broken.display()), 1, "line 3"),
        (
            format!("--from {}", none.display()),
            1,
            "data.schedule: missing",
        ),
        (
            format!("--from {}", wrong.display()),
            1,
            "wrong.json: GoAlert answers \"boom\"",
        ),
    ] {
        let asked = world.system.asked().len();
        let (code, output, errors) = world.import(&line);
        assert_eq!(code, exit, "{line}: {output}{errors}");
        assert!(
            format!("{output}{errors}").contains(words),
            "{line}: {output}{errors}"
        );
        assert_eq!(world.system.asked().len(), asked);
    }
}
