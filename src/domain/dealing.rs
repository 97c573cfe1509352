//! The one rule that decides who is next (rules.md 2.3 to 2.5).

use super::ids::UserId;
use super::roster::Position;
use super::rotation::Skipped;

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
    /// One person may hold two slots when the list is too short.
    pub double_cover: bool,
    /// The absence of a person at the instant of dealing.
    pub away: &'a dyn Fn(&UserId) -> Option<Skipped>,
    /// Whether a person holds another slot of the rotation.
    pub busy: &'a dyn Fn(&UserId) -> bool,
}

/// Goes round the order once from the next turn; `None` leaves the slot empty and the next turn where it is.
pub fn deal(question: &Question) -> Option<Dealt> {
    let free_only = search(question, true);
    if free_only.is_none() && question.double_cover {
        search(question, false)
    } else {
        free_only
    }
}

fn search(question: &Question, free_only: bool) -> Option<Dealt> {
    let people = question.order.len();
    let mut skipped = Vec::new();
    for step in 0..people {
        let turn = (question.next_turn + step) % people;
        let user = &question.order[turn].user;
        if let Some(absence) = (question.away)(user) {
            skipped.push(absence);
        } else if !(free_only && (question.busy)(user)) {
            return Some(Dealt {
                user: user.clone(),
                skipped,
                next_turn: (turn + 1) % people,
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `order` in turn order, then who is away and who is busy; answers `user skipped,... next`.
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
        let absent = |user: &UserId| {
            named(away, user).then(|| Skipped {
                user: user.clone(),
                from: None,
                until: None,
            })
        };
        let holding = |user: &UserId| named(busy, user);
        let question = Question {
            order: &list,
            next_turn,
            double_cover,
            away: &absent,
            busy: &holding,
        };
        let shown = match deal(&question) {
            None => "nobody".to_string(),
            Some(dealt) => {
                let skipped: Vec<_> = dealt.skipped.iter().map(|s| s.user.to_string()).collect();
                format!("{} [{}] {}", dealt.user, skipped.join(","), dealt.next_turn)
            }
        };
        assert_eq!(
            shown, expected,
            "{order} from {next_turn}, away {away}, busy {busy}"
        );
    }

    #[test]
    fn the_first_who_is_here_and_free_is_chosen() {
        check("a b c", 0, false, "", "", "a [] 1");
        check("a b c", 2, false, "", "", "c [] 0");
        check("a b c", 0, false, "a b", "", "c [a,b] 0");
        check("a b c", 1, false, "b", "c", "a [b] 1");
        check("a b c", 0, false, "a b c", "", "nobody");
        check("a b", 0, false, "b", "a", "nobody");
        check("", 0, true, "", "", "nobody");
    }

    #[test]
    fn double_cover_searches_again_without_asking_who_is_busy() {
        check("a b", 0, true, "", "a b", "a [] 1");
        check("a b", 0, true, "a", "b", "b [a] 0");
        check("a b", 0, true, "", "a", "b [] 0");
        check("a b", 0, true, "a b", "", "nobody");
    }
}
