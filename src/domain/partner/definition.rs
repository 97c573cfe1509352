//! How a schedule is made: rotations with participants, turns and restrictions.

use super::{Member, PartnerPerson, PartnerZone, ScheduleSummary};
use crate::domain::time::Interval;
use jiff::civil::{Time, Weekday};
use jiff::{SignedDuration, Timestamp};

/// The definition of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    pub summary: ScheduleSummary,
    /// The zone that restrictions and hand-overs are in.
    pub zone: PartnerZone,
    /// Whether the schedule is in use.
    pub enabled: bool,
    /// Whether one rotation at a time is on call, the first one in the list that has somebody (PagerDuty's layers). Otherwise
    /// all of them are on call beside one another.
    pub layered: bool,
    /// Layers or rotations in the partner's order.
    pub rotations: Vec<PartnerRotation>,
    /// Overrides that end after the beginning of the span that was asked for, by their start.
    pub overrides: Vec<PartnerOverride>,
    /// Names and addresses as far as the answer gives them.
    pub people: Vec<PartnerPerson>,
}

impl Definition {
    /// The ids of the people who take turns, each once: rotations one after another, participants in order. Who only
    /// overrides is not among them.
    pub fn participant_ids(&self) -> Vec<String> {
        let rotations = self.rotations.iter();
        ids_of_people(rotations.flat_map(|one| one.participants.iter().cloned()))
    }
}

/// The ids of the people among members, each once, in order.
pub fn ids_of_people(members: impl Iterator<Item = Member>) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for member in members {
        if member.kind == super::MemberKind::User
            && let Some(id) = member.id
            && !ids.contains(&id)
        {
            ids.push(id);
        }
    }
    ids
}

/// The members of a schedule's definition that a rotation which follows it needs. Turns and restrictions are left to the partner, so those
/// that rota does not know are no obstacle here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    pub name: String,
    pub zone: PartnerZone,
    /// As [`Definition::participant_ids`].
    pub participants: Vec<String>,
    /// Names and addresses as far as the answer gives them.
    pub people: Vec<PartnerPerson>,
}

/// A layer or a rotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartnerRotation {
    pub id: String,
    pub name: String,
    /// In the order in which they take turns.
    pub participants: Vec<Member>,
    pub turn: Turn,
    /// The start of the first participant's first turn, from which all turns are counted.
    pub anchor: Timestamp,
    /// Nobody is on call before this instant.
    pub begins: Timestamp,
    /// Nobody is on call from this instant on.
    pub ends: Option<Timestamp>,
    /// When somebody is on call; always if empty.
    pub restrictions: Vec<Restriction>,
}

/// How long a turn lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Hours that pass.
    Hours(u32),
    /// Local days: the hand-over is at the same local time.
    Days(u32),
    /// Local weeks.
    Weeks(u32),
    /// A length that is no whole number of hours.
    Seconds(u32),
    /// Shifts of a recurrence rule (RFC 5545), such as PagerDuty's shift-based schedules have.
    Shifts {
        /// Such as `RRULE:FREQ=WEEKLY;BYDAY=MO`.
        rules: Vec<String>,
        /// How long each shift is.
        length: SignedDuration,
        /// How many shifts somebody takes in a row; `None` where all participants are on call together.
        in_a_row: Option<u32>,
    },
}

/// Hours of a day or of a week, in the zone of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restriction {
    /// The day of the week on which it begins; `None` for every day.
    pub day: Option<Weekday>,
    pub from: Time,
    /// In local time: a length of 24 hours ends at the same time of day. At most a day, or a week with a day.
    pub length: SignedDuration,
}

/// An override that somebody entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartnerOverride {
    /// `None` where the partner gives none.
    pub id: Option<String>,
    pub member: Member,
    pub span: Interval,
    /// The rotations that it concerns; all if empty.
    pub rotation_ids: Vec<String>,
}
