//! Deliveries of events to endpoints: the request, the retry schedule, the log, and actions of an operator.

pub mod answers;
mod cancelling;
mod health;
mod holding;
mod lanes;
mod log;
mod request;
mod resending;
mod retention;
mod retry_after;
mod retry_schedule;

use crate::support::*;
use serde_json::Value;

/// A server with a rotation, so that test events can be sent.
fn server() -> Rota {
    let rota = Rota::with_people(3);
    rota.rotation("U1 U2 U3");
    rota
}

/// The same with its own retry schedule, written "1s,2s".
fn server_with_ladder(retry_schedule: &str) -> Rota {
    let rota = Start::default()
        .env("ROTA_WEBHOOKS_LADDER", retry_schedule)
        .go();
    rota.people(3);
    rota.rotation("U1 U2 U3");
    rota
}

impl Hook<'_> {
    /// An existing endpoint, such as after a restart.
    pub fn again<'a>(rota: &'a Rota, id: &str) -> Hook<'a> {
        Hook {
            by: rota.caller(),
            id: id.to_owned(),
            secret: String::new(),
        }
    }

    #[track_caller]
    fn on(&self, delivery: &str, action: &str) -> Answer {
        let path = format!("{}/deliveries/{delivery}/{action}", self.path());
        self.by.request("POST", &path).send()
    }

    /// Cancels a delivery. Returns whether that ended it.
    #[track_caller]
    pub fn cancel(&self, delivery: &str) -> bool {
        let answer = self.on(delivery, "cancel").is(200);
        assert_eq!(answer.header("etag"), None);
        answer.json()["cancelled"].as_bool().expect("cancelled")
    }

    #[track_caller]
    fn resend(&self, delivery: &str) -> Value {
        self.on(delivery, "resend").is(202).json()
    }

    /// The log entry of a delivery.
    #[track_caller]
    fn delivery(&self, id: &str) -> Value {
        let all = self.by.all(&format!("{}/deliveries", self.path()));
        let found = all.into_iter().find(|d| d["deliveryId"] == id);
        found.unwrap_or_else(|| panic!("no delivery {id}"))
    }

    #[track_caller]
    pub fn state(&self, delivery: &str) -> String {
        text(&self.delivery(delivery)["state"]).to_owned()
    }

    #[track_caller]
    fn newest_attempt(&self, delivery: &str) -> Value {
        let mut attempts = self.attempts(delivery);
        attempts.pop().expect("an attempt")
    }

    /// The attempts, each as "number.round outcome status error".
    #[track_caller]
    pub fn attempt_log(&self, delivery: &str) -> Vec<String> {
        self.attempts(delivery).iter().map(attempt_line).collect()
    }

    /// Milliseconds from the end of the newest attempt to the next one; `None` if there is none. The clock is frozen, so an
    /// attempt ends when it begins.
    #[track_caller]
    pub fn wait(&self, delivery: &str) -> Option<i64> {
        let attempt = self.newest_attempt(delivery);
        let due = attempt.get("nextAttemptDueAt")?;
        Some(millis(&attempt["at"], due))
    }

    /// "enabled", or why it is disabled.
    #[track_caller]
    fn health(&self) -> String {
        let endpoint = self.read();
        match text(&endpoint["state"]) {
            "enabled" => "enabled".to_owned(),
            _ => text(&endpoint["disabledReason"]).to_owned(),
        }
    }
}

fn attempt_line(attempt: &Value) -> String {
    let status = attempt.get("statusCode");
    format!(
        "{}.{} {} {} {}",
        int(&attempt["attemptNumber"]),
        int(&attempt["round"]),
        text(&attempt["outcome"]),
        status.map_or_else(|| "-".to_owned(), |status| int(status).to_string()),
        text(&attempt["error"]),
    )
}

#[track_caller]
fn millis(from: &Value, to: &Value) -> i64 {
    let (from, to) = (at(text(from)), at(text(to)));
    i64::try_from(to.duration_since(from).as_millis()).unwrap()
}

/// Checks that a wait is a step of the retry schedule, in seconds, with its jitter.
#[track_caller]
pub fn is_step(wait: Option<i64>, step: i64) {
    let wait = wait.expect("another attempt");
    let most = step * 1000 + (step * 100).min(15 * MINUTE * 1000);
    assert!(
        (step * 1000..=most).contains(&wait),
        "{wait} ms for a step of {step} s"
    );
}

/// The ids of the deliveries to a receiver, in order.
fn ids(receiver: &Receiver) -> Vec<String> {
    let bodies = receiver.bodies();
    let id = |body: &Value| text(&body["deliveryId"]).to_owned();
    bodies.iter().map(id).collect()
}
