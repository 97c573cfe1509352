//! Carrying out what chat is told: messages are posted, topics and on-duty groups brought in line with whoever is on call.
//! The platform is asked outside transactions; what came of it is written down after (contract section 12).
//!
//! What a topic or a group should be is worked out anew at each try, so what a newer change overtakes is never written.

mod groups;
mod posting;
mod topics;

pub use groups::{Crew, crew};
pub use topics::Glances;

use super::{App, Fault};
use crate::domain::chat::{Trouble, held_until, next_try};
use crate::domain::ids::{ChannelId, GroupId};
use crate::runtime::wakeup::Wakeup;
use crate::store::{self, CommitSignals, Kept};
use jiff::Timestamp;
use posting::Posted;

/// What is carried out side by side, each in its own order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    Messages,
    Topics,
    Groups,
}

impl Lane {
    /// All of them.
    pub const ALL: [Lane; 3] = [Lane::Messages, Lane::Topics, Lane::Groups];

    /// How the log names its thread.
    pub fn name(self) -> &'static str {
        match self {
            Lane::Messages => "chat: messages",
            Lane::Topics => "chat: topics",
            Lane::Groups => "chat: groups",
        }
    }

    /// Wakes its loop.
    pub fn wakeup(self, signals: &CommitSignals) -> &Wakeup {
        match self {
            Lane::Messages => &signals.chat_messages,
            Lane::Topics => &signals.chat_topics,
            Lane::Groups => &signals.chat_groups,
        }
    }
}

/// What whoever works on a lane holds between two steps.
#[derive(Debug, Default)]
pub struct Hands {
    /// Posted, and not written down yet because the storage failed.
    posted: Vec<Posted>,
}

/// Carries out some of what is due on a lane; answers whether there was anything.
pub fn carry_out(app: &App, lane: Lane, hands: &mut Hands) -> Result<bool, Fault> {
    match lane {
        Lane::Messages => posting::post(app, &mut hands.posted),
        Lane::Topics => keep(app, Kept::Topic, |id| {
            topics::bring(app, &ChannelId::from(id))
        }),
        Lane::Groups => keep(app, Kept::Group, |id| {
            groups::bring(app, &GroupId::from(id))
        }),
    }
}

/// When something falls due on a lane.
pub fn next_on(app: &App, lane: Lane) -> Result<Option<Timestamp>, Fault> {
    app.store().read(|tx| match lane {
        Lane::Messages => store::next_message(tx),
        Lane::Topics => store::next_upkeep(tx, Kept::Topic),
        Lane::Groups => store::next_upkeep(tx, Kept::Group),
    })
}

/// When something falls due on any lane.
pub fn next(app: &App) -> Result<Option<Timestamp>, Fault> {
    let mut next = None;
    for lane in Lane::ALL {
        next = next.into_iter().chain(next_on(app, lane)?).min();
    }
    Ok(next)
}

/// Why something could not be brought in line.
enum Hitch {
    Chat(Trouble),
    Fault(Fault),
}

impl From<Trouble> for Hitch {
    fn from(trouble: Trouble) -> Hitch {
        Hitch::Chat(trouble)
    }
}

impl From<Fault> for Hitch {
    fn from(fault: Fault) -> Hitch {
        Hitch::Fault(fault)
    }
}

/// Brings the first in line of a kind that is due; where that cannot be done, it is tried again a while later and holds up no
/// other.
fn keep(
    app: &App,
    kept: Kept,
    bring: impl FnOnce(&str) -> Result<(), Hitch>,
) -> Result<bool, Fault> {
    let now = app.now();
    let Some((key, upkeep)) = app.store().read(|tx| store::first_due(tx, kept, now))? else {
        return Ok(false);
    };
    let trouble = match bring(&key) {
        Ok(()) => return Ok(true),
        Err(Hitch::Chat(trouble)) => trouble,
        // Nothing can be written down either.
        Err(Hitch::Fault(fault)) if fault.is_unavailable() => return Err(fault),
        Err(Hitch::Fault(fault)) => Trouble::Ours(fault.to_string()),
    };
    app.store().write_log(move |tx| {
        let tries = upkeep.tries + 1;
        let (next, why) = (next_try(tries, &trouble, tx.now()), trouble.told());
        if tries == 1 {
            log::warn!("chat: {} {key}: {why}, next try at {next}", kept.noun());
        }
        if let Some(until) = held_until(&trouble, tx.now()) {
            store::hold_upkeep(tx, kept, until)?;
        }
        store::try_upkeep_again(tx, kept, &key, upkeep.calls, next, &why)
    })?;
    Ok(true)
}
