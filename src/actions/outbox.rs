//! Stores events in the transaction that causes them: the body once, and a delivery for each endpoint that subscribes
//! (rules.md 16).

use super::{App, Error};
use crate::domain::event::Event;
use crate::domain::ids::{ChangeId, DeliveryId, WebhookId};
use crate::domain::rotation::Rotation;
use crate::domain::webhook::EventType;
use crate::store::{self, WriteTx};
use crate::wire::event;
use jiff::Timestamp;

/// When an event happens, and whether it is certain to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurs {
    /// It was caused within this write.
    Now,
    /// It fell due at this instant: whoever carries it out makes the same event of it.
    Due(Timestamp),
}

/// Queues the events of a rotation, in its state within this write, for all subscribers. Returns whether there are
/// any.
pub fn announce(
    tx: &mut WriteTx,
    app: &App,
    rotation: &Rotation,
    news: &[Event],
    occurs: Occurs,
) -> Result<bool, Error> {
    announce_change(tx, app, rotation, news, None, occurs)
}

/// The same of events that a change caused which waited for its time.
pub(super) fn announce_change(
    tx: &mut WriteTx,
    app: &App,
    rotation: &Rotation,
    news: &[Event],
    change: Option<&ChangeId>,
    occurs: Occurs,
) -> Result<bool, Error> {
    if news.is_empty() || tx.is_forecast() {
        return Ok(false);
    }
    let subscribers = store::list_subscribers(&tx.as_read())?;
    let mut queued = false;
    for event in news {
        let to = subscribed(&subscribers, event.kind());
        if !to.is_empty() {
            queue(tx, app, rotation, (*event, change), &to, occurs)?;
            queued = true;
        }
    }
    Ok(queued)
}

fn subscribed(subscribers: &[(WebhookId, Vec<EventType>)], kind: EventType) -> Vec<WebhookId> {
    let wanted = subscribers
        .iter()
        .filter(|(_, kinds)| kinds.contains(&kind));
    wanted.map(|(id, _)| id.clone()).collect()
}

/// Queues one event for these endpoints. Returns the ids of its deliveries.
pub(super) fn queue(
    tx: &mut WriteTx,
    app: &App,
    rotation: &Rotation,
    (news, change): (Event, Option<&ChangeId>),
    to: &[WebhookId],
    occurs: Occurs,
) -> Result<Vec<DeliveryId>, Error> {
    let team = store::load_team(&tx.as_read())?;
    let at = match occurs {
        Occurs::Now => tx.now(),
        Occurs::Due(at) => at,
    };
    let mut body = event::render(
        news,
        rotation,
        app.calendar(),
        &team.id,
        app.base_url(),
        &app.as_of(at),
    );
    body.change_id = change.map(ToString::to_string);
    let frozen = event::frozen(&body).map_err(|error| Error::Corrupt(error.to_string()))?;
    let mut deliveries = Vec::with_capacity(to.len());
    for webhook in to {
        let id = match occurs {
            Occurs::Now => tx.mint_hexadecimal().into(),
            Occurs::Due(_) => {
                let database = store::load_epoch(&tx.as_read())?.database_id;
                event::repeatable_id(&database, webhook.as_str(), &frozen).into()
            }
        };
        deliveries.push((webhook.clone(), id));
    }
    store::insert_event(tx, news.kind(), &rotation.id, &frozen, &deliveries)?;
    Ok(deliveries.into_iter().map(|(_, id)| id).collect())
}
