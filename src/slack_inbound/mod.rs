//! The edge for requests of Slack: commands, clicks, modals and events, over a socket that this server opens or to its request URLs.
//!
//! [`incoming`] makes values of what arrives, whichever way it came. [`Intake`] stores it before it is acknowledged, so that it
//! is neither lost nor done twice. The [`Handler`] answers it as the person who sent it, with a [`Reply`]. It renders what actions
//! return and decides nothing itself.
//!
//! | File | Part |
//! |---|---|
//! | `socket` | Socket Mode: opens connections, reads them, acknowledges |
//! | `request_urls` | the edge for workspaces without Socket Mode |
//! | `signature` | proves that a request is from Slack |
//! | `address` | which addresses that Slack gives are called |
//! | `incoming` | payloads as values |
//! | `arrival` | something that is stored, and how long its acknowledgement waits for an answer |
//! | `intake` | stores, has answered, records |
//! | `queue` `slot` | work that is not begun; where an answer meets its acknowledgement |
//! | `reply` | what is sent back, and who makes it |
//! | `strangers` | what people get whom the directory does not have |
//! | `calls` | calls to Slack after the acknowledgement |
//! | `interactions` | what people type and click, answered; and the home tab |

mod address;
mod arrival;
mod calls;
pub mod incoming;
mod intake;
pub mod interactions;
mod queue;
pub mod reply;
mod request_urls;
mod signature;
mod slot;
mod socket;
mod strangers;

pub use incoming::Incoming;
pub use intake::{DirectoryEvents, Intake};
pub use reply::{Handler, Later, Reply};
pub use request_urls::RequestUrls;
pub use signature::{SIGNATURE_HEADER, TIMESTAMP_HEADER, sign};
pub use socket::{Timings, start as start_socket, try_out as try_socket};

use crate::actions::App;
use crate::runtime::background::LoopThread;

/// Everything that takes what comes in.
pub struct Inbound {
    /// The request URLs; it answers 404 without a signing secret.
    pub edge: RequestUrls,
    /// The workers, and the socket where there is an app token.
    pub loops: Vec<LoopThread>,
}

/// Starts to take what comes in, as far as the settings have a way in. On another platform nothing is started.
///
/// # Errors
/// If the database cannot be read, or no thread can be started.
pub fn start(
    app: &App,
    handler: impl Handler,
    directory: DirectoryEvents,
) -> Result<Inbound, String> {
    let closed = Inbound {
        edge: RequestUrls::closed(),
        loops: Vec::new(),
    };
    let Some(slack) = app.slack() else {
        return Ok(closed);
    };
    let settings = slack.settings();
    if !settings.takes_input() {
        log::info!(
            "slack: nothing comes in; set slack.app_token_file for Socket Mode, or slack.signing_secret_file for request URLs"
        );
        return Ok(closed);
    }
    let (intake, mut loops) = Intake::start(app, slack, Box::new(handler), directory)?;
    if settings.app_token.is_some() {
        let socket = start_socket(app.runtime(), slack, &intake, Timings::usual());
        loops.push(socket.map_err(|error| error.to_string())?);
    }
    let edge = match &settings.signing_secret {
        Some(secret) => RequestUrls::open(secret.clone(), intake, app.metrics()),
        None => closed.edge,
    };
    Ok(Inbound { edge, loops })
}
