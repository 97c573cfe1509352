//! Bodies that create and change rotations and set people on duty.

#[cfg(test)]
mod tests;

use super::absence_policy::PolicyRequest;
use super::body::{
    self, clearable, clearable_object, nullable_object, objects, present, present_object,
};
use super::dealing::DealingRequest;
use super::grid::LaneRequest;
use super::int32::Int32;
use super::on_call::OnCall;
use super::roster::ids;
use super::rotation::{ChannelSetting, Rotation};
use super::strict::strict;
use super::to_i32;
use super::weekly::{self, ChannelSummary};
use crate::domain::absence_policy::AbsencePolicy;
use crate::domain::books::Dealing;
use crate::domain::edit::{
    ChannelChange, NewRotation, RotationPatch, check_hand_over, check_on_call,
};
use crate::domain::grid::LANES;
use crate::domain::ids::{CellId, ChannelId, GroupId, UserId};
use crate::domain::limits::within;
use crate::domain::refusal::Refusal;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error, IntoDeserializer, SeqAccess, Visitor};
use serde_json::json;
use std::fmt;

strict! {
    RotationRequest => Rotation,
    PatchRequest => Rotation,
    ChannelRequest => ChannelSetting,
    OnCallRequest => OnCall,
    RotateRequest => OnCall,
}

/// A rotation to create. It starts enabled and `manual`, with one window and nobody on duty.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RotationRequest {
    /// 1 to 200 characters, not blank, without control characters. Need not be unique.
    name: String,
    /// At most 4,000 characters.
    #[serde(default)]
    description: Option<String>,
    /// 1 to 40 ASCII letters, digits, `-` and `_`. Case-insensitive, stored in upper case. Unique in the workspace.
    #[serde(default)]
    code: Option<String>,
    /// Defaults to false: visible to members, owners and workspace administrators.
    #[serde(default)]
    public: bool,
    /// 1 to 20; defaults to 1. More than one requires the pro plan. A list, as a rotation shows it, counts as its length.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Int32")]
    lanes: Option<LaneCount>,
    /// User ids, 1 to 50.
    owners: Vec<String>,
    /// Channel ids, at most 50. The app must already be a member of each.
    #[serde(default)]
    channels: Vec<String>,
    /// User ids in dealing order, at most 1,000, without duplicates.
    #[serde(default)]
    user_ids: Vec<String>,
    /// Chat user groups that the rotation follows, at most 100.
    #[serde(default)]
    user_group_ids: Vec<String>,
    /// When the coming week is posted, in which of `channels`.
    #[serde(default, deserialize_with = "nullable_object")]
    summary: Option<ChannelSummary>,
    /// How turns are dealt. Omitted members begin as `traded`, 0 and an empty list.
    #[serde(default, deserialize_with = "present_object")]
    #[schemars(with = "DealingRequest")]
    dealing: Option<DealingRequest>,
    /// What absences mean for the rotation. Omitted members begin as `always`, `duringTurn` and `keep`.
    #[serde(default, deserialize_with = "present_object")]
    #[schemars(with = "PolicyRequest")]
    absence_policy: Option<PolicyRequest>,
}

/// How many lanes: a number, or as many as a list has that a rotation shows.
#[derive(Clone, Copy, Debug)]
struct LaneCount(i32);

impl<'de> Deserialize<'de> for LaneCount {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<LaneCount, D::Error> {
        struct Count;
        impl<'de> Visitor<'de> for Count {
            type Value = LaneCount;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a whole number of at most 32 bits")
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<LaneCount, E> {
                Int32::deserialize(value.into_deserializer()).map(|count| LaneCount(count.0))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<LaneCount, E> {
                Int32::deserialize(value.into_deserializer()).map(|count| LaneCount(count.0))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<LaneCount, E> {
                Int32::deserialize(text.into_deserializer()).map(|count| LaneCount(count.0))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, lanes: A) -> Result<LaneCount, A::Error> {
                let lanes: Vec<LaneRequest> = objects(SeqAccessDeserializer::new(lanes))?;
                Ok(LaneCount(to_i32(lanes.len())))
            }
        }
        from.deserialize_any(Count)
    }
}

/// Reads a rotation to create.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn new_rotation(bytes: &[u8]) -> Result<NewRotation, Refusal> {
    let request: RotationRequest = body::parse(bytes)?;
    let lanes = request.lanes.map_or(1, |lanes| lanes.0);
    let users = ids(request.user_ids);
    let dealing = request.dealing.map(DealingRequest::read).transpose()?;
    let policy = request.absence_policy.as_ref().map(PolicyRequest::read);
    let policy = policy.transpose()?.unwrap_or_default();
    let new = NewRotation {
        name: request.name,
        description: request.description,
        code: request.code,
        public: request.public,
        lanes: within("lanes", lanes, 1..=LANES)? as usize,
        owners: ids(request.owners),
        channels: ids::<ChannelId>(request.channels),
        users,
        groups: ids(request.user_group_ids),
        summary: request.summary.map(ChannelSummary::read).transpose()?,
        dealing: Dealing::of_new().changed(&dealing.unwrap_or_default())?,
        absence_policy: AbsencePolicy::of_new()
            .changed(&policy)
            .map_err(|fault| Refusal::invalid("absencePolicy.minimumHours", fault))?,
    };
    new.checked()
}

/// The canonical form of a creation: requests with equal content have equal bytes.
pub fn canonical(new: &NewRotation) -> String {
    // Destructures every member, so that a new member cannot be forgotten.
    let NewRotation {
        name,
        description,
        code,
        public,
        lanes,
        owners,
        channels,
        users,
        groups,
        summary,
        dealing,
        absence_policy,
    } = new;
    json!({
        "name": name,
        "description": description,
        "code": code,
        "public": public,
        "lanes": lanes,
        "owners": texts(owners, UserId::as_str),
        "channels": texts(channels, ChannelId::as_str),
        "users": texts(users, UserId::as_str),
        "groups": texts(groups, GroupId::as_str),
        "summary": summary.as_ref().map(weekly::render),
        "dealing": dealing,
        "absencePolicy": absence_policy,
    })
    .to_string()
}

/// Members of a rotation to change. Omitted members stay unchanged.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatchRequest {
    /// 1 to 200 characters, not blank, without control characters.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    name: Option<String>,
    /// At most 4,000 characters; null clears it.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<String>")]
    description: Option<Option<String>>,
    /// 1 to 40 ASCII letters, digits, `-` and `_`; null clears it.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<String>")]
    code: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    public: Option<bool>,
    /// False freezes the rotation. True evaluates its windows now; the next hand-over is the next one in the future.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    enabled: Option<bool>,
    /// User ids, 1 to 50.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    owners: Option<Vec<String>>,
    /// User ids in dealing order, at most 1,000, without duplicates.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    user_ids: Option<Vec<String>>,
    /// Chat user groups that the rotation follows, at most 100.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    user_group_ids: Option<Vec<String>>,
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    skips_are_off_time: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    double_cover: Option<bool>,
    /// What absences mean for the rotation. Omitted members stay unchanged.
    #[serde(default, deserialize_with = "present_object")]
    #[schemars(with = "PolicyRequest")]
    absence_policy: Option<PolicyRequest>,
    /// How turns are dealt. Omitted members stay unchanged. Null, as rotations that follow a partner's schedule show it, changes
    /// nothing.
    #[serde(default, deserialize_with = "nullable_object")]
    #[schemars(with = "Option<DealingRequest>")]
    dealing: Option<DealingRequest>,
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    enable_topic: Option<bool>,
    /// At most 4,000 characters; null restores the default text.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<String>")]
    topic_template: Option<Option<String>>,
    /// The name of the file that manages the rotation, 1 to 64 of `A-Z a-z 0-9 . _ / -`; null for none. Pages say that it
    /// overwrites edits.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<String>")]
    managed_by: Option<Option<String>>,
    /// When the coming week is posted, in which of the rotation's channels; null for never. A channel that the rotation no longer
    /// has is taken out, with the last one the summary.
    #[serde(default, deserialize_with = "clearable_object")]
    #[schemars(with = "Option<ChannelSummary>")]
    summary: Option<Option<ChannelSummary>>,
}

/// Reads a change of a rotation.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn patch(bytes: &[u8]) -> Result<RotationPatch, Refusal> {
    patch_of(body::parse(bytes)?)
}

/// The same of a body that is read already.
///
/// # Errors
/// As [`patch`].
pub(super) fn patch_of(request: PatchRequest) -> Result<RotationPatch, Refusal> {
    let absence_policy = request.absence_policy.as_ref();
    let patch = RotationPatch {
        name: request.name,
        description: request.description,
        code: request.code,
        public: request.public,
        enabled: request.enabled,
        owners: request.owners.map(ids),
        users: request.user_ids.map(ids),
        groups: request.user_group_ids.map(ids),
        skips_are_off_time: request.skips_are_off_time,
        double_cover: request.double_cover,
        absence_policy: absence_policy.map(PolicyRequest::read).transpose()?,
        dealing: request.dealing.map(DealingRequest::read).transpose()?,
        enable_topic: request.enable_topic,
        topic_template: request.topic_template,
        managed_by: request.managed_by,
        summary: match request.summary {
            Some(Some(summary)) => Some(Some(summary.read()?)),
            Some(None) => Some(None),
            None => None,
        },
    };
    patch.checked()
}

/// Settings of a channel. Omitted members stay unchanged. When a channel is added, `postsMessages` defaults to true and
/// `syncsTopic` to the rotation's `enableTopic`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelRequest {
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    posts_messages: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    syncs_topic: Option<bool>,
}

/// Reads the settings of a channel. An absent body sets nothing.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn channel(bytes: &[u8]) -> Result<ChannelChange, Refusal> {
    let request: ChannelRequest = body::parse_optional(bytes)?;
    Ok(ChannelChange {
        posts_messages: request.posts_messages,
        syncs_topic: request.syncs_topic,
    })
}

/// The people to set on duty, in slot order.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OnCallRequest {
    /// User ids of members, at least one. Without duplicates unless the rotation has `doubleCover`.
    user_ids: Vec<String>,
}

/// Reads the people to set on duty. Whether duplicates are allowed depends on the rotation.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn on_call(bytes: &[u8]) -> Result<Vec<UserId>, Refusal> {
    let request: OnCallRequest = body::parse(bytes)?;
    let users = ids(request.user_ids);
    check_on_call(&users)?;
    Ok(users)
}

/// The cells to hand over now.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RotateRequest {
    /// Omit to hand over all cells.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    cell_ids: Option<Vec<String>>,
}

/// Reads the cells to hand over; `None` means all.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn rotate(bytes: &[u8]) -> Result<Option<Vec<CellId>>, Refusal> {
    let request: RotateRequest = body::parse_optional(bytes)?;
    let cells = request.cell_ids.map(ids);
    check_hand_over(cells.as_deref())?;
    Ok(cells)
}

fn texts<T>(ids: &[T], text: fn(&T) -> &str) -> Vec<&str> {
    ids.iter().map(text).collect()
}
