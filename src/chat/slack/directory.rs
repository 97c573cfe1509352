//! Reads Slack's people, user groups and channels: in full, page by page, or one of them.

use super::api::Slack;
use super::method::{
    CONVERSATIONS_INFO, CONVERSATIONS_LIST, Method, USERGROUPS_LIST, USERS_INFO, USERS_LIST,
};
use super::records;
use crate::chat::health::Asked;
use crate::chat::{CallError, FoundPerson};
use crate::domain::directory::{Channel, Directory, Team};
use crate::domain::directory_reading::{AwayInChat, Reading};
use crate::domain::ids::{ChannelId, UserId};
use crate::runtime::clock::monotonic;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The entries of a page. Slack recommends no more, and permits 999.
const PAGE: u32 = 200;

/// The most pages of a list: a million entries.
const MOST_PAGES: usize = 5_000;

/// Reads the whole directory of a workspace. Where Slack asks to wait, it waits and goes on, but not past `deadline`.
///
/// # Errors
/// Of the first page that cannot be read. Then there is no reading.
pub(super) fn read(slack: &Slack, team: Team, deadline: Instant) -> Result<Reading, CallError> {
    let emoji = &slack.settings().away_emoji;
    let mut directory = Directory {
        people: Vec::new(),
        groups: Vec::new(),
        channels: Vec::new(),
        handles: Vec::new(),
        phones: Default::default(),
        team,
    };
    let (mut away, mut accounts) = (AwayInChat::new(), 0);
    let mut disabled = BTreeMap::new();
    let id = directory.team.id.clone();
    let limit = json!({ "limit": PAGE });
    each(slack, (&USERS_LIST, "members"), limit, deadline, |user| {
        accounts += 1;
        if let Some(found) = records::person(user, &id) {
            if let Some(until) = found.away(emoji) {
                away.insert(found.person.id.clone(), until);
            }
            directory.people.push(found.person);
        }
    })?;
    let everything = json!({ "include_users": true, "include_disabled": true });
    let listed = each(
        slack,
        (&USERGROUPS_LIST, "usergroups"),
        everything,
        deadline,
        |group| {
            let Some(found) = records::group(group, &id) else {
                return;
            };
            let is_disabled = records::is_disabled(group);
            disabled.extend(is_disabled.map(|is_disabled| (found.id.clone(), is_disabled)));
            directory.groups.push(found);
        },
    );
    // A workspace whose plan has no user groups has people and channels all the same.
    if !slack.note_groups(Asked::List, &listed) {
        listed?;
    }
    let channels = json!({
        "types": "public_channel,private_channel", "exclude_archived": true, "limit": PAGE,
    });
    each(
        slack,
        (&CONVERSATIONS_LIST, "channels"),
        channels,
        deadline,
        |channel| {
            directory.channels.extend(records::channel(channel, &id));
        },
    )?;
    Ok(Reading {
        directory,
        away,
        disabled,
        accounts,
        replaced: Vec::new(),
    })
}

/// One person; `None` for a bot.
///
/// # Errors
/// `user_not_found` where Slack has no such person, and those of every call.
pub(super) fn person(
    slack: &Slack,
    team: &str,
    user: &UserId,
) -> Result<Option<FoundPerson>, CallError> {
    let answer = slack.call(&USERS_INFO, &json!({ "user": user.as_str() }))?;
    let found = records::person(&answer["user"], team);
    Ok(found.map(|found| found.with_away(&slack.settings().away_emoji)))
}

/// One channel; `None` for an archived one and for conversations between people.
///
/// # Errors
/// `channel_not_found` where the app sees no such channel, and those of every call.
pub(super) fn channel(
    slack: &Slack,
    team: &str,
    id: &ChannelId,
) -> Result<Option<Channel>, CallError> {
    let answer = slack.call(&CONVERSATIONS_INFO, &json!({ "channel": id.as_str() }))?;
    Ok(records::channel(&answer["channel"], team))
}

/// Gives every entry of a list to `take`, page by page. Only one page is held at a time.
fn each(
    slack: &Slack,
    (method, list): (&Method, &str),
    mut arguments: Value,
    deadline: Instant,
    mut take: impl FnMut(&Value),
) -> Result<(), CallError> {
    for _ in 0..MOST_PAGES {
        let answer = call_patiently(slack, method, &arguments, deadline)?;
        let Some(entries) = answer[list].as_array() else {
            let why = format!("{} answers without {list}", method.name);
            return Err(CallError::Transient(why));
        };
        entries.iter().for_each(&mut take);
        let next = answer["response_metadata"]["next_cursor"].as_str();
        match next.filter(|cursor| !cursor.is_empty()) {
            None => return Ok(()),
            // Slack would answer the same page forever.
            Some(cursor) if arguments["cursor"] == cursor => break,
            Some(cursor) => arguments["cursor"] = cursor.into(),
        }
    }
    let why = format!("{}: the pages do not end", method.name);
    Err(CallError::Transient(why))
}

/// Calls a method, and again when Slack's wait is over, as long as that is not past `deadline`.
fn call_patiently(
    slack: &Slack,
    method: &Method,
    arguments: &Value,
    deadline: Instant,
) -> Result<Value, CallError> {
    loop {
        match slack.call(method, arguments) {
            Err(CallError::NotBefore(at)) if at <= deadline => {
                let left = at.saturating_duration_since(monotonic());
                std::thread::sleep(left.max(Duration::from_millis(1)));
            }
            answered => return answered,
        }
    }
}
