//! People, chat user groups and channels: the records of the API (api.md "Directory records") and the file that
//! replaces the local directory (contract section 12).

use super::body::{object, objects};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A person of the chat workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct User {
    pub id: String,
    /// The owning workspace; can differ under enterprise grid.
    pub team_id: String,
    pub display_name: Option<String>,
    pub real_name: Option<String>,
    /// Null when the install lacks the permission to read it, not only when unknown.
    pub email: Option<String>,
    pub is_guest: bool,
    /// A shared-channel person, never a workspace member.
    pub is_external: bool,
    /// Deactivated or gone; still answered so that ids resolve.
    pub is_deleted: bool,
    /// 192 pixels wide.
    pub avatar_url: Option<String>,
    /// An IANA id; absent when unseen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
}

/// A chat user group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    pub id: String,
    /// The owning workspace.
    pub team_id: String,
    pub name: Option<String>,
    /// The @handle, without the sign.
    pub handle: Option<String>,
}

/// A chat channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Channel {
    pub id: String,
    /// The owning workspace.
    pub team_id: String,
    pub name: Option<String>,
    pub is_private: bool,
}

/// The whole local directory. Importing replaces what was there; people left out become deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportFile {
    #[serde(deserialize_with = "object")]
    pub team: ImportTeam,
    /// Never left out: whoever is not in it becomes deleted, so a misspelt member must not pass for an empty list.
    #[serde(deserialize_with = "objects")]
    pub users: Vec<ImportUser>,
    #[serde(default, deserialize_with = "objects")]
    pub groups: Vec<ImportGroup>,
    #[serde(default, deserialize_with = "objects")]
    pub channels: Vec<ImportChannel>,
}

/// The workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportTeam {
    pub id: String,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
}

/// A [`User`] with what only the file says. Everything but the id may be left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportUser {
    pub id: String,
    /// `None` is the file's own team.
    #[serde(default)]
    pub team_id: Option<String>,
    #[serde(default)]
    pub display_name: Option<String>,
    #[serde(default)]
    pub real_name: Option<String>,
    #[serde(default)]
    pub email: Option<String>,
    #[serde(default)]
    pub is_guest: bool,
    #[serde(default)]
    pub is_external: bool,
    #[serde(default)]
    pub is_deleted: bool,
    /// Workspace admins may edit every rotation.
    #[serde(default)]
    pub is_admin: bool,
    #[serde(default)]
    pub avatar_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
}

/// A [`Group`] with its people in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportGroup {
    pub id: String,
    /// `None` is the file's own team.
    #[serde(default)]
    pub team_id: Option<String>,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub handle: Option<String>,
    #[serde(default)]
    pub user_ids: Vec<String>,
}

/// A [`Channel`] with what the app has to do with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportChannel {
    pub id: String,
    /// `None` is the file's own team.
    #[serde(default)]
    pub team_id: Option<String>,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub is_private: bool,
    #[serde(default)]
    pub app_is_member: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
}
