//! What people chose of how and when they are told, beside the kinds that are mailed.

use super::rows::{column, instant, json, millis};
use super::{Error, ReadTx, Result, WriteTx};
use crate::domain::ids::{ChannelId, UserId};
use crate::domain::lead::Leads;
use crate::domain::notification::{FailedWay, LastFailure};
use crate::domain::push::PushTarget;
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
    let first: Option<String> = tx.value("SELECT min(user_id) FROM reminder_preference", [])?;
    Ok(first.is_some())
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

/// Where a person's messages are published.
pub fn load_push(tx: &ReadTx, user: &UserId) -> Result<Option<PushTarget>> {
    let sql = "SELECT url, token FROM push_target WHERE user_id = ?1";
    tx.one(sql, [user.as_str()], |row| {
        let target = PushTarget::new(row.get(0)?, row.get(1)?);
        target.map_err(|_| Error::Corrupt("push address".into()))
    })
}

/// Stores where a person's messages are published.
pub fn save_push(tx: &mut WriteTx, user: &UserId, target: Option<&PushTarget>) -> Result<()> {
    match target {
        Some(target) => {
            let sql = "INSERT INTO push_target (user_id, url, token) VALUES (?1, ?2, ?3)
                       ON CONFLICT (user_id) DO UPDATE SET url = excluded.url, token = excluded.token";
            let values = params![user.as_str(), target.url(), target.token()];
            tx.run(sql, values).map(drop)
        }
        None => {
            let sql = "DELETE FROM push_target WHERE user_id = ?1";
            tx.run(sql, [user.as_str()]).map(drop)
        }
    }
}

/// What failed last of what was sent to a person.
pub fn load_failure(tx: &ReadTx, user: &UserId) -> Result<Option<LastFailure>> {
    let sql = "SELECT way, at, error FROM notification_failure WHERE user_id = ?1";
    tx.one(sql, [user.as_str()], |row| {
        let way: String = row.get(0)?;
        let by = FailedWay::parse(&way);
        Ok(LastFailure {
            by: by.ok_or_else(|| Error::Corrupt(format!("way {way}")))?,
            at: instant(row.get(1)?)?,
            error: row.get(2)?,
        })
    })
}

/// Records that something could not be sent to a person.
pub fn save_failure(tx: &mut WriteTx, user: &UserId, by: FailedWay, error: &str) -> Result<()> {
    let sql = "INSERT INTO notification_failure (user_id, way, at, error) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (user_id) DO UPDATE SET way = excluded.way, at = excluded.at, error = excluded.error";
    let values = params![user.as_str(), by.name(), millis(tx.now()), error];
    tx.run(sql, values).map(drop)
}
