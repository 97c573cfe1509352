//! The people of a rotation and its rosters: the order of a roster, and the next turns of the windows that deal from it
//! (rules.md 2.1, 2.11 and 2.12).

use super::books::Books;
use super::ids::{GroupId, RosterId, UserId, WindowId};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// People added one by one, and people who come with a chat user group. Deactivated people are not among them.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Members {
    pub users: Vec<UserId>,
    pub groups: Vec<GroupMembers>,
}

/// A user group with its people in the chat platform's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupMembers {
    pub group: GroupId,
    pub users: Vec<UserId>,
}

impl Members {
    /// Whether a person is among them, individually or through a group.
    pub fn contains(&self, user: &UserId) -> bool {
        self.users.contains(user) || self.groups.iter().any(|group| group.users.contains(user))
    }
}

/// A list that cells deal from, with the positions that the next hand-overs deal from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster {
    /// `None` is the common roster: all members.
    pub id: Option<RosterId>,
    /// Narrowed to these members, in this order; `None` follows all members.
    pub narrowed: Option<Narrowed>,
    /// One for each window that deals from it, in the order of windows.
    pub next_turns: Vec<NextTurn>,
}

/// Where the next hand-over of a window deals from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextTurn {
    pub window: WindowId,
    /// A position in the roster's order.
    pub turn: usize,
    /// Credits, help and open trades, where missed turns are traded.
    pub books: Books,
}

impl NextTurn {
    /// Of a line that begins at a position.
    pub fn new(window: WindowId, turn: usize) -> NextTurn {
        NextTurn {
            window,
            turn,
            books: Books::default(),
        }
    }
}

impl Roster {
    /// The next turn of a window; `None` where the window does not deal from this roster.
    pub fn next_turn(&self, window: &WindowId) -> Option<usize> {
        self.line(window).map(|next| next.turn)
    }

    /// The line of a window; `None` where the window does not deal from this roster.
    pub fn line(&self, window: &WindowId) -> Option<&NextTurn> {
        self.next_turns.iter().find(|next| next.window == *window)
    }

    /// Sets the next turn of a window that deals from this roster.
    pub fn set_next_turn(&mut self, window: &WindowId, turn: usize) {
        let mut turns = self.next_turns.iter_mut();
        if let Some(next) = turns.find(|next| next.window == *window) {
            next.turn = turn;
        }
    }
}

/// Who a narrowed roster lists, as written.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Narrowed {
    pub users: Vec<UserId>,
    pub groups: Vec<GroupId>,
}

/// One position in an order; its index is the `turn`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub user: UserId,
    /// The group that brought the person in; `None` for somebody added individually.
    pub group: Option<GroupId>,
}

/// The people of a roster in the order duty passes through, with where each stands.
#[derive(Debug, PartialEq, Eq)]
pub struct Order {
    pub people: Vec<Position>,
    turns: HashMap<UserId, usize>,
}

impl Order {
    /// Of people who are there once each.
    pub fn new(people: Vec<Position>) -> Order {
        let positions = people.iter().enumerate();
        let turns = positions.map(|(turn, position)| (position.user.clone(), turn));
        Order {
            turns: turns.collect(),
            people,
        }
    }

    /// The position of a person; `None` for somebody who is not in the roster.
    pub fn turn_of(&self, user: &UserId) -> Option<usize> {
        self.turns.get(user).copied()
    }
}

/// The order of a roster: people added individually, then each group's people. A person counts once, where they stand
/// first. A narrowed roster lists only people who still are members.
pub fn order(members: &Members, narrowed: Option<&Narrowed>) -> Vec<Position> {
    let mut order: Vec<Position> = Vec::new();
    let mut known = HashSet::new();
    let mut add = |user: &UserId, group: Option<&GroupId>| {
        if known.insert(user.clone()) {
            order.push(Position {
                user: user.clone(),
                group: group.cloned(),
            });
        }
    };
    let Some(narrowed) = narrowed else {
        for user in &members.users {
            add(user, None);
        }
        for group in &members.groups {
            group
                .users
                .iter()
                .for_each(|user| add(user, Some(&group.group)));
        }
        return order;
    };
    for user in &narrowed.users {
        if members.users.contains(user) {
            add(user, None);
        } else if let Some(group) = members
            .groups
            .iter()
            .find(|group| group.users.contains(user))
        {
            add(user, Some(&group.group));
        }
    }
    for id in &narrowed.groups {
        if let Some(group) = members.groups.iter().find(|group| &group.group == id) {
            group.users.iter().for_each(|user| add(user, Some(id)));
        }
    }
    order
}

/// Where the next turn stands after an order has changed: at the same person; when they are gone, at the next one in
/// the old order who remains; else at the beginning.
pub fn repoint(old: &[Position], next_turn: usize, new: &[Position]) -> usize {
    (0..old.len())
        .map(|step| &old[(next_turn + step) % old.len()].user)
        .find_map(|user| new.iter().position(|position| &position.user == user))
        .unwrap_or(0)
}

/// Where the `k`-th of so many windows starts in an order of so many people: spread, so that each has its own people first.
pub fn spread(k: usize, windows: usize, people: usize) -> usize {
    k * people / windows.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::rotation::tests::rotation;

    fn users(names: &str) -> Vec<UserId> {
        names.split_whitespace().map(UserId::from).collect()
    }

    fn members(names: &str, groups: &[(&str, &str)]) -> Members {
        let groups = groups.iter().map(|(id, names)| GroupMembers {
            group: GroupId::from(*id),
            users: users(names),
        });
        Members {
            users: users(names),
            groups: groups.collect(),
        }
    }

    fn shown(order: &[Position]) -> String {
        let position = |p: &Position| match &p.group {
            Some(group) => format!("{}@{group}", p.user),
            None => p.user.to_string(),
        };
        order.iter().map(position).collect::<Vec<_>>().join(" ")
    }

    /// rules.md 2.1.
    #[test]
    fn people_stand_where_they_stand_first() {
        let rows = [
            (members("a b", &[]), None, "a b"),
            (members("b", &[("g", "a b c")]), None, "b a@g c@g"),
            (
                members("", &[("g", "a b"), ("h", "b c")]),
                None,
                "a@g b@g c@h",
            ),
            (
                members("a b", &[("g", "c d")]),
                Some(("d b x", "")),
                "d@g b",
            ),
            (members("a b", &[("g", "c d")]), Some(("d", "g")), "d@g c@g"),
            (members("a b", &[]), Some(("", "g")), ""),
        ];
        for (members, narrowed, expected) in rows {
            let narrowed = narrowed.map(|(names, groups): (&str, &str)| Narrowed {
                users: users(names),
                groups: groups.split_whitespace().map(GroupId::from).collect(),
            });
            assert_eq!(shown(&order(&members, narrowed.as_ref())), expected);
        }
    }

    /// rules.md 2.11.
    #[test]
    fn the_next_turn_follows_its_person() {
        let rows = [
            ("a b c", 1, "c b a", 1),
            ("a b c", 2, "c a b", 0),
            ("a b c", 1, "a c", 1),
            ("a b c", 2, "a b", 0),
            ("a b c", 1, "x y", 0),
            ("", 0, "a b", 0),
            ("a b", 1, "", 0),
            ("a b c d", 2, "d b", 0),
        ];
        for (old, next, new, expected) in rows {
            let [old_order, new_order] = [old, new].map(|names| order(&members(names, &[]), None));
            assert_eq!(
                repoint(&old_order, next, &new_order),
                expected,
                "{old} at {next} -> {new}"
            );
        }
    }

    /// So many windows over people, then the same after a change: `window:turn` of the common roster.
    #[test]
    fn next_turns_follow_their_windows_and_people() {
        let grid = |names: &str, windows: &str, turns: &[usize]| {
            let mut rotation = rotation();
            rotation.members = members(names, &[]);
            let (window, cell) = (rotation.windows.remove(0), rotation.cells.remove(0));
            rotation.rosters[0].next_turns.clear();
            for (index, id) in windows.split_whitespace().enumerate() {
                let mut window = window.clone();
                window.id = id.into();
                rotation.windows.push(window);
                let mut cell = cell.clone();
                cell.window = index;
                rotation.cells.push(cell);
                if let Some(turn) = turns.get(index) {
                    rotation.rosters[0]
                        .next_turns
                        .push(NextTurn::new(id.into(), *turn));
                }
            }
            rotation
        };
        for (before, after, expected) in [
            // Nothing changes, then people and windows come and go.
            (
                ("a b c d", "v w", &[1, 3][..]),
                ("a b c d", "v w"),
                "v:1 w:3",
            ),
            (("a b c d", "v w", &[1, 3]), ("d c b a", "v w"), "v:2 w:0"),
            (("a b c d", "v w", &[1, 3]), ("a c", "v w"), "v:1 w:0"),
            (("a b c d", "v w", &[1, 3]), ("a b c d", "w v"), "w:3 v:1"),
            (("a b c d", "v w", &[1, 3]), ("a b c d", "w"), "w:3"),
            (
                ("a b c d e f", "v", &[2]),
                ("a b c d e f", "v w"),
                "v:2 w:3",
            ),
            (
                ("a b c d e f", "v", &[2]),
                ("a b c d e f", "x v y"),
                "x:0 v:2 y:4",
            ),
            (
                ("a b c d e", "", &[]),
                ("a b c d e", "v w x"),
                "v:0 w:1 x:3",
            ),
            // A list that was empty, or becomes so.
            (("", "v w", &[0, 0]), ("a b c d", "v w"), "v:0 w:2"),
            (("a b", "v w", &[1, 1]), ("", "v w"), "v:0 w:0"),
        ] {
            let (names, windows, turns) = before;
            let before = grid(names, windows, turns);
            let mut now = grid(after.0, after.1, &[]);
            now.follow(&before);
            let turns = now.rosters[0].next_turns.iter();
            let found: Vec<String> = turns
                .map(|next| format!("{}:{}", next.window, next.turn))
                .collect();
            assert_eq!(found.join(" "), expected, "{names} {windows} to {after:?}");
        }
    }
}
