//! What is never shown: keys in the log, email addresses, the key outside its own operations.

use crate::support::*;
use serde_json::json;

#[test]
fn keys_and_addresses_are_not_logged() {
    let rota = Start::default().env("ROTA_LOG", "trace").go();
    rota.people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let old = rotation.inbound();
    let path = rotation.path("/inbound-webhook/rotate");
    let new = Inbound::from_response(&rota, &rota.request("POST", &path).send().is(200).json());
    old.post("rotate").refused(401, "invalid_access_code");
    new.post("rotate").is(200);
    new.post("setonduty?email=u3@example.com").is(200);
    new.post("setonduty?email=stranger@example.com")
        .names("email");
    new.post("mention?userId=U1&channelId=C1&message=Verysecret")
        .is(200);
    new.post("mention?userId=U1&channelId=C9&message=Verysecret")
        .names("channelId");
    let wrong = new.with_key("guessed-by-somebody");
    wrong.post("rotate").refused(401, "invalid_access_code");
    let (first, second) = (old.key, new.key);
    let (status, log) = rota.stop();
    assert!(status.success());
    // The requests are logged at all, so the following checks are meaningful.
    assert!(log.contains("/rotate 401 invalid_access_code"), "{log}");
    assert!(log.contains("/setonduty 400"), "{log}");
    for secret in [
        &first,
        &second,
        "guessed-by-somebody",
        "example.com",
        "Verysecret",
    ] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}

#[test]
fn the_key_is_shown_nowhere_else() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let (_hook, receiver) = rota.hook(ALL_EVENTS);
    let inbound = rotation.inbound();
    let path = inbound.path.clone();
    let mut shown = vec![inbound.post("rotate").is(200).text()];
    let opened = inbound.post("mention?userId=U3&channelId=C1").is(200);
    let id = text(&opened.json()["mentionId"]).to_owned();
    shown.push(opened.text());
    for path in [
        rotation.path(""),
        rotation.path("/on-call"),
        rotation.path("/mention-settings"),
        rotation.path("/chat"),
        "/v1/rotations".to_owned(),
        format!("/v1/mentions/{id}"),
        "/dev/chat".to_owned(),
    ] {
        shown.push(rota.get(&path).is(200).text());
    }
    rota.advance(0);
    shown.extend(receiver.bodies().iter().map(ToString::to_string));
    assert!(receiver.bodies().len() == 1, "a change of duty");
    for text in shown {
        assert!(
            !text.contains(&inbound.key) && !text.contains(&path),
            "{text}"
        );
    }
}

/// rules.md 15.2.
#[test]
fn the_key_of_one_rotation_opens_no_other() {
    let rota = Rota::with_people(3);
    let (mine, other) = (rota.daily("U1 U2", 1), rota.daily("U3 U1", 1));
    let (first, second) = (mine.inbound(), other.inbound());
    let crossed = second.with_key(&first.key);
    crossed.post("rotate").refused(401, "invalid_access_code");
    // The member of another rotation is not one of this rotation.
    first.post("setonduty?email=u3@example.com").names("email");
    let query = "mention?userId=U3&channelId=C1";
    assert_eq!(
        first.post(query).is(200).json()["notifiedUserIds"],
        json!(["U1"])
    );
    assert_eq!(
        second.post(query).is(200).json()["notifiedUserIds"],
        json!(["U3"])
    );
    first.post("rotate").is(200);
    assert_eq!(
        (mine.on_call(), other.on_call()),
        ("U2".into(), "U3".into())
    );
}
