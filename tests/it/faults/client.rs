//! A client that writes to its own rotation, remembers the responses, and checks them against the server later.

use super::world::World;
use crate::support::*;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A write as it was sent.
#[derive(Clone, Debug)]
struct Sent {
    what: What,
    method: &'static str,
    path: String,
    /// The key that makes it idempotent: a header, or a member of the body.
    key: Option<String>,
    by: String,
    body: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Create,
    Describe,
    PutOnCall,
    Away,
    Back,
    Assign,
    Cover,
    Ask,
    Accept,
}

/// A response.
struct Response {
    status: u16,
    text: String,
    json: Value,
}

pub struct Client<'a> {
    world: &'a World,
    number: usize,
    acts: usize,
    in_flight: Option<Sent>,
    /// Idempotent writes with their responses.
    named: Vec<(Sent, String, Timestamp)>,
    created: Vec<String>,
    description: String,
    /// The time of the rotation's hand-over.
    time: String,
    /// Turns that a write began, by its response: when, and whose.
    turns: Vec<(String, String)>,
    away: BTreeSet<String>,
    back: BTreeSet<String>,
    arranged: BTreeSet<String>,
    accepted: Vec<String>,
    /// Versions without an event.
    pub silent: BTreeSet<i64>,
    /// Writes that were answered and raised the version.
    pub raised: i64,
}

fn day(number: usize) -> String {
    let from = at("2026-06-01T10:00Z");
    (from + jiff::SignedDuration::from_hours(24 * number as i64)).to_string()
}

impl<'a> Client<'a> {
    pub fn new(world: &'a World, number: usize) -> Client<'a> {
        Client {
            world,
            number,
            // Each starts at another act.
            acts: number * 3,
            in_flight: None,
            named: vec![],
            created: vec![],
            description: "-".to_owned(),
            time: "09:00".to_owned(),
            turns: vec![],
            away: BTreeSet::new(),
            back: BTreeSet::new(),
            arranged: BTreeSet::new(),
            accepted: vec![],
            silent: BTreeSet::new(),
            raised: 0,
        }
    }

    pub fn rotation(&self) -> &'a str {
        &self.world.base.rotations[self.number]
    }

    fn path(&self, rest: &str) -> String {
        format!("/v1/rotations/{}{rest}", self.rotation())
    }

    /// One more write, or two that belong together; `None` if the connection ended.
    pub fn act(&mut self, connection: &mut Connection) -> Option<()> {
        let base = self.world.base;
        let number = self.acts;
        self.acts += 1;
        let key = || Some(unique("operation"));
        let (what, method, path, key, body) = match number % 8 {
            0 => {
                let body = new_rotation("U2 U3");
                (
                    What::Create,
                    "POST",
                    "/v1/rotations".to_owned(),
                    key(),
                    body,
                )
            }
            1 | 5 => {
                let body = json!({ "description": unique("description") });
                (What::Describe, "PATCH", self.path(""), None, body)
            }
            2 => {
                let body = json!({ "userIds": [format!("U{}", number / 8 % 3 + 1)] });
                (What::PutOnCall, "PUT", self.path("/on-call"), None, body)
            }
            3 => {
                let (from, until) = (day(number + 100), day(number + 101));
                let body = json!({ "userId": "U3", "from": from, "until": until });
                (What::Away, "POST", self.path("/availability"), None, body)
            }
            4 => {
                let body = json!({
                    "cellId": base.cells[self.number], "userId": "U2",
                    "from": day(number), "to": day(number + 1),
                });
                let path = self.path("/duty-arrangements");
                (What::Assign, "POST", path, key(), body)
            }
            6 => {
                let mut body = base.grids[self.number].clone();
                let time = format!("{:02}:00", 9 + number / 8 % 3);
                body["windows"][0]["cadence"]["times"] = json!([time]);
                (What::Cover, "PUT", self.path("/coverage"), None, body)
            }
            _ if number % 16 == 7 => return self.ask(connection),
            _ => match self.away.first() {
                Some(id) => {
                    let path = self.path(&format!("/availability/{id}"));
                    (What::Back, "DELETE", path, None, Value::Null)
                }
                None => return Some(()),
            },
        };
        let sent = Sent {
            what,
            method,
            path,
            key,
            by: base.key.clone(),
            body,
        };
        self.say(connection, sent).map(drop)
    }

    /// U1 asks U2 to cover a future turn, and U2 accepts.
    fn ask(&mut self, connection: &mut Connection) -> Option<()> {
        let base = self.world.base;
        let range = "/schedule?from=2026-04-10T00:00:00Z&to=2026-05-25T00:00:00Z";
        let plan = ask(
            connection,
            &base.key,
            "GET",
            &self.path(range),
            None,
            &Value::Null,
        )?;
        let turns = plan.json["data"].as_array().expect("turns").clone();
        let own = |turn: &&Value| turn["userId"] == "U1" && turn["kind"] == "turn";
        let turn = turns.iter().rev().find(own).expect("a turn of U1's");
        let body = json!({
            "cellId": base.cells[self.number], "recipientUserIds": ["U2"],
            "from": turn["start"], "to": turn["end"],
        });
        let asked = Sent {
            what: What::Ask,
            method: "POST",
            path: self.path("/cover-requests"),
            key: Some(unique("operation")),
            by: base.tokens[0].clone(),
            body,
        };
        let asked = self.say(connection, asked)?;
        let id = text(&asked.json["request"]["request"]["id"]).to_owned();
        let accepted = Sent {
            what: What::Accept,
            method: "POST",
            path: self.path(&format!("/cover-requests/{id}/accept")),
            key: Some(unique("operation")),
            by: base.tokens[1].clone(),
            body: json!({ "expectedRevision": 1 }),
        };
        self.say(connection, accepted).map(drop)
    }

    fn say(&mut self, connection: &mut Connection, sent: Sent) -> Option<Response> {
        self.in_flight = Some(sent.clone());
        let reply = send(connection, &sent)?;
        self.in_flight = None;
        assert!(
            reply.status < 300,
            "{sent:?}: {} {}",
            reply.status,
            reply.text
        );
        self.note(sent, &reply.json);
        Some(reply)
    }

    /// Remembers the response of a write.
    fn note(&mut self, sent: Sent, reply: &Value) {
        let id = |value: &Value| text(&value["id"]).to_owned();
        self.raised += i64::from(!matches!(
            sent.what,
            What::Create | What::Away | What::Back | What::PutOnCall | What::Cover
        ));
        match sent.what {
            What::Create => self.created.push(id(reply)),
            What::Describe => self.description = text(&sent.body["description"]).to_owned(),
            What::PutOnCall => {
                for turn in reply["onCall"].as_array().expect("onCall") {
                    let began = text(&turn["since"]).to_owned();
                    self.turns.push((began, text(&turn["userId"]).to_owned()));
                }
            }
            What::Away => drop(self.away.insert(id(reply))),
            What::Back => {
                let gone = sent.path.rsplit('/').next().expect("an id").to_owned();
                self.away.remove(&gone);
                self.back.insert(gone);
            }
            What::Assign => drop(self.arranged.insert(id(&reply["arrangements"][0]))),
            What::Cover => self.time = time_in(&sent.body),
            What::Ask => drop(self.silent.insert(int(&reply["rotationVersion"]))),
            What::Accept => self.accepted.push(id(&reply["request"]["request"])),
        }
        if sent.key.is_some() {
            self.named
                .push((sent, reply.to_string(), self.world.clock.now()));
        }
    }

    /// After a normal stop: writes that were sent and not answered are not stored.
    #[track_caller]
    pub fn has_nothing_unanswered(&self) {
        let Some(sent) = &self.in_flight else { return };
        let count = |sql: &str| self.world.number(sql);
        let stored = match (sent.what, &sent.key) {
            (What::Create, Some(key)) => count(&format!(
                "SELECT count(*) FROM creation_key WHERE key = '{key}'"
            )),
            (_, Some(key)) => count(&format!(
                "SELECT count(*) FROM operation WHERE id = '{key}'"
            )),
            (What::Describe, _) => count(&format!(
                "SELECT count(*) FROM rotation WHERE description = {}",
                sent.body["description"].to_string().replace('"', "'")
            )),
            _ => 0,
        };
        assert_eq!(stored, 0, "{sent:?}");
    }

    /// After a restart: every answered write is stored, a write in flight is stored as a whole or not at all, and
    /// idempotent writes return their responses again.
    #[track_caller]
    pub fn holds_to_it(&mut self, rota: &Rota) {
        let mut connection = Connection::open(rota.address());
        let rotation = Rot {
            by: rota.caller(),
            id: self.rotation().to_owned(),
        };
        let now = rotation.read();
        let absences = rotation.by.all(&rotation.path("/availability"));
        let absent: BTreeSet<String> = absences.iter().map(|a| text(&a["id"]).to_owned()).collect();
        if let Some(sent) = self.in_flight.take() {
            match sent.what {
                _ if sent.key.is_some() => {
                    drop(self.say(&mut connection, sent).expect("an answer"))
                }
                What::Describe if now["description"] == sent.body["description"] => {
                    self.note(sent, &Value::Null);
                }
                What::Cover if time_in(&now) == time_in(&sent.body) => self.note(sent, &now),
                What::Away => {
                    let more = absent.difference(&self.away).next().cloned();
                    self.away.extend(more);
                }
                What::Back if absent.len() < self.away.len() => self.note(sent, &now),
                _ => {}
            }
        }
        assert_eq!(text(&now["description"]), self.description);
        assert_eq!(time_in(&now), self.time);
        assert_eq!(absent, self.away);
        assert_eq!(absent.intersection(&self.back).next(), None);
        for id in &self.created {
            rota.get(&format!("/v1/rotations/{id}")).is(200);
        }
        let range = "/duty-arrangements?from=2026-03-01T00:00:00Z&to=2027-02-25T00:00:00Z";
        let arranged = rotation.by.all(&rotation.path(range));
        let active = |id: &String| {
            arranged
                .iter()
                .any(|a| a["id"] == **id && a["state"] == "active")
        };
        assert!(
            self.arranged.iter().all(active),
            "{:?} of {arranged:?}",
            self.arranged
        );
        let agreed = arranged
            .iter()
            .filter(|a| a["kind"] == "acceptedCover")
            .count();
        assert_eq!(agreed, self.accepted.len(), "{arranged:?}");
        for id in &self.accepted {
            let asked = Asked::known(rota, self.rotation(), id);
            assert_eq!(asked.state_line(), "accepted 2 U2");
        }
        let held = rotation.turns("history", "2026-03-01T00:00Z", "2026-05-25T00:00Z");
        for (began, user) in &self.turns {
            let there =
                |turn: &Value| text(&turn["start"]) == began && text(&turn["userId"]) == user;
            assert!(held.iter().any(there), "{user} since {began}: {held:#?}");
        }
        // The last few; the others would repeat the same writes.
        for (sent, answer, when) in self.named.iter().rev().take(6) {
            let again = send(&mut connection, sent).expect("an answer");
            let age = self.world.clock.now().duration_since(*when).as_secs();
            if sent.what == What::Create && age >= DAY {
                assert_eq!(again.status, 409, "{}", again.text);
                continue;
            }
            assert!(
                again.status < 300,
                "{sent:?}: {} {}",
                again.status,
                again.text
            );
            let first: Value = serde_json::from_str(answer).expect("JSON");
            match sent.what {
                // A creation returns the current rotation.
                What::Create => assert_eq!(again.json["id"], first["id"]),
                _ => assert_eq!(again.json, first, "{sent:?}"),
            }
            let mut other = sent.clone();
            // What an agreement shows may be repeated, and counts as part of the body.
            let member = match sent.what {
                What::Create => "name",
                _ => "id",
            };
            other.body[member] = json!("another");
            let refused = send(&mut connection, &other).expect("an answer");
            assert_eq!(refused.status, 409, "{}", refused.text);
        }
    }
}

fn time_in(rotation: &Value) -> String {
    text(&rotation["windows"][0]["cadence"]["times"][0]).to_owned()
}

fn send(connection: &mut Connection, sent: &Sent) -> Option<Response> {
    let mut body = sent.body.clone();
    let mut header = None;
    match &sent.key {
        Some(key) if sent.what == What::Create => header = Some(key.as_str()),
        Some(key) => body["operationId"] = json!(key),
        None => {}
    }
    ask(connection, &sent.by, sent.method, &sent.path, header, &body)
}

/// One request over a connection that may break.
fn ask(
    connection: &mut Connection,
    by: &str,
    method: &str,
    path: &str,
    key: Option<&str>,
    body: &Value,
) -> Option<Response> {
    let key = key.map_or(String::new(), |key| format!("Idempotency-Key: {key}\r\n"));
    let body = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {by}\r\nIf-Match: *\r\n{key}\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len(),
    );
    connection.try_send(request).ok()?;
    let reply = connection.answer(method)?;
    Some(Response {
        status: reply.status,
        text: String::from_utf8_lossy(&reply.body).into_owned(),
        json: serde_json::from_slice(&reply.body).unwrap_or_default(),
    })
}
