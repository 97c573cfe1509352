//! Writes rosters: who they list, and where the next hand-overs deal from (rules.md 2).

use super::body::{self, clearable, objects, present};
use super::int32::Int32;
use super::rotation::{Roster, WindowTurn};
use super::strict::strict;
use crate::domain::grid::{RosterSpec, TurnSpec, TurnsSpec};
use crate::domain::ids::{GroupId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::Narrowed;
use schemars::JsonSchema;
use serde::Deserialize;

strict! {
    RosterRequest => Roster,
    CommonRosterRequest => CommonRoster,
    NextTurnRequest => WindowTurn,
}

/// A roster: its people and groups in order, its next turns, or both. Everybody listed must belong to the rotation.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RosterRequest {
    /// User ids, at most 1,000, without duplicates. Omit both lists to keep the roster's list; both null, it follows all members.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<Vec<String>>")]
    user_ids: Option<Option<Vec<String>>>,
    /// Chat user groups, at most 100, without duplicates. Their people follow those listed by id.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<Vec<String>>")]
    user_group_ids: Option<Option<Vec<String>>>,
    /// The position in the new order that all windows deal from next.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Int32")]
    next_turn: Option<Int32>,
    /// The same for single windows; takes precedence.
    #[serde(default, deserialize_with = "objects")]
    next_turns: Vec<NextTurnRequest>,
}

/// What the common roster shows. It has no list of its own, so lists are refused.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "only the names of its members count")]
pub struct CommonRoster {
    roster_id: (),
    order: (),
    next_turn: (),
    next_turns: (),
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
        request.user_ids,
        request.user_group_ids,
        request.next_turn,
        request.next_turns,
    )?;
    spec.checked()
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
    let spec = spec(None, None, request.next_turn, request.next_turns)?;
    spec.checked_common()
}

/// A list of a request: `None` where it is omitted, `Some(None)` where it is null.
type Sent = Option<Option<Vec<String>>>;

/// A roster of the members of a request.
///
/// # Errors
/// [`Refusal::Invalid`] where one list alone is null.
pub(super) fn spec(
    users: Sent,
    groups: Sent,
    next_turn: Option<Int32>,
    next_turns: Vec<NextTurnRequest>,
) -> Result<RosterSpec, Refusal> {
    let follows_all = match (&users, &groups) {
        (Some(None), Some(None)) => true,
        (Some(None), _) => return halved("userIds"),
        (_, Some(None)) => return halved("userGroupIds"),
        _ => false,
    };
    let (users, groups) = (users.flatten(), groups.flatten());
    let is_narrowed = users.is_some() || groups.is_some();
    let narrowed = is_narrowed.then(|| Narrowed {
        users: ids::<UserId>(users.unwrap_or_default()),
        groups: ids::<GroupId>(groups.unwrap_or_default()),
    });
    let each = next_turns.into_iter().map(|next| TurnSpec {
        window: next.window_id,
        turn: next.next_turn.0,
    });
    let turns = TurnsSpec {
        all: next_turn.map(|turn| turn.0),
        each: each.collect(),
    };
    Ok(RosterSpec {
        narrowed,
        follows_all,
        turns,
    })
}

/// One list that is null where the other is not.
fn halved<T>(member: &str) -> Result<T, Refusal> {
    invalid(
        member,
        "send a list; null for both lists has the roster follow all members",
    )
}

/// Ids of a list.
pub(super) fn ids<T: From<String>>(texts: Vec<String>) -> Vec<T> {
    texts.into_iter().map(T::from).collect()
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
            (
                r#"{ "userIds": ["U1"], "userGroupIds": null }"#,
                "userGroupIds: ",
            ),
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
        let all = parse(br#"{ "userIds": null, "userGroupIds": null }"#).expect("all members");
        assert!(all.follows_all && all.narrowed.is_none());
        assert!(refused(parse_common(b"{}")).starts_with("nextTurn: missing"));
        assert!(parse_common(br#"{ "nextTurn": 0 }"#).is_ok());
    }
}
