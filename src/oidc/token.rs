//! ID tokens (OpenID Connect Core, 3.1.3.7): what they must say to be believed, and what they say of a person.

use super::base64url;
use super::keys::{Algorithm, KeyError, Keys};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::fmt;
use subtle::ConstantTimeEq;

/// How far the clocks of provider and server may differ.
const SKEW: SignedDuration = SignedDuration::from_secs(60);

/// The longest `sub`, in characters.
const LONGEST_SUBJECT: usize = 255;

/// The parties and the sign-in that a token must be made for.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    pub issuer: &'a str,
    pub client_id: &'a str,
    pub nonce: &'a str,
    pub now: Timestamp,
}

/// The claims of a provider about a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// Names the person at the provider, for ever.
    pub subject: String,
    pub email: Option<String>,
    /// Whether the provider vouches for the address.
    pub email_verified: bool,
    /// The ids of the workspace and the person, from Slack.
    pub slack_team: Option<String>,
    pub slack_user: Option<String>,
    /// Everything else that the provider says, as it says it.
    pub others: Map<String, Value>,
}

impl Claims {
    /// With what the userinfo endpoint says of the same person beside the token. The token comes first.
    pub(super) fn completed(mut self, found: Person) -> Claims {
        if self.email.is_none() {
            self.email = found.email;
            self.email_verified = found.email_verified;
        }
        for (name, value) in found.others {
            self.others.entry(name).or_insert(value);
        }
        self
    }
}

/// Why a token is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenError {
    Malformed,
    Algorithm,
    /// The token names extensions that must be understood.
    Critical,
    Key(KeyError),
    Issuer,
    Audience,
    AuthorizedParty,
    Nonce,
    Expired,
    NotYetValid,
    Subject,
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TokenError::Malformed => "the ID token is malformed",
            TokenError::Algorithm => {
                "the ID token is signed with another algorithm than RS256, ES256 or EdDSA"
            }
            TokenError::Critical => "the ID token has extensions that are not supported",
            TokenError::Key(KeyError::Unknown) => {
                "the provider publishes no key that the ID token could be signed with"
            }
            TokenError::Key(KeyError::Ambiguous) => {
                "the ID token does not say which of the provider's keys has signed it"
            }
            TokenError::Key(KeyError::BadSignature) => "the signature of the ID token is wrong",
            TokenError::Issuer => "the ID token is from another issuer",
            TokenError::Audience => "the ID token is for another client",
            TokenError::AuthorizedParty => "the ID token was issued to another client",
            TokenError::Nonce => "the ID token is of another sign-in",
            TokenError::Expired => "the ID token has expired; check the clocks of both servers",
            TokenError::NotYetValid => {
                "the ID token is from the future; check the clocks of both servers"
            }
            TokenError::Subject => "the ID token does not name a person",
        })
    }
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    crit: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Payload {
    iss: String,
    #[serde(default)]
    sub: String,
    aud: Audience,
    azp: Option<String>,
    nonce: Option<String>,
    exp: f64,
    iat: f64,
    nbf: Option<f64>,
    #[serde(flatten)]
    person: Person,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

/// The claims about a person, in an ID token and in the answer of the userinfo endpoint.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default)]
pub(super) struct Person {
    pub email: Option<String>,
    /// Some providers write it as text.
    #[serde(deserialize_with = "truth")]
    pub email_verified: bool,
    #[serde(rename = "https://slack.com/team_id")]
    pub slack_team: Option<String>,
    #[serde(rename = "https://slack.com/user_id")]
    pub slack_user: Option<String>,
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

fn truth<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    let value = serde_json::Value::deserialize(from)?;
    Ok(value == true || value == "true")
}

/// An ID token whose signature has not been verified.
#[derive(Debug)]
pub struct Token<'a> {
    algorithm: Algorithm,
    key_id: Option<String>,
    /// Header and payload as they were signed.
    signed: &'a str,
    signature: Vec<u8>,
    payload: Vec<u8>,
}

impl<'a> Token<'a> {
    /// Takes a token in its compact form apart.
    ///
    /// # Errors
    /// [`TokenError::Malformed`], [`TokenError::Algorithm`] and [`TokenError::Critical`].
    pub fn parse(text: &'a str) -> Result<Token<'a>, TokenError> {
        let (signed, signature) = text.rsplit_once('.').ok_or(TokenError::Malformed)?;
        let (header, payload) = signed.split_once('.').ok_or(TokenError::Malformed)?;
        let decoded = |part: &str| base64url(part).ok_or(TokenError::Malformed);
        let (header, payload, signature) =
            (decoded(header)?, decoded(payload)?, decoded(signature)?);
        let header: Header = serde_json::from_slice(&header).map_err(|_| TokenError::Malformed)?;
        if header.crit.is_some() {
            return Err(TokenError::Critical);
        }
        Ok(Token {
            algorithm: Algorithm::parse(&header.alg).ok_or(TokenError::Algorithm)?,
            key_id: header.kid,
            signed,
            signature,
            payload,
        })
    }

    /// Verifies the signature.
    pub fn check_signature(&self, keys: &Keys) -> Result<(), KeyError> {
        let id = self.key_id.as_deref();
        keys.verify(id, self.algorithm, self.signed.as_bytes(), &self.signature)
    }

    /// Whether newer keys of the provider may verify it where these do not. A token that names its key is signed with that one.
    pub fn may_have_newer_key(&self, error: KeyError) -> bool {
        match error {
            KeyError::Unknown => true,
            KeyError::Ambiguous | KeyError::BadSignature => self.key_id.is_none(),
        }
    }

    /// Checks what a token whose signature is right says of itself, and answers what it says of the person.
    pub fn claims(&self, expected: Expected) -> Result<Claims, TokenError> {
        let payload: Payload =
            serde_json::from_slice(&self.payload).map_err(|_| TokenError::Malformed)?;
        payload.check(expected)?;
        Ok(Claims {
            subject: payload.sub,
            email: payload.person.email,
            email_verified: payload.person.email_verified,
            slack_team: payload.person.slack_team,
            slack_user: payload.person.slack_user,
            others: payload.person.others,
        })
    }
}

impl Payload {
    fn check(&self, expected: Expected) -> Result<(), TokenError> {
        if self.iss != expected.issuer {
            return Err(TokenError::Issuer);
        }
        let (is_meant, is_shared) = match &self.aud {
            Audience::One(one) => (one == expected.client_id, false),
            Audience::Many(many) => {
                let is_meant = many.iter().any(|one| one == expected.client_id);
                (is_meant, many.len() > 1)
            }
        };
        if !is_meant {
            return Err(TokenError::Audience);
        }
        match self.azp.as_deref() {
            Some(party) if party != expected.client_id => return Err(TokenError::AuthorizedParty),
            None if is_shared => return Err(TokenError::AuthorizedParty),
            _ => {}
        }
        let nonce = self.nonce.as_deref().unwrap_or_default();
        if !bool::from(nonce.as_bytes().ct_eq(expected.nonce.as_bytes())) {
            return Err(TokenError::Nonce);
        }
        // Seconds with fractions are permitted, and comparing as numbers bounds what a token may say.
        let (now, skew) = (expected.now.as_second() as f64, SKEW.as_secs() as f64);
        if self.exp + skew <= now {
            return Err(TokenError::Expired);
        }
        let begins = self.nbf.map_or(self.iat, |nbf| nbf.max(self.iat));
        if begins > now + skew {
            return Err(TokenError::NotYetValid);
        }
        let length = self.sub.chars().count();
        match (1..=LONGEST_SUBJECT).contains(&length) {
            true => Ok(()),
            false => Err(TokenError::Subject),
        }
    }
}
