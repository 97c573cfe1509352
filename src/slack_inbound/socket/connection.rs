//! One WebSocket to Slack: opened with a deadline, read and written by one thread.

use super::frame::{Frame, Reason, parse};
use super::timings::Timings;
use crate::chat::slack::Slack;
use crate::chat::slack::method::APPS_CONNECTIONS_OPEN;
use crate::client::Stream;
use crate::runtime::clock::monotonic;
use crate::slack_inbound::address;
use serde_json::Value;
use std::io::{self, ErrorKind, Read, Write};
use std::time::{Duration, Instant};
use tungstenite::handshake::HandshakeError;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, Message, WebSocket, client};

/// The largest frame and the largest message, in bytes. Slack's own limits are well below.
const MOST_BYTES: usize = 2 * 1024 * 1024;

/// How long a frame may take to be written.
const WRITE: Duration = Duration::from_secs(10);

/// The stream of a connection: reading has a deadline that is set before, writing one of its own.
struct Timed {
    stream: Stream,
    read_until: Instant,
}

impl Read for Timed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.stream.set_deadline(self.read_until);
        self.stream.read(into)
    }
}

impl Write for Timed {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.stream.set_deadline(monotonic() + WRITE);
        self.stream.write(from)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// A connection.
pub struct Connection {
    socket: WebSocket<Timed>,
    /// When anything arrived last.
    heard_at: Instant,
}

/// The result of reading.
#[derive(Debug, PartialEq)]
pub enum Heard {
    Frame(Frame),
    /// Something that is not for us, such as a ping.
    Sign,
    /// A text that is no frame of Slack's, and why.
    Garbage(&'static str),
    /// Nothing in time.
    Silence,
}

impl Connection {
    /// Asks Slack for an address, connects to it and waits for the hello.
    ///
    /// # Errors
    /// Why there is no connection, for the log.
    pub fn open(slack: &Slack, timings: &Timings) -> Result<Connection, String> {
        let answer = slack.call(&APPS_CONNECTIONS_OPEN, &Value::Null);
        let answer = answer.map_err(|error| error.to_string())?;
        let given = answer["url"].as_str().ok_or("Slack gives no address")?;
        let client = slack.client();
        let url = address::checked(client, &slack.settings().api_url, given)
            .map_err(|why| format!("the address that Slack gives is not used: {why}"))?;
        let stream = client.stream(&url, timings.opening);
        let stream = stream.map_err(|error| error.to_string())?;
        let stream = Timed {
            stream,
            read_until: monotonic() + timings.opening,
        };
        // The stream is connected and secured already; the scheme is what the handshake asks for.
        let target = url.as_str().replacen("http", "ws", 1);
        let limits = WebSocketConfig::default()
            .max_message_size(Some(MOST_BYTES))
            .max_frame_size(Some(MOST_BYTES))
            .read_buffer_size(16 * 1024);
        let opened = client::client_with_config(target, stream, Some(limits));
        let (socket, _) = opened.map_err(|error| match error {
            HandshakeError::Failure(error) => plain(&error),
            HandshakeError::Interrupted(_) => "the handshake was interrupted".to_owned(),
        })?;
        let mut connection = Connection {
            socket,
            heard_at: monotonic(),
        };
        connection.await_hello(monotonic() + timings.opening)?;
        Ok(connection)
    }

    fn await_hello(&mut self, until: Instant) -> Result<(), String> {
        loop {
            match self.hear(until)? {
                Heard::Frame(Frame::Hello) => return Ok(()),
                Heard::Frame(Frame::Disconnect(Reason::Other(reason))) => return Err(reason),
                Heard::Frame(Frame::Disconnect(Reason::Refresh)) => {
                    return Err("Slack asks for another connection".to_owned());
                }
                // Not stored, so not acknowledged: Slack sends it again.
                Heard::Frame(_) | Heard::Sign | Heard::Garbage(_) => {}
                Heard::Silence => return Err("Slack says no hello".to_owned()),
            }
        }
    }

    /// Reads until something arrives, at most until a deadline.
    ///
    /// # Errors
    /// Why the connection has ended.
    pub fn hear(&mut self, until: Instant) -> Result<Heard, String> {
        self.socket.get_mut().read_until = until;
        let heard = match self.socket.read() {
            Ok(Message::Text(text)) => match parse(&text) {
                Ok(frame) => Heard::Frame(frame),
                Err(why) => Heard::Garbage(why),
            },
            Ok(Message::Binary(_)) => Heard::Garbage("it is binary"),
            Ok(_) => Heard::Sign,
            Err(Error::Io(error)) if error.kind() == ErrorKind::TimedOut => {
                return Ok(Heard::Silence);
            }
            Err(error) => return Err(plain(&error)),
        };
        self.heard_at = monotonic();
        Ok(heard)
    }

    /// When anything arrived last.
    pub fn heard_at(&self) -> Instant {
        self.heard_at
    }

    /// Sends a text frame.
    ///
    /// # Errors
    /// Why the connection has ended.
    pub fn say(&mut self, text: String) -> Result<(), String> {
        let said = self.socket.send(Message::text(text));
        said.map_err(|error| plain(&error))
    }

    /// Asks whether the other end is there.
    ///
    /// # Errors
    /// Why the connection has ended.
    pub fn ping(&mut self) -> Result<(), String> {
        let sent = self.socket.send(Message::Ping(Default::default()));
        sent.map_err(|error| plain(&error))
    }

    /// Says goodbye. Slack then sends nothing more here.
    pub fn close(&mut self) {
        let closed = self.socket.close(None);
        // It is let go in any case.
        drop(closed.and_then(|()| self.socket.flush()));
    }
}

/// Why a connection ended, in words. Errors may repeat what the other end has sent, so not all of them are shown.
fn plain(error: &Error) -> String {
    match error {
        Error::ConnectionClosed | Error::AlreadyClosed => "Slack closed it".to_owned(),
        Error::Io(error) if error.kind() == ErrorKind::TimedOut => "no answer in time".to_owned(),
        Error::Io(error) => error.to_string(),
        Error::Capacity(_) => "a frame is too large".to_owned(),
        Error::Http(response) => format!("the handshake is answered with {}", response.status()),
        Error::Protocol(error) => format!("it breaks the protocol: {error}"),
        _ => "it breaks the protocol".to_owned(),
    }
}
