//! What happened and what will happen in a range, as one list: the record of the past, the forecast of the rest, each piece with what
//! it is held by.

use super::reads::PlanFilter;
use super::{ActionError, App, reads};
use crate::domain::access::Principal;
use crate::domain::arrangement::{Arrangement, ArrangementKind};
use crate::domain::forecast;
use crate::domain::ids::{CellId, LaneId, RotationId, WindowId};
use crate::domain::rotation::{Entry, Rotation};
use crate::domain::time::Interval;
use crate::store::{self, Page};
use jiff::Timestamp;

/// One piece of the list.
#[derive(Clone, Debug)]
pub struct Item {
    pub cell: CellId,
    pub lane: LaneId,
    pub window: WindowId,
    pub entry: Entry,
    /// `None` where none is known.
    pub end: Option<Timestamp>,
    /// What holds the cell over the dealt turn.
    pub held_by: Option<ArrangementKind>,
    /// Whether the window is open then: where it is and nobody is on call, there is a gap.
    pub is_open: bool,
}

impl Item {
    /// From its beginning to its end, or to the end of time where none is known.
    pub fn period(&self) -> Interval {
        Interval {
            from: self.entry.start,
            until: self.end.unwrap_or(Timestamp::MAX),
        }
    }

    /// Whether it has ended at an instant.
    pub fn is_over(&self, at: Timestamp) -> bool {
        self.end.is_some_and(|end| end <= at)
    }
}

/// Arrangements of one range that are looked at, at the most.
const MOST_ARRANGED: u32 = 1_000;

/// The pieces that touch a range, by start, then lane and window; and the arrangements over it.
pub fn list(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    range: Interval,
) -> Result<(Rotation, Vec<Item>, Vec<Arrangement>), ActionError> {
    let (rotation, planned) = reads::schedule(app, caller, id, range, &PlanFilter::default())?;
    let now = rotation.stamps.judged_at;
    let past = match range.from < now {
        true => reads::history(app, caller, id, range)?,
        false => Vec::new(),
    };
    let page = Page {
        number: 1,
        size: MOST_ARRANGED,
    };
    let (arranged, _) = app
        .store()
        .read(|tx| store::list_arrangements(tx, id, range, page))?;
    let kind = |entry: &Entry| {
        let id = entry.arrangement.as_ref()?;
        let found = arranged.iter().find(|arranged| arranged.id == *id);
        Some(found.map_or(ArrangementKind::DirectAssignment, |found| found.kind))
    };
    let mut items: Vec<Item> = Vec::new();
    for entry in past {
        // What still runs is among what is planned, with its end.
        if entry.end.is_none() {
            continue;
        }
        let from = entry.entry.start;
        if entry
            .end
            .is_some_and(|until| Interval { from, until }.is_momentary())
        {
            continue;
        }
        items.push(Item {
            held_by: kind(&entry.entry),
            is_open: entry.entry.reason != crate::domain::rotation::Reason::BusinessHoursOffline,
            cell: entry.cell,
            lane: entry.lane,
            window: entry.window,
            entry: entry.entry,
            end: entry.end,
        });
    }
    let recorded: std::collections::HashSet<(CellId, Timestamp)> = items
        .iter()
        .map(|item| (item.cell.clone(), item.entry.start))
        .collect();
    for turn in planned {
        let cell = &rotation.cells[turn.cell];
        if recorded.contains(&(cell.id.clone(), turn.entry.start)) {
            continue;
        }
        let window = &rotation.windows[cell.window];
        let first = Interval {
            from: turn.entry.start.max(range.from),
            until: turn.end.unwrap_or(Timestamp::MAX),
        };
        let view = rotation.hours(window).at(app.calendar(), first.from);
        let is_open = match rotation.enabled {
            true => view.open,
            false => window.open,
        };
        items.push(Item {
            held_by: kind(&turn.entry),
            is_open,
            cell: cell.id.clone(),
            lane: rotation.lanes[cell.lane].id.clone(),
            window: window.id.clone(),
            entry: turn.entry,
            end: turn.end,
        });
    }
    let slot = |item: &Item| {
        let index = rotation.slot_of(&item.cell);
        index.unwrap_or(usize::MAX)
    };
    items.sort_by_key(|item| (item.entry.start, slot(item)));
    Ok((rotation, items, arranged))
}

/// What a piece's slot is called, as it was named at the time.
pub fn slot_of(rotation: &Rotation, item: &Item) -> Vec<String> {
    match rotation.slot_of(&item.cell) {
        Some(index) => forecast::slot_name(rotation, &rotation.cells[index]),
        None => {
            let names = [&item.entry.lane_name, &item.entry.window_name];
            names.into_iter().flatten().cloned().collect()
        }
    }
}
