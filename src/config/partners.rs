//! `[partners]`: paging systems whose schedules are read.

use super::secret::{Hidden, secret};
use super::table::{Part, table, text};
use super::values::{HOUR, fitting, is_mail_address, is_plain_host, within};
use super::{Config, Origins};
use crate::client::{Proxy, Secret};
use crate::domain::partner::{Origin, Partner};
use crate::domain::site::{host_of, is_loopback};
use crate::sources::{DeskSettings, GrafanaSettings, KeySettings, Settings};
use jiff::SignedDuration;

table! {
    /// `[partners]`.
    PartnersPart at "partners" {
        /// How often each linked schedule is read.
        poll_every: Option<SignedDuration> = text(
            |text| within(text, 10..=HOUR, "out of range; write 10s to 1h, such as \"60s\""),
            r#""60s""#,
        ) => Settings::POLL_EVERY,
        /// The proxy that requests to partners go through.
        proxy: Option<Proxy> = text(Proxy::parse, r#""http://proxy.example.org:3128""#),
        pager: PagerPart = Part,
        ops: OpsPart = Part,
        desk: DeskPart = Part,
        go_alert: GoAlertPart = Part,
        grafana_on_call: GrafanaPart = Part,
    }
}

table! {
    /// `[partners.pagerPartner]`.
    PagerPart at "partners.pagerPartner" {
        api_key: Hidden = secret(key, r#""0123456789abcdef""#, r#""/etc/rota/pagerduty.key""#),
        url: Option<String> = text(url, r#""https://api.pagerduty.com""#) => "https://api.pagerduty.com".to_owned(),
    }
}

table! {
    /// `[partners.opsPartner]`.
    OpsPart at "partners.opsPartner" {
        api_key: Hidden = secret(key, r#""0123456789abcdef""#, r#""/etc/rota/opsgenie.key""#),
        url: Option<String> = text(url, r#""https://api.eu.opsgenie.com""#) => "https://api.opsgenie.com".to_owned(),
    }
}

table! {
    /// `[partners.deskPartner]`.
    DeskPart at "partners.deskPartner" {
        /// The site, such as `acme.atlassian.net`.
        site: Option<String> = text(site, r#""acme.atlassian.net""#),
        email: Option<String> = text(email, r#""rota@example.org""#),
        api_token: Hidden = secret(key, r#""0123456789abcdef""#, r#""/etc/rota/jira.token""#),
        cloud_id: Option<String> = text(cloud_id, r#""0123-4567""#),
        url: Option<String> = text(url, r#""https://api.atlassian.com""#) => "https://api.atlassian.com".to_owned(),
    }
}

table! {
    /// `[partners.goAlert]`.
    GoAlertPart at "partners.goAlert" {
        api_key: Hidden = secret(key, r#""0123456789abcdef""#, r#""/etc/rota/goalert.key""#),
        /// The address of its pages.
        url: Option<String> = text(bare_url, r#""https://goalert.example.org""#),
    }
}

table! {
    /// `[partners.grafanaOnCall]`.
    GrafanaPart at "partners.grafanaOnCall" {
        api_key: Hidden = secret(key, r#""0123456789abcdef""#, r#""/etc/rota/grafana-oncall.key""#),
        /// The address of OnCall's engine.
        url: Option<String> = text(bare_url, r#""https://oncall.example.org""#),
        /// The address of Grafana, for tokens of service accounts.
        grafana_url: Option<String> = text(url, r#""https://acme.grafana.net""#),
    }
}

impl GoAlertPart {
    fn settings(&self, origins: &Origins) -> Result<Option<KeySettings>, String> {
        if *self == GoAlertPart::default() {
            return Ok(None);
        }
        let table = table_of(Origin::GoAlert);
        Ok(Some(KeySettings {
            api_key: revealed(Origin::GoAlert, "api_key", &self.api_key, origins)?,
            url: (self.url.clone()).ok_or_else(|| origins.missing(&table, "url"))?,
        }))
    }
}

impl GrafanaPart {
    fn settings(&self, origins: &Origins) -> Result<Option<GrafanaSettings>, String> {
        if *self == GrafanaPart::default() {
            return Ok(None);
        }
        let table = table_of(Origin::GrafanaOnCall);
        Ok(Some(GrafanaSettings {
            api_key: revealed(Origin::GrafanaOnCall, "api_key", &self.api_key, origins)?,
            url: (self.url.clone()).ok_or_else(|| origins.missing(&table, "url"))?,
            grafana_url: self.grafana_url.clone(),
        }))
    }
}

impl DeskPart {
    fn settings(&self, origins: &Origins) -> Result<Option<DeskSettings>, String> {
        if *self == DeskPart::default() {
            return Ok(None);
        }
        let desk = Origin::Partner(Partner::Desk);
        let missing = |key| origins.missing(&table_of(desk), key);
        Ok(Some(DeskSettings {
            site: self.site.clone().ok_or_else(|| missing("site"))?,
            email: self.email.clone().ok_or_else(|| missing("email"))?,
            api_token: revealed(desk, "api_token", &self.api_token, origins)?,
            cloud_id: self.cloud_id.clone(),
            url: self.url(),
        }))
    }
}

impl Config {
    /// The partners whose schedules are read. Reads the files of keys.
    ///
    /// # Errors
    /// A sentence that begins with the setting, if another one is missing or does not fit.
    pub fn partners(&self) -> Result<Settings, String> {
        let (part, origins) = (&self.partners, &self.origins);
        let with_key = |partner, key, url| -> Result<KeySettings, String> {
            let api_key = revealed(Origin::Partner(partner), "api_key", key, origins)?;
            Ok(KeySettings { api_key, url })
        };
        let (pager, ops) = (&part.pager, &part.ops);
        let has_pager = *pager != PagerPart::default();
        let has_ops = *ops != OpsPart::default();
        let pager = has_pager.then(|| with_key(Partner::Pager, &pager.api_key, pager.url()));
        let ops = has_ops.then(|| with_key(Partner::Ops, &ops.api_key, ops.url()));
        Ok(Settings {
            poll_every: part.poll_every(),
            proxy: part.proxy.clone(),
            pager: pager.transpose()?,
            ops: ops.transpose()?,
            desk: part.desk.settings(origins)?,
            go_alert: part.go_alert.settings(origins)?,
            grafana_on_call: part.grafana_on_call.settings(origins)?,
        })
    }
}

/// The table of the settings of a partner, or of what is imported from.
fn table_of(origin: Origin) -> String {
    format!("partners.{}", origin.name())
}

/// The secret without which a partner cannot be read.
fn revealed(
    origin: Origin,
    name: &str,
    secret: &Hidden,
    origins: &Origins,
) -> Result<Secret, String> {
    let table = table_of(origin);
    let found = secret.read(&format!("{table}.{name}"), origins, key)?;
    found.ok_or_else(|| origins.missing(&table, name))
}

/// The refusal does not repeat what was set: it is a secret.
fn key(text: &str) -> Result<Secret, String> {
    match !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(Secret::new(text)),
        false => {
            Err("this is not a key; write the one that the partner shows, without spaces".into())
        }
    }
}

fn url(text: &str) -> Result<String, String> {
    let bare = text.trim_end_matches('/');
    match is_base(bare) {
        true => Ok(bare.to_owned()),
        false => Err(format!(
            "{text:?} is not an address of a partner; write https://HOST, or http://HOST:PORT on loopback, such as \
             \"https://api.example.org\""
        )),
    }
}

/// An address below which the path of an API is added.
fn bare_url(text: &str) -> Result<String, String> {
    let bare = url(text)?;
    let paths = ["/api/graphql", "/api/v1", "/api"];
    match paths.iter().find_map(|path| bare.strip_suffix(path)) {
        Some(base) => Err(format!(
            "{text:?} has the path of the API; write the address without it: {base:?}"
        )),
        None => Ok(bare),
    }
}

/// A site is written as its host; its address is https.
fn site(text: &str) -> Result<String, String> {
    let bare = text.trim_end_matches('/');
    let address = match bare.contains("://") {
        true => bare.to_owned(),
        false => format!("https://{bare}"),
    };
    match is_base(&address) && !host_and_path(&address).contains('/') {
        true => Ok(address),
        false => Err(format!(
            "{text:?} is not a site; write its host, such as \"acme.atlassian.net\", or http://HOST:PORT on loopback"
        )),
    }
}

fn email(text: &str) -> Result<String, String> {
    let why = "a mail address; write the one of the token's account, such as \"rota@example.org\"";
    // A colon would end the name in the header that carries both.
    fitting(text, is_mail_address(text, |c| c == ':'), why)
}

fn cloud_id(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let why =
        "a cloud id; write the one that https://SITE/_edge/tenant_info shows, or leave it out";
    fitting(text, !text.is_empty() && text.chars().all(plain), why)
}

/// What follows the scheme.
fn host_and_path(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, rest)| rest)
}

/// Whether requests may go below this address: https, or http to this machine.
fn is_base(url: &str) -> bool {
    let rest = host_and_path(url);
    let host = rest.split('/').next().unwrap_or_default();
    let scheme = match url.split_once("://") {
        Some(("https", _)) => true,
        Some(("http", _)) => is_loopback(host_of(host)),
        _ => false,
    };
    scheme && is_plain_host(rest)
}
