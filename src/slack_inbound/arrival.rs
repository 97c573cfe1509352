//! Something that arrived and is stored, on its way to an answer.

use super::incoming::{Actions, Class, Incoming, Kind, Place, View};
use super::reply::{Later, Reply};
use crate::store::ChatEnvelope;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Something that arrived. Its envelope is stored.
#[derive(Debug)]
pub struct Arrival {
    pub incoming: Incoming,
    /// Its id, and until when its response URL takes answers.
    pub envelope: ChatEnvelope,
}

/// The answer to an arrival, before any of it is sent.
pub struct Answered {
    pub arrival: Arc<Arrival>,
    pub reply: Reply,
    /// For the database: one word.
    pub outcome: &'static str,
}

/// How long an acknowledgement waits for the answer of a command.
const COMMAND: Duration = Duration::from_secs(1);

/// How long it waits for that of a modal, which has no response URL. Slack gives up after three seconds.
const MODAL: Duration = Duration::from_millis(2500);

impl Arrival {
    /// Reads a stored envelope. `None` if it cannot be read, which an older or newer version of the program may have stored.
    pub fn read(envelope: ChatEnvelope) -> Option<Arrival> {
        let class = Class::parse(&envelope.kind)?;
        let payload: Value = serde_json::from_str(&envelope.body).ok()?;
        let incoming = Incoming::parse(class, &payload).ok()?;
        Some(Arrival { incoming, envelope })
    }

    /// How long its acknowledgement waits for the answer. Clicks and events have none in their acknowledgement.
    pub fn patience(&self) -> Duration {
        match self.incoming.kind {
            Kind::Command(_) => COMMAND,
            Kind::ViewSubmission(_) => MODAL,
            _ => Duration::ZERO,
        }
    }

    /// The body of the acknowledgement when the answer is not ready in time. A modal shows that it is being worked on, because
    /// Slack would close it.
    pub fn plain(&self) -> Option<Value> {
        let Kind::ViewSubmission(view) = &self.incoming.kind else {
            return None;
        };
        let text = "This takes longer than usual. What came of it appears here.";
        Some(json!({ "response_action": "update", "view": note(view, text) }))
    }

    /// The response URL, if there is one.
    pub fn response_url(&self) -> Option<&str> {
        match &self.incoming.kind {
            Kind::Command(command) => command.response_url.as_deref(),
            Kind::Actions(actions) => actions.response_url.as_deref(),
            _ => None,
        }
    }
}

impl Answered {
    /// Moves the body of the acknowledgement, which was sent without it, to the calls that follow.
    pub fn postpone(&mut self) {
        let Some(body) = self.reply.body.take() else {
            if let Kind::ViewSubmission(view) = &self.arrival.incoming.kind {
                self.reply
                    .later
                    .insert(0, update(view, note(view, "Done.")));
            }
            return;
        };
        let call = match &self.arrival.incoming.kind {
            Kind::ViewSubmission(view) => Some(update(view, result(view, &body))),
            Kind::Actions(Actions {
                place: Place::View(_),
                ..
            }) => None,
            _ => self.arrival.response_url().map(|url| Later::Respond {
                url: url.to_owned(),
                message: body,
            }),
        };
        match call {
            Some(call) => self.reply.later.insert(0, call),
            None => log::warn!(
                "slack: {}: its answer came too late for the acknowledgement, and it has no response URL",
                self.arrival.incoming.id
            ),
        }
    }
}

fn update(view: &View, content: Value) -> Later {
    Later::UpdateView {
        view_id: view.id.clone(),
        // The view was replaced by the note, which has another hash.
        hash: None,
        view: content,
    }
}

/// The modal for an answer that came too late for its acknowledgement.
fn result(view: &View, body: &Value) -> Value {
    if let Some(content) = body.get("view") {
        return content.clone();
    }
    let errors = body.get("errors").and_then(Value::as_object);
    let errors = errors.into_iter().flat_map(|errors| errors.values());
    let lines: Vec<&str> = errors.filter_map(Value::as_str).collect();
    match lines.is_empty() {
        true => note(view, "Done."),
        false => note(view, &format!("Nothing was changed. {}", lines.join("\n"))),
    }
}

/// A modal that only says something.
pub fn note(view: &View, text: &str) -> Value {
    json!({
        "type": "modal",
        "callback_id": view.callback_id,
        "title": { "type": "plain_text", "text": "rota" },
        "close": { "type": "plain_text", "text": "Close" },
        "blocks": [{ "type": "section", "text": { "type": "plain_text", "text": text } }],
    })
}
