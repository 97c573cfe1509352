//! What Slack says of its directory between two full readings.

use super::{apply, unrefused};
use crate::actions::chat_ids::{Named, add_person, ask};
use crate::actions::{ActionError, App, Error};
use crate::chat::slack::{Slack, records};
use crate::domain::access::Principal;
use crate::domain::audit::Author;
use crate::domain::directory::{Channel, Group};
use crate::domain::directory_reading::DirectoryChanges;
use crate::domain::ids::{ChannelId, GroupId, UserId};
use crate::store::{self, ReadTx};
use serde_json::Value;

/// The author of what events change.
static EVENTS: Author = Author::local(Principal::Chat, "followDirectory");

/// Applies an event of Slack about people, user groups or channels: the raw `event` object, as
/// `{"type": "user_change", "user": {...}}`. Events of other types, and events that say nothing new, change nothing.
///
/// May call Slack, so it must not run in a transaction.
///
/// # Errors
/// If the storage fails.
pub fn note(app: &App, event: &Value) -> Result<(), Error> {
    let Some(slack) = app.slack() else {
        return Ok(());
    };
    let Some(workspace) = slack.workspace() else {
        return Ok(());
    };
    let channel = || {
        let id = records::id(&event["channel"]).or_else(|| records::id(&event["channel"]["id"]));
        id.map(ChannelId::from)
    };
    let is_ours =
        event["user"].is_string() && event["user"].as_str() == workspace.user_id.as_deref();
    let team = workspace.team_id;
    match event["type"].as_str().unwrap_or_default() {
        "team_join" | "user_change" | "user_profile_changed" | "user_status_changed" => {
            follow_person(app, slack, &event["user"], team)
        }
        "subteam_created" | "subteam_updated" => follow_group(app, &event["subteam"], team),
        "subteam_members_changed" => follow_members(app, event),
        "channel_created" | "channel_rename" | "group_rename" => match channel() {
            Some(id) => follow_name(app, id, &event["channel"], team),
            None => Ok(()),
        },
        "channel_deleted" | "group_deleted" | "channel_archive" | "group_archive" => {
            with(channel(), |id| follow_loss(app, id))
        }
        "channel_left" | "group_left" => with(channel(), |id| follow_leaving(app, id)),
        "member_left_channel" if is_ours => with(channel(), |id| follow_leaving(app, id)),
        "member_joined_channel" if is_ours => with(channel(), |id| ask(app, &Named::channel(&id))),
        "channel_unarchive" | "group_unarchive" => {
            with(channel(), |id| ask(app, &Named::channel(&id)))
        }
        _ => Ok(()),
    }
}

fn with(
    channel: Option<ChannelId>,
    act: impl FnOnce(ChannelId) -> Result<(), Error>,
) -> Result<(), Error> {
    channel.map_or(Ok(()), act)
}

/// Writes what `find` finds to be another, in one transaction.
fn write(
    app: &App,
    find: impl FnOnce(&ReadTx, &mut DirectoryChanges) -> Result<(), Error> + Send + 'static,
) -> Result<(), Error> {
    let shared = app.clone();
    let written = app.store().write(move |tx| -> Result<(), ActionError> {
        let mut changes = DirectoryChanges::default();
        find(&tx.as_read(), &mut changes)?;
        apply(&shared, tx, &EVENTS, &changes)
    });
    written.map_err(unrefused)
}

fn follow_person(app: &App, slack: &Slack, user: &Value, team: String) -> Result<(), Error> {
    let (user, emoji) = (user.clone(), slack.settings().away_emoji.clone());
    write(app, move |tx, changes| {
        let known = match records::id(&user["id"]) {
            Some(id) => store::load_person(tx, &id.into())?,
            None => None,
        };
        let Some(mut found) = records::person(&user, &team) else {
            return Ok(());
        };
        if let Some(known) = known {
            let keeps_status = records::keep_unsaid(&mut found, known, &user);
            if keeps_status {
                let id = found.person.id.clone();
                let before = store::load_person(tx, &id)?;
                changes.add_person(before.as_ref(), found.person);
                return Ok(());
            }
        }
        add_person(tx, changes, found, &emoji)
    })
}

fn follow_group(app: &App, group: &Value, team: String) -> Result<(), Error> {
    let Some(found) = records::group(group, &team) else {
        return Ok(());
    };
    let says_people = group["users"].is_array();
    ask(app, &Named::people(&found.users))?;
    write(app, move |tx, changes| {
        let known = load_group(tx, &found.id)?;
        let mut users = match (&known, says_people) {
            (Some(known), false) => known.users.clone(),
            _ => found.users,
        };
        retain_known(tx, &mut users)?;
        let group = Group { users, ..found };
        changes.add_group(known.as_ref(), group);
        Ok(())
    })
}

/// `subteam_members_changed` names the people who came and went, not everybody.
fn follow_members(app: &App, event: &Value) -> Result<(), Error> {
    let Some(id) = records::id(&event["subteam_id"]).map(GroupId::from) else {
        return Ok(());
    };
    let people = |list: &str| -> Vec<UserId> {
        let ids = event[list].as_array().into_iter().flatten();
        ids.filter_map(Value::as_str).map(UserId::from).collect()
    };
    let (added, removed) = (people("added_users"), people("removed_users"));
    ask(app, &Named::people(&added))?;
    write(app, move |tx, changes| {
        let Some(known) = load_group(tx, &id)? else {
            return Ok(());
        };
        let mut users = known.users.clone();
        users.retain(|user| !removed.contains(user));
        for user in added {
            if !users.contains(&user) {
                users.push(user);
            }
        }
        retain_known(tx, &mut users)?;
        let group = Group {
            users,
            ..known.clone()
        };
        changes.add_group(Some(&known), group);
        Ok(())
    })
}

/// A user group with its people.
fn load_group(tx: &ReadTx, id: &GroupId) -> Result<Option<Group>, Error> {
    let Some(group) = store::load_group(tx, id)? else {
        return Ok(None);
    };
    let users = store::list_group_people(tx, id)?;
    Ok(Some(Group { users, ..group }))
}

/// Leaves out people of whom there is no record.
fn retain_known(tx: &ReadTx, users: &mut Vec<UserId>) -> Result<(), Error> {
    let mut known = Vec::with_capacity(users.len());
    for user in users.drain(..) {
        if store::load_person(tx, &user)?.is_some() {
            known.push(user);
        }
    }
    *users = known;
    Ok(())
}

/// A channel that is new, or has another name. The app is in no channel that somebody else makes.
fn follow_name(app: &App, id: ChannelId, channel: &Value, team: String) -> Result<(), Error> {
    let Some(found) = records::channel(channel, &team) else {
        return Ok(());
    };
    write(app, move |tx, changes| {
        let known = store::load_channel(tx, &id)?;
        let now = match &known {
            Some(known) => Channel {
                name: found.name,
                ..known.clone()
            },
            None => found,
        };
        changes.add_channel(known.as_ref(), now);
        Ok(())
    })
}

fn follow_loss(app: &App, id: ChannelId) -> Result<(), Error> {
    write(app, move |tx, changes| {
        if store::is_known_channel(tx, &id)? {
            changes.lost_channels.push(id);
        }
        Ok(())
    })
}

/// The app has left a channel, or was removed from it.
fn follow_leaving(app: &App, id: ChannelId) -> Result<(), Error> {
    write(app, move |tx, changes| {
        if let Some(known) = store::load_channel(tx, &id)? {
            let app_is_member = false;
            let now = Channel {
                app_is_member,
                ..known.clone()
            };
            changes.add_channel(Some(&known), now);
        }
        Ok(())
    })
}
