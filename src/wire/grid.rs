//! Replaces the grid: lanes, windows and cells (rules.md 2, 4).

use super::body::{self, clearable, nullable, objects, present, present_object, present_objects};
use super::cadence::CadenceRequest;
use super::coverage::Stretch;
use super::int32::Int32;
use super::roster::{self, NextTurnRequest};
use super::rotation::{Cell, Lane, Roster, Rotation, Window};
use super::strict::strict;
use crate::domain::grid::{
    CadenceSpec, CellSpec, GridSpec, HandleSpec, LaneSpec, WindowSpec, ZoneSpec,
};
use crate::domain::ids::RosterId;
use crate::domain::refusal::Refusal;
use schemars::JsonSchema;
use serde::Deserialize;

strict! {
    GridRequest => Rotation,
    LaneRequest => Lane,
    WindowRequest => Window,
    CellRequest => Cell,
    GridRosterRequest => Roster,
}

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
    /// Every lane crossed with every window, one cell each. Cells of a lane or window without an id or key are created
    /// automatically.
    #[serde(default, deserialize_with = "objects")]
    cells: Vec<CellRequest>,
    /// Whether one person may hold two slots when the roster is too short. Defaults to false.
    #[serde(default)]
    double_cover: bool,
    /// Lists and next turns of rosters that the cells name, each at most once, applied before anybody is dealt. Rosters
    /// left out stay as they are.
    #[serde(default, deserialize_with = "objects")]
    rosters: Vec<GridRosterRequest>,
}

/// A row.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LaneRequest {
    /// The id of an existing lane, or a key of your own: a known key names its lane, another one adds a lane that has it.
    /// Without an id, `key` names the lane; without either, the lane is new.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", regex(pattern = "^[A-Za-z0-9_-]{1,64}$"))]
    id: Option<String>,
    /// Sets the key of the lane, null clears it: 1 to 64 of `A-Z a-z 0-9 _ -`, not beginning with `lan_`, `win_`, `cel_`
    /// or `ros_`, unique among the lanes. Omitted keeps it.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(schema_with = "key_schema")]
    key: Option<Option<String>>,
    /// At most 200 characters, without control characters. Omitted keeps the name of an existing lane, null clears it. The
    /// name of the only lane is kept and not shown.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<String>")]
    name: Option<Option<String>>,
}

/// A column.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WindowRequest {
    /// The id of an existing window, or a key of your own: a known key names its window, another one adds a window that has
    /// it. Without an id, `key` names the window; without either, the window is new.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", regex(pattern = "^[A-Za-z0-9_-]{1,64}$"))]
    id: Option<String>,
    /// Sets the key of the window, null clears it: 1 to 64 of `A-Z a-z 0-9 _ -`, not beginning with `lan_`, `win_`, `cel_`
    /// or `ros_`, unique among the windows. Omitted keeps it.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(schema_with = "key_schema")]
    key: Option<Option<String>>,
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
    /// The id or key of a lane in this grid.
    lane_id: String,
    /// The id or key of a window in this grid.
    window_id: String,
    /// The roster to deal from, 1 to 64 of `A-Z a-z 0-9 _ -`. Null is the common roster. Required.
    #[serde(deserialize_with = "nullable")]
    #[schemars(required, schema_with = "roster_id_schema")]
    roster_id: Option<String>,
}

/// A roster that cells of this grid name.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GridRosterRequest {
    /// Null is the common roster, whose list is the members.
    #[serde(deserialize_with = "nullable")]
    #[schemars(required, schema_with = "roster_id_schema")]
    roster_id: Option<String>,
    /// Narrows the roster to these members, in this order; at most 1,000. Omit both lists to keep it as it is; both null, it follows
    /// all members.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<Vec<String>>")]
    user_ids: Option<Option<Vec<String>>>,
    /// Chat user groups, at most 100. Their people follow those listed by id.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<Vec<String>>")]
    user_group_ids: Option<Option<Vec<String>>>,
    /// The position to deal from next. Counts for windows that begin to deal from the roster or get their first cadence in this
    /// write, and for all of its windows if its list changes.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Int32")]
    next_turn: Option<Int32>,
    /// The same for single windows.
    #[serde(default, deserialize_with = "objects")]
    next_turns: Vec<NextTurnRequest>,
}

/// Reads a grid. The action checks whether it fits the rotation.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse(bytes: &[u8]) -> Result<GridSpec, Refusal> {
    spec(body::parse(bytes)?)
}

/// The same of a body that is read already.
///
/// # Errors
/// As [`parse`].
pub(super) fn spec(request: GridRequest) -> Result<GridSpec, Refusal> {
    let windows = request.windows.map(|windows| {
        let windows = windows.into_iter().enumerate().map(window);
        windows.collect::<Result<_, _>>()
    });
    let lanes = request.lanes.into_iter().enumerate().map(lane);
    let cell = |cell: CellRequest| CellSpec {
        id: cell.id,
        lane: cell.lane_id,
        window: cell.window_id,
        roster: cell.roster_id.map(RosterId::from),
    };
    let roster = |(index, roster): (usize, GridRosterRequest)| {
        let spec = roster::spec(
            roster.user_ids,
            roster.user_group_ids,
            roster.next_turn,
            roster.next_turns,
        );
        let spec = spec.map_err(|refusal| refusal.under(&format!("rosters[{index}]")))?;
        Ok((roster.roster_id.map(RosterId::from), spec))
    };
    let rosters = request.rosters.into_iter().enumerate().map(roster);
    let spec = GridSpec {
        lanes: lanes.collect::<Result<_, _>>()?,
        windows: windows.transpose()?,
        cells: request.cells.into_iter().map(cell).collect(),
        double_cover: request.double_cover,
        rosters: rosters.collect::<Result<_, Refusal>>()?,
    };
    spec.checked()
}

fn lane((index, lane): (usize, LaneRequest)) -> Result<LaneSpec, Refusal> {
    Ok(LaneSpec {
        handle: HandleSpec::sent(&format!("lanes[{index}]"), lane.id, lane.key)?,
        name: lane.name,
    })
}

fn window((index, window): (usize, WindowRequest)) -> Result<WindowSpec, Refusal> {
    let path = format!("windows[{index}]");
    let zone = window.time_zone.as_deref();
    let zone = zone.map(|name| ZoneSpec::named(&format!("{path}.timeZone"), name));
    let cadence = match window.cadence {
        None => CadenceSpec::Kept,
        Some(cadence) => match cadence.read(&format!("{path}.cadence"))? {
            None => CadenceSpec::Manual,
            Some(cadence) => CadenceSpec::Timed(cadence),
        },
    };
    Ok(WindowSpec {
        handle: HandleSpec::sent(&path, window.id, window.key)?,
        name: window.name,
        zone: zone.transpose()?.unwrap_or(ZoneSpec::Kept),
        coverage: window.coverage.into_iter().map(Into::into).collect(),
        cadence,
    })
}

fn roster_id_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": ["string", "null"], "pattern": "^[A-Za-z0-9_-]{1,64}$" })
}

fn key_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "type": ["string", "null"],
        "pattern": "^[A-Za-z0-9_-]{1,64}$",
    })
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
        parse(grid.to_string().as_bytes()).map_err(|refusal| crate::tests::detail(&refusal))
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
            ("/lanes/0/id", json!("a b"), "lanes[0].id: send an id"),
            ("/windows/0/id", json!(""), "windows[0].id: send an id"),
            ("/lanes/0/key", json!("lan_1"), "lanes[0].key: send 1 to 64"),
            ("/lanes/0/key", json!("a.b"), "lanes[0].key: send 1 to 64"),
            (
                "/windows/0/key",
                json!(long),
                "windows[0].key: send 1 to 64",
            ),
            ("/windows/0/key", json!(7), "windows[0].key"),
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
