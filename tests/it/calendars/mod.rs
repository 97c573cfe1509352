//! Calendars of people: added by the API and on the page, read from a server, and what their absences do.

mod api;
mod bounds;
mod duty;
pub mod feed;
mod page;
mod policy;
pub mod reading;
mod story;

use crate::support::*;
use feed::{Feed, Then, calendar, status};
use serde_json::{Value, json};

/// Tuesday 2026-01-06: U2's turn in a rotation of U1, U2 and U3 that hands over daily at 09:00.
const TUESDAY: &str = "Vacation 20260106T000000Z 20260107T000000Z";

fn path_of(user: &str) -> String {
    format!("/v1/users/{user}/calendars")
}

/// Adds the calendar of a feed, and waits until it has been read.
#[track_caller]
fn add(rota: &Rota, user: &str, feed: &Feed) -> Added {
    add_with(rota, user, feed, json!({}))
}

#[track_caller]
fn add_with(rota: &Rota, user: &str, feed: &Feed, mut more: Value) -> Added {
    more["url"] = json!(feed.url());
    let made = rota.post(&path_of(user), more).is(201).json();
    let added = Added {
        user: user.to_owned(),
        id: text(&made["id"]).to_owned(),
    };
    eventually("the calendar has been read", || {
        let shown = added.shown(rota);
        !shown["lastReadAt"].is_null() || !shown["lastError"].is_null()
    });
    added
}

/// A calendar of somebody.
struct Added {
    user: String,
    id: String,
}

impl Added {
    fn path(&self, rest: &str) -> String {
        format!("{}/{}{rest}", path_of(&self.user), self.id)
    }

    #[track_caller]
    fn shown(&self, rota: &Rota) -> Value {
        let all = rota.caller().all(&path_of(&self.user));
        let found = all.into_iter().find(|one| one["id"] == json!(self.id));
        found.expect("the calendar")
    }

    #[track_caller]
    fn read(&self, rota: &Rota) -> Value {
        let answer = rota.request("POST", &self.path("/read")).send();
        answer.is(200).json()
    }

    #[track_caller]
    fn state(&self, rota: &Rota) -> String {
        text(&self.shown(rota)["state"]).to_owned()
    }
}

/// The absences of a person: `2026-01-06T00:00Z 2026-01-07T00:00Z externalCalendar reason`.
#[track_caller]
fn absences(caller: &Caller, user: &str) -> Vec<String> {
    let all = caller.all(&format!("/v1/users/{user}/absences"));
    let line = |absence: &Value| {
        assert_eq!(absence["userId"], json!(user));
        assert_eq!(
            absence["calendarId"].is_null(),
            absence["source"] == json!("internalAvailability")
        );
        let (from, until) = (instant(&absence["from"]), instant(&absence["until"]));
        let (source, reason) = (text(&absence["source"]), text(&absence["reason"]));
        format!("{from} {until} {source} {reason}")
    };
    all.iter().map(line).collect()
}

#[track_caller]
fn sync(rota: &Rota) -> Value {
    rota.request("POST", "/dev/sync").send().is(200).json()
}
