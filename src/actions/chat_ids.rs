//! People and channels that a write names and nobody knows yet: the chat platform is asked for each of them once
//! (rules.md 17).

use super::{App, Error, audit, workspace};
use crate::chat::slack::records::is_id;
use crate::chat::slack::{self, Slack, SlackError, SlackPerson};
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

    /// Without what is known, and what could be no id of Slack's. The app may meanwhile be in a channel that it was not in.
    fn unknown(&self, tx: &ReadTx) -> Result<NamedIds, Error> {
        let mut unknown = NamedIds::default();
        for user in &self.people {
            let fits = is_id(user.as_str()) && !unknown.people.contains(user);
            if fits && store::load_person(tx, user)?.is_none() {
                unknown.people.push(user.clone());
            }
        }
        for channel in store::unknown_channels(tx, &self.channels)? {
            if is_id(channel.as_str()) && !unknown.channels.contains(&channel) {
                unknown.channels.push(channel);
            }
        }
        Ok(unknown)
    }
}

/// Whether there is anything to ask for.
pub fn has_unknown(app: &App, named: &NamedIds) -> Result<bool, Error> {
    if app.slack().is_none() || named.is_empty() {
        return Ok(false);
    }
    let unknown = app.store().read(|tx| named.unknown(tx))?;
    Ok(!unknown.is_empty())
}

/// Asks Slack for those who are unknown, once for each, and stores whom it knows. Whoever is unknown afterwards is so to
/// Slack too, or Slack does not answer; the write refuses them.
///
/// Must not run in a transaction.
pub fn ask(app: &App, named: &NamedIds) -> Result<(), Error> {
    let Some(slack) = app.slack() else {
        return Ok(());
    };
    let Some(workspace) = slack.workspace().filter(|_| !named.is_empty()) else {
        return Ok(());
    };
    let unknown = app.store().read(|tx| named.unknown(tx))?;
    let mut answers = true;
    for user in unknown.people.iter().take(MOST) {
        if answers {
            let found = slack::directory::person(slack, &workspace.team_id, user);
            answers = is_answer(user.as_str(), &found);
            slack.meanwhile().note(Said::person(user));
            keep_person(app, slack, found.ok().flatten())?;
        }
    }
    for channel in unknown.channels.iter().take(MOST) {
        if answers {
            let found = slack::directory::channel(slack, &workspace.team_id, channel);
            answers = is_answer(channel.as_str(), &found);
            if let Some(found) = found.ok().flatten() {
                slack.meanwhile().note(Said::channel(&found.id));
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

/// Whether Slack answered, if only that there is no such thing. Otherwise it is not asked for more.
fn is_answer<T>(id: &str, found: &Result<T, SlackError>) -> bool {
    match found {
        Ok(_) => true,
        Err(error) => {
            log::info!("slack: {id}: {error}");
            matches!(error, SlackError::Refused(_))
        }
    }
}

fn keep_person(app: &App, slack: &Slack, found: Option<SlackPerson>) -> Result<(), Error> {
    let (Some(found), emoji) = (found, slack.settings().away_emoji.clone()) else {
        return Ok(());
    };
    write(app, move |tx, changes| {
        add_person(tx, changes, found, &emoji)
    })
}

/// Adds a person as Slack has them now, with their status.
pub(super) fn add_person(
    tx: &ReadTx,
    changes: &mut DirectoryChanges,
    found: SlackPerson,
    emoji: &[String],
) -> Result<(), Error> {
    let (id, away) = (found.person.id.clone(), found.away(emoji));
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
