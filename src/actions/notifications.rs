//! Queues chat messages, and requests syncs of topics and on-duty groups, in the transaction of the write that causes
//! them.

use super::{App, Error, relays};
use crate::domain::access::Principal;
use crate::domain::audit::Actor;
use crate::domain::event::{Act, Event, Nobody};
use crate::domain::forecast;
use crate::domain::handover::DealingContext;
use crate::domain::ids::UserId;
use crate::domain::message::{self, Message, PeopleNames, Recipient};
use crate::domain::refusal::Refusal;
use crate::domain::resolve;
use crate::domain::rotation::Rotation;
use crate::store::{self, ReadTx, WriteTx};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// Queues what follows from a committed change of a rotation by a principal. Returns whether there is anything.
pub fn change(
    tx: &mut WriteTx,
    app: &App,
    [before, after]: [&Rotation; 2],
    (principal, act): (&Principal, Act),
    news: &[Event],
) -> Result<bool, Error> {
    let synced = request_sync(tx, before, Some(after))?;
    let dealing = DealingContext::new(app.calendar(), &after.absences);
    let notices = forecast::notices(before, after, dealing);
    let unplanned = |event: &Event| matches!(event, Event::NobodyOnCall { reason, .. } if *reason == Nobody::Unplanned);
    // One empty slot of several is an event, but other people are on call.
    let nobody = news.iter().any(unplanned) && !resolve::is_anybody_on_call(after);
    let queued = queue(
        tx,
        app,
        message::change(after, &notices, nobody, is_by_hand(principal, act)),
    )?;
    Ok(synced || queued)
}

/// Whether a person changed a rotation or who is on duty in it. An absence changes neither by itself: whether it ends a turn is
/// the rotation's policy.
fn is_by_hand(principal: &Principal, act: Act) -> bool {
    matches!(act, Act::Duty | Act::Edit | Act::Arrangement) && principal.person().is_ok()
}

/// Queues what follows from the deletion of a rotation.
pub fn deleted(tx: &mut WriteTx, app: &App, rotation: &Rotation) -> Result<(), Error> {
    request_sync(tx, rotation, None)?;
    // Requests are deleted with their rotation, and their buttons have nothing to answer any more.
    for pending in &rotation.pending {
        store::request_message_updates(tx, pending.id.as_str())?;
    }
    let on_call = resolve::everybody_on_call(rotation);
    queue(tx, app, message::deleted(rotation, &on_call)).map(drop)
}

/// Tells owners and whoever made it that a change was refused when its time came.
pub fn change_failed(
    tx: &mut WriteTx,
    app: &App,
    rotation: &Rotation,
    (by, at, refusal): (&Actor, Timestamp, &Refusal),
) -> Result<(), Error> {
    let maker = store::maker(by);
    let person = |user: &UserId| -> Result<String, Error> {
        let name = store::load_name(&tx.as_read(), user)?;
        Ok(name.map_or_else(|| user.to_string(), |(name, _)| name))
    };
    let why = match refusal {
        Refusal::Invalid { path, fault } => {
            let fault = fault.plainly(person, |at| at.to_string(), str::to_owned)?;
            format!("{}: {fault}", path.as_str())
        }
        Refusal::RotationCodeTaken(code) => format!("Another rotation has the code {code}."),
        Refusal::PaymentRequired(_, why) | Refusal::GroupNotManageable(why) => why.clone(),
        Refusal::ExternalReadOnly => {
            "A partner's schedule says who is on call in the rotation.".to_owned()
        }
        _ => "What it changes is no longer there.".to_owned(),
    };
    let messages = message::change_failed(rotation, maker.as_ref(), at, &why);
    queue(tx, app, messages).map(drop)
}

/// Queues messages with the current names of people, except to people who are no longer in the workspace. Those that the local
/// platform posts at once are sent on from here. Returns whether there are any.
pub fn queue(tx: &mut WriteTx, app: &App, mut messages: Vec<Message>) -> Result<bool, Error> {
    if messages.is_empty() || tx.is_forecast() {
        return Ok(false);
    }
    let people = messages.iter().flat_map(|message| {
        let reached = match &message.to {
            Recipient::Person(user) => Some(user),
            Recipient::Channel(_) => None,
        };
        message.content.people().into_iter().chain(reached)
    });
    let known = load_people(&tx.as_read(), people)?;
    messages.retain(|message| match &message.to {
        Recipient::Person(user) => known.get(user).is_some_and(|(_, present)| *present),
        Recipient::Channel(_) => true,
    });
    for message in &mut messages {
        let people = message.content.people().into_iter();
        let named = people.filter_map(|user| Some((user.clone(), known.get(user)?.0.clone())));
        message.people = named.collect();
    }
    let inserted = store::insert_messages(tx, &messages, app.chat().posts_by_storing())?;
    for (stored, message) in inserted.into_iter().zip(&messages) {
        if stored.is_posted {
            relays::queue(tx, app, stored.sequence, message)?;
        }
        relays::queue_push(tx, stored.sequence, message)?;
    }
    Ok(!messages.is_empty())
}

/// The names of people, each looked up once. People who are not in the directory are omitted.
pub fn load_names<'a>(
    tx: &ReadTx,
    people: impl Iterator<Item = &'a UserId>,
) -> Result<PeopleNames, Error> {
    let people = load_people(tx, people)?.into_iter();
    Ok(people.map(|(user, (name, _))| (user, name)).collect())
}

/// Loads the names of people, with whether each is in the workspace.
fn load_people<'a>(
    tx: &ReadTx,
    people: impl Iterator<Item = &'a UserId>,
) -> Result<BTreeMap<UserId, (String, bool)>, Error> {
    let mut found = BTreeMap::new();
    for user in people {
        if !found.contains_key(user)
            && let Some(person) = store::load_name(tx, user)?
        {
            found.insert(user.clone(), person);
        }
    }
    Ok(found)
}

/// Requests a sync of the topics and the on-duty group that a rotation had or has. Returns whether there are any.
fn request_sync(
    tx: &mut WriteTx,
    before: &Rotation,
    after: Option<&Rotation>,
) -> Result<bool, Error> {
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

/// Requests a sync of the topics of a rotation, after a change outside it that they show.
pub fn request_topic_sync(tx: &mut WriteTx, rotation: &Rotation) -> Result<(), Error> {
    for channel in rotation.profile.topic_channels() {
        store::request_topic_sync(tx, channel)?;
    }
    Ok(())
}
