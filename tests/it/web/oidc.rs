//! Signing in at an identity provider: the whole flow, and everything that must not sign anybody in.

use super::Browser;
use crate::cli::{fails_with, on, succeeds};
use crate::support::*;
use serde_json::{Value, json};
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

#[test]
fn a_person_signs_in_and_goes_on() {
    let world = World::new();
    let page = Browser::of(&world.rota)
        .get("/login?next=/rotations%3Fq%3Da")
        .is(200)
        .text();
    assert!(
        page.contains("Sign in with Example &lt;ID&gt;</a>"),
        "{page}"
    );
    let start = "/auth/oidc/start?next=/rotations%3Fq%3Da";
    assert!(page.contains(&format!("href=\"{start}\"")), "{page}");

    let mut browser = Browser::of(&world.rota);
    let answer = browser.get(start).is(303);
    let cookie = answer.header("set-cookie").expect("a cookie").to_owned();
    assert!(cookie.starts_with("__Host-rota-oidc="), "{cookie}");
    for part in [
        "; Secure",
        "; HttpOnly",
        "; SameSite=Lax",
        "; Path=/",
        "; Max-Age=600",
    ] {
        assert!(cookie.contains(part), "{cookie}");
    }
    browser.keep(&answer);
    let (asked, callback) = world.provider.authorize(answer.header("location").unwrap());
    assert_eq!(asked["scope"], "openid email profile");
    assert_eq!(
        asked["redirect_uri"],
        format!("{}/auth/callback", world.rota.url)
    );
    assert_eq!(asked["code_challenge_method"], "S256");
    for name in ["state", "nonce", "code_challenge"] {
        assert_eq!(asked[name].len(), 43, "{name}");
    }
    let answer = browser.get(&callback).is(303);
    assert_eq!(answer.header("location"), Some("/rotations?q=a"));
    let cookie = answer.header("set-cookie").expect("a session").to_owned();
    assert!(cookie.starts_with("__Host-rota="), "{cookie}");
    for part in ["; Secure", "; HttpOnly", "; SameSite=Lax", "; Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let mut cookies = answer
        .reply
        .headers
        .iter()
        .filter(|(name, _)| name == "set-cookie");
    let forgets =
        |value: &str| value.starts_with("__Host-rota-oidc=;") && value.contains("Max-Age=0");
    assert!(cookies.any(|(_, value)| forgets(value)));
    world.is_signed_in(answer, "U1");
    let asked = world.provider.with(|manners| manners.asked.clone());
    let expected = [
        format!("GET {DISCOVERY}"),
        "POST /token".into(),
        "GET /keys".into(),
    ];
    assert_eq!(asked, expected);

    let linked = world.rota.audit("action=linkIdentity");
    assert_eq!(linked.len(), 1);
    let summary = format!(
        "identity \"sub-1\" of {} linked to U1",
        world.provider.issuer
    );
    assert_eq!(text(&linked[0]["summary"]), summary);
    assert_eq!(text(&linked[0]["actor"]["id"]), "U1");
    let signed_in = world.rota.audit("action=signIn");
    assert_eq!(text(&signed_in[0]["summary"]), "signed in by oidc");
    // From now on the person is known by the sub: the address may change, and nothing is linked again.
    let moved = json!({ "email": "ada@elsewhere.example", "email_verified": false });
    world.is_signed_in(world.sign_in(moved), "U1");
    assert_eq!(world.rota.audited("action=linkIdentity"), 1);
    // Another start goes to the first page, and to no other site.
    for next in ["", "?next=https://evil.example", "?next=//evil.example"] {
        let (browser, _, callback) = world.started(&format!("/auth/oidc/start{next}"));
        let answer = browser.get(&callback).is(303);
        assert_eq!(answer.header("location"), Some("/"), "{next}");
    }
}

#[test]
fn without_a_provider_there_is_nothing() {
    let rota = Rota::with_people(1);
    let stranger = Browser::of(&rota);
    assert!(!stranger.get("/login").is(200).text().contains("/auth/oidc"));
    stranger.get("/auth/oidc/start").is(404);
    stranger.get("/auth/callback?state=a&code=b").is(404);
}

#[test]
fn a_callback_counts_once_in_its_browser_and_in_time() {
    let world = World::new();
    let (browser, _, callback) = world.started("/auth/oidc/start");
    // Another browser, with a sign-in of its own and without one, uses the state up.
    let (other, _, _) = world.started("/auth/oidc/start");
    world.is_refused(other.get(&callback), 400, "in another browser");
    world.is_refused(browser.get(&callback), 400, "the state is unknown");
    let (_, _, callback) = world.started("/auth/oidc/start");
    world.is_refused(
        Browser::of(&world.rota).get(&callback),
        400,
        "in another browser",
    );

    let (browser, _, callback) = world.started("/auth/oidc/start");
    world.is_signed_in(browser.get(&callback), "U1");
    world.is_refused(browser.get(&callback), 400, "the state is unknown");

    let (browser, _, callback) = world.started("/auth/oidc/start");
    world.rota.advance(600);
    world.is_refused(browser.get(&callback), 400, "over 10 minutes old");

    let (browser, asked, callback) = world.started("/auth/oidc/start");
    let doubled = format!("{callback}&state={}", asked["state"]);
    world.is_refused(browser.get(&doubled), 400, "the state is unknown");
    world.is_refused(browser.get("/auth/callback"), 400, "the state is unknown");
}

#[test]
fn two_tabs_sign_in_side_by_side() {
    let world = World::new();
    let (mut browser, _, first) = world.started("/auth/oidc/start?next=/people");
    let answer = browser.get("/auth/oidc/start?next=/requests").is(303);
    browser.keep(&answer);
    let (_, second) = world.provider.authorize(answer.header("location").unwrap());
    for (callback, next) in [(first, "/people"), (second, "/requests")] {
        let answer = browser.get(&callback).is(303);
        assert_eq!(answer.header("location"), Some(next));
    }
}

#[test]
fn callbacks_of_other_issuers_are_refused() {
    let world = World::new();
    let other = format!("&iss={}", world.provider.issuer);
    for replaced in ["&iss=https://evil.example", "&iss=", ""] {
        let (browser, _, callback) = world.started("/auth/oidc/start");
        let callback = callback.replace(&other, replaced);
        world.is_refused(browser.get(&callback), 403, "is not from the issuer");
    }
    // Where the provider does not name itself, it need not; but if it does, it has to be right.
    let world = World::new();
    let silent = json!({ "authorization_response_iss_parameter_supported": null });
    world.provider.with(|manners| manners.metadata = silent);
    let other = format!("&iss={}", world.provider.issuer);
    let (browser, _, callback) = world.started("/auth/oidc/start");
    world.is_signed_in(browser.get(&callback.replace(&other, "")), "U1");
    let (browser, _, callback) = world.started("/auth/oidc/start");
    let callback = callback.replace(&other, "&iss=https://evil.example");
    world.is_refused(browser.get(&callback), 403, "is not from the issuer");
}

#[test]
fn answers_of_the_provider_that_say_no_are_told() {
    let world = World::new();
    for (error, status, reason) in [
        ("access_denied", 403, "access_denied"),
        (
            "login_required",
            403,
            "the provider answered login_required",
        ),
        (
            "a%0Ab%3Cscript%3E",
            403,
            "the provider answered a b<script>",
        ),
    ] {
        let (browser, asked, _) = world.started("/auth/oidc/start?next=/people");
        let callback = format!(
            "/auth/callback?error={error}&error_description=x&state={}&iss={}",
            asked["state"], world.provider.issuer
        );
        let answer = browser.get(&callback);
        // Trying again goes on to the same page.
        assert!(answer.text().contains("/auth/oidc/start?next=/people"));
        assert!(!answer.text().contains("<script>"));
        world.is_refused(answer, status, reason);
    }
    let (browser, asked, _) = world.started("/auth/oidc/start");
    let bare = format!(
        "/auth/callback?state={}&iss={}",
        asked["state"], world.provider.issuer
    );
    world.is_refused(browser.get(&bare), 403, "neither a code nor an error");
    let (browser, _, callback) = world.started("/auth/oidc/start");
    let forged = callback.replace("code=code", "code=other");
    world.is_refused(browser.get(&forged), 403, "invalid_grant");
}

#[test]
fn tokens_that_do_not_belong_here_sign_nobody_in() {
    let world = World::new();
    let trailing = format!("{}/", world.provider.issuer);
    for (claims, reason) in [
        (json!({ "iss": trailing }), "from another issuer"),
        (json!({ "aud": "other" }), "for another client"),
        (
            json!({ "aud": [CLIENT_ID, "other"] }),
            "issued to another client",
        ),
        (json!({ "azp": "other" }), "issued to another client"),
        (json!({ "nonce": "other" }), "of another sign-in"),
        (json!({ "nonce": null }), "of another sign-in"),
        (json!({ "exp": START - 60 }), "has expired"),
        (json!({ "iat": START + 120 }), "from the future"),
        (json!({ "sub": null }), "does not name a person"),
        (json!({ "sub": "s".repeat(256) }), "does not name a person"),
    ] {
        world.is_refused(world.sign_in(claims), 403, reason);
    }
    world.is_signed_in(world.sign_in(json!({ "aud": [CLIENT_ID] })), "U1");
    // Signed by somebody else under the id of a key that is known.
    world.provider.with(|manners| {
        let keys = json!({ "keys": [manners.signer.jwk(manners.key_id)] });
        manners
            .faults
            .insert("/keys", Fault::Body(keys.to_string()));
        manners.signer = Signer::p256();
    });
    world.is_refused(
        world.sign_in(json!({})),
        403,
        "the signature of the ID token is wrong",
    );
}

#[test]
fn keys_are_read_again_when_the_provider_has_new_ones() {
    let world = World::new();
    let keys_read = || {
        let asked = world.provider.with(|manners| manners.asked.clone());
        asked.iter().filter(|asked| *asked == "GET /keys").count()
    };
    for (signer, key_id, expected) in [
        (Signer::p256(), Some("key-1"), 1),
        (Signer::rsa(), Some("key-2"), 2),
        (Signer::ed25519(), Some("key-3"), 3),
        (Signer::ed25519(), None, 4),
        (Signer::ed25519(), None, 5),
    ] {
        world.provider.with(|manners| {
            manners.signer = signer;
            manners.key_id = key_id;
        });
        for _ in 0..2 {
            world.is_signed_in(world.sign_in(json!({})), "U1");
            assert_eq!(keys_read(), expected, "{key_id:?}");
        }
    }
    // A key that the provider does not publish is looked for once.
    world.provider.with(|manners| {
        let none = json!({ "keys": [] }).to_string();
        manners.faults.insert("/keys", Fault::Body(none));
        manners.key_id = Some("key-9");
    });
    world.is_refused(world.sign_in(json!({})), 403, "publishes no key");
    assert_eq!(keys_read(), 6);
}

#[test]
fn addresses_count_when_they_are_verified_and_their_domain_is_listed() {
    let world = World::new();
    for (claims, reason) in [
        (json!({ "email_verified": false }), "has not verified"),
        (json!({ "email_verified": null }), "has not verified"),
        (
            json!({ "email": "u1@elsewhere.example" }),
            "is not in login.oidc.email_domains",
        ),
        (
            json!({ "email": "u1@mail.example.com" }),
            "is not in login.oidc.email_domains",
        ),
        (json!({ "email": "u9@example.com" }), "matches nobody"),
        (json!({ "email": "" }), "names no mail address"),
    ] {
        let answer = world.sign_in(claims);
        // The page has what an administrator needs to link the account.
        let page = answer.text();
        assert!(
            page.contains("sub-1") && page.contains(&world.provider.issuer),
            "{page}"
        );
        world.is_refused(answer, 403, reason);
    }
    assert_eq!(world.rota.audited("action=linkIdentity"), 0);
    let mut twins = directory(3);
    twins["users"][2]["email"] = json!("U2@example.com");
    world.rota.import(&twins);
    let answer = world.sign_in(json!({ "email": "u2@example.com" }));
    world.is_refused(answer, 403, "several people");
    world.is_signed_in(world.sign_in(json!({ "email": "U1@Example.COM" })), "U1");
}

#[test]
fn the_address_comes_from_userinfo_where_the_token_has_none() {
    let world = World::new();
    let bare = json!({ "email": null, "email_verified": null });
    let known = json!({ "email": "u2@example.com", "email_verified": true });
    world
        .provider
        .with(|manners| manners.userinfo = known.clone());
    world.is_signed_in(world.sign_in(bare.clone()), "U2");
    world
        .provider
        .with(|manners| manners.userinfo["sub"] = json!("sub-2"));
    world.is_refused(world.sign_in(bare.clone()), 403, "another person");
    world
        .provider
        .with(|manners| manners.userinfo = json!({ "sub": null }));
    world.is_refused(world.sign_in(bare.clone()), 502, "the answer is not usable");
    let without = World::new();
    without
        .provider
        .with(|manners| manners.metadata = json!({ "userinfo_endpoint": null }));
    without.is_refused(without.sign_in(bare), 403, "names no mail address");
}

#[test]
fn a_second_account_with_the_address_of_a_linked_person_is_refused_until_it_is_linked() {
    let world = World::new();
    world.is_signed_in(world.sign_in(json!({})), "U1");
    let second = json!({ "sub": "sub-2" });
    let answer = world.sign_in(second.clone());
    assert!(answer.text().contains("sub-2"));
    world.is_refused(answer, 403, "linked to another identity");
    let line = format!(
        "login link-identity --user U1 --issuer {} --sub sub-2",
        world.provider.issuer
    );
    succeeds(&world.db, &line);
    world.is_signed_in(world.sign_in(second), "U1");
    // The person has one account there: the first one is not theirs any more.
    world.is_refused(world.sign_in(json!({})), 403, "linked to another identity");
    let entries = world.rota.audit("action=login%20link-identity");
    let summary = format!(
        "identity \"sub-2\" of {} linked to U1",
        world.provider.issuer
    );
    assert_eq!(text(&entries[0]["summary"]), summary);
    // The same again changes nothing; to somebody else it says who had it.
    succeeds(&world.db, &line);
    succeeds(&world.db, &line.replace("U1", "U2"));
    let entries = world.rota.audit("action=login%20link-identity");
    assert_eq!(entries.len(), 2);
    assert_eq!(
        text(&entries[0]["summary"]),
        summary.replace("U1", "U2, no longer to U1")
    );
    world.is_signed_in(world.sign_in(json!({ "sub": "sub-2" })), "U2");
    for (line, words) in [
        (
            "login link-identity --user U9 --issuer https://a.example --sub s",
            ["U9", "import"],
        ),
        (
            "login link-identity --user U1 --issuer https://a.example",
            ["--sub", "required"],
        ),
    ] {
        fails_with(run(&mut on(&world.db, line)), &words);
    }
    let mut command = on(
        &world.db,
        "login link-identity --user U1 --issuer https://a.example",
    );
    fails_with(
        run(command.args(["--sub", "a\nb"])),
        &["sub: send 1 to 255 characters"],
    );
}

#[test]
fn deactivated_and_external_people_are_not_signed_in() {
    let world = World::new();
    let browser = world.is_signed_in(world.sign_in(json!({})), "U1");
    let mut people = directory(3);
    people["users"][0]["isDeleted"] = json!(true);
    world.rota.import(&people);
    browser.get("/me").is(303);
    world.is_refused(world.sign_in(json!({})), 403, "deactivated or external");
    people["users"][0]["isDeleted"] = json!(false);
    people["users"][0]["isExternal"] = json!(true);
    world.rota.import(&people);
    world.is_refused(world.sign_in(json!({})), 403, "deactivated or external");
    let other = json!({ "sub": "sub-3" });
    world.is_refused(world.sign_in(other), 403, "matches nobody");
    people["users"][0]["isExternal"] = json!(false);
    world.rota.import(&people);
    world.is_signed_in(world.sign_in(json!({})), "U1");
}

#[test]
fn administrators_are_made_for_the_session() {
    let settings = [("ROTA_LOGIN_OIDC_ADMINS", "U1@example.com,boss@example.com")];
    let world = World::with(&settings);
    // Only workspace administrators may make rotations.
    let may_create = |browser: &Browser| browser.get("/rotations/new").status() == 200;
    let second = json!({ "sub": "sub-2", "email": "u2@example.com" });
    for (claims, user, expected) in [
        (json!({}), "U1", true),
        (second.clone(), "U2", false),
        // Linked, and the provider vouches for another address.
        (
            json!({ "sub": "sub-2", "email": "Boss@example.com" }),
            "U2",
            true,
        ),
        (
            json!({ "sub": "sub-2", "email": "boss@example.com", "email_verified": false }),
            "U2",
            false,
        ),
        (second, "U2", false),
    ] {
        let browser = world.is_signed_in(world.sign_in(claims.clone()), user);
        assert_eq!(may_create(&browser), expected, "{claims}");
    }
    assert!(!may_create(&Browser::signed_in(&world.rota, "U1")));
}

#[test]
fn slack_is_matched_by_its_own_ids() {
    let world = World::with(&[("ROTA_LOGIN_OIDC_MATCH", "slack")]);
    // Slack advertises no code challenge, so none is sent.
    let metadata = json!({
        "code_challenge_methods_supported": null,
        "token_endpoint_auth_methods_supported": ["client_secret_post"]
    });
    world.provider.with(|manners| manners.metadata = metadata);
    let (_, asked, _) = world.started("/auth/oidc/start");
    assert!(!asked.contains_key("code_challenge"), "{asked:?}");
    let claims = |user: &str, team: &str| {
        json!({
            "sub": user, "email": "u1@example.com",
            "https://slack.com/user_id": user, "https://slack.com/team_id": team
        })
    };
    world.is_signed_in(world.sign_in(claims("U2", "T1")), "U2");
    world.is_refused(world.sign_in(claims("U3", "T2")), 403, "matches nobody");
    world.is_refused(world.sign_in(json!({})), 403, "no Slack user and team");
}

#[test]
fn a_provider_that_misbehaves_signs_nobody_in() {
    let garbage = || Fault::Body("<html>".into());
    for (path, fault, reason) in [
        (DISCOVERY, Fault::Status(500), "status 500"),
        (DISCOVERY, garbage(), "not usable"),
        (DISCOVERY, Fault::Redirects, "status 302"),
        (DISCOVERY, Fault::Endless, "over 256 KiB"),
        (DISCOVERY, Fault::Hangs, "no response in time"),
    ] {
        let world = World::new();
        world
            .provider
            .with(|manners| drop(manners.faults.insert(path, fault)));
        let answer = Browser::of(&world.rota).get("/auth/oidc/start?next=/people");
        assert!(
            answer
                .text()
                .contains("Example &lt;ID&gt; does not answer as it should")
        );
        world.is_refused(answer, 502, reason);
        // As soon as it is well again, so is signing in.
        world.provider.with(|manners| manners.faults.clear());
        world.is_signed_in(world.sign_in(json!({})), "U1");
    }
    let world = World::new();
    for (path, fault, reason) in [
        (
            "/token",
            Fault::Status(500),
            "the token endpoint: status 500, server_error",
        ),
        ("/token", garbage(), "no ID token"),
        ("/token", Fault::Redirects, "status 302"),
        ("/token", Fault::Endless, "over 256 KiB"),
        ("/token", Fault::Hangs, "no response in time"),
        ("/keys", Fault::Status(404), "the keys: status 404"),
        ("/keys", garbage(), "not a key set"),
    ] {
        world
            .provider
            .with(|manners| drop(manners.faults.insert(path, fault)));
        world.is_refused(world.sign_in(json!({})), 502, reason);
        world.provider.with(|manners| manners.faults.clear());
    }
    let asked = world.provider.with(|manners| manners.asked.clone());
    assert!(
        !asked.iter().any(|asked| asked.contains("/elsewhere")),
        "{asked:?}"
    );
    // A sign-in that failed because of the provider is no failed attempt of the browser's.
    world.is_signed_in(world.sign_in(json!({})), "U1");
}

#[test]
fn metadata_and_keys_are_kept_for_an_hour() {
    let world = World::new();
    let read = || {
        let asked = world.provider.with(|manners| manners.asked.clone());
        asked
            .iter()
            .filter(|asked| !asked.contains("/token"))
            .count()
    };
    world.is_signed_in(world.sign_in(json!({})), "U1");
    assert_eq!(read(), 2);
    world.rota.advance(3_599);
    world.provider.with(|manners| manners.now += 3_599);
    world.is_signed_in(world.sign_in(json!({})), "U1");
    assert_eq!(read(), 2);
    world.rota.advance(1);
    world.is_signed_in(world.sign_in(json!({})), "U1");
    assert_eq!(read(), 4);
}

#[test]
fn failed_sign_ins_are_slowed_down() {
    let world = World::with(&[("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", "600")]);
    let browser = world.is_signed_in(world.sign_in(json!({})), "U1");
    let stranger = Browser::of(&world.rota);
    for _ in 0..10 {
        stranger.get("/auth/callback?state=a&code=b").is(400);
    }
    let answer = stranger.get("/auth/callback?state=a&code=b").is(429);
    assert!(answer.header("retry-after").is_some());
    browser.get("/me").is(200);
}

#[test]
fn check_says_whether_the_provider_can_be_read() {
    let world = World::new();
    let check = || {
        let mut command = on(&world.db, "check");
        command
            .env("ROTA_LOGIN_OIDC_ISSUER", &world.provider.issuer)
            .env("ROTA_LOGIN_OIDC_CLIENT_ID", CLIENT_ID)
            .env("ROTA_LOGIN_OIDC_CLIENT_SECRET", CLIENT_SECRET);
        run(&mut command)
    };
    let (code, _, told) = check();
    assert_eq!(code, 0, "{told}");
    let expected = format!(
        "{}: discovery document and keys are readable",
        world.provider.issuer
    );
    assert!(told.contains(&expected), "{told}");
    let other = json!({ "issuer": "https://id.example.org" });
    world.provider.with(|manners| manners.metadata = other);
    let (code, found, _) = check();
    assert_eq!(code, 1, "{found}");
    assert!(
        found.contains("https://id.example.org") && found.contains("login.oidc.issuer"),
        "{found}"
    );
}

#[test]
fn settings_that_are_wrong_say_where_and_what_to_write() {
    let start = "[login.oidc]\nissuer = \"https://id.example.org\"\nclient_id = \"rota\"\n";
    for (more, place, advice) in [
        ("", "login.oidc.client_secret: missing", "client_secret = "),
        (
            "client_secret = 987654\n",
            "rota.toml:4: login.oidc.client_secret: ",
            "quotes",
        ),
        (
            "client_secret = 987abc\n",
            "rota.toml:4: login.oidc.client_secret: ",
            "client_secret = ",
        ),
        (
            "client_secret = \"987abc\"\nclient_secret_file = \"x\"\n",
            "rota.toml:5: login.oidc.client_secret_file: ",
            "not both",
        ),
        (
            "client_secret_file = \"absent\"\n",
            "rota.toml:4: login.oidc.client_secret_file: absent: ",
            "/etc/rota/oidc-secret",
        ),
        (
            "client_secret_file = \"empty\"\n",
            "rota.toml:4: login.oidc.client_secret_file: empty: ",
            "/etc/rota/oidc-secret",
        ),
        (
            "client_secret = \"s\"\nscopes = \"email\"\n",
            "rota.toml:5: login.oidc.scopes: ",
            "openid email profile",
        ),
        (
            "client_secret = \"s\"\nadmins = [\"ana\"]\n",
            "rota.toml:5: login.oidc.admins: ",
            "ana@example.org",
        ),
        (
            "client_secret = \"s\"\nemail_domains = [\"@example.org\"]\n",
            "rota.toml:5: login.oidc.email_domains: ",
            "\"example.org\"",
        ),
        (
            "issuers = \"x\"\n",
            "rota.toml:4: login.oidc.issuers: unknown key",
            "issuer",
        ),
    ] {
        let dir = TempDir::new();
        dir.file("rota.toml", format!("{start}{more}"));
        dir.file("empty", "\n");
        for (line, expected) in [
            ("serve --config rota.toml --listen 127.0.0.1:0", 2),
            ("check --config rota.toml", 1),
        ] {
            let mut command = rota(dir.path());
            let (code, output, errors) = run(command.args(line.split(' ')));
            assert_eq!(code, expected, "{more}: {output}{errors}");
            assert!(
                errors.contains(place) && errors.contains(advice),
                "{more}: {errors}"
            );
            assert!(!errors.contains("987"), "a secret is shown: {errors}");
            assert!(!dir.join("rota.db").exists());
        }
    }
}

#[test]
fn the_secret_may_be_in_a_file() {
    let (provider, dir) = (Provider::at(START), TempDir::new());
    let secret = dir.file("secret", format!("{CLIENT_SECRET}\n"));
    let rota = Start::default()
        .env("ROTA_LOGIN_OIDC_ISSUER", &provider.issuer)
        .env("ROTA_LOGIN_OIDC_CLIENT_ID", CLIENT_ID)
        .env("ROTA_LOGIN_OIDC_CLIENT_SECRET_FILE", secret.display())
        .env("ROTA_LOGIN_OIDC_EMAIL_DOMAINS", "example.com")
        .go();
    rota.people(1);
    let mut browser = Browser::of(&rota);
    let page = browser.get("/login").is(200).text();
    assert!(page.contains("Sign in with single sign-on"), "{page}");
    let answer = browser.get("/auth/oidc/start").is(303);
    browser.keep(&answer);
    let (_, callback) = provider.authorize(answer.header("location").unwrap());
    browser.get(&callback).is(303);
}
