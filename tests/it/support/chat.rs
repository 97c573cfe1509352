//! Helpers for the chat platform: messages, one line each, topics, user groups, and failure modes.

use super::directory::{channel, directory, group};
use super::http::Answer;
use super::rotation::Rot;
use super::server::{Rota, Start};
use super::{instant, text, words};
use serde_json::{Value, json};

/// The recipient of a message: the id of a channel or a person.
#[track_caller]
pub fn recipient(message: &Value) -> &str {
    match (message.get("channelId"), message.get("userId")) {
        (Some(id), None) | (None, Some(id)) => text(id),
        _ => panic!("one recipient: {message}"),
    }
}

/// `U1: You are on duty.`; further lines follow ` / `.
#[track_caller]
pub fn message_line(message: &Value) -> String {
    let said = text(&message["text"]).replace('\n', " / ");
    format!("{}: {said}", recipient(message))
}

/// Whether a text is that of a message about shifts that moved.
pub fn is_about_moved_shifts(text: &str) -> bool {
    text.starts_with("Your shifts in ") && text.contains(" moved. ")
}

/// Reads every message once.
pub struct MessageReader<'a> {
    rota: &'a Rota,
    heard: usize,
}

impl MessageReader<'_> {
    /// The messages since the last call, oldest first.
    #[track_caller]
    pub fn messages(&mut self) -> Vec<Value> {
        let all = self.rota.messages();
        all[std::mem::replace(&mut self.heard, all.len())..].to_vec()
    }

    /// The new messages, one line each.
    #[track_caller]
    pub fn lines(&mut self) -> Vec<String> {
        self.messages().iter().map(message_line).collect()
    }

    /// The time and recipient of each new message: `2026-01-06T09:00Z C1`.
    #[track_caller]
    pub fn times(&mut self) -> Vec<String> {
        let messages = self.messages();
        let line = |message: &Value| format!("{} {}", instant(&message["at"]), recipient(message));
        messages.iter().map(line).collect()
    }
}

impl Rota {
    /// An empty server on Monday with this many people and without reminders.
    #[track_caller]
    pub fn unreminded(people: usize) -> Rota {
        let start = Start::default().env("ROTA_CHAT_REMINDER_BEFORE", "0s");
        let rota = start.go();
        rota.people(people);
        rota
    }

    /// The chat platform, once everything due is processed.
    #[track_caller]
    pub fn chat(&self) -> Value {
        self.get("/dev/chat").is(200).json()
    }

    /// Waits until everything due was tried.
    #[track_caller]
    pub fn chat_settles(&self) {
        self.chat();
    }

    /// All messages but those about moved shifts, oldest first: a move of the clock sends what is pending of these.
    #[track_caller]
    pub fn messages(&self) -> Vec<Value> {
        let messages = self.chat()["messages"].clone();
        let mut messages = messages.as_array().expect("messages").clone();
        messages.retain(|message| !is_about_moved_shifts(text(&message["text"])));
        messages
    }

    /// Reads messages from now on.
    #[track_caller]
    pub fn message_reader(&self) -> MessageReader<'_> {
        let mut reader = MessageReader {
            rota: self,
            heard: 0,
        };
        reader.messages();
        reader
    }

    /// The topic of a channel, `-` for none.
    #[track_caller]
    pub fn topic(&self, channel: &str) -> String {
        text(&self.chat()["topics"][channel]).to_owned()
    }

    /// The people in a user group: `U1 U2`, followed by `disabled` if it is.
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

    /// Sets the failure mode, once everything that was due before is processed.
    #[track_caller]
    pub fn set_failure_mode(&self, mood: Value) {
        self.chat_settles();
        self.request("PUT", "/dev/chat").json(&mood).send().is(200);
    }

    /// Every call of the platform fails.
    #[track_caller]
    pub fn chat_is_down(&self) {
        self.set_failure_mode(json!({ "failure": "error" }));
    }

    /// The platform works normally.
    #[track_caller]
    pub fn chat_is_up(&self) {
        self.set_failure_mode(json!({}));
    }

    /// The standard directory with groups, and topics in its channels.
    #[track_caller]
    pub fn import_with(&self, people: usize, groups: &[(&str, &str)], topics: &[(&str, &str)]) {
        self.import(&directory_with(people, groups, topics));
    }
}

/// The standard directory with these groups and topics.
pub fn directory_with(people: usize, groups: &[(&str, &str)], topics: &[(&str, &str)]) -> Value {
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
    /// Messages are also posted to these channels.
    #[track_caller]
    pub fn posts_in(&self, channels: &str) {
        for channel in words(channels) {
            let body = json!({ "postsMessages": true, "syncsTopic": false });
            self.put(&format!("/channels/{channel}"), body).is(200);
        }
    }

    /// The topics of these channels show who is on call; nothing is posted there.
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

    /// Binds an existing user group.
    #[track_caller]
    pub fn bind(&self, group: &str) {
        let answer = self.try_bind(json!({ "userGroupId": group })).is(200);
        assert_eq!(answer.json()["onDutyUserGroupId"], group);
    }

    /// Binds the user group with a handle, and returns its id.
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

    /// Deletes the rotation.
    #[track_caller]
    pub fn delete(&self) {
        self.by.delete_if(&self.path(""), "*").is(204);
    }

    /// The chat state, once everything due was tried.
    #[track_caller]
    pub fn chat_status(&self) -> Value {
        self.by.rota.chat_settles();
        self.get("/chat").is(200).json()
    }
}
