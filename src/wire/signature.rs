//! Signatures of deliveries (rules.md 16.2).

use super::hex;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;
use subtle::ConstantTimeEq;

/// The header with the time of the attempt, in decimal Unix seconds.
pub const TIMESTAMP_HEADER: &str = "Service-Timestamp";
/// The header with the signatures of the attempt.
pub const SIGNATURE_HEADER: &str = "Service-Signature";
/// The prefix of every signing secret.
pub const SECRET_PREFIX: &str = "svc_whsec_";

/// The prefix of a signature in the only scheme.
const SCHEME: &str = "v1=";

/// Why a signature is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifyError {
    /// The timestamp is not in decimal Unix seconds.
    Timestamp,
    /// No signature has a known scheme.
    NoSignature,
    /// No signature matches the secret, timestamp and body.
    Mismatch,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerifyError::Timestamp => {
                write!(f, "{TIMESTAMP_HEADER} is not a number of Unix seconds")
            }
            VerifyError::NoSignature => {
                write!(f, "{SIGNATURE_HEADER} has no element with {SCHEME}")
            }
            VerifyError::Mismatch => f.write_str("the signature does not match"),
        }
    }
}

/// The digest of a timestamp in Unix seconds and a body: 64 lower-case hexadecimal digits. The key is the whole secret,
/// including its prefix.
pub fn sign(secret: &str, timestamp: i64, body: &[u8]) -> String {
    digest(secret, &timestamp.to_string(), body)
}

/// The value of the signature header: one signature per secret, the current secret first.
pub fn header(secrets: &[&str], timestamp: i64, body: &[u8]) -> String {
    let elements = secrets
        .iter()
        .map(|secret| SCHEME.to_owned() + &sign(secret, timestamp, body));
    elements.collect::<Vec<_>>().join(",")
}

/// Verifies the signature headers of a delivery with one secret.
///
/// One matching signature is enough; unknown schemes are ignored. The caller checks the age of the timestamp; see
/// [`seconds`].
pub fn verify(
    secret: &str,
    timestamp_header: &str,
    signature_header: &str,
    body: &[u8],
) -> Result<(), VerifyError> {
    seconds(timestamp_header)?;
    let mut given = signature_header
        .split(',')
        .filter_map(|element| element.strip_prefix(SCHEME))
        .peekable();
    if given.peek().is_none() {
        return Err(VerifyError::NoSignature);
    }
    // The signed text is the header's value as received.
    let expected = digest(secret, timestamp_header, body);
    let matches = |given: &str| bool::from(given.as_bytes().ct_eq(expected.as_bytes()));
    if given.any(matches) {
        Ok(())
    } else {
        Err(VerifyError::Mismatch)
    }
}

/// Parses the timestamp header: Unix seconds, digits only.
pub fn seconds(timestamp_header: &str) -> Result<i64, VerifyError> {
    let plain = timestamp_header.bytes().all(|byte| byte.is_ascii_digit());
    let read = timestamp_header.parse().ok().filter(|_| plain);
    read.ok_or(VerifyError::Timestamp)
}

fn digest(secret: &str, timestamp: &str, body: &[u8]) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        unreachable!("HMAC takes a key of any length");
    };
    mac.update(timestamp.as_bytes());
    mac.update(b".");
    mac.update(body);
    hex(&mac.finalize().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "svc_whsec_0123456789abcdef";
    const AT: i64 = 1_763_640_000;
    const BODY: &[u8] = br#"{"deliveryId":"00112233445566778899aabbccddeeff"}"#;
    const DIGEST: &str = "5d7674e403225e31fd6b0ea3399dc816800bac714669336f771fddafb576c31d";

    /// Computed with Python's hmac.
    #[test]
    fn digests_agree_with_another_implementation() {
        let long = "svc_whsec_".to_owned() + &"k".repeat(100);
        for (secret, body, expected) in [
            (SECRET, BODY, DIGEST),
            (
                SECRET,
                b"",
                "9212261b95f48b352b2659d9e7d04dcafa10d0c87c6d619f878161118b139e13",
            ),
            (
                SECRET,
                b"\x00\xff\n",
                "34302805020d6b0e333938b7158dfb75687fd3ca56e7bba9ad4e9f14073e2b90",
            ),
            (
                long.as_str(),
                BODY,
                "8884bec13ef3f0fccad7fc2c1c1f7f41a9393f25c346e6ec9b3be4883fee414a",
            ),
        ] {
            assert_eq!(sign(secret, AT, body), expected);
        }
    }

    #[test]
    fn each_secret_signs_in_order() {
        let other = sign("svc_whsec_other", AT, BODY);
        assert_eq!(
            header(&[SECRET, "svc_whsec_other"], AT, BODY),
            format!("v1={DIGEST},v1={other}")
        );
        assert_eq!(header(&[SECRET], AT, BODY), format!("v1={DIGEST}"));
    }

    #[test]
    fn one_matching_signature_is_enough() {
        use VerifyError::{Mismatch, NoSignature};
        let zeros = "0".repeat(64);
        for (header, expected) in [
            (format!("v1={DIGEST}"), Ok(())),
            (format!("v1={DIGEST},v1={zeros}"), Ok(())),
            (format!("v1={zeros},v1={DIGEST}"), Ok(())),
            (format!("v0={zeros},v1={DIGEST},v2=x"), Ok(())),
            (format!(",v1={DIGEST},"), Ok(())),
            (format!("v1={zeros}"), Err(Mismatch)),
            (format!("v1={}", DIGEST.to_uppercase()), Err(Mismatch)),
            (format!("v1={}", &DIGEST[..63]), Err(Mismatch)),
            (format!("v1={DIGEST}0"), Err(Mismatch)),
            ("v1=".into(), Err(Mismatch)),
            // The signatures are separated by a comma without a space.
            (format!("v1={zeros}, v1={DIGEST}"), Err(Mismatch)),
            (format!("v2={DIGEST}"), Err(NoSignature)),
            (format!("V1={DIGEST}"), Err(NoSignature)),
            (DIGEST.into(), Err(NoSignature)),
            (String::new(), Err(NoSignature)),
        ] {
            let found = verify(SECRET, &AT.to_string(), &header, BODY);
            assert_eq!(found, expected, "{header}");
        }
    }

    #[test]
    fn a_signature_covers_secret_timestamp_and_body() {
        let (at, header) = (AT.to_string(), format!("v1={DIGEST}"));
        let cut = &BODY[..BODY.len() - 1];
        let later = (AT + 1).to_string();
        for (secret, at, body) in [
            ("svc_whsec_other", at.as_str(), BODY),
            // The prefix is part of the key.
            ("0123456789abcdef", &at, BODY),
            (SECRET, &later, BODY),
            (SECRET, &at, cut),
        ] {
            let found = verify(secret, at, &header, body);
            assert_eq!(found, Err(VerifyError::Mismatch), "{secret} {at}");
        }
    }

    #[test]
    fn a_timestamp_is_digits() {
        for (text, expected) in [
            ("1763640000", Some(AT)),
            ("0", Some(0)),
            ("", None),
            ("soon", None),
            ("+1763640000", None),
            ("-1", None),
            (" 1763640000", None),
            ("1763640000.5", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(seconds(text).ok(), expected, "{text:?}");
            if expected.is_none() {
                let found = verify(SECRET, text, &format!("v1={DIGEST}"), BODY);
                assert_eq!(found, Err(VerifyError::Timestamp), "{text:?}");
            }
        }
    }
}
