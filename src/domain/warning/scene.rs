//! The scene in which warnings are found: the forecast of a rotation, cut into turns, and what is around it.

use super::Warning;
use super::duty::{Duty, numbered};
use crate::domain::forecast::{self, Held};
use crate::domain::handover::DealingContext;
use crate::domain::ids::{CellId, RotationId, UserId};
use crate::domain::naming::Naming;
use crate::domain::rotation::{Cell, Rotation, Window};
use crate::domain::time::{Interval, joined, within};
use crate::domain::warning_kinds::{Severity, WarningKind, WarningSettings};
use crate::domain::zones::ZoneName;
use jiff::{SignedDuration, Timestamp};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

/// The surroundings of a rotation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Around {
    /// Its members and whoever is on call in it. Somebody who is not here is not known at all.
    pub people: BTreeMap<UserId, Known>,
    /// Its members with a calendar that cannot be read, and when the first of those was last read.
    pub unread_calendars: BTreeMap<UserId, Timestamp>,
    /// Whether the partner's schedule that it follows cannot be read.
    pub is_partner_unread: bool,
    /// When that schedule was last read.
    pub partner_read_at: Option<Timestamp>,
    /// How the sentences of warnings name people, rotations, lanes and windows.
    pub naming: Naming,
}

/// The facts about a person that count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub name: String,
    /// `None` where it is unknown.
    pub zone: Option<ZoneName>,
    pub is_deactivated: bool,
}

/// The part of one dealt turn of a cell that one person holds.
#[derive(Clone, Debug)]
pub(super) struct Turn<'a> {
    pub cell: usize,
    pub user: &'a UserId,
    /// From the first to the last stretch of it, open or shut.
    pub whole: Interval,
    /// When they are on call, by where it begins.
    pub on_call: Vec<Interval>,
}

/// The plan of a rotation that is looked at.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    pub rotation: &'a Rotation,
    pub dealing: DealingContext<'a>,
    pub range: Interval,
    /// The forecast of the range: cell by cell, and by where they begin. Cells are those of the rotation
    /// [`with_coming`](forecast::with_coming) ones.
    pub held: &'a [Held],
}

/// Which warnings are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct WarningFilter {
    /// Only those that matter so much.
    pub severity: Option<Severity>,
    /// Only those that come before this, by [`Warning::rank`].
    pub before: Option<Rank>,
}

/// By what warnings come one after the other: where they begin, how much they matter, and their kind.
pub type Rank = (Timestamp, Severity, WarningKind);

impl WarningFilter {
    /// Whether warnings of a kind are wanted, by these settings of their rotation too.
    pub(super) fn wants(self, kind: WarningKind, settings: &WarningSettings) -> bool {
        let severity = self.severity.unwrap_or(kind.severity());
        severity == kind.severity() && !settings.off.contains(&kind)
    }

    /// The instant before which warnings of a kind begin.
    fn begins_before(&self, kind: WarningKind) -> Timestamp {
        let Some((at, severity, last)) = self.before else {
            return Timestamp::MAX;
        };
        match (kind.severity(), kind) < (severity, last) {
            true => at.saturating_add(INSTANT).unwrap_or(Timestamp::MAX),
            false => at,
        }
    }
}

/// The shortest time that there is.
const INSTANT: SignedDuration = SignedDuration::from_nanos(1);

/// The scene in which warnings are found.
pub(super) struct Scene<'a> {
    /// With the cells that changes which wait add.
    pub rotation: &'a Rotation,
    /// As it stands, with the changes that wait.
    pub planned: &'a Rotation,
    pub dealing: DealingContext<'a>,
    pub around: &'a Around,
    /// When its people are on call, here and in other rotations.
    pub duty: &'a Duty,
    wanted: WarningFilter,
    pub range: Interval,
    /// Cell by cell, and by where they begin.
    pub held: &'a [Held],
    /// By where they begin, of people who are known here and on call in them at some time.
    pub turns: Vec<Turn<'a>>,
    /// The index of each cell.
    pub slots: HashMap<&'a CellId, usize>,
    /// When the window of each cell is open, once that has been asked.
    open: Vec<OnceCell<Vec<Interval>>>,
    /// When everybody is on call, once that has been asked.
    on_call: OnceCell<BTreeMap<&'a UserId, Vec<Interval>>>,
}

impl<'a> Scene<'a> {
    /// The scene of a plan. `whole` is its rotation with the cells that changes which wait add.
    pub fn new(
        plan: Plan<'a>,
        whole: &'a Rotation,
        around: &'a Around,
        duty: &'a Duty,
        wanted: WarningFilter,
    ) -> Scene<'a> {
        let (planned, rotation) = (plan.rotation, whole);
        let Plan {
            rotation: _,
            dealing,
            range,
            held,
        } = plan;
        let mut turns: BTreeMap<usize, Turn<'a>> = BTreeMap::new();
        for (number, held) in numbered(held).into_iter().zip(held) {
            let Some(user) = &held.user else { continue };
            let turn = turns.entry(number).or_insert_with(|| Turn {
                cell: held.cell,
                user,
                whole: held.period,
                on_call: Vec::new(),
            });
            turn.whole.from = turn.whole.from.min(held.period.from);
            turn.whole.until = turn.whole.until.max(held.period.until);
            turn.on_call.extend(held.is_open.then_some(held.period));
        }
        let mut turns: Vec<Turn> = turns.into_values().collect();
        turns.retain_mut(|turn| {
            turn.on_call = joined(std::mem::take(&mut turn.on_call));
            !turn.on_call.is_empty()
        });
        turns.sort_by_key(|turn| (turn.whole, turn.cell));
        let slots = rotation.cells.iter().enumerate();
        Scene {
            rotation,
            planned,
            dealing,
            around,
            duty,
            wanted,
            range,
            held,
            turns,
            slots: slots.map(|(slot, cell)| (&cell.id, slot)).collect(),
            open: vec![OnceCell::new(); rotation.cells.len()],
            on_call: OnceCell::new(),
        }
    }

    /// The instant before which warnings of a kind begin that are wanted.
    pub fn begins_before(&self, kind: WarningKind) -> Timestamp {
        self.wanted.begins_before(kind)
    }

    /// The cell of an index.
    pub fn cell(&self, cell: usize) -> &'a Cell {
        &self.rotation.cells[cell]
    }

    /// The stretches of a cell.
    pub fn held_in(&self, cell: usize) -> &'a [Held] {
        let from = self.held.partition_point(|held| held.cell < cell);
        let until = self.held.partition_point(|held| held.cell <= cell);
        &self.held[from..until]
    }

    /// Everybody who is on call at some time, with when: each instant once.
    pub fn on_call(&self) -> &BTreeMap<&'a UserId, Vec<Interval>> {
        self.on_call.get_or_init(|| {
            let mut all: BTreeMap<&UserId, Vec<Interval>> = BTreeMap::new();
            for held in self.held {
                if let Some(user) = held.on_call() {
                    all.entry(user).or_default().push(held.period);
                }
            }
            for spans in all.values_mut() {
                *spans = joined(std::mem::take(spans));
            }
            all
        })
    }

    /// The name of somebody.
    pub fn name(&self, user: &UserId) -> String {
        let known = self.around.people.get(user).filter(|_| self.has_names());
        known.map_or_else(|| user.to_string(), |known| known.name.clone())
    }

    /// Whether sentences have the names that people gave.
    pub fn has_names(&self) -> bool {
        self.around.naming == Naming::Names
    }

    /// The name of another rotation, where the reader may see it.
    pub fn rotation_called(&self, rotation: &RotationId, named: Option<&str>) -> String {
        match named {
            None => "another rotation".to_owned(),
            Some(name) if self.has_names() => name.to_owned(),
            Some(_) => rotation.to_string(),
        }
    }

    /// The name of a window, if it has one.
    pub fn window_called<'w>(&self, window: &'w Window) -> Option<&'w str> {
        let name = window.name.as_deref()?;
        Some(match self.has_names() {
            true => name,
            false => window.id.as_str(),
        })
    }

    /// The place of a cell where the rotation has several: ` in primary, nights`.
    pub fn place(&self, cell: usize) -> String {
        let names = forecast::slot_name(self.rotation, self.cell(cell));
        match names.is_empty() {
            true => String::new(),
            false if !self.has_names() => format!(" in {}", self.cell(cell).id),
            false => format!(" in {}", names.join(", ")),
        }
    }

    /// A warning about a cell.
    pub fn in_cell(
        &self,
        kind: WarningKind,
        cell: usize,
        period: Interval,
        users: Vec<UserId>,
        text: String,
    ) -> Warning {
        Warning {
            cell: Some(self.cell(cell).id.clone()),
            ..self.of_all(kind, period, users, text)
        }
    }

    /// A warning about the rotation.
    pub fn of_all(
        &self,
        kind: WarningKind,
        period: Interval,
        users: Vec<UserId>,
        text: String,
    ) -> Warning {
        Warning {
            kind,
            period,
            cell: None,
            users,
            text,
            since: None,
        }
    }

    /// Stretches of one person in a cell as they are told: those with nothing but shut hours between them are one. They are given by
    /// where they begin.
    pub fn over_shut_hours(&self, cell: usize, stretches: Vec<Interval>) -> Vec<Interval> {
        if stretches.len() < 2 {
            return stretches;
        }
        let open = self.open[cell].get_or_init(|| {
            let open = self.held_in(cell).iter().filter(|held| held.is_open);
            joined(open.map(|held| held.period).collect())
        });
        let mut told: Vec<Interval> = Vec::new();
        for stretch in stretches {
            let between = told
                .last()
                .map(|last| Interval::new(last.until, stretch.from));
            let joins = between.is_some_and(|between| {
                between.is_empty() || within(open, between).next().is_none()
            });
            match told.last_mut() {
                Some(last) if joins => last.until = last.until.max(stretch.until),
                _ => told.push(stretch),
            }
        }
        told
    }
}

/// A length as people read it: `9 h`, `9 h 30 min`, `45 min`.
pub(super) fn length(length: SignedDuration) -> String {
    let minutes = length.as_mins();
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}
