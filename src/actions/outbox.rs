//! Stores events in the transaction that causes them: the body once, and a delivery for each endpoint that subscribes
//! (rules.md 16).

use super::{App, Error};
use crate::domain::event::Event;
use crate::domain::ids::{ChangeId, DeliveryId, WebhookId};
use crate::domain::rotation::Rotation;
use crate::domain::webhook::EventType;
use crate::store::{self, WriteTx};
use crate::wire::event;

/// Queues the events of a rotation, in its state within this write, for all subscribers. Returns whether there are
/// any.
pub fn announce(
    tx: &mut WriteTx,
    app: &App,
    rotation: &Rotation,
    news: &[Event],
) -> Result<bool, Error> {
    announce_change(tx, app, rotation, news, None)
}

/// The same of events that a change caused which waited for its time.
pub(super) fn announce_change(
    tx: &mut WriteTx,
    app: &App,
    rotation: &Rotation,
    news: &[Event],
    change: Option<&ChangeId>,
) -> Result<bool, Error> {
    if news.is_empty() {
        return Ok(false);
    }
    let subscribers = store::list_subscribers(&tx.as_read())?;
    let mut queued = false;
    for event in news {
        let to = subscribed(&subscribers, event.kind());
        if !to.is_empty() {
            queue(tx, app, rotation, (*event, change), &to)?;
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
) -> Result<Vec<DeliveryId>, Error> {
    let team = store::load_team(&tx.as_read())?;
    let mut body = event::render(
        news,
        rotation,
        app.calendar(),
        &team.id,
        app.base_url(),
        &app.as_of(tx.now()),
    );
    body.change_id = change.map(ToString::to_string);
    let frozen = event::frozen(&body).map_err(|error| Error::Corrupt(error.to_string()))?;
    store::insert_event(tx, news.kind(), &rotation.id, &frozen, to)
}
