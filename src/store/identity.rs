//! Who people are at identity providers.

use super::rows::millis;
use super::session::remove_sessions_by;
use super::{ReadTx, Result, WriteTx};
use crate::domain::identity::Identity;
use crate::domain::ids::UserId;
use rusqlite::{OptionalExtension, params};

/// Whom an identity is linked to.
pub fn load_identity(tx: &ReadTx, identity: &Identity) -> Result<Option<UserId>> {
    let sql = "SELECT user_id FROM identity WHERE issuer = ?1 AND sub = ?2";
    tx.one(sql, [&identity.issuer, &identity.subject], |row| {
        Ok(row.get::<_, String>(0)?.into())
    })
}

/// The identity of an issuer that a person is linked to.
pub fn load_identity_of(tx: &ReadTx, issuer: &str, user: &UserId) -> Result<Option<Identity>> {
    let sql = "SELECT sub FROM identity WHERE user_id = ?1 AND issuer = ?2";
    let mut query = tx.conn.prepare_cached(sql)?;
    let found = query.query_row([user.as_str(), issuer], |row| row.get(0));
    Ok(found.optional()?.map(|subject| Identity {
        issuer: issuer.to_owned(),
        subject,
    }))
}

/// Links an identity to a person, in the place of earlier links of the identity, and of the person at the same issuer. The
/// sessions that began with those end.
pub fn link_identity(tx: &mut WriteTx, identity: &Identity, user: &UserId) -> Result<()> {
    let (issuer, subject, now) = (&identity.issuer, &identity.subject, millis(tx.now()));
    let previous = load_identity(&tx.as_read(), identity)?;
    for user in previous.iter().chain([user]) {
        remove_sessions_by(tx, user, issuer)?;
    }
    let before = "DELETE FROM identity WHERE user_id = ?1 AND issuer = ?2";
    let mut statement = tx.conn.prepare_cached(before)?;
    statement.execute([user.as_str(), issuer])?;
    let sql = "INSERT INTO identity (issuer, sub, user_id, linked_at) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (issuer, sub) DO UPDATE SET user_id = excluded.user_id, linked_at = excluded.linked_at";
    let mut statement = tx.conn.prepare_cached(sql)?;
    statement.execute(params![issuer, subject, user.as_str(), now])?;
    Ok(())
}
