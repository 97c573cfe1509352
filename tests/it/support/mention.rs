//! Helpers for inbound webhooks, mentions, and messages.

use super::http::{Answer, Request};
use super::rotation::Rot;
use super::server::Rota;
use super::{text, words};
use serde_json::Value;

/// The inbound webhook of a rotation, with its key.
#[derive(Clone)]
pub struct Inbound<'a> {
    pub rota: &'a Rota,
    /// `/webhook/...`, to which an action is appended.
    pub path: String,
    pub key: String,
}

impl<'a> Inbound<'a> {
    /// From the response of a read or a rotation of the key.
    #[track_caller]
    pub fn from_response(rota: &'a Rota, shown: &Value) -> Inbound<'a> {
        let url = text(&shown["url"]);
        let path = url.strip_prefix(&rota.url);
        // As tests set the public URL.
        let path = path.or_else(|| url.strip_prefix("https://rota.example"));
        Inbound {
            rota,
            path: path.expect("an address of this server").to_owned(),
            key: text(&shown["key"]).to_owned(),
        }
    }

    /// The same with another key.
    pub fn with_key(&self, key: &str) -> Inbound<'a> {
        Inbound {
            key: key.to_owned(),
            ..self.clone()
        }
    }

    /// A request with the key and no other credential.
    pub fn request(&self, method: &str, action: &str) -> Request<'a> {
        let path = format!("{}/{action}", self.path);
        let request = self.rota.anyone().request(method, &path);
        request.header("webhook-key", &self.key)
    }

    #[track_caller]
    pub fn post(&self, action: &str) -> Answer {
        self.request("POST", action).send()
    }
}

impl<'a> Rot<'a> {
    /// The inbound webhook, created if it does not exist.
    #[track_caller]
    pub fn inbound(&self) -> Inbound<'a> {
        let shown = self.get("/inbound-webhook").is(200).json();
        Inbound::from_response(self.by.rota, &shown)
    }

    /// Opens a mention in the first channel and returns the response.
    #[track_caller]
    pub fn try_mention(&self, asker: &str) -> Answer {
        let query = format!("mention?userId={asker}&channelId=C1&message=Help");
        self.inbound().post(&query)
    }

    /// Opens a mention in the first channel.
    #[track_caller]
    pub fn mention(&self, asker: &str) -> Mention<'a> {
        let opened = self.try_mention(asker).is(200).json();
        Mention {
            rota: self.by.rota,
            id: text(&opened["mentionId"]).to_owned(),
        }
    }

    /// Changes the mention settings with the current ETag.
    #[track_caller]
    pub fn set_mention_settings(&self, settings: Value) {
        self.put("/mention-settings", settings).is(200);
    }
}

/// An open mention.
#[derive(Clone)]
pub struct Mention<'a> {
    pub rota: &'a Rota,
    pub id: String,
}

impl Mention<'_> {
    pub fn path(&self, rest: &str) -> String {
        format!("/v1/mentions/{}{rest}", self.id)
    }

    #[track_caller]
    pub fn record(&self) -> Value {
        self.rota.get(&self.path("")).is(200).json()
    }

    /// `open U1+U2`, `open U1+U2 without U1`, `acknowledged U1+U2 by U2`.
    #[track_caller]
    pub fn state_line(&self) -> String {
        mention_line(&self.record())
    }

    /// `acknowledge` or `pass` by this person.
    #[track_caller]
    pub fn step(&self, user: &str, step: &str) -> Answer {
        let by = self.rota.with(&self.rota.token(user));
        by.request("POST", &self.path(&format!("/{step}"))).send()
    }

    /// A step that must succeed. Returns the state after it.
    #[track_caller]
    pub fn after(&self, user: &str, step: &str) -> String {
        let line = mention_line(&self.step(user, step).is(200).json());
        assert_eq!(line, self.state_line(), "as GET answers");
        line
    }
}

/// A mention in one line.
pub fn mention_line(mention: &Value) -> String {
    let people = |name: &str| {
        let ids = mention[name].as_array().expect("a list of ids");
        ids.iter().map(text).collect::<Vec<_>>().join("+")
    };
    let passed = match people("passedUserIds") {
        none if none.is_empty() => none,
        some => format!("without {some}"),
    };
    let by = match &mention["acknowledgedUserId"] {
        Value::Null => String::new(),
        user => format!("by {}", text(user)),
    };
    let (state, asked) = (text(&mention["state"]), people("notifiedUserIds"));
    words(&format!("{state} {asked} {passed} {by}")).join(" ")
}

impl Rota {
    /// The messages to a channel or a person but those about moved shifts, oldest first.
    #[track_caller]
    pub fn messages_to(&self, whom: &str) -> Vec<String> {
        let messages = self.messages();
        let to = |message: &&Value| {
            [&message["channelId"], &message["userId"]].contains(&&Value::from(whom))
        };
        let texts = messages
            .iter()
            .filter(to)
            .map(|message| text(&message["text"]).to_owned());
        texts.collect()
    }
}
