//! The wording of chat messages and channel topics.

mod cadence;
mod cut;
mod digest;
mod direction;
mod instead;
mod shifts_moved;
mod subject;
mod topic;

pub use cadence::{DAYS, cadence, capital, day, day_name, hand_overs, hours, skips, weekday};
pub use cut::{Piece, fit, shortened};
pub use direction::turns_direction;
pub use instead::for_whom;
pub use shifts_moved::moment;
pub use subject::subject;
pub use topic::{TopicSubject, topic};

use super::forecast::HandoverNotice;
use super::ids::UserId;
use super::message::{
    Content, MentionOutcome, Message, QuestionOutcome, Recipient, RequestAsked, RequestOutcome,
    Shift,
};
use super::request::RequestKind;
use super::time::{END_OF_TIME, FOREVER, Interval};
use super::told_plan::Reason;
use super::zones::ZoneName;
use jiff::Timestamp;

/// The forms of a person's name in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameForms {
    pub name: String,
    /// The form that notifies the person on the platform.
    pub handle: String,
}

/// How a platform renders people, user text and instants.
pub trait Renderer {
    /// A person.
    fn named(&self, user: &UserId) -> NameForms;

    /// User text on one line, escaped so that it contains no markup.
    fn plain(&self, text: &str) -> String;

    /// An instant in the zone of its subject. A platform that knows the reader's zone may use that instead.
    fn time(&self, at: Timestamp, zone: Option<ZoneName>) -> String {
        time(at, zone)
    }
}

/// A text without line breaks and other control characters.
pub fn one_line(text: &str) -> String {
    let blank = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(blank).collect()
}

/// Renders a message as text for a platform.
pub fn text(message: &Message, renderer: &dyn Renderer) -> String {
    let words = Words {
        rotation: &message.rotation_name,
        renderer,
    };
    let person = match &message.to {
        Recipient::Person(person) => Some(person),
        Recipient::Channel(_) => None,
    };
    match &message.content {
        Content::Text { text } => text.clone(),
        Content::OffDuty {
            rotation_deleted: true,
            ..
        } => format!(
            "You are off duty for {}: the rotation was deleted.",
            words.title(&[])
        ),
        Content::OnDuty { handovers } | Content::OffDuty { handovers, .. } => match person {
            Some(person) => words.changes_for(handovers, person),
            None => words.changes(handovers),
        }
        .join("\n"),
        Content::HandOver { handovers, nobody } => {
            let mut lines = words.changes(handovers);
            lines.extend(nobody.then(|| words.nobody()));
            lines.join("\n")
        }
        Content::Nobody {
            rotation_deleted: true,
        } => format!(
            "{}: the rotation was deleted. Nobody is on call.",
            words.title(&[])
        ),
        Content::Nobody { .. } => match person {
            Some(_) => words.nobody() + " You are an owner.",
            None => words.nobody(),
        },
        Content::ComingUp { at, handovers } => words.coming_up(*at, handovers, person.is_some()),
        Content::CoverAsked(asked) => words.cover_asked(asked),
        Content::SwapAsked(asked) => words.swap_asked(asked),
        Content::CoverAnswered(outcome) => {
            words.request_answered(outcome, RequestKind::Cover, person.is_some())
        }
        Content::SwapAnswered(outcome) => {
            words.request_answered(outcome, RequestKind::Swap, person.is_some())
        }
        Content::Mention {
            asker,
            called,
            message,
            again,
        } => {
            // Whoever it is sent to need not be named.
            let called = match person {
                Some(_) => &[],
                None => called.as_slice(),
            };
            words.mention(asker, called, message.as_deref(), *again)
        }
        Content::MentionAnswered { asker, outcome } => words.mention_answered(asker, outcome),
        Content::ShiftsMoved(moved) => words.shifts_moved(moved),
        Content::Summary(summary) => words.summary(summary),
        Content::WeekAhead(week) => words.week_ahead(week),
    }
}

/// Why shifts moved, in the words of their message: when, and a sentence.
pub fn because(message: &Message, renderer: &dyn Renderer) -> Vec<(Timestamp, String)> {
    let Content::ShiftsMoved(moved) = &message.content else {
        return Vec::new();
    };
    let words = Words {
        rotation: &message.rotation_name,
        renderer,
    };
    let said = |reason: &Reason| (reason.at, words.sentence(&reason.said, moved.zone));
    moved.because.iter().map(said).collect()
}

/// The outcome of a question, as the last line of the message that asked it.
pub fn standing(standing: &QuestionOutcome, renderer: &dyn Renderer) -> String {
    let name = |user: &UserId| renderer.named(user).name;
    match standing {
        QuestionOutcome::Accepted(by) => format!("{} has accepted.", name(by)),
        QuestionOutcome::DeclinedByYou => "You have declined.".into(),
        QuestionOutcome::Declined => "Declined.".into(),
        QuestionOutcome::Cancelled => "The request was withdrawn.".into(),
        QuestionOutcome::Expired => "It has expired.".into(),
        QuestionOutcome::Ended => "The cover was ended.".into(),
        QuestionOutcome::Acknowledged(by) => format!("{} has answered.", name(by)),
        QuestionOutcome::PassedByYou => "You have passed.".into(),
        QuestionOutcome::Passed => "Everybody has passed.".into(),
        QuestionOutcome::Gone => "The rotation was deleted.".into(),
    }
}

/// Words the messages of one rotation.
struct Words<'a> {
    rotation: &'a str,
    renderer: &'a dyn Renderer,
}

impl Words<'_> {
    fn name(&self, user: &UserId) -> String {
        self.renderer.named(user).name
    }

    fn handle(&self, user: &UserId) -> String {
        self.renderer.named(user).handle
    }

    /// The rotation's name and the slot's.
    fn title(&self, slot: &[String]) -> String {
        let parts = std::iter::once(self.rotation).chain(slot.iter().map(String::as_str));
        let parts = parts.map(|part| self.renderer.plain(part));
        parts.collect::<Vec<_>>().join(", ")
    }

    fn nobody(&self) -> String {
        format!("{}: nobody is on call.", self.title(&[]))
    }

    /// One line per slot that changed hands.
    fn changes(&self, handovers: &[HandoverNotice]) -> Vec<String> {
        handovers
            .iter()
            .map(|handover| self.change(handover))
            .collect()
    }

    fn change(&self, handover: &HandoverNotice) -> String {
        let title = self.title(&handover.slot);
        if let Some(outside) = &handover.outside {
            let outside = self.renderer.plain(outside);
            let from = handover.off.as_ref();
            let comes_on = from.map_or_else(
                || "is on duty".to_owned(),
                |off| format!("takes over from {}", self.name(off)),
            );
            let until = self.until(handover);
            return format!("{title}: {outside} (not in chat) {comes_on}{until}.");
        }
        match (&handover.on, &handover.off) {
            (Some(on), Some(off)) => format!(
                "{title}: {}{} takes over from {}{}.",
                self.handle(on),
                self.for_whom(handover),
                self.name(off),
                self.until(handover)
            ),
            (Some(on), None) => {
                let (whom, until) = (self.for_whom(handover), self.until(handover));
                format!("{title}: {}{whom} is on duty{until}.", self.handle(on))
            }
            (None, Some(off)) => format!(
                "{title}: {} goes off duty, and nobody takes over.",
                self.name(off)
            ),
            (None, None) => title,
        }
    }

    /// The lines for a person who comes on or goes off.
    fn changes_for(&self, handovers: &[HandoverNotice], person: &UserId) -> Vec<String> {
        let mut lines = Vec::new();
        for handover in handovers {
            let title = self.title(&handover.slot);
            if handover.on.as_ref() == Some(person) {
                let from = handover.off.as_ref();
                let from = from.map_or(String::new(), |off| {
                    format!(" You take over from {}.", self.name(off))
                });
                let (until, instead) = (self.until(handover), self.instead(handover));
                lines.push(format!(
                    "You are on duty for {title}{until}{instead}.{from}"
                ));
            }
            if handover.off.as_ref() == Some(person) {
                let to = handover.on.as_ref();
                let outside = handover.outside.as_deref();
                let nobody = || match outside {
                    Some(name) => format!("{} takes over.", self.renderer.plain(name)),
                    None => "Nobody takes over.".to_owned(),
                };
                let to = to.map_or_else(nobody, |on| format!("{} takes over.", self.name(on)));
                lines.push(format!("You are off duty for {title}. {to}"));
            }
        }
        lines
    }

    fn coming_up(&self, at: Timestamp, handovers: &[HandoverNotice], to_person: bool) -> String {
        let line = |handover: &HandoverNotice| {
            let on = handover.on.as_ref()?;
            let (title, at) = (
                self.title(&handover.slot),
                self.renderer.time(at, handover.zone),
            );
            if to_person {
                let (until, instead) = (self.until(handover), self.instead(handover));
                return Some(format!(
                    "You come on duty for {title} at {at}{until}{instead}."
                ));
            }
            let from = handover.off.as_ref();
            let from = from.map_or(String::new(), |off| format!(" from {}", self.name(off)));
            Some(format!(
                "{title}: {}{} takes over{from} at {at}.",
                self.handle(on),
                self.for_whom(handover)
            ))
        };
        handovers
            .iter()
            .filter_map(line)
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn until(&self, handover: &HandoverNotice) -> String {
        let at = |at: Timestamp| self.renderer.time(at, handover.zone);
        match (handover.begins_at, handover.until) {
            // A person who hands over before the hours begin is never on duty.
            (Some(begins), Some(until)) if until <= begins => String::new(),
            (None, None) => String::new(),
            (None, Some(until)) => format!(" until {}", at(until)),
            (Some(begins), None) => format!(", beginning {}", at(begins)),
            (Some(begins), Some(until)) => format!(", from {} to {}", at(begins), at(until)),
        }
    }

    fn shift(&self, shift: &Shift) -> String {
        let Interval { from, until } = shift.period;
        let time = |at: Timestamp| self.renderer.time(at, shift.zone);
        let title = self.title(&shift.slot);
        format!("{title} from {} to {}", time(from), time(until))
    }

    fn shifts<'a>(&self, shifts: impl Iterator<Item = &'a Shift>) -> String {
        let shifts = shifts.map(|shift| self.shift(shift));
        shifts.collect::<Vec<_>>().join(" and ")
    }

    fn reason(&self, asked: &RequestAsked) -> String {
        let reason = asked.reason.as_deref();
        reason.map_or(String::new(), |reason| {
            format!(" Reason: {}", self.renderer.plain(reason))
        })
    }

    fn cover_asked(&self, asked: &RequestAsked) -> String {
        let (name, reason) = (self.name(&asked.requester), self.reason(asked));
        let shifts = self.shifts(asked.shifts.iter());
        format!("{name} asks you to cover {shifts}.{reason}")
    }

    fn swap_asked(&self, asked: &RequestAsked) -> String {
        let (name, reason) = (self.name(&asked.requester), self.reason(asked));
        let part = |theirs: bool| {
            let of = |shift: &&Shift| (shift.holder == asked.requester) == theirs;
            self.shifts(asked.shifts.iter().filter(of))
        };
        format!(
            "{name} offers you a swap: you take {}, they take {}.{reason}",
            part(true),
            part(false)
        )
    }

    fn request_answered(
        &self,
        outcome: &RequestOutcome,
        kind: RequestKind,
        to_person: bool,
    ) -> String {
        match outcome {
            RequestOutcome::Accepted { by, shifts } => {
                let line = |shift: &Shift| {
                    let assignee = shift.assignee.as_ref();
                    let assignee = assignee.map_or(String::new(), |user| self.name(user));
                    let holder = self.name(&shift.holder);
                    format!("{assignee} covers for {holder}: {}.", self.shift(shift))
                };
                let lines = shifts.iter().map(line).collect::<Vec<_>>().join("\n");
                match to_person {
                    true => format!(
                        "{} has accepted your {}.\n{lines}",
                        self.name(by),
                        kind.noun()
                    ),
                    false => lines,
                }
            }
            RequestOutcome::Declined { by, nobody_left } => format!(
                "{} has declined your {} for {}.{}",
                self.name(by),
                kind.noun(),
                self.title(&[]),
                match nobody_left {
                    true => " Everybody you asked has declined.",
                    false => "",
                }
            ),
            RequestOutcome::Ended { by } => format!(
                "{} has ended the cover of {}.",
                self.name(by),
                self.title(&[])
            ),
        }
    }

    fn mention(
        &self,
        asker: &UserId,
        called: &[UserId],
        message: Option<&str>,
        again: bool,
    ) -> String {
        let (asker, name) = (self.name(asker), self.title(&[]));
        let handle = |user: &UserId| self.handle(user) + " ";
        let handles: String = called.iter().map(handle).collect();
        if again {
            return format!("{handles}{asker} still waits for whoever is on call in {name}.");
        }
        let message = message.map_or(".".into(), |message| {
            format!(": {}", self.renderer.plain(message))
        });
        format!("{handles}{asker} asks for whoever is on call in {name}{message}")
    }

    fn mention_answered(&self, asker: &UserId, outcome: &MentionOutcome) -> String {
        let (asker, name) = (self.name(asker), self.title(&[]));
        match outcome {
            MentionOutcome::Acknowledged { by } => {
                format!("{name}: {} answers {asker}.", self.name(by))
            }
            MentionOutcome::Passed => {
                format!("{name}: everybody on call has passed on {asker}'s question.")
            }
            MentionOutcome::Expired => format!("{name}: nobody on call has answered {asker}."),
            MentionOutcome::Nobody => format!("{name}: nobody is on call to answer {asker}."),
            MentionOutcome::Outside { name: outside } => format!(
                "{name}: {} is on call, but is not in chat to answer {asker}.",
                self.renderer.plain(outside)
            ),
        }
    }
}

/// `YYYY-MM-DD HH:mm` in a zone, without its name.
fn clock(at: Timestamp, zone: Option<ZoneName>) -> String {
    let tz = zone.unwrap_or_else(ZoneName::utc).tz();
    let local = match at >= FOREVER {
        true => END_OF_TIME,
        false => tz.to_datetime(at),
    };
    local.strftime("%Y-%m-%d %H:%M").to_string()
}

/// An instant as text: `2026-11-23 09:00 (Europe/Berlin)`, in UTC without a zone.
pub fn time(at: Timestamp, zone: Option<ZoneName>) -> String {
    let name = zone.map_or("UTC".into(), |zone| zone.to_string());
    format!("{} ({name})", clock(at, zone))
}

#[cfg(test)]
mod tests;
