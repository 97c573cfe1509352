//! `[matrix]`: the account and the space, for `[chat] platform = "matrix"`.

use super::Config;
use super::known;
use super::secret::{Hidden, secret};
use super::slack::Platform;
use super::table::{list, table, text};
use super::values::{DAY, within};
use crate::chat::matrix::{Homeserver, MatrixSettings, TokenSource};
use crate::client::Secret;
use crate::domain::ids::UserId;
use jiff::SignedDuration;

table! {
    /// `[matrix]`.
    MatrixPart at "matrix" {
        /// The address of the homeserver.
        homeserver: Option<String> = text(|text| Ok(text.to_owned()), r#""https://matrix.example.org""#),
        access_token: Hidden = secret(access_token, r#""syt_cm90YQ_0123456789""#, r#""/etc/rota/matrix-token""#),
        /// The alias or the id of the space.
        space: Option<String> = text(space, r##""#ops:example.org""##),
        /// The word that begins a command.
        command: Option<String> = text(command, r#""!rota""#) => "!rota".to_owned(),
        /// Members of the space that are no people.
        ignore: Option<Vec<UserId>> = list(user, r#"["@bridge:example.org"]"#) => Vec::new(),
        /// How often people, rooms and groups are read in full.
        sync_every: Option<SignedDuration> = text(
            |text| within(text, 1..=DAY, "out of range; write more than 0s and at most 1d, such as 15m"),
            r#""15m""#,
        ) => SignedDuration::from_mins(15),
    }
}

impl Config {
    /// The settings of Matrix; `None` on another platform. Reads the file of the token.
    ///
    /// # Errors
    /// What is missing or contradictory, where it was set, and what to write.
    pub fn matrix(&self) -> Result<Option<MatrixSettings>, String> {
        let (part, origins) = (&self.matrix, &self.origins);
        let token = (part.access_token).read("matrix.access_token", origins, access_token)?;
        let homeserver = (part.homeserver.as_deref())
            .map(|address| self.homeserver(address))
            .transpose()?;
        if self.chat.platform() != Platform::Matrix {
            return Ok(None);
        }
        let missing = |what: &str, setting: &str| {
            format!(
                "{}: matrix needs {what}; write {} below [matrix]",
                origins.of("chat.platform"),
                known::line_of(setting)
            )
        };
        let homeserver = homeserver
            .ok_or_else(|| missing("the address of the homeserver", "matrix.homeserver"))?;
        let token = token.ok_or_else(|| missing("an access token", "matrix.access_token_file"))?;
        let space = part
            .space
            .clone()
            .ok_or_else(|| missing("a space", "matrix.space"))?;
        Ok(Some(MatrixSettings {
            homeserver,
            token: TokenSource {
                token,
                file: part.access_token.file().map(Into::into),
            },
            space,
            command: part.command(),
            ignore: part.ignore(),
            sync_every: part.sync_every(),
        }))
    }

    /// Reads the address of a homeserver; `[webhooks] allow_nets` says where http is permitted.
    ///
    /// # Errors
    /// Where it was set, and what to write.
    pub fn homeserver(&self, address: &str) -> Result<Homeserver, String> {
        let read = Homeserver::read(address, &self.webhooks.allow_nets());
        read.map_err(|why| format!("{}: {why}", self.origins.of("matrix.homeserver")))
    }
}

/// The refusal does not repeat what was set: it is a secret.
fn access_token(text: &str) -> Result<Secret, String> {
    let is_plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic());
    match is_plain {
        true => Ok(Secret::new(text)),
        false => Err("this is not an access token; write what `rota matrix login` prints".into()),
    }
}

fn space(text: &str) -> Result<String, String> {
    let rest = text
        .strip_prefix(['#', '!'])
        .filter(|rest| !rest.is_empty());
    let is_alias = text.starts_with('#');
    let fits = rest.is_some_and(|rest| {
        let plain = !rest.contains(|c: char| c.is_whitespace() || c.is_control());
        plain
            && (!is_alias
                || rest
                    .split_once(':')
                    .is_some_and(|(name, server)| !name.is_empty() && !server.is_empty()))
    });
    match fits {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "{text:?} is neither an alias nor an id of a space; write one such as \"#ops:example.org\""
        )),
    }
}

fn command(text: &str) -> Result<String, String> {
    let odd = |c: char| c.is_whitespace() || c.is_control();
    match !text.is_empty() && !text.contains(odd) && !text.starts_with('/') {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "{text:?} is not a command; write one word that does not begin with a slash, which clients keep for themselves, such \
             as \"!rota\""
        )),
    }
}

fn user(text: &str) -> Result<UserId, String> {
    let parts = text.strip_prefix('@').and_then(|rest| rest.split_once(':'));
    let plain = !text.contains(char::is_whitespace);
    match parts.filter(|(name, server)| plain && !name.is_empty() && !server.is_empty()) {
        Some(_) => Ok(text.into()),
        None => Err(format!(
            "{text:?} is not the id of an account; write one such as \"@bridge:example.org\""
        )),
    }
}
