//! Posts to several recipients at once, each in its order: a platform far away takes long for each message.

use super::{Posted, judge, post_one, record};
use crate::actions::chat_sync::updating;
use crate::actions::{App, Error};
use crate::chat::slack::{Slack, method};
use crate::domain::message::Recipient;
use crate::failpoint;
use crate::store::{self, Outgoing, ReadTx};

/// The most messages in flight.
const AT_ONCE: usize = 8;

/// Posts the first waiting message of some recipients whose turn it is. Returns whether any was posted, or refused.
pub(super) fn post(app: &App, slack: &Slack, posted: &mut Vec<Posted>) -> Result<bool, Error> {
    let now = app.now();
    let first = app.store().read(|tx| store::list_first_messages(tx, now))?;
    if slack.is_paused() {
        explain(app, slack)?;
    }
    let mut open: Vec<Outgoing> = Vec::new();
    for outgoing in first {
        if let Err(why) = judge(&outgoing, now) {
            posted.push((outgoing, Err(why)));
            continue;
        }
        let to = match &outgoing.to {
            Recipient::Channel(id) => id.as_str(),
            Recipient::Person(id) => id.as_str(),
        };
        let is_open = slack.opens(&method::CHAT_POST_MESSAGE, to).is_none();
        if open.len() < AT_ONCE && is_open && !slack.is_paused() {
            open.push(outgoing);
        }
    }
    app.store().read(|tx| without_old_buttons(tx, &mut open))?;
    std::thread::scope(|scope| {
        let posting = open.into_iter().map(|outgoing| {
            scope.spawn(move || {
                let outcome = post_one(app, &outgoing, now);
                (outgoing, outcome)
            })
        });
        let posting: Vec<_> = posting.collect();
        // A post that panicked is posted again.
        let done = posting.into_iter().filter_map(|thread| thread.join().ok());
        posted.extend(done);
    });
    failpoint::point("chat.posted");
    let tried = |(_, outcome): &Posted| !matches!(outcome, Err(error) if error.is_wait());
    let any = posted.iter().any(tried);
    record(app, posted)?;
    Ok(any)
}

/// Says of all waiting messages that the platform is paused.
fn explain(app: &App, slack: &Slack) -> Result<(), Error> {
    let Some(why) = slack.state().1 else {
        return Ok(());
    };
    if app.store().read(store::any_unexplained_message)? {
        app.store()
            .write_log(move |tx| store::note_messages_wait(tx, &why))?;
    }
    Ok(())
}

/// Takes the buttons from messages whose question was answered while they waited.
fn without_old_buttons(tx: &ReadTx, open: &mut [Outgoing]) -> Result<(), Error> {
    let messages = open
        .iter_mut()
        .filter_map(|outgoing| outgoing.message.as_mut().ok());
    for message in messages.filter(|message| !message.answers.is_empty()) {
        if updating::standing(tx, message)?.is_some() {
            message.answers.clear();
        }
    }
    Ok(())
}
