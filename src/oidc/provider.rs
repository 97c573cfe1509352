//! Requests to the provider. Its host is the operator's setting, so private addresses are permitted; redirects are not followed.

use super::error::{Error, printable};
use super::keys::Keys;
use super::matching;
use super::metadata::{self, Authentication, Metadata};
use super::pending::Pending;
use super::settings::Settings;
use super::token::{Claims, Expected, Person, Token};
use crate::client::{Client, Limits, Request, Tls, encode};
use crate::runtime::clock::monotonic;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long metadata and keys are used before they are read again.
const CACHED: SignedDuration = SignedDuration::from_hours(1);

/// The longest time for all requests of one step of a sign-in.
const STEP: Duration = Duration::from_secs(10);

/// The longest time for one request.
const REQUEST: Duration = Duration::from_secs(5);

/// The largest answer that is read, in bytes.
const LARGEST: usize = 256 * 1024;

/// Sign-ins that wait for the provider at once, so that one that hangs does not take every thread.
const MOST_AT_ONCE: usize = 8;

/// The documents that were read from the provider, and when.
type Cache<T> = Mutex<Option<(Arc<T>, Timestamp)>>;

/// The identity provider.
pub struct Provider {
    settings: Settings,
    client: Client,
    metadata: Cache<Metadata>,
    keys: Cache<Keys>,
    at_once: AtomicUsize,
}

/// One step of a sign-in: its deadline, and its share of the sign-ins at once.
pub(super) struct Step<'a> {
    provider: &'a Provider,
    until: Instant,
    now: Timestamp,
}

impl Drop for Step<'_> {
    fn drop(&mut self) {
        self.provider.at_once.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
    access_token: Option<String>,
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
}

#[derive(Deserialize)]
struct Userinfo {
    sub: String,
    #[serde(flatten)]
    person: Person,
}

impl Provider {
    /// A provider of these settings. Plain HTTP is spoken only where the issuer is an http address.
    pub fn new(settings: Settings, tls: &Tls) -> Provider {
        let plain_http = settings.issuer.starts_with("http://");
        Provider {
            client: Client::new(tls, plain_http, None),
            settings,
            metadata: Cache::default(),
            keys: Cache::default(),
            at_once: AtomicUsize::new(0),
        }
    }

    /// The operator's settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Reads the discovery document and the keys, as a sign-in does.
    ///
    /// # Errors
    /// [`Error::Provider`] with a sentence for the operator.
    pub fn check(&self, now: Timestamp) -> Result<(), Error> {
        let step = self.step(now)?;
        step.metadata()
            .and_then(|metadata| step.read_keys(&metadata))
            .map(drop)
    }

    /// The provider's metadata. A cached copy takes no step.
    pub(super) fn metadata(&self, now: Timestamp) -> Result<Arc<Metadata>, Error> {
        match cached(&self.metadata, now) {
            Some(known) => Ok(known),
            None => self.step(now)?.metadata(),
        }
    }

    /// Begins a step.
    pub(super) fn step(&self, now: Timestamp) -> Result<Step<'_>, Error> {
        let taken = (self.at_once).fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| {
            (count < MOST_AT_ONCE).then_some(count + 1)
        });
        match taken {
            Ok(_) => Ok(Step {
                provider: self,
                until: monotonic() + STEP,
                now,
            }),
            Err(_) => Err(Error::Busy),
        }
    }
}

/// A value of a cache that is not too old.
fn cached<T>(cache: &Cache<T>, now: Timestamp) -> Option<Arc<T>> {
    let cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    let (value, at) = cache.as_ref()?;
    let age = now.duration_since(*at);
    (!age.is_negative() && age < CACHED).then(|| Arc::clone(value))
}

fn keep<T>(cache: &Cache<T>, value: T, now: Timestamp) -> Arc<T> {
    let value = Arc::new(value);
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    *cache = Some((Arc::clone(&value), now));
    value
}

impl Step<'_> {
    /// The provider's metadata.
    pub(super) fn metadata(&self) -> Result<Arc<Metadata>, Error> {
        let provider = self.provider;
        if let Some(known) = cached(&provider.metadata, self.now) {
            return Ok(known);
        }
        let address = metadata::address(&provider.settings.issuer);
        let document = self.get(Request::get(&address), "the discovery document")?;
        let is_address = |url: &str| provider.client.url(url).is_ok();
        let read = Metadata::parse(&document, &provider.settings.issuer, is_address);
        let read = read.map_err(|why| Error::Provider(format!("{address}: {why}")))?;
        Ok(keep(&provider.metadata, read, self.now))
    }

    /// Reads the provider's keys, whatever is cached.
    fn read_keys(&self, metadata: &Metadata) -> Result<Arc<Keys>, Error> {
        let document = self.get(Request::get(&metadata.keys_uri), "the keys")?;
        let read = Keys::parse(&document);
        let unusable = || Error::Provider(format!("{}: not a key set", metadata.keys_uri));
        Ok(keep(
            &self.provider.keys,
            read.ok_or_else(unusable)?,
            self.now,
        ))
    }

    /// Exchanges the code of a callback for what the provider says of the person.
    ///
    /// # Errors
    /// Every [`Error`] of an exchange.
    pub(super) fn exchange(
        &self,
        metadata: &Metadata,
        (code, redirect_uri): (&str, &str),
        pending: &Pending,
    ) -> Result<Claims, Error> {
        let settings = &self.provider.settings;
        let tokens = self.tokens(metadata, (code, redirect_uri), pending.verifier.as_deref())?;
        let token = Token::parse(&tokens.id_token).map_err(Error::Token)?;
        self.check_signature(metadata, &token)?;
        let expected = Expected {
            issuer: &settings.issuer,
            client_id: &settings.client_id,
            nonce: &pending.nonce,
            now: self.now,
        };
        let claims = token.claims(expected).map_err(Error::Token)?;
        match (&metadata.userinfo_endpoint, &tokens.access_token) {
            (Some(endpoint), Some(access)) if matching::lacks(&claims, settings) => {
                self.with_userinfo(claims, endpoint, access)
            }
            _ => Ok(claims),
        }
    }

    fn tokens(
        &self,
        metadata: &Metadata,
        (code, redirect_uri): (&str, &str),
        verifier: Option<&str>,
    ) -> Result<Tokens, Error> {
        let settings = &self.provider.settings;
        let (id, secret) = (&settings.client_id, settings.client_secret.reveal());
        let mut fields = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
        ];
        fields.extend(verifier.map(|verifier| ("code_verifier", verifier)));
        let endpoint = &metadata.token_endpoint;
        let request = match metadata.authentication {
            Authentication::Basic => {
                // Both are form-encoded first (RFC 6749, 2.3.1).
                let pair = format!("{}:{}", encode(id), encode(secret));
                let value = format!("Basic {}", STANDARD.encode(pair));
                Request::post(endpoint).header("Authorization", &value)
            }
            Authentication::Post => {
                fields.extend([("client_id", id.as_str()), ("client_secret", secret)]);
                Request::post(endpoint)
            }
        };
        let body = self.get(request.form(&fields), "the token endpoint")?;
        serde_json::from_slice(&body)
            .map_err(|_| Error::Provider(format!("{endpoint}: the answer has no ID token")))
    }

    fn check_signature(&self, metadata: &Metadata, token: &Token) -> Result<(), Error> {
        let known = cached(&self.provider.keys, self.now);
        let was_known = known.is_some();
        let keys = known.map_or_else(|| self.read_keys(metadata), Ok)?;
        match token.check_signature(&keys) {
            Err(error) if was_known && token.may_have_newer_key(error) => {
                let newer = self.read_keys(metadata)?;
                token.check_signature(&newer)
            }
            done => done,
        }
        .map_err(|error| Error::Token(super::token::TokenError::Key(error)))
    }

    fn with_userinfo(&self, claims: Claims, endpoint: &str, access: &str) -> Result<Claims, Error> {
        let request = Request::get(endpoint).header("Authorization", &format!("Bearer {access}"));
        let body = self.get(request, "the userinfo endpoint")?;
        let found: Userinfo = serde_json::from_slice(&body)
            .map_err(|_| Error::Provider(format!("{endpoint}: the answer is not usable")))?;
        match found.sub == claims.subject {
            true => Ok(claims.completed(found.person)),
            false => Err(Error::OtherPerson),
        }
    }

    /// Sends a request and answers the body of a 200.
    fn get(&self, request: Request, what: &str) -> Result<Vec<u8>, Error> {
        let failed = |why: &str| Error::Provider(format!("{}: {what}: {why}", request.url));
        let left = self.until.saturating_duration_since(monotonic());
        if left.is_zero() {
            return Err(failed("no time is left"));
        }
        let limits = Limits {
            total: left.min(REQUEST),
            body: Duration::ZERO,
            body_bytes: LARGEST,
        };
        let request = request.clone().header("Accept", "application/json");
        let answer = self.provider.client.send(&request.within(limits));
        let answer = answer.map_err(|error| failed(&error.to_string()))?;
        match answer.status {
            200 if answer.truncated => Err(failed("the answer is incomplete or over 256 KiB")),
            200 => Ok(answer.body),
            status => {
                let code = serde_json::from_slice::<Refusal>(&answer.body);
                let code = code.map(|refusal| printable(&refusal.error));
                match code {
                    Ok(code) if code == "invalid_grant" => Err(Error::Refused(code)),
                    Ok(code) => Err(failed(&format!("status {status}, {code}"))),
                    Err(_) => Err(failed(&format!("status {status}"))),
                }
            }
        }
    }
}
