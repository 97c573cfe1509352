//! Reading a calendar feed: finding it by its secret, checking whether it changed, and its events.

use crate::actions::keys::hash;
use crate::actions::{ActionError, App, Error, Result, reads};
use crate::domain::access::{Principal, Role, Via};
use crate::domain::calendar_feed::{CalendarFeed, Shows};
use crate::domain::duty::{self, Duty};
use crate::domain::duty_feed::{self, DutyEvent, Whose};
use crate::domain::forecast::{self, Budget};
use crate::domain::handover::DealingContext;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::rotation::{Entry, Rotation};
use crate::domain::time::Interval;
use crate::store::{self, ReadTx};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Events of one feed at the most: the first ones of the span.
const MOST_EVENTS: usize = 5_000;

/// The content of a feed, as it was read from one snapshot. Its events are not made yet.
pub struct FeedReading {
    pub feed: CalendarFeed,
    /// Names the calendar.
    pub name: String,
    pub span: Interval,
    rotations: Vec<Rotation>,
}

/// The feed of a secret; `None` where there is none, or no longer.
pub fn find(app: &App, secret: &str) -> Result<Option<CalendarFeed>> {
    let hash = hash(secret);
    app.store().read(|tx| Ok(store::load_feed_of(tx, &hash)?))
}

/// The content of a feed, with its revision; `None` where whoever it speaks for is gone, or the rotation has been gone or hidden from
/// them for long. The first reading after a change counts the revision up, which is the only thing that a reading writes. A standby counts for itself.
pub fn read(app: &App, feed: &CalendarFeed) -> Result<Option<FeedReading>> {
    let now = app.now();
    let found = app.store().read(|tx| gather(app, tx, feed, now))?;
    let Some((reading, state)) = found else {
        return Ok(None);
    };
    if reading.feed.revision.state == Some(state) {
        return Ok(Some(reading));
    }
    let (app, feed) = (app.clone(), feed.clone());
    let store = app.clone();
    store.store().write_own(move |tx| {
        let Some((mut reading, state)) = gather(&app, &tx.as_read(), &feed, now)? else {
            return Ok(None);
        };
        reading.feed.revision = reading.feed.revision.seen(state, tx.now());
        store::save_feed_revision(tx, &feed.id, &reading.feed.revision)?;
        Ok(Some(reading))
    })
}

/// Reads what a feed depends on, and its digest.
fn gather(
    app: &App,
    tx: &ReadTx,
    feed: &CalendarFeed,
    now: Timestamp,
) -> Result<Option<(FeedReading, [u8; 32])>> {
    // Withdrawn, or read by another request, since it was found.
    let Some(feed) = store::load_feed(tx, &feed.id)? else {
        return Ok(None);
    };
    let Some(reader) = reader(tx, &feed)? else {
        return Ok(None);
    };
    let (ids, is_one) = match &feed.shows {
        Shows::Person(user) => (store::list_rotations_of(tx, user)?, false),
        Shows::Rotation(id) | Shows::PersonIn(_, id) => (vec![id.clone()], true),
    };
    let (mut rotations, mut last_name) = (Vec::new(), None);
    for id in ids {
        match reads::visible(tx, &reader, &id) {
            Ok(rotation) => rotations.push(rotation),
            Err(ActionError::Refused(_)) if is_one => {
                // For a while an empty calendar, so that programs drop what they have.
                let gone = feed.gone.as_ref().filter(|gone| gone.is_empty_at(now));
                let Some(gone) = gone else {
                    return Ok(None);
                };
                last_name = Some(gone.name.clone());
            }
            Err(ActionError::Refused(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let current = rotations.first();
    let shown =
        last_name.or_else(|| current.map(|rotation: &Rotation| rotation.profile.name.clone()));
    let name = match (&feed.name, &feed.shows, shown) {
        (Some(name), ..) => name.clone(),
        (None, Shows::Rotation(_), Some(rotation)) => rotation,
        (None, Shows::PersonIn(..), Some(rotation)) => format!("Duty: {rotation}"),
        (None, ..) => "Duty".to_owned(),
    };
    let span = duty_feed::span(now);
    let state = digest(app, tx, &name, &rotations, span)?;
    let reading = FeedReading {
        feed,
        name,
        span,
        rotations,
    };
    Ok(Some((reading, state)))
}

/// Whose rights a feed has; `None` where they are gone.
pub(super) fn reader(tx: &ReadTx, feed: &CalendarFeed) -> Result<Option<Principal>, Error> {
    let Some(user) = feed.reader() else {
        return Ok(Some(Principal::Operator { user: None }));
    };
    let person = store::load_person(tx, user)?;
    let active = person.filter(|person| !person.is_deleted && !person.is_external);
    Ok(active.map(|person| Principal::Person {
        user: user.clone(),
        name: person.name().to_owned(),
        role: match person.is_admin {
            true => Role::Admin,
            false => Role::Member,
        },
        via: Via::CalendarFeed(feed.id.clone()),
    }))
}

/// A digest of everything that the events depend on: versions, absences, which change the plan without a version, the directory,
/// which has the names, holidays and zones, addresses, and the day where there may be turns without an end, whose events it moves.
fn digest(
    app: &App,
    tx: &ReadTx,
    name: &str,
    rotations: &[Rotation],
    span: Interval,
) -> Result<[u8; 32]> {
    let mut digest = Sha256::new();
    let mut add = |part: &[u8]| {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    };
    add(env!("CARGO_PKG_VERSION").as_bytes());
    add(app.base_url().as_bytes());
    add(name.as_bytes());
    add(&app.calendar().fingerprint().to_be_bytes());
    add(&store::count_imports(tx)?.to_be_bytes());
    for rotation in rotations {
        add(rotation.id.as_str().as_bytes());
        add(&rotation.stamps.version.to_be_bytes());
        add(&rotation.stamps.updated_at.as_millisecond().to_be_bytes());
        if duty_feed::may_last(rotation) {
            add(&span.until.as_millisecond().to_be_bytes());
        }
        for (user, away) in rotation.absences.iter() {
            add(user.as_str().as_bytes());
            add(&away.period.from.as_millisecond().to_be_bytes());
            add(&away.period.until.as_millisecond().to_be_bytes());
        }
    }
    Ok(digest.finalize().into())
}

impl FeedReading {
    /// The events, by beginning, each with its rotation. The record only grows, so that reading it after the rest changes
    /// nothing: what is not in it yet is still planned.
    pub fn events(&self, app: &App) -> Result<Vec<(RotationId, DutyEvent)>> {
        let mut budget = Budget::default();
        let mut events = Vec::new();
        for rotation in &self.rotations {
            let found = self.events_of(app, rotation, &mut budget)?;
            events.extend(found.into_iter().map(|event| (rotation.id.clone(), event)));
        }
        events.sort_by(|(_, one), (_, two)| (one.period, &one.cell).cmp(&(two.period, &two.cell)));
        events.truncate(MOST_EVENTS);
        Ok(events)
    }

    fn events_of(
        &self,
        app: &App,
        rotation: &Rotation,
        budget: &mut Budget,
    ) -> Result<Vec<DutyEvent>> {
        let (mut held, names) = app.store().read(|tx| -> Result<_> {
            let history = store::list_history(tx, rotation, self.span)?;
            let names = names(tx, rotation, &history)?;
            Ok((history, names))
        })?;
        held.retain(|duty| {
            // What ended after the rotation was read is part of its forecast.
            let running = duty.slot.map(|slot| rotation.cells[slot].entry.start);
            duty.end.is_some() && running.is_none_or(|running| duty.entry.start < running)
        });
        let duties = duty::merged(held, self.planned(app, rotation, budget));
        let whose = match self.feed.shows.user() {
            Some(user) => Whose::Person(user),
            None => Whose::Everybody,
        };
        Ok(duty_feed::events(
            rotation,
            app.calendar(),
            &duties,
            self.span,
            (whose, &names),
        ))
    }

    /// The plan as far as it can be computed: where hand-overs are too frequent for all of the span, a part of it.
    fn planned(&self, app: &App, rotation: &Rotation, budget: &mut Budget) -> Vec<Duty> {
        let dealing = DealingContext::new(app.calendar(), &rotation.absences);
        let mut until = self.span.until;
        loop {
            let range = Interval::new(self.span.from, until);
            let found = match self.feed.shows.user() {
                Some(user) => forecast::duties_of(rotation, dealing, user, range, budget),
                None => forecast::schedule(rotation, dealing, range),
            };
            let ahead = until.duration_since(rotation.stamps.judged_at);
            match found {
                Ok(planned) => return planned,
                Err(_) if ahead < SignedDuration::from_hours(24) => return Vec::new(),
                Err(_) => until = until.saturating_sub(ahead / 2).unwrap_or(until),
            }
        }
    }
}

/// The names of everybody who has been or can be on duty.
fn names(tx: &ReadTx, rotation: &Rotation, history: &[Duty]) -> Result<HashMap<UserId, String>> {
    let mut names = HashMap::new();
    fn people(entry: &Entry) -> impl Iterator<Item = UserId> {
        let owner = entry.dealt.as_ref().map(|turn| &turn.owner);
        entry.user.iter().chain(owner).cloned()
    }
    let held = history.iter().flat_map(|duty| people(&duty.entry));
    let running = rotation.cells.iter().flat_map(|cell| people(&cell.entry));
    let arranged = rotation.arranged.iter().map(|over| over.user.clone());
    let order = crate::domain::roster::order(&rotation.members, None);
    let members = order.into_iter().map(|one| one.user);
    for user in held.chain(running).chain(arranged).chain(members) {
        if !names.contains_key(&user)
            && let Some(person) = store::load_person(tx, &user)?
        {
            names.insert(user, person.name().to_owned());
        }
    }
    Ok(names)
}
