//! Changes of rotations that wait for their time, and those that have ended.

use super::meta::load_fact;
use super::rows::{instant, instant_or_none, json, millis};
use super::which::{Which, of_rotations};
use super::{Error, ReadTx, Result, WriteTx, facts};
use crate::domain::actor::{Actor, Doer};
use crate::domain::edit::Edits;
use crate::domain::fault::Fault;
use crate::domain::ids::{ChangeId, RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::{Rotation, Waiting};
use crate::domain::staged::{ChangeState, StagedChange, StagedEdit};
use crate::domain::tiers::{Tier, TierLimits};
use crate::wire::change::stored_edits;
pub use crate::wire::change::with_group;
use jiff::Timestamp;
use rusqlite::{Row, params};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Which changes to list.
#[derive(Clone, Debug, Default)]
pub struct ChangeFilter {
    pub state: Option<ChangeState>,
    pub managed_by: Option<String>,
    /// Those that ended before are left out.
    pub ended_after: Option<Timestamp>,
}

const COLUMNS: &str = "id, rotation_id, at, note, body, state, managed_by, made_by, created_at, applied_at, ended_at, \
                       problem, revision";

fn read(row: &Row) -> Result<StagedChange> {
    let state: String = row.get(5)?;
    let made_by: Doer = super::rows::column(row, 7)?;
    Ok(StagedChange {
        id: row.get::<_, String>(0)?.into(),
        rotation: row.get::<_, String>(1)?.into(),
        at: instant(row.get(2)?)?,
        note: row.get(3)?,
        body: row.get(4)?,
        state: ChangeState::parse(&state)
            .ok_or_else(|| Error::Corrupt(format!("state {state}")))?,
        managed_by: row.get(6)?,
        created_by: made_by.actor,
        created_at: instant(row.get(8)?)?,
        applied_at: instant_or_none(row.get(9)?)?,
        ended_at: instant_or_none(row.get(10)?)?,
        problem: super::rows::column::<Option<Problem>>(row, 11)?.map(Problem::refusal),
        revision: row.get::<_, i64>(12)? as u64,
    })
}

/// A refusal of a change, as `[kind, path, text]`.
#[derive(serde::Serialize, serde::Deserialize)]
struct Problem(String, String, String);

impl Problem {
    fn of(refusal: &Refusal) -> Problem {
        let stored = |kind: &str, path: &str, text: &str| {
            Problem(kind.to_owned(), path.to_owned(), text.to_owned())
        };
        match refusal {
            Refusal::Invalid { path, fault } => match fault {
                Fault::NotInWorkspace(user) => {
                    stored("notInWorkspace", path.as_str(), user.as_str())
                }
                Fault::NotMember(user) => stored("notMember", path.as_str(), user.as_str()),
                fault => {
                    let words = fault.plainly::<std::convert::Infallible>(
                        |user| Ok(user.to_string()),
                        |at| at.to_string(),
                        str::to_owned,
                    );
                    let Ok(words) = words;
                    stored("invalid", path.as_str(), &words)
                }
            },
            Refusal::RotationCodeTaken(code) => stored("codeTaken", "", code),
            Refusal::PaymentRequired(path, why) => stored("payment", path.as_str(), why),
            Refusal::GroupNotManageable(why) => stored("group", "", why),
            Refusal::ExternalReadOnly => stored("external", "", ""),
            Refusal::NotFound("roster") => stored("roster", "", ""),
            other => stored("invalid", "", &format!("{other:?}")),
        }
    }

    fn refusal(self) -> Refusal {
        let Problem(kind, path, text) = self;
        let fault = match kind.as_str() {
            "codeTaken" => return Refusal::RotationCodeTaken(text),
            "payment" => return Refusal::PaymentRequired(path.into(), text),
            "group" => return Refusal::GroupNotManageable(text),
            "external" => return Refusal::ExternalReadOnly,
            "roster" => return Refusal::NotFound("roster"),
            "notInWorkspace" => Fault::NotInWorkspace(UserId::from(text)),
            "notMember" => Fault::NotMember(UserId::from(text)),
            _ => Fault::Other(text),
        };
        Refusal::invalid(path, fault)
    }
}

/// Adds a change.
pub fn insert_change(tx: &mut WriteTx, change: &StagedChange) -> Result<()> {
    let sql = "INSERT INTO staged_change (id, rotation_id, sequence, at, note, body, state, managed_by, made_by, created_at,
                                          applied_at, ended_at, revision)
               VALUES (?1, ?2, (SELECT coalesce(max(sequence), 0) + 1 FROM staged_change WHERE rotation_id = ?2),
                       ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    let made_by = Doer {
        actor: change.created_by.clone(),
        in_chat: false,
    };
    tx.run(
        sql,
        params![
            change.id.as_str(),
            change.rotation.as_str(),
            millis(change.at),
            change.note,
            change.body,
            change.state.name(),
            change.managed_by,
            json(&made_by)?,
            millis(change.created_at),
            change.applied_at.map(millis),
            change.ended_at.map(millis),
            change.revision as i64,
        ],
    )?;
    Ok(())
}

/// Ends a change that waits: it was applied, failed for a reason, or was cancelled.
pub fn end_change(
    tx: &mut WriteTx,
    id: &ChangeId,
    state: ChangeState,
    at: Timestamp,
    problem: Option<&Refusal>,
) -> Result<()> {
    let sql = "UPDATE staged_change SET state = ?2, ended_at = ?3, applied_at = ?4, problem = ?5, revision = revision + 1
               WHERE id = ?1";
    let applied = Some(at).filter(|_| state == ChangeState::Applied);
    let problem = problem
        .map(|refusal| json(&Problem::of(refusal)))
        .transpose()?;
    let values = params![
        id.as_str(),
        state.name(),
        millis(at),
        applied.map(millis),
        problem
    ];
    tx.run(sql, values)?;
    Ok(())
}

/// A change of a rotation that has not ended before an instant.
pub fn load_change(
    tx: &ReadTx,
    rotation: &RotationId,
    id: &ChangeId,
    ended_after: Timestamp,
) -> Result<Option<StagedChange>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM staged_change
         WHERE id = ?1 AND rotation_id = ?2 AND (ended_at IS NULL OR ended_at > ?3)"
    );
    let values = params![id.as_str(), rotation.as_str(), millis(ended_after)];
    let mut found = tx.list(&sql, values, read)?;
    Ok(found.pop())
}

/// The changes of a rotation, by their instants.
pub fn list_changes(
    tx: &ReadTx,
    rotation: &RotationId,
    filter: &ChangeFilter,
) -> Result<Vec<StagedChange>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM staged_change
         WHERE rotation_id = ?1 AND (?2 IS NULL OR state = ?2) AND (?3 IS NULL OR managed_by = ?3)
               AND (?4 IS NULL OR ended_at IS NULL OR ended_at > ?4)
         ORDER BY at, sequence"
    );
    let values = params![
        rotation.as_str(),
        filter.state.map(ChangeState::name),
        filter.managed_by,
        filter.ended_after.map(millis),
    ];
    tx.list(&sql, values, read)
}

/// Deletes changes that ended before an instant.
pub fn clear_changes(tx: &mut WriteTx, ended_before: Timestamp) -> Result<()> {
    let sql = "DELETE FROM staged_change WHERE ended_at <= ?1";
    tx.run(sql, [millis(ended_before)])?;
    Ok(())
}

/// Whether any change ended before an instant.
pub fn any_old_change(tx: &ReadTx, ended_before: Timestamp) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM staged_change WHERE ended_at <= ?1)";
    tx.value(sql, [millis(ended_before)])
}

/// A change that waits, as it is stored.
pub(super) struct Stored {
    id: ChangeId,
    at: Timestamp,
    edits: Arc<Edits>,
}

/// The changes that wait in each of these rotations, in their order.
pub(super) fn waiting(tx: &ReadTx, which: &Which) -> Result<Vec<Vec<Stored>>> {
    let sql = of_rotations!(
        "SELECT rotation_id, id, at, body FROM staged_change WHERE state = 'waiting' AND rotation_id",
        " ORDER BY rotation_id, at, sequence"
    );
    which.read(tx, sql, &[], |_, row| {
        let body: String = row.get(3)?;
        let edits = stored_edits(body.as_bytes());
        Ok(Stored {
            id: row.get::<_, String>(1)?.into(),
            at: instant(row.get(2)?)?,
            edits: Arc::new(edits.map_err(|refusal| Error::Corrupt(format!("{refusal:?}")))?),
        })
    })
}

/// The changes that wait in a rotation.
pub fn load_waiting(tx: &ReadTx, rotation: &Rotation) -> Result<Vec<Waiting>> {
    let ids = [rotation.id.clone()];
    let stored = waiting(tx, &Which::of(&ids)?)?;
    planned(tx, rotation, stored.into_iter().flatten().collect())
}

/// These changes with what they have to know.
pub(super) fn planned(
    tx: &ReadTx,
    rotation: &Rotation,
    stored: Vec<Stored>,
) -> Result<Vec<Waiting>> {
    if stored.is_empty() {
        return Ok(Vec::new());
    }
    let edits: Vec<&Edits> = stored.iter().map(|one| &*one.edits).collect();
    let facts = Arc::new(facts::load_facts(tx, rotation, &edits, false)?);
    let tier = load_fact(tx, "plan")?;
    let tier = tier.and_then(|name| Tier::parse(&name));
    let each = stored.into_iter().map(|one| Waiting {
        id: one.id.clone(),
        at: one.at,
        planned: Arc::new(StagedEdit {
            id: one.id,
            edits: one.edits,
            facts: Arc::clone(&facts),
            limits: TierLimits::of(tier.unwrap_or(Tier::Pro)),
        }),
    });
    Ok(each.collect())
}

/// The rotations in which changes wait.
pub fn list_waiting(tx: &ReadTx) -> Result<BTreeSet<RotationId>> {
    let sql = "SELECT DISTINCT rotation_id FROM staged_change WHERE state = 'waiting' AND rotation_id > ''";
    let found: Vec<RotationId> = super::rows::ids(tx.conn, sql, [])?;
    Ok(found.into_iter().collect())
}

/// The rotations in which a change waits whose lists have a person, individually or by a user group.
pub fn list_rotations_to_join(tx: &ReadTx, user: &UserId) -> Result<Vec<RotationId>> {
    let sql = "SELECT DISTINCT rotation_id FROM staged_change
               WHERE state = 'waiting' AND rotation_id > '' AND (
                   EXISTS (SELECT 1 FROM json_each(body, '$.rotation.userIds') WHERE json_each.value = ?1)
                   OR EXISTS (SELECT 1 FROM json_each(body, '$.rotation.userGroupIds') CROSS JOIN user_group_person m
                                       ON m.group_id = json_each.value AND m.user_id = ?1))";
    super::rows::ids(tx.conn, sql, [user.as_str()])
}

/// Who made a change.
pub fn load_maker(tx: &ReadTx, id: &ChangeId) -> Result<Option<Actor>> {
    let sql = "SELECT made_by FROM staged_change WHERE id = ?1";
    let mut found = tx.list(sql, [id.as_str()], |row| {
        Ok(super::rows::column::<Doer>(row, 0)?.actor)
    })?;
    Ok(found.pop())
}

/// The person who made a change, if one did.
pub fn maker(by: &Actor) -> Option<UserId> {
    let is_person = by.kind == crate::domain::actor::ActorKind::Person;
    by.id.as_deref().filter(|_| is_person).map(UserId::from)
}
