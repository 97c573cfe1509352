//! A sign-in from its start to its callback, and callbacks that belong to none.

use super::{DISCOVERY, World};
use crate::support::*;
use crate::web::Browser;
use serde_json::json;

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
        "identity \"sub-1\" of {} linked to Person U1",
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
