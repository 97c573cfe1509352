//! Writes what a rotation has several of: only the rows that differ.

use super::super::held_members::release_members;
use super::super::rows::{json, list_or_null, millis};
use super::super::{Result, WriteTx};
use crate::domain::books::Books;
use crate::domain::ids::{GroupId, RotationId, UserId};
use crate::domain::key::Key;
use crate::domain::rotation::{Cell, Members, Roster, Rotation, Window};
use rusqlite::params;
use std::collections::BTreeMap;

pub(super) fn write_lists(
    tx: &mut WriteTx,
    before: Option<&Rotation>,
    after: &Rotation,
) -> Result<()> {
    let id = after.id.as_str();
    let differs =
        |part: fn(&Rotation, &Rotation) -> bool| before.is_none_or(|before| part(before, after));
    if differs(|a, b| a.profile.owners != b.profile.owners) {
        let owners = after.profile.owners.iter().map(UserId::as_str);
        write_names(tx, ["rotation_owner", "user_id"], id, owners)?;
    }
    if differs(|a, b| a.profile.channels != b.profile.channels) {
        clear(
            tx,
            "DELETE FROM rotation_channel WHERE rotation_id = ?1",
            id,
        )?;
        let sql = "INSERT INTO rotation_channel (rotation_id, position, channel_id, posts_messages, syncs_topic)
                   VALUES (?1, ?2, ?3, ?4, ?5)";
        for (position, channel) in after.profile.channels.iter().enumerate() {
            tx.run(
                sql,
                params![
                    id,
                    position as i64,
                    channel.channel.as_str(),
                    channel.posts_messages,
                    channel.syncs_topic
                ],
            )?;
        }
    }
    if differs(|a, b| a.lanes != b.lanes) {
        clear(tx, "DELETE FROM lane WHERE rotation_id = ?1", id)?;
        let sql =
            "INSERT INTO lane (rotation_id, position, id, name, key) VALUES (?1, ?2, ?3, ?4, ?5)";
        for (position, lane) in after.lanes.iter().enumerate() {
            tx.run(
                sql,
                params![
                    id,
                    position as i64,
                    lane.id.as_str(),
                    lane.name,
                    lane.key.as_ref().map(Key::as_str)
                ],
            )?;
        }
    }
    write_windows(tx, before, after)?;
    write_rosters(tx, before, after)?;
    write_cells(tx, before, after)
}

/// Saves the members as a caller wrote them. Saving a rotation does not include them, because they are read through the
/// directory: that would delete people who are deactivated temporarily.
pub fn save_members(tx: &mut WriteTx, id: &RotationId, members: &MemberLists) -> Result<()> {
    if let Some(users) = &members.users {
        let users = users.iter().map(UserId::as_str);
        write_names(tx, ["rotation_person", "user_id"], id.as_str(), users)?;
    }
    if let Some(groups) = &members.groups {
        let groups = groups.iter().map(GroupId::as_str);
        write_names(tx, ["rotation_group", "group_id"], id.as_str(), groups)?;
    }
    // Whoever chooses members chooses among those of now.
    release_members(tx, id)
}

/// Replaces a list of ids that has its own table.
fn write_names<'a>(
    tx: &mut WriteTx,
    [table, column]: [&str; 2],
    id: &str,
    names: impl Iterator<Item = &'a str>,
) -> Result<()> {
    clear(
        tx,
        &format!("DELETE FROM {table} WHERE rotation_id = ?1"),
        id,
    )?;
    let sql = format!("INSERT INTO {table} (rotation_id, position, {column}) VALUES (?1, ?2, ?3)");
    for (position, name) in names.enumerate() {
        tx.run(&sql, params![id, position as i64, name])?;
    }
    Ok(())
}

/// Lists of members to write. `None` keeps a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberLists {
    pub users: Option<Vec<UserId>>,
    pub groups: Option<Vec<GroupId>>,
}

impl MemberLists {
    /// The lists that differ. One that stays the same is not written: that would delete people who are deactivated temporarily.
    pub fn changed(before: &Members, after: &Members) -> MemberLists {
        let ids = |members: &Members| -> Vec<GroupId> {
            members.groups.iter().map(|one| one.group.clone()).collect()
        };
        MemberLists {
            users: (before.users != after.users).then(|| after.users.clone()),
            groups: (ids(before) != ids(after)).then(|| ids(after)),
        }
    }
}

fn write_windows(tx: &mut WriteTx, before: Option<&Rotation>, after: &Rotation) -> Result<()> {
    let id = after.id.as_str();
    let kept = before.filter(|before| before.windows.len() == after.windows.len());
    if kept.is_none() {
        clear(tx, "DELETE FROM coverage_window WHERE rotation_id = ?1", id)?;
    }
    let sql = "INSERT INTO coverage_window (rotation_id, position, id, name, time_zone, coverage, cadence, is_open, key)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
               ON CONFLICT (rotation_id, position) DO UPDATE SET id = excluded.id, name = excluded.name,
                   time_zone = excluded.time_zone, coverage = excluded.coverage, cadence = excluded.cadence,
                   is_open = excluded.is_open, key = excluded.key";
    for (position, window) in after.windows.iter().enumerate() {
        let known = kept.map(|before| &before.windows[position]);
        if known == Some(window) {
            continue;
        }
        if known.is_some_and(|known| differ_in_open(known, window)) {
            let sql =
                "UPDATE coverage_window SET is_open = ?3 WHERE rotation_id = ?1 AND position = ?2";
            let values = params![id, position as i64, window.open];
            tx.run(sql, values)?;
            continue;
        }
        tx.run(
            sql,
            params![
                id,
                position as i64,
                window.id.as_str(),
                window.name,
                window.zone.map(|zone| zone.to_string()),
                json(&window.coverage)?,
                window.cadence.as_ref().map(json).transpose()?,
                window.open,
                window.key.as_ref().map(Key::as_str),
            ],
        )?;
    }
    Ok(())
}

/// Whether two windows are the same but for being open.
fn differ_in_open(a: &Window, b: &Window) -> bool {
    let names = (&a.id, &a.key, &a.name) == (&b.id, &b.key, &b.name);
    names && (a.zone, &a.coverage, &a.cadence) == (b.zone, &b.coverage, &b.cadence)
}

fn write_rosters(tx: &mut WriteTx, before: Option<&Rotation>, after: &Rotation) -> Result<()> {
    let id = after.id.as_str();
    let kept = before.filter(|before| before.rosters.len() == after.rosters.len());
    if kept.is_none() {
        clear(tx, "DELETE FROM roster WHERE rotation_id = ?1", id)?;
    }
    let sql = "INSERT INTO roster (rotation_id, position, id, narrowed, next_turns, books)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)
               ON CONFLICT (rotation_id, position) DO UPDATE SET id = excluded.id, narrowed = excluded.narrowed,
                   next_turns = excluded.next_turns, books = excluded.books";
    for (position, roster) in after.rosters.iter().enumerate() {
        let known = kept.map(|before| &before.rosters[position]);
        if known == Some(roster) {
            continue;
        }
        if known.is_some_and(|known| (&known.id, &known.narrowed) == (&roster.id, &roster.narrowed))
        {
            let sql = "UPDATE roster SET next_turns = ?3, books = ?4 WHERE rotation_id = ?1 AND position = ?2";
            let values = params![id, position as i64, next_turns(roster)?, books(roster)?];
            tx.run(sql, values)?;
            continue;
        }
        tx.run(
            sql,
            params![
                id,
                position as i64,
                roster.id.as_ref().map_or("", |id| id.as_str()),
                roster.narrowed.as_ref().map(json).transpose()?,
                next_turns(roster)?,
                books(roster)?,
            ],
        )?;
    }
    Ok(())
}

/// By the window's id.
fn next_turns(roster: &Roster) -> Result<String> {
    let turns = roster.next_turns.iter();
    let turns: BTreeMap<_, _> = turns.map(|next| (&next.window, next.turn)).collect();
    json(&turns)
}

/// By the window's id; null where nothing is noted.
fn books(roster: &Roster) -> Result<Option<String>> {
    let lines = roster.next_turns.iter();
    let noted = lines.filter(|line| line.books != Books::default());
    let books: BTreeMap<_, _> = noted.map(|line| (&line.window, &line.books)).collect();
    Some(books)
        .filter(|books| !books.is_empty())
        .as_ref()
        .map(json)
        .transpose()
}

fn write_cells(tx: &mut WriteTx, before: Option<&Rotation>, after: &Rotation) -> Result<()> {
    let id = after.id.as_str();
    let kept = before.filter(|before| before.cells.len() == after.cells.len());
    if kept.is_none() {
        clear(tx, "DELETE FROM cell WHERE rotation_id = ?1", id)?;
    }
    let turn =
        "UPDATE cell SET stopped = ?3, holder_user_id = ?4, holder_since = ?5, holder_skipped = ?6,
                                arranged_until = ?7, passed_over = ?8, announced_user_id = ?9, holder_dealt = ?10
                WHERE rotation_id = ?1 AND position = ?2";
    let all = "INSERT INTO cell (rotation_id, position, stopped, holder_user_id, holder_since, holder_skipped,
                                 arranged_until, passed_over, announced_user_id, holder_dealt, id, lane, window, roster_id)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
               ON CONFLICT (rotation_id, position) DO UPDATE SET id = excluded.id, lane = excluded.lane,
                   window = excluded.window, roster_id = excluded.roster_id, stopped = excluded.stopped,
                   holder_user_id = excluded.holder_user_id, holder_since = excluded.holder_since,
                   holder_skipped = excluded.holder_skipped, arranged_until = excluded.arranged_until,
                   passed_over = excluded.passed_over, announced_user_id = excluded.announced_user_id,
                   holder_dealt = excluded.holder_dealt";
    for (position, cell) in after.cells.iter().enumerate() {
        let known = kept.map(|before| &before.cells[position]);
        if known.is_some_and(|known| same_row(known, cell)) {
            continue;
        }
        let holder = cell.holder.as_ref();
        let skipped = json(&holder.map_or(&[][..], |holder| &holder.skipped))?;
        let passed_over = list_or_null(&cell.passed_over)?;
        let dealt = holder.and_then(|holder| holder.dealt.as_ref());
        let dealt = dealt.map(json).transpose()?;
        let values = params![
            id,
            position as i64,
            cell.stopped,
            holder.map(|holder| holder.user.as_str()),
            holder.map(|holder| millis(holder.since)),
            skipped,
            cell.arranged_until.map(millis),
            passed_over,
            cell.announced.as_ref().map(|user| user.as_str()),
            dealt,
        ];
        if known.is_some_and(|known| same_place(known, cell)) {
            tx.run(turn, values)?;
            continue;
        }
        let place = params![
            cell.id.as_str(),
            cell.lane as i64,
            cell.window as i64,
            cell.roster.as_ref().map(|roster| roster.as_str()),
        ];
        let values = [values, place].concat();
        tx.run(all, values.as_slice())?;
    }
    Ok(())
}

/// Whether two cells differ in their turns at most.
fn same_place(a: &Cell, b: &Cell) -> bool {
    (&a.id, a.lane, a.window, &a.roster) == (&b.id, b.lane, b.window, &b.roster)
}

/// The history entry has its own table.
fn same_row(a: &Cell, b: &Cell) -> bool {
    let turn = a.holder == b.holder && a.passed_over == b.passed_over;
    let shown = (a.stopped, a.arranged_until, &a.announced);
    turn && shown == (b.stopped, b.arranged_until, &b.announced) && same_place(a, b)
}

pub(super) fn clear(tx: &mut WriteTx, sql: &str, id: &str) -> Result<()> {
    tx.run(sql, [id]).map(drop)
}
