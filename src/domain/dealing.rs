//! The one rule that decides who is next (rules.md 2.3 to 2.5 and 10.6).

use super::ids::{CellId, UserId};
use super::roster::Position;
use super::rotation::{PassedOver, Skipped};
use super::trace::Traced;
use jiff::SignedDuration;

/// The result of a search for the next person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// `None` leaves the slot empty and the next turn where it is.
    pub dealt: Option<Dealt>,
    /// People passed over because they are absent, each once.
    pub skipped: Vec<Skipped>,
    /// People passed over because they are on call elsewhere, each once.
    pub passed_over: Vec<PassedOver>,
}

/// Who a slot is dealt to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dealt {
    pub user: UserId,
    /// The position after the person chosen.
    pub next_turn: usize,
}

/// Why somebody is not here for a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    pub absence: Skipped,
    /// The covered time that they miss, if they may be chosen where nobody is here for all of the turn.
    pub partly: Option<SignedDuration>,
}

/// The order to search, and the questions that dealing asks about people.
pub struct Question<'a> {
    pub order: &'a [Position],
    /// The position to start from.
    pub next_turn: usize,
    /// One person may be on call in two slots at once when the list is too short.
    pub double_cover: bool,
    /// Why a person is not here for the turn to be dealt.
    pub away: &'a mut dyn FnMut(&UserId) -> Option<Missing>,
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

/// Goes round the order once from the next turn, and with double cover once more without asking who is on call elsewhere. Where
/// nobody is here for all of the turn, the same for whoever misses the least of it. What is answered is the search that chose
/// somebody, or the last one.
pub fn deal(question: &mut Question) -> Search {
    let mut partly = false;
    let mut here = search(question, true, &mut partly);
    if here.dealt.is_none() && question.double_cover {
        question.note(|| Traced::DoubleCover);
        here = search(question, false, &mut partly);
    }
    if here.dealt.is_some() || !partly {
        return here;
    }
    question.note(|| Traced::LeastAbsent);
    let least = search_partly(question, true);
    match least.dealt.is_none() && question.double_cover {
        true => {
            question.note(|| Traced::DoubleCover);
            search_partly(question, false)
        }
        false => least,
    }
}

/// Looks for the first who is here. Notes in `partly` whether somebody misses only a part.
fn search(question: &mut Question, free_only: bool, partly: &mut bool) -> Search {
    let people = question.order.len();
    let (mut skipped, mut passed_over) = (Vec::new(), Vec::new());
    for step in 0..people {
        let turn = (question.next_turn + step) % people;
        let user = &question.order[turn].user;
        if let Some(missing) = (question.away)(user) {
            *partly |= missing.partly.is_some();
            if free_only {
                // The second search meets the same people.
                question.note(|| Traced::Absent(missing.absence.clone()));
            }
            skipped.push(missing.absence);
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
            next_turn: (turn + 1) % people,
        });
        return Search {
            dealt,
            skipped,
            passed_over,
        };
    }
    Search {
        dealt: None,
        skipped,
        passed_over,
    }
}

/// Whoever misses the least so far, and how many had been passed over by then.
struct Least {
    missed: SignedDuration,
    turn: usize,
    skipped: usize,
    passed_over: usize,
}

/// Looks for whoever misses the least, the first among equals. Nobody is here for all of the turn who may be chosen.
fn search_partly(question: &mut Question, free_only: bool) -> Search {
    let people = question.order.len();
    let (mut skipped, mut passed_over) = (Vec::new(), Vec::new());
    let mut least: Option<Least> = None;
    for step in 0..people {
        let turn = (question.next_turn + step) % people;
        let user = &question.order[turn].user;
        let busy = |question: &mut Question| match free_only {
            true => (question.elsewhere)(user),
            false => None,
        };
        let Some(missing) = (question.away)(user) else {
            if let Some(cell) = busy(question) {
                let user = user.clone();
                passed_over.push(PassedOver { user, cell });
            }
            continue;
        };
        let better =
            |missed: &SignedDuration| least.as_ref().is_none_or(|least| *missed < least.missed);
        if let Some(missed) = missing.partly.filter(better)
            && busy(question).is_none()
        {
            least = Some(Least {
                missed,
                turn,
                skipped: skipped.len(),
                passed_over: passed_over.len(),
            });
        }
        // Whoever is chosen is taken off the list again.
        skipped.push(missing.absence);
    }
    let dealt = least.map(|least| {
        skipped.truncate(least.skipped);
        passed_over.truncate(least.passed_over);
        let (user, turn) = (question.order[least.turn].user.clone(), least.turn);
        question.note(|| Traced::Chosen { user, turn });
        Dealt {
            user: question.order[least.turn].user.clone(),
            next_turn: (least.turn + 1) % people,
        }
    });
    Search {
        dealt,
        skipped,
        passed_over,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `order` in turn order, then who is away (`name:hours` for a part of the turn) and who is on call elsewhere; answers
    /// `user [skipped,...] [passed,...] next`.
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
                let mut all = away.split_whitespace();
                let named = |named: &&str| named.split(':').next() == Some(user.as_str());
                let part = all.find(named)?.split(':').nth(1);
                Some(Missing {
                    absence: Skipped {
                        user: user.clone(),
                        from: None,
                        until: None,
                        source: crate::domain::absence::AbsenceSource::Stored,
                    },
                    partly: part.map(|hours| SignedDuration::from_hours(hours.parse().unwrap())),
                })
            },
            elsewhere: &mut |user| named(busy, user).then(|| "cel_1".into()),
            trace: None,
        };
        let search = deal(&mut question);
        let passed: Vec<_> = search.passed_over.iter().map(|p| p.user.as_str()).collect();
        let passed = passed.join(",");
        let skipped: Vec<_> = search.skipped.iter().map(|s| s.user.to_string()).collect();
        let skipped = skipped.join(",");
        let shown = match search.dealt {
            None => format!("nobody [{skipped}] [{passed}]"),
            Some(dealt) => format!("{} [{skipped}] [{passed}] {}", dealt.user, dealt.next_turn),
        };
        assert_eq!(
            shown, expected,
            "{order} from {next_turn}, away {away}, busy {busy}"
        );
    }

    /// rules.md 2.3.
    #[test]
    fn the_first_who_is_here_and_free_is_chosen() {
        check("a b c", 0, false, "", "", "a [] [] 1");
        check("a b c", 2, false, "", "", "c [] [] 0");
        check("a b c", 0, false, "a b", "", "c [a,b] [] 0");
        check("a b c", 1, false, "b", "c", "a [b] [c] 1");
        // Somebody who is both is absent.
        check("a b c", 1, false, "b c", "c", "a [b,c] [] 1");
        check("a b c", 0, false, "a b c", "", "nobody [a,b,c] []");
        check("a b", 0, false, "b", "a", "nobody [b] [a]");
        check("", 0, true, "", "", "nobody [] []");
    }

    /// rules.md 2.5.
    #[test]
    fn double_cover_searches_again_without_asking_who_is_on_call_elsewhere() {
        check("a b", 0, true, "", "a b", "a [] [] 1");
        check("a b", 0, true, "a", "b", "b [a] [] 0");
        check("a b", 0, true, "", "a", "b [] [a] 0");
        check("a b", 0, true, "a b", "", "nobody [a,b] []");
        check("a b", 0, true, "a b", "a", "nobody [a,b] []");
    }

    /// rules.md 10.6.
    #[test]
    fn where_nobody_is_here_for_all_of_the_turn_the_one_who_misses_least_is_chosen() {
        check("a b c", 0, false, "a:1", "", "b [a] [] 2");
        check("a b c", 0, false, "a:3 b:1 c:2", "", "b [a] [] 2");
        check("a b c", 2, false, "a:1 b:1 c:2", "", "a [c] [] 1");
        check("a b c", 0, false, "a b:5 c:5", "", "b [a] [] 2");
        check("a b c", 0, false, "a b c", "", "nobody [a,b,c] []");
        // Somebody who is here, but on call elsewhere, cannot be chosen; nor can somebody who is both.
        check("a b c", 0, false, "b:1 c:2", "a", "b [] [a] 2");
        check("a b c", 0, false, "b:1 c:2", "a b", "c [b] [a] 0");
        check("a b c", 0, false, "b:1 c:2", "a b c", "nobody [b,c] [a]");
        // Whoever is met after the one chosen is not passed over.
        check("a b c", 0, false, "a:1 c:2", "b", "a [] [] 1");
    }

    #[test]
    fn double_cover_comes_before_somebody_who_is_absent_in_part() {
        check("a b", 0, true, "b:1", "a", "a [] [] 1");
        check("a b", 0, true, "a:1 b:2", "", "a [] [] 1");
        check("a b", 0, true, "a:1 b:2", "a", "b [a] [] 0");
        check("a b", 0, true, "a:2 b:1", "a b", "b [a] [] 0");
        check("a b", 0, true, "a b:1", "a b", "b [a] [] 0");
    }
}
