//! Summaries of what is another in a webhook endpoint.

use super::{Summary, host, quoted};
use crate::domain::webhook::{Disabled, EventType, Webhook};

/// What is another in a webhook endpoint. Of its URL the host is shown: the rest may carry a secret.
pub fn webhook_changes(before: &Webhook, after: &Webhook) -> Summary {
    let mut told = Summary::default();
    told.changed("name", &before.name, &after.name, |name| quoted(name));
    if before.url != after.url {
        told.add(format!(
            "URL: {} to {}",
            host(&before.url),
            host(&after.url)
        ));
    }
    let names = |kinds: &[EventType]| -> Vec<&'static str> {
        kinds.iter().map(|kind| kind.name()).collect()
    };
    told.list(
        "eventTypes",
        &names(&before.event_types),
        &names(&after.event_types),
        |name| *name,
    );
    let enabled = |disabled: &Option<Disabled>| match disabled {
        None => "enabled".to_owned(),
        Some(disabled) => format!("disabled ({})", disabled.reason.name()),
    };
    told.changed("state", &before.disabled, &after.disabled, enabled);
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
