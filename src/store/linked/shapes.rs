//! The JSON columns of what is known of schedules.

use crate::domain::external::{
    Member, MemberKind, OutsidePerson, Shift, ShiftSource, SourceKind, Timeline,
};
use crate::domain::ids::UserId;
use crate::domain::linked::Assignment;
use crate::domain::time::Interval;
use crate::store::rows::{from_json, instant, json, millis};
use crate::store::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TimelineShape {
    known: [i64; 2],
    answered: [i64; 2],
    rotations: Vec<String>,
    shifts: Vec<ShiftShape>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ShiftShape {
    span: [i64; 2],
    original: [i64; 2],
    member: MemberShape,
    source: SourceShape,
    /// Who it was here when it was last evaluated; only of present assignments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct MemberShape {
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    email: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SourceShape {
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rotation: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shift: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replaces: Option<String>,
}

fn span(interval: Interval) -> [i64; 2] {
    [millis(interval.from), millis(interval.until)]
}

fn interval([from, until]: [i64; 2]) -> Result<Interval> {
    Ok(Interval::new(instant(from)?, instant(until)?))
}

fn shape(shift: &Shift, user: Option<&UserId>) -> ShiftShape {
    let (member, source) = (&shift.member, &shift.source);
    ShiftShape {
        span: span(shift.span),
        original: span(shift.original),
        member: MemberShape {
            kind: member.kind.name().to_owned(),
            id: member.id.clone(),
            name: member.name.clone(),
            email: member.email.clone(),
        },
        source: SourceShape {
            kind: source.kind.name().to_owned(),
            rotation: source.rotation_id.clone(),
            shift: source.shift_id.clone(),
            replaces: source.override_id.clone(),
        },
        user: user.map(UserId::to_string),
    }
}

fn shift(shape: ShiftShape) -> Result<Assignment> {
    let unknown = |name: &str| Error::Corrupt(format!("shift of a schedule: {name}"));
    let (member, source) = (shape.member, shape.source);
    Ok(Assignment {
        user: shape.user.map(UserId::from),
        shift: Shift {
            span: interval(shape.span)?,
            original: interval(shape.original)?,
            member: Member {
                kind: MemberKind::parse(&member.kind).ok_or_else(|| unknown(&member.kind))?,
                id: member.id,
                name: member.name,
                email: member.email,
            },
            source: ShiftSource {
                kind: SourceKind::parse(&source.kind).ok_or_else(|| unknown(&source.kind))?,
                rotation_id: source.rotation,
                shift_id: source.shift,
                override_id: source.replaces,
            },
        },
    })
}

pub fn timeline_to_json(timeline: &Timeline) -> Result<String> {
    let shifts = timeline.shifts.iter();
    json(&TimelineShape {
        known: span(timeline.known),
        answered: span(timeline.answered),
        rotations: timeline.rotations.clone(),
        shifts: shifts.map(|one| shape(one, None)).collect(),
    })
}

pub fn timeline_from_json(text: &str) -> Result<Timeline> {
    let shape: TimelineShape = from_json(text)?;
    let shifts = shape.shifts.into_iter();
    Ok(Timeline {
        known: interval(shape.known)?,
        answered: interval(shape.answered)?,
        rotations: shape.rotations,
        shifts: shifts
            .map(|one| Ok(shift(one)?.shift))
            .collect::<Result<_>>()?,
    })
}

pub fn current_to_json(current: &[Assignment]) -> Result<String> {
    let shapes = current.iter();
    let shapes = shapes.map(|one| shape(&one.shift, one.user.as_ref()));
    json(&shapes.collect::<Vec<_>>())
}

pub fn current_from_json(text: &str) -> Result<Vec<Assignment>> {
    let shapes: Vec<ShiftShape> = from_json(text)?;
    shapes.into_iter().map(shift).collect()
}

pub fn people_to_json(people: &BTreeMap<String, OutsidePerson>) -> Result<String> {
    let rows = people.values();
    let rows = rows.map(|one| (&one.participant_id, &one.name, &one.email));
    json(&rows.collect::<Vec<_>>())
}

pub fn people_from_json(text: &str) -> Result<BTreeMap<String, OutsidePerson>> {
    let rows: Vec<(String, Option<String>, Option<String>)> = from_json(text)?;
    let rows = rows.into_iter().map(|(participant_id, name, email)| {
        let id = participant_id.clone();
        let person = OutsidePerson {
            participant_id,
            name,
            email,
        };
        (id, person)
    });
    Ok(rows.collect())
}

/// Others on call in an entry of the record; nobody is stored as null.
pub fn beside_to_json(beside: &[UserId]) -> Result<Option<String>> {
    let ids = beside.iter().map(UserId::as_str).collect::<Vec<_>>();
    (!ids.is_empty()).then(|| json(&ids)).transpose()
}

pub fn beside_from_json(text: Option<&str>) -> Result<Vec<UserId>> {
    let ids: Vec<String> = text.map(from_json).transpose()?.unwrap_or_default();
    Ok(ids.into_iter().map(UserId::from).collect())
}
