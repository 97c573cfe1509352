//! Stores what arrives, has it answered by workers, and makes the calls that follow.
//!
//! Something is stored before it is acknowledged, and recorded as processed once its answer is on its way. What was stored and
//! not recorded is processed again after a restart: writes are known by their `operationId`.

use super::arrival::{Answered, Arrival};
use super::calls::{self, Failed};
use super::incoming::{Class, Event, Incoming, Kind, Unreadable};
use super::queue::{Calls, Job, Queue};
use super::reply::{Handler, Later, Reply};
use super::slot::Slot;
use super::strangers::{FAILED, OTHER_TEAM, UNKNOWN, not_opened, told};
use crate::actions::chat_envelopes::{self as envelopes, Accepted};
use crate::actions::{App, Error, sessions};
use crate::chat::Remote;
use crate::chat::slack::Slack;
use crate::failpoint;
use crate::runtime::background::{LoopSpec, LoopThread, POLL, StopFlag, Watch};
use crate::runtime::wakeup::Wakeup;
use serde_json::Value;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// The workers, by their names in the log.
const WORKERS: [&str; 6] = [
    "slack in: 1",
    "slack in: 2",
    "slack in: 3",
    "slack in: 4",
    "slack in: 5",
    "slack in: 6",
];

/// Applies an event about people, groups or channels.
pub type DirectoryEvents = Box<dyn Fn(&App, &Value) -> Result<(), Error> + Send + Sync>;

/// Everything that comes in goes through this, whichever way it comes.
pub struct Intake {
    app: App,
    slack: Arc<Slack>,
    handler: Box<dyn Handler>,
    directory: DirectoryEvents,
    queue: Queue,
    wakeup: Wakeup,
    stop: StopFlag,
}

/// The next step of an acknowledgement.
pub enum Receipt {
    /// It waits for an answer, at most that long.
    Waits(Arc<Arrival>, Arc<Slot>, Duration),
    /// It is acknowledged at once: stored before, or nothing is answered in the acknowledgement.
    Plain,
    /// It may not be acknowledged: too much waits to be processed.
    Full,
}

/// Why something was not taken.
#[derive(Debug)]
pub enum NotTaken {
    Unreadable(Unreadable),
    /// It is not stored, so it may not be acknowledged.
    Failed(Error),
}

impl Intake {
    /// Starts the workers, with what an earlier process has left.
    ///
    /// # Errors
    /// If the database cannot be read, or no thread can be started.
    pub fn start(
        app: &App,
        slack: &Arc<Slack>,
        handler: Box<dyn Handler>,
        directory: DirectoryEvents,
    ) -> Result<(Arc<Intake>, Vec<LoopThread>), String> {
        let intake = Arc::new(Intake {
            app: app.clone(),
            slack: Arc::clone(slack),
            handler,
            directory,
            queue: Queue::default(),
            wakeup: Wakeup::default(),
            stop: StopFlag::default(),
        });
        intake.take_up().map_err(|error| error.to_string())?;
        let workers = WORKERS.iter().map(|name| intake.worker(name));
        let workers = workers.collect::<io::Result<_>>();
        Ok((intake, workers.map_err(|error| error.to_string())?))
    }

    /// Queues what is stored and not processed.
    fn take_up(&self) -> Result<(), Error> {
        let open = envelopes::open(&self.app)?;
        if !open.is_empty() {
            let number = open.len();
            log::info!("slack: {number} envelopes were stored and not processed; they are now");
        }
        for envelope in open {
            let id = envelope.id.clone();
            match Arrival::read(envelope) {
                Some(arrival) => self.queue.answer(Arc::new(arrival), None),
                None => envelopes::finish(&self.app, &id, "unreadable")?,
            }
        }
        Ok(())
    }

    fn worker(self: &Arc<Intake>, name: &'static str) -> io::Result<LoopThread> {
        let spec = LoopSpec {
            name,
            wakeup: self.wakeup.clone(),
            stop: self.stop.clone(),
            // A call may take as long as Slack does.
            watch: Watch::End,
        };
        let intake = Arc::clone(self);
        self.app.runtime().start(spec, move |_| {
            while !intake.stop.is_set() {
                match intake.queue.next() {
                    Some(Job::Answer(arrival, slot)) => intake.answer(&arrival, slot.as_deref()),
                    Some(Job::Follow(event)) => {
                        intake.note(&event);
                        intake.queue.followed();
                    }
                    Some(Job::Call(calls)) => {
                        intake.call(calls);
                        intake.queue.called();
                    }
                    None => break,
                }
            }
            Ok::<_, Error>(intake.queue.wait(POLL))
        })
    }

    /// Stores something that arrived, and has it processed.
    ///
    /// # Errors
    /// `NotTaken`.
    pub fn take(&self, class: Class, payload: &Value) -> Result<Receipt, NotTaken> {
        let incoming = Incoming::parse(class, payload).map_err(NotTaken::Unreadable)?;
        let id = incoming.id.clone();
        let accepted = envelopes::accept(&self.app, id, class.name(), payload.to_string());
        let envelope = match accepted.map_err(NotTaken::Failed)? {
            Accepted::New(envelope) => envelope,
            Accepted::Again => {
                log::debug!("slack: {} came again", incoming.id);
                return Ok(Receipt::Plain);
            }
            Accepted::Full => {
                log::warn!(
                    "slack: too much waits to be processed; {} is not taken",
                    incoming.id
                );
                return Ok(Receipt::Full);
            }
        };
        failpoint::point("slack.stored");
        log::debug!("slack: {} came, {}", incoming.id, class.name());
        let arrival = Arc::new(Arrival { incoming, envelope });
        let patience = arrival.patience();
        if patience.is_zero() {
            self.queue.answer(arrival, None);
            self.wakeup.wake();
            return Ok(Receipt::Plain);
        }
        let slot = Arc::new(Slot::default());
        self.queue
            .answer(Arc::clone(&arrival), Some(Arc::clone(&slot)));
        self.wakeup.wake();
        Ok(Receipt::Waits(arrival, slot, patience))
    }

    /// Goes on once an answer was taken out of its slot: `sent` is whether the acknowledgement had it.
    pub fn acknowledged(&self, mut answered: Answered, sent: bool) {
        if !sent {
            answered.postpone();
        }
        self.follow(answered);
    }

    fn answer(&self, arrival: &Arc<Arrival>, slot: Option<&Slot>) {
        let (reply, outcome) = self.ask(&arrival.incoming);
        failpoint::point("slack.answered");
        let answered = Answered {
            arrival: Arc::clone(arrival),
            reply,
            outcome,
        };
        let left = match slot {
            Some(slot) => slot.offer(answered),
            None => Some(answered),
        };
        // The acknowledgement of a click, and of what came before a restart, had no body.
        if let Some(late) = left {
            self.acknowledged(late, false);
        }
    }

    /// Applies an event of the directory. One that fails is not repeated: the next full reading has what it says.
    fn note(&self, arrival: &Arrival) {
        let Kind::Event(Event::Directory(event)) = &arrival.incoming.kind else {
            return;
        };
        let noted = catch_unwind(AssertUnwindSafe(|| (self.directory)(&self.app, event)));
        let outcome = match noted {
            Ok(Ok(())) => "noted",
            Ok(Err(error)) => {
                log::error!("slack: {}: {error}", arrival.incoming.id);
                "failed"
            }
            Err(_) => {
                log::error!("slack: {}: a panic was caught", arrival.incoming.id);
                "failed"
            }
        };
        self.finish(&arrival.envelope.id, outcome);
    }

    /// The answer, and one word for its outcome.
    fn ask(&self, incoming: &Incoming) -> (Reply, &'static str) {
        let nothing = |outcome| (Reply::nothing(), outcome);
        match &incoming.kind {
            Kind::Event(Event::Directory(_) | Event::Other(_)) | Kind::Other(_) => {
                return nothing("ignored");
            }
            // Programs are nobody, and two that answer each other would never end.
            Kind::Event(Event::AppMention(mention)) if mention.is_bot => return nothing("ignored"),
            _ => {}
        }
        let Some(user) = &incoming.user else {
            return nothing("ignored");
        };
        if self.is_of_another_team(incoming) {
            return (told(incoming, OTHER_TEAM), "other_team");
        }
        let asked = catch_unwind(AssertUnwindSafe(|| {
            let Some(who) = sessions::by_chat(&self.app, user)? else {
                return Ok((told(incoming, UNKNOWN), "unknown_person"));
            };
            let reply = self.handler.answer(&who, incoming)?;
            Ok::<_, Error>((reply, "answered"))
        }));
        match asked {
            Ok(Ok(answered)) => answered,
            Ok(Err(error)) => {
                log::error!("slack: {}: {error}", incoming.id);
                (told(incoming, FAILED), "failed")
            }
            Err(_) => {
                log::error!("slack: {}: a panic was caught", incoming.id);
                (told(incoming, FAILED), "failed")
            }
        }
    }

    /// Whether somebody typed or clicked in another workspace. Events of shared channels may name the other workspace.
    fn is_of_another_team(&self, incoming: &Incoming) -> bool {
        let own = self.slack.workspace().map(|own| own.team_id);
        match (&incoming.kind, &incoming.team, own) {
            (Kind::Event(_), ..) => false,
            (_, Some(team), Some(own)) => *team != own,
            _ => false,
        }
    }

    /// Makes the calls that follow, or records that nothing is left to do.
    fn follow(&self, answered: Answered) {
        if answered.reply.later.is_empty() {
            return self.finish(&answered.arrival.envelope.id, answered.outcome);
        }
        self.queue.call(Calls::now(answered));
        self.wakeup.wake();
    }

    fn call(&self, mut calls: Calls) {
        let arrival = Arc::clone(&calls.answered.arrival);
        while let Some(call) = calls.answered.reply.later.first() {
            let (id, what) = (&arrival.incoming.id, calls::name(call));
            let is_late = !envelopes::is_answerable(&arrival.envelope);
            let made = match call {
                Later::Respond { .. } if is_late => Err(Failed::ForNow("too late".into())),
                _ => calls::make(&self.slack, call),
            };
            let mut excuse = None;
            match made {
                Ok(()) => {}
                Err(Failed::ForGood(why)) => {
                    log::warn!("slack: {id}: {what}: {why}");
                    if let Later::OpenView { .. } = call {
                        excuse = arrival.response_url().map(not_opened);
                    }
                }
                Err(Failed::NotBefore(_) | Failed::ForNow(_)) if is_late => {
                    log::warn!("slack: {id}: {what}: given up after half an hour");
                    calls.answered.outcome = "given_up";
                }
                Err(Failed::NotBefore(due)) => {
                    return self.queue.call(Calls { due, ..calls });
                }
                Err(Failed::ForNow(why)) => {
                    log::info!("slack: {id}: {what}: {why}; it is tried again");
                    return self.queue.call(calls.again());
                }
            }
            let later = &mut calls.answered.reply.later;
            later.splice(..1, excuse);
            calls.tries = 0;
        }
        self.finish(&arrival.envelope.id, calls.answered.outcome);
    }

    fn finish(&self, id: &str, outcome: &'static str) {
        if let Err(error) = envelopes::finish(&self.app, id, outcome) {
            log::error!("slack: {id}: {error}; it is processed again after the next start");
        }
    }
}
