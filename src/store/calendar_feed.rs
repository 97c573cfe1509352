//! Calendar feeds. Of the secret in an address only the SHA-256 is here.

use super::rows::{from_json, instant, instant_or_none, json, millis};
use super::{Error, Page, ReadTx, Result, WriteTx};
use crate::domain::calendar_feed::{CalendarFeed, Gone, Revision, Shows};
use crate::domain::ids::{CalendarFeedId, RotationId, UserId};
use rusqlite::{Row, params};

const COLUMNS: &str =
    "id, user_id, rotation_id, name, alarms, created_by, created_at, state, sequence, changed_at,
                       gone_at, gone_name";

/// The feeds of a list.
#[derive(Clone, Copy, Debug)]
pub enum FeedsOf<'a> {
    Everybody,
    /// Those of this person's turns, and those that they made.
    Person(&'a UserId),
    /// Those that are limited to one of these rotations.
    Rotations(&'a [RotationId]),
}

/// The feed of a secret. It is found by the hash, so how long that takes tells nothing about the secret.
pub fn load_feed_of(tx: &ReadTx, secret_hash: &[u8; 32]) -> Result<Option<CalendarFeed>> {
    let sql = format!("SELECT {COLUMNS} FROM calendar_feed WHERE secret_hash = ?1");
    tx.one(&sql, [secret_hash], feed)
}

/// A feed by id.
pub fn load_feed(tx: &ReadTx, id: &CalendarFeedId) -> Result<Option<CalendarFeed>> {
    let sql = format!("SELECT {COLUMNS} FROM calendar_feed WHERE id = ?1");
    tx.one(&sql, [id.as_str()], feed)
}

/// A page of feeds, the oldest first, and how many there are.
pub fn list_feeds(tx: &ReadTx, of: FeedsOf, page: Page) -> Result<(Vec<CalendarFeed>, u64)> {
    let (condition, value) = match of {
        FeedsOf::Everybody => ("?1 IS NULL", None),
        FeedsOf::Person(user) => (
            "(user_id = ?1 OR created_by = ?1)",
            Some(user.as_str().to_owned()),
        ),
        FeedsOf::Rotations(ids) => {
            let ids: Vec<&str> = ids.iter().map(RotationId::as_str).collect();
            let among = "rotation_id IN (SELECT value FROM json_each(?1))";
            (among, Some(json(&ids)?))
        }
    };
    let sql = format!("SELECT count(*) FROM calendar_feed WHERE {condition}");
    let total: i64 = tx.value(&sql, [&value])?;
    let sql = format!(
        "SELECT {COLUMNS} FROM calendar_feed WHERE {condition} ORDER BY created_at, id LIMIT ?2 OFFSET ?3"
    );
    let mut query = tx.conn.prepare_cached(&sql)?;
    let before = i64::from(page.number - 1) * i64::from(page.size);
    let rows = query.query_map(params![value, page.size, before], |row| Ok(feed(row)))?;
    let feeds = rows.map(|row| row?).collect::<Result<_, _>>()?;
    Ok((feeds, total.unsigned_abs()))
}

/// How many feeds a person has made; `None` for those that keys have made.
pub fn count_feeds_by(tx: &ReadTx, maker: Option<&UserId>) -> Result<u64> {
    let sql = "SELECT count(*) FROM calendar_feed WHERE created_by IS ?1";
    let count: i64 = tx.value(sql, [maker.map(UserId::as_str)])?;
    Ok(count.unsigned_abs())
}

fn feed(row: &Row) -> Result<CalendarFeed> {
    let id: String = row.get(0)?;
    let user = row.get::<_, Option<String>>(1)?.map(UserId::from);
    let rotation = row.get::<_, Option<String>>(2)?.map(RotationId::from);
    let shows = Shows::of(user, rotation);
    Ok(CalendarFeed {
        shows: shows.map_err(|_| Error::Corrupt(format!("calendar feed {id}")))?,
        id: id.into(),
        name: row.get(3)?,
        alarms: from_json(&row.get::<_, String>(4)?)?,
        created_by: row.get::<_, Option<String>>(5)?.map(UserId::from),
        created_at: instant(row.get(6)?)?,
        revision: Revision {
            state: row.get(7)?,
            sequence: row.get(8)?,
            changed_at: instant(row.get(9)?)?,
        },
        gone: gone(row)?,
    })
}

/// Adds a feed with the hash of its secret.
pub fn insert_feed(tx: &mut WriteTx, feed: &CalendarFeed, secret_hash: &[u8; 32]) -> Result<()> {
    let sql = "INSERT INTO calendar_feed
                   (id, secret_hash, user_id, rotation_id, name, alarms, created_by, created_at, changed_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    tx.run(
        sql,
        params![
            feed.id.as_str(),
            secret_hash,
            feed.shows.user().map(UserId::as_str),
            feed.shows.rotation().map(RotationId::as_str),
            feed.name,
            json(&feed.alarms)?,
            feed.created_by.as_ref().map(UserId::as_str),
            millis(feed.created_at),
            millis(feed.revision.changed_at),
        ],
    )?;
    Ok(())
}

/// Gives a feed another secret: the old address leads nowhere from now on.
pub fn save_feed_secret(
    tx: &mut WriteTx,
    id: &CalendarFeedId,
    secret_hash: &[u8; 32],
) -> Result<()> {
    let sql = "UPDATE calendar_feed SET secret_hash = ?2 WHERE id = ?1";
    tx.run(sql, params![id.as_str(), secret_hash]).map(drop)
}

/// Keeps what a reading found.
pub fn save_feed_revision(
    tx: &mut WriteTx,
    id: &CalendarFeedId,
    revision: &Revision,
) -> Result<()> {
    let sql = "UPDATE calendar_feed SET state = ?2, sequence = ?3, changed_at = ?4 WHERE id = ?1";
    tx.run(
        sql,
        params![
            id.as_str(),
            revision.state,
            revision.sequence,
            millis(revision.changed_at),
        ],
    )?;
    Ok(())
}

/// Removes a feed: its address leads nowhere from now on.
pub fn remove_feed(tx: &mut WriteTx, id: &CalendarFeedId) -> Result<()> {
    let sql = "DELETE FROM calendar_feed WHERE id = ?1";
    tx.run(sql, [id.as_str()]).map(drop)
}

fn gone(row: &Row) -> Result<Option<Gone>> {
    let since = instant_or_none(row.get(10)?)?;
    let name: Option<String> = row.get(11)?;
    Ok(since.zip(name).map(|(since, name)| Gone { since, name }))
}
