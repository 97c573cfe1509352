//! Who is not told, because they know.

use super::{notices_to, send, shifts};
use crate::support::*;
use serde_json::json;

/// rules.md 28.6.
#[test]
fn people_are_not_told_of_what_they_did_alone() {
    let rota = Rota::unreminded(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    send(&rotation);
    let token = rota.token("U2");
    let own = rotation.with(&token);
    let away = own.away("U2", "2026-01-06T00:00:00Z", "2026-01-07T00:00:00Z");
    let told = send(&rotation);
    assert!(
        !told.is_empty() && !told.contains(&"U2".to_owned()),
        "{told:?}"
    );
    own.back(&away);
    // Somebody else's mark is enough.
    rotation.away("U1", "2026-02-01T00:00:00Z", "2026-02-01T01:00:00Z");
    assert!(send(&rotation).contains(&"U2".to_owned()));
    let said = notices_to(&rota, "U2")[0]["text"].to_string();
    assert!(
        said.contains("Person U2 is no longer away from Tue 6 Jan 01:00"),
        "{said}"
    );
}

/// rules.md 28.6.
#[test]
fn covers_have_messages_of_their_own() {
    let rota = Rota::unreminded(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    send(&rotation);
    let schedule = rotation.schedule("2026-01-07T09:00Z", "2026-01-08T08:00Z");
    let holder = schedule[0].split(' ').nth(2).unwrap().to_owned();
    let other = if holder == "U1" { "U2" } else { "U1" };
    let asked = rotation.ask_cover(&holder, "07 08", other);
    rotation.get("/pending-notices").is(204);
    asked.step(other, "accept").is(200);
    assert_eq!(send(&rotation), Vec::<String>::new());
    asked.step(&holder, "end").is(200);
    assert_eq!(send(&rotation), Vec::<String>::new());
}

/// rules.md 28.6.
#[test]
fn coming_on_duty_is_told_once() {
    let rota = Rota::unreminded(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.put_on_call("U1").is(200);
    assert_eq!(send(&rotation), Vec::<String>::new());
    rotation.put_on_call("U2").is(200);
    // U2 was told that they are on duty, without an end.
    assert_eq!(send(&rotation), ["U1"]);
    let told = notices_to(&rota, "U1");
    assert_eq!(shifts(&told[0]["moved"]), ["- 01-05T08:00Z - U2"]);
    assert_eq!(
        told[0]["moved"]["because"][0]["text"]
            .as_str()
            .unwrap()
            .split(" (")
            .next(),
        Some("Person U2 was put on duty in place of Person U1")
    );
}

/// rules.md 28.6.
#[test]
fn whoever_was_taken_off_is_told_and_whoever_left_is_not() {
    let rota = Rota::unreminded(4);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    send(&rotation);
    rotation
        .patch(json!({ "userIds": ["U1", "U2", "U3"] }))
        .is(200);
    assert_eq!(send(&rotation), ["U1", "U2", "U3", "U4"]);
    let said = notices_to(&rota, "U4")[0]["text"].to_string();
    assert!(
        said.contains("Because: Person U4 takes no more turns (by the key"),
        "{said}"
    );
    let mut directory = directory(4);
    directory["users"].as_array_mut().unwrap().remove(2);
    rota.import(&directory);
    assert_eq!(send(&rotation), ["U1", "U2"]);
    assert_eq!(notices_to(&rota, "U3").len(), 1);
}
