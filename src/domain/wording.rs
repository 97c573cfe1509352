//! Every word that people read in chat: messages, and the topics of channels with their template (contract section 12).

mod cut;
mod topic;

pub use cut::{Piece, fit, shortened};
pub use topic::{TopicSubject, topic};

use super::chat::Recipient;
use super::event::Act;
use super::ids::{ChannelId, UserId};
use super::mention::{Mention, Notice};
use super::request::{Leg, Request, RequestKind};
use super::rotation::Rotation;
use super::takeover::{Takeover, place_named, zone};
use super::time::{END_OF_TIME, FOREVER, Interval};
use super::zones::ZoneName;
use jiff::Timestamp;

/// A person as messages name them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    /// As the platform marks somebody whom a message is to reach.
    pub handle: String,
}

/// How messages name people and repeat what people have written.
pub trait Voice {
    /// A person.
    fn named(&self, user: &UserId) -> Named;

    /// Text of people's, in one line, so that nothing in it is taken for anything else.
    fn plain(&self, text: &str) -> String;
}

/// A look-up alone, for a platform that takes every text as it is.
impl<F: Fn(&UserId) -> Named> Voice for F {
    fn named(&self, user: &UserId) -> Named {
        self(user)
    }

    fn plain(&self, text: &str) -> String {
        one_line(text)
    }
}

/// A text without line breaks and other control characters.
pub fn one_line(text: &str) -> String {
    let blank = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(blank).collect()
}

/// Whoever words something.
pub type Names<'a> = &'a dyn Voice;

/// A message to be sent.
pub type Message = (Recipient, String);

/// What a change of a rotation is told as: to its channels, to those who come on and go off, and where nobody is left on
/// call by other than somebody's own hand, to its owners.
pub fn change(
    rotation: &Rotation,
    takeovers: &[Takeover],
    nobody: bool,
    act: Act,
    names: Names,
) -> Vec<Message> {
    let mut lines: Vec<String> = takeovers
        .iter()
        .map(|takeover| line(rotation, takeover, names))
        .collect();
    if nobody {
        lines.push(format!(
            "{}: nobody is on call.",
            title(rotation, &[], names)
        ));
    }
    let mut messages = to_channels(rotation, &lines);
    messages.extend(to_people(rotation, takeovers, names));
    if nobody && act != Act::Duty {
        for owner in &rotation.profile.owners {
            let text = format!(
                "{}: nobody is on call. You are an owner.",
                title(rotation, &[], names)
            );
            messages.push((Recipient::Person(owner.clone()), text));
        }
    }
    messages
}

/// What is told when a rotation is deleted.
pub fn deleted(rotation: &Rotation, on_call: &[UserId], names: Names) -> Vec<Message> {
    let name = title(rotation, &[], names);
    let mut messages = match on_call {
        [] => Vec::new(),
        _ => to_channels(
            rotation,
            &[format!(
                "{name}: the rotation was deleted. Nobody is on call."
            )],
        ),
    };
    let off = |user: &UserId| {
        let text = format!("You are off duty for {name}: the rotation was deleted.");
        (Recipient::Person(user.clone()), text)
    };
    messages.extend(on_call.iter().map(off));
    messages
}

/// What is told before places change hands: to the channels and to those who come on.
pub fn reminder(
    rotation: &Rotation,
    at: Timestamp,
    takeovers: &[Takeover],
    names: Names,
) -> Vec<Message> {
    let coming: Vec<(&Takeover, &UserId)> = takeovers
        .iter()
        .filter_map(|takeover| Some((takeover, takeover.on.as_ref()?)))
        .collect();
    let line = |(takeover, on): &(&Takeover, &UserId)| {
        let from = takeover.off.as_ref();
        let from = from.map_or(String::new(), |off| {
            format!(" from {}", names.named(off).name)
        });
        let at = time(at, takeover.zone);
        format!(
            "{}: {} takes over{from} at {at}.",
            title(rotation, &takeover.place, names),
            names.named(on).handle
        )
    };
    let mut messages = to_channels(rotation, &coming.iter().map(line).collect::<Vec<_>>());
    for (takeover, on) in coming {
        let text = format!(
            "You come on duty for {} at {}{}.",
            title(rotation, &takeover.place, names),
            time(at, takeover.zone),
            until(takeover)
        );
        add(&mut messages, on, text);
    }
    messages
}

/// What is asked of those who may take a duty over, each once.
pub fn asked(rotation: &Rotation, request: &Request, names: Names) -> Vec<Message> {
    let name = names.named(&request.requester).name;
    let reason = match request.reason.trim() {
        "" => String::new(),
        reason => format!(" Reason: {}", names.plain(reason)),
    };
    let text = match request.kind {
        RequestKind::Cover => {
            let duties: Vec<String> = request
                .legs
                .iter()
                .map(|leg| duty(rotation, leg, names))
                .collect();
            format!("{name} asks you to cover {}.{reason}", duties.join(" and "))
        }
        RequestKind::Swap => {
            let part = |theirs: bool| {
                let of = |leg: &&Leg| (leg.holder == request.requester) == theirs;
                let legs = request
                    .legs
                    .iter()
                    .filter(of)
                    .map(|leg| duty(rotation, leg, names));
                legs.collect::<Vec<_>>().join(" and ")
            };
            format!(
                "{name} offers you a swap: you take {}, they take {}.{reason}",
                part(true),
                part(false)
            )
        }
    };
    let to = |user: &UserId| (Recipient::Person(user.clone()), text.clone());
    request.recipients.iter().map(to).collect()
}

/// What is told when somebody takes a duty over by a request: to the channels, and to whoever asked.
pub fn accepted(rotation: &Rotation, request: &Request, names: Names) -> Vec<Message> {
    let line = |leg: &Leg| {
        let assignee = leg
            .assignee
            .as_ref()
            .map_or(String::new(), |user| names.named(user).name);
        let holder = names.named(&leg.holder).name;
        format!(
            "{assignee} covers for {holder}: {}.",
            duty(rotation, leg, names)
        )
    };
    let lines: Vec<String> = request.legs.iter().map(line).collect();
    // What begins at once is told as a change of duty.
    let now = rotation.stamps.judged_at;
    let to_come = |(leg, line): (&Leg, &String)| (!leg.has_started(now)).then(|| line.clone());
    let announced = request.legs.iter().zip(&lines).filter_map(to_come);
    let mut messages = to_channels(rotation, &announced.collect::<Vec<_>>());
    let by = request
        .accepted_by
        .as_ref()
        .map_or(String::new(), |user| names.named(user).name);
    let text = format!(
        "{by} has accepted your {}.\n{}",
        request.kind.noun(),
        lines.join("\n")
    );
    messages.push((Recipient::Person(request.requester.clone()), text));
    messages
}

/// What whoever asked is told when somebody declines.
pub fn declined(rotation: &Rotation, request: &Request, by: &UserId, names: Names) -> Vec<Message> {
    let text = format!(
        "{} has declined your {} for {}.{}",
        names.named(by).name,
        request.kind.noun(),
        title(rotation, &[], names),
        match request
            .recipients
            .iter()
            .all(|asked| request.declined.contains(asked))
        {
            true if request.recipients.len() > 1 => " Nobody is left whom you have asked.",
            _ => "",
        }
    );
    vec![(Recipient::Person(request.requester.clone()), text)]
}

/// What the other side is told when somebody ends a cover.
pub fn ended(rotation: &Rotation, request: &Request, by: &UserId, names: Names) -> Vec<Message> {
    let sides = [Some(&request.requester), request.accepted_by.as_ref()];
    let others = sides.into_iter().flatten().filter(|side| *side != by);
    let text = format!(
        "{} has ended the cover of {}.",
        names.named(by).name,
        title(rotation, &[], names)
    );
    others
        .map(|other| (Recipient::Person(other.clone()), text.clone()))
        .collect()
}

/// What the channel of a mention is told.
pub fn mention(rotation: &Rotation, mention: &Mention, notice: &Notice, names: Names) -> Message {
    let name = title(rotation, &[], names);
    let handles = |people: &[UserId]| {
        let handles: Vec<String> = people.iter().map(|user| names.named(user).handle).collect();
        handles.join(" ")
    };
    let asker = names.named(&mention.asker).name;
    let text = match notice {
        Notice::Asked(people) => {
            let message = mention.message.as_ref();
            let message =
                message.map_or(".".into(), |message| format!(": {}", names.plain(message)));
            format!(
                "{} {asker} asks for whoever is on call in {name}{message}",
                handles(people)
            )
        }
        Notice::AskedAgain(people) => {
            format!(
                "{} {asker} still waits for whoever is on call in {name}.",
                handles(people)
            )
        }
        Notice::Acknowledged(person) => {
            format!("{name}: {} answers {asker}.", names.named(person).name)
        }
        Notice::Passed => format!("{name}: everybody on call has passed on {asker}'s question."),
        Notice::Expired => format!("{name}: nobody on call has answered {asker}."),
        Notice::Nobody => format!("{name}: nobody is on call to answer {asker}."),
    };
    (Recipient::Channel(mention.channel.clone()), text)
}

fn line(rotation: &Rotation, takeover: &Takeover, names: Names) -> String {
    let title = title(rotation, &takeover.place, names);
    let name = |user: &UserId| names.named(user).name;
    match (&takeover.on, &takeover.off) {
        (Some(on), Some(off)) => format!(
            "{title}: {} takes over from {}{}.",
            names.named(on).handle,
            name(off),
            until(takeover)
        ),
        (Some(on), None) => format!(
            "{title}: {} is on duty{}.",
            names.named(on).handle,
            until(takeover)
        ),
        (None, Some(off)) => format!(
            "{title}: {} goes off duty, and nobody takes over.",
            name(off)
        ),
        (None, None) => title,
    }
}

fn to_channels(rotation: &Rotation, lines: &[String]) -> Vec<Message> {
    if lines.is_empty() {
        return Vec::new();
    }
    let text = lines.join("\n");
    let posting = rotation
        .profile
        .channels
        .iter()
        .filter(|setting| setting.posts_messages);
    let to = |channel: &ChannelId| (Recipient::Channel(channel.clone()), text.clone());
    posting.map(|setting| to(&setting.channel)).collect()
}

fn to_people(rotation: &Rotation, takeovers: &[Takeover], names: Names) -> Vec<Message> {
    let mut messages = Vec::new();
    for takeover in takeovers {
        let title = title(rotation, &takeover.place, names);
        if let Some(on) = &takeover.on {
            let from = takeover.off.as_ref();
            let from = from.map_or(String::new(), |off| {
                format!(" You take over from {}.", names.named(off).name)
            });
            add(
                &mut messages,
                on,
                format!("You are on duty for {title}{}.{from}", until(takeover)),
            );
        }
        if let Some(off) = &takeover.off {
            let to = takeover.on.as_ref();
            let to = to.map_or("Nobody takes over.".into(), |on| {
                format!("{} takes over.", names.named(on).name)
            });
            add(
                &mut messages,
                off,
                format!("You are off duty for {title}. {to}"),
            );
        }
    }
    messages
}

/// One message a person, however many places it is about.
fn add(messages: &mut Vec<Message>, person: &UserId, line: String) {
    let to = Recipient::Person(person.clone());
    match messages.iter_mut().find(|(recipient, _)| *recipient == to) {
        Some((_, text)) => {
            text.push('\n');
            text.push_str(&line);
        }
        None => messages.push((to, line)),
    }
}

/// The rotation's name and the place's.
fn title(rotation: &Rotation, place: &[String], names: Names) -> String {
    let parts = std::iter::once(&rotation.profile.name).chain(place);
    let parts = parts.map(|part| names.plain(part));
    parts.collect::<Vec<_>>().join(", ")
}

fn until(takeover: &Takeover) -> String {
    let at = |at: Timestamp| time(at, takeover.zone);
    match (takeover.begins_at, takeover.until) {
        // Whoever hands over before the hours begin is never on duty.
        (Some(begins), Some(until)) if until <= begins => String::new(),
        (None, None) => String::new(),
        (None, Some(until)) => format!(" until {}", at(until)),
        (Some(begins), None) => format!(", beginning {}", at(begins)),
        (Some(begins), Some(until)) => format!(", from {} to {}", at(begins), at(until)),
    }
}

/// A duty that is to change hands.
fn duty(rotation: &Rotation, leg: &Leg, names: Names) -> String {
    let cell = rotation.place_of(&leg.cell);
    let zone = cell.and_then(|cell| zone(rotation, &rotation.cells[cell]));
    let Interval { from, until } = leg.period;
    let title = title(rotation, &place_named(rotation, &leg.cell), names);
    format!("{title} from {} to {}", time(from, zone), time(until, zone))
}

/// `YYYY-MM-DD HH:mm` in a zone, without naming it.
fn clock(at: Timestamp, zone: Option<ZoneName>) -> String {
    let tz = zone.unwrap_or_else(ZoneName::utc).tz();
    let local = match at >= FOREVER {
        true => END_OF_TIME,
        false => tz.to_datetime(at),
    };
    local.strftime("%Y-%m-%d %H:%M").to_string()
}

/// The same with the zone's name.
fn time(at: Timestamp, zone: Option<ZoneName>) -> String {
    let name = zone.map_or("UTC".into(), |zone| zone.to_string());
    format!("{} ({name})", clock(at, zone))
}

#[cfg(test)]
mod tests;
