//! The steps that the record has of how a turn began, or why nobody had one.

use super::hours::hand_over;
use super::{Deed, Step, Unrecorded, decided, searched};
use crate::domain::cadence::Cadence;
use crate::domain::duty::Duty;
use crate::domain::holidays::Calendar;
use crate::domain::rotation::{PassedOver, Reason};
use crate::domain::trace::Decision;
use jiff::Timestamp;

/// The steps of a dealt turn that began at an instant; `origin` is the entry with which it was first on call, `cadence` that of
/// its window today, and `decision` what the record has of how it was dealt.
pub fn turn(
    origin: &Duty,
    since: Timestamp,
    cadence: Option<&Cadence>,
    calendar: &Calendar,
    decision: Option<&Decision>,
) -> Vec<Step> {
    let entry = &origin.entry;
    let mut steps = vec![beginning(origin, since, (cadence, calendar), decision)];
    let is_set = matches!(
        steps[0],
        Step::ByHand {
            deed: Deed::Set,
            ..
        }
    );
    // Somebody may have been set on duty at the instant at which they were dealt.
    if let Some(decision) = decision.filter(|_| !is_set) {
        steps.extend(searched(decision));
        return steps;
    }
    let passed = !entry.skipped.is_empty() || !entry.passed_over.is_empty();
    let skipped = entry.skipped.iter().cloned();
    steps.extend(skipped.map(|absence| Step::PassedOver { absence, id: None }));
    let elsewhere = entry.passed_over.iter().cloned();
    steps.extend(elsewhere.map(Step::AlreadyOnDuty));
    if let Some(user) = &entry.user {
        steps.push(Step::Chosen {
            user: user.clone(),
            turn: entry.turn,
        });
    }
    if !is_set || passed {
        steps.push(Step::NotRecorded(Unrecorded::Order));
    }
    steps
}

fn beginning(
    origin: &Duty,
    since: Timestamp,
    (cadence, calendar): (Option<&Cadence>, &Calendar),
    decision: Option<&Decision>,
) -> Step {
    let entry = &origin.entry;
    // A turn that began while the hours were shut has no entry of its own.
    let is_first = entry.start == since && entry.reason != Reason::BusinessHoursBackOnline;
    if let Some(deed) = Deed::of(entry.reason).filter(|_| is_first) {
        return Step::ByHand {
            deed,
            by: origin.by.clone(),
            at: since,
        };
    }
    let scheduled = cadence.map(|cadence| hand_over(cadence, calendar, since));
    match scheduled {
        Some((true, moved_from)) => Step::DealtAt {
            at: since,
            reason: Reason::NextOnScheduledDuty,
            cadence: cadence.cloned().map(Box::new),
            moved_from,
        },
        _ if is_first => Step::DealtAt {
            at: since,
            reason: entry.reason,
            cadence: None,
            moved_from: None,
        },
        _ => decision.map_or(Step::NotRecorded(Unrecorded::Beginning), begun),
    }
}

/// How a turn began that the record has no entry of.
fn begun(decision: &Decision) -> Step {
    match Deed::of(decision.reason) {
        Some(deed) => Step::ByHand {
            deed,
            by: None,
            at: decision.at,
        },
        None => Step::DealtAt {
            at: decision.at,
            reason: decision.reason,
            cadence: None,
            moved_from: None,
        },
    }
}

/// The instants before and after a slot fell empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Around {
    /// Whether somebody had the slot until then.
    pub was_held: bool,
    /// Whether a hand-over of the window has come since.
    pub was_dealt: bool,
}

/// The latest search for somebody, as the record has it.
#[derive(Clone, Debug)]
pub enum Search<'a> {
    /// All of it, with the cadence whose hand-over it was, and when that was to be where skipped days moved it.
    Recorded(&'a Decision, (Option<&'a Cadence>, Option<Timestamp>)),
    /// Who was on call elsewhere.
    PassedOver(&'a [PassedOver]),
}

/// The steps of a slot that stands empty in open hours since an entry.
pub fn vacancy(duty: &Duty, around: Around, search: Search) -> Vec<Step> {
    let entry = &duty.entry;
    let at = entry.start;
    let begun = match Deed::of(entry.reason) {
        // Put on duty was nobody: whoever was there before came off. A slot that nobody has held yet begins the same way.
        Some(Deed::Set) => around.was_held.then_some(Deed::Cleared),
        deed => deed,
    };
    let mut steps = Vec::new();
    if let Some(deed) = begun {
        let by = duty.by.clone();
        steps.push(Step::ByHand { deed, by, at });
    } else if entry.reason == Reason::NextOnScheduledDuty && !matches!(search, Search::Recorded(..))
    {
        steps.push(Step::DealtAt {
            at,
            reason: entry.reason,
            cadence: None,
            moved_from: None,
        });
    }
    let passed_over = match search {
        Search::Recorded(decision, (cadence, moved)) => {
            // What was done by hand at the same instant is why somebody was looked for.
            match steps.is_empty() || decision.at != at {
                true => steps.extend(decided(decision, cadence, moved)),
                false => steps.extend(searched(decision)),
            }
            return steps;
        }
        Search::PassedOver(passed_over) => passed_over,
    };
    // A slot that was cleared stays empty until the next hand-over: nobody is looked for.
    let is_cleared = matches!(begun, Some(Deed::Cleared));
    if is_cleared && !around.was_dealt {
        return steps;
    }
    steps.extend(passed_over.iter().cloned().map(Step::AlreadyOnDuty));
    steps.push(Step::NobodyLeft);
    steps.push(Step::NotRecorded(Unrecorded::Search));
    steps
}
