//! Helpers for rotations: holders of slots, history and schedule, one line each.

use super::http::{Answer, Caller};
use super::server::{Rota, unique};
use super::time::{at, instant, local, rfc};
use super::{int, text, words};
use jiff::ToSpan;
use serde_json::{Value, json};

/// The body that creates a rotation of these people, owned by the first.
pub fn new_rotation(people: &str) -> Value {
    let people = words(people);
    json!({ "name": "Rotation", "owners": [people[0]], "userIds": people })
}

/// A cadence by kind, zone and local first hand-over; `more` adds or overrides members.
#[track_caller]
pub fn cadence(kind: &str, zone: &str, starts: &str, more: Value) -> Value {
    let mut cadence = json!({ "type": kind, "timeZone": zone, "startsAt": local(zone, starts) });
    for (name, value) in more.as_object().into_iter().flatten() {
        cadence[name] = value.clone();
    }
    cadence
}

/// The simplest cadence: every day at 09:00 UTC, beginning Tuesday after the tests' Monday.
pub fn daily() -> Value {
    cadence(
        "daily",
        "UTC",
        "2026-01-06T09:00",
        json!({ "times": ["09:00"] }),
    )
}

pub fn weekly(zone: &str, starts: &str) -> Value {
    cadence("dayOfWeek", zone, starts, json!({}))
}

/// A window open all week.
pub fn always(cadence: Value) -> Value {
    json!({ "timeZone": cadence["timeZone"], "coverage": [], "cadence": cadence })
}

/// A window with hours, written "monday 08:00 - friday 16:00, saturday 10:00 - saturday 12:00".
#[track_caller]
pub fn hours(zone: &str, stretches: &str, cadence: Value) -> Value {
    json!({ "timeZone": zone, "coverage": coverage(stretches), "cadence": cadence })
}

#[track_caller]
pub fn coverage(stretches: &str) -> Value {
    let stretch = |text: &str| match words(text).as_slice() {
        [start_day, start, _, end_day, end] => {
            json!({ "startDay": start_day, "startTime": start, "endDay": end_day, "endTime": end })
        }
        _ => panic!("stretch {text:?}"),
    };
    stretches.split(',').map(stretch).collect()
}

/// Monday to Friday with the same hours each day.
pub fn weekdays(start: &str, end: &str) -> String {
    let day = |day: &str| format!("{day} {start} - {day} {end}");
    ["monday", "tuesday", "wednesday", "thursday", "friday"]
        .map(day)
        .join(", ")
}

impl Rota {
    /// A manual rotation of these people.
    #[track_caller]
    pub fn rotation(&self, people: &str) -> Rot<'_> {
        self.create(new_rotation(people))
    }

    #[track_caller]
    pub fn create(&self, body: Value) -> Rot<'_> {
        let answer = self.try_create(body).is(201);
        let id = answer.json()["id"].as_str().expect("an id").to_owned();
        Rot {
            by: self.caller(),
            id,
        }
    }

    /// Of a rotation whose missed turns are lost, and that deals by who is there at the hand-over, unless the body says otherwise.
    #[track_caller]
    pub fn try_create(&self, mut body: Value) -> Answer {
        if let Some(body) = body.as_object_mut() {
            let lost = json!({ "missedTurn": "lost" });
            body.entry("dealing").or_insert(lost);
            let policy = json!({ "passOver": "atHandOver" });
            body.entry("absencePolicy").or_insert(policy);
        }
        self.caller().try_create(&unique("create"), body)
    }

    /// An `auto` rotation of these people, handed over daily at 09:00 UTC, open all week.
    #[track_caller]
    pub fn daily(&self, people: &str, lanes: usize) -> Rot<'_> {
        let rotation = self.rotation(people);
        rotation.cover(lanes, &[always(daily())]);
        rotation
    }
}

impl Caller<'_> {
    #[track_caller]
    pub fn try_create(&self, key: &str, body: Value) -> Answer {
        self.request("POST", "/v1/rotations")
            .header("Idempotency-Key", key)
            .json(&body)
            .send()
    }
}

#[derive(Clone)]
pub struct Rot<'a> {
    pub by: Caller<'a>,
    pub id: String,
}

impl<'a> Rot<'a> {
    /// The same rotation with another credential.
    pub fn with(&self, credential: &str) -> Rot<'a> {
        Rot {
            by: self.by.rota.with(credential),
            id: self.id.clone(),
        }
    }

    pub fn path(&self, rest: &str) -> String {
        format!("/v1/rotations/{}{rest}", self.id)
    }

    #[track_caller]
    pub fn get(&self, rest: &str) -> Answer {
        self.by.get(&self.path(rest))
    }

    #[track_caller]
    pub fn read(&self) -> Value {
        self.get("").is(200).json()
    }

    #[track_caller]
    pub fn etag(&self) -> String {
        self.get("").is(200).etag()
    }

    #[track_caller]
    pub fn put(&self, rest: &str, body: Value) -> Answer {
        self.by.put_if(&self.path(rest), "*", body)
    }

    #[track_caller]
    pub fn patch(&self, body: Value) -> Answer {
        self.by.patch_if(&self.path(""), "*", body)
    }

    #[track_caller]
    pub fn rotate(&self) {
        self.by
            .request("POST", &self.path("/rotate"))
            .header("If-Match", "*")
            .send()
            .is(200);
    }

    #[track_caller]
    pub fn put_on_call(&self, people: &str) -> Answer {
        self.put("/on-call", json!({ "userIds": words(people) }))
    }

    #[track_caller]
    pub fn clear(&self) -> Answer {
        self.by.delete_if(&self.path("/on-call"), "*")
    }

    /// The body of a grid with this many lanes and these windows: existing lanes and windows at a position are kept.
    #[track_caller]
    pub fn grid(&self, lanes: usize, windows: &[Value]) -> Value {
        let now = self.read();
        let named = |list: &Value, i: usize, own: &str| match list[i]["id"].as_str() {
            Some(id) => id.to_owned(),
            None => format!("{own}{}", i + 1),
        };
        let lanes: Vec<Value> = (0..lanes)
            .map(|i| {
                let id = named(&now["lanes"], i, "lane");
                if lanes == 1 {
                    json!({ "id": id })
                } else {
                    json!({ "id": id, "name": format!("Lane {}", i + 1) })
                }
            })
            .collect();
        let several = windows.len() > 1;
        let mut windows = windows.to_vec();
        for (i, window) in windows.iter_mut().enumerate() {
            if window.get("id").is_none() {
                window["id"] = json!(named(&now["windows"], i, "window"));
            }
            if several {
                window["name"] = json!(format!("Window {}", i + 1));
            }
        }
        let cells: Vec<Value> = windows
            .iter()
            .flat_map(|w| {
                lanes
                    .iter()
                    .map(move |l| (w["id"].clone(), l["id"].clone()))
            })
            .map(|(window, lane)| json!({ "laneId": lane, "windowId": window, "rosterId": null }))
            .collect();
        json!({ "lanes": lanes, "windows": windows, "cells": cells })
    }

    /// Replaces the grid and returns the rotation.
    #[track_caller]
    pub fn cover(&self, lanes: usize, windows: &[Value]) -> Value {
        self.put("/coverage", self.grid(lanes, windows))
            .is(200)
            .json()
    }

    #[track_caller]
    pub fn cover_doubly(&self, lanes: usize, windows: &[Value]) -> Value {
        let mut grid = self.grid(lanes, windows);
        grid["doubleCover"] = json!(true);
        self.put("/coverage", grid).is(200).json()
    }

    /// Records an absence from this rotation and returns its id.
    #[track_caller]
    pub fn away(&self, user: &str, from: &str, until: &str) -> String {
        let body = json!({ "userId": user, "from": rfc(from), "until": rfc(until) });
        let answer = self.by.post(&self.path("/availability"), body).is(201);
        answer.json()["id"].as_str().expect("an id").to_owned()
    }

    #[track_caller]
    pub fn back(&self, absence: &str) {
        self.by
            .delete(&self.path(&format!("/availability/{absence}")))
            .is(204);
    }

    /// Who is on call, in slot order; "" for nobody.
    #[track_caller]
    pub fn on_call(&self) -> String {
        people_on_call(&self.get("/on-call").is(200).json())
    }

    /// The holder of every slot: "U1", "-" for nobody, "(U1)" for one who waits for the window to open.
    #[track_caller]
    pub fn holders(&self) -> String {
        let rotation = self.read();
        let holder =
            |cell: &Value| match (text(&cell["holder"]["userId"]), &cell["holder"]["waiting"]) {
                (user, Value::Bool(true)) => format!("({user})"),
                (user, _) => user.to_owned(),
            };
        places(&rotation)
            .into_iter()
            .map(holder)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The position in the common roster that the next hand-over deals from.
    #[track_caller]
    pub fn next_turn(&self) -> i64 {
        int(&roster(&self.read(), &Value::Null)["nextTurn"])
    }

    /// The people of the common roster, in order.
    #[track_caller]
    pub fn order(&self) -> String {
        order_of(&roster(&self.read(), &Value::Null))
    }

    /// The next hand-overs of the first window.
    #[track_caller]
    pub fn next_events(&self) -> Vec<String> {
        next_events(&self.read(), 0)
    }

    /// The history: "start end user reason", ordered by start, then slot; without turns of zero length.
    #[track_caller]
    pub fn history(&self, from: &str, to: &str) -> Vec<String> {
        let line = |entry: Value| format!("{} {}", turn_line(&entry), text(&entry["reason"]));
        self.turns("history", from, to)
            .into_iter()
            .map(line)
            .collect()
    }

    /// The schedule: "start end user".
    #[track_caller]
    pub fn schedule(&self, from: &str, to: &str) -> Vec<String> {
        self.turns("schedule", from, to)
            .iter()
            .map(turn_line)
            .collect()
    }

    /// Entries of `history` or `schedule`, ordered by start, window and lane. History is requested in ranges of 90 days, its
    /// maximum; an entry across a boundary counts once.
    #[track_caller]
    pub fn turns(&self, what: &str, from: &str, to: &str) -> Vec<Value> {
        let longest = if what == "history" { 90 } else { 366 };
        let mut turns: Vec<Value> = vec![];
        let (mut start, end) = (at(from), at(to));
        while start < end {
            let until = (start + (longest * 24).hours()).min(end);
            let path = self.path(&format!("/{what}?from={start}&to={until}"));
            let known = start > at(from);
            let new = |turn: &Value| !(known && at(text(&turn["start"])) < start);
            turns.extend(self.by.all(&path).into_iter().filter(new));
            start = until;
        }
        turns.sort_by_key(|t| {
            (
                at(text(&t["start"])),
                text(&t["windowName"]).to_owned(),
                text(&t["laneName"]).to_owned(),
            )
        });
        turns
    }
}

pub fn turn_line(turn: &Value) -> String {
    format!(
        "{} {} {}",
        instant(&turn["start"]),
        instant(&turn["end"]),
        text(&turn["userId"])
    )
}

/// The user ids in an on-call resource, in its order.
pub fn people_on_call(on_call: &Value) -> String {
    let entries = on_call["onCall"].as_array().expect("onCall");
    entries
        .iter()
        .map(|entry| text(&entry["userId"]))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Cells in slot order: window by window, lanes in dealing order within each.
pub fn places(rotation: &Value) -> Vec<&Value> {
    let list = |name: &str| rotation[name].as_array().expect("a list").iter();
    let cell = |window: &Value, lane: &Value| {
        list("cells")
            .find(|c| c["windowId"] == window["id"] && c["laneId"] == lane["id"])
            .unwrap_or_else(|| panic!("no cell for {} and {}", window["id"], lane["id"]))
    };
    list("windows")
        .flat_map(|w| list("lanes").map(move |l| cell(w, l)))
        .collect()
}

#[track_caller]
pub fn roster(rotation: &Value, id: &Value) -> Value {
    let rosters = rotation["rosters"].as_array().expect("rosters");
    let found = rosters.iter().find(|r| r["rosterId"] == *id);
    found
        .unwrap_or_else(|| panic!("no roster {id}: {rosters:?}"))
        .clone()
}

pub fn order_of(roster: &Value) -> String {
    let order = roster["order"].as_array().expect("order");
    order
        .iter()
        .map(|entry| text(&entry["userId"]))
        .collect::<Vec<_>>()
        .join(" ")
}

#[track_caller]
pub fn next_events(rotation: &Value, window: usize) -> Vec<String> {
    let events = rotation["windows"][window]["cadence"]["nextEvents"]
        .as_array()
        .expect("nextEvents");
    events.iter().map(instant).collect()
}
