//! Answers of PagerDuty's REST API v3 about shift-based schedules (pure).

use super::super::Failure;
use super::super::json::{Instant, said, span};
use super::Part;
use crate::domain::partner::{
    Definition, Member, Outline, PartnerOverride, PartnerPerson, PartnerRotation, PartnerZone,
    ScheduleSummary, Shift, ShiftSource, SourceKind, Turn, ids_of_people,
};
use crate::domain::time::Interval;
use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct ScheduleResponse {
    pub(super) schedule: Schedule,
}

/// A schedule in a listing.
#[derive(Deserialize)]
pub(super) struct Listed {
    id: String,
    summary: Option<String>,
    html_url: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Schedule {
    id: String,
    name: Option<String>,
    time_zone: Option<String>,
    html_url: Option<String>,
    #[serde(default)]
    users: Vec<Reference>,
    #[serde(default)]
    rotations: Vec<Rotation>,
    final_schedule: Option<Final>,
}

#[derive(Deserialize)]
struct Reference {
    id: Option<String>,
    summary: Option<String>,
}

#[derive(Deserialize)]
struct Rotation {
    id: String,
    #[serde(default)]
    events: Vec<Event>,
}

#[derive(Deserialize)]
struct Event {
    name: Option<String>,
    start_time: Local,
    end_time: Local,
    effective_since: Instant,
    effective_until: Option<Instant>,
    #[serde(default)]
    recurrence: Vec<String>,
    assignment_strategy: Strategy,
}

#[derive(Deserialize)]
struct Local {
    /// With an offset, or local in the zone beside it.
    date_time: String,
    time_zone: Option<String>,
}

impl Local {
    fn instant(&self) -> Option<Timestamp> {
        let zone = PartnerZone::of(self.time_zone.as_deref().unwrap_or_default());
        let local = || {
            let local: DateTime = self.date_time.parse().ok()?;
            let at = zone.or_utc().tz().to_ambiguous_timestamp(local);
            at.compatible().ok()
        };
        self.date_time.parse().ok().or_else(local)
    }
}

#[derive(Deserialize)]
struct Strategy {
    r#type: String,
    shifts_per_member: Option<u32>,
    #[serde(default)]
    members: Vec<ShiftMember>,
}

#[derive(Deserialize)]
struct ShiftMember {
    r#type: String,
    user_id: Option<String>,
}

#[derive(Deserialize)]
struct Final {
    computed_shift_assignments: Vec<Assignment>,
}

#[derive(Deserialize)]
struct Assignment {
    start_time: Instant,
    /// Absent in an assignment that does not end.
    end_time: Option<Instant>,
    member: ShiftMember,
    source: Origin,
}

#[derive(Deserialize)]
struct Origin {
    r#type: String,
    rotation_id: Option<String>,
    shift_id: Option<String>,
    override_id: Option<String>,
}

/// An override in a listing.
#[derive(Deserialize)]
pub(super) struct Override {
    id: String,
    rotation_id: Option<String>,
    start_time: Instant,
    end_time: Instant,
    overriding_member: ShiftMember,
}

/// The end of what does not end.
const NEVER: Instant = Instant(crate::domain::time::FOREVER);

impl Listed {
    pub(super) fn summary(self) -> ScheduleSummary {
        ScheduleSummary {
            name: said(&self.summary).unwrap_or_else(|| self.id.clone()),
            zone: None,
            web_url: said(&self.html_url),
            id: self.id,
        }
    }
}

impl ShiftMember {
    /// The name is in the users of the schedule, if at all.
    fn member(&self, users: &[Reference]) -> Member {
        match &self.user_id {
            Some(id) if self.r#type == "user_member" => {
                let user = users.iter().find(|user| user.id.as_ref() == Some(id));
                Member {
                    name: user.and_then(|user| said(&user.summary)),
                    ..Member::user(id.clone())
                }
            }
            _ => Member::empty(),
        }
    }
}

impl Schedule {
    fn title(&self) -> String {
        said(&self.name).unwrap_or_else(|| self.id.clone())
    }

    fn zone(&self) -> Option<PartnerZone> {
        said(&self.time_zone).map(|zone| PartnerZone::of(&zone))
    }

    fn people(&self) -> Vec<PartnerPerson> {
        let people = self.users.iter().filter_map(|user| {
            Some(PartnerPerson {
                participant_id: user.id.clone()?,
                name: said(&user.summary),
                email: None,
            })
        });
        people.collect()
    }

    pub(super) fn outline(&self) -> Outline {
        let events = self.rotations.iter().flat_map(|rotation| &rotation.events);
        let members = events.flat_map(|event| &event.assignment_strategy.members);
        Outline {
            name: self.title(),
            zone: self.zone().unwrap_or_else(|| PartnerZone::of("UTC")),
            participants: ids_of_people(members.map(|member| member.member(&self.users))),
            people: self.people(),
        }
    }

    /// How the schedule is made: a rotation an event.
    pub(super) fn definition(self, overrides: &[Override], within: Interval) -> Definition {
        let users = &self.users;
        let rotations = self.rotations.iter().flat_map(|rotation| {
            let events = rotation.events.iter();
            events.map(move |event| event.rotation(rotation, users))
        });
        let rotations: Vec<PartnerRotation> = rotations.collect();
        let overrides = overrides.iter().filter_map(|given| {
            let span = span(given.start_time, given.end_time)?;
            span.meets(within)?;
            Some(PartnerOverride {
                id: Some(given.id.clone()),
                member: given.overriding_member.member(users),
                span,
                rotation_ids: given.rotation_id.iter().cloned().collect(),
            })
        });
        let mut overrides: Vec<PartnerOverride> = overrides.collect();
        overrides.sort_by_key(|one| one.span.from);
        let zone = self.zone();
        Definition {
            people: self.people(),
            zone: zone.clone().unwrap_or_else(|| PartnerZone::of("UTC")),
            enabled: true,
            layered: false,
            exceptions: Vec::new(),
            unsaid: Vec::new(),
            differs_at_clock_changes: false,
            rotations,
            overrides,
            summary: ScheduleSummary {
                name: self.title(),
                zone,
                web_url: said(&self.html_url),
                id: self.id,
            },
        }
    }

    /// The final schedule.
    pub(super) fn shifts(self) -> Result<Part, Failure> {
        let Some(final_schedule) = &self.final_schedule else {
            return Err(Failure::invalid("the answer has no final schedule"));
        };
        let mut shifts = Vec::new();
        for given in &final_schedule.computed_shift_assignments {
            let kind = match given.source.r#type.as_str() {
                "schedule_rotation" => SourceKind::Rotation,
                "custom_shift" => SourceKind::CustomShift,
                "schedule_rotation_override" => SourceKind::RotationOverride,
                "custom_shift_override" => SourceKind::CustomShiftOverride,
                _ => return Err(Failure::invalid("an assignment has an unknown source")),
            };
            let Some(span) = span(given.start_time, given.end_time.unwrap_or(NEVER)) else {
                continue;
            };
            shifts.push(Shift {
                member: given.member.member(&self.users),
                source: ShiftSource {
                    kind,
                    rotation_id: given.source.rotation_id.clone(),
                    shift_id: given.source.shift_id.clone(),
                    override_id: given.source.override_id.clone(),
                },
                span,
                original: span,
            });
        }
        shifts.sort_by_key(|shift| shift.span.from);
        let ids = self.rotations.iter().map(|rotation| rotation.id.clone());
        Ok((ids.collect(), with_wholes(shifts)))
    }
}

/// Finds the whole of shifts that an override divides: a piece before it and a piece after it of the same person.
fn with_wholes(mut shifts: Vec<Shift>) -> Vec<Shift> {
    for at in 0..shifts.len() {
        let before = &shifts[at];
        if is_override(before) {
            continue;
        }
        // What replaces the person, from where this piece ends, one after another.
        let mut reached = before.span.until;
        let mut rest = shifts[at + 1..].iter().enumerate();
        let next = loop {
            let Some((ahead, shift)) = rest.next() else {
                break None;
            };
            if shift.span.from > reached {
                break None;
            }
            let replaces = is_override(shift)
                && shift.source.rotation_id == before.source.rotation_id
                && shift.source.shift_id == before.source.shift_id;
            if replaces && shift.span.from == reached {
                reached = shift.span.until;
            } else if reached > before.span.until
                && shift.span.from == reached
                && shift.source == before.source
                && shift.member.is_same(&before.member)
            {
                break Some(at + 1 + ahead);
            }
        };
        if let Some(next) = next {
            let from = shifts[at].original.from;
            shifts[next].original.from = from;
        }
    }
    // The pieces before learn how far the last piece goes.
    for at in (0..shifts.len()).rev() {
        let (from, until) = (shifts[at].original.from, shifts[at].original.until);
        if from == shifts[at].span.from {
            continue;
        }
        let (member, source) = (shifts[at].member.clone(), shifts[at].source.clone());
        for before in &mut shifts[..at] {
            if before.original.from == from
                && before.source == source
                && before.member.is_same(&member)
            {
                before.original.until = until;
            }
        }
    }
    shifts
}

fn is_override(shift: &Shift) -> bool {
    matches!(
        shift.source.kind,
        SourceKind::RotationOverride | SourceKind::CustomShiftOverride
    )
}

impl Event {
    fn rotation(&self, rotation: &Rotation, users: &[Reference]) -> PartnerRotation {
        let strategy = &self.assignment_strategy;
        let takes_turns = strategy.r#type == "rotating_member_assignment_strategy";
        let from = self.start_time.instant().unwrap_or(self.effective_since.0);
        let length = match self.end_time.instant() {
            Some(until) => from.duration_until(until),
            None => SignedDuration::ZERO,
        };
        PartnerRotation {
            id: rotation.id.clone(),
            name: self.name.clone().unwrap_or_default(),
            participants: (strategy.members.iter())
                .map(|member| member.member(users))
                .collect(),
            turn: Turn::Shifts {
                rules: self.recurrence.clone(),
                length,
                in_a_row: takes_turns.then(|| strategy.shifts_per_member.unwrap_or(1).max(1)),
            },
            anchor: from,
            begins: self.effective_since.0,
            ends: self.effective_until.map(|until| until.0),
            restrictions: Vec::new(),
            level: 0,
            zone: None,
            turn_zone: None,
            current: None,
        }
    }
}
