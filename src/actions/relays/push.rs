//! Publishes messages as push. Several people's servers are reached at once, each person's messages one after the other.

use super::{Done, link};
use crate::actions::{App, Error, sessions};
use crate::domain::message::Recipient;
use crate::domain::push::PushTarget;
use crate::domain::relay::RelayError;
use crate::domain::wording;
use crate::relays::Plain;
use crate::relays::ntfy::{self, Publication};
use crate::store::{self, Outgoing, ReadTx};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The most that are sent at once: a server that hangs delays the others by its time-out.
const AT_ONCE: usize = 16;

/// Sends the first message of some people, and returns what became of each.
pub(super) fn send_some(app: &App, due: Vec<Outgoing>) -> Result<Vec<Done>, Error> {
    let mut first: Vec<Outgoing> = Vec::new();
    for outgoing in due {
        let is_first = first.iter().all(|other| other.to != outgoing.to);
        if first.len() < AT_ONCE && is_first {
            first.push(outgoing);
        }
    }
    let mut prepared = Vec::new();
    for outgoing in first {
        let what = app.store().read(|tx| prepare(tx, app, &outgoing))?;
        prepared.push((outgoing, what));
    }
    let now = app.now();
    let send = |what: Result<(PushTarget, Publication), RelayError>| {
        let (target, publication) = what?;
        let sent = || publication.publish(app.webhook_client(), &target, now);
        let outcome = catch_unwind(AssertUnwindSafe(sent));
        outcome.unwrap_or_else(|_| Err(RelayError::temporary("the client panicked")))
    };
    Ok(std::thread::scope(|scope| {
        let begun: Vec<_> = prepared
            .into_iter()
            .map(|(outgoing, what)| (outgoing, scope.spawn(move || send(what))))
            .collect();
        let done = begun.into_iter().map(|(outgoing, sending)| {
            let lost = |_| Err(RelayError::temporary("the client panicked"));
            (outgoing, sending.join().unwrap_or_else(lost))
        });
        done.collect()
    }))
}

/// Where a message is published, and how it reads there, or why it is not.
fn prepare(
    tx: &ReadTx,
    app: &App,
    outgoing: &Outgoing,
) -> Result<Result<(PushTarget, Publication), RelayError>, Error> {
    let refused = |why: &str| Ok(Err(RelayError::Permanent(why.to_owned())));
    let (Ok(message), Recipient::Person(user)) = (&outgoing.message, &outgoing.to) else {
        return refused("it is no message to a person");
    };
    let person = store::load_person(tx, user)?.filter(|person| !person.is_deleted);
    let Some(person) = person else {
        return refused("the person is no longer in the workspace");
    };
    let Some(target) = store::load_push(tx, user)? else {
        return refused("the person has no push address any more");
    };
    let chosen = store::load_chosen_zone(tx, user)?;
    let words = Plain {
        names: &message.people,
        zone: sessions::zone_of(chosen.or(person.time_zone).as_deref()),
    };
    let title = match message.rotation_name.as_str() {
        "" => "rota".to_owned(),
        name => wording::one_line(name),
    };
    let base = app.relays().links.as_deref();
    let publication = Publication {
        title,
        message: wording::text(message, &words),
        click: base.and_then(|base| link(message).map(|(_, path)| format!("{base}{path}"))),
        priority: ntfy::priority(message.content.kind()),
    };
    Ok(Ok((target, publication)))
}
