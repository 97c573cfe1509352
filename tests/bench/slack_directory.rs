//! A Slack workspace with 5,000 people and 300 user groups is read, while somebody else writes.

use crate::due::SUNDAY;
use crate::load::Client;
use crate::program::{self, Program};
use crate::seed::Scratch;
use crate::table::{Floor, row, section};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const PEOPLE: usize = 5_000;
const GROUPS: usize = 300;
const CHANNELS: usize = 1_000;

/// Readings of which the figures are the worst.
const READINGS: usize = 5;

/// Reads everything for the first time, then again and again with changes.
pub fn run() {
    section("The directory of Slack: 5,000 people, 300 user groups, 1,000 channels");
    let folder = Scratch::new("slack-directory");
    let slack = Slack::start();
    let api_url = format!("http://{}/api/", slack.address);
    let settings = [
        ("ROTA_CHAT_PLATFORM", "slack"),
        ("ROTA_SLACK_BOT_TOKEN", "xoxb-bench"),
        ("ROTA_SLACK_API_URL", &api_url),
    ];
    // The start makes a token for everybody, so the first reading is one after a start with one person.
    let path = folder.file("rota.db");
    slack.people.store(1, Ordering::SeqCst);
    let rota = program::dev_with(&path, SUNDAY, &settings);
    slack.people.store(PEOPLE, Ordering::SeqCst);
    measure("first reading", &rota, 1);
    measure("reading without a change", &rota, READINGS);
    for (what, people) in [
        ("1,000 people renamed", 1_000),
        ("everybody renamed", PEOPLE),
    ] {
        slack.renamed.store(people, Ordering::SeqCst);
        slack.generation.fetch_add(1, Ordering::SeqCst);
        measure(what, &rota, 1);
    }
    let resident = rota.resident();
    row(
        "resident memory afterwards",
        &format!("{resident:.1} MB"),
        resident,
        Floor::AtMost(60.0),
    );
}

/// Processor time of a reading, and the longest write beside it.
fn measure(what: &str, rota: &Program, readings: usize) {
    let stop = Arc::new(AtomicBool::default());
    let writes = write_until(rota, Arc::clone(&stop));
    let mut client = Client::connect(rota.address);
    let (mut most, mut took) = (0.0_f64, 0.0_f64);
    for _ in 0..readings {
        let (before, begun) = (rota.processor(), Instant::now());
        let answer = client.ask(&rota.request("POST", "/dev/sync", &[], "{}"));
        assert_eq!(answer.status, 200, "{answer:?}");
        took = took.max(begun.elapsed().as_secs_f64());
        most = most.max(rota.processor() - before);
    }
    stop.store(true, Ordering::SeqCst);
    let longest = writes.join().expect("the writer ends");
    row(
        &format!("{what}: processor time, the writer's included"),
        &format!("{most:.2} s of {took:.2} s"),
        most,
        Floor::AtMost(10.0),
    );
    let longest = longest.as_secs_f64() * 1_000.0;
    row(
        &format!("{what}: longest write beside it"),
        &format!("{longest:.1} ms"),
        longest,
        Floor::AtMost(100.0),
    );
}

/// Writes one thing after another, a hundred a second at most. Returns how long the longest one took.
fn write_until(rota: &Program, stop: Arc<AtomicBool>) -> std::thread::JoinHandle<Duration> {
    let mut client = Client::connect(rota.address);
    let request = rota.request("POST", "/dev/tokens", &[], r#"{"userId":"U0"}"#);
    std::thread::spawn(move || {
        let mut longest = Duration::ZERO;
        while !stop.load(Ordering::SeqCst) {
            let begun = Instant::now();
            assert_eq!(client.ask(&request).status, 200);
            longest = longest.max(begun.elapsed());
            std::thread::sleep(Duration::from_millis(10));
        }
        longest
    })
}

/// A Slack that answers lists, and takes messages.
pub struct Slack {
    pub address: SocketAddr,
    pub people: Arc<AtomicUsize>,
    /// How many people have the name of the generation.
    renamed: Arc<AtomicUsize>,
    generation: Arc<AtomicUsize>,
}

impl Slack {
    /// With everybody.
    pub fn start() -> Slack {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let slack = Slack {
            address: listener.local_addr().expect("a bound address"),
            people: Arc::new(AtomicUsize::new(PEOPLE)),
            renamed: Arc::default(),
            generation: Arc::default(),
        };
        let counts = [&slack.people, &slack.renamed, &slack.generation].map(Arc::clone);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let numbers = [0, 1, 2].map(|at| counts[at].load(Ordering::SeqCst));
                // A connection that ends early fails the reading, which is asserted.
                std::thread::spawn(move || drop(answer(stream, numbers)));
            }
        });
        slack
    }
}

fn answer(stream: TcpStream, numbers: [usize; 3]) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut path, mut length) = (String::new(), String::new(), 0);
    while reader.read_line(&mut line)? > 2 {
        if path.is_empty() {
            path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or_default();
        }
        line.clear();
    }
    let mut form = vec![0; length];
    reader.read_exact(&mut form)?;
    let form = String::from_utf8_lossy(&form).into_owned();
    let method = path.rsplit('/').next().unwrap_or_default();
    let body = method_answer(method, &form, numbers).to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    reader
        .get_mut()
        .write_all(&[head.as_bytes(), body.as_bytes()].concat())
}

fn method_answer(method: &str, form: &str, [people, renamed, generation]: [usize; 3]) -> Value {
    let field = |name: &str| {
        let mut pairs = form.split('&').filter_map(|pair| pair.split_once('='));
        let value = pairs.find(|(known, _)| *known == name)?.1;
        value.parse::<usize>().ok()
    };
    let from = field("cursor").unwrap_or_default();
    let page = |list: &str, all: usize, one: &dyn Fn(usize) -> Value| {
        let until = (from + field("limit").unwrap_or(all)).min(all);
        let next = if until < all {
            until.to_string()
        } else {
            String::new()
        };
        let entries: Vec<Value> = (from..until).map(one).collect();
        json!({ "ok": true, list: entries, "response_metadata": { "next_cursor": next } })
    };
    match method {
        "users.list" => page("members", people, &|number| {
            person(number, if number < renamed { generation } else { 0 })
        }),
        "usergroups.list" => page("usergroups", GROUPS, &|number| {
            let users: Vec<String> = (0..20)
                .map(|at| format!("U{}", (number * 16 + at) % people))
                .collect();
            json!({ "id": format!("S{number}"), "team_id": "T1", "name": format!("Group {number}"),
                "handle": format!("group-{number}"), "date_delete": 0, "users": users })
        }),
        "conversations.list" => page("channels", CHANNELS, &|number| {
            json!({ "id": format!("C{number}"), "name": format!("channel-{number}"), "is_private": false,
                "is_member": number % 2 == 0, "topic": { "value": "a topic of some length" } })
        }),
        _ => {
            json!({ "ok": true, "team_id": "T1", "team": "Bench", "user_id": "UBOT", "bot_id": "B1" })
        }
    }
}

/// A user about as long as Slack's.
fn person(number: usize, generation: usize) -> Value {
    let avatar = format!("https://avatars.slack-edge.com/2026-01-01/{number:0>40}_192.jpg");
    json!({
        "id": format!("U{number}"), "team_id": "T1", "name": format!("person{number}"), "deleted": number % 50 == 49,
        "color": "9f69e7", "real_name": format!("Person {number}"), "tz": "Europe/Berlin",
        "tz_label": "Central European Time", "tz_offset": 3600, "is_admin": number == 0, "is_owner": false,
        "is_primary_owner": false, "is_restricted": false, "is_ultra_restricted": false, "is_bot": false,
        "is_app_user": false, "updated": 1_767_222_000, "is_email_confirmed": true,
        "profile": {
            "title": "Engineer of many things", "phone": "", "real_name": format!("Person {number}"),
            "display_name": format!("person {number} {generation}"), "email": format!("person{number}@example.org"),
            "status_text": "", "status_emoji": "", "status_expiration": 0, "avatar_hash": "0123456789ab",
            "image_24": avatar, "image_32": avatar, "image_48": avatar, "image_72": avatar, "image_192": avatar,
            "image_512": avatar, "team": "T1",
        },
    })
}
