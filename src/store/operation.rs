//! Writes with an `operationId`, and the stored responses (rules.md 9.4).

use super::rows::{instant, millis};
use super::{ReadTx, Result, WriteTx};
use crate::domain::ids::RotationId;
use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};

/// A completed write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationRecord {
    /// SHA-256 of method, path and body in canonical form.
    pub body_hash: [u8; 32],
    /// The response as JSON, with its ETag.
    pub answer: String,
    pub etag: String,
    pub created_at: Timestamp,
}

/// Records purged per commit, so that other writers are not delayed.
const PURGE_BATCH: i64 = 500;

/// The completed write with an id of a credential; `None` if the id is unused.
pub fn load_operation(tx: &ReadTx, credential: &str, id: &str) -> Result<Option<OperationRecord>> {
    let sql = "SELECT body_hash, answer, etag, created_at FROM operation WHERE credential = ?1 AND id = ?2";
    let mut query = tx.conn.prepare_cached(sql)?;
    let found = query.query_row([credential, id], |row| {
        let created_at: i64 = row.get(3)?;
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, created_at))
    });
    let Some((body_hash, answer, etag, created_at)) = found.optional()? else {
        return Ok(None);
    };
    Ok(Some(OperationRecord {
        body_hash,
        answer,
        etag,
        created_at: instant(created_at)?,
    }))
}

/// Inserts a completed write, replacing an expired record.
pub fn insert_operation(
    tx: &mut WriteTx,
    credential: &str,
    id: &str,
    rotation: &RotationId,
    record: &OperationRecord,
) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO operation (credential, id, rotation_id, body_hash, answer, etag, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    tx.run(
        sql,
        params![
            credential,
            id,
            rotation.as_str(),
            record.body_hash,
            record.answer,
            record.etag,
            millis(record.created_at),
        ],
    )?;
    Ok(())
}

/// Whether any write was completed before an instant.
pub fn any_old_operation(tx: &ReadTx, until: Timestamp) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM operation WHERE created_at < ?1)";
    tx.value(sql, [millis(until)])
}

/// Purges some of the writes that were completed before an instant.
pub fn clear_operations(tx: &mut WriteTx, until: Timestamp) -> Result<()> {
    let sql = "DELETE FROM operation WHERE (credential, id) IN (
                   SELECT credential, id FROM operation WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)";
    let mut remove = tx.conn.prepare_cached(sql)?;
    let old = params![millis(until), PURGE_BATCH];
    Ok(remove.execute(old).map(drop)?)
}
