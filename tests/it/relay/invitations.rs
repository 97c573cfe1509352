//! People who are invited by mail.

use super::mailing;
use super::smtp::Smtp;
use crate::support::*;
use serde_json::json;

/// rules.md 17.13.
#[test]
fn somebody_who_is_invited_is_mailed_a_link_that_is_stored_nowhere() {
    let smtp = Smtp::secure();
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let rota = mailing(&smtp)
        .db(&db)
        .env("ROTA_BASE_URL", "https://rota.example")
        .go();
    rota.people(1);
    let by = rota.caller();
    by.post(
        "/v1/users",
        json!({ "displayName": "Grace", "invite": true }),
    )
    .refused(409, "no_address");
    let new = json!({ "id": "UGRACE", "displayName": "Grace", "email": "grace@example.org", "invite": true });
    by.post("/v1/users", new).is(201);
    rota.advance(0);
    let [letter] = &smtp.letters()[..] else {
        panic!("one letter: {:?}", smtp.lines());
    };
    assert_eq!(letter.to, "grace@example.org");
    let text = letter.part("plain");
    let (_, link) = text.split_once("https://rota.example/in/").expect("a link");
    let secret = link.split_whitespace().next().unwrap_or_default();
    assert!(secret.len() >= 22, "{secret}");
    let stored =
        ["", "-wal"].map(|end| std::fs::read(format!("{}{end}", db.display())).unwrap_or_default());
    let holds = |bytes: &Vec<u8>| {
        bytes
            .windows(secret.len())
            .any(|part| part == secret.as_bytes())
    };
    assert!(!stored.iter().any(holds), "the secret is stored");
    assert!(!rota.process.log.text().contains(secret));
    rota.advance(0);
    assert_eq!(smtp.letters().len(), 1);
}
