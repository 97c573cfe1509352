//! The JSON in columns: lists and enums that no query reads into.

use super::Error;
use super::rows::{from_json, instant, instant_or_none, json, millis};
use crate::domain::absence::AbsenceSource;
use crate::domain::absence_policy::{AbsencePolicy, CalendarsCount, PassOver, WhileOnDuty};
use crate::domain::arrangement::{Segment, Snapshot, TurnKind, TurnSelection};
use crate::domain::audit::{Actor, ActorKind, Doer};
use crate::domain::cadence::{Cadence, Kind, Skips};
use crate::domain::coverage::Stretch;
use crate::domain::holidays::CountryCode;
use crate::domain::ids::{CellId, GroupId, UserId};
use crate::domain::request::Leg;
use crate::domain::rotation::{HoursHeld, Narrowed, NextTurn, PassedOver, Skipped, Window};
use crate::domain::time::{HhMm, Interval};
use crate::domain::warning_kinds::WarningKind;
use crate::domain::zones::ZoneName;
use jiff::civil::Weekday;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn corrupt<T>(what: impl std::fmt::Display) -> Result<T, Error> {
    Err(Error::Corrupt(what.to_string()))
}

pub(super) fn zone(name: &str) -> Result<ZoneName, Error> {
    ZoneName::parse(name).or_else(|refusal| corrupt(format!("time zone {name}: {refusal}")))
}

fn time(text: &str) -> Result<HhMm, Error> {
    HhMm::parse(text).map_or_else(|| corrupt(format!("time of day {text}")), Ok)
}

fn weekday(number: i8) -> Result<Weekday, Error> {
    Weekday::from_monday_one_offset(number).or_else(corrupt)
}

/// What absences mean for a rotation, by the names of the wire.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PolicyShape<'a> {
    calendars: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum_hours: Option<u16>,
    pass_over: &'a str,
    while_on_duty: &'a str,
}

/// A policy; the default one is null.
pub(super) fn policy_to_json(policy: AbsencePolicy) -> Result<Option<String>, Error> {
    if policy == AbsencePolicy::default() {
        return Ok(None);
    }
    let shape = PolicyShape {
        calendars: policy.calendars.name(),
        minimum_hours: policy.calendars.minimum_hours(),
        pass_over: policy.pass_over.name(),
        while_on_duty: policy.while_on_duty.name(),
    };
    json(&shape).map(Some)
}

pub(super) fn policy_from_json(text: Option<&str>) -> Result<AbsencePolicy, Error> {
    let Some(text) = text else {
        return Ok(AbsencePolicy::default());
    };
    let shape: PolicyShape = from_json(text)?;
    let calendars = match (shape.calendars, shape.minimum_hours) {
        ("never", None) => CalendarsCount::Never,
        ("always", None) => CalendarsCount::Always,
        ("long", Some(hours)) => CalendarsCount::Long(hours),
        _ => return corrupt(format!("absence policy {text}")),
    };
    let mut over = [PassOver::AtHandOver, PassOver::DuringTurn].into_iter();
    let mut duty = [WhileOnDuty::Keep, WhileOnDuty::HandOver].into_iter();
    let over = over.find(|over| over.name() == shape.pass_over);
    let duty = duty.find(|duty| duty.name() == shape.while_on_duty);
    match (over, duty) {
        (Some(pass_over), Some(while_on_duty)) => Ok(AbsencePolicy {
            calendars,
            pass_over,
            while_on_duty,
        }),
        _ => corrupt(format!("absence policy {text}")),
    }
}

/// `[start day, start time, end day, end time]`, days from Monday as 1.
#[derive(Serialize, Deserialize)]
struct StretchShape<'a>(
    i8,
    #[serde(borrow)] Cow<'a, str>,
    i8,
    #[serde(borrow)] Cow<'a, str>,
);

impl StretchShape<'_> {
    fn of(stretch: &Stretch) -> StretchShape<'static> {
        StretchShape(
            stretch.start_day.to_monday_one_offset(),
            stretch.start_time.to_string().into(),
            stretch.end_day.to_monday_one_offset(),
            stretch.end_time.to_string().into(),
        )
    }

    fn read(&self) -> Result<Stretch, Error> {
        Ok(Stretch {
            start_day: weekday(self.0)?,
            start_time: time(&self.1)?,
            end_day: weekday(self.2)?,
            end_time: time(&self.3)?,
        })
    }
}

fn stretches(shapes: &[StretchShape]) -> Result<Vec<Stretch>, Error> {
    shapes.iter().map(StretchShape::read).collect()
}

pub(super) fn coverage_to_json(coverage: &[Stretch]) -> Result<String, Error> {
    json(&coverage.iter().map(StretchShape::of).collect::<Vec<_>>())
}

pub(super) fn coverage_from_json(text: &str) -> Result<Vec<Stretch>, Error> {
    stretches(&from_json::<Vec<StretchShape<'_>>>(text)?)
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CadenceShape {
    kind: KindShape,
    zone: String,
    starts_at: i64,
    period: u32,
    skip_weekends: bool,
    skip_holidays: bool,
    countries: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum KindShape {
    DayOfWeek,
    DaysOfWeekList(Vec<i8>),
    DayOfMonth,
    NthWeekdayOfMonth(i8, Vec<u8>),
    Daily(Vec<String>),
    Workday,
}

pub(super) fn cadence_to_json(cadence: &Cadence) -> Result<String, Error> {
    let kind = match &cadence.kind {
        Kind::DayOfWeek => KindShape::DayOfWeek,
        Kind::DaysOfWeekList(days) => {
            KindShape::DaysOfWeekList(days.iter().map(|day| day.to_monday_one_offset()).collect())
        }
        Kind::DayOfMonth => KindShape::DayOfMonth,
        Kind::NthWeekdayOfMonth { weekday, weeks } => {
            KindShape::NthWeekdayOfMonth(weekday.to_monday_one_offset(), weeks.clone())
        }
        Kind::Daily { times } => KindShape::Daily(times.iter().map(HhMm::to_string).collect()),
        Kind::Workday => KindShape::Workday,
    };
    json(&CadenceShape {
        kind,
        zone: cadence.zone.to_string(),
        starts_at: millis(cadence.starts_at),
        period: cadence.period,
        skip_weekends: cadence.skips.weekends,
        skip_holidays: cadence.skips.national_holidays,
        countries: cadence
            .skips
            .countries
            .iter()
            .map(|country| country.to_string())
            .collect(),
    })
}

pub(super) fn cadence_from_json(text: &str) -> Result<Cadence, Error> {
    let shape: CadenceShape = from_json(text)?;
    let kind = match shape.kind {
        KindShape::DayOfWeek => Kind::DayOfWeek,
        KindShape::DaysOfWeekList(days) => {
            Kind::DaysOfWeekList(days.into_iter().map(weekday).collect::<Result<_, _>>()?)
        }
        KindShape::DayOfMonth => Kind::DayOfMonth,
        KindShape::NthWeekdayOfMonth(day, weeks) => Kind::NthWeekdayOfMonth {
            weekday: weekday(day)?,
            weeks,
        },
        KindShape::Daily(times) => Kind::Daily {
            times: times
                .iter()
                .map(|text| time(text))
                .collect::<Result<_, _>>()?,
        },
        KindShape::Workday => Kind::Workday,
    };
    let country = |code: &String| match CountryCode::parse(code) {
        Some(country) => Ok(country),
        None => corrupt(format!("country {code}")),
    };
    Ok(Cadence {
        kind,
        zone: zone(&shape.zone)?,
        starts_at: instant(shape.starts_at)?,
        period: shape.period,
        skips: Skips {
            weekends: shape.skip_weekends,
            national_holidays: shape.skip_holidays,
            countries: shape
                .countries
                .iter()
                .map(country)
                .collect::<Result<_, _>>()?,
        },
    })
}

#[derive(Serialize, Deserialize)]
struct HoursShape<'a> {
    zone: Option<String>,
    #[serde(rename = "alwaysOpen")]
    always_open: bool,
    #[serde(borrow)]
    coverage: Vec<StretchShape<'a>>,
}

pub(super) fn hours_to_json(hours: &HoursHeld) -> Result<String, Error> {
    json(&HoursShape {
        zone: hours.zone.map(|zone| zone.to_string()),
        always_open: hours.always_open,
        coverage: hours.coverage.iter().map(StretchShape::of).collect(),
    })
}

pub(super) fn hours_from_json(text: &str) -> Result<HoursHeld, Error> {
    let shape: HoursShape = from_json(text)?;
    Ok(HoursHeld {
        zone: shape.zone.as_deref().map(zone).transpose()?,
        always_open: shape.always_open,
        coverage: stretches(&shape.coverage)?,
    })
}

/// `[user, from, until]`; then `true` where the absence is from a calendar.
#[derive(Serialize, Deserialize)]
struct SkippedShape(
    String,
    Option<i64>,
    Option<i64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")] bool,
);

/// The value of most rows, which is neither built nor parsed.
const NONE_SKIPPED: &str = "[]";

pub(super) fn skipped_to_json(skipped: &[Skipped]) -> Result<String, Error> {
    if skipped.is_empty() {
        return Ok(NONE_SKIPPED.into());
    }
    let shape = |skipped: &Skipped| {
        SkippedShape(
            skipped.user.to_string(),
            skipped.from.map(millis),
            skipped.until.map(millis),
            skipped.source == AbsenceSource::Calendar,
        )
    };
    json(&skipped.iter().map(shape).collect::<Vec<_>>())
}

pub(super) fn skipped_from_json(text: &str) -> Result<Vec<Skipped>, Error> {
    if text == NONE_SKIPPED {
        return Ok(Vec::new());
    }
    let read = |SkippedShape(user, from, until, mirrored): SkippedShape| {
        Ok(Skipped {
            user: user.into(),
            from: instant_or_none(from)?,
            until: instant_or_none(until)?,
            source: match mirrored {
                true => AbsenceSource::Calendar,
                false => AbsenceSource::Stored,
            },
        })
    };
    from_json::<Vec<SkippedShape>>(text)?
        .into_iter()
        .map(read)
        .collect()
}

/// `[user, cell]`.
#[derive(Serialize, Deserialize)]
struct PassedOverShape(String, String);

/// Null where nobody was passed over, as in most rows.
pub(super) fn passed_over_to_json(passed_over: &[PassedOver]) -> Result<Option<String>, Error> {
    if passed_over.is_empty() {
        return Ok(None);
    }
    let shape =
        |passed: &PassedOver| PassedOverShape(passed.user.to_string(), passed.cell.to_string());
    json(&passed_over.iter().map(shape).collect::<Vec<_>>()).map(Some)
}

pub(super) fn passed_over_from_json(text: Option<&str>) -> Result<Vec<PassedOver>, Error> {
    let Some(text) = text else {
        return Ok(Vec::new());
    };
    let shapes = from_json::<Vec<PassedOverShape>>(text)?.into_iter();
    let read = |PassedOverShape(user, cell)| PassedOver {
        user: UserId::from(user),
        cell: CellId::from(cell),
    };
    Ok(shapes.map(read).collect())
}

/// Kind, id, name, and whether in chat.
#[derive(Serialize, Deserialize)]
struct DoerShape(String, Option<String>, Option<String>, bool);

pub(super) fn doer_to_json(doer: Option<&Doer>) -> Result<Option<String>, Error> {
    let shape = |doer: &Doer| {
        let actor = doer.actor.clone();
        json(&DoerShape(
            actor.kind.name().to_owned(),
            actor.id,
            actor.name,
            doer.in_chat,
        ))
    };
    doer.map(shape).transpose()
}

pub(super) fn doer_from_json(text: Option<&str>) -> Result<Option<Doer>, Error> {
    let Some(text) = text else {
        return Ok(None);
    };
    let DoerShape(kind, id, name, in_chat) = from_json(text)?;
    let kind = ActorKind::parse(&kind).ok_or_else(|| Error::Corrupt(format!("made_by: {kind}")))?;
    Ok(Some(Doer {
        actor: Actor { kind, id, name },
        in_chat,
    }))
}

/// By the window's id.
pub(super) fn next_turns_to_json(next_turns: &[NextTurn]) -> Result<String, Error> {
    let turns = next_turns.iter();
    let turns: BTreeMap<&str, usize> = turns
        .map(|next| (next.window.as_str(), next.turn))
        .collect();
    json(&turns)
}

/// The same read back, in the order of the windows.
pub(super) fn next_turns_from_json(text: &str, windows: &[Window]) -> Result<Vec<NextTurn>, Error> {
    let turns: BTreeMap<Cow<str>, usize> = from_json(text)?;
    let next_turn = |window: &Window| {
        Some(NextTurn {
            window: window.id.clone(),
            turn: *turns.get(window.id.as_str())?,
        })
    };
    Ok(windows.iter().filter_map(next_turn).collect())
}

#[derive(Serialize, Deserialize)]
struct NarrowedShape {
    users: Vec<String>,
    groups: Vec<String>,
}

pub(super) fn narrowed_to_json(narrowed: &Narrowed) -> Result<String, Error> {
    json(&NarrowedShape {
        users: narrowed.users.iter().map(UserId::to_string).collect(),
        groups: narrowed.groups.iter().map(GroupId::to_string).collect(),
    })
}

pub(super) fn narrowed_from_json(text: &str) -> Result<Narrowed, Error> {
    let shape: NarrowedShape = from_json(text)?;
    Ok(Narrowed {
        users: shape.users.into_iter().map(UserId::from).collect(),
        groups: shape.groups.into_iter().map(GroupId::from).collect(),
    })
}

/// `[from, until, user]`.
#[derive(Serialize, Deserialize)]
struct SegmentShape(i64, i64, Option<String>);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SnapshotShape {
    as_of: i64,
    from: i64,
    until: i64,
    complete: bool,
    segments: Vec<SegmentShape>,
}

pub(super) fn interval(from: i64, until: i64) -> Result<Interval, Error> {
    Ok(Interval {
        from: instant(from)?,
        until: instant(until)?,
    })
}

pub(super) fn snapshot_to_json(snapshot: &Snapshot) -> Result<String, Error> {
    let segment = |segment: &Segment| {
        SegmentShape(
            millis(segment.period.from),
            millis(segment.period.until),
            segment.user.as_ref().map(UserId::to_string),
        )
    };
    json(&SnapshotShape {
        as_of: millis(snapshot.as_of),
        from: millis(snapshot.period.from),
        until: millis(snapshot.period.until),
        complete: snapshot.complete,
        segments: snapshot.segments.iter().map(segment).collect(),
    })
}

pub(super) fn snapshot_from_json(text: &str) -> Result<Snapshot, Error> {
    let shape: SnapshotShape = from_json(text)?;
    let segment = |SegmentShape(from, until, user): SegmentShape| {
        Ok(Segment {
            period: interval(from, until)?,
            user: user.map(Into::into),
        })
    };
    Ok(Snapshot {
        as_of: instant(shape.as_of)?,
        period: interval(shape.from, shape.until)?,
        complete: shape.complete,
        segments: shape
            .segments
            .into_iter()
            .map(segment)
            .collect::<Result<_, Error>>()?,
    })
}

/// `[kind, from, until]`.
#[derive(Serialize, Deserialize)]
struct TurnSelectionShape(String, i64, i64);

pub(super) fn turn_selection_to_json(selection: &TurnSelection) -> Result<String, Error> {
    json(&TurnSelectionShape(
        selection.kind.name().into(),
        millis(selection.turn.from),
        millis(selection.turn.until),
    ))
}

pub(super) fn turn_selection_from_json(text: &str) -> Result<TurnSelection, Error> {
    let TurnSelectionShape(kind, from, until) = from_json(text)?;
    let known = TurnKind::parse(&kind);
    Ok(TurnSelection {
        kind: known.map_or_else(|| corrupt(format!("turn selection {kind}")), Ok)?,
        turn: interval(from, until)?,
    })
}

#[derive(Serialize, Deserialize)]
struct LegShape {
    key: Option<String>,
    cell: String,
    holder: String,
    assignee: Option<String>,
    from: i64,
    until: i64,
    arrangement: Option<String>,
}

pub(super) fn legs_to_json(legs: &[Leg]) -> Result<String, Error> {
    let shape = |leg: &Leg| LegShape {
        key: leg.key.clone(),
        cell: leg.cell.to_string(),
        holder: leg.holder.to_string(),
        assignee: leg.assignee.as_ref().map(UserId::to_string),
        from: millis(leg.period.from),
        until: millis(leg.period.until),
        arrangement: leg.arrangement.as_ref().map(|id| id.to_string()),
    };
    json(&legs.iter().map(shape).collect::<Vec<_>>())
}

pub(super) fn legs_from_json(text: &str) -> Result<Vec<Leg>, Error> {
    let read = |shape: LegShape| {
        Ok(Leg {
            key: shape.key,
            cell: shape.cell.into(),
            holder: shape.holder.into(),
            assignee: shape.assignee.map(Into::into),
            period: interval(shape.from, shape.until)?,
            arrangement: shape.arrangement.map(Into::into),
        })
    };
    from_json::<Vec<LegShape>>(text)?
        .into_iter()
        .map(read)
        .collect()
}

/// The kinds of warnings that are switched off, by name.
pub(super) fn kinds_to_json(kinds: &BTreeSet<WarningKind>) -> Result<String, Error> {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    json(&names)
}

pub(super) fn kinds_from_json(text: &str) -> Result<BTreeSet<WarningKind>, Error> {
    let names: Vec<&str> = from_json(text)?;
    let kind = |name: &str| {
        let known = WarningKind::parse(name);
        known.ok_or_else(|| Error::Corrupt(format!("{name} is no kind of warning")))
    };
    names.into_iter().map(kind).collect()
}
