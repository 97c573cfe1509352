//! A connection, with TLS or without, on which every wait has a deadline, even if the bytes trickle.
//!
//! ureq supports both, but its time-outs restart with each partial write, and it does not tell handshake errors from others.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use ureq::config::Config;
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, ShutdownHandle, Transport,
};
use ureq::{Error, Timeout};

use super::proxy::tunnel;
use super::url::host_and_port;
use super::{DialError, Proxy};
use crate::runtime::clock::monotonic;

/// How long one address may take to accept if another address remains. The first of several is often unreachable from this
/// network. The last address may use all the remaining time.
const FIRST_ADDRESSES: Duration = Duration::from_secs(3);

/// The part of a request's time that is reserved for the response body.
pub fn body_share(config: &Config) -> Duration {
    config.timeouts().recv_body.unwrap_or_default()
}

/// The remaining time of a ureq request. `body` is the part of its budget that is reserved for the response body.
pub fn left(timeout: NextTimeout, body: Duration) -> Duration {
    match timeout.reason {
        Timeout::RecvBody => *timeout.after,
        _ => timeout.after.saturating_sub(body),
    }
}

/// The deadline of the wait that ureq asks for.
fn deadline(timeout: NextTimeout, body: Duration) -> Instant {
    monotonic() + left(timeout, body)
}

fn time_is_up() -> io::Error {
    io::Error::from(io::ErrorKind::TimedOut)
}

/// Whether the error is from TLS rather than from the socket.
pub fn is_tls(error: &io::Error) -> bool {
    error
        .get_ref()
        .is_some_and(|inner| inner.is::<rustls::Error>())
}

/// Converts a socket error to ureq's.
fn ureq_error(error: io::Error, timeout: NextTimeout) -> Error {
    match error.kind() {
        io::ErrorKind::TimedOut => Error::Timeout(timeout.reason),
        // ureq treats these as the end of a body without a length, so a truncated body would look complete. Only a close_notify
        // or the end of a plain connection ends such a body.
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::ConnectionReset => Error::Io(io::Error::other(error)),
        _ => Error::Io(error),
    }
}

/// Opens connections for ureq.
#[derive(Clone)]
pub struct Connect {
    tls: Arc<ClientConfig>,
    proxy: Option<Arc<Proxy>>,
}

impl Connect {
    pub fn new(tls: Arc<ClientConfig>, proxy: Option<Arc<Proxy>>) -> Connect {
        Connect { tls, proxy }
    }

    /// The TLS configuration.
    pub(super) fn tls(&self) -> Arc<ClientConfig> {
        Arc::clone(&self.tls)
    }

    /// Has the proxy connect the socket to the host, if there is one.
    pub(super) fn tunnel(
        &self,
        socket: &mut Socket,
        host: &str,
        port: u16,
    ) -> Result<(), DialError> {
        match self.proxy {
            Some(_) => tunnel(socket, host, port),
            None => Ok(()),
        }
    }
}

impl Connector<()> for Connect {
    type Out = UreqTransport;

    fn connect(
        &self,
        details: &ConnectionDetails,
        _: Option<()>,
    ) -> Result<Option<UreqTransport>, Error> {
        let (config, timeout) = (details.config, details.timeout);
        let body = body_share(config);
        let until = deadline(timeout, body);
        let stream = reach(&details.addrs, until).map_err(|error| ureq_error(error, timeout))?;
        let stream = Arc::new(stream);
        let handle: Weak<TcpStream> = Arc::downgrade(&stream);
        (details.register_shutdown)(handle as Weak<dyn ShutdownHandle>)?;
        let own_error = |error: DialError| Error::Other(Box::new(error));
        let (host, port) = host_and_port(details.uri);
        let mut socket = Socket { stream, until };
        self.tunnel(&mut socket, host, port).map_err(own_error)?;
        let channel = if details.needs_tls() {
            Channel::Secure(Box::new(
                secure(socket, host, &self.tls).map_err(own_error)?,
            ))
        } else {
            Channel::Plain(socket)
        };
        Ok(Some(UreqTransport {
            channel,
            buffers: LazyBuffers::new(config.input_buffer_size(), config.output_buffer_size()),
            unsent: Vec::new(),
            body,
        }))
    }
}

impl fmt::Debug for Connect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connect").finish_non_exhaustive()
    }
}

/// Connects to the first address that accepts.
pub(super) fn reach(addresses: &[SocketAddr], until: Instant) -> io::Result<TcpStream> {
    let mut failed = time_is_up();
    for (address, to_try) in addresses.iter().zip((1..=addresses.len() as u32).rev()) {
        let left = until.saturating_duration_since(monotonic());
        let share = match to_try {
            1 => left,
            _ => FIRST_ADDRESSES.min(left / to_try),
        };
        if share.is_zero() {
            return Err(time_is_up());
        }
        match TcpStream::connect_timeout(address, share) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

/// Performs the handshake and verifies the certificate. Every failure except a time-out is [`DialError::SecureConnection`].
pub(super) fn secure(
    mut socket: Socket,
    host: &str,
    tls: &Arc<ClientConfig>,
) -> Result<StreamOwned<ClientConnection, Socket>, DialError> {
    let mut shake = || -> io::Result<ClientConnection> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let connection = ClientConnection::new(Arc::clone(tls), name);
        let mut connection = connection.map_err(io::Error::other)?;
        connection.complete_io(&mut socket)?;
        Ok(connection)
    };
    match shake() {
        Ok(connection) => Ok(StreamOwned::new(connection, socket)),
        Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(DialError::Timeout),
        Err(error) => Err(DialError::SecureConnection(error.to_string())),
    }
}

/// A socket that fails with `TimedOut` after its deadline.
pub(super) struct Socket {
    /// Shared with the client, which may shut it down.
    pub(super) stream: Arc<TcpStream>,
    pub(super) until: Instant,
}

impl Socket {
    fn left(&self) -> io::Result<Duration> {
        let left = self.until.saturating_duration_since(monotonic());
        if left.is_zero() {
            return Err(time_is_up());
        }
        Ok(left)
    }

    /// Retries after a signal. Maps both time-out errors of a socket to `TimedOut`.
    fn wait(&self, mut step: impl FnMut(Duration) -> io::Result<usize>) -> io::Result<usize> {
        loop {
            match step(self.left()?) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Err(time_is_up()),
                done => return done,
            }
        }
    }
}

impl Read for Socket {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.wait(|left| {
            self.stream.set_read_timeout(Some(left))?;
            (&*self.stream).read(into)
        })
    }
}

impl Write for Socket {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.wait(|left| {
            self.stream.set_write_timeout(Some(left))?;
            (&*self.stream).write(from)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) enum Channel {
    Plain(Socket),
    Secure(Box<StreamOwned<ClientConnection, Socket>>),
}

impl Channel {
    pub(super) fn socket(&mut self) -> &mut Socket {
        match self {
            Channel::Plain(socket) => socket,
            Channel::Secure(stream) => &mut stream.sock,
        }
    }

    pub(super) fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Channel::Plain(socket) => socket.read(into),
            Channel::Secure(stream) => stream.read(into),
        }
    }

    pub(super) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Channel::Plain(socket) => socket.write_all(bytes),
            // A flush reports the bytes that rustls accepted but could not send.
            Channel::Secure(stream) => stream.write_all(bytes).and_then(|()| stream.flush()),
        }
    }
}

/// A connection as ureq uses it.
pub struct UreqTransport {
    channel: Channel,
    buffers: LazyBuffers,
    /// Written by ureq and not yet sent.
    unsent: Vec<u8>,
    body: Duration,
}

/// The largest unsent output, in bytes, before it is sent without waiting for more.
const MAX_UNSENT: usize = 64 * 1024;

impl UreqTransport {
    /// Sends the unsent output and sets the deadline of the following waits.
    fn flush(&mut self, timeout: NextTimeout) -> Result<(), Error> {
        self.channel.socket().until = deadline(timeout, self.body);
        if self.unsent.is_empty() {
            return Ok(());
        }
        let sent = self.channel.send(&self.unsent);
        self.unsent.clear();
        sent.map_err(|error| ureq_error(error, timeout))
    }
}

impl Transport for UreqTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        // The head waits for the body: one write, one segment, and the receiver is woken once.
        let output = &self.buffers.output()[..amount];
        self.unsent.extend_from_slice(output);
        match self.unsent.len() > MAX_UNSENT {
            true => self.flush(timeout),
            false => Ok(()),
        }
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.flush(timeout)?;
        let input = self.buffers.input_append_buf();
        let read = self.channel.read(input);
        let amount = read.map_err(|error| ureq_error(error, timeout))?;
        self.buffers.input_appended(amount);
        Ok(amount > 0)
    }

    /// Connections are never reused.
    fn is_open(&mut self) -> bool {
        false
    }

    fn is_tls(&self) -> bool {
        matches!(self.channel, Channel::Secure(_))
    }
}

impl fmt::Debug for UreqTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::left;
    use std::time::Duration;
    use ureq::Timeout;
    use ureq::unversioned::transport::NextTimeout;

    /// Of 12 s for all and 2 s for the body, the head has 10 s, and the body 2 s after headers at 9 s or 10 s.
    #[test]
    fn the_head_never_has_the_share_of_the_body() {
        let body = Duration::from_secs(2);
        for (reason, after, expected) in [
            (Timeout::Global, 12, 10),
            (Timeout::Global, 3, 1),
            (Timeout::Global, 2, 0),
            (Timeout::Global, 1, 0),
            (Timeout::RecvBody, 2, 2),
            (Timeout::RecvBody, 1, 1),
        ] {
            let timeout = NextTimeout {
                after: Duration::from_secs(after).into(),
                reason,
                ..NextTimeout::default()
            };
            assert_eq!(left(timeout, body).as_secs(), expected, "{reason} {after}");
        }
    }
}
