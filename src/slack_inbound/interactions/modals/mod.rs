//! Forms: cover, swap, away, and what is in the way of accepting.
//!
//! A form is made of what is so when it is opened, and judged by what is so when it is sent: the action refuses what has changed
//! meanwhile, and the form says so. Its `private_metadata` carries ids alone.

mod away;
mod conflicts;
mod cover;
mod field;
mod swap;

pub use away::form as away;
pub use conflicts::form as in_the_way;
pub use cover::form as cover;
pub use swap::form as swap;

use super::blocks::{Blocks, ephemeral, modal};
use super::visit::{Outcome, Visit};
use crate::actions::proposals::Proposal;
use crate::actions::{ActionError, Error, Result};
use crate::domain::ids::{ChannelId, RequestId, RotationId};
use crate::domain::refusal::Refusal;
use crate::domain::request::RequestWritten;
use crate::domain::rotation::Rotation;
use crate::slack_inbound::incoming::View;
use crate::slack_inbound::reply::{Later, Reply};
use crate::talk::proposing::{self, FormOutcome};
use serde_json::{Map, Value, json};

/// The subject of a form, in its `private_metadata`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    pub rotation: Option<RotationId>,
    pub request: Option<RequestId>,
    /// Where the command was typed: what came of it is told there, to its author alone.
    pub channel: Option<ChannelId>,
    /// The revision of the request that was shown.
    pub revision: Option<u64>,
}

impl Metadata {
    /// Of a form that a command opens: about one rotation or all of them.
    pub fn of(rotation: Option<&Rotation>, channel: Option<&ChannelId>) -> Metadata {
        Metadata {
            rotation: rotation.map(|rotation| rotation.id.clone()),
            channel: channel.cloned(),
            ..Metadata::default()
        }
    }

    /// As the form carries it.
    pub fn text(&self) -> String {
        let mut members = Map::new();
        let ids = [
            ("rotation", self.rotation.as_ref().map(RotationId::as_str)),
            ("request", self.request.as_ref().map(RequestId::as_str)),
            ("channel", self.channel.as_ref().map(ChannelId::as_str)),
        ];
        for (name, id) in ids {
            if let Some(id) = id {
                members.insert(name.to_owned(), json!(id));
            }
        }
        if let Some(revision) = self.revision {
            members.insert("revision".to_owned(), json!(revision));
        }
        Value::Object(members).to_string()
    }

    /// Of a form that was sent. What cannot be read is left out; the form is then refused for what it lacks.
    pub fn parse(text: &str) -> Metadata {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let id = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
        Metadata {
            rotation: id("rotation").map(RotationId::from),
            request: id("request").map(RequestId::from),
            channel: id("channel").map(ChannelId::from),
            revision: value.get("revision").and_then(Value::as_u64),
        }
    }
}

/// Previews what a form proposes, and writes it unless something is in the way that was not acknowledged.
fn propose<P: Proposal<Output = RequestWritten>>(
    (visit, view): (&Visit, &View),
    rotation: &RotationId,
    action: &'static str,
    new: Result<P, Refusal>,
) -> Result<FormOutcome> {
    proposing::propose(visit, rotation, action, new, |token| {
        field::is_acknowledged(view, token)
    })
}

/// Carries a form out that was sent.
pub fn sent(visit: &Visit, view: &View) -> Outcome {
    let metadata = Metadata::parse(&view.private_metadata);
    let outcome = match view.callback_id.as_str() {
        cover::NAME => cover::sent(visit, view, &metadata),
        swap::NAME => swap::sent(visit, view, &metadata),
        away::NAME => away::sent(visit, view, &metadata),
        conflicts::NAME => conflicts::sent(visit, view, &metadata),
        _ => Ok(Reply::nothing()),
    };
    match outcome {
        // No field is to blame.
        Err(ActionError::Refused(refusal)) => Ok(update(told(&visit.why(&refusal)?))),
        outcome => outcome,
    }
}

/// A form replaced by another one.
fn update(view: Value) -> Reply {
    Reply::body(json!({ "response_action": "update", "view": view }))
}

/// The errors, each beside its field.
fn errors(wrong: Vec<(&str, String)>) -> Reply {
    let wrong: Map<String, Value> = wrong
        .into_iter()
        .map(|(field, why)| (field.to_owned(), json!(why)))
        .collect();
    Reply::body(json!({ "response_action": "errors", "errors": wrong }))
}

/// A refusal beside the field that it names, else beside the first one.
fn refused(
    visit: &Visit,
    refusal: &Refusal,
    members: &[(&str, &'static str)],
) -> Result<Reply, Error> {
    let path = match refusal {
        Refusal::Invalid { path, .. } => path.as_str(),
        _ => "",
    };
    let named = members.iter().find(|(member, _)| path.starts_with(member));
    let (_, field) = named.unwrap_or(&members[0]);
    Ok(errors(vec![(field, visit.why_plain(refusal)?)]))
}

/// Closes the form, and tells its author where they typed the command.
fn closed(visit: &Visit, metadata: &Metadata, text: &str) -> Reply {
    let Some(channel) = &metadata.channel else {
        return Reply::nothing();
    };
    let mut blocks = Blocks::message();
    blocks.section(text);
    let mut message = ephemeral(text, blocks);
    if let Some(message) = message.as_object_mut() {
        message.remove("response_type");
    }
    Reply::nothing().and(Later::PostEphemeral {
        channel: channel.clone(),
        user: visit.me().clone(),
        thread_ts: None,
        message,
    })
}

/// A modal that says something and has nothing to send.
pub fn told(text: &str) -> Value {
    let mut blocks = Blocks::view();
    blocks.section(text);
    modal("told", "Rota", None, "", blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_read_as_it_is_written() {
        for metadata in [
            Metadata::default(),
            Metadata {
                rotation: Some("rot_1".into()),
                request: Some("cov_1".into()),
                channel: Some("C1".into()),
                revision: Some(3),
            },
        ] {
            assert_eq!(Metadata::parse(&metadata.text()), metadata);
        }
        for text in ["", "[]", "{\"rotation\":1}", "x"] {
            assert_eq!(Metadata::parse(text), Metadata::default(), "{text}");
        }
    }
}
