//! Direct assignments as tests speak of them: somebody on a place, counted in the order of places, for an interval.

use super::http::Answer;
use super::rotation::{Rot, places};
use super::server::unique;
use super::time::{instant, rfc};
use super::{int, text};
use serde_json::{Value, json};

/// What a write answers with one arrangement in it.
#[track_caller]
pub fn only_arrangement(written: &Value) -> Value {
    let all = written["arrangements"].as_array().expect("arrangements");
    assert_eq!(all.len(), 1, "{written}");
    all[0].clone()
}

/// The conflicts that a preview or a refusal carries.
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
    /// The id of a place.
    #[track_caller]
    pub fn cell_id(&self, place: usize) -> String {
        text(&places(&self.read())[place]["id"]).to_owned()
    }

    /// The body that puts somebody on a place, with an operation id of its own.
    #[track_caller]
    pub fn assignment(&self, place: usize, user: &str, from: &str, to: &str) -> Value {
        json!({
            "operationId": unique("operation"), "cellId": self.cell_id(place), "userId": user,
            "from": rfc(from), "to": rfc(to),
        })
    }

    /// POST to what lies under `/duty-arrangements`, whatever is current.
    #[track_caller]
    pub fn post_arrangement(&self, rest: &str, body: &Value) -> Answer {
        let path = self.path(&format!("/duty-arrangements{rest}"));
        self.by.post_if(&path, "*", body.clone())
    }

    #[track_caller]
    pub fn try_assign(&self, place: usize, user: &str, from: &str, to: &str) -> Answer {
        self.post_arrangement("", &self.assignment(place, user, from, to))
    }

    /// Puts somebody on a place and answers the record.
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

    /// Puts another assignment in the place of one and answers what was written.
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

    /// The record as it stands.
    #[track_caller]
    pub fn arrangement(&self, id: &Value) -> Value {
        let answer = self.get(&format!("/duty-arrangements/{}", text(id)));
        answer.is(200).json()
    }

    /// The arrangements of a range, one line each, cancelled ones too.
    #[track_caller]
    pub fn arrangements(&self, from: &str, to: &str) -> Vec<String> {
        let query = format!("/duty-arrangements?from={}&to={}", rfc(from), rfc(to));
        let all = self.by.all(&self.path(&query));
        all.iter().map(assignment_line).collect()
    }

    /// Who is on call: `U2/1 since until coveredUntil turnEnds`, in the order of places.
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

    /// The record of everything that the tests' months hold.
    #[track_caller]
    pub fn record(&self) -> Vec<String> {
        self.history("2026-01-01T00:00Z", "2026-03-31T00:00Z")
    }
}
