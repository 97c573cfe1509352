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
//! | `turn` | an invitation to a turn in words |

mod address;
mod invitation;
mod letter;
mod notice;
mod reply;
mod server;
mod session;
mod turn;

pub use address::{Address, Mailbox};
pub use invitation::Invitation;
pub use letter::{Letter, Second, Thread, message_id};
pub use notice::Notice;
pub use server::MailServer;
pub use session::Session;
pub use turn::TurnWords;

use crate::client::Client;
use crate::domain::address::AllowedNetworks;
use crate::domain::message::TEST;
use crate::domain::relay::RelayError;
use jiff::Timestamp;

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

/// The letter that tests whether mail arrives.
pub fn test_letter(settings: &MailSettings, to: Mailbox, now: Timestamp) -> Letter {
    let answers_to = settings.reply_to.as_ref().unwrap_or(&settings.from);
    Letter {
        message_id: message_id("test", now, settings.from.address.domain()),
        at: now,
        from: settings.from.clone(),
        reply_to: settings.reply_to.clone(),
        to,
        subject: "Test of rota".into(),
        text: format!("{TEST}\n"),
        second: Second::Html(format!("<!DOCTYPE html>\n<p>{TEST}</p>\n")),
        thread: Thread::default(),
        unsubscribe: format!("mailto:{}?subject=unsubscribe", answers_to.address),
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
