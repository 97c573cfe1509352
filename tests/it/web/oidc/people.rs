//! Who somebody from the provider is.

use super::World;
use crate::cli::{fails_with, on, succeeds};
use crate::support::*;
use crate::web::Browser;
use serde_json::json;

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

/// rules.md 12.8.
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
        "identity \"sub-2\" of {} linked to Person U1",
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
        summary.replace("Person U1", "Person U2, no longer to Person U1")
    );
    world.is_signed_in(world.sign_in(json!({ "sub": "sub-2" })), "U2");
    for (line, words) in [
        (
            "login link-identity --user U9 --issuer https://a.example --sub s",
            ["U9", "`rota people`"],
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

/// rules.md 12.9.
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

/// rules.md 12.10.
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
fn sessions_end_when_the_account_is_linked_to_somebody_else() {
    let world = World::new();
    let first = world.is_signed_in(world.sign_in(json!({})), "U1");
    let second = json!({ "sub": "sub-2", "email": "u2@example.com" });
    let other = world.is_signed_in(world.sign_in(second), "U2");
    let named = Browser::signed_in(&world.rota, "U2");
    // The person's other account takes the place of the first, and is nobody else's any more.
    let line = format!(
        "login link-identity --user U1 --issuer {} --sub sub-2",
        world.provider.issuer
    );
    succeeds(&world.db, &line);
    first.get("/me").is(303);
    other.get("/me").is(303);
    named.get("/me").is(200);
}

/// rules.md 12.10.
#[test]
fn an_administrator_by_an_address_is_one_no_longer_than_the_address_is_theirs() {
    let world = World::with(&[("ROTA_LOGIN_OIDC_ADMINS", "u1@example.com")]);
    let unverified = json!({ "email_verified": false });
    world.is_signed_in(world.sign_in(json!({})), "U1");
    let browser = world.is_signed_in(world.sign_in(unverified), "U1");
    browser.get("/admin").is(200);
    let mut people = directory(3);
    people["users"][0]["email"] = json!("other@example.com");
    world.rota.import(&people);
    browser.get("/me").is(303);
    // It does not come back with the address.
    world.rota.people(3);
    browser.get("/me").is(303);
}

#[test]
fn slack_is_matched_by_its_own_ids() {
    let world = World::with(&[("ROTA_LOGIN_OIDC_MATCH", "slack")]);
    // Slack takes no code challenge, so none is sent.
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
