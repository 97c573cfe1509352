//! A strict homeserver in the test's own process: a space with three people, a room, and rota's account in both. It answers what rota
//! asks and nothing else, and takes a transaction id once. A test says what people say, and looks at what rota sent.

use super::receiver::read_request;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub const ME: &str = "@rota:example.org";
pub const SPACE: &str = "!space:example.org";
pub const ROOM: &str = "!duty:example.org";

/// A room: its state by type and key, and its events.
#[derive(Default)]
struct Room {
    state: BTreeMap<(String, String), Value>,
}

/// Something that rota sent.
#[derive(Clone, Debug)]
pub struct Sent {
    pub room: String,
    pub kind: String,
    pub event: String,
    pub content: Value,
}

#[derive(Default)]
struct State {
    rooms: BTreeMap<String, Room>,
    direct: Value,
    /// What happened, in order.
    events: Vec<(String, Value)>,
    sent: Vec<Sent>,
    transactions: HashMap<String, String>,
    /// Positions before this one are not known any more.
    forgotten: usize,
    /// How many times the next writes fail, and with which answer.
    faults: Vec<(u16, Value)>,
    /// Requests that it does not know.
    unknown: Vec<String>,
}

/// The homeserver, until the end of the test.
#[derive(Clone)]
pub struct Homeserver {
    pub url: String,
    state: Arc<(Mutex<State>, Condvar)>,
}

impl Homeserver {
    /// With these people in the space, by local part and display name. The first one administers it.
    pub fn with(people: &[(&str, &str)]) -> Homeserver {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("its address"));
        let server = Homeserver {
            url,
            state: Arc::default(),
        };
        server.with_state(|state| {
            state.direct = json!({});
            let admin = format!("@{}:example.org", people[0].0);
            let levels = json!({ "users": { admin: 100, ME: 50 } });
            for (id, create) in [(SPACE, json!({ "type": "m.space" })), (ROOM, json!({}))] {
                let room = state.rooms.entry(id.into()).or_default();
                room.set("m.room.create", "", create);
                room.set("m.room.power_levels", "", levels.clone());
                room.set(
                    "m.room.name",
                    "",
                    json!({ "name": id[1..].split(':').next() }),
                );
                room.join(ME, "Rota");
                for (local, name) in people {
                    room.join(&format!("@{local}:example.org"), name);
                }
            }
        });
        let own = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let own = own.clone();
                std::thread::spawn(move || own.serve(stream));
            }
        });
        server
    }

    fn with_state<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        let (state, changed) = &*self.state;
        let done = act(&mut state.lock().unwrap());
        changed.notify_all();
        done
    }

    /// Makes a direct room of rota and somebody, which rota calls one.
    pub fn direct(&self, local: &str) -> String {
        let (room, user) = (
            format!("!with-{local}:example.org"),
            format!("@{local}:example.org"),
        );
        self.with_state(|state| {
            let made = state.rooms.entry(room.clone()).or_default();
            made.set("m.room.create", "", json!({}));
            made.join(ME, "Rota");
            made.join(&user, local);
            state.direct[&user] = json!([room]);
        });
        room
    }

    /// Has somebody say something, as this content.
    pub fn say(&self, local: &str, room: &str, mut content: Value) -> String {
        content["msgtype"] = "m.text".into();
        self.happens(local, room, "m.room.message", content)
    }

    /// Has somebody react.
    pub fn react(&self, local: &str, room: &str, to: &str, key: &str) -> String {
        let relation = json!({ "rel_type": "m.annotation", "event_id": to, "key": key });
        self.happens(
            local,
            room,
            "m.reaction",
            json!({ "m.relates_to": relation }),
        )
    }

    fn happens(&self, local: &str, room: &str, kind: &str, content: Value) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        self.with_state(|state| {
            let id = format!("$said{}", state.events.len());
            let event = json!({
                "event_id": id, "type": kind, "content": content, "sender": format!("@{local}:example.org"),
                "origin_server_ts": now.as_millis() as u64,
            });
            state.events.push((room.to_owned(), event));
            id
        })
    }

    /// What rota sent that is not taken away, as far as it `is` wanted.
    pub fn sent(&self, is: impl Fn(&Sent) -> bool) -> Vec<Sent> {
        self.with_state(|state| state.sent.iter().filter(|sent| is(sent)).cloned().collect())
    }

    /// What rota said in reply to an event.
    pub fn answers(&self, event: &str) -> Vec<Sent> {
        self.sent(|sent| sent.content["m.relates_to"]["m.in_reply_to"]["event_id"] == event)
    }

    /// The texts that rota sent to a room.
    pub fn texts(&self, room: &str) -> Vec<String> {
        let sent = self.sent(|sent| sent.room == room && sent.kind == "m.room.message");
        let text = |sent: &Sent| sent.content["body"].as_str().unwrap_or_default().to_owned();
        sent.iter().map(text).collect()
    }

    /// The reactions of rota below an event.
    pub fn reactions(&self, event: &str) -> usize {
        self.sent(|sent| {
            sent.kind == "m.reaction" && sent.content["m.relates_to"]["event_id"] == event
        })
        .len()
    }

    /// Forgets where earlier syncs ended.
    pub fn forget(&self) {
        self.with_state(|state| state.forgotten = state.events.len() + 1);
    }

    /// Answers the next write like this.
    pub fn fail(&self, status: u16, body: Value) {
        self.with_state(|state| state.faults.push((status, body)));
    }

    /// The requests that no homeserver of that version would know.
    pub fn unknown(&self) -> Vec<String> {
        self.with_state(|state| state.unknown.clone())
    }

    fn serve(&self, mut stream: TcpStream) {
        let Some(request) = read_request(&mut stream) else {
            return;
        };
        let request = String::from_utf8(request).expect("text");
        let (head, body) = request.split_once("\r\n\r\n").expect("a head");
        let mut line = head.split(' ');
        let (method, target) = (line.next().unwrap(), line.next().unwrap());
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = path.strip_prefix("/_matrix/client/").unwrap_or(path);
        let parts: Vec<String> = path.split('/').map(decoded).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        let (status, answer) = match (method, &parts[..]) {
            ("GET", ["v3", "sync"]) => self.sync(query),
            _ => self.with_state(|state| state.answer(method, &parts, body)),
        };
        let answer = answer.to_string();
        let _ = write!(
            stream,
            "HTTP/1.1 {status} x\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{answer}",
            answer.len()
        );
    }

    fn sync(&self, query: &str) -> (u16, Value) {
        let since = query
            .split('&')
            .find_map(|field| field.strip_prefix("since="));
        let (state, changed) = &*self.state;
        let mut state = state.lock().unwrap();
        let Some(since) = since else {
            return (200, state.whole());
        };
        let since: Option<usize> = since.strip_prefix('s').and_then(|at| at.parse().ok());
        let Some(since) = since.filter(|since| *since >= state.forgotten || state.forgotten == 0)
        else {
            return (
                400,
                json!({ "errcode": "M_UNKNOWN", "error": "no such position" }),
            );
        };
        if state.events.len() <= since {
            let waited = changed.wait_timeout(state, Duration::from_millis(500));
            state = waited.unwrap().0;
        }
        (200, state.since(since))
    }
}

impl Room {
    fn set(&mut self, kind: &str, key: &str, content: Value) {
        self.state.insert((kind.into(), key.into()), content);
    }

    fn join(&mut self, user: &str, name: &str) {
        let content = json!({ "membership": "join", "displayname": name });
        self.set("m.room.member", user, content);
    }

    fn events(&self) -> Vec<Value> {
        let event = |((kind, key), content): (&(String, String), &Value)| json!({ "type": kind, "state_key": key, "sender": ME, "content": content });
        self.state.iter().map(event).collect()
    }
}

impl State {
    fn whole(&self) -> Value {
        let rooms = self.rooms.iter().map(|(id, room)| {
            let events = self.events.iter().filter(|(of, _)| of == id);
            let events: Vec<&Value> = events.map(|(_, event)| event).collect();
            let entry =
                json!({ "state": { "events": room.events() }, "timeline": { "events": events } });
            (id.clone(), entry)
        });
        let rooms: serde_json::Map<String, Value> = rooms.collect();
        json!({
            "next_batch": format!("s{}", self.events.len().max(self.forgotten)),
            "rooms": { "join": rooms },
            "account_data": { "events": [{ "type": "m.direct", "content": self.direct }] },
        })
    }

    fn since(&self, since: usize) -> Value {
        let mut rooms = json!({});
        for (room, event) in self.events.iter().skip(since) {
            if rooms[room].is_null() {
                rooms[room] = json!({ "timeline": { "events": [] } });
            }
            let events = rooms[room]["timeline"]["events"].as_array_mut();
            events.expect("a timeline").push(event.clone());
        }
        json!({ "next_batch": format!("s{}", self.events.len().max(since)), "rooms": { "join": rooms } })
    }

    fn answer(&mut self, method: &str, parts: &[&str], body: Value) -> (u16, Value) {
        let not_found = || (404, json!({ "errcode": "M_NOT_FOUND", "error": "none" }));
        if method != "GET" && !self.faults.is_empty() {
            return self.faults.remove(0);
        }
        match (method, parts) {
            ("GET", ["versions"]) => (200, json!({ "versions": ["v1.11"] })),
            ("GET", ["v3", "account", "whoami"]) => {
                (200, json!({ "user_id": ME, "device_id": "ROTA" }))
            }
            ("GET", ["v3", "directory", "room", "#ops:example.org"]) => {
                (200, json!({ "room_id": SPACE }))
            }
            ("GET", ["v3", "rooms", room, "state"]) => match self.rooms.get(*room) {
                Some(room) => (200, room.events().into()),
                None => (403, json!({ "errcode": "M_FORBIDDEN" })),
            },
            ("GET", ["v3", "rooms", room, "state", kind, key]) => {
                let room = self.rooms.get(*room);
                let found = room.and_then(|room| room.state.get(&((*kind).into(), (*key).into())));
                found.map_or_else(not_found, |content| (200, content.clone()))
            }
            ("GET", ["v3", "rooms", room, "joined_members"]) => {
                let state = self.rooms[*room].state.iter();
                let members = state.filter(|((kind, _), _)| kind == "m.room.member");
                let members = members.map(|((_, user), content)| {
                    (
                        user.clone(),
                        json!({ "display_name": content["displayname"] }),
                    )
                });
                let joined: serde_json::Map<String, Value> = members.collect();
                (200, json!({ "joined": joined }))
            }
            ("GET", ["v1", "rooms", SPACE, "hierarchy"]) => {
                let child = json!({ "state_key": ROOM, "content": { "via": ["example.org"] } });
                (
                    200,
                    json!({ "rooms": [
                    { "room_id": SPACE, "room_type": "m.space", "children_state": [child] },
                    { "room_id": ROOM, "name": "duty", "join_rule": "public", "children_state": [] },
                ] }),
                )
            }
            ("GET", ["v3", "profile", _]) => (200, json!({})),
            ("GET", ["v3", "user", ME, "account_data", "m.direct"]) => (200, self.direct.clone()),
            ("PUT", ["v3", "rooms", room, "send", kind, transaction]) => {
                let (next, key) = (
                    format!("$sent{}", self.sent.len()),
                    (*transaction).to_owned(),
                );
                let event = self.transactions.entry(key).or_insert(next.clone()).clone();
                if event == next {
                    let (room, kind) = ((*room).to_owned(), (*kind).to_owned());
                    self.sent.push(Sent {
                        room,
                        kind,
                        event: event.clone(),
                        content: body,
                    });
                }
                (200, json!({ "event_id": event }))
            }
            ("PUT", ["v3", "rooms", _, "redact", event, _]) => {
                for sent in &mut self.sent {
                    if sent.event == *event {
                        sent.kind = "redacted".into();
                    }
                }
                (200, json!({ "event_id": format!("$gone{event}") }))
            }
            _ => {
                self.unknown.push(format!("{method} {}", parts.join("/")));
                (404, json!({ "errcode": "M_UNRECOGNIZED" }))
            }
        }
    }
}

/// Undoes percent-encoding.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            other => other,
        });
    }
    String::from_utf8(bytes).expect("UTF-8")
}
