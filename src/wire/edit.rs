//! Bodies that create and change rotations and set people on duty.

#[cfg(test)]
mod tests;

use super::absence_policy::PolicyRequest;
use super::body::{
    self, check_length, check_list, clearable, invalid, objects, present, present_object,
};
use super::grid::LaneRequest;
use super::int32::Int32;
use super::on_call::OnCall;
use super::roster::{GROUPS, PEOPLE, ids};
use super::rotation::{ChannelSetting, Rotation};
use super::strict::strict;
use super::to_i32;
use crate::domain::edit::{ChannelChange, NewRotation, RotationPatch};
use crate::domain::fault::Fault;
use crate::domain::ids::{CellId, ChannelId, GroupId, UserId};
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

const LANES: i32 = 20;
const CHANNELS: usize = 50;
const OWNERS: usize = 50;
const CELLS: usize = 400;
const TEXT: usize = 4_000;
const CODE: usize = 40;

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
    check_name(&request.name)?;
    check_length("description", request.description.as_deref(), TEXT)?;
    check_owners(&request.owners)?;
    check_list("channels", &request.channels, CHANNELS)?;
    check_list("userIds", &request.user_ids, PEOPLE)?;
    check_list("userGroupIds", &request.user_group_ids, GROUPS)?;
    let lanes = match request.lanes.map_or(1, |lanes| lanes.0) {
        lanes @ 1..=LANES => lanes.unsigned_abs() as usize,
        lanes => {
            return invalid(
                "lanes",
                Fault::OutOfRange {
                    least: 1,
                    most: LANES.into(),
                    sent: lanes.into(),
                },
            );
        }
    };
    Ok(NewRotation {
        name: request.name,
        description: request.description,
        code: request.code.as_deref().map(code).transpose()?,
        public: request.public,
        lanes,
        owners: ids(request.owners),
        channels: ids::<ChannelId>(request.channels),
        users: ids(request.user_ids),
        groups: ids(request.user_group_ids),
    })
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
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    enable_topic: Option<bool>,
    /// At most 4,000 characters; null restores the default text.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<String>")]
    topic_template: Option<Option<String>>,
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
    if let Some(name) = &request.name {
        check_name(name)?;
    }
    for (path, text) in [
        ("description", &request.description),
        ("topicTemplate", &request.topic_template),
    ] {
        let text = text.as_ref().and_then(Option::as_deref);
        check_length(path, text, TEXT)?;
    }
    if let Some(owners) = &request.owners {
        check_owners(owners)?;
    }
    check_list(
        "userIds",
        request.user_ids.as_deref().unwrap_or_default(),
        PEOPLE,
    )?;
    check_list(
        "userGroupIds",
        request.user_group_ids.as_deref().unwrap_or_default(),
        GROUPS,
    )?;
    let code = match request.code {
        Some(Some(text)) => Some(Some(code(&text)?)),
        other => other,
    };
    Ok(RotationPatch {
        name: request.name,
        description: request.description,
        code,
        public: request.public,
        enabled: request.enabled,
        owners: request.owners.map(ids),
        users: request.user_ids.map(ids),
        groups: request.user_group_ids.map(ids),
        skips_are_off_time: request.skips_are_off_time,
        double_cover: request.double_cover,
        absence_policy: match &request.absence_policy {
            Some(policy) => Some(policy.read()?),
            None => None,
        },
        enable_topic: request.enable_topic,
        topic_template: request.topic_template,
    })
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
    match request.user_ids.len() {
        0 => invalid("userIds", "send at least one; use DELETE to clear duty"),
        1..=CELLS => Ok(ids(request.user_ids)),
        many => invalid(
            "userIds",
            Fault::TooMany {
                most: CELLS,
                sent: many,
            },
        ),
    }
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
    let Some(cells) = request.cell_ids else {
        return Ok(None);
    };
    if cells.is_empty() {
        return invalid(
            "cellIds",
            "send at least one, or omit the member to hand over all cells",
        );
    }
    check_list("cellIds", &cells, CELLS)?;
    Ok(Some(ids(cells)))
}

fn texts<T>(ids: &[T], text: fn(&T) -> &str) -> Vec<&str> {
    ids.iter().map(text).collect()
}

fn check_name(name: &str) -> Result<(), Refusal> {
    if name.trim().is_empty() {
        let most = body::NAME;
        return invalid("name", Fault::Blank { most: most });
    }
    body::check_name("name", Some(name))
}

fn check_owners(owners: &[String]) -> Result<(), Refusal> {
    if owners.is_empty() {
        return invalid("owners", "send at least one user id");
    }
    check_list("owners", owners, OWNERS)
}

/// Validates a rotation's code and converts it to upper case.
fn code(text: &str) -> Result<String, Refusal> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if (1..=CODE).contains(&text.len()) && text.bytes().all(plain) {
        return Ok(text.to_ascii_uppercase());
    }
    invalid("code", format!("send 1 to {CODE} of A-Z a-z 0-9 - _"))
}
