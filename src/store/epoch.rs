//! What tells a database, and its server among those that serve copies of it, from others: an id for ever, and an epoch that
//! rises whenever a copy takes over.

use super::meta::{load_fact, save_fact};
use super::paths::named;
use super::{Error, ReadTx, Result, WriteTx};
use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

const DATABASE_ID: &str = "database_id";
const EPOCH: &str = "epoch";
const SINCE: &str = "epoch_since";

/// The id of a database and its epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// 32 hexadecimal digits. Copies have the same.
    pub database_id: String,
    /// From 1. Of two servers of one database the one of the higher epoch is right.
    pub number: u64,
    /// When it began.
    pub since: Timestamp,
}

/// The epoch of a database; `None` of one that no server of this version has opened.
pub fn find_epoch(tx: &ReadTx) -> Result<Option<Epoch>> {
    let Some(database_id) = load_fact(tx, DATABASE_ID)? else {
        return Ok(None);
    };
    let unreadable = |name| Error::Corrupt(format!("meta: {name}"));
    let number = load_fact(tx, EPOCH)?.and_then(|number| number.parse().ok());
    let since = load_fact(tx, SINCE)?.and_then(|since| since.parse().ok());
    Ok(Some(Epoch {
        database_id,
        number: number.ok_or_else(|| unreadable(EPOCH))?,
        since: since.ok_or_else(|| unreadable(SINCE))?,
    }))
}

/// The epoch of an open database.
pub fn load_epoch(tx: &ReadTx) -> Result<Epoch> {
    find_epoch(tx)?.ok_or_else(|| Error::Corrupt(format!("meta: {DATABASE_ID}")))
}

/// Begins an epoch now.
pub fn save_epoch(tx: &mut WriteTx, number: u64) -> Result<()> {
    let since = tx.now().to_string();
    save_fact(tx, EPOCH, &number.to_string())?;
    save_fact(tx, SINCE, &since)
}

/// Gives a new database its id and its first epoch.
pub(super) fn begin(tx: &mut WriteTx) -> Result<()> {
    let id = tx.mint_hexadecimal();
    save_fact(tx, DATABASE_ID, &id)?;
    let raised = load_fact(&tx.as_read(), EPOCH)?.and_then(|number| number.parse().ok());
    save_epoch(tx, raised.unwrap_or(1))
}

/// Raises the epoch of a database that nobody has open to at least this one.
pub fn raise_epoch(database: &Path, least: u64) -> Result<(), String> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let raise = || {
        let conn = Connection::open_with_flags(database, flags)?;
        let sql = "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value
                   WHERE CAST(value AS INTEGER) < CAST(excluded.value AS INTEGER)";
        conn.execute(sql, [EPOCH, &least.to_string()])
    };
    raise().map(drop).map_err(|error| named(database, error))
}
