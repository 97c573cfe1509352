//! Summaries of what is another in a webhook endpoint.

use super::super::phrase::Quoted;
use super::{Summary, host};
use crate::domain::webhook::Webhook;

/// The difference of two states of a webhook endpoint. Of its URL the host is shown: the rest may carry a secret.
pub fn webhook_changes(before: &Webhook, after: &Webhook) -> Summary {
    let mut told = Summary::default();
    let both = (before, after);
    told.changed("name", both, |w| Quoted(&w.name));
    if before.url != after.url {
        let (old, new) = (host(&before.url), host(&after.url));
        told.add(format!("URL: {old} to {new}"));
    }
    told.list("eventTypes", both, |w| {
        w.event_types.iter().map(|kind| kind.name())
    });
    told.changed("state", both, |w| match &w.disabled {
        None => "enabled".to_owned(),
        Some(disabled) => format!("disabled ({})", disabled.reason.name()),
    });
    if before.current != after.current {
        let (old, new) = (&before.current.id, &after.current.id);
        let until = match &after.previous {
            Some(previous) if previous.id == *old => {
                format!("; the old one signs until {}", previous.expires_at)
            }
            _ => String::new(),
        };
        told.add(format!("secret: {old} to {new}{until}"));
    }
    told
}
