//! Why somebody was not chosen for a turn.

use super::words::Words;
use super::{Deed, Source, Step, Vocabulary};
use crate::domain::ids::UserId;
use crate::domain::trace::Hindrance;
use crate::domain::words::words;
use crate::domain::zones::ZoneName;
use jiff::Timestamp;

words! {
    /// Why somebody is not on call: they are `absent`, on call `elsewhere` in the rotation, or without the hours of `rest`; they
    /// have a smaller share and `satOut`; their turn was taken by somebody who pays back one (`repayment`); it was
    /// `notTheirTurn`; they are `notMember` of the order. Or the turn was not dealt: an arrangement lies over it (`arranged`),
    /// people were put on duty `byHand`, the hours are `shut`, or a partner's schedule decides (`external`). `notRecorded` where
    /// the record does not hold it.
    pub enum WhyNot as WhyNotReason {
        Absent = "absent",
        Elsewhere = "elsewhere",
        Rest = "rest",
        SatOut = "satOut",
        Repayment = "repayment",
        NotTheirTurn = "notTheirTurn",
        NotMember = "notMember",
        Arranged = "arranged",
        ByHand = "byHand",
        Shut = "shut",
        External = "external",
        NotRecorded = "notRecorded",
    }
}

/// Somebody who was not chosen, with a sentence that says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotChosen {
    pub user: UserId,
    pub why: WhyNot,
    pub text: String,
}

/// What is known ahead of somebody, for a turn that dealing gave to somebody else without asking about them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prospect {
    pub is_member: bool,
    /// No turn is ever theirs.
    pub is_stand_in: bool,
    pub is_absent: bool,
    pub is_elsewhere: bool,
    /// Whether rest is kept, so that being here is not yet being free.
    pub needs_rest: bool,
    /// When the next turn begins that is their own, as if nobody were away.
    pub own_turn: Option<Timestamp>,
}

/// The explanation of a cell, as far as it has been found.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    pub source: Source,
    pub steps: &'a [Step],
    /// Who is on call.
    pub on_call: Option<&'a UserId>,
}

/// Why a person is not on call by what was told; `None` where they are. `prospect` is `None` for what is past.
pub fn why_not(
    told: Told,
    user: &UserId,
    prospect: Option<&Prospect>,
    (vocabulary, zone): (&Vocabulary, ZoneName),
) -> Option<NotChosen> {
    if told.on_call == Some(user) {
        return None;
    }
    let words = &Words::new(vocabulary, zone);
    let (why, text) = reason(told, user, prospect, words);
    Some(NotChosen {
        user: user.clone(),
        why,
        text,
    })
}

fn reason(
    told: Told,
    user: &UserId,
    prospect: Option<&Prospect>,
    words: &Words,
) -> (WhyNot, String) {
    let who = words.person(user);
    let not_dealt = match told.source {
        Source::Shut => Some((WhyNot::Shut, "The hours are shut.")),
        Source::Arrangement => Some((
            WhyNot::Arranged,
            "An arrangement is in place, whoever's turn it is.",
        )),
        Source::External => Some((WhyNot::External, "The partner's schedule decides.")),
        Source::Turn | Source::Nobody => None,
    };
    if let Some((why, text)) = not_dealt {
        return (why, text.to_owned());
    }
    if told.steps.contains(&Step::NotInPlan) {
        return (
            WhyNot::Shut,
            "The plan does not include the lane.".to_owned(),
        );
    }
    if let Some((why, step)) = told
        .steps
        .iter()
        .find_map(|step| Some((hindrance(step, user)?, step)))
    {
        return (why, words.step(step));
    }
    let order = told.steps.iter().find_map(|step| match step {
        Step::Order { order, .. } => Some(order),
        _ => None,
    });
    let Some(order) = order else {
        let by_hand = |step: &Step| {
            matches!(
                step,
                Step::ByHand {
                    deed: Deed::Set | Deed::Cleared,
                    ..
                }
            )
        };
        return match told.steps.iter().any(by_hand) {
            true => (
                WhyNot::ByHand,
                "It was done by hand, whoever's turn it was.".to_owned(),
            ),
            false => (
                WhyNot::NotRecorded,
                "The record does not hold the order of that time.".to_owned(),
            ),
        };
    };
    if !order.contains(user) {
        let text = format!("{who} is not in the order that the turn is dealt from.");
        return (WhyNot::NotMember, text);
    }
    let own = told.steps.iter().find_map(|step| match step {
        Step::OwnTurn {
            user: owner,
            sat_out,
            ..
        } => Some((owner, sat_out)),
        _ => None,
    });
    let on_call = told.on_call.map(|user| words.person(user));
    match (own, &on_call) {
        (Some((owner, _)), Some(other)) if owner == user => {
            let text = format!(
                "It is {who}'s turn, and {other} pays back with it a turn that {who} took."
            );
            return (WhyNot::Repayment, text);
        }
        (Some((_, sat_out)), _) if sat_out.contains(user) => {
            let text = match prospect.is_some_and(|prospect| prospect.is_stand_in) {
                true => format!("{who} is a stand-in: no turn is theirs, and they only help out."),
                false => format!("{who} has a smaller share and sits this one out."),
            };
            return (WhyNot::SatOut, text);
        }
        _ => {}
    }
    if let Some(prospect) = prospect {
        if prospect.is_elsewhere {
            let text = format!("{who} is on call in another slot at the same time.");
            return (WhyNot::Elsewhere, text);
        }
        if prospect.is_absent {
            return (WhyNot::Absent, format!("{who} is absent then."));
        }
    }
    (
        WhyNot::NotTheirTurn,
        not_their_turn(told, &who, prospect, words),
    )
}

/// Which step says of a person that they cannot take the turn.
fn hindrance(step: &Step, user: &UserId) -> Option<WhyNot> {
    match step {
        Step::Cannot(cannot) if cannot.user == *user => Some(match cannot.why {
            Hindrance::Absent => WhyNot::Absent,
            Hindrance::Elsewhere => WhyNot::Elsewhere,
            Hindrance::Rest => WhyNot::Rest,
        }),
        Step::PassedOver { absence, .. } if absence.user == *user => Some(WhyNot::Absent),
        Step::AlreadyOnDuty(passed) if passed.user == *user => Some(WhyNot::Elsewhere),
        _ => None,
    }
}

/// Whether the turn that is given back comes after the one of somebody who is asked about: they were looked at before.
fn is_later(steps: &[Step], prospect: Option<&Prospect>) -> bool {
    let own = prospect.and_then(|prospect| prospect.own_turn);
    steps.iter().any(|step| match step {
        Step::Trade {
            returns: (_, from), ..
        } => own.is_some_and(|own| own < *from),
        _ => false,
    })
}

fn not_their_turn(told: Told, who: &str, prospect: Option<&Prospect>, words: &Words) -> String {
    let first = told.on_call.map(|user| words.person(user));
    let is_help = |step: &Step| matches!(step, Step::Help { .. } | Step::RestNotKept);
    let is_later = is_later(told.steps, prospect);
    let but = match first {
        None => "the slot is not theirs".to_owned(),
        Some(first) if told.steps.iter().any(is_help) => {
            format!("{first} has helped less, or comes first")
        }
        Some(first) if is_later => {
            format!("a trade with {first} leaves more room between the turns of both")
        }
        Some(first) => format!("{first}'s turn comes first"),
    };
    let Some(prospect) = prospect else {
        return format!("{who} was not looked at: {but}.");
    };
    let is = match prospect.needs_rest || is_later {
        true => "here",
        false => "free",
    };
    match prospect.own_turn {
        _ if prospect.is_stand_in => format!("{who} is {is} as a stand-in, but {but}."),
        Some(own) => format!(
            "{who}'s own turn is {}; they are {is}, but {but}.",
            words.time(own)
        ),
        None => format!("{who} is {is}, but {but}."),
    }
}
