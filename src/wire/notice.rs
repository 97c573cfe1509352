//! What moved in people's own plans, and whom it is still to be told (rules.md 28).

use super::moment::Moment;
use crate::domain::actor::Actor;
use crate::domain::ids::UserId;
use crate::domain::message::{More, MovedShift, ShiftsMoved};
use crate::domain::told_plan::PendingNotices as Pending;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// Changes that people have not been told of yet. Times are in real time, also under a development clock.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingNotices {
    /// The first change.
    pub since: Moment,
    /// When people are told, unless something else changes before.
    pub sends_at: Moment,
    /// Who made the changes, each once.
    pub actors: Vec<Actor>,
}

/// Renders what is pending.
pub fn pending(pending: Pending, sends_at: Timestamp) -> PendingNotices {
    PendingNotices {
        since: pending.first_at.into(),
        sends_at: sends_at.into(),
        actors: pending.actors,
    }
}

/// The people who were told.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PeopleTold {
    /// Their ids; empty where nothing was pending or nobody's shifts moved.
    pub told: Vec<String>,
}

/// Renders them.
pub fn told(users: &[UserId]) -> PeopleTold {
    PeopleTold {
        told: users.iter().map(ToString::to_string).collect(),
    }
}

/// What moved in a person's own plan.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Moved {
    /// By `from`, then `cellId`; at most 20.
    pub gained: Vec<Gained>,
    /// By `from`, then `cellId`; at most 20.
    pub lost: Vec<Lost>,
    /// The latest three changes, oldest first.
    pub because: Vec<Because>,
    /// The shifts of both lists that are left out. Null if none are.
    pub more: Option<MoreMoved>,
}

/// A shift that is the person's now.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Gained {
    pub from: Moment,
    /// Null where it ends beyond what was compared.
    pub until: Option<Moment>,
    pub cell_id: String,
    /// Who had it. Null for nobody, or somebody unknown here.
    pub instead_of: Option<String>,
}

/// A shift that is the person's no longer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lost {
    pub from: Moment,
    /// Null where it ended beyond what was compared.
    pub until: Option<Moment>,
    pub cell_id: String,
    /// Who has it now. Null for nobody, or somebody unknown here.
    pub now: Option<String>,
}

/// A change that moved shifts.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Because {
    pub at: Moment,
    /// With times in the person's zone.
    pub text: String,
}

/// Shifts that are left out.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MoreMoved {
    pub count: usize,
    /// The latest end of them. Null beyond what was compared.
    pub until: Option<Moment>,
}

/// Renders what moved; `because` are the reasons in words.
pub fn moved(moved: &ShiftsMoved, because: Vec<(Timestamp, String)>) -> Moved {
    let other = |shift: &MovedShift| shift.other.as_ref().map(ToString::to_string);
    let gained = |shift: &MovedShift| Gained {
        from: shift.from.into(),
        until: shift.until.map(Into::into),
        cell_id: shift.cell.to_string(),
        instead_of: other(shift),
    };
    let lost = |shift: &MovedShift| Lost {
        from: shift.from.into(),
        until: shift.until.map(Into::into),
        cell_id: shift.cell.to_string(),
        now: other(shift),
    };
    let because = because.into_iter().map(|(at, text)| Because {
        at: at.into(),
        text,
    });
    let more = More::both(moved.more_gained, moved.more_lost);
    Moved {
        gained: moved.gained.iter().map(gained).collect(),
        lost: moved.lost.iter().map(lost).collect(),
        because: because.collect(),
        more: more.map(|more| MoreMoved {
            count: more.count,
            until: more.until.map(Into::into),
        }),
    }
}
