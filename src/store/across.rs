//! Requests and mentions of all rotations that a caller sees, newest first.

use super::mention::{self, MENTION_COLUMNS};
use super::{Page, ReadTx, Result, Visible};
use crate::domain::ids::{RequestId, RotationId, UserId};
use crate::domain::mention::{Mention, MentionState};
use crate::domain::request::{RequestKind, RequestState};
use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};

/// The filter of a list of requests; `None` narrows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestFilter {
    pub state: Option<RequestState>,
    /// Those that this person has a part in: this one, or any.
    pub user: Option<(UserId, Option<Part>)>,
    pub rotation: Option<RotationId>,
    pub visible: Visible,
}

/// The part that somebody has in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Requester,
    Recipient,
}

/// The filter of a list of mentions; `None` narrows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MentionFilter {
    pub state: Option<MentionState>,
    /// Those that have notified this person.
    pub notified: Option<UserId>,
    pub rotation: Option<RotationId>,
    pub visible: Visible,
}

/// A request by what it is read with.
pub type RequestKey = (RotationId, RequestKind, RequestId);

/// A page of requests, newest first, and how many there are on all pages.
pub fn list_requests_across(
    tx: &ReadTx,
    filter: &RequestFilter,
    page: Page,
) -> Result<(Vec<RequestKey>, u64)> {
    let mut narrowed = Narrowed::to(&filter.visible, filter.rotation.as_ref());
    if let Some(state) = filter.state {
        // The text itself, so that SQLite sees which index has the pending ones.
        narrowed.also(&format!("x.state = '{}'", state.name()), []);
    }
    if let Some((user, part)) = &filter.user {
        let requester = "x.requester_id = ?";
        let recipient = "EXISTS (SELECT 1 FROM json_each(x.recipients) WHERE value = ?)";
        let user = || Value::from(user.to_string());
        match part {
            Some(Part::Requester) => narrowed.also(requester, [user()]),
            Some(Part::Recipient) => narrowed.also(recipient, [user()]),
            None => narrowed.also(&format!("({requester} OR {recipient})"), [user(), user()]),
        }
    }
    let read = |row: &Row| -> Result<RequestKey> {
        let kind = match row.get::<_, String>(1)?.as_str() {
            "swap" => RequestKind::Swap,
            _ => RequestKind::Cover,
        };
        let rotation: String = row.get(0)?;
        Ok((rotation.into(), kind, row.get::<_, String>(2)?.into()))
    };
    let columns = "x.rotation_id, x.kind, x.id";
    narrowed.page(tx, "request", columns, "x.sequence DESC", page, read)
}

/// A page of mentions, newest first, and how many there are on all pages.
pub fn list_mentions_across(
    tx: &ReadTx,
    filter: &MentionFilter,
    page: Page,
) -> Result<(Vec<Mention>, u64)> {
    let mut narrowed = Narrowed::to(&filter.visible, filter.rotation.as_ref());
    if let Some(state) = filter.state {
        narrowed.also("x.state = ?", [Value::from(state.name().to_owned())]);
    }
    if let Some(user) = &filter.notified {
        let notified = "EXISTS (SELECT 1 FROM json_each(x.notified) WHERE value = ?)";
        narrowed.also(notified, [Value::from(user.to_string())]);
    }
    let order = "x.opened_at DESC, x.id DESC";
    narrowed.page(tx, "mention", MENTION_COLUMNS, order, page, mention::read)
}

/// Conditions on a table `x` that has a column `rotation_id`, and their values in order.
pub(super) struct Narrowed {
    conditions: Vec<String>,
    values: Vec<Value>,
}

impl Narrowed {
    pub(super) fn to(visible: &Visible, rotation: Option<&RotationId>) -> Narrowed {
        let mut narrowed = Narrowed {
            conditions: Vec::new(),
            values: Vec::new(),
        };
        if let Some(rotation) = rotation {
            narrowed.also("x.rotation_id = ?", [Value::from(rotation.to_string())]);
        }
        let (among, seen_by) = visible.values();
        if let Some(among) = among {
            let condition = "x.rotation_id IN (SELECT value FROM json_each(?))";
            narrowed.also(condition, [Value::from(among)]);
        }
        if let Some(user) = seen_by {
            let condition = "x.rotation_id IN (
                SELECT id FROM rotation WHERE public
                UNION SELECT rotation_id FROM rotation_owner WHERE user_id = ?
                UNION SELECT rotation_id FROM rotation_person WHERE user_id = ?
                UNION SELECT g.rotation_id FROM user_group_person m JOIN rotation_group g ON g.group_id = m.group_id
                      WHERE m.user_id = ?)";
            narrowed.also(condition, [(); 3].map(|()| Value::from(user.to_owned())));
        }
        narrowed
    }

    pub(super) fn also<const N: usize>(&mut self, condition: &str, values: [Value; N]) {
        self.conditions.push(condition.to_owned());
        self.values.extend(values);
    }

    /// Narrowed to rows of which either `among` holds and all conditions so far, or `own`, which takes one value.
    pub(super) fn or_own(mut self, among: &str, own: &str, value: Value) -> Narrowed {
        let condition = format!("(({own}) OR ({among} AND {}))", self.conditions());
        let mut values = vec![value];
        values.append(&mut self.values);
        Narrowed {
            conditions: vec![condition],
            values,
        }
    }

    /// All conditions as SQL.
    pub(super) fn conditions(&self) -> String {
        match self.conditions.is_empty() {
            true => "1".to_owned(),
            false => self.conditions.join(" AND "),
        }
    }

    /// The values of the conditions, in order.
    pub(super) fn values(&self) -> &[Value] {
        &self.values
    }

    fn page<T>(
        &self,
        tx: &ReadTx,
        table: &str,
        columns: &str,
        order: &str,
        page: Page,
        read: impl Fn(&Row) -> Result<T>,
    ) -> Result<(Vec<T>, u64)> {
        let conditions = self.conditions();
        let sql = format!("SELECT count(*) FROM {table} x WHERE {conditions}");
        let mut query = tx.conn.prepare_cached(&sql)?;
        let total: i64 = query.query_row(params_from_iter(&self.values), |row| row.get(0))?;
        let sql = format!(
            "SELECT {columns} FROM {table} x WHERE {conditions} ORDER BY {order} LIMIT {} OFFSET {}",
            page.size,
            page.offset()
        );
        let mut query = tx.conn.prepare(&sql)?;
        let mut rows = query.query(params_from_iter(&self.values))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(read(row)?);
        }
        Ok((found, total as u64))
    }
}
