//! Helpers for webhook endpoints and the built-in receiver.

use super::http::{Answer, Caller};
use super::server::{Rota, eventually, unique};
use super::{text, words};
use serde_json::{Value, json};

/// All types that can be subscribed to.
pub const ALL_EVENTS: &str =
    "duty.changed nobody.on_call rotation.created rotation.updated rotation.deleted";

/// A receiver built into the server, by its name.
#[derive(Clone)]
pub struct Receiver<'a> {
    pub rota: &'a Rota,
    pub name: String,
}

/// An endpoint on the server.
#[derive(Clone)]
pub struct Hook<'a> {
    pub by: Caller<'a>,
    pub id: String,
    pub secret: String,
}

impl Rota {
    /// A new receiver, which returns 200 until configured otherwise.
    pub fn receiver(&self) -> Receiver<'_> {
        Receiver {
            rota: self,
            name: unique("receiver"),
        }
    }

    /// An endpoint for these event types with a new built-in receiver.
    #[track_caller]
    pub fn hook(&self, events: &str) -> (Hook<'_>, Receiver<'_>) {
        let receiver = self.receiver();
        (self.hook_at(&receiver.url(), events), receiver)
    }

    /// An endpoint for these event types at a URL.
    #[track_caller]
    pub fn hook_at(&self, url: &str, events: &str) -> Hook<'_> {
        let body = json!({ "name": "test", "url": url, "eventTypes": words(events) });
        let answer = self.post("/v1/webhooks", body).is(201);
        Hook {
            by: self.caller(),
            id: text(&answer.json()["endpoint"]["id"]).to_owned(),
            secret: text(&answer.json()["signingSecret"]).to_owned(),
        }
    }
}

impl Receiver<'_> {
    pub fn url(&self) -> String {
        format!("{}{}", self.rota.url, self.path())
    }

    fn path(&self) -> String {
        format!("/dev/receiver/{}", self.name)
    }

    /// Configures its response.
    #[track_caller]
    pub fn answers(&self, answer: Value) {
        self.rota
            .request("PUT", &self.path())
            .json(&answer)
            .send()
            .ok();
    }

    /// The requests to it, oldest first.
    #[track_caller]
    pub fn requests(&self) -> Vec<Value> {
        let answer = self.rota.get(&self.path()).ok();
        answer.json()["requests"].as_array().unwrap().clone()
    }

    /// The bodies of the requests to it.
    #[track_caller]
    pub fn bodies(&self) -> Vec<Value> {
        let body =
            |request: &Value| -> Value { serde_json::from_str(text(&request["body"])).unwrap() };
        self.requests().iter().map(body).collect()
    }

    /// The event types posted to it, in one line, once this many have arrived.
    #[track_caller]
    pub fn events(&self, count: usize) -> String {
        self.wait_for(count);
        let kinds: Vec<String> = (self.bodies().iter())
            .map(|body| text(&body["eventType"]).to_owned())
            .collect();
        kinds.join(" ")
    }

    /// Waits until at least this many requests have arrived, and returns them.
    #[track_caller]
    pub fn wait_for(&self, count: usize) -> Vec<Value> {
        eventually(&format!("{count} requests at {}", self.name), || {
            self.requests().len() >= count
        });
        self.requests()
    }

    #[track_caller]
    pub fn forget(&self) {
        self.rota.request("DELETE", &self.path()).send().ok();
    }
}

impl Hook<'_> {
    pub fn path(&self) -> String {
        format!("/v1/webhooks/{}", self.id)
    }

    #[track_caller]
    pub fn read(&self) -> Value {
        self.by.get(&self.path()).ok().json().clone()
    }

    /// A write without a body with the current ETag: `disable`, `enable`, `rotate`.
    #[track_caller]
    pub fn act(&self, action: &str) -> Answer {
        self.by
            .request("POST", &format!("{}/{action}", self.path()))
            .header("If-Match", "*")
            .send()
    }

    /// Its deliveries, newest first.
    #[track_caller]
    pub fn deliveries(&self) -> Vec<Value> {
        let answer = self.by.get(&format!("{}/deliveries", self.path())).ok();
        answer.json()["data"].as_array().unwrap().clone()
    }

    /// The attempts of a delivery, oldest first.
    #[track_caller]
    pub fn attempts(&self, delivery: &str) -> Vec<Value> {
        let path = format!("{}/deliveries/{delivery}/attempts", self.path());
        self.by.get(&path).ok().json()["data"]
            .as_array()
            .unwrap()
            .clone()
    }

    /// Its newest delivery.
    #[track_caller]
    pub fn newest(&self) -> Value {
        self.deliveries().first().cloned().unwrap_or_default()
    }

    /// Queues a test event. Returns the id of its delivery.
    #[track_caller]
    pub fn test(&self) -> String {
        let answer = self
            .by
            .request("POST", &format!("{}/test", self.path()))
            .send();
        text(&answer.is(202).json()["deliveryId"]).to_owned()
    }
}
