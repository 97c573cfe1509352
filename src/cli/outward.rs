//! What concerns servers outside, from the settings: whom webhooks reach, whose certificates are trusted.

use super::Failure;
use crate::actions::{Outward, REMINDER_BEFORE};
use crate::client::Tls;
use crate::client::guard::{GuardedClient, Rules};
use crate::config::Config;
use crate::domain::address::Openings;

/// Where a server listens unless it is told.
pub const LISTEN: &str = "127.0.0.1:8080";

/// Which webhook receivers are connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receivers {
    /// Public ones over https, and what the settings open.
    Public,
    /// Those on loopback too, and over http: for development.
    Local,
}

/// What concerns receivers outside, from the settings.
pub fn outward(
    base_url: String,
    config: &Config,
    receivers: Receivers,
) -> Result<Outward, Failure> {
    let part = &config.webhooks;
    let local = receivers == Receivers::Local;
    let extra_ca = match &part.extra_ca_file {
        Some(path) => Some(std::fs::read(path).map_err(|error| {
            let path = path.display();
            Failure::Usage(format!("{path}: {error} (the [webhooks] extra_ca_file)"))
        })?),
        None => None,
    };
    let rules = Rules {
        openings: Openings {
            loopback: local,
            nets: part.allow_nets.clone().unwrap_or_default(),
        },
        plain_http: local,
    };
    let tls = Tls::load(part.trust.unwrap_or_default(), extra_ca.as_deref());
    let tls = tls.map_err(Failure::Usage)?;
    Ok(Outward {
        base_url,
        ladder: part.ladder(),
        webhook_client: GuardedClient::new(&tls, rules),
        reminder_before: config.chat.reminder_before.unwrap_or(REMINDER_BEFORE),
    })
}
