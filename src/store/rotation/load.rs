//! Reads a rotation as a whole.

use super::super::rows::{column, instant, instant_or_none, zone};
use super::super::which::{Which, of_rotations};
use super::super::{
    Error, ReadTx, Result, absence, arrangement, external, history, request, staged,
};
use super::mode_name;
use crate::domain::absence_policy::AbsencePolicy;
use crate::domain::books::{Books, Dealing, EndedTurn};
use crate::domain::ids::{GroupId, RotationId, UserId, WindowId};
use crate::domain::key::Key;
use crate::domain::mention::MentionSettings;
use crate::domain::rotation::{
    Cell, ChannelSetting, GroupMembers, Holder, Lane, Members, Mode, NextTurn, Profile, Roster,
    Rotation, Stamps, Window,
};
use crate::domain::warning_kinds::{WarningKind, WarningSettings};
use crate::domain::weekly::ChannelSummary;
use crate::store::held_members::load_held;
use crate::store::notification::read_summary;
use rusqlite::Row;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;
use std::sync::Arc;

/// A rotation by id with everything in it.
pub fn load_rotation(tx: &ReadTx, id: &RotationId) -> Result<Option<Rotation>> {
    let found = load_rotations(tx, std::slice::from_ref(id))?;
    Ok(found.into_iter().next().flatten())
}

/// Rotations by id with everything in them, in the order of the ids; `None` for each that is not there.
pub fn load_rotations(tx: &ReadTx, ids: &[RotationId]) -> Result<Vec<Option<Rotation>>> {
    let which = Which::of(ids)?;
    let heads = heads(tx, &which)?;
    if heads.iter().all(Vec::is_empty) {
        return Ok(heads.into_iter().map(|_| None).collect());
    }
    let mut entries = history::load_running(tx, &which)?;
    let mut cells = cells(tx, &which, &mut entries)?;
    let (mut lanes, mut windows) = (lanes(tx, &which)?, windows(tx, &which)?);
    let mut rosters = rosters(tx, &which, &windows)?;
    let (mut owners, mut channels) = (owners(tx, &which)?, channels(tx, &which)?);
    let mut members = members(tx, &which)?;
    let mut arranged = arrangement::load_arranged(tx, &which)?;
    let mut pending = request::load_pending(tx, &which)?;
    let mut found = Vec::with_capacity(ids.len());
    for (place, (mut head, id)) in heads.into_iter().zip(ids).enumerate() {
        let Some(head) = head.pop() else {
            found.push(None);
            continue;
        };
        let (lanes, windows) = (take(&mut lanes[place]), take(&mut windows[place]));
        let (rosters, cells) = (take(&mut rosters[place]), take(&mut cells[place]));
        for cell in &cells {
            let roster = rosters.iter().any(|roster| roster.id == cell.roster);
            if cell.lane >= lanes.len() || cell.window >= windows.len() || !roster {
                return Err(Error::Corrupt(format!(
                    "cell {} names what its rotation does not have",
                    cell.id
                )));
            }
        }
        let [created_at, updated_at, judged_at] = head.instants;
        found.push(Some(Rotation {
            id: id.clone(),
            profile: Profile {
                name: head.name,
                description: head.description,
                code: head.code,
                public: head.public,
                owners: take(&mut owners[place]),
                channels: take(&mut channels[place]),
                enable_topic: head.enable_topic,
                topic_template: head.topic_template,
                managed_by: head.managed_by,
                duty_group: head.duty_group.map(Into::into),
                mentions: head.mentions,
                warnings: WarningSettings {
                    off: head.warnings_off,
                    short_rest_hours: head.short_rest_hours,
                },
                summary: head.summary,
            },
            enabled: head.enabled,
            double_cover: head.double_cover,
            skips_are_off_time: head.skips_are_off_time,
            absence_policy: head.absence_policy,
            members: take(&mut members[place]),
            lanes,
            windows,
            cells,
            dealing: head.dealing,
            rosters,
            ended: head.ended,
            external: match head.is_external {
                true => Some(external::load_external(tx, id)?),
                false => None,
            },
            arranged: take(&mut arranged[place]),
            pending: take(&mut pending[place]),
            stamps: Stamps {
                version: head.version,
                created_at: instant(created_at)?,
                updated_at: instant(updated_at)?,
                judged_at: instant(judged_at)?,
                remind_at: instant_or_none(head.remind_at)?,
                copied_at: tx.copied_at(),
            },
            absences: Arc::default(),
            waiting: Vec::new(),
            trace: None,
        }));
    }
    let there: Vec<&Rotation> = found.iter().flatten().collect();
    let absences = absence::load_absences_of(tx, &there)?;
    for (rotation, absences) in found.iter_mut().flatten().zip(absences) {
        rotation.absences = Arc::new(absences);
    }
    let waiting = staged::waiting(tx, &which)?;
    for (rotation, waiting) in found.iter_mut().zip(waiting) {
        if let Some(rotation) = rotation {
            rotation.waiting = staged::planned(tx, rotation, waiting)?;
        }
    }
    Ok(found)
}

/// Rotations that are read at once at the most: large ones take memory.
pub const READ_AT_ONCE: usize = 32;

/// Loads rotations one after the other, without missing ones.
pub fn each_rotation(tx: &ReadTx, ids: &[RotationId]) -> impl Iterator<Item = Result<Rotation>> {
    ids.chunks(READ_AT_ONCE)
        .flat_map(|ids| match load_rotations(tx, ids) {
            Ok(found) => found.into_iter().flatten().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
}

fn heads(tx: &ReadTx, which: &Which) -> Result<Vec<Vec<Head>>> {
    let sql = of_rotations!(
        "SELECT id, name, description, code, enabled, public, double_cover, skips_are_off_time, enable_topic,
                topic_template, version, created_at, updated_at, judged_at, remind_at, duty_group_id,
                mention_expires, mention_reminds, mention_single, mention_rotates, mode, warnings_off,
                short_rest_hours, absence_policy, dealing, ended, summary, managed_by
         FROM rotation WHERE id",
        ""
    );
    which.read(tx, sql, &[], |_, row| {
        Ok(Head {
            name: row.get(1)?,
            description: row.get(2)?,
            code: row.get(3)?,
            enabled: row.get(4)?,
            public: row.get(5)?,
            double_cover: row.get(6)?,
            skips_are_off_time: row.get(7)?,
            enable_topic: row.get(8)?,
            topic_template: row.get(9)?,
            version: row.get::<_, i64>(10)? as u64,
            instants: [row.get(11)?, row.get(12)?, row.get(13)?],
            remind_at: row.get(14)?,
            duty_group: row.get(15)?,
            mentions: MentionSettings {
                expires_after_minutes: row.get(16)?,
                remind_after_minutes: row.get(17)?,
                one_at_a_time: row.get(18)?,
                rotate_after_acknowledgement: row.get(19)?,
            },
            is_external: name(row, 20)? == mode_name(Mode::External),
            warnings_off: column(row, 21)?,
            short_rest_hours: row.get(22)?,
            absence_policy: column::<Option<_>>(row, 23)?.unwrap_or_default(),
            dealing: column::<Option<_>>(row, 24)?.unwrap_or_default(),
            ended: column::<Option<_>>(row, 25)?.unwrap_or_default(),
            summary: read_summary(row, 26)?,
            managed_by: row.get(27)?,
        })
    })
}

/// Only the counters and instants of a rotation.
pub fn load_stamps(tx: &ReadTx, id: &RotationId) -> Result<Option<Stamps>> {
    let sql =
        "SELECT version, created_at, updated_at, judged_at, remind_at FROM rotation WHERE id = ?1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query([id.as_str()])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    Ok(Some(Stamps {
        version: row.get::<_, i64>(0)? as u64,
        created_at: instant(row.get(1)?)?,
        updated_at: instant(row.get(2)?)?,
        judged_at: instant(row.get(3)?)?,
        remind_at: instant_or_none(row.get(4)?)?,
        copied_at: tx.copied_at(),
    }))
}

struct Head {
    name: String,
    description: Option<String>,
    code: Option<String>,
    enabled: bool,
    public: bool,
    double_cover: bool,
    skips_are_off_time: bool,
    enable_topic: bool,
    topic_template: Option<String>,
    managed_by: Option<String>,
    version: u64,
    instants: [i64; 3],
    remind_at: Option<i64>,
    absence_policy: AbsencePolicy,
    summary: Option<ChannelSummary>,
    dealing: Dealing,
    ended: Vec<EndedTurn>,
    duty_group: Option<String>,
    is_external: bool,
    mentions: MentionSettings,
    warnings_off: BTreeSet<WarningKind>,
    short_rest_hours: u32,
}

fn name<'r>(row: &'r Row, column: usize) -> Result<&'r str> {
    Ok(row
        .get_ref(column)?
        .as_str()
        .map_err(rusqlite::Error::from)?)
}

fn text<'r>(row: &'r Row, column: usize) -> Result<Option<&'r str>> {
    let text = row.get_ref(column)?.as_str_or_null();
    Ok(text.map_err(rusqlite::Error::from)?)
}

fn id<T: From<String>>(row: &Row, column: usize) -> Result<T> {
    Ok(row.get::<_, String>(column)?.into())
}

fn key(row: &Row, column: usize) -> Result<Option<Key>> {
    let stored: Option<String> = row.get(column)?;
    let read =
        |text: String| Key::parse(&text).ok_or_else(|| Error::Corrupt(format!("key {text}")));
    stored.map(read).transpose()
}

fn owners(tx: &ReadTx, which: &Which) -> Result<Vec<Vec<UserId>>> {
    let sql = of_rotations!(
        "SELECT rotation_id, user_id FROM rotation_owner WHERE rotation_id",
        " ORDER BY rotation_id, position"
    );
    which.read(tx, sql, &[], |_, row| id(row, 1))
}

fn channels(tx: &ReadTx, which: &Which) -> Result<Vec<Vec<ChannelSetting>>> {
    let sql = of_rotations!(
        "SELECT rotation_id, channel_id, posts_messages, syncs_topic FROM rotation_channel WHERE rotation_id",
        " ORDER BY rotation_id, position"
    );
    which.read(tx, sql, &[], |_, row| {
        Ok(ChannelSetting {
            channel: id(row, 1)?,
            posts_messages: row.get(2)?,
            syncs_topic: row.get(3)?,
        })
    })
}

/// The members of a rotation in the current directory, or those that are held until it follows. Deactivated and external people
/// keep their rows for their return, but are not members.
pub fn load_members(tx: &ReadTx, id: &RotationId) -> Result<Members> {
    let mut found = members(tx, &Which::of(std::slice::from_ref(id))?)?;
    Ok(found.pop().unwrap_or_default())
}

fn members(tx: &ReadTx, which: &Which) -> Result<Vec<Members>> {
    let sql = of_rotations!(
        "SELECT m.rotation_id, p.id FROM rotation_person m CROSS JOIN person p ON p.id = m.user_id
         WHERE NOT p.is_deleted AND NOT p.is_external AND m.rotation_id",
        " ORDER BY m.rotation_id, m.position"
    );
    let users: Vec<Vec<UserId>> = which.read(tx, sql, &[], |_, row| id(row, 1))?;
    let sql = of_rotations!(
        "SELECT g.rotation_id, g.group_id, p.id FROM rotation_group g
         LEFT JOIN user_group_person m ON m.group_id = g.group_id
         LEFT JOIN person p ON p.id = m.user_id AND NOT p.is_deleted AND NOT p.is_external
         WHERE g.rotation_id",
        " ORDER BY g.rotation_id, g.position, m.position"
    );
    let groups = which.read(tx, sql, &[], |_, row| {
        let user = row.get::<_, Option<String>>(2)?.map(UserId::from);
        Ok((id::<GroupId>(row, 1)?, user))
    })?;
    let grouped = |rows: Vec<(GroupId, Option<UserId>)>| {
        let groups = rows.chunk_by(|one, other| one.0 == other.0);
        let groups = groups.map(|rows| GroupMembers {
            group: rows[0].0.clone(),
            users: rows.iter().filter_map(|(_, user)| user.clone()).collect(),
        });
        groups.collect()
    };
    let both = users.into_iter().zip(groups);
    let members = both.map(|(users, groups)| Members {
        users,
        groups: grouped(groups),
    });
    let mut members: Vec<Members> = members.collect();
    for (members, held) in members.iter_mut().zip(load_held(tx, which)?) {
        if let Some(held) = held {
            *members = held;
        }
    }
    Ok(members)
}

fn lanes(tx: &ReadTx, which: &Which) -> Result<Vec<Vec<Lane>>> {
    let sql = of_rotations!(
        "SELECT rotation_id, id, name, key FROM lane WHERE rotation_id",
        " ORDER BY rotation_id, position"
    );
    which.read(tx, sql, &[], |_, row| {
        Ok(Lane {
            id: id(row, 1)?,
            name: row.get(2)?,
            key: key(row, 3)?,
        })
    })
}

fn windows(tx: &ReadTx, which: &Which) -> Result<Vec<Vec<Window>>> {
    let sql = of_rotations!(
        "SELECT rotation_id, id, name, time_zone, coverage, cadence, is_open, key FROM coverage_window WHERE rotation_id",
        " ORDER BY rotation_id, position"
    );
    which.read(tx, sql, &[], |_, row| {
        Ok(Window {
            id: id(row, 1)?,
            name: row.get(2)?,
            zone: text(row, 3)?.map(zone).transpose()?,
            coverage: column(row, 4)?,
            cadence: column(row, 5)?,
            open: row.get(6)?,
            key: key(row, 7)?,
        })
    })
}

/// Cells with their running entries, which are taken out.
fn cells(tx: &ReadTx, which: &Which, entries: &mut [history::Running]) -> Result<Vec<Vec<Cell>>> {
    let sql = of_rotations!(
        "SELECT rotation_id, id, lane, window, roster_id, stopped, holder_user_id, holder_since, holder_skipped,
                arranged_until, passed_over, announced_user_id, holder_dealt
         FROM cell WHERE rotation_id",
        " ORDER BY rotation_id, position"
    );
    which.read(tx, sql, &[], |place, row| {
        let cell = name(row, 1)?;
        let Some(entry) = entries[place].remove(cell) else {
            return Err(Error::Corrupt(format!(
                "cell {cell} has no running entry of history"
            )));
        };
        let holder = row
            .get::<_, Option<String>>(6)?
            .zip(row.get::<_, Option<i64>>(7)?);
        let holder = holder
            .map(|(user, since)| -> Result<Holder> {
                Ok(Holder {
                    user: user.into(),
                    since: instant(since)?,
                    skipped: column(row, 8)?,
                    dealt: column(row, 12)?,
                })
            })
            .transpose()?;
        Ok(Cell {
            id: cell.to_owned().into(),
            lane: row.get::<_, i64>(2)? as usize,
            window: row.get::<_, i64>(3)? as usize,
            roster: row.get::<_, Option<String>>(4)?.map(Into::into),
            stopped: row.get(5)?,
            holder,
            passed_over: column::<Option<_>>(row, 10)?.unwrap_or_default(),
            arranged_until: instant_or_none(row.get(9)?)?,
            announced: row.get::<_, Option<String>>(11)?.map(Into::into),
            entry,
        })
    })
}

fn rosters(tx: &ReadTx, which: &Which, windows: &[Vec<Window>]) -> Result<Vec<Vec<Roster>>> {
    let sql = of_rotations!(
        "SELECT rotation_id, id, narrowed, next_turns, books FROM roster WHERE rotation_id",
        " ORDER BY rotation_id, position"
    );
    which.read(tx, sql, &[], |place, row| {
        let turns: BTreeMap<WindowId, usize> = column(row, 3)?;
        let books: Option<BTreeMap<WindowId, Books>> = column(row, 4)?;
        let mut books = books.unwrap_or_default();
        let next_turn = |window: &Window| {
            Some(NextTurn {
                turn: *turns.get(&window.id)?,
                books: books.remove(&window.id).unwrap_or_default(),
                window: window.id.clone(),
            })
        };
        Ok(Roster {
            id: Some(id(row, 1)?)
                .filter(|id: &String| !id.is_empty())
                .map(Into::into),
            narrowed: column(row, 2)?,
            next_turns: windows[place].iter().filter_map(next_turn).collect(),
        })
    })
}
