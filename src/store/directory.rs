//! The people, user groups and channels of the chat workspace, as last imported.

mod changes;
mod contacts;
mod replace;
mod times;

pub use changes::{
    apply_directory_changes, list_rotations_concerned, list_rotations_using, list_topics_of,
    load_away, load_away_of, load_stored_directory,
};
pub(super) use changes::{away_members, is_any_away};
use contacts::every_phone;
pub use contacts::{
    has_address, has_other_administrator, is_address_taken, is_group_handle_taken, is_handle_taken,
    list_administrator_names, load_phone, save_phone,
};
pub use replace::{
    insert_group, orders_of_group, replace_directory, replace_group_people, save_channel_topic,
};
pub(super) use times::touch_group;

use super::meta::load_team;
use super::{ReadTx, Result};
pub use crate::domain::directory::{Channel, Directory, Group, Handle, Person, Source, Team};
use crate::domain::ids::{ChannelId, GroupId, UserId};
use rusqlite::{OptionalExtension, Params, Row, params};

/// One page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// From 1.
    pub number: u32,
    /// Rows per page.
    pub size: u32,
}

impl Page {
    /// The first page, of so many rows.
    pub fn first(size: u32) -> Page {
        Page { number: 1, size }
    }

    /// The number of rows before the page.
    pub(super) fn offset(self) -> i64 {
        i64::from(self.number.saturating_sub(1)).saturating_mul(i64::from(self.size))
    }

    fn holds(self, index: u64) -> bool {
        let begin = self.offset() as u64;
        (begin..begin.saturating_add(u64::from(self.size))).contains(&index)
    }
}

/// Filters people. Both compare case-insensitively.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersonFilter {
    /// A part of the display name or the real name.
    pub text: Option<String>,
    /// The whole address.
    pub email: Option<String>,
    /// Only deactivated people. Otherwise they are left out.
    pub deleted: bool,
}

/// A kind of record: how it is read and searched.
struct Kind<T> {
    columns: &'static str,
    /// The table with the condition for rows that lists show.
    listed: &'static str,
    table: &'static str,
    read: fn(&Row) -> rusqlite::Result<T>,
    texts: fn(&T) -> [Option<&String>; 2],
}

const PEOPLE: Kind<Person> = Kind {
    columns: "id, team_id, display_name, real_name, email, is_guest, is_external, is_deleted, is_admin, avatar_url, \
              time_zone, handle, source, zone_is_own",
    listed: "person WHERE is_deleted = 0",
    table: "person",
    read: person,
    texts: |person| [person.display_name.as_ref(), person.real_name.as_ref()],
};

const DELETED_PEOPLE: Kind<Person> = Kind {
    listed: "person WHERE is_deleted = 1",
    ..PEOPLE
};

const GROUPS: Kind<Group> = Kind {
    columns: "id, team_id, name, handle, source",
    listed: "user_group WHERE true",
    table: "user_group",
    read: group,
    texts: |group| [group.name.as_ref(), group.handle.as_ref()],
};

const CHANNELS: Kind<Channel> = Kind {
    columns: "id, team_id, name, is_private, app_is_member, topic, source",
    listed: "channel WHERE (app_is_member OR NOT is_private)",
    table: "channel",
    read: channel,
    texts: |channel| [channel.name.as_ref(), None],
};

/// A person by id, including deleted ones.
pub fn load_person(tx: &ReadTx, id: &UserId) -> Result<Option<Person>> {
    load(tx, &PEOPLE, id.as_str())
}

/// Only the name of a person, as [`Person::name`] tells it, and whether they are not deactivated.
pub fn load_name(tx: &ReadTx, id: &UserId) -> Result<Option<(String, bool)>> {
    let sql =
        "SELECT coalesce(display_name, real_name, id), NOT is_deleted FROM person WHERE id = ?1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let read = |row: &Row| Ok((row.get(0)?, row.get(1)?));
    Ok(query.query_row([id.as_str()], read).optional()?)
}

/// Whether a person is in the workspace and not deactivated.
pub fn is_present(tx: &ReadTx, id: &UserId) -> Result<bool> {
    let mut query = tx
        .conn
        .prepare_cached("SELECT 1 FROM person WHERE id = ?1 AND is_deleted = 0")?;
    Ok(query.exists([id.as_str()])?)
}

/// Whether there are any people, deleted ones included.
pub fn has_people(tx: &ReadTx) -> Result<bool> {
    let mut query = tx.conn.prepare_cached("SELECT 1 FROM person LIMIT 1")?;
    Ok(query.exists([])?)
}

/// People by name, those who are deleted or the others, and the total number.
pub fn list_people(
    tx: &ReadTx,
    filter: &PersonFilter,
    descending: bool,
    page: Page,
) -> Result<(Vec<Person>, u64)> {
    let people = match filter.deleted {
        true => &DELETED_PEOPLE,
        false => &PEOPLE,
    };
    let Some(email) = &filter.email else {
        return list(tx, people, filter.text.as_deref(), descending, page);
    };
    let condition = format!("{} AND email = ?1 COLLATE NOCASE", people.listed);
    let sql = sorted(people, &condition, descending);
    scan(tx, people, &sql, [email], filter.text.as_deref(), page)
}

/// The people of the workspace with an address, case-insensitive, without deactivated and external people.
pub fn list_people_by_email(tx: &ReadTx, email: &str) -> Result<Vec<UserId>> {
    let sql = "SELECT id FROM person WHERE email = ?1 COLLATE NOCASE AND NOT is_deleted AND NOT is_external ORDER BY id";
    super::rows::ids(tx.conn, sql, [email])
}

/// An administrator of the workspace, always the same one, without deactivated and external people.
pub fn find_administrator(tx: &ReadTx) -> Result<Option<UserId>> {
    let sql = "SELECT id FROM person WHERE is_admin AND NOT is_deleted AND NOT is_external ORDER BY id LIMIT 1";
    Ok(super::rows::ids(tx.conn, sql, [])?.into_iter().next())
}

/// A user group by id, without its people.
pub fn load_group(tx: &ReadTx, id: &GroupId) -> Result<Option<Group>> {
    load(tx, &GROUPS, id.as_str())
}

/// User groups by name, without their people, and the total number. `text` is searched in name and handle.
pub fn list_groups(
    tx: &ReadTx,
    text: Option<&str>,
    descending: bool,
    page: Page,
) -> Result<(Vec<Group>, u64)> {
    list(tx, &GROUPS, text, descending, page)
}

/// An order of a user group's people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The order of duty.
    Duty,
    /// The platform's order.
    Platform,
}

/// The people of a user group in order, including deleted ones.
pub(super) fn people_of_group(tx: &ReadTx, id: &GroupId, order: Order) -> Result<Vec<UserId>> {
    let column = match order {
        Order::Duty => "position",
        Order::Platform => "platform_position",
    };
    let sql =
        format!("SELECT user_id FROM user_group_person WHERE group_id = ?1 ORDER BY {column}");
    super::rows::ids(tx.conn, &sql, [id.as_str()])
}

/// The people of a user group in the platform's order, including deleted ones.
pub fn list_group_people(tx: &ReadTx, id: &GroupId) -> Result<Vec<UserId>> {
    people_of_group(tx, id, Order::Platform)
}

/// A user group by handle, case-insensitive, with or without its `@`. Of several, one that rota created.
pub fn find_group(tx: &ReadTx, handle: &str) -> Result<Option<GroupId>> {
    let sql = "SELECT id FROM user_group WHERE handle COLLATE NOCASE IN (?1, '@' || ?1)
               ORDER BY id NOT IN (SELECT group_id FROM duty_group WHERE is_own), id LIMIT 1";
    tx.one(sql, [handle], |row| Ok(row.get::<_, String>(0)?.into()))
}

/// A channel by id, including ones that rota cannot post to.
pub fn load_channel(tx: &ReadTx, id: &ChannelId) -> Result<Option<Channel>> {
    load(tx, &CHANNELS, id.as_str())
}

/// The channels that rota can post to, by name, and the total number.
pub fn list_channels(
    tx: &ReadTx,
    text: Option<&str>,
    descending: bool,
    page: Page,
) -> Result<(Vec<Channel>, u64)> {
    list(tx, &CHANNELS, text, descending, page)
}

/// Whether the platform has a channel with that id, whether or not rota is in it.
pub fn is_known_channel(tx: &ReadTx, id: &ChannelId) -> Result<bool> {
    Ok(load_channel(tx, id)?.is_some())
}

/// The given people who are not in the workspace, in order: unknown ids, deactivated people, and external people of shared
/// channels.
pub fn unknown_people(tx: &ReadTx, ids: &[UserId]) -> Result<Vec<UserId>> {
    missing(
        tx,
        "SELECT 1 FROM person WHERE id = ?1 AND NOT is_deleted AND NOT is_external",
        ids,
        UserId::as_str,
    )
}

/// The given user groups that the platform does not have, in order.
pub fn unknown_groups(tx: &ReadTx, ids: &[GroupId]) -> Result<Vec<GroupId>> {
    missing(
        tx,
        "SELECT 1 FROM user_group WHERE id = ?1",
        ids,
        GroupId::as_str,
    )
}

/// The given channels that rota is not in, including unknown ones, in order.
pub fn unknown_channels(tx: &ReadTx, ids: &[ChannelId]) -> Result<Vec<ChannelId>> {
    missing(
        tx,
        "SELECT 1 FROM channel WHERE id = ?1 AND app_is_member = 1",
        ids,
        ChannelId::as_str,
    )
}

/// The whole directory: all people including deleted ones, groups with their people, and all channels; each by id.
pub fn load_directory(tx: &ReadTx) -> Result<Directory> {
    let mut groups = every(tx, &GROUPS)?;
    for group in &mut groups {
        group.users = people_of_group(tx, &group.id, Order::Platform)?;
    }
    let (people, channels) = (every(tx, &PEOPLE)?, every(tx, &CHANNELS)?);
    Ok(Directory {
        team: load_team(tx)?,
        people,
        groups,
        channels,
        handles: every_handle(tx)?,
        phones: every_phone(tx)?,
    })
}

fn every_handle(tx: &ReadTx) -> Result<Vec<Handle>> {
    let sql = "SELECT user_id, channel_id, handle FROM person_handle ORDER BY user_id, channel_id";
    tx.list(sql, [], |row| {
        Ok(Handle {
            user: row.get::<_, String>(0)?.into(),
            channel: row.get::<_, String>(1)?.into(),
            handle: row.get(2)?,
        })
    })
}

fn load<T>(tx: &ReadTx, kind: &Kind<T>, id: &str) -> Result<Option<T>> {
    let sql = format!("SELECT {} FROM {} WHERE id = ?1", kind.columns, kind.table);
    let mut query = tx.conn.prepare_cached(&sql)?;
    Ok(query.query_row([id], kind.read).optional()?)
}

fn every<T>(tx: &ReadTx, kind: &Kind<T>) -> Result<Vec<T>> {
    let sql = format!("SELECT {} FROM {} ORDER BY id", kind.columns, kind.table);
    let mut query = tx.conn.prepare_cached(&sql)?;
    let rows = query.query_map([], kind.read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn list<T>(
    tx: &ReadTx,
    kind: &Kind<T>,
    text: Option<&str>,
    descending: bool,
    page: Page,
) -> Result<(Vec<T>, u64)> {
    let sql = sorted(kind, kind.listed, descending);
    if text.is_some() {
        return scan(tx, kind, &sql, [], text, page);
    }
    let count = format!("SELECT count(*) FROM {}", kind.listed);
    let total: i64 = tx
        .conn
        .prepare_cached(&count)?
        .query_row([], |row| row.get(0))?;
    let mut query = tx
        .conn
        .prepare_cached(&format!("{sql} LIMIT ?1 OFFSET ?2"))?;
    let rows = query.query_map(params![page.size, page.offset()], kind.read)?;
    Ok((rows.collect::<Result<_, _>>()?, total as u64))
}

fn sorted<T>(kind: &Kind<T>, listed: &str, descending: bool) -> String {
    let way = if descending { "DESC" } else { "ASC" };
    format!(
        "SELECT {} FROM {listed} ORDER BY sort_name {way}, id {way}",
        kind.columns
    )
}

/// Reads all rows of a query. Text is compared here rather than by LIKE, which folds only ASCII and interprets `%` and
/// `_`.
fn scan<T>(
    tx: &ReadTx,
    kind: &Kind<T>,
    sql: &str,
    values: impl Params,
    text: Option<&str>,
    page: Page,
) -> Result<(Vec<T>, u64)> {
    let text = text.map(str::to_lowercase);
    let fits = |record: &T| {
        let Some(text) = &text else { return true };
        let texts = (kind.texts)(record).into_iter().flatten();
        texts
            .into_iter()
            .any(|part| part.to_lowercase().contains(text))
    };
    let mut query = tx.conn.prepare_cached(sql)?;
    let (mut listed, mut total) = (Vec::new(), 0);
    for record in query.query_map(values, kind.read)? {
        let record = record?;
        if fits(&record) {
            if page.holds(total) {
                listed.push(record);
            }
            total += 1;
        }
    }
    Ok((listed, total))
}

fn missing<T: Clone>(tx: &ReadTx, sql: &str, ids: &[T], name: fn(&T) -> &str) -> Result<Vec<T>> {
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut missing = Vec::new();
    for id in ids {
        if !query.exists([name(id)])? {
            missing.push(id.clone());
        }
    }
    Ok(missing)
}

/// The columns of a person in a query of several tables, where people are called `p`. [`read_person`] reads them.
pub(super) fn columns_of_person() -> String {
    let columns = PEOPLE.columns.split(", ");
    let columns = columns.map(|column| format!("p.{}", column.trim()));
    columns.collect::<Vec<_>>().join(", ")
}

/// How many columns [`columns_of_person`] are.
pub(super) const PERSON_COLUMNS: usize = 14;

/// Reads a person from the first columns of a row.
pub(super) fn read_person(row: &Row) -> Result<Person> {
    Ok(person(row)?)
}

fn person(row: &Row) -> rusqlite::Result<Person> {
    Ok(Person {
        id: UserId::from(row.get::<_, String>(0)?),
        team_id: row.get(1)?,
        display_name: row.get(2)?,
        real_name: row.get(3)?,
        email: row.get(4)?,
        is_guest: row.get(5)?,
        is_external: row.get(6)?,
        is_deleted: row.get(7)?,
        is_admin: row.get(8)?,
        avatar_url: row.get(9)?,
        time_zone: row.get(10)?,
        handle: row.get(11)?,
        source: source(row, 12)?,
        zone_is_own: row.get(13)?,
    })
}

fn group(row: &Row) -> rusqlite::Result<Group> {
    Ok(Group {
        id: GroupId::from(row.get::<_, String>(0)?),
        team_id: row.get(1)?,
        name: row.get(2)?,
        handle: row.get(3)?,
        users: Vec::new(),
        source: source(row, 4)?,
    })
}

fn channel(row: &Row) -> rusqlite::Result<Channel> {
    Ok(Channel {
        id: ChannelId::from(row.get::<_, String>(0)?),
        team_id: row.get(1)?,
        name: row.get(2)?,
        is_private: row.get(3)?,
        app_is_member: row.get(4)?,
        topic: row.get(5)?,
        source: source(row, 6)?,
    })
}

fn source(row: &Row, column: usize) -> rusqlite::Result<Source> {
    let name: String = row.get(column)?;
    Source::parse(&name).ok_or(rusqlite::Error::InvalidQuery)
}

#[cfg(test)]
mod tests;
