//! Changes of a rotation that are made as one, now or later, and what one that waits does when its time comes: a step of the forecast
//! like any other.

use super::actor::Actor;
use super::applying::Applying;
use super::edit::Edits;
use super::editing::Editing;
use super::facts::Facts;
use super::holidays::Calendar;
use super::ids::{ChangeId, RotationId};
use super::refusal::Refusal;
use super::rotation::{Planned, Rotation};
use super::tiers::TierLimits;
use super::words::words;
use jiff::Timestamp;
use std::sync::Arc;

/// The most changes of a rotation that wait at once.
pub const MOST_WAITING: usize = 20;

words! {
    /// What has become of a change: it waits for its time, was applied, was refused when its time came, or was cancelled.
    pub enum ChangeState {
        Waiting = "waiting",
        Applied = "applied",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

/// A change as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct StagedChange {
    pub id: ChangeId,
    pub rotation: RotationId,
    /// When it is applied, or was.
    pub at: Timestamp,
    pub note: Option<String>,
    /// The edits as they were sent, as JSON.
    pub body: String,
    pub state: ChangeState,
    pub managed_by: Option<String>,
    pub created_by: Actor,
    pub created_at: Timestamp,
    pub applied_at: Option<Timestamp>,
    /// When it was applied, failed or was cancelled.
    pub ended_at: Option<Timestamp>,
    /// Why it failed.
    pub problem: Option<Refusal>,
    pub revision: u64,
}

/// When a change is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeTime {
    Now,
    /// At the next hand-over: of a window, by its id or key, or of any.
    NextHandOver(Option<String>),
    At(Timestamp),
}

/// A change to make.
#[derive(Clone, Debug, PartialEq)]
pub struct NewChange {
    pub at: ChangeTime,
    pub note: Option<String>,
    pub managed_by: Option<String>,
    /// Changes that wait, which are cancelled in the same write.
    pub replaces: Vec<ChangeId>,
    pub edits: Edits,
    /// The edits as they were sent, as JSON.
    pub body: String,
}

/// Edits that wait, with what they have to know.
#[derive(Clone, Debug, PartialEq)]
pub struct StagedEdit {
    /// The change that they are.
    pub id: ChangeId,
    pub edits: Arc<Edits>,
    pub facts: Arc<Facts>,
    pub limits: TierLimits,
}

impl Planned for StagedEdit {
    fn apply(
        &self,
        rotation: &mut Rotation,
        calendar: &Calendar,
        at: Timestamp,
    ) -> Result<(), Refusal> {
        let mut minted = 0;
        let suffix = self.id.as_str().trim_start_matches("chg_");
        // The plan shows the ids that the record will have.
        let mut mint = |prefix: &str| {
            minted += 1;
            format!("{prefix}{suffix}{minted}")
        };
        let mut applying = Applying {
            editing: Editing {
                calendar,
                // Who came in meanwhile is in.
                limits: TierLimits {
                    max_people: None,
                    ..self.limits
                },
                at,
                deals: false,
            },
            facts: &self.facts,
            mint: &mut mint,
            forgives_gone: true,
        };
        applying.all(&self.edits, rotation)
    }
}
