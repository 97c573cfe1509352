//! `[standby]`: a second machine that answers while the first is gone.

use super::secret::secret;
use super::table::{list, one, switch, table, text};
use super::values::{BaseUrl, HOUR, within};
use super::{Config, Hidden, known};
use crate::actions::standby::STALE_AFTER;
use crate::client::Secret;
use crate::domain::site::{host_of, is_loopback, site};
use crate::standby::{Settings, Source};
use jiff::SignedDuration;
use std::time::Duration;

table! {
    /// `[standby]`: copies of another server's database, and the servers that may write it too.
    StandbyPart at "standby" {
        /// The first server.
        from: Option<BaseUrl> = text(server, r#""https://a.example.org""#),
        /// A key of the first server with the scope `replicate`.
        key: Hidden = secret(
            key,
            r#""svc_key_...""#,
            r#""/etc/rota/standby.key""#,
        ),
        /// How often a copy is asked for.
        every: Option<SignedDuration> = text(
            |text| within(text, 2..=HOUR, "out of range; write 2s to 1h, such as 10s"),
            r#""10s""#,
        ) => SignedDuration::from_secs(10),
        /// From which age of its copy on a standby is not ready.
        stale_after: Option<SignedDuration> = text(
            |text| within(text, 4..=48 * HOUR, "out of range; write 4s to 48h, such as 5m"),
            r#""5m""#,
        ) => SignedDuration::try_from(STALE_AFTER).unwrap_or_default(),
        /// Whether something else replaces the file.
        file: Option<bool> = one(switch, "true") => false,
        /// Other servers of the same database.
        peers: Option<Vec<BaseUrl>> = list(server, r#"["https://b.example.org"]"#) => Vec::new(),
        /// Whether one of them has to answer before a server starts.
        require_peer: Option<bool> = one(switch, "true") => false,
    }
}

/// A server to which a key is sent, and from which the whole database comes.
fn server(text: &str) -> Result<BaseUrl, String> {
    let url: BaseUrl = text.parse()?;
    let plain = url.to_string();
    let is_private = site(&plain)
        .is_some_and(|(scheme, authority)| scheme == "https" || is_loopback(host_of(authority)));
    match is_private {
        true => Ok(url),
        false => Err(format!(
            "{text:?} would send the database over http; write one with https, such as \"https://a.example.org\""
        )),
    }
}

fn key(text: &str) -> Result<Secret, String> {
    match text.starts_with("svc_key_") {
        true => Ok(Secret::new(text)),
        false => Err(
            "this is not an API key; on the first server run `rota key create --name standby --scope replicate`, and write what it \
             prints"
                .into(),
        ),
    }
}

fn length(signed: SignedDuration) -> Duration {
    Duration::try_from(signed).unwrap_or_default()
}

impl Config {
    /// From which age of its copy on a standby is not ready.
    pub fn stale_after(&self) -> Duration {
        length(self.standby.stale_after())
    }

    /// The base URLs of other servers of the same database.
    pub fn peers(&self) -> Vec<String> {
        let peers = self.standby.peers();
        peers.iter().map(ToString::to_string).collect()
    }

    /// Where the copies of a standby come from, and how often.
    ///
    /// # Errors
    /// Where it is set wrongly, and what to write.
    pub fn standby(&self) -> Result<Settings, String> {
        let (part, origins) = (&self.standby, &self.origins);
        let key = part.key.read("standby.key", origins, key)?;
        let source = match (&part.from, part.file()) {
            (Some(_), true) => {
                return Err(format!(
                    "{}: from and file are both set; write from for copies of a server, or file = true if something else replaces the \
                     file",
                    origins.of("standby.file")
                ));
            }
            (None, true) => Source::File {
                written_at: self
                    .base_url
                    .as_ref()
                    .map_or("the first server".into(), ToString::to_string),
            },
            (None, false) => {
                return Err(format!(
                    "standby.from: a standby needs the address of the first server; write {} below [standby]",
                    known::line_of("standby.from")
                ));
            }
            (Some(from), false) => Source::Server {
                url: from.to_string(),
                key: key.ok_or_else(|| origins.missing("standby", "key_file"))?,
            },
        };
        let (every, stale_after) = (part.every(), part.stale_after());
        if stale_after < every * 2 {
            return Err(format!(
                "{}: it is less than twice every; write stale_after = \"{}s\" or more",
                origins.of("standby.stale_after"),
                (every * 2).as_secs()
            ));
        }
        Ok(Settings {
            source,
            every: length(every),
            stale_after: length(stale_after),
            peers: self.peers(),
        })
    }
}
