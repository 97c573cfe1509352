//! Mail over SMTP: settings, the letter as MIME, and the dialogue with the server.
//!
//! lettre makes the MIME, the headers and the commands, and parses addresses and replies. Connections come from
//! [`crate::client`]; `session` says why.
//!
//! | File | Part |
//! |---|---|
//! | `address` | addresses and mailboxes |
//! | `invitation` | the words of an invitation |
//! | `server` | the address of the server |
//! | `letter` | a letter as the bytes that are sent |
//! | `notice` | a message in the words of a letter |
//! | `reply` | what the server says |
//! | `session` | one connection: TLS, authentication, letter after letter |

mod address;
mod invitation;
mod letter;
mod notice;
mod reply;
mod server;
mod session;

pub use address::{Address, Mailbox};
pub use invitation::Invitation;
pub use letter::{Letter, Thread, message_id};
pub use notice::Notice;
pub use server::MailServer;
pub use session::Session;

use crate::client::Client;
use crate::domain::address::AllowedNetworks;
use crate::domain::relay::RelayError;

/// `[mail]`: how mail is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailSettings {
    pub server: MailServer,
    pub login: Option<MailLogin>,
    pub from: Mailbox,
    pub reply_to: Option<Mailbox>,
}

/// How rota authenticates at the mail server.
#[derive(Clone, PartialEq, Eq)]
pub struct MailLogin {
    pub username: String,
    pub password: String,
}

/// Without the password.
impl std::fmt::Debug for MailLogin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MailLogin({})", self.username)
    }
}

/// Sends mail by one server.
pub struct Mailer {
    pub settings: MailSettings,
    client: Client,
    /// Networks in which mail may go in the clear, beside loopback.
    in_the_clear: AllowedNetworks,
}

impl Mailer {
    /// A mailer that connects with a client of the operator's servers.
    pub fn new(settings: MailSettings, client: Client, in_the_clear: AllowedNetworks) -> Mailer {
        Mailer {
            settings,
            client,
            in_the_clear: AllowedNetworks {
                loopback: true,
                ..in_the_clear
            },
        }
    }

    /// Connects to the server, secures the connection and authenticates. Takes at most 15 s.
    ///
    /// # Errors
    /// [`RelayError::Temporary`], whatever the server says: until it takes letters nothing is known of them.
    pub fn connect(&self) -> Result<Session, RelayError> {
        session::open(&self.client, &self.settings, &self.in_the_clear)
    }
}
