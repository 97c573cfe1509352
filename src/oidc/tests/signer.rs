//! Keys of an identity provider that signs, shared by the tests of `oidc` and by `tests/it`. Does not use the library.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
    RsaKeyPair, RsaPublicKeyComponents,
};
use serde_json::{Value, json};

/// Bytes in base64url.
pub fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// A private key.
pub enum Signer {
    Rsa(Box<RsaKeyPair>),
    P256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl Signer {
    /// The key of `oidc-rsa.key`: ring makes no RSA keys.
    pub fn rsa() -> Signer {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/certs/oidc-rsa.key");
        let pem = std::fs::read_to_string(path).expect("the key");
        let lines = pem.lines().filter(|line| !line.starts_with('-'));
        let der = STANDARD.decode(lines.collect::<String>()).expect("PEM");
        Signer::Rsa(Box::new(RsaKeyPair::from_pkcs8(&der).expect("a key")))
    }

    /// A new key for ES256.
    pub fn p256() -> Signer {
        let (random, algorithm) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random);
        Signer::P256(pair.expect("its own key"))
    }

    /// A new key for EdDSA.
    pub fn ed25519() -> Signer {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
        Signer::Ed25519(Ed25519KeyPair::from_pkcs8(document.as_ref()).expect("its own key"))
    }

    pub fn algorithm(&self) -> &'static str {
        match self {
            Signer::Rsa(_) => "RS256",
            Signer::P256(_) => "ES256",
            Signer::Ed25519(_) => "EdDSA",
        }
    }

    /// The public key as a key set has it.
    pub fn jwk(&self, id: Option<&str>) -> Value {
        let mut jwk = match self {
            Signer::Rsa(pair) => {
                let public = RsaPublicKeyComponents::<Vec<u8>>::from(pair.public());
                let (n, e) = (encoded(public.n), encoded(public.e));
                json!({ "kty": "RSA", "use": "sig", "alg": "RS256", "n": n, "e": e })
            }
            Signer::P256(pair) => {
                let point = pair.public_key().as_ref();
                let (x, y) = (encoded(&point[1..33]), encoded(&point[33..]));
                json!({ "kty": "EC", "crv": "P-256", "x": x, "y": y })
            }
            Signer::Ed25519(pair) => {
                let x = encoded(pair.public_key().as_ref());
                json!({ "kty": "OKP", "crv": "Ed25519", "x": x })
            }
        };
        if let Some(id) = id {
            jwk["kid"] = json!(id);
        }
        jwk
    }

    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        match self {
            Signer::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                let signed = pair.sign(
                    &RSA_PKCS1_SHA256,
                    &SystemRandom::new(),
                    message,
                    &mut signature,
                );
                signed.expect("a signature");
                signature
            }
            Signer::P256(pair) => {
                let signed = pair.sign(&SystemRandom::new(), message);
                signed.expect("a signature").as_ref().to_vec()
            }
            Signer::Ed25519(pair) => pair.sign(message).as_ref().to_vec(),
        }
    }

    /// A token with these claims; its header names this key.
    pub fn token(&self, id: Option<&str>, claims: &Value) -> String {
        let mut header = json!({ "typ": "JWT", "alg": self.algorithm() });
        if let Some(id) = id {
            header["kid"] = json!(id);
        }
        self.token_with(&header, claims)
    }

    /// A token with any header.
    pub fn token_with(&self, header: &Value, claims: &Value) -> String {
        let signed = format!(
            "{}.{}",
            encoded(header.to_string()),
            encoded(claims.to_string())
        );
        let signature = encoded(self.sign(signed.as_bytes()));
        format!("{signed}.{signature}")
    }
}
