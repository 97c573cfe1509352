//! The turns to come as people give them away: dealt turns whole, not the pieces into which covered hours cut them.

use super::duties::{self, PlanFilter};
use super::{App, Result, reads, swaps};
use crate::domain::access::Principal;
use crate::domain::agreement::AgreementContext;
use crate::domain::duty::Duty;
use crate::domain::edit::{NewLeg, NewSwap};
use crate::domain::forecast::{self, CellForecast, Phase};
use crate::domain::ids::{CellId, RotationId, UserId};
use crate::domain::rotation::Rotation;
use crate::domain::time::{Interval, just_before};
use jiff::{SignedDuration, Timestamp};

/// How far ahead turns are offered.
const AHEAD: SignedDuration = SignedDuration::from_hours(56 * 24);

/// Hand-overs of one cell that are looked at, at the most.
const HAND_OVERS: usize = 64;

/// Pairs of turns that are looked at for a form, at the most.
const MOST_PAIRS: usize = 2_000;

/// The turns to come that can be swapped: the legs that they would be, by start.
#[derive(Clone, Debug, Default)]
pub struct Swappable {
    /// The person's own, each with one of the others at least.
    pub own: Vec<NewLeg>,
    /// Those of others, each with one of the person's own at least.
    pub others: Vec<NewLeg>,
}

/// The turns that a person may offer to swap, and those of others that they may ask for: an offer of each is accepted as far as
/// the rotation stands now. Where `chosen` names a turn of theirs that can be swapped, by its cell and an instant in it, they are
/// that turn and what it can be swapped for.
pub fn swappable(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    chosen: Option<(&CellId, Timestamp)>,
) -> Result<(Rotation, Swappable)> {
    let user = caller.person()?;
    reads::in_context(app, caller, id, |_, context| {
        let rotation = context.rotation;
        if rotation.external.is_some() || !rotation.enabled {
            return Ok(Swappable::default());
        }
        let range = ahead(app);
        let (forecasts, known) = forecast::known_cells(rotation, context.dealing, range.until);
        let turns = whole_turns(app, context, &forecasts, range).into_iter();
        let (own, others): (Vec<NewLeg>, Vec<NewLeg>) =
            turns.partition(|turn| turn.holder == *user);
        if own.is_empty() {
            return Ok(Swappable::default());
        }
        if known.is_some() {
            return Ok(forecast::too_far()?);
        }
        let is_chosen = |turn: &&NewLeg| {
            let names = |(cell, at): (&CellId, _)| turn.cell == *cell && turn.period.contains(at);
            chosen.is_some_and(names)
        };
        let mut left = MOST_PAIRS;
        let mut matched = |own: &[NewLeg]| {
            let mut found = (vec![false; own.len()], vec![false; others.len()]);
            for (mine, turn) in own.iter().enumerate() {
                for (theirs, other) in others.iter().enumerate() {
                    if (found.0[mine] && found.1[theirs]) || left == 0 {
                        continue;
                    }
                    left -= 1;
                    if swaps::can_offer(context, user, &offer(turn, other), &forecasts) {
                        (found.0[mine], found.1[theirs]) = (true, true);
                    }
                }
            }
            Swappable {
                own: kept(own, &found.0),
                others: kept(&others, &found.1),
            }
        };
        let the_one: Vec<NewLeg> = own.iter().filter(is_chosen).cloned().collect();
        let of_chosen = matched(&the_one);
        Ok(match of_chosen.own.is_empty() {
            true => matched(&own),
            false => of_chosen,
        })
    })
}

/// The dealt turns from one hand-over to the next, by start.
fn whole_turns(
    app: &App,
    context: &AgreementContext,
    forecasts: &[CellForecast],
    range: Interval,
) -> Vec<NewLeg> {
    let rotation = context.rotation;
    let phases = forecast::phases(rotation, app.calendar());
    let mut turns = Vec::new();
    for (cell, forecast) in rotation.cells.iter().zip(forecasts) {
        let bounds = hand_overs(app, &phases, &cell.id, range);
        let is_whole = |period: &Interval| {
            let from = bounds.binary_search(&period.from);
            from.is_ok_and(|from| bounds.get(from + 1) == Some(&period.until))
        };
        let whole = forecast.turns().filter(|(_, period)| is_whole(period));
        turns.extend(whole.map(|(user, period)| NewLeg {
            key: String::new(),
            cell: cell.id.clone(),
            holder: user.clone(),
            period,
        }));
    }
    turns.sort_by_key(|turn| turn.period.from);
    turns
}

fn kept(turns: &[NewLeg], keep: &[bool]) -> Vec<NewLeg> {
    let turns = turns.iter().zip(keep).filter(|(_, keep)| **keep);
    turns.map(|(turn, _)| turn.clone()).collect()
}

/// The offer of two turns for each other.
fn offer(own: &NewLeg, other: &NewLeg) -> NewSwap {
    let leg = |key: &str, turn: &NewLeg| NewLeg {
        key: key.to_owned(),
        ..turn.clone()
    };
    NewSwap {
        recipient: other.holder.clone(),
        legs: vec![leg("own", own), leg("theirs", other)],
        reason: String::new(),
        acknowledged: Vec::new(),
    }
}

/// The turns of a person from now on, by start: a turn whole where nobody else holds a part of it, else the pieces that are theirs.
pub fn held_by(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    user: &UserId,
) -> Result<(Rotation, Vec<Duty>)> {
    let range = ahead(app);
    let (rotation, duties) = duties::schedule(app, caller, id, range, &PlanFilter::default())?;
    let phases = forecast::phases(&rotation, app.calendar());
    let mut turns = Vec::new();
    for cell in &rotation.cells {
        let of_cell = |duty: &&Duty| duty.cell == cell.id && !duty.is_over(range.from);
        let items: Vec<&Duty> = duties.iter().filter(of_cell).collect();
        let mut bounds = hand_overs(app, &phases, &cell.id, range);
        bounds.insert(0, range.from);
        // Where nothing hands over, what they hold has its own end or none.
        let spans: Vec<(Timestamp, Option<Timestamp>)> = match bounds.len() {
            1 => vec![(range.from, None)],
            _ => {
                let pairs = bounds.windows(2);
                pairs.map(|pair| (pair[0], Some(pair[1]))).collect()
            }
        };
        for (begin, end) in spans {
            let touches = |item: &&&Duty| {
                end.is_none_or(|end| item.entry.start < end)
                    && item.end.is_none_or(|end| end > begin)
            };
            let within = items.iter().filter(touches).copied();
            turns.extend(turn_of(user, (begin, end), within));
        }
    }
    turns.sort_by_key(|turn| turn.entry.start);
    Ok((rotation, turns))
}

/// The part of one dealt turn that a person holds.
fn turn_of<'a>(
    user: &UserId,
    (begin, end): (Timestamp, Option<Timestamp>),
    items: impl Iterator<Item = &'a Duty>,
) -> Vec<Duty> {
    let (theirs, others): (Vec<&Duty>, Vec<&Duty>) = items
        .filter(|item| item.entry.user.is_some())
        .partition(|item| item.is_of(user));
    let is_whole = others.is_empty() && theirs.iter().all(|item| item.entry.arrangement.is_none());
    match theirs.first() {
        None => Vec::new(),
        Some(first) if is_whole && end.is_some() => vec![first.over(begin, end)],
        Some(_) => {
            let piece = |item: &&Duty| {
                let until = item.end.into_iter().chain(end).min();
                item.over(item.entry.start.max(begin), until)
            };
            theirs.iter().map(piece).collect()
        }
    }
}

fn ahead(app: &App) -> Interval {
    let now = app.now();
    Interval::ahead(now, AHEAD)
}

/// The hand-overs to come of a cell, within the range; none where somebody hands over by hand.
fn hand_overs(app: &App, phases: &[Phase], cell: &CellId, range: Interval) -> Vec<Timestamp> {
    let mut bounds = Vec::new();
    for phase in phases {
        let rotation = &phase.rotation;
        let slot = rotation.slot_of(cell);
        let Some((slot, period)) = slot.zip(phase.period.meets(range)) else {
            continue;
        };
        if let Some(cadence) = &rotation.windows[rotation.cells[slot].window].cadence {
            // One at the instant of a change is that of the changed cadence.
            let after = match phase.period.contains(range.from) {
                true => period.from,
                false => just_before(period.from),
            };
            let upcoming = cadence.upcoming(app.calendar(), after, HAND_OVERS);
            bounds.extend(upcoming.into_iter().filter(|at| *at < period.until));
        }
    }
    bounds.truncate(HAND_OVERS);
    bounds
}
