//! Signing in at an identity provider: the whole flow, and everything that must not sign anybody in.

pub mod faults;
mod flow;
mod people;
mod settings;
mod sign_up;
mod tokens;

use super::Browser;
use crate::support::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// When servers of tests start, in seconds.
const START: i64 = 1_767_600_000;

const DISCOVERY: &str = "/.well-known/openid-configuration";

/// A provider, and a server whose people sign in there.
struct World {
    provider: Provider,
    rota: Rota,
    db: PathBuf,
    _dir: TempDir,
}

impl World {
    fn new() -> World {
        World::with(&[])
    }

    /// With these settings besides.
    fn with(settings: &[(&'static str, &str)]) -> World {
        let (provider, dir) = (Provider::at(START), TempDir::new());
        let db = dir.join("rota.db");
        let mut start = Start::default()
            .db(&db)
            .env("ROTA_LOGIN_OIDC_ISSUER", &provider.issuer)
            .env("ROTA_LOGIN_OIDC_CLIENT_ID", CLIENT_ID)
            .env("ROTA_LOGIN_OIDC_CLIENT_SECRET", CLIENT_SECRET)
            .env("ROTA_LOGIN_OIDC_NAME", "Example <ID>")
            .env("ROTA_LOGIN_OIDC_EMAIL_DOMAINS", "example.com");
        for (name, value) in settings {
            start = start.env(name, value);
        }
        let rota = start.go();
        rota.people(3);
        World {
            provider,
            rota,
            db,
            _dir: dir,
        }
    }

    /// A browser that was sent to the provider: what it was asked, and the path of the callback.
    #[track_caller]
    fn started(&self, path: &str) -> (Browser<'_>, BTreeMap<String, String>, String) {
        let mut browser = Browser::of(&self.rota);
        let answer = browser.get(path).is(303);
        browser.keep(&answer);
        let (asked, callback) = self.provider.authorize(answer.header("location").unwrap());
        (browser, asked, callback)
    }

    /// The answer to a whole sign-in, with these claims over the usual ones.
    #[track_caller]
    fn sign_in(&self, claims: Value) -> Answer {
        self.provider.with(|manners| manners.claims = claims);
        let (browser, _, callback) = self.started("/auth/oidc/start");
        browser.get(&callback)
    }

    /// Who a session of an answer belongs to.
    #[track_caller]
    fn is_signed_in(&self, answer: Answer, user: &str) -> Browser<'_> {
        let answer = answer.is(303);
        let mut browser = Browser::of(&self.rota);
        browser.keep(&answer);
        let page = browser.get("/me").is(200).text();
        assert!(page.contains(&format!("Person {user}")), "{page}");
        browser
    }

    /// Refused, with a reason in the log and no session.
    #[track_caller]
    fn is_refused(&self, answer: Answer, status: u16, reason: &str) {
        let answer = answer.is(status);
        let cookie = answer.header("set-cookie").unwrap_or_default();
        assert!(!cookie.starts_with("__Host-rota="), "{cookie}");
        assert!(answer.text().contains("id=\"errors\""), "{}", answer.text());
        // The log is read by a thread of its own.
        eventually(&format!("{reason:?} in the log"), || {
            let log = self.rota.process.log.text();
            let last = log.lines().rev().find(|line| line.contains("sign-in"));
            last.is_some_and(|line| line.contains(reason))
        });
        let log = self.rota.process.log.text();
        assert!(!log.contains(CLIENT_SECRET), "a secret is in the log");
    }
}
