//! One connection to the mail server: TLS, authentication, then letter after letter (RFC 5321, 3207, 4954).

use super::encode::base64;
use super::letter::Letter;
use super::reply::Reply;
use super::{Address, MailLogin, MailSettings};
use crate::client::{Client, Stream};
use crate::domain::address::AllowedNetworks;
use crate::domain::relay::RelayError;
use crate::runtime::clock::monotonic;
use std::io::{self, Write};
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

/// A connection that is ready for letters.
pub struct Session {
    stream: Stream,
    /// Received and not read.
    buffer: Vec<u8>,
    /// What the server offers, in upper case.
    offers: Vec<String>,
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
    let failed = |why: &dyn std::fmt::Display| {
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
        stream,
        buffer: Vec::new(),
        offers: Vec::new(),
        is_usable: true,
    };
    session.expect_done("greeting")?;
    session.greet()?;
    if !session.stream.is_secure() {
        let plain_allowed = in_the_clear.contains(session.stream.peer_address());
        match session.offers("STARTTLS") {
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
        self.stream.set_deadline(monotonic() + SENDING);
        let to = letter.recipient();
        self.step(&format!("MAIL FROM:<{from}>"))?;
        self.step(&format!("RCPT TO:<{to}>"))?;
        let ready = self.ask("DATA")?;
        if ready.code != 354 {
            return Err(self.refused(&ready));
        }
        self.write(&stuffed(&letter.bytes()))?;
        self.stream.set_deadline(monotonic() + JUDGING);
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
            self.stream.set_deadline(monotonic() + CLOSING);
            let _ = self.ask("QUIT");
        }
    }

    fn offers(&self, name: &str) -> bool {
        self.offers.iter().any(|offer| offer == name)
    }

    fn greet(&mut self) -> Result<(), RelayError> {
        let name = match self.stream.own_address() {
            IpAddr::V4(address) => format!("[{address}]"),
            IpAddr::V6(address) => format!("[IPv6:{address}]"),
        };
        let reply = self.ask(&format!("EHLO {name}"))?;
        if !reply.is_done() {
            return Err(before_mail(&reply));
        }
        self.offers = reply
            .lines
            .iter()
            .skip(1)
            .map(|line| line.to_ascii_uppercase())
            .collect();
        Ok(())
    }

    fn start_tls(
        mut self,
        failed: &dyn Fn(&dyn std::fmt::Display) -> RelayError,
    ) -> Result<Session, RelayError> {
        let reply = self.ask("STARTTLS")?;
        if !reply.is_done() {
            return Err(before_mail(&reply));
        }
        // Whatever came in the clear after the reply is not the server's (CVE-2011-0411).
        if !self.buffer.is_empty() {
            return Err(failed(&"it sent something between STARTTLS and TLS"));
        }
        let stream = self.stream.secured().map_err(|error| failed(&error))?;
        let mut secured = Session { stream, ..self };
        secured.greet()?;
        Ok(secured)
    }

    fn authenticate(&mut self, login: &MailLogin) -> Result<(), RelayError> {
        let MailLogin { username, password } = login;
        let methods = self
            .offers
            .iter()
            .find_map(|offer| offer.strip_prefix("AUTH"));
        let methods: Vec<&str> = methods.unwrap_or_default().split([' ', '=']).collect();
        let reply = if methods.contains(&"PLAIN") {
            let secret = base64(format!("\0{username}\0{password}").as_bytes());
            self.ask(&format!("AUTH PLAIN {secret}"))?
        } else if methods.contains(&"LOGIN") {
            let mut reply = self.ask("AUTH LOGIN")?;
            for part in [username, password] {
                if reply.code != 334 {
                    break;
                }
                reply = self.ask(&base64(part.as_bytes()))?;
            }
            reply
        } else {
            return Err(RelayError::temporary(
                "the mail server offers neither AUTH PLAIN nor AUTH LOGIN",
            ));
        };
        match reply.code {
            235 => Ok(()),
            _ => Err(before_mail(&reply)),
        }
    }

    /// A command of a letter, which the server has to accept.
    fn step(&mut self, command: &str) -> Result<(), RelayError> {
        let reply = self.ask(command)?;
        match reply.is_done() {
            true => Ok(()),
            false => Err(self.refused(&reply)),
        }
    }

    /// The refusal of a letter. The session stays usable if the server forgets the letter.
    fn refused(&mut self, reply: &Reply) -> RelayError {
        let forgets =
            |session: &mut Session| session.ask("RSET").is_ok_and(|reset| reset.is_done());
        if reply.closes() || !forgets(self) {
            self.is_usable = false;
        }
        reply.refusal()
    }

    fn expect_done(&mut self, what: &str) -> Result<(), RelayError> {
        let reply = self.reply()?;
        log::trace!("mail: {what}: {}", reply.code);
        match reply.is_done() {
            true => Ok(()),
            false => Err(before_mail(&reply)),
        }
    }

    fn ask(&mut self, command: &str) -> Result<Reply, RelayError> {
        self.write(&format!("{command}\r\n"))?;
        self.reply()
    }

    fn write(&mut self, text: &str) -> Result<(), RelayError> {
        let written = self.stream.write_all(text.as_bytes());
        written.map_err(|error| self.lost(&error))
    }

    fn reply(&mut self) -> Result<Reply, RelayError> {
        let reply = Reply::read(&mut self.stream, &mut self.buffer);
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

/// A letter as DATA takes it: lines that begin with a dot get another one, and a dot alone ends it.
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
