//! Reads one connection until it ends, and acknowledges what arrives on it.

use super::connection::{Connection, Heard};
use super::frame::{Envelope, Frame, Reason, acknowledgement};
use super::timings::Timings;
use crate::runtime::background::{POLL, StopFlag};
use crate::runtime::clock::monotonic;
use crate::slack_inbound::arrival::Arrival;
use crate::slack_inbound::intake::{Intake, NotTaken, Receipt};
use crate::slack_inbound::slot::Slot;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often it looks for answers, while any is expected.
const LOOK: Duration = Duration::from_millis(5);

/// The state that the thread of a connection shares with the one that opens connections.
pub trait Watcher: Send {
    /// Slack asked for another connection.
    fn refresh(&self);

    /// Until when it is read, if another one has taken its place.
    fn leaves_at(&self) -> Option<Instant>;
}

/// Why a connection is no longer read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It was replaced, or the server stops.
    Left,
    /// Slack closed it after announcing so.
    Announced,
    /// Anything else, in words.
    Broken(String),
}

/// An envelope that is not acknowledged yet. Dropped without an acknowledgement, its answer goes by the response URL.
struct Outstanding {
    id: String,
    takes_body: bool,
    arrival: Arc<Arrival>,
    slot: Arc<Slot>,
    until: Instant,
    intake: Arc<Intake>,
}

impl Drop for Outstanding {
    fn drop(&mut self) {
        if let Some(answered) = self.slot.close() {
            self.intake.acknowledged(answered, false);
        }
    }
}

/// A connection and its envelopes.
pub struct Reader<W> {
    pub connection: Connection,
    pub intake: Arc<Intake>,
    pub watcher: W,
    pub timings: Timings,
    pub stop: StopFlag,
}

impl<W: Watcher> Reader<W> {
    /// Reads until the end.
    pub fn run(mut self) -> End {
        let mut outstanding = Vec::new();
        let mut announced = false;
        let ended = self.read(&mut outstanding, &mut announced);
        match ended {
            Ok(()) => {
                self.connection.close();
                End::Left
            }
            Err(_) if announced => End::Announced,
            Err(why) => End::Broken(why),
        }
    }

    /// Reads until it is to be left.
    fn read(
        &mut self,
        outstanding: &mut Vec<Outstanding>,
        announced: &mut bool,
    ) -> Result<(), String> {
        let mut pinged = false;
        loop {
            self.acknowledge_due(outstanding)?;
            let leaves_at = self.watcher.leaves_at();
            let leaves = leaves_at.is_some_and(|at| at <= monotonic());
            if outstanding.is_empty() && (leaves || self.stop.is_set()) {
                return Ok(());
            }
            let wait = match outstanding.is_empty() {
                true => POLL.min(self.timings.quiet / 4),
                false => LOOK,
            };
            match self.connection.hear(monotonic() + wait)? {
                Heard::Frame(frame) => {
                    pinged = false;
                    self.follow(frame, outstanding, announced)?;
                }
                Heard::Sign => pinged = false,
                Heard::Garbage(why) => log::warn!("slack: a frame is ignored: {why}"),
                Heard::Silence => {}
            }
            let silent = monotonic().saturating_duration_since(self.connection.heard_at());
            if silent >= self.timings.dead {
                return Err(format!(
                    "nothing arrived for {} s",
                    self.timings.dead.as_secs()
                ));
            }
            if silent >= self.timings.quiet && !pinged {
                self.connection.ping()?;
                pinged = true;
            }
        }
    }

    fn follow(
        &mut self,
        frame: Frame,
        outstanding: &mut Vec<Outstanding>,
        announced: &mut bool,
    ) -> Result<(), String> {
        match frame {
            Frame::Envelope(envelope) => self.take(envelope, outstanding),
            Frame::Disconnect(Reason::Refresh) => {
                log::debug!("slack: the socket is to be replaced");
                *announced = true;
                self.watcher.refresh();
                Ok(())
            }
            Frame::Disconnect(Reason::Other(reason)) => Err(reason),
            Frame::Hello => Ok(()),
            Frame::Other(kind) => {
                log::debug!("slack: a frame of the kind {kind} is ignored");
                Ok(())
            }
        }
    }

    /// Stores an envelope. What is not stored is not acknowledged, and Slack sends it again.
    fn take(
        &mut self,
        envelope: Envelope,
        outstanding: &mut Vec<Outstanding>,
    ) -> Result<(), String> {
        let Some(class) = envelope.class else {
            log::debug!("slack: an envelope of an unknown class is acknowledged");
            return self.connection.say(acknowledgement(&envelope.id, None));
        };
        match self.intake.take(class, &envelope.payload) {
            Ok(Receipt::Plain) => self.connection.say(acknowledgement(&envelope.id, None)),
            Ok(Receipt::Full) => Ok(()),
            Ok(Receipt::Waits(arrival, slot, patience)) => {
                outstanding.push(Outstanding {
                    id: envelope.id,
                    takes_body: envelope.takes_body,
                    arrival,
                    slot,
                    until: monotonic() + patience,
                    intake: Arc::clone(&self.intake),
                });
                Ok(())
            }
            Err(NotTaken::Unreadable(why)) => {
                log::warn!("slack: an envelope is not understood: {why}");
                self.connection.say(acknowledgement(&envelope.id, None))
            }
            Err(NotTaken::Failed(error)) => {
                log::error!("slack: an envelope is not stored: {error}");
                Ok(())
            }
        }
    }

    /// Acknowledges the envelopes whose answer is ready, and those whose time is over.
    fn acknowledge_due(&mut self, outstanding: &mut Vec<Outstanding>) -> Result<(), String> {
        let mut at = 0;
        while at < outstanding.len() {
            let waiting = &outstanding[at];
            let ready = match waiting.until <= monotonic() {
                true => Some(waiting.slot.close()),
                false => waiting.slot.take().map(Some),
            };
            let Some(answered) = ready else {
                at += 1;
                continue;
            };
            let waiting = outstanding.remove(at);
            let Some(mut answered) = answered else {
                let plain = waiting.arrival.plain().filter(|_| waiting.takes_body);
                self.connection
                    .say(acknowledgement(&waiting.id, plain.as_ref()))?;
                continue;
            };
            let body = answered.reply.body.take_if(|_| waiting.takes_body);
            let said = self
                .connection
                .say(acknowledgement(&waiting.id, body.as_ref()));
            let has_it = said.is_ok() && answered.reply.body.is_none();
            // What was not sent goes by the response URL.
            answered.reply.body = answered.reply.body.or(body.filter(|_| !has_it));
            self.intake.acknowledged(answered, has_it);
            said?;
        }
        Ok(())
    }
}
