//! Calendar feeds: create, list, replace the address, withdraw (rules.md 20).

mod reading;

pub use reading::{FeedReading, find, read};

use super::chat_ids::{self, NamedIds};
use super::keys::hash;
use super::{App, Result, audit, reads};
use crate::domain::access::{Principal, Reach, Scope};
use crate::domain::audit::{AuditedChange, Author, Phrase};
use crate::domain::calendar_feed::{
    CalendarFeed, MOST_OF_A_PERSON, MOST_OF_KEYS, NewFeed, Revision, Shows,
};
use crate::domain::ids::{CalendarFeedId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::store::{self, FeedsOf, Page, ReadTx, WriteTx};

/// Makes a feed. Also returns the secret of its address, which is not stored.
///
/// # Errors
/// [`Refusal::NotFound`] for a person who is not active and a rotation that the caller or the person does not see,
/// [`Refusal::ResourceDenied`] for the turns of somebody else, [`Refusal::Invalid`] where there are too many feeds.
pub fn create(app: &App, author: &Author, new: NewFeed) -> Result<(CalendarFeed, String)> {
    new.check()?;
    author.principal.check_scope(Scope::ReadOnCall)?;
    chat_ids::ask(app, &NamedIds::people(new.shows.user()))?;
    audit::write(app.store(), author, move |tx, author| {
        let maker = person(&author.principal);
        check_new(&tx.as_read(), &author.principal, &new.shows)?;
        let most = match maker {
            Some(_) => MOST_OF_A_PERSON,
            None => MOST_OF_KEYS,
        };
        if store::count_feeds_by(&tx.as_read(), maker)? >= most {
            return Ok(invalid(
                "",
                format!("there are {most} calendar feeds already; withdraw one first"),
            )?);
        }
        let secret = tx.mint_secret();
        let feed = CalendarFeed {
            id: CalendarFeedId::from(tx.mint("cal_")),
            shows: new.shows,
            name: new.name,
            alarms: new.alarms,
            created_by: maker.cloned(),
            created_at: tx.now(),
            revision: Revision {
                state: None,
                sequence: 0,
                changed_at: tx.now(),
            },
            gone: None,
        };
        check_readable(&tx.as_read(), &feed)?;
        store::insert_feed(tx, &feed, &hash(&secret))?;
        let change = change(&feed, "created");
        Ok(((feed, secret), Some(change)))
    })
}

/// The feeds that a caller may see: a person those of their turns and those that they made, a key all of its rotations.
pub fn list(app: &App, caller: &Principal, page: Page) -> Result<(Vec<CalendarFeed>, u64)> {
    let of = match (person(caller), caller.reach()) {
        (Some(user), _) => FeedsOf::Person(user),
        (None, Reach::All) => FeedsOf::Everybody,
        (None, Reach::Selected(ids)) => FeedsOf::Rotations(ids),
        (None, _) => FeedsOf::Rotations(&[]),
    };
    app.store().read(|tx| Ok(store::list_feeds(tx, of, page)?))
}

/// Gives a feed another address. Also returns the secret of it; the old one leads nowhere from now on.
pub fn rotate(app: &App, author: &Author, id: &CalendarFeedId) -> Result<(CalendarFeed, String)> {
    let id = id.clone();
    audit::write(app.store(), author, move |tx, author| {
        let feed = known(tx, &author.principal, &id)?;
        let secret = tx.mint_secret();
        store::save_feed_secret(tx, &id, &hash(&secret))?;
        let change = change(&feed, "address replaced");
        Ok(((feed, secret), Some(change)))
    })
}

/// Withdraws a feed: its address leads nowhere from now on.
pub fn withdraw(app: &App, author: &Author, id: &CalendarFeedId) -> Result<CalendarFeed> {
    let id = id.clone();
    audit::write(app.store(), author, move |tx, author| {
        let feed = known(tx, &author.principal, &id)?;
        store::remove_feed(tx, &id)?;
        let change = change(&feed, "withdrawn");
        Ok((feed, Some(change)))
    })
}

fn change(feed: &CalendarFeed, done: &str) -> AuditedChange {
    let turns = Phrase::from("calendar feed of the turns of ");
    let of = match &feed.shows {
        Shows::Person(user) => turns.and(user),
        Shows::Rotation(_) => "calendar feed of everybody's turns".into(),
        Shows::PersonIn(user, _) => turns.and(user).and(" in it"),
    };
    AuditedChange {
        rotation: feed.shows.rotation().cloned(),
        ..AuditedChange::of(feed.id.as_str(), of.and(format!(" {done}")))
    }
}

fn person(principal: &Principal) -> Option<&UserId> {
    match principal {
        Principal::Person { user, .. } => Some(user),
        _ => None,
    }
}

/// Whether the caller may make a feed of this.
fn check_new(tx: &ReadTx, caller: &Principal, shows: &Shows) -> Result<()> {
    if let Some(user) = shows.user() {
        if person(caller).is_some_and(|me| me != user) {
            return Err(Refusal::ResourceDenied(
                "a feed of somebody's turns is made by themselves; send your own userId".into(),
            )
            .into());
        }
        let active = store::load_person(tx, user)?
            .filter(|person| !person.is_deleted && !person.is_external);
        if active.is_none() {
            return Err(Refusal::NotFound("user").into());
        }
    }
    match shows.rotation() {
        Some(rotation) => reads::visible(tx, caller, rotation).map(drop),
        None if matches!(caller.reach(), Reach::Selected(_)) => Err(Refusal::ResourceDenied(
            "this shows turns in every rotation; send a rotationId that the key is limited to"
                .into(),
        )
        .into()),
        None => Ok(()),
    }
}

/// Whether the address will lead anywhere: a key sees rotations that the person whose turns they are does not.
fn check_readable(tx: &ReadTx, feed: &CalendarFeed) -> Result<()> {
    let (Some(_), Some(rotation)) = (feed.shows.user(), feed.shows.rotation()) else {
        return Ok(());
    };
    let reader = reading::reader(tx, feed)?.ok_or(Refusal::NotFound("user"))?;
    reads::visible(tx, &reader, rotation).map(drop)
}

/// A feed that is there for the caller.
fn known(tx: &WriteTx, caller: &Principal, id: &CalendarFeedId) -> Result<CalendarFeed> {
    let feed = store::load_feed(&tx.as_read(), id)?.filter(|feed| match person(caller) {
        Some(me) => feed.shows.user() == Some(me) || feed.created_by.as_ref() == Some(me),
        None => match caller.reach() {
            Reach::All => true,
            Reach::Selected(ids) => feed.shows.rotation().is_some_and(|id| ids.contains(id)),
            Reach::Nothing | Reach::SeenBy(_) | Reach::Public => false,
        },
    });
    Ok(feed.ok_or(Refusal::NotFound("calendar feed"))?)
}
