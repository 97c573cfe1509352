//! /v1/users/{userId}/calendars and .../absences: calendars of people, and when a person is absent.

use super::Api;
use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{
    Body, Kind, Operation, PAGE, PAGE_SIZE, gives, gives_nothing, parameter, shape,
};
use crate::actions::calendars::{self, KnownCalendar};
use crate::server::Response;
use crate::wire::page::Page;
use crate::wire::personal_calendar::{
    self as wire, PersonAbsence, PersonalCalendar, PersonalCalendarPatch, PersonalCalendarRequest,
};

fn render(known: &KnownCalendar) -> PersonalCalendar {
    wire::render(&known.calendar, known.ahead)
}

pub const LIST: Operation = Operation {
    id: "listPersonalCalendars",
    tag: "calendars",
    summary: "List a person's calendars",
    about: "The calendars whose events are absences of the person, the oldest first, without their addresses. A person reads \
            their own; workspace admins and keys read everybody's.",
    query: &[PAGE, PAGE_SIZE],
    body: Body::None,
    gives: &[gives(
        200,
        "A page of calendars.",
        shape::<Page<PersonalCalendar>>,
    )],
    refuses: &[],
};

/// GET calendars.
pub fn list(_: &Api, call: &Call) -> Outcome {
    let page = call.query.page()?;
    let found = calendars::list(call.app, call.caller, &call.path.id("userId"))?;
    answer::json(
        200,
        &answer::page_of(found, page).map(|known| render(&known)),
    )
}

pub const CREATE: Operation = Operation {
    id: "createPersonalCalendar",
    tag: "calendars",
    summary: "Add a calendar of a person",
    about: "Its events become absences: hand-overs pass the person over meanwhile. It is read at once in the background, and \
            then again and again. A calendar that cannot be read is kept, and `lastError` says why. The address is a secret \
            and is not shown again. A person has at most 5.",
    query: &[],
    body: Body::Required(shape::<PersonalCalendarRequest>),
    gives: &[gives(201, "The calendar.", shape::<PersonalCalendar>)],
    refuses: &[(409, "too_many_calendars")],
};

/// POST calendars.
pub fn create(_: &Api, call: &Call) -> Outcome {
    let new = wire::parse(&call.body, call.path.id("userId"))?;
    let made = calendars::create(call.app, &call.author(), new)?;
    answer::json(201, &render(&made))
}

pub const PATCH: Operation = Operation {
    id: "patchPersonalCalendar",
    tag: "calendars",
    summary: "Change a calendar of a person",
    about: "Changes its name and which of its events count. After the latter it is read again in the background.",
    query: &[],
    body: Body::Required(shape::<PersonalCalendarPatch>),
    gives: &[gives(200, "The calendar.", shape::<PersonalCalendar>)],
    refuses: &[],
};

/// PATCH a calendar.
pub fn patch(_: &Api, call: &Call) -> Outcome {
    let (edit, repeated) = (wire::parse_patch(&call.body)?, wire::repeated(&call.body)?);
    let agrees = move |known: &KnownCalendar| repeated.check(|| render(known));
    let changed = calendars::change(call.app, &call.author(), &which(call), edit, agrees)?;
    answer::json(200, &render(&changed))
}

pub const REMOVE: Operation = Operation {
    id: "deletePersonalCalendar",
    tag: "calendars",
    summary: "Remove a calendar of a person",
    about: "Its absences no longer count.",
    query: &[],
    body: Body::None,
    gives: &[gives_nothing("Removed.")],
    refuses: &[],
};

/// DELETE a calendar.
pub fn remove(_: &Api, call: &Call) -> Outcome {
    calendars::remove(call.app, &call.author(), &which(call))?;
    Ok(Response::empty(204))
}

pub const READ: Operation = Operation {
    id: "readPersonalCalendar",
    tag: "calendars",
    summary: "Read a calendar now",
    about: "Answers when it has been read, also where that failed; `lastError` says why. One reading of a calendar and four in \
            the server run at a time: others are refused with `too_many_readings`, and may be repeated after `Retry-After`.",
    query: &[],
    body: Body::None,
    gives: &[gives(200, "The calendar.", shape::<PersonalCalendar>)],
    refuses: &[(429, "too_many_readings")],
};

/// POST read.
pub fn read(_: &Api, call: &Call) -> Outcome {
    let known = calendars::read_now(call.app, &call.author(), &which(call))?;
    answer::json(200, &render(&known))
}

pub const ABSENCES: Operation = Operation {
    id: "listPersonAbsences",
    tag: "calendars",
    summary: "List a person's absences",
    about: "The absences that overlap the range, stored ones and those of calendars, one by one, by their beginning. Those of \
            calendars are known from a week ago to 400 days ahead. The summaries of a calendar's events are shown to the \
            person and to workspace admins.",
    query: &[
        parameter(
            "from",
            Kind::Instant,
            "Start of the range; unlimited if omitted.",
        ),
        parameter(
            "to",
            Kind::Instant,
            "End of the range, exclusive; unlimited if omitted.",
        ),
        PAGE,
        PAGE_SIZE,
    ],
    body: Body::None,
    gives: &[gives(
        200,
        "A page of absences.",
        shape::<Page<PersonAbsence>>,
    )],
    refuses: &[],
};

/// GET absences.
pub fn absences(_: &Api, call: &Call) -> Outcome {
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
