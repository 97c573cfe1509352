//! Renders messages as text for a platform.

use super::Chat;
use crate::domain::ids::UserId;
use crate::domain::message::{Message, PeopleNames};
use crate::domain::wording::{self, NameForms, Renderer};
use crate::domain::zones::ZoneName;
use jiff::Timestamp;

/// Renders people for a platform. A person without a name in `names` is shown by their id.
pub struct PlatformRenderer<'a> {
    pub chat: &'a dyn Chat,
    pub names: &'a PeopleNames,
}

impl Renderer for PlatformRenderer<'_> {
    fn named(&self, user: &UserId) -> NameForms {
        let name = self.names.get(user).map_or(user.as_str(), String::as_str);
        NameForms {
            name: self.chat.name(user, name),
            handle: self.chat.handle(user, name),
        }
    }

    fn plain(&self, text: &str) -> String {
        self.chat.plain(text)
    }

    fn time(&self, at: Timestamp, zone: Option<ZoneName>) -> String {
        self.chat.time(at, zone)
    }
}

/// Renders people for topics, which are plain text on every platform.
pub struct TopicRenderer<'a> {
    pub names: &'a PeopleNames,
}

impl Renderer for TopicRenderer<'_> {
    fn named(&self, user: &UserId) -> NameForms {
        let name = self.names.get(user).map_or(user.as_str(), String::as_str);
        let name = wording::one_line(name);
        NameForms {
            handle: format!("@{name}"),
            name,
        }
    }

    fn plain(&self, text: &str) -> String {
        wording::one_line(text)
    }
}

/// Why shifts moved, in words; nothing for messages of other kinds.
pub fn because(chat: &dyn Chat, message: &Message) -> Vec<(Timestamp, String)> {
    let renderer = PlatformRenderer {
        chat,
        names: &message.people,
    };
    wording::because(message, &renderer)
}

/// Renders a message as text, shortened to the platform's limit.
pub fn text(chat: &dyn Chat, message: &Message) -> String {
    let renderer = PlatformRenderer {
        chat,
        names: &message.people,
    };
    let text = wording::text(message, &renderer);
    wording::shortened(&text, chat.capabilities().longest_message).into_owned()
}
