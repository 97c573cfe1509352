//! What people chose of how and when they are told, beside the kinds that are mailed.

use super::rows::{column, json};
use super::{Error, ReadTx, Result, WriteTx};
use crate::domain::ids::{ChannelId, UserId};
use crate::domain::lead::Leads;
use crate::domain::time::HhMm;
use crate::domain::weekly::{ChannelSummary, Weekly};
use crate::domain::zones::ZoneName;
use jiff::civil::Weekday;
use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

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

/// When a person wants the summary of their next days.
pub fn load_summary(tx: &ReadTx, user: &UserId) -> Result<Option<Weekly>> {
    let sql = "SELECT day, time FROM summary_preference WHERE user_id = ?1";
    tx.one(sql, [user.as_str()], |row| {
        let (day, time): (i8, String) = (row.get(0)?, row.get(1)?);
        let time = HhMm::parse(&time);
        Ok(Weekly {
            day: weekday(day)?,
            time: time.ok_or_else(|| Error::Corrupt("time of a summary".into()))?,
        })
    })
}

/// Stores when a person wants the summary of their next days.
pub fn save_summary(tx: &mut WriteTx, user: &UserId, weekly: Option<Weekly>) -> Result<()> {
    match weekly {
        Some(Weekly { day, time }) => {
            let sql = "INSERT INTO summary_preference (user_id, day, time) VALUES (?1, ?2, ?3)
                       ON CONFLICT (user_id) DO UPDATE SET day = excluded.day, time = excluded.time";
            let values = params![user.as_str(), day.to_monday_zero_offset(), time.to_string()];
            tx.run(sql, values).map(drop)
        }
        None => {
            let sql = "DELETE FROM summary_preference WHERE user_id = ?1";
            tx.run(sql, [user.as_str()]).map(drop)
        }
    }
}

fn weekday(day: i8) -> Result<Weekday> {
    Weekday::from_monday_zero_offset(day).map_err(|error| Error::Corrupt(error.to_string()))
}

/// The weekly summary of channels as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredSummary {
    /// 0 for Monday.
    day: i8,
    time: HhMm,
    zone: ZoneName,
    channels: Vec<String>,
}

/// The weekly summary of the channels of a rotation.
pub(super) fn summary_json(summary: &ChannelSummary) -> Result<String> {
    let channels = summary.channels.iter();
    json(&StoredSummary {
        day: summary.weekly.day.to_monday_zero_offset(),
        time: summary.weekly.time,
        zone: summary.zone,
        channels: channels.map(ToString::to_string).collect(),
    })
}

/// Reads what [`summary_json`] stored; `None` where there is none.
pub(super) fn read_summary(row: &Row, index: usize) -> Result<Option<ChannelSummary>> {
    let stored: Option<StoredSummary> = column(row, index)?;
    let read = |stored: StoredSummary| {
        Ok(ChannelSummary {
            weekly: Weekly {
                day: weekday(stored.day)?,
                time: stored.time,
            },
            zone: stored.zone,
            channels: stored.channels.into_iter().map(ChannelId::from).collect(),
        })
    };
    stored.map(read).transpose()
}
