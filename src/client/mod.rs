//! Dials out: one POST to a receiver that a stranger named (section 16).
//!
//! Whatever the URL says, only addresses that [`Openings`] lets pass are connected to. Addresses are judged, never
//! strings: `0x7f.1` is 127.0.0.1 to the system's resolver. The resolver that judges is the one that dials, so a name
//! cannot change its mind in between. What a receiver can make us hold is bounded: time, bytes, threads.
//!
//! | File | Part |
//! |---|---|
//! | `url` | a URL to what will be dialled, without the network (pure) |
//! | `lookup` | names to addresses in a bounded number of threads |
//! | `resolver` | judges the addresses of a name, for ureq and for registration |
//! | `connection` | a connection, TLS or not, whose every wait has a deadline |
//! | `trust` | whom TLS believes |

mod connection;
mod lookup;
mod resolver;
#[cfg(test)]
mod tests;
mod trust;
mod url;

use std::io::Read;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::time::Duration;

use ureq::{Agent, Body, Error, http};

use crate::domain::address::Openings;
use crate::domain::webhook::SendError;
use connection::{Connect, Unsecured};
use lookup::{LookUp, Lookups};
use resolver::{Judge, JudgingResolver, Unreached};
pub use url::{BadTarget, Target};

/// The largest part of a response body that is kept, in bytes.
pub const SNIPPET: usize = 4096;

/// The largest response head, in bytes.
const RESPONSE_HEAD: usize = 16 * 1024;

/// ureq finds a head too large when it holds more than is allowed, so it must be able to.
const INPUT_BUFFER: usize = RESPONSE_HEAD + 4 * 1024;

/// The longest header line that we send has to fit, and with it the path of a URL.
const OUTPUT_BUFFER: usize = 4 * 1024;

/// How sends are made. The default dials public addresses over https, and trusts the bundled authorities.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// What may be dialled beside public addresses.
    pub openings: Openings,
    /// http as well as https: `rota dev` alone.
    pub plain_http: bool,
    /// Whose certificates are believed.
    pub trust: Trust,
    /// PEM of further certificate authorities, beside those of `trust`. They have to be authorities: one that a receiver
    /// presents as its own certificate is refused, trusted or not.
    pub extra_ca: Option<Vec<u8>>,
}

/// Where the certificate authorities come from (`[webhooks] trust`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Mozilla's, compiled in.
    #[default]
    Bundled,
    /// The system's own, read once.
    System,
}

/// How long things may take.
#[derive(Clone, Copy, Debug)]
struct Budget {
    /// Resolving, connecting, TLS, request and response headers together.
    head: Duration,
    /// The response body after its headers.
    body: Duration,
    /// Resolving at registration.
    judge: Duration,
}

/// Section 16, **Time**.
const BUDGET: Budget = Budget {
    head: Duration::from_secs(10),
    body: Duration::from_secs(2),
    judge: Duration::from_secs(5),
};

/// What became of one POST.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Real time from resolving to the end of the body. `None` where no request was made: nothing was connected to.
    pub duration: Option<Duration>,
    /// How it ended.
    pub end: End,
}

/// How a POST ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With a response, whatever its status. Redirects are not followed.
    Answered {
        /// 101, or 200 to 999.
        status: u16,
        /// The header as it came.
        retry_after: Option<String>,
        /// The beginning of the body, at most 4,096 bytes.
        body: Vec<u8>,
        /// Whether there was more: over the limit, or still to come when time was up or the connection broke.
        truncated: bool,
    },
    /// Without one.
    Failed(SendError),
}

/// Dials. Built once and shared; sends run side by side, each on its caller's thread.
pub struct Dialler {
    agent: Agent,
    /// Judges at registration.
    registering: Judge,
    plain_http: bool,
    budget: Budget,
}

impl Dialler {
    /// Reads the certificate authorities and sets everything up; dials nothing.
    ///
    /// # Errors
    /// A sentence for the operator: further authorities that cannot be read or are none; a system without any, where
    /// there are no further ones.
    pub fn new(rules: Rules) -> Result<Dialler, String> {
        Dialler::with(rules, BUDGET, Arc::new(lookup::system))
    }

    fn with(rules: Rules, budget: Budget, look_up: Arc<LookUp>) -> Result<Dialler, String> {
        let tls = trust::client_config(rules.trust, rules.extra_ca.as_deref())?;
        // Look-ups of their own, so that registering names that hang never keeps a delivery from its name.
        let registering = Judge::new(rules.openings.clone(), Lookups::new(Arc::clone(&look_up)));
        let judge = Arc::new(Judge::new(rules.openings, Lookups::new(look_up)));
        let config = Agent::config_builder()
            // The default reads it from the environment, and then our resolver would see the proxy alone.
            .proxy(None)
            .max_redirects(0)
            .http_status_as_error(false)
            .max_idle_connections(0)
            .max_response_header_size(RESPONSE_HEAD)
            .input_buffer_size(INPUT_BUFFER)
            .output_buffer_size(OUTPUT_BUFFER)
            // ureq's budget spans the body too, ours ends at the headers: `connection::deadline` takes the body's share off
            // again wherever something else is waited for.
            .timeout_global(Some(budget.head + budget.body))
            .timeout_recv_body(Some(budget.body))
            .build();
        let connect = Connect::new(Arc::new(tls), budget.body);
        let resolver = JudgingResolver::new(judge, budget.body);
        Ok(Dialler {
            agent: Agent::with_parts(config, connect, resolver),
            registering,
            plain_http: rules.plain_http,
            budget,
        })
    }

    /// What a URL is as it will be dialled: without credentials and fragment, scheme and host in lower case. Judged
    /// without the network.
    ///
    /// # Errors
    /// [`BadTarget::Malformed`] and [`BadTarget::SchemeNotAllowed`].
    pub fn target(&self, url: &str) -> Result<Target, BadTarget> {
        Target::parse(url, self.plain_http)
    }

    /// Resolves the host and judges every address, as at registration. Takes at most 5 s.
    ///
    /// # Errors
    /// [`BadTarget::HostNotResolvable`] and [`BadTarget::PrivateAddress`].
    pub fn judge(&self, target: &Target) -> Result<(), BadTarget> {
        let judged = self
            .registering
            .addresses(target.host(), target.port(), self.budget.judge);
        match judged {
            Ok(_) => Ok(()),
            Err(Unreached::Refused(_, range)) => Err(BadTarget::private(target.host(), range)),
            Err(Unreached::Late | Unreached::Unresolved) => {
                Err(BadTarget::unresolved(target.host()))
            }
        }
    }

    /// All headers of a request to this URL, in their order: Host, Content-Length, User-Agent and Accept, then those
    /// given. Host is left out where the URL is none that is dialled.
    pub fn request_headers(
        &self,
        url: &str,
        given: &[(&str, &str)],
        length: usize,
    ) -> Vec<(String, String)> {
        all_headers(self.target(url).ok().as_ref(), given, length)
    }

    /// Posts the body once, with what [`Dialler::request_headers`] gave and no other header. Takes at most 12 s and never
    /// panics.
    pub fn post(&self, url: &str, headers: &[(String, String)], body: &[u8]) -> Exchange {
        let started = crate::runtime::clock::monotonic();
        // ureq checks its own steps with assertions. One that fails must not take the sender's thread along.
        let posted = panic::catch_unwind(AssertUnwindSafe(|| self.try_post(url, headers, body)));
        let (dialled, end) = posted.unwrap_or((true, End::Failed(SendError::Internal)));
        Exchange {
            duration: dialled
                .then(|| crate::runtime::clock::monotonic().saturating_duration_since(started)),
            end,
        }
    }

    /// Whether something was connected to, and how it ended.
    fn try_post(&self, url: &str, headers: &[(String, String)], body: &[u8]) -> (bool, End) {
        let Ok(target) = self.target(url) else {
            return (false, End::Failed(SendError::InvalidUrl));
        };
        match self.send(&target, headers, body) {
            Ok(end) => (true, end),
            Err(error) => {
                log::debug!("no answer from {}: {error}", target.host());
                let (dialled, error) = classify(&error);
                (dialled, End::Failed(error))
            }
        }
    }

    /// Ends what is on the wire, at a shutdown: those sends end as [`SendError::Connection`], and so does every later
    /// one. Resolving and connecting are not interrupted.
    pub fn shut_down(&self) {
        self.agent.clone().shutdown();
    }

    fn send(
        &self,
        target: &Target,
        headers: &[(String, String)],
        body: &[u8],
    ) -> Result<End, Error> {
        let mut request = self.agent.post(target.as_str());
        for (name, value) in headers {
            request = request.header_raw(name, value.as_bytes());
        }
        Ok(answered(request.send(body)?))
    }
}

/// The request's headers in their order. All are ours, so that ureq adds none and these are what goes out.
fn all_headers(
    target: Option<&Target>,
    given: &[(&str, &str)],
    length: usize,
) -> Vec<(String, String)> {
    let host = target.map(|target| ("Host", target.authority().to_string()));
    let own = [
        ("Content-Length", length.to_string()),
        (
            "User-Agent",
            concat!("rota/", env!("CARGO_PKG_VERSION")).to_string(),
        ),
        ("Accept", "*/*".to_string()),
    ];
    let given = given.iter().map(|(name, value)| (*name, value.to_string()));
    let all = host.into_iter().chain(own).chain(given);
    all.map(|(name, value)| (name.to_string(), value)).collect()
}

/// Keeps what is wanted of a response. Its status stands, also where the body does not follow.
fn answered(response: http::Response<Body>) -> End {
    let retry_after = response.headers().get(http::header::RETRY_AFTER);
    let retry_after = retry_after.map(|value| String::from_utf8_lossy(value.as_bytes()).into());
    let status = response.status().as_u16();
    let mut body = Vec::new();
    // One byte more tells whether there is one. What was read before an error is kept by `read_to_end`.
    let mut reader = response.into_body().into_reader().take(SNIPPET as u64 + 1);
    let broken = reader.read_to_end(&mut body).is_err();
    let truncated = broken || body.len() > SNIPPET;
    body.truncate(SNIPPET);
    End::Answered {
        status,
        retry_after,
        body,
        truncated,
    }
}

/// Whether something was connected to, and the name for what went wrong.
fn classify(error: &Error) -> (bool, SendError) {
    match error {
        Error::Timeout(_) => (true, SendError::Timeout),
        Error::Protocol(_) | Error::LargeResponseHeader(..) => (true, SendError::InvalidResponse),
        // Within the handshake it is `Unsecured`; an alert may come after it, with TLS 1.3.
        Error::Io(error)
            if error
                .get_ref()
                .is_some_and(|inner| inner.is::<rustls::Error>()) =>
        {
            (true, SendError::SecureConnection)
        }
        Error::Io(_) => (true, SendError::Connection),
        Error::Other(other) if other.is::<Unsecured>() => (true, SendError::SecureConnection),
        Error::Other(other) => match other.downcast_ref() {
            Some(Unreached::Late) => (false, SendError::Timeout),
            Some(Unreached::Unresolved) => (false, SendError::NameResolution),
            Some(Unreached::Refused(..)) => (false, SendError::PrivateAddress),
            None => (false, SendError::Internal),
        },
        // What is left comes before the connection: a header that cannot be sent, say.
        _ => (false, SendError::Internal),
    }
}
