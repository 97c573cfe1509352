//! Conflicts that prevent a person from holding a cell for an interval (rules.md 8.2).

use super::absence::{AbsenceSource, Absences};
use super::ids::{ArrangementId, CellId, UserId};
use super::rotation::Rotation;
use super::time::Interval;
use crate::domain::words::words;

/// A person and the interval for which they are to hold a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    pub cell: CellId,
    pub user: UserId,
    /// As requested.
    pub asked: Interval,
    /// The future part of it.
    pub period: Interval,
}

/// A conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Identifies the conflict and the terms: equal for the same two, different otherwise.
    pub id: String,
    pub kind: ConflictKind,
    pub source: ConflictSource,
    /// The absent person, or the current holder of the cell.
    pub user: UserId,
    /// The overlap with the interval.
    pub period: Interval,
}

words! {
    /// The kind of conflict: `absence`, the person is away; `sameCellArrangement`, another arrangement covers the cell;
    /// `unknownAvailability`, a calendar of the person cannot be read.
    pub enum ConflictKind as ConflictType {
        Absence = "absence",
        SameCellArrangement = "sameCellArrangement",
        UnknownAvailability = "unknownAvailability",
    }
}

words! {
    /// The record that causes the conflict: `arrangement`; `manualAvailability`, an absence stored by rota; `externalCalendar`, a
    /// calendar of the person; `chatStatus`, the person's status in chat.
    pub enum ConflictSource {
        Arrangement = "arrangement",
        ManualAvailability = "manualAvailability",
        ExternalCalendar = "externalCalendar",
        ChatStatus = "chatStatus",
    }
}

impl ConflictKind {
    /// Whether a caller may acknowledge it and proceed.
    pub fn can_acknowledge(self) -> bool {
        match self {
            ConflictKind::Absence | ConflictKind::UnknownAvailability => true,
            ConflictKind::SameCellArrangement => false,
        }
    }
}

/// Derives the id of a conflict from a text that is unique to it.
pub type Name = dyn Fn(&str) -> String;

/// All conflicts with the terms, ordered by their start, except with arrangements in `own` over the cell, which are cut.
pub fn find(
    rotation: &Rotation,
    absences: &Absences,
    terms: &Terms,
    own: Option<&UserId>,
    name: &Name,
) -> Vec<Conflict> {
    let away = absences.of(&terms.user).map(|absence| Found {
        kind: ConflictKind::Absence,
        source: match absence.source {
            AbsenceSource::Stored => ConflictSource::ManualAvailability,
            AbsenceSource::Calendar => ConflictSource::ExternalCalendar,
        },
        user: &terms.user,
        period: absence.period,
        arrangement: None,
    });
    let unknown = absences.is_unknown(&terms.user).then_some(Found {
        kind: ConflictKind::UnknownAvailability,
        source: ConflictSource::ExternalCalendar,
        user: &terms.user,
        period: terms.asked,
        arrangement: None,
    });
    let in_chat = absences.in_chat(&terms.user).map(|period| Found {
        kind: ConflictKind::Absence,
        source: ConflictSource::ChatStatus,
        user: &terms.user,
        period,
        arrangement: None,
    });
    let others = rotation
        .arranged
        .iter()
        .filter(|arranged| arranged.cell == terms.cell && Some(&arranged.user) != own)
        .map(|arranged| Found {
            kind: ConflictKind::SameCellArrangement,
            source: ConflictSource::Arrangement,
            user: &arranged.user,
            period: arranged.period,
            arrangement: Some(&arranged.id),
        });
    let mut found: Vec<Conflict> = away
        .chain(unknown)
        .chain(in_chat)
        .chain(others)
        .filter_map(|found| found.meeting(terms, name))
        .collect();
    found.sort_by(|a, b| (a.period, &a.id).cmp(&(b.period, &b.id)));
    found.dedup();
    found
}

/// Whether no conflict blocks and all are acknowledged.
pub fn are_settled(conflicts: &[Conflict], ids: &[String]) -> bool {
    !blocks(conflicts) && acknowledged(conflicts, ids)
}

/// Whether any conflict blocks regardless of acknowledgement.
pub fn blocks(conflicts: &[Conflict]) -> bool {
    conflicts
        .iter()
        .any(|conflict| !conflict.kind.can_acknowledge())
}

/// Whether all conflicts are acknowledged.
pub fn acknowledged(conflicts: &[Conflict], ids: &[String]) -> bool {
    conflicts.iter().all(|conflict| ids.contains(&conflict.id))
}

/// A possible conflict.
struct Found<'a> {
    kind: ConflictKind,
    source: ConflictSource,
    user: &'a UserId,
    period: Interval,
    arrangement: Option<&'a ArrangementId>,
}

impl Found<'_> {
    fn meeting(&self, terms: &Terms, name: &Name) -> Option<Conflict> {
        let period = self.period.meets(terms.period)?;
        let source = match (self.arrangement, self.source) {
            (Some(id), _) => id.to_string(),
            (None, ConflictSource::ChatStatus) => format!("chat {}", self.period.until),
            (None, _) => format!("{} {}", self.period.from, self.period.until),
        };
        // Bound to the requested interval, not to its future part: a preview and the write shortly after have the same terms.
        let text = format!(
            "{} {} {} {} {} {} {source}",
            terms.cell,
            terms.user,
            terms.asked.from,
            terms.asked.until,
            self.kind.name(),
            self.user,
        );
        Some(Conflict {
            id: name(&text),
            kind: self.kind,
            source: self.source,
            user: self.user.clone(),
            period,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    fn span(from: i64, until: i64) -> Interval {
        Interval {
            from: Timestamp::from_second(from).unwrap(),
            until: Timestamp::from_second(until).unwrap(),
        }
    }

    fn terms(user: &str, asked: Interval, period: Interval) -> Terms {
        Terms {
            cell: "cel_1".into(),
            user: user.into(),
            asked,
            period,
        }
    }

    fn of_absences(away: &[(&str, Interval)], terms: &Terms) -> Vec<(String, Interval)> {
        let away = away
            .iter()
            .map(|(user, period)| (UserId::from(*user), *period));
        let rotation = crate::domain::rotation::tests::rotation();
        find(
            &rotation,
            &Absences::new(away.collect()),
            terms,
            None,
            &|text| text.into(),
        )
        .into_iter()
        .map(|conflict| (conflict.id, conflict.period))
        .collect()
    }

    #[test]
    fn an_absence_conflicts_where_it_meets_what_is_still_to_come() {
        let asked = span(10, 20);
        for (away, period, expected) in [
            (span(0, 10), asked, None),
            (span(0, 11), asked, Some(span(10, 11))),
            (span(0, 99), asked, Some(asked)),
            (span(19, 30), asked, Some(span(19, 20))),
            (span(20, 30), asked, None),
            (span(0, 15), span(15, 20), None),
            (span(0, 16), span(15, 20), Some(span(15, 16))),
        ] {
            let found = of_absences(&[("U1", away)], &terms("U1", asked, period));
            let met: Vec<Interval> = found.into_iter().map(|(_, period)| period).collect();
            assert_eq!(met, Vec::from_iter(expected), "{away:?}");
        }
        assert!(of_absences(&[("U2", asked)], &terms("U1", asked, asked)).is_empty());
    }

    #[test]
    fn calendars_are_a_source_and_may_be_unknown() {
        let asked = span(10, 20);
        let rotation = crate::domain::rotation::tests::rotation();
        let found = |mirrored: Vec<(UserId, Interval)>, unknown: &[&str]| {
            let unknown = unknown.iter().map(|user| UserId::from(*user)).collect();
            let absences = Absences::default().with_calendars(mirrored, unknown);
            let terms = terms("U1", asked, span(15, 20));
            let found = find(&rotation, &absences, &terms, None, &|text| text.into());
            assert!(found.iter().all(|one| one.kind.can_acknowledge()));
            let shown = found
                .iter()
                .map(|one| (one.kind.name(), one.source.name(), one.period));
            shown.collect::<Vec<_>>()
        };
        let away = vec![(UserId::from("U1"), span(0, 17)), ("U2".into(), asked)];
        assert_eq!(
            found(away, &["U2"]),
            [("absence", "externalCalendar", span(15, 17))]
        );
        let unknown = ("unknownAvailability", "externalCalendar", span(15, 20));
        assert_eq!(found(Vec::new(), &["U1"]), [unknown]);
    }

    #[test]
    fn a_chat_status_is_a_conflict_of_its_own() {
        let asked = span(10, 20);
        let rotation = crate::domain::rotation::tests::rotation();
        for (stored, until, expected) in [
            (None, Timestamp::MAX, vec![("chatStatus", asked)]),
            (None, span(0, 15).until, vec![("chatStatus", span(10, 15))]),
            (None, asked.from, vec![]),
            (
                Some(span(12, 14)),
                Timestamp::MAX,
                vec![("chatStatus", asked), ("manualAvailability", span(12, 14))],
            ),
        ] {
            let stored = stored.map(|period| (UserId::from("U1"), period));
            let from = Timestamp::MIN;
            let away = vec![("U1".into(), Interval { from, until })];
            let absences = Absences::new(stored.into_iter().collect()).with_chat(away);
            let terms = terms("U1", asked, asked);
            let found = find(&rotation, &absences, &terms, None, &|text| text.into());
            assert!(found.iter().all(|one| one.kind.can_acknowledge()));
            let shown: Vec<_> = found
                .iter()
                .map(|one| (one.source.name(), one.period))
                .collect();
            assert_eq!(shown, expected, "{until}");
            // Nobody is passed over for it.
            let stored = absences.at(&"U1".into(), span(13, 14).from);
            assert_eq!(stored.is_some(), !absences.is_empty());
        }
    }

    #[test]
    fn ids_are_bound_to_the_terms() {
        let (asked, away) = (span(10, 20), [("U1", span(0, 99)), ("U2", span(0, 99))]);
        let ids = |terms: &Terms| of_absences(&away, terms);
        let same = ids(&terms("U1", asked, asked));
        assert_eq!(same[0].0, ids(&terms("U1", asked, span(15, 20)))[0].0);
        for other in [
            terms("U2", asked, asked),
            terms("U1", span(10, 21), asked),
            terms("U1", span(9, 20), asked),
        ] {
            assert_ne!(same[0].0, ids(&other)[0].0);
        }
        let longer = [("U1", span(0, 98))];
        assert_ne!(
            same[0].0,
            of_absences(&longer, &terms("U1", asked, asked))[0].0
        );
    }
}
