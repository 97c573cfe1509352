//! How the server's work stands: what is due, what waits to be sent, and where nobody is on call. What `rota status` and the
//! pages for administrators tell.

use super::Error;
use super::backup::{self, Made};
use crate::domain::ids::RotationId;
use crate::domain::snapshot::{Queue, Undelivered};
use crate::store::{self, ReadTx};
use jiff::{SignedDuration, Timestamp};

/// Work that has waited for longer is wrong. A running server does what is due within a second.
const LATE: SignedDuration = SignedDuration::from_secs(20);

/// The same for the delivery of an event.
const UNDELIVERED: SignedDuration = SignedDuration::from_mins(30);

/// The state of the workspace: due work, queues, and slots where nobody is on call.
#[derive(Clone, Debug)]
pub struct WorkStatus {
    /// Rotations with something due that has not been done.
    pub overdue: u64,
    /// The earliest due instant of all rotations.
    pub next_due: Option<Timestamp>,
    pub queue: Queue,
    /// Slots in which nobody is on call although somebody should be.
    pub open_slots: usize,
    /// Their rotations, each once.
    pub nobody_in: Vec<RotationId>,
    /// The last copy of the database.
    pub last_backup: Option<Made>,
    now: Timestamp,
}

impl WorkStatus {
    /// Since when what is due waits, where that is too long.
    pub fn late_since(&self) -> Option<Timestamp> {
        let is_late = |next: &Timestamp| self.now.duration_since(*next) > LATE;
        self.next_due.filter(is_late)
    }

    /// The oldest event that an endpoint has not taken, where that is too long ago.
    pub fn undelivered(&self) -> Option<&Undelivered> {
        let oldest = self.queue.oldest.as_ref();
        oldest.filter(|oldest| self.now.duration_since(oldest.created_at) > UNDELIVERED)
    }
}

/// How the work stands at an instant.
pub fn read(tx: &ReadTx, now: Timestamp) -> Result<WorkStatus, Error> {
    let mut nobody = store::list_open_slots(tx)?;
    nobody.retain(|slot| slot.enabled && slot.user.is_none());
    let open_slots = nobody.len();
    let mut nobody_in: Vec<_> = nobody.into_iter().map(|slot| slot.rotation).collect();
    nobody_in.dedup();
    Ok(WorkStatus {
        overdue: store::count_due(tx, now)?,
        next_due: store::next_due(tx)?,
        queue: store::load_queue(tx)?,
        open_slots,
        nobody_in,
        last_backup: backup::last(tx)?,
        now,
    })
}
