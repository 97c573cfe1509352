//! The one rule that decides who is next (rules.md 2.3 to 2.5).

use super::ids::{CellId, UserId};
use super::roster::Position;
use super::rotation::{PassedOver, Skipped};
use super::trace::Traced;

/// What a search for the next person came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// `None` leaves the slot empty and the next turn where it is.
    pub dealt: Option<Dealt>,
    /// People passed over because they are on call elsewhere, each once.
    pub passed_over: Vec<PassedOver>,
}

/// Who a slot is dealt to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dealt {
    pub user: UserId,
    /// Absent people passed over on the way, each once.
    pub skipped: Vec<Skipped>,
    /// The position after the person chosen.
    pub next_turn: usize,
}

/// What dealing asks about people.
pub struct Question<'a> {
    pub order: &'a [Position],
    /// The position to start from.
    pub next_turn: usize,
    /// One person may be on call in two slots at once when the list is too short.
    pub double_cover: bool,
    /// The absence of a person at the instant of dealing.
    pub away: &'a mut dyn FnMut(&UserId) -> Option<Skipped>,
    /// The first cell in which a person is on call during the turn to be dealt.
    pub elsewhere: &'a mut dyn FnMut(&UserId) -> Option<CellId>,
    /// Where to write the steps of the search, if somebody asks for them.
    pub trace: Option<&'a mut Vec<Traced>>,
}

impl Question<'_> {
    fn note(&mut self, step: impl FnOnce() -> Traced) {
        if let Some(trace) = &mut self.trace {
            trace.push(step());
        }
    }
}

/// Goes round the order once from the next turn, and with double cover once more without asking who is on call elsewhere. What
/// is answered is the search that chose somebody, or the last one.
pub fn deal(question: &mut Question) -> Search {
    let free_only = search(question, true);
    if free_only.dealt.is_none() && question.double_cover {
        question.note(|| Traced::DoubleCover);
        search(question, false)
    } else {
        free_only
    }
}

fn search(question: &mut Question, free_only: bool) -> Search {
    let people = question.order.len();
    let (mut skipped, mut passed_over) = (Vec::new(), Vec::new());
    for step in 0..people {
        let turn = (question.next_turn + step) % people;
        let user = &question.order[turn].user;
        if let Some(absence) = (question.away)(user) {
            if free_only {
                // The second search meets the same people.
                question.note(|| Traced::Absent(absence.clone()));
            }
            skipped.push(absence);
            continue;
        }
        let busy = free_only.then(|| (question.elsewhere)(user)).flatten();
        if let Some(cell) = busy {
            let user = user.clone();
            let passed = PassedOver { user, cell };
            question.note(|| Traced::Elsewhere(passed.clone()));
            passed_over.push(passed);
            continue;
        }
        question.note(|| Traced::Chosen {
            user: user.clone(),
            turn,
        });
        let dealt = Some(Dealt {
            user: user.clone(),
            skipped,
            next_turn: (turn + 1) % people,
        });
        return Search { dealt, passed_over };
    }
    Search {
        dealt: None,
        passed_over,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `order` in turn order, then who is away and who is on call elsewhere; answers `user skipped,... passed,... next`.
    fn check(
        order: &str,
        next_turn: usize,
        double_cover: bool,
        away: &str,
        busy: &str,
        expected: &str,
    ) {
        let list: Vec<Position> = order
            .split_whitespace()
            .map(|name| Position {
                user: name.into(),
                group: None,
            })
            .collect();
        let named =
            |list: &str, user: &UserId| list.split_whitespace().any(|name| name == user.as_str());
        let mut question = Question {
            order: &list,
            next_turn,
            double_cover,
            away: &mut |user| {
                named(away, user).then(|| Skipped {
                    user: user.clone(),
                    from: None,
                    until: None,
                    source: crate::domain::absence::AbsenceSource::Stored,
                })
            },
            elsewhere: &mut |user| named(busy, user).then(|| "cel_1".into()),
            trace: None,
        };
        let search = deal(&mut question);
        let passed: Vec<_> = search.passed_over.iter().map(|p| p.user.as_str()).collect();
        let passed = passed.join(",");
        let shown = match search.dealt {
            None => format!("nobody [{passed}]"),
            Some(dealt) => {
                let skipped: Vec<_> = dealt.skipped.iter().map(|s| s.user.to_string()).collect();
                let (user, skipped) = (dealt.user, skipped.join(","));
                format!("{user} [{skipped}] [{passed}] {}", dealt.next_turn)
            }
        };
        assert_eq!(
            shown, expected,
            "{order} from {next_turn}, away {away}, busy {busy}"
        );
    }

    #[test]
    fn the_first_who_is_here_and_free_is_chosen() {
        check("a b c", 0, false, "", "", "a [] [] 1");
        check("a b c", 2, false, "", "", "c [] [] 0");
        check("a b c", 0, false, "a b", "", "c [a,b] [] 0");
        check("a b c", 1, false, "b", "c", "a [b] [c] 1");
        // Somebody who is both is absent.
        check("a b c", 1, false, "b c", "c", "a [b,c] [] 1");
        check("a b c", 0, false, "a b c", "", "nobody []");
        check("a b", 0, false, "b", "a", "nobody [a]");
        check("", 0, true, "", "", "nobody []");
    }

    #[test]
    fn double_cover_searches_again_without_asking_who_is_on_call_elsewhere() {
        check("a b", 0, true, "", "a b", "a [] [] 1");
        check("a b", 0, true, "a", "b", "b [a] [] 0");
        check("a b", 0, true, "", "a", "b [] [a] 0");
        check("a b", 0, true, "a b", "", "nobody []");
        check("a b", 0, true, "a b", "a", "nobody []");
    }
}
