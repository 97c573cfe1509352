//! Answers of PagerDuty's REST API v2 (pure).
//!
//! The final schedule says who is on call and not why. The overrides and the entries of each layer, which are in the same
//! answer, say where a piece comes from and how long its shift is as a whole. The first layer is the uppermost.

use super::super::Failure;
use super::super::json::{Instant, said, span};
use super::Part;
use crate::domain::partner::{
    Definition, Member, Outline, PartnerOverride, PartnerPerson, PartnerRotation, PartnerZone,
    Restriction, ScheduleSummary, Shift, ShiftSource, SourceKind, Turn, ids_of_people,
};
use crate::domain::time::Interval;
use jiff::civil::{Time, Weekday};
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
    name: Option<String>,
    summary: Option<String>,
    time_zone: Option<String>,
    html_url: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Schedule {
    #[serde(flatten)]
    listed: Listed,
    #[serde(default)]
    schedule_layers: Vec<Layer>,
    final_schedule: Option<Entries>,
    overrides_subschedule: Option<Entries>,
    #[serde(default)]
    users: Vec<Reference>,
}

#[derive(Deserialize)]
struct Layer {
    id: Option<String>,
    name: Option<String>,
    start: Instant,
    end: Option<Instant>,
    rotation_virtual_start: Instant,
    rotation_turn_length_seconds: i64,
    #[serde(default)]
    users: Vec<Participant>,
    #[serde(default)]
    restrictions: Option<Vec<Limit>>,
    #[serde(default)]
    rendered_schedule_entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Participant {
    user: Reference,
}

#[derive(Deserialize)]
struct Reference {
    id: Option<String>,
    summary: Option<String>,
    name: Option<String>,
    email: Option<String>,
}

#[derive(Deserialize)]
struct Limit {
    duration_seconds: i64,
    start_time_of_day: String,
    start_day_of_week: Option<i8>,
    r#type: String,
}

#[derive(Deserialize)]
struct Entries {
    #[serde(default)]
    rendered_schedule_entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    user: Option<Reference>,
    start: Instant,
    /// Absent in an entry that does not end.
    end: Option<Instant>,
}

/// An override in a listing.
#[derive(Deserialize)]
pub(super) struct Override {
    id: Option<String>,
    start: Instant,
    end: Instant,
    user: Reference,
}

/// The end of what does not end.
const NEVER: Instant = Instant(crate::domain::time::FOREVER);

impl Listed {
    fn title(&self) -> String {
        let name = said(&self.name).or_else(|| said(&self.summary));
        name.unwrap_or_else(|| self.id.clone())
    }

    pub(super) fn summary(self) -> ScheduleSummary {
        let zone = said(&self.time_zone).map(|zone| PartnerZone::of(&zone));
        ScheduleSummary {
            name: self.title(),
            zone,
            web_url: said(&self.html_url),
            id: self.id,
        }
    }
}

impl Reference {
    fn member(&self) -> Member {
        match &self.id {
            None => Member::empty(),
            Some(id) => Member {
                name: said(&self.name).or_else(|| said(&self.summary)),
                email: said(&self.email),
                ..Member::user(id.clone())
            },
        }
    }
}

impl Entry {
    fn member(&self) -> Member {
        self.user
            .as_ref()
            .map_or_else(Member::empty, Reference::member)
    }

    fn span(&self) -> Option<Interval> {
        span(self.start, self.end.unwrap_or(NEVER))
    }
}

impl Schedule {
    fn zone(&self) -> PartnerZone {
        let zone = said(&self.listed.time_zone);
        PartnerZone::of(zone.as_deref().unwrap_or("UTC"))
    }

    fn participants(&self) -> impl Iterator<Item = &Reference> {
        let layers = self.schedule_layers.iter();
        layers.flat_map(|layer| layer.users.iter().map(|user| &user.user))
    }

    /// Everybody in the layers, and whoever else the answer names.
    fn people(&self) -> Vec<PartnerPerson> {
        let mut people: Vec<PartnerPerson> = Vec::new();
        for user in self.participants().chain(&self.users) {
            let member = user.member();
            if let Some(id) = member.id
                && !people.iter().any(|person| person.participant_id == id)
            {
                people.push(PartnerPerson {
                    participant_id: id,
                    name: member.name,
                    email: member.email,
                });
            }
        }
        people
    }

    pub(super) fn outline(&self) -> Outline {
        Outline {
            name: self.listed.title(),
            zone: self.zone(),
            participants: ids_of_people(self.participants().map(Reference::member)),
            people: self.people(),
        }
    }

    /// How the schedule is made.
    pub(super) fn definition(
        self,
        overrides: &[Override],
        within: Interval,
    ) -> Result<Definition, Failure> {
        let rotations = self.schedule_layers.iter().map(Layer::rotation);
        let rotations = rotations.collect::<Result<Vec<_>, _>>()?;
        let mut known: Vec<PartnerOverride> = Vec::new();
        for given in overrides {
            let Some(span) = span(given.start, given.end) else {
                continue;
            };
            let read = PartnerOverride {
                id: given.id.clone(),
                member: given.user.member(),
                span,
                rotation_ids: Vec::new(),
            };
            // The parts of a long span overlap in what they list.
            if span.meets(within).is_some() && !known.contains(&read) {
                known.push(read);
            }
        }
        // Without a listing, the answer itself has them without ids.
        if overrides.is_empty()
            && let Some(entries) = &self.overrides_subschedule
        {
            let entries = entries.rendered_schedule_entries.iter();
            known.extend(entries.filter_map(|entry| {
                let span = entry.span()?;
                span.meets(within)?;
                Some(PartnerOverride {
                    id: None,
                    member: entry.member(),
                    span,
                    rotation_ids: Vec::new(),
                })
            }));
        }
        known.sort_by_key(|one| one.span.from);
        Ok(Definition {
            zone: self.zone(),
            people: self.people(),
            summary: self.listed.summary(),
            enabled: true,
            layered: true,
            exceptions: Vec::new(),
            unsaid: Vec::new(),
            differs_at_clock_changes: false,
            rotations,
            overrides: known,
        })
    }

    /// The final schedule, each piece with the override or the layer that it comes from.
    pub(super) fn shifts(self) -> Result<Part, Failure> {
        let Some(final_schedule) = &self.final_schedule else {
            return Err(Failure::invalid("the answer has no final schedule"));
        };
        let origins = self.origins();
        let mut shifts = Vec::new();
        for entry in &final_schedule.rendered_schedule_entries {
            if let Some(span) = entry.span() {
                shifts.extend(attributed(&entry.member(), span, &origins));
            }
        }
        let layers = self.schedule_layers.iter();
        let ids = layers.filter_map(|layer| layer.id.clone()).collect();
        Ok((ids, shifts))
    }

    /// The layers that pieces can come from, the uppermost first.
    fn origins(&self) -> Vec<Origin> {
        let origin = |entry: &Entry, kind, rotation_id: Option<&String>| {
            Some(Origin {
                member: entry.member(),
                span: entry.span()?,
                source: ShiftSource {
                    kind,
                    rotation_id: rotation_id.cloned(),
                    shift_id: None,
                    override_id: None,
                },
            })
        };
        let overrides = self.overrides_subschedule.iter();
        let overrides = overrides.flat_map(|sub| &sub.rendered_schedule_entries);
        let overrides =
            overrides.filter_map(|entry| origin(entry, SourceKind::RotationOverride, None));
        let layers = self.schedule_layers.iter().flat_map(|layer| {
            let entries = layer.rendered_schedule_entries.iter();
            entries.filter_map(move |entry| origin(entry, SourceKind::Rotation, layer.id.as_ref()))
        });
        overrides.chain(layers).collect()
    }
}

/// An override or an entry of a layer.
struct Origin {
    member: Member,
    span: Interval,
    source: ShiftSource,
}

/// Cuts an entry of the final schedule into what each origin of the same person gives to it.
fn attributed(member: &Member, whole: Interval, origins: &[Origin]) -> Vec<Shift> {
    let own: Vec<&Origin> = origins
        .iter()
        .filter(|origin| origin.member.is_same(member) && origin.span.meets(whole).is_some())
        .collect();
    let mut cuts: Vec<Timestamp> = own
        .iter()
        .flat_map(|origin| [origin.span.from, origin.span.until])
        .filter(|cut| whole.contains(*cut))
        .chain([whole.from, whole.until])
        .collect();
    cuts.sort();
    cuts.dedup();
    let mut shifts: Vec<Shift> = Vec::new();
    for pair in cuts.windows(2) {
        let piece = Interval::new(pair[0], pair[1]);
        let origin = own.iter().find(|origin| origin.span.contains(piece.from));
        let (source, original) = match origin {
            Some(origin) => (origin.source.clone(), origin.span),
            None => (unknown_source(), piece),
        };
        shifts.push(Shift {
            member: member.clone(),
            source,
            span: piece,
            original,
        });
    }
    belonging(shifts)
}

/// Where a piece comes from if nothing in the answer says so.
fn unknown_source() -> ShiftSource {
    ShiftSource {
        kind: SourceKind::Rotation,
        rotation_id: None,
        shift_id: None,
        override_id: None,
    }
}

/// Gives pieces of which the answer shows no origin, because it cuts layers at its edges, to the piece beside them.
fn belonging(pieces: Vec<Shift>) -> Vec<Shift> {
    let mut shifts: Vec<Shift> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match shifts.last_mut() {
            Some(before) if piece.source == unknown_source() => {
                before.span.until = piece.span.until;
                before.original.until = before.original.until.max(piece.span.until);
            }
            Some(before) if before.source == unknown_source() => {
                let from = before.span.from;
                *before = piece;
                before.span.from = from;
                before.original.from = before.original.from.min(from);
            }
            _ => shifts.push(piece),
        }
    }
    shifts
}

impl Layer {
    fn rotation(&self) -> Result<PartnerRotation, Failure> {
        let seconds = u32::try_from(self.rotation_turn_length_seconds).ok();
        let seconds = seconds
            .filter(|seconds| *seconds > 0)
            .ok_or_else(|| Failure::invalid("a turn has no length"))?;
        let turn = match seconds {
            _ if seconds % 604_800 == 0 => Turn::Weeks(seconds / 604_800),
            _ if seconds % 86_400 == 0 => Turn::Days(seconds / 86_400),
            _ if seconds % 3_600 == 0 => Turn::Hours(seconds / 3_600),
            _ => Turn::Seconds(seconds),
        };
        let restrictions = self.restrictions.iter().flatten().map(Limit::restriction);
        Ok(PartnerRotation {
            id: self.id.clone().unwrap_or_default(),
            name: self.name.clone().unwrap_or_default(),
            participants: self.users.iter().map(|user| user.user.member()).collect(),
            turn,
            anchor: self.rotation_virtual_start.0,
            begins: self.start.0,
            ends: self.end.map(|end| end.0),
            restrictions: restrictions.collect::<Result<_, _>>()?,
            level: 0,
            zone: None,
            turn_zone: None,
            current: None,
        })
    }
}

impl Limit {
    fn restriction(&self) -> Result<Restriction, Failure> {
        let wrong = || Failure::invalid("a restriction is not as documented");
        let from: Time = self.start_time_of_day.parse().map_err(|_| wrong())?;
        let day = match self.r#type.as_str() {
            "daily_restriction" => None,
            "weekly_restriction" => {
                let day = self.start_day_of_week.ok_or_else(wrong)?;
                Some(Weekday::from_monday_one_offset(day).map_err(|_| wrong())?)
            }
            _ => return Err(wrong()),
        };
        Ok(Restriction {
            day,
            from,
            length: SignedDuration::from_secs(self.duration_seconds),
        })
    }
}
