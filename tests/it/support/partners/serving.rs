//! The server of the stand-ins.

use super::{Estate, Kind, Trouble};
use crate::support::receiver::{read_request, trickle};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpStream;
use std::sync::Mutex;
use std::time::Duration;

/// A request.
pub struct Asked {
    /// `GET /path?query`.
    pub line: String,
    pub method: String,
    /// The segments of the path, decoded.
    pub path: Vec<String>,
    pub query: Vec<(String, String)>,
    /// With names in lower case.
    pub headers: Vec<(String, String)>,
}

/// A response.
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Reply {
    pub fn ok(body: Value) -> Reply {
        Reply::with(200, body)
    }

    pub fn with(status: u16, body: Value) -> Reply {
        Reply {
            status,
            headers: Vec::new(),
            body,
        }
    }

    /// An error in the form of the three at once.
    pub fn error(status: u16, why: &str) -> Reply {
        let body = json!({
            "error": { "message": why, "code": 2000 + i64::from(status), "errors": [] },
            "message": why, "took": 0.1, "requestId": "r", "code": status,
        });
        Reply::with(status, body)
    }
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The only value of a parameter.
    pub fn one(&self, name: &str) -> Result<Option<&str>, String> {
        let mut found = self.query.iter().filter(|(known, _)| known == name);
        let first = found.next().map(|(_, value)| value.as_str());
        match found.next() {
            None => Ok(first),
            Some(_) => Err(format!("{name} is there twice")),
        }
    }

    pub fn all(&self, name: &str) -> Vec<&str> {
        let found = self.query.iter().filter(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).collect()
    }

    /// Refuses parameters that are not documented.
    pub fn knows(&self, names: &[&str]) -> Result<(), String> {
        for (name, _) in &self.query {
            if !names.contains(&name.as_str()) {
                return Err(format!("no parameter {name}"));
            }
        }
        Ok(())
    }

    pub fn instant(&self, name: &str) -> Result<Option<Timestamp>, String> {
        let Some(text) = self.one(name)? else {
            return Ok(None);
        };
        let instant = text.parse().map_err(|_| format!("{name} is no instant"))?;
        Ok(Some(instant))
    }

    pub fn number(&self, name: &str) -> Result<Option<usize>, String> {
        let Some(text) = self.one(name)? else {
            return Ok(None);
        };
        let number = text.parse().map_err(|_| format!("{name} is no number"))?;
        Ok(Some(number))
    }
}

fn decoded(text: &str, plus: bool) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' if plus => b' ',
            b'%' => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            other => other,
        });
    }
    String::from_utf8(bytes).expect("UTF-8")
}

fn parse(request: &str) -> Asked {
    let head = request.split("\r\n\r\n").next().unwrap_or_default();
    let mut lines = head.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let headers = lines.filter_map(|line| line.split_once(": "));
    Asked {
        line: format!("{method} {target}"),
        method: method.to_owned(),
        path: (path.split('/').skip(1))
            .map(|segment| decoded(segment, false))
            .collect(),
        query: pairs
            .map(|(name, value)| (decoded(name, true), decoded(value, true)))
            .collect(),
        headers: headers
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect(),
    }
}

pub fn serve(mut stream: TcpStream, kind: Kind, estate: &Mutex<Estate>) {
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let Some(request) = read_request(&mut stream) else {
        return;
    };
    let asked = parse(&String::from_utf8_lossy(&request));
    let trouble = {
        let mut estate = estate.lock().unwrap();
        estate.asked.push(asked.line.clone());
        let found = estate.troubles.iter();
        let mut found = found.filter(|(text, _)| asked.line.contains(text));
        found.next().map(|(_, trouble)| trouble.clone())
    };
    let reply = match trouble {
        None => estate.lock().unwrap().answer(kind, &asked),
        Some(Trouble::Status(status)) => Reply::error(status, "as the test says"),
        Some(Trouble::TooMany(name, value)) => {
            let mut reply = Reply::error(429, "too many");
            reply.headers.push((name.to_owned(), value));
            reply
        }
        Some(Trouble::Hangs) => {
            stream
                .set_read_timeout(Some(Duration::from_millis(20)))
                .unwrap();
            trickle(&mut stream, b"");
            return;
        }
        Some(Trouble::Garbage) => return raw(&mut stream, b"<html>no JSON</html>", 20),
        Some(Trouble::OtherJson) => Reply::ok(json!({ "hello": ["world"] })),
        Some(Trouble::Huge) => {
            let piece = vec![b' '; 12 * 1024 * 1024];
            return raw(&mut stream, &piece, piece.len());
        }
        Some(Trouble::Torn) => return raw(&mut stream, b"{\"schedule\":", 5_000),
    };
    let body = reply.body.to_string();
    let mut head = format!(
        "HTTP/1.1 {} -\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
        reply.status,
        body.len()
    );
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let _ = stream.write_all((head + "\r\n" + &body).as_bytes());
}

/// Sends a body with a length that may be wrong.
fn raw(stream: &mut TcpStream, body: &[u8], length: usize) {
    let head = format!(
        "HTTP/1.1 200 -\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(body);
}
