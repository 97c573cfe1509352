//! Replaces a rotation's grid: which lanes, windows and cells are kept, added and removed.

use super::cadence::Cadence;
use super::coverage::Stretch;
use super::handover;
use super::holidays::Calendar;
use super::ids::{CellId, LaneId, RosterId, WindowId};
use super::refusal::{Refusal, invalid};
use super::rotation::{Cell, Entry, Lane, Roster, Rotation, Window};
use super::tiers::TierLimits;
use super::zones::ZoneName;
use jiff::Timestamp;

/// The grid that a rotation is to have.
#[derive(Clone, Debug, PartialEq)]
pub struct GridSpec {
    pub lanes: Vec<LaneSpec>,
    /// `None` keeps the columns as they are.
    pub windows: Option<Vec<WindowSpec>>,
    pub cells: Vec<CellSpec>,
    pub double_cover: bool,
}

/// A row. `id` is an existing id or the caller's own handle for a new one; without it the lane is new as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneSpec {
    pub id: Option<String>,
    pub name: Option<String>,
}

/// A column; `id` as for a lane.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowSpec {
    pub id: Option<String>,
    pub name: Option<String>,
    pub zone: ZoneSpec,
    pub coverage: Vec<Stretch>,
    pub cadence: CadenceSpec,
}

/// The zone of the covered hours as sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoneSpec {
    /// Omitted: an existing window keeps its zone, a new one takes its cadence's.
    Kept,
    /// The empty name of a manual rotation.
    Empty,
    Named(ZoneName),
}

/// The cadence as sent.
#[derive(Clone, Debug, PartialEq)]
pub enum CadenceSpec {
    /// Omitted: the window keeps the one it has.
    Kept,
    Manual,
    Timed(Cadence),
}

/// One lane crossed with one window, by the ids or handles that are in play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellSpec {
    pub id: Option<String>,
    pub lane: String,
    pub window: String,
    pub roster: Option<RosterId>,
}

/// Gives new ids by prefix.
pub type Mint<'a> = dyn FnMut(&str) -> String + 'a;

/// Gives the rotation the grid; kept cells keep their holders, dropped ones are gone from `rotation.cells`, new ones
/// stand empty with the entry of a slot that nobody has held yet. Dealing is the caller's next step.
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
    let (lanes, lane_handles) = lanes(rotation, &spec.lanes, mint)?;
    let (windows, window_handles) = windows(rotation, spec.windows.as_deref(), mint)?;
    let rosters = crossed(spec, &lane_handles, &window_handles)?;
    let mut cells = Vec::new();
    for (window_index, window) in windows.iter().enumerate() {
        for (lane_index, lane) in lanes.iter().enumerate() {
            let kept = kept_cell(rotation, &lane.id, &window.id);
            let sent = &rosters[window_index][lane_index];
            if let Some(sent_id) = &sent.id
                && kept.is_none_or(|cell| cell.id.as_str() != sent_id)
            {
                return invalid(format!(
                    "cells[{}].id: not the id of this lane and window; omit it to keep or create the cell",
                    sent.index
                ));
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
                arranged_until: kept.and_then(|cell| cell.arranged_until),
                entry,
            });
        }
    }

    limits.check_lanes(rotation.lanes.len(), lanes.len())?;

    rotation.rosters = rosters_in_use(rotation, &cells);
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
        // A disabled rotation stands still.
        let as_of = match rotation.enabled {
            true => at,
            false => rotation.stamps.judged_at,
        };
        rotation.windows[index].open = hours.at(calendar, as_of).open;
    }
    rotation.cells = cells;
    for index in (0..new.len()).filter(|&index| new[index]) {
        rotation.cells[index].entry = handover::first_entry(rotation, index, at);
    }
    Ok(())
}

fn kept_cell<'r>(rotation: &'r Rotation, lane: &LaneId, window: &WindowId) -> Option<&'r Cell> {
    rotation.cells.iter().find(|cell| {
        &rotation.lanes[cell.lane].id == lane && &rotation.windows[cell.window].id == window
    })
}

/// The lanes to be, and the name by which cells call each (none for a lane sent without an id).
fn lanes(
    rotation: &Rotation,
    specs: &[LaneSpec],
    mint: &mut Mint,
) -> Result<(Vec<Lane>, Vec<Option<String>>), Refusal> {
    if specs.is_empty() {
        return invalid("lanes: send at least one lane");
    }
    let handles: Vec<_> = specs.iter().map(|spec| spec.id.clone()).collect();
    distinct("lanes", &handles)?;
    let lane = |spec: &LaneSpec| {
        let known = rotation
            .lanes
            .iter()
            .find(|lane| Some(lane.id.as_str()) == spec.id.as_deref());
        let id = known
            .map(|lane| lane.id.clone())
            .unwrap_or_else(|| LaneId::from(mint("lan_")));
        // A rotation with one lane never shows a name.
        let name = spec.name.clone().filter(|_| specs.len() > 1);
        Lane { id, name }
    };
    Ok((specs.iter().map(lane).collect(), handles))
}

fn windows(
    rotation: &Rotation,
    specs: Option<&[WindowSpec]>,
    mint: &mut Mint,
) -> Result<(Vec<Window>, Vec<Option<String>>), Refusal> {
    let Some(specs) = specs else {
        let handles = rotation
            .windows
            .iter()
            .map(|window| Some(window.id.to_string()))
            .collect();
        return Ok((rotation.windows.clone(), handles));
    };
    if specs.is_empty() {
        return invalid(
            "windows: send at least one window, or omit the member to keep those there are",
        );
    }
    let handles: Vec<_> = specs.iter().map(|spec| spec.id.clone()).collect();
    distinct("windows", &handles)?;
    let mut windows = Vec::new();
    for (index, spec) in specs.iter().enumerate() {
        windows.push(window(rotation, index, spec, mint)?);
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
        return invalid(format!(
            "windows[{without}].cadence: missing; all windows of a rotation have a cadence or none has"
        ));
    }
    Ok((windows, handles))
}

fn window(
    rotation: &Rotation,
    index: usize,
    spec: &WindowSpec,
    mint: &mut Mint,
) -> Result<Window, Refusal> {
    let known = rotation
        .windows
        .iter()
        .find(|window| Some(window.id.as_str()) == spec.id.as_deref());
    let cadence = match &spec.cadence {
        CadenceSpec::Kept => known.and_then(|window| window.cadence.clone()),
        CadenceSpec::Manual => None,
        CadenceSpec::Timed(cadence) => Some(cadence.clone()),
    };
    let zone = match (spec.zone, &cadence) {
        (ZoneSpec::Named(_), None) => {
            return invalid(format!(
                "windows[{index}].timeZone: a window without a cadence has no hours; omit it"
            ));
        }
        (_, None) => None,
        (ZoneSpec::Named(zone), Some(_)) => Some(zone),
        (ZoneSpec::Kept, Some(cadence)) => {
            Some(known.and_then(|window| window.zone).unwrap_or(cadence.zone))
        }
        (ZoneSpec::Empty, Some(_)) => {
            return invalid(format!(
                "windows[{index}].timeZone: send a city such as Europe/Paris, or UTC"
            ));
        }
    };
    if cadence.is_none() && !spec.coverage.is_empty() {
        return invalid(format!(
            "windows[{index}].coverage: hours need a cadence; add one or omit the hours"
        ));
    }
    Ok(Window {
        id: known
            .map(|window| window.id.clone())
            .unwrap_or_else(|| WindowId::from(mint("win_"))),
        name: spec.name.clone(),
        zone,
        coverage: spec.coverage.clone(),
        cadence,
        open: known.is_none_or(|window| window.open),
    })
}

fn distinct(member: &str, handles: &[Option<String>]) -> Result<(), Refusal> {
    for (index, handle) in handles.iter().enumerate() {
        if handle.is_some() && handles[..index].contains(handle) {
            return invalid(format!("{member}[{index}].id: named twice"));
        }
    }
    Ok(())
}

/// What was sent for one pair of lane and window.
#[derive(Clone, Debug, Default)]
struct Sent {
    index: usize,
    id: Option<String>,
    roster: Option<RosterId>,
}

/// Window by window, lane by lane: what was sent for the pair. Every pair must be there once; a lane or window sent
/// without an id cannot be named, so its cells come by themselves, on the common roster.
fn crossed(
    spec: &GridSpec,
    lanes: &[Option<String>],
    windows: &[Option<String>],
) -> Result<Vec<Vec<Sent>>, Refusal> {
    let named = |handles: &[Option<String>], name: &str| {
        handles
            .iter()
            .position(|handle| handle.as_deref() == Some(name))
    };
    let mut sent: Vec<Vec<Option<Sent>>> = vec![vec![None; lanes.len()]; windows.len()];
    for (index, cell) in spec.cells.iter().enumerate() {
        let Some(lane) = named(lanes, &cell.lane) else {
            return invalid(format!(
                "cells[{index}].laneId: no lane of this grid has the id `{}`",
                cell.lane
            ));
        };
        let Some(window) = named(windows, &cell.window) else {
            return invalid(format!(
                "cells[{index}].windowId: no window of this grid has the id `{}`",
                cell.window
            ));
        };
        if sent[window][lane].is_some() {
            return invalid(format!(
                "cells[{index}]: this lane and window have a cell already; send each pair once"
            ));
        }
        sent[window][lane] = Some(Sent {
            index,
            id: cell.id.clone(),
            roster: cell.roster.clone(),
        });
    }
    for (window, row) in sent.iter().enumerate() {
        for (lane, cell) in row.iter().enumerate() {
            if let (None, Some(lane), Some(window)) = (cell, &lanes[lane], &windows[window]) {
                return invalid(format!(
                    "cells: the cell of lane `{lane}` and window `{window}` is missing"
                ));
            }
        }
    }
    Ok(sent
        .into_iter()
        .map(|row| row.into_iter().map(Option::unwrap_or_default).collect())
        .collect())
}

/// The common roster, then those that the cells name: kept ones as they are, new ones with all members.
fn rosters_in_use(rotation: &Rotation, cells: &[Cell]) -> Vec<Roster> {
    let mut rosters: Vec<Roster> = Vec::new();
    for id in std::iter::once(None).chain(cells.iter().map(|cell| cell.roster.clone())) {
        if !rosters.iter().any(|roster| roster.id == id) {
            let known = rotation
                .rosters
                .iter()
                .find(|roster| roster.id == id)
                .cloned();
            rosters.push(known.unwrap_or(Roster {
                id,
                narrowed: None,
                next_turn: 0,
            }));
        }
    }
    rosters
}
