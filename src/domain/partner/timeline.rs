//! Who is on call when, as a partner computed it.

use super::Member;
use crate::domain::stored;
use crate::domain::time::{FOREVER, Interval};
use crate::domain::words::words;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A partner's final timeline over a span.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// The span that is known: what was asked for, as far as it was answered.
    #[serde(with = "stored")]
    pub known: Interval,
    /// The span of the answer, at whose edges a partner cuts shifts; wider than `known`.
    #[serde(with = "stored")]
    pub answered: Interval,
    /// The ids of rotations or layers in the partner's order.
    pub rotations: Vec<String>,
    /// The shifts that overlap `known`, by start; several at one time where several are on call.
    pub shifts: Vec<Shift>,
}

words! {
    /// Where a shift comes from. A layer of PagerDuty is a `rotation`.
    pub enum SourceKind as SourceType {
        Rotation = "rotation",
        CustomShift = "customShift",
        RotationOverride = "rotationOverride",
        CustomShiftOverride = "customShiftOverride",
        Forwarding = "forwarding",
    }
}

/// The cause of a shift. An id that the partner does not give is `None`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShiftSource {
    pub kind: SourceKind,
    #[serde(rename = "rotation", default, skip_serializing_if = "Option::is_none")]
    pub rotation_id: Option<String>,
    #[serde(rename = "shift", default, skip_serializing_if = "Option::is_none")]
    pub shift_id: Option<String>,
    #[serde(rename = "replaces", default, skip_serializing_if = "Option::is_none")]
    pub override_id: Option<String>,
}

/// Somebody on call without a break.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shift {
    /// The rest of the shift after overrides. One without an end ends at [`FOREVER`].
    #[serde(with = "stored")]
    pub span: Interval,
    /// The whole shift, as far as the partner gives it.
    #[serde(with = "stored")]
    pub original: Interval,
    pub member: Member,
    pub source: ShiftSource,
}

impl Shift {
    /// The identity of a shift among others of its schedule, equal in every reading: its source, its holder and the start of the
    /// whole shift. Two pieces of one shift, before and after an override, share it; they are never on call together.
    pub fn key(&self) -> String {
        let id = |id: &Option<String>| id.clone().unwrap_or_else(|| "-".to_owned());
        [
            self.source.kind.name().to_owned(),
            id(&self.source.rotation_id),
            id(&self.source.shift_id),
            id(&self.source.override_id),
            self.member.kind.name().to_owned(),
            id(&self.member.id),
            self.original.from.to_string(),
        ]
        .join("\n")
    }

    /// When it ends; `None` where the partner gives no end.
    pub fn ends_at(&self) -> Option<Timestamp> {
        (self.span.until < FOREVER).then_some(self.span.until)
    }

    /// When the whole shift ends; `None` where the partner gives no end.
    pub fn original_ends_at(&self) -> Option<Timestamp> {
        (self.original.until < FOREVER).then_some(self.original.until)
    }

    /// Whether the other shift continues this one: the same holder from the same source.
    fn is_continued_by(&self, other: &Shift) -> bool {
        self.member.is_same(&other.member) && self.source == other.source
    }
}

impl Timeline {
    /// Joins what belongs together: pieces of one shift that touch or overlap, such as a partner's answer has at the present
    /// instant or where two answers meet. Orders by start, keeps what overlaps the known span.
    pub fn joined(mut self) -> Timeline {
        self.shifts.retain(|shift| !shift.span.is_empty());
        // By start; at the same start in the order given, which is the partner's.
        self.shifts.sort_by_key(|shift| shift.span.from);
        let mut joined: Vec<Shift> = Vec::with_capacity(self.shifts.len());
        for shift in self.shifts {
            let before = joined.iter_mut().rev().find(|before| {
                before.is_continued_by(&shift)
                    && before.span.until >= shift.span.from
                    && before.original.meets_or_touches(shift.original)
                    && before.is_one_with(&shift, self.answered)
            });
            match before {
                Some(before) => {
                    before.span.until = before.span.until.max(shift.span.until);
                    before.original = before.original.together(shift.original);
                }
                None => joined.push(shift),
            }
        }
        joined.retain(|shift| shift.span.meets(self.known).is_some());
        Timeline {
            shifts: joined,
            ..self
        }
    }

    /// Takes the start of a shift from an earlier reading that saw more of it: this answer cuts it at its beginning, or it is what
    /// an override left of the shift, and the part before that is no longer in the answer.
    pub fn continuing(mut self, earlier: &[Shift]) -> Timeline {
        let edge = self.answered.from;
        for shift in &mut self.shifts {
            let is_cut = shift.original.from == edge;
            let seen = earlier.iter().find(|seen| {
                let is_seen = match is_cut {
                    true => seen.original.from < edge && seen.original.until > edge,
                    false => {
                        seen.span.from == shift.span.from
                            && seen.original.from < shift.original.from
                    }
                };
                is_seen && seen.is_continued_by(shift)
            });
            if let Some(seen) = seen {
                shift.original.from = seen.original.from;
                if is_cut
                    && shift.span.from == edge
                    && seen.span.from < edge
                    && seen.span.until >= edge
                {
                    shift.span.from = seen.span.from;
                }
            }
        }
        self
    }

    /// Whoever is on call at an instant, in the partner's order of rotations. What belongs to none comes last.
    pub fn at(&self, instant: Timestamp) -> impl Iterator<Item = &Shift> {
        let shifts = self.shifts.iter();
        let mut found: Vec<&Shift> = shifts
            .filter(|shift| shift.span.contains(instant))
            .collect();
        found.sort_by_key(|shift| self.place(shift));
        found.into_iter()
    }

    /// The place of a shift's rotation in the partner's order.
    fn place(&self, shift: &Shift) -> usize {
        let id = shift.source.rotation_id.as_ref();
        let place = self.rotations.iter().position(|known| Some(known) == id);
        place.unwrap_or(self.rotations.len())
    }
}

impl Shift {
    /// Whether two pieces that touch are one shift. Turns that follow one another in a rotation of one person are two: both are
    /// whole, and begin where the other ends.
    fn is_one_with(&self, next: &Shift, answered: Interval) -> bool {
        let whole_and_apart = self.original.until == next.original.from
            && self.original.until == self.span.until
            && next.original.from == next.span.from;
        !whole_and_apart || next.original.from == answered.from
    }
}

impl Interval {
    fn meets_or_touches(self, other: Interval) -> bool {
        self.from <= other.until && other.from <= self.until
    }

    fn together(self, other: Interval) -> Interval {
        Interval::new(self.from.min(other.from), self.until.max(other.until))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hour: i64) -> Timestamp {
        Timestamp::from_second(hour * 3600).expect("an instant")
    }

    fn span(from: i64, until: i64) -> Interval {
        Interval {
            from: at(from),
            until: at(until),
        }
    }

    fn shift(user: &str, piece: (i64, i64), whole: (i64, i64)) -> Shift {
        Shift {
            member: Member::user(user),
            source: ShiftSource {
                kind: SourceKind::Rotation,
                rotation_id: Some("R".to_owned()),
                shift_id: None,
                override_id: None,
            },
            span: span(piece.0, piece.1),
            original: span(whole.0, whole.1),
        }
    }

    fn timeline(shifts: Vec<Shift>) -> Timeline {
        Timeline {
            known: span(10, 100),
            answered: span(0, 120),
            rotations: vec!["R".to_owned(), "S".to_owned()],
            shifts,
        }
    }

    /// Hours of the pieces, and of the whole shifts.
    fn shown(timeline: &Timeline) -> Vec<(String, i64, i64, i64, i64)> {
        let hour = |at: Timestamp| at.as_second() / 3600;
        let row = |shift: &Shift| {
            (
                shift.member.id.clone().unwrap_or_default(),
                hour(shift.span.from),
                hour(shift.span.until),
                hour(shift.original.from),
                hour(shift.original.until),
            )
        };
        timeline.shifts.iter().map(row).collect()
    }

    fn row(user: &str, piece: (i64, i64), whole: (i64, i64)) -> (String, i64, i64, i64, i64) {
        (user.to_owned(), piece.0, piece.1, whole.0, whole.1)
    }

    #[test]
    fn pieces_of_one_shift_are_joined() {
        // The answer has a shift in two pieces: what has passed, and what is to come.
        let joined = timeline(vec![
            shift("A", (20, 30), (0, 60)),
            shift("A", (0, 20), (0, 60)),
            shift("B", (30, 40), (30, 40)),
            shift("A", (40, 60), (0, 60)),
        ])
        .joined();
        assert_eq!(
            shown(&joined),
            [
                row("A", (0, 30), (0, 60)),
                row("B", (30, 40), (30, 40)),
                row("A", (40, 60), (0, 60)),
            ]
        );
    }

    #[test]
    fn turns_of_one_person_stay_apart_and_what_is_not_known_is_left_out() {
        let joined = timeline(vec![
            shift("A", (0, 10), (0, 10)),
            shift("A", (10, 20), (10, 20)),
            shift("A", (20, 30), (20, 30)),
            shift("A", (30, 30), (30, 30)),
            shift("A", (100, 110), (100, 110)),
        ])
        .joined();
        assert_eq!(
            shown(&joined),
            [row("A", (10, 20), (10, 20)), row("A", (20, 30), (20, 30))]
        );
    }

    #[test]
    fn a_shift_that_the_answer_cuts_keeps_the_start_that_was_seen() {
        let earlier = [
            shift("A", (-50, 40), (-50, 40)),
            shift("B", (-50, 0), (-50, 0)),
        ];
        let now = timeline(vec![
            shift("A", (0, 40), (0, 40)),
            shift("B", (0, 40), (0, 40)),
            shift("A", (40, 80), (40, 80)),
        ])
        .joined()
        .continuing(&earlier);
        assert_eq!(
            shown(&now),
            [
                row("A", (-50, 40), (-50, 40)),
                // This one ended at the edge; what follows is another.
                row("B", (0, 40), (0, 40)),
                row("A", (40, 80), (40, 80)),
            ]
        );
        assert_eq!(now.shifts[0].key(), earlier[0].key());
        assert_ne!(now.shifts[1].key(), earlier[1].key());
    }

    #[test]
    fn what_an_override_left_keeps_the_start_when_the_override_is_past() {
        let earlier = [
            shift("A", (-50, 5), (-50, 40)),
            shift("B", (5, 9), (5, 9)),
            shift("A", (9, 40), (-50, 40)),
            shift("B", (60, 80), (55, 80)),
        ];
        let now = timeline(vec![
            shift("A", (9, 40), (9, 40)),
            shift("A", (40, 60), (40, 60)),
            // Somebody else's shift that begins then is another.
            second(shift("B", (60, 80), (60, 80))),
        ])
        .joined()
        .continuing(&earlier);
        assert_eq!(
            shown(&now),
            [
                row("A", (9, 40), (-50, 40)),
                row("A", (40, 60), (40, 60)),
                row("B", (60, 80), (60, 80)),
            ]
        );
        assert_eq!(now.shifts[0].key(), earlier[2].key());
    }

    fn second(mut shift: Shift) -> Shift {
        shift.source.rotation_id = Some("S".to_owned());
        shift
    }

    #[test]
    fn several_are_on_call_at_once() {
        let both = timeline(vec![
            shift("A", (0, 40), (0, 40)),
            second(shift("C", (5, 50), (5, 50))),
            shift("B", (20, 60), (20, 60)),
        ])
        .joined();
        let names = |at: Timestamp| -> Vec<&str> {
            both.at(at)
                .filter_map(|shift| shift.member.id.as_deref())
                .collect()
        };
        assert_eq!(names(at(19)), ["A", "C"]);
        assert_eq!(names(at(20)), ["A", "B", "C"]);
        assert_eq!(names(at(45)), ["B", "C"]);
        assert_eq!(names(at(55)), ["B"]);
        assert!(names(at(60)).is_empty());
    }
}
