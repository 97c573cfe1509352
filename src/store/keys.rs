//! Team API keys and chat member access tokens. Secrets are stored only as SHA-256.

use super::rows::{column, instant, instant_or_none, json, millis};
use super::{ReadTx, Result, WriteTx};
use crate::domain::access::Scope;
use crate::domain::ids::{KeyId, RotationId, TokenId, UserId};
use jiff::Timestamp;
use rusqlite::{Params, Row, params};

/// A stored team API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRecord {
    pub id: KeyId,
    /// A name for people; not unique.
    pub name: String,
    /// SHA-256 of the whole key.
    pub secret_hash: [u8; 32],
    /// Rotated-out secrets, the longest valid first: SHA-256, and the instant at which it expires.
    pub outgoing: Vec<([u8; 32], Timestamp)>,
    pub scopes: Vec<Scope>,
    /// The rotations it is limited to; `None` means all.
    pub rotations: Option<Vec<RotationId>>,
    pub disabled: bool,
    pub created_at: Timestamp,
    /// When it expires; `None` means never.
    pub expires_at: Option<Timestamp>,
}

/// A stored chat member access token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRecord {
    pub id: TokenId,
    /// The person it acts as.
    pub user: UserId,
    /// SHA-256 of the whole token.
    pub secret_hash: [u8; 32],
    pub created_at: Timestamp,
    /// When it expires; `None` means never.
    pub expires_at: Option<Timestamp>,
    /// Whether its person has been deactivated since it was created. It stays disabled when they come back.
    pub disabled: bool,
}

const KEY_COLUMNS: &str =
    "id, name, secret_hash, scopes, rotations, disabled, created_at, expires_at";

/// A key by id.
pub fn load_key(tx: &ReadTx, id: &KeyId) -> Result<Option<KeyRecord>> {
    let sql = format!("SELECT {KEY_COLUMNS} FROM api_key WHERE id = ?1");
    let found = tx.one(&sql, [id.as_str()], key)?;
    found.map(|key| with_outgoing(tx, key)).transpose()
}

/// All keys, oldest first.
pub fn list_keys(tx: &ReadTx) -> Result<Vec<KeyRecord>> {
    let sql = format!("SELECT {KEY_COLUMNS} FROM api_key ORDER BY created_at, id");
    let found = tx.list(&sql, [], key)?;
    found
        .into_iter()
        .map(|key| with_outgoing(tx, key))
        .collect()
}

/// Inserts a key.
pub fn insert_key(tx: &mut WriteTx, record: &KeyRecord) -> Result<()> {
    let sql =
        format!("INSERT INTO api_key ({KEY_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    write_key(tx, &sql, record)
}

/// Updates a key.
pub fn save_key(tx: &mut WriteTx, record: &KeyRecord) -> Result<()> {
    let sql = "UPDATE api_key SET name = ?2, secret_hash = ?3, scopes = ?4, rotations = ?5, \
               disabled = ?6, created_at = ?7, expires_at = ?8 WHERE id = ?1";
    write_key(tx, sql, record)
}

/// Deletes a key; `false` if there is none with that id.
pub fn remove_key(tx: &mut WriteTx, id: &KeyId) -> Result<bool> {
    run(
        tx,
        "DELETE FROM api_key WHERE id = ?1",
        params![id.as_str()],
    )
}

const TOKEN_COLUMNS: &str = "id, user_id, secret_hash, created_at, expires_at, disabled";

/// A token by id.
pub fn load_token(tx: &ReadTx, id: &TokenId) -> Result<Option<TokenRecord>> {
    let sql = format!("SELECT {TOKEN_COLUMNS} FROM member_token WHERE id = ?1");
    tx.one(&sql, [id.as_str()], token)
}

/// All tokens, oldest first.
pub fn list_tokens(tx: &ReadTx) -> Result<Vec<TokenRecord>> {
    let sql = format!("SELECT {TOKEN_COLUMNS} FROM member_token ORDER BY created_at, id");
    tx.list(&sql, [], token)
}

/// Inserts a token. Its person must exist.
pub fn insert_token(tx: &mut WriteTx, record: &TokenRecord) -> Result<()> {
    let sql = format!("INSERT INTO member_token ({TOKEN_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
    let values = params![
        record.id.as_str(),
        record.user.as_str(),
        record.secret_hash,
        millis(record.created_at),
        record.expires_at.map(millis),
        record.disabled,
    ];
    run(tx, &sql, values).map(drop)
}

/// Deletes a token with the sessions that began with it; `false` if there is none with that id.
pub fn remove_token(tx: &mut WriteTx, id: &TokenId) -> Result<bool> {
    run(
        tx,
        "DELETE FROM member_token WHERE id = ?1",
        params![id.as_str()],
    )
}

fn write_key(tx: &mut WriteTx, sql: &str, record: &KeyRecord) -> Result<()> {
    let values = params![
        record.id.as_str(),
        record.name,
        record.secret_hash,
        json(&record.scopes)?,
        record.rotations.as_ref().map(json).transpose()?,
        record.disabled,
        millis(record.created_at),
        record.expires_at.map(millis),
    ];
    run(tx, sql, values)?;
    let gone = "DELETE FROM api_key_outgoing WHERE key_id = ?1";
    run(tx, gone, params![record.id.as_str()])?;
    let sql = "INSERT INTO api_key_outgoing (key_id, secret_hash, expires_at) VALUES (?1, ?2, ?3)";
    for (hash, expires_at) in &record.outgoing {
        run(
            tx,
            sql,
            params![record.id.as_str(), hash, millis(*expires_at)],
        )?;
    }
    Ok(())
}

/// Adds the rotated-out secrets of a key.
fn with_outgoing(tx: &ReadTx, key: KeyRecord) -> Result<KeyRecord> {
    let sql = "SELECT secret_hash, expires_at FROM api_key_outgoing WHERE key_id = ?1
               ORDER BY expires_at DESC, secret_hash";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query([key.id.as_str()])?;
    let mut outgoing = Vec::new();
    while let Some(row) = rows.next()? {
        outgoing.push((row.get(0)?, instant(row.get(1)?)?));
    }
    Ok(KeyRecord { outgoing, ..key })
}

/// Reads a row, without the rotated-out secrets of the other table.
fn key(row: &Row) -> Result<KeyRecord> {
    Ok(KeyRecord {
        id: KeyId::from(row.get::<_, String>(0)?),
        name: row.get(1)?,
        secret_hash: row.get(2)?,
        outgoing: Vec::new(),
        scopes: column(row, 3)?,
        rotations: column(row, 4)?,
        disabled: row.get(5)?,
        created_at: instant(row.get(6)?)?,
        expires_at: instant_or_none(row.get(7)?)?,
    })
}

fn token(row: &Row) -> Result<TokenRecord> {
    Ok(TokenRecord {
        id: TokenId::from(row.get::<_, String>(0)?),
        user: UserId::from(row.get::<_, String>(1)?),
        secret_hash: row.get(2)?,
        created_at: instant(row.get(3)?)?,
        expires_at: instant_or_none(row.get(4)?)?,
        disabled: row.get(5)?,
    })
}

/// Returns whether any row changed.
fn run(tx: &mut WriteTx, sql: &str, values: impl Params) -> Result<bool> {
    tx.note_credentials();
    Ok(tx.run(sql, values)? > 0)
}
