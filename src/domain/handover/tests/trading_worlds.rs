//! Random worlds, in which the product deals as the plain model does, hand-over by hand-over (rules.md 29).

mod compare;
mod held;
mod mended;
mod random;

use super::trading_model::{Hour, Person, Window as Plain, World};
use super::*;
use crate::domain::absence_policy::{AbsencePolicy, PassOver, WhileOnDuty};
use crate::domain::books::{Dealing, MissedTurn, Share};
use crate::domain::handover::Edit;
use crate::domain::rotation::Narrowed;
use random::Random;
use std::collections::BTreeMap;

/// Midnight of the Monday that hours are counted from.
const BEGUN: &str = "2026-11-23T00:00:00Z";

/// Events of one world.
const EVENTS: usize = 30;

pub fn hour(hour: Hour) -> Timestamp {
    at(BEGUN) + SignedDuration::from_hours(hour)
}

pub fn name(person: Person) -> UserId {
    UserId::from(char::from(b'a' + person as u8).to_string())
}

/// How many of something random there are, by what `ROTA_TESTS` asks for.
pub fn as_many(usually: u64, all: u64) -> std::ops::Range<u64> {
    match std::env::var_os("ROTA_TESTS").is_some_and(|which| which == "all") {
        true => 0..all,
        false => 0..usually,
    }
}

/// The same world twice.
pub struct Both {
    pub model: World,
    pub rotation: Rotation,
    calendar: Calendar,
    members: Vec<Person>,
    /// Narrowed rosters list people who may be no members.
    listed: Vec<Option<Vec<Person>>>,
    /// What happened, for whoever reads why a world failed.
    log: Vec<String>,
}

impl Both {
    /// A world, dealt for the first time.
    pub fn new(model: World, members: Vec<Person>, listed: Vec<Option<Vec<Person>>>) -> Both {
        let rotation = compare::product(&model, &members, &listed);
        let mut both = Both {
            log: vec![format!("{model:?}")],
            model,
            rotation,
            calendar: Calendar::embedded(),
            members,
            listed,
        };
        let before = both.rotation.clone();
        for roster in &mut both.rotation.rosters {
            roster.next_turns.clear();
        }
        both.rotation.follow(&before.clone());
        for line in 0..both.model.lines.len() {
            let of = both.model.lines[line].roster;
            let same = |other: &&super::trading_model::Line| other.roster == of;
            let k = both.model.lines[..line].iter().filter(same).count();
            let all = both.model.lines.iter().filter(same).count();
            both.model.lines[line].next = k * both.model.order(line).len() / all;
        }
        both.change(|change| change.fill(Reason::CoverageChanged));
        both.model.fill();
        both
    }

    /// Has the product do something at the model's hour.
    fn change(&mut self, act: impl FnOnce(&mut Change)) {
        let absences = compare::absences(&self.model);
        let dealing = DealingContext::new(&self.calendar, &absences);
        let now = hour(self.model.now);
        let mut change = Change::begin(&mut self.rotation, dealing, now, WindowChange::ByEdit);
        act(&mut change);
        change.finish();
    }

    /// Has the product follow an edit.
    fn edited(&mut self, before: &Rotation, lists: bool) {
        let absences = compare::absences(&self.model);
        let edit = Edit {
            before,
            dealing: DealingContext::new(&self.calendar, &absences),
            at: hour(self.model.now),
            window_change: WindowChange::ByEdit,
        };
        match lists {
            true => edit.follow_members(&mut self.rotation),
            false => edit.redeal(&mut self.rotation, |_| ()),
        }
    }

    /// Lets both pass to the next hour at which anything falls due in one of them.
    pub fn pass(&mut self) {
        self.model.pass();
        self.log.push(format!("-- {}", self.model.now));
        self.catch_up();
    }

    fn catch_up(&mut self) {
        let absences = compare::absences(&self.model);
        let dealing = DealingContext::new(&self.calendar, &absences);
        let now = hour(self.model.now);
        while let Some(due) = next_due(&self.rotation, dealing).filter(|due| *due <= now) {
            step(&mut self.rotation, dealing, due);
        }
    }

    /// One random event.
    fn event(&mut self, random: &mut Random) {
        let quiet = self.model.next_due() - self.model.now;
        if random.below(3) > 0 {
            self.pass();
            return;
        }
        // A write comes at any hour before the next one at which something falls due.
        self.model.now += random.below(quiet as u64) as Hour;
        let now = self.model.now;
        let cell = random.below(self.model.cells.len() as u64) as usize;
        let person = random.of(&self.members);
        match random.below(12) {
            0..4 => {
                let from = now + random.between(-10, 500);
                let span = (from, from + random.any(&[5, 30, 60, 200, 200, 800]));
                self.absent(person, (from, span.1.max(now + 1)));
            }
            4 if !self.model.absences.is_empty() => {
                let which = random.below(self.model.absences.len() as u64) as usize;
                self.log.push(format!("{now} back {which}"));
                let user = name(self.model.absences[which].0);
                self.model.back(which);
                self.change(|change| {
                    if change.deals_to(&user) {
                        change.fill_after_absence(Reason::CoverageChanged);
                    }
                });
            }
            5 => {
                self.log.push(format!("{now} assign {cell} {person}"));
                self.model.assign(cell, person);
                let user = name(person);
                self.change(|change| change.assign(cell, &user, Reason::ExplicitChange));
            }
            6 => {
                self.log.push(format!("{now} clear {cell}"));
                self.model.clear(cell);
                self.change(|change| change.clear(cell, Reason::DutyCleared));
            }
            7 => {
                let all = 0..self.model.cells.len();
                let cells: Vec<usize> = all.filter(|_| random.below(2) == 0).collect();
                self.log.push(format!("{now} rotate {cells:?}"));
                self.model.hand_over(&cells, &[]);
                self.model.fill();
                self.change(|change| {
                    change.hand_over(&cells, Reason::RotateToNextOnDuty);
                    change.fill(Reason::RotateToNextOnDuty);
                });
            }
            8 => self.people(random),
            9 => {
                let line = random.below(self.model.lines.len() as u64) as usize;
                let people = self.model.order(line).len();
                if people > 0 {
                    let turn = random.below(people as u64) as usize;
                    self.log.push(format!("{now} next turn of {line}: {turn}"));
                    self.model.lines[line].next = turn;
                    let (window, roster) =
                        (self.model.lines[line].window, self.model.lines[line].roster);
                    let window = self.rotation.windows[window].id.clone();
                    self.rotation.rosters[roster].set_next_turn(&window, turn);
                }
            }
            10 => {
                let window = random.below(self.model.windows.len() as u64) as usize;
                let hours = random.window(now);
                self.edit_window(window, hours);
            }
            11 => {
                let traded = random.below(3) > 0;
                let rest = random.any(&[0, 0, 11, 24, 48]);
                let shares = random.shares(&self.members);
                let (rest, shares) = match traded {
                    true => (rest, shares),
                    false => (0, BTreeMap::new()),
                };
                self.choose(traded, rest, shares);
            }
            _ => {}
        }
    }

    /// Marks somebody away.
    pub fn absent(&mut self, person: Person, span: (Hour, Hour)) {
        if self.model.absences.contains(&(person, span)) {
            return;
        }
        let now = self.model.now;
        self.log.push(format!("{now} absent {person} {span:?}"));
        self.model.absent_from(person, span);
        let user = name(person);
        let leaves = span.0 <= now && now < span.1;
        self.change(|change| {
            change.relieve(
                |holder| *holder == user && leaves,
                Reason::NextOnScheduledDuty,
            );
            if change.deals_to(&user) {
                change.fill_after_absence(Reason::CoverageChanged);
            }
        });
    }

    /// Somebody joins or leaves, or a list is reordered.
    fn people(&mut self, random: &mut Random) {
        let (was, lists) = (self.members.clone(), self.listed.clone());
        match random.below(4) {
            0 => {
                let new = (0..12)
                    .find(|one| !self.members.contains(one))
                    .expect("a name");
                let place = random.below(self.members.len() as u64 + 1) as usize;
                self.members.insert(place, new);
            }
            1 => {
                let place = random.below(self.members.len() as u64) as usize;
                if self.members.len() > 1 {
                    self.members.remove(place);
                }
            }
            2 => random.shuffle(&mut self.members),
            _ => {
                let index = random.below(self.listed.len() as u64) as usize;
                if let Some(list) = &mut self.listed[index] {
                    random.shuffle(list);
                }
            }
        }
        if (&was, &lists) == (&self.members, &self.listed) {
            return;
        }
        let now = self.model.now;
        let (members, listed) = (&self.members, &self.listed);
        self.log
            .push(format!("{now} members {members:?} lists {listed:?}"));
        let rosters = compare::rosters(members, listed);
        self.model.list(rosters, members);
        self.model.fill();
        let before = self.rotation.clone();
        compare::list(&mut self.rotation, members, listed);
        self.edited(&before, true);
    }

    fn edit_window(&mut self, window: usize, hours: Plain) {
        if self.model.windows[window] == hours {
            return;
        }
        let now = self.model.now;
        self.log.push(format!("{now} window {window} {hours:?}"));
        let before = self.rotation.clone();
        let (cadence, coverage) = compare::hours(&hours);
        self.rotation.windows[window].cadence = Some(cadence);
        self.rotation.windows[window].coverage = coverage;
        self.model.windows[window] = hours;
        self.model.fill();
        self.edited(&before, false);
    }

    pub fn choose(&mut self, traded: bool, rest: Hour, shares: BTreeMap<Person, u32>) {
        let now = self.model.now;
        self.log
            .push(format!("{now} traded {traded} {rest} {shares:?}"));
        let before = self.rotation.clone();
        self.model.choose(traded, rest, shares);
        self.rotation.dealing = compare::dealing(&self.model);
        if self.rotation != before {
            self.model.fill();
            self.edited(&before, true);
        }
    }

    /// Panics where the two differ.
    pub fn check(&self, seed: u64) {
        let found = compare::shown(&self.rotation);
        let expected = compare::shown_of(&self.model);
        let differ = found
            .iter()
            .zip(&expected)
            .filter(|(one, other)| one != other);
        let differ: Vec<String> = differ
            .map(|(one, other)| format!("dealt {one}\nmodel {other}"))
            .collect();
        assert!(
            found == expected,
            "world {seed}\n{}\n{}",
            self.log.join("\n"),
            differ.join("\n")
        );
    }
}

/// The product deals as the model does, whatever happens. rules.md 29.1 to 29.9, and 29.11, which the model asserts of each turn.
#[test]
fn random_worlds_are_dealt_as_by_the_plain_model() {
    for seed in as_many(2_000, 8_000) {
        let mut random = Random::new(seed);
        let mut both = random.world();
        both.check(seed);
        for _ in 0..EVENTS {
            both.event(&mut random);
            both.check(seed);
        }
    }
}
