//! Tables of tokens, keys and matching, with keys made here.

mod signer;

use super::keys::{KeyError, Keys};
use super::metadata::{self, Authentication, Metadata};
use super::token::{Claims, Expected, Token, TokenError};
use super::{Matching, Settings, browser_secret, matching};
use crate::client::Secret;
use crate::domain::identity::ProvidedName;
use jiff::Timestamp;
use serde_json::{Value, json};
use signer::{Signer, encoded};

const ISSUER: &str = "https://id.example.org";
const NOW: i64 = 1_800_000_000;

fn keys(keys: &[Value]) -> Keys {
    Keys::parse(json!({ "keys": keys }).to_string().as_bytes()).expect("a key set")
}

fn claims() -> Value {
    json!({
        "iss": ISSUER, "sub": "s-1", "aud": "rota", "nonce": "n-1", "exp": NOW + 300, "iat": NOW,
        "email": "ada@example.org", "email_verified": true
    })
}

fn verified(token: &str, keys: &Keys) -> Result<Claims, TokenError> {
    let token = Token::parse(token)?;
    token.check_signature(keys).map_err(TokenError::Key)?;
    token.claims(Expected {
        issuer: ISSUER,
        client_id: "rota",
        nonce: "n-1",
        now: Timestamp::from_second(NOW).expect("in range"),
    })
}

#[test]
fn three_algorithms_are_verified() {
    for signer in [Signer::rsa(), Signer::p256(), Signer::ed25519()] {
        let keys = keys(&[signer.jwk(Some("a"))]);
        for id in [Some("a"), None] {
            let found = verified(&signer.token(id, &claims()), &keys);
            let found = found.unwrap_or_else(|error| panic!("{}: {error}", signer.algorithm()));
            assert_eq!(found.subject, "s-1");
            assert_eq!(found.email.as_deref(), Some("ada@example.org"));
            assert!(found.email_verified);
        }
    }
}

#[test]
fn keys_are_chosen_by_id_or_because_they_are_alone() {
    let (rsa, one, other) = (Signer::rsa(), Signer::p256(), Signer::p256());
    let both = [
        one.jwk(Some("one")),
        other.jwk(Some("other")),
        rsa.jwk(None),
    ];
    let table = [
        (one.token(Some("one"), &claims()), Ok(())),
        (
            one.token(Some("other"), &claims()),
            Err(KeyError::BadSignature),
        ),
        (one.token(Some("gone"), &claims()), Err(KeyError::Unknown)),
        (one.token(None, &claims()), Err(KeyError::Ambiguous)),
        // The only key of its algorithm, whatever other keys there are.
        (rsa.token(None, &claims()), Ok(())),
        (rsa.token(Some("one"), &claims()), Err(KeyError::Unknown)),
        (
            Signer::ed25519().token(None, &claims()),
            Err(KeyError::Unknown),
        ),
    ];
    for (index, (token, expected)) in table.iter().enumerate() {
        let found = verified(token, &keys(&both)).map(drop);
        assert_eq!(found, expected.map_err(TokenError::Key), "row {index}");
    }
    let twice = keys(&[one.jwk(Some("a")), other.jwk(Some("a"))]);
    let found = verified(&one.token(Some("a"), &claims()), &twice);
    assert_eq!(found, Err(TokenError::Key(KeyError::Ambiguous)));
}

#[test]
fn newer_keys_are_asked_for_where_they_may_help() {
    let signer = Signer::p256();
    let (named, unnamed) = (
        signer.token(Some("a"), &claims()),
        signer.token(None, &claims()),
    );
    for (token, error, expected) in [
        (&named, KeyError::Unknown, true),
        (&named, KeyError::BadSignature, false),
        (&named, KeyError::Ambiguous, false),
        (&unnamed, KeyError::Unknown, true),
        (&unnamed, KeyError::BadSignature, true),
        (&unnamed, KeyError::Ambiguous, true),
    ] {
        let token = Token::parse(token).expect("a token");
        assert_eq!(token.may_have_newer_key(error), expected, "{error:?}");
    }
}

#[test]
fn keys_for_other_purposes_are_left_out() {
    let signer = Signer::p256();
    let with = |name: &str, value: Value| {
        let mut jwk = signer.jwk(Some("a"));
        jwk[name] = value;
        jwk
    };
    for (jwk, expected) in [
        (with("use", json!("sig")), true),
        (with("use", json!("enc")), false),
        (with("key_ops", json!(["verify"])), true),
        (with("key_ops", json!(["encrypt"])), false),
        (with("alg", json!("ES256")), true),
        (with("alg", json!("HS256")), false),
        (with("crv", json!("P-384")), false),
        (with("x", json!("AAAA")), false),
        (with("x", json!("not base64!")), false),
        (json!({ "kty": "oct", "kid": "a", "k": "AAAA" }), false),
        (json!("a"), false),
    ] {
        let text = jwk.to_string();
        let found = verified(&signer.token(Some("a"), &claims()), &keys(&[jwk]));
        let unknown = Err(TokenError::Key(KeyError::Unknown));
        assert_eq!(
            found.map(drop),
            if expected { Ok(()) } else { unknown },
            "{text}"
        );
    }
    for text in ["", "[]", "{}", "{\"keys\":1}"] {
        assert_eq!(Keys::parse(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn algorithms_are_not_confused() {
    let signer = Signer::rsa();
    let keys = keys(&[signer.jwk(Some("a"))]);
    for alg in [
        "none", "None", "HS256", "RS512", "PS256", "ES384", "rs256", "",
    ] {
        let token = signer.token_with(&json!({ "alg": alg, "kid": "a" }), &claims());
        assert_eq!(verified(&token, &keys), Err(TokenError::Algorithm), "{alg}");
    }
    // The header claims an algorithm that the key is not for.
    let token = signer.token_with(&json!({ "alg": "ES256", "kid": "a" }), &claims());
    let unknown = Err(TokenError::Key(KeyError::Unknown));
    assert_eq!(verified(&token, &keys), unknown);
    let header = json!({ "alg": "RS256", "kid": "a", "crit": ["b64"], "b64": false });
    let token = signer.token_with(&header, &claims());
    assert_eq!(verified(&token, &keys), Err(TokenError::Critical));
}

#[test]
fn forged_and_malformed_tokens_are_refused() {
    for signer in [Signer::rsa(), Signer::p256(), Signer::ed25519()] {
        let keys = keys(&[signer.jwk(Some("a"))]);
        let token = signer.token(Some("a"), &claims());
        let parts: Vec<&str> = token.split('.').collect();
        let mut other = claims();
        other["sub"] = json!("s-2");
        let forged = encoded(other.to_string());
        let bad = Err(TokenError::Key(KeyError::BadSignature));
        for (token, expected) in [
            (format!("{}.{forged}.{}", parts[0], parts[2]), bad.clone()),
            (format!("{}.{}.", parts[0], parts[1]), bad.clone()),
            (format!("{}.{}.AAAA", parts[0], parts[1]), bad),
            (
                format!("{}.{}", parts[0], parts[1]),
                Err(TokenError::Malformed),
            ),
            (format!("{token}.AAAA"), Err(TokenError::Malformed)),
            (format!("{token}="), Err(TokenError::Malformed)),
            (format!("{token}\n"), Err(TokenError::Malformed)),
            (String::new(), Err(TokenError::Malformed)),
            ("..".into(), Err(TokenError::Malformed)),
        ] {
            assert_eq!(verified(&token, &keys), expected, "{token}");
        }
    }
}

#[test]
fn claims_are_checked() {
    let signer = Signer::ed25519();
    let keys = keys(&[signer.jwk(None)]);
    let long = "s".repeat(255);
    let table = [
        (
            "iss",
            json!("https://id.example.org/"),
            Err(TokenError::Issuer),
        ),
        (
            "iss",
            json!("https://ID.example.org"),
            Err(TokenError::Issuer),
        ),
        ("aud", json!(["rota"]), Ok(())),
        ("aud", json!("other"), Err(TokenError::Audience)),
        ("aud", json!([]), Err(TokenError::Audience)),
        (
            "aud",
            json!(["rota", "other"]),
            Err(TokenError::AuthorizedParty),
        ),
        ("aud", Value::Null, Err(TokenError::Malformed)),
        ("azp", json!("rota"), Ok(())),
        ("azp", json!("other"), Err(TokenError::AuthorizedParty)),
        ("nonce", json!("n-2"), Err(TokenError::Nonce)),
        ("nonce", Value::Null, Err(TokenError::Nonce)),
        ("exp", json!(NOW - 59), Ok(())),
        ("exp", json!(NOW - 60), Err(TokenError::Expired)),
        ("exp", json!(NOW as f64 + 0.5), Ok(())),
        ("exp", Value::Null, Err(TokenError::Malformed)),
        ("exp", json!("never"), Err(TokenError::Malformed)),
        ("iat", json!(NOW + 60), Ok(())),
        ("iat", json!(NOW + 61), Err(TokenError::NotYetValid)),
        ("iat", Value::Null, Err(TokenError::Malformed)),
        ("nbf", json!(NOW + 60), Ok(())),
        ("nbf", json!(NOW + 61), Err(TokenError::NotYetValid)),
        ("sub", json!(""), Err(TokenError::Subject)),
        ("sub", json!(7), Err(TokenError::Malformed)),
        ("sub", json!(long), Ok(())),
        ("sub", json!(long.clone() + "s"), Err(TokenError::Subject)),
        ("email", Value::Null, Ok(())),
    ];
    for (name, value, expected) in table {
        let mut claims = claims();
        claims[name] = value.clone();
        let found = verified(&signer.token(None, &claims), &keys).map(drop);
        assert_eq!(found, expected, "{name} {value}");
    }
    let mut shared = claims();
    shared["aud"] = json!(["other", "rota"]);
    shared["azp"] = json!("rota");
    assert!(verified(&signer.token(None, &shared), &keys).is_ok());
    let mut nameless = claims();
    nameless.as_object_mut().expect("an object").remove("sub");
    let found = verified(&signer.token(None, &nameless), &keys);
    assert_eq!(found, Err(TokenError::Subject));
}

#[test]
fn an_address_is_verified_by_true_alone() {
    let signer = Signer::ed25519();
    let keys = keys(&[signer.jwk(None)]);
    for (value, expected) in [
        (json!(true), true),
        (json!("true"), true),
        (json!("false"), false),
        (json!(1), false),
        (Value::Null, false),
    ] {
        let mut claims = claims();
        claims["email_verified"] = value.clone();
        let found = verified(&signer.token(None, &claims), &keys).expect("a good token");
        assert_eq!(found.email_verified, expected, "{value}");
    }
}

fn settings(matching: Matching) -> Settings {
    Settings {
        issuer: ISSUER.into(),
        client_id: "rota".into(),
        client_secret: Secret::new("hidden"),
        scopes: "openid email".into(),
        name: "Example".into(),
        matching,
        email_domains: vec!["example.org".into()],
        admins: vec!["ada@example.org".into()],
        creates_people: false,
        groups_claim: Some("groups".into()),
        groups: vec![
            ("sre".into(), "GSRE".into()),
            ("ops".into(), "GOPS".into()),
            ("lead".into(), "GSRE".into()),
        ],
    }
}

/// rules.md 12.8.
#[test]
fn people_are_matched_by_verified_addresses_of_listed_domains() {
    for (email, verified, expected, is_admin) in [
        ("ada@example.org", true, true, true),
        ("Ada@Example.ORG", true, true, true),
        ("bob@example.org", true, true, false),
        ("ada@example.org", false, false, false),
        ("ada@mail.example.org", true, false, false),
        ("ada@example.org.evil.example", true, false, false),
        ("ada@example.org@evil.example", true, false, false),
        ("@example.org", true, false, false),
        ("example.org", true, false, false),
        ("", true, false, false),
    ] {
        let claims = Claims {
            email: Some(email.into()),
            email_verified: verified,
            ..Claims::default()
        };
        let settings = settings(Matching::Email);
        let name = matching::name(&claims, &settings);
        let address = || ProvidedName::Address(email.into());
        assert_eq!(name.ok(), expected.then(address), "{email}");
        assert_eq!(
            matching::address(&claims, &settings).is_ok_and(|email| settings.names_admin(&email)),
            is_admin,
            "{email}"
        );
    }
}

#[test]
fn slack_names_people_by_its_own_ids() {
    let id = |text: &str| Some(text.to_owned());
    for (team, user, expected) in [
        (id("T1"), id("U1"), true),
        (None, id("U1"), false),
        (id("T1"), None, false),
    ] {
        let claims = Claims {
            slack_team: team,
            slack_user: user,
            email: id("ada@example.org"),
            email_verified: true,
            ..Claims::default()
        };
        let found = matching::name(&claims, &settings(Matching::Slack)).ok();
        let chat = ProvidedName::Chat {
            team: "T1".into(),
            user: "U1".into(),
        };
        assert_eq!(found, expected.then_some(chat));
    }
}

#[test]
fn discovery_documents_are_checked() {
    let good = json!({
        "issuer": ISSUER,
        "authorization_endpoint": "https://id.example.org/auth",
        "token_endpoint": "https://id.example.org/token",
        "jwks_uri": "https://id.example.org/keys"
    });
    let read = |name: &str, value: Value| {
        let mut document = good.clone();
        document[name] = value;
        let is_address = |url: &str| url.starts_with("https://");
        Metadata::parse(document.to_string().as_bytes(), ISSUER, is_address)
    };
    let plain = read("extra", json!(1)).expect("a good document");
    assert_eq!(plain.authentication, Authentication::Basic);
    assert!(plain.takes_challenge.is_none() && !plain.names_issuer);
    let methods = "token_endpoint_auth_methods_supported";
    let post = read(methods, json!(["private_key_jwt", "client_secret_post"]));
    assert_eq!(post.expect("post").authentication, Authentication::Post);
    let both = read(
        methods,
        json!(["client_secret_post", "client_secret_basic"]),
    );
    assert_eq!(both.expect("basic").authentication, Authentication::Basic);
    let challenge = read("code_challenge_methods_supported", json!(["plain", "S256"]));
    assert_eq!(challenge.expect("S256").takes_challenge, Some(true));
    let weak = read("code_challenge_methods_supported", json!(["plain"]));
    assert_eq!(weak.expect("plain alone").takes_challenge, Some(false));
    let names = "authorization_response_iss_parameter_supported";
    assert!(read(names, json!(true)).expect("RFC 9207").names_issuer);
    for (name, value, word) in [
        ("issuer", json!("https://id.example.org/"), "exactly"),
        ("issuer", Value::Null, "not usable"),
        (
            "token_endpoint",
            json!("http://id.example.org/token"),
            "address",
        ),
        ("jwks_uri", json!("file:///etc/passwd"), "address"),
        ("userinfo_endpoint", json!("javascript:1"), "address"),
        (methods, json!(["private_key_jwt"]), "client_secret_basic"),
    ] {
        let why = read(name, value).expect_err(name);
        assert!(why.contains(word), "{name}: {why}");
    }
    for (issuer, expected) in [
        (
            ISSUER,
            "https://id.example.org/.well-known/openid-configuration",
        ),
        (
            "https://a.example/",
            "https://a.example/.well-known/openid-configuration",
        ),
        (
            "https://a.example/x/v2.0",
            "https://a.example/x/v2.0/.well-known/openid-configuration",
        ),
    ] {
        assert_eq!(metadata::address(issuer), expected);
    }
}

#[test]
fn a_browser_keeps_its_secret() {
    let secret = browser_secret(None).expect("random");
    assert_eq!(secret.len(), 43);
    assert_eq!(browser_secret(Some(&secret)), Ok(secret.clone()));
    for other in ["", "x", "short", &secret[1..]] {
        let found = browser_secret(Some(other)).expect("random");
        assert!(found != other && found.len() == 43, "{other}");
    }
}

#[test]
fn the_client_secret_is_not_shown() {
    let shown = format!("{:?}", settings(Matching::Email));
    assert!(
        !shown.contains("hidden") && shown.contains("(secret)"),
        "{shown}"
    );
}

/// rules.md 12.14.
#[test]
fn groups_are_those_of_the_settings_that_the_claim_has() {
    let settings = settings(Matching::Email);
    for (said, expected) in [
        (json!(["sre"]), Some("GSRE:true GOPS:false")),
        (json!(["lead", "other", 5]), Some("GSRE:true GOPS:false")),
        (json!("ops"), Some("GSRE:false GOPS:true")),
        (json!([]), Some("GSRE:false GOPS:false")),
        (json!(null), None),
        (json!({ "sre": true }), None),
    ] {
        let mut claims = Claims::default();
        claims.others.insert("groups".into(), said.clone());
        let found = matching::groups(&claims, &settings).map(|found| {
            let words = found.iter().map(|(id, belongs)| format!("{id}:{belongs}"));
            words.collect::<Vec<_>>().join(" ")
        });
        assert_eq!(found.as_deref(), expected, "{said}");
    }
    assert_eq!(matching::groups(&Claims::default(), &settings), None);
}
