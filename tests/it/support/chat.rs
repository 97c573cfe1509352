//! The chat platform as tests speak of it: what people were told, one line each, topics, user groups, and its moods.

use super::directory::{channel, directory, group};
use super::http::Answer;
use super::rotation::Rot;
use super::server::{Rota, Start};
use super::{instant, text, words};
use serde_json::{Value, json};

/// What a message is to: a channel's id or a person's.
#[track_caller]
pub fn recipient(message: &Value) -> &str {
    match (message.get("channelId"), message.get("userId")) {
        (Some(id), None) | (None, Some(id)) => text(id),
        _ => panic!("one recipient: {message}"),
    }
}

/// `U1: You are on duty.`; further lines come after ` / `.
#[track_caller]
pub fn message_line(message: &Value) -> String {
    let said = text(&message["text"]).replace('\n', " / ");
    format!("{}: {said}", recipient(message))
}

/// Somebody who reads every message, each once.
pub struct Ears<'a> {
    rota: &'a Rota,
    heard: usize,
}

impl Ears<'_> {
    /// The messages since it was asked last, oldest first.
    #[track_caller]
    pub fn messages(&mut self) -> Vec<Value> {
        let all = self.rota.messages();
        all[std::mem::replace(&mut self.heard, all.len())..].to_vec()
    }

    /// The same, a line each.
    #[track_caller]
    pub fn lines(&mut self) -> Vec<String> {
        self.messages().iter().map(message_line).collect()
    }

    /// When each was sent, and to whom: `2026-01-06T09:00Z C1`.
    #[track_caller]
    pub fn times(&mut self) -> Vec<String> {
        let messages = self.messages();
        let line = |message: &Value| format!("{} {}", instant(&message["at"]), recipient(message));
        messages.iter().map(line).collect()
    }
}

impl Rota {
    /// An empty server on Monday with so many people, where nobody is reminded of anything.
    #[track_caller]
    pub fn unreminded(people: usize) -> Rota {
        let start = Start::default().env("ROTA_CHAT_REMINDER_BEFORE", "0s");
        let rota = start.go();
        rota.people(people);
        rota
    }

    /// The chat platform, once everything due is carried out.
    #[track_caller]
    pub fn chat(&self) -> Value {
        self.get("/dev/chat").is(200).json()
    }

    /// Waits until everything due was tried.
    #[track_caller]
    pub fn chat_settles(&self) {
        self.chat();
    }

    /// Every message, oldest first.
    #[track_caller]
    pub fn messages(&self) -> Vec<Value> {
        let messages = self.chat()["messages"].clone();
        messages.as_array().expect("messages").clone()
    }

    /// Somebody who hears what is said from now on.
    #[track_caller]
    pub fn ears(&self) -> Ears<'_> {
        let mut ears = Ears {
            rota: self,
            heard: 0,
        };
        ears.messages();
        ears
    }

    /// The topic of a channel, `-` for none.
    #[track_caller]
    pub fn topic(&self, channel: &str) -> String {
        text(&self.chat()["topics"][channel]).to_owned()
    }

    /// The people in a user group: `U1 U2`, with `disabled` after them where it is.
    #[track_caller]
    pub fn group(&self, id: &str) -> String {
        let chat = self.chat();
        let group = &chat["groups"][id];
        let mut words: Vec<&str> = match group["userIds"].as_array() {
            Some(people) => people.iter().map(text).collect(),
            None => return "gone".to_owned(),
        };
        if group["disabled"] == json!(true) {
            words.push("disabled");
        }
        words.join(" ")
    }

    /// The ids of all user groups.
    #[track_caller]
    pub fn groups(&self) -> Vec<String> {
        let chat = self.chat();
        let groups = chat["groups"].as_object().expect("groups");
        groups.keys().cloned().collect()
    }

    /// Has the platform behave in some way, once what was due before is carried out.
    #[track_caller]
    pub fn mood(&self, mood: Value) {
        self.chat_settles();
        self.request("PUT", "/dev/chat").json(&mood).send().is(200);
    }

    /// The platform answers everything with an error.
    #[track_caller]
    pub fn chat_is_down(&self) {
        self.mood(json!({ "failure": "error" }));
    }

    /// The platform does what it is asked to.
    #[track_caller]
    pub fn chat_is_up(&self) {
        self.mood(json!({}));
    }

    /// The usual directory with groups, and topics in its channels.
    #[track_caller]
    pub fn furnish(&self, people: usize, groups: &[(&str, &str)], topics: &[(&str, &str)]) {
        self.import(&furnished(people, groups, topics));
    }
}

/// The usual directory with these groups and these topics.
pub fn furnished(people: usize, groups: &[(&str, &str)], topics: &[(&str, &str)]) -> Value {
    let mut all = directory(people);
    all["groups"] = groups.iter().map(|(id, users)| group(id, users)).collect();
    for (id, topic) in topics {
        let channels = all["channels"].as_array_mut().expect("channels");
        match channels.iter_mut().find(|channel| channel["id"] == *id) {
            Some(channel) => channel["topic"] = json!(topic),
            None => {
                let mut new = channel(id, false, true);
                new["topic"] = json!(topic);
                channels.push(new);
            }
        }
    }
    all
}

impl Rot<'_> {
    /// Messages go to these channels too.
    #[track_caller]
    pub fn posts_in(&self, channels: &str) {
        for channel in words(channels) {
            let body = json!({ "postsMessages": true, "syncsTopic": false });
            self.put(&format!("/channels/{channel}"), body).is(200);
        }
    }

    /// The topics of these channels tell who is on call; nothing is posted there.
    #[track_caller]
    pub fn tells_in(&self, channels: &str) {
        self.patch(json!({ "enableTopic": true })).is(200);
        for channel in words(channels) {
            let body = json!({ "postsMessages": false, "syncsTopic": true });
            self.put(&format!("/channels/{channel}"), body).is(200);
        }
    }

    #[track_caller]
    pub fn try_bind(&self, body: Value) -> Answer {
        self.put("/on-duty-group", body)
    }

    /// Keeps a user group that is there in step.
    #[track_caller]
    pub fn bind(&self, group: &str) {
        let answer = self.try_bind(json!({ "userGroupId": group })).is(200);
        assert_eq!(answer.json()["onDutyUserGroupId"], group);
    }

    /// Keeps the user group of a handle in step, and answers its id.
    #[track_caller]
    pub fn bind_handle(&self, handle: &str) -> String {
        let answer = self.try_bind(json!({ "handle": handle })).is(200);
        text(&answer.json()["onDutyUserGroupId"]).to_owned()
    }

    #[track_caller]
    pub fn unbind(&self) {
        let answer = self.by.delete_if(&self.path("/on-duty-group"), "*").is(200);
        assert_eq!(answer.json()["onDutyUserGroupId"], Value::Null);
    }

    /// Deletes it.
    #[track_caller]
    pub fn delete(&self) {
        self.by.delete_if(&self.path(""), "*").is(204);
    }

    /// How it stands in chat, once everything due was tried.
    #[track_caller]
    pub fn standing(&self) -> Value {
        self.by.rota.chat_settles();
        self.get("/chat").is(200).json()
    }
}
