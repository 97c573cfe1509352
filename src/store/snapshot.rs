//! Operational state: who is on call in every rotation, and what waits to be sent.

use super::rows::instant;
use super::version::VERSION;
use super::{ReadTx, Result};
use crate::domain::ids::RotationId;
use crate::domain::relay::Way;
use crate::domain::rotation::Reason;
use crate::domain::snapshot::{Listed, OpenSlot, Queue, Undelivered};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};

/// The names of every rotation.
pub fn list_rotation_names(tx: &ReadTx) -> Result<Vec<Listed>> {
    let sql = "SELECT id, code, name, enabled FROM rotation r ORDER BY id";
    tx.list(sql, [], |row| {
        Ok(Listed {
            id: row.get::<_, String>(0)?.into(),
            code: row.get(1)?,
            name: row.get(2)?,
            enabled: row.get(3)?,
        })
    })
}

/// The name of one of them.
pub fn load_rotation_name(tx: &ReadTx, id: &RotationId) -> Result<Option<String>> {
    let sql = "SELECT name FROM rotation WHERE id = ?1";
    tx.one(sql, [id.as_str()], |row| Ok(row.get(0)?))
}

/// The slots with a running lane and an open window, with the person on call there, as last judged. The running history
/// entry names that person, arranged or dealt.
pub fn list_open_slots(tx: &ReadTx) -> Result<Vec<OpenSlot>> {
    // Ordered by rotation id and keys, so that the rows are rendered in the order they are read.
    let sql = "SELECT r.id, h.lane_id, h.window_id, h.user_id, h.started_at, r.enabled, c.id
               FROM rotation r CROSS JOIN cell c ON c.rotation_id = r.id AND NOT c.stopped
                    CROSS JOIN coverage_window w ON w.rotation_id = r.id AND w.position = c.window AND w.is_open
                    CROSS JOIN history h ON h.rotation_id = r.id AND h.cell_id = c.id AND h.ended_at IS NULL
                         AND h.outside IS NULL
               ORDER BY r.id, c.position";
    tx.list(sql, [], |row| {
        Ok(OpenSlot {
            rotation: row.get::<_, String>(0)?.into(),
            lane: row.get::<_, String>(1)?.into(),
            window: row.get::<_, String>(2)?.into(),
            user: row.get::<_, Option<String>>(3)?.map(Into::into),
            since: instant(row.get(4)?)?,
            enabled: row.get(5)?,
            cell: row.get::<_, String>(6)?.into(),
        })
    })
}

/// Since when a slot has been empty while its window is open, across all changes: since the last person left or the window
/// opened.
pub fn nobody_since(tx: &ReadTx, slot: &OpenSlot) -> Result<Timestamp> {
    let sql = "SELECT h.started_at, h.user_id IS NULL AND h.outside IS NULL AND h.reason <> ?2, h.reason = ?3
               FROM history h WHERE h.rotation_id = ?1 AND h.cell_id = ?4
               ORDER BY h.started_at DESC";
    let [shut, opened] = [
        Reason::BusinessHoursOffline,
        Reason::BusinessHoursBackOnline,
    ];
    let values = params![
        slot.rotation.as_str(),
        shut.name(),
        opened.name(),
        slot.cell.as_str()
    ];
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query(values)?;
    let mut since = slot.since;
    while let Some(row) = rows.next()? {
        let (nobody, has_opened): (bool, bool) = (row.get(1)?, row.get(2)?);
        if !nobody {
            break;
        }
        since = instant(row.get(0)?)?;
        if has_opened {
            break;
        }
    }
    Ok(since)
}

/// Counts the messages that wait for a way.
fn waiting(way: Way) -> String {
    let way = way.name();
    format!("SELECT count(*) FROM message_relay WHERE way = '{way}' AND state = 'pending'")
}

/// The queues of what is to be sent.
pub fn load_queue(tx: &ReadTx) -> Result<Queue> {
    let number = |sql: &str| -> Result<u64> {
        let count: i64 = tx
            .conn
            .prepare_cached(sql)?
            .query_row([], |row| row.get(0))?;
        Ok(count as u64)
    };
    Ok(Queue {
        pending: number(
            "SELECT count(*) FROM webhook CROSS JOIN delivery d ON d.webhook_id = webhook.id
                  AND d.state = 'pending' AND d.state <> 'delivered'",
        )?,
        oldest: oldest_undelivered(tx)?,
        messages: number("SELECT count(*) FROM message WHERE state = 'pending' AND due_at > 0")?,
        relays: [
            number(&waiting(Way::Mail))?,
            number(&waiting(Way::IncomingWebhook))?,
            number(&waiting(Way::Push))?,
        ],
        enabled_endpoints: number("SELECT count(*) FROM webhook WHERE disabled_reason IS NULL")?,
        disabled_endpoints: number(
            "SELECT count(*) FROM webhook WHERE disabled_reason IS NOT NULL",
        )?,
    })
}

/// The oldest event with an unfinished delivery to an enabled endpoint. An index finds the first one of each endpoint.
fn oldest_undelivered(tx: &ReadTx) -> Result<Option<Undelivered>> {
    let sql = "SELECT d.id, e.event_type, d.created_at
               FROM webhook CROSS JOIN delivery d ON d.sequence =
                        (SELECT min(sequence) FROM delivery
                         WHERE webhook_id = webhook.id AND state = 'pending' AND state <> 'delivered')
                    CROSS JOIN event e ON e.id = d.event_id
               WHERE webhook.disabled_reason IS NULL
               ORDER BY d.sequence LIMIT 1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let found = query
        .query_row([], |row| {
            let at: i64 = row.get(2)?;
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, at))
        })
        .optional()?;
    let Some((id, event_type, created_at)) = found else {
        return Ok(None);
    };
    Ok(Some(Undelivered {
        id: id.into(),
        event_type,
        created_at: instant(created_at)?,
    }))
}

/// The size of the database, in bytes.
pub fn database_bytes(tx: &ReadTx) -> Result<u64> {
    super::rows::bytes(tx.conn)
}

/// The version of the bundled SQLite.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

/// The schema version that the program reads and writes.
pub fn schema_version() -> i64 {
    VERSION
}
