//! Replaces a rotation's grid: which lanes, windows and cells are kept, added and removed.

mod names;
mod rosters;
mod spec;

use super::fault::Fault;
use super::handover;
use super::holidays::Calendar;
use super::ids::{CellId, LaneId, RosterId, WindowId};
use super::refusal::{Refusal, invalid};
use super::rotation::{Cell, Entry, HoursHeld, Lane, Rotation, Window};
use super::tiers::TierLimits;
use jiff::Timestamp;
use names::LaneOrWindow;
pub use names::{HandleSpec, KeySpec};
pub use rosters::{RosterSpec, TurnSpec, TurnsSpec, write_one};
pub use spec::{CadenceSpec, CellSpec, GridSpec, LANES, LaneSpec, WindowSpec, ZoneSpec};
use std::sync::Arc;

/// Gives new ids by prefix.
pub type Mint<'a> = dyn FnMut(&str) -> String + 'a;

/// Gives the rotation the grid; kept cells keep their holders, dropped ones are gone from `rotation.cells`, new ones
/// stand empty with the entry of a slot that nobody has held yet. Rosters are written and their next turns set. Dealing is
/// the caller's next step.
///
/// Refuses with the path of the member that does not fit; then `rotation` is as it was.
pub fn replace(
    rotation: &mut Rotation,
    spec: &GridSpec,
    limits: &TierLimits,
    calendar: &Calendar,
    at: Timestamp,
    mint: &mut Mint,
) -> Result<(), Refusal> {
    let (lanes, lanes_named) = lanes(rotation, &spec.lanes, mint)?;
    let (windows, windows_named) = windows(rotation, spec.windows.as_deref(), mint)?;
    let sent_cells = crossed(spec, &lanes_named, &windows_named)?;
    let mut cells = Vec::new();
    for (window_index, window) in windows.iter().enumerate() {
        for (lane_index, lane) in lanes.iter().enumerate() {
            let kept = kept_cell(rotation, &lane.id, &window.id);
            let sent = &sent_cells[window_index][lane_index];
            if let Some(sent_id) = &sent.id
                && kept.is_none_or(|cell| cell.id.as_str() != sent_id)
            {
                return invalid(
                    format!("cells[{}].id", sent.index),
                    "not the id of this lane and window; omit it to keep or create the cell",
                );
            }
            let entry = kept
                .map(|cell| cell.entry.clone())
                .unwrap_or_else(|| Entry::never_held(at));
            cells.push(Cell {
                id: kept
                    .map(|cell| cell.id.clone())
                    .unwrap_or_else(|| CellId::from(mint("cel_"))),
                lane: lane_index,
                window: window_index,
                roster: sent.roster.clone(),
                stopped: !limits.runs_lane(lane_index),
                holder: kept
                    .and_then(|cell| cell.holder.clone())
                    .filter(|_| limits.runs_lane(lane_index)),
                passed_over: kept
                    .filter(|_| limits.runs_lane(lane_index))
                    .map_or_else(Vec::new, |cell| cell.passed_over.clone()),
                arranged_until: kept.and_then(|cell| cell.arranged_until),
                announced: kept.and_then(|cell| cell.announced.clone()),
                entry,
            });
        }
    }

    limits.check_lanes(rotation.lanes.len(), lanes.len())?;

    let before = rotation.clone();
    rotation.rosters = rosters::in_use(rotation, &cells);
    rotation.lanes = lanes;
    let windows_before = std::mem::replace(&mut rotation.windows, windows);
    rotation.double_cover = spec.double_cover;
    let new: Vec<bool> = cells
        .iter()
        .map(|cell| !rotation.cells.iter().any(|old| old.id == cell.id))
        .collect();
    for index in 0..rotation.windows.len() {
        if windows_before
            .iter()
            .any(|old| old.id == rotation.windows[index].id)
        {
            continue;
        }
        let hours = rotation.hours(&rotation.windows[index]);
        // In a disabled rotation, which stands still, a new window is as it would have been when it was disabled.
        let as_of = match rotation.enabled {
            true => at,
            false => rotation.stamps.judged_at,
        };
        rotation.windows[index].open = hours.at(calendar, as_of).open;
    }
    rotation.cells = cells;
    for index in (0..new.len()).filter(|&index| new[index]) {
        let mut entry = handover::first_entry(rotation, index, at);
        let window = &rotation.windows[rotation.cells[index].window].id;
        if let Some(hours) = frozen_hours(&before, window) {
            entry.hours = hours;
        }
        rotation.cells[index].entry = entry;
    }
    let written = rosters::write(&before, rotation, &spec.rosters, &windows_named);
    if written.is_err() {
        *rotation = before;
    }
    written
}

/// The hours under which a window of a disabled rotation is frozen, whatever was edited since: those of its entries.
fn frozen_hours(rotation: &Rotation, window: &WindowId) -> Option<Arc<HoursHeld>> {
    let mut cells = rotation.cells.iter().filter(|_| !rotation.enabled);
    let cell = cells.find(|cell| &rotation.windows[cell.window].id == window && !cell.stopped)?;
    Some(Arc::clone(&cell.entry.hours))
}

fn kept_cell<'r>(rotation: &'r Rotation, lane: &LaneId, window: &WindowId) -> Option<&'r Cell> {
    rotation.cells.iter().find(|cell| {
        &rotation.lanes[cell.lane].id == lane && &rotation.windows[cell.window].id == window
    })
}

/// The lanes to be, and how cells call each.
fn lanes(
    rotation: &Rotation,
    specs: &[LaneSpec],
    mint: &mut Mint,
) -> Result<(Vec<Lane>, Vec<LaneOrWindow>), Refusal> {
    if specs.is_empty() {
        return invalid("lanes", "send at least one lane");
    }
    let existing = rotation.lanes.iter();
    let existing: Vec<_> = existing
        .map(|lane| (lane.id.as_str(), lane.key.as_ref()))
        .collect();
    let handles: Vec<_> = specs.iter().map(|spec| &spec.handle).collect();
    let named = names::resolve(["lanes", "lane"], &existing, &handles)?;
    let mut lane = |(spec, named): (&LaneSpec, &LaneOrWindow)| {
        let known = named.known.map(|known| &rotation.lanes[known]);
        let kept = || known.and_then(|lane| lane.name.clone());
        Lane {
            id: known
                .map(|lane| lane.id.clone())
                .unwrap_or_else(|| LaneId::from(mint("lan_"))),
            key: named.key.clone(),
            name: spec.name.clone().unwrap_or_else(kept),
        }
    };
    Ok((specs.iter().zip(&named).map(&mut lane).collect(), named))
}

fn windows(
    rotation: &Rotation,
    specs: Option<&[WindowSpec]>,
    mint: &mut Mint,
) -> Result<(Vec<Window>, Vec<LaneOrWindow>), Refusal> {
    let Some(specs) = specs else {
        let windows = rotation.windows.iter().enumerate();
        let named = windows.map(|(index, window)| {
            LaneOrWindow::kept(index, window.id.as_str(), window.key.as_ref())
        });
        return Ok((rotation.windows.clone(), named.collect()));
    };
    if specs.is_empty() {
        return invalid(
            "windows",
            "send at least one window, or omit the member to keep those there are",
        );
    }
    let existing = rotation.windows.iter();
    let existing: Vec<_> = existing
        .map(|window| (window.id.as_str(), window.key.as_ref()))
        .collect();
    let handles: Vec<_> = specs.iter().map(|spec| &spec.handle).collect();
    let named = names::resolve(["windows", "window"], &existing, &handles)?;
    let mut windows = Vec::new();
    for (index, (spec, named)) in specs.iter().zip(&named).enumerate() {
        windows.push(window(rotation, index, (spec, named), mint)?);
    }
    let timed = windows
        .iter()
        .filter(|window| window.cadence.is_some())
        .count();
    if timed != 0 && timed != windows.len() {
        let without = windows
            .iter()
            .position(|window| window.cadence.is_none())
            .unwrap_or_default();
        return invalid(
            format!("windows[{without}].cadence"),
            Fault::Missing("all windows of a rotation have a cadence or none has".into()),
        );
    }
    Ok((windows, named))
}

fn window(
    rotation: &Rotation,
    index: usize,
    (spec, named): (&WindowSpec, &LaneOrWindow),
    mint: &mut Mint,
) -> Result<Window, Refusal> {
    let known = named.known.map(|known| &rotation.windows[known]);
    let cadence = match &spec.cadence {
        CadenceSpec::Kept => known.and_then(|window| window.cadence.clone()),
        CadenceSpec::Manual => None,
        CadenceSpec::Timed(cadence) => Some(cadence.clone()),
    };
    let zone = match (spec.zone, &cadence) {
        (ZoneSpec::Named(_), None) => {
            return invalid(
                format!("windows[{index}].timeZone"),
                "a window without a cadence has no hours; omit it",
            );
        }
        (_, None) => None,
        (ZoneSpec::Named(zone), Some(_)) => Some(zone),
        (ZoneSpec::Kept, Some(cadence)) => {
            Some(known.and_then(|window| window.zone).unwrap_or(cadence.zone))
        }
        (ZoneSpec::Empty, Some(_)) => {
            return invalid(
                format!("windows[{index}].timeZone"),
                "send a city such as Europe/Paris, or UTC",
            );
        }
    };
    if cadence.is_none() && !spec.coverage.is_empty() {
        return invalid(
            format!("windows[{index}].coverage"),
            "hours need a cadence; add one or omit the hours",
        );
    }
    Ok(Window {
        id: known
            .map(|window| window.id.clone())
            .unwrap_or_else(|| WindowId::from(mint("win_"))),
        key: named.key.clone(),
        name: spec.name.clone(),
        zone,
        coverage: spec.coverage.clone(),
        cadence,
        open: known.is_none_or(|window| window.open),
    })
}

/// The settings sent for one pair of lane and window.
#[derive(Clone, Debug, Default)]
struct PairSpec {
    index: usize,
    id: Option<String>,
    roster: Option<RosterId>,
}

/// Window by window, lane by lane: what was sent for the pair. Every pair must be there once; a lane or window sent
/// without an id or key cannot be named, so its cells come by themselves, on the common roster.
fn crossed(
    spec: &GridSpec,
    lanes: &[LaneOrWindow],
    windows: &[LaneOrWindow],
) -> Result<Vec<Vec<PairSpec>>, Refusal> {
    let named =
        |all: &[LaneOrWindow], name: &str| all.iter().position(|named| named.is_called(name));
    let mut sent: Vec<Vec<Option<PairSpec>>> = vec![vec![None; lanes.len()]; windows.len()];
    for (index, cell) in spec.cells.iter().enumerate() {
        let Some(lane) = named(lanes, &cell.lane) else {
            return invalid(
                format!("cells[{index}].laneId"),
                format!("no lane of this grid has the id or key `{}`", cell.lane),
            );
        };
        let Some(window) = named(windows, &cell.window) else {
            return invalid(
                format!("cells[{index}].windowId"),
                format!("no window of this grid has the id or key `{}`", cell.window),
            );
        };
        if sent[window][lane].is_some() {
            return invalid(
                format!("cells[{index}]"),
                "this lane and window have a cell already; send each pair once",
            );
        }
        sent[window][lane] = Some(PairSpec {
            index,
            id: cell.id.clone(),
            roster: cell.roster.clone(),
        });
    }
    for (window, row) in sent.iter().enumerate() {
        for (lane, cell) in row.iter().enumerate() {
            if let (None, Some(lane), Some(window)) =
                (cell, lanes[lane].name(), windows[window].name())
            {
                return invalid(
                    "cells",
                    format!("the cell of lane `{lane}` and window `{window}` is missing"),
                );
            }
        }
    }
    Ok(sent
        .into_iter()
        .map(|row| row.into_iter().map(Option::unwrap_or_default).collect())
        .collect())
}
