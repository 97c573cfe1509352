//! Modals and the home tab.

use super::values::Values;
use super::{Unreadable, needed, string};
use serde_json::Value;

/// A modal or the home tab, as it was when somebody sent, closed or clicked it.
///
/// ```json
/// { "type": "view_submission", "team": { "id": "T1" }, "user": { "id": "U2" }, "trigger_id": "1.2.a",
///   "view": { "id": "V1", "callback_id": "cover", "private_metadata": "{\"rotation\":\"rot_1\"}", "hash": "1.abc",
///             "state": { "values": { "reason": { "text": { "type": "plain_text_input", "value": "Dentist" } } } } } }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    pub id: String,
    /// Which modal it is. Empty for the home tab, unless it was given one.
    pub callback_id: String,
    /// The metadata that the app put into the view when it opened it.
    pub private_metadata: String,
    /// Changes with every update of the view. `views.update` takes it, so that a newer view is not replaced.
    pub hash: String,
    /// The values that are entered, also where they were not sent yet.
    pub values: Values,
}

impl View {
    /// The view of an interaction.
    pub(super) fn parse(payload: &Value) -> Result<View, Unreadable> {
        let text = |pointer| string(payload, pointer).unwrap_or_default();
        Ok(View {
            id: needed(payload, "/view/id")?,
            callback_id: text("/view/callback_id"),
            private_metadata: text("/view/private_metadata"),
            hash: text("/view/hash"),
            values: Values::parse(payload.pointer("/view/state/values")),
        })
    }
}
