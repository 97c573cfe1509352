//! Why somebody is on call, or nobody: the steps that decided, in their order (rules.md 26).
//!
//! The future is told from the trace of the forecast, which dealing itself writes; the present and the past from the record,
//! with a step that says what the record does not hold.

mod hours;
mod recorded;
mod why_not;
mod words;

use super::arrangement::ArrangementKind;
use super::audit::{Actor, Doer};
use super::cadence::Cadence;
use super::holidays::{Calendar, CountryCode};
use super::ids::{AbsenceId, ArrangementId, CellId, ChangeId, RosterId, TradeId, UserId, WindowId};
use super::rotation::{PassedOver, Reason, Skipped, Window};
use super::trace::{Cannot, Decision, Traced};
use crate::domain::words::words;
pub use hours::{Opening, opening, opening_recorded};
use jiff::Timestamp;
use jiff::civil::Date;
pub use recorded::{Around, Search, turn, vacancy};
pub use why_not::{NotChosen, Prospect, Told as ToldOf, WhyNot, why_not};
pub use words::{Vocabulary, text};

words! {
    /// What decides: the dealt `turn`, an `arrangement` over it, the partner's schedule of an `external` rotation, hours that are
    /// `shut`, or `nobody`, where the hours are open and the slot is empty.
    pub enum Source as ExplainedSource {
        Turn = "turn",
        Arrangement = "arrangement",
        External = "external",
        Shut = "shut",
        Nobody = "nobody",
    }
}

words! {
    /// What the record does not hold: more of an `absence` that has been deleted or changed since; which `dayOff` shut the hours.
    /// Of turns that were dealt before the upgrade to schema 8 also the `order` of people and whose turn was next; the `beginning` of a turn that began
    /// while the hours were shut; the `search` before a slot stayed empty.
    pub enum Unrecorded as UnrecordedPart {
        Order = "order",
        Beginning = "beginning",
        Absence = "absence",
        DayOff = "dayOff",
        Search = "search",
    }
}

/// A deed by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Put people on duty.
    Set,
    /// Handed over.
    Rotated,
    /// Took somebody off duty.
    Cleared,
    /// Edited the rotation, which filled or emptied the slot.
    Edited,
    /// Removed whoever was on duty.
    Removed,
    /// Acknowledged a mention, which handed over.
    Acknowledged,
}

impl Deed {
    /// The deed that a reason of the record stands for; `None` for what falls due.
    pub fn of(reason: Reason) -> Option<Deed> {
        Some(match reason {
            Reason::ExplicitChange => Deed::Set,
            Reason::RotateToNextOnDuty => Deed::Rotated,
            Reason::DutyCleared => Deed::Cleared,
            Reason::CoverageChanged => Deed::Edited,
            Reason::RemovalOfActiveDuty => Deed::Removed,
            Reason::AfterMention => Deed::Acknowledged,
            _ => return None,
        })
    }
}

/// One step of an explanation.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    WindowOpen(Opening),
    WindowShut(Opening),
    OffDay {
        date: Date,
        country: CountryCode,
        is_weekend: bool,
        /// The operator's name for it.
        name: Option<String>,
    },
    /// Disabled: it stands as it did then.
    Frozen {
        since: Timestamp,
        /// When it was enabled again; `None` if it has not been.
        until: Option<Timestamp>,
    },
    /// The plan does not include the lane.
    NotInPlan,
    /// A change that waits for its time, without which it would stand otherwise.
    Change {
        id: ChangeId,
        at: Timestamp,
        by: Actor,
    },
    DealtAt {
        at: Timestamp,
        /// Why a turn was dealt then: a hand-over, or an empty slot that was filled.
        reason: Reason,
        /// Where it was a hand-over of this cadence.
        cadence: Option<Box<Cadence>>,
        /// Where the hand-over was to be on a skipped day.
        moved_from: Option<Timestamp>,
    },
    Order {
        roster: Option<RosterId>,
        window: WindowId,
        next_turn: usize,
        order: Vec<UserId>,
    },
    PassedOver {
        absence: Skipped,
        id: Option<AbsenceId>,
    },
    AlreadyOnDuty(PassedOver),
    DoubleCover,
    LeastAbsent,
    /// Whose own turn it is, where missed turns are traded.
    OwnTurn {
        user: UserId,
        /// The roster and the window.
        line: Option<(Option<RosterId>, WindowId)>,
        /// People with a part of the turns who sat out before.
        sat_out: Vec<UserId>,
    },
    Cannot(Cannot),
    Trade {
        owes: UserId,
        owed: UserId,
        /// The turn that is given for it: its cell, and when it begins.
        returns: (CellId, Timestamp),
    },
    Repayment {
        trade: TradeId,
        user: UserId,
        /// When the turn began that was taken.
        since: Timestamp,
    },
    Help {
        user: UserId,
        /// How often they had helped before.
        before: u32,
    },
    RestNotKept,
    Chosen {
        user: UserId,
        turn: Option<usize>,
    },
    NobodyLeft,
    ByHand {
        deed: Deed,
        by: Option<Doer>,
        at: Timestamp,
    },
    Arrangement {
        id: ArrangementId,
        /// `None` where there is no record of it any more.
        kind: Option<ArrangementKind>,
        by: Option<Doer>,
        reason: Option<String>,
        from: Timestamp,
        until: Option<Timestamp>,
    },
    ExternalShift {
        at: Timestamp,
        until: Option<Timestamp>,
        /// The name of somebody unknown here.
        outsider: Option<String>,
        is_anybody: bool,
    },
    /// The partner's schedule is not known as of now, so it stays as it was known last.
    ScheduleUnknown {
        /// The end of what was known; `None` if nothing was.
        since: Option<Timestamp>,
        is_linked: bool,
    },
    NotRecorded(Unrecorded),
}

impl Step {
    /// The people whom its sentence names.
    pub fn people(&self) -> Vec<&UserId> {
        match self {
            Step::Order {
                next_turn, order, ..
            } => order.get(*next_turn).into_iter().collect(),
            Step::PassedOver { absence, .. } => vec![&absence.user],
            Step::AlreadyOnDuty(passed) => vec![&passed.user],
            Step::Chosen { user, .. }
            | Step::OwnTurn { user, .. }
            | Step::Repayment { user, .. }
            | Step::Help { user, .. } => vec![user],
            Step::Cannot(cannot) => vec![&cannot.user],
            Step::Trade { owes, owed, .. } => vec![owes, owed],
            _ => Vec::new(),
        }
    }
}

/// A step, and the sentence that says it.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    pub step: Step,
    pub text: String,
}

/// Why a cell is as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedCell {
    pub cell: CellId,
    /// Who is on call; `None` for nobody, and for somebody who is unknown here.
    pub user: Option<UserId>,
    pub source: Source,
    pub steps: Vec<Told>,
    /// Why the person who was asked about is not on call; `None` where they are, and where nobody was asked about.
    pub why_not: Option<NotChosen>,
}

/// Why each cell of a rotation is as it is at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    pub at: Timestamp,
    /// Whether it was asked why somebody is not on call.
    pub asks_about_somebody: bool,
    /// In the order of slots; those that are gone come last.
    pub cells: Vec<ExplainedCell>,
}

/// The cadence whose hand-over a decision was, with when it was to be where skipped days moved it.
pub fn cadence_of<'w>(
    decision: &Decision,
    window: &'w Window,
    calendar: &Calendar,
) -> (Option<&'w Cadence>, Option<Timestamp>) {
    let cadence = window.cadence.as_ref();
    match cadence.map(|cadence| hours::hand_over(cadence, calendar, decision.at)) {
        Some((true, moved)) => (cadence, moved),
        _ => (None, None),
    }
}

/// The steps of a decision that dealing traced.
pub fn decided(
    decision: &Decision,
    cadence: Option<&Cadence>,
    moved: Option<Timestamp>,
) -> Vec<Step> {
    let dealt_at = Step::DealtAt {
        at: decision.at,
        reason: decision.reason,
        cadence: cadence.cloned().map(Box::new),
        moved_from: moved,
    };
    [dealt_at].into_iter().chain(searched(decision)).collect()
}

/// The steps of the search, without its beginning.
fn searched(decision: &Decision) -> impl Iterator<Item = Step> {
    let line = decision.steps.iter().find_map(|step| match step {
        Traced::Order { roster, window, .. } => Some((roster.clone(), window.clone())),
        _ => None,
    });
    decision.steps.iter().map(move |step| match step.clone() {
        Traced::Order {
            roster,
            window,
            next_turn,
            order,
        } => Step::Order {
            roster,
            window,
            next_turn,
            order: order.people.iter().map(|one| one.user.clone()).collect(),
        },
        Traced::Absent(absence) => Step::PassedOver { absence, id: None },
        Traced::Elsewhere(passed) => Step::AlreadyOnDuty(passed),
        Traced::DoubleCover => Step::DoubleCover,
        Traced::LeastAbsent => Step::LeastAbsent,
        Traced::Chosen { user, turn } => Step::Chosen {
            user,
            turn: Some(turn),
        },
        Traced::NobodyLeft => Step::NobodyLeft,
        Traced::OwnTurn { user, sat_out, .. } => Step::OwnTurn {
            user,
            line: line.clone(),
            sat_out,
        },
        Traced::Cannot(cannot) => Step::Cannot(cannot),
        Traced::Trade {
            owes,
            owed,
            returns,
        } => Step::Trade {
            owes,
            owed,
            returns,
        },
        Traced::Repayment { trade, user, since } => Step::Repayment { trade, user, since },
        Traced::Help { user, before } => Step::Help { user, before },
        Traced::RestNotKept => Step::RestNotKept,
    })
}
