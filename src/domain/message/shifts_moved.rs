//! The message about shifts that moved, and how much of it is told.

use super::{Content, Message, Recipient, Subject};
use crate::domain::forecast::slot_named;
use crate::domain::ids::{CellId, RotationId, UserId};
use crate::domain::rotation::Rotation;
use crate::domain::stored;
use crate::domain::told_plan::{Moved, Moves, Reason};
use crate::domain::zones::ZoneName;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Shifts of either list that are told at the most.
const MOST: usize = 20;

/// What moved in a person's own plan, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShiftsMoved {
    pub gained: Vec<MovedShift>,
    pub lost: Vec<MovedShift>,
    /// Those that are left out, the later ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_gained: Option<More>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_lost: Option<More>,
    pub because: Vec<Reason>,
    /// The person's zone.
    pub zone: ZoneName,
    #[serde(default)]
    pub rotation_deleted: bool,
}

/// A shift that is somebody else's now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MovedShift {
    pub cell: CellId,
    /// The name of the slot, as in [`HandoverNotice::slot`](crate::domain::forecast::HandoverNotice::slot).
    #[serde(rename = "name", default, skip_serializing_if = "Vec::is_empty")]
    pub slot: Vec<String>,
    #[serde(with = "stored")]
    pub from: Timestamp,
    /// `None` where it ends beyond what was compared.
    #[serde(with = "stored")]
    pub until: Option<Timestamp>,
    /// Who had it, or has it now; `None` for nobody, and for somebody unknown here.
    pub other: Option<UserId>,
}

/// Shifts that are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct More {
    pub count: usize,
    /// The latest end of them; `None` beyond what was compared.
    #[serde(with = "stored")]
    pub until: Option<Timestamp>,
}

impl More {
    /// Counts shifts; `None` if there are none.
    pub fn of(left_out: impl Iterator<Item = Option<Timestamp>>) -> Option<More> {
        left_out
            .map(|until| More { count: 1, until })
            .reduce(More::and)
    }

    /// Both together.
    pub fn and(self, other: More) -> More {
        More {
            count: self.count + other.count,
            until: self.until.zip(other.until).map(|(one, two)| one.max(two)),
        }
    }

    /// Both together, where there are any.
    pub fn both(one: Option<More>, two: Option<More>) -> Option<More> {
        one.into_iter().chain(two).reduce(More::and)
    }
}

impl ShiftsMoved {
    /// What moved for a person over a time that ends at an instant.
    pub fn new(
        rotation: &Rotation,
        (moves, compared_until): (&Moves, Timestamp),
        because: Vec<Reason>,
        zone: ZoneName,
    ) -> ShiftsMoved {
        let until = |one: &Moved| Some(one.period.until).filter(|until| *until < compared_until);
        let told = |moved: &[Moved]| -> Vec<MovedShift> {
            let shift = |one: &Moved| MovedShift {
                cell: one.cell.clone(),
                slot: slot_named(rotation, &one.cell),
                from: one.period.from,
                until: until(one),
                other: one.other.clone(),
            };
            moved.iter().take(MOST).map(shift).collect()
        };
        let more = |moved: &[Moved]| More::of(moved.iter().skip(MOST).map(until));
        ShiftsMoved {
            gained: told(&moves.gained),
            lost: told(&moves.lost),
            more_gained: more(&moves.gained),
            more_lost: more(&moves.lost),
            because,
            zone,
            rotation_deleted: false,
        }
    }

    /// The message to a person.
    pub fn to(self, rotation: &Rotation, person: &UserId) -> Message {
        Message {
            to: Recipient::Person(person.clone()),
            rotation: Some(rotation.id.clone()),
            rotation_name: rotation.profile.name.clone(),
            subject: Subject::Rotation,
            content: Content::ShiftsMoved(self),
            answers: Vec::new(),
            people: Default::default(),
            expires_at: None,
            thread: None,
        }
    }

    /// The page that a link leads to: the first shift that is theirs now, else that somebody has now, else the rotation. `None` where
    /// that is gone.
    pub fn path(&self, rotation: &RotationId) -> Option<String> {
        let taken = |shift: &&MovedShift| shift.other.is_some();
        let shown = self.gained.first();
        let shown = shown.or_else(|| self.lost.iter().find(taken));
        (!self.rotation_deleted).then(|| match shown {
            Some(shift) => format!("/rotations/{rotation}/shifts/{}/{}", shift.cell, shift.from),
            None => format!("/rotations/{rotation}"),
        })
    }

    /// All people named in it.
    pub(super) fn people(&self) -> Vec<&UserId> {
        let shifts = self.gained.iter().chain(&self.lost);
        let others = shifts.filter_map(|shift| shift.other.as_ref());
        let because = self.because.iter().flat_map(|one| one.said.people());
        others.chain(because).collect()
    }
}
