//! The grid as a caller writes it, and its limits.

use super::names::HandleSpec;
use super::rosters::RosterSpec;
use crate::domain::cadence::Cadence;
use crate::domain::coverage::Stretch;
use crate::domain::ids::{RosterId, UserId};
use crate::domain::key::is_plain;
use crate::domain::limits::{check_count, check_name};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::{Cell, Lane, Rotation, Window};
use crate::domain::zones::ZoneName;

/// The most lanes of a rotation.
pub const LANES: u32 = 20;
const WINDOWS: usize = 20;
const CELLS: usize = LANES as usize * WINDOWS;
/// The most stretches of covered hours of a window.
const STRETCHES: usize = 50;

/// The grid that a rotation is to have.
#[derive(Clone, Debug, PartialEq)]
pub struct GridSpec {
    pub lanes: Vec<LaneSpec>,
    /// `None` keeps the columns as they are.
    pub windows: Option<Vec<WindowSpec>>,
    pub cells: Vec<CellSpec>,
    pub double_cover: bool,
    /// Lists and next turns of the rosters that the cells name, each at most once; `None` is the common one.
    pub rosters: Vec<(Option<RosterId>, RosterSpec)>,
}

impl GridSpec {
    /// The grid that a rotation has.
    pub fn of(rotation: &Rotation) -> GridSpec {
        let (lanes, windows) = (&rotation.lanes, &rotation.windows);
        let cell = |cell: &Cell| CellSpec {
            id: Some(cell.id.to_string()),
            lane: lanes[cell.lane].id.to_string(),
            window: windows[cell.window].id.to_string(),
            roster: cell.roster.clone(),
        };
        let lane = |lane: &Lane| LaneSpec {
            handle: HandleSpec::id(lane.id.as_str()),
            name: Some(lane.name.clone()),
        };
        GridSpec {
            lanes: lanes.iter().map(lane).collect(),
            windows: Some(windows.iter().map(WindowSpec::of).collect()),
            cells: rotation.cells.iter().map(cell).collect(),
            double_cover: rotation.double_cover,
            rosters: Vec::new(),
        }
    }

    /// The grid, if it keeps the limits. Whether it fits a rotation is checked when it is written.
    pub fn checked(self) -> Result<GridSpec, Refusal> {
        check_count("lanes", self.lanes.len(), 1..=LANES as usize)?;
        if let Some(windows) = &self.windows {
            check_count("windows", windows.len(), 1..=WINDOWS)?;
        }
        check_count("cells", self.cells.len(), 0..=CELLS)?;
        check_count("rosters", self.rosters.len(), 0..=CELLS + 1)?;
        for (index, lane) in self.lanes.iter().enumerate() {
            let path = format!("lanes[{index}]");
            let name = lane.name.as_ref().and_then(Option::as_deref);
            check_name(&format!("{path}.name"), name)?;
            lane.handle.check(&path)?;
        }
        for (index, window) in self.windows.iter().flatten().enumerate() {
            let path = format!("windows[{index}]");
            check_name(&format!("{path}.name"), window.name.as_deref())?;
            let stretches = format!("{path}.coverage");
            check_count(&stretches, window.coverage.len(), 0..=STRETCHES)?;
            window.handle.check(&path)?;
        }
        let cells = self.cells.iter().map(|cell| &cell.roster).enumerate();
        for (index, roster) in cells {
            check_roster_id(&format!("cells[{index}].rosterId"), roster.as_ref())?;
        }
        for (index, (id, spec)) in self.rosters.iter().enumerate() {
            let path = format!("rosters[{index}].");
            check_roster_id(&format!("{path}rosterId"), id.as_ref())?;
            spec.check(&path)?;
        }
        Ok(self)
    }

    /// The people that its rosters name.
    pub fn people(&self) -> impl Iterator<Item = &UserId> {
        self.rosters.iter().flat_map(|(_, spec)| spec.people())
    }
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneSpec {
    pub handle: HandleSpec,
    /// Omitted (`None`), an existing lane keeps its name; `Some(None)` clears it.
    pub name: Option<Option<String>>,
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowSpec {
    pub handle: HandleSpec,
    pub name: Option<String>,
    pub zone: ZoneSpec,
    pub coverage: Vec<Stretch>,
    pub cadence: CadenceSpec,
}

impl WindowSpec {
    /// A window as it is.
    pub fn of(window: &Window) -> WindowSpec {
        let cadence = window.cadence.clone();
        WindowSpec {
            handle: HandleSpec::id(window.id.as_str()),
            name: window.name.clone(),
            zone: window.zone.map_or(ZoneSpec::Empty, ZoneSpec::Named),
            coverage: window.coverage.clone(),
            cadence: cadence.map_or(CadenceSpec::Manual, CadenceSpec::Timed),
        }
    }
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

impl ZoneSpec {
    /// The zone of a name as sent; an empty one is that of a manual rotation.
    pub fn named(path: &str, name: &str) -> Result<ZoneSpec, Refusal> {
        match (name, ZoneName::parse(name)) {
            ("", _) => Ok(ZoneSpec::Empty),
            (_, Ok(zone)) => Ok(ZoneSpec::Named(zone)),
            (_, Err(refusal)) => invalid(path, format!("{refusal}")),
        }
    }
}

/// The cadence as sent.
#[derive(Clone, Debug, PartialEq)]
pub enum CadenceSpec {
    /// Omitted: the window keeps the one it has.
    Kept,
    Manual,
    Timed(Cadence),
}

/// One lane crossed with one window, by their ids or keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellSpec {
    pub id: Option<String>,
    pub lane: String,
    pub window: String,
    pub roster: Option<RosterId>,
}

fn check_roster_id(path: &str, id: Option<&RosterId>) -> Result<(), Refusal> {
    match id {
        Some(id) if !is_plain(id.as_str()) => invalid(
            path,
            "send 1 to 64 of A-Z a-z 0-9 _ -, or null for the common roster",
        ),
        _ => Ok(()),
    }
}
