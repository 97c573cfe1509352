//! Judges the addresses of a name. What ureq is handed here is what it dials.

use std::error;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::connection::left;
use super::lookup::{Lookups, Missing};
use crate::domain::address::{Openings, Range};

/// The most addresses of one name that are tried. All of them are judged.
const MOST: usize = 4;

/// Why nothing was connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreached {
    /// The name has no address.
    Unresolved,
    /// Time was up before it had one.
    Late,
    /// One of its addresses may not be dialled.
    Refused(IpAddr, Range),
}

impl fmt::Display for Unreached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreached::Unresolved => f.write_str("the name resolves to no address"),
            Unreached::Late => f.write_str("the name did not resolve in time"),
            Unreached::Refused(address, range) => write!(f, "{address} is {range}"),
        }
    }
}

impl error::Error for Unreached {}

/// Resolves and judges.
pub struct Judge {
    openings: Openings,
    lookups: Lookups,
}

impl Judge {
    pub fn new(openings: Openings, lookups: Lookups) -> Judge {
        Judge { openings, lookups }
    }

    /// The addresses of a host, when every one of them may be dialled: a name that is public by halves is a way
    /// inside.
    ///
    /// # Errors
    /// [`Unreached`].
    pub fn addresses(
        &self,
        host: &str,
        port: u16,
        within: Duration,
    ) -> Result<Vec<SocketAddr>, Unreached> {
        let found = self.lookups.addresses(host, port, within);
        let addresses = found.map_err(|missing| match missing {
            Missing::Unknown => Unreached::Unresolved,
            Missing::Late => Unreached::Late,
        })?;
        for address in &addresses {
            let ip = address.ip();
            let judged = self.openings.judge(ip);
            judged.map_err(|range| Unreached::Refused(ip, range))?;
        }
        Ok(addresses)
    }
}

/// The judge as ureq asks it.
pub struct JudgingResolver {
    judge: Arc<Judge>,
    /// The share of ureq's budget that is the body's.
    body: Duration,
}

impl JudgingResolver {
    pub fn new(judge: Arc<Judge>, body: Duration) -> JudgingResolver {
        JudgingResolver { judge, body }
    }
}

impl Resolver for JudgingResolver {
    fn resolve(
        &self,
        uri: &Uri,
        _: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let host = uri.host().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let own_port = if uri.scheme_str() == Some("http") {
            80
        } else {
            443
        };
        let port = uri.port_u16().unwrap_or(own_port);
        let addresses = self.judge.addresses(host, port, left(timeout, self.body));
        let addresses = addresses.map_err(|unreached| Error::Other(Box::new(unreached)))?;
        let mut kept = self.empty();
        for address in addresses.into_iter().take(MOST) {
            kept.push(address);
        }
        Ok(kept)
    }
}

impl fmt::Debug for JudgingResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JudgingResolver").finish_non_exhaustive()
    }
}
