//! Watches a planned hand-over: ends it where the standby does not go on in time, and gives way where it does.

use super::fence::Fence;
use super::peers::{Peer, ask_all};
use crate::actions::hand_over::{self, Look};
use crate::actions::{App, Error};
use crate::domain::standby::{ServerRole, Successor};
use crate::runtime::background::{LoopSpec, LoopThread, POLL, StopFlag, Watch};
use std::sync::Arc;
use std::time::Duration;

/// Nothing more is to be done.
const NEVER: Duration = Duration::from_secs(3600);

/// Starts to watch. `give_way` is called with the server that writes the database from then on.
pub fn start(
    app: App,
    fence: Option<Fence>,
    give_way: impl Fn(Peer) + Send + 'static,
) -> std::io::Result<LoopThread> {
    let spec = LoopSpec {
        name: "hand-over",
        wakeup: app.hand_over().changed().clone(),
        stop: StopFlag::default(),
        watch: Watch::Liveness,
    };
    let runtime = Arc::clone(app.runtime());
    let mut has_given_way = false;
    runtime.start_unpaused(spec, move |_| -> Result<_, Error> {
        if has_given_way {
            return Ok(POLL);
        }
        match app.hand_over().look() {
            Look::Nothing(left) => Ok(left.unwrap_or(NEVER).min(POLL)),
            Look::GoesOn => {
                hand_over::go_on(&app);
                log::warn!("hand-over: the standby did not go on in time; writes go on here");
                Ok(POLL)
            }
            Look::Yields(successor) => {
                has_given_way = true;
                let peer = peer(&app, fence.as_ref(), &successor);
                log::info!(
                    "hand-over: {} goes on in epoch {}; this server answers as a standby",
                    peer.url,
                    peer.epoch
                );
                give_way(peer);
                Ok(POLL)
            }
        }
    })
}

/// The successor, at its address among the peers; without it at the public URL, which leads to whichever server writes.
fn peer(app: &App, fence: Option<&Fence>, successor: &Successor) -> Peer {
    let answered = fence.map(|fence| ask_all(&fence.client, &fence.peers));
    let mut answered = answered.into_iter().flatten().flatten();
    let found = answered.find(|peer| peer.instance == successor.instance);
    Peer {
        url: found.map_or_else(|| app.base_url().to_owned(), |peer| peer.url),
        database_id: None,
        epoch: successor.epoch,
        role: ServerRole::Primary,
        since: None,
        instance: successor.instance.clone(),
    }
}
