//! A strict ntfy server, by its public documentation: it takes JSON at its root alone, and refuses what the documentation does
//! not name.

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request that was taken.
#[derive(Clone, Debug)]
pub struct Published {
    /// The header `Authorization`.
    pub authorization: Option<String>,
    pub body: Value,
}

#[derive(Default)]
struct State {
    /// Taken requests.
    published: Vec<Published>,
    /// Answers to come instead, first in first out: status and further headers.
    instead: Vec<(u16, String)>,
    /// What was wrong with requests that the documentation does not permit.
    wrong: Vec<String>,
}

/// The server, until the end of the test. Topics that begin with `secret` need the token `tk_right`.
pub struct Ntfy {
    pub port: u16,
    state: Arc<Mutex<State>>,
}

impl Ntfy {
    pub fn new() -> Ntfy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let state: Arc<Mutex<State>> = Arc::default();
        let ntfy = Ntfy {
            port: listener.local_addr().expect("its address").port(),
            state: Arc::clone(&state),
        };
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let state = Arc::clone(&state);
                std::thread::spawn(move || answer(stream, &state));
            }
        });
        ntfy
    }

    /// The address of a topic.
    pub fn topic(&self, topic: &str) -> String {
        format!("http://127.0.0.1:{}/{topic}", self.port)
    }

    /// Answers the next request with this instead.
    pub fn then(&self, status: u16, headers: &str) {
        let mut state = self.state.lock().unwrap();
        state.instead.push((status, headers.to_owned()));
    }

    /// What was published, in order of arrival. Every request was one that the documentation permits.
    pub fn published(&self) -> Vec<Published> {
        let state = self.state.lock().unwrap();
        assert_eq!(state.wrong, Vec::<String>::new());
        state.published.clone()
    }
}

fn answer(mut stream: TcpStream, state: &Mutex<State>) {
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .expect("a time-out");
    let Some((head, body)) = request(&mut stream) else {
        return;
    };
    let (status, headers, body) = judged(&head, &body, state);
    let text = body.to_string();
    let answer = format!(
        "HTTP/1.1 {status} x\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    );
    // A client that is gone needs no answer.
    let _ = stream.write_all(answer.as_bytes());
}

fn request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
            let length: usize =
                header(&head, "content-length").map_or(Some(0), |text| text.parse().ok())?;
            if bytes.len() >= end + 4 + length {
                return Some((head, bytes[end + 4..end + 4 + length].to_vec()));
            }
        }
        let mut piece = [0; 4096];
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
        }
    }
}

fn header(head: &str, name: &str) -> Option<String> {
    let lines = head.lines().skip(1).filter_map(|line| line.split_once(':'));
    let mut found = lines.filter(|(known, _)| known.eq_ignore_ascii_case(name));
    found.next().map(|(_, value)| value.trim().to_owned())
}

fn judged(head: &str, body: &[u8], state: &Mutex<State>) -> (u16, String, Value) {
    let mut state = state.lock().unwrap();
    let parsed = match read(head, body) {
        Ok(parsed) => parsed,
        Err(why) => {
            state.wrong.push(why);
            let error = json!({ "code": 40024, "http": 400, "error": "invalid request" });
            return (400, String::new(), error);
        }
    };
    if !state.instead.is_empty() {
        let (status, headers) = state.instead.remove(0);
        let error =
            json!({ "code": u32::from(status) * 100 + 1, "http": status, "error": "asked for" });
        return (status, headers, error);
    }
    let authorization = header(head, "authorization");
    let topic = parsed["topic"].as_str().unwrap_or_default().to_owned();
    if topic.starts_with("secret") && authorization.as_deref() != Some("Bearer tk_right") {
        let error = json!({ "code": 40301, "http": 403, "error": "forbidden" });
        return (403, String::new(), error);
    }
    let taken = json!({
        "id": format!("m{}", state.published.len()),
        "time": 1_767_600_000, "expires": 1_767_643_200, "event": "message", "topic": topic,
        "message": parsed["message"],
    });
    state.published.push(Published {
        authorization,
        body: parsed,
    });
    (200, String::new(), taken)
}

/// The body of a request, if the documentation permits it.
fn read(head: &str, body: &[u8]) -> Result<Value, String> {
    let line = head.lines().next().unwrap_or_default();
    if !matches!(line, "POST / HTTP/1.1" | "PUT / HTTP/1.1") {
        return Err(format!("JSON is published at the root, not by {line}"));
    }
    let kind = header(head, "content-type").unwrap_or_default();
    if !kind.starts_with("application/json") || body.len() > 8_192 {
        return Err(format!("{kind}, {} bytes", body.len()));
    }
    let body: Value = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let members = body.as_object().ok_or("no object")?;
    for (name, value) in members {
        let texts = |value: &Value| {
            value
                .as_array()
                .is_some_and(|all| all.iter().all(Value::is_string))
        };
        let fits = match name.as_str() {
            "topic" => value.as_str().is_some_and(|topic| {
                let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
                (1..=64).contains(&topic.len()) && topic.chars().all(plain)
            }),
            "message" => value.as_str().is_some_and(|message| message.len() <= 4_096),
            "title" => value.is_string(),
            "tags" => texts(value),
            "priority" => value.as_u64().is_some_and(|one| (1..=5).contains(&one)),
            "click" => value.as_str().is_some_and(|url| url.starts_with("http")),
            _ => false,
        };
        if !fits {
            return Err(format!("{name}: {value}"));
        }
    }
    match members.contains_key("topic") {
        true => Ok(body),
        false => Err("no topic".into()),
    }
}
