//! The messages for each occasion.

use super::{
    Content, MentionOutcome, Message, OfferedAnswer, PeopleNames, PersonSummary, Recipient,
    RequestAsked, RequestOutcome, Shift, Subject, WeekAhead, sides,
};
use crate::domain::external::External;
use crate::domain::forecast::{HandoverNotice, slot_named, zone};
use crate::domain::ids::{ChannelId, UserId};
use crate::domain::mention::{Mention, Notice};
use crate::domain::request::{Leg, Request, RequestKind};
use crate::domain::rotation::Rotation;
use jiff::Timestamp;

/// A change of a rotation: to its channels, to the people who come on and go off, and to its owners if nobody is on call
/// (`nobody`), unless a person changed it by hand (`by_hand`).
pub fn change(
    rotation: &Rotation,
    handovers: &[HandoverNotice],
    nobody: bool,
    by_hand: bool,
) -> Vec<Message> {
    let everywhere = match (handovers, nobody) {
        ([], false) => return Vec::new(),
        ([], true) => NOBODY,
        _ => Content::HandOver {
            handovers: handovers.to_vec(),
            nobody,
        },
    };
    let mut messages = to_channels(rotation, &everywhere);
    for person in once_each(handovers.iter().flat_map(sides)) {
        let theirs = |handover: &&HandoverNotice| sides(handover).any(|side| side == person);
        let handovers: Vec<HandoverNotice> = handovers.iter().filter(theirs).cloned().collect();
        let comes_on = |handover: &HandoverNotice| handover.on.as_ref() == Some(person);
        let content = match handovers.iter().any(comes_on) {
            true => Content::OnDuty { handovers },
            false => Content::OffDuty {
                handovers,
                rotation_deleted: false,
            },
        };
        messages.push(to_person(rotation, person, content));
    }
    if nobody && !by_hand {
        let owners = rotation.profile.owners.iter();
        messages.extend(owners.map(|owner| to_person(rotation, owner, NOBODY)));
    }
    messages
}

const NOBODY: Content = Content::Nobody {
    rotation_deleted: false,
};

/// A rotation was deleted: to its channels and to the people who were on call, if there were any.
pub fn deleted(rotation: &Rotation, on_call: &[UserId]) -> Vec<Message> {
    if on_call.is_empty() {
        return Vec::new();
    }
    let nobody = Content::Nobody {
        rotation_deleted: true,
    };
    let mut messages = to_channels(rotation, &nobody);
    let off = Content::OffDuty {
        handovers: Vec::new(),
        rotation_deleted: true,
    };
    messages.extend(
        on_call
            .iter()
            .map(|person| to_person(rotation, person, off.clone())),
    );
    messages
}

/// Slots change hands at a future instant: to the channels, and to the people who come on and `are_told`. Not sent after that
/// instant.
pub fn reminder(
    rotation: &Rotation,
    at: Timestamp,
    handovers: &[HandoverNotice],
    are_told: impl Fn(&UserId) -> bool,
) -> Vec<Message> {
    let somebody = |handover: &&HandoverNotice| handover.on.is_some();
    let coming: Vec<HandoverNotice> = handovers.iter().filter(somebody).cloned().collect();
    if coming.is_empty() {
        return Vec::new();
    }
    let people = once_each(coming.iter().filter_map(|handover| handover.on.as_ref()));
    let people = people.into_iter().filter(|person| are_told(person));
    let direct = people.filter_map(|person| reminder_of(rotation, at, &coming, person));
    let everything = Content::ComingUp {
        at,
        handovers: coming.clone(),
    };
    let mut messages = to_channels(rotation, &everything);
    for message in &mut messages {
        message.expires_at = Some(at);
    }
    messages.extend(direct);
    messages
}

/// Slots change hands at a future instant: to one of the people who come on. Not sent after that instant.
pub fn reminder_of(
    rotation: &Rotation,
    at: Timestamp,
    handovers: &[HandoverNotice],
    person: &UserId,
) -> Option<Message> {
    let theirs = |handover: &&HandoverNotice| handover.on.as_ref() == Some(person);
    let handovers: Vec<HandoverNotice> = handovers.iter().filter(theirs).cloned().collect();
    let is_any = !handovers.is_empty();
    is_any.then(|| Message {
        expires_at: Some(at),
        ..to_person(rotation, person, Content::ComingUp { at, handovers })
    })
}

/// A request: to everyone who may take the duty over, each once.
pub fn asked(rotation: &Rotation, request: &Request) -> Vec<Message> {
    let reason = request.reason.trim();
    let asked = RequestAsked {
        requester: request.requester.clone(),
        shifts: request
            .legs
            .iter()
            .map(|leg| shift(rotation, leg))
            .collect(),
        reason: (!reason.is_empty()).then(|| reason.to_owned()),
    };
    let content = match request.kind {
        RequestKind::Cover => Content::CoverAsked(asked),
        RequestKind::Swap => Content::SwapAsked(asked),
    };
    let ask = |recipient: &UserId| Message {
        answers: vec![OfferedAnswer::Accept, OfferedAnswer::Decline],
        ..about(request, to_person(rotation, recipient, content.clone()))
    };
    request.recipients.iter().map(ask).collect()
}

/// A request was accepted: to the channels and to the requester.
pub fn accepted(rotation: &Rotation, request: &Request) -> Vec<Message> {
    let Some(by) = &request.accepted_by else {
        return Vec::new();
    };
    let content = |legs: Vec<&Leg>| {
        let shifts = legs.into_iter().map(|leg| shift(rotation, leg)).collect();
        let by = by.clone();
        answered(request, RequestOutcome::Accepted { by, shifts })
    };
    // A duty that begins at once is announced as a hand-over.
    let now = rotation.stamps.judged_at;
    let to_come: Vec<&Leg> = (request.legs.iter())
        .filter(|leg| !leg.has_started(now))
        .collect();
    let mut messages = match to_come.is_empty() {
        true => Vec::new(),
        false => to_channels(rotation, &content(to_come)),
    };
    let all = content(request.legs.iter().collect());
    messages.push(to_person(rotation, &request.requester, all));
    messages
        .into_iter()
        .map(|message| about(request, message))
        .collect()
}

/// A request was declined: to the requester.
pub fn declined(rotation: &Rotation, request: &Request, by: &UserId) -> Vec<Message> {
    let has_declined = |asked| request.declined.contains(asked);
    let outcome = RequestOutcome::Declined {
        by: by.clone(),
        nobody_left: request.recipients.len() > 1 && request.recipients.iter().all(has_declined),
    };
    let content = answered(request, outcome);
    vec![about(
        request,
        to_person(rotation, &request.requester, content),
    )]
}

/// A cover was ended: to the other side, or to both if an editor ended it.
pub fn ended(rotation: &Rotation, request: &Request, by: &UserId) -> Vec<Message> {
    let sides = [Some(&request.requester), request.accepted_by.as_ref()];
    let others = sides.into_iter().flatten().filter(|side| *side != by);
    let content = answered(request, RequestOutcome::Ended { by: by.clone() });
    others
        .map(|other| about(request, to_person(rotation, other, content.clone())))
        .collect()
}

/// A mention was opened, repeated or closed: to its channel, in the thread that it came from. A notice that has not been sent
/// by the time the mention expires is not sent.
pub fn mention(rotation: &Rotation, mention: &Mention, notice: &Notice) -> Message {
    let asker = mention.asker.clone();
    let answered = |outcome| Content::MentionAnswered {
        asker: mention.asker.clone(),
        outcome,
    };
    let call = |called: &[UserId], again| Content::Mention {
        asker,
        called: called.to_vec(),
        message: mention.message.clone(),
        again,
    };
    let content = match notice {
        Notice::Asked(called) => call(called, false),
        Notice::AskedAgain(called) => call(called, true),
        Notice::Acknowledged(by) => answered(MentionOutcome::Acknowledged { by: by.clone() }),
        Notice::Passed => answered(MentionOutcome::Passed),
        Notice::Expired => answered(MentionOutcome::Expired),
        Notice::Nobody => {
            let outsider = rotation.external.as_ref().and_then(External::outsider);
            answered(
                outsider.map_or(MentionOutcome::Nobody, |outsider| MentionOutcome::Outside {
                    name: outsider.called(),
                }),
            )
        }
    };
    let calls = matches!(content, Content::Mention { .. });
    let to = Recipient::Channel(mention.channel.clone());
    Message {
        subject: Subject::Mention(mention.id.clone()),
        answers: match calls {
            true => vec![OfferedAnswer::Acknowledge, OfferedAnswer::Pass],
            false => Vec::new(),
        },
        expires_at: calls.then_some(mention.expires_at),
        thread: mention.thread.clone(),
        ..message(rotation, to, content)
    }
}

/// The messages to those whom a mention notifies, where each is asked directly, too: everybody with the answers.
pub fn mention_directly(rotation: &Rotation, opened: &Mention, notice: &Notice) -> Vec<Message> {
    let (Notice::Asked(called) | Notice::AskedAgain(called)) = notice else {
        return Vec::new();
    };
    let ask = |person: &UserId| Message {
        to: Recipient::Person(person.clone()),
        thread: None,
        ..mention(rotation, opened, notice)
    };
    called.iter().map(ask).collect()
}

/// The summary of what a person has before them.
pub fn summary(person: &UserId, summary: PersonSummary) -> Message {
    about_all(person, Content::Summary(summary))
}

/// A message to a person that is about no single rotation.
fn about_all(person: &UserId, content: Content) -> Message {
    Message {
        to: Recipient::Person(person.clone()),
        rotation: None,
        rotation_name: String::new(),
        subject: Subject::Rotation,
        content,
        answers: Vec::new(),
        people: PeopleNames::new(),
        expires_at: None,
        thread: None,
    }
}

/// What a test says.
pub const TEST: &str = "This is a test of rota. Messages of rota arrive here.";

/// A test of the ways by which a person is reached.
pub fn test(person: &UserId) -> Message {
    let text = TEST.to_owned();
    about_all(person, Content::Text { text })
}

/// The coming week of a rotation: to these channels.
pub fn week_ahead(rotation: &Rotation, channels: &[ChannelId], week: &WeekAhead) -> Vec<Message> {
    let to = channels.iter().cloned().map(Recipient::Channel);
    let content = || Content::WeekAhead(week.clone());
    to.map(|to| message(rotation, to, content())).collect()
}

/// A change that waited for its time was refused then: to owners and whoever made it.
pub fn change_failed(
    rotation: &Rotation,
    maker: Option<&UserId>,
    at: Timestamp,
    why: &str,
) -> Vec<Message> {
    let people = once_each(rotation.profile.owners.iter().chain(maker));
    let told = people.into_iter().map(|user| {
        let why = why.to_owned();
        let content = Content::ChangeFailed { at, why };
        message(rotation, Recipient::Person(user.clone()), content)
    });
    told.collect()
}

fn message(rotation: &Rotation, to: Recipient, content: Content) -> Message {
    Message {
        to,
        rotation: Some(rotation.id.clone()),
        rotation_name: rotation.profile.name.clone(),
        subject: Subject::Rotation,
        content,
        answers: Vec::new(),
        people: PeopleNames::new(),
        expires_at: None,
        thread: None,
    }
}

fn to_person(rotation: &Rotation, person: &UserId, content: Content) -> Message {
    message(rotation, Recipient::Person(person.clone()), content)
}

fn to_channels(rotation: &Rotation, content: &Content) -> Vec<Message> {
    let channels = rotation.profile.channels.iter();
    let posting = channels.filter(|setting| setting.posts_messages);
    let to = posting.map(|setting| Recipient::Channel(setting.channel.clone()));
    to.map(|to| message(rotation, to, content.clone()))
        .collect()
}

fn about(request: &Request, message: Message) -> Message {
    Message {
        subject: Subject::Request(request.id.clone()),
        ..message
    }
}

fn answered(request: &Request, outcome: RequestOutcome) -> Content {
    match request.kind {
        RequestKind::Cover => Content::CoverAnswered(outcome),
        RequestKind::Swap => Content::SwapAnswered(outcome),
    }
}

fn shift(rotation: &Rotation, leg: &Leg) -> Shift {
    let cell = rotation.slot_of(&leg.cell);
    Shift {
        cell: leg.cell.clone(),
        slot: slot_named(rotation, &leg.cell),
        zone: cell.and_then(|cell| zone(rotation, &rotation.cells[cell])),
        period: leg.period,
        holder: leg.holder.clone(),
        assignee: leg.assignee.clone(),
    }
}

/// In order of first occurrence.
fn once_each<'a>(people: impl Iterator<Item = &'a UserId>) -> Vec<&'a UserId> {
    let mut found = Vec::new();
    for person in people {
        if !found.contains(&person) {
            found.push(person);
        }
    }
    found
}
