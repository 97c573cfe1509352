//! Relays: the ways by which messages reach people beside a chat platform. Mail and push go to people, incoming webhooks to
//! channels.
//!
//! They know settings, formats and protocols; what is sent, when and to whom is decided by the actions.

pub mod incoming;
pub mod mail;
pub mod ntfy;
mod plain;

pub use plain::Plain;

use crate::domain::ids::ChannelId;
use incoming::IncomingWebhook;
use mail::Mailer;

/// The relays with settings.
#[derive(Default)]
pub struct Relays {
    pub mail: Option<Mailer>,
    /// At most one for each channel.
    pub webhooks: Vec<IncomingWebhook>,
    /// The public URL that links begin with, without a trailing slash; `None` if it is not set, and there are no links.
    pub links: Option<String>,
}

impl Relays {
    /// The incoming webhook of a channel.
    pub fn webhook(&self, channel: &ChannelId) -> Option<&IncomingWebhook> {
        self.webhooks
            .iter()
            .find(|webhook| webhook.channel == *channel)
    }
}
