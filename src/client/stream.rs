//! A connection for protocols other than HTTP: in the clear, secured, or secured later, as SMTP is.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::ClientConfig;

use super::connection::{Channel, Socket, reach, secure};
use super::{Client, DialError, Url};
use crate::runtime::clock::monotonic;
use crate::runtime::transaction::assert_network_allowed;

/// A connection whose waits fail with `TimedOut` at a deadline.
pub struct Stream {
    channel: Channel,
    host: String,
    tls: Arc<ClientConfig>,
    own: SocketAddr,
    peer: SocketAddr,
}

impl Client {
    /// Connects to a host in the clear, directly whatever proxy is set. `within` limits resolving and connecting; the stream
    /// then has its own deadline.
    pub fn connect(&self, host: &str, port: u16, within: Duration) -> Result<Stream, DialError> {
        assert_network_allowed();
        let until = monotonic() + within;
        let addresses = self.resolver.addresses(host, port, within)?;
        self.reached(&addresses, host, until)
    }

    /// Connects to the host of a URL, through the proxy if there is one, and secures the connection if the URL is https. `within`
    /// limits resolving, connecting, the proxy and the handshake; the stream then has its own deadline.
    pub fn stream(&self, url: &Url, within: Duration) -> Result<Stream, DialError> {
        assert_network_allowed();
        let until = monotonic() + within;
        let (host, port) = (url.host(), url.port());
        let addresses = self.resolver.addresses(host, port, within)?;
        let mut stream = self.reached(&addresses, host, until)?;
        self.connect.tunnel(stream.channel.socket(), host, port)?;
        match url.is_secure() {
            true => stream.secured(),
            false => Ok(stream),
        }
    }

    fn reached(
        &self,
        addresses: &[SocketAddr],
        host: &str,
        until: Instant,
    ) -> Result<Stream, DialError> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::TimedOut => DialError::Timeout,
            _ => DialError::Connection(error.to_string()),
        };
        let stream = reach(addresses, until).map_err(failed)?;
        let own = stream.local_addr().map_err(failed)?;
        let peer = stream.peer_addr().map_err(failed)?;
        let stream = Arc::new(stream);
        Ok(Stream {
            channel: Channel::Plain(Socket { stream, until }),
            host: host.to_owned(),
            tls: self.connect.tls(),
            own,
            peer,
        })
    }
}

impl Stream {
    /// Continues with TLS, and verifies that the certificate is the host's.
    ///
    /// # Errors
    /// [`DialError::Timeout`] and [`DialError::SecureConnection`].
    pub fn secured(self) -> Result<Stream, DialError> {
        let Stream {
            channel,
            host,
            tls,
            own,
            peer,
        } = self;
        let Channel::Plain(socket) = channel else {
            let why = "the connection is secure already".to_owned();
            return Err(DialError::SecureConnection(why));
        };
        let stream = secure(socket, &host, &tls)?;
        Ok(Stream {
            channel: Channel::Secure(Box::new(stream)),
            host,
            tls,
            own,
            peer,
        })
    }

    /// Whether TLS protects it.
    pub fn is_secure(&self) -> bool {
        matches!(self.channel, Channel::Secure(_))
    }

    /// The address of this end.
    pub fn own_address(&self) -> IpAddr {
        self.own.ip()
    }

    /// The address of the other end.
    pub fn peer_address(&self) -> IpAddr {
        self.peer.ip()
    }

    /// Sets the deadline of the following waits.
    pub fn set_deadline(&mut self, until: Instant) {
        self.channel.socket().until = until;
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.channel.read(into)
    }
}

impl Write for Stream {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.channel.send(from).map(|()| from.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
