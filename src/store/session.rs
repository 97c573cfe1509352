//! Signing in to the pages: sessions, links that sign in once, and what people chose. Of secrets only their SHA-256 is here.

use super::rows::{instant, instant_or_none, millis};
use super::{Error, ReadTx, Result, WriteTx};
use crate::domain::ids::{SessionId, TokenId, UserId};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Params, Row, params};

/// A session as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRecord {
    pub id: SessionId,
    /// SHA-256 of the secret in the cookie.
    pub secret_hash: [u8; 32],
    pub user: UserId,
    pub origin: SessionOrigin,
    pub created_at: Timestamp,
    /// The last use that was noted.
    pub used_at: Timestamp,
    /// The browser's name of itself.
    pub agent: Option<String>,
}

/// The origin of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionOrigin {
    /// A link that signs in once.
    Link,
    /// A member token, which expires at an instant or never.
    Token {
        id: TokenId,
        expires_at: Option<Timestamp>,
    },
    /// The name of the person: for development.
    Development,
    /// The identity that the person has at an issuer.
    Provider {
        issuer: String,
        /// The address that the issuer had verified, if it is believed about its domain.
        email: Option<String>,
        /// Makes the person a workspace administrator, whatever the directory says.
        is_admin: bool,
    },
}

impl SessionOrigin {
    /// How the person signed in, in one word.
    pub fn way(&self) -> &'static str {
        match self {
            SessionOrigin::Link => "link",
            SessionOrigin::Token { .. } => "token",
            SessionOrigin::Development => "development",
            SessionOrigin::Provider { .. } => "oidc",
        }
    }
}

const SELECT: &str = "SELECT s.id, s.secret_hash, s.user_id, s.way, s.token_id, t.expires_at, s.issuer, s.email, s.is_admin,
                             s.created_at, s.used_at, s.agent
                      FROM session s LEFT JOIN member_token t ON t.id = s.token_id";

/// The session of a secret.
pub fn load_session(tx: &ReadTx, secret_hash: &[u8; 32]) -> Result<Option<SessionRecord>> {
    one(tx, "s.secret_hash = ?1", [secret_hash])
}

/// A session by id.
pub fn load_session_by_id(tx: &ReadTx, id: &SessionId) -> Result<Option<SessionRecord>> {
    one(tx, "s.id = ?1", [id.as_str()])
}

fn one(tx: &ReadTx, condition: &str, values: impl Params) -> Result<Option<SessionRecord>> {
    tx.one(&format!("{SELECT} WHERE {condition}"), values, session)
}

/// The sessions of a person, the newest first.
pub fn list_sessions(tx: &ReadTx, user: &UserId) -> Result<Vec<SessionRecord>> {
    let rest = "WHERE s.user_id = ?1 ORDER BY s.created_at DESC";
    many(tx, rest, [user.as_str()])
}

/// The sessions of everybody, by person, the newest first.
pub fn list_all_sessions(tx: &ReadTx) -> Result<Vec<SessionRecord>> {
    many(tx, "ORDER BY s.user_id, s.created_at DESC", [])
}

fn many(tx: &ReadTx, rest: &str, values: impl Params) -> Result<Vec<SessionRecord>> {
    let mut query = tx.conn.prepare_cached(&format!("{SELECT} {rest}"))?;
    let mut rows = query.query(values)?;
    let mut sessions = Vec::new();
    while let Some(row) = rows.next()? {
        sessions.push(session(row)?);
    }
    Ok(sessions)
}

/// How many sessions began with a token.
pub fn count_sessions_of_token(tx: &ReadTx, token: &TokenId) -> Result<u64> {
    let sql = "SELECT count(*) FROM session WHERE token_id = ?1";
    let count: i64 = tx.value(sql, [token.as_str()])?;
    Ok(count.unsigned_abs())
}

/// Adds a session.
pub fn insert_session(tx: &mut WriteTx, record: &SessionRecord) -> Result<()> {
    let sql = "INSERT INTO session (id, secret_hash, user_id, way, token_id, issuer, email, is_admin, created_at, used_at, agent)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    let (mut token, mut provider) = (None, (None, None, false));
    match &record.origin {
        SessionOrigin::Token { id, .. } => token = Some(id.as_str()),
        SessionOrigin::Provider {
            issuer,
            email,
            is_admin,
        } => provider = (Some(issuer), email.as_deref(), *is_admin),
        SessionOrigin::Link | SessionOrigin::Development => {}
    }
    let (issuer, email, is_admin) = provider;
    let values = params![
        record.id.as_str(),
        record.secret_hash,
        record.user.as_str(),
        record.origin.way(),
        token,
        issuer,
        email,
        is_admin,
        millis(record.created_at),
        millis(record.used_at),
        record.agent,
    ];
    run(tx, sql, values).map(drop)
}

/// Notes that a session is used.
pub fn save_session_use(tx: &mut WriteTx, id: &SessionId, at: Timestamp) -> Result<()> {
    let sql = "UPDATE session SET used_at = ?2 WHERE id = ?1";
    run(tx, sql, params![id.as_str(), millis(at)]).map(drop)
}

/// Ends a session of a person; false where they have none of that id.
pub fn remove_session(tx: &mut WriteTx, user: &UserId, id: &SessionId) -> Result<bool> {
    let sql = "DELETE FROM session WHERE id = ?1 AND user_id = ?2";
    run(tx, sql, [id.as_str(), user.as_str()])
}

/// Ends every session of a person, and answers how many there were.
pub fn remove_sessions(tx: &mut WriteTx, user: &UserId) -> Result<usize> {
    let sql = "DELETE FROM session WHERE user_id = ?1";
    tx.run(sql, [user.as_str()])
}

/// Ends the sessions that a person began with their identity at an issuer.
pub(super) fn remove_sessions_by(tx: &mut WriteTx, user: &UserId, issuer: &str) -> Result<()> {
    let sql = "DELETE FROM session WHERE user_id = ?1 AND issuer = ?2";
    run(tx, sql, [user.as_str(), issuer]).map(drop)
}

/// Takes back the links of a person that have not been used, and answers how many there were.
pub fn remove_login_links(tx: &mut WriteTx, user: &UserId) -> Result<usize> {
    let sql = "DELETE FROM login_link WHERE user_id = ?1";
    tx.run(sql, [user.as_str()])
}

/// Forgets sessions that nobody has used since an instant.
pub fn clear_idle_sessions(tx: &mut WriteTx, since: Timestamp) -> Result<()> {
    let sql = "DELETE FROM session WHERE used_at < ?1";
    run(tx, sql, [millis(since)]).map(drop)
}

/// Adds a link that signs a person in once, until it expires. Links that have expired are forgotten.
pub fn insert_login_link(
    tx: &mut WriteTx,
    secret_hash: &[u8; 32],
    user: &UserId,
    expires_at: Timestamp,
) -> Result<()> {
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
) -> Result<Option<UserId>> {
    let sql = "SELECT user_id FROM login_link WHERE secret_hash = ?1 AND expires_at > ?2";
    tx.one(sql, params![secret_hash, millis(at)], |row| {
        Ok(row.get::<_, String>(0)?.into())
    })
}

/// Uses a link up.
pub fn remove_login_link(tx: &mut WriteTx, secret_hash: &[u8; 32]) -> Result<()> {
    run(
        tx,
        "DELETE FROM login_link WHERE secret_hash = ?1",
        [secret_hash],
    )
    .map(drop)
}

/// The time zone that a person chose for the pages; `None` follows the directory.
pub fn load_chosen_zone(tx: &ReadTx, user: &UserId) -> Result<Option<String>> {
    let sql = "SELECT time_zone FROM preference WHERE user_id = ?1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let zone = query.query_row([user.as_str()], |row| row.get(0));
    Ok(zone.optional()?.flatten())
}

/// Stores the time zone that a person chose for the pages.
pub fn save_chosen_zone(tx: &mut WriteTx, user: &UserId, zone: Option<&str>) -> Result<()> {
    let sql = "INSERT INTO preference (user_id, time_zone) VALUES (?1, ?2)
               ON CONFLICT (user_id) DO UPDATE SET time_zone = excluded.time_zone";
    run(tx, sql, params![user.as_str(), zone])?;
    super::agenda::summary_may_move(tx, user.as_str())
}

fn session(row: &Row) -> Result<SessionRecord> {
    let id: String = row.get(0)?;
    let way: String = row.get(3)?;
    let origin = match way.as_str() {
        "link" => SessionOrigin::Link,
        "development" => SessionOrigin::Development,
        "token" => SessionOrigin::Token {
            id: row.get::<_, String>(4)?.into(),
            expires_at: instant_or_none(row.get(5)?)?,
        },
        "oidc" => SessionOrigin::Provider {
            issuer: row.get(6)?,
            email: row.get(7)?,
            is_admin: row.get(8)?,
        },
        _ => return Err(Error::Corrupt(format!("session {id}"))),
    };
    Ok(SessionRecord {
        id: id.into(),
        secret_hash: row.get(1)?,
        user: row.get::<_, String>(2)?.into(),
        origin,
        created_at: instant(row.get(9)?)?,
        used_at: instant(row.get(10)?)?,
        agent: row.get(11)?,
    })
}

/// Whether it changed anything.
fn run(tx: &mut WriteTx, sql: &str, values: impl Params) -> Result<bool> {
    Ok(tx.run(sql, values)? > 0)
}
