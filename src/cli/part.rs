//! What a process is to its database: `rota serve` and `rota standby` may each become the other while they run.

use super::host::Host;
use crate::config::{BaseUrl, Listen};
use crate::standby::Settings;
use crate::store::Lock;
use clap::Args;

/// The flags of a server.
#[derive(Args)]
pub struct Address {
    /// Where to listen; port 0 picks a free one and logs it [env: ROTA_LISTEN] [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<Listen>,
    /// The public URL of this server: `self` in webhooks begins with it [env: ROTA_BASE_URL]
    #[arg(long, value_name = "URL")]
    pub base_url: Option<BaseUrl>,
}

/// What a process is to its database, with its socket and the lock of the database once it has them.
pub enum Part {
    Primary(Option<(Host, Lock)>),
    Standby(Option<(Host, Lock)>, Copies),
    Over,
}

/// Where a standby's copies come from.
pub enum Copies {
    /// They are taken.
    Taken(Settings),
    /// There are no more: the database was this server's own until another one wrote it, at this address.
    Ended(String),
}
