//! The built-in webhook receiver: keeps what is posted to it and answers what it was told.

use super::{json, sent};
use crate::domain::refusal::Refusal;
use crate::server::{Body, Outcome, Request, Response, is_own_header};
use crate::wire::body::invalid;
use crate::wire::receiver::{self as shapes, Answer, Received, Requests};
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Requests kept in all; the oldest are forgotten.
const MOST_REQUESTS: usize = 10_000;

/// Receivers that were told what to answer.
const MOST_TOLD: usize = 1_000;

/// Bytes of requests kept in all, and of answers.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// Every receiver of the server. One is there as soon as somebody names it.
#[derive(Default)]
pub struct Receivers {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Of all receivers, oldest first, each with the receiver's name and its size.
    requests: VecDeque<Kept>,
    /// The sum of their sizes.
    bytes: usize,
    /// Of those that were told.
    answers: HashMap<String, Answer>,
}

struct Kept {
    name: String,
    size: usize,
    request: Received,
}

impl Receivers {
    /// Keeps a request, then answers as the receiver was told when the request came.
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
        // Nothing is locked while it sleeps: other requests go on, also to this receiver.
        thread::sleep(Duration::from_millis(answer.delay_ms.into()));
        let headers = answer.headers.into_iter();
        Ok(Response {
            status: answer.status,
            headers: headers
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            body: Body::from_data(answer.body),
        })
    }

    /// Sets what a receiver answers from now on, and answers with that.
    pub fn tell(&self, name: &str, request: &Request) -> Outcome {
        let answer = shapes::answer(&sent(request)?)?;
        if let Some(own) = answer.headers.keys().find(|name| is_own_header(name)) {
            return Ok(invalid(format!(
                "headers.{own}: the server sets it itself; leave it out"
            ))?);
        }
        let shown = json(&answer)?;
        self.state().tell(name, answer)?;
        Ok(shown)
    }

    /// What a receiver got, oldest first.
    pub fn show(&self, name: &str) -> Outcome {
        let requests = {
            let state = self.state();
            let kept = state.requests.iter().filter(|kept| kept.name == name);
            kept.map(|kept| kept.request.clone()).collect()
        };
        json(&Requests { requests })
    }

    /// Forgets what a receiver got; it answers as before.
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
        self.requests.push_back(Kept {
            name: name.to_owned(),
            size,
            request,
        });
        while self.requests.len() > MOST_REQUESTS || self.bytes > MOST_BYTES {
            let Some(oldest) = self.requests.pop_front() else {
                break;
            };
            self.bytes -= oldest.size;
        }
    }

    fn tell(&mut self, name: &str, answer: Answer) -> Result<(), Refusal> {
        let size = |answer: &Answer| size(&answer.headers) + answer.body.len();
        let others = self.answers.iter().filter(|(known, _)| *known != name);
        let (count, bytes) = others.fold((0, 0), |(count, bytes), (_, other)| {
            (count + 1, bytes + size(other))
        });
        if count >= MOST_TOLD {
            return invalid(format!(
                "name: at most {MOST_TOLD} receivers can be told what to answer; tell one of them again"
            ));
        }
        if bytes + size(&answer) > MOST_BYTES {
            return invalid(
                "body: the receivers' answers are too large together; send a smaller one",
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

/// The headers by their names in lower case, lines of one name joined: they are one list.
fn headers(request: &Request) -> BTreeMap<String, String> {
    let mut headers = BTreeMap::<String, String>::new();
    for (name, value) in request.headers() {
        let known = headers.entry(name.to_ascii_lowercase());
        known
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
        for number in 0..=MOST_REQUESTS {
            post(&mut state, "a", number.to_string());
        }
        assert_eq!(state.requests.len(), MOST_REQUESTS);
        assert_eq!(state.requests[0].request.body, "1");
        let mega = "x".repeat(1024 * 1024);
        for _ in 0..64 {
            post(&mut state, "b", mega.clone());
        }
        assert!(state.bytes <= MOST_BYTES, "{}", state.bytes);
        // The names count too, so one of the 64 had to go.
        assert_eq!(state.requests.len(), 63);
        state.forget("a");
        assert_eq!(state.requests.len(), 63);
        state.forget("b");
        assert_eq!((state.requests.len(), state.bytes), (0, 0));
    }

    #[test]
    fn what_can_be_told_is_bounded() {
        let mut state = State::default();
        for number in 0..MOST_TOLD {
            assert_eq!(state.tell(&number.to_string(), Answer::default()), Ok(()));
        }
        let told = |state: &mut State, name, body: usize| {
            let answer = Answer {
                body: "x".repeat(body),
                ..Answer::default()
            };
            state.tell(name, answer).is_ok()
        };
        assert!(!told(&mut state, "more", 0));
        assert!(told(&mut state, "7", MOST_BYTES));
        assert!(told(&mut state, "7", MOST_BYTES));
        assert!(!told(&mut state, "8", 1));
    }
}
