//! Changes of Slack's directory between two full readings.

use super::{apply, unrefused};
use crate::actions::chat_ids::{NamedIds, add_person, ask};
use crate::actions::{App, Error, Result};
use crate::chat::Remote;
use crate::chat::slack::{DirectoryEvent, RawEvent, SaidPerson, Slack};
use crate::domain::access::Principal;
use crate::domain::audit::Author;
use crate::domain::directory::{Channel, Group};
use crate::domain::directory_reading::DirectoryChanges;
use crate::domain::ids::{ChannelId, GroupId, UserId};
use crate::store::{self, ReadTx};

/// The author of what events change.
static EVENTS: Author = Author::local(Principal::Chat, "followDirectory");

/// Applies an event of Slack about people, user groups or channels. Events of other types, and events that say nothing new,
/// change nothing.
///
/// May call Slack, so it must not run in a transaction.
pub fn note(app: &App, event: &RawEvent) -> Result<(), Error> {
    let Some(slack) = app.slack() else {
        return Ok(());
    };
    let Some(workspace) = slack.workspace() else {
        return Ok(());
    };
    let event = DirectoryEvent::read(event, &workspace);
    if let Some(event) = &event {
        slack.meanwhile().note(event.about());
    }
    if let Some(DirectoryEvent::Group {
        group: Group { id, .. },
        ..
    })
    | Some(DirectoryEvent::GroupPeople { group: id, .. }) = &event
    {
        slack.forget_listed(id);
    }
    match event {
        None => Ok(()),
        Some(DirectoryEvent::Person(said)) => follow_person(app, slack, said),
        Some(DirectoryEvent::Group {
            group,
            says_people,
            is_disabled,
        }) => follow_group(app, group, says_people, is_disabled),
        Some(DirectoryEvent::GroupPeople {
            group,
            added,
            removed,
        }) => follow_group_people(app, group, added, removed),
        Some(DirectoryEvent::ChannelNamed(found)) => follow_name(app, found),
        Some(DirectoryEvent::ChannelGone(id)) => follow_loss(app, id),
        Some(DirectoryEvent::AppLeft(id)) => follow_leaving(app, id),
        Some(DirectoryEvent::AppJoined(id)) => ask(app, &NamedIds::channel(&id)),
    }
}

/// Writes what `find` finds to be another, in one transaction.
fn write(
    app: &App,
    find: impl FnOnce(&ReadTx, &mut DirectoryChanges) -> Result<(), Error> + Send + 'static,
) -> Result<(), Error> {
    let shared = app.clone();
    let written = app.store().write(move |tx| -> Result<()> {
        let mut changes = DirectoryChanges::default();
        find(&tx.as_read(), &mut changes)?;
        apply(&shared, tx, &EVENTS, &changes)
    });
    written.map_err(unrefused)
}

fn follow_person(app: &App, slack: &Slack, said: SaidPerson) -> Result<(), Error> {
    let emoji = slack.settings().away_emoji.clone();
    write(app, move |tx, changes| {
        let known = store::load_person(tx, said.id())?;
        let (found, says_status) = said.over(known.clone());
        if says_status {
            return add_person(tx, changes, found.with_away(&emoji));
        }
        changes.add_person(known.as_ref(), found.person);
        Ok(())
    })
}

fn follow_group(
    app: &App,
    found: Group,
    says_people: bool,
    is_disabled: Option<bool>,
) -> Result<(), Error> {
    ask(app, &NamedIds::people(&found.users))?;
    write(app, move |tx, changes| {
        let known = load_group(tx, &found.id)?;
        let synced = store::load_duty_group(tx, &found.id)?;
        if synced.is_some_and(|synced| {
            synced.is_own && is_disabled.is_some_and(|now| now != synced.disabled)
        }) {
            changes.switched.push(found.id.clone());
        }
        let mut users = match (&known, says_people) {
            (Some(known), false) => known.users.clone(),
            _ => found.users,
        };
        retain_known(tx, &mut users)?;
        let group = Group { users, ..found };
        changes.add_group(known.as_ref(), group);
        Ok(())
    })
}

fn follow_group_people(
    app: &App,
    id: GroupId,
    added: Vec<UserId>,
    removed: Vec<UserId>,
) -> Result<(), Error> {
    ask(app, &NamedIds::people(&added))?;
    write(app, move |tx, changes| {
        let Some(known) = load_group(tx, &id)? else {
            return Ok(());
        };
        let mut users = known.users.clone();
        users.retain(|user| !removed.contains(user));
        for user in added {
            if !users.contains(&user) {
                users.push(user);
            }
        }
        retain_known(tx, &mut users)?;
        let group = Group {
            users,
            ..known.clone()
        };
        changes.add_group(Some(&known), group);
        Ok(())
    })
}

/// A user group with its people.
fn load_group(tx: &ReadTx, id: &GroupId) -> Result<Option<Group>, Error> {
    let Some(group) = store::load_group(tx, id)? else {
        return Ok(None);
    };
    let users = store::list_group_people(tx, id)?;
    Ok(Some(Group { users, ..group }))
}

/// Leaves out people of whom there is no record.
fn retain_known(tx: &ReadTx, users: &mut Vec<UserId>) -> Result<(), Error> {
    let mut known = Vec::with_capacity(users.len());
    for user in users.drain(..) {
        if store::load_person(tx, &user)?.is_some() {
            known.push(user);
        }
    }
    *users = known;
    Ok(())
}

fn follow_name(app: &App, found: Channel) -> Result<(), Error> {
    write(app, move |tx, changes| {
        let known = store::load_channel(tx, &found.id)?;
        let now = match &known {
            Some(known) => Channel {
                name: found.name,
                ..known.clone()
            },
            None => found,
        };
        changes.add_channel(known.as_ref(), now);
        Ok(())
    })
}

fn follow_loss(app: &App, id: ChannelId) -> Result<(), Error> {
    write(app, move |tx, changes| {
        if store::is_known_channel(tx, &id)? {
            changes.lost_channels.push(id);
        }
        Ok(())
    })
}

/// The app has left a channel, or was removed from it.
fn follow_leaving(app: &App, id: ChannelId) -> Result<(), Error> {
    write(app, move |tx, changes| {
        if let Some(known) = store::load_channel(tx, &id)? {
            let app_is_member = false;
            let now = Channel {
                app_is_member,
                ..known.clone()
            };
            changes.add_channel(Some(&known), now);
        }
        Ok(())
    })
}
