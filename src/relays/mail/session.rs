//! One connection to the mail server: TLS, authentication, then letter after letter (RFC 5321, 3207, 4954).
//!
//! Commands, credentials and replies are lettre's. The dialogue is here, because `lettre::SmtpConnection` (0.11.23):
//!
//! - keeps what it had read when TLS begins (`starttls` in `client/connection.rs` replaces the stream below its buffer), so that
//!   somebody between it and the server can add replies, up to "250 queued" for a letter that no server took (CVE-2011-0411);
//! - has no deadline but a time-out of each read (`set_read_timeout` in `client/net.rs`), so that a server that sends a byte now
//!   and then holds up all mail for days;
//! - makes its own connection and TLS configuration (`NetworkStream::new` and `TlsParameters::connector` are private), while
//!   [`crate::client`] has bounded look-ups and the certificate authorities that the operator chose.

use super::letter::Letter;
use super::reply::Reply;
use super::{Address, MailLogin, MailSettings};
use crate::client::{Client, Stream};
use crate::domain::address::AllowedNetworks;
use crate::domain::relay::RelayError;
use crate::runtime::clock::monotonic;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::commands::{Auth, Data, Ehlo, Mail, Quit, Rcpt, Rset, Starttls};
use lettre::transport::smtp::extension::{ClientId, Extension, ServerInfo};
use std::fmt::Display;
use std::io::{self, BufReader, Write};
use std::net::IpAddr;
use std::time::Duration;

/// How long connecting, TLS and authentication may take together.
const OPENING: Duration = Duration::from_secs(15);

/// How long a letter may take until the server has it.
const SENDING: Duration = Duration::from_secs(20);

/// How long the server may think about a letter that it has: some look for viruses meanwhile.
const JUDGING: Duration = Duration::from_secs(60);

/// How long a goodbye may take.
const CLOSING: Duration = Duration::from_secs(2);

/// The questions of AUTH LOGIN: for the name and for the password.
const CHALLENGES: usize = 2;

/// A connection that is ready for letters.
pub struct Session {
    stream: BufReader<Stream>,
    offers: ServerInfo,
    /// Whether further letters can be sent.
    is_usable: bool,
}

/// Opens a session.
pub(super) fn open(
    client: &Client,
    settings: &MailSettings,
    in_the_clear: &AllowedNetworks,
) -> Result<Session, RelayError> {
    let server = &settings.server;
    let failed = |why: &dyn Display| {
        RelayError::temporary(format!("the mail server {server} is not reached: {why}"))
    };
    let until = monotonic() + OPENING;
    let stream = client.connect(&server.host, server.port, OPENING);
    let mut stream = stream.map_err(|error| failed(&error))?;
    stream.set_deadline(until);
    if server.tls_first {
        stream = stream.secured().map_err(|error| failed(&error))?;
    }
    let mut session = Session {
        stream: BufReader::new(stream),
        offers: ServerInfo::default(),
        is_usable: true,
    };
    session.expect_done("greeting")?;
    session.greet()?;
    let stream = session.stream.get_ref();
    if !stream.is_secure() {
        let plain_allowed = in_the_clear.contains(stream.peer_address());
        match session.offers.supports_feature(Extension::StartTls) {
            true => session = session.start_tls(&failed)?,
            false if plain_allowed => {}
            false => {
                return Err(failed(
                    &"it offers no STARTTLS, and mail goes in the clear only on loopback and in webhooks.allow_nets",
                ));
            }
        }
    }
    if let Some(login) = &settings.login {
        session.authenticate(login)?;
    }
    Ok(session)
}

impl Session {
    /// Sends a letter. Returns what the server said when it took it.
    ///
    /// # Errors
    /// [`RelayError::Permanent`] if the server refuses it for good; otherwise a retry may succeed.
    pub fn send(&mut self, from: &Address, letter: &Letter) -> Result<String, RelayError> {
        self.within(SENDING);
        let to = letter.recipient();
        self.step(Mail::new(Some(from.in_commands()), Vec::new()))?;
        self.step(Rcpt::new(to.in_commands(), Vec::new()))?;
        let ready = self.ask(Data)?;
        if ready.code() != 354 {
            return Err(self.refused(&ready));
        }
        self.write(&stuffed(&letter.bytes()))?;
        self.within(JUDGING);
        let taken = self.reply()?;
        match taken.is_done() {
            true => Ok(taken.text()),
            false => Err(self.refused(&taken)),
        }
    }

    /// Whether further letters can be sent.
    pub fn is_usable(&self) -> bool {
        self.is_usable
    }

    /// Says goodbye. What the server answers does not matter: it has every letter that it took.
    pub fn close(mut self) {
        if self.is_usable {
            self.within(CLOSING);
            let _ = self.ask(Quit);
        }
    }

    /// Sets the deadline of the following waits.
    fn within(&mut self, time: Duration) {
        self.stream.get_mut().set_deadline(monotonic() + time);
    }

    fn greet(&mut self) -> Result<(), RelayError> {
        let name = match self.stream.get_ref().own_address() {
            IpAddr::V4(address) => ClientId::Ipv4(address),
            IpAddr::V6(address) => ClientId::Ipv6(address),
        };
        let reply = self.ask(Ehlo::new(name))?;
        if !reply.is_done() {
            return Err(before_mail(&reply));
        }
        self.offers = reply.offers();
        Ok(())
    }

    fn start_tls(
        mut self,
        failed: &dyn Fn(&dyn Display) -> RelayError,
    ) -> Result<Session, RelayError> {
        let reply = self.ask(Starttls)?;
        if !reply.is_done() {
            return Err(before_mail(&reply));
        }
        // Whatever came in the clear after the reply is not the server's.
        if !self.stream.buffer().is_empty() {
            return Err(failed(&"it sent something between STARTTLS and TLS"));
        }
        let stream = self.stream.into_inner().secured();
        let stream = BufReader::new(stream.map_err(|error| failed(&error))?);
        let mut secured = Session { stream, ..self };
        secured.greet()?;
        Ok(secured)
    }

    fn authenticate(&mut self, login: &MailLogin) -> Result<(), RelayError> {
        let MailLogin { username, password } = login;
        let credentials = Credentials::new(username.clone(), password.clone());
        let mechanism = self.offers.get_auth_mechanism(DEFAULT_MECHANISMS);
        let mechanism = mechanism.ok_or_else(|| {
            RelayError::temporary("the mail server offers neither AUTH PLAIN nor AUTH LOGIN")
        })?;
        let odd = |error: lettre::transport::smtp::Error| {
            RelayError::temporary(format!("the mail server cannot be answered: {error}"))
        };
        let command = Auth::new(mechanism, credentials.clone(), None).map_err(odd)?;
        let mut reply = self.ask(command)?;
        for _ in 0..CHALLENGES {
            if reply.code() != 334 {
                break;
            }
            let answer = Auth::new_from_response(mechanism, credentials.clone(), reply.response());
            reply = self.ask(answer.map_err(odd)?)?;
        }
        match reply.code() {
            235 => Ok(()),
            _ => Err(before_mail(&reply)),
        }
    }

    /// A command of a letter, which the server has to accept.
    fn step(&mut self, command: impl Display) -> Result<(), RelayError> {
        let reply = self.ask(command)?;
        match reply.is_done() {
            true => Ok(()),
            false => Err(self.refused(&reply)),
        }
    }

    /// The refusal of a letter. The session stays usable if the server forgets the letter.
    fn refused(&mut self, reply: &Reply) -> RelayError {
        let forgets = |session: &mut Session| session.ask(Rset).is_ok_and(|reset| reset.is_done());
        if reply.closes() || !forgets(self) {
            self.is_usable = false;
        }
        reply.refusal()
    }

    fn expect_done(&mut self, what: &str) -> Result<(), RelayError> {
        let reply = self.reply()?;
        log::trace!("mail: {what}: {}", reply.code());
        match reply.is_done() {
            true => Ok(()),
            false => Err(before_mail(&reply)),
        }
    }

    /// Sends a command of lettre's, which ends its line itself, and reads the reply.
    fn ask(&mut self, command: impl Display) -> Result<Reply, RelayError> {
        self.write(&command.to_string())?;
        self.reply()
    }

    fn write(&mut self, text: &str) -> Result<(), RelayError> {
        let written = self.stream.get_mut().write_all(text.as_bytes());
        written.map_err(|error| self.lost(&error))
    }

    fn reply(&mut self) -> Result<Reply, RelayError> {
        let reply = Reply::read(&mut self.stream);
        reply.map_err(|error| self.lost(&error))
    }

    /// No answer: the connection is of no further use.
    fn lost(&mut self, error: &io::Error) -> RelayError {
        self.is_usable = false;
        RelayError::temporary(match error.kind() {
            io::ErrorKind::TimedOut => "the mail server did not answer in time".to_owned(),
            _ => format!("the connection to the mail server was lost: {error}"),
        })
    }
}

/// A refusal before any letter says nothing about letters, so it is temporary whatever its code.
fn before_mail(reply: &Reply) -> RelayError {
    RelayError::temporary(format!("the mail server said: {}", reply.text()))
}

/// A letter as DATA takes it: lines that begin with a dot get another one, and a dot alone ends it. lettre's `ClientCodec`, which
/// does this too, is private.
fn stuffed(letter: &str) -> String {
    let mut stuffed = letter.replace("\r\n.", "\r\n..");
    if letter.starts_with('.') {
        stuffed.insert(0, '.');
    }
    stuffed + ".\r\n"
}

#[cfg(test)]
mod tests {
    use super::stuffed;

    #[test]
    fn a_line_with_a_dot_does_not_end_the_letter() {
        assert_eq!(stuffed("a\r\n.\r\nb\r\n"), "a\r\n..\r\nb\r\n.\r\n");
        assert_eq!(stuffed(".a\r\n..b\r\n"), "..a\r\n...b\r\n.\r\n");
    }
}
