//! On-duty groups, and the state of a rotation in chat.

use super::body::{self, invalid};
use super::moment::Moment;
use crate::domain::edit::DutyGroupChoice;
use crate::domain::ids::UserId;
use crate::domain::refusal::Refusal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest handle, in characters.
const HANDLE: usize = 80;

/// The chat user group to keep in step with whoever is on call: exactly one of the two.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OnDutyGroupRequest {
    /// Adopts a user group that is there.
    #[serde(default)]
    user_group_id: Option<String>,
    /// 1 to 80 letters, digits, `.`, `-` and `_`: the user group of this handle, which is made where there is none.
    #[serde(default)]
    handle: Option<String>,
}

/// Reads the user group to keep.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn on_duty_group(bytes: &[u8]) -> Result<DutyGroupChoice, Refusal> {
    let request: OnDutyGroupRequest = body::parse(bytes)?;
    match (request.user_group_id, request.handle) {
        (Some(id), None) if id.is_empty() => invalid("userGroupId: send an id, not an empty text"),
        (Some(id), None) => Ok(DutyGroupChoice::Group(id.into())),
        (None, Some(handle)) => {
            let bare = handle.strip_prefix('@').unwrap_or(&handle);
            let fits = |c: char| c.is_alphanumeric() || ".-_".contains(c);
            match bare.chars().count() {
                1..=HANDLE if bare.chars().all(fits) => {
                    Ok(DutyGroupChoice::Handle(bare.to_owned()))
                }
                _ => invalid(format!(
                    "handle: send 1 to {HANDLE} letters, digits, `.`, `-` and `_`"
                )),
            }
        }
        (Some(_), Some(_)) => invalid("handle: send either `userGroupId` or `handle`, not both"),
        (None, None) => invalid("userGroupId: send either `userGroupId` or `handle`"),
    }
}

/// Whether user groups can be kept in step with duty.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// Whether a user group that is there can be adopted.
    pub can_bind: bool,
    /// Whether one can be made.
    pub can_create: bool,
    /// Why not.
    pub reason: Option<String>,
}

/// The state of a rotation in chat: what should be there, what is there as far as rota knows, and what went wrong last.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatStatus {
    /// Null without an on-duty group.
    pub on_duty_group: Option<GroupStatus>,
    /// The channels whose topic shows who is on call.
    pub topics: Vec<TopicStatus>,
    pub messages: MessageStatus,
}

/// The on-duty group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupStatus {
    pub user_group_id: String,
    pub handle: Option<String>,
    /// Whether rota made it; one that it adopted is left named and owned as it was.
    pub owned: bool,
    /// Who should be in it.
    pub wanted_user_ids: Vec<String>,
    /// Who is in it.
    pub user_ids: Vec<String>,
    /// Disabled while nobody is on call, where the platform holds no empty user groups.
    pub disabled: bool,
    pub in_step: bool,
    /// What went wrong last; null where nothing did since it was in step.
    pub last_error: Option<String>,
    /// When it is brought in step, or that is tried again; null where nothing is to be done.
    pub next_attempt_at: Option<Moment>,
}

/// One channel's topic.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopicStatus {
    pub channel_id: String,
    /// What it should say.
    pub wanted: Option<String>,
    /// What it says.
    pub topic: Option<String>,
    pub in_step: bool,
    /// What went wrong last; null where nothing did since it was in step.
    pub last_error: Option<String>,
    /// When it is brought in step, or that is tried again; null where nothing is to be done.
    pub next_attempt_at: Option<Moment>,
}

/// The messages of the rotation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageStatus {
    /// Messages that wait to be sent after a try that failed.
    pub pending: i32,
    /// Why the last message that was not sent, or not yet, was not.
    pub last_error: Option<String>,
}

/// Ids as the wire has them.
pub fn ids(people: &[UserId]) -> Vec<String> {
    people.iter().map(UserId::to_string).collect()
}
