//! ID tokens and keys.

use super::{START, World};
use crate::support::*;
use serde_json::json;

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
