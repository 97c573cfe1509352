//! Questions with buttons that are answered: their posted messages are to show it.

use super::meta::{CHAT_PLATFORM, load_fact};
use super::rows::millis;
use super::{Result, WriteTx};
use rusqlite::params;

/// Requests an update of every posted message with buttons about a request or mention. Nobody sees the messages of the local
/// platform, so there it does nothing.
pub fn request_message_updates(tx: &mut WriteTx, subject_id: &str) -> Result<()> {
    if load_fact(&tx.as_read(), CHAT_PLATFORM)?.is_none() {
        return Ok(());
    }
    let sql = "INSERT INTO message_update (sequence, rotation_id, created_at, due_at, calls, tries)
               SELECT sequence, rotation_id, ?2, ?2, 1, 0 FROM message
               WHERE subject_id = ?1 AND state = 'sent' AND reference IS NOT NULL AND body ->> '$.answers' IS NOT NULL
               ON CONFLICT (sequence) DO UPDATE SET due_at = ?2, calls = calls + 1";
    let now = millis(tx.now());
    tx.run(sql, params![subject_id, now])?;
    tx.note_chat_messages();
    Ok(())
}
