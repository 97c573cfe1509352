//! The plan of a rotation beside the partner's timeline.

use super::{Blueprint, Known};
use crate::domain::duty::Duty;
use crate::domain::ids::UserId;
use crate::domain::partner::{Member, MemberKind, Shift, SourceKind, Timeline};
use crate::domain::time::{Interval, without};
use jiff::{SignedDuration, Timestamp};

const MINUTE: SignedDuration = SignedDuration::from_mins(1);

/// How much of a span agrees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    pub span: Interval,
    /// Where both differ, in order.
    pub differences: Vec<Disagreement>,
    /// The spans that the partner's timeline does not reach, in order. Whether both agree there is unknown.
    pub unproved: Vec<Interval>,
}

/// Others are on call here than at the partner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    pub span: Interval,
    /// Names at the partner.
    pub partner: Vec<String>,
    pub here: Vec<UserId>,
    /// A likely reason.
    pub reason: String,
    /// Whether it was to be expected where the clocks change, and is no failure.
    pub is_expected: bool,
}

/// Somebody at the partner: a person who is known here, or a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    Known(UserId),
    Outside(String),
}

impl Agreement {
    /// All minutes of the span.
    pub fn minutes(&self) -> i64 {
        minutes(self.span)
    }

    /// The minutes in which both differ and should not; a part of one counts as one.
    pub fn different_minutes(&self) -> i64 {
        let wrong = self.differences.iter().filter(|one| !one.is_expected);
        wrong.map(|one| minutes(one.span)).sum()
    }

    /// The minutes in which both differ as was to be expected.
    pub fn expected_minutes(&self) -> i64 {
        let expected = self.differences.iter().filter(|one| one.is_expected);
        expected.map(|one| minutes(one.span)).sum()
    }

    /// The minutes that the timeline does not reach; a part of one counts as one.
    pub fn unproved_minutes(&self) -> i64 {
        self.unproved.iter().copied().map(minutes).sum()
    }

    /// The minutes in which both are known to agree.
    pub fn agreeing_minutes(&self) -> i64 {
        let others = self.different_minutes() + self.expected_minutes() + self.unproved_minutes();
        (self.minutes() - others).max(0)
    }

    /// Whether both are known to agree on every minute, but for those that were to be expected.
    pub fn is_proof(&self) -> bool {
        self.differences.iter().all(|one| one.is_expected) && self.unproved.is_empty()
    }
}

fn minutes(span: Interval) -> i64 {
    (span.from.duration_until(span.until).as_secs() + 59) / 60
}

/// The name in a sentence of somebody of the partner: by name and address, as far as they are known.
pub(super) fn name_of(member: &Member) -> String {
    match (member.kind, &member.name, &member.email, &member.id) {
        (MemberKind::Empty, ..) => "nobody".to_owned(),
        (_, Some(name), Some(email), _) if name != email => format!("{name} ({email})"),
        (_, Some(known), ..) | (_, None, Some(known), _) | (_, None, None, Some(known)) => {
            known.clone()
        }
        (_, None, None, None) => "somebody".to_owned(),
    }
}

/// The part of a span that the timeline tells of. A file does not say for which span it was asked, so it ends with its last shift:
/// until the next turn here, nobody on call is what both say.
fn reached(plan: &[Duty], known: Interval, span: Interval) -> Option<Interval> {
    let known = span.meets(known)?;
    let turns = plan.iter().filter(|turn| turn.entry.user.is_some());
    let mut turns = turns.map(Duty::period).peekable();
    let until = match turns.peek() {
        None => known.until,
        Some(_) => turns
            .filter(|turn| turn.until > known.until)
            .map(|turn| turn.from.clamp(known.until, span.until))
            .min()
            .unwrap_or(span.until),
    };
    Some(Interval { until, ..known })
}

/// The rest of a span outside a part of it, less than a minute aside: a file that was read for this span is a moment older.
fn rest(span: Interval, part: Option<Interval>) -> Vec<Interval> {
    let mut rest = without(&[span], part.as_slice());
    rest.retain(|one| one.length() >= MINUTE);
    rest
}

/// Compares a plan with the partner's timeline over a span.
pub fn agreement(
    blueprint: &Blueprint,
    plan: &[Duty],
    timeline: &Timeline,
    known: &Known,
    span: Interval,
) -> Agreement {
    let reached = reached(plan, timeline.known, span);
    let compared = reached.unwrap_or(Interval::new(span.from, span.from));
    let planned = plan.iter().map(Duty::period);
    let shifts = timeline.shifts.iter().map(|shift| shift.span);
    let edges = planned.chain(shifts).flat_map(|one| [one.from, one.until]);
    let mut edges: Vec<Timestamp> = edges.filter(|at| compared.contains(*at)).collect();
    edges.extend([compared.from, compared.until]);
    edges.sort_unstable();
    edges.dedup();
    let mut differences: Vec<Disagreement> = Vec::new();
    for pair in edges.windows(2) {
        let piece = Interval::new(pair[0], pair[1]);
        let there: Vec<&Shift> = timeline.at(piece.from).collect();
        let here = on_call(plan, piece.from);
        if sides(&there, known) == here.iter().cloned().map(Side::Known).collect::<Vec<_>>() {
            continue;
        }
        let names: Vec<String> = there.iter().map(|shift| name_of(&shift.member)).collect();
        match differences.last_mut() {
            Some(last)
                if last.span.until == piece.from && last.partner == names && last.here == here =>
            {
                last.span.until = piece.until;
            }
            _ => differences.push(Disagreement {
                reason: reason(blueprint, &there, &here, known, piece),
                span: piece,
                partner: names,
                here,
                is_expected: false,
            }),
        }
    }
    if blueprint.differs_at_clock_changes {
        for one in &mut differences {
            one.is_expected = changes_clock(blueprint, one.span)
                && (timeline.at(one.span.from))
                    .all(|shift| !matches!(side(&shift.member, known), Some(Side::Outside(_))));
        }
    }
    Agreement {
        span,
        differences,
        unproved: rest(span, reached),
    }
}

/// Whoever is on call by a plan, each once, in order of id.
fn on_call(plan: &[Duty], at: Timestamp) -> Vec<UserId> {
    let turns = plan.iter().filter(|turn| turn.period().contains(at));
    let mut users: Vec<UserId> = turns.filter_map(|turn| turn.entry.user.clone()).collect();
    users.sort();
    users.dedup();
    users
}

fn side(member: &Member, known: &Known) -> Option<Side> {
    match (member.kind, &member.id) {
        (MemberKind::Empty, _) => None,
        (MemberKind::User, Some(id)) => {
            let outside = || Side::Outside(name_of(member));
            Some(known(id).map_or_else(outside, Side::Known))
        }
        _ => Some(Side::Outside(name_of(member))),
    }
}

fn sides(there: &[&Shift], known: &Known) -> Vec<Side> {
    let sides = there.iter().filter_map(|shift| side(&shift.member, known));
    let mut sides: Vec<Side> = sides.collect();
    sides.sort();
    sides.dedup();
    sides
}

/// The likeliest reason for a difference.
fn reason(
    blueprint: &Blueprint,
    there: &[&Shift],
    here: &[UserId],
    known: &Known,
    piece: Interval,
) -> String {
    for shift in there {
        if let Some(Side::Outside(name)) = side(&shift.member, known) {
            return format!("{name} is not a person who is known here");
        }
    }
    let is_override = |shift: &&&Shift| shift.source.kind != SourceKind::Rotation;
    if there.iter().any(|shift| is_override(&shift)) {
        return "an override that the rotation does not say".to_owned();
    }
    if here.is_empty() {
        return "nobody is on call here: they are away, or the hours differ".to_owned();
    }
    if there
        .iter()
        .all(|shift| shift.member.kind == MemberKind::Empty)
    {
        return "nobody is on call at the partner".to_owned();
    }
    if changes_clock(blueprint, piece) {
        return "the clocks change".to_owned();
    }
    match blueprint.unsaid.first() {
        Some(unsaid) => unsaid.clone(),
        None => {
            "the hand-over or the order differs; somebody may be away, or on call twice".to_owned()
        }
    }
}

/// Whether the clocks change within three hours.
fn changes_clock(blueprint: &Blueprint, piece: Interval) -> bool {
    let around = SignedDuration::from_hours(3);
    let before = piece.from.checked_sub(around).ok();
    let after = piece.until.checked_add(around).ok();
    let is_short = piece.from.duration_until(piece.until) <= around;
    let slots = blueprint.slots.iter();
    let zones = slots.flat_map(|slot| [slot.zone, slot.cadence.zone]);
    let mut zones = zones.chain([blueprint.zone]);
    is_short
        && zones.any(|zone| {
            let offset = |at: Option<Timestamp>| at.map(|at| zone.tz().to_offset(at));
            offset(before) != offset(after)
        })
}
