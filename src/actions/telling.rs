//! What chat is told of a write, queued in its transaction: messages to people and channels, and which topics and on-duty
//! groups are to be looked at (contract section 12).

use super::{App, Fault};
use crate::domain::event::{Act, Event, Nobody};
use crate::domain::ids::{RotationId, UserId};
use crate::domain::rotation::Rotation;
use crate::domain::takeover;
use crate::domain::wording::{self, Message, Named, Names, Voice};
use crate::store::{self, ReadTx, WriteTx};
use jiff::Timestamp;
use std::cell::RefCell;
use std::collections::HashMap;

/// Tells of a committed change of a rotation; answers whether there was anything to tell.
pub fn change(
    tx: &mut WriteTx,
    app: &App,
    before: &Rotation,
    after: &Rotation,
    act: Act,
    news: &[Event],
) -> Result<bool, Fault> {
    let called = call(tx, before, Some(after))?;
    let takeovers = takeover::between(before, after, app.calendar());
    let unplanned = |event: &Event| matches!(event, Event::NobodyOnCall { reason, .. } if *reason == Nobody::Unplanned);
    // One place of several that stands empty is news, but others are on call.
    let nobody = news.iter().any(unplanned) && takeover::on_call(after).is_empty();
    if takeovers.is_empty() && !nobody {
        return Ok(called);
    }
    let told = say(tx, app, after, |names| {
        wording::change(after, &takeovers, nobody, act, names)
    })?;
    Ok(called || told)
}

/// Tells that a rotation is deleted.
pub fn deleted(tx: &mut WriteTx, app: &App, rotation: &Rotation) -> Result<(), Fault> {
    call(tx, rotation, None)?;
    let on_call = takeover::on_call(rotation);
    say(tx, app, rotation, |names| {
        wording::deleted(rotation, &on_call, names)
    })
    .map(drop)
}

/// Queues what is to be said in the name of a rotation; answers whether that is anything.
pub fn say(
    tx: &mut WriteTx,
    app: &App,
    rotation: &Rotation,
    words: impl FnOnce(Names) -> Vec<Message>,
) -> Result<bool, Fault> {
    say_until(tx, app, rotation, None, words)
}

/// The same for what is not worth saying from an instant on.
pub fn say_until(
    tx: &mut WriteTx,
    app: &App,
    rotation: &Rotation,
    until: Option<Timestamp>,
    words: impl FnOnce(Names) -> Vec<Message>,
) -> Result<bool, Fault> {
    let messages = with_names(&tx.as_read(), app, words)?;
    queue(tx, app, &rotation.id, &messages, until)
}

/// Queues messages, not worth sending from an instant on; those to people who are no longer in the workspace are left out.
/// Answers whether there is any.
pub fn queue(
    tx: &mut WriteTx,
    app: &App,
    rotation: &RotationId,
    messages: &[Message],
    until: Option<Timestamp>,
) -> Result<bool, Fault> {
    if messages.is_empty() {
        return Ok(false);
    }
    let longest = app.chat().manners().longest_message;
    let shortened = messages
        .iter()
        .map(|(to, text)| (to, wording::shortened(text, longest)));
    store::insert_messages(tx, rotation, shortened, until)
}

/// Has the topics and the on-duty group looked at that a rotation had or has; answers whether there are any.
fn call(tx: &mut WriteTx, before: &Rotation, after: Option<&Rotation>) -> Result<bool, Fault> {
    let both = || std::iter::once(before).chain(after);
    let mut channels: Vec<_> = both().flat_map(|r| r.profile.topic_channels()).collect();
    channels.sort();
    channels.dedup();
    for channel in &channels {
        store::call_for_topic(tx, channel)?;
    }
    let mut groups: Vec<_> = both()
        .filter_map(|r| r.profile.duty_group.as_ref())
        .collect();
    groups.dedup();
    for group in &groups {
        store::call_for_group(tx, group)?;
    }
    Ok(!channels.is_empty() || !groups.is_empty())
}

/// Has the topics of a rotation looked at, where something changed beside it that they tell.
pub fn call_for_topics(tx: &mut WriteTx, rotation: &Rotation) -> Result<(), Fault> {
    for channel in rotation.profile.topic_channels() {
        store::call_for_topic(tx, channel)?;
    }
    Ok(())
}

/// Lets something be worded with the names of people, each looked up once. Somebody whom the directory does not know goes by
/// their id.
pub fn with_names<T>(tx: &ReadTx, app: &App, words: impl FnOnce(Names) -> T) -> Result<T, Fault> {
    let voice = PlatformVoice {
        tx,
        app,
        known: RefCell::default(),
        fault: RefCell::default(),
    };
    let worded = words(&voice);
    match voice.fault.take() {
        Some(fault) => Err(fault),
        None => Ok(worded),
    }
}

/// The names of the directory as the chat platform writes them.
struct PlatformVoice<'a> {
    tx: &'a ReadTx<'a>,
    app: &'a App,
    known: RefCell<HashMap<UserId, Named>>,
    /// The first look-up that failed.
    fault: RefCell<Option<Fault>>,
}

impl Voice for PlatformVoice<'_> {
    fn named(&self, user: &UserId) -> Named {
        if let Some(named) = self.known.borrow().get(user) {
            return named.clone();
        }
        let person = store::load_person(self.tx, user).unwrap_or_else(|fault| {
            self.fault.borrow_mut().get_or_insert(fault);
            None
        });
        let name = person.map_or_else(|| user.to_string(), |person| person.name().to_owned());
        let named = Named {
            handle: self.app.chat().handle(user, &name),
            name: self.plain(&name),
        };
        self.known.borrow_mut().insert(user.clone(), named.clone());
        named
    }

    fn plain(&self, text: &str) -> String {
        self.app.chat().plain(text)
    }
}
