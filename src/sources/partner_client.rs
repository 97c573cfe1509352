//! Requests to a partner.

use super::Failure;
use super::pace::{Pace, Turn};
use crate::client::{Client, DialError, HttpResponse, Limits, Proxy, Request, Tls};
use crate::domain::partner::ReadFailure;
use crate::runtime::clock::{Clock, monotonic};
use serde::de::DeserializeOwned;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The limits of a request.
const LIMITS: Limits = Limits {
    total: Duration::from_secs(10),
    body: Duration::ZERO,
    body_bytes: 10 * 1024 * 1024,
};

/// The longest time that a call waits for its turn below the limit.
const PATIENCE: Duration = Duration::from_secs(10);

/// A client of one partner's address.
pub(super) struct PartnerClient {
    client: Client,
    /// Without a trailing slash.
    base: String,
    headers: Vec<(String, String)>,
    pace: Mutex<Pace>,
}

impl PartnerClient {
    /// A client of an address. `headers` are sent with every request.
    pub(super) fn new(
        tls: &Tls,
        proxy: Option<Proxy>,
        base: &str,
        headers: Vec<(String, String)>,
    ) -> PartnerClient {
        PartnerClient {
            // Settings permit http to this machine only.
            client: Client::new(tls, base.starts_with("http://"), proxy),
            base: base.to_owned(),
            headers,
            pace: Mutex::default(),
        }
    }

    /// The rest of a wait that the partner asked for.
    pub(super) fn held(&self) -> Duration {
        let pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        pace.held(monotonic())
    }

    /// Gets a JSON value. `path` begins with a slash and may have a query.
    pub(super) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        let url = format!("{}{path}", self.base);
        let answer = self.ask(path, Request::get(&url))?;
        read(path, &answer)
    }

    /// Posts a JSON value and gets one: a question that does not fit into a path. An error that is answered as JSON, whatever its
    /// status, is left to the caller.
    pub(super) fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &serde_json::Value,
    ) -> Result<T, Failure> {
        let url = format!("{}{path}", self.base);
        let answer = self.exchange(Request::post(&url).json(body))?;
        let is_refused_in_json =
            matches!(answer.0.status, 400 | 422) && answer.0.body.starts_with(b"{");
        if !is_refused_in_json {
            judge(&answer.0, answer.1, path)?;
        }
        read(path, &answer.0)
    }

    fn ask(&self, path: &str, request: Request) -> Result<HttpResponse, Failure> {
        let (answer, took) = self.exchange(request)?;
        judge(&answer, took, path)?;
        Ok(answer)
    }

    /// Sends a request, and says how long the answer took.
    fn exchange(&self, request: Request) -> Result<(HttpResponse, Duration), Failure> {
        self.take_turn()?;
        let mut request = request.within(LIMITS);
        request.headers.to_mut().extend_from_slice(&self.headers);
        let began = monotonic();
        let answer = self.client.send(&request).map_err(unanswered)?;
        let took = began.elapsed();
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        pace.note(&answer.headers);
        if answer.status == 429 {
            let wait = pace.refused(&answer.headers, monotonic(), Clock::system().now());
            return Err(Failure {
                wait: Some(wait),
                ..Failure::new(
                    ReadFailure::RateLimited,
                    format!(
                        "the limit of requests is reached; the next one in {} s",
                        wait.as_secs()
                    ),
                )
            });
        }
        drop(pace);
        Ok((answer, took))
    }

    /// Waits until a request may be sent, and counts it.
    fn take_turn(&self) -> Result<(), Failure> {
        let since = monotonic();
        loop {
            let turn = {
                let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
                pace.ask(monotonic())
            };
            let (wait, why) = match turn {
                Turn::Now => return Ok(()),
                Turn::In(wait) if since.elapsed() + wait <= PATIENCE => {
                    std::thread::sleep(wait);
                    continue;
                }
                Turn::In(wait) => (wait, "half of the partner's limit of requests is used up"),
                Turn::Held(wait) => (wait, "the partner asked not to be called"),
            };
            return Err(Failure {
                wait: Some(wait),
                ..Failure::new(
                    ReadFailure::RateLimited,
                    format!("{why}; the next request in {} s", wait.as_secs()),
                )
            });
        }
    }
}

/// The JSON value of an answer.
fn read<T: DeserializeOwned>(path: &str, answer: &HttpResponse) -> Result<T, Failure> {
    serde_json::from_slice(&answer.body).map_err(|error| {
        Failure::invalid(format!(
            "the answer to {} is not as documented: {}",
            without_query(path),
            shown(&error.to_string())
        ))
    })
}

/// Why there is no answer.
fn unanswered(error: DialError) -> Failure {
    let kind = match &error {
        DialError::Timeout | DialError::ResolutionTimeout => ReadFailure::Timeout,
        DialError::SecureConnection(_) => ReadFailure::SecureConnection,
        DialError::InvalidResponse(_) => ReadFailure::InvalidResponse,
        DialError::InvalidUrl(_)
        | DialError::NameResolution
        | DialError::PrivateAddress(..)
        | DialError::Connection(_)
        | DialError::Proxy(_)
        | DialError::NotSent(_)
        | DialError::Panicked => ReadFailure::Connection,
    };
    Failure::new(kind, error.to_string())
}

/// Whether an answer can be used.
fn judge(answer: &HttpResponse, took: Duration, path: &str) -> Result<(), Failure> {
    let path = without_query(path);
    let kind = match answer.status {
        // PagerDuty answers 201 to a listing.
        200..=299 => {
            if !answer.truncated {
                return Ok(());
            }
            return Err(if answer.body.len() >= LIMITS.body_bytes {
                Failure::invalid(format!("the answer to {path} is larger than 10 MB"))
            } else if took >= LIMITS.total {
                Failure::new(
                    ReadFailure::Timeout,
                    format!("the answer to {path} took too long"),
                )
            } else {
                let why = format!("the connection ended within the answer to {path}");
                Failure::new(ReadFailure::Connection, why)
            });
        }
        401 => ReadFailure::Unauthorized,
        402 | 403 => ReadFailure::Forbidden,
        404 | 410 => ReadFailure::NotFound,
        408 => ReadFailure::Timeout,
        500..=599 => ReadFailure::ServerError,
        _ => ReadFailure::InvalidResponse,
    };
    Err(Failure {
        status: Some(answer.status),
        ..Failure::new(kind, format!("{} to {path}", answer.status))
    })
}

/// Queries may hold account ids, which the log does not need.
fn without_query(path: &str) -> &str {
    path.split('?').next().unwrap_or_default()
}

/// The beginning of a text, in one line.
fn shown(text: &str) -> String {
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().take(200).map(printable).collect()
}

/// Encodes a text as one segment of a path, or a value of a query.
pub(super) fn segment(text: &str) -> String {
    crate::client::encode(text).replace('+', "%20")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, bytes: usize, truncated: bool) -> HttpResponse {
        HttpResponse {
            status,
            headers: Vec::new(),
            body: vec![b'x'; bytes],
            truncated,
        }
    }

    #[test]
    fn answers_are_judged_by_their_status() {
        let short = Duration::from_secs(1);
        for (status, kind) in [
            (200, None),
            (201, None),
            (301, Some(ReadFailure::InvalidResponse)),
            (400, Some(ReadFailure::InvalidResponse)),
            (401, Some(ReadFailure::Unauthorized)),
            (403, Some(ReadFailure::Forbidden)),
            (404, Some(ReadFailure::NotFound)),
            (422, Some(ReadFailure::InvalidResponse)),
            (500, Some(ReadFailure::ServerError)),
            (503, Some(ReadFailure::ServerError)),
        ] {
            let judged = judge(&answer(status, 1, false), short, "/x?y");
            assert_eq!(judged.err().map(|failure| failure.kind), kind, "{status}");
        }
    }

    #[test]
    fn answers_that_end_early_say_why() {
        for (bytes, seconds, kind) in [
            (LIMITS.body_bytes, 1, ReadFailure::InvalidResponse),
            (10, 10, ReadFailure::Timeout),
            (10, 1, ReadFailure::Connection),
        ] {
            let judged = judge(
                &answer(200, bytes, true),
                Duration::from_secs(seconds),
                "/x",
            );
            assert_eq!(
                judged.err().map(|failure| failure.kind),
                Some(kind),
                "{bytes}"
            );
        }
    }

    #[test]
    fn segments_stay_one_segment() {
        for (text, encoded) in [
            ("PI7DH85", "PI7DH85"),
            ("557058:a/b c", "557058%3Aa%2Fb%20c"),
            ("..", ".."),
        ] {
            assert_eq!(segment(text), encoded);
        }
    }
}
