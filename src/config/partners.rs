//! `[partners]`: paging systems whose schedules are read.

use super::parsed::parsed;
use super::{Config, Origins, secret, values};
use crate::client::{Proxy, Secret};
use crate::domain::external::Partner;
use crate::domain::site::{host_of, is_loopback};
use crate::sources::{DeskSettings, KeySettings, Settings};
use jiff::SignedDuration;
use serde::Deserialize;
use serde::de::Deserializer;
use std::path::PathBuf;

/// `[partners]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PartnersPart {
    /// How often each linked schedule is read, 10 s to an hour.
    #[serde(deserialize_with = "poll_every")]
    pub poll_every: Option<SignedDuration>,
    /// The proxy that requests to partners go through.
    #[serde(deserialize_with = "proxy")]
    pub proxy: Option<Proxy>,
    #[serde(rename = "pagerPartner")]
    pub pager: KeyPart,
    #[serde(rename = "opsPartner")]
    pub ops: KeyPart,
    #[serde(rename = "deskPartner")]
    pub desk: DeskPart,
}

/// `[partners.pagerPartner]` and `[partners.opsPartner]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeyPart {
    #[serde(deserialize_with = "key")]
    pub api_key: Option<Secret>,
    /// A file that holds the key instead.
    pub api_key_file: Option<PathBuf>,
    #[serde(deserialize_with = "url")]
    pub url: Option<String>,
}

/// `[partners.deskPartner]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeskPart {
    /// The site, such as `acme.atlassian.net`.
    #[serde(deserialize_with = "site")]
    pub site: Option<String>,
    #[serde(deserialize_with = "email")]
    pub email: Option<String>,
    #[serde(deserialize_with = "key")]
    pub api_token: Option<Secret>,
    /// A file that holds the token instead.
    pub api_token_file: Option<PathBuf>,
    #[serde(deserialize_with = "cloud_id")]
    pub cloud_id: Option<String>,
    #[serde(deserialize_with = "url")]
    pub url: Option<String>,
}

impl PartnersPart {
    /// This layer, with unset values from the one below.
    pub(super) fn over(self, below: PartnersPart) -> PartnersPart {
        PartnersPart {
            poll_every: self.poll_every.or(below.poll_every),
            proxy: self.proxy.or(below.proxy),
            pager: self.pager.over(below.pager),
            ops: self.ops.over(below.ops),
            desk: self.desk.over(below.desk),
        }
    }
}

impl KeyPart {
    fn over(self, below: KeyPart) -> KeyPart {
        let own = (self.api_key, self.api_key_file);
        let (api_key, api_key_file) = secret::over(own, (below.api_key, below.api_key_file));
        KeyPart {
            api_key,
            api_key_file,
            url: self.url.or(below.url),
        }
    }

    fn settings(
        &self,
        partner: Partner,
        own_url: &str,
        origins: &Origins,
    ) -> Result<Option<KeySettings>, String> {
        if *self == KeyPart::default() {
            return Ok(None);
        }
        let key = (&self.api_key, &self.api_key_file);
        Ok(Some(KeySettings {
            api_key: revealed(partner, "api_key", key, origins)?,
            url: self.url.clone().unwrap_or_else(|| own_url.to_owned()),
        }))
    }
}

impl DeskPart {
    fn over(self, below: DeskPart) -> DeskPart {
        let own = (self.api_token, self.api_token_file);
        let (api_token, api_token_file) =
            secret::over(own, (below.api_token, below.api_token_file));
        DeskPart {
            site: self.site.or(below.site),
            email: self.email.or(below.email),
            api_token,
            api_token_file,
            cloud_id: self.cloud_id.or(below.cloud_id),
            url: self.url.or(below.url),
        }
    }

    fn settings(&self, origins: &Origins) -> Result<Option<DeskSettings>, String> {
        if *self == DeskPart::default() {
            return Ok(None);
        }
        let token = (&self.api_token, &self.api_token_file);
        let missing = |key| missing(Partner::Desk, key, origins);
        Ok(Some(DeskSettings {
            site: self.site.clone().ok_or_else(|| missing("site"))?,
            email: self.email.clone().ok_or_else(|| missing("email"))?,
            api_token: revealed(Partner::Desk, "api_token", token, origins)?,
            cloud_id: self.cloud_id.clone(),
            url: self
                .url
                .clone()
                .unwrap_or_else(|| "https://api.atlassian.com".to_owned()),
        }))
    }
}

impl Config {
    /// The partners whose schedules are read. Reads the files of keys.
    ///
    /// # Errors
    /// A sentence that begins with the setting, if another one is missing or does not fit.
    pub fn partners(&self) -> Result<Settings, String> {
        let part = &self.partners;
        let origins = &self.origins;
        let pager = (part.pager).settings(Partner::Pager, "https://api.pagerduty.com", origins)?;
        let ops = (part.ops).settings(Partner::Ops, "https://api.opsgenie.com", origins)?;
        Ok(Settings {
            poll_every: part.poll_every.unwrap_or(Settings::POLL_EVERY),
            proxy: part.proxy.clone(),
            pager,
            ops,
            desk: part.desk.settings(origins)?,
        })
    }
}

/// What to say where a partner has settings and one that it needs is not there.
fn missing(partner: Partner, key: &str, origins: &Origins) -> String {
    let table = format!("partners.{}", partner.name());
    let path = format!("{table}.{key}");
    let line = super::known::Setting::find(&path).map(super::known::Setting::line);
    format!(
        "{}: {key} is missing beside it; write {} below [{table}]",
        origins.first_below(&format!("{table}.")),
        line.unwrap_or_default()
    )
}

/// The secret without which a partner cannot be read.
fn revealed(
    partner: Partner,
    key: &str,
    ways: (&Option<Secret>, &Option<PathBuf>),
    origins: &Origins,
) -> Result<Secret, String> {
    let path = format!("partners.{}.{key}", partner.name());
    let found = secret::read(&path, ways, origins, parse_secret)?;
    found.ok_or_else(|| missing(partner, key, origins))
}

/// The refusal does not repeat what was set: it is a secret.
pub(super) fn parse_secret(text: &str) -> Result<Secret, String> {
    match !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(Secret::new(text)),
        false => {
            Err("this is not a key; write the one that the partner shows, without spaces".into())
        }
    }
}

pub(super) fn parse_poll_every(text: &str) -> Result<SignedDuration, String> {
    let every = SignedDuration::try_from(values::duration(text)?).ok();
    let known = SignedDuration::from_secs(10)..=SignedDuration::from_hours(1);
    every
        .filter(|every| known.contains(every))
        .ok_or_else(|| format!("{text:?} is out of range; write 10s to 1h, such as \"60s\""))
}

pub(super) fn parse_proxy(text: &str) -> Result<Proxy, String> {
    Proxy::parse(text)
}

pub(super) fn parse_url(text: &str) -> Result<String, String> {
    let bare = text.trim_end_matches('/');
    match is_base(bare) {
        true => Ok(bare.to_owned()),
        false => Err(format!(
            "{text:?} is not an address of a partner; write https://HOST, or http://HOST:PORT on loopback, such as \
             \"https://api.example.org\""
        )),
    }
}

/// A site is written as its host; its address is https.
pub(super) fn parse_site(text: &str) -> Result<String, String> {
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

pub(super) fn parse_email(text: &str) -> Result<String, String> {
    // A colon would end the name in the header that carries both.
    let odd = |c: char| c.is_whitespace() || c.is_control() || c == ':';
    let parts = text.rsplit_once('@');
    match parts.filter(|(user, domain)| !user.is_empty() && !domain.is_empty()) {
        Some(_) if !text.contains(odd) => Ok(text.to_owned()),
        _ => Err(format!(
            "{text:?} is not a mail address; write the one of the token's account, such as \"rota@example.org\""
        )),
    }
}

pub(super) fn parse_cloud_id(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match !text.is_empty() && text.chars().all(plain) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "{text:?} is not a cloud id; write the one that https://SITE/_edge/tenant_info shows, or leave it out"
        )),
    }
}

/// What follows the scheme.
fn host_and_path(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, rest)| rest)
}

/// Whether requests may go below this address: https, or http to this machine.
fn is_base(url: &str) -> bool {
    let odd = |c: char| !c.is_ascii_graphic() || matches!(c, '?' | '#' | '@' | '"' | '\\');
    let rest = host_and_path(url);
    let host = rest.split('/').next().unwrap_or_default();
    let scheme = match url.split_once("://") {
        Some(("https", _)) => true,
        Some(("http", _)) => is_loopback(host_of(host)),
        _ => false,
    };
    scheme && !rest.contains(odd) && !host.is_empty() && !host.starts_with(':')
}

fn poll_every<'de, D: Deserializer<'de>>(from: D) -> Result<Option<SignedDuration>, D::Error> {
    parsed(from, parse_poll_every)
}

fn proxy<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Proxy>, D::Error> {
    parsed(from, parse_proxy)
}

fn key<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Secret>, D::Error> {
    parsed(from, parse_secret)
}

fn url<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    parsed(from, parse_url)
}

fn site<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    parsed(from, parse_site)
}

fn email<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    parsed(from, parse_email)
}

fn cloud_id<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    parsed(from, parse_cloud_id)
}
