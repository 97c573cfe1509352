//! Strict stand-ins of the two systems that schedules are imported from and that nothing follows: GoAlert and Grafana OnCall.
//! They compute who is on call by code of their own, and fail the test where a request is not as the system's public schema
//! has it.

pub mod goalert;
pub mod grafana;
mod graph;

use crate::support::receiver::read_request;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// The key that the stand-ins take.
pub const LEAVING_KEY: &str = "key-of-tests";

/// Somebody there: a name and a mail address.
pub type People = BTreeMap<String, (String, String)>;

/// People of these ids, whose addresses are those of the test directory's people of the same number.
pub fn people_of(ids: &[&str]) -> People {
    let person = |id: &&str| {
        let number: String = id.chars().filter(char::is_ascii_digit).collect();
        let email = format!("u{number}@example.com");
        ((*id).to_owned(), (format!("Outside {number}"), email))
    };
    ids.iter().map(person).collect()
}

/// A request as it came.
pub struct Asked {
    pub method: String,
    /// With its query.
    pub target: String,
    /// With names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What a stand-in does with a request: a status and a body, or what is wrong with it.
pub trait System: Send + 'static {
    fn answer(&mut self, asked: &Asked, url: &str) -> Result<(u16, Value), String>;
}

struct Shared<S> {
    system: S,
    wrong: Vec<String>,
    asked: Vec<String>,
    /// Answers that are given instead, the next one first.
    instead: Vec<(u16, String)>,
}

/// A stand-in, until the end of the test.
pub struct Leaving<S> {
    pub url: String,
    shared: Arc<Mutex<Shared<S>>>,
}

impl<S: System> Leaving<S> {
    pub fn new(system: S) -> Leaving<S> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("its address"));
        let shared = Arc::new(Mutex::new(Shared {
            system,
            wrong: Vec::new(),
            asked: Vec::new(),
            instead: Vec::new(),
        }));
        let (own, base) = (Arc::clone(&shared), url.clone());
        thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let (own, base) = (Arc::clone(&own), base.clone());
                thread::spawn(move || {
                    if let Some(request) = read_request(&mut stream) {
                        serve(&mut stream, &request, &own, &base);
                    }
                });
            }
        });
        Leaving { url, shared }
    }

    /// Changes or reads what it has.
    pub fn with<T>(&self, act: impl FnOnce(&mut S) -> T) -> T {
        act(&mut self.shared.lock().unwrap().system)
    }

    /// The next requests are answered like this.
    pub fn instead(&self, answers: &[(u16, &str)]) {
        let answers = answers.iter();
        let answers = answers.map(|(status, body)| (*status, (*body).to_owned()));
        self.shared.lock().unwrap().instead = answers.collect();
    }

    /// Every request so far, with its body.
    pub fn asked(&self) -> Vec<String> {
        self.shared.lock().unwrap().asked.clone()
    }
}

impl<S> Drop for Leaving<S> {
    fn drop(&mut self) {
        if !thread::panicking() {
            let wrong = std::mem::take(&mut self.shared.lock().unwrap().wrong);
            assert!(
                wrong.is_empty(),
                "requests that break the schema: {wrong:#?}"
            );
        }
    }
}

fn serve<S: System>(stream: &mut TcpStream, request: &[u8], shared: &Mutex<Shared<S>>, url: &str) {
    let text = String::from_utf8_lossy(request);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut lines = head.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let asked = Asked {
        method: words.next().unwrap_or_default().to_owned(),
        target: words.next().unwrap_or_default().to_owned(),
        headers: lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect(),
        body: body.to_owned(),
    };
    let mut shared = shared.lock().unwrap();
    let line = format!("{} {} {body}", asked.method, asked.target);
    shared.asked.push(line.clone());
    let (status, body) = if shared.instead.is_empty() {
        match shared.system.answer(&asked, url) {
            Ok((status, body)) => (status, body.to_string()),
            Err(why) => {
                shared.wrong.push(format!("{line}: {why}"));
                (400, format!("{{\"detail\":{why:?}}}"))
            }
        }
    } else {
        shared.instead.remove(0)
    };
    drop(shared);
    let head = format!(
        "HTTP/1.1 {status} -\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all((head + &body).as_bytes());
}

/// When a local time is reached: the first time where it comes twice, the change of the clocks where it does not come.
pub fn reached(local: DateTime, tz: &TimeZone) -> Timestamp {
    let ambiguous = tz.to_ambiguous_timestamp(local);
    match ambiguous.offset() {
        AmbiguousOffset::Gap { .. } => {
            let before = ambiguous.earlier().expect("an instant");
            let change = tz.following(before - SignedDuration::from_hours(3)).next();
            change.expect("a change of the clocks").timestamp()
        }
        _ => ambiguous.compatible().expect("an instant"),
    }
}

/// When a local time is over: the second time where it comes twice.
pub fn left(local: DateTime, tz: &TimeZone) -> Timestamp {
    let ambiguous = tz.to_ambiguous_timestamp(local);
    match ambiguous.offset() {
        AmbiguousOffset::Fold { .. } => ambiguous.later().expect("an instant"),
        _ => reached(local, tz),
    }
}

/// Somebody on call without a break: who, from, until.
pub type Run = (String, Timestamp, Timestamp);

/// The runs of whoever is on call by a function, which changes only at these instants.
pub fn runs(
    from: Timestamp,
    until: Timestamp,
    edges: impl Iterator<Item = Timestamp>,
    on_call: impl Fn(Timestamp) -> Vec<String>,
) -> Vec<Run> {
    let mut edges: Vec<Timestamp> = edges.filter(|at| from < *at && *at < until).collect();
    edges.extend([from, until]);
    edges.sort();
    edges.dedup();
    let (mut runs, mut open): (Vec<Run>, BTreeMap<String, Timestamp>) = Default::default();
    for at in edges {
        let now = if at < until { on_call(at) } else { Vec::new() };
        let over: Vec<String> = open
            .keys()
            .filter(|id| !now.contains(id))
            .cloned()
            .collect();
        for id in over {
            let began = open.remove(&id).expect("it is open");
            runs.push((id, began, at));
        }
        for id in now {
            open.entry(id).or_insert(at);
        }
    }
    runs.sort_by(|one, other| (one.1, &one.0).cmp(&(other.1, &other.0)));
    runs
}
