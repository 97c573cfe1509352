//! Tells people of what moved in their own plan (rules.md 28): writes mark their rotation, and some time later its plan is compared
//! with the told plan.

mod carrying;
mod comparing;
mod marking;

pub use carrying::{carry_on, last_midnight};
pub(super) use marking::{mark, mark_change, tell_of_deletion};

use super::{ActionError, App, Error, agenda, audit, reads};
use crate::domain::access::Principal;
use crate::domain::audit::{AuditedChange, Author, Phrase, listed};
use crate::domain::ids::{RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::told_plan::PendingNotices;
use crate::failpoint;
use crate::runtime::clock::{monotonic, real_time};
use crate::store::{self, WriteTx};
use comparing::Comparison;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// `[notices]`: how far ahead people are told, and how long after the last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoticeSettings {
    pub horizon: SignedDuration,
    /// In real time.
    pub delay: SignedDuration,
}

impl Default for NoticeSettings {
    fn default() -> NoticeSettings {
        NoticeSettings {
            horizon: SignedDuration::from_hours(60 * 24),
            delay: SignedDuration::from_secs(60),
        }
    }
}

/// The settings, and whose turn it is to compare.
#[derive(Debug, Default)]
pub struct Notices {
    settings: NoticeSettings,
    /// Held while plans are compared, so that each is replaced by the next one.
    turn: Mutex<()>,
}

impl Notices {
    /// With these settings.
    pub fn new(settings: NoticeSettings) -> Notices {
        Notices {
            settings,
            turn: Mutex::default(),
        }
    }

    /// The settings.
    pub fn settings(&self) -> NoticeSettings {
        self.settings
    }

    fn take_turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Rotations whose people are told in one commit.
const BATCH: usize = 16;

/// How long a rotation that cannot be read is left alone.
const BACK_OFF: Duration = Duration::from_secs(600);

/// Tells people of one rotation after the other, and knows which rotations failed.
#[derive(Debug, Default)]
pub struct NoticeWorker {
    failing: HashMap<RotationId, Instant>,
}

impl NoticeWorker {
    /// Tells everybody whose time has come. Returns how many people were told.
    pub fn send_due(&mut self, app: &App) -> Result<usize, Error> {
        let (now, delay) = (real_time(), app.notices().settings.delay);
        self.send_where(app, |pending| pending.is_due(now, delay))
    }

    fn send_where(
        &mut self,
        app: &App,
        is_due: impl Fn(&PendingNotices) -> bool,
    ) -> Result<usize, Error> {
        self.failing.retain(|_, until| *until > monotonic());
        let marked = app.store().read(store::list_pending_notices)?;
        let due = marked.into_iter().filter(|(_, pending)| is_due(pending));
        let due: Vec<RotationId> = due
            .map(|(id, _)| id)
            .filter(|id| !self.failing.contains_key(id))
            .collect();
        let mut told = 0;
        for together in due.chunks(BATCH) {
            for (id, outcome) in send(app, together, None)? {
                match outcome {
                    Ok(users) => told += users.len(),
                    Err(error) => self.note(id, &error),
                }
            }
        }
        agenda::invite_at_once(app)?;
        Ok(told)
    }

    fn note(&mut self, id: RotationId, error: &Error) {
        log::error!(
            "notices: rotation {id}: {error}; next try in {} s",
            BACK_OFF.as_secs()
        );
        self.failing.insert(id, monotonic() + BACK_OFF);
    }
}

/// Tells everybody of all that is pending, however new it is. Returns how many people were told.
pub fn send_all(app: &App) -> Result<usize, Error> {
    NoticeWorker::default().send_where(app, |_| true)
}

/// Who was told of each rotation.
type Outcomes = Vec<(RotationId, Result<Vec<UserId>, Error>)>;

/// How often plans are compared outside of a transaction. Then something keeps changing them.
const LOOKS: usize = 3;

/// Compares the plans of these rotations with what people were told, and tells them in one commit. Nothing is computed in the
/// transaction, unless writes keep coming in between.
fn send(app: &App, ids: &[RotationId], author: Option<&Author>) -> Result<Outcomes, Error> {
    let _turn = app.notices().take_turn();
    let mut outcomes = Vec::new();
    let mut left = ids.to_vec();
    for _ in 0..LOOKS {
        let mut compared = Vec::new();
        for id in left.drain(..) {
            match app.store().read(|tx| Comparison::of(app, tx, &id)) {
                Ok(Some(comparison)) => compared.push(comparison),
                Ok(None) => outcomes.push((id, Ok(Vec::new()))),
                Err(error) if error.is_unavailable() => return Err(error),
                Err(error) => outcomes.push((id, Err(error))),
            }
        }
        if compared.is_empty() {
            return Ok(outcomes);
        }
        failpoint::point("notices.compared");
        let (shared, author) = (app.clone(), author.cloned());
        let written = app.store().write(move |tx| -> Result<_, Error> {
            let mut written = Vec::new();
            for comparison in compared {
                let told = comparison.apply(&shared, tx, author.as_ref())?;
                written.push((comparison.rotation, told));
            }
            Ok(written)
        })?;
        failpoint::point("notices.told");
        for (id, told) in written {
            match told {
                Some(users) => {
                    app.metrics().noticed(1, users.len());
                    outcomes.push((id, Ok(users)));
                }
                None => left.push(id),
            }
        }
        if left.is_empty() {
            return Ok(outcomes);
        }
    }
    for id in left {
        let (shared, author, own) = (app.clone(), author.cloned(), id.clone());
        let told = app.store().write(move |tx| {
            let Some(comparison) = Comparison::of(&shared, &tx.as_read(), &own)? else {
                return Ok(Vec::new());
            };
            Ok(comparison
                .apply(&shared, tx, author.as_ref())?
                .unwrap_or_default())
        });
        app.metrics().noticed(1, told.as_ref().map_or(0, Vec::len));
        outcomes.push((id, told));
    }
    Ok(outcomes)
}

/// Changes that people have not been told of yet.
#[derive(Clone, Debug)]
pub struct PendingView {
    pub pending: PendingNotices,
    /// In real time.
    pub sends_at: Timestamp,
}

/// What is pending in a rotation; `None` where nothing is.
///
/// # Errors
/// [`Refusal::NotFound`] for a rotation that is not there for the caller.
pub fn pending(
    app: &App,
    caller: &Principal,
    id: &RotationId,
) -> Result<Option<PendingView>, ActionError> {
    app.store().read(|tx| {
        reads::visible(tx, caller, id)?;
        let pending = store::load_pending_notices(tx, id)?;
        Ok(pending.map(|pending| view(app, pending)))
    })
}

fn view(app: &App, pending: PendingNotices) -> PendingView {
    PendingView {
        sends_at: pending.sends_at(app.notices().settings.delay),
        pending,
    }
}

/// Tells people now. Returns whom; nobody where nothing is pending.
///
/// # Errors
/// [`Refusal::NotFound`] and [`Refusal::ResourceDenied`] for callers who may not edit the rotation.
pub fn send_now(app: &App, author: &Author, id: &RotationId) -> Result<Vec<UserId>, ActionError> {
    app.store().read(|tx| -> Result<(), ActionError> {
        let rotation = store::load_rotation(tx, id)?;
        let rotation = rotation.ok_or(Refusal::NotFound("rotation"))?;
        Ok(author.principal.check_edit(&rotation)?)
    })?;
    let outcomes = send(app, std::slice::from_ref(id), Some(author))?;
    agenda::invite_at_once(app)?;
    let told = outcomes.into_iter().next().map(|(_, told)| told);
    Ok(told.unwrap_or_else(|| Ok(Vec::new()))?)
}

/// Records that somebody had people told.
fn record(
    tx: &mut WriteTx,
    author: &Author,
    rotation: &RotationId,
    told: &[UserId],
) -> Result<(), Error> {
    let summary = match told {
        [] => "pending notices: nobody to tell".into(),
        told => Phrase::from("told of moved shifts: ").and(listed(told)),
    };
    let change = AuditedChange {
        rotation: Some(rotation.clone()),
        subject: Some(rotation.to_string()),
        summary: summary.into(),
    };
    audit::record(tx, author, change)
}

/// What the page of a rotation says of notices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoticeStatus {
    /// So many people are told at an instant.
    Pending(usize, Timestamp),
    /// These people were told at an instant.
    Told(Vec<UserId>, Timestamp),
}

/// How long a page says that people were told.
const SAID_FOR: SignedDuration = SignedDuration::from_hours(24);

/// How many people are told of what is pending, or were told lately; instants are in real time.
pub fn status(app: &App, rotation: &Rotation) -> Result<Option<NoticeStatus>, Error> {
    app.store().read(|tx| {
        if let Some(pending) = store::load_pending_notices(tx, &rotation.id)?
            && let Some(comparison) = Comparison::of(app, tx, &rotation.id)?
            && comparison.people() > 0
        {
            let at = pending.sends_at(app.notices().settings.delay);
            return Ok(Some(NoticeStatus::Pending(comparison.people(), at)));
        }
        let told = store::load_told_plan(tx, &rotation.id)?.and_then(|stored| stored.last_told);
        let is_new = |at: Timestamp| real_time().duration_since(at) < SAID_FOR;
        let told = told.filter(|(at, _)| is_new(*at));
        Ok(told.map(|(at, users)| NoticeStatus::Told(users, at)))
    })
}
