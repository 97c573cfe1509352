//! The address policy for URLs that a stranger named, such as webhook endpoints and calendar feeds.
//!
//! Whatever the URL says, only addresses that [`Openings`] lets pass are connected to. Addresses are judged, never strings:
//! `0x7f.1` is 127.0.0.1 to the system's resolver. The resolver that judges is the one whose addresses are connected to, so a name
//! cannot change between the two. A proxy is never used.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use super::lookup::{self, LookUp, Lookups};
use super::{Addresses, Answer, Client, DialError, Request, Tls, Url, UrlError};
use crate::domain::address::Openings;
use crate::domain::webhook::SendError;
use crate::runtime::transaction::assert_network_allowed;

/// How long resolving a name may take when a URL is checked.
const CHECK: Duration = Duration::from_secs(5);

/// What may be connected to. The default is public addresses over https.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// What may be connected to beside public addresses.
    pub openings: Openings,
    /// http as well as https: `rota dev` alone.
    pub plain_http: bool,
}

/// A client that connects to judged addresses alone.
pub struct GuardedClient {
    client: Client,
    /// Judges when a URL is checked.
    checking: Judge,
    check_within: Duration,
}

impl GuardedClient {
    pub fn new(tls: &Tls, rules: Rules) -> GuardedClient {
        GuardedClient::with(tls, rules, CHECK, Arc::new(lookup::system))
    }

    pub(super) fn with(
        tls: &Tls,
        rules: Rules,
        check_within: Duration,
        look_up: Arc<LookUp>,
    ) -> GuardedClient {
        // Look-ups of their own, so that checking names that hang never keeps a delivery from its name.
        let checking = Judge::new(rules.openings.clone(), Lookups::new(Arc::clone(&look_up)));
        let judge = Arc::new(Judge::new(rules.openings, Lookups::new(look_up)));
        GuardedClient {
            client: Client::with(tls, rules.plain_http, None, judge),
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

    /// Resolves the host and judges every address, as at registration. Takes at most 5 s.
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
    ///
    /// # Errors
    /// [`DialError`].
    pub fn send(&self, request: &Request) -> Result<Answer, DialError> {
        self.client.send(request)
    }

    /// [`Client::shut_down`].
    pub fn shut_down(&self) {
        self.client.shut_down();
    }
}

/// The name by which an attempt of a delivery records an error.
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

/// Resolves and judges.
struct Judge {
    openings: Openings,
    lookups: Lookups,
}

impl Judge {
    fn new(openings: Openings, lookups: Lookups) -> Judge {
        Judge { openings, lookups }
    }
}

impl Addresses for Judge {
    /// The addresses of a host, when every one of them may be connected to: a name that is public by halves is a way inside.
    fn addresses(
        &self,
        host: &str,
        port: u16,
        within: Duration,
    ) -> Result<Vec<SocketAddr>, DialError> {
        let addresses = self.lookups.addresses(host, port, within)?;
        for address in &addresses {
            let ip = address.ip();
            let judged = self.openings.judge(ip);
            judged.map_err(|range| DialError::PrivateAddress(ip, range))?;
        }
        Ok(addresses)
    }
}
