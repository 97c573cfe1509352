//! Why a request has no response.

use super::UrlError;
use crate::domain::address::Range;
use std::error;
use std::fmt;
use std::net::IpAddr;

/// Why there is no response. The texts are for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DialError {
    /// The URL cannot be requested.
    InvalidUrl(UrlError),
    /// The name has no address, or no resolver answered.
    NameResolution,
    /// The name did not resolve in time.
    ResolutionTimeout,
    /// One of the addresses may not be connected to.
    PrivateAddress(IpAddr, Range),
    /// The response headers did not arrive in time.
    Timeout,
    /// The connection was refused, reset or closed before the response.
    Connection(String),
    /// The proxy did not open a connection.
    Proxy(String),
    /// TLS failed: the certificate, the handshake, or an alert.
    SecureConnection(String),
    /// The response was not HTTP/1, or its head was over 16 KiB.
    InvalidResponse(String),
    /// The request could not be sent: it has a header that HTTP does not allow.
    NotSent(String),
    /// A panic was caught.
    Panicked,
}

impl DialError {
    /// Whether a connection was attempted.
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
