//! Links, and what becomes of shifts.

use super::answers::Answers;
use super::path_of;
use crate::domain::partner::{MemberKind, PartnerRotation};
use jiff::Timestamp;
use serde_json::{Value, json};

#[test]
fn links_lead_to_paths_of_the_api() {
    for (link, path) in [
        (
            "http://elsewhere:8080/api/v1/users/?page=2",
            Some("/api/v1/users/?page=2"),
        ),
        (
            "https://oncall.example.org/oncall/api/v1/schedules/?page=3",
            Some("/api/v1/schedules/?page=3"),
        ),
        ("https://elsewhere/users/?page=2", None),
    ] {
        assert_eq!(path_of(link).ok().as_deref(), path, "{link}");
    }
}

/// The rotations of shifts of a calendar in Paris, and what is not said.
fn read(shifts: &[Value]) -> (Vec<PartnerRotation>, Vec<String>) {
    let shifts: Vec<Value> = shifts
        .iter()
        .enumerate()
        .map(|(number, given)| {
            let mut shift = json!({
                "id": format!("H{number}"), "name": format!("H{number}"), "type": "rolling_users", "level": 0,
                "start": "2026-01-05T09:00:00", "duration": 604_800, "frequency": "weekly", "interval": 1,
                "week_start": "MO"
            });
            for (name, value) in given.as_object().expect("members") {
                shift[name.as_str()] = value.clone();
            }
            shift
        })
        .collect();
    let file = json!({
        "schedules": [{ "id": "S", "type": "calendar", "time_zone": "Europe/Paris" }],
        "shifts": shifts, "users": [], "timeline": []
    });
    let now: Timestamp = "2026-02-01T00:00:00Z".parse().expect("an instant");
    let answers = Answers::of_text(file.to_string().as_bytes(), None).expect("a file");
    let read = answers.read(None, now).expect("a schedule");
    (read.definition.rotations, read.definition.unsaid)
}

/// A rotation as its turns, its people and how many stretches of hours it has.
fn shown(rotation: &PartnerRotation) -> String {
    let people = rotation.participants.iter().map(|one| match one.kind {
        MemberKind::Empty => "-",
        _ => one.id.as_deref().unwrap_or("?"),
    });
    format!(
        "{:?} {} {} from {}",
        rotation.turn,
        people.collect::<Vec<_>>().join(","),
        rotation.restrictions.len(),
        rotation.anchor
    )
}

#[test]
fn shifts_become_rotations() {
    let turns = |people: Value| json!({ "rolling_users": people });
    let with = |mut shift: Value, more: Value| {
        for (name, value) in more.as_object().expect("members") {
            shift[name.as_str()] = value.clone();
        }
        shift
    };
    let two = || turns(json!([["a"], ["b"]]));
    let alone = |person: &str, start: &str| json!({ "type": "recurrent_event", "users": [person], "interval": 2, "start": start });
    for (shifts, expected, lines) in [
        (
            vec![two()],
            vec!["Weeks(1) a,b 0 from 2026-01-05T08:00:00Z"],
            0,
        ),
        (
            vec![with(two(), json!({ "start_rotation_from_user_index": 1 }))],
            vec!["Weeks(1) b,a 0 from 2026-01-05T08:00:00Z"],
            0,
        ),
        // Places of groups are lanes.
        (
            vec![turns(json!([["a", "b"], ["c"]]))],
            vec![
                "Weeks(1) a,c 0 from 2026-01-05T08:00:00Z",
                "Weeks(1) b,- 0 from 2026-01-05T08:00:00Z",
            ],
            0,
        ),
        // The week begins before the first day.
        (
            vec![with(
                two(),
                json!({ "start": "2026-01-08T09:00:00", "by_day": ["FR", "TH", "MO"], "duration": 3600 }),
            )],
            vec!["Weeks(1) a,b 3 from 2026-01-05T08:00:00Z"],
            0,
        ),
        (
            vec![with(
                two(),
                json!({ "frequency": "daily", "interval": 2, "by_day": ["MO", "TU", "WE", "TH"], "duration": 3600 }),
            )],
            vec!["OnDays([Monday, Wednesday]) a,b 4 from 2026-01-05T08:00:00Z"],
            0,
        ),
        (
            vec![with(
                two(),
                json!({ "frequency": "hourly", "interval": 6, "duration": 3600 }),
            )],
            vec!["ClockHours(6) a,b 4 from 2026-01-05T08:00:00Z"],
            0,
        ),
        // Two that take turns, and one beside them.
        (
            vec![
                alone("b", "2026-01-12T09:00:00"),
                alone("a", "2026-01-05T09:00:00"),
                with(alone("c", "2026-01-05T09:00:00"), json!({ "level": 3 })),
            ],
            vec![
                "Weeks(1) c 1 from 2026-01-05T08:00:00Z",
                "Weeks(1) a,b 0 from 2026-01-05T08:00:00Z",
            ],
            1,
        ),
        // What is over is left out; what lacks a pattern is said.
        (
            vec![
                with(two(), json!({ "until": "2026-01-20T08:00:00" })),
                with(
                    two(),
                    json!({ "frequency": "daily", "interval": 3, "duration": 3600 }),
                ),
                with(two(), json!({ "by_month": [1] })),
            ],
            vec![
                "Days(3) a,b 1 from 2026-01-05T08:00:00Z",
                "Weeks(1) a,b 0 from 2026-01-05T08:00:00Z",
            ],
            2,
        ),
    ] {
        let (rotations, unsaid) = read(&shifts);
        let found: Vec<String> = rotations.iter().map(shown).collect();
        assert_eq!(found, expected, "{shifts:?}");
        assert_eq!(unsaid.len(), lines, "{unsaid:?}");
    }
}
