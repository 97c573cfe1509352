//! Lists of messages, newest first.

use super::{MESSAGE, message, recipient, rotation};
use crate::domain::ids::{ChannelId, RotationId, UserId};
use crate::domain::message::{Message, Recipient};
use crate::domain::relay::{MessageState, Way};
use crate::store::across::Narrowed;
use crate::store::rows::{instant, instant_or_none, millis};
use crate::store::{Error, Page, ReadTx, Result, Visible};
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};

/// Messages that a list reaches back to; older ones are found with an earlier end of the range.
const LISTED: u32 = 10_000;

/// The filter of a list of messages; `None` narrows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageFilter {
    /// Direct messages to this person.
    pub user: Option<UserId>,
    pub channel: Option<ChannelId>,
    pub rotation: Option<RotationId>,
    pub state: Option<MessageState>,
    pub from: Option<Timestamp>,
    pub until: Option<Timestamp>,
    pub visible: Visible,
    /// A person sees direct messages to themselves and to nobody else.
    pub reader: Option<UserId>,
}

/// A message with the ways that it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageRecord {
    pub sequence: i64,
    pub to: Recipient,
    pub rotation: Option<RotationId>,
    pub created_at: Timestamp,
    /// The error if it cannot be read.
    pub message: Result<Message, String>,
    /// The way over the chat platform itself.
    pub post: WayRecord,
    /// The ways by which the local platform sends it on.
    pub relays: Vec<(Way, WayRecord)>,
}

/// How far a message came on one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayRecord {
    pub state: MessageState,
    pub error: Option<String>,
    /// When it was sent or dropped.
    pub ended_at: Option<Timestamp>,
}

impl MessageRecord {
    /// Its outcome.
    pub fn state(&self) -> MessageState {
        MessageState::of(self.ways().map(|way| way.state))
    }

    /// Why it waits for a retry, or was dropped.
    pub fn error(&self) -> Option<&str> {
        let state = self.state();
        let mut ways = self.ways().filter(|way| way.state == state);
        ways.find_map(|way| way.error.as_deref())
    }

    fn ways(&self) -> impl Iterator<Item = &WayRecord> {
        std::iter::once(&self.post).chain(self.relays.iter().map(|(_, way)| way))
    }
}

/// A page of messages, newest first, and how many there are on all pages: the newest 10,000 at most.
pub fn list_messages(
    tx: &ReadTx,
    filter: &MessageFilter,
    page: Page,
) -> Result<(Vec<MessageRecord>, u64)> {
    let narrowed = narrowed(filter);
    let sql = format!(
        "SELECT count(*) FROM (SELECT 1 FROM message x WHERE {} ORDER BY x.sequence DESC LIMIT {LISTED})",
        narrowed.conditions()
    );
    let mut query = tx.conn.prepare_cached(&sql)?;
    let values = || params_from_iter(narrowed.values());
    let total: i64 = query.query_row(values(), |row| row.get(0))?;
    let most = (total - page.offset()).clamp(0, page.size.into());
    let sql = format!(
        "SELECT x.state, x.error, x.ended_at, x.sequence, x.created_at, {MESSAGE} FROM message x WHERE {}
         ORDER BY x.sequence DESC LIMIT {most} OFFSET {}",
        narrowed.conditions(),
        page.offset().min(total)
    );
    let mut query = tx.conn.prepare(&sql)?;
    let mut rows = query.query(values())?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(tx, row)?);
    }
    Ok((found, total.unsigned_abs()))
}

fn narrowed(filter: &MessageFilter) -> Narrowed {
    let mut narrowed = Narrowed::to(&filter.visible, None);
    if let Some(reader) = &filter.reader {
        narrowed = narrowed.or_own(
            "x.recipient_kind = 'channel'",
            "x.recipient_kind = 'person' AND x.recipient_id = ?",
            Value::from(reader.to_string()),
        );
    }
    if let Some(user) = &filter.user {
        let condition = "x.recipient_kind = 'person' AND x.recipient_id = ?";
        narrowed.also(condition, [Value::from(user.to_string())]);
    }
    if let Some(channel) = &filter.channel {
        let condition = "x.recipient_kind = 'channel' AND x.recipient_id = ?";
        narrowed.also(condition, [Value::from(channel.to_string())]);
    }
    if let Some(rotation) = &filter.rotation {
        narrowed.also("x.rotation_id = ?", [Value::from(rotation.to_string())]);
    }
    if let Some(from) = filter.from {
        narrowed.also("x.created_at >= ?", [Value::from(millis(from))]);
    }
    if let Some(until) = filter.until {
        narrowed.also("x.created_at < ?", [Value::from(millis(until))]);
    }
    let any = |state: &str| {
        format!(
            "(x.state = '{state}' OR EXISTS (SELECT 1 FROM message_relay r
                                             WHERE r.sequence = x.sequence AND r.state = '{state}'))"
        )
    };
    let (waits, dropped) = (any("pending"), any("dropped"));
    match filter.state {
        None => {}
        Some(MessageState::Waiting) => narrowed.also(&waits, []),
        Some(MessageState::Dropped) => narrowed.also(&format!("{dropped} AND NOT {waits}"), []),
        Some(MessageState::Sent) => narrowed.also(&format!("NOT {dropped} AND NOT {waits}"), []),
    }
    narrowed
}

fn read(tx: &ReadTx, row: &Row) -> Result<MessageRecord> {
    let sequence: i64 = row.get(3)?;
    Ok(MessageRecord {
        sequence,
        to: recipient(row, 5)?,
        rotation: rotation(row, 7)?,
        created_at: instant(row.get(4)?)?,
        message: match message(row, 5) {
            // The others are still shown.
            Err(Error::Corrupt(why)) => Err(why),
            message => Ok(message?),
        },
        post: way(row)?,
        relays: relays(tx, sequence)?,
    })
}

/// Reads the first three columns of a row: state, error and end.
fn way(row: &Row) -> Result<WayRecord> {
    let state: String = row.get(0)?;
    Ok(WayRecord {
        state: match state.as_str() {
            "pending" => MessageState::Waiting,
            "sent" => MessageState::Sent,
            _ => MessageState::Dropped,
        },
        // That of a message that was sent is about showing what came of it.
        error: match state.as_str() {
            "sent" => None,
            _ => row.get(1)?,
        },
        ended_at: instant_or_none(row.get(2)?)?,
    })
}

fn relays(tx: &ReadTx, sequence: i64) -> Result<Vec<(Way, WayRecord)>> {
    let sql =
        "SELECT state, error, ended_at, way FROM message_relay WHERE sequence = ?1 ORDER BY way";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query([sequence])?;
    let mut relays = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(3)?;
        let known = Way::parse(&name);
        let known = known.ok_or_else(|| Error::Corrupt(format!("message way {name}")))?;
        relays.push((known, way(row)?));
    }
    Ok(relays)
}
