//! What a server did after the last copy of its database that the database of another one lacks.

use super::audit;
use super::rows::{instant, millis};
use super::{ReadTx, Result};
use crate::domain::audit::AuditEntry;
use jiff::Timestamp;
use rusqlite::{Row, params};

/// Something that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentThere {
    /// When it was made.
    pub at: Timestamp,
    /// `delivery` or `message`.
    pub kind: &'static str,
    /// The id of the delivery, or the number of the message.
    pub id: String,
    /// The endpoint, the person or the channel.
    pub to: String,
    /// The type of the event, or what the message is about.
    pub about: String,
    /// The id of its rotation; empty where it is about none.
    pub rotation: String,
}

/// An entry of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedThere {
    pub at: Timestamp,
    pub rotation: String,
    pub cell: String,
    /// Who came on call there; `None` for nobody.
    pub user: Option<String>,
    /// Who came on call here at the same instant, if anything happened here then.
    pub here: Option<Option<String>>,
}

/// The entries of the audit log there that are not here, oldest first. Copies of the database are no changes.
pub fn list_entries_there(there: &ReadTx, here: &ReadTx) -> Result<Vec<AuditEntry>> {
    let sql = format!(
        "SELECT {} FROM audit WHERE action <> 'getReplica' ORDER BY at, sequence",
        audit::COLUMNS
    );
    let mut found = there.list(&sql, [], audit::read)?;
    let mut known = (here.conn).prepare_cached("SELECT 1 FROM audit WHERE at = ?1 AND id = ?2")?;
    let mut missing = Vec::new();
    for (_, entry) in found.drain(..) {
        if !known.exists(params![millis(entry.at), entry.id])? {
            missing.push(entry);
        }
    }
    Ok(missing)
}

/// What was sent there and not here, oldest first: deliveries with more attempts, and messages.
pub fn list_sent_there(there: &ReadTx, here: &ReadTx) -> Result<Vec<SentThere>> {
    let deliveries = "SELECT d.created_at, d.id, d.webhook_id, e.event_type, e.rotation_id, d.attempts
                      FROM delivery d JOIN event e ON e.id = d.event_id WHERE d.attempts > 0 ORDER BY d.sequence";
    let deliveries = there.list(deliveries, [], |row| {
        Ok((sent("delivery", row)?, row.get::<_, i64>(5)?))
    })?;
    let mut known =
        (here.conn).prepare_cached("SELECT 1 FROM delivery WHERE id = ?1 AND attempts >= ?2")?;
    let mut missing = Vec::new();
    for (delivery, attempts) in deliveries {
        if !known.exists(params![delivery.id, attempts])? {
            missing.push(delivery);
        }
    }
    let messages = "SELECT created_at, CAST(sequence AS TEXT), recipient_id, json_extract(body, '$.kind'), rotation_id, sequence
                    FROM message WHERE state = 'sent' ORDER BY sequence";
    let messages = there.list(messages, [], |row| {
        Ok((sent("message", row)?, row.get::<_, i64>(5)?))
    })?;
    let mut known = here.conn.prepare_cached(
        "SELECT 1 FROM message WHERE sequence = ?1 AND created_at = ?2 AND recipient_id = ?3 AND state = 'sent'",
    )?;
    for (message, sequence) in messages {
        if !known.exists(params![sequence, millis(message.at), message.to])? {
            missing.push(message);
        }
    }
    missing.sort_by_key(|sent| sent.at);
    Ok(missing)
}

fn sent(kind: &'static str, row: &Row) -> Result<SentThere> {
    Ok(SentThere {
        at: instant(row.get(0)?)?,
        kind,
        id: row.get(1)?,
        to: row.get(2)?,
        about: row.get::<_, Option<String>>(3)?.unwrap_or_default(),
        rotation: row.get(4)?,
    })
}

/// The entries of the record there that are others here, oldest first. Those of rotations that are not here are in the audit log.
pub fn list_recorded_there(there: &ReadTx, here: &ReadTx) -> Result<Vec<RecordedThere>> {
    let sql = "SELECT started_at, rotation_id, cell_id, user_id FROM history ORDER BY started_at, rotation_id, cell_id";
    let entries = there.list(sql, [], |row| {
        Ok(RecordedThere {
            at: instant(row.get(0)?)?,
            rotation: row.get(1)?,
            cell: row.get(2)?,
            user: row.get(3)?,
            here: None,
        })
    })?;
    let mut known = here.conn.prepare_cached(
        "SELECT user_id FROM history WHERE rotation_id = ?1 AND cell_id = ?2 AND started_at = ?3",
    )?;
    let mut differing = Vec::new();
    for mut entry in entries {
        let key = params![entry.rotation, entry.cell, millis(entry.at)];
        let mut rows = known.query(key)?;
        entry.here = match rows.next()? {
            Some(row) => Some(row.get(0)?),
            None => None,
        };
        if entry.here.as_ref() != Some(&entry.user) {
            differing.push(entry);
        }
    }
    Ok(differing)
}
