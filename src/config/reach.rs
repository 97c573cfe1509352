//! `[mail]` and `[[chat.incoming_webhook]]`: how messages reach people without a chat platform.

use super::{Config, secret, values};
use crate::carriers::incoming::{IncomingWebhook, Style};
use crate::carriers::mail::{MailLogin, MailServer, MailSettings, Mailbox};
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use std::fmt;
use std::path::PathBuf;

/// `[mail]`: the mail server.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MailPart {
    /// Where mail is handed in.
    #[serde(deserialize_with = "values::text")]
    pub server: Option<MailServer>,
    pub username: Option<String>,
    pub password: Option<String>,
    /// A file with the password alone.
    pub password_file: Option<PathBuf>,
    /// Whom mail is from.
    #[serde(deserialize_with = "values::text")]
    pub from: Option<Mailbox>,
    /// Whom answers go to; the sender if unset.
    #[serde(deserialize_with = "values::text")]
    pub reply_to: Option<Mailbox>,
}

/// Without the password.
impl fmt::Debug for MailPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = (&self.server, &self.username, &self.from, &self.reply_to);
        write!(f, "MailPart{set:?}")
    }
}

/// One `[[chat.incoming_webhook]]`.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IncomingWebhookPart {
    /// The id of the channel.
    pub channel: String,
    /// Where messages are posted.
    pub url: Option<String>,
    /// A file with the URL alone.
    pub url_file: Option<PathBuf>,
    #[serde(deserialize_with = "style")]
    pub style: Style,
}

/// Without the URL, which is a secret.
impl fmt::Debug for IncomingWebhookPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IncomingWebhookPart({} {:?})", self.channel, self.style)
    }
}

impl MailPart {
    /// This layer, with unset values from the one below.
    pub(super) fn over(self, below: MailPart) -> MailPart {
        let (password, password_file) = secret::over(
            (self.password, self.password_file),
            (below.password, below.password_file),
        );
        MailPart {
            server: self.server.or(below.server),
            username: self.username.or(below.username),
            password,
            password_file,
            from: self.from.or(below.from),
            reply_to: self.reply_to.or(below.reply_to),
        }
    }
}

impl Config {
    /// How mail is sent; `None` if no server is set. Reads the file of the password.
    ///
    /// # Errors
    /// A sentence that begins with the setting, if another one is missing or does not fit.
    pub fn mail(&self) -> Result<Option<MailSettings>, String> {
        let part = &self.mail;
        let at = |key: &str| self.origins.of(key).to_owned();
        let Some(server) = &part.server else {
            return match *part == MailPart::default() {
                true => Ok(None),
                false => Err("mail.server: missing; write one such as server = \"smtps://mail.example.org:465\"".into()),
            };
        };
        let from = part.from.clone().ok_or(
            "mail.from: missing; write whom mail is from, such as from = \"rota <rota@example.org>\"",
        )?;
        let ways = (&part.password, &part.password_file);
        let parse = |text: &str| Ok(text.to_owned());
        let password = secret::read("mail.password", ways, &self.origins, parse)?;
        let login = match (&part.username, password) {
            (Some(username), Some(password)) => Some(MailLogin {
                username: username.clone(),
                password,
            }),
            (None, None) => None,
            (Some(_), None) => {
                return Err(format!(
                    "{}: there is no password; write password or password_file",
                    at("mail.username")
                ));
            }
            (None, Some(_)) => {
                return Err("mail.username: missing; a password needs one".into());
            }
        };
        Ok(Some(MailSettings {
            server: server.clone(),
            login,
            from,
            reply_to: part.reply_to.clone(),
        }))
    }

    /// The incoming webhooks of channels. Reads the files of URLs.
    ///
    /// # Errors
    /// A sentence that begins with the setting, if one has no URL or two, or a channel has two.
    pub fn incoming_webhooks(&self) -> Result<Vec<IncomingWebhook>, String> {
        let origin = self.origins.of("chat.incoming_webhook");
        let mut webhooks: Vec<IncomingWebhook> = Vec::new();
        for part in self.chat.incoming_webhook.iter().flatten() {
            let channel = &part.channel;
            let wrong = |why: String| format!("{origin}: {channel}: {why}");
            let url = match (&part.url, &part.url_file) {
                (Some(url), None) => url.clone(),
                (None, Some(file)) => secret::one_line(file).map_err(|why| {
                    wrong(format!(
                        "{}: {why}; the file holds the URL alone",
                        file.display()
                    ))
                })?,
                _ => return Err(wrong("write either url or url_file".into())),
            };
            if channel.is_empty() {
                return Err(wrong("channel is empty; write the id of a channel".into()));
            }
            if webhooks
                .iter()
                .any(|known| known.channel.as_str() == channel)
            {
                return Err(wrong("this channel has two; write one".into()));
            }
            webhooks.push(IncomingWebhook {
                channel: channel.as_str().into(),
                url,
                style: part.style,
            });
        }
        Ok(webhooks)
    }
}

fn style<'de, D: Deserializer<'de>>(from: D) -> Result<Style, D::Error> {
    let text = String::deserialize(from)?;
    Style::parse(&text).ok_or_else(|| {
        let known = Style::ALL.map(Style::name).join("\", \"");
        D::Error::custom(format!("{text:?} is no style; write \"{known}\""))
    })
}

/// Reads incoming webhooks from a variable: a list of inline tables, as the file has it.
pub(super) fn parse_incoming_webhooks(text: &str) -> Result<Vec<IncomingWebhookPart>, String> {
    #[derive(Deserialize)]
    struct Line {
        list: Vec<IncomingWebhookPart>,
    }
    let line: Result<Line, _> = toml::from_str(&format!("list = {text}"));
    // The error of the parser would repeat the value, which is a secret.
    line.map(|line| line.list).map_err(|error| {
        let why = error.message().lines().next().unwrap_or_default().to_owned();
        format!("{why}; write [{{ channel = \"C1\", url_file = \"/etc/rota/c1.url\", style = \"slack\" }}]")
    })
}
