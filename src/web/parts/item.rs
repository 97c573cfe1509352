//! Items of a schedule as timelines, agendas and lists show them, in rows.

use super::people::People;
use super::time::Times;
use crate::domain::arrangement::{Arrangement, ArrangementKind};
use crate::domain::duty::{Duty, DutyKind};
use crate::domain::ids::{CellId, UserId};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use jiff::Timestamp;
use maud::{Markup, html};

/// What an item is; each is told apart by a word and a pattern, not by colour alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Turn,
    Cover,
    Swap,
    /// Given to somebody by an editor.
    Put,
    /// Covered hours, and nobody on call.
    Gap,
    /// Not covered, as planned.
    Off,
    /// Who has it by the plan, beneath a cover, a swap or hours given by hand.
    Beneath,
}

impl Kind {
    /// The kind of a duty, with the arrangement that it is held by.
    pub fn of(duty: &Duty, arranged: &[Arrangement]) -> Kind {
        let record = arrangement(duty, arranged);
        match (duty.kind(), record.map(|record| record.kind)) {
            (DutyKind::Turn, _) => Kind::Turn,
            (DutyKind::Arrangement, Some(ArrangementKind::AcceptedCover)) => Kind::Cover,
            (DutyKind::Arrangement, Some(ArrangementKind::SwapLeg)) => Kind::Swap,
            (DutyKind::Arrangement, _) => Kind::Put,
            (DutyKind::Nobody, _) if duty.is_open => Kind::Gap,
            (DutyKind::Nobody, _) => Kind::Off,
        }
    }

    /// The class of its pattern.
    pub fn class(self) -> Option<&'static str> {
        match self {
            Kind::Turn | Kind::Off => None,
            Kind::Cover => Some("cover"),
            Kind::Swap => Some("swap"),
            Kind::Put => Some("ovr"),
            Kind::Gap => Some("gap"),
            Kind::Beneath => Some("ghost"),
        }
    }
}

/// The arrangement by which somebody has an item.
pub fn arrangement<'a>(duty: &Duty, arranged: &'a [Arrangement]) -> Option<&'a Arrangement> {
    let id = duty.entry.arrangement.as_ref()?;
    arranged.iter().find(|one| one.id == *id)
}

/// One item: who has a place from when to when.
#[derive(Clone, Debug)]
pub struct Item {
    pub cell: CellId,
    pub from: Timestamp,
    /// `None` where somebody has to hand over.
    pub until: Option<Timestamp>,
    pub user: Option<UserId>,
    /// How they are called; "Nobody" where nobody is on call.
    pub who: String,
    pub kind: Kind,
    /// What comes after the name: "for Grace" or "covers Grace", "swap", "put on call".
    pub word: Option<String>,
    /// The name of its row.
    pub place: String,
    /// When the turn that it is a part of began.
    pub turn: Option<Timestamp>,
    /// The address of its turn.
    pub path: String,
}

impl Item {
    /// Whether it runs.
    pub fn is_now(&self, now: Timestamp) -> bool {
        self.from <= now && !self.is_over(now)
    }

    /// Whether it has ended.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }

    /// Its end, or the end of time where somebody has to hand over.
    pub fn end(&self) -> Timestamp {
        self.until.unwrap_or(Timestamp::MAX)
    }

    /// The whole of it in one line, which is its accessible name.
    pub fn label(&self, times: &Times) -> Markup {
        html! {
            @if self.kind == Kind::Beneath { "Planned: " }
            (self.who)
            @if let Some(word) = &self.word { ", " (word) }
            ", " (times.text(self.from))
            @match self.until { Some(until) => { " to " (times.text(until)) }, None => " until somebody hands over" }
            ", " (self.place)
            @if self.is_now(times.now) && !matches!(self.kind, Kind::Gap | Kind::Beneath) { ", on call now" }
        }
    }
}

/// The items of one place, in order of time.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: String,
    /// Which line of people on call at the same time it belongs to.
    pub line: usize,
    /// What is said below the name.
    pub more: String,
    pub items: Vec<Item>,
}

/// Rows of a rotation, one for each place that has hours, with the items of these duties.
pub fn rows(
    rotation: &Rotation,
    (duties, arranged): (&[Duty], &[Arrangement]),
    people: &People,
    base: &str,
) -> Vec<Row> {
    let item = |duty: &Duty, place: &str| item(duty, arranged, (people, base, place));
    let mut rows: Vec<Row> = Vec::new();
    for (slot, cell) in rotation
        .cells
        .iter()
        .enumerate()
        .filter(|(_, cell)| !cell.stopped)
    {
        let name = super::place::of(rotation, cell);
        let own = duties.iter().filter(|duty| duty.slot == Some(slot));
        rows.push(Row {
            items: own.flat_map(|duty| item(duty, &name.whole)).collect(),
            name: name.first,
            line: cell.lane,
            more: name.second,
        });
    }
    // Places that are gone have a record.
    let mut gone: Vec<(&CellId, Row)> = Vec::new();
    for duty in duties.iter().filter(|duty| duty.slot.is_none()) {
        let name = duty.names().collect::<Vec<_>>().join(" · ");
        let name = if name.is_empty() {
            "before".to_owned()
        } else {
            name
        };
        let items = item(duty, &name);
        match gone.iter_mut().find(|(cell, _)| **cell == duty.cell) {
            Some((_, row)) => row.items.extend(items),
            None => gone.push((
                &duty.cell,
                Row {
                    name,
                    line: usize::MAX,
                    more: "is no more".into(),
                    items,
                },
            )),
        }
    }
    rows.extend(gone.into_iter().map(|(_, row)| row));
    rows
}

/// The plan beneath the items of a row: whole turns as they were before covers, swaps and hours given by hand. Nothing where none
/// of these lies there.
pub fn beneath(
    row: &Row,
    (duties, arranged): (&[Duty], &[Arrangement]),
    people: &People,
    range: Interval,
) -> Vec<Item> {
    let mut planned: Vec<Item> = Vec::new();
    let shown = |item: &&Item| item.from < range.until && item.end() > range.from;
    for item in row
        .items
        .iter()
        .filter(shown)
        .filter(|item| item.kind != Kind::Off)
    {
        let duty = duties
            .iter()
            .find(|duty| duty.cell == item.cell && duty.entry.start == item.from);
        let record = duty.and_then(|duty| arrangement(duty, arranged));
        let pieces: Vec<(Timestamp, Option<Timestamp>, Option<UserId>)> = match record {
            None => vec![(item.from, item.until, item.user.clone())],
            Some(record) => {
                let segments = record.snapshot.segments.iter();
                let own = segments.filter_map(|segment| {
                    let period = segment.period.meets(Interval::new(item.from, item.end()))?;
                    Some((period.from, Some(period.until), segment.user.clone()))
                });
                own.collect()
            }
        };
        for (from, until, user) in pieces {
            let goes_on = planned.last_mut().filter(|last| {
                last.user == user && last.until == Some(from) && last.turn == item.turn
            });
            match goes_on {
                Some(last) => last.until = until,
                None => planned.push(Item {
                    from,
                    until,
                    who: match &user {
                        Some(user) => people.name(user).to_owned(),
                        None => item.who.clone(),
                    },
                    user,
                    kind: Kind::Beneath,
                    word: None,
                    ..item.clone()
                }),
            }
        }
    }
    let differs = row
        .items
        .iter()
        .filter(shown)
        .any(|item| matches!(item.kind, Kind::Cover | Kind::Swap | Kind::Put));
    if differs { planned } else { Vec::new() }
}

fn item(
    duty: &Duty,
    arranged: &[Arrangement],
    (people, base, place): (&People, &str, &str),
) -> Vec<Item> {
    let kind = Kind::of(duty, arranged);
    let word = match kind {
        Kind::Turn => (duty.instead_of()).map(|owner| format!("for {}", people.name(owner))),
        Kind::Gap | Kind::Off | Kind::Beneath => None,
        Kind::Swap => Some("swap".to_owned()),
        Kind::Put => Some("put on call".to_owned()),
        Kind::Cover => {
            let record = arrangement(duty, arranged);
            let beneath = record.map_or(Vec::new(), |record| record.snapshot.people());
            let names: Vec<&str> = beneath.iter().map(|user| people.name(user)).collect();
            Some(
                format!("covers {}", names.join(" and "))
                    .trim_end()
                    .to_owned(),
            )
        }
    };
    let made = |duty: &Duty| Item {
        who: match (&duty.entry.user, &duty.entry.outside) {
            (Some(user), _) => people.name(user).to_owned(),
            (None, Some(outside)) => outside.clone(),
            (None, None) => "Nobody".to_owned(),
        },
        cell: duty.cell.clone(),
        from: duty.entry.start,
        until: duty.end,
        user: duty.entry.user.clone(),
        kind,
        word: word.clone(),
        place: place.to_owned(),
        turn: duty.turn_since,
        path: format!("{base}/shifts/{}/{}", duty.cell, duty.entry.start),
    };
    match duty.entry.beside.is_empty() {
        true => vec![made(duty)],
        false => duty.clone().each_person().iter().map(made).collect(),
    }
}
