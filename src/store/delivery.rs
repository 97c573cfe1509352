//! Events, their deliveries, and the attempts of each, as the delivery log shows them.

use super::directory::Page;
use super::rows::{from_json, instant, instant_or_none, millis};
use super::{Error, ReadTx, Result, WriteTx};
use crate::domain::ids::{DeliveryId, RotationId, WebhookId};
use crate::domain::retry_schedule;
use crate::domain::webhook::{
    Attempt, AttemptResult, Delivery, DeliveryState, EventType, Outcome, SendError, Snippet,
};
use rusqlite::{OptionalExtension, Row, params};
use std::time::Duration;

/// Filters an endpoint's deliveries. `None` does not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    pub state: Option<DeliveryState>,
    pub event_type: Option<EventType>,
    pub rotation: Option<RotationId>,
}

/// A stored delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// Its position in commit order.
    pub sequence: i64,
    /// Whether an attempt is in flight, even if the delivery was cancelled meanwhile.
    pub in_flight: bool,
    pub delivery: Delivery,
}

/// Inserts an event and these deliveries of it, due at once. `frozen` is the body without its `deliveryId`. A delivery whose id is
/// there already was announced before.
pub fn insert_event(
    tx: &mut WriteTx,
    kind: EventType,
    rotation: &RotationId,
    frozen: &str,
    to: &[(WebhookId, DeliveryId)],
) -> Result<()> {
    tx.run(
        "INSERT INTO event (event_type, rotation_id, body) VALUES (?1, ?2, ?3)",
        [kind.name(), rotation.as_str(), frozen],
    )?;
    let event = tx.conn.last_insert_rowid();
    let now = tx.now();
    for (webhook, id) in to {
        let sql = "INSERT INTO delivery (id, webhook_id, event_id, state, created_at, stage, due_at, expires_at, round,
                                       tries, attempts)
                 VALUES (?1, ?2, ?3, 'pending', ?4, 'fresh', ?4, ?5, 1, 0, 0) ON CONFLICT (id) DO NOTHING";
        tx.run(
            sql,
            params![
                id.as_str(),
                webhook.as_str(),
                event,
                millis(now),
                millis(retry_schedule::expires_at(now))
            ],
        )?;
    }
    tx.note_deliveries();
    Ok(())
}

const COLUMNS: &str =
    "d.sequence, d.id, e.event_type, e.rotation_id, d.state, d.created_at, d.attempts, d.due_at,
    d.stage IS 'wire'";

fn record(row: &Row) -> Result<DeliveryRecord> {
    let (kind, state): (String, String) = (row.get(2)?, row.get(4)?);
    let unknown = |what: &str| Error::Corrupt(format!("delivery: {what}"));
    Ok(DeliveryRecord {
        sequence: row.get(0)?,
        in_flight: row.get(8)?,
        delivery: Delivery {
            id: row.get::<_, String>(1)?.into(),
            event_type: EventType::parse(&kind).ok_or_else(|| unknown(&kind))?,
            rotation: row.get::<_, String>(3)?.into(),
            state: DeliveryState::parse(&state).ok_or_else(|| unknown(&state))?,
            created_at: instant(row.get(5)?)?,
            attempts: row.get(6)?,
            due_at: instant_or_none(row.get(7)?)?,
        },
    })
}

/// A delivery of an endpoint by id, with its body without the `deliveryId`.
pub fn load_delivery(
    tx: &ReadTx,
    webhook: &WebhookId,
    id: &DeliveryId,
) -> Result<Option<(DeliveryRecord, String)>> {
    let sql = format!(
        "SELECT {COLUMNS}, e.body FROM delivery d JOIN event e ON e.id = d.event_id WHERE d.id = ?1 AND d.webhook_id = ?2"
    );
    let mut query = tx.conn.prepare_cached(&sql)?;
    let found = query.query_row([id.as_str(), webhook.as_str()], |row| {
        Ok((record(row), row.get(9)?))
    });
    match found.optional()? {
        Some((record, body)) => Ok(Some((record?, body))),
        None => Ok(None),
    }
}

/// A page of an endpoint's deliveries, newest first, and the total number.
pub fn list_deliveries(
    tx: &ReadTx,
    webhook: &WebhookId,
    filter: &DeliveryFilter,
    page: Page,
) -> Result<(Vec<Delivery>, u64)> {
    // Only the filters in use are written out, so that SQLite can select the index.
    let mut narrowed = String::from("d.webhook_id = ?1");
    if let Some(state) = filter.state {
        // A literal, because the index is partial: it has only deliveries that were not delivered.
        narrowed.push_str(&format!(" AND d.state = '{}'", state.name()));
        if state != DeliveryState::Delivered {
            narrowed.push_str(" AND d.state <> 'delivered'");
        }
    }
    if filter.event_type.is_some() {
        narrowed.push_str(" AND e.event_type = ?2");
    }
    if filter.rotation.is_some() {
        narrowed.push_str(" AND e.rotation_id = ?3");
    }
    let from = match filter.event_type.is_some() || filter.rotation.is_some() {
        true => "delivery d JOIN event e ON e.id = d.event_id",
        false => "delivery d",
    };
    let bound = |statement: &mut rusqlite::Statement| -> rusqlite::Result<()> {
        let values = [
            Some(webhook.as_str()),
            filter.event_type.map(EventType::name),
            filter.rotation.as_ref().map(RotationId::as_str),
        ];
        for (index, value) in values.iter().enumerate() {
            if index < statement.parameter_count() {
                statement.raw_bind_parameter(index + 1, value)?;
            }
        }
        Ok(())
    };
    let mut count = tx
        .conn
        .prepare_cached(&format!("SELECT count(*) FROM {from} WHERE {narrowed}"))?;
    bound(&mut count)?;
    let mut rows = count.raw_query();
    let total: i64 = match rows.next()? {
        Some(row) => row.get(0)?,
        None => 0,
    };
    let mut query = tx.conn.prepare(&format!(
        "SELECT {COLUMNS} FROM delivery d JOIN event e ON e.id = d.event_id WHERE {narrowed}
         ORDER BY d.sequence DESC LIMIT {} OFFSET {}",
        page.size,
        page.offset()
    ))?;
    bound(&mut query)?;
    let mut rows = query.raw_query();
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(record(row)?.delivery);
    }
    Ok((found, total as u64))
}

/// The finished attempts of a delivery, oldest first.
pub fn list_attempts(tx: &ReadTx, sequence: i64) -> Result<Vec<Attempt>> {
    let sql =
        "SELECT number, at, round, total_rounds, headers, outcome, status, error, duration_ms, snippet, truncated,
                retry_after_seconds
         FROM attempt WHERE delivery = ?1 AND outcome IS NOT NULL ORDER BY number";
    tx.list(sql, [sequence], attempt)
}

fn attempt(row: &Row) -> Result<Attempt> {
    let unknown = |what: &str| Error::Corrupt(format!("attempt: {what}"));
    let outcome: String = row.get(5)?;
    let error: Option<String> = row.get(7)?;
    let error = error.map(|name| SendError::parse(&name).ok_or_else(|| unknown(&name)));
    let truncated: bool = row.get(10)?;
    let snippet = row
        .get::<_, Option<String>>(9)?
        .map(|text| Snippet { text, truncated });
    let retry_after_seconds = row.get(11)?;
    Ok(Attempt {
        number: row.get(0)?,
        at: instant(row.get(1)?)?,
        round: row.get(2)?,
        total_rounds: row.get(3)?,
        request_headers: from_json(&row.get::<_, String>(4)?)?,
        result: AttemptResult {
            outcome: Outcome::parse(&outcome).ok_or_else(|| unknown(&outcome))?,
            status: row.get(6)?,
            error: error.transpose()?,
            duration: row
                .get::<_, Option<u32>>(8)?
                .map(|ms| Duration::from_millis(ms.into())),
            snippet,
            retry_after_seconds,
        },
    })
}
