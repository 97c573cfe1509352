//! Lanes, windows, cells and rosters of a rotation in a file.

use super::cadence;
use super::fault::advice;
use super::reader::{Named, Reader};
use super::tree::Content;
use crate::domain::time::HhMm;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The whole grid.
#[derive(Clone, Debug)]
pub struct Grid {
    pub lanes: Vec<Lane>,
    pub windows: Vec<Window>,
    /// Rosters by lane and window; the others deal from the common one.
    pub cells: BTreeMap<(String, String), Named>,
}

#[derive(Clone, Debug)]
pub struct Lane {
    pub key: Named,
    pub name: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Window {
    pub key: Named,
    pub name: Option<String>,
    /// Empty where hand-overs are manual.
    pub time_zone: String,
    /// As the API takes it.
    pub coverage: Vec<Value>,
    /// As the API takes it.
    pub cadence: Value,
}

/// A roster of a file.
#[derive(Clone, Debug)]
pub struct Roster {
    pub line: usize,
    /// `None` is the common roster.
    pub key: Option<Named>,
    pub members: Option<Vec<Named>>,
    pub groups: Option<Vec<Named>>,
    pub next_turn: Option<i64>,
    /// By the keys of windows.
    pub next_turns: Vec<(Named, i64)>,
}

/// Reads the grid, where a part of it is there.
pub fn read(rotation: &Reader) -> Option<Grid> {
    let has = |name| rotation.has(name);
    // Each is asked, so that each is known.
    if [has("lane"), has("window"), has("cells")] == [false; 3] {
        return None;
    }
    let lanes = rotation.tables("lane").unwrap_or_default();
    let windows = rotation.tables("window").unwrap_or_default();
    for (name, count) in [("lane", lanes.len()), ("window", windows.len())] {
        if count == 0 {
            let what = format!(
                "missing; lanes, windows and cells are the whole grid: write a [[rotation.{name}]] with a key"
            );
            rotation.fault(name, what);
        }
    }
    let lanes = lanes.into_iter().filter_map(|table| {
        let (key, name) = (table.needed("key"), table.clearable("name"));
        table.end();
        Some(Lane {
            key: key?,
            name: name.flatten().map(|named| named.text),
        })
    });
    let (lanes, windows): (Vec<Lane>, Vec<Window>) = (
        lanes.collect(),
        windows.into_iter().filter_map(window).collect(),
    );
    Some(Grid {
        cells: cells(rotation),
        lanes,
        windows,
    })
}

fn window(table: Reader) -> Option<Window> {
    let (key, name) = (table.needed("key"), table.clearable("name"));
    let hand_over = table.table("hand_over");
    let manual = hand_over.is_none();
    let zone = match manual {
        false if table.has("time_zone") => cadence::zone(&table, "time_zone"),
        _ => None,
    };
    let stretches = table.names("covered").unwrap_or_default();
    if manual && !table.has("hand_over") {
        let empty = table
            .text("time_zone")
            .is_none_or(|named| named.text.is_empty());
        for (name, is_empty) in [("time_zone", empty), ("covered", stretches.is_empty())] {
            if !is_empty {
                table.fault(
                    name,
                    "hours need hand-overs; write a [rotation.window.hand_over], or leave it out",
                );
            }
        }
    }
    let coverage: Option<Vec<Value>> = stretches
        .into_iter()
        .map(|named| {
            let read = stretch(&named.text);
            if read.is_none() {
                let what = format!(
                    "`{}` is not a stretch; write \"monday 09:00 to friday 17:00\"",
                    named.text
                );
                table
                    .faults
                    .add(named.line, &table.path_of("covered"), what);
            }
            read
        })
        .collect();
    let cadence = match hand_over {
        None => Some(json!({ "type": "manual" })),
        Some(hand_over) => {
            let read = cadence::read(&hand_over, zone);
            hand_over.end();
            read
        }
    };
    table.end();
    let cadence = cadence?;
    let own = cadence["timeZone"].as_str().unwrap_or_default();
    Some(Window {
        key: key?,
        name: name.flatten().map(|named| named.text),
        time_zone: zone.map_or(own, |zone| zone.as_str()).to_owned(),
        coverage: coverage?,
        cadence,
    })
}

/// Reads `monday 09:00 to friday 17:00`.
fn stretch(text: &str) -> Option<Value> {
    let days = cadence::weekdays();
    match text.split_whitespace().collect::<Vec<_>>().as_slice() {
        [from, start, "to", until, end]
            if days.contains(from)
                && days.contains(until)
                && HhMm::parse(start).is_some()
                && HhMm::parse(end).is_some() =>
        {
            Some(json!({ "startDay": from, "startTime": start, "endDay": until, "endTime": end }))
        }
        _ => None,
    }
}

/// Writes the API's stretch as [`stretch`] reads it.
pub fn stretch_text(stretch: &Value) -> String {
    let part = |name: &str| stretch[name].as_str().unwrap_or_default();
    format!(
        "{} {} to {} {}",
        part("startDay"),
        part("startTime"),
        part("endDay"),
        part("endTime")
    )
}

fn cells(rotation: &Reader) -> BTreeMap<(String, String), Named> {
    let mut cells = BTreeMap::new();
    let Some(table) = rotation.table("cells") else {
        return cells;
    };
    for (name, node) in table.every() {
        let Some((lane, window)) = name.split_once('/') else {
            table.fault(
                name,
                "write \"lane/window\" with the keys of a lane and a window",
            );
            continue;
        };
        match &node.value {
            Content::Text(text) if !text.is_empty() => {
                let roster = Named {
                    text: text.clone(),
                    line: node.line,
                };
                cells.insert((lane.to_owned(), window.to_owned()), roster);
            }
            Content::Text(_) | Content::Null => {}
            other => table.fault(
                name,
                format!("write the key of a roster, not {}", other.kind()),
            ),
        }
    }
    cells
}

/// Reads rosters.
pub fn rosters(tables: Vec<Reader>) -> Vec<Roster> {
    let roster = |table: Reader| {
        let mut next_turns = Vec::new();
        if let Some(turns) = table.table("next_turns") {
            for (window, node) in turns.every() {
                match node.value {
                    Content::Whole(turn) => next_turns.push((
                        Named {
                            text: window.clone(),
                            line: node.line,
                        },
                        turn,
                    )),
                    _ => turns.fault(window, "write a whole number"),
                }
            }
        }
        let roster = Roster {
            line: table.line,
            key: table.text("key"),
            members: table.names("members"),
            groups: table.names("groups"),
            next_turn: table.whole("next_turn"),
            next_turns,
        };
        for name in ["members", "groups"] {
            if roster.key.is_none() && table.has(name) {
                table.fault(name, "a roster without a key is the common one, whose people are the rotation's; write a key");
            }
        }
        table.end();
        roster
    };
    tables.into_iter().map(roster).collect()
}

/// Looks whether lanes, windows, cells and rosters name one another, each once.
pub fn check(rotation: &Reader, grid: Option<&Grid>, rosters: Option<&[Roster]>) {
    let faults = rotation.faults;
    let once = |member: &str, keys: Vec<&Named>| {
        for (at, key) in keys.iter().enumerate() {
            if let Some(first) = keys[..at].iter().find(|known| known.text == key.text) {
                let what = format!("`{}` stands on line {} already", key.text, first.line);
                faults.add(key.line, &rotation.path_of(member), what);
            }
        }
    };
    let rosters = rosters.unwrap_or_default();
    once(
        "roster.key",
        rosters
            .iter()
            .filter_map(|roster| roster.key.as_ref())
            .collect(),
    );
    let commons: Vec<&Roster> = rosters
        .iter()
        .filter(|roster| roster.key.is_none())
        .collect();
    if let [first, second, ..] = commons.as_slice() {
        let what = format!(
            "missing; the common roster, which has none, stands on line {} already",
            first.line
        );
        faults.add(second.line, &rotation.path_of("roster.key"), what);
    }
    let Some(grid) = grid else {
        return;
    };
    once(
        "lane.key",
        grid.lanes.iter().map(|lane| &lane.key).collect(),
    );
    once(
        "window.key",
        grid.windows.iter().map(|window| &window.key).collect(),
    );
    let lanes: Vec<&str> = grid
        .lanes
        .iter()
        .map(|lane| lane.key.text.as_str())
        .collect();
    let windows: Vec<&str> = grid
        .windows
        .iter()
        .map(|window| window.key.text.as_str())
        .collect();
    for ((lane, window), roster) in &grid.cells {
        for (kind, name, known) in [("lane", lane, &lanes), ("window", window, &windows)] {
            if !known.contains(&name.as_str()) {
                let what = format!("there is no {kind} `{name}`; {}", advice(name, known));
                faults.add(
                    roster.line,
                    &rotation.path_of(&format!("cells.{lane}/{window}")),
                    what,
                );
            }
        }
    }
    let named: Vec<&str> = grid
        .cells
        .values()
        .map(|named| named.text.as_str())
        .collect();
    for roster in rosters {
        if let Some(key) = &roster.key
            && !named.contains(&key.text.as_str())
        {
            let what = format!(
                "no cell deals from `{}`; {}",
                key.text,
                advice(&key.text, &named)
            );
            faults.add(key.line, &rotation.path_of("roster.key"), what);
        }
        for (window, _) in &roster.next_turns {
            if !windows.contains(&window.text.as_str()) {
                let what = format!(
                    "there is no window `{}`; {}",
                    window.text,
                    advice(&window.text, &windows)
                );
                faults.add(window.line, &rotation.path_of("roster.next_turns"), what);
            }
        }
    }
}
