//! /v1/partners and /v1/rotations/{rotationId}/external: rotations that follow schedules of partners.

use super::answer::{self, Outcome, page_of};
use super::extract::Call;
use super::operation::{Operation, PAGE, PAGE_SIZE, operation, text};
use super::rotations::whole;
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

pub const PARTNERS: Operation = operation("listPartners", "partners", "List partners")
    .about("The paging systems that the server has settings for, and how reading their linked schedules went last.")
    .gives_page::<Partner>("A page of partners.");

/// GET partners.
pub fn partners(call: &Call) -> Outcome {
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

pub const SCHEDULES: Operation = operation("listPartnerSchedules", "partners", "List a partner's schedules")
    .about("Asks the partner, and keeps its answer for a minute. `linkedRotationIds` are the rotations that follow a schedule \
        already.")
    .query(&[PAGE, PAGE_SIZE, text("q", "Only schedules with this text in the name.")])
    .gives::<Page<PartnerSchedule>>(200, "A page of schedules.")
    .refuses(&["partner_unavailable"]);

/// GET a partner's schedules.
pub fn schedules(call: &Call) -> Outcome {
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

pub const PEOPLE: Operation = operation("listPartnerPeople", "partners", "List a partner's people")
    .about("The people of the schedules that rotations follow, by name, and who they are in the workspace.")
    .gives_page::<OutsidePerson>("A page of people.");

/// GET a partner's people.
pub fn people(call: &Call) -> Outcome {
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

pub const PERSON: Operation = operation("setPartnerPerson", "partners", "Say who a partner's person is")
    .about("Counts before the mail address. `userId` null goes by the mail address again. Every rotation that shows the person \
        follows at once.")
    .takes::<ParticipantRequest>()
    .gives::<OutsidePerson>(200, "The person.");

/// PUT who a partner's person is.
pub fn set_person(call: &Call) -> Outcome {
    let user = wire::participant(&call.body)?;
    let (name, participant): (String, String) =
        (call.path.id("partner"), call.path.id("participantId"));
    let found = people::set(call.app, &call.author(), &name, &participant, user)?;
    answer::json(200, &person(found))
}

pub const LINK: Operation = operation("linkExternal", "partners", "Follow a partner's schedule")
    .about("Reads the schedule first. The grid becomes one lane and one window with new ids, the members become the \
        schedule's people who are known here, arrangements to come are cancelled and pending requests expire. From then on \
        the schedule says who is on call. The same schedule again reads it and keeps the grid.")
    .takes::<LinkRequest>()
    .gives_tagged::<Rotation>("The whole rotation.")
    .refuses(&["payment_required", "partner_unavailable"]);

/// PUT external.
pub fn link(call: &Call, precondition: &Precondition) -> Outcome {
    let link = LinkExternal::to(wire::link(&call.body)?);
    whole(call, precondition, link)
}

pub const UNLINK: Operation = operation("unlinkExternal", "partners", "Stop following a partner's schedule")
    .about("The rotation is manual again. Its people stay members, and whoever is on call and known here stays on duty.")
    .gives_tagged::<Rotation>("The whole rotation.")
    .refuses(&["not_external"]);

/// DELETE external.
pub fn unlink(call: &Call, precondition: &Precondition) -> Outcome {
    whole(call, precondition, UnlinkExternal)
}
