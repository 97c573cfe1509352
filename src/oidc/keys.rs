//! The public keys of an identity provider (RFC 7517), and the signatures that they verify.

use super::base64url;
use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;

/// Keys that are kept of one provider; the rest is ignored.
const MOST_KEYS: usize = 100;

/// The signature algorithms that are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    Rs256,
    Es256,
    EdDsa,
}

impl Algorithm {
    /// By its name in the header of a token. `none`, and the algorithms that sign with a shared secret, are not among them.
    pub fn parse(name: &str) -> Option<Algorithm> {
        match name {
            "RS256" => Some(Algorithm::Rs256),
            "ES256" => Some(Algorithm::Es256),
            "EdDSA" => Some(Algorithm::EdDsa),
            _ => None,
        }
    }
}

/// A public key. The algorithm follows from the key, never from the token that it verifies.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    id: Option<String>,
    material: Material,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Material {
    Rsa {
        modulus: Vec<u8>,
        exponent: Vec<u8>,
    },
    /// An uncompressed point of P-256.
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

impl Material {
    fn algorithm(&self) -> Algorithm {
        match self {
            Material::Rsa { .. } => Algorithm::Rs256,
            Material::P256(_) => Algorithm::Es256,
            Material::Ed25519(_) => Algorithm::EdDsa,
        }
    }

    fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        let verified = match self {
            // ring refuses keys of less than 2,048 or more than 8,192 bits.
            Material::Rsa { modulus, exponent } => RsaPublicKeyComponents {
                n: modulus,
                e: exponent,
            }
            .verify(&signature::RSA_PKCS1_2048_8192_SHA256, message, signature),
            Material::P256(point) => {
                UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, point)
                    .verify(message, signature)
            }
            Material::Ed25519(key) => {
                UnparsedPublicKey::new(&signature::ED25519, key).verify(message, signature)
            }
        };
        verified.is_ok()
    }
}

/// Why no key verifies a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyError {
    /// The provider has no key with this id and algorithm.
    Unknown,
    /// The token names no key, and the provider has several of its algorithm.
    Ambiguous,
    /// The key does not verify the signature.
    BadSignature,
}

/// The keys of a provider that can verify a token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys(Vec<Key>);

#[derive(Deserialize)]
struct Document {
    keys: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    key_ops: Option<Vec<String>>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl Keys {
    /// Reads a key set. Keys of other kinds and for other purposes are left out; `None` if it is no key set.
    pub fn parse(document: &[u8]) -> Option<Keys> {
        let document: Document = serde_json::from_slice(document).ok()?;
        let keys = document.keys.into_iter().take(MOST_KEYS);
        Some(Keys(keys.filter_map(read).collect()))
    }

    /// Verifies a signature with the key of this id. Without an id it is the only key of the algorithm.
    pub fn verify(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), KeyError> {
        let of_algorithm = |key: &&Key| key.material.algorithm() == algorithm;
        let is_named = |key: &&Key| id.is_none() || key.id.as_deref() == id;
        let mut found = self.0.iter().filter(of_algorithm).filter(is_named);
        let key = found.next().ok_or(KeyError::Unknown)?;
        if found.next().is_some() {
            return Err(KeyError::Ambiguous);
        }
        match key.material.verifies(message, signature) {
            true => Ok(()),
            false => Err(KeyError::BadSignature),
        }
    }
}

fn read(value: serde_json::Value) -> Option<Key> {
    let jwk: Jwk = serde_json::from_value(value).ok()?;
    let signs = jwk
        .purpose
        .as_deref()
        .is_none_or(|purpose| purpose == "sig");
    let verifies = jwk.key_ops.as_ref();
    let verifies = verifies.is_none_or(|operations| operations.iter().any(|one| one == "verify"));
    if !signs || !verifies {
        return None;
    }
    let bytes = |text: &Option<String>| base64url(text.as_deref()?);
    let material = match (jwk.kty.as_str(), jwk.crv.as_deref()) {
        ("RSA", _) => Material::Rsa {
            modulus: without_zeros(bytes(&jwk.n)?),
            exponent: without_zeros(bytes(&jwk.e)?),
        },
        ("EC", Some("P-256")) => {
            let (x, y) = (bytes(&jwk.x)?, bytes(&jwk.y)?);
            if x.len() != 32 || y.len() != 32 {
                return None;
            }
            Material::P256([&[4], &x[..], &y[..]].concat())
        }
        ("OKP", Some("Ed25519")) => Material::Ed25519(bytes(&jwk.x)?),
        _ => return None,
    };
    let is_meant = jwk.alg.as_deref();
    let is_meant = is_meant.is_none_or(|name| Algorithm::parse(name) == Some(material.algorithm()));
    is_meant.then_some(Key {
        id: jwk.kid,
        material,
    })
}

/// Some providers write numbers with leading zeros, which ring refuses.
fn without_zeros(mut number: Vec<u8>) -> Vec<u8> {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    number.drain(..zeros);
    number
}
