//! Modals and App Home.

use super::messages::blocks;
use super::methods::{Answer, Arguments, text};
use super::state::Team;
use serde_json::{Value, json};

pub(super) fn open(team: &mut Team, arguments: &Arguments) -> Answer {
    if text(arguments, "trigger_id").is_empty() {
        return Err("invalid_arguments");
    }
    let view = checked(team, arguments)?;
    if view.to_string().len() > 250_000 {
        return Err("view_too_large");
    }
    let id = format!("V{}", team.number());
    store(team, &id, view)
}

pub(super) fn update(team: &mut Team, arguments: &Arguments) -> Answer {
    let view = checked(team, arguments)?;
    let id = text(arguments, "view_id").to_owned();
    let known = team.views.get(&id).ok_or("not_found")?;
    let hash = text(arguments, "hash");
    if !hash.is_empty() && known["hash"] != hash {
        return Err("hash_conflict");
    }
    store(team, &id, view)
}

pub(super) fn publish(team: &mut Team, arguments: &Arguments) -> Answer {
    let view = checked(team, arguments)?;
    if view["type"] != "home" {
        return Err("invalid_arguments");
    }
    let user = text(arguments, "user_id").to_owned();
    if !team.users.iter().any(|known| known["id"] == *user) {
        return Err("not_enabled");
    }
    team.homes.insert(user, view.clone());
    let id = format!("V{}", team.number());
    store(team, &id, view)
}

fn store(team: &mut Team, id: &str, mut view: Value) -> Answer {
    view["id"] = id.into();
    view["hash"] = format!("hash-{}", team.number()).into();
    team.views.insert(id.to_owned(), view.clone());
    Ok(json!({ "view": view }))
}

/// The view, within Slack's limits. What breaks them fails the test.
fn checked(team: &mut Team, arguments: &Arguments) -> Result<Value, &'static str> {
    let view = arguments.get("view").cloned().unwrap_or(Value::Null);
    let too_long = |member: &Value, most: usize| {
        let text = member["text"].as_str().unwrap_or_default();
        text.chars().count() > most
    };
    let metadata = view["private_metadata"].as_str().unwrap_or_default();
    let why = if too_long(&view["title"], 24) || too_long(&view["submit"], 24) {
        Some("a title with more than 24 characters".to_owned())
    } else if metadata.chars().count() > 3_000 {
        Some("too much private_metadata".to_owned())
    } else {
        blocks(&view["blocks"])
    };
    match why {
        None => Ok(view),
        Some(why) => {
            team.violations.push(format!("{why}: {view}"));
            Err("invalid_arguments")
        }
    }
}
