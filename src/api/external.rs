//! /v1/partners and /v1/rotations/{rotationId}/external: rotations that follow schedules of partners.

use super::Api;
use super::answer::{self, Outcome, page_of};
use super::extract::Call;
use super::operation::{
    Body, Kind, Operation, PAGE, PAGE_SIZE, gives, gives_tagged, parameter, shape,
};
use super::rotations::tagged;
use crate::actions::partners::linking::{LinkExternal, UnlinkExternal};
use crate::actions::partners::people::Participant;
use crate::actions::partners::schedules::{PartnerStatus, WithRotations};
use crate::actions::partners::{people, schedules};
use crate::wire::etag::Precondition;
use crate::wire::external::{
    self as wire, LinkRequest, OutsidePerson, ParticipantRequest, Partner, PartnerSchedule,
};
use crate::wire::moment::Moment;
use crate::wire::page::Page;
use crate::wire::rotation::Rotation;

pub const PARTNERS: Operation = Operation {
    id: "listPartners",
    tag: "partners",
    summary: "List partners",
    about: "The paging systems that the server has settings for, and how reading their linked schedules went last.",
    query: &[PAGE, PAGE_SIZE],
    body: Body::None,
    gives: &[gives(200, "A page of partners.", shape::<Page<Partner>>)],
    refuses: &[],
};

/// GET partners.
pub fn partners(_: &Api, call: &Call) -> Outcome {
    let page = call.query.page()?;
    let found = schedules::partners(call.app)?;
    answer::json(200, &page_of(found, page).map(partner))
}

fn partner(status: PartnerStatus) -> Partner {
    Partner {
        partner: status.partner.name().to_owned(),
        connected: status.failure.is_none(),
        last_successful_read_utc: status.read_at.map(Moment),
        last_read_failure_utc: status.failed_at.map(Moment),
        last_read_failure: status.failure,
    }
}

pub const SCHEDULES: Operation = Operation {
    id: "listPartnerSchedules",
    tag: "partners",
    summary: "List a partner's schedules",
    about: "Asks the partner, and keeps its answer for a minute. `linkedRotationIds` are the rotations that follow a schedule \
            already.",
    query: &[
        PAGE,
        PAGE_SIZE,
        parameter(
            "q",
            Kind::Text,
            "Only schedules with this text in the name.",
        ),
    ],
    body: Body::None,
    gives: &[gives(
        200,
        "A page of schedules.",
        shape::<Page<PartnerSchedule>>,
    )],
    refuses: &[(503, "partner_unavailable")],
};

/// GET a partner's schedules.
pub fn schedules(_: &Api, call: &Call) -> Outcome {
    let page = call.query.page()?;
    let text = call.query.one("q")?.filter(|text| !text.is_empty());
    let name: String = call.path.id("partner");
    let found = schedules::schedules(call.app, call.caller, &name, text)?;
    answer::json(200, &page_of(found, page).map(schedule))
}

fn schedule((schedule, rotations): WithRotations) -> PartnerSchedule {
    PartnerSchedule {
        id: schedule.id,
        name: schedule.name,
        time_zone: schedule.zone.map(|zone| zone.or_utc().to_string()),
        web_url: schedule.web_url,
        linked_rotation_ids: rotations.iter().map(ToString::to_string).collect(),
    }
}

pub const PEOPLE: Operation = Operation {
    id: "listPartnerPeople",
    tag: "partners",
    summary: "List a partner's people",
    about: "The people of the schedules that rotations follow, by name, and who they are in the workspace.",
    query: &[PAGE, PAGE_SIZE],
    body: Body::None,
    gives: &[gives(
        200,
        "A page of people.",
        shape::<Page<OutsidePerson>>,
    )],
    refuses: &[],
};

/// GET a partner's people.
pub fn people(_: &Api, call: &Call) -> Outcome {
    let page = call.query.page()?;
    let name: String = call.path.id("partner");
    let found = people::list(call.app, call.caller, &name)?;
    answer::json(200, &page_of(found, page).map(person))
}

fn person(found: Participant) -> OutsidePerson {
    let Participant { person, user } = found;
    OutsidePerson {
        participant_id: person.participant_id,
        name: person.name,
        email: person.email,
        linked: user.as_ref().map(|(_, by)| by.name().to_owned()),
        user_id: user.map(|(user, _)| user.to_string()),
    }
}

pub const PERSON: Operation = Operation {
    id: "setPartnerPerson",
    tag: "partners",
    summary: "Say who a partner's person is",
    about: "Counts before the mail address. `userId` null goes by the mail address again. Every rotation that shows the person \
            follows at once.",
    query: &[],
    body: Body::Required(shape::<ParticipantRequest>),
    gives: &[gives(200, "The person.", shape::<OutsidePerson>)],
    refuses: &[],
};

/// PUT who a partner's person is.
pub fn set_person(_: &Api, call: &Call) -> Outcome {
    let user = wire::participant(&call.body)?;
    let (name, participant): (String, String) =
        (call.path.id("partner"), call.path.id("participantId"));
    let found = people::set(call.app, &call.author(), &name, &participant, user)?;
    answer::json(200, &person(found))
}

pub const LINK: Operation = Operation {
    id: "linkExternal",
    tag: "partners",
    summary: "Follow a partner's schedule",
    about: "Reads the schedule first. The grid becomes one lane and one window with new ids, the members become the \
            schedule's people who are known here, arrangements to come are cancelled and pending requests expire. From then on \
            the schedule says who is on call. The same schedule again reads it and keeps the grid.",
    query: &[],
    body: Body::Required(shape::<LinkRequest>),
    gives: &[gives_tagged(200, "The whole rotation.", shape::<Rotation>)],
    refuses: &[(402, "payment_required"), (503, "partner_unavailable")],
};

/// PUT external.
pub fn link(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let link = LinkExternal::to(wire::link(&call.body)?);
    tagged(call, 200, &call.write(precondition, link)?.rotation)
}

pub const UNLINK: Operation = Operation {
    id: "unlinkExternal",
    tag: "partners",
    summary: "Stop following a partner's schedule",
    about: "The rotation is manual again. Its people stay members, and whoever is on call and known here stays on duty.",
    query: &[],
    body: Body::None,
    gives: &[gives_tagged(200, "The whole rotation.", shape::<Rotation>)],
    refuses: &[(409, "not_external")],
};

/// DELETE external.
pub fn unlink(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    tagged(
        call,
        200,
        &call.write(precondition, UnlinkExternal)?.rotation,
    )
}
