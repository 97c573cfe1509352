//! People to whom a link that signs them in once is still to be mailed.

use super::rows::{first_instant, instant, millis};
use super::{ReadTx, Result, WriteTx};
use crate::domain::ids::UserId;
use jiff::Timestamp;
use rusqlite::params;

/// An invitation that is to be mailed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    pub user: UserId,
    pub created_at: Timestamp,
    /// Failed tries.
    pub tries: u32,
}

/// Queues an invitation, in the place of one that waits.
pub fn save_invitation(tx: &mut WriteTx, user: &UserId) -> Result<()> {
    let sql = "INSERT INTO invitation (user_id, created_at, due_at, tries) VALUES (?1, ?2, ?2, 0)
               ON CONFLICT (user_id) DO UPDATE SET created_at = excluded.created_at, due_at = excluded.due_at, tries = 0,
               error = NULL";
    tx.run(sql, params![user.as_str(), millis(tx.now())])?;
    tx.note_relays();
    Ok(())
}

/// The invitations that are due.
pub fn list_due_invitations(tx: &ReadTx, now: Timestamp, most: usize) -> Result<Vec<Invitation>> {
    let sql = "SELECT user_id, created_at, tries FROM invitation WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2";
    tx.list(sql, params![millis(now), most as i64], |row| {
        Ok(Invitation {
            user: row.get::<_, String>(0)?.into(),
            created_at: instant(row.get(1)?)?,
            tries: row.get(2)?,
        })
    })
}

/// When the next invitation is due.
pub fn next_invitation(tx: &ReadTx) -> Result<Option<Timestamp>> {
    first_instant(tx.conn, "SELECT min(due_at) FROM invitation")
}

/// Removes an invitation that was mailed, or is given up.
pub fn remove_invitation(tx: &mut WriteTx, user: &UserId) -> Result<()> {
    let sql = "DELETE FROM invitation WHERE user_id = ?1";
    tx.run(sql, [user.as_str()]).map(drop)
}

/// Schedules the next try.
pub fn retry_invitation(tx: &mut WriteTx, user: &UserId, at: Timestamp, error: &str) -> Result<()> {
    let sql = "UPDATE invitation SET due_at = ?2, tries = tries + 1, error = ?3 WHERE user_id = ?1";
    tx.run(sql, params![user.as_str(), millis(at), error])?;
    tx.note_relays();
    Ok(())
}
