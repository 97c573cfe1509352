//! The entries of the record: who covers a cell, since when and why (rules.md 7).

use super::absence::Skipped;
use super::books::DealtTurn;
use super::coverage::Stretch;
use super::ids::{ArrangementId, CellId, UserId};
use super::stored::listed;
use super::words::words;
use super::zones::ZoneName;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The running entry of a cell's history: who covers it, since when and why (rules.md 7).
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub start: Timestamp,
    /// `None` when nobody covers.
    pub user: Option<UserId>,
    /// The person's position in the order when the entry began.
    pub turn: Option<usize>,
    pub reason: Reason,
    pub lane_name: Option<String>,
    pub window_name: Option<String>,
    /// The hours it is held under; later edits do not rewrite them.
    pub hours: Arc<HoursHeld>,
    /// Absent people passed over when the turn was dealt.
    pub skipped: Vec<Skipped>,
    /// Those passed over because they were on call elsewhere, then or in the search that found nobody.
    pub passed_over: Vec<PassedOver>,
    /// Whose own turn it is; `None` for an arrangement, and where missed turns were lost when it was dealt.
    pub dealt: Option<DealtTurn>,
    /// The arrangement that it is held by; `None` for a dealt turn.
    pub arrangement: Option<ArrangementId>,
    /// The name of the first person who covers it from outside and is unknown here.
    pub outside: Option<String>,
    /// Others who cover it at the same time, on a partner's schedule with several slots.
    pub beside: Vec<UserId>,
}

impl Entry {
    /// The entry of a slot that nobody has held yet, on hours that restrict nothing.
    pub fn never_held(at: Timestamp) -> Entry {
        Entry {
            start: at,
            user: None,
            turn: None,
            reason: Reason::ExplicitChange,
            lane_name: None,
            window_name: None,
            hours: Arc::new(HoursHeld {
                zone: None,
                always_open: true,
                coverage: Vec::new(),
            }),
            skipped: Vec::new(),
            passed_over: Vec::new(),
            dealt: None,
            arrangement: None,
            outside: None,
            beside: Vec::new(),
        }
    }
}

/// The hours of a window as a turn was held under them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HoursHeld {
    pub zone: Option<ZoneName>,
    pub always_open: bool,
    pub coverage: Vec<Stretch>,
}

words! {
    /// Why an entry began.
    pub enum Reason as HistoryReason {
        NextOnScheduledDuty = "next-on-scheduled-duty",
        RotateToNextOnDuty = "rotate-to-next-on-duty",
        ExplicitChange = "explicit-change",
        DutyCleared = "duty-cleared",
        RemovalOfActiveDuty = "removal-of-active-duty",
        CoverageChanged = "coverage-changed",
        BusinessHoursOffline = "business-hours-offline",
        BusinessHoursBackOnline = "business-hours-back-online",
        ChangeInExternalSchedule = "change-in-external-schedule",
        AfterMention = "after-mention",
    }
}

/// Somebody passed over because they are on call in another cell at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    pub user: UserId,
    /// The first cell in the way, in the order of slots.
    pub cell: CellId,
}

listed! {
    PassedOver: |one| (&one.user, &one.cell), (user, cell) in (UserId, CellId) => PassedOver { user, cell };
}
