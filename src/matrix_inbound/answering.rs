//! The loop that answers what is stored, the oldest first: the limits of a homeserver are the account's, so one thread is enough.

use super::event::{Event, What};
use super::html::joined;
use super::text::Listener;
use super::visitor::{Answer, Visitor};
use super::{calling, choices, commands};
use crate::actions::chat_envelopes as envelopes;
use crate::actions::matrix_talk::{self, MatrixDraft};
use crate::actions::{ActionError, App, Error, sessions};
use crate::chat::CallError;
use crate::chat::matrix::{Matrix, Place, Posted};
use crate::domain::chat::ChatError;
use crate::runtime::background::{LoopSpec, LoopThread, POLL, StopFlag, Watch};
use crate::runtime::clock::{Clock, monotonic};
use crate::runtime::wakeup::Wakeup;
use jiff::Timestamp;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// How long it is waited for a room that the directory does not have yet, in milliseconds.
const NEW_ROOM: i64 = 10_000;

/// Between looks at such rooms.
const SOON: Duration = Duration::from_millis(200);

/// How long nothing is tried after the homeserver did not answer.
const AGAIN: Duration = Duration::from_secs(2);

/// What is said to whoever the directory does not have.
const UNKNOWN: &str = "I do not know you: I work for members of the space alone.";

/// What is said where the storage failed.
const FAILED: &str =
    "This could not be done. Try again, or ask an administrator to look at the log.";

/// What became of something that is stored.
enum Outcome {
    /// It is recorded by this word.
    Finished(&'static str),
    /// It is looked at again soon; others need not wait.
    Later,
    /// Nothing can be posted for so long.
    Wait(Duration),
}

/// Starts the loop. `arrived` wakes it.
pub fn start(app: &App, matrix: &Arc<Matrix>, arrived: Wakeup) -> io::Result<LoopThread> {
    let stop = StopFlag::default();
    let spec = LoopSpec {
        name: "matrix: answers",
        wakeup: arrived,
        stop: stop.clone(),
        // A call may take as long as the homeserver does.
        watch: Watch::End,
    };
    let (app, matrix) = (app.clone(), Arc::clone(matrix));
    let runtime = Arc::clone(app.runtime());
    runtime.start(spec, move |_| turn(&app, &matrix, &stop))
}

/// Answers everything that is stored. Returns how long to wait.
fn turn(app: &App, matrix: &Matrix, stop: &StopFlag) -> Result<Duration, Error> {
    let mut open: Vec<(Timestamp, i64, String, Option<Event>, bool)> = Vec::new();
    for envelope in envelopes::open(app)? {
        let event = Event::of_stored(&envelope.body);
        let sent_at = event.as_ref().map_or(0, |event| event.sent_at);
        let is_late = !envelopes::is_answerable(&envelope);
        open.push((envelope.received_at, sent_at, envelope.id, event, is_late));
    }
    // What came together is in the order in which it was said.
    open.sort_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)));
    let mut wait = POLL;
    for (_, _, id, event, is_late) in open {
        if stop.is_set() {
            return Ok(POLL);
        }
        let outcome = match event {
            None => Outcome::Finished("unreadable"),
            Some(_) if is_late => {
                log::warn!("matrix: {id}: given up after half an hour");
                Outcome::Finished("given_up")
            }
            Some(event) => guarded(app, matrix, &event)?,
        };
        match outcome {
            Outcome::Finished(word) => envelopes::finish(app, &id, word)?,
            Outcome::Later => wait = wait.min(SOON),
            Outcome::Wait(length) => return Ok(length),
        }
    }
    for draft in matrix_talk::expired_drafts(app)? {
        if let Err(error) = close(app, matrix, &draft) {
            return Ok(after(&error).unwrap_or(POLL));
        }
    }
    Ok(wait)
}

/// Processes something; a panic ends it.
fn guarded(app: &App, matrix: &Matrix, event: &Event) -> Result<Outcome, Error> {
    let processed = catch_unwind(AssertUnwindSafe(|| process(app, matrix, event)));
    match processed {
        Ok(Ok(word)) => Ok(word),
        Ok(Err(Stop::Chat(error))) => Ok(match after(&error) {
            Some(wait) => Outcome::Wait(wait),
            None => {
                log::warn!("matrix: {}: {}", event.id, error.detail());
                Outcome::Finished("refused")
            }
        }),
        Ok(Err(Stop::Failed(error))) => Err(error),
        Err(_) => {
            log::error!("matrix: {}: a panic was caught", event.id);
            Ok(Outcome::Finished("failed"))
        }
    }
}

/// How long to wait before something is posted again; `None` if it is refused.
fn after(error: &ChatError) -> Option<Duration> {
    match error {
        ChatError::NotBefore(until) => Some(until.saturating_duration_since(monotonic())),
        ChatError::Unavailable(_) => Some(AGAIN),
        ChatError::Paused(_) => Some(POLL),
        _ => None,
    }
}

/// Why something is not answered.
enum Stop {
    Failed(Error),
    Chat(ChatError),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Failed(error)
    }
}

impl From<ChatError> for Stop {
    fn from(error: ChatError) -> Stop {
        Stop::Chat(error)
    }
}

impl From<CallError> for Stop {
    fn from(error: CallError) -> Stop {
        Stop::Chat(error.into())
    }
}

fn process(app: &App, matrix: &Matrix, event: &Event) -> Result<Outcome, Stop> {
    let (me, name) = matrix.own_names()?;
    let listener = Listener {
        command: &matrix.settings().command,
        id: &me,
        name: name.as_deref(),
    };
    let who = sessions::by_chat(app, &event.sender)?;
    let is_direct = matrix.is_direct(&event.room);
    let command = match &event.what {
        What::Reaction { .. } => None,
        What::Message { text, .. } => {
            let whole = || text.lines().next().map(str::trim).filter(|_| is_direct);
            listener.command_in(text).or_else(whole)
        }
    };
    let mention = match (&event.what, command) {
        (What::Message { text, .. }, None) => listener.mention_in(text),
        _ => None,
    };
    let is_said_to_us = command.is_some() || mention.is_some();
    if is_said_to_us && !is_direct && !matrix_talk::is_of_directory(app, &event.room)? {
        let age = Clock::system().now().as_millisecond() - event.sent_at;
        return Ok(match age < NEW_ROOM {
            true => Outcome::Later,
            false => Outcome::Finished("ignored"),
        });
    }
    let Some(who) = who else {
        if is_said_to_us {
            let place = Place {
                room: &event.room,
                event: &event.id,
                thread: None,
            };
            matrix.answer(place, UNKNOWN, &key(event), false)?;
        }
        return Ok(Outcome::Finished("unknown_person"));
    };
    let visitor = Visitor {
        app,
        matrix,
        who: &who,
        event,
        is_alone: is_direct && matrix.count_members(&event.room)? <= 2,
    };
    let answered = match (&event.what, command, mention) {
        (What::Reaction { to, is_yes }, ..) => choices::reacted(&visitor, to, *is_yes),
        (
            What::Message {
                replied, thread, ..
            },
            Some(command),
            _,
        ) => {
            let about = replied.as_deref().or(thread.as_deref());
            commands::answer(&visitor, command, about).map(Some)
        }
        (_, None, Some(said)) => calling::mention(&visitor, said).map(Some),
        (What::Message { text, .. }, None, None) => {
            let called = calling::called(&visitor, text)?;
            for one in &called {
                calling::ring(&visitor, one, text)?;
            }
            return Ok(Outcome::Finished(match called.is_empty() {
                true => "ignored",
                false => "rung",
            }));
        }
    };
    let answer = match answered {
        Ok(Some(answer)) => answer,
        Ok(None) => return Ok(Outcome::Finished("ignored")),
        Err(ActionError::Refused(refusal)) => Answer::private(visitor.visit().why(&refusal)?),
        Err(ActionError::Failed(error)) => {
            log::error!("matrix: {}: {error}", event.id);
            Answer::private(FAILED)
        }
    };
    post(&visitor, answer)?;
    Ok(Outcome::Finished("answered"))
}

/// Names the answer to an event.
fn key(event: &Event) -> String {
    format!("answer.{}", event.id)
}

/// Posts an answer, and keeps what waits for a confirmation.
fn post(visitor: &Visitor, answer: Answer) -> Result<(), Stop> {
    let (app, matrix, event) = (visitor.app, visitor.matrix, visitor.event);
    if !answer.lines.is_empty() {
        let posted = say(visitor, &answer)?;
        if let Some(draft) = &answer.draft {
            let draft = MatrixDraft {
                event: posted.event,
                room: posted.room,
                user: event.sender.clone(),
                body: draft.text(),
                reactions: posted.reactions.join(" "),
                expires_at: Timestamp::MAX,
            };
            matrix_talk::keep_draft(app, draft)?;
        }
    }
    if let Some(over) = &answer.closes
        && let Some(draft) = matrix_talk::draft(app, over)?
    {
        close(app, matrix, &draft)?;
    }
    Ok(())
}

fn say(visitor: &Visitor, answer: &Answer) -> Result<Posted, Stop> {
    let (matrix, event) = (visitor.matrix, visitor.event);
    let (html, asks) = (joined(&answer.lines), answer.draft.is_some());
    if visitor.is_alone || !answer.is_private {
        return Ok(matrix.answer(visitor.place(), &html, &key(event), asks)?);
    }
    let html = match answer.is_secret && !matrix.is_alone_with(&event.sender)? {
        true => "There are others in our direct room, so no link stands there.".to_owned(),
        false => html,
    };
    let posted = matrix.answer_directly(&event.sender, &html, &key(event), asks)?;
    let told = "I have answered in our direct room.";
    matrix.answer(visitor.place(), told, &format!("told.{}", event.id), false)?;
    Ok(posted)
}

/// Takes the reactions below a draft away and forgets it.
fn close(app: &App, matrix: &Matrix, draft: &MatrixDraft) -> Result<(), ChatError> {
    let reactions = draft.reactions.split(' ').filter(|one| !one.is_empty());
    matrix.take_away(&draft.room, reactions)?;
    let forgotten = matrix_talk::forget_draft(app, &draft.event);
    forgotten.map_err(|error| ChatError::Unavailable(error.to_string()))
}
