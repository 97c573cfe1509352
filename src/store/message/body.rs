//! The stored JSON of a message: its content under its `kind`, with names, subject and offered answers.

use crate::domain::ids::{MentionId, RequestId};
use crate::domain::mention::Thread;
use crate::domain::message::{Content, Message, OfferedAnswer, PeopleNames, Subject};
use crate::store::rows::json;
use crate::store::{Error, Result};
use serde::{Deserialize, Serialize};

/// The parts of a [`Message`] that are stored in its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Body {
    #[serde(flatten)]
    pub content: Content,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rotation_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<RequestId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mention: Option<MentionId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<OfferedAnswer>,
    #[serde(default, skip_serializing_if = "PeopleNames::is_empty")]
    pub people: PeopleNames,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<Thread>,
}

impl Body {
    fn of(message: &Message) -> Body {
        let (request, mention) = match message.subject.clone() {
            Subject::Rotation => (None, None),
            Subject::Request(id) => (Some(id), None),
            Subject::Mention(id) => (None, Some(id)),
        };
        Body {
            content: message.content.clone(),
            rotation_name: message.rotation_name.clone(),
            request,
            mention,
            answers: message.answers.clone(),
            people: message.people.clone(),
            thread: message.thread.clone(),
        }
    }

    pub(super) fn subject(&self) -> Subject {
        match (&self.request, &self.mention) {
            (Some(id), _) => Subject::Request(id.clone()),
            (None, Some(id)) => Subject::Mention(id.clone()),
            (None, None) => Subject::Rotation,
        }
    }
}

pub(super) fn to_json(message: &Message) -> Result<String> {
    json(&Body::of(message))
}

pub(super) fn from_text(text: &str) -> Result<Body> {
    // The error is shown and logged; the text must not be.
    serde_json::from_str(text).map_err(|error| Error::Corrupt(error.to_string()))
}

#[cfg(test)]
mod tests;
