//! The operator's settings of partners.

use crate::client::{Proxy, Secret};
use crate::domain::partner::Partner;
use jiff::SignedDuration;

/// How schedules of partners are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How often each linked schedule is read.
    pub poll_every: SignedDuration,
    /// The proxy that all requests go through.
    pub proxy: Option<Proxy>,
    pub pager: Option<KeySettings>,
    pub ops: Option<KeySettings>,
    pub desk: Option<DeskSettings>,
    /// Imported from, and not followed.
    pub go_alert: Option<KeySettings>,
    /// Imported from, and not followed.
    pub grafana_on_call: Option<GrafanaSettings>,
}

/// A partner that is read with a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySettings {
    pub api_key: Secret,
    /// Without a trailing slash.
    pub url: String,
}

/// Grafana OnCall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrafanaSettings {
    /// A key of OnCall, or a token of a service account.
    pub api_key: Secret,
    /// Without the path of the API and a trailing slash.
    pub url: String,
    /// The address of the Grafana, which a token of a service account needs.
    pub grafana_url: Option<String>,
}

/// Jira Service Management.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeskSettings {
    /// The address of the site, without a trailing slash, such as `https://acme.atlassian.net`.
    pub site: String,
    pub email: String,
    pub api_token: Secret,
    /// Asked of the site if unset.
    pub cloud_id: Option<String>,
    /// Without a trailing slash.
    pub url: String,
}

impl Settings {
    /// How often schedules are read if nothing is set.
    pub const POLL_EVERY: SignedDuration = SignedDuration::from_secs(60);

    /// The partners with settings.
    pub fn partners(&self) -> impl Iterator<Item = Partner> {
        let set = [
            (Partner::Pager, self.pager.is_some()),
            (Partner::Ops, self.ops.is_some()),
            (Partner::Desk, self.desk.is_some()),
        ];
        set.into_iter()
            .filter_map(|(partner, is_set)| is_set.then_some(partner))
    }
}

impl Default for Settings {
    /// No partner.
    fn default() -> Settings {
        Settings {
            poll_every: Settings::POLL_EVERY,
            proxy: None,
            pager: None,
            ops: None,
            desk: None,
            go_alert: None,
            grafana_on_call: None,
        }
    }
}
