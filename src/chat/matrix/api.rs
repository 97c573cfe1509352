//! Calls the homeserver: one bounded request each, with its class of failure and its count.

use super::error::{SERVER, read};
use super::seen::Seen;
use super::settings::MatrixSettings;
use super::writes::{Rank, Writes};
use crate::chat::call_error::{CallError, Class, Pause};
use crate::chat::health::{Health, Leave};
use crate::chat::{ReadingEvents, Remote};
use crate::client::{Client, HttpResponse, Limits, Method, Request, Secret, Tls, encode_segment};
use crate::metrics::Metrics;
use crate::runtime::clock::{Clock, monotonic};
use crate::runtime::wakeup::Wakeup;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The limits of a call. The state of a large room, and all rooms of an account, take some megabytes.
const LIMITS: Limits = Limits {
    total: Duration::from_secs(15),
    body: Duration::ZERO,
    body_bytes: 32 * 1024 * 1024,
};

/// The names of calls in metrics: the last fixed words of their paths.
const CALLS: [&str; 18] = [
    "sync",
    "send",
    "state",
    "redact",
    "createRoom",
    "invite",
    "kick",
    "join",
    "leave",
    "joined_members",
    "members",
    "hierarchy",
    "profile",
    "whoami",
    "versions",
    "messages",
    "account_data",
    "room",
];

/// A call of the client-server API.
#[derive(Clone, Debug)]
pub(super) struct Call<'a> {
    name: &'static str,
    method: Method,
    /// Below `/_matrix/client/`.
    path: String,
    body: Option<&'a Value>,
    /// How it waits where the homeserver limits writes; `None` for what is never limited by us.
    rank: Option<Rank>,
    patience: Duration,
}

impl<'a> Call<'a> {
    fn new(name: &'static str, method: Method, segments: &[&str]) -> Call<'a> {
        let segments: Vec<String> = segments.iter().map(|one| encode_segment(one)).collect();
        Call {
            name,
            method,
            path: segments.join("/"),
            body: None,
            rank: None,
            patience: LIMITS.total,
        }
    }

    /// A reading.
    pub(super) fn get(name: &'static str, segments: &[&str]) -> Call<'a> {
        Call::new(name, Method::Get, segments)
    }

    /// A write that is made each time.
    pub(super) fn post(name: &'static str, segments: &[&str], body: &'a Value) -> Call<'a> {
        Call {
            body: Some(body),
            rank: Some(Rank::State),
            ..Call::new(name, Method::Post, segments)
        }
    }

    /// A write that may be repeated.
    pub(super) fn put(name: &'static str, segments: &[&str], body: &'a Value) -> Call<'a> {
        Call {
            method: Method::Put,
            ..Call::post(name, segments, body)
        }
    }

    /// Adds a query, as it is sent.
    pub(super) fn query(mut self, query: &str) -> Call<'a> {
        self.path = format!("{}?{query}", self.path);
        self
    }

    pub(super) fn rank(self, rank: Rank) -> Call<'a> {
        let rank = Some(rank);
        Call { rank, ..self }
    }

    /// Waits for the answer at most that long.
    pub(super) fn patience(self, patience: Duration) -> Call<'a> {
        Call { patience, ..self }
    }
}

/// The account that is set up: its homeserver and what is known of its state.
pub struct Matrix {
    pub(super) settings: MatrixSettings,
    pub(super) client: Client,
    /// The client that waits for changes: it can be ended alone.
    pub(super) waiting: Client,
    pub(super) clock: Arc<Clock>,
    metrics: Arc<Metrics>,
    token: Mutex<Secret>,
    pub(super) writes: Writes,
    pub(super) health: Health,
    pub(super) meanwhile: ReadingEvents,
    seen: Mutex<Seen>,
    /// The id of the space, once its alias was looked up.
    pub(super) space: Mutex<Option<String>>,
    /// Wakes whoever reads the directory.
    pub(super) news: Wakeup,
    /// Whether something has changed since the directory was last read.
    pub(super) has_news: AtomicBool,
    /// When a wait for changes was last answered.
    pub(super) followed_at: Mutex<Option<Instant>>,
    /// Counts readings of all rooms. It begins at random, because a homeserver outlives this process.
    pub(super) readings: AtomicU32,
    /// Held while a direct room is looked for or made.
    pub(super) making: Mutex<()>,
}

impl Matrix {
    /// Creates the platform. Nothing is called yet.
    pub fn new(
        settings: MatrixSettings,
        tls: &Tls,
        clock: Arc<Clock>,
        metrics: Arc<Metrics>,
    ) -> Matrix {
        for name in CALLS {
            metrics.expect_chat_method(name);
        }
        let client = || Client::new(tls, settings.homeserver.is_plain(), None);
        Matrix {
            client: client(),
            waiting: client(),
            token: Mutex::new(settings.token.token.clone()),
            settings,
            clock,
            metrics,
            writes: Writes::default(),
            health: Health::new(SERVER),
            meanwhile: ReadingEvents::default(),
            seen: Mutex::default(),
            space: Mutex::default(),
            news: Wakeup::default(),
            has_news: AtomicBool::new(false),
            followed_at: Mutex::default(),
            readings: AtomicU32::new(rand::random()),
            making: Mutex::default(),
        }
    }

    /// The operator's settings.
    pub fn settings(&self) -> &MatrixSettings {
        &self.settings
    }

    /// What the last reading saw, with what was done since.
    pub(super) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls the homeserver. A write that has to wait, and a call while the platform is paused, is not made.
    ///
    /// # Errors
    /// [`CallError`], by what follows from it.
    pub(super) fn call(&self, call: &Call) -> Result<Value, CallError> {
        match self.health.leave(self.clock.now()) {
            Leave::Given => {}
            Leave::Refused(pause) => return Err(CallError::Paused(pause)),
            Leave::Ask => self.ask_workspace().map(drop)?,
        }
        self.send(call)
    }

    /// As [`Matrix::call`], of what answers with a list.
    pub(super) fn call_list(&self, call: &Call) -> Result<Vec<Value>, CallError> {
        match self.call(call)? {
            Value::Array(list) => Ok(list),
            _ => Err(CallError::Transient(format!(
                "{} answers without a list",
                call.name
            ))),
        }
    }

    /// As [`Matrix::call`], also while the platform is paused.
    pub(super) fn send(&self, call: &Call) -> Result<Value, CallError> {
        self.send_by(&self.client, call)
    }

    /// As [`Matrix::send`], with a client of its own.
    pub(super) fn send_by(&self, client: &Client, call: &Call) -> Result<Value, CallError> {
        if let Some(until) = (call.rank).and_then(|rank| self.writes.opens(rank, monotonic())) {
            return Err(CallError::NotBefore(until));
        }
        let result = self.request(client, call).and_then(|answer| read(&answer));
        if !matches!(result, Err(Class::Transient(_))) {
            self.health.answered();
        }
        let result = result.map_err(|class| self.follow_up(class, call));
        let outcome = result.as_ref().map_or_else(CallError::outcome, |_| "ok");
        self.metrics.chat_requested(call.name, outcome);
        log::debug!("matrix: {}: {outcome}", call.name);
        result
    }

    /// The answer to a call, without consequences: for `rota matrix check`.
    pub(super) fn request(&self, client: &Client, call: &Call) -> Result<HttpResponse, Class> {
        let url = format!("{}/_matrix/client/{}", self.settings.homeserver, call.path);
        let token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        let bearer = format!("Bearer {}", token.reveal());
        drop(token);
        let limits = Limits {
            total: call.patience,
            ..LIMITS
        };
        let request = Request::new(call.method, &url)
            .within(limits)
            .header("Authorization", &bearer);
        let request = match call.body {
            Some(body) => request.json(body),
            None => request,
        };
        let answer = client.send(&request);
        answer.map_err(|error| Class::Transient(format!("no answer: {error}")))
    }

    /// Records what follows from a failure for later calls.
    fn follow_up(&self, class: Class, call: &Call) -> CallError {
        match class {
            Class::Wait(length) => {
                let until = monotonic() + length;
                if call.rank.is_some() {
                    self.writes.close(until);
                }
                self.metrics.chat_rate_limited(call.name);
                log::info!(
                    "matrix: {} waits for {} s, as the homeserver asks",
                    call.name,
                    length.as_secs_f32()
                );
                CallError::NotBefore(until + (call.rank).map_or(Duration::ZERO, Rank::behind))
            }
            Class::Transient(why) => {
                if self.health.failed(&why) {
                    log::warn!("matrix: {}: {why}", call.name);
                }
                CallError::Transient(why)
            }
            Class::Refused(refusal) => CallError::Refused(refusal),
            Class::Paused(pause) => self.pause(pause),
        }
    }

    pub(super) fn pause(&self, pause: Pause) -> CallError {
        if self.health.pause(pause.clone(), self.clock.now()) {
            log::error!("matrix: {pause}; nothing is sent until it is taken again");
        }
        CallError::Paused(pause)
    }

    /// Reads the token again, where it is in a file.
    pub(super) fn read_token(&self) {
        let Some(file) = &self.settings.token.file else {
            return;
        };
        match std::fs::read_to_string(file) {
            Ok(text) if !text.trim().is_empty() => {
                let mut token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
                *token = Secret::new(text.trim());
            }
            Ok(_) => log::warn!("matrix: {}: nothing is in it", file.display()),
            Err(error) => log::warn!("matrix: {}: {error}", file.display()),
        }
    }
}
