//! Random changes that wait, against a model of its own: a list, whom the next turn points at, and who has the turn.

use crate::support::*;
use jiff::{SignedDuration, Timestamp};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use serde_json::json;

/// Rotations in one run, and in a full one.
const RUN: usize = 40;
const FULL: usize = 100;

/// How long they run.
const DAYS: i64 = 12;

/// What the model knows of a rotation.
struct Model {
    order: Vec<String>,
    next: usize,
    holder: Option<String>,
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

    /// The next turn stays with whom it points at, else goes to the first after them who stays.
    fn change(&mut self, order: &[String]) {
        let old = std::mem::replace(&mut self.order, order.to_vec());
        let after = (0..old.len()).map(|step| &old[(self.next + step) % old.len()]);
        let stays = after.filter_map(|user| order.iter().position(|one| one == user));
        self.next = stays.take(1).next().unwrap_or(0);
    }

    /// Everything of one instant: changes first, then the hand-over, then one fill.
    fn step(&mut self, at: Timestamp, changes: &[&Vec<String>], hands_over: bool) {
        for order in changes {
            self.change(order);
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

#[test]
fn the_plan_and_the_record_are_the_model() {
    let count = if in_full() { FULL } else { RUN };
    let rota = Rota::with_people(6);
    let (begin, hour) = (at(MONDAY), SignedDuration::from_hours(1));
    let end = begin + hour * 24 * i32::try_from(DAYS).expect("days");
    let mut dice = StdRng::seed_from_u64(7);
    let mut all = Vec::new();
    for _ in 0..count {
        let order = list(&mut dice);
        let rotation = rota.daily(&order.join(" "), 1);
        // It is 08:00, and hand-overs are at 09:00 from tomorrow on. Some changes are at one, and some at the instant of another.
        let mut changes: Vec<(Timestamp, Vec<String>)> = Vec::new();
        for _ in 0..dice.random_range(1..=4) {
            let hours = match dice.random_range(0..3) {
                0 => 24 * dice.random_range(1..DAYS) + 1,
                1 => changes
                    .first()
                    .map_or(30, |(at, _)| (at.duration_since(begin).as_hours()).max(1)),
                _ => dice.random_range(1..24 * DAYS),
            };
            let instant = begin + hour * i32::try_from(hours).expect("hours");
            let order = list(&mut dice);
            let body = json!({
                "operationId": unique("random"), "at": instant.to_string(), "rotation": { "userIds": order },
            });
            let path = rotation.path("/changes");
            rota.caller().post_if(&path, "*", body).is(201);
            changes.push((instant, order));
        }
        let mut model = Model::begin(&order, begin);
        for hours in 1..24 * DAYS {
            let instant = begin + hour * i32::try_from(hours).expect("hours");
            let due = changes.iter().filter(|(at, _)| *at == instant);
            let due: Vec<&Vec<String>> = due.map(|(_, order)| order).collect();
            let hands_over = hours > 24 && hours % 24 == 1;
            if hands_over || !due.is_empty() {
                model.step(instant, &due, hands_over);
            }
        }
        let planned = rotation.turns("schedule", MONDAY, &end.to_string());
        all.push((rotation, changes, model, planned));
    }
    rota.to(&end.to_string());
    for (rotation, changes, model, planned) in all {
        let recorded = rotation.turns("history", MONDAY, &end.to_string());
        for hours in 0..24 * DAYS {
            let instant = begin + hour * i32::try_from(hours).expect("hours");
            let on_call = |turns: &[serde_json::Value]| {
                let covers = |turn: &&serde_json::Value| {
                    let ends = turn.get("end").and_then(|end| end.as_str()).map(at);
                    at(text(&turn["start"])) <= instant && ends.is_none_or(|end| end > instant)
                };
                let turn = turns.iter().find(covers);
                turn.and_then(|turn| Some(turn.get("userId")?.as_str()?.to_owned()))
            };
            let expected = model.at(instant);
            let told = format!("{} at {instant} after {changes:?}", rotation.id);
            assert_eq!(on_call(&planned).as_ref(), expected, "planned {told}");
            assert_eq!(on_call(&recorded).as_ref(), expected, "recorded {told}");
        }
    }
}
