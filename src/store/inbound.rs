//! Inbound webhooks of rotations.

use super::rows::{instant, millis};
use super::{ReadTx, Result, WriteTx};
use crate::domain::ids::RotationId;
use jiff::Timestamp;
use rusqlite::params;

/// The inbound webhook of a rotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboundWebhook {
    pub rotation: RotationId,
    /// The last segment of its URL.
    pub path: String,
    pub key: String,
    pub created_at: Timestamp,
}

/// The inbound webhook of a rotation; `None` if it was never created.
pub fn load_inbound(tx: &ReadTx, rotation: &RotationId) -> Result<Option<InboundWebhook>> {
    inbound(tx, "rotation_id", rotation.as_str())
}

/// An inbound webhook by its path.
pub fn load_inbound_by_path(tx: &ReadTx, path: &str) -> Result<Option<InboundWebhook>> {
    inbound(tx, "path", path)
}

fn inbound(tx: &ReadTx, column: &str, value: &str) -> Result<Option<InboundWebhook>> {
    let sql = format!(
        "SELECT rotation_id, path, access_key, created_at FROM inbound_webhook WHERE {column} = ?1"
    );
    let mut query = tx.conn.prepare_cached(&sql)?;
    let mut rows = query.query([value])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    Ok(Some(InboundWebhook {
        rotation: row.get::<_, String>(0)?.into(),
        path: row.get(1)?,
        key: row.get(2)?,
        created_at: instant(row.get(3)?)?,
    }))
}

/// Saves the inbound webhook of a rotation, replacing the previous one.
pub fn save_inbound(tx: &mut WriteTx, inbound: &InboundWebhook) -> Result<()> {
    let sql = "INSERT INTO inbound_webhook (rotation_id, path, access_key, created_at) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (rotation_id) DO UPDATE SET path = excluded.path, access_key = excluded.access_key,
                   created_at = excluded.created_at";
    tx.run(
        sql,
        params![
            inbound.rotation.as_str(),
            inbound.path,
            inbound.key,
            millis(inbound.created_at),
        ],
    )?;
    Ok(())
}
