//! People and channels that a write names and nobody knows yet: the chat platform is asked for each of them once
//! (rules.md 17).

use super::{App, Error, audit, workspace};
use crate::chat::{CallError, FoundPerson, Remote};
use crate::domain::access::Principal;
use crate::domain::audit::{AuditedChange, Author, synced_changes};
use crate::domain::directory_reading::{AwayChange, DirectoryChanges, Said};
use crate::domain::ids::{ChannelId, UserId};
use crate::store::{self, ReadTx, WriteTx};

/// The most ids that are asked for by one write.
const MOST: usize = 20;

/// The author of what the answers add.
static ASKED: Author = Author::local(Principal::Chat, "askForUnknown");

/// The people and channels that a write names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedIds {
    pub people: Vec<UserId>,
    pub channels: Vec<ChannelId>,
}

impl NamedIds {
    /// People alone.
    pub fn people<'a>(people: impl IntoIterator<Item = &'a UserId>) -> NamedIds {
        let people = people.into_iter().cloned().collect();
        let channels = Vec::new();
        NamedIds { people, channels }
    }

    /// A channel alone.
    pub fn channel(channel: &ChannelId) -> NamedIds {
        let people = Vec::new();
        let channels = vec![channel.clone()];
        NamedIds { people, channels }
    }

    fn is_empty(&self) -> bool {
        self.people.is_empty() && self.channels.is_empty()
    }

    /// Without what is known, and what could be no id of the platform's. The app may meanwhile be in a channel that it was not in.
    fn unknown(&self, tx: &ReadTx, remote: &dyn Remote) -> Result<NamedIds, Error> {
        let mut unknown = NamedIds::default();
        for user in &self.people {
            let fits = remote.could_be(user.as_str()) && !unknown.people.contains(user);
            if fits && store::load_person(tx, user)?.is_none() {
                unknown.people.push(user.clone());
            }
        }
        for channel in store::unknown_channels(tx, &self.channels)? {
            if remote.could_be(channel.as_str()) && !unknown.channels.contains(&channel) {
                unknown.channels.push(channel);
            }
        }
        Ok(unknown)
    }
}

/// Whether there is anything to ask for.
pub fn has_unknown(app: &App, named: &NamedIds) -> Result<bool, Error> {
    let Some(remote) = app.remote().filter(|_| !named.is_empty()) else {
        return Ok(false);
    };
    let unknown = app.store().read(|tx| named.unknown(tx, &**remote))?;
    Ok(!unknown.is_empty())
}

/// Asks the platform for those who are unknown, once for each, and stores whom it knows. Whoever is unknown afterwards is so
/// to the platform too, or it does not answer; the write refuses them.
///
/// Must not run in a transaction.
pub fn ask(app: &App, named: &NamedIds) -> Result<(), Error> {
    let Some(remote) = app.remote() else {
        return Ok(());
    };
    let Some(workspace) = remote.workspace().filter(|_| !named.is_empty()) else {
        return Ok(());
    };
    let unknown = app.store().read(|tx| named.unknown(tx, &**remote))?;
    let mut answers = true;
    for user in unknown.people.iter().take(MOST) {
        if answers {
            let found = remote.read_person(&workspace.team_id, user);
            answers = is_answer(&**remote, user.as_str(), &found);
            remote.meanwhile().note(Said::person(user));
            keep_person(app, found.ok().flatten())?;
        }
    }
    for channel in unknown.channels.iter().take(MOST) {
        if answers {
            let found = remote.read_channel(&workspace.team_id, channel);
            answers = is_answer(&**remote, channel.as_str(), &found);
            if let Some(found) = found.ok().flatten() {
                remote.meanwhile().note(Said::channel(&found.id));
                write(app, move |tx, changes| {
                    let known = store::load_channel(tx, &found.id)?;
                    changes.add_channel(known.as_ref(), found);
                    Ok(())
                })?;
            }
        }
    }
    Ok(())
}

/// Whether the platform answered, if only that there is no such thing. Otherwise it is not asked for more.
fn is_answer<T>(remote: &dyn Remote, id: &str, found: &Result<T, CallError>) -> bool {
    match found {
        Ok(_) => true,
        Err(error) => {
            log::info!("{}: {id}: {error}", remote.names().name);
            matches!(error, CallError::Refused(_))
        }
    }
}

fn keep_person(app: &App, found: Option<FoundPerson>) -> Result<(), Error> {
    match found {
        Some(found) => write(app, move |tx, changes| add_person(tx, changes, found)),
        None => Ok(()),
    }
}

/// Adds a person as the platform has them now, with their status.
pub(super) fn add_person(
    tx: &ReadTx,
    changes: &mut DirectoryChanges,
    found: FoundPerson,
) -> Result<(), Error> {
    let (id, away) = (found.person.id.clone(), found.away);
    let before = store::load_person(tx, &id)?;
    changes.add_person(before.as_ref(), found.person);
    match (store::load_away_of(tx, &id)?, away) {
        (known, Some(until)) if known != Some(until) => {
            changes.away.push((id, AwayChange::Away(until)));
        }
        (Some(_), None) => changes.away.push((id, AwayChange::Back)),
        _ => {}
    }
    Ok(())
}

/// Writes what was unknown, in one transaction. No rotation has to follow: none can have somebody who was unknown.
fn write(
    app: &App,
    find: impl FnOnce(&ReadTx, &mut DirectoryChanges) -> Result<(), Error> + Send + 'static,
) -> Result<(), Error> {
    let shared = app.clone();
    app.store().write(move |tx| {
        let mut changes = DirectoryChanges::default();
        find(&tx.as_read(), &mut changes)?;
        if changes.is_empty() {
            return Ok(());
        }
        workspace::note(&shared, tx)?;
        store::apply_directory_changes(tx, &changes)?;
        request_topics(tx, &changes)?;
        record(tx, &ASKED, &changes)
    })
}

/// Requests a sync of the topics in channels that the app may have come back to.
pub(super) fn request_topics(tx: &mut WriteTx, changes: &DirectoryChanges) -> Result<(), Error> {
    for channel in changes.channels.iter().filter(|one| one.app_is_member) {
        if store::load_topic(&tx.as_read(), &channel.id)?.is_some() {
            store::request_topic_sync(tx, &channel.id)?;
        }
    }
    Ok(())
}

/// Adds the audit entry of changed records.
pub(super) fn record(
    tx: &mut WriteTx,
    author: &Author,
    changes: &DirectoryChanges,
) -> Result<(), Error> {
    let summary = synced_changes(changes);
    if summary.is_empty() {
        return Ok(());
    }
    let change = AuditedChange {
        rotation: None,
        subject: None,
        summary,
    };
    audit::record(tx, author, change)
}
