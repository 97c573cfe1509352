//! The loop that waits for what happens in rooms, and stores what concerns rota.

use super::event::Event;
use super::text;
use crate::actions::{App, Error, matrix_talk};
use crate::chat::matrix::{Heard, Matrix, Start};
use crate::chat::{CallError, Remote};
use crate::runtime::background::{LoopSpec, LoopThread, StopFlag, Watch};
use crate::runtime::clock::Clock;
use crate::runtime::wakeup::Wakeup;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// The waits after failures, one after another; the last one repeats.
const PAUSES: [Duration; 5] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(10),
    Duration::from_secs(30),
    Duration::from_secs(60),
];

/// How old something may be that is acted upon, in milliseconds by the system's clock.
const OLDEST: i64 = 60 * 60 * 1000;

/// How listening goes.
#[derive(Debug, Default)]
struct State {
    failures: usize,
    /// The homeserver did not know where to go on.
    is_lost: bool,
}

/// Starts the loop. It wakes `arrived` when something is stored.
pub fn start(app: &App, matrix: &Arc<Matrix>, arrived: Wakeup) -> io::Result<LoopThread> {
    let spec = LoopSpec {
        name: "matrix: sync",
        wakeup: Wakeup::default(),
        stop: StopFlag::default(),
        // An answer may take as long as nothing happens.
        watch: Watch::End,
    };
    let (app, matrix) = (app.clone(), Arc::clone(matrix));
    let runtime = Arc::clone(app.runtime());
    let mut state = State::default();
    runtime.start(spec, move |_| turn(&app, &matrix, &arrived, &mut state))
}

/// Listens once. Returns how long to wait before the next time.
fn turn(
    app: &App,
    matrix: &Matrix,
    arrived: &Wakeup,
    state: &mut State,
) -> Result<Duration, Error> {
    if matrix.is_paused() {
        return Ok(PAUSES[0]);
    }
    let Ok((me, name)) = matrix.own_names() else {
        return Ok(state.pause());
    };
    let since = matrix_talk::since(app, &me)?;
    let from = match &since {
        _ if state.is_lost => Start::Anew,
        Some(since) => Start::Since(since),
        None => Start::Now,
    };
    let oldest = Clock::system().now().as_millisecond() - OLDEST;
    let heard = match matrix.listen(from, oldest) {
        Ok(heard) => heard,
        Err(error) => {
            state.is_lost |= since.is_some() && matches!(error, CallError::Refused(_));
            return Ok(state.pause());
        }
    };
    let events = concerning(matrix, &heard, (&me, name.as_deref()), oldest);
    match matrix_talk::accept(app, &me, &heard.next, events)? {
        // It is asked for again.
        None => {
            log::warn!("matrix: too much waits to be answered");
            return Ok(PAUSES[0]);
        }
        Some(true) => arrived.wake(),
        Some(false) => {}
    }
    *state = State::default();
    Ok(Duration::ZERO)
}

impl State {
    fn pause(&mut self) -> Duration {
        let pause = PAUSES[self.failures.min(PAUSES.len() - 1)];
        self.failures += 1;
        pause
    }
}

/// The events that concern rota, by id and as they are stored.
fn concerning(
    matrix: &Matrix,
    heard: &Heard,
    (me, name): (&str, Option<&str>),
    oldest: i64,
) -> Vec<(String, String)> {
    let settings = matrix.settings();
    let listener = text::Listener {
        command: &settings.command,
        id: me,
        name,
    };
    let mut found = Vec::new();
    for (room, event) in &heard.events {
        let Some(read) = Event::read(room, event) else {
            continue;
        };
        let is_persons = read.sender.as_str() != me && !settings.ignore.contains(&read.sender);
        let concerns = || read.concerns(&listener, matrix.is_direct(room));
        if is_persons && read.sent_at >= oldest && concerns() {
            log::debug!("matrix: {} came", read.id);
            found.push((read.id, Event::stored(room, event)));
        }
    }
    found
}
