//! What people chose of how and when they are told, beside the kinds that are mailed.

use super::rows::{column, json};
use super::{ReadTx, Result, WriteTx};
use crate::domain::ids::UserId;
use crate::domain::lead::Leads;
use rusqlite::params;

/// The reminders that a person chose; `None` for those of the server.
pub fn load_leads(tx: &ReadTx, user: &UserId) -> Result<Option<Leads>> {
    let sql = "SELECT leads FROM reminder_preference WHERE user_id = ?1";
    tx.one(sql, [user.as_str()], |row| column(row, 0))
}

/// Whether anybody chose reminders of their own.
pub fn any_leads(tx: &ReadTx) -> Result<bool> {
    let sql = "SELECT 1 FROM reminder_preference LIMIT 1";
    Ok(tx.conn.prepare_cached(sql)?.exists([])?)
}

/// Stores the reminders that a person chose.
pub fn save_leads(tx: &mut WriteTx, user: &UserId, leads: Option<&Leads>) -> Result<()> {
    match leads {
        Some(leads) => {
            let sql = "INSERT INTO reminder_preference (user_id, leads) VALUES (?1, ?2)
                       ON CONFLICT (user_id) DO UPDATE SET leads = excluded.leads";
            tx.run(sql, params![user.as_str(), json(leads)?]).map(drop)
        }
        None => {
            let sql = "DELETE FROM reminder_preference WHERE user_id = ?1";
            tx.run(sql, [user.as_str()]).map(drop)
        }
    }
}
