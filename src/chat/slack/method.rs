//! The methods of Slack's Web API that rota calls: how each is called, and which scopes it needs.

/// A method of the Web API.
#[derive(Debug, PartialEq, Eq)]
pub struct Method {
    pub name: &'static str,
    pub encoding: Encoding,
    pub token: Token,
    /// The scopes of the bot token that it needs.
    pub scopes: &'static [&'static str],
    pub pace: Pace,
}

/// How arguments are sent. Methods that read take forms alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Form,
    Json,
}

/// The token of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    Bot,
    /// The app token of Socket Mode.
    App,
}

/// How often a method is called at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// As often as needed, unless Slack asks to wait.
    Free,
    /// Once a second for each channel.
    PerChannel,
    /// Twenty times a minute.
    PerMinute,
}

const fn method(
    name: &'static str,
    encoding: Encoding,
    scopes: &'static [&'static str],
    pace: Pace,
) -> Method {
    Method {
        name,
        encoding,
        token: Token::Bot,
        scopes,
        pace,
    }
}

use Encoding::{Form, Json};
use Pace::{Free, PerChannel, PerMinute};

pub const AUTH_TEST: Method = method("auth.test", Form, &[], Free);
pub const USERS_LIST: Method = method(
    "users.list",
    Form,
    &["users:read", "users:read.email"],
    Free,
);
pub const USERS_INFO: Method = method(
    "users.info",
    Form,
    &["users:read", "users:read.email"],
    Free,
);
pub const CONVERSATIONS_LIST: Method = method(
    "conversations.list",
    Form,
    &["channels:read", "groups:read"],
    Free,
);
pub const CONVERSATIONS_INFO: Method = method(
    "conversations.info",
    Form,
    &["channels:read", "groups:read"],
    Free,
);
pub const CONVERSATIONS_SET_TOPIC: Method = method(
    "conversations.setTopic",
    Json,
    &["channels:write.topic", "groups:write.topic"],
    Free,
);
pub const CHAT_POST_MESSAGE: Method = method("chat.postMessage", Json, &["chat:write"], PerChannel);
pub const CHAT_UPDATE: Method = method("chat.update", Json, &["chat:write"], Free);
pub const CHAT_POST_EPHEMERAL: Method = method("chat.postEphemeral", Json, &["chat:write"], Free);
pub const USERGROUPS_LIST: Method =
    method("usergroups.list", Form, &["usergroups:read"], PerMinute);
pub const USERGROUPS_CREATE: Method =
    method("usergroups.create", Json, &["usergroups:write"], PerMinute);
pub const USERGROUPS_ENABLE: Method =
    method("usergroups.enable", Json, &["usergroups:write"], PerMinute);
pub const USERGROUPS_DISABLE: Method =
    method("usergroups.disable", Json, &["usergroups:write"], PerMinute);
pub const USERGROUPS_USERS_UPDATE: Method = method(
    "usergroups.users.update",
    Json,
    &["usergroups:write"],
    PerMinute,
);
pub const VIEWS_OPEN: Method = method("views.open", Json, &[], Free);
pub const VIEWS_UPDATE: Method = method("views.update", Json, &[], Free);
pub const VIEWS_PUBLISH: Method = method("views.publish", Json, &[], Free);
pub const APPS_CONNECTIONS_OPEN: Method = Method {
    name: "apps.connections.open",
    encoding: Form,
    token: Token::App,
    scopes: &[],
    pace: Free,
};

/// Every method that rota calls.
pub const METHODS: [&Method; 18] = [
    &AUTH_TEST,
    &USERS_LIST,
    &USERS_INFO,
    &CONVERSATIONS_LIST,
    &CONVERSATIONS_INFO,
    &CONVERSATIONS_SET_TOPIC,
    &CHAT_POST_MESSAGE,
    &CHAT_UPDATE,
    &CHAT_POST_EPHEMERAL,
    &USERGROUPS_LIST,
    &USERGROUPS_CREATE,
    &USERGROUPS_ENABLE,
    &USERGROUPS_DISABLE,
    &USERGROUPS_USERS_UPDATE,
    &VIEWS_OPEN,
    &VIEWS_UPDATE,
    &VIEWS_PUBLISH,
    &APPS_CONNECTIONS_OPEN,
];

/// The scopes of the bot token that `method` needs, each once, in order.
pub fn scopes() -> Vec<&'static str> {
    let mut scopes: Vec<&str> = METHODS
        .iter()
        .flat_map(|method| method.scopes)
        .copied()
        .collect();
    scopes.sort_unstable();
    scopes.dedup();
    scopes
}
