//! The audit log: entries are added with the changes that they tell of, listed newest first, and purged.

use super::directory::Page;
use super::rows::{instant, millis};
use super::{Error, LogLine, ReadTx, Result, WriteTx};
use crate::domain::audit::{Actor, ActorFilter, ActorKind, AuditEntry, AuditFilter};
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Row, params, params_from_iter};

/// Entries that a list reaches back to; older ones are found with an earlier end of the range.
const LISTED: i64 = 10_000;

/// Entries that one filter finds and that are looked through for those that the others find as well.
const LOOKED_THROUGH: i64 = 50_000;

/// Entries that are cleared at once.
const CLEARED_AT_ONCE: i64 = 500;

/// Adds an entry, and has it logged once it is committed.
pub fn insert_entry(tx: &mut WriteTx, entry: AuditEntry) -> Result<()> {
    let sql = "INSERT INTO audit (at, sequence, id, actor_kind, actor_id, actor_name, action, rotation_id, subject,
                                  request_id, address, summary)
               VALUES (?1, coalesce((SELECT max(sequence) + 1 FROM audit WHERE at = ?1), 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8,
                       ?9, ?10, ?11)";
    tx.run(
        sql,
        params![
            millis(entry.at),
            entry.id,
            entry.actor.kind.name(),
            entry.actor.id,
            entry.actor.name,
            entry.action,
            entry.rotation.as_ref().map(|id| id.as_str()),
            entry.subject,
            entry.request_id,
            entry.address,
            entry.summary,
        ],
    )?;
    tx.log_once_stored(LogLine::Audit(Box::new(entry)));
    Ok(())
}

/// Where an entry stands in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditPosition {
    at: i64,
    sequence: i64,
}

/// The entries that a filter finds, as SQL: the index that serves its narrowest part, what is found by it, and what is
/// looked at one by one.
struct Query {
    index: &'static str,
    found: String,
    fits: String,
    values: Vec<Value>,
}

impl Query {
    fn of(filter: &AuditFilter) -> Query {
        let mut narrowed: Vec<(&'static str, &'static str, String)> = Vec::new();
        let mut by = |index, column, value: &str| narrowed.push((index, column, value.to_owned()));
        if let Some(rotation) = &filter.rotation {
            by(
                "INDEXED BY audit_by_rotation",
                "rotation_id",
                rotation.as_str(),
            );
        }
        if let Some(ActorFilter::Id(id)) = &filter.actor {
            by("INDEXED BY audit_by_actor", "actor_id", id);
        }
        if let Some(action) = &filter.action {
            by("INDEXED BY audit_by_action", "action", action);
        }
        if let Some(ActorFilter::Kind(kind)) = &filter.actor {
            by("INDEXED BY audit_by_kind", "actor_kind", kind.name());
        }
        let ends = [
            filter.from.map_or(i64::MIN, millis),
            filter.until.map_or(i64::MAX, millis),
        ];
        let mut query = Query {
            index: narrowed.first().map_or("", |(index, ..)| index),
            found: "at >= ? AND at < ?".into(),
            fits: "1".into(),
            values: ends.map(Value::from).to_vec(),
        };
        for (place, (_, column, value)) in narrowed.into_iter().enumerate() {
            let part = match place {
                0 => &mut query.found,
                _ => &mut query.fits,
            };
            part.push_str(&format!(" AND {column} = ?"));
            query.values.push(value.into());
        }
        query
    }

    /// Whether something is looked at one by one.
    fn looks_through(&self) -> bool {
        self.fits != "1"
    }
}

pub(super) const COLUMNS: &str = "at, sequence, id, actor_kind, actor_id, actor_name, action, rotation_id, subject, request_id, address,
     summary";

pub(super) fn read(row: &Row) -> Result<(AuditPosition, AuditEntry)> {
    let kind: String = row.get(3)?;
    let position = AuditPosition {
        at: row.get(0)?,
        sequence: row.get(1)?,
    };
    let entry = AuditEntry {
        id: row.get(2)?,
        at: instant(position.at)?,
        actor: Actor {
            kind: ActorKind::parse(&kind)
                .ok_or_else(|| Error::Corrupt(format!("audit: actor {kind}")))?,
            id: row.get(4)?,
            name: row.get(5)?,
        },
        action: row.get(6)?,
        rotation: row.get::<_, Option<String>>(7)?.map(Into::into),
        subject: row.get(8)?,
        request_id: row.get(9)?,
        client_request_id: None,
        address: row.get(10)?,
        summary: row.get(11)?,
        logged: None,
    };
    Ok((position, entry))
}

fn list(
    tx: &ReadTx,
    query: Query,
    (after, skip, most): (Option<AuditPosition>, i64, i64),
) -> Result<Vec<(AuditPosition, AuditEntry)>> {
    let mut values = query.values;
    let before = match after {
        Some(position) => {
            // After those of the index and before those that are looked at, in the order of the text.
            values.extend([position.at, position.sequence].map(Value::from));
            " AND (at, sequence) < (?, ?)"
        }
        None => "",
    };
    values.extend([most, skip].map(Value::from));
    let sql = format!(
        "SELECT {COLUMNS} FROM audit {} WHERE {} AND {}{before}
         ORDER BY at DESC, sequence DESC LIMIT ? OFFSET ?",
        query.index, query.found, query.fits
    );
    tx.list(&sql, params_from_iter(values), read)
}

/// At most so many entries, newest first, that come after one in this order; the position of each goes with it.
pub fn list_entries(
    tx: &ReadTx,
    filter: &AuditFilter,
    after: Option<AuditPosition>,
    most: u32,
) -> Result<Vec<(AuditPosition, AuditEntry)>> {
    list(tx, Query::of(filter), (after, 0, most.into()))
}

/// A page of the entries, newest first, and how many there are on all pages: the newest 10,000 at most. `None` where too
/// many have to be looked through, because no index serves the filters together.
pub fn page_of_entries(
    tx: &ReadTx,
    filter: &AuditFilter,
    page: Page,
) -> Result<Option<(Vec<AuditEntry>, u64)>> {
    let query = Query::of(filter);
    let most = match query.looks_through() {
        true => LOOKED_THROUGH,
        false => LISTED,
    };
    let sql = format!(
        "SELECT count(*), coalesce(sum(fits), 0) FROM (
             SELECT {} AS fits FROM audit {} WHERE {} ORDER BY at DESC, sequence DESC LIMIT ?)",
        query.fits, query.index, query.found
    );
    // In this text those that are looked at come first.
    let (ends, narrowed) = query.values.split_at(2);
    let (first, others) = narrowed.split_at(narrowed.len().min(1));
    let limit = [Value::from(most)];
    let values = others.iter().chain(ends).chain(first).chain(&limit);
    let (looked, fitting): (i64, i64) = tx
        .conn
        .prepare_cached(&sql)?
        .query_row(params_from_iter(values), |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    if query.looks_through() && looked == most {
        return Ok(None);
    }
    let total = fitting.min(LISTED);
    let skip = i64::from(page.number - 1) * i64::from(page.size);
    let most = (total - skip).clamp(0, page.size.into());
    let entries = match most {
        0 => Vec::new(),
        most => list(tx, query, (None, skip, most))?,
    };
    let entries = entries.into_iter().map(|(_, entry)| entry).collect();
    Ok(Some((entries, total.unsigned_abs())))
}

/// Whether any entry was made before an instant.
pub fn any_old_entry(tx: &ReadTx, until: Timestamp) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM audit WHERE at < ?1)";
    tx.value(sql, [millis(until)])
}

/// Deletes some of the entries that were made before an instant, the oldest first.
pub fn clear_entries(tx: &mut WriteTx, until: Timestamp) -> Result<()> {
    let sql = "DELETE FROM audit WHERE (at, sequence) IN (
                   SELECT at, sequence FROM audit WHERE at < ?1 ORDER BY at, sequence LIMIT ?2)";
    tx.run(sql, params![millis(until), CLEARED_AT_ONCE])
        .map(drop)
}
