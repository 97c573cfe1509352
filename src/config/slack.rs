//! `[slack]`: the app of the Slack workspace, for `[chat] platform = "slack"`.

use super::known::Setting;
use super::parsed::{parsed, parsed_list};
use super::{Config, secret, values};
use crate::chat::slack::{ApiUrl, SlackSettings};
use crate::client::{Proxy, Secret};
use jiff::SignedDuration;
use serde::Deserialize;
use serde::de::Deserializer;
use std::path::PathBuf;

/// Where the chat platform is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Platform {
    /// The directory in the database; messages go by mail, to incoming webhooks and to the inbox.
    #[default]
    Local,
    Slack,
}

/// How often everything is read again if nothing is set.
const SYNC_EVERY: SignedDuration = SignedDuration::from_mins(15);

/// The status emoji that mean away if nothing is set.
const AWAY_EMOJI: [&str; 4] = ["palm_tree", "airplane", "face_with_thermometer", "no_entry"];

/// `[slack]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SlackPart {
    #[serde(deserialize_with = "bot_token")]
    pub bot_token: Option<Secret>,
    pub bot_token_file: Option<PathBuf>,
    #[serde(deserialize_with = "app_token")]
    pub app_token: Option<Secret>,
    pub app_token_file: Option<PathBuf>,
    #[serde(deserialize_with = "signing_secret")]
    pub signing_secret: Option<Secret>,
    pub signing_secret_file: Option<PathBuf>,
    /// Where the Web API is.
    #[serde(deserialize_with = "api_url")]
    pub api_url: Option<ApiUrl>,
    /// The proxy to the API and to the socket.
    #[serde(deserialize_with = "proxy")]
    pub proxy: Option<Proxy>,
    /// How often people, groups and channels are read in full.
    #[serde(deserialize_with = "sync_every")]
    pub sync_every: Option<SignedDuration>,
    /// The status emoji that mean away, without colons.
    #[serde(deserialize_with = "away_emoji")]
    pub away_emoji: Option<Vec<String>>,
}

impl SlackPart {
    /// This layer, with unset values from the one below.
    pub(super) fn over(self, below: SlackPart) -> SlackPart {
        let (bot_token, bot_token_file) = secret::over(
            (self.bot_token, self.bot_token_file),
            (below.bot_token, below.bot_token_file),
        );
        let (app_token, app_token_file) = secret::over(
            (self.app_token, self.app_token_file),
            (below.app_token, below.app_token_file),
        );
        let (signing_secret, signing_secret_file) = secret::over(
            (self.signing_secret, self.signing_secret_file),
            (below.signing_secret, below.signing_secret_file),
        );
        SlackPart {
            bot_token,
            bot_token_file,
            app_token,
            app_token_file,
            signing_secret,
            signing_secret_file,
            api_url: self.api_url.or(below.api_url),
            proxy: self.proxy.or(below.proxy),
            sync_every: self.sync_every.or(below.sync_every),
            away_emoji: self.away_emoji.or(below.away_emoji),
        }
    }
}

impl Config {
    /// The settings of Slack; `None` on another platform. Reads the files of secrets.
    ///
    /// # Errors
    /// What is missing or contradictory, where it was set, and what to write.
    pub fn slack(&self) -> Result<Option<SlackSettings>, String> {
        let part = &self.slack;
        let read = |path, ways, parse| secret::read(path, ways, &self.origins, parse);
        let ways = (&part.bot_token, &part.bot_token_file);
        let bot_token = read("slack.bot_token", ways, parse_bot_token)?;
        let ways = (&part.app_token, &part.app_token_file);
        let app_token = read("slack.app_token", ways, parse_app_token)?;
        let ways = (&part.signing_secret, &part.signing_secret_file);
        let signing_secret = read("slack.signing_secret", ways, parse_signing_secret)?;
        if self.chat.platform.unwrap_or_default() == Platform::Local {
            return Ok(None);
        }
        let Some(bot_token) = bot_token else {
            let line = Setting::find("slack.bot_token_file").map(Setting::line);
            return Err(format!(
                "{}: slack needs a bot token; write {} below [slack]",
                self.origins.of("chat.platform"),
                line.unwrap_or_default()
            ));
        };
        let usual = || AWAY_EMOJI.map(str::to_owned).to_vec();
        Ok(Some(SlackSettings {
            bot_token,
            app_token,
            signing_secret,
            api_url: part.api_url.clone().unwrap_or_default(),
            proxy: part.proxy.clone(),
            sync_every: part.sync_every.unwrap_or(SYNC_EVERY),
            away_emoji: part.away_emoji.clone().unwrap_or_else(usual),
        }))
    }
}

pub(super) fn parse_platform(text: &str) -> Result<Platform, String> {
    match text {
        "local" => Ok(Platform::Local),
        "slack" => Ok(Platform::Slack),
        _ => Err(format!(
            "{text:?} is not known; write \"local\" or \"slack\""
        )),
    }
}

/// The refusals do not repeat what was set: it is a secret.
pub(super) fn parse_bot_token(text: &str) -> Result<Secret, String> {
    token(text, &["xoxb-", "xoxe.xoxb-"]).ok_or_else(|| {
        "this is not a bot token; write the one that begins with \"xoxb-\", from OAuth & Permissions of your app".into()
    })
}

pub(super) fn parse_app_token(text: &str) -> Result<Secret, String> {
    token(text, &["xapp-"]).ok_or_else(|| {
        "this is not an app token; write the one that begins with \"xapp-\", from Basic Information of your app".into()
    })
}

pub(super) fn parse_signing_secret(text: &str) -> Result<Secret, String> {
    token(text, &[""]).ok_or_else(|| {
        "this is not a signing secret; write the one from Basic Information of your app, such as \
         \"8f742231b10e8888abcd99yyyzzz85a5\""
            .into()
    })
}

fn token(text: &str, beginnings: &[&str]) -> Option<Secret> {
    let plain = text.chars().all(|c| c.is_ascii_graphic());
    let begins = beginnings.iter().any(|beginning| {
        text.strip_prefix(beginning)
            .is_some_and(|rest| !rest.is_empty())
    });
    (plain && begins).then(|| Secret::new(text))
}

pub(super) fn parse_sync_every(text: &str) -> Result<SignedDuration, String> {
    const MOST: SignedDuration = SignedDuration::from_hours(24);
    let every = SignedDuration::try_from(values::duration(text)?).ok();
    every
        .filter(|every| every.is_positive() && *every <= MOST)
        .ok_or_else(|| {
            format!("{text:?} is out of range; write more than 0s and at most 1d, such as 15m")
        })
}

/// Emoji with spaces between them.
pub(super) fn parse_away_emoji(text: &str) -> Result<Vec<String>, String> {
    text.split_whitespace().map(emoji).collect()
}

fn emoji(text: &str) -> Result<String, String> {
    let name = text
        .strip_prefix(':')
        .and_then(|text| text.strip_suffix(':'));
    let name = name.unwrap_or(text);
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '\'');
    match !name.is_empty() && name.chars().all(plain) {
        true => Ok(name.to_owned()),
        false => Err(format!(
            "{text:?} is not the name of an emoji; write one such as \"palm_tree\""
        )),
    }
}

pub(super) fn platform<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Platform>, D::Error> {
    parsed(from, parse_platform)
}

fn bot_token<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Secret>, D::Error> {
    parsed(from, parse_bot_token)
}

fn app_token<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Secret>, D::Error> {
    parsed(from, parse_app_token)
}

fn signing_secret<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Secret>, D::Error> {
    parsed(from, parse_signing_secret)
}

fn api_url<'de, D: Deserializer<'de>>(from: D) -> Result<Option<ApiUrl>, D::Error> {
    parsed(from, str::parse)
}

fn proxy<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Proxy>, D::Error> {
    parsed(from, Proxy::parse)
}

fn sync_every<'de, D: Deserializer<'de>>(from: D) -> Result<Option<SignedDuration>, D::Error> {
    parsed(from, parse_sync_every)
}

fn away_emoji<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    parsed_list(from, emoji)
}
