//! The built-in webhook receiver: stores the requests it gets and returns configured responses.

use super::{json, sent};
use crate::domain::refusal::Refusal;
use crate::server::{Body, Outcome, Request, Response, is_own_header};
use crate::wire::body::invalid;
use crate::wire::receiver::{self as shapes, Received, ReceiverResponse, Requests};
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The maximum number of stored requests; the oldest are dropped.
const MAX_REQUESTS: usize = 10_000;

/// The maximum number of receivers with a configured response.
const MAX_CONFIGURED: usize = 1_000;

/// The maximum size of stored requests and of responses, in bytes.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// All receivers. A receiver exists once it is used.
#[derive(Default)]
pub struct Receivers {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Of all receivers, oldest first, each with the receiver's name and its size.
    requests: VecDeque<StoredRequest>,
    /// The sum of their sizes.
    bytes: usize,
    /// The configured responses.
    answers: HashMap<String, ReceiverResponse>,
}

struct StoredRequest {
    name: String,
    size: usize,
    request: Received,
}

impl Receivers {
    /// Stores a request, then returns the response that was configured when it arrived.
    pub fn receive(&self, name: &str, request: &Request, at: Timestamp) -> Outcome {
        let received = Received {
            at: at.into(),
            headers: headers(request),
            body: String::from_utf8_lossy(&sent(request)?).into_owned(),
        };
        let answer = {
            let mut state = self.state();
            state.keep(name, received);
            state.answers.get(name).cloned().unwrap_or_default()
        };
        // No lock is held while it sleeps, so other requests proceed, also to this receiver.
        thread::sleep(Duration::from_millis(answer.delay_ms.into()));
        let headers = answer.headers.into_iter();
        Ok(Response {
            status: answer.status,
            headers: headers
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            body: Body::from_data(answer.body),
            least_rate: None,
        })
    }

    /// Configures the response of a receiver, and returns it.
    pub fn configure(&self, name: &str, request: &Request) -> Outcome {
        let answer = shapes::answer(&sent(request)?)?;
        if let Some(own) = answer.headers.keys().find(|name| is_own_header(name)) {
            return Ok(invalid(
                format!("headers.{own}"),
                "the server sets it itself; omit it",
            )?);
        }
        let shown = json(&answer)?;
        self.state().configure(name, answer)?;
        Ok(shown)
    }

    /// The requests of a receiver, oldest first.
    pub fn show(&self, name: &str) -> Outcome {
        let requests = {
            let state = self.state();
            let kept = state.requests.iter().filter(|kept| kept.name == name);
            kept.map(|kept| kept.request.clone()).collect()
        };
        json(&Requests { requests })
    }

    /// Drops the requests of a receiver; its response stays configured.
    pub fn forget(&self, name: &str) -> Outcome {
        self.state().forget(name);
        Ok(Response::empty(204))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn keep(&mut self, name: &str, request: Received) {
        let size = name.len() + size(&request.headers) + request.body.len();
        self.bytes += size;
        self.requests.push_back(StoredRequest {
            name: name.to_owned(),
            size,
            request,
        });
        while self.requests.len() > MAX_REQUESTS || self.bytes > MAX_BYTES {
            let Some(oldest) = self.requests.pop_front() else {
                break;
            };
            self.bytes -= oldest.size;
        }
    }

    fn configure(&mut self, name: &str, answer: ReceiverResponse) -> Result<(), Refusal> {
        let size = |answer: &ReceiverResponse| size(&answer.headers) + answer.body.len();
        let others = self
            .answers
            .iter()
            .filter(|(existing, _)| *existing != name);
        let (count, bytes) = others.fold((0, 0), |(count, bytes), (_, other)| {
            (count + 1, bytes + size(other))
        });
        if count >= MAX_CONFIGURED {
            return invalid(
                "name",
                format!(
                    "at most {MAX_CONFIGURED} receivers can have a configured response; configure one of them again"
                ),
            );
        }
        if bytes + size(&answer) > MAX_BYTES {
            return invalid(
                "body",
                "the receivers' responses are too large in total; send a smaller one",
            );
        }
        self.answers.insert(name.to_owned(), answer);
        Ok(())
    }

    fn forget(&mut self, name: &str) {
        self.requests.retain(|kept| kept.name != name);
        self.bytes = self.requests.iter().map(|kept| kept.size).sum();
    }
}

fn size(headers: &BTreeMap<String, String>) -> usize {
    let sizes = headers.iter().map(|(name, value)| name.len() + value.len());
    sizes.sum()
}

/// The headers by lower-case name; repeated lines are joined to one list.
fn headers(request: &Request) -> BTreeMap<String, String> {
    let mut headers = BTreeMap::<String, String>::new();
    for (name, value) in request.headers() {
        let existing = headers.entry(name.to_ascii_lowercase());
        existing
            .and_modify(|all| {
                all.push_str(", ");
                all.push_str(value);
            })
            .or_insert_with(|| value.to_owned());
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post(state: &mut State, name: &str, body: String) {
        let request = Received {
            at: Timestamp::UNIX_EPOCH.into(),
            headers: BTreeMap::new(),
            body,
        };
        state.keep(name, request);
    }

    #[test]
    fn the_oldest_requests_are_forgotten() {
        let mut state = State::default();
        for number in 0..=MAX_REQUESTS {
            post(&mut state, "a", number.to_string());
        }
        assert_eq!(state.requests.len(), MAX_REQUESTS);
        assert_eq!(state.requests[0].request.body, "1");
        let mega = "x".repeat(1024 * 1024);
        for _ in 0..64 {
            post(&mut state, "b", mega.clone());
        }
        assert!(state.bytes <= MAX_BYTES, "{}", state.bytes);
        // The names count too, so one of the 64 was dropped.
        assert_eq!(state.requests.len(), 63);
        state.forget("a");
        assert_eq!(state.requests.len(), 63);
        state.forget("b");
        assert_eq!((state.requests.len(), state.bytes), (0, 0));
    }

    #[test]
    fn what_can_be_told_is_bounded() {
        let mut state = State::default();
        for number in 0..MAX_CONFIGURED {
            assert_eq!(
                state.configure(&number.to_string(), ReceiverResponse::default()),
                Ok(())
            );
        }
        let configured = |state: &mut State, name, body: usize| {
            let answer = ReceiverResponse {
                body: "x".repeat(body),
                ..ReceiverResponse::default()
            };
            state.configure(name, answer).is_ok()
        };
        assert!(!configured(&mut state, "more", 0));
        assert!(configured(&mut state, "7", MAX_BYTES));
        assert!(configured(&mut state, "7", MAX_BYTES));
        assert!(!configured(&mut state, "8", 1));
    }
}
