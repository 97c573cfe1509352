//! A planned hand-over: this server stops its writes and loops for a standby, which takes a last copy and then says in which epoch
//! it goes on. Until it has said so, writes go on here once its time is over.

use super::{App, Error, Result, audit, replica, sending};
use crate::domain::audit::{AuditedChange, Author};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::standby::{Successor, check_instance};
use crate::runtime::clock::monotonic;
use crate::runtime::wakeup::Wakeup;
use crate::store::{Marker, Writes, save_marker};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a standby has from when the writes end. Then they go on here.
pub const WITHIN: Duration = Duration::from_secs(10);

/// How long what is being done and sent may take to end. What is still on its way is repeated by the standby.
const ENDING: Duration = Duration::from_secs(2);

/// How often it is looked whether something is still being sent.
const LOOK: Duration = Duration::from_millis(10);

/// The hand-over of a server.
#[derive(Debug, Default)]
pub struct HandOver {
    state: Mutex<State>,
    changed: Wakeup,
}

#[derive(Debug, Default)]
enum State {
    /// There is none.
    #[default]
    None,
    /// Writes have ended for the standby of this instance, until then.
    Waiting { to: String, until: Instant },
    /// Another server writes the database.
    Over(Successor),
}

/// What is to be done about a hand-over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// Nothing, and not before so long.
    Nothing(Option<Duration>),
    /// The standby has not said that it goes on: writes go on here.
    GoesOn,
    /// The successor writes the database.
    Yields(Successor),
}

impl HandOver {
    /// Woken by every change.
    pub fn changed(&self) -> &Wakeup {
        &self.changed
    }

    /// What is to be done.
    pub fn look(&self) -> Look {
        let mut state = self.state();
        match &*state {
            State::None => Look::Nothing(None),
            State::Waiting { until, .. } => {
                let left = until.saturating_duration_since(monotonic());
                if left.is_zero() {
                    *state = State::None;
                    return Look::GoesOn;
                }
                Look::Nothing(Some(left))
            }
            State::Over(successor) => Look::Yields(successor.clone()),
        }
    }

    fn set(&self, state: State) {
        *self.state() = state;
        self.changed.wake();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends writes and loops for a standby. Returns the epoch of the database.
///
/// # Errors
/// If they have ended already, or if the entry of the audit log cannot be written; then they go on.
pub fn begin(app: &App, author: &Author, to: &str) -> Result<u64> {
    check_instance(to)?;
    let hand_over = app.hand_over();
    {
        let mut state = hand_over.state();
        if !matches!(*state, State::None) {
            return Err(Error::HandingOver.into());
        }
        *state = State::Waiting {
            to: to.to_owned(),
            until: monotonic() + WITHIN,
        };
    }
    hand_over.changed.wake();
    let subject = to.to_owned();
    let written = audit::write(app.store(), author, move |_, _| -> Result<_> {
        let change = "writes end here for a standby that takes over";
        Ok(((), Some(AuditedChange::of(&subject, change))))
    });
    if written.is_err() {
        hand_over.set(State::None);
    }
    written?;
    app.store().set_writes(Writes::HandingOver);
    let deadline = monotonic() + ENDING;
    app.runtime().pause(ENDING);
    while sending::any_in_flight(app)? && deadline.elapsed().is_zero() {
        std::thread::sleep(LOOK);
    }
    app.replicas().expect_one();
    Ok(replica::epoch(app)?.number)
}

/// Yields to the standby that goes on in an epoch. The file remembers it.
///
/// # Errors
/// If no hand-over to it waits, or the epoch is not a later one; then everything stays as it is.
pub fn finish(app: &App, to: &str, epoch: u64) -> Result<u64> {
    let own = replica::epoch(app)?.number;
    if epoch <= own {
        return Ok(invalid("epoch", format!("send {} or more", own + 1))?);
    }
    let hand_over = app.hand_over();
    let mut state = hand_over.state();
    let waits = matches!(&*state, State::Waiting { to: known, until } if known == to && *until > monotonic());
    if !waits {
        return Err(Refusal::HandOverEnded.into());
    }
    let marker = Marker {
        first: app.base_url().to_owned(),
        copied_at: app.now(),
        epoch,
        is_copy: false,
    };
    save_marker(app.store().path(), &marker).map_err(Error::Lost)?;
    app.store()
        .set_writes(Writes::At(marker.first.as_str().into()));
    *state = State::Over(Successor {
        instance: to.to_owned(),
        epoch,
    });
    drop(state);
    hand_over.changed.wake();
    Ok(epoch)
}

/// Takes writes again, and has loops take their turns.
pub fn go_on(app: &App) {
    app.store().set_writes(Writes::Here);
    app.runtime().resume();
}
