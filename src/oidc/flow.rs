//! A sign-in from its start to its callback.

use super::error::{Error, printable};
use super::pending::{AllPending, Pending};
use super::provider::Provider;
use super::settings::Matching;
use super::{base64url, matching, random};
use crate::client::encode_fields;
use crate::domain::identity::{Identity, Profile, ProvidedName};
use crate::domain::ids::GroupId;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use ring::digest::{SHA256, digest};
use std::net::IpAddr;
use subtle::ConstantTimeEq;

/// The longest path that a sign-in goes on to; longer ones go on to the first page.
const LONGEST_NEXT: usize = 2_000;

/// Sign-ins at a provider.
pub struct SignIns {
    provider: Provider,
    /// The address of the callback, as it is registered at the provider.
    redirect_uri: String,
    pending: AllPending,
}

/// The parameters of a callback.
#[derive(Clone, Copy, Debug, Default)]
pub struct Callback<'a> {
    pub state: &'a str,
    pub code: Option<&'a str>,
    pub issuer: Option<&'a str>,
    pub error: Option<&'a str>,
}

/// Somebody who has proven who they are at the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    pub identity: Identity,
    /// The claims to match an unlinked person by; else the reason for the log.
    pub name: Result<ProvidedName, &'static str>,
    /// Their address, if it is verified and the provider is believed about its domain.
    pub email: Option<String>,
    /// What a new person would be made of.
    pub profile: Profile,
    /// The user groups of the settings, each with whether they belong to it; `None` where the provider does not say.
    pub groups: Option<Vec<(GroupId, bool)>>,
    /// Where they go on.
    pub next: String,
}

/// A callback that signs nobody in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    pub error: Error,
    /// Where the person wanted to go, where that is known.
    pub next: Option<String>,
}

/// The secret that binds a sign-in to its browser: the one that the browser has from another sign-in, so that two can be under
/// way in two tabs, else a new one.
pub fn browser_secret(known: Option<&str>) -> Result<String, Error> {
    let is_ours = |secret: &&str| base64url(secret).is_some_and(|bytes| bytes.len() == 32);
    match known.filter(is_ours) {
        Some(known) => Ok(known.to_owned()),
        None => random().ok_or(Error::NoRandomness),
    }
}

impl SignIns {
    /// Sign-ins at a provider that come back to a server at this base URL.
    pub fn new(provider: Provider, base_url: &str) -> SignIns {
        SignIns {
            provider,
            redirect_uri: format!("{base_url}/auth/callback"),
            pending: AllPending::default(),
        }
    }

    /// The provider.
    pub fn provider(&self) -> &Provider {
        &self.provider
    }

    /// The address of the callback.
    pub fn redirect_uri(&self) -> &str {
        &self.redirect_uri
    }

    /// Starts a sign-in of the browser with this secret. Answers where the browser goes.
    ///
    /// # Errors
    /// [`Error::Provider`], [`Error::Busy`] and [`Error::NoRandomness`].
    pub fn start(
        &self,
        browser: &str,
        next: &str,
        address: IpAddr,
        now: Timestamp,
    ) -> Result<String, Error> {
        let metadata = self.provider.metadata(now)?;
        let fresh = || random().ok_or(Error::NoRandomness);
        let (state, nonce) = (fresh()?, fresh()?);
        // Many take a challenge without saying so, such as Entra, and others must ignore what they do not know (RFC 6749,
        // section 3.1). Slack is known to take none.
        let takes_challenge = metadata.takes_challenge;
        let takes_challenge =
            takes_challenge.unwrap_or(self.provider.settings().matching != Matching::Slack);
        let verifier = match takes_challenge {
            true => Some(fresh()?),
            false => None,
        };
        let challenge = verifier.as_deref();
        let challenge = challenge.map(|verifier| URL_SAFE_NO_PAD.encode(hash(verifier)));
        let settings = self.provider.settings();
        let mut fields = vec![
            ("response_type", "code"),
            ("client_id", &settings.client_id),
            ("redirect_uri", &self.redirect_uri),
            ("scope", &settings.scopes),
            ("state", &state),
            ("nonce", &nonce),
        ];
        if let Some(challenge) = &challenge {
            fields.extend([
                ("code_challenge", challenge.as_str()),
                ("code_challenge_method", "S256"),
            ]);
        }
        let endpoint = &metadata.authorization_endpoint;
        let join = if endpoint.contains('?') { '&' } else { '?' };
        let url = format!("{endpoint}{join}{}", encode_fields(&fields));
        let next = if next.len() <= LONGEST_NEXT {
            next
        } else {
            "/"
        };
        let pending = Pending {
            browser: hash(browser),
            nonce,
            verifier,
            next: next.to_owned(),
            address,
            started_at: now,
        };
        self.pending.put(state, pending);
        Ok(url)
    }

    /// Ends a sign-in with its callback, which comes from the browser with this secret. Each state is good for one callback.
    pub fn finish(
        &self,
        callback: Callback,
        browser: Option<&str>,
        now: Timestamp,
    ) -> Result<Arrived, Failed> {
        let Some(pending) = self.pending.take(callback.state, now) else {
            return Err(Failed {
                error: Error::UnknownState,
                next: None,
            });
        };
        let arrived = self.arrive(callback, browser, &pending, now);
        arrived.map_err(|error| Failed {
            error,
            next: Some(pending.next),
        })
    }

    fn arrive(
        &self,
        callback: Callback,
        browser: Option<&str>,
        pending: &Pending,
        now: Timestamp,
    ) -> Result<Arrived, Error> {
        let is_same = browser.is_some_and(|browser| hash(browser).ct_eq(&pending.browser).into());
        if !is_same {
            return Err(Error::OtherBrowser);
        }
        let settings = self.provider.settings();
        let step = self.provider.step(now)?;
        let metadata = step.metadata()?;
        let is_issuer = match callback.issuer {
            Some(issuer) => issuer == settings.issuer,
            None => !metadata.names_issuer,
        };
        if !is_issuer {
            return Err(Error::OtherIssuer);
        }
        let code = match (callback.error, callback.code) {
            (Some("access_denied"), _) => return Err(Error::Declined),
            (Some(code), _) => return Err(Error::Refused(printable(code))),
            (None, Some(code)) => code,
            (None, None) => return Err(Error::Refused("neither a code nor an error".into())),
        };
        let claims = step.exchange(&metadata, (code, &self.redirect_uri), pending)?;
        Ok(Arrived {
            name: matching::name(&claims, settings),
            email: matching::address(&claims, settings).ok(),
            profile: matching::profile(&claims),
            groups: matching::groups(&claims, settings),
            identity: Identity {
                issuer: settings.issuer.clone(),
                subject: claims.subject,
            },
            next: pending.next.clone(),
        })
    }
}

fn hash(text: &str) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, text.as_bytes()).as_ref());
    hash
}
