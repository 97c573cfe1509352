//! Conversions between rows and values, and queries about the whole file.

use super::{Error, ReadTx, Result, WriteTx};
use crate::domain::stored::Stored;
use crate::domain::zones::ZoneName;
use jiff::Timestamp;
use rusqlite::types::FromSql;
use rusqlite::{Connection, Params, Row};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

impl ReadTx<'_> {
    /// What `read` makes of each row of a query.
    pub(super) fn list<T>(
        &self,
        sql: &str,
        values: impl Params,
        mut read: impl FnMut(&Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut query = self.conn.prepare_cached(sql)?;
        let mut rows = query.query(values)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(read(row)?);
        }
        Ok(found)
    }

    /// The value of a query of one row and column.
    pub(super) fn value<T: FromSql>(&self, sql: &str, values: impl Params) -> Result<T> {
        let mut query = self.conn.prepare_cached(sql)?;
        Ok(query.query_row(values, |row| row.get(0))?)
    }

    /// What `read` makes of the first row of a query; `None` if there is none.
    pub(super) fn one<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut query = self.conn.prepare_cached(sql)?;
        let mut rows = query.query(values)?;
        rows.next()?.map(read).transpose()
    }
}

impl WriteTx<'_> {
    /// Runs a statement, and says how many rows it concerned.
    pub(super) fn run(&self, sql: &str, values: impl Params) -> Result<usize> {
        Ok(self.conn.prepare_cached(sql)?.execute(values)?)
    }
}

/// A number that changes when another connection commits.
pub(super) fn data_version(conn: &Connection) -> Result<i64> {
    Ok(conn.pragma_query_value(None, "data_version", |row| row.get(0))?)
}

/// An instant as stored.
pub(super) fn millis(at: Timestamp) -> i64 {
    at.stored()
}

/// Reads a stored instant.
pub(super) fn instant(millis: i64) -> Result<Timestamp> {
    Timestamp::from_millisecond(millis)
        .map_err(|error| Error::Corrupt(format!("instant {millis}: {error}")))
}

pub(super) fn instant_or_none(millis: Option<i64>) -> Result<Option<Timestamp>> {
    millis.map(instant).transpose()
}

/// The instant returned by a query of one row and column.
pub(super) fn first_instant(conn: &Connection, sql: &str) -> Result<Option<Timestamp>> {
    instant_or_none(conn.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// The ids returned by a query of one column.
pub(super) fn ids<T: From<String>>(
    conn: &Connection,
    sql: &str,
    params: impl rusqlite::Params,
) -> Result<Vec<T>> {
    let mut query = conn.prepare_cached(sql)?;
    let ids = query.query_map(params, |row| Ok(T::from(row.get::<_, String>(0)?)))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// Serializes a JSON column.
pub(super) fn json<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Corrupt(error.to_string()))
}

/// Parses a JSON column.
pub(super) fn from_json<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| Error::Corrupt(format!("{error} in {text}")))
}

/// Reads a JSON column. Null reads as `None`.
pub(super) fn column<T: DeserializeOwned>(row: &Row, index: usize) -> Result<T> {
    let text = row.get_ref(index)?.as_str_or_null();
    from_json(text.map_err(rusqlite::Error::from)?.unwrap_or("null"))
}

/// Serializes a list for a JSON column; an empty one is null.
pub(super) fn list_or_null<T: Serialize>(list: &[T]) -> Result<Option<String>> {
    (!list.is_empty()).then(|| json(&list)).transpose()
}

pub(super) fn zone(name: &str) -> Result<ZoneName> {
    let known = ZoneName::parse(name);
    known.map_err(|refusal| Error::Corrupt(format!("time zone {name}: {refusal}")))
}

/// The bytes of the file in use: about the size of a copy.
pub(super) fn bytes_in_use(conn: &Connection) -> Result<u64> {
    let free = setting(conn, "freelist_count")? * setting(conn, "page_size")?;
    Ok(bytes(conn)?.saturating_sub(free.unsigned_abs()))
}

/// The size of the file.
pub(super) fn bytes(conn: &Connection) -> Result<u64> {
    Ok((setting(conn, "page_count")? * setting(conn, "page_size")?).unsigned_abs())
}

fn setting(conn: &Connection, pragma: &str) -> Result<i64> {
    Ok(conn.pragma_query_value(None, pragma, |row| row.get(0))?)
}

/// Checkpoints the write-ahead log. Returns whether it is complete.
pub(super) fn checkpoint(conn: &Connection) -> Result<bool> {
    let sql = "PRAGMA wal_checkpoint(FULL)";
    Ok(conn.query_row(sql, [], |row| row.get::<_, i64>(0))? == 0)
}

pub(super) fn vacuum_into(conn: &Connection, target: &Path) -> Result<()> {
    let Some(name) = target.to_str() else {
        return Err(Error::Corrupt(format!(
            "{}: not a name that SQLite can take",
            target.display()
        )));
    };
    Ok(conn.execute("VACUUM INTO ?1", [name]).map(drop)?)
}

/// Passes the texts of a query of one column to `take`, also where it ends with an error.
pub(super) fn each_text(conn: &Connection, sql: &str, mut take: impl FnMut(&str)) -> Result<()> {
    let mut query = conn.prepare(sql)?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        take(&row.get::<_, String>(0)?);
    }
    Ok(())
}

/// Runs `act` with a time limit. A statement that takes longer is interrupted and fails.
pub(super) fn within<T>(longest: Duration, conn: &Connection, act: impl FnOnce() -> T) -> T {
    let interrupt = conn.get_interrupt_handle();
    let (over, ended) = channel::<()>();
    std::thread::scope(|scope| {
        let watch = move || {
            let mut wait = longest;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                // An interrupt between two statements has no effect, so it is repeated.
                interrupt.interrupt();
                wait = Duration::from_millis(100);
            }
        };
        let watching = std::thread::Builder::new().spawn_scoped(scope, watch);
        if let Err(error) = watching {
            log::warn!("storage: cannot start a thread to limit the time of a query: {error}");
        }
        let _over = over;
        act()
    })
}

#[cfg(test)]
mod tests;
