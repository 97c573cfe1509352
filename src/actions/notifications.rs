//! Queuing chat messages, and requests to bring topics and on-duty groups in line, in the transaction of the write that causes
//! them.

use super::{App, Fault};
use crate::domain::event::{Act, Event, Nobody};
use crate::domain::forecast;
use crate::domain::ids::UserId;
use crate::domain::message::{self, Message, PeopleNames};
use crate::domain::resolve;
use crate::domain::rotation::Rotation;
use crate::store::{self, ReadTx, WriteTx};

/// Queues what follows from a committed change of a rotation; returns whether there is anything.
pub fn change(
    tx: &mut WriteTx,
    app: &App,
    before: &Rotation,
    after: &Rotation,
    act: Act,
    news: &[Event],
) -> Result<bool, Fault> {
    let synced = request_sync(tx, before, Some(after))?;
    let notices = forecast::notices(before, after, app.calendar());
    let unplanned = |event: &Event| matches!(event, Event::NobodyOnCall { reason, .. } if *reason == Nobody::Unplanned);
    // One empty slot of several is an event, but others are on call.
    let nobody = news.iter().any(unplanned) && resolve::everybody_on_call(after).is_empty();
    let queued = queue(tx, message::change(after, &notices, nobody, act))?;
    Ok(synced || queued)
}

/// Queues what follows from the deletion of a rotation.
pub fn deleted(tx: &mut WriteTx, rotation: &Rotation) -> Result<(), Fault> {
    request_sync(tx, rotation, None)?;
    let on_call = resolve::everybody_on_call(rotation);
    queue(tx, message::deleted(rotation, &on_call)).map(drop)
}

/// Queues messages with the names that people have now; those to people who are no longer in the workspace are left out.
/// Returns whether there is any.
pub fn queue(tx: &mut WriteTx, mut messages: Vec<Message>) -> Result<bool, Fault> {
    if messages.is_empty() {
        return Ok(false);
    }
    let people = messages.iter().flat_map(|message| message.content.people());
    let names = load_names(&tx.as_read(), people)?;
    for message in &mut messages {
        let people = message.content.people().into_iter();
        let named = people.filter_map(|user| Some((user.clone(), names.get(user)?.clone())));
        message.people = named.collect();
    }
    store::insert_messages(tx, &messages)
}

/// The names of people, each looked up once. Whoever the directory does not know is left out.
pub fn load_names<'a>(
    tx: &ReadTx,
    people: impl Iterator<Item = &'a UserId>,
) -> Result<PeopleNames, Fault> {
    let mut names = PeopleNames::new();
    for user in people {
        if !names.contains_key(user)
            && let Some(person) = store::load_person(tx, user)?
        {
            names.insert(user.clone(), person.name().to_owned());
        }
    }
    Ok(names)
}

/// Requests a sync of the topics and the on-duty group that a rotation had or has; returns whether there are any.
fn request_sync(
    tx: &mut WriteTx,
    before: &Rotation,
    after: Option<&Rotation>,
) -> Result<bool, Fault> {
    let both = || std::iter::once(before).chain(after);
    let mut channels: Vec<_> = both().flat_map(|r| r.profile.topic_channels()).collect();
    channels.sort();
    channels.dedup();
    for channel in &channels {
        store::request_topic_sync(tx, channel)?;
    }
    let mut groups: Vec<_> = both()
        .filter_map(|r| r.profile.duty_group.as_ref())
        .collect();
    groups.dedup();
    for group in &groups {
        store::request_group_sync(tx, group)?;
    }
    Ok(!channels.is_empty() || !groups.is_empty())
}

/// Requests a sync of the topics of a rotation, after a change beside it that they show.
pub fn request_topic_sync(tx: &mut WriteTx, rotation: &Rotation) -> Result<(), Fault> {
    for channel in rotation.profile.topic_channels() {
        store::request_topic_sync(tx, channel)?;
    }
    Ok(())
}
