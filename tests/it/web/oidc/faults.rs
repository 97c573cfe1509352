//! Providers that misbehave.

use super::{DISCOVERY, World};
use crate::support::*;
use crate::web::Browser;
use serde_json::json;

pub fn a_provider_that_misbehaves_signs_nobody_in() {
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
fn a_provider_that_is_down_is_told() {
    // Nobody listens where somebody did.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let issuer = format!("http://{}", gone.local_addr().expect("its address"));
    drop(gone);
    let world = World::with(&[("ROTA_LOGIN_OIDC_ISSUER", &issuer)]);
    let answer = Browser::of(&world.rota).get("/auth/oidc/start");
    world.is_refused(answer, 502, "connection failed");
    Browser::of(&world.rota).get("/login").is(200);
}
