//! The stored JSON of a message: its content under its `kind`, with names, subject and offered answers.
//!
//! Bodies outlive the version that wrote them. A new member needs a default, and no member changes its meaning.

use crate::domain::forecast::HandoverNotice;
use crate::domain::ids::{MentionId, RequestId, UserId};
use crate::domain::mention::Thread;
use crate::domain::message::{
    Answer, Content, MentionOutcome, Message, PeopleNames, RequestAsked, RequestOutcome, Shift,
    Subject,
};
use crate::domain::zones::ZoneName;
use crate::store::Error;
use crate::store::rows::{instant, instant_or_none, json, millis};
use crate::store::shapes::{corrupt, interval, zone};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The parts of a [`Message`] that are stored in its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Body {
    pub rotation_name: String,
    pub subject: Subject,
    pub content: Content,
    pub answers: Vec<Answer>,
    pub people: PeopleNames,
    pub thread: Option<Thread>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct BodyShape {
    #[serde(flatten)]
    content: ContentShape,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    rotation_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mention: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    answers: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    people: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    thread: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
enum ContentShape {
    Text {
        text: String,
    },
    OnDuty {
        slots: Vec<HandoverShape>,
    },
    OffDuty {
        slots: Vec<HandoverShape>,
        #[serde(default)]
        rotation_deleted: bool,
    },
    ComingUp {
        at: i64,
        slots: Vec<HandoverShape>,
    },
    Nobody {
        #[serde(default)]
        rotation_deleted: bool,
    },
    HandOver {
        slots: Vec<HandoverShape>,
        #[serde(default)]
        nobody: bool,
    },
    CoverAsked(AskedShape),
    CoverAnswered(OutcomeShape),
    SwapAsked(AskedShape),
    SwapAnswered(OutcomeShape),
    // The request has its own name, because `mention` is the id.
    Mention {
        asker: String,
        called: Vec<String>,
        text: Option<String>,
        #[serde(default)]
        again: bool,
    },
    MentionAnswered {
        asker: String,
        #[serde(flatten)]
        outcome: MentionOutcomeShape,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HandoverShape {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    name: Vec<String>,
    off: Option<String>,
    on: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outside: Option<String>,
    until: Option<i64>,
    zone: Option<String>,
    begins_at: Option<i64>,
}

#[derive(Serialize, Deserialize)]
struct ShiftShape {
    cell: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    name: Vec<String>,
    zone: Option<String>,
    from: i64,
    until: i64,
    holder: String,
    assignee: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct AskedShape {
    requester: String,
    shifts: Vec<ShiftShape>,
    reason: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(
    tag = "outcome",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
enum OutcomeShape {
    Accepted {
        by: String,
        shifts: Vec<ShiftShape>,
    },
    Declined {
        by: String,
        #[serde(default)]
        nobody_left: bool,
    },
    Ended {
        by: String,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "camelCase")]
enum MentionOutcomeShape {
    Acknowledged { by: String },
    Passed,
    Expired,
    Nobody,
    Outside { name: String },
}

pub(super) fn to_json(message: &Message) -> Result<String, Error> {
    let (request, mention) = match &message.subject {
        Subject::Rotation => (None, None),
        Subject::Request(id) => (Some(id.to_string()), None),
        Subject::Mention(id) => (None, Some(id.to_string())),
    };
    let answers = message.answers.iter();
    let people = message.people.iter();
    json(&BodyShape {
        content: content_shape(&message.content),
        rotation_name: message.rotation_name.clone(),
        request,
        mention,
        answers: answers.map(|answer| answer.name().to_owned()).collect(),
        people: people
            .map(|(id, name)| (id.to_string(), name.clone()))
            .collect(),
        thread: message.thread.as_ref().map(|thread| thread.0.clone()),
    })
}

pub(super) fn from_text(text: &str) -> Result<Body, Error> {
    // The error is shown and logged; the text must not be.
    let shape: BodyShape =
        serde_json::from_str(text).map_err(|error| Error::Corrupt(error.to_string()))?;
    let subject = match (shape.request, shape.mention) {
        (Some(id), _) => Subject::Request(RequestId::from(id)),
        (None, Some(id)) => Subject::Mention(MentionId::from(id)),
        (None, None) => Subject::Rotation,
    };
    let answer = |name: &String| {
        let known = Answer::parse(name);
        known.map_or_else(|| corrupt(format!("answer {name}")), Ok)
    };
    let people = shape.people.into_iter();
    Ok(Body {
        rotation_name: shape.rotation_name,
        subject,
        content: content(shape.content)?,
        answers: shape.answers.iter().map(answer).collect::<Result<_, _>>()?,
        people: people.map(|(id, name)| (id.into(), name)).collect(),
        thread: shape.thread.map(Thread),
    })
}

fn content_shape(content: &Content) -> ContentShape {
    let slots = |handovers: &[HandoverNotice]| handovers.iter().map(handover_shape).collect();
    match content {
        Content::Text(text) => ContentShape::Text { text: text.clone() },
        Content::OnDuty { handovers } => ContentShape::OnDuty {
            slots: slots(handovers),
        },
        Content::OffDuty {
            handovers,
            rotation_deleted,
        } => ContentShape::OffDuty {
            slots: slots(handovers),
            rotation_deleted: *rotation_deleted,
        },
        Content::ComingUp { at, handovers } => ContentShape::ComingUp {
            at: millis(*at),
            slots: slots(handovers),
        },
        Content::Nobody { rotation_deleted } => ContentShape::Nobody {
            rotation_deleted: *rotation_deleted,
        },
        Content::HandOver { handovers, nobody } => ContentShape::HandOver {
            slots: slots(handovers),
            nobody: *nobody,
        },
        Content::CoverAsked(asked) => ContentShape::CoverAsked(asked_shape(asked)),
        Content::CoverAnswered(outcome) => ContentShape::CoverAnswered(outcome_shape(outcome)),
        Content::SwapAsked(asked) => ContentShape::SwapAsked(asked_shape(asked)),
        Content::SwapAnswered(outcome) => ContentShape::SwapAnswered(outcome_shape(outcome)),
        Content::Mention {
            asker,
            called,
            message,
            again,
        } => ContentShape::Mention {
            asker: asker.to_string(),
            called: called.iter().map(UserId::to_string).collect(),
            text: message.clone(),
            again: *again,
        },
        Content::MentionAnswered { asker, outcome } => ContentShape::MentionAnswered {
            asker: asker.to_string(),
            outcome: match outcome {
                MentionOutcome::Acknowledged(by) => {
                    MentionOutcomeShape::Acknowledged { by: by.to_string() }
                }
                MentionOutcome::Passed => MentionOutcomeShape::Passed,
                MentionOutcome::Expired => MentionOutcomeShape::Expired,
                MentionOutcome::Nobody => MentionOutcomeShape::Nobody,
                MentionOutcome::Outside(name) => {
                    MentionOutcomeShape::Outside { name: name.clone() }
                }
            },
        },
    }
}

fn content(shape: ContentShape) -> Result<Content, Error> {
    let handovers = |slots: Vec<HandoverShape>| {
        let handovers: Result<Vec<_>, _> = slots.into_iter().map(handover).collect();
        handovers
    };
    Ok(match shape {
        ContentShape::Text { text } => Content::Text(text),
        ContentShape::OnDuty { slots } => Content::OnDuty {
            handovers: handovers(slots)?,
        },
        ContentShape::OffDuty {
            slots,
            rotation_deleted,
        } => Content::OffDuty {
            handovers: handovers(slots)?,
            rotation_deleted,
        },
        ContentShape::ComingUp { at, slots } => Content::ComingUp {
            at: instant(at)?,
            handovers: handovers(slots)?,
        },
        ContentShape::Nobody { rotation_deleted } => Content::Nobody { rotation_deleted },
        ContentShape::HandOver { slots, nobody } => Content::HandOver {
            handovers: handovers(slots)?,
            nobody,
        },
        ContentShape::CoverAsked(shape) => Content::CoverAsked(asked(shape)?),
        ContentShape::CoverAnswered(shape) => Content::CoverAnswered(outcome(shape)?),
        ContentShape::SwapAsked(shape) => Content::SwapAsked(asked(shape)?),
        ContentShape::SwapAnswered(shape) => Content::SwapAnswered(outcome(shape)?),
        ContentShape::Mention {
            asker,
            called,
            text,
            again,
        } => Content::Mention {
            asker: asker.into(),
            called: called.into_iter().map(UserId::from).collect(),
            message: text,
            again,
        },
        ContentShape::MentionAnswered { asker, outcome } => Content::MentionAnswered {
            asker: asker.into(),
            outcome: match outcome {
                MentionOutcomeShape::Acknowledged { by } => MentionOutcome::Acknowledged(by.into()),
                MentionOutcomeShape::Passed => MentionOutcome::Passed,
                MentionOutcomeShape::Expired => MentionOutcome::Expired,
                MentionOutcomeShape::Nobody => MentionOutcome::Nobody,
                MentionOutcomeShape::Outside { name } => MentionOutcome::Outside(name),
            },
        },
    })
}

fn handover_shape(handover: &HandoverNotice) -> HandoverShape {
    HandoverShape {
        name: handover.slot.clone(),
        off: handover.off.as_ref().map(UserId::to_string),
        on: handover.on.as_ref().map(UserId::to_string),
        outside: handover.outside.clone(),
        until: handover.until.map(millis),
        zone: handover.zone.map(|zone| zone.to_string()),
        begins_at: handover.begins_at.map(millis),
    }
}

fn handover(shape: HandoverShape) -> Result<HandoverNotice, Error> {
    Ok(HandoverNotice {
        slot: shape.name,
        off: shape.off.map(UserId::from),
        on: shape.on.map(UserId::from),
        outside: shape.outside,
        until: instant_or_none(shape.until)?,
        zone: zone_or_none(shape.zone)?,
        begins_at: instant_or_none(shape.begins_at)?,
    })
}

fn shift_shape(shift: &Shift) -> ShiftShape {
    ShiftShape {
        cell: shift.cell.to_string(),
        name: shift.slot.clone(),
        zone: shift.zone.map(|zone| zone.to_string()),
        from: millis(shift.period.from),
        until: millis(shift.period.until),
        holder: shift.holder.to_string(),
        assignee: shift.assignee.as_ref().map(UserId::to_string),
    }
}

fn shift(shape: ShiftShape) -> Result<Shift, Error> {
    Ok(Shift {
        cell: shape.cell.into(),
        slot: shape.name,
        zone: zone_or_none(shape.zone)?,
        period: interval(shape.from, shape.until)?,
        holder: shape.holder.into(),
        assignee: shape.assignee.map(UserId::from),
    })
}

fn zone_or_none(name: Option<String>) -> Result<Option<ZoneName>, Error> {
    name.as_deref().map(zone).transpose()
}

fn asked_shape(asked: &RequestAsked) -> AskedShape {
    AskedShape {
        requester: asked.requester.to_string(),
        shifts: asked.shifts.iter().map(shift_shape).collect(),
        reason: asked.reason.clone(),
    }
}

fn asked(shape: AskedShape) -> Result<RequestAsked, Error> {
    Ok(RequestAsked {
        requester: shape.requester.into(),
        shifts: shifts(shape.shifts)?,
        reason: shape.reason,
    })
}

fn outcome_shape(outcome: &RequestOutcome) -> OutcomeShape {
    match outcome {
        RequestOutcome::Accepted { by, shifts } => OutcomeShape::Accepted {
            by: by.to_string(),
            shifts: shifts.iter().map(shift_shape).collect(),
        },
        RequestOutcome::Declined { by, nobody_left } => OutcomeShape::Declined {
            by: by.to_string(),
            nobody_left: *nobody_left,
        },
        RequestOutcome::Ended { by } => OutcomeShape::Ended { by: by.to_string() },
    }
}

fn outcome(shape: OutcomeShape) -> Result<RequestOutcome, Error> {
    Ok(match shape {
        OutcomeShape::Accepted { by, shifts: legs } => RequestOutcome::Accepted {
            by: by.into(),
            shifts: shifts(legs)?,
        },
        OutcomeShape::Declined { by, nobody_left } => RequestOutcome::Declined {
            by: by.into(),
            nobody_left,
        },
        OutcomeShape::Ended { by } => RequestOutcome::Ended { by: by.into() },
    })
}

fn shifts(shapes: Vec<ShiftShape>) -> Result<Vec<Shift>, Error> {
    shapes.into_iter().map(shift).collect()
}

#[cfg(test)]
mod tests;
