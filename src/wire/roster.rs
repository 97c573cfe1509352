//! Writes rosters: who they list, and where the next hand-overs deal from (rules.md 2).

use super::body::{self, check_list, invalid, objects, present};
use super::int32::Int32;
use super::rotation::{Roster, WindowTurn};
use super::strict::strict;
use crate::domain::fault::Fault;
use crate::domain::grid::{RosterSpec, TurnSpec, TurnsSpec};
use crate::domain::ids::{GroupId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Narrowed;
use schemars::JsonSchema;
use serde::Deserialize;

strict! {
    RosterRequest => Roster,
    CommonRosterRequest => Roster,
    NextTurnRequest => WindowTurn,
}

/// People that one list names at the most.
pub(super) const PEOPLE: usize = 1_000;
/// User groups that one list names at the most.
pub(super) const GROUPS: usize = 100;

/// A roster: its people and groups in order, its next turns, or both. Everybody listed must belong to the rotation.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RosterRequest {
    /// User ids, at most 1,000, without duplicates. Omit both lists to keep the roster's list.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    user_ids: Option<Vec<String>>,
    /// Chat user groups, at most 100, without duplicates. Their people follow those listed by id.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    user_group_ids: Option<Vec<String>>,
    /// The position in the new order that all windows deal from next.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Int32")]
    next_turn: Option<Int32>,
    /// The same for single windows; takes precedence.
    #[serde(default, deserialize_with = "objects")]
    next_turns: Vec<NextTurnRequest>,
}

/// The next turns of the common roster.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommonRosterRequest {
    /// The position in the order of the members that all windows deal from next.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Int32")]
    next_turn: Option<Int32>,
    /// The same for single windows; takes precedence.
    #[serde(default, deserialize_with = "objects")]
    next_turns: Vec<NextTurnRequest>,
}

/// Where a window deals from next.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NextTurnRequest {
    /// The id or key of a window that deals from the roster.
    window_id: String,
    /// A position in the roster, from 0.
    next_turn: Int32,
}

/// Reads a roster.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse(bytes: &[u8]) -> Result<RosterSpec, Refusal> {
    roster(body::parse(bytes)?)
}

/// The same of a body that is read already.
///
/// # Errors
/// As [`parse`].
pub(super) fn roster(request: RosterRequest) -> Result<RosterSpec, Refusal> {
    let spec = spec(
        "",
        request.user_ids,
        request.user_group_ids,
        request.next_turn,
        request.next_turns,
    )?;
    if spec == RosterSpec::default() {
        return nobody("");
    }
    Ok(spec)
}

/// Reads the common roster.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse_common(bytes: &[u8]) -> Result<RosterSpec, Refusal> {
    common(body::parse(bytes)?)
}

/// The same of a body that is read already.
///
/// # Errors
/// As [`parse_common`].
pub(super) fn common(request: CommonRosterRequest) -> Result<RosterSpec, Refusal> {
    let turns = turns(request.next_turn, request.next_turns);
    if turns.is_empty() {
        return invalid("nextTurn", Fault::Missing("send it, or `nextTurns`".into()));
    }
    let narrowed = None;
    Ok(RosterSpec { narrowed, turns })
}

/// The same of the members of a request, the first of which is at `path`.
pub(super) fn spec(
    path: &str,
    users: Option<Vec<String>>,
    groups: Option<Vec<String>>,
    next_turn: Option<Int32>,
    next_turns: Vec<NextTurnRequest>,
) -> Result<RosterSpec, Refusal> {
    let is_narrowed = users.is_some() || groups.is_some();
    let (users, groups) = (users.unwrap_or_default(), groups.unwrap_or_default());
    if is_narrowed && users.is_empty() && groups.is_empty() {
        return nobody(path);
    }
    check_list(&format!("{path}userIds"), &users, PEOPLE)?;
    check_list(&format!("{path}userGroupIds"), &groups, GROUPS)?;
    let narrowed = is_narrowed.then(|| Narrowed {
        users: ids::<UserId>(users),
        groups: ids::<GroupId>(groups),
    });
    let turns = turns(next_turn, next_turns);
    Ok(RosterSpec { narrowed, turns })
}

fn nobody<T>(path: &str) -> Result<T, Refusal> {
    invalid(
        format!("{path}userIds"),
        "send at least one person, or a group in `userGroupIds`; to keep the list, send `nextTurn` alone",
    )
}

/// Ids of a list.
pub(super) fn ids<T: From<String>>(texts: Vec<String>) -> Vec<T> {
    texts.into_iter().map(T::from).collect()
}

fn turns(next_turn: Option<Int32>, next_turns: Vec<NextTurnRequest>) -> TurnsSpec {
    let each = next_turns.into_iter().map(|next| TurnSpec {
        window: next.window_id,
        turn: next.next_turn.0,
    });
    TurnsSpec {
        all: next_turn.map(|turn| turn.0),
        each: each.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(outcome: Result<RosterSpec, Refusal>) -> String {
        crate::tests::detail(&outcome.unwrap_err())
    }

    #[test]
    fn a_roster_lists_people_or_sets_turns() {
        for (body, listed, turns) in [
            (r#"{ "userIds": ["U1"] }"#, true, 0),
            (r#"{ "userGroupIds": ["G1"], "userIds": [] }"#, true, 0),
            (r#"{ "nextTurn": 1 }"#, false, 1),
            (
                r#"{ "nextTurn": "1", "nextTurns": [{ "windowId": "w", "nextTurn": 0 }] }"#,
                false,
                2,
            ),
            (
                r#"{ "nextTurns": [{ "windowId": "w", "nextTurn": 0 }], "userIds": ["U1"] }"#,
                true,
                1,
            ),
        ] {
            let spec = parse(body.as_bytes()).expect(body);
            let sent = usize::from(spec.turns.all.is_some()) + spec.turns.each.len();
            assert_eq!((spec.narrowed.is_some(), sent), (listed, turns), "{body}");
        }
        for (body, path) in [
            ("{}", "userIds: "),
            (r#"{ "userIds": [] }"#, "userIds: "),
            (r#"{ "userIds": [], "nextTurn": 0 }"#, "userIds: "),
            (r#"{ "userGroupIds": [], "userIds": [] }"#, "userIds: "),
            (r#"{ "nextTurns": [] }"#, "userIds: "),
            (r#"{ "userIds": ["U1", "U1"] }"#, "userIds[1]: "),
            (r#"{ "userIds": null }"#, "userIds: "),
            (r#"{ "nextTurn": null }"#, "nextTurn: "),
            (r#"{ "nextTurn": 1.5 }"#, "nextTurn: "),
            (
                r#"{ "nextTurns": [{ "windowId": "w" }] }"#,
                "nextTurns[0].nextTurn: missing",
            ),
        ] {
            let detail = refused(parse(body.as_bytes()));
            assert!(detail.starts_with(path), "{body}: {detail}");
        }
        assert!(refused(parse_common(b"{}")).starts_with("nextTurn: missing"));
        assert!(parse_common(br#"{ "nextTurn": 0 }"#).is_ok());
    }
}
