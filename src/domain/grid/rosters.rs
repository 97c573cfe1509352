//! The rosters of a grid: which there are, the lists that a caller writes, and where their hand-overs deal from.

use super::names::LaneOrWindow;
use crate::domain::fault::Fault;
use crate::domain::ids::{GroupId, RosterId, UserId, WindowId};
use crate::domain::key::Key;
use crate::domain::limits::{GROUPS, PEOPLE, check_list};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::{Cell, Narrowed, Roster, Rotation, Window};

/// A roster as a caller writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RosterSpec {
    /// `None` leaves the list as it is.
    pub narrowed: Option<Narrowed>,
    /// Whether it follows all members again; then nothing is listed.
    pub follows_all: bool,
    pub turns: TurnsSpec,
}

impl RosterSpec {
    /// The people that it names.
    pub fn people(&self) -> impl Iterator<Item = &UserId> {
        self.narrowed.iter().flat_map(|narrowed| &narrowed.users)
    }
}

impl RosterSpec {
    /// A roster that lists people, sets next turns, or both, if it keeps the limits.
    pub fn checked(self) -> Result<RosterSpec, Refusal> {
        match self == RosterSpec::default() {
            true => nobody(""),
            false => self.check("").map(|()| self),
        }
    }

    /// The next turns of the common roster, whose list is the members.
    pub fn checked_common(self) -> Result<RosterSpec, Refusal> {
        match self.turns.is_empty() {
            true => invalid("nextTurn", Fault::Missing("send it, or `nextTurns`".into())),
            false => Ok(self),
        }
    }

    /// Refuses an empty list, and one that is too long or names somebody twice. `path` is the prefix of the members' paths.
    pub(super) fn check(&self, path: &str) -> Result<(), Refusal> {
        match &self.narrowed {
            Some(Narrowed { users, groups }) if users.is_empty() && groups.is_empty() => {
                nobody(path)
            }
            Some(Narrowed { users, groups }) => {
                check_list(&format!("{path}userIds"), users, PEOPLE)?;
                check_list(&format!("{path}userGroupIds"), groups, GROUPS)
            }
            None => Ok(()),
        }
    }
}

fn nobody<T>(path: &str) -> Result<T, Refusal> {
    invalid(
        format!("{path}userIds"),
        "send at least one person, or a group in `userGroupIds`; to keep the list, send `nextTurn` alone",
    )
}

/// The next turns that a caller sets, as sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnsSpec {
    /// Of all windows that deal from the roster.
    pub all: Option<i32>,
    /// Of single windows, which come after.
    pub each: Vec<TurnSpec>,
}

/// The next turn of one window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnSpec {
    /// An id or a key.
    pub window: String,
    pub turn: i32,
}

impl TurnsSpec {
    /// Whether it sets nothing.
    pub fn is_empty(&self) -> bool {
        self.all.is_none() && self.each.is_empty()
    }
}

/// The window that a caller names: by its id or key, or by what this write calls it.
fn window_named(windows: &[Window], named: &[LaneOrWindow], name: &str) -> Option<usize> {
    let has = |window: &Window| {
        let key = window.key.as_ref().map(Key::as_str);
        window.id.as_str() == name || key == Some(name)
    };
    let is_called = |named: &LaneOrWindow| named.is_called(name);
    let known = windows.iter().position(has);
    known.or_else(|| named.iter().position(is_called))
}

/// The common roster, then those that the cells name: kept ones as they are, new ones with all members. Their next turns are
/// the caller's to set.
pub(super) fn in_use(rotation: &Rotation, cells: &[Cell]) -> Vec<Roster> {
    let mut rosters: Vec<Roster> = Vec::new();
    for id in std::iter::once(None).chain(cells.iter().map(|cell| cell.roster.clone())) {
        if !rosters.iter().any(|roster| roster.id == id) {
            let known = rotation
                .rosters
                .iter()
                .find(|roster| roster.id == id)
                .cloned();
            rosters.push(known.unwrap_or(Roster {
                id,
                narrowed: None,
                next_turns: Vec::new(),
            }));
        }
    }
    rosters
}

/// Writes the lists of a grid that has its lanes, windows and cells already, and sets the next turns of all rosters. What is
/// sent of next turns counts for the windows that begin to deal from the roster or get their first cadence, and for all of them
/// where its list changes: so the same grid again changes nothing.
pub(super) fn write(
    before: &Rotation,
    rotation: &mut Rotation,
    specs: &[(Option<RosterId>, RosterSpec)],
    named: &[LaneOrWindow],
) -> Result<(), Refusal> {
    let mut written: Vec<usize> = Vec::new();
    for (place, (id, spec)) in specs.iter().enumerate() {
        let known = rotation.rosters.iter().position(|roster| roster.id == *id);
        // The common roster is always shown, so a grid sent back as it was read has it too.
        let is_bare = id.is_none() && spec.narrowed.is_none() && says_nothing(&spec.turns);
        let is_used = !rotation.windows_of(id.as_ref()).is_empty();
        let Some(index) = known.filter(|_| is_used || is_bare) else {
            return invalid(
                format!("rosters[{place}].rosterId"),
                format!("no cell of this grid names {}", name(id.as_ref())),
            );
        };
        if written.contains(&index) {
            return invalid(format!("rosters[{place}].rosterId"), "named twice");
        }
        written.push(index);
        list(rotation, index, spec, &format!("rosters[{place}]."))?;
    }
    rotation.follow(before);
    let was_timed = |window: &Window| {
        let known = before.window(&window.id);
        known.is_some_and(|known| known.cadence.is_some())
    };
    let timed: Vec<WindowId> = rotation
        .windows
        .iter()
        .filter(|window| window.cadence.is_some() && !was_timed(window))
        .map(|window| window.id.clone())
        .collect();
    for (place, (index, (id, spec))) in written.iter().zip(specs).enumerate() {
        let was = before.rosters.iter().find(|roster| roster.id == *id);
        let same_list = was.filter(|was| was.narrowed == rotation.rosters[*index].narrowed);
        let begins = |was: &Roster, window: &WindowId| was.next_turn(window).is_none();
        let counts = |window: &WindowId| {
            timed.contains(window) || same_list.is_none_or(|was| begins(was, window))
        };
        let path = format!("rosters[{place}].");
        let all_count = same_list.is_none();
        set_turns(
            rotation,
            *index,
            &spec.turns,
            named,
            &path,
            (&counts, all_count),
        )?;
    }
    Ok(())
}

/// Writes one roster (an index into [`Rotation::rosters`]) of a rotation whose grid stays. What is sent of next turns always counts.
///
/// # Errors
/// Names the member that does not fit. The rotation may have changed by then.
pub fn write_one(
    before: &Rotation,
    rotation: &mut Rotation,
    index: usize,
    spec: &RosterSpec,
) -> Result<(), Refusal> {
    list(rotation, index, spec, "")?;
    rotation.follow(before);
    set_turns(rotation, index, &spec.turns, &[], "", (&|_| true, true))
}

fn name(id: Option<&RosterId>) -> String {
    id.map_or_else(
        || "the common roster".to_owned(),
        |id| format!("the roster `{id}`"),
    )
}

/// Whether these are the next turns that a roster shows that no window deals from.
fn says_nothing(turns: &TurnsSpec) -> bool {
    turns.all.is_none_or(|turn| turn == 0) && turns.each.is_empty()
}

/// Writes who is on a roster, where the caller says so.
fn list(
    rotation: &mut Rotation,
    index: usize,
    spec: &RosterSpec,
    path: &str,
) -> Result<(), Refusal> {
    if spec.follows_all {
        rotation.rosters[index].narrowed = None;
    }
    match &spec.narrowed {
        Some(narrowed) => narrow(rotation, index, narrowed, path),
        None => Ok(()),
    }
}

fn narrow(
    rotation: &mut Rotation,
    index: usize,
    narrowed: &Narrowed,
    path: &str,
) -> Result<(), Refusal> {
    if rotation.rosters[index].id.is_none() {
        let member = match narrowed.users.is_empty() {
            true => "userGroupIds",
            false => "userIds",
        };
        return invalid(
            format!("{path}{member}"),
            "the common roster lists all members; change the members, or narrow a roster of its own",
        );
    }
    // A list sent as it stands may name somebody who has left since.
    if rotation.rosters[index].narrowed.as_ref() == Some(narrowed) {
        return Ok(());
    }
    let is_stranger = |user| !rotation.has_member(user);
    if let Some(stranger) = narrowed.users.iter().position(is_stranger) {
        return invalid(
            format!("{path}userIds[{stranger}]"),
            "not a member of this rotation",
        );
    }
    let follows = |group: &GroupId| {
        let mut groups = rotation.members.groups.iter();
        groups.any(|known| known.group == *group)
    };
    if let Some(stranger) = narrowed.groups.iter().position(|group| !follows(group)) {
        return invalid(
            format!("{path}userGroupIds[{stranger}]"),
            "not a user group of this rotation",
        );
    }
    rotation.rosters[index].narrowed = Some(narrowed.clone());
    Ok(())
}

/// Sets next turns of the windows that they count for: `counts` says so of one that deals from the roster, and the flag of all,
/// those that do not deal from it included.
fn set_turns(
    rotation: &mut Rotation,
    index: usize,
    turns: &TurnsSpec,
    named: &[LaneOrWindow],
    path: &str,
    (counts, all_count): (&dyn Fn(&WindowId) -> bool, bool),
) -> Result<(), Refusal> {
    let people = rotation.order(&rotation.rosters[index]).len();
    let position = |member: String, turn: i32| match usize::try_from(turn) {
        // A list of nobody shows 0.
        Ok(turn) if turn < people.max(1) => Ok(turn),
        _ => invalid(
            member,
            format!(
                "send a place in the roster's order, 0 to {}, not {turn}",
                people.saturating_sub(1)
            ),
        ),
    };
    if let Some(turn) = turns.all {
        let turn = position(format!("{path}nextTurn"), turn)?;
        let next_turns = rotation.rosters[index].next_turns.iter_mut();
        next_turns
            .filter(|next| counts(&next.window))
            .for_each(|next| next.turn = turn);
    }
    let mut seen = Vec::new();
    for (place, TurnSpec { window, turn }) in turns.each.iter().enumerate() {
        let path = format!("{path}nextTurns[{place}]");
        let turn = position(format!("{path}.nextTurn"), *turn)?;
        let found = window_named(&rotation.windows, named, window);
        if found.is_some() && seen.contains(&found) {
            return invalid(format!("{path}.windowId"), "named twice");
        }
        seen.push(found);
        let found = found.map(|found| rotation.windows[found].id.clone());
        let roster = &mut rotation.rosters[index];
        match found.filter(|found| roster.next_turn(found).is_some()) {
            Some(found) if counts(&found) => roster.set_next_turn(&found, turn),
            None if all_count => {
                return invalid(
                    format!("{path}.windowId"),
                    format!("no window `{window}` deals from this roster"),
                );
            }
            _ => {}
        }
    }
    Ok(())
}
