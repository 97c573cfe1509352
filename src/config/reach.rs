//! `[mail]` and `[[chat.incoming_webhook]]`: how messages reach people without a chat platform.

use super::Config;
use super::secret::{self, Hidden};
use super::table::{Given, Refused, array, misfit, parsed, table, text};
use crate::carriers::incoming::{IncomingWebhook, Style};
use crate::carriers::mail::{MailLogin, MailServer, MailSettings, Mailbox};
use crate::client::Secret;
use std::fmt;
use std::path::PathBuf;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

table! {
    /// `[mail]`: the mail server.
    MailPart at "mail" {
        /// Where mail is handed in.
        server: Option<MailServer> = text(str::parse, r#""smtps://mail.example.org:465""#),
        username: Option<String> = text(|text| Ok(text.to_owned()), r#""rota""#),
        password: Hidden = secret::secret(password, r#""secret""#, r#""/etc/rota/mail.password""#),
        /// Whom mail is from.
        from: Option<Mailbox> = text(str::parse, r#""rota <rota@example.org>""#),
        /// Whom answers go to; the sender if unset.
        reply_to: Option<Mailbox> = text(str::parse, r#""oncall@example.org""#),
    }
}

fn password(text: &str) -> Result<Secret, String> {
    Ok(Secret::new(text))
}

/// `[[chat.incoming_webhook]]` as a list, which a variable has too.
pub(super) const EXAMPLE: &str =
    r#"[{ channel = "C1", url_file = "/etc/rota/c1.url", style = "slack" }]"#;

/// One `[[chat.incoming_webhook]]`.
#[derive(Clone, PartialEq, Eq)]
pub struct IncomingWebhookPart {
    /// The id of the channel.
    pub channel: String,
    /// Where messages are posted.
    pub url: Option<String>,
    /// A file with the URL alone.
    pub url_file: Option<PathBuf>,
    pub style: Style,
}

/// Without the URL, which is a secret.
impl fmt::Debug for IncomingWebhookPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IncomingWebhookPart({} {:?})", self.channel, self.style)
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
        let password = (part.password).read("mail.password", &self.origins, password)?;
        let login = match (&part.username, password) {
            (Some(username), Some(password)) => Some(MailLogin {
                username: username.clone(),
                password: password.reveal().to_owned(),
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

/// Reads incoming webhooks: tables in the file, and in a variable a list of inline tables.
pub(super) fn incoming_webhooks(given: &Given) -> Result<Vec<IncomingWebhookPart>, Refused> {
    let Given::Value(list) = given else {
        return parsed(given, |text| {
            // The whole error of the parser would repeat the value, which is a secret.
            let first = |why: &str| why.lines().next().unwrap_or_default().to_owned();
            let line = format!("list = {text}");
            let read = DeTable::parse(&line).map_err(|error| first(error.message()));
            let read = read.and_then(|table| {
                let list = table.get_ref().get("list").ok_or("no list")?;
                incoming_webhooks(&Given::Value(list)).map_err(|refused| refused.why)
            });
            read.map_err(|why| format!("{why}; write {EXAMPLE}"))
        });
    };
    array(list)?.iter().map(incoming_webhook).collect()
}

fn incoming_webhook(item: &Spanned<DeValue>) -> Result<IncomingWebhookPart, Refused> {
    const KEYS: [&str; 4] = ["channel", "url", "url_file", "style"];
    let DeValue::Table(table) = item.get_ref() else {
        return Err(misfit(item, "a table"));
    };
    let mut names = table.keys().map(|key| key.get_ref());
    if let Some(name) = names.find(|name| !KEYS.contains(&name.as_ref())) {
        return Err(format!("{name} is no key of it; write {EXAMPLE}").into());
    }
    let text = |key: &str| {
        let value = table.get(key).map(Given::Value);
        value
            .map(|value| parsed(&value, |text| Ok(text.to_owned())))
            .transpose()
    };
    let required = |key| text(key)?.ok_or_else(|| Refused::from(format!("missing field `{key}`")));
    let style = required("style")?;
    let style = Style::parse(&style).ok_or_else(|| {
        let known = Style::ALL.map(Style::name).join("\", \"");
        format!("{style:?} is no style; write \"{known}\"")
    })?;
    Ok(IncomingWebhookPart {
        channel: required("channel")?,
        url: text("url")?,
        url_file: text("url_file")?.map(PathBuf::from),
        style,
    })
}
