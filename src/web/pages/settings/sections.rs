//! The pages of the settings, in their order.

use super::{
    absences, channels, delete, details, duty_group, external, grid, inbound, mentions, people,
    rosters, skips, warnings,
};
use crate::domain::rotation::Rotation;
use crate::server::Outcome;
use crate::web::visit::Visit;

/// One page of the settings.
pub struct Section {
    /// The last part of its address.
    pub part: &'static str,
    pub name: &'static str,
    pub about: &'static str,
    pub show: fn(&Visit) -> Outcome,
    pub save: fn(&Visit) -> Outcome,
}

const fn part(
    part: &'static str,
    name: &'static str,
    about: &'static str,
    show: fn(&Visit) -> Outcome,
    save: fn(&Visit) -> Outcome,
) -> Section {
    Section {
        part,
        name,
        about,
        show,
        save,
    }
}

const SECTIONS: [Section; 13] = [
    part(
        "details",
        "Details",
        "Name, code, description, owners, who may see it, and whether it is enabled",
        details::show,
        details::save,
    ),
    part(
        "people",
        "People and order",
        "Who takes turns, in which order, and who is next",
        people::show,
        people::save,
    ),
    part(
        "grid",
        "Hours and hand-overs",
        "How many are on call at once, covered hours, and when they hand over",
        grid::show,
        grid::save,
    ),
    part(
        "skips",
        "Days left out and holidays",
        "Weekends and public holidays on which nobody hands over",
        skips::show,
        skips::save,
    ),
    part(
        "absences",
        "Absences and missed turns",
        "Which calendars count, who is left out, who takes over from somebody who goes away, what becomes of missed turns, and \
         everybody’s share",
        absences::show,
        absences::save,
    ),
    part(
        "rosters",
        "Who takes which hours",
        "Lists of people for some of the hours, and who is next in them",
        rosters::show,
        rosters::save,
    ),
    part(
        "partner",
        "Partner’s schedule",
        "Follow a schedule of PagerDuty, Opsgenie or Jira Service Management",
        external::show,
        external::save,
    ),
    part(
        "channels",
        "Channels and topic",
        "Where hand-overs are posted, and the topic that says who is on call",
        channels::show,
        channels::save,
    ),
    part(
        "on-duty-group",
        "On-call group",
        "A chat user group that holds whoever is on call",
        duty_group::show,
        duty_group::save,
    ),
    part(
        "mentions",
        "Mentions",
        "How whoever is on call is asked, and for how long",
        mentions::show,
        mentions::save,
    ),
    part(
        "warnings",
        "Warnings",
        "What about the plan is told, and how much rest is wanted",
        warnings::show,
        warnings::save,
    ),
    part(
        "inbound-webhook",
        "Inbound webhook",
        "An address for older tools, with its key",
        inbound::show,
        inbound::save,
    ),
    part(
        "delete",
        "Delete",
        "Delete the rotation for ever",
        delete::show,
        delete::save,
    ),
];

/// The page of a part; `None` where there is none.
pub fn section(part: &str) -> Option<&'static Section> {
    SECTIONS.iter().find(|section| section.part == part)
}

/// The parts that say who takes turns and when. A partner's schedule says so where one is followed.
const OF_DUTY: [&str; 5] = ["people", "grid", "skips", "absences", "rosters"];

/// The parts that the reader may see of a rotation.
pub fn offered(visit: &Visit, rotation: &Rotation) -> impl Iterator<Item = &'static Section> {
    let sees_webhook = inbound::is_offered(visit);
    let is_external = rotation.external.is_some();
    let shown = move |section: &&Section| {
        (sees_webhook || section.part != "inbound-webhook")
            && !(is_external && OF_DUTY.contains(&section.part))
    };
    SECTIONS.iter().filter(shown)
}
