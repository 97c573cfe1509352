//! Helpers for direct assignments. A slot is an index in slot order.

use super::http::Answer;
use super::rotation::{Rot, places};
use super::server::unique;
use super::time::{instant, rfc};
use super::{int, text};
use serde_json::{Value, json};

/// The only arrangement in the response of a write.
#[track_caller]
pub fn only_arrangement(written: &Value) -> Value {
    let all = written["arrangements"].as_array().expect("arrangements");
    assert_eq!(all.len(), 1, "{written}");
    all[0].clone()
}

/// The conflicts in a preview or a refusal.
#[track_caller]
pub fn conflicts_in(answer: &Value) -> Vec<Value> {
    answer["conflicts"].as_array().expect("conflicts").clone()
}

pub fn conflict_ids(answer: &Value) -> Vec<Value> {
    let conflicts = conflicts_in(answer);
    conflicts.iter().map(|c| c["id"].clone()).collect()
}

/// A record in one line: `U2 2026-01-05T12:00Z 2026-01-05T14:00Z active 1`.
#[track_caller]
pub fn assignment_line(record: &Value) -> String {
    format!(
        "{} {} {} {} {}",
        text(&record["userId"]),
        instant(&record["from"]),
        instant(&record["to"]),
        text(&record["state"]),
        record["revision"]
    )
}

impl Rot<'_> {
    /// The id of the cell of a slot.
    #[track_caller]
    pub fn cell_id(&self, place: usize) -> String {
        text(&places(&self.read())[place]["id"]).to_owned()
    }

    /// The body of an assignment to a slot, with a new operation id.
    #[track_caller]
    pub fn assignment(&self, place: usize, user: &str, from: &str, to: &str) -> Value {
        json!({
            "operationId": unique("operation"), "cellId": self.cell_id(place), "userId": user,
            "from": rfc(from), "to": rfc(to),
        })
    }

    /// POST below `/duty-arrangements` with the current ETag.
    #[track_caller]
    pub fn post_arrangement(&self, rest: &str, body: &Value) -> Answer {
        let path = self.path(&format!("/duty-arrangements{rest}"));
        self.by.post_if(&path, "*", body.clone())
    }

    #[track_caller]
    pub fn try_assign(&self, place: usize, user: &str, from: &str, to: &str) -> Answer {
        self.post_arrangement("", &self.assignment(place, user, from, to))
    }

    /// Assigns a person to a slot and returns the record.
    #[track_caller]
    pub fn assign(&self, place: usize, user: &str, from: &str, to: &str) -> Value {
        only_arrangement(&self.try_assign(place, user, from, to).is(200).json())
    }

    #[track_caller]
    pub fn try_preview(&self, body: &Value) -> Answer {
        let path = self.path("/duty-arrangements/preview");
        self.by.post(&path, body.clone())
    }

    #[track_caller]
    pub fn preview(&self, place: usize, user: &str, from: &str, to: &str) -> Value {
        let body = self.assignment(place, user, from, to);
        self.try_preview(&body).is(200).json()
    }

    #[track_caller]
    pub fn try_change(&self, old: &Value, mut body: Value) -> Answer {
        body["expectedRevision"] = old["revision"].clone();
        self.post_arrangement(&format!("/{}/changes", text(&old["id"])), &body)
    }

    /// Replaces an assignment and returns the response.
    #[track_caller]
    pub fn change(&self, old: &Value, place: usize, user: &str, from: &str, to: &str) -> Value {
        let body = self.assignment(place, user, from, to);
        self.try_change(old, body).is(200).json()
    }

    #[track_caller]
    pub fn try_end(&self, old: &Value) -> Answer {
        let body =
            json!({ "operationId": unique("operation"), "expectedRevision": old["revision"] });
        self.post_arrangement(&format!("/{}/end", text(&old["id"])), &body)
    }

    #[track_caller]
    pub fn end(&self, old: &Value) -> Value {
        self.try_end(old).is(200).json()
    }

    /// The current record.
    #[track_caller]
    pub fn arrangement(&self, id: &Value) -> Value {
        let answer = self.get(&format!("/duty-arrangements/{}", text(id)));
        answer.is(200).json()
    }

    /// The arrangements of a range, one line each, including cancelled ones.
    #[track_caller]
    pub fn arrangements(&self, from: &str, to: &str) -> Vec<String> {
        let query = format!("/duty-arrangements?from={}&to={}", rfc(from), rfc(to));
        let all = self.by.all(&self.path(&query));
        all.iter().map(assignment_line).collect()
    }

    /// Who is on call: `U2/1 since until coveredUntil turnEnds`, in slot order.
    #[track_caller]
    pub fn duty(&self) -> Vec<String> {
        let on_call = self.get("/on-call").is(200).json();
        let entries = on_call["onCall"].as_array().expect("onCall");
        let line = |entry: &Value| {
            let bounds = ["since", "until", "coveredUntil", "turnEnds"];
            let bounds = bounds.map(|bound| instant(&entry[bound])).join(" ");
            let turn = int(&entry["turn"]);
            format!("{}/{turn} {bounds}", text(&entry["userId"]))
        };
        entries.iter().map(line).collect()
    }

    /// The history of all months that tests use.
    #[track_caller]
    pub fn record(&self) -> Vec<String> {
        self.history("2026-01-01T00:00Z", "2026-03-31T00:00Z")
    }
}
