//! Why a request has no answer.

use super::UrlError;
use crate::domain::address::Range;
use std::error;
use std::fmt;
use std::net::IpAddr;

/// Why there is no answer. The texts are for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DialError {
    /// The URL cannot be requested.
    InvalidUrl(UrlError),
    /// The name has no address, or nobody could be asked.
    NameResolution,
    /// The name was not resolved in time.
    ResolutionTimeout,
    /// One of the addresses may not be connected to.
    PrivateAddress(IpAddr, Range),
    /// Time was up before the response headers were there.
    Timeout,
    /// The connection was refused, broke, or ended before the response.
    Connection(String),
    /// The proxy did not make a connection.
    Proxy(String),
    /// TLS failed: the certificate, the handshake, or an alert.
    SecureConnection(String),
    /// What came was not an HTTP/1 response, or had a head over 16 KiB.
    InvalidResponse(String),
    /// The request could not be sent: a header that HTTP does not allow.
    NotSent(String),
    /// A panic was caught.
    Panicked,
}

impl DialError {
    /// Whether something was connected to, or tried to be.
    pub fn was_dialled(&self) -> bool {
        !matches!(
            self,
            DialError::InvalidUrl(_)
                | DialError::NameResolution
                | DialError::ResolutionTimeout
                | DialError::PrivateAddress(..)
                | DialError::NotSent(_)
        )
    }
}

impl fmt::Display for DialError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DialError::InvalidUrl(error) => error.fmt(f),
            DialError::NameResolution => f.write_str("the name resolves to no address"),
            DialError::ResolutionTimeout => f.write_str("the name did not resolve in time"),
            DialError::PrivateAddress(address, range) => write!(f, "{address} is {range}"),
            DialError::Timeout => f.write_str("no response in time"),
            DialError::Connection(why) => write!(f, "connection failed: {why}"),
            DialError::Proxy(why) => write!(f, "no connection through the proxy: {why}"),
            DialError::SecureConnection(why) => write!(f, "no secure connection: {why}"),
            DialError::InvalidResponse(why) => write!(f, "invalid response: {why}"),
            DialError::NotSent(why) => write!(f, "the request cannot be sent: {why}"),
            DialError::Panicked => f.write_str("the client panicked"),
        }
    }
}

impl error::Error for DialError {}
