//! The way into a rotation for other programs, mentions, and what chat was told, as tests speak of them.

use super::http::{Answer, Request};
use super::rotation::Rot;
use super::server::Rota;
use super::{text, words};
use serde_json::Value;

/// The way into a rotation, with its key.
#[derive(Clone)]
pub struct Inbound<'a> {
    pub rota: &'a Rota,
    /// `/webhook/...`, to be followed by an action.
    pub path: String,
    pub key: String,
}

impl<'a> Inbound<'a> {
    /// As a read or a rotation of the key answers.
    #[track_caller]
    pub fn told(rota: &'a Rota, told: &Value) -> Inbound<'a> {
        let path = text(&told["url"]).strip_prefix(&rota.url);
        Inbound {
            rota,
            path: path.expect("an address of this server").to_owned(),
            key: text(&told["key"]).to_owned(),
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
    /// The way in, made where it is not there yet.
    #[track_caller]
    pub fn inbound(&self) -> Inbound<'a> {
        let told = self.get("/inbound-webhook").is(200).json();
        Inbound::told(self.by.rota, &told)
    }

    /// Opens a mention in the first channel and answers how that was answered.
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

    /// Says how the rotation deals with mentions, whatever is current.
    #[track_caller]
    pub fn deal_with_mentions(&self, settings: Value) {
        self.put("/mention-settings", settings).is(200);
    }
}

/// A mention that was opened.
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
    pub fn stands(&self) -> String {
        mention_line(&self.record())
    }

    /// `acknowledge` or `pass` of this person.
    #[track_caller]
    pub fn step(&self, user: &str, step: &str) -> Answer {
        let by = self.rota.with(&self.rota.token(user));
        by.request("POST", &self.path(&format!("/{step}"))).send()
    }

    /// The same as it must go, and how the mention stands then.
    #[track_caller]
    pub fn after(&self, user: &str, step: &str) -> String {
        let line = mention_line(&self.step(user, step).is(200).json());
        assert_eq!(line, self.stands(), "as GET answers");
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
    /// What a channel or a person was told, oldest first.
    #[track_caller]
    pub fn told(&self, whom: &str) -> Vec<String> {
        let chat = self.get("/dev/chat").ok().json();
        let messages = chat["messages"].as_array().expect("messages");
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
