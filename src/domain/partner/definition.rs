//! How a schedule is made: rotations with participants, turns and restrictions.

use super::{Member, PartnerPerson, PartnerZone, ScheduleSummary};
use crate::domain::time::Interval;
use crate::domain::zones::ZoneName;
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
    /// The times for which the timeline counts instead of the turns, by their start.
    pub exceptions: Vec<Exception>,
    /// What the reader of the source has found that a rotation cannot say, a sentence each.
    pub unsaid: Vec<String>,
    /// Whether the source counts hours across a change of the clocks otherwise than a rotation does, so that a difference there is
    /// expected.
    pub differs_at_clock_changes: bool,
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
    /// Where rotations are on call beside one another: it is not on call in the hours of those of a higher level.
    pub level: i64,
    /// The zone of the restrictions, where it is not the schedule's.
    pub zone: Option<ZoneName>,
    /// The zone of the hand-overs, where it is not that of the restrictions.
    pub turn_zone: Option<ZoneName>,
    /// Whose turn it is, where the source says that rather than that the first participant began at the anchor.
    pub current: Option<CurrentTurn>,
}

/// A turn that a source told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurrentTurn {
    /// Index into the participants.
    pub participant: usize,
    /// When the turn ends.
    pub until: Timestamp,
}

/// How long a turn lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Hours that pass.
    Hours(u32),
    /// Hours of the local clock: hand-overs keep their local times when the clocks change.
    ClockHours(u32),
    /// Local days: the hand-over is at the same local time.
    Days(u32),
    /// Local weeks.
    Weeks(u32),
    /// Local months.
    Months(u32),
    /// From each of these days of the week to the next of them.
    OnDays(Vec<Weekday>),
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

/// A time for which a source says who is on call without saying in which rotation: an override of a whole schedule, or a
/// temporary schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// Such as `the temporary schedule`.
    pub what: String,
    pub span: Interval,
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
