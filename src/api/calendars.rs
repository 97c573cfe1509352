//! /v1/users/{userId}/calendars and .../absences: calendars of people, and when a person is absent.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{OPEN_RANGE, Operation, operation};
use crate::actions::calendars::{self, KnownCalendar};
use crate::server::Response;
use crate::wire::personal_calendar::{
    self as wire, PersonAbsence, PersonalCalendar, PersonalCalendarPatch, PersonalCalendarRequest,
};

fn render(known: &KnownCalendar) -> PersonalCalendar {
    wire::render(&known.calendar, known.ahead)
}

pub const LIST: Operation = operation("listPersonalCalendars", "calendars", "List a person's calendars")
    .about("The calendars whose events are absences of the person, the oldest first, without their addresses. A person reads \
        their own; workspace admins and keys read everybody's.")
    .gives_page::<PersonalCalendar>("A page of calendars.");

/// GET calendars.
pub fn list(call: &Call) -> Outcome {
    let page = call.query.page()?;
    let found = calendars::list(call.app, call.caller, &call.path.id("userId"))?;
    answer::json(
        200,
        &answer::page_of(found, page).map(|known| render(&known)),
    )
}

pub const CREATE: Operation = operation("createPersonalCalendar", "calendars", "Add a calendar of a person")
    .about("Its events become absences: hand-overs pass the person over meanwhile. It is read at once in the background, and \
        then again and again. A calendar that cannot be read is kept, and `lastError` says why. The address is a secret \
        and is not shown again. A person has at most 5.")
    .takes::<PersonalCalendarRequest>()
    .gives::<PersonalCalendar>(201, "The calendar.")
    .refuses(&["too_many_calendars"]);

/// POST calendars.
pub fn create(call: &Call) -> Outcome {
    let new = wire::parse(&call.body, call.path.id("userId"))?;
    let made = calendars::create(call.app, &call.author(), new)?;
    answer::json(201, &render(&made))
}

pub const PATCH: Operation = operation("patchPersonalCalendar", "calendars", "Change a calendar of a person")
    .about("Changes its name and which of its events count. After the latter it is read again in the background.")
    .takes::<PersonalCalendarPatch>()
    .gives::<PersonalCalendar>(200, "The calendar.");

/// PATCH a calendar.
pub fn patch(call: &Call) -> Outcome {
    let (edit, repeated) = (wire::parse_patch(&call.body)?, wire::repeated(&call.body)?);
    let agrees = move |known: &KnownCalendar| repeated.check(|| render(known));
    let changed = calendars::change(call.app, &call.author(), &which(call), edit, agrees)?;
    answer::json(200, &render(&changed))
}

pub const REMOVE: Operation = operation(
    "deletePersonalCalendar",
    "calendars",
    "Remove a calendar of a person",
)
.about("Its absences no longer count.")
.gives_nothing("Removed.");

/// DELETE a calendar.
pub fn remove(call: &Call) -> Outcome {
    calendars::remove(call.app, &call.author(), &which(call))?;
    Ok(Response::empty(204))
}

pub const READ: Operation = operation("readPersonalCalendar", "calendars", "Read a calendar now")
    .about("Answers when it has been read, also where that failed; `lastError` says why. One reading of a calendar and four in \
        the server run at a time: others are refused with `too_many_readings`, and may be repeated after `Retry-After`.")
    .gives::<PersonalCalendar>(200, "The calendar.")
    .refuses(&["too_many_readings"]);

/// POST read.
pub fn read(call: &Call) -> Outcome {
    let known = calendars::read_now(call.app, &call.author(), &which(call))?;
    answer::json(200, &render(&known))
}

pub const ABSENCES: Operation = operation("listPersonAbsences", "calendars", "List a person's absences")
    .about("The absences that overlap the range, stored ones and those of calendars, one by one, by their beginning. Those of \
        calendars are known from a week ago to 400 days ahead. The summaries of a calendar's events are shown to the \
        person and to workspace admins.")
    .query(OPEN_RANGE)
    .gives_page::<PersonAbsence>("A page of absences.");

/// GET absences.
pub fn absences(call: &Call) -> Outcome {
    let ((from, until), page) = (call.query.open_range()?, call.query.page()?);
    let user = call.path.id("userId");
    let found = calendars::absences_of(call.app, call.caller, &user, from, until)?;
    let shown = answer::page_of(found, page).map(|absence| {
        let calendar = absence.calendar.map(|id| id.to_string());
        wire::render_absence(&user, absence.period, absence.reason, calendar)
    });
    answer::json(200, &shown)
}

fn which(call: &Call) -> calendars::Which {
    calendars::Which {
        user: call.path.id("userId"),
        calendar: call.path.id("calendarId"),
    }
}
