//! Slack's events about its directory.

use super::records::{self, SlackPerson};
use crate::chat::Workspace;
use crate::domain::directory::{Channel, Group, Person};
use crate::domain::directory_reading::Said;
use crate::domain::ids::{ChannelId, GroupId, UserId};
use serde_json::Value;

/// The `event` object of an event, as Slack sends it: `{"type": "user_change", "user": {...}}`.
pub type RawEvent = Value;

/// A change of the directory by an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirectoryEvent {
    Person(SaidPerson),
    Group {
        group: Group,
        /// Whether the event names everybody in it.
        says_people: bool,
        /// Whether it is disabled; `None` if the event does not say.
        is_disabled: Option<bool>,
    },
    GroupPeople {
        group: GroupId,
        added: Vec<UserId>,
        removed: Vec<UserId>,
    },
    /// A channel is new, or has another name. The app is in no channel that somebody else makes.
    ChannelNamed(Channel),
    ChannelGone(ChannelId),
    /// The app is no longer in a channel.
    AppLeft(ChannelId),
    /// The app may be in a channel: what it is called, and whether it is private, Slack says when asked.
    AppJoined(ChannelId),
}

/// A person in an event, which need not say everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaidPerson {
    user: Value,
    found: SlackPerson,
}

impl SaidPerson {
    /// Whose record it is.
    pub fn id(&self) -> &UserId {
        &self.found.person.id
    }

    /// The person, with what is known of them where the event does not say it, and whether it says something of the status.
    pub fn over(self, known: Option<Person>) -> (SlackPerson, bool) {
        let mut found = self.found;
        let keeps_status =
            known.is_some_and(|known| records::keep_unsaid(&mut found, known, &self.user));
        (found, !keeps_status)
    }
}

impl DirectoryEvent {
    /// Of whom or what it says something.
    pub fn about(&self) -> Said {
        match self {
            DirectoryEvent::Person(said) => Said::person(said.id()),
            DirectoryEvent::Group { group, .. } => Said::group(&group.id),
            DirectoryEvent::GroupPeople { group, .. } => Said::group(group),
            DirectoryEvent::ChannelNamed(channel) => Said::channel(&channel.id),
            DirectoryEvent::ChannelGone(id)
            | DirectoryEvent::AppLeft(id)
            | DirectoryEvent::AppJoined(id) => Said::channel(id),
        }
    }

    /// Reads an event of the workspace; `None` for one that says nothing of its directory.
    pub fn read(event: &RawEvent, workspace: &Workspace) -> Option<DirectoryEvent> {
        let team = &workspace.team_id;
        let channel = || {
            let id =
                records::id(&event["channel"]).or_else(|| records::id(&event["channel"]["id"]));
            id.map(ChannelId::from)
        };
        let user = event["user"].as_str();
        let is_ours = user.is_some() && user == workspace.user_id.as_deref();
        match event["type"].as_str()? {
            "team_join" | "user_change" | "user_profile_changed" | "user_status_changed" => {
                let (user, found) = (&event["user"], records::person(&event["user"], team)?);
                let user = user.clone();
                Some(DirectoryEvent::Person(SaidPerson { user, found }))
            }
            "subteam_created" | "subteam_updated" => Some(DirectoryEvent::Group {
                group: records::group(&event["subteam"], team)?,
                says_people: event["subteam"]["users"].is_array(),
                is_disabled: records::is_disabled(&event["subteam"]),
            }),
            "subteam_members_changed" => {
                let people = |list: &str| -> Vec<UserId> {
                    let ids = event[list].as_array().into_iter().flatten();
                    ids.filter_map(Value::as_str).map(UserId::from).collect()
                };
                Some(DirectoryEvent::GroupPeople {
                    group: records::id(&event["subteam_id"])?.into(),
                    added: people("added_users"),
                    removed: people("removed_users"),
                })
            }
            "channel_created" | "channel_rename" | "group_rename" => {
                let found = records::channel(&event["channel"], team)?;
                Some(DirectoryEvent::ChannelNamed(found))
            }
            "channel_deleted" | "group_deleted" | "channel_archive" | "group_archive" => {
                channel().map(DirectoryEvent::ChannelGone)
            }
            "channel_left" | "group_left" => channel().map(DirectoryEvent::AppLeft),
            "member_left_channel" if is_ours => channel().map(DirectoryEvent::AppLeft),
            "member_joined_channel" if is_ours => channel().map(DirectoryEvent::AppJoined),
            "channel_unarchive" | "group_unarchive" => channel().map(DirectoryEvent::AppJoined),
            _ => None,
        }
    }
}
