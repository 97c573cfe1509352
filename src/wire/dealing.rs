//! What becomes of missed turns in a rotation, as the API shows and takes it.

use super::body::{present, present_objects};
use super::int32::Int32;
use super::strict::strict;
use crate::domain::books::{self as domain, DealingChange, MissedTurn};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

strict!(DealingRequest => Dealing, ShareRequest => Share);

/// How turns are dealt: what becomes of one that somebody cannot take, the rest between turns, and shares.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dealing {
    pub missed_turn: MissedTurn,
    /// Hours between the covered time of any two turns of a person, 0 to 48. 0 with `lost`.
    pub rest_hours: i32,
    /// The members who take another part of the turns than all of theirs. Empty with `lost`.
    pub shares: Vec<Share>,
}

/// The part of their turns that somebody takes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Share {
    pub user_id: String,
    /// 0 to 100. Somebody with 0 is a stand-in: no turn is theirs, they only help out.
    pub percent: i32,
}

/// Renders how a rotation deals; `None` where a partner's schedule drives it.
pub fn render(rotation: &Rotation) -> Option<Dealing> {
    let dealing = &rotation.dealing;
    let shares = dealing.shares.iter();
    // Somebody who is deactivated keeps their share, and is no member meanwhile.
    let shown = shares.filter(|share| rotation.members.contains(&share.user));
    rotation.external.is_none().then(|| Dealing {
        missed_turn: dealing.missed_turn,
        rest_hours: dealing.rest_hours.into(),
        shares: shown
            .map(|share| Share {
                user_id: share.user.to_string(),
                percent: share.percent.into(),
            })
            .collect(),
    })
}

/// Members of the dealing to set. Omitted members stay unchanged; those of a new rotation begin as `traded`, 0 and empty.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DealingRequest {
    /// `lost` also sets `restHours` to 0 and `shares` to an empty list.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "MissedTurn")]
    missed_turn: Option<MissedTurn>,
    /// 0 to 48. More than 0 needs `traded`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Int32")]
    rest_hours: Option<Int32>,
    /// The whole list: members who are not named have 100. Needs `traded` unless it is empty.
    #[serde(default, deserialize_with = "present_objects")]
    #[schemars(with = "Vec<ShareRequest>")]
    shares: Option<Vec<ShareRequest>>,
}

/// The part of their turns that somebody is to take.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShareRequest {
    /// A member of the rotation.
    user_id: String,
    /// 0 to 100.
    percent: Int32,
}

impl DealingRequest {
    /// Reads a change of how a rotation deals.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] naming the member.
    pub fn read(self) -> Result<DealingChange, Refusal> {
        let share = |(index, share): (usize, ShareRequest)| {
            domain::Share::new(index, share.user_id.into(), share.percent.0)
        };
        let shares =
            |shares: Vec<ShareRequest>| shares.into_iter().enumerate().map(share).collect();
        let change = DealingChange {
            missed_turn: self.missed_turn,
            rest_hours: self
                .rest_hours
                .map(|hours| DealingChange::hours(hours.0))
                .transpose()?,
            shares: self.shares.map(shares).transpose()?,
        };
        change.checked()
    }
}
