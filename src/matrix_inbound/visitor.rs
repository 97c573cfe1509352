//! Who says something where, and what is said back.

use super::draft::Draft;
use super::event::{Event, What};
use super::html::Html;
use crate::actions::App;
use crate::actions::sessions::SignedIn;
use crate::chat::matrix::{Matrix, Place};
use crate::domain::rotation::Rotation;
use crate::domain::zones::ZoneName;
use crate::talk;
use sha2::{Digest, Sha256};

/// Something that somebody said or clicked, with whoever did it.
pub struct Visitor<'a> {
    pub app: &'a App,
    pub matrix: &'a Matrix,
    pub who: &'a SignedIn,
    pub event: &'a Event,
    /// Whether nobody else is in the room.
    pub is_alone: bool,
}

/// What is said back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// In HTML; empty says nothing.
    pub lines: Vec<String>,
    /// Whether only the person may see it.
    pub is_private: bool,
    /// Whether it may stand in no room of more than two, whichever room that is.
    pub is_secret: bool,
    /// The message of a draft that is over.
    pub closes: Option<String>,
    /// What waits for the person to confirm it.
    pub draft: Option<Draft>,
}

impl Answer {
    /// Says nothing.
    pub fn nothing() -> Answer {
        Answer::default()
    }

    /// Whoever is in the room may see it.
    pub fn open(lines: Vec<String>) -> Answer {
        Answer {
            lines,
            ..Answer::default()
        }
    }

    /// Only the person may see it.
    pub fn private(line: impl Into<String>) -> Answer {
        Answer::privately(vec![line.into()])
    }

    /// As [`Answer::private`], of several lines.
    pub fn privately(lines: Vec<String>) -> Answer {
        Answer {
            lines,
            is_private: true,
            ..Answer::default()
        }
    }
}

impl Visitor<'_> {
    /// What answers are made from. In a room instants stand in the zone of the rotation, because others read them too.
    pub fn visit(&self) -> talk::Visit<'_> {
        let zone = self.zone().filter(|_| self.is_alone);
        self.made(&self.event.id, zone)
    }

    /// As [`Visitor::visit`], of an answer that only the person sees, and of writes that are known by that name.
    pub fn private_visit(&self, operation: &str) -> talk::Visit<'_> {
        self.made(operation, self.zone())
    }

    fn made(&self, operation: &str, shown_in: Option<ZoneName>) -> talk::Visit<'_> {
        talk::Visit {
            app: self.app,
            who: self.who,
            now: self.app.now(),
            shown_in,
            operation_id: hashed(operation),
            command: self.matrix.settings().command.clone(),
            markup: &Html,
        }
    }

    /// The person's own zone, where it is known.
    fn zone(&self) -> Option<ZoneName> {
        let zone = self.who.zone;
        let is_known = self.who.person.time_zone.is_some() || zone != ZoneName::utc();
        is_known.then_some(zone)
    }

    /// The zone of days and times that the person types: their own, else the rotation's.
    pub fn zone_for(&self, rotation: &Rotation) -> ZoneName {
        let mut zones = rotation.windows.iter().filter_map(|window| window.zone);
        let zone = self.zone().or_else(|| zones.next());
        zone.unwrap_or(self.who.zone)
    }

    /// Whether a rotation may be shown where this was said: in a room only if everybody may see it, or if it posts there.
    pub fn may_show(&self, rotation: &Rotation) -> bool {
        let posts_here = || {
            let mut channels = rotation.profile.channels.iter();
            channels.any(|one| one.posts_messages && one.channel.as_str() == self.event.room)
        };
        self.is_alone || rotation.profile.public || posts_here()
    }

    /// Where it was said. What was clicked is answered in reply to what it was clicked on.
    pub fn place(&self) -> Place<'_> {
        let (event, thread) = match &self.event.what {
            What::Message { thread, .. } => (&self.event.id, thread.as_deref()),
            What::Reaction { to, .. } => (to, None),
        };
        Place {
            room: &self.event.room,
            event,
            thread,
        }
    }
}

/// The `operationId` of something with that name.
fn hashed(name: &str) -> String {
    let digest = Sha256::digest(format!("matrix {name}"));
    digest[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
