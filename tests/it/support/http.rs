//! A small blocking HTTP/1.1 client, and assertions on responses.

use super::openapi;
use super::server::{Log, Rota};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

pub const PATCH_JSON: &str = "application/json-patch+json";
pub const PLAIN_JSON: &str = "application/json";

/// One TCP connection, with bytes read after the last response.
pub struct Connection(BufReader<TcpStream>);

impl Connection {
    pub fn open(address: &str) -> Connection {
        Connection::try_open(address).expect("the server accepts")
    }

    /// As [`Connection::open`], to a server that may be gone.
    pub fn try_open(address: &str) -> Option<Connection> {
        let stream = TcpStream::connect(address).ok()?;
        stream.set_nodelay(true).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(300)))
            .unwrap();
        Some(Connection(BufReader::new(stream)))
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.try_send(bytes).expect("the server reads");
    }

    pub fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> std::io::Result<()> {
        self.0.get_mut().write_all(bytes.as_ref())
    }

    pub fn stream(&self) -> &TcpStream {
        self.0.get_ref()
    }

    /// The next response; `None` if the server has closed or reset the connection.
    pub fn answer(&mut self, method: &str) -> Option<Reply> {
        let mut line = String::new();
        if self.0.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status: u16 = status.unwrap_or_else(|| panic!("not a status line: {line:?}"));
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).ok()?;
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            let (name, value) = line
                .split_once(':')
                .unwrap_or_else(|| panic!("header {line:?}"));
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut reply = Reply {
            status,
            headers,
            body: Vec::new(),
        };
        if method != "HEAD" && status >= 200 && status != 204 && status != 304 {
            reply.body = self.body(&reply)?;
        }
        Some(reply)
    }

    fn body(&mut self, reply: &Reply) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        if reply.header("transfer-encoding") == Some("chunked") {
            loop {
                let mut size = String::new();
                self.0.read_line(&mut size).ok()?;
                let size = usize::from_str_radix(size.trim(), 16).expect("a chunk size");
                let mut chunk = vec![0; size + 2];
                self.0.read_exact(&mut chunk).ok()?;
                body.extend_from_slice(&chunk[..size]);
                if size == 0 {
                    return Some(body);
                }
            }
        }
        match reply.header("content-length") {
            Some(length) => {
                body.resize(length.parse().expect("a Content-Length"), 0);
                self.0.read_exact(&mut body).ok()?;
            }
            None => {
                self.0.read_to_end(&mut body).ok()?;
            }
        }
        Some(body)
    }
}

/// The raw response.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| value.as_str())
    }

    fn closes(&self) -> bool {
        self.header("connection")
            .is_some_and(|c| c.eq_ignore_ascii_case("close"))
    }
}

/// A server and a credential.
#[derive(Clone)]
pub struct Caller<'a> {
    pub rota: &'a Rota,
    pub credential: Option<String>,
}

impl<'a> Caller<'a> {
    pub fn request(&self, method: &str, path: &str) -> Request<'a> {
        Request {
            rota: self.rota,
            method: method.to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
            body: None,
        }
        .maybe(
            "Authorization",
            self.credential.as_ref().map(|c| format!("Bearer {c}")),
        )
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path).send()
    }

    #[track_caller]
    pub fn post(&self, path: &str, body: Value) -> Answer {
        self.request("POST", path).json(&body).send()
    }

    #[track_caller]
    pub fn put_if(&self, path: &str, etag: &str, body: Value) -> Answer {
        self.request("PUT", path)
            .header("If-Match", etag)
            .json(&body)
            .send()
    }

    #[track_caller]
    pub fn patch_if(&self, path: &str, etag: &str, body: Value) -> Answer {
        self.request("PATCH", path)
            .header("If-Match", etag)
            .json(&body)
            .send()
    }

    #[track_caller]
    pub fn post_if(&self, path: &str, etag: &str, body: Value) -> Answer {
        self.request("POST", path)
            .header("If-Match", etag)
            .json(&body)
            .send()
    }

    #[track_caller]
    pub fn delete_if(&self, path: &str, etag: &str) -> Answer {
        self.request("DELETE", path).header("If-Match", etag).send()
    }

    #[track_caller]
    pub fn delete(&self, path: &str) -> Answer {
        self.request("DELETE", path).send()
    }

    /// Every item of a collection, page by page.
    #[track_caller]
    pub fn all(&self, path: &str) -> Vec<Value> {
        let mut items = Vec::new();
        let join = if path.contains('?') { '&' } else { '?' };
        for page in 1.. {
            let answer = self
                .get(&format!("{path}{join}page={page}&pageSize=200"))
                .is(200)
                .json();
            let data = answer["data"].as_array().expect("data").clone();
            items.extend(data);
            if page >= super::int(&answer["totalPages"]) {
                assert_eq!(
                    super::int(&answer["totalItems"]),
                    items.len() as i64,
                    "{path}"
                );
                break;
            }
        }
        items
    }
}

impl Rota {
    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.caller().get(path)
    }

    #[track_caller]
    pub fn post(&self, path: &str, body: Value) -> Answer {
        self.caller().post(path, body)
    }

    #[track_caller]
    pub fn put_if(&self, path: &str, etag: &str, body: Value) -> Answer {
        self.caller().put_if(path, etag, body)
    }

    pub fn request(&self, method: &str, path: &str) -> Request<'_> {
        self.caller().request(method, path)
    }

    /// Sends on a kept-alive connection, or on a new one if the server has closed it.
    fn exchange(&self, method: &str, bytes: &[u8]) -> Reply {
        let kept = self.idle.lock().unwrap().take();
        if let Some(mut connection) = kept {
            let sent = connection.try_send(bytes).is_ok();
            if let Some(reply) = sent.then(|| connection.answer(method)).flatten() {
                return self.keep(connection, reply);
            }
        }
        let mut connection = Connection::open(self.address());
        // The server may close before it has read everything, if it refuses early.
        let _ = connection.try_send(bytes);
        let reply = connection.answer(method);
        let reply = reply.unwrap_or_else(|| panic!("no answer:\n{}", self.process.log.tail()));
        self.keep(connection, reply)
    }

    fn keep(&self, connection: Connection, reply: Reply) -> Reply {
        if !reply.closes() {
            *self.idle.lock().unwrap() = Some(connection);
        }
        reply
    }
}

/// A request builder.
#[must_use]
pub struct Request<'a> {
    rota: &'a Rota,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
}

impl Request<'_> {
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn maybe(self, name: &str, value: Option<String>) -> Self {
        match value {
            Some(value) => self.header(name, &value),
            None => self,
        }
    }

    pub fn json(self, body: &Value) -> Self {
        self.header("Content-Type", PATCH_JSON)
            .body(body.to_string())
    }

    pub fn body(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.body = Some(bytes.into());
        self
    }

    #[track_caller]
    pub fn send(self) -> Answer {
        let Request {
            rota,
            method,
            path,
            headers,
            body,
        } = self;
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", rota.address());
        for (name, value) in &headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = &body {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend(body.unwrap_or_default());
        let reply = rota.exchange(&method, &bytes);
        let log = rota.process.log.clone();
        let answer = Answer {
            what: format!("{method} {path}"),
            reply,
            log,
        };
        let described = path.starts_with("/v1/") || path.starts_with("/webhook/");
        if described && path != openapi::PATH {
            openapi::check(rota, &method, &path, &answer);
        }
        answer
    }
}

/// A response with the context for explaining a failure.
pub struct Answer {
    pub what: String,
    pub reply: Reply,
    log: Log,
}

impl Answer {
    #[track_caller]
    pub fn fail(&self, why: &str) -> ! {
        let body = String::from_utf8_lossy(&self.reply.body);
        let (what, status) = (&self.what, self.reply.status);
        panic!(
            "{what}: {why}\nanswered {status} {body}\nlog:\n{}",
            self.log.tail()
        )
    }

    #[track_caller]
    pub fn is(self, status: u16) -> Answer {
        if self.reply.status != status {
            self.fail(&format!("expected {status}"));
        }
        self
    }

    /// Any success.
    #[track_caller]
    pub fn ok(self) -> Answer {
        if !(200..300).contains(&self.reply.status) {
            self.fail("expected a success");
        }
        self
    }

    pub fn status(&self) -> u16 {
        self.reply.status
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.reply.header(name)
    }

    #[track_caller]
    pub fn etag(&self) -> String {
        match self.header("etag") {
            Some(etag) => etag.to_owned(),
            None => self.fail("no ETag"),
        }
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.reply.body).into_owned()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.reply.body).unwrap_or_else(|e| self.fail(&format!("{e}")))
    }

    /// A refusal: the status, the code (`""` for the only one of the status) and the form of every error.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Value {
        let answer = self.is(status);
        if answer.header("content-type") != Some("application/problem+json") {
            answer.fail("expected application/problem+json");
        }
        let problem = answer.json();
        for member in ["type", "title", "status", "detail", "instance"] {
            if problem.get(member).is_none() {
                answer.fail(&format!("a problem without {member}"));
            }
        }
        if super::int(&problem["status"]) != i64::from(status) {
            answer.fail("the status in the body differs");
        }
        let expected = match (status, code) {
            (404, "") => "not_found",
            (405, "") => "method_not_allowed",
            (500, "") => "internal_error",
            (_, code) => code,
        };
        if problem.get("code").and_then(Value::as_str) != Some(expected) {
            answer.fail(&format!("expected code {expected:?}"));
        }
        problem
    }

    /// A 400 `invalid_request` whose detail names the member.
    #[track_caller]
    pub fn names(self, member: &str) {
        let what = self.what.clone();
        let problem = self.refused(400, "invalid_request");
        let detail = problem["detail"].as_str().unwrap_or_default();
        assert!(
            detail.contains(member),
            "{what}: detail names no {member}: {detail}"
        );
    }
}
