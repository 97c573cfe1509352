//! The order of a roster, and its next turn (rules.md 2.1 and 2.11).

use super::ids::{GroupId, UserId};
use super::rotation::{Members, Narrowed};
use std::collections::HashSet;

/// One position in an order; its index is the `turn`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub user: UserId,
    /// The group that brought the person in; `None` for somebody added individually.
    pub group: Option<GroupId>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::rotation::GroupMembers;

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
}
