//! Follows the directory of the chat platform: full readings, and events in between (rules.md 17).

mod events;
mod source;
#[cfg(test)]
mod tests;

pub use events::note;
pub use source::DirectorySource;

use super::mutation::{follow, follow_held};
use super::workspace;
use super::{ActionError, App, Error, Result, chat_ids};
use crate::chat::{CallError, Known, Remote, UnderWay};
use crate::domain::access::Principal;
use crate::domain::audit::Author;
use crate::domain::directory::Team;
use crate::domain::directory_reading::{DirectoryChanges, ManyMissing, Reading};
use crate::domain::event::Act;
use crate::domain::ids::{ChannelId, GroupId, RotationId};
use crate::store::{self, ReadTx, WriteTx};
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::time::Instant;

/// The fact with the instant of the last full reading that was applied.
const READ_AT: &str = "directory_read_at";

/// The fact that says why the last full reading failed; empty if it did not.
const ERROR: &str = "directory_error";

/// The fact with the settings on which the last reading depended: away emoji.
const EMOJI: &str = "directory_away_emoji";

/// The author of what a full reading changes.
static READING: Author = Author::local(Principal::Chat, "directorySync");

/// The state of the readings of the platform's directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncStatus {
    /// When the directory was last read in full, and applied.
    pub last_read_at: Option<Timestamp>,
    /// Why the last reading failed or was not applied; `None` if it was.
    pub error: Option<String>,
}

/// What is known of the readings of the platform's directory.
pub fn status(tx: &ReadTx) -> Result<SyncStatus, Error> {
    let read_at = store::load_fact(tx, READ_AT)?;
    Ok(SyncStatus {
        last_read_at: read_at.and_then(|at| at.parse().ok()),
        error: store::load_fact(tx, ERROR)?.filter(|error| !error.is_empty()),
    })
}

/// The outcome of a full reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Synced {
    /// It is applied: how many people, user groups and channels it has.
    Applied {
        people: usize,
        groups: usize,
        channels: usize,
    },
    /// Too many people are missing from it.
    Refused(ManyMissing),
    /// The platform could not be read, or not in full.
    Failed(CallError),
}

impl Synced {
    /// Why it is not applied, for operators.
    pub fn error(&self, title: &str) -> Option<String> {
        match self {
            Synced::Applied { .. } => None,
            Synced::Refused(ManyMissing { missing, known }) => Some(format!(
                "{missing} of {known} people are missing from {title}'s list, so it is not applied; if they are gone, run \
                 `rota directory sync --accept-removals`"
            )),
            Synced::Failed(error) => Some(format!("the directory cannot be read: {error}")),
        }
    }
}

/// Reads the whole directory and applies what is another, in one transaction. With `accepts_removals` however many people are
/// missing. Where the platform asks to wait, it waits, but not past `deadline`.
///
/// # Errors
/// If the storage fails. A reading that fails is no error; see [`Synced::Failed`].
pub fn sync(
    app: &App,
    remote: &dyn Remote,
    accepts_removals: bool,
    deadline: Instant,
) -> Result<Synced, Error> {
    // What changes from now on is read again.
    remote.take_news();
    let under_way = remote.meanwhile().begin();
    let synced = match read(app, remote, deadline)? {
        Ok(reading) => apply_reading(app, remote, (reading, &under_way), accepts_removals)?,
        Err(error) => Synced::Failed(error),
    };
    if let Some(error) = synced.error(remote.names().title) {
        let stored = app.store().read(status)?.error;
        if stored.as_ref() != Some(&error) {
            log::warn!("{}: {error}", remote.names().name);
            let save = move |tx: &mut WriteTx| store::save_fact(tx, ERROR, &error);
            app.store().write_log(save)?;
        }
    }
    Ok(synced)
}

fn read(
    app: &App,
    remote: &dyn Remote,
    deadline: Instant,
) -> Result<Result<Reading, CallError>, Error> {
    let known = match remote.workspace() {
        Some(workspace) => Ok(workspace),
        None => remote.ask_workspace(),
    };
    let workspace = match known {
        Ok(workspace) => workspace,
        Err(error) => return Ok(Err(error)),
    };
    let known = app.store().read(|tx| -> Result<_, Error> {
        let filled = store::list_duty_groups(tx)?.into_iter();
        Ok(Known {
            directory: store::load_stored_directory(tx)?.directory,
            filled: filled.map(|filled| filled.group).collect(),
        })
    })?;
    let stored = known.directory.team.clone();
    let team = match stored.id == workspace.team_id {
        true => stored,
        false => Team {
            id: workspace.team_id,
            name: workspace.team,
            domain: None,
        },
    };
    Ok(remote.read(team, &known, deadline))
}

/// How often a reading is compared again because the directory changed meanwhile.
const TRIES: usize = 5;

fn apply_reading(
    app: &App,
    remote: &dyn Remote,
    (reading, under_way): (Reading, &UnderWay),
    accepts_removals: bool,
) -> Result<Synced, Error> {
    let directory = &reading.directory;
    let applied = Synced::Applied {
        people: directory
            .people
            .iter()
            .filter(|one| !one.is_deleted)
            .count(),
        groups: directory.groups.len(),
        channels: directory.channels.len(),
    };
    let emoji = remote.readings_depend_on();
    let mut reading = Some(reading);
    for tries_left in (0..TRIES).rev() {
        // Compared outside the transaction, so that other writes do not wait for it.
        let (stored, imports) = app.store().read(|tx| -> Result<_, Error> {
            Ok((store::load_stored_directory(tx)?, store::count_imports(tx)?))
        })?;
        let read = match tries_left {
            0 => reading.take(),
            _ => reading.clone(),
        };
        let Some(read) = read else { break };
        // Asked for after the directory: what was said and is stored must be known.
        let (said, times) = under_way.said();
        let read = read.giving_way(&said, &stored);
        if let Some(many) = read
            .many_missing(&stored.directory)
            .filter(|_| !accepts_removals)
        {
            return Ok(Synced::Refused(many));
        }
        let changes = read.changes(&stored);
        drop(stored);
        if write_reading(app, remote, changes, (imports, times), emoji.clone())? {
            return Ok(applied);
        }
    }
    let why = "the directory changed while it was read";
    Ok(Synced::Failed(CallError::Transient(why.into())))
}

/// Writes what a reading changes, and that it is applied. `false` if the directory is no longer the one that it was compared
/// with, or something was said of it since; then nothing is written.
fn write_reading(
    app: &App,
    remote: &dyn Remote,
    changes: DirectoryChanges,
    (imports, times): (u64, u64),
    emoji: String,
) -> Result<bool, Error> {
    let (is_same, platform) = (changes.is_empty(), remote.names().name);
    let note = move |tx: &mut WriteTx| -> Result<(), Error> {
        let now = tx.now().to_string();
        store::save_fact(tx, READ_AT, &now)?;
        // Whose people these are: they must not be taken for those of a file.
        store::save_fact(tx, store::CHAT_PLATFORM, platform)?;
        store::save_fact(tx, ERROR, "")?;
        store::save_fact(tx, EMOJI, &emoji)
    };
    if is_same {
        app.store().write_log(note)?;
        return Ok(true);
    }
    let shared = app.clone();
    let written = app.store().write(move |tx| -> Result<bool> {
        let said = shared.remote().map(|remote| remote.meanwhile().times());
        let is_newest = said.is_none_or(|said| said == times);
        if !is_newest || store::count_imports(&tx.as_read())? != imports {
            return Ok(false);
        }
        apply(&shared, tx, &READING, &changes)?;
        note(tx)?;
        Ok(true)
    });
    written.map_err(unrefused)
}

/// Writes changes of the directory with their audit entry, as [`follow_changes`].
fn apply(
    app: &App,
    tx: &mut WriteTx,
    author: &Author,
    changes: &DirectoryChanges,
) -> Result<(), ActionError> {
    follow_changes(app, tx, author, changes)?;
    Ok(chat_ids::record(tx, author, changes)?)
}

/// Writes changes of the directory, lets the rotations follow, and requests a sync of the topics and on-duty groups that they
/// concern.
pub(super) fn follow_changes(
    app: &App,
    tx: &mut WriteTx,
    author: &Author,
    changes: &DirectoryChanges,
) -> Result<(), ActionError> {
    if changes.is_empty() {
        return Ok(());
    }
    follow_held(app, tx)?;
    let mut concerned =
        store::list_rotations_concerned(&tx.as_read(), &changes.moved, &changes.regrouped)?;
    let olds: Vec<&str> = changes
        .replaced
        .iter()
        .map(|one| one.old.as_str())
        .collect();
    for using in store::list_rotations_using(&tx.as_read(), &olds)? {
        if !concerned.contains(&using) {
            concerned.push(using);
        }
    }
    follow_changes_of(app, tx, author, changes, &concerned, |_| Ok(()))?;
    request_syncs(tx, changes)
}

/// Writes changes of the directory and what `beside` does, and lets these rotations follow.
pub(super) fn follow_changes_of(
    app: &App,
    tx: &mut WriteTx,
    author: &Author,
    changes: &DirectoryChanges,
    concerned: &[RotationId],
    beside: impl FnOnce(&mut WriteTx) -> Result<(), Error>,
) -> Result<(), ActionError> {
    workspace::note(app, tx)?;
    let write = |tx: &mut WriteTx| {
        store::apply_directory_changes(tx, changes)?;
        Ok(beside(tx)?)
    };
    let by = (author, Act::Edit);
    follow(app, tx, by, concerned, write, |tx, draft, before| {
        let editing = draft.editing(tx);
        editing.follow_members(before, &mut draft.rotation);
    })
}

/// Requests a sync of the topics and on-duty groups that changes of the directory concern.
pub(super) fn request_syncs(
    tx: &mut WriteTx,
    changes: &DirectoryChanges,
) -> Result<(), ActionError> {
    let renamed = store::list_rotations_concerned(&tx.as_read(), &changes.renamed, &[])?;
    for channel in store::list_topics_of(&tx.as_read(), &renamed)? {
        store::request_topic_sync(tx, &channel)?;
    }
    chat_ids::request_topics(tx, changes)?;
    for new in changes.replaced.iter().map(|one| one.new.as_str()) {
        let (channel, group) = (ChannelId::from(new), GroupId::from(new));
        if store::load_topic(&tx.as_read(), &channel)?.is_some() {
            store::request_topic_sync(tx, &channel)?;
        }
        if store::load_duty_group(&tx.as_read(), &group)?.is_some() {
            store::request_group_sync(tx, &group)?;
        }
    }
    let changed = changes.groups.iter().map(|group| &group.id);
    let switched = changes.switched.iter();
    let concerned: BTreeSet<_> = changed.chain(switched).collect();
    for group in concerned {
        if store::load_duty_group(&tx.as_read(), group)?.is_some() {
            store::request_group_sync(tx, group)?;
        }
    }
    Ok(())
}

/// Nobody asked for these writes, so nobody can be refused.
fn unrefused(error: ActionError) -> Error {
    match error {
        ActionError::Failed(error) => error,
        ActionError::Refused(refusal) => Error::Corrupt(format!("refused: {refusal:?}")),
    }
}
