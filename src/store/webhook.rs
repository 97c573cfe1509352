//! Webhook endpoints.

use super::rows::{column, instant, instant_or_none, json, millis};
use super::{Error, ReadTx, Result, WriteTx};
use crate::domain::ids::WebhookId;
use crate::domain::webhook::{
    CurrentSecret, Disabled, DisabledReason, EventType, PreviousSecret, SigningSecret, Webhook,
};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, params};

const COLUMNS: &str =
    "id, name, url, event_types, disabled_reason, disabled_at, secret_id, secret, secret_created_at,
    previous_id, previous_secret, previous_expires_at, version, created_at, updated_at";

/// An endpoint by id.
pub fn load_webhook(tx: &ReadTx, id: &WebhookId) -> Result<Option<Webhook>> {
    let sql = format!("SELECT {COLUMNS} FROM webhook WHERE id = ?1");
    tx.one(&sql, [id.as_str()], webhook)
}

/// All endpoints, in order of registration.
pub fn list_webhooks(tx: &ReadTx) -> Result<Vec<Webhook>> {
    let sql = format!("SELECT {COLUMNS} FROM webhook ORDER BY sequence");
    tx.list(&sql, [], webhook)
}

/// The enabled endpoints with their event types, in order of registration.
pub fn list_subscribers(tx: &ReadTx) -> Result<Vec<(WebhookId, Vec<EventType>)>> {
    let sql = "SELECT id, event_types FROM webhook WHERE disabled_reason IS NULL ORDER BY sequence";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let id = WebhookId::from(row.get::<_, String>(0)?);
        found.push((id, column(row, 1)?));
    }
    Ok(found)
}

fn webhook(row: &Row) -> Result<Webhook> {
    let reason: Option<String> = row.get(4)?;
    let disabled = match (reason, instant_or_none(row.get(5)?)?) {
        (Some(name), Some(since)) => Some(Disabled {
            reason: DisabledReason::parse(&name)
                .ok_or_else(|| Error::Corrupt(format!("disabled reason {name}")))?,
            since,
        }),
        _ => None,
    };
    let previous = match (
        row.get::<_, Option<String>>(9)?,
        row.get::<_, Option<String>>(10)?,
        instant_or_none(row.get(11)?)?,
    ) {
        (Some(id), Some(secret), Some(expires_at)) => Some(PreviousSecret {
            id: id.into(),
            secret: SigningSecret(secret),
            expires_at,
        }),
        _ => None,
    };
    Ok(Webhook {
        id: row.get::<_, String>(0)?.into(),
        name: row.get(1)?,
        url: row.get(2)?,
        event_types: column(row, 3)?,
        disabled,
        current: CurrentSecret {
            id: row.get::<_, String>(6)?.into(),
            secret: SigningSecret(row.get(7)?),
            created_at: instant(row.get(8)?)?,
        },
        previous,
        version: row.get::<_, i64>(12)? as u64,
        created_at: instant(row.get(13)?)?,
        updated_at: instant_or_none(row.get(14)?)?,
    })
}

/// Inserts an endpoint.
pub fn insert_webhook(tx: &mut WriteTx, webhook: &Webhook) -> Result<()> {
    let sql = "INSERT INTO webhook (id, sequence, name, url, event_types, secret_id, secret, secret_created_at, version,
                                  created_at, healthy_at_sequence)
             VALUES (?1, (SELECT coalesce(max(sequence), 0) + 1 FROM webhook), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0)";
    tx.run(
        sql,
        params![
            webhook.id.as_str(),
            webhook.name,
            webhook.url,
            json(&webhook.event_types)?,
            webhook.current.id.as_str(),
            webhook.current.secret.0,
            millis(webhook.current.created_at),
            webhook.version as i64,
            millis(webhook.created_at),
        ],
    )?;
    Ok(())
}

/// Updates an endpoint. If it is enabled, it may have deliveries to send.
pub fn save_webhook(tx: &mut WriteTx, webhook: &Webhook) -> Result<()> {
    let previous = webhook.previous.as_ref();
    let sql = "UPDATE webhook SET name = ?2, url = ?3, event_types = ?4, disabled_reason = ?5, disabled_at = ?6,
                    secret_id = ?7, secret = ?8, secret_created_at = ?9, previous_id = ?10, previous_secret = ?11,
                    previous_expires_at = ?12, version = ?13, updated_at = ?14
             WHERE id = ?1";
    tx.run(
        sql,
        params![
            webhook.id.as_str(),
            webhook.name,
            webhook.url,
            json(&webhook.event_types)?,
            webhook.disabled.map(|disabled| disabled.reason.name()),
            webhook.disabled.map(|disabled| millis(disabled.since)),
            webhook.current.id.as_str(),
            webhook.current.secret.0,
            millis(webhook.current.created_at),
            previous.map(|previous| previous.id.as_str()),
            previous.map(|previous| &previous.secret.0),
            previous.map(|previous| millis(previous.expires_at)),
            webhook.version as i64,
            webhook.updated_at.map(millis),
        ],
    )?;
    tx.note_recalled();
    tx.note_deliveries();
    Ok(())
}

/// Deletes an endpoint. Its deliveries remain until [`clear_removed`](super::clear_removed) purges them.
pub fn remove_webhook(tx: &mut WriteTx, id: &WebhookId) -> Result<()> {
    tx.run("DELETE FROM webhook WHERE id = ?1", [id.as_str()])?;
    tx.run(
        "INSERT INTO webhook_removed (id) VALUES (?1)",
        [id.as_str()],
    )?;
    tx.note_recalled();
    tx.note_deliveries();
    Ok(())
}

/// Records a 2xx, an enabling or a change of the URL: only failures of later deliveries can disable the endpoint from now on.
pub fn note_healthy(tx: &mut WriteTx, id: &WebhookId) -> Result<()> {
    let sql = "UPDATE webhook SET healthy_at_sequence = (SELECT seq FROM sqlite_sequence WHERE name = 'delivery')
             WHERE id = ?1
                   AND healthy_at_sequence < (SELECT seq FROM sqlite_sequence WHERE name = 'delivery')";
    tx.run(sql, [id.as_str()])?;
    Ok(())
}

/// The first failed attempt of the oldest event that has failed since the endpoint was last healthy; `None` if none has.
pub fn failing_since(tx: &ReadTx, id: &WebhookId) -> Result<Option<Timestamp>> {
    let sql = "SELECT a.at FROM delivery d JOIN attempt a ON a.delivery = d.sequence
               WHERE d.webhook_id = ?1 AND d.sequence > (SELECT healthy_at_sequence FROM webhook WHERE id = ?1)
                     AND a.outcome IN ('failed', 'no_response')
               ORDER BY d.sequence, a.number LIMIT 1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let at: Option<i64> = query
        .query_row([id.as_str()], |row| row.get(0))
        .optional()?;
    instant_or_none(at)
}

/// Whether an expired rotated-out secret is still stored.
pub fn any_expired_secret(tx: &ReadTx, now: Timestamp) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM webhook WHERE previous_expires_at <= ?1)";
    tx.value(sql, [millis(now)])
}

/// Deletes expired rotated-out secrets, which no longer sign anything.
pub fn forget_expired_secrets(tx: &mut WriteTx, now: Timestamp) -> Result<usize> {
    let sql =
        "UPDATE webhook SET previous_id = NULL, previous_secret = NULL, previous_expires_at = NULL
               WHERE previous_expires_at <= ?1";
    tx.run(sql, [millis(now)])
}
