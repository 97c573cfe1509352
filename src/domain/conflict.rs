//! Conflicts: what speaks against somebody holding a cell for an interval (rules.md 8.2).

use super::absence::Absences;
use super::ids::{ArrangementId, CellId, UserId};
use super::rotation::Rotation;
use super::time::Interval;

/// Somebody to hold a cell for an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    pub cell: CellId,
    pub user: UserId,
    /// As asked for.
    pub asked: Interval,
    /// The part of it that is still to come.
    pub period: Interval,
}

/// One thing in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Names the conflict together with the terms: the same for the same, another when either differs.
    pub id: String,
    pub kind: ConflictKind,
    /// Who is away, or who holds the cell already.
    pub user: UserId,
    /// Where it meets the interval.
    pub period: Interval,
}

/// What is in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictKind {
    /// The person is away by a stored absence.
    Absence,
    /// Another arrangement lies over the same cell.
    SameCellArrangement,
}

impl ConflictKind {
    /// Every kind.
    pub const ALL: [ConflictKind; 2] = [ConflictKind::Absence, ConflictKind::SameCellArrangement];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            ConflictKind::Absence => "absence",
            ConflictKind::SameCellArrangement => "sameCellArrangement",
        }
    }

    /// Whether somebody may go on all the same, having seen it.
    pub fn can_acknowledge(self) -> bool {
        match self {
            ConflictKind::Absence => true,
            ConflictKind::SameCellArrangement => false,
        }
    }
}

/// Makes the id of a conflict from the text that tells it from every other.
pub type Name = dyn Fn(&str) -> String;

/// Everything in the way of the terms, by where it begins. Arrangements of `own` over the cell are not: they are cut.
pub fn find(
    rotation: &Rotation,
    absences: &Absences,
    terms: &Terms,
    own: Option<&UserId>,
    name: &Name,
) -> Vec<Conflict> {
    let away = absences.of(&terms.user).map(|absence| Found {
        kind: ConflictKind::Absence,
        user: &terms.user,
        source: absence,
        arrangement: None,
    });
    let others = rotation
        .arranged
        .iter()
        .filter(|arranged| arranged.cell == terms.cell && Some(&arranged.user) != own)
        .map(|arranged| Found {
            kind: ConflictKind::SameCellArrangement,
            user: &arranged.user,
            source: arranged.period,
            arrangement: Some(&arranged.id),
        });
    let mut found: Vec<Conflict> = away
        .chain(others)
        .filter_map(|found| found.meeting(terms, name))
        .collect();
    found.sort_by(|a, b| (a.period, &a.id).cmp(&(b.period, &b.id)));
    found.dedup();
    found
}

/// Whether nothing is left in the way: none blocks, and all are among those acknowledged.
pub fn are_settled(conflicts: &[Conflict], ids: &[String]) -> bool {
    !blocks(conflicts) && acknowledged(conflicts, ids)
}

/// Whether any of them blocks, whoever acknowledges it.
pub fn blocks(conflicts: &[Conflict]) -> bool {
    conflicts
        .iter()
        .any(|conflict| !conflict.kind.can_acknowledge())
}

/// Whether all of them are among those acknowledged.
pub fn acknowledged(conflicts: &[Conflict], ids: &[String]) -> bool {
    conflicts.iter().all(|conflict| ids.contains(&conflict.id))
}

/// Something that may be in the way.
struct Found<'a> {
    kind: ConflictKind,
    user: &'a UserId,
    source: Interval,
    arrangement: Option<&'a ArrangementId>,
}

impl Found<'_> {
    fn meeting(&self, terms: &Terms, name: &Name) -> Option<Conflict> {
        let period = self.source.meets(terms.period)?;
        let source = match self.arrangement {
            Some(id) => id.to_string(),
            None => format!("{} {}", self.source.from, self.source.until),
        };
        // Bound to what was asked for, not to what is left of it: a preview and the write a moment later are the same terms.
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
