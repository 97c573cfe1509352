//! What people were asked in Matrix to confirm before it is sent.

use super::rows::{instant, millis};
use super::{ReadTx, Result, WriteTx};
use crate::domain::ids::UserId;
use jiff::Timestamp;
use rusqlite::{Row, params};

/// Something that its author has to confirm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixDraft {
    /// The event of the message that asks.
    pub event: String,
    pub room: String,
    pub user: UserId,
    /// What is to be sent, as JSON.
    pub body: String,
    /// Our reactions below the message, separated by blanks.
    pub reactions: String,
    pub expires_at: Timestamp,
}

const DRAFT: &str = "event_id, room_id, user_id, body, reactions, expires_at";

/// Stores a draft. One that is stored stays as it is.
pub fn insert_matrix_draft(tx: &mut WriteTx, draft: &MatrixDraft) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO matrix_draft (event_id, room_id, user_id, body, reactions, expires_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let values = params![
        draft.event,
        draft.room,
        draft.user.as_str(),
        draft.body,
        draft.reactions,
        millis(draft.expires_at),
    ];
    tx.run(sql, values).map(drop)
}

/// The draft of a message.
pub fn load_matrix_draft(tx: &ReadTx, event: &str) -> Result<Option<MatrixDraft>> {
    let sql = format!("SELECT {DRAFT} FROM matrix_draft WHERE event_id = ?1");
    Ok(tx.list(&sql, [event], draft)?.pop())
}

/// Some drafts that have expired at an instant.
pub fn list_expired_matrix_drafts(tx: &ReadTx, now: Timestamp) -> Result<Vec<MatrixDraft>> {
    let sql = format!(
        "SELECT {DRAFT} FROM matrix_draft WHERE expires_at <= ?1 ORDER BY expires_at LIMIT 20"
    );
    tx.list(&sql, [millis(now)], draft)
}

/// Removes a draft.
pub fn remove_matrix_draft(tx: &mut WriteTx, event: &str) -> Result<()> {
    tx.run("DELETE FROM matrix_draft WHERE event_id = ?1", [event])
        .map(drop)
}

fn draft(row: &Row) -> Result<MatrixDraft> {
    Ok(MatrixDraft {
        event: row.get(0)?,
        room: row.get(1)?,
        user: row.get::<_, String>(2)?.into(),
        body: row.get(3)?,
        reactions: row.get(4)?,
        expires_at: instant(row.get(5)?)?,
    })
}
