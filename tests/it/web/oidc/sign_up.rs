//! People who become one at their first sign-in, and the user groups that the provider says.

use super::{START, World};
use crate::support::*;
use serde_json::{Value, json};

const CREATE: (&str, &str) = ("ROTA_LOGIN_OIDC_CREATE", "true");
const CLAIM: (&str, &str) = ("ROTA_LOGIN_OIDC_GROUPS_CLAIM", "groups");
const GROUPS: (&str, &str) = ("ROTA_LOGIN_OIDC_GROUPS", "sre=GSRE, ops=GOPS,old=GOLD");

impl World {
    fn with_groups(settings: &[(&'static str, &str)]) -> World {
        let world = World::with(settings);
        for (id, users) in [("GSRE", json!(["U1"])), ("GOPS", json!(["U1", "U2"]))] {
            let group = json!({ "id": id, "name": id, "handle": id, "userIds": users });
            world.rota.caller().post("/v1/groups", group).is(201);
        }
        world
    }

    fn members(&self, group: &str) -> Value {
        let path = format!("/v1/groups/{group}");
        self.rota.get(&path).is(200).json()["userIds"].clone()
    }

    fn person(&self, email: &str) -> Value {
        let path = format!("/v1/users?email={email}");
        self.rota.get(&path).is(200).json()["data"][0].clone()
    }
}

/// rules.md 12.13 and 12.14.
#[test]
fn somebody_of_a_listed_domain_becomes_a_person() {
    let world = World::with_groups(&[CREATE, CLAIM, GROUPS]);
    let new = json!({
        "sub": "sub-9", "email": "Neo@Example.com", "name": "Neo Anders", "zoneinfo": "Europe/Oslo",
        "preferred_username": "neo", "groups": ["sre", "unknown"]
    });
    world.sign_in(new.clone()).is(303);
    let found = world.person("neo@example.com");
    for (member, expected) in [
        ("displayName", json!("Neo Anders")),
        ("email", json!("Neo@Example.com")),
        ("timeZone", json!("Europe/Oslo")),
        ("handle", json!("neo")),
        ("source", json!("signIn")),
        ("isAdmin", json!(false)),
    ] {
        assert_eq!(found[member], expected, "{member}");
    }
    assert_eq!(world.members("GSRE"), json!(["U1", found["id"]]));
    let entries = world.rota.audit("action=signUp");
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0]["actor"]["id"], found["id"]);
    let summary = text(&entries[0]["summary"]);
    assert!(
        summary.contains("Neo Anders") && summary.contains("put into"),
        "{summary}"
    );
    // The same person from then on.
    world.sign_in(new).is(303);
    assert_eq!(world.rota.audited("action=signUp"), 1);
    // What the provider does not say, or what does not fit here, is left out; the address stands for the name.
    let plain = json!({
        "sub": "sub-8", "email": "trin@example.com", "zoneinfo": "EST", "preferred_username": "NEO", "groups": null
    });
    world.sign_in(plain).is(303);
    let found = world.person("trin@example.com");
    assert_eq!(found["displayName"], json!("trin@example.com"));
    assert_eq!(
        (&found["timeZone"], &found["handle"]),
        (&json!(null), &json!(null))
    );
}

/// rules.md 12.13.
#[test]
fn nobody_else_becomes_a_person() {
    let world = World::with(&[CREATE]);
    for (claims, reason) in [
        (
            json!({ "sub": "a", "email": "neo@elsewhere.example" }),
            "is not in login.oidc.email_domains",
        ),
        (
            json!({ "sub": "a", "email": "neo@example.com", "email_verified": false }),
            "has not verified",
        ),
    ] {
        world.is_refused(world.sign_in(claims), 403, reason);
    }
    // An address of somebody who is deactivated is theirs.
    let mut people = directory(3);
    people["users"][2]["isDeleted"] = json!(true);
    world.rota.import(&people);
    let answer = world.sign_in(json!({ "sub": "sub-3", "email": "U3@example.com" }));
    world.is_refused(answer, 403, "deactivated or external");
    // Active people are matched.
    world.is_signed_in(world.sign_in(json!({})), "U1");
    assert_eq!(world.rota.audited("action=signUp"), 0);
}

#[test]
fn without_it_the_page_says_whom_to_ask() {
    let world = World::new();
    let mut people = directory(3);
    people["users"][1]["isAdmin"] = json!(true);
    world.rota.import(&people);
    let new = json!({ "sub": "sub-9", "email": "neo@example.com" });
    let page = world.sign_in(new).is(403).text();
    assert!(
        page.contains("Ask an administrator of rota to add you") && page.contains("Person U2"),
        "{page}"
    );
    let stranger = json!({ "sub": "sub-9", "email": "neo@elsewhere.example" });
    let page = world.sign_in(stranger).is(403).text();
    assert!(
        page.contains("Ask an administrator of rota") && !page.contains("Person U2"),
        "{page}"
    );
}

/// rules.md 12.14.
#[test]
fn each_sign_in_places_people_as_the_claim_says() {
    let world = World::with_groups(&[CLAIM, GROUPS]);
    // No claim, no change; from then on as it says, at the end. A group that is not there is left out.
    world.sign_in(json!({})).is(303);
    assert_eq!(world.members("GOPS"), json!(["U1", "U2"]));
    world.sign_in(json!({ "groups": ["sre"] })).is(303);
    assert_eq!(
        (world.members("GSRE"), world.members("GOPS")),
        (json!(["U1"]), json!(["U2"]))
    );
    world.sign_in(json!({ "groups": ["ops", "old"] })).is(303);
    assert_eq!(
        (world.members("GSRE"), world.members("GOPS")),
        (json!([]), json!(["U2", "U1"]))
    );
    assert_eq!(world.rota.audited("action=signUp"), 2);
    // The userinfo endpoint says it where the token does not.
    world
        .provider
        .with(|manners| manners.userinfo = json!({ "groups": ["sre"] }));
    world.sign_in(json!({})).is(303);
    assert_eq!(
        (world.members("GSRE"), world.members("GOPS")),
        (json!(["U1"]), json!(["U2"]))
    );
}

/// rules.md 12.13.
#[test]
fn a_hundred_people_an_hour() {
    let world = World::with(&[CREATE, ("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", "0")]);
    let new = |number: usize| {
        let (sub, email) = (format!("new-{number}"), format!("new-{number}@example.com"));
        world.sign_in(json!({ "sub": sub, "email": email }))
    };
    for number in 0..100 {
        new(number).is(303);
    }
    let answer = new(100).is(429);
    let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=3600).contains(&wait), "{wait}");
    // Those who are there sign in.
    new(7).is(303);
    assert_eq!(world.rota.audited("action=signUp"), 100);
}

#[test]
fn settings_that_lack_another_do_not_start() {
    let (provider, dir) = (Provider::at(START), TempDir::new());
    let start = format!(
        "[login.oidc]\nissuer = \"{}\"\nclient_id = \"rota\"\nclient_secret = \"s\"\n",
        provider.issuer
    );
    for (more, place, advice) in [
        (
            "create = true\n",
            "rota.toml:5: login.oidc.create",
            "email_domains = ",
        ),
        (
            "groups_claim = \"groups\"\n",
            "rota.toml:5: login.oidc.groups_claim",
            "groups = ",
        ),
        (
            "groups = { sre = \"GSRE\" }\n",
            "rota.toml:5: login.oidc.groups",
            "groups_claim = ",
        ),
        (
            "groups_claim = \"g\"\n[login.oidc.groups]\nsre = 5\n",
            "rota.toml:7: login.oidc.groups",
            "groups = ",
        ),
        (
            "groups_claim = \"g\"\n[login.oidc.groups]\nsre = \"G SRE\"\n",
            "rota.toml:7: login.oidc.groups",
            "groups = ",
        ),
        (
            "create = \"yes\"\n",
            "rota.toml:5: login.oidc.create",
            "create = true",
        ),
    ] {
        dir.file("rota.toml", format!("{start}{more}"));
        let mut command = rota(dir.path());
        let (code, output, errors) =
            run(command.args(["serve", "--config", "rota.toml", "--listen", "127.0.0.1:0"]));
        assert_eq!(code, 2, "{more}: {output}{errors}");
        assert!(
            errors.contains(place) && errors.contains(advice),
            "{more}: {errors}"
        );
    }
}
