//! `[slack]`: the app of the Slack workspace, for `[chat] platform = "slack"`.

use super::Config;
use super::known;
use super::secret::{Hidden, secret};
use super::table::{items, one, table, text};
use super::values::{DAY, within};
use crate::chat::slack::{ApiUrl, SlackSettings};
use crate::client::{Proxy, Secret};
use jiff::SignedDuration;

/// Where the chat platform is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Platform {
    /// The directory in the database; messages go by mail, to incoming webhooks and to the inbox.
    #[default]
    Local,
    Slack,
    Matrix,
}

/// The status emoji that mean away if nothing is set.
const AWAY_EMOJI: [&str; 4] = ["palm_tree", "airplane", "face_with_thermometer", "no_entry"];

table! {
    /// `[slack]`.
    SlackPart at "slack" {
        bot_token: Hidden = secret(bot_token, r#""xoxb-0123456789""#, r#""/etc/rota/slack-bot-token""#),
        app_token: Hidden = secret(app_token, r#""xapp-0123456789""#, r#""/etc/rota/slack-app-token""#),
        signing_secret: Hidden = secret(
            signing_secret,
            r#""8f742231b10e8888abcd99yyyzzz85a5""#,
            r#""/etc/rota/slack-signing-secret""#,
        ),
        /// Where the Web API is.
        api_url: Option<ApiUrl> = text(str::parse, r#""https://slack.com/api/""#) => ApiUrl::default(),
        /// The proxy to the API and to the socket.
        proxy: Option<Proxy> = text(Proxy::parse, r#""http://proxy.example.org:3128""#),
        /// How often people, groups and channels are read in full.
        sync_every: Option<SignedDuration> = text(
            |text| within(text, 1..=DAY, "out of range; write more than 0s and at most 1d, such as 15m"),
            r#""15m""#,
        ) => SignedDuration::from_mins(15),
        /// The status emoji that mean away, without colons. A variable has spaces between them.
        away_emoji: Option<Vec<String>> = one(|given| items(given, words, emoji), r#"["palm_tree", "airplane"]"#)
            => AWAY_EMOJI.map(str::to_owned).to_vec(),
    }
}

impl Config {
    /// The settings of Slack; `None` on another platform. Reads the files of secrets.
    ///
    /// # Errors
    /// What is missing or contradictory, where it was set, and what to write.
    pub fn slack(&self) -> Result<Option<SlackSettings>, String> {
        let (part, origins) = (&self.slack, &self.origins);
        let token = (part.bot_token).read("slack.bot_token", origins, bot_token)?;
        let app_token = (part.app_token).read("slack.app_token", origins, app_token)?;
        let signing_secret =
            (part.signing_secret).read("slack.signing_secret", origins, signing_secret)?;
        if self.chat.platform() != Platform::Slack {
            return Ok(None);
        }
        let Some(bot_token) = token else {
            return Err(format!(
                "{}: slack needs a bot token; write {} below [slack]",
                origins.of("chat.platform"),
                known::line_of("slack.bot_token_file")
            ));
        };
        Ok(Some(SlackSettings {
            bot_token,
            app_token,
            signing_secret,
            api_url: part.api_url(),
            proxy: part.proxy.clone(),
            sync_every: part.sync_every(),
            away_emoji: part.away_emoji(),
            pages: self.base_url.as_ref().map(ToString::to_string),
        }))
    }
}

/// The refusals do not repeat what was set: it is a secret.
fn bot_token(text: &str) -> Result<Secret, String> {
    token(text, &["xoxb-", "xoxe.xoxb-"]).ok_or_else(|| {
        "this is not a bot token; write the one that begins with \"xoxb-\", from OAuth & Permissions of your app".into()
    })
}

fn app_token(text: &str) -> Result<Secret, String> {
    token(text, &["xapp-"]).ok_or_else(|| {
        "this is not an app token; write the one that begins with \"xapp-\", from Basic Information of your app".into()
    })
}

fn signing_secret(text: &str) -> Result<Secret, String> {
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

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

fn emoji(text: &str) -> Result<String, String> {
    let name = text
        .strip_prefix(':')
        .and_then(|text| text.strip_suffix(':'));
    let name = name.unwrap_or(text);
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '\'');
    let is_name = !name.is_empty() && name.chars().all(plain);
    match is_name {
        true => Ok(name.to_owned()),
        false => Err(format!(
            "{text:?} is not the name of an emoji; write one such as \"palm_tree\""
        )),
    }
}
