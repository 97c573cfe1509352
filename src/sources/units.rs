//! Schedules and timelines of Opsgenie and Jira Service Management, which have the same form (pure).
//!
//! A timeline has a row of periods for each rotation. Asked for, it shows the rows of the plan, of overrides and of forwarding
//! beside the final one: they tell how long a shift is as a whole. It begins with the week that an instant lies in and cuts
//! what began before, and it divides a period at the present instant.

use super::Failure;
use super::json::{Instant, said, span};
use crate::domain::partner::{
    Member, MemberKind, PartnerRotation, Restriction, Shift, ShiftSource, SourceKind, Timeline,
    Turn, ids_of_people,
};
use crate::domain::time::Interval;
use jiff::civil::{Time, Weekday, time};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

/// The length of a unit.
const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How many weeks to ask for, so that the answer reaches over a span: it begins up to a week before. Two at least.
fn weeks(span: Interval) -> i64 {
    let seconds = span.from.duration_until(span.until).as_secs().max(1);
    let whole = (seconds - 1) / WEEK.as_secs() + 1;
    (whole + 1).max(2)
}

/// One of the rows of periods that a timeline has.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Rows<W> {
    #[serde(default = "Vec::new")]
    rotations: Vec<Row<W>>,
}

#[derive(Clone, Debug, Deserialize)]
struct Row<W> {
    id: String,
    #[serde(default = "Vec::new")]
    periods: Vec<Period<W>>,
}

#[derive(Clone, Debug, Deserialize)]
struct Period<W> {
    #[serde(rename = "startDate")]
    start: Instant,
    #[serde(rename = "endDate")]
    end: Instant,
    r#type: String,
    #[serde(alias = "recipient", alias = "responder")]
    who: Option<W>,
}

/// The answer of a timeline.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TimelineResponse<W> {
    start_date: Instant,
    end_date: Instant,
    final_timeline: Option<Rows<W>>,
    base_timeline: Option<Rows<W>>,
    override_timeline: Option<Rows<W>>,
    forwarding_timeline: Option<Rows<W>>,
}

/// Somebody in a timeline.
pub(super) trait Who {
    /// Whether a schedule says names and addresses, so that people need not be asked for.
    const IS_NAMED: bool;

    fn member(&self) -> Member;
}

/// A period as its pieces were joined.
#[derive(Clone, Debug, PartialEq)]
struct Piece {
    span: Interval,
    kind: String,
    member: Member,
}

/// The periods of one rotation in all timelines.
#[derive(Default)]
struct Joined {
    id: String,
    last: Vec<Piece>,
    base: Vec<Piece>,
    overrides: Vec<Piece>,
    forwarding: Vec<Piece>,
}

/// One or more answers that follow one another, as a timeline.
///
/// # Errors
/// [`Failure`] if an answer has no final timeline.
pub(super) fn timeline<W: Who>(
    answers: &[TimelineResponse<W>],
    wanted: Interval,
) -> Result<Timeline, Failure> {
    let (Some(first), Some(last)) = (answers.first(), answers.last()) else {
        return Err(Failure::invalid("there is no timeline"));
    };
    let answered = span(first.start_date, last.end_date)
        .ok_or_else(|| Failure::invalid("the timeline ends before it starts"))?;
    let known = answered
        .meets(wanted)
        .ok_or_else(|| Failure::invalid("the timeline is of another time"))?;
    let mut rotations: Vec<Joined> = Vec::new();
    for answer in answers {
        let edge = answer.start_date.0;
        let Some(rows) = &answer.final_timeline else {
            return Err(Failure::invalid("the answer has no final timeline"));
        };
        for row in &rows.rotations {
            if !rotations.iter().any(|known| known.id == row.id) {
                rotations.push(Joined {
                    id: row.id.clone(),
                    ..Joined::default()
                });
            }
        }
        for rotation in &mut rotations {
            let of = |rows: &Option<Rows<W>>| {
                let rows = rows.iter().flat_map(|rows| &rows.rotations);
                let own = rows.filter(|row| row.id == rotation.id);
                own.flat_map(|row| &row.periods)
                    .filter_map(Period::piece)
                    .collect::<Vec<_>>()
            };
            let (last, base) = (of(&answer.final_timeline), of(&answer.base_timeline));
            let overrides = of(&answer.override_timeline);
            let forwarding = of(&answer.forwarding_timeline);
            let is_turn = |piece: &Piece| {
                begins_anew(
                    match piece.kind.as_str() {
                        "override" => &overrides,
                        "forwarding" => &forwarding,
                        _ => &base,
                    },
                    piece.span.from,
                )
            };
            join(&mut rotation.last, last, edge, &is_turn);
            let unknown = |_: &Piece| false;
            join(&mut rotation.base, base, edge, &unknown);
            join(&mut rotation.overrides, overrides, edge, &unknown);
            join(&mut rotation.forwarding, forwarding, edge, &unknown);
        }
    }
    let shifts = rotations.iter().flat_map(Joined::shifts).collect();
    let whole = Timeline {
        known,
        answered,
        rotations: rotations.iter().map(|one| one.id.clone()).collect(),
        shifts,
    };
    Ok(whole.joined())
}

/// The most answers that a timeline is put together of.
const MOST_ANSWERS: usize = 60;

/// The timeline of a span. `ask` is called with a number of weeks and the instant from which to ask, until its answers reach to the
/// end of the span.
///
/// # Errors
/// Those of `ask`, and where the answers make no timeline.
pub(super) fn read<W: Who + Clone>(
    span: Interval,
    mut ask: impl FnMut(i64, Timestamp) -> Result<TimelineResponse<W>, Failure>,
) -> Result<Timeline, Failure> {
    let mut answers: Vec<TimelineResponse<W>> = Vec::new();
    let mut from = Some(span.from);
    while let Some(date) = from.filter(|_| answers.len() < MOST_ANSWERS) {
        let rest = Interval::new(date, span.until);
        answers.push(ask(weeks(rest), date)?);
        from = to_ask_on(&answers, span);
    }
    timeline(&answers, span)
}

/// Whether answers reach to the end of a span; otherwise the instant from which to ask on.
fn to_ask_on<W>(answers: &[TimelineResponse<W>], wanted: Interval) -> Option<Timestamp> {
    let last = answers.last()?;
    let reached = last.end_date.0;
    // An answer without any progress is the last one.
    (reached < wanted.until && reached > last.start_date.0).then_some(reached)
}

impl<W: Who> Period<W> {
    fn piece(&self) -> Option<Piece> {
        Some(Piece {
            span: span(self.start, self.end)?,
            kind: self.r#type.clone(),
            member: self.who.as_ref().map_or_else(Member::empty, W::member),
        })
    }
}

/// Whether a row has a hand-over at an instant. Where the period before it is of the past, the row may only be divided by the
/// present instant.
fn begins_anew(row: &[Piece], at: Timestamp) -> bool {
    let ends = |piece: &Piece| piece.span.until == at && piece.kind != "historical";
    row.iter().any(ends) && row.iter().any(|piece| piece.span.from == at)
}

/// Appends periods. Where two of the same holder touch, they are one if the answer cuts there, or if the first is of the past and
/// the second is not, unless that is known to be another turn.
fn join(
    known: &mut Vec<Piece>,
    mut more: Vec<Piece>,
    edge: Timestamp,
    is_turn: &dyn Fn(&Piece) -> bool,
) {
    more.sort_by_key(|piece| piece.span.from);
    for piece in more {
        match known.last_mut() {
            Some(before)
                if before.span.until == piece.span.from
                    && before.member.is_same(&piece.member)
                    && (piece.span.from == edge
                        || (before.kind == "historical"
                            && piece.kind != "historical"
                            && !is_turn(&piece))) =>
            {
                before.span.until = piece.span.until;
                before.kind = piece.kind;
            }
            _ => known.push(piece),
        }
    }
}

impl Joined {
    fn shifts(&self) -> Vec<Shift> {
        let shift = |piece: &Piece| {
            let kind = self.kind(piece);
            let wholes = match kind {
                SourceKind::RotationOverride => &self.overrides,
                SourceKind::Forwarding => &self.forwarding,
                _ => &self.base,
            };
            let original = whole_of(piece, wholes).unwrap_or(piece.span);
            Shift {
                member: piece.member.clone(),
                source: ShiftSource {
                    kind,
                    rotation_id: Some(self.id.clone()),
                    shift_id: None,
                    override_id: None,
                },
                span: piece.span,
                original,
            }
        };
        self.last.iter().map(shift).collect()
    }

    /// Where a period comes from. One of the past does not say it; the other timelines do.
    fn kind(&self, piece: &Piece) -> SourceKind {
        match piece.kind.as_str() {
            "base" | "default" => SourceKind::Rotation,
            "override" => SourceKind::RotationOverride,
            "forwarding" => SourceKind::Forwarding,
            _ if whole_of(piece, &self.overrides).is_some() => SourceKind::RotationOverride,
            _ if whole_of(piece, &self.forwarding).is_some() => SourceKind::Forwarding,
            _ => SourceKind::Rotation,
        }
    }
}

/// The period of the same holder that a piece is a part of.
fn whole_of(piece: &Piece, wholes: &[Piece]) -> Option<Interval> {
    let whole = wholes.iter().find(|whole| {
        whole.member.is_same(&piece.member) && whole.span.contains(piece.span.from)
    })?;
    Some(Interval::new(
        whole.span.from,
        whole.span.until.max(piece.span.until),
    ))
}

/// A rotation of a schedule.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rotation<W> {
    id: String,
    name: Option<String>,
    start_date: Instant,
    end_date: Option<Instant>,
    r#type: String,
    length: Option<u32>,
    #[serde(default = "Vec::new")]
    participants: Vec<W>,
    time_restriction: Option<TimeRestriction>,
}

#[derive(Clone, Debug, Deserialize)]
struct TimeRestriction {
    r#type: String,
    restriction: Option<Hours>,
    #[serde(default)]
    restrictions: Vec<Hours>,
}

/// Hours of a day or of a week. Minutes may be left out.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hours {
    start_day: Option<String>,
    start_hour: i8,
    start_min: Option<i8>,
    end_day: Option<String>,
    end_hour: i8,
    end_min: Option<i8>,
}

/// Everybody who takes turns: rotations one after another, in order.
pub(super) fn participants<'a, W: Who + 'a>(
    rotations: impl Iterator<Item = &'a Rotation<W>>,
) -> impl Iterator<Item = Member> {
    rotations.flat_map(|rotation| rotation.participants.iter().map(W::member))
}

/// The ids of the people among them, each once.
pub(super) fn participant_ids<'a, W: Who + 'a>(
    rotations: impl Iterator<Item = &'a Rotation<W>>,
) -> Vec<String> {
    ids_of_people(participants(rotations))
}

impl<W: Who> Rotation<W> {
    pub(super) fn rotation(&self) -> Result<PartnerRotation, Failure> {
        let length = self.length.unwrap_or(1).max(1);
        let turn = match self.r#type.as_str() {
            "hourly" => Turn::Hours(length),
            "daily" => Turn::Days(length),
            "weekly" => Turn::Weeks(length),
            _ => return Err(Failure::invalid("a rotation has an unknown type")),
        };
        let restrictions = match &self.time_restriction {
            None => Vec::new(),
            Some(given) => given.restrictions()?,
        };
        Ok(PartnerRotation {
            id: self.id.clone(),
            name: said(&self.name).unwrap_or_default(),
            participants: self.participants.iter().map(W::member).collect(),
            turn,
            anchor: self.start_date.0,
            begins: self.start_date.0,
            ends: self.end_date.map(|end| end.0),
            restrictions,
            level: 0,
            zone: None,
            turn_zone: None,
            current: None,
        })
    }
}

impl TimeRestriction {
    fn restrictions(&self) -> Result<Vec<Restriction>, Failure> {
        let wrong = || Failure::invalid("a restriction is not as documented");
        let all = self.restriction.iter().chain(&self.restrictions);
        let daily = match self.r#type.as_str() {
            "time-of-day" => true,
            "weekday-and-time-of-day" => false,
            _ => return Err(wrong()),
        };
        all.map(|hours| hours.restriction(daily).ok_or_else(wrong))
            .collect()
    }
}

impl Hours {
    fn restriction(&self, daily: bool) -> Option<Restriction> {
        let (from, late) = clock(self.start_hour, self.start_min)?;
        let (until, ends_late) = clock(self.end_hour, self.end_min)?;
        let seconds = |time: Time, late: bool| {
            let midnight = time.hour() == 0 && time.minute() == 0 && late;
            let day = if midnight { 24 * 3600 } else { 0 };
            i64::from(time.hour()) * 3600 + i64::from(time.minute()) * 60 + day
        };
        let length = seconds(until, ends_late) - seconds(from, late);
        let (day, period, length) = if daily {
            (None, 24 * 3600, length)
        } else {
            let start = weekday(self.start_day.as_deref()?)?;
            let end = weekday(self.end_day.as_deref()?)?;
            let days = i64::from(start.until(end));
            (Some(start), 7 * 24 * 3600, length + days * 24 * 3600)
        };
        // An end that is not after the start is the next one; the same time is the whole period.
        let length = if length <= 0 { length + period } else { length };
        Some(Restriction {
            day,
            from,
            length: SignedDuration::from_secs(length),
        })
    }
}

/// A time of day, and whether it was written as 24:00.
fn clock(hour: i8, minute: Option<i8>) -> Option<(Time, bool)> {
    let minute = minute.unwrap_or(0);
    match (hour, minute) {
        (24, 0) => Some((time(0, 0, 0, 0), true)),
        _ => Some((Time::new(hour, minute, 0, 0).ok()?, false)),
    }
}

fn weekday(name: &str) -> Option<Weekday> {
    Some(match name.to_ascii_lowercase().as_str() {
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

/// The meaning of a word of either partner.
pub(super) fn kind_of(word: &str) -> MemberKind {
    match word {
        "user" => MemberKind::User,
        "none" | "noone" => MemberKind::Empty,
        "team" | "group" | "all" => MemberKind::Team,
        // Another schedule leads on to people, as an escalation does.
        _ => MemberKind::Escalation,
    }
}
