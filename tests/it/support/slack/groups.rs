//! User groups.

use super::methods::{Answer, Arguments, is_set, text};
use super::state::Team;
use serde_json::{Value, json};

pub(super) fn list(team: &mut Team, arguments: &Arguments) -> Answer {
    let wanted =
        |group: &&Value| group["date_delete"] == 0 || is_set(arguments, "include_disabled");
    let shown = |group: &Value| {
        let mut group = group.clone();
        if !is_set(arguments, "include_users") {
            group.as_object_mut().expect("a group").remove("users");
        }
        group
    };
    let groups: Vec<Value> = team.groups.iter().filter(wanted).map(shown).collect();
    Ok(json!({ "usergroups": groups }))
}

pub(super) fn create(team: &mut Team, arguments: &Arguments) -> Answer {
    if let Some(code) = team.no_groups {
        return Err(code);
    }
    let (name, handle) = (text(arguments, "name"), text(arguments, "handle"));
    if name.is_empty() {
        return Err("missing_subteam_name");
    }
    if team.groups.iter().any(|group| group["name"] == name) {
        return Err("name_already_exists");
    }
    if handle.is_empty() || team.groups.iter().any(|group| group["handle"] == handle) {
        return Err("handle_already_exists");
    }
    let id = format!("S{}", 100 + team.number());
    team.group(&id, json!({ "name": name, "handle": handle }));
    let group = team.groups.last().cloned();
    Ok(json!({ "usergroup": group }))
}

pub(super) fn enable(team: &mut Team, arguments: &Arguments, enabled: bool) -> Answer {
    let group = find(team, arguments)?;
    match (group["date_delete"] == 0, enabled) {
        (true, true) => return Err("already_enabled"),
        (false, false) => return Err("already_disabled"),
        _ => {}
    }
    group["date_delete"] = match enabled {
        true => 0.into(),
        false => 1_700_000_000.into(),
    };
    let group = group.clone();
    Ok(json!({ "usergroup": group }))
}

pub(super) fn users_update(team: &mut Team, arguments: &Arguments) -> Answer {
    let users: Vec<&str> = text(arguments, "users")
        .split(',')
        .filter(|id| !id.is_empty())
        .collect();
    if users.is_empty() {
        return Err("no_users_provided");
    }
    let may = |id: &&str| {
        team.users.iter().any(|user| {
            user["id"] == **id
                && user["is_bot"] != true
                && user["deleted"] != true
                && user["is_restricted"] != true
                && user["is_ultra_restricted"] != true
        })
    };
    if !users.iter().all(may) {
        return Err("invalid_users");
    }
    let group = find(team, arguments)?;
    if group["not_ours"] == true {
        return Err("permission_denied");
    }
    if group["date_delete"] != 0 {
        return Err("invalid_users");
    }
    group["users"] = json!(users);
    let group = group.clone();
    Ok(json!({ "usergroup": group }))
}

fn find<'a>(team: &'a mut Team, arguments: &Arguments) -> Result<&'a mut Value, &'static str> {
    let id = text(arguments, "usergroup");
    let group = team.groups.iter_mut().find(|group| group["id"] == id);
    group.ok_or("no_such_subteam")
}
