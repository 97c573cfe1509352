//! A kill between a server's answer and the note of it: sent again as the same message, and nothing is lost.

use super::smtp::Smtp;
use super::{lines, listed, mailing};
use crate::support::*;
use serde_json::Value;

fn rotation_of<'a>(rota: &'a Rota, id: &str) -> Rot<'a> {
    Rot {
        by: rota.caller(),
        id: id.to_owned(),
    }
}

#[test]
fn a_kill_after_a_letter_sends_the_same_letter_again() {
    let smtp = Smtp::secure();
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let start = mailing(&smtp)
        .db(&db)
        .env("ROTA_FAILPOINTS", "mail.sent=kill@2");
    let mut rota = start.go();
    rota.people(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.put_on_call("U1").is(200);
    rota.advance(0);
    assert_eq!(smtp.letters().len(), 1);
    rotation.put_on_call("U2").is(200);
    // The second letter ends the process.
    rota.process.ended();
    let rota = mailing(&smtp).db(&db).go();
    rota.advance(0);
    let letters = smtp.letters();
    assert_eq!(letters.len(), 3, "{:?}", smtp.lines());
    assert_eq!(letters[1].data, letters[2].data);
    let all = lines(&listed(&rota.caller(), "state=sent&userId=U2"));
    assert_eq!(all, ["U2 onDuty sent inbox,mail"]);
}

#[test]
fn a_kill_before_a_message_is_posted_loses_no_letter() {
    let smtp = Smtp::secure();
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let mut rota = mailing(&smtp).db(&db).go();
    rota.people(2);
    let id = rota.rotation("U1 U2").id;
    rota.chat_is_down();
    rotation_of(&rota, &id).put_on_call("U1").is(200);
    rota.process.signal("KILL");
    rota.process.ended();
    assert_eq!(smtp.letters().len(), 0);
    let rota = mailing(&smtp).db(&db).go();
    rota.advance(2);
    assert_eq!(smtp.lines(), ["u1@example.com: You are on duty: Rotation"]);
}

#[test]
fn what_waits_for_a_way_that_was_taken_down_is_dropped() {
    let smtp = Smtp::new(super::smtp::Manners {
        refuses: vec![("greeting", "421 down")],
        ..Default::default()
    });
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = mailing(&smtp).db(&db).go();
    rota.people(2);
    rota.rotation("U1 U2").put_on_call("U1").is(200);
    rota.advance(0);
    assert_eq!(listed(&rota.caller(), "state=waiting").len(), 1);
    rota.stop();
    let rota = Start::default().db(&db).go();
    let dropped: Vec<Value> = listed(&rota.caller(), "state=dropped");
    assert_eq!(lines(&dropped), ["U1 onDuty dropped inbox"]);
    assert!(
        text(&dropped[0]["error"]).contains("no longer set up"),
        "{dropped:?}"
    );
    rota.advance(HOUR);
}
