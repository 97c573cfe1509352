//! The payloads of Slack, as values. The payloads are the same over the socket and at the request URLs.

mod values;
mod view;

pub use values::{Entered, Values};
pub use view::View;

use crate::domain::ids::{ChannelId, UserId};
use crate::domain::words::words;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt;

words! {
    /// What a payload is, as the socket's envelope or the request URL says.
    pub enum Class {
        /// `slash_commands` on the socket, `/slack/commands`.
        Command = "slash_commands",
        /// `interactive` on the socket, `/slack/interactivity`: clicks and modals.
        Interaction = "interactive",
        /// `events_api` on the socket, `/slack/events`.
        Event = "events_api",
    }
}

/// One thing that somebody did in Slack, or that changed there.
#[derive(Clone, Debug, PartialEq)]
pub struct Incoming {
    /// Does not change when Slack sends it again: the `event_id` of an event; of everything else the `trigger_id` and the SHA-256 of the
    /// whole payload. Slack may put the same into another envelope of the socket, and a `trigger_id` alone does not tell two
    /// commands apart.
    pub id: String,
    /// The workspace, where the payload names it.
    pub team: Option<String>,
    /// Who did it; some events have nobody.
    pub user: Option<UserId>,
    pub kind: Kind,
}

/// The event, command, click or form.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Command(Command),
    Actions(Actions),
    ViewSubmission(View),
    ViewClosed(View),
    Event(Event),
    /// A kind that rota does not use, with its `type`.
    Other(String),
}

/// A slash command.
///
/// ```json
/// { "command": "/rota", "text": "set <@U1|ana>", "team_id": "T1", "channel_id": "C1", "user_id": "U2",
///   "response_url": "https://hooks.slack.com/commands/T1/1/a", "trigger_id": "1.2.a" }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// With its slash.
    pub command: String,
    /// The text behind the command, without blanks around it.
    pub text: String,
    pub channel: ChannelId,
    pub response_url: Option<String>,
    pub trigger_id: Option<String>,
}

/// Clicks on buttons, and choices in menus and boxes.
///
/// ```json
/// { "type": "block_actions", "team": { "id": "T1" }, "user": { "id": "U2" }, "trigger_id": "1.2.a",
///   "container": { "type": "message", "message_ts": "1700000000.000100", "channel_id": "D1" },
///   "response_url": "https://hooks.slack.com/actions/T1/1/a",
///   "actions": [{ "type": "button", "action_id": "accept", "block_id": "answer", "value": "cov_1", "action_ts": "1.1" }] }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Actions {
    pub place: Place,
    /// At least one; Slack sends one at a time.
    pub actions: Vec<Action>,
    /// A message's only.
    pub response_url: Option<String>,
    pub trigger_id: Option<String>,
}

/// One click or choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    pub action_id: String,
    pub block_id: String,
    /// The value of a button, or what was chosen.
    pub entered: Entered,
}

/// Where somebody clicked.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// On a message. An ephemeral one cannot be updated, only replaced by its response URL.
    Message {
        channel: ChannelId,
        ts: String,
        thread_ts: Option<String>,
        is_ephemeral: bool,
    },
    /// In a modal or on the home tab.
    View(View),
}

/// An event that the app subscribes to.
///
/// ```json
/// { "type": "event_callback", "event_id": "Ev1", "team_id": "T1",
///   "event": { "type": "app_mention", "user": "U2", "text": "<@U0> OPS please look", "ts": "1700000000.000100",
///              "channel": "C1" } }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Somebody mentions the app in a channel.
    AppMention(AppMention),
    /// [`Incoming::user`] opens the home tab.
    AppHomeOpened,
    /// People, groups or channels changed: the inner event, as Slack sends it.
    Directory(Value),
    /// One that rota does not use, with its `type`.
    Other(String),
}

/// A message that mentions the app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppMention {
    pub channel: ChannelId,
    pub ts: String,
    /// The message that began the thread, if it is in one.
    pub thread_ts: Option<String>,
    /// As Slack escapes it: `<@U0> OPS &lt;look&gt;`.
    pub text: String,
    /// Whether a program posted it.
    pub is_bot: bool,
}

/// Why a payload could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(pub &'static str);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is missing or has another type", self.0)
    }
}

/// The events by which the directory follows Slack.
const DIRECTORY: [&str; 6] = [
    "team_join",
    "user_change",
    "user_profile_changed",
    "user_status_changed",
    "member_joined_channel",
    "member_left_channel",
];

/// The beginnings of the names of such events.
const DIRECTORY_PREFIXES: [&str; 3] = ["subteam_", "channel_", "group_"];

impl Incoming {
    /// Reads a payload. Unknown members are ignored, and unknown kinds are [`Kind::Other`]: Slack adds to both.
    ///
    /// # Errors
    /// The member that is missing.
    pub fn parse(class: Class, payload: &Value) -> Result<Incoming, Unreadable> {
        let (user, kind) = match class {
            Class::Command => (string(payload, "/user_id"), command(payload)?),
            Class::Interaction => (string(payload, "/user/id"), interaction(payload)?),
            Class::Event => event(payload)?,
        };
        let team = string(payload, "/team_id").or_else(|| string(payload, "/team/id"));
        Ok(Incoming {
            id: id(class, payload),
            team,
            user: user.map(UserId::from),
            kind,
        })
    }

    /// The `operationId` of the write that this asks for.
    ///
    /// A click's is made of its message (or view) and its action, and a modal's of the modal, so that clicking twice is one write.
    /// Everything else has one of its own, which is the same when it is processed again.
    pub fn operation_id(&self) -> String {
        match &self.kind {
            Kind::Actions(actions) => actions.operation_id(),
            Kind::ViewSubmission(view) => hashed("modal", [view.id.as_str(), &view.callback_id]),
            _ => hashed("incoming", [self.id.as_str()]),
        }
    }
}

impl Actions {
    fn operation_id(&self) -> String {
        let (place, version) = match &self.place {
            Place::Message { channel, ts, .. } => (channel.as_str(), ts.as_str()),
            Place::View(view) => (view.id.as_str(), view.hash.as_str()),
        };
        let clicked = self.actions.iter().flat_map(|action| {
            let entered = action.entered.0.iter().map(String::as_str);
            [action.block_id.as_str(), action.action_id.as_str()]
                .into_iter()
                .chain(entered)
        });
        hashed("click", [place, version].into_iter().chain(clicked))
    }
}

/// The id that Slack repeats when it sends a payload again.
fn id(class: Class, payload: &Value) -> String {
    let named = |pointer| string(payload, pointer).filter(|own| !own.is_empty());
    let hash = || hashed("payload", [payload.to_string().as_str()]);
    match class {
        Class::Event => named("/event_id").unwrap_or_else(hash),
        Class::Command | Class::Interaction => match named("/trigger_id") {
            Some(trigger) => format!("{trigger} {}", hash()),
            None => hash(),
        },
    }
}

/// A name made of parts. Their lengths are part of it, so that different parts never make the same name.
fn hashed<'a>(kind: &str, parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let digest = hash.finalize();
    let digits: String = digest
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("slack-{kind}-{digits}")
}

fn command(payload: &Value) -> Result<Kind, Unreadable> {
    Ok(Kind::Command(Command {
        command: needed(payload, "/command")?,
        text: string(payload, "/text")
            .unwrap_or_default()
            .trim()
            .to_owned(),
        channel: needed(payload, "/channel_id")?.into(),
        response_url: string(payload, "/response_url"),
        trigger_id: string(payload, "/trigger_id"),
    }))
}

fn interaction(payload: &Value) -> Result<Kind, Unreadable> {
    let kind = needed(payload, "/type")?;
    Ok(match kind.as_str() {
        "block_actions" => Kind::Actions(actions(payload)?),
        "view_submission" => Kind::ViewSubmission(View::parse(payload)?),
        "view_closed" => Kind::ViewClosed(View::parse(payload)?),
        _ => Kind::Other(kind),
    })
}

fn actions(payload: &Value) -> Result<Actions, Unreadable> {
    let list = payload.pointer("/actions").and_then(Value::as_array);
    let list = list
        .filter(|list| !list.is_empty())
        .ok_or(Unreadable("/actions"))?;
    let action = |action: &Value| {
        Ok(Action {
            action_id: needed(action, "/action_id")?,
            block_id: string(action, "/block_id").unwrap_or_default(),
            entered: Entered::of(action),
        })
    };
    Ok(Actions {
        place: place(payload)?,
        actions: list.iter().map(action).collect::<Result<_, Unreadable>>()?,
        response_url: string(payload, "/response_url"),
        trigger_id: string(payload, "/trigger_id"),
    })
}

fn place(payload: &Value) -> Result<Place, Unreadable> {
    if payload.get("view").is_some_and(Value::is_object) {
        return Ok(Place::View(View::parse(payload)?));
    }
    let either = |here: &'static str, there: &'static str| {
        string(payload, here).or_else(|| string(payload, there))
    };
    let channel = either("/container/channel_id", "/channel/id");
    let ts = either("/container/message_ts", "/message/ts");
    Ok(Place::Message {
        channel: channel.ok_or(Unreadable("/container/channel_id"))?.into(),
        ts: ts.ok_or(Unreadable("/container/message_ts"))?,
        thread_ts: either("/container/thread_ts", "/message/thread_ts"),
        is_ephemeral: payload.pointer("/container/is_ephemeral") == Some(&Value::Bool(true)),
    })
}

/// The kind of an event, and who caused it.
fn event(payload: &Value) -> Result<(Option<String>, Kind), Unreadable> {
    let kind = needed(payload, "/type")?;
    if kind != "event_callback" {
        return Ok((None, Kind::Other(kind)));
    }
    let event = payload.get("event").ok_or(Unreadable("/event"))?;
    let name = needed(event, "/type")?;
    let user = string(event, "/user");
    let kind = match name.as_str() {
        "app_mention" => Event::AppMention(AppMention {
            channel: needed(event, "/channel")?.into(),
            ts: needed(event, "/ts")?,
            thread_ts: string(event, "/thread_ts"),
            text: string(event, "/text").unwrap_or_default(),
            is_bot: event.get("bot_id").is_some_and(Value::is_string),
        }),
        // The messages tab is opened more often than the home tab; nothing is shown there.
        "app_home_opened" if string(event, "/tab").is_none_or(|tab| tab == "home") => {
            Event::AppHomeOpened
        }
        _ if is_about_directory(&name) => Event::Directory(event.clone()),
        _ => Event::Other(name),
    };
    Ok((user, Kind::Event(kind)))
}

fn is_about_directory(name: &str) -> bool {
    DIRECTORY.contains(&name)
        || DIRECTORY_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

/// The text at a pointer.
fn string(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer)?.as_str().map(str::to_owned)
}

fn needed(value: &Value, pointer: &'static str) -> Result<String, Unreadable> {
    string(value, pointer).ok_or(Unreadable(pointer))
}

#[cfg(test)]
mod tests;
