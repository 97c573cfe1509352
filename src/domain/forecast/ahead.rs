//! What is planned, as weekly summaries tell it: whole turns, whose turn lies beneath a cover, and hours without anybody.

use super::{gaps, schedule_of, slot_name, with_coming};
use crate::domain::duty::{Duty, DutyKind};
use crate::domain::handover::DealingContext;
use crate::domain::ids::{CellId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::{Interval, joined};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Turns of one plan that are looked at.
const MOST_TURNS: usize = 2_000;

/// A turn, or a stretch of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stretch {
    /// The name of the rotation, and of the slot in one with several.
    pub title: Vec<String>,
    #[serde(flatten)]
    pub period: Interval,
    /// Nobody known here: `outside` has the name, if there is anybody.
    pub user: Option<UserId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<String>,
    /// Whose turn it is beneath a cover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers_for: Option<UserId>,
}

impl Stretch {
    /// Everybody who is named.
    pub fn people(&self) -> impl Iterator<Item = &UserId> {
        self.user.iter().chain(&self.covers_for)
    }
}

/// The plan of a rotation in a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ahead {
    /// Who is on call, by where it begins. Stretches of one turn are one.
    pub turns: Vec<Stretch>,
    /// Covered hours without anybody, a slot each.
    pub vacant: Vec<Stretch>,
}

/// What is planned in a range, with whole turns. `named` begins the titles; slots follow where there are several.
///
/// # Errors
/// [`Refusal::Invalid`] where that takes too much to look at.
pub fn ahead(
    rotation: &Rotation,
    dealing: DealingContext,
    range: Interval,
    named: &[String],
) -> Result<Ahead, Refusal> {
    if !rotation.enabled {
        return Ok(Ahead::default());
    }
    let whole = with_coming(rotation, dealing.calendar);
    let mut duties = schedule_of(rotation, dealing, range, MOST_TURNS)?;
    for duty in duties.iter_mut().filter(|duty| duty.slot.is_none()) {
        duty.slot = whole.slot_of(&duty.cell);
    }
    let covers = duties
        .iter()
        .any(|duty| duty.kind() == DutyKind::Arrangement);
    // Dealing goes on beneath arrangements as if there were none.
    let beneath = match covers {
        true => {
            let bare = Rotation {
                arranged: Vec::new(),
                ..rotation.clone()
            };
            schedule_of(&bare, dealing, range, MOST_TURNS)?
        }
        false => Vec::new(),
    };
    let title = |cell: usize| {
        let slot = slot_name(&whole, &whole.cells[cell]);
        named.iter().cloned().chain(slot).collect::<Vec<_>>()
    };
    let mut turns: Vec<(usize, Option<Timestamp>, Stretch)> = Vec::new();
    for duty in duties.iter().filter(|duty| duty.kind() != DutyKind::Nobody) {
        let Some(cell) = duty.slot else { continue };
        let covers_for = match duty.kind() {
            DutyKind::Arrangement => holder_beneath(&beneath, &duty.cell, duty.entry.start),
            DutyKind::Turn | DutyKind::Nobody => None,
        };
        let stretch = Stretch {
            title: title(cell),
            period: Interval::new(duty.entry.start, duty.end.unwrap_or(range.until)),
            user: duty.entry.user.clone(),
            outside: duty.entry.outside.clone(),
            covers_for: covers_for.filter(|user| Some(user) != duty.entry.user.as_ref()),
        };
        // The hours of one turn are one stretch.
        let same = turns.iter_mut().rev().find(|(slot, since, other)| {
            (*slot, *since) == (cell, duty.held_since) && other.user == stretch.user
        });
        match same {
            Some((_, Some(_), whole)) => whole.period.until = stretch.period.until,
            _ => turns.push((cell, duty.held_since, stretch)),
        }
    }
    let mut turns: Vec<Stretch> = turns.into_iter().map(|(_, _, turn)| turn).collect();
    turns.retain(|turn| !turn.period.is_empty());
    turns.sort_by_key(|turn| turn.period);
    let vacant = gaps(&duties, range).into_iter().map(|gap| Stretch {
        title: title(gap.cell),
        period: gap.period,
        user: None,
        outside: None,
        covers_for: None,
    });
    Ok(Ahead {
        turns,
        vacant: vacant.collect(),
    })
}

/// Whose turn it is in a cell at an instant, among duties without arrangements.
fn holder_beneath(duties: &[Duty], cell: &CellId, at: Timestamp) -> Option<UserId> {
    let covering = |duty: &&Duty| duty.cell == *cell && duty.period().contains(at);
    duties
        .iter()
        .find(covering)
        .and_then(|duty| duty.entry.user.clone())
}

/// The parts of absences within a range, joined.
pub fn within_range(periods: impl Iterator<Item = Interval>, range: Interval) -> Vec<Interval> {
    let meeting = periods.filter_map(|period| period.meets(range));
    joined(meeting.collect())
}
