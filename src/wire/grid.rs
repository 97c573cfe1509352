//! Replaces the grid: lanes, windows and cells (rules.md 2, 4).

use super::body::{
    self, check_name, invalid, nullable, objects, present, present_object, present_objects,
};
use super::cadence::CadenceRequest;
use super::coverage::Stretch;
use crate::domain::grid::{CadenceSpec, CellSpec, GridSpec, LaneSpec, WindowSpec, ZoneSpec};
use crate::domain::ids::RosterId;
use crate::domain::refusal::Refusal;
use crate::domain::zones::ZoneName;
use schemars::JsonSchema;
use serde::Deserialize;

const LANES: usize = 20;
const WINDOWS: usize = 20;
const STRETCHES: usize = 50;

/// The complete grid. Lanes, windows and cells that are left out are deleted, with their duty.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GridRequest {
    /// Rows in dealing order, 1 to 20. The first lane is the primary one.
    #[serde(deserialize_with = "objects")]
    lanes: Vec<LaneRequest>,
    /// Columns, 1 to 20. Omit to keep the existing windows.
    #[serde(default, deserialize_with = "present_objects")]
    #[schemars(with = "Vec<WindowRequest>")]
    windows: Option<Vec<WindowRequest>>,
    /// Every lane crossed with every window, one cell each. Cells of a lane or window without an id are created
    /// automatically.
    #[serde(default, deserialize_with = "objects")]
    cells: Vec<CellRequest>,
    /// Whether one person may hold two slots when the roster is too short. Defaults to false.
    #[serde(default)]
    double_cover: bool,
}

/// A row.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LaneRequest {
    /// An existing id, or a handle of your own for a new lane. Without an id, the lane is new.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    id: Option<String>,
    /// At most 200 characters, without control characters. Omitted or null clears it.
    #[serde(default)]
    name: Option<String>,
}

/// A column.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WindowRequest {
    /// An existing id, or a handle of your own for a new window. Without an id, the window is new.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    id: Option<String>,
    /// At most 200 characters, without control characters. Omitted or null clears it.
    #[serde(default)]
    name: Option<String>,
    /// Zone of the covered hours: a city of the tz database, or `UTC`. If omitted, an existing window keeps its zone and a
    /// new one takes its cadence's. Empty on a manual rotation.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    time_zone: Option<String>,
    /// At most 50 stretches. Empty or omitted means open all week.
    #[serde(default, deserialize_with = "objects")]
    coverage: Vec<Stretch>,
    /// Omit to keep the window's cadence. Either all windows of a rotation have a cadence or none has.
    #[serde(default, deserialize_with = "present_object")]
    #[schemars(with = "CadenceRequest")]
    cadence: Option<CadenceRequest>,
}

/// One lane crossed with one window.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CellRequest {
    /// The id of an existing cell of this lane and window. Omit to keep or create the cell.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    id: Option<String>,
    /// The id or handle of a lane in this grid.
    lane_id: String,
    /// The id or handle of a window in this grid.
    window_id: String,
    /// The roster to deal from, 1 to 64 of `A-Z a-z 0-9 _ -`. Null is the common roster. Required.
    #[serde(deserialize_with = "nullable")]
    #[schemars(required, schema_with = "roster_id_schema")]
    roster_id: Option<String>,
}

/// Reads a grid. The action checks whether it fits the rotation.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse(bytes: &[u8]) -> Result<GridSpec, Refusal> {
    let request: GridRequest = body::parse(bytes)?;
    within("lanes", request.lanes.len(), 1..=LANES)?;
    if let Some(windows) = &request.windows {
        within("windows", windows.len(), 1..=WINDOWS)?;
    }
    within("cells", request.cells.len(), 0..=LANES * WINDOWS)?;
    let windows = request
        .windows
        .map(|windows| windows.into_iter().enumerate().map(window).collect());
    Ok(GridSpec {
        lanes: request
            .lanes
            .into_iter()
            .enumerate()
            .map(lane)
            .collect::<Result<_, _>>()?,
        windows: windows.transpose()?,
        cells: request
            .cells
            .into_iter()
            .enumerate()
            .map(cell)
            .collect::<Result<_, _>>()?,
        double_cover: request.double_cover,
    })
}

fn within(path: &str, count: usize, range: std::ops::RangeInclusive<usize>) -> Result<(), Refusal> {
    if range.contains(&count) {
        return Ok(());
    }
    invalid(format!(
        "{path}: send {} to {}, not {count}",
        range.start(),
        range.end()
    ))
}

fn lane((index, lane): (usize, LaneRequest)) -> Result<LaneSpec, Refusal> {
    check_name(&format!("lanes[{index}].name"), lane.name.as_deref())?;
    Ok(LaneSpec {
        id: lane.id,
        name: lane.name,
    })
}

fn window((index, window): (usize, WindowRequest)) -> Result<WindowSpec, Refusal> {
    let path = format!("windows[{index}]");
    check_name(&format!("{path}.name"), window.name.as_deref())?;
    within(
        &format!("{path}.coverage"),
        window.coverage.len(),
        0..=STRETCHES,
    )?;
    let zone = match window.time_zone.as_deref() {
        None => ZoneSpec::Kept,
        Some("") => ZoneSpec::Empty,
        Some(name) => match ZoneName::parse(name) {
            Ok(zone) => ZoneSpec::Named(zone),
            Err(refusal) => return invalid(format!("{path}.timeZone: {refusal}")),
        },
    };
    let cadence = match window.cadence {
        None => CadenceSpec::Kept,
        Some(cadence) => match cadence.read(&format!("{path}.cadence"))? {
            None => CadenceSpec::Manual,
            Some(cadence) => CadenceSpec::Timed(cadence),
        },
    };
    let coverage = window.coverage.into_iter().map(Into::into).collect();
    Ok(WindowSpec {
        id: window.id,
        name: window.name,
        zone,
        coverage,
        cadence,
    })
}

fn cell((index, cell): (usize, CellRequest)) -> Result<CellSpec, Refusal> {
    let roster = match cell.roster_id {
        Some(id) if !is_roster_id(&id) => {
            return invalid(format!(
                "cells[{index}].rosterId: send 1 to 64 of A-Z a-z 0-9 _ -, or null for the common roster"
            ));
        }
        id => id.map(RosterId::from),
    };
    Ok(CellSpec {
        id: cell.id,
        lane: cell.lane_id,
        window: cell.window_id,
        roster,
    })
}

fn roster_id_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": ["string", "null"], "pattern": "^[A-Za-z0-9_-]{1,64}$" })
}

fn is_roster_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&id.len()) && id.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn grid() -> Value {
        json!({
            "lanes": [{ "id": "a" }],
            "windows": [{ "id": "w", "timeZone": "Europe/Oslo", "cadence": {
                "type": "daily", "timeZone": "Europe/Oslo", "startsAt": "2026-11-23T09:00", "times": ["09:00"],
            } }],
            "cells": [{ "laneId": "a", "windowId": "w", "rosterId": null }],
        })
    }

    /// Reads the grid after changing the member at a JSON pointer; `"absent"` removes it.
    fn read(pointer: &str, value: Value) -> Result<GridSpec, String> {
        let mut grid = grid();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = grid.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        match value {
            Value::String(text) if text == "absent" => parent.remove(name),
            value => parent.insert(name.to_owned(), value),
        };
        parse(grid.to_string().as_bytes()).map_err(|refusal| match refusal {
            Refusal::Invalid(detail) => detail,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn refusals_name_the_wrong_member() {
        let stretch = json!({ "startDay": "monday", "startTime": "08:00", "endDay": "monday", "endTime": "24:00" });
        let long = "x".repeat(65);
        for (pointer, value, path) in [
            ("/lanes", json!("absent"), "lanes: missing"),
            ("/lanes", json!([]), "lanes: send 1 to 20, not 0"),
            (
                "/lanes",
                json!(vec![json!({}); 21]),
                "lanes: send 1 to 20, not 21",
            ),
            ("/lanes", json!([{ "id": null }]), "lanes[0].id"),
            ("/lanes/0/name", json!(5), "lanes[0].name"),
            ("/lanes/0/name", json!("a\u{0}"), "lanes[0].name: "),
            (
                "/lanes/0/name",
                json!("x".repeat(201)),
                "lanes[0].name: send at most 200 characters",
            ),
            ("/windows/0/name", json!("a\nb"), "windows[0].name: "),
            (
                "/windows/0/name",
                json!("x".repeat(201)),
                "windows[0].name: ",
            ),
            ("/lanes", json!([["a", null]]), "lanes[0]: send an object"),
            (
                "/windows/0/cadence",
                json!([]),
                "windows[0].cadence: send an object",
            ),
            ("/windows", json!([]), "windows: send 1 to 20"),
            ("/windows", json!(null), "windows: send a list"),
            (
                "/windows/0/timeZone",
                json!("EST"),
                "windows[0].timeZone: `EST`",
            ),
            (
                "/windows/0/coverage",
                json!([stretch]),
                "windows[0].coverage[0].endTime",
            ),
            ("/windows/0/coverage", json!(null), "windows[0].coverage"),
            (
                "/windows/0/cadence/period",
                json!(0),
                "windows[0].cadence.period",
            ),
            (
                "/windows/0/cadence/period",
                json!(1.5),
                "windows[0].cadence.period",
            ),
            (
                "/windows/0/cadence/times",
                json!(["9"]),
                "windows[0].cadence.times[0]",
            ),
            (
                "/windows/0/cadence/timeZone",
                json!("utc"),
                "windows[0].cadence.timeZone",
            ),
            (
                "/cells/0/rosterId",
                json!("absent"),
                "cells[0].rosterId: missing",
            ),
            ("/cells/0/rosterId", json!(""), "cells[0].rosterId"),
            ("/cells/0/rosterId", json!("a b"), "cells[0].rosterId"),
            ("/cells/0/rosterId", json!(long), "cells[0].rosterId"),
            ("/cells/0/rosterId", json!(7), "cells[0].rosterId"),
            (
                "/cells/0/laneId",
                json!("absent"),
                "cells[0].laneId: missing",
            ),
            ("/doubleCover", json!("yes"), "doubleCover"),
        ] {
            let detail = read(pointer, value.clone()).expect_err("a refusal");
            assert!(detail.starts_with(path), "{pointer} {value}: {detail}");
        }
    }

    #[test]
    fn omitted_members_are_kept() {
        let window =
            |pointer: &str, value| read(pointer, value).unwrap().windows.unwrap().remove(0);
        assert_eq!(
            window("/windows/0/cadence", json!("absent")).cadence,
            CadenceSpec::Kept
        );
        assert_eq!(
            window("/windows/0/cadence", json!({ "type": "manual" })).cadence,
            CadenceSpec::Manual
        );
        assert_eq!(
            window("/windows/0/timeZone", json!("absent")).zone,
            ZoneSpec::Kept
        );
        assert_eq!(
            window("/windows/0/timeZone", json!("")).zone,
            ZoneSpec::Empty
        );
        assert_eq!(window("/windows/0/name", json!(null)).name, None);
        let name = "å".repeat(200);
        assert_eq!(
            window("/windows/0/name", json!(name.clone())).name,
            Some(name)
        );
        assert_eq!(read("/windows", json!("absent")).unwrap().windows, None);
        assert_eq!(
            read("/cells/0/rosterId", json!("day")).unwrap().cells[0].roster,
            Some("day".into())
        );
    }
}
