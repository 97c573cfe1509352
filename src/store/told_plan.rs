//! The told plan of each rotation, and the marks of writes that may have moved somebody's shifts.

mod packed;

use super::message::{MESSAGE, message};
use super::rows::{column, from_json, instant, instant_or_none, json, millis};
use super::{Error, ReadTx, Result, WriteTx};
use crate::domain::actor::{Actor, ActorKind};
use crate::domain::ids::{RotationId, UserId};
use crate::domain::message::Message;
use crate::domain::time::Interval;
use crate::domain::told_plan::{Mark, PendingNotices, Reason, ToldPlan};
use jiff::Timestamp;
use rusqlite::{Row, params};
use serde::de::DeserializeOwned;

/// A stored told plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPlan {
    /// The time that it covers.
    pub span: Interval,
    /// `None` until somebody is in a plan for the first time.
    pub plan: Option<ToldPlan>,
    /// The last message when it was stored.
    pub message_sequence: i64,
    /// When people were told last, in real time, and who.
    pub last_told: Option<(Timestamp, Vec<UserId>)>,
}

/// Marks a rotation as changed so that people may have to be told; `at` is in real time.
pub fn mark_pending(
    tx: &mut WriteTx,
    rotation: &RotationId,
    at: Timestamp,
    mark: &Mark,
) -> Result<()> {
    let sql = "INSERT INTO pending_notice (rotation_id, first_at, last_at, marks, actors, reason, told_otherwise)
               VALUES (?1, ?2, ?2, 1, ?3, ?4, ?5)
               ON CONFLICT (rotation_id) DO UPDATE SET
                   last_at = excluded.last_at, marks = marks + 1,
                   actors = CASE WHEN instr(actors, excluded.actors) THEN actors ELSE actors || excluded.actors END,
                   reason = excluded.reason, reason_before = reason, reason_before_that = reason_before,
                   told_otherwise = told_otherwise || excluded.told_otherwise";
    let Actor { kind, id, name } = &mark.actor;
    let actor = json(&(kind, id, name))? + "\n";
    let mut told_otherwise = String::new();
    for one in &mark.told_otherwise {
        told_otherwise.push_str(&json(one)?);
        told_otherwise.push('\n');
    }
    let values = params![
        rotation.as_str(),
        millis(at),
        actor,
        json(&mark.reason)?,
        told_otherwise
    ];
    tx.run(sql, values).map(drop)
}

const PENDING: &str =
    "first_at, last_at, marks, actors, reason, reason_before, reason_before_that, told_otherwise";

fn pending(row: &Row) -> Result<PendingNotices> {
    let reasons: [Option<String>; 3] = [row.get(6)?, row.get(5)?, row.get(4)?];
    let reasons = reasons.iter().flatten().map(|text| from_json(text));
    let actors: Vec<(ActorKind, Option<String>, Option<String>)> =
        lines(&row.get::<_, String>(3)?)?;
    let actors = actors.into_iter();
    Ok(PendingNotices {
        first_at: instant(row.get(0)?)?,
        last_at: instant(row.get(1)?)?,
        count: row.get::<_, i64>(2)?.unsigned_abs(),
        actors: actors
            .map(|(kind, id, name)| Actor { kind, id, name })
            .collect(),
        reasons: reasons.collect::<Result<Vec<Reason>>>()?,
        told_otherwise: lines(&row.get::<_, String>(7)?)?,
    })
}

/// Reads a value of each line.
fn lines<T: DeserializeOwned>(text: &str) -> Result<Vec<T>> {
    text.lines().map(from_json).collect()
}

/// What has marked a rotation since its people were told; `None` where nothing has.
pub fn load_pending_notices(tx: &ReadTx, rotation: &RotationId) -> Result<Option<PendingNotices>> {
    let sql = format!("SELECT {PENDING} FROM pending_notice WHERE rotation_id = ?1");
    tx.one(&sql, [rotation.as_str()], pending)
}

/// All rotations that are marked, and by what.
pub fn list_pending_notices(tx: &ReadTx) -> Result<Vec<(RotationId, PendingNotices)>> {
    let sql = format!("SELECT {PENDING}, rotation_id FROM pending_notice WHERE rotation_id > ''");
    tx.list(&sql, [], |row| {
        Ok((row.get::<_, String>(8)?.into(), pending(row)?))
    })
}

/// Takes the mark off a rotation.
pub fn clear_pending_notices(tx: &mut WriteTx, rotation: &RotationId) -> Result<()> {
    let sql = "DELETE FROM pending_notice WHERE rotation_id = ?1";
    tx.run(sql, [rotation.as_str()]).map(drop)
}

/// The told plan of a rotation; `None` where it has not been looked at yet.
pub fn load_told_plan(tx: &ReadTx, rotation: &RotationId) -> Result<Option<StoredPlan>> {
    let sql = "SELECT from_at, until_at, stretches, message_sequence, told_at, told FROM told_plan WHERE rotation_id = ?1";
    tx.one(sql, [rotation.as_str()], |row| {
        let span = Interval::new(instant(row.get(0)?)?, instant(row.get(1)?)?);
        let stretches: Option<Vec<u8>> = row.get(2)?;
        let stretches = stretches
            .map(|packed| packed::unpack(&packed))
            .transpose()?;
        let told_at = instant_or_none(row.get(4)?)?;
        let told: Vec<String> = column::<Option<_>>(row, 5)?.unwrap_or_default();
        Ok(StoredPlan {
            span,
            plan: stretches.map(|stretches| ToldPlan { span, stretches }),
            message_sequence: row.get(3)?,
            last_told: told_at.map(|at| (at, told.into_iter().map(UserId::from).collect())),
        })
    })
}

/// Stores the told plan of a rotation as of the messages so far. `last_told` is when people were told, if they were; else it stays.
pub fn save_told_plan(
    tx: &mut WriteTx,
    rotation: &RotationId,
    (span, plan): (Interval, Option<&ToldPlan>),
    last_told: Option<(Timestamp, &[UserId])>,
) -> Result<()> {
    let sql = "INSERT INTO told_plan (rotation_id, from_at, until_at, stretches, message_sequence, told_at, told)
               VALUES (?1, ?2, ?3, ?4, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'message'), 0), ?5, ?6)
               ON CONFLICT (rotation_id) DO UPDATE SET
                   from_at = excluded.from_at, until_at = excluded.until_at, stretches = excluded.stretches,
                   message_sequence = excluded.message_sequence,
                   told_at = coalesce(excluded.told_at, told_at), told = coalesce(excluded.told, told)";
    let (told_at, told) = last_told.unzip();
    let told = told.map(|users| users.iter().map(UserId::as_str).collect::<Vec<_>>());
    let values = params![
        rotation.as_str(),
        millis(span.from),
        millis(span.until),
        plan.map(|plan| packed::pack(&plan.stretches)),
        told_at.map(millis),
        told.map(|users| json(&users)).transpose()?,
    ];
    tx.run(sql, values).map(drop)
}

/// Rotations whose told plan was made before an instant and that nothing has marked, the oldest first.
pub fn list_told_before(tx: &ReadTx, at: Timestamp, most: usize) -> Result<Vec<RotationId>> {
    let sql = "SELECT rotation_id FROM told_plan t WHERE from_at < ?1
                   AND NOT EXISTS (SELECT 1 FROM pending_notice p WHERE p.rotation_id = t.rotation_id)
               ORDER BY from_at LIMIT ?2";
    tx.list(sql, params![millis(at), most as i64], id)
}

/// Rotations that have no told plan yet and that nothing has marked.
pub fn list_untold(tx: &ReadTx) -> Result<Vec<RotationId>> {
    let sql = "SELECT id FROM rotation r WHERE id > ''
                   AND NOT EXISTS (SELECT 1 FROM told_plan t WHERE t.rotation_id = r.id)
                   AND NOT EXISTS (SELECT 1 FROM pending_notice p WHERE p.rotation_id = r.id)";
    tx.list(sql, [], id)
}

fn id(row: &Row) -> Result<RotationId> {
    Ok(row.get::<_, String>(0)?.into())
}

/// The direct messages of a rotation after one of them. Those that cannot be read are left out.
pub fn list_direct_messages_after(
    tx: &ReadTx,
    rotation: &RotationId,
    sequence: i64,
) -> Result<Vec<Message>> {
    let sql = format!(
        "SELECT {MESSAGE} FROM message
         WHERE rotation_id = ?1 AND sequence > ?2 AND recipient_kind = 'person' ORDER BY sequence"
    );
    let found = tx.list(
        &sql,
        params![rotation.as_str(), sequence],
        |row| match message(row, 0) {
            Err(Error::Corrupt(_)) => Ok(None),
            read => read.map(Some),
        },
    )?;
    Ok(found.into_iter().flatten().collect())
}
