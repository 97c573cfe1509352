//! Settings for outgoing connections: permitted receivers and trusted authorities.

use super::Failure;
use crate::actions::Outward;
use crate::carriers::Carriers;
use crate::carriers::mail::Mailer;
use crate::client::guard::{GuardedClient, Rules};
use crate::client::{Client, Tls};
use crate::config::Config;
use crate::domain::address::AllowedNetworks;

/// The default listen address.
pub const LISTEN: &str = "127.0.0.1:8080";

/// The permitted webhook receivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receivers {
    /// Public ones over https, and those that the settings permit.
    Public,
    /// Also loopback and http, for development.
    Local,
}

/// Loads the certificate authorities that outgoing connections trust.
pub fn trusted(config: &Config) -> Result<Tls, Failure> {
    let part = &config.webhooks;
    let refused = |why: &dyn std::fmt::Display| match &part.extra_ca_file {
        Some(path) => Failure::Usage(format!(
            "{}: {}: {why}; write the path of a PEM file of certificate authorities, such as \"/etc/rota/ca.pem\"",
            config.origins.of("webhooks.extra_ca_file"),
            path.display()
        )),
        None => Failure::Usage(format!(
            "{}: {why}; write trust = \"bundled\" for the compiled-in authorities",
            config.origins.of("webhooks.trust")
        )),
    };
    let extra_ca = part.extra_ca_file.as_ref().map(std::fs::read);
    let extra_ca = extra_ca.transpose().map_err(|error| refused(&error))?;
    let tls = Tls::load(part.trust(), extra_ca.as_deref());
    tls.map_err(|why| refused(&why))
}

/// Reads the settings for outgoing connections.
///
/// # Errors
/// Where mail or an incoming webhook is not set up as it must be.
pub fn outward(
    base_url: String,
    config: &Config,
    tls: &Tls,
    receivers: Receivers,
) -> Result<Outward, Failure> {
    let part = &config.webhooks;
    let local = receivers == Receivers::Local;
    let rules = Rules {
        allowed_networks: AllowedNetworks {
            loopback: local,
            nets: part.allow_nets(),
        },
        plain_http: local,
    };
    let carriers = carriers(config, tls, rules.allowed_networks.clone())?;
    Ok(Outward {
        carriers,
        base_url,
        retry_schedule: part.retry_schedule(),
        webhook_client: GuardedClient::new(tls, rules.clone()),
        calendar_client: GuardedClient::new(tls, rules),
        calendars_read_every: config.calendars.read_every(),
        reminder_before: config.chat.reminder_before(),
    })
}

/// Mail and incoming webhooks as they are set up.
fn carriers(config: &Config, tls: &Tls, nets: AllowedNetworks) -> Result<Carriers, Failure> {
    let mail = config.mail().map_err(Failure::Usage)?;
    let mailer = |settings| Mailer::new(settings, Client::new(tls, false, None), nets);
    Ok(Carriers {
        mail: mail.map(mailer),
        webhooks: config.incoming_webhooks().map_err(Failure::Usage)?,
        links: config.base_url.as_ref().map(ToString::to_string),
    })
}
