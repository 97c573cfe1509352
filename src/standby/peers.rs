//! Asking other servers of the database which epoch they are of.

use crate::client::{Client, Limits, Request};
use crate::domain::standby::ServerRole;
use jiff::Timestamp;
use serde::Deserialize;
use std::time::Duration;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a server says of itself at `GET /v1/epoch`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its base URL, as it is configured.
    pub url: String,
    /// `None` of a standby without a copy.
    pub database_id: Option<String>,
    pub epoch: u64,
    pub role: ServerRole,
    pub since: Option<Timestamp>,
    /// Names the process.
    pub instance: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    database_id: Option<String>,
    epoch: u64,
    role: ServerRole,
    since: Option<String>,
    instance: String,
}

/// Asks a server. The error is a sentence that begins with its URL.
pub fn ask(client: &Client, url: &str) -> Result<Peer, String> {
    let path = format!("{url}/v1/epoch");
    let request = Request::get(&path).within(Limits {
        total: PATIENCE,
        body_bytes: 64 * 1024,
        ..Limits::default()
    });
    let response = client.send(&request);
    let response = response.map_err(|error| format!("{url}: {error}"))?;
    let said: Option<Said> = serde_json::from_slice(&response.body).ok();
    let Some(said) = said.filter(|_| response.status == 200) else {
        return Err(format!(
            "{url}: it does not say its epoch (HTTP {}); is it rota, of this version?",
            response.status
        ));
    };
    Ok(Peer {
        url: url.to_owned(),
        database_id: said.database_id,
        epoch: said.epoch,
        role: said.role,
        since: said.since.and_then(|since| since.parse().ok()),
        instance: said.instance,
    })
}

/// Asks several servers together, and returns their answers in the same order.
pub fn ask_all(client: &Client, urls: &[String]) -> Vec<Result<Peer, String>> {
    std::thread::scope(|scope| {
        let asked = urls.iter().map(|url| {
            let thread = std::thread::Builder::new().name("peer".into());
            thread.spawn_scoped(scope, move || ask(client, url))
        });
        let asked: Vec<_> = asked.collect();
        let answered = asked
            .into_iter()
            .zip(urls)
            .map(|(thread, url)| match thread {
                Ok(thread) => {
                    (thread.join()).unwrap_or_else(|_| Err(format!("{url}: a panic was caught")))
                }
                Err(error) => Err(format!("{url}: {error}")),
            });
        answered.collect()
    })
}

/// Of these servers the one that writes the database of an id, where it is known: of two the one of the higher epoch.
pub fn primary<'a>(
    peers: impl IntoIterator<Item = &'a Peer>,
    id: Option<&str>,
) -> Option<&'a Peer> {
    let of_database = |peer: &&Peer| {
        let same = id.is_none() || peer.database_id.as_deref() == id;
        peer.role == ServerRole::Primary && same
    };
    peers
        .into_iter()
        .filter(of_database)
        .max_by_key(|peer| peer.epoch)
}
