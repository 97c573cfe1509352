//! Keeps two servers from writing one database: each asks the others, and the one of the lower epoch gives way.

use super::peers::{Peer, ask_all, primary};
use crate::actions::{App, Error, replica};
use crate::client::Client;
use crate::domain::standby::ServerRole;
use crate::runtime::background::{LoopSpec, LoopThread, StopFlag, Watch};
use crate::runtime::wakeup::Wakeup;
use crate::store::Epoch;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// How often a running server asks.
const EVERY: Duration = Duration::from_secs(10);

/// The other servers of the database.
#[derive(Clone)]
pub struct Fence {
    pub client: Arc<Client>,
    /// Their base URLs.
    pub peers: Vec<String>,
    /// Whether one of them has to answer before this one starts.
    pub requires_peer: bool,
}

impl Fence {
    /// Asks the peers before a server starts.
    ///
    /// # Errors
    /// Why it must not start without an answer.
    pub fn before_start(&self, app: &App) -> Result<Option<Peer>, String> {
        let own = replica::epoch(app).map_err(|error| error.to_string())?;
        let peers = self.answered(app, &own, &mut BTreeSet::new());
        if self.requires_peer && peers.is_empty() {
            return Err(
                "standby.require_peer: none of standby.peers answers; start one of them, or write require_peer = false"
                    .into(),
            );
        }
        let rival = primary(&peers, Some(&own.database_id));
        Ok(rival.filter(|peer| peer.epoch > own.number).cloned())
    }

    /// The peers that answer. Those that do not are warned of, and those that write another database: once, for as long as it is so.
    fn answered(&self, app: &App, own: &Epoch, warned: &mut BTreeSet<String>) -> Vec<Peer> {
        let mut found = Vec::new();
        for (url, answer) in self.peers.iter().zip(ask_all(&self.client, &self.peers)) {
            let wrong = match answer {
                Err(why) => Some(format!(
                    "{why}; whether it writes the database is not known"
                )),
                Ok(peer) if peer.instance == app.instance() => None,
                Ok(peer) => {
                    let is_same = peer.database_id.as_deref() == Some(&own.database_id);
                    let is_other = !is_same && peer.role == ServerRole::Primary;
                    found.push(peer);
                    is_other.then(|| format!("{url} is of another database"))
                }
            };
            match wrong {
                None => drop(warned.remove(url)),
                Some(wrong) if warned.insert(url.clone()) => log::warn!("fence: {wrong}"),
                Some(_) => {}
            }
        }
        found
    }

    /// Asks the peers. Returns the one to give way to, if there is one.
    fn look(&self, app: &App, warned: &mut BTreeSet<String>) -> Result<Option<Peer>, Error> {
        let own = replica::epoch(app)?;
        let peers = self.answered(app, &own, warned);
        let Some(rival) = primary(&peers, Some(&own.database_id)) else {
            return Ok(None);
        };
        if rival.epoch == own.number {
            log::error!(
                "fence: {} also writes this database in epoch {}; `rota compare` lists what only one of them has",
                rival.url,
                own.number
            );
        }
        let gives_way = gives_way((&own, app.instance()), rival);
        Ok(gives_way.then(|| rival.clone()))
    }

    /// Asks every 10 seconds, and calls `give_way` with the server that writes the database in the place of this one.
    pub fn start(
        self,
        app: App,
        give_way: impl Fn(Peer) + Send + 'static,
    ) -> std::io::Result<LoopThread> {
        let spec = LoopSpec {
            name: "fence",
            wakeup: Wakeup::default(),
            stop: StopFlag::default(),
            watch: Watch::End,
        };
        let runtime = Arc::clone(app.runtime());
        let (mut has_given_way, mut warned) = (false, BTreeSet::new());
        runtime.start_unpaused(spec, move |_| -> Result<_, Error> {
            if has_given_way {
                return Ok(EVERY);
            }
            if let Some(peer) = self.look(&app, &mut warned)? {
                has_given_way = true;
                log::error!(
                    "fence: {} writes this database in epoch {}; this server gives way and answers as a standby",
                    peer.url,
                    peer.epoch
                );
                give_way(peer);
            }
            Ok(EVERY)
        })
    }
}

/// Whether a server gives way to another primary of its database: to one of a higher epoch, and of the same epoch to the one that
/// was made earlier.
fn gives_way((own, instance): (&Epoch, &str), peer: &Peer) -> bool {
    let later = (Some(own.since), instance) > (peer.since, peer.instance.as_str());
    peer.epoch > own.number || (peer.epoch == own.number && later)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_primaries_one_gives_way() {
        let at = |text: &str| text.parse().expect("an instant");
        let (early, late) = (at("2026-11-23T08:00:00Z"), at("2026-11-23T09:00:00Z"));
        for ((own, own_since, own_instance), (other, other_since, other_instance), expected) in [
            ((1, early, "a"), (2, late, "b"), true),
            ((2, early, "a"), (1, late, "b"), false),
            ((2, late, "a"), (2, early, "b"), true),
            ((2, early, "b"), (2, late, "a"), false),
            ((2, early, "b"), (2, early, "a"), true),
            ((2, early, "a"), (2, early, "b"), false),
        ] {
            let epoch = Epoch {
                database_id: "d".into(),
                number: own,
                since: own_since,
            };
            let peer = Peer {
                url: "http://127.0.0.1".into(),
                database_id: Some("d".into()),
                epoch: other,
                role: ServerRole::Primary,
                since: Some(other_since),
                instance: other_instance.into(),
            };
            let found = gives_way((&epoch, own_instance), &peer);
            assert_eq!(
                found, expected,
                "{own} {own_instance} {other} {other_instance}"
            );
        }
    }
}
