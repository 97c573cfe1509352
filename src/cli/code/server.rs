//! The server as these commands use it: its HTTP API, with a key or a member token.

use super::super::Failure;
use super::super::output::tell;
use crate::client::{Client, Limits, Method, Proxy, Request, Secret, Tls, Trust};
use clap::Args;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the server is, and who asks.
#[derive(Args)]
pub struct Remote {
    /// The address of the server [env: ROTA_URL] [default: http://127.0.0.1:8080]
    #[arg(long, value_name = "URL", display_order = 80)]
    url: Option<String>,
    /// A file with an API key or a member token, alone on its line [env: ROTA_API_KEY, the key itself]
    #[arg(long, value_name = "FILE", display_order = 81)]
    key_file: Option<PathBuf>,
    /// A PEM file of certificate authorities to trust, besides those compiled in [env: ROTA_CA_FILE]
    #[arg(long, value_name = "FILE", display_order = 82)]
    ca_file: Option<PathBuf>,
    /// An HTTP proxy, http://HOST:PORT [env: ROTA_PROXY]
    #[arg(long, value_name = "URL", display_order = 83)]
    proxy: Option<String>,
}

const DEFAULT_URL: &str = "http://127.0.0.1:8080";

/// A plan of many rotations is a long answer and takes the server a while.
const LIMITS: Limits = Limits {
    total: Duration::from_secs(120),
    body: Duration::ZERO,
    body_bytes: 64 * 1024 * 1024,
};

/// How often a request is sent at the most where the server asks to wait, and where it does not answer.
const TRIES: u32 = 8;
const TRIES_UNANSWERED: u32 = 3;

/// The longest single wait.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// How many items a page has.
const PAGE: usize = 100;

/// A variable of the environment; an empty one is none.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl Remote {
    /// Prepares to speak to the server. Nothing is sent.
    pub fn connect(self) -> Result<Server, Failure> {
        let url = self.url.or_else(|| variable("ROTA_URL"));
        let url = url.unwrap_or_else(|| DEFAULT_URL.to_owned());
        let url = url.trim_end_matches('/').to_owned();
        let key = match &self.key_file {
            Some(path) => read(path)?,
            None => variable("ROTA_API_KEY").ok_or_else(|| {
                "no key: set ROTA_API_KEY, or name a file that has one with --key-file; `rota key create` makes one"
                    .to_owned()
            })?,
        };
        let key = key.trim();
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Failure::Failed(
                "the key is not one: write it alone, as it was printed when it was made".into(),
            ));
        }
        let ca = self
            .ca_file
            .or_else(|| variable("ROTA_CA_FILE").map(Into::into));
        let extra = match &ca {
            Some(path) => Some(std::fs::read(path).map_err(|error| named(path, &error))?),
            None => None,
        };
        let tls = Tls::load(Trust::Bundled, extra.as_deref()).map_err(|why| match &ca {
            Some(path) => named(path, &why),
            None => Failure::Failed(why),
        })?;
        let proxy = self.proxy.or_else(|| variable("ROTA_PROXY"));
        let proxy = proxy.map(|text| Proxy::parse(&text)).transpose()?;
        let client = Client::new(&tls, true, proxy);
        let wrong = |why: &dyn std::fmt::Display| {
            Failure::Failed(format!(
                "{url}: {why}; write http://HOST:PORT or https://HOST"
            ))
        };
        let parsed = client.url(&url).map_err(|error| wrong(&error))?;
        if parsed.as_str().contains('?') {
            return Err(wrong(&"an address of a server has no query"));
        }
        Ok(Server {
            client,
            key: Secret::new(key),
            url,
        })
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| named(path, &error))
}

fn named(path: &Path, why: &dyn std::fmt::Display) -> Failure {
    Failure::Failed(format!("{}: {why}", path.display()))
}

/// Why a request did not do what it should.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// No answer, or none of this API. Whether the request was carried out is not known.
    Lost(String),
    /// The server refused it.
    Refused { status: u16, problem: Value },
}

impl Trouble {
    /// The problem as the API's JSON.
    pub fn problem(&self) -> Value {
        match self {
            Trouble::Lost(why) => json!({ "title": "No answer", "detail": why }),
            Trouble::Refused { problem, .. } => problem.clone(),
        }
    }

    pub fn code(&self) -> Option<&str> {
        match self {
            Trouble::Lost(_) => None,
            Trouble::Refused { problem, .. } => problem["code"].as_str(),
        }
    }

    pub fn status(&self) -> Option<u16> {
        match self {
            Trouble::Lost(_) => None,
            Trouble::Refused { status, .. } => Some(*status),
        }
    }

    /// One sentence.
    pub fn sentence(&self) -> String {
        match self {
            Trouble::Lost(why) => why.clone(),
            Trouble::Refused { status, problem } => sentence(*status, problem),
        }
    }
}

/// A problem of the API as one sentence.
pub fn sentence(status: u16, problem: &Value) -> String {
    let texts = ["detail", "title"].map(|member| problem[member].as_str());
    let text = texts.into_iter().flatten().find(|text| !text.is_empty());
    match (text, problem["code"].as_str()) {
        (Some(text), Some(code)) => format!("{text} ({code})"),
        (Some(text), None) => text.to_owned(),
        (None, _) => format!("the server answered {status}"),
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Failure {
        Failure::Failed(trouble.sentence())
    }
}

/// An answer that is no refusal.
#[derive(Debug)]
pub struct Reply {
    pub body: Value,
    pub etag: Option<String>,
    /// The server's time, whole seconds.
    pub date: Option<Timestamp>,
}

/// A request that writes.
pub struct Write<'a> {
    pub method: Method,
    pub path: &'a str,
    /// `If-Match` or `Idempotency-Key`, with its value.
    pub header: (&'a str, &'a str),
    pub body: Option<&'a Value>,
}

/// The server.
pub struct Server {
    client: Client,
    key: Secret,
    url: String,
}

impl Server {
    pub fn get(&self, path: &str) -> Result<Reply, Trouble> {
        self.send(Method::Get, path, None, None)
    }

    /// A POST that writes nothing.
    pub fn ask(&self, path: &str, body: &Value) -> Result<Reply, Trouble> {
        self.send(Method::Post, path, None, Some(body))
    }

    /// A write that may be sent again: it has an id of its own, or what it does once it does not do twice.
    pub fn write(&self, write: &Write) -> Result<Reply, Trouble> {
        self.send(write.method, write.path, Some(write.header), write.body)
    }

    /// Every item of a collection. `path` may have a query.
    pub fn list(&self, path: &str) -> Result<Vec<Value>, Trouble> {
        let joint = if path.contains('?') { '&' } else { '?' };
        let (mut items, mut page) = (Vec::new(), 1);
        loop {
            let reply = self.get(&format!("{path}{joint}page={page}&pageSize={PAGE}"))?;
            let Value::Object(mut envelope) = reply.body else {
                return Err(self.odd(path));
            };
            let Some(Value::Array(data)) = envelope.remove("data") else {
                return Err(self.odd(path));
            };
            items.extend(data);
            if page >= envelope["totalPages"].as_u64().unwrap_or_default() {
                return Ok(items);
            }
            page += 1;
        }
    }

    fn odd(&self, path: &str) -> Trouble {
        Trouble::Lost(format!(
            "{}{path}: this is no answer of rota's API",
            self.url
        ))
    }

    fn send(
        &self,
        method: Method,
        path: &str,
        header: Option<(&str, &str)>,
        body: Option<&Value>,
    ) -> Result<Reply, Trouble> {
        let mut tried = 0;
        loop {
            tried += 1;
            let (trouble, wait) = match self.once(method, path, header, body) {
                Ok(reply) => return Ok(reply),
                Err(failed) => failed,
            };
            let tries = match trouble {
                Trouble::Lost(_) => TRIES_UNANSWERED,
                Trouble::Refused { .. } => TRIES,
            };
            let Some(wait) = wait.filter(|_| tried < tries) else {
                return Err(trouble);
            };
            let wait = wait.unwrap_or(Duration::from_millis(250 << tried));
            if wait >= Duration::from_secs(5) {
                tell(&format!(
                    "{}; trying again in {} s",
                    trouble.sentence(),
                    wait.as_secs()
                ));
            }
            std::thread::sleep(wait.min(LONGEST_WAIT));
        }
    }

    /// Sends a request once. Beside what went wrong stands whether, and after how long, to try again.
    fn once(
        &self,
        method: Method,
        path: &str,
        header: Option<(&str, &str)>,
        body: Option<&Value>,
    ) -> Result<Reply, (Trouble, Option<Option<Duration>>)> {
        let url = format!("{}{path}", self.url);
        let request = Request {
            method,
            url: &url,
            headers: Cow::default(),
            body: Cow::default(),
            limits: LIMITS,
        };
        let request = request.header("Authorization", &format!("Bearer {}", self.key.reveal()));
        let request = match header {
            Some((name, value)) => request.header(name, value),
            None => request,
        };
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        let response = self.client.send(&request).map_err(|error| {
            let lost = Trouble::Lost(format!("{}: {error}", self.url));
            (lost, error.was_dialled().then_some(None))
        })?;
        if response.truncated {
            let lost = Trouble::Lost(format!("{url}: the answer broke off"));
            return Err((lost, Some(None)));
        }
        let read: Option<Value> = match response.body.is_empty() {
            true => Some(Value::Null),
            false => serde_json::from_slice(&response.body).ok(),
        };
        let etag = response.header("etag").map(str::to_owned);
        let date = response.header("date").and_then(|text| {
            let parsed = jiff::fmt::rfc2822::parse(text).ok();
            parsed.map(|date| date.timestamp())
        });
        match (response.status, read) {
            (200..=299, Some(body)) => Ok(Reply { body, etag, date }),
            (200..=299, None) => Err((self.odd(path), None)),
            (status @ 300..=399, _) => {
                let to = response.header("location").unwrap_or("another address");
                let lost = format!(
                    "{}: answered {status} and points to {to}; name the server's own address",
                    self.url
                );
                Err((Trouble::Lost(lost), None))
            }
            (status, body) => {
                let is_problem = body.as_ref().is_some_and(Value::is_object);
                let problem = match body {
                    Some(body) if is_problem => body,
                    _ => {
                        json!({ "status": status, "detail": format!("{}: answered {status}", self.url) })
                    }
                };
                let again = matches!(status, 429 | 502 | 503 | 504);
                let after = response
                    .header("retry-after")
                    .and_then(|text| text.parse().ok());
                let wait = again.then_some(after.map(Duration::from_secs));
                Err((Trouble::Refused { status, problem }, wait))
            }
        }
    }
}

/// An id for a write, which no other has.
pub fn fresh_id(what: &str) -> String {
    format!("{what}-{:032x}", rand::random::<u128>())
}
