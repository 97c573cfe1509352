//! Settings, and what `rota check` says of the provider.

use super::{START, World};
use crate::cli::on;
use crate::support::*;
use crate::web::Browser;
use serde_json::json;

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
        (
            "",
            "rota.toml:3: login.oidc.client_id: client_secret is missing beside it",
            "client_secret = ",
        ),
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

#[test]
fn check_tells_of_cookies_that_anybody_can_read() {
    let (_dir, db) = crate::cli::imported();
    for (base_url, expected) in [
        ("http://rota.lan:8080", true),
        ("http://127.0.0.1:8080", false),
        ("https://rota.example.org", false),
    ] {
        let mut command = on(&db, "check");
        let (code, _, told) = run(command.env("ROTA_BASE_URL", base_url));
        assert_eq!(code, 0, "{told}");
        let found = told.contains("note: ROTA_BASE_URL: http://rota.lan:8080 is plain http");
        assert_eq!(found, expected, "{base_url}: {told}");
    }
}
