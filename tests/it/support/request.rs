//! Helpers for cover and swap requests. Most rotations here hand over at 09:00 UTC, so instants are written as days of January
//! 2026: `06` is the 6th at 09:00, `06T12` and `06T12:30` are other times of that day.

use super::http::{Answer, Connection};
use super::rotation::{Rot, places};
use super::server::{Rota, unique};
use super::time::{instant, rfc};
use super::{int, text, words};
use serde_json::{Value, json};

/// The full text of an instant written as a day; other texts are unchanged.
#[track_caller]
pub fn when(word: &str) -> String {
    let whole = match (word.split_once('T'), word.len()) {
        (Some((day, time)), 3..=8) if time.len() == 2 => format!("2026-01-{day}T{time}:00Z"),
        (Some((day, time)), 3..=8) => format!("2026-01-{day}T{time}Z"),
        (None, 2) => format!("2026-01-{word}T09:00Z"),
        _ => word.to_owned(),
    };
    rfc(&whole)
}

/// The inverse of [`when`].
#[track_caller]
pub fn day(value: &Value) -> String {
    let text = instant(value);
    let Some(rest) = text.strip_prefix("2026-01-") else {
        return text;
    };
    let rest = rest.trim_end_matches('Z');
    let rest = rest.strip_suffix("T09:00").unwrap_or(rest);
    rest.strip_suffix(":00").unwrap_or(rest).to_owned()
}

/// Both ends of an interval written `06 07`.
#[track_caller]
pub fn ends(period: &str) -> [String; 2] {
    match period.split_once(' ') {
        Some((from, to)) => [when(from), when(to)],
        None => panic!("interval {period:?}"),
    }
}

/// `06 07` from the members `from` and `to`.
#[track_caller]
pub fn interval(value: &Value) -> String {
    format!("{} {}", day(&value["from"]), day(&value["to"]))
}

/// A conflict in one line.
pub fn conflict_line(conflict: &Value) -> String {
    let sort = format!("{} {}", text(&conflict["type"]), text(&conflict["source"]));
    let user = text(&conflict["userId"]);
    let blocks = match conflict["canAcknowledge"] == json!(true) {
        true => "",
        false => " blocks",
    };
    format!("{user} {sort} {}{blocks}", interval(conflict))
}

/// The conflicts of a list, one line each, and their ids.
pub fn conflicts(list: &Value) -> (Vec<String>, Vec<String>) {
    let list = list.as_array().expect("conflicts");
    let ids = list.iter().map(|found| text(&found["id"]).to_owned());
    (list.iter().map(conflict_line).collect(), ids.collect())
}

/// A turn selection in one line, `-` for none.
pub fn selection(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        value => format!("{} {}", text(&value["kind"]), interval(value)),
    }
}

/// An arrangement in one line: person, interval, kind, and whether it is cancelled.
pub fn arrangement_line(found: &Value) -> String {
    let cancelled = match text(&found["state"]) {
        "active" => "",
        _ => " cancelled",
    };
    let (user, kind) = (text(&found["userId"]), text(&found["kind"]));
    format!("{user} {} {kind}{cancelled}", interval(found))
}

/// One shift of a swap: key, holder, slot, interval.
pub type Shift<'a> = (&'a str, &'a str, usize, &'a str);

impl<'a> Rot<'a> {
    /// The rotation as seen by this person.
    #[track_caller]
    pub fn seen_by(&self, user: &str) -> Rot<'a> {
        self.with(&self.by.rota.token(user))
    }

    /// The id of the cell of a slot.
    #[track_caller]
    pub fn place(&self, place: usize) -> String {
        text(&places(&self.read())[place]["id"]).to_owned()
    }

    /// The body that asks these people to cover the first slot.
    #[track_caller]
    pub fn cover_body(&self, period: &str, people: &str) -> Value {
        let [from, to] = ends(period);
        json!({
            "operationId": unique("cover"), "cellId": self.place(0), "from": from, "to": to,
            "recipientUserIds": words(people),
        })
    }

    /// A request by this person to cover the first slot.
    #[track_caller]
    pub fn ask_cover(&self, user: &str, period: &str, people: &str) -> Asked<'a> {
        let body = self.cover_body(period, people);
        self.made("cover-requests", user, body)
    }

    /// The body that offers a swap of two shifts.
    #[track_caller]
    pub fn swap_body(&self, recipient: &str, legs: &[Shift]) -> Value {
        let leg = |(key, holder, place, period): &Shift| {
            let [from, to] = ends(period);
            json!({
                "key": key, "cellId": self.place(*place), "holderUserId": holder, "from": from, "to": to,
            })
        };
        let legs: Vec<Value> = legs.iter().map(leg).collect();
        json!({ "operationId": unique("swap"), "recipientUserId": recipient, "legs": legs })
    }

    /// An offer by this person to swap shifts in the first slot, theirs first.
    #[track_caller]
    pub fn offer_swap(&self, user: &str, own: &str, other: &str, others: &str) -> Asked<'a> {
        let legs = [("own", user, 0, own), ("other", other, 0, others)];
        self.made("swap-requests", user, self.swap_body(other, &legs))
    }

    /// Creates a request, which must succeed.
    #[track_caller]
    pub fn made(&self, sort: &'static str, user: &str, body: Value) -> Asked<'a> {
        let answer = self.seen_by(user).request(sort, body).is(200);
        Asked {
            on: self.clone(),
            sort,
            id: text(&answer.json()["request"]["request"]["id"]).to_owned(),
        }
    }

    /// POST to a collection of requests or of arrangements with the current ETag.
    #[track_caller]
    pub fn request(&self, sort: &str, body: Value) -> Answer {
        self.by.post_if(&self.path(&format!("/{sort}")), "*", body)
    }

    /// Assigns a person directly.
    #[track_caller]
    pub fn assign_at(&self, place: usize, user: &str, period: &str) -> String {
        let [from, to] = ends(period);
        let body = json!({
            "operationId": unique("assign"), "cellId": self.place(place), "userId": user, "from": from, "to": to,
        });
        let answer = self.request("duty-arrangements", body).is(200).json();
        text(&answer["arrangements"][0]["id"]).to_owned()
    }

    /// All arrangements of these months, ordered by start.
    #[track_caller]
    pub fn agreements(&self) -> Vec<Value> {
        let path = "/duty-arrangements?from=2026-01-01T00:00:00Z&to=2026-12-31T00:00:00Z";
        let mut found = self.by.all(&self.path(path));
        found.sort_by_key(|found| (day(&found["from"]), day(&found["to"])));
        found
    }

    /// The same, one line each.
    #[track_caller]
    pub fn agreed(&self) -> Vec<String> {
        self.agreements().iter().map(arrangement_line).collect()
    }

    /// The planned holders of the slots in an interval, in days: `U1 06 07`.
    #[track_caller]
    pub fn planned(&self, period: &str) -> Vec<String> {
        let [from, to] = ends(period);
        let turns = self.turns("schedule", &from, &to);
        let line = |turn: &Value| {
            let (start, end) = (day(&turn["start"]), day(&turn["end"]));
            format!("{} {start} {end}", text(&turn["userId"]))
        };
        turns.iter().map(line).collect()
    }

    /// The history of an interval: `U1 06 07 reason`.
    #[track_caller]
    pub fn recorded(&self, period: &str) -> Vec<String> {
        let [from, to] = ends(period);
        let turns = self.turns("history", &from, &to);
        let line = |turn: &Value| {
            let (start, end) = (day(&turn["start"]), day(&turn["end"]));
            let (user, reason) = (text(&turn["userId"]), text(&turn["reason"]));
            format!("{user} {start} {end} {reason}")
        };
        turns.iter().map(line).collect()
    }

    /// Checks that the history of every cell is a chain without gaps whose last entry is running.
    #[track_caller]
    pub fn is_a_chain(&self, period: &str) {
        let [from, to] = ends(period);
        let turns = self.turns("history", &from, &to);
        let cells = self.read();
        for cell in places(&cells) {
            let (lane, window) = (&cell["laneId"], &cell["windowId"]);
            let of = |turn: &&Value| &turn["laneId"] == lane && &turn["windowId"] == window;
            let turns: Vec<&Value> = turns.iter().filter(of).collect();
            for pair in turns.windows(2) {
                assert_eq!(pair[0]["end"], pair[1]["start"], "a hole: {turns:#?}");
            }
            let last = turns.last().expect("a record");
            assert!(last.get("end").is_none(), "nothing runs: {last}");
        }
    }
}

/// An existing request.
#[derive(Clone)]
pub struct Asked<'a> {
    pub on: Rot<'a>,
    /// `cover-requests` or `swap-requests`.
    pub sort: &'static str,
    pub id: String,
}

impl<'a> Asked<'a> {
    pub fn path(&self, rest: &str) -> String {
        self.on.path(&format!("/{}/{}{rest}", self.sort, self.id))
    }

    /// A request that was created before, by the ids of its rotation and its own.
    pub fn known(rota: &'a Rota, rotation: &str, id: &str) -> Asked<'a> {
        let sort = match id.starts_with("cov_") {
            true => "cover-requests",
            false => "swap-requests",
        };
        Asked {
            on: Rot {
                by: rota.caller(),
                id: rotation.to_owned(),
            },
            sort,
            id: id.to_owned(),
        }
    }

    /// The whole item as read with an API key.
    #[track_caller]
    pub fn item(&self) -> Value {
        self.on.by.get(&self.path("")).is(200).json()
    }

    /// Only the record.
    #[track_caller]
    pub fn record(&self) -> Value {
        self.item()["request"].clone()
    }

    /// State, revision and who accepted: `accepted 2 U2`.
    #[track_caller]
    pub fn state_line(&self) -> String {
        let record = self.record();
        let (state, by) = (text(&record["state"]), text(&record["acceptedUserId"]));
        format!("{state} {} {by}", int(&record["revision"]))
    }

    #[track_caller]
    pub fn state(&self) -> String {
        text(&self.record()["state"]).to_owned()
    }

    /// The permitted actions of a caller: `accept decline`. There is a reason if and only if there are none.
    #[track_caller]
    pub fn may(&self, caller: &Rot) -> String {
        let item = caller.by.get(&self.path("")).is(200).json();
        let capability = &item["capability"];
        let steps = [
            ("canAccept", "accept"),
            ("canDecline", "decline"),
            ("canCancel", "cancel"),
            ("canEnd", "end"),
        ];
        let can = |(member, _): &(&str, &str)| capability[*member] == json!(true);
        let steps: Vec<&str> = steps
            .into_iter()
            .filter(can)
            .map(|(_, step)| step)
            .collect();
        let reason = &capability["reason"];
        assert_eq!(reason.is_null(), !steps.is_empty(), "{capability}");
        assert_ne!(text(reason), "", "{capability}");
        steps.join(" ")
    }

    /// The body of an action with the current revision.
    #[track_caller]
    pub fn step_body(&self) -> Value {
        let revision = self.record()["revision"].clone();
        json!({ "operationId": unique("step"), "expectedRevision": revision })
    }

    /// An action of this person with the current ETag.
    #[track_caller]
    pub fn step(&self, user: &str, step: &str) -> Answer {
        self.step_with(user, step, json!({}))
    }

    /// An action with additional or changed members.
    #[track_caller]
    pub fn step_with(&self, user: &str, step: &str, more: Value) -> Answer {
        let mut body = self.step_body();
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        let by = self.on.seen_by(user).by;
        by.post_if(&self.path(&format!("/{step}")), "*", body)
    }

    #[track_caller]
    pub fn accepted_by(&self, user: &str) -> Value {
        self.step(user, "accept").is(200).json()
    }
}

/// A POST over a connection that may break: the status and the body, or `None` without a response.
pub fn post_over(
    connection: &mut Connection,
    credential: &str,
    path: &str,
    body: &Value,
) -> Option<(u16, Value)> {
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {credential}\r\nIf-Match: *\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len(),
    );
    connection.try_send(request).ok()?;
    let reply = connection.answer("POST")?;
    let body = serde_json::from_slice(&reply.body).unwrap_or_default();
    Some((reply.status, body))
}
