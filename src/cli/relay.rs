//! `rota mail test` and `rota chat test`: send one message and print what the server said.

use super::outgoing::{Receivers, outward, trusted};
use super::output::answer;
use super::workspace::settings;
use super::{Failure, Place};
use crate::actions::Outward;
use crate::config::Config;
use crate::domain::ids::ChannelId;
use crate::relays::incoming::Post;
use crate::relays::mail::{Address, Letter, Mailbox, Mailer, Thread, message_id};
use crate::runtime::clock::Clock;
use clap::{Args, Subcommand};
use jiff::Timestamp;

const MAIL_EXAMPLES: &str = "\
Sends with the settings in [mail], and needs no database.

Examples:
  rota mail test ana@example.org";

const CHAT_EXAMPLES: &str = "\
Posts to the channel's [[chat.incoming_webhook]], and needs no database.

Examples:
  rota chat test CONCALL";

#[derive(Subcommand)]
pub enum MailCommand {
    /// Send one mail and print what the mail server said
    #[command(after_help = MAIL_EXAMPLES)]
    Test(MailTest),
}

#[derive(Args)]
pub struct MailTest {
    /// Where the mail goes
    #[arg(value_name = "ADDRESS")]
    address: String,
}

#[derive(Subcommand)]
pub enum ChatCommand {
    /// Post one line to the incoming webhook of a channel and print what it answered
    #[command(after_help = CHAT_EXAMPLES)]
    Test(ChatTest),
}

#[derive(Args)]
pub struct ChatTest {
    /// The channel's id in the settings
    #[arg(value_name = "CHANNEL")]
    channel: String,
}

/// Reads the settings as a server would.
fn read(place: Place) -> Result<(Config, Outward), Failure> {
    let config = settings(place)?;
    let outward = outward(
        String::new(),
        &config,
        &trusted(&config)?,
        Receivers::Public,
    )?;
    Ok((config, outward))
}

const SAID: &str = "This is a test of rota. Messages of rota arrive here.";

/// Runs `rota mail`.
pub fn mail(place: Place, command: MailCommand) -> Result<(), Failure> {
    let MailCommand::Test(MailTest { address }) = command;
    let address: Address = address.parse().map_err(Failure::Usage)?;
    let (_, outward) = read(place)?;
    let mailer = outward.relays.mail.as_ref().ok_or_else(|| {
        Failure::Usage(
            "mail.server: missing; write [mail] with server = \"smtps://mail.example.org:465\" and from = \"rota@example.org\""
                .into(),
        )
    })?;
    let letter = letter(mailer, address, Clock::system().now());
    let said = mailer.connect().and_then(|mut session| {
        let said = session.send(&mailer.settings.from.address, &letter);
        session.close();
        said
    });
    match said {
        Ok(said) => answer(&format!("sent; the mail server said: {said}")),
        Err(error) => Err(Failure::Failed(format!("not sent: {}", error.why()))),
    }
}

fn letter(mailer: &Mailer, to: Address, now: Timestamp) -> Letter {
    let settings = &mailer.settings;
    let answers_to = settings.reply_to.as_ref().unwrap_or(&settings.from);
    Letter {
        message_id: message_id("test", now, settings.from.address.domain()),
        at: now,
        from: settings.from.clone(),
        reply_to: settings.reply_to.clone(),
        to: Mailbox {
            name: None,
            address: to,
        },
        subject: "Test of rota".into(),
        text: format!("{SAID}\n"),
        html: format!("<!DOCTYPE html>\n<p>{SAID}</p>\n"),
        thread: Thread::default(),
        unsubscribe: format!("mailto:{}?subject=unsubscribe", answers_to.address),
    }
}

/// Runs `rota chat`.
pub fn chat(place: Place, command: ChatCommand) -> Result<(), Failure> {
    let ChatCommand::Test(ChatTest { channel }) = command;
    let (_, outward) = read(place)?;
    let relays = &outward.relays;
    let id = ChannelId::from(channel.as_str());
    let webhook = relays.webhook(&id).ok_or_else(|| {
        Failure::Usage(format!(
            "chat.incoming_webhook: there is none for the channel {channel}; write [[chat.incoming_webhook]] with channel = \
             \"{channel}\", url = \"https://...\" and style = \"slack\""
        ))
    })?;
    let now = Clock::system().now();
    let post = Post {
        text: SAID.into(),
        link: None,
        rotation: Some("test".into()),
        kind: "test".into(),
        at: now,
    };
    match webhook.post(&outward.webhook_client, &post, now) {
        Ok(said) => answer(&format!("posted; the answer was: {said}")),
        Err(error) => Err(Failure::Failed(format!("not posted: {}", error.why()))),
    }
}
