//! The seam between transport and content: what is done with something that came in, and what is sent back for it.

use super::incoming::Incoming;
use crate::actions::Error;
use crate::actions::sessions::SignedIn;
use crate::domain::ids::{ChannelId, UserId};
use serde_json::Value;

/// Answers what people type and click. One call for each thing that arrives, from several threads at once.
///
/// It runs the same actions as the API, as the person in `who`: their principal is that of a member token. It may be called
/// again for something that it answered already, when the server was killed in between, so writes use
/// [`Incoming::operation_id`] as their `operationId`.
pub trait Handler: Send + Sync + 'static {
    /// Does what was asked and says what to send back. Aim for well under a second: Slack waits three, and a trigger id for a
    /// modal lives as long.
    ///
    /// Refusals are part of the reply, in words that a person understands. Directory events do not come here.
    ///
    /// # Errors
    /// When the storage fails. The person is told to try again.
    fn answer(&self, who: &SignedIn, incoming: &Incoming) -> Result<Reply, Error>;
}

/// The answer to a payload.
///
/// ```
/// use rota::slack_inbound::Reply;
/// use serde_json::json;
///
/// let said = Reply::body(json!({ "text": "Ana is on call." }));
/// assert!(said.later.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// The body of the acknowledgement.
    ///
    /// - For a command: a message, ephemeral unless it says otherwise:
    ///   `{"response_type": "ephemeral", "text": "Ana is on call.", "blocks": [...]}`. Posted to the response URL where it
    ///   is ready too late for the acknowledgement.
    /// - For a modal that was sent: `{"response_action": "errors", "errors": {"reason": "At most 500 characters."}}`, or
    ///   `{"response_action": "update", "view": {...}}`; nothing closes it. Where it is ready too late, the modal is updated
    ///   with `views.update`.
    /// - For a click: a message as for a command, posted to the click's response URL; `"replace_original": true` replaces the
    ///   message that was clicked. A click in a modal or on the home tab has no response URL; use [`later`](Reply::later).
    pub body: Option<Value>,
    /// Calls after the acknowledgement, in order. One that fails is logged, and the others are still made.
    pub later: Vec<Later>,
}

/// A call to Slack after the acknowledgement. The values are as the method takes them.
#[derive(Clone, Debug, PartialEq)]
pub enum Later {
    /// `views.open`: `{"type": "modal", "callback_id": "cover", "title": {...}, "blocks": [...]}` for a trigger id, which lives
    /// for 3 seconds.
    OpenView { trigger_id: String, view: Value },
    /// `views.update`. Slack refuses it if the view changed since the one that `hash` is of.
    UpdateView {
        view_id: String,
        hash: Option<String>,
        view: Value,
    },
    /// `views.publish`: `{"type": "home", "blocks": [...]}`.
    PublishHome {
        user: UserId,
        hash: Option<String>,
        view: Value,
    },
    /// A message to a response URL, which lives for 30 minutes: `{"replace_original": true, "text": "Accepted."}`.
    Respond { url: String, message: Value },
    /// `chat.postMessage` with `{"text": "...", "blocks": [...]}`, in the thread of a message where one is given.
    Post {
        channel: ChannelId,
        thread_ts: Option<String>,
        message: Value,
    },
    /// `chat.postEphemeral` with `{"text": "...", "blocks": [...]}`: only this person sees it.
    PostEphemeral {
        channel: ChannelId,
        user: UserId,
        thread_ts: Option<String>,
        message: Value,
    },
}

impl Reply {
    /// Nothing but the acknowledgement. It closes a modal.
    pub fn nothing() -> Reply {
        Reply::default()
    }

    /// A body of the acknowledgement alone.
    pub fn body(body: Value) -> Reply {
        Reply {
            body: Some(body),
            later: Vec::new(),
        }
    }

    /// A call after an empty acknowledgement.
    pub fn later(call: Later) -> Reply {
        Reply {
            body: None,
            later: vec![call],
        }
    }

    /// Adds a call at the end.
    pub fn and(mut self, call: Later) -> Reply {
        self.later.push(call);
        self
    }
}
