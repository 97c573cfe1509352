//! People and channels.

use super::methods::{Answer, Arguments, is_set, page, text};
use super::state::Team;
use serde_json::{Value, json};

pub(super) fn users_list(team: &mut Team, arguments: &Arguments) -> Answer {
    let users = team.users.iter().map(|user| shown(team, user)).collect();
    page(team, arguments, "members", users)
}

pub(super) fn users_info(team: &mut Team, arguments: &Arguments) -> Answer {
    let id = text(arguments, "user");
    let user = team.users.iter().find(|user| user["id"] == id);
    Ok(json!({ "user": shown(team, user.ok_or("user_not_found")?) }))
}

/// A person as the token sees them.
fn shown(team: &Team, user: &Value) -> Value {
    let mut user = user.clone();
    let sees_email = team
        .tokens
        .get(super::BOT_TOKEN)
        .is_some_and(|grant| grant.scopes.contains("users:read.email"));
    if !sees_email && let Some(profile) = user["profile"].as_object_mut() {
        profile.remove("email");
    }
    user
}

pub(super) fn conversations_list(team: &mut Team, arguments: &Arguments) -> Answer {
    let types = match text(arguments, "types") {
        "" => "public_channel",
        types => types,
    };
    let wanted = |channel: &&Value| {
        let kind = match channel["is_private"] == true {
            true => "private_channel",
            false => "public_channel",
        };
        // A private channel without the app does not exist for it.
        let seen = channel["is_private"] != true || channel["is_member"] == true;
        let archived = channel["is_archived"] == true && is_set(arguments, "exclude_archived");
        types.split(',').any(|one| one.trim() == kind) && seen && !archived
    };
    let channels = team.channels.iter().filter(wanted).cloned().collect();
    page(team, arguments, "channels", channels)
}

pub(super) fn conversations_info(team: &mut Team, arguments: &Arguments) -> Answer {
    let id = text(arguments, "channel");
    let channel = team.channels.iter().find(|channel| channel["id"] == id);
    let channel =
        channel.filter(|channel| channel["is_private"] != true || channel["is_member"] == true);
    Ok(json!({ "channel": channel.ok_or("channel_not_found")? }))
}
