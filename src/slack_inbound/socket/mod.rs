//! Socket Mode: a WebSocket that this server opens, so that Slack needs no way in.
//!
//! One registered loop opens connections; each is read by a thread of its own. When Slack asks for another connection, the next
//! one is open before the old one is let go, and both are read until Slack closes the old one, or for half a minute.

mod connection;
mod frame;
mod reader;
mod timings;

use super::intake::Intake;
use crate::chat::slack::Slack;
use crate::runtime::background::{LoopSpec, LoopThread, POLL, Runtime, StopFlag, Watch};
use crate::runtime::clock::monotonic;
use crate::runtime::wakeup::Wakeup;
use connection::Connection;
use reader::{End, Reader, Watcher};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub use timings::Timings;

/// The loop that opens connections.
const LOOP: &str = "slack socket";

/// The least time between two attempts. Slack counts them.
const BETWEEN: Duration = Duration::from_millis(100);

/// The state that the threads share.
struct Shared {
    slack: Arc<Slack>,
    intake: Arc<Intake>,
    timings: Timings,
    wakeup: Wakeup,
    stop: StopFlag,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The connections that are read, oldest first.
    open: Vec<Open>,
    /// How many have been opened.
    opened: u64,
    /// Failures in a row.
    failures: u32,
    /// No attempt before then.
    not_before: Option<Instant>,
}

/// A connection that is read.
struct Open {
    number: u64,
    since: Instant,
    /// Slack asked for another one in its place.
    to_replace: bool,
    /// Another one is in its place: it is read until then.
    leaves_at: Option<Instant>,
}

/// Opens a connection, waits for Slack's hello, and closes it.
///
/// # Errors
/// Why there is none.
pub fn try_out(slack: &Slack) -> Result<(), String> {
    let mut connection = Connection::open(slack, &Timings::usual())?;
    connection.close();
    Ok(())
}

/// Starts the loop.
pub fn start(
    runtime: &Runtime,
    slack: &Arc<Slack>,
    intake: &Arc<Intake>,
    timings: Timings,
) -> io::Result<LoopThread> {
    let shared = Arc::new(Shared {
        slack: Arc::clone(slack),
        intake: Arc::clone(intake),
        timings,
        wakeup: Wakeup::default(),
        stop: StopFlag::default(),
        state: Mutex::default(),
    });
    let spec = LoopSpec {
        name: LOOP,
        wakeup: shared.wakeup.clone(),
        stop: shared.stop.clone(),
        // Opening a connection takes as long as Slack does.
        watch: Watch::End,
    };
    runtime.start(spec, move |_| shared.turn())
}

impl Shared {
    /// Opens a connection where one is needed. Returns how long to wait.
    fn turn(self: &Arc<Shared>) -> io::Result<Duration> {
        if let Some(wait) = self.wait() {
            return Ok(wait);
        }
        if self.slack.is_app_token_refused() {
            return Ok(POLL);
        }
        let opened = Connection::open(&self.slack, &self.timings);
        self.slack.set_no_socket(opened.as_ref().err().cloned());
        match opened {
            Ok(connection) => self.read(connection)?,
            // That is told, and no failure of the network: Slack is asked again when a refused token is.
            Err(_) if self.slack.is_app_token_refused() => return Ok(POLL),
            Err(why) => {
                let wait = self.failed();
                log::warn!(
                    "slack: no socket: {why}; the next attempt is in {} s",
                    wait.as_secs()
                );
            }
        }
        Ok(self.wait().unwrap_or_default())
    }

    /// How long until there is something to do; `None` if a connection is needed now.
    fn wait(&self) -> Option<Duration> {
        let mut state = self.state();
        let now = monotonic();
        let healthy =
            |open: &Open| now.saturating_duration_since(open.since) >= self.timings.healthy;
        if state.open.iter().any(healthy) {
            state.failures = 0;
        }
        if state
            .open
            .iter()
            .any(|open| !open.to_replace && open.leaves_at.is_none())
        {
            return Some(POLL);
        }
        let left = state.not_before?.saturating_duration_since(now);
        (!left.is_zero()).then_some(left)
    }

    /// Notes a failure. Returns how long to wait.
    fn failed(&self) -> Duration {
        let mut state = self.state();
        state.failures = state.failures.saturating_add(1);
        let wait = self.timings.wait(state.failures, rand::random());
        state.not_before = Some(monotonic() + wait);
        wait
    }

    /// Has a connection read by a thread of its own, in the place of the others.
    fn read(self: &Arc<Shared>, connection: Connection) -> io::Result<()> {
        let number = {
            let mut state = self.state();
            let now = monotonic();
            for old in &mut state.open {
                let leaves_at = now + self.timings.overlap;
                old.leaves_at.get_or_insert(leaves_at);
            }
            state.opened += 1;
            state.not_before = Some(now + BETWEEN);
            let number = state.opened;
            state.open.push(Open {
                number,
                since: now,
                to_replace: false,
                leaves_at: None,
            });
            number
        };
        self.show();
        log::info!("slack: socket {number} is open");
        let reader = Reader {
            connection,
            intake: Arc::clone(&self.intake),
            watcher: Seen {
                shared: Arc::clone(self),
                number,
            },
            timings: self.timings,
            stop: self.stop.clone(),
        };
        let gone = Gone {
            shared: Arc::clone(self),
            number,
            end: None,
        };
        let thread = std::thread::Builder::new().name(format!("slack {number}"));
        let started = thread.spawn(move || gone.with(reader.run()));
        started.map(drop)
    }

    /// Notes the end of a connection.
    fn ended(&self, number: u64, end: &End) {
        let lived = {
            let mut state = self.state();
            let at = state.open.iter().position(|open| open.number == number);
            let gone = at.map(|at| state.open.remove(at));
            gone.map(|gone| {
                (
                    monotonic().saturating_duration_since(gone.since),
                    gone.leaves_at,
                )
            })
        };
        self.show();
        match (end, lived) {
            (End::Broken(why), Some((lived, None))) => {
                log::warn!("slack: socket {number} has ended: {why}");
                // One that lived for long is opened again at once.
                if lived < self.timings.healthy {
                    self.failed();
                }
            }
            _ => log::debug!("slack: socket {number} has ended: {end:?}"),
        }
        self.wakeup.wake();
    }

    /// Shows whether any connection is open.
    fn show(&self) {
        let any = !self.state().open.is_empty();
        self.slack.set_socket_connected(any);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection as its reader sees it.
struct Seen {
    shared: Arc<Shared>,
    number: u64,
}

impl Watcher for Seen {
    fn refresh(&self) {
        let mut state = self.shared.state();
        let own = state
            .open
            .iter_mut()
            .find(|open| open.number == self.number);
        if let Some(own) = own {
            own.to_replace = true;
        }
        drop(state);
        self.shared.wakeup.wake();
    }

    fn leaves_at(&self) -> Option<Instant> {
        let state = self.shared.state();
        let own = state.open.iter().find(|open| open.number == self.number);
        own.and_then(|own| own.leaves_at)
    }
}

/// Notes the end of a connection, also after a panic.
struct Gone {
    shared: Arc<Shared>,
    number: u64,
    end: Option<End>,
}

impl Gone {
    fn with(mut self, end: End) {
        self.end = Some(end);
    }
}

impl Drop for Gone {
    fn drop(&mut self) {
        let end = self.end.take();
        let end = end.unwrap_or_else(|| End::Broken("its thread panicked".to_owned()));
        self.shared.ended(self.number, &end);
    }
}
