//! /v1/calendar-feeds: addresses at which calendar programs read who is on duty.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Operation, operation, refusals};
use crate::actions::calendar_feeds;
use crate::wire::calendar_feed::{
    self as wire, CalendarFeed, CalendarFeedRequest, CalendarFeedWithAddress,
};

pub const LIST: Operation = operation("listCalendarFeeds", "calendars", "List calendar feeds")
    .about("The oldest first, without their addresses. A person lists those of their own turns and those that they made; a \
        key that is limited to some rotations lists the feeds of these rotations, another key all feeds.")
    .gives_page::<CalendarFeed>("A page of calendar feeds.");

/// GET calendar-feeds.
pub fn list(call: &Call) -> Outcome {
    let page = call.query.page()?;
    let (found, total) = calendar_feeds::list(call.app, call.caller, page)?;
    let shown = found.iter().map(wire::render).collect();
    answer::listed(shown, page, total)
}

pub const CREATE: Operation = operation("createCalendarFeed", "calendars", "Create a calendar feed")
    .about("`userId` shows the turns of a person, `rotationId` everybody's turns in a rotation, both the person's turns in that \
        rotation. People make feeds of their own turns and of rotations that they see. The address is a secret and \
        only shown in this response.")
    .takes::<CalendarFeedRequest>()
    .gives::<CalendarFeedWithAddress>(201, "The feed with its address.")
    .refuses(refusals::UNSEEN);

/// POST calendar-feeds.
pub fn create(call: &Call) -> Outcome {
    let new = wire::parse(&call.body)?;
    let (feed, secret) = calendar_feeds::create(call.app, &call.author(), new)?;
    answer::json(201, &wire::with_address(&feed, &call.base_url, &secret))
}

pub const REMOVE: Operation = operation("deleteCalendarFeed", "calendars", "Withdraw a calendar feed")
    .about("Its address is 404 from now on, so calendar programs show its events no longer after their next reading.")
    .gives_nothing("Withdrawn.");

/// DELETE a feed.
pub fn remove(call: &Call) -> Outcome {
    let id = call.path.id("calendarFeedId");
    calendar_feeds::withdraw(call.app, &call.author(), &id)?;
    Ok(crate::server::Response::empty(204))
}

pub const ROTATE: Operation = operation(
    "rotateCalendarFeed",
    "calendars",
    "Replace the address of a calendar feed",
)
.about("The old address is 404 from now on. The new one is only shown in this response.")
.gives::<CalendarFeedWithAddress>(200, "The feed with its new address.");

/// POST a new address.
pub fn rotate(call: &Call) -> Outcome {
    let id = call.path.id("calendarFeedId");
    let (feed, secret) = calendar_feeds::rotate(call.app, &call.author(), &id)?;
    answer::json(200, &wire::with_address(&feed, &call.base_url, &secret))
}
