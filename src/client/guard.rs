//! The address policy for URLs from users, such as webhook endpoints and calendar feeds.
//!
//! Only addresses that [`AllowedNetworks`] permits are connected to, whatever the URL says. The check applies to addresses,
//! not to strings: the system's resolver reads `0x7f.1` as 127.0.0.1. The checked addresses are the ones connected to, so a
//! name cannot change in between. A proxy is never used.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use super::lookup::{self, LookUp, Lookups};
use super::{Addresses, Client, DialError, HttpResponse, Request, Tls, Url, UrlError};
use crate::domain::address::AllowedNetworks;
use crate::domain::webhook::SendError;
use crate::runtime::transaction::assert_network_allowed;

/// How long a name may take to resolve when a URL is checked.
const CHECK: Duration = Duration::from_secs(5);

/// Which addresses and schemes are permitted. The default is public addresses over https.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Permitted networks in addition to public addresses.
    pub allowed_networks: AllowedNetworks,
    /// Permits http as well as https; only in `rota dev`.
    pub plain_http: bool,
}

/// A client that connects only to permitted addresses.
pub struct GuardedClient {
    client: Client,
    /// Used when a URL is checked.
    checking: Checker,
    check_within: Duration,
}

impl GuardedClient {
    pub fn new(tls: &Tls, rules: Rules) -> GuardedClient {
        GuardedClient::with(tls, rules, CHECK, Arc::new(lookup::system))
    }

    /// One for which `look_up` finds addresses.
    #[cfg(test)]
    pub fn resolving(
        tls: &Tls,
        rules: Rules,
        look_up: impl Fn(&str, u16) -> std::io::Result<Vec<SocketAddr>> + Send + Sync + 'static,
    ) -> GuardedClient {
        GuardedClient::with(tls, rules, CHECK, Arc::new(look_up))
    }

    pub(super) fn with(
        tls: &Tls,
        rules: Rules,
        check_within: Duration,
        look_up: Arc<LookUp>,
    ) -> GuardedClient {
        // These lookups have their own threads, so that checks of names that hang never delay a delivery.
        let checking = Checker::new(
            rules.allowed_networks.clone(),
            Lookups::new(Arc::clone(&look_up)),
        );
        let checker = Arc::new(Checker::new(rules.allowed_networks, Lookups::new(look_up)));
        GuardedClient {
            client: Client::with(tls, rules.plain_http, None, checker),
            checking,
            check_within,
        }
    }

    /// [`Client::url`].
    ///
    /// # Errors
    /// [`UrlError::Malformed`] and [`UrlError::SchemeNotAllowed`].
    pub fn url(&self, url: &str) -> Result<Url, UrlError> {
        self.client.url(url)
    }

    /// Resolves the host and checks every address, as at registration. Takes at most 5 s.
    ///
    /// # Errors
    /// [`UrlError::HostNotResolvable`] and [`UrlError::PrivateAddress`].
    pub fn check(&self, url: &Url) -> Result<(), UrlError> {
        assert_network_allowed();
        let addresses = self
            .checking
            .addresses(url.host(), url.port(), self.check_within);
        match addresses {
            Ok(_) => Ok(()),
            Err(DialError::PrivateAddress(_, range)) => Err(UrlError::private(url.host(), range)),
            Err(_) => Err(UrlError::unresolved(url.host())),
        }
    }

    /// [`Client::headers`].
    pub fn headers(&self, request: &Request) -> Vec<(String, String)> {
        self.client.headers(request)
    }

    /// [`Client::send`].
    pub fn send(&self, request: &Request) -> Result<HttpResponse, DialError> {
        self.client.send(request)
    }

    /// [`Client::shut_down`].
    pub fn shut_down(&self) {
        self.client.shut_down();
    }
}

/// The error that an attempt of a delivery records.
pub fn send_error(error: &DialError) -> SendError {
    match error {
        DialError::InvalidUrl(_) => SendError::InvalidUrl,
        DialError::NameResolution => SendError::NameResolution,
        DialError::ResolutionTimeout | DialError::Timeout => SendError::Timeout,
        DialError::PrivateAddress(..) => SendError::PrivateAddress,
        DialError::Connection(_) | DialError::Proxy(_) => SendError::Connection,
        DialError::SecureConnection(_) => SendError::SecureConnection,
        DialError::InvalidResponse(_) => SendError::InvalidResponse,
        DialError::NotSent(_) | DialError::Panicked => SendError::Internal,
    }
}

/// Resolves names and checks their addresses.
struct Checker {
    allowed_networks: AllowedNetworks,
    lookups: Lookups,
}

impl Checker {
    fn new(allowed_networks: AllowedNetworks, lookups: Lookups) -> Checker {
        Checker {
            allowed_networks,
            lookups,
        }
    }
}

impl Addresses for Checker {
    /// The addresses of a host, if all of them are permitted: a name with one private address would reach the inner network.
    fn addresses(
        &self,
        host: &str,
        port: u16,
        within: Duration,
    ) -> Result<Vec<SocketAddr>, DialError> {
        let addresses = self.lookups.addresses(host, port, within)?;
        for address in &addresses {
            let ip = address.ip();
            let judged = self.allowed_networks.judge(ip);
            judged.map_err(|range| DialError::PrivateAddress(ip, range))?;
        }
        Ok(addresses)
    }
}
