//! The workspace: what it has, what was called, and how it fails.

use super::socket::Sockets;
use super::{APP_TOKEN, BOT_TOKEN};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::time::Instant;

/// A call of a method that was received.
#[derive(Clone, Debug)]
pub struct Call {
    pub method: String,
    /// Of a form, each argument as text.
    pub arguments: Map<String, Value>,
    pub content_type: String,
    pub at: Instant,
    /// `ok`, or the code or status of the answer.
    pub outcome: String,
}

/// A message.
#[derive(Clone, Debug)]
pub struct Posted {
    /// The channel, or the user id of a direct message, as the call named it.
    pub to: String,
    /// The conversation: of a direct message, its own.
    pub channel: String,
    pub ts: String,
    /// As it reads now.
    pub text: String,
    pub blocks: Value,
    pub thread_ts: Option<String>,
    pub updates: usize,
    pub at: Instant,
}

/// How a call fails.
#[derive(Clone, Debug)]
pub enum Failure {
    /// An error code.
    Code(&'static str),
    /// `missing_scope` with what is needed.
    NeedsScope(&'static str),
    /// 429, with the seconds of `Retry-After`.
    TooMany(u64),
    Status(u16),
    /// The connection closes without an answer, and nothing is done.
    Closes,
    /// It is done, and the connection closes without an answer.
    Lost,
    /// A body that is not JSON.
    Garbage,
    /// It is done, after this many milliseconds.
    Slow(u64),
}

/// Whether a token is taken, and its scopes.
pub struct Grant {
    /// The code of every call with it; `None` if it is taken.
    pub refused: Option<&'static str>,
    pub scopes: BTreeSet<String>,
}

/// The scopes that the app's manifest asks for.
pub const SCOPES: [&str; 11] = [
    "app_mentions:read",
    "channels:read",
    "channels:write.topic",
    "chat:write",
    "commands",
    "groups:read",
    "groups:write.topic",
    "usergroups:read",
    "usergroups:write",
    "users:read",
    "users:read.email",
];

/// The workspace.
pub struct Team {
    pub id: String,
    pub name: String,
    pub tokens: HashMap<String, Grant>,
    /// As `users.list` answers them.
    pub users: Vec<Value>,
    /// As `conversations.list` answers them.
    pub channels: Vec<Value>,
    /// As `usergroups.list` answers them, with `users`.
    pub groups: Vec<Value>,
    pub posted: Vec<Posted>,
    /// How often each channel's topic was set.
    pub topics_set: BTreeMap<String, usize>,
    /// The App Home of each person.
    pub homes: BTreeMap<String, Value>,
    /// The modals that were opened or updated, by id.
    pub views: BTreeMap<String, Value>,
    /// Where `apps.connections.open` sends the client; `None` without Socket Mode.
    pub sockets: Option<Sockets>,
    /// What was sent to response URLs, each with its URL.
    pub responses: Vec<(String, Value)>,
    pub calls: Vec<Call>,
    /// By method; taken from the front.
    pub failures: HashMap<String, VecDeque<Failure>>,
    /// How every call fails.
    pub down: Option<Failure>,
    /// Requests that break Slack's description.
    pub violations: Vec<String>,
    /// Entries of a page at most.
    pub page: usize,
    /// Why user groups cannot be made; `None` if they can.
    pub no_groups: Option<&'static str>,
    pub(super) next: u64,
}

impl Team {
    pub(super) fn new() -> Team {
        let scopes = SCOPES.iter().map(|scope| (*scope).to_owned()).collect();
        let grant = |scopes| Grant {
            refused: None,
            scopes,
        };
        let app = BTreeSet::from(["connections:write".to_owned()]);
        Team {
            id: "T1".into(),
            name: "Acme".into(),
            tokens: HashMap::from([
                (BOT_TOKEN.to_owned(), grant(scopes)),
                (APP_TOKEN.to_owned(), grant(app)),
            ]),
            users: Vec::new(),
            channels: Vec::new(),
            groups: Vec::new(),
            posted: Vec::new(),
            topics_set: BTreeMap::new(),
            homes: BTreeMap::new(),
            views: BTreeMap::new(),
            sockets: None,
            responses: Vec::new(),
            calls: Vec::new(),
            failures: HashMap::new(),
            down: None,
            violations: Vec::new(),
            page: 1_000,
            no_groups: None,
            next: 1,
        }
    }

    /// A new number, for ids and time stamps.
    pub(super) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Adds people `U1` to `Un` and channels `C1` to `C3` with the app in them.
    pub fn people(&mut self, people: usize) {
        for number in 1..=people {
            let admin = number == 1;
            self.person(&format!("U{number}"), json!({ "is_admin": admin }));
        }
        for number in 1..=3 {
            self.channel(&format!("C{number}"), json!({}));
        }
    }

    /// Adds or changes a person. Members of `profile` are merged.
    pub fn person(&mut self, id: &str, changes: Value) {
        let name = format!("person {id}");
        let usual = || {
            json!({
                "id": id, "team_id": self.id, "name": id.to_lowercase(), "deleted": false, "real_name": name,
                "tz": "Europe/Berlin", "is_admin": false, "is_owner": false, "is_primary_owner": false,
                "is_restricted": false, "is_ultra_restricted": false, "is_bot": false, "is_app_user": false,
                "profile": {
                    "display_name": id.to_lowercase(), "real_name": name,
                    "email": format!("{}@example.com", id.to_lowercase()),
                    "image_192": format!("https://avatars.example.com/{id}.png"),
                    "status_text": "", "status_emoji": "", "status_expiration": 0
                }
            })
        };
        let known = self.users.iter().position(|user| user["id"] == id);
        let mut user = known.map_or_else(usual, |at| self.users[at].clone());
        merge(&mut user, &changes);
        match known {
            Some(at) => self.users[at] = user,
            None => self.users.push(user),
        }
    }

    /// Adds or changes a channel.
    pub fn channel(&mut self, id: &str, changes: Value) {
        let known = self.channels.iter().position(|channel| channel["id"] == id);
        let usual = || {
            json!({
                "id": id, "name": format!("channel-{}", id.to_lowercase()), "is_channel": true, "is_group": false,
                "is_im": false, "is_mpim": false, "is_private": false, "is_archived": false, "is_member": true,
                "is_ext_shared": false, "context_team_id": self.id,
                "topic": { "value": "", "creator": "", "last_set": 0 },
                "purpose": { "value": "", "creator": "", "last_set": 0 }
            })
        };
        let mut channel = known.map_or_else(usual, |at| self.channels[at].clone());
        merge(&mut channel, &changes);
        match known {
            Some(at) => self.channels[at] = channel,
            None => self.channels.push(channel),
        }
    }

    /// Adds or changes a user group.
    pub fn group(&mut self, id: &str, changes: Value) {
        let known = self.groups.iter().position(|group| group["id"] == id);
        let usual = || {
            json!({
                "id": id, "team_id": self.id, "is_usergroup": true, "name": format!("Group {id}"),
                "handle": format!("group-{}", id.to_lowercase()), "description": "", "is_external": false,
                "date_delete": 0, "auto_type": null, "users": []
            })
        };
        let mut group = known.map_or_else(usual, |at| self.groups[at].clone());
        merge(&mut group, &changes);
        match known {
            Some(at) => self.groups[at] = group,
            None => self.groups.push(group),
        }
    }

    /// The people in a user group.
    pub fn group_people(&self, id: &str) -> Vec<String> {
        let group = self.groups.iter().find(|group| group["id"] == id);
        let users = group.and_then(|group| group["users"].as_array());
        let users = users.into_iter().flatten().filter_map(Value::as_str);
        users.map(str::to_owned).collect()
    }

    /// Whether a user group is disabled.
    pub fn is_disabled(&self, id: &str) -> bool {
        let group = self.groups.iter().find(|group| group["id"] == id);
        group.is_some_and(|group| group["date_delete"] != 0)
    }

    /// The topic of a channel, as it was typed.
    pub fn topic(&self, id: &str) -> String {
        let channel = self.channels.iter().find(|channel| channel["id"] == id);
        let topic = channel.and_then(|channel| channel["topic"]["value"].as_str());
        unescape(topic.unwrap_or_default())
    }

    /// Revokes the bot token, with the code of every call; `None` gives it back.
    pub fn refuse_bot(&mut self, code: Option<&'static str>) {
        self.tokens.get_mut(BOT_TOKEN).expect("the token").refused = code;
    }

    /// Revokes the app token, with the code of every call; `None` gives it back.
    pub fn refuse_app(&mut self, code: Option<&'static str>) {
        self.tokens.get_mut(APP_TOKEN).expect("the token").refused = code;
    }

    /// Takes a scope from the bot token, or gives it back.
    pub fn scope(&mut self, scope: &str, given: bool) {
        let scopes = &mut self.tokens.get_mut(BOT_TOKEN).expect("the token").scopes;
        match given {
            true => scopes.insert(scope.to_owned()),
            false => scopes.remove(scope),
        };
    }
}

/// Merges objects, member by member.
fn merge(value: &mut Value, changes: &Value) {
    for (name, change) in changes.as_object().expect("an object") {
        match (value.get_mut(name), change) {
            (Some(known @ Value::Object(_)), Value::Object(_)) => merge(known, change),
            _ => value[name] = change.clone(),
        }
    }
}

/// A text as Slack stores it: three characters are escaped, entities stay.
pub(super) fn escape(text: &str) -> String {
    let text = unescape(text);
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

pub(super) fn unescape(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}
