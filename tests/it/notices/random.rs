//! Random edits: who is told what, compared with the schedules before and after, by another computation.

use super::{notices_to, send};
use crate::fuzz::Chance;
use crate::support::*;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const PEOPLE: [&str; 5] = ["U1", "U2", "U3", "U4", "U5"];

/// Seconds of each person and cell, as the stretches of a plan.
type Plan = BTreeMap<(String, String), Vec<(i64, i64)>>;

/// Who is on call when, by GET schedule, up to an instant.
fn plan(rotation: &Rot, now: Timestamp, until: Timestamp) -> Plan {
    let mut plan = Plan::new();
    for turn in rotation.turns("schedule", &now.to_string(), &until.to_string()) {
        let (Some(user), Some(cell)) = (turn["userId"].as_str(), turn["cellId"].as_str()) else {
            continue;
        };
        let from = at(text(&turn["start"])).max(now).as_second();
        let end = turn["end"]
            .as_str()
            .map_or(until, at)
            .min(until)
            .as_second();
        if from < end {
            let key = (user.to_owned(), cell.to_owned());
            plan.entry(key).or_default().push((from, end));
        }
    }
    plan
}

/// The seconds of one list that are not in another, joined. It walks every bound.
fn only_in(one: Option<&Vec<(i64, i64)>>, other: Option<&Vec<(i64, i64)>>) -> Vec<(i64, i64)> {
    let has = |list: Option<&Vec<(i64, i64)>>, at: i64| {
        list.is_some_and(|list| list.iter().any(|(from, until)| *from <= at && at < *until))
    };
    let bounds: BTreeSet<i64> = one
        .into_iter()
        .chain(other)
        .flatten()
        .flat_map(|(from, until)| [*from, *until])
        .collect();
    let bounds: Vec<i64> = bounds.into_iter().collect();
    let mut found: Vec<(i64, i64)> = Vec::new();
    for pair in bounds.windows(2) {
        if has(one, pair[0]) && !has(other, pair[0]) {
            match found.last_mut() {
                Some(last) if last.1 == pair[0] => last.1 = pair[1],
                _ => found.push((pair[0], pair[1])),
            }
        }
    }
    found
}

/// What of each cell moved from one plan to another, for each person: gained and lost.
type Moved = BTreeMap<String, [BTreeMap<String, Vec<(i64, i64)>>; 2]>;

fn difference(before: &Plan, after: &Plan) -> Moved {
    let mut moved = Moved::new();
    let keys: BTreeSet<&(String, String)> = before.keys().chain(after.keys()).collect();
    for key in keys {
        let lists = [
            only_in(after.get(key), before.get(key)),
            only_in(before.get(key), after.get(key)),
        ];
        for (index, list) in lists.into_iter().enumerate() {
            if !list.is_empty() {
                let theirs = moved.entry(key.0.clone()).or_default();
                theirs[index].insert(key.1.clone(), list);
            }
        }
    }
    moved
}

/// Beginning and end of each stretch, by cell.
type Stretches = BTreeMap<String, Vec<(i64, i64)>>;

/// What a message says moved, and whether it leaves anything out.
fn said(message: &Value, until: Timestamp) -> ([Stretches; 2], bool) {
    let moved = &message["moved"];
    let lists = ["gained", "lost"].map(|list| {
        let mut cells = Stretches::new();
        for shift in moved[list].as_array().expect("a list") {
            let from = at(text(&shift["from"])).as_second();
            let end = shift["until"].as_str().map_or(until, at).as_second();
            let list = cells.entry(text(&shift["cellId"]).to_owned()).or_default();
            match list.last_mut() {
                Some(last) if last.1 == from => last.1 = end,
                _ => list.push((from, end)),
            }
        }
        cells
    });
    (lists, !moved["more"].is_null())
}

struct World<'a> {
    rotation: Rot<'a>,
    chance: Chance,
    absences: Vec<String>,
    lanes: usize,
}

impl World<'_> {
    fn windows(&mut self) -> Vec<Value> {
        let starts = format!(
            "2026-01-0{}T0{}:00",
            6 + self.chance.below(3),
            6 + self.chance.below(3)
        );
        let zone = *self
            .chance
            .pick(&["UTC", "Europe/Oslo", "America/New_York"]);
        match self.chance.below(4) {
            0 => vec![always(cadence(
                "daily",
                zone,
                &starts,
                json!({ "times": [&starts[11..]] }),
            ))],
            1 => vec![always(weekly(zone, &starts))],
            2 => vec![hours(
                zone,
                &weekdays("09:00", "17:00"),
                weekly(zone, &starts),
            )],
            _ => vec![
                hours(zone, &weekdays("08:00", "20:00"), weekly(zone, &starts)),
                hours(zone, "saturday 08:00 - sunday 20:00", weekly(zone, &starts)),
            ],
        }
    }

    fn people(&mut self) -> Vec<&'static str> {
        let mut people: Vec<&str> = PEOPLE
            .iter()
            .copied()
            .filter(|_| !self.chance.once_in(4))
            .collect();
        if self.chance.once_in(2) {
            people.reverse();
        }
        if people.is_empty() {
            people.push("U1");
        }
        people
    }

    fn edit(&mut self) -> String {
        let day = 6 + self.chance.below(50) as i64;
        let from = at("2026-01-01T00:00Z") + jiff::SignedDuration::from_hours(24 * day);
        let until = from + jiff::SignedDuration::from_hours(1 + self.chance.below(240) as i64);
        let user = *self.chance.pick(&PEOPLE);
        match self.chance.below(7) {
            0 | 1 => {
                let body =
                    json!({ "userId": user, "from": from.to_string(), "until": until.to_string() });
                let path = self.rotation.path("/availability");
                // Whoever is no member cannot be away.
                let answer = self.rotation.by.post(&path, body);
                if answer.status() == 201 {
                    self.absences.push(text(&answer.json()["id"]).to_owned());
                }
                format!("{user} away {from} {until}")
            }
            2 if !self.absences.is_empty() => {
                let index = self.chance.below(self.absences.len());
                let id = self.absences.remove(index);
                let path = self.rotation.path(&format!("/availability/{id}"));
                self.rotation.by.delete(&path);
                format!("back {id}")
            }
            3 => {
                let people = self.people();
                self.rotation.patch(json!({ "userIds": people })).is(200);
                format!("people {people:?}")
            }
            4 => {
                let windows = self.windows();
                self.lanes = 1 + self.chance.below(2);
                self.rotation.cover(self.lanes, &windows);
                format!("windows {}", json!(windows))
            }
            5 => {
                let next = self.chance.below(2);
                let body = json!({ "nextTurn": next });
                format!(
                    "next {next}: {}",
                    self.rotation.put("/rosters", body).status()
                )
            }
            _ => {
                let answer = self.rotation.put_on_call(user);
                format!("on call {user}: {}", answer.status())
            }
        }
    }
}

/// rules.md 28.4: the people told are exactly those whose covered stretches differ, and the stretches in the message are the difference.
#[test]
fn random_edits_tell_exactly_what_differs() {
    let (rotations, edits) = if in_full() { (50, 20) } else { (6, 10) };
    let mut told = 0;
    for number in 0..rotations {
        // A server each: what is read of all messages would otherwise grow with every edit.
        let rota = Rota::unreminded(5);
        let mut world = World {
            rotation: rota.rotation("U1 U2 U3"),
            chance: Chance::of(number),
            absences: Vec::new(),
            lanes: 1,
        };
        let windows = world.windows();
        world.rotation.cover(1, &windows);
        send(&world.rotation);
        for step in 0..edits {
            let now = at(&rota.now());
            let until = now + jiff::SignedDuration::from_hours(60 * 24);
            let known: BTreeMap<&str, usize> = PEOPLE
                .iter()
                .map(|user| (*user, notices_to(&rota, user).len()))
                .collect();
            let before = plan(&world.rotation, now, until);
            let on_duty = rota.messages().len();
            let edit = world.edit();
            let after = plan(&world.rotation, now, until);
            let context = format!("rotation {number}, step {step}: {edit}");
            let came: BTreeSet<String> = rota.messages()[on_duty..]
                .iter()
                .filter(|message| text(&message["text"]).starts_with("You are on duty"))
                .map(|message| recipient(message).to_owned())
                .collect();
            let expected = difference(&before, &after);
            send(&world.rotation);
            for user in PEOPLE {
                let notices = notices_to(&rota, user);
                let new = &notices[known[user]..];
                assert!(new.len() <= 1, "{context}: {user}: {new:?}");
                told += new.len();
                let Some([gained, lost]) = expected.get(user) else {
                    assert_eq!(new.len(), 0, "{context}: {user}: {new:?}");
                    continue;
                };
                let Some(message) = new.first() else {
                    // They were told when they came on duty.
                    assert!(
                        lost.is_empty() && came.contains(user),
                        "{context}: {user}: {gained:?} {lost:?}"
                    );
                    continue;
                };
                let ([said_gained, said_lost], is_cut) = said(message, until);
                if is_cut {
                    assert!(
                        message["moved"]["gained"].as_array().unwrap().len() <= 20,
                        "{context}"
                    );
                    continue;
                }
                assert_eq!(&said_lost, lost, "{context}: {user}");
                if !came.contains(user) {
                    assert_eq!(&said_gained, gained, "{context}: {user}");
                }
            }
        }
    }
    assert!(told > rotations as usize * 5, "{told}");
}
