//! Signing in to the pages: sessions, links that sign in once, and what people chose. Of secrets only their SHA-256 is here.

use super::rows::{instant, millis};
use super::{Error, ReadTx, WriteTx};
use crate::domain::ids::{SessionId, UserId};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Params, Row, params};

/// A session as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRecord {
    pub id: SessionId,
    /// SHA-256 of the secret in the cookie.
    pub secret_hash: [u8; 32],
    pub user: UserId,
    /// How the person signed in, in one word.
    pub way: String,
    /// Makes the person a workspace admin, whatever the directory says.
    pub is_admin: bool,
    pub created_at: Timestamp,
    /// The last use that was noted.
    pub used_at: Timestamp,
    /// What the browser calls itself.
    pub agent: Option<String>,
}

const COLUMNS: &str = "id, secret_hash, user_id, way, is_admin, created_at, used_at, agent";

/// The session of a secret.
pub fn load_session(tx: &ReadTx, secret_hash: &[u8; 32]) -> Result<Option<SessionRecord>, Error> {
    let sql = format!("SELECT {COLUMNS} FROM session WHERE secret_hash = ?1");
    let mut query = tx.conn.prepare_cached(&sql)?;
    let found = query.query_row([secret_hash], |row| Ok(session(row)));
    found.optional()?.transpose()
}

/// The sessions of a person, the newest first.
pub fn list_sessions(tx: &ReadTx, user: &UserId) -> Result<Vec<SessionRecord>, Error> {
    let sql = format!("SELECT {COLUMNS} FROM session WHERE user_id = ?1 ORDER BY created_at DESC");
    let mut query = tx.conn.prepare_cached(&sql)?;
    let mut rows = query.query([user.as_str()])?;
    let mut sessions = Vec::new();
    while let Some(row) = rows.next()? {
        sessions.push(session(row)?);
    }
    Ok(sessions)
}

/// Adds a session.
pub fn insert_session(tx: &mut WriteTx, record: &SessionRecord) -> Result<(), Error> {
    let sql = format!("INSERT INTO session ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    let values = params![
        record.id.as_str(),
        record.secret_hash,
        record.user.as_str(),
        record.way,
        record.is_admin,
        millis(record.created_at),
        millis(record.used_at),
        record.agent,
    ];
    run(tx, &sql, values).map(drop)
}

/// Notes that a session is used.
pub fn save_session_use(tx: &mut WriteTx, id: &SessionId, at: Timestamp) -> Result<(), Error> {
    let sql = "UPDATE session SET used_at = ?2 WHERE id = ?1";
    run(tx, sql, params![id.as_str(), millis(at)]).map(drop)
}

/// Ends a session of a person; false where they have none of that id.
pub fn remove_session(tx: &mut WriteTx, user: &UserId, id: &SessionId) -> Result<bool, Error> {
    let sql = "DELETE FROM session WHERE id = ?1 AND user_id = ?2";
    run(tx, sql, [id.as_str(), user.as_str()])
}

/// Forgets sessions that nobody has used since an instant.
pub fn clear_idle_sessions(tx: &mut WriteTx, since: Timestamp) -> Result<(), Error> {
    let sql = "DELETE FROM session WHERE used_at < ?1";
    run(tx, sql, [millis(since)]).map(drop)
}

/// Ends the sessions of people who are deactivated, and their links.
pub(super) fn remove_sessions_of_deleted(tx: &mut WriteTx) -> Result<(), Error> {
    for table in ["session", "login_link"] {
        let sql = format!(
            "DELETE FROM {table} WHERE user_id IN (SELECT id FROM person WHERE is_deleted = 1)"
        );
        run(tx, &sql, [])?;
    }
    Ok(())
}

/// Adds a link that signs a person in once, until it expires. Links that have expired are forgotten.
pub fn insert_login_link(
    tx: &mut WriteTx,
    secret_hash: &[u8; 32],
    user: &UserId,
    expires_at: Timestamp,
) -> Result<(), Error> {
    let gone = "DELETE FROM login_link WHERE expires_at <= ?1";
    run(tx, gone, [millis(tx.now())])?;
    let sql = "INSERT INTO login_link (secret_hash, user_id, expires_at) VALUES (?1, ?2, ?3)";
    let values = params![secret_hash, user.as_str(), millis(expires_at)];
    run(tx, sql, values).map(drop)
}

/// Whom a link signs in at an instant.
pub fn load_login_link(
    tx: &ReadTx,
    secret_hash: &[u8; 32],
    at: Timestamp,
) -> Result<Option<UserId>, Error> {
    let sql = "SELECT user_id FROM login_link WHERE secret_hash = ?1 AND expires_at > ?2";
    let mut query = tx.conn.prepare_cached(sql)?;
    let user = query.query_row(params![secret_hash, millis(at)], |row| {
        row.get::<_, String>(0)
    });
    Ok(user.optional()?.map(UserId::from))
}

/// Uses a link up.
pub fn remove_login_link(tx: &mut WriteTx, secret_hash: &[u8; 32]) -> Result<(), Error> {
    run(
        tx,
        "DELETE FROM login_link WHERE secret_hash = ?1",
        [secret_hash],
    )
    .map(drop)
}

/// The time zone that a person chose for the pages; `None` follows the directory.
pub fn load_chosen_zone(tx: &ReadTx, user: &UserId) -> Result<Option<String>, Error> {
    let sql = "SELECT time_zone FROM preference WHERE user_id = ?1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let zone = query.query_row([user.as_str()], |row| row.get(0));
    Ok(zone.optional()?.flatten())
}

/// Stores the time zone that a person chose for the pages.
pub fn save_chosen_zone(tx: &mut WriteTx, user: &UserId, zone: Option<&str>) -> Result<(), Error> {
    let sql = "INSERT INTO preference (user_id, time_zone) VALUES (?1, ?2)
               ON CONFLICT (user_id) DO UPDATE SET time_zone = excluded.time_zone";
    run(tx, sql, params![user.as_str(), zone]).map(drop)
}

fn session(row: &Row) -> Result<SessionRecord, Error> {
    Ok(SessionRecord {
        id: row.get::<_, String>(0)?.into(),
        secret_hash: row.get(1)?,
        user: row.get::<_, String>(2)?.into(),
        way: row.get(3)?,
        is_admin: row.get(4)?,
        created_at: instant(row.get(5)?)?,
        used_at: instant(row.get(6)?)?,
        agent: row.get(7)?,
    })
}

/// Whether it changed anything.
fn run(tx: &mut WriteTx, sql: &str, values: impl Params) -> Result<bool, Error> {
    Ok(tx.conn.prepare_cached(sql)?.execute(values)? > 0)
}
