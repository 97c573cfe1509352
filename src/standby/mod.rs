//! What makes two machines of one database one service: a standby takes copies of the first server's database and answers from
//! them, stepped to now; and servers that could write the same database ask each other which of them is right.
//!
//! | File | Part |
//! |---|---|
//! | `copying` | takes copies, checks them and opens the last good one |
//! | `forecast` | steps the state that is read to now |
//! | `peers` | which epoch other servers are of |
//! | `fence` | gives way to a server of a later epoch |
//! | `hand_over` | gives way to a standby that takes over as planned |
//! | `planned` | takes over as planned |

pub mod copying;
pub mod fence;
mod forecast;
pub mod hand_over;
pub mod peers;
mod planned;

use crate::client::Secret;
use std::time::Duration;

/// The settings of a standby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    pub source: Source,
    /// How often a copy is asked for.
    pub every: Duration,
    /// From which age of the copy on the standby is not ready.
    pub stale_after: Duration,
    /// The base URLs of other servers of the database.
    pub peers: Vec<String>,
}

/// Where copies come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The first server's base URL, and a key with the scope `replicate`.
    Server { url: String, key: Secret },
    /// Something else replaces the file. Where changes are made, as people are told.
    File { written_at: String },
}

impl Settings {
    /// The address at which changes are made.
    pub fn first(&self) -> &str {
        match &self.source {
            Source::Server { url, .. } => url,
            Source::File { written_at } => written_at,
        }
    }

    /// The base URLs of the other servers of the database.
    pub fn servers(&self) -> Vec<String> {
        let first = match &self.source {
            Source::Server { url, .. } => Some(url.clone()),
            Source::File { .. } => None,
        };
        let mut servers: Vec<String> = first.into_iter().chain(self.peers.clone()).collect();
        servers.dedup();
        servers
    }
}
