//! A strict identity provider in the test's own process. It authenticates the client, takes each code once, and checks the
//! redirect URI and the verifier. A test says what it claims of people, and how it misbehaves.

use super::receiver::{read_request, trickle};
use super::signer::{Signer, encoded};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Both need encoding in a header.
pub const CLIENT_ID: &str = "rota client";
pub const CLIENT_SECRET: &str = "s:e+c/r%t";

/// How a path is answered instead.
#[derive(Clone)]
pub enum Fault {
    Status(u16),
    Body(String),
    /// A body that does not end.
    Endless,
    Hangs,
    Redirects,
}

/// What a code was given for.
struct Grant {
    redirect_uri: String,
    challenge: Option<String>,
    nonce: String,
}

/// What the provider is like; a test changes it at any time.
pub struct Manners {
    pub signer: Signer,
    pub key_id: Option<&'static str>,
    /// In the ID token, over the usual ones; null leaves one out.
    pub claims: Value,
    pub userinfo: Value,
    /// In the discovery document, over the usual ones; null leaves one out.
    pub metadata: Value,
    pub faults: BTreeMap<&'static str, Fault>,
    /// The instant at which tokens are made, in seconds.
    pub now: i64,
    grants: HashMap<String, Grant>,
    codes: usize,
    /// Every request, as `METHOD /path`.
    pub asked: Vec<String>,
}

/// The provider, until the end of the test.
pub struct Provider {
    pub issuer: String,
    manners: Arc<Mutex<Manners>>,
}

impl Provider {
    /// A provider whose tokens are made at this instant.
    pub fn at(now: i64) -> Provider {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let issuer = format!("http://{}", listener.local_addr().expect("its address"));
        let manners = Arc::new(Mutex::new(Manners {
            signer: Signer::p256(),
            key_id: Some("key-1"),
            claims: json!({}),
            userinfo: json!({}),
            metadata: json!({}),
            faults: BTreeMap::new(),
            now,
            grants: HashMap::new(),
            codes: 0,
            asked: Vec::new(),
        }));
        let (shared, own) = (Arc::clone(&manners), issuer.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (shared, own) = (Arc::clone(&shared), own.clone());
                std::thread::spawn(move || serve(stream, &own, &shared));
            }
        });
        Provider { issuer, manners }
    }

    /// Changes or reads what it is like.
    pub fn with<T>(&self, act: impl FnOnce(&mut Manners) -> T) -> T {
        act(&mut self.manners.lock().unwrap())
    }

    /// What the provider does with a person at its authorization endpoint: the parameters that it was asked with, and the
    /// path of the callback with a code.
    #[track_caller]
    pub fn authorize(&self, location: &str) -> (BTreeMap<String, String>, String) {
        let query = location.strip_prefix(&format!("{}/authorize?tenant=1&", self.issuer));
        let query = query.unwrap_or_else(|| panic!("not the authorization endpoint: {location}"));
        let asked = fields(query);
        assert_eq!(asked["response_type"], "code");
        assert_eq!(asked["client_id"], CLIENT_ID);
        let mut manners = self.manners.lock().unwrap();
        manners.codes += 1;
        let code = format!("code {}", manners.codes);
        let grant = Grant {
            redirect_uri: asked["redirect_uri"].clone(),
            challenge: asked.get("code_challenge").cloned(),
            nonce: asked["nonce"].clone(),
        };
        manners.grants.insert(code.clone(), grant);
        let path = format!(
            "/auth/callback?code={}&state={}&iss={}",
            code.replace(' ', "%20"),
            asked["state"],
            self.issuer
        );
        (asked, path)
    }
}

/// The fields of a form or a query.
fn fields(text: &str) -> BTreeMap<String, String> {
    let decode = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.bytes();
        while let Some(byte) = rest.next() {
            bytes.push(match byte {
                b'+' => b' ',
                b'%' => {
                    let digits = [rest.next().unwrap(), rest.next().unwrap()];
                    u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
                }
                other => other,
            });
        }
        String::from_utf8(bytes).expect("UTF-8")
    };
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

/// An object with members replaced; null removes one.
fn merged(mut object: Value, over: &Value) -> Value {
    for (name, value) in over.as_object().expect("an object") {
        match value.is_null() {
            true => drop(object.as_object_mut().unwrap().remove(name)),
            false => object[name] = value.clone(),
        }
    }
    object
}

fn serve(mut stream: TcpStream, issuer: &str, manners: &Mutex<Manners>) {
    stream
        .set_read_timeout(Some(Duration::from_millis(20)))
        .unwrap();
    let mut request = None;
    // The client may connect a moment before it sends.
    for _ in 0..500 {
        request = read_request(&mut stream);
        if request.is_some() {
            break;
        }
    }
    let Some(request) = request else { return };
    let request = String::from_utf8(request).expect("a request of text");
    let (head, body) = request.split_once("\r\n\r\n").expect("a head");
    let mut words = head.split(' ');
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let fault = {
        let mut manners = manners.lock().unwrap();
        manners.asked.push(format!("{method} {path}"));
        manners.faults.get(path).cloned()
    };
    let (status, body) = match fault {
        None => answer(
            &mut manners.lock().unwrap(),
            issuer,
            (method, path),
            (head, body),
        ),
        Some(Fault::Status(status)) => (status, json!({ "error": "server_error" }).to_string()),
        Some(Fault::Body(body)) => (200, body),
        Some(Fault::Hangs) => {
            trickle(&mut stream, b"");
            return;
        }
        Some(Fault::Endless) => {
            let _ = stream.write_all(b"HTTP/1.1 200 -\r\n\r\n");
            let piece = vec![b' '; 16 * 1024];
            while stream.write_all(&piece).is_ok() {}
            return;
        }
        Some(Fault::Redirects) => {
            let _ = stream.write_all(
                format!(
                    "HTTP/1.1 302 -\r\nLocation: {issuer}/elsewhere\r\nContent-Length: 0\r\n\r\n"
                )
                .as_bytes(),
            );
            return;
        }
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} -\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    let _ = stream.write_all((head + &body).as_bytes());
}

fn answer(
    manners: &mut Manners,
    issuer: &str,
    (method, path): (&str, &str),
    (head, body): (&str, &str),
) -> (u16, String) {
    let header = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        lines.find_map(|(known, value)| known.eq_ignore_ascii_case(name).then_some(value))
    };
    let (status, value) = match (method, path) {
        ("GET", "/.well-known/openid-configuration") => {
            let usual = json!({
                "issuer": issuer,
                // Parameters of its own are kept.
                "authorization_endpoint": format!("{issuer}/authorize?tenant=1"),
                "token_endpoint": format!("{issuer}/token"),
                "userinfo_endpoint": format!("{issuer}/userinfo"),
                "jwks_uri": format!("{issuer}/keys"),
                "code_challenge_methods_supported": ["S256"],
                "authorization_response_iss_parameter_supported": true
            });
            (200, merged(usual, &manners.metadata))
        }
        ("GET", "/keys") => (200, json!({ "keys": [manners.signer.jwk(manners.key_id)] })),
        ("POST", "/token") => match token(manners, issuer, (header("Authorization"), body)) {
            Ok(tokens) => (200, tokens),
            Err(code) => (400, json!({ "error": code })),
        },
        ("GET", "/userinfo") if header("Authorization") == Some("Bearer access") => {
            (200, merged(json!({ "sub": "sub-1" }), &manners.userinfo))
        }
        _ => (404, json!({ "error": "not_found" })),
    };
    (status, value.to_string())
}

fn token(
    manners: &mut Manners,
    issuer: &str,
    (authorization, body): (Option<&str>, &str),
) -> Result<Value, &'static str> {
    let sent = fields(body);
    let field = |name: &str| sent.get(name).map(String::as_str).unwrap_or_default();
    let takes_post = manners
        .metadata
        .get("token_endpoint_auth_methods_supported")
        .is_some();
    let is_client = match takes_post {
        true => {
            authorization.is_none()
                && (field("client_id"), field("client_secret")) == (CLIENT_ID, CLIENT_SECRET)
        }
        false => {
            let pair = STANDARD.encode("rota+client:s%3Ae%2Bc%2Fr%25t");
            authorization == Some(format!("Basic {pair}").as_str())
                && field("client_secret").is_empty()
        }
    };
    if !is_client {
        return Err("invalid_client");
    }
    if field("grant_type") != "authorization_code" {
        return Err("unsupported_grant_type");
    }
    let grant = manners
        .grants
        .remove(field("code"))
        .ok_or("invalid_grant")?;
    let challenge = encoded(digest(&SHA256, field("code_verifier").as_bytes()));
    let is_same = match &grant.challenge {
        Some(expected) => *expected == challenge,
        None => field("code_verifier").is_empty(),
    };
    if !is_same || field("redirect_uri") != grant.redirect_uri {
        return Err("invalid_grant");
    }
    let usual = json!({
        "iss": issuer, "sub": "sub-1", "aud": CLIENT_ID, "nonce": grant.nonce,
        "iat": manners.now, "exp": manners.now + 300,
        "email": "u1@example.com", "email_verified": true
    });
    let claims = merged(usual, &manners.claims);
    let id_token = manners.signer.token(manners.key_id, &claims);
    Ok(json!({ "access_token": "access", "token_type": "Bearer", "id_token": id_token }))
}
