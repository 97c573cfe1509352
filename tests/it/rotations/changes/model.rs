//! Random changes that wait, against a model of its own: a list, whom the next turn points at, and who has the turn.

use crate::support::*;
use jiff::{SignedDuration, Timestamp};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use serde_json::json;

/// Rotations in one run, and in a full one.
const RUN: usize = 40;
const FULL: usize = 1_000;

/// How long they run.
const DAYS: i64 = 12;

/// What a change does to a rotation.
#[derive(Clone, Debug)]
enum Edit {
    /// Another list of people.
    List(Vec<String>),
    /// Somebody leaves.
    Remove(String),
    /// Hand-overs at another hour.
    Hour(i64),
}

/// What the model knows of a rotation.
struct Model {
    order: Vec<String>,
    next: usize,
    holder: Option<String>,
    /// The hour of the day of hand-overs, which begin on Tuesday.
    hour: i64,
    /// Since when who is on call.
    turns: Vec<(Timestamp, Option<String>)>,
}

impl Model {
    /// The first of the list has the first turn.
    fn begin(order: &[String], at: Timestamp) -> Model {
        let mut model = Model {
            order: order.to_vec(),
            next: 0,
            holder: None,
            hour: 9,
            turns: Vec::new(),
        };
        model.deal();
        model.note(at);
        model
    }

    fn deal(&mut self) {
        self.holder = self.order.get(self.next).cloned();
        self.next = (self.next + 1) % self.order.len().max(1);
    }

    fn change(&mut self, edit: &Edit) {
        let order = match edit {
            Edit::Hour(hour) => {
                self.hour = *hour;
                return;
            }
            Edit::List(order) => order.clone(),
            Edit::Remove(user) => {
                let stay = self.order.iter().filter(|one| *one != user);
                stay.cloned().collect()
            }
        };
        // The next turn stays with whom it points at, else goes to the first after them who stays.
        let old = std::mem::replace(&mut self.order, order);
        let after = (0..old.len()).map(|step| &old[(self.next + step) % old.len()]);
        let mut stays = after.filter_map(|user| self.order.iter().position(|one| one == user));
        self.next = stays.next().unwrap_or(0);
    }

    /// Everything of one instant, so many hours after Monday 08:00: changes first, then the hand-over, then one fill.
    fn step(&mut self, (at, hours): (Timestamp, i64), changes: &[&Edit]) {
        for edit in changes {
            self.change(edit);
        }
        let of_week = 8 + hours;
        let hands_over = of_week >= 24 && of_week % 24 == self.hour;
        if !hands_over && changes.is_empty() {
            return;
        }
        let stays = |user: &String| self.order.contains(user);
        self.holder = self.holder.take().filter(stays);
        if hands_over || self.holder.is_none() {
            self.deal();
        }
        self.note(at);
    }

    fn note(&mut self, at: Timestamp) {
        self.turns.push((at, self.holder.clone()));
    }

    /// Who is on call at instants.
    fn at(&self, at: Timestamp) -> Option<&String> {
        let turn = self.turns.iter().rev().find(|(since, _)| *since <= at);
        turn.and_then(|(_, user)| user.as_ref())
    }
}

/// A list of some of the people in some order.
fn list(dice: &mut StdRng) -> Vec<String> {
    let mut people: Vec<String> = (1..=6).map(|number| format!("U{number}")).collect();
    people.shuffle(dice);
    people.truncate(dice.random_range(1..=6));
    people
}

fn edit(dice: &mut StdRng) -> Edit {
    match dice.random_range(0..4) {
        0 => Edit::Remove(format!("U{}", dice.random_range(1..=6))),
        1 => Edit::Hour(dice.random_range(0..24)),
        _ => Edit::List(list(dice)),
    }
}

/// The members of a request.
fn body(edit: &Edit, rotation: &Rot) -> serde_json::Value {
    match edit {
        Edit::List(order) => json!({ "rotation": { "userIds": order } }),
        Edit::Remove(user) => json!({ "remove": [user] }),
        Edit::Hour(hour) => {
            let times = json!({ "times": [format!("{hour:02}:00")] });
            let window = always(cadence("daily", "UTC", "2026-01-06T00:00", times));
            json!({ "coverage": rotation.grid(1, &[window]) })
        }
    }
}

/// Who is on call at an instant by turns of the schedule or of the history.
fn on_call(
    turns: &[(Timestamp, Option<Timestamp>, Option<String>)],
    at: Timestamp,
) -> Option<&String> {
    let covers = |(start, end, _): &&(Timestamp, Option<Timestamp>, _)| {
        *start <= at && end.is_none_or(|end| end > at)
    };
    turns.iter().find(covers)?.2.as_ref()
}

fn turns(
    rotation: &Rot,
    what: &str,
    end: Timestamp,
) -> Vec<(Timestamp, Option<Timestamp>, Option<String>)> {
    let turns = rotation.turns(what, MONDAY, &end.to_string());
    let turn = |turn: &serde_json::Value| {
        let end = turn.get("end").and_then(|end| end.as_str()).map(at);
        let user = turn.get("userId").and_then(|user| user.as_str());
        (at(text(&turn["start"])), end, user.map(str::to_owned))
    };
    turns.iter().map(turn).collect()
}

#[test]
fn the_plan_and_the_record_are_the_model() {
    let count = if in_full() { FULL } else { RUN };
    // Two servers, as there are two processors at the least.
    std::thread::scope(|scope| {
        for seed in [7, 8] {
            scope.spawn(move || compare(seed, count / 2));
        }
    });
}

/// Compares so many rotations of one server.
fn compare(seed: u64, count: usize) {
    let rota = Rota::with_people(6);
    let (begin, hour) = (at(MONDAY), SignedDuration::from_hours(1));
    let instant = |hours: i64| begin + hour * i32::try_from(hours).expect("hours");
    let end = instant(24 * DAYS);
    let mut dice = StdRng::seed_from_u64(seed);
    let mut all = Vec::new();
    for _ in 0..count {
        let order = list(&mut dice);
        let rotation = rota.daily(&order.join(" "), 1);
        // It is 08:00, and hand-overs are at 09:00 from tomorrow on. Some changes are at one, and some at the instant of another.
        let mut changes: Vec<(i64, Edit)> = Vec::new();
        for _ in 0..dice.random_range(1..=4) {
            let hours = match dice.random_range(0..3) {
                0 => 24 * dice.random_range(1..DAYS) + 1,
                1 => changes.first().map_or(30, |(hours, _)| *hours),
                _ => dice.random_range(1..24 * DAYS),
            };
            let edit = edit(&mut dice);
            let mut body = body(&edit, &rotation);
            body["operationId"] = json!(unique("random"));
            body["at"] = json!(instant(hours).to_string());
            let answer = rota.caller().post_if(&rotation.path("/changes"), "*", body);
            // Somebody who is not there by then cannot be taken out.
            if answer.status() == 400 && matches!(edit, Edit::Remove(_)) {
                continue;
            }
            answer.is(201);
            changes.push((hours, edit));
        }
        let mut model = Model::begin(&order, begin);
        for hours in 1..24 * DAYS {
            let due = changes.iter().filter(|(at, _)| *at == hours);
            let due: Vec<&Edit> = due.map(|(_, edit)| edit).collect();
            model.step((instant(hours), hours), &due);
        }
        let planned = turns(&rotation, "schedule", end);
        all.push((rotation, changes, model, planned));
    }
    rota.to(&end.to_string());
    for (rotation, changes, model, planned) in all {
        let recorded = turns(&rotation, "history", end);
        for hours in 0..24 * DAYS {
            let instant = instant(hours);
            let expected = model.at(instant);
            let told = || format!("{} at {instant} after {changes:?}", rotation.id);
            assert_eq!(on_call(&planned, instant), expected, "planned {}", told());
            assert_eq!(on_call(&recorded, instant), expected, "recorded {}", told());
        }
    }
}
