//! The basis of each dealt turn: the order, the next turn in it, and the search (rules.md 26).

use super::history::reason_named;
use super::rows::{from_json, instant, instant_or_none, json, millis};
use super::{Error, ReadTx, Result, WriteTx};
use crate::domain::absence::{AbsenceSource, Skipped};
use crate::domain::ids::{CellId, RosterId, RotationId, UserId, WindowId};
use crate::domain::roster::{Order, Position};
use crate::domain::rotation::{PassedOver, Rotation};
use crate::domain::trace::{Cannot, Decision, Hindrance, Traced};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Somebody of the order by their position, or somebody else by their id.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WhoShape {
    Position(usize),
    Id(String),
}

impl WhoShape {
    fn of(user: &UserId, order: &Order) -> WhoShape {
        let position = order.turn_of(user).map(WhoShape::Position);
        position.unwrap_or_else(|| WhoShape::Id(user.to_string()))
    }

    fn user(self, order: &Order) -> Result<UserId> {
        match self {
            WhoShape::Id(id) => Ok(id.into()),
            WhoShape::Position(position) => {
                let person = order.people.get(position);
                let person =
                    person.ok_or_else(|| Error::Corrupt(format!("position {position}")))?;
                Ok(person.user.clone())
            }
        }
    }
}

/// A step of the search between the order and its result.
#[derive(Serialize, Deserialize)]
enum StepShape {
    /// Somebody absent, from when to when; `true` where the absence is from a calendar.
    #[serde(rename = "a")]
    Absent(WhoShape, Option<i64>, Option<i64>, bool),
    /// Somebody on call in another cell.
    #[serde(rename = "e")]
    Elsewhere(WhoShape, String),
    #[serde(rename = "d")]
    DoubleCover,
    #[serde(rename = "l")]
    LeastAbsent,
    /// Whose own turn it is, and who sat out before.
    #[serde(rename = "o")]
    OwnTurn(WhoShape, Vec<WhoShape>),
    /// Somebody who cannot take it: why, from when to when, and the cell of the other turn.
    #[serde(rename = "c")]
    Cannot(
        WhoShape,
        Hindrance,
        Option<i64>,
        Option<i64>,
        Option<String>,
    ),
    /// Who owes whom, and the turn that is given for it.
    #[serde(rename = "t")]
    Trade(WhoShape, WhoShape, String, i64),
    #[serde(rename = "p")]
    Repayment(String, WhoShape, i64),
    /// Who helps, and how often before.
    #[serde(rename = "h")]
    Help(WhoShape, u32),
    #[serde(rename = "s")]
    RestNotKept,
}

/// Null where whoever was next took the turn, as in most rows.
fn steps_to_json(steps: &[Traced], order: &Order) -> Result<Option<String>> {
    let shape = |step: &Traced| match step {
        Traced::Absent(absence) => Some(StepShape::Absent(
            WhoShape::of(&absence.user, order),
            absence.from.map(millis),
            absence.until.map(millis),
            absence.source == AbsenceSource::Calendar,
        )),
        Traced::Elsewhere(passed) => Some(StepShape::Elsewhere(
            WhoShape::of(&passed.user, order),
            passed.cell.to_string(),
        )),
        Traced::DoubleCover => Some(StepShape::DoubleCover),
        Traced::LeastAbsent => Some(StepShape::LeastAbsent),
        Traced::OwnTurn { user, sat_out, .. } => {
            let sat_out = sat_out.iter().map(|user| WhoShape::of(user, order));
            Some(StepShape::OwnTurn(
                WhoShape::of(user, order),
                sat_out.collect(),
            ))
        }
        Traced::Cannot(cannot) => Some(StepShape::Cannot(
            WhoShape::of(&cannot.user, order),
            cannot.why,
            cannot.from.map(millis),
            cannot.until.map(millis),
            cannot.cell.as_ref().map(CellId::to_string),
        )),
        Traced::Trade {
            owes,
            owed,
            returns: (cell, from),
        } => Some(StepShape::Trade(
            WhoShape::of(owes, order),
            WhoShape::of(owed, order),
            cell.to_string(),
            millis(*from),
        )),
        Traced::Repayment { trade, user, since } => Some(StepShape::Repayment(
            trade.to_string(),
            WhoShape::of(user, order),
            millis(*since),
        )),
        Traced::Help { user, before } => Some(StepShape::Help(WhoShape::of(user, order), *before)),
        Traced::RestNotKept => Some(StepShape::RestNotKept),
        Traced::Order { .. } | Traced::Chosen { .. } | Traced::NobodyLeft => None,
    };
    let shapes: Vec<StepShape> = steps.iter().filter_map(shape).collect();
    match shapes.is_empty() {
        true => Ok(None),
        false => json(&shapes).map(Some),
    }
}

fn steps_from_json(text: Option<&str>, order: &Order) -> Result<Vec<Traced>> {
    let Some(text) = text else {
        return Ok(Vec::new());
    };
    let read = |shape| {
        Ok(match shape {
            StepShape::Absent(who, from, until, mirrored) => Traced::Absent(Skipped {
                user: who.user(order)?,
                from: instant_or_none(from)?,
                until: instant_or_none(until)?,
                source: match mirrored {
                    true => AbsenceSource::Calendar,
                    false => AbsenceSource::Stored,
                },
            }),
            StepShape::Elsewhere(who, cell) => Traced::Elsewhere(PassedOver {
                user: who.user(order)?,
                cell: cell.into(),
            }),
            StepShape::DoubleCover => Traced::DoubleCover,
            StepShape::LeastAbsent => Traced::LeastAbsent,
            StepShape::OwnTurn(who, sat_out) => {
                let user = who.user(order)?;
                let sat_out = sat_out.into_iter().map(|who| who.user(order));
                Traced::OwnTurn {
                    turn: order.turn_of(&user).unwrap_or(0),
                    user,
                    sat_out: sat_out.collect::<Result<_>>()?,
                }
            }
            StepShape::Cannot(who, why, from, until, cell) => Traced::Cannot(Cannot {
                user: who.user(order)?,
                why,
                from: instant_or_none(from)?,
                until: instant_or_none(until)?,
                cell: cell.map(CellId::from),
            }),
            StepShape::Trade(owes, owed, cell, from) => Traced::Trade {
                owes: owes.user(order)?,
                owed: owed.user(order)?,
                returns: (cell.into(), instant(from)?),
            },
            StepShape::Repayment(trade, who, since) => Traced::Repayment {
                trade: trade.into(),
                user: who.user(order)?,
                since: instant(since)?,
            },
            StepShape::Help(who, before) => Traced::Help {
                user: who.user(order)?,
                before,
            },
            StepShape::RestNotKept => Traced::RestNotKept,
        })
    };
    from_json::<Vec<StepShape>>(text)?
        .into_iter()
        .map(read)
        .collect()
}

/// Keeps what the turns of a rotation were dealt from, as
/// [`take_decisions`](crate::domain::rotation::Rotation::take_decisions) has it. A search that finds nobody as the
/// last one about the slot did is not kept again.
pub fn insert_decisions(
    tx: &mut WriteTx,
    rotation: &Rotation,
    decisions: &[(usize, Decision)],
) -> Result<()> {
    // By roster, because the cells that deal from one share the order.
    let mut kept: Vec<(Option<&RosterId>, &Arc<Order>, i64)> = Vec::new();
    for (index, decision) in decisions {
        let Some(Traced::Order {
            roster,
            next_turn,
            order,
            ..
        }) = decision.steps.first()
        else {
            continue;
        };
        let known = kept
            .iter()
            .find(|(of, known, _)| *of == roster.as_ref() && Arc::ptr_eq(known, order));
        let order_id = match known {
            Some((_, _, id)) => *id,
            None => {
                let id = keep_order(tx, &rotation.id, roster.as_ref(), order)?;
                kept.push((roster.as_ref(), order, id));
                id
            }
        };
        let steps = steps_to_json(&decision.steps, order)?;
        let (cell, next_turn) = (&rotation.cells[*index].id, *next_turn as i64);
        let key = params![
            rotation.id.as_str(),
            cell.as_str(),
            millis(decision.at),
            decision.reason.name(),
            decision.chosen().map(UserId::as_str),
            order_id,
            next_turn,
            steps,
        ];
        if decision.chosen().is_none() {
            let sql = "SELECT user_id IS NULL AND order_id = ?3 AND next_turn = ?4 AND steps IS ?5 FROM decision
                       WHERE rotation_id = ?1 AND cell_id = ?2 ORDER BY decided_at DESC LIMIT 1";
            let same = params![
                rotation.id.as_str(),
                cell.as_str(),
                order_id,
                next_turn,
                steps
            ];
            let mut last = tx.conn.prepare_cached(sql)?;
            if last.query_row(same, |row| row.get(0)).optional()? == Some(true) {
                continue;
            }
        }
        let sql = "INSERT OR REPLACE INTO decision (rotation_id, cell_id, decided_at, reason, user_id, order_id, next_turn, steps)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        tx.run(sql, key)?;
    }
    Ok(())
}

/// The id of an order of a roster, which is stored where it differs from the last one.
fn keep_order(
    tx: &mut WriteTx,
    rotation: &RotationId,
    roster: Option<&RosterId>,
    order: &Order,
) -> Result<i64> {
    let people: Vec<&str> = order.people.iter().map(|one| one.user.as_str()).collect();
    let people = json(&people)?;
    let roster = roster.map(RosterId::as_str);
    let sql = "SELECT id, people = ?3 FROM roster_order WHERE rotation_id = ?1 AND roster_id IS ?2
               ORDER BY id DESC LIMIT 1";
    let last: Option<(i64, bool)> = tx
        .conn
        .prepare_cached(sql)?
        .query_row(params![rotation.as_str(), roster, people], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    if let Some((id, true)) = last {
        return Ok(id);
    }
    let sql = "INSERT INTO roster_order (rotation_id, roster_id, people) VALUES (?1, ?2, ?3)";
    let row = params![rotation.as_str(), roster, people];
    tx.run(sql, row)?;
    Ok(tx.conn.last_insert_rowid())
}

/// The last decision about a cell, which deals for a window, at an instant or before it; `None` if the record has none.
pub fn load_decision(
    tx: &ReadTx,
    (id, cell, window): (&RotationId, &CellId, &WindowId),
    at: Timestamp,
) -> Result<Option<Decision>> {
    let sql = "SELECT d.decided_at, d.reason, d.user_id, d.next_turn, d.steps, o.roster_id, o.people
               FROM decision d CROSS JOIN roster_order o ON o.id = d.order_id
               WHERE d.rotation_id = ?1 AND d.cell_id = ?2 AND d.decided_at <= ?3 ORDER BY d.decided_at DESC LIMIT 1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query(params![id.as_str(), cell.as_str(), millis(at)])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let people = from_json::<Vec<String>>(&row.get::<_, String>(6)?)?.into_iter();
    let position = |user: String| Position {
        user: user.into(),
        group: None,
    };
    let order = Arc::new(Order::new(people.map(position).collect()));
    let chosen = match row.get::<_, Option<String>>(2)? {
        None => Traced::NobodyLeft,
        Some(user) => {
            let user = UserId::from(user);
            let turn = order.turn_of(&user);
            let turn = turn.ok_or_else(|| Error::Corrupt(format!("order without {user}")))?;
            Traced::Chosen { user, turn }
        }
    };
    let search = steps_from_json(row.get::<_, Option<String>>(4)?.as_deref(), &order)?;
    let begin = Traced::Order {
        roster: row.get::<_, Option<String>>(5)?.map(Into::into),
        window: window.clone(),
        next_turn: row.get::<_, i64>(3)? as usize,
        order,
    };
    Ok(Some(Decision {
        at: instant(row.get(0)?)?,
        reason: reason_named(&row.get::<_, String>(1)?)?,
        steps: [begin].into_iter().chain(search).chain([chosen]).collect(),
    }))
}
