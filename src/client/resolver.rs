//! Provides addresses to ureq: those of the target or of the proxy. ureq connects only to these.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::connection::{body_share, left};
use super::url::host_and_port;
use super::{Addresses, DialError, Proxy};

/// The most addresses of one name that are tried.
const MAX_ADDRESSES: usize = 4;

/// Resolves for one client.
#[derive(Clone)]
pub struct ClientResolver {
    addresses: Arc<dyn Addresses>,
    proxy: Option<Arc<Proxy>>,
}

impl ClientResolver {
    pub fn new(addresses: Arc<dyn Addresses>, proxy: Option<Arc<Proxy>>) -> ClientResolver {
        ClientResolver { addresses, proxy }
    }

    /// The addresses to connect to for a host: at most four, those of the proxy if there is one.
    pub fn addresses(
        &self,
        host: &str,
        port: u16,
        within: Duration,
    ) -> Result<Vec<SocketAddr>, DialError> {
        let (host, port) = match &self.proxy {
            Some(proxy) => (proxy.host(), proxy.port()),
            None => (host, port),
        };
        let mut addresses = self.addresses.addresses(host, port, within)?;
        addresses.truncate(MAX_ADDRESSES);
        Ok(addresses)
    }
}

impl Resolver for ClientResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let (host, port) = host_and_port(uri);
        let within = left(timeout, body_share(config));
        let addresses = self.addresses(host, port, within);
        let addresses = addresses.map_err(|error| Error::Other(Box::new(error)))?;
        let mut kept = self.empty();
        for address in addresses {
            kept.push(address);
        }
        Ok(kept)
    }
}

impl fmt::Debug for ClientResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientResolver").finish_non_exhaustive()
    }
}
