//! How answers of Grafana OnCall are read, from its API and from files.

use super::super::{ALL, World, at};
use super::{NOW, monday, system, world};
use crate::cli::on;
use crate::support::leaving::grafana::Shift;
use crate::support::*;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

/// The document says that shifts of a web schedule are in its time zone; the timeline counts.
#[test]
fn the_zone_of_web_shifts_is_the_one_that_the_timeline_shows() {
    let world = world();
    let shift = Shift {
        zone: Some("Europe/Oslo".to_owned()),
        ..Shift::rolling("H1", "weekly", monday(9), 168, &["a1", "a2"])
    };
    world.schedule("S1", "web", "America/New_York", &[shift]);
    let output = world.agrees("S1");
    assert!(!output.contains("not said"), "{output}");
    // As a file, of which the shift lacks its zone.
    let timeline = world.system.with(|it| {
        let schedule = it.schedules["S1"].clone();
        it.final_shifts(
            &schedule,
            at("2026-01-05T00:00:00Z"),
            at("2026-04-10T00:00:00Z"),
        )
    });
    let file = file("web", "Europe/Oslo", &timeline);
    let path = world.dir.file("web.json", file.to_string());
    let (code, output, errors) = world.import(&format!("--from {} --code FILE", path.display()));
    assert_eq!(code, 0, "{output}{errors}");
    assert!(!output.contains("in UTC"), "{output}");
}

/// A file with one weekly shift and a timeline.
fn file(kind: &str, zone: &str, timeline: &[(String, Timestamp, Timestamp)]) -> serde_json::Value {
    let shifts = timeline.iter().map(|(id, from, until)| {
        json!({
            "user_pk": id, "user_email": format!("u{}@example.com", &id[1..]), "user_username": id,
            "shift_start": from.to_string(), "shift_end": until.to_string()
        })
    });
    json!({
        "schedules": [{ "id": "S1", "name": "Files", "type": kind, "time_zone": zone, "shifts": ["H1"], "on_call_now": [] }],
        "shifts": [{
            "id": "H1", "name": "Weeks", "type": "rolling_users", "schedule": "S1", "time_zone": null, "level": 1,
            "start": "2025-12-01T09:00:00", "rotation_start": "2025-12-01T09:00:00", "duration": 604800,
            "frequency": "weekly", "interval": 1, "week_start": "MO", "by_day": null, "until": null,
            "rolling_users": [["a1"], ["a2"]], "start_rotation_from_user_index": 0
        }],
        "users": [
            { "id": "a1", "email": "u1@example.com", "username": "one" },
            { "id": "a2", "email": "U2@example.com", "username": "two" }
        ],
        "timeline": shifts.collect::<Vec<_>>()
    })
}

#[test]
fn files_are_read_and_errors_in_them_are_named() {
    let world = world();
    let week = SignedDuration::from_hours(24 * 7);
    let turns = (0..16).map(|number: i32| {
        let from = at("2025-12-29T09:00:00Z") + week * number;
        (
            if number % 2 == 0 { "a1" } else { "a2" }.to_owned(),
            from,
            from + week,
        )
    });
    let turns: Vec<(String, Timestamp, Timestamp)> = turns.collect();
    let good = file("calendar", "UTC", &turns);
    let mut two = good.clone();
    let other = json!({ "id": "S2", "name": "Other", "type": "web", "time_zone": "UTC" });
    two["schedules"]
        .as_array_mut()
        .expect("schedules")
        .push(other);
    let mut unknown = good.clone();
    unknown["results"] = json!([]);
    let mut frequency = good.clone();
    frequency["shifts"][0]["frequency"] = json!("yearly");
    let mut page = good.clone();
    page["users"] = json!({ "count": 3, "results": good["users"], "next": "https://oncall.example.org/api/v1/users/?page=2" });
    let mut answers = good.clone();
    for member in ["schedules", "shifts", "users", "timeline"] {
        answers[member] = json!({ "count": 1, "next": null, "previous": null, "results": good[member], "page_size": 50 });
    }
    let short = file("calendar", "UTC", &turns[..5]);
    for (name, file, line, exit, words) in [
        ("good", good.to_string(), "", 0, ALL),
        ("answers", answers.to_string(), "", 0, ALL),
        (
            "page",
            page.to_string(),
            "",
            1,
            "the answer has another page at",
        ),
        (
            "two",
            two.to_string(),
            "",
            1,
            "schedules: name one of them, S1, S2",
        ),
        ("two", two.to_string(), "S1", 0, ALL),
        (
            "two",
            two.to_string(),
            "S3",
            1,
            "none has the id \"S3\"; there are S1, S2",
        ),
        (
            "unknown",
            unknown.to_string(),
            "",
            1,
            "unknown field `results`",
        ),
        (
            "frequency",
            frequency.to_string(),
            "",
            1,
            "the shift \"Weeks\" has an unknown frequency: \"yearly\"",
        ),
        ("short", short.to_string(), "", 1, "unproved  "),
        (
            "broken",
            "{\n\"schedules\": [],\n\"shifts\": 7 }".to_owned(),
            "",
            1,
            "line 3",
        ),
        (
            "empty",
            "{\"schedules\":[],\"shifts\":[],\"users\":[],\"timeline\":[]}".to_owned(),
            "",
            1,
            "schedules: empty",
        ),
    ] {
        let path = world.dir.file(&format!("{name}.json"), file);
        let (code, output, errors) = world.import(&format!("{line} --from {}", path.display()));
        assert_eq!(code, exit, "{name}: {output}{errors}");
        assert!(
            format!("{output}{errors}").contains(words),
            "{name} {words}: {output}{errors}"
        );
    }
    assert!(world.system.asked().is_empty());
}

#[test]
fn pages_are_followed_and_the_grafana_is_named() {
    let mut system = system();
    system.grafana_url = Some("https://acme.grafana.net".to_owned());
    system.page = 2;
    let world = World::of("grafanaOnCall", NOW, system);
    for number in 1..=5 {
        let shift = Shift::rolling(
            &format!("H{number}"),
            "weekly",
            monday(9),
            168,
            &["a1", "a2", "a3"],
        );
        world.schedule(&format!("S{number}"), "web", "UTC", &[shift]);
    }
    let mut command = on(&world.db, "import grafanaOnCall --all --apply");
    command
        .env("ROTA_PARTNERS_GRAFANAONCALL_API_KEY", "key-of-tests")
        .env(
            "ROTA_PARTNERS_GRAFANAONCALL_URL",
            format!("{}/", world.system.url),
        )
        .env(
            "ROTA_PARTNERS_GRAFANAONCALL_GRAFANA_URL",
            "https://acme.grafana.net/",
        );
    let (code, output, errors) = run(&mut command);
    assert_eq!(code, 0, "{output}{errors}");
    assert_eq!(output.matches("129600 of 129600").count(), 5, "{output}");
    assert_eq!(world.rotations(), 5);
    let asked = world.system.asked();
    let users = asked.iter().filter(|line| line.contains("/users/")).count();
    assert_eq!(users, 3, "{asked:#?}");
}

#[test]
fn errors_are_named() {
    let world = world();
    let shift = Shift::rolling("H1", "weekly", monday(9), 168, &["a1", "a2"]);
    world.schedule("S1", "web", "UTC", &[shift]);
    let page = |next: &str| format!("{{\"results\":[],\"next\":\"{next}\"}}");
    let own = format!("{}/api/v1/schedules/?page=2", world.system.url);
    let (again, elsewhere) = (
        page(&own),
        page("https://elsewhere.example.org/schedules?page=2"),
    );
    for (line, answers, words) in [
        ("none", vec![], "not_found: 404 to /api/v1/schedules/none/"),
        (
            "--all",
            vec![(200, again.as_str()); 2],
            "leads back to the page \"/api/v1/schedules/?page=2\"",
        ),
        (
            "--all",
            vec![(200, elsewhere.as_str())],
            "which is no address of the API",
        ),
        (
            "S1",
            vec![(200, "{}")],
            "the answer to /api/v1/schedules/S1/ is not as documented: missing field",
        ),
        ("S1", vec![(403, "{}")], "forbidden: 403"),
        (
            "S1",
            vec![(429, "{}")],
            "rate_limited: the limit of requests is reached",
        ),
        ("S1", vec![(502, "")], "server_error: 502"),
    ] {
        world.system.instead(&answers);
        let (code, output, errors) = world.import(line);
        assert_eq!(code, 1, "{line}: {output}{errors}");
        assert!(errors.contains(words), "{words}: {errors}");
        world.system.instead(&[]);
    }
}
