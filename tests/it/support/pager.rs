//! A PagerDuty whose final schedules a test writes down, in the test's own process. It counts what it is asked, and fails as
//! told.

use super::receiver::{read_request, trickle};
use super::server::Start;
use super::time::rfc;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How every request is answered instead.
#[derive(Clone)]
pub enum Trouble {
    Status(u16),
    /// 429 with this `ratelimit-reset`.
    Wait(u64),
    Garbage,
    /// A body of more than 10 MB.
    Endless,
    Hangs,
    Closes,
}

/// What it has; a test changes it at any time.
#[derive(Default)]
pub struct Account {
    pub key: String,
    /// By id: the people who take turns, and the final schedule as `WHO FROM UNTIL` with instants; `-` is no end.
    pub schedules: BTreeMap<String, (String, Vec<String>)>,
    /// By id: name and address.
    pub people: BTreeMap<String, (String, Option<String>)>,
    pub trouble: Option<Trouble>,
    /// Every request, as `/path?query`.
    pub asked: Vec<String>,
}

/// A PagerDuty, until the end of the test.
pub struct Pager {
    pub url: String,
    account: Arc<Mutex<Account>>,
}

impl Pager {
    /// One with the schedule `S1` of P1 and P2, who are U1 and U2 by their addresses.
    pub fn new() -> Pager {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("its address"));
        let person = |n: u8| {
            let email = format!("U{n}@Example.com");
            (format!("P{n}"), (format!("Pager {n}"), Some(email)))
        };
        let account = Arc::new(Mutex::new(Account {
            key: "pd-key".into(),
            people: [person(1), person(2), person(3)].into(),
            ..Account::default()
        }));
        let shared = Arc::clone(&account);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || serve(stream, &shared));
            }
        });
        let pager = Pager { url, account };
        pager.has("S1", "P1 P2", &[]);
        pager
    }

    /// Changes or reads what it has.
    pub fn with<T>(&self, act: impl FnOnce(&mut Account) -> T) -> T {
        act(&mut self.account.lock().unwrap())
    }

    /// Writes a schedule down.
    pub fn has(&self, id: &str, people: &str, entries: &[&str]) {
        let entries = entries.iter().map(|entry| (*entry).to_owned()).collect();
        self.with(|account| {
            account
                .schedules
                .insert(id.into(), (people.into(), entries))
        });
    }

    /// From now on it answers like this.
    pub fn troubles(&self, trouble: impl Into<Option<Trouble>>) {
        self.with(|account| account.trouble = trouble.into());
    }

    /// How often a path was asked.
    pub fn count(&self, path: &str) -> usize {
        self.with(|account| {
            let asked = account.asked.iter();
            asked
                .filter(|asked| asked.split('?').next() == Some(path))
                .count()
        })
    }

    /// A server with settings for it.
    pub fn start(&self) -> Start {
        Start::default()
            .env("ROTA_PARTNERS_PAGERPARTNER_API_KEY", "pd-key")
            .env("ROTA_PARTNERS_PAGERPARTNER_URL", &self.url)
    }
}

fn serve(mut stream: TcpStream, account: &Mutex<Account>) {
    stream
        .set_read_timeout(Some(Duration::from_millis(20)))
        .unwrap();
    let request = (0..500).find_map(|_| read_request(&mut stream));
    let Some(request) = request else { return };
    let request = String::from_utf8(request).expect("a request of text");
    let mut words = request.split(' ');
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    assert_eq!(method, "GET", "nothing is ever written to a partner");
    let trouble = {
        let mut account = account.lock().unwrap();
        account.asked.push(target.to_owned());
        account.trouble.clone()
    };
    let (status, more, body) = match trouble {
        None => {
            let (status, body) = answer(&account.lock().unwrap(), &request, target);
            (status, String::new(), body.to_string())
        }
        Some(Trouble::Status(status)) => (status, String::new(), "{}".to_owned()),
        Some(Trouble::Wait(seconds)) => {
            (429, format!("ratelimit-reset: {seconds}\r\n"), "{}".into())
        }
        Some(Trouble::Garbage) => (200, String::new(), "<html>".to_owned()),
        Some(Trouble::Endless) => (200, String::new(), " ".repeat(11 * 1024 * 1024)),
        Some(Trouble::Hangs) => return trickle(&mut stream, b""),
        Some(Trouble::Closes) => return,
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} -\r\nContent-Type: application/json\r\n{more}Content-Length: {length}\r\n\r\n"
    );
    let _ = stream.write_all((head + &body).as_bytes());
}

fn answer(account: &Account, request: &str, target: &str) -> (u16, Value) {
    let has = |line: &str| request.lines().any(|it| it.eq_ignore_ascii_case(line));
    if !has(&format!("Authorization: Token token={}", account.key)) {
        return (401, json!({ "error": { "code": 2006 } }));
    }
    assert!(has("Content-Type: application/json"), "{request}");
    let path = target.split('?').next().unwrap();
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    match parts[..] {
        ["schedules"] => {
            let all = account.schedules.keys();
            let all: Vec<Value> = all.map(|id| head(id)).collect();
            (200, json!({ "schedules": all, "more": false }))
        }
        ["schedules", id, "overrides"] if account.schedules.contains_key(id) => {
            (200, json!({ "overrides": [] }))
        }
        ["schedules", id] => match account.schedules.get(id) {
            Some(schedule) => (200, json!({ "schedule": whole(account, id, schedule) })),
            None => (404, json!({ "error": { "code": 2100 } })),
        },
        ["users", id] => match account.people.get(id) {
            Some((name, email)) => (
                200,
                json!({ "user": { "id": id, "name": name, "email": email } }),
            ),
            None => (404, json!({ "error": { "code": 2100 } })),
        },
        _ => (404, json!({ "error": { "code": 2100 } })),
    }
}

fn head(id: &str) -> Value {
    json!({
        "id": id, "name": format!("Schedule {id}"), "time_zone": "Europe/Oslo",
        "html_url": format!("https://example.org/schedules/{id}"),
    })
}

/// One layer, and the final schedule.
fn whole(account: &Account, id: &str, (people, entries): &(String, Vec<String>)) -> Value {
    let user = |id: &str| {
        let name = account.people.get(id).map(|(name, _)| name);
        json!({ "id": id, "summary": name, "type": "user_reference" })
    };
    let entry = |text: &String| {
        let [who, from, until] = text.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{text}")
        };
        json!({ "user": user(who), "start": rfc(from), "end": (until != "-").then(|| rfc(until)) })
    };
    let entries: Vec<Value> = entries.iter().map(entry).collect();
    let users: Vec<Value> = people
        .split_whitespace()
        .map(|id| json!({ "user": user(id) }))
        .collect();
    let mut schedule = head(id);
    schedule["users"] = json!([]);
    schedule["schedule_layers"] = json!([{
        "id": "L1", "name": "Layer 1", "start": "2025-01-01T00:00:00Z", "end": null,
        "rotation_virtual_start": "2025-01-01T00:00:00Z", "rotation_turn_length_seconds": 86400,
        "users": users, "restrictions": [], "rendered_schedule_entries": entries,
    }]);
    schedule["final_schedule"] = json!({ "name": "Final", "rendered_schedule_entries": entries });
    schedule["overrides_subschedule"] =
        json!({ "name": "Overrides", "rendered_schedule_entries": [] });
    schedule
}
