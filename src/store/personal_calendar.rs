//! Calendars of people, and the absences that were read from them.

use super::rows::{from_json, instant, instant_or_none, json, millis};
use super::{Error, ReadTx, Result, WriteTx};
use crate::domain::ids::{PersonalCalendarId, UserId};
use crate::domain::personal_calendar::{Counts, PersonalCalendar, Reading, SecretAddress};
use crate::domain::time::Interval;
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Params, Row, params};

const COLUMNS: &str =
    "id, user_id, address, name, counts, words, created_at, revision, etag, last_modified, read_at,
     whole_at, failures, error, is_unknown, due_at, is_asked";

/// An absence of a calendar.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MirroredAbsence {
    pub period: Interval,
    pub reason: Option<String>,
}

fn read(row: &Row) -> Result<PersonalCalendar> {
    let id: String = row.get(0)?;
    let counts: String = row.get(4)?;
    let known = Counts::parse(&counts);
    let words: Option<String> = row.get(5)?;
    Ok(PersonalCalendar {
        counts: known.ok_or_else(|| Error::Corrupt(format!("calendar {id}")))?,
        id: id.into(),
        user: row.get::<_, String>(1)?.into(),
        address: SecretAddress(row.get(2)?),
        name: row.get(3)?,
        words: words.map(|words| from_json(&words)).transpose()?,
        created_at: instant(row.get(6)?)?,
        reading: Reading {
            revision: row.get(7)?,
            etag: row.get(8)?,
            last_modified: row.get(9)?,
            read_at: instant_or_none(row.get(10)?)?,
            whole_at: instant_or_none(row.get(11)?)?,
            failures: row.get(12)?,
            error: row.get(13)?,
            is_unknown: row.get(14)?,
            due_at: instant(row.get(15)?)?,
            is_asked: row.get(16)?,
        },
    })
}

fn list(tx: &ReadTx, rest: &str, values: impl Params) -> Result<Vec<PersonalCalendar>> {
    let sql = format!("SELECT {COLUMNS} FROM personal_calendar {rest}");
    tx.list(&sql, values, read)
}

/// A calendar by id.
pub fn load_calendar(tx: &ReadTx, id: &PersonalCalendarId) -> Result<Option<PersonalCalendar>> {
    Ok(list(tx, "WHERE id = ?1", [id.as_str()])?.pop())
}

/// The calendars of a person, the oldest first.
pub fn list_calendars_of(tx: &ReadTx, user: &UserId) -> Result<Vec<PersonalCalendar>> {
    list(
        tx,
        "WHERE user_id = ?1 ORDER BY created_at, id",
        [user.as_str()],
    )
}

/// People who are gone have calendars, which are not read.
const OF_SOMEBODY: &str =
    "NOT EXISTS (SELECT 1 FROM person p WHERE p.id = user_id AND p.is_deleted = 1)";

/// The calendars to be read at once.
pub fn list_asked_calendars(tx: &ReadTx) -> Result<Vec<PersonalCalendar>> {
    list(tx, &format!("WHERE is_asked = 1 AND {OF_SOMEBODY}"), [])
}

/// The calendars that are due by an instant.
pub fn list_due_calendars(tx: &ReadTx, now: Timestamp) -> Result<Vec<PersonalCalendar>> {
    let rest = format!("WHERE due_at <= ?1 AND {OF_SOMEBODY} ORDER BY due_at");
    list(tx, &rest, [millis(now)])
}

/// All calendars.
pub fn list_all_calendars(tx: &ReadTx) -> Result<Vec<PersonalCalendar>> {
    list(tx, &format!("WHERE {OF_SOMEBODY} ORDER BY due_at"), [])
}

/// When the first calendar is due.
pub fn next_calendar_due(tx: &ReadTx) -> Result<Option<Timestamp>> {
    let sql =
        format!("SELECT due_at FROM personal_calendar WHERE {OF_SOMEBODY} ORDER BY due_at LIMIT 1");
    let mut query = tx.conn.prepare_cached(&sql)?;
    let due = query.query_row([], |row| row.get(0)).optional()?;
    instant_or_none(due)
}

/// Adds a calendar.
pub fn insert_calendar(tx: &mut WriteTx, calendar: &PersonalCalendar) -> Result<()> {
    let sql =
        "INSERT INTO personal_calendar (id, user_id, address, counts, created_at, due_at, is_asked)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)";
    tx.run(
        sql,
        params![
            calendar.id.as_str(),
            calendar.user.as_str(),
            calendar.address.0,
            calendar.counts.name(),
            millis(calendar.created_at),
            millis(calendar.reading.due_at),
        ],
    )?;
    save_calendar(tx, calendar)
}

/// Saves the settings of a calendar, and what is known of its readings.
pub fn save_calendar(tx: &mut WriteTx, calendar: &PersonalCalendar) -> Result<()> {
    let sql = "UPDATE personal_calendar
               SET name = ?2, counts = ?3, words = ?4, revision = ?5, etag = ?6, last_modified = ?7, read_at = ?8,
                   whole_at = ?9, failures = ?10, error = ?11, is_unknown = ?12, due_at = ?13, is_asked = ?14
               WHERE id = ?1";
    let reading = &calendar.reading;
    tx.run(
        sql,
        params![
            calendar.id.as_str(),
            calendar.name,
            calendar.counts.name(),
            calendar.words.as_ref().map(json).transpose()?,
            reading.revision,
            reading.etag,
            reading.last_modified,
            reading.read_at.map(millis),
            reading.whole_at.map(millis),
            reading.failures,
            reading.error,
            reading.is_unknown,
            millis(reading.due_at),
            reading.is_asked,
        ],
    )?;
    if reading.is_asked {
        tx.note_calendars();
    }
    Ok(())
}

/// Removes a calendar with its absences.
pub fn remove_calendar(tx: &mut WriteTx, id: &PersonalCalendarId) -> Result<()> {
    let sql = "DELETE FROM personal_calendar WHERE id = ?1";
    tx.run(sql, [id.as_str()]).map(drop)
}

/// The absences of a calendar, by their beginning.
pub fn list_mirrored(tx: &ReadTx, calendar: &PersonalCalendarId) -> Result<Vec<MirroredAbsence>> {
    let sql = "SELECT from_at, until_at, reason FROM mirrored_absence WHERE calendar_id = ?1 ORDER BY position";
    tx.list(sql, [calendar.as_str()], |row| {
        Ok(MirroredAbsence {
            period: period(row, 0)?,
            reason: row.get(2)?,
        })
    })
}

fn period(row: &Row, at: usize) -> Result<Interval> {
    Ok(Interval::new(
        instant(row.get(at)?)?,
        instant(row.get(at + 1)?)?,
    ))
}

/// Replaces the absences of a calendar by these, which are in order of their beginning.
pub fn save_mirrored(
    tx: &mut WriteTx,
    calendar: &PersonalCalendar,
    absences: &[MirroredAbsence],
) -> Result<()> {
    let mut query = tx
        .conn
        .prepare_cached("DELETE FROM mirrored_absence WHERE calendar_id = ?1")?;
    query.execute([calendar.id.as_str()])?;
    let sql =
        "INSERT INTO mirrored_absence (calendar_id, position, user_id, from_at, until_at, reason)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let mut query = tx.conn.prepare_cached(sql)?;
    for (position, absence) in absences.iter().enumerate() {
        query.execute(params![
            calendar.id.as_str(),
            position as i64,
            calendar.user.as_str(),
            millis(absence.period.from),
            millis(absence.period.until),
            absence.reason,
        ])?;
    }
    Ok(())
}

/// The absences of a person's calendars that end after an instant, each with its calendar, by their beginning.
pub fn list_mirrored_of(
    tx: &ReadTx,
    user: &UserId,
    ending_after: Timestamp,
) -> Result<Vec<(PersonalCalendarId, MirroredAbsence)>> {
    let sql = "SELECT from_at, until_at, reason, calendar_id FROM mirrored_absence
               WHERE user_id = ?1 AND until_at > ?2 ORDER BY from_at, until_at, calendar_id, position";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query(params![user.as_str(), millis(ending_after)])?;
    let mut absences = Vec::new();
    while let Some(row) = rows.next()? {
        let absence = MirroredAbsence {
            period: period(row, 0)?,
            reason: row.get(2)?,
        };
        absences.push((row.get::<_, String>(3)?.into(), absence));
    }
    Ok(absences)
}

/// How many absences of a calendar end after an instant.
pub fn count_mirrored(
    tx: &ReadTx,
    calendar: &PersonalCalendarId,
    ending_after: Timestamp,
) -> Result<u64> {
    let sql = "SELECT count(*) FROM mirrored_absence WHERE calendar_id = ?1 AND until_at > ?2";
    let mut query = tx.conn.prepare_cached(sql)?;
    let count: i64 = query.query_row(params![calendar.as_str(), millis(ending_after)], |row| {
        row.get(0)
    })?;
    Ok(count.unsigned_abs())
}

/// Whether anybody has a calendar. Most workspaces have none.
pub(super) fn has_calendars(tx: &ReadTx) -> Result<bool> {
    let mut query = tx
        .conn
        .prepare_cached("SELECT 1 FROM personal_calendar LIMIT 1")?;
    Ok(query.exists([])?)
}

/// When these people are absent by their calendars, as far as it ends after an instant.
pub(super) fn list_mirrored_periods(
    tx: &ReadTx,
    people: &[&str],
    ending_after: Timestamp,
) -> Result<Vec<(UserId, Interval)>> {
    let sql = "SELECT user_id, from_at, until_at FROM mirrored_absence
               WHERE user_id IN (SELECT value FROM json_each(?1)) AND until_at > ?2";
    tx.list(sql, params![json(&people)?, millis(ending_after)], |row| {
        Ok((UserId::from(row.get::<_, String>(0)?), period(row, 1)?))
    })
}

/// Those of these people with a calendar that cannot be read.
pub fn list_unread_calendars(tx: &ReadTx, people: &[&str]) -> Result<Vec<(UserId, Timestamp)>> {
    let sql = "SELECT user_id, min(coalesce(read_at, created_at)) FROM personal_calendar
               WHERE (failures > 0 OR is_unknown = 1) AND user_id IN (SELECT value FROM json_each(?1))
               GROUP BY user_id ORDER BY user_id";
    tx.list(sql, [json(&people)?], |row| {
        Ok((row.get::<_, String>(0)?.into(), instant(row.get(1)?)?))
    })
}

/// Those of these people with a calendar of which nothing is known.
pub(super) fn list_unknown(tx: &ReadTx, people: &[&str]) -> Result<Vec<UserId>> {
    let sql = "SELECT DISTINCT user_id FROM personal_calendar
               WHERE is_unknown = 1 AND user_id IN (SELECT value FROM json_each(?1)) ORDER BY user_id";
    super::rows::ids(tx.conn, sql, [json(&people)?])
}
