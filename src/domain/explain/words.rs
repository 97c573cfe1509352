//! One English sentence for each step, with local times.

use super::{Deed, Opening, Step, Unrecorded};
use crate::domain::absence::AbsenceSource;
use crate::domain::arrangement::ArrangementKind;
use crate::domain::audit::{ActorKind, Doer};
use crate::domain::ids::{CellId, UserId};
use crate::domain::naming::Naming;
use crate::domain::rotation::Reason;
use crate::domain::time::FOREVER;
use crate::domain::trace::{Cannot, Hindrance};
use crate::domain::wording::one_line;
use crate::domain::zones::ZoneName;
use jiff::Timestamp;
use jiff::civil::Date;
use std::collections::{BTreeMap, HashMap};

/// The names of people and slots.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    pub people: HashMap<UserId, String>,
    pub slots: BTreeMap<CellId, String>,
    /// With [`Naming::Ids`] sentences have none of these.
    pub naming: Naming,
}

/// A vocabulary with the zone of local times.
pub(super) struct Words<'a> {
    known: &'a Vocabulary,
    zone: ZoneName,
}

impl<'a> Words<'a> {
    pub fn new(known: &'a Vocabulary, zone: ZoneName) -> Words<'a> {
        Words { known, zone }
    }

    /// The sentence of a step.
    pub fn step(&self, step: &Step) -> String {
        text(step, self.known, self.zone)
    }

    fn has_names(&self) -> bool {
        self.known.naming == Naming::Names
    }

    pub fn person(&self, user: &UserId) -> String {
        let known = self.known.people.get(user).filter(|_| self.has_names());
        known.map_or_else(|| user.to_string(), |name| one_line(name))
    }

    fn slot(&self, cell: &CellId) -> String {
        match self.known.slots.get(cell).filter(|name| !name.is_empty()) {
            _ if !self.has_names() => cell.to_string(),
            Some(name) => one_line(name),
            None => "another slot".into(),
        }
    }

    pub fn time(&self, at: Timestamp) -> String {
        time(at, self.zone)
    }
}

/// A local time with its zone, such as "Mon 2 Mar 2026, 09:00 (Europe/Paris)". Messages say it shorter; a reason often lies in the
/// weekday, and what is done by hand happens between the minutes.
fn time(at: Timestamp, zone: ZoneName) -> String {
    if at >= FOREVER {
        return "further notice".into();
    }
    let local = zone.tz().to_datetime(at);
    let seconds = match local.second() {
        0 => String::new(),
        second => format!(":{second:02}"),
    };
    format!(
        "{}, {:02}:{:02}{seconds} ({zone})",
        day(local.date()),
        local.hour(),
        local.minute()
    )
}

fn day(date: Date) -> String {
    date.strftime("%a %-d %b %Y").to_string()
}

/// The sentence of a step, with times in a zone.
pub fn text(step: &Step, vocabulary: &Vocabulary, zone: ZoneName) -> String {
    let words = &Words::new(vocabulary, zone);
    match step {
        Step::WindowOpen(opening) => open(opening, words),
        Step::WindowShut(Opening { until, .. }) => match until {
            Some(until) => format!("The hours are not covered until {}.", words.time(*until)),
            None => "The hours are not covered.".into(),
        },
        Step::OffDay {
            date,
            country,
            is_weekend,
            name,
        } => {
            let what = match is_weekend {
                true => "on the weekend",
                false => "a national holiday",
            };
            let name = name.as_ref().filter(|_| !is_weekend && words.has_names());
            let name = name.map_or_else(String::new, |name| format!(" ({})", one_line(name)));
            format!("{} is {what} in {country}{name}, and days off count as not covered.", day(*date))
        }
        Step::Frozen { since, until: None } => format!(
            "The rotation is disabled, and stands as it did on {}.",
            words.time(*since)
        ),
        Step::Frozen { since, until: Some(until) } => format!(
            "The rotation was disabled until {}, and stood as it did on {}.",
            words.time(*until),
            words.time(*since)
        ),
        Step::NotInPlan => "The plan of the workspace does not include this lane.".into(),
        Step::Change { at, by, .. } => {
            let by = by.name.as_deref().or(by.id.as_deref());
            let by = by.filter(|_| words.has_names()).map_or(String::new(), |by| format!(", made by {by}"));
            format!("A change is planned for {}{by}.", words.time(*at))
        }
        Step::DealtAt {
            at,
            reason,
            moved_from,
            ..
        } => dealt(*at, *reason, *moved_from, words),
        Step::Order {
            next_turn, order, ..
        } => match order.get(*next_turn) {
            Some(next) => format!(
                "{} in the order, and {} is next.",
                people(order.len()),
                words.person(next)
            ),
            None => "There is nobody in the order.".into(),
        },
        Step::PassedOver { absence, .. } => {
            let who = words.person(&absence.user);
            let by = match absence.source {
                AbsenceSource::Stored => "",
                AbsenceSource::Calendar => " by their calendar",
            };
            let when = match (absence.from, absence.until) {
                (Some(from), Some(until)) => {
                    format!(" from {} to {}", words.time(from), words.time(until))
                }
                _ => String::new(),
            };
            format!("{who} is absent{when}{by} and is passed over.")
        }
        Step::AlreadyOnDuty(passed) => format!(
            "{} is on call at the same time in {} and is passed over.",
            words.person(&passed.user),
            words.slot(&passed.cell)
        ),
        Step::DoubleCover => {
            "Nobody is free, so people who are on call elsewhere are asked as well.".into()
        }
        Step::LeastAbsent => {
            "Nobody is here for all of the turn, so whoever misses the least of it is looked for."
                .into()
        }
        Step::OwnTurn { user, sat_out, .. } => own_turn(user, sat_out, words),
        Step::Cannot(one) => cannot(one, words),
        Step::Trade {
            owes,
            owed,
            returns: (_, from),
        } => {
            let (owes, owed) = (words.person(owes), words.person(owed));
            let day = words.time(*from);
            format!("{owed} takes it, and {owes} takes {owed}'s turn of {day}.")
        }
        Step::Repayment { user, since, .. } => format!(
            "{} takes it, for the turn of {} that was taken for them.",
            words.person(user),
            words.time(*since)
        ),
        Step::Help { user, before } => {
            let before = match before {
                0 => "has not helped before".to_owned(),
                1 => "has helped once before".to_owned(),
                2 => "has helped twice before".to_owned(),
                many => format!("has helped {many} times before"),
            };
            format!("{} helps out, and {before}.", words.person(user))
        }
        Step::RestNotKept => "Nobody is rested for the turn.".into(),
        Step::Chosen { user, .. } => format!("{} takes the turn.", words.person(user)),
        Step::NobodyLeft => "Nobody is left to take the turn.".into(),
        Step::ByHand { deed, by, at } => by_hand(*deed, by.as_ref(), *at, words),
        Step::Arrangement {
            kind,
            by,
            from,
            until,
            ..
        } => arrangement(*kind, by.as_ref(), (*from, *until), words),
        Step::ExternalShift {
            at,
            until,
            outsider,
            is_anybody,
        } => external(*at, *until, outsider.as_deref(), *is_anybody, words),
        Step::ScheduleUnknown { is_linked: false, .. } => {
            "The rotation follows no schedule of a partner yet.".into()
        }
        Step::ScheduleUnknown { since: None, .. } => {
            "Nothing is known of the partner's schedule yet.".into()
        }
        Step::ScheduleUnknown { since: Some(since), .. } => format!(
            "Nothing is known of the partner's schedule from {} on, so it stands as it was known last.",
            words.time(*since)
        ),
        Step::NotRecorded(what) => match what {
            Unrecorded::Order => "The record does not hold the order of that time.",
            Unrecorded::Beginning => {
                "The turn began while the hours were not covered, and the record does not hold how."
            }
            Unrecorded::Absence => {
                "The absence has been deleted or changed since, and the record does not hold more of it."
            }
            Unrecorded::DayOff => "The record does not hold which day off left the hours out.",
            Unrecorded::Search => {
                "The record does not hold who was looked at before the slot stayed empty."
            }
        }
        .into(),
    }
}

fn own_turn(user: &UserId, sat_out: &[UserId], words: &Words) -> String {
    let own = format!("It is {}'s turn", words.person(user));
    match sat_out {
        [] => format!("{own}."),
        [one] => format!(
            "{own}; {} has a smaller share and sits this one out.",
            words.person(one)
        ),
        several => {
            let names: Vec<String> = several.iter().map(|user| words.person(user)).collect();
            let names = names.join(", ");
            format!("{own}; {names} have smaller shares and sit this one out.")
        }
    }
}

fn cannot(one: &Cannot, words: &Words) -> String {
    let who = words.person(&one.user);
    let slot = one.cell.as_ref().map(|cell| words.slot(cell));
    let turn = slot.map_or_else(|| "another turn".into(), |slot| format!("a turn in {slot}"));
    let when = match (one.from, one.until) {
        (Some(from), Some(until)) => {
            format!(" from {} to {}", words.time(from), words.time(until))
        }
        (None, Some(until)) => format!(" until {}", words.time(until)),
        (Some(from), None) => format!(" from {} on", words.time(from)),
        (None, None) => String::new(),
    };
    match one.why {
        Hindrance::Absent => format!("{who} is absent{when}."),
        Hindrance::Elsewhere => format!("{who} has {turn}{when}, at the same time."),
        Hindrance::Rest => format!("{who} would not have enough rest beside {turn}{when}."),
    }
}

fn people(count: usize) -> String {
    match count {
        1 => "One person is".into(),
        count => format!("{count} people are"),
    }
}

fn open(opening: &Opening, words: &Words) -> String {
    let zone = opening.zone.unwrap_or(words.zone);
    match (opening.from, opening.until) {
        (Some(from), Some(until)) => format!(
            "The hours are open from {} to {}.",
            time(from, zone),
            time(until, zone)
        ),
        _ => "The hours are always open.".into(),
    }
}

fn dealt(at: Timestamp, reason: Reason, moved_from: Option<Timestamp>, words: &Words) -> String {
    let at = words.time(at);
    match (reason, moved_from) {
        (_, Some(from)) => format!(
            "The hand-over is on {at}, moved from {} because that day is skipped.",
            words.time(from)
        ),
        (Reason::NextOnScheduledDuty, None) => format!("The turn is dealt on {at}."),
        _ => format!("The empty slot is filled on {at}."),
    }
}

/// Who did it, as the subject of a sentence.
fn subject(by: Option<&Doer>, words: &Words) -> String {
    let Some(doer) = by else {
        return "Somebody".into();
    };
    let actor = &doer.actor;
    let name = match words.has_names() {
        true => actor.name.as_deref().map(one_line),
        false => actor.id.clone(),
    };
    let named = |what: &str| match &name {
        Some(name) => format!("{what} {name}"),
        None => what.to_owned(),
    };
    match actor.kind {
        ActorKind::Person => {
            let who = name.unwrap_or_else(|| "Somebody".into());
            match doer.in_chat {
                true => format!("{who}, in Slack,"),
                false => who,
            }
        }
        ActorKind::Key => named("The API key"),
        ActorKind::InboundWebhook => "The inbound webhook".into(),
        ActorKind::Chat => "The chat platform".into(),
        ActorKind::Partner => named("The partner"),
        ActorKind::Operator => "The operator".into(),
        ActorKind::Clock => "The clock".into(),
    }
}

fn by_hand(deed: Deed, by: Option<&Doer>, at: Timestamp, words: &Words) -> String {
    let (who, at) = (subject(by, words), words.time(at));
    match deed {
        Deed::Set => format!("{who} put people on duty on {at}."),
        Deed::Rotated => format!("{who} handed over on {at}."),
        Deed::Cleared => format!("{who} took whoever was on duty off duty on {at}."),
        Deed::Edited => format!("{who} changed the rotation on {at}."),
        Deed::Removed => format!("{who} removed whoever was on duty on {at}."),
        Deed::Acknowledged => format!("{who} acknowledged a mention and handed over on {at}."),
    }
}

fn arrangement(
    kind: Option<ArrangementKind>,
    by: Option<&Doer>,
    (from, until): (Timestamp, Option<Timestamp>),
    words: &Words,
) -> String {
    let what = match kind {
        Some(ArrangementKind::DirectAssignment) => "An assignment",
        Some(ArrangementKind::AcceptedCover) => "An accepted cover",
        Some(ArrangementKind::SwapLeg) => "An accepted swap",
        None => "An arrangement",
    };
    let until = match until {
        Some(until) if until >= FOREVER => " until further notice".to_owned(),
        Some(until) => format!(" to {}", words.time(until)),
        None => String::new(),
    };
    let by = match by {
        Some(by) => format!("; {} made it", subject(Some(by), words)),
        None => String::new(),
    };
    format!("{what} is in place from {}{until}{by}.", words.time(from))
}

fn external(
    at: Timestamp,
    until: Option<Timestamp>,
    outsider: Option<&str>,
    is_anybody: bool,
    words: &Words,
) -> String {
    let until = match until {
        Some(until) => format!(" to {}", words.time(until)),
        None => String::new(),
    };
    let who = match (is_anybody, outsider) {
        (true, Some(_)) if !words.has_names() => "has somebody who is unknown here".to_owned(),
        (false, _) => "has nobody".to_owned(),
        (true, Some(name)) => format!("has {}, who is unknown here,", one_line(name)),
        (true, None) => "decides".to_owned(),
    };
    format!(
        "The partner's schedule {who} from {}{until}.",
        words.time(at)
    )
}

#[cfg(test)]
mod tests;
