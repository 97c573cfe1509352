//! Letters: who gets them, what they say, and that names in them do no harm.

use super::smtp::Smtp;
use super::{lines, listed, mailing};
use crate::support::*;
use serde_json::json;
use std::collections::BTreeSet;

/// rules.md 19.2.
#[test]
fn direct_messages_are_mailed_over_a_secure_connection() {
    let smtp = Smtp::secure();
    let rota = mailing(&smtp)
        .env("ROTA_BASE_URL", "https://rota.example")
        .go();
    rota.people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.put_on_call("U1").is(200);
    rota.advance(0);
    let [letter] = &smtp.letters()[..] else {
        panic!("one letter: {:?}", smtp.lines());
    };
    assert!(letter.secure);
    assert_eq!(letter.to, "u1@example.com");
    assert_eq!(letter.header("From"), "rota <rota@example.org>");
    assert_eq!(letter.header("To"), "\"Person U1\" <u1@example.com>");
    assert_eq!(letter.header("Subject"), "You are on duty: Rotation");
    assert_eq!(letter.header("Auto-Submitted"), "auto-generated");
    assert_eq!(
        letter.header("List-Unsubscribe"),
        "<https://rota.example/me/mail>"
    );
    assert_eq!(letter.header("Date"), "Mon, 05 Jan 2026 08:00:00 +0000");
    assert_eq!(letter.header("In-Reply-To"), "-");
    let id = letter.header("Message-ID");
    assert!(
        id.starts_with("<msg_0000") && id.ends_with("@rota.example>"),
        "{id}"
    );
    // In the reader's zone, though the rotation's is UTC.
    let expected = format!(
        "You are on duty for Rotation until 2026-01-06 10:00 (Europe/Oslo).\n\n\
         See more: https://rota.example/rotations/{}\n\n\
         Choose what you are mailed: https://rota.example/me/mail\n",
        rotation.id
    );
    assert_eq!(letter.part("plain"), expected);
    let html = letter.part("html");
    assert!(
        html.contains("until 2026-01-06 10:00 (Europe/Oslo).</bdi>"),
        "{html}"
    );
    let listed = listed(&rota.caller(), "userId=U1");
    assert_eq!(lines(&listed), ["U1 onDuty sent inbox,mail"]);
    assert!(id.contains(text(&listed[0]["id"])), "{id}");
    // An owner whom the letter does not go to is the one to ask.
    rota.to("2026-01-06T09:00Z");
    let letters = smtp.letters();
    let second = letters.iter().find(|letter| letter.to == "u2@example.com");
    let text = second.expect("a letter to U2").part("plain");
    assert!(
        text.contains("Questions? Ask Person U1, u1@example.com."),
        "{text}"
    );
}

/// rules.md 19.7.
#[test]
fn a_request_and_its_answers_are_one_thread() {
    let smtp = Smtp::secure();
    let rota = mailing(&smtp)
        .env("ROTA_BASE_URL", "https://rota.example")
        .go();
    rota.people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let asked = rotation.ask_cover("U2", "06 07", "U1 U3");
    rota.advance(1);
    asked.step("U1", "decline").is(200);
    asked.step("U3", "accept").is(200);
    rota.advance(1);
    let mut letters = smtp.letters();
    letters.retain(|letter| !letter.header("Subject").starts_with("You are"));
    let subjects: Vec<String> = letters
        .iter()
        .map(|letter| letter.header("Subject"))
        .collect();
    assert_eq!(
        subjects,
        [
            "Person U2 asks you for cover: Rotation",
            "Person U2 asks you for cover: Rotation",
            "Person U1 has declined your cover request: Rotation",
            "Person U3 has accepted your cover request: Rotation",
        ]
    );
    let first = letters[0].header("Message-ID");
    assert_eq!(letters[0].header("References"), "-");
    for letter in &letters[1..] {
        assert_eq!(letter.header("In-Reply-To"), first);
        assert_eq!(letter.header("References"), first);
    }
    let link = format!("Answer: https://rota.example/requests/{}", asked.id);
    let text = letters[0].part("plain");
    assert!(
        text.contains(&link) && text.contains("Ask Person U2, u2@example.com."),
        "{text}"
    );
    assert!(
        letters[2].part("plain").contains("See more: "),
        "no answer is expected"
    );
}

#[test]
fn hostile_names_add_nothing_to_a_letter() {
    let smtp = Smtp::secure();
    let rota = mailing(&smtp).go();
    let mut people = directory(3);
    let hostile =
        "x\r\nBcc: evil@example.org\u{202e} =?utf-8?Q?=0D=0ABcc:_y?= <script>\"\\ \u{5d0}\u{1f600}";
    people["users"][0]["displayName"] = json!(hostile);
    people["users"][1]["displayName"] = json!("Ana \u{1f600} <a@b>");
    people["users"][1]["email"] = json!("u2@example.com>\r\nRCPT TO:<evil@example.org");
    rota.import(&people);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation
        .patch(json!({ "name": "=?utf-8?Q?Ops?= <i>\u{202e}" }))
        .is(200);
    rotation.ask_cover("U1", "05T10 06", "U2 U3");
    rotation.put_on_call("U1").is(200);
    rota.advance(0);
    let usual = [
        "Date",
        "From",
        "To",
        "Subject",
        "Message-ID",
        "In-Reply-To",
        "References",
        "Auto-Submitted",
        "List-Unsubscribe",
        "MIME-Version",
        "Content-Type",
    ];
    let letters = smtp.letters();
    assert_eq!(letters.len(), 2, "{:?}", smtp.lines());
    for letter in &letters {
        let names = letter.header_names();
        assert!(
            names.iter().all(|name| usual.contains(&name.as_str())),
            "{names:?}"
        );
        // A reader decodes `=?utf-8?Q?...?=`, so none may come from a name.
        assert!(!letter.data.contains("=?utf-8?Q?"), "{}", letter.data);
        let text = letter.part("plain");
        assert!(!text.contains('\u{202e}'), "{text:?}");
        let html = letter.part("html");
        assert!(
            !html.contains("<script>") && !html.contains("<i>"),
            "{html}"
        );
    }
    // An address that is none is not mailed to, and the list says so.
    let dropped = listed(&rota.caller(), "state=dropped");
    assert_eq!(lines(&dropped), ["U2 coverAsked dropped inbox"]);
    assert!(
        text(&dropped[0]["error"]).contains("is not a mail address"),
        "{dropped:?}"
    );
}

#[test]
fn many_letters_share_few_connections_and_delay_no_hand_over() {
    let smtp = Smtp::secure();
    let rota = mailing(&smtp).go();
    rota.people(4);
    for _ in 0..200 {
        rota.daily("U1 U2 U3 U4", 2);
    }
    rota.advance(0);
    let before = smtp.letters().len();
    // All of them hand over at one instant, to two people each.
    rota.to("2026-01-06T09:00Z");
    let letters = &smtp.letters()[before..];
    assert_eq!(letters.len(), 400);
    let dates: BTreeSet<String> = letters.iter().map(|letter| letter.header("Date")).collect();
    assert_eq!(dates.len(), 1, "{dates:?}");
    let ids: BTreeSet<String> = letters
        .iter()
        .map(|letter| letter.header("Message-ID"))
        .collect();
    assert_eq!(ids.len(), 400);
    // Each takes 100 letters at most.
    let used: BTreeSet<usize> = letters.iter().map(|letter| letter.connection).collect();
    assert!(used.len() <= 5, "{} letters over {used:?}", letters.len());
    assert_eq!(listed(&rota.caller(), "state=waiting").len(), 0);
}

#[test]
fn owners_are_mailed_when_nobody_is_on_call() {
    let smtp = Smtp::secure();
    let rota = mailing(&smtp).go();
    rota.people(3);
    let rotation = rota.daily("U2 U3", 1);
    rotation.put_on_call("U2").is(200);
    rotation.away("U2", "2026-01-06T00:00Z", "2026-02-01T00:00Z");
    rotation.away("U3", "2026-01-06T00:00Z", "2026-02-01T00:00Z");
    rota.to("2026-01-06T09:00Z");
    let nobody = "u2@example.com: Nobody is on call: Rotation";
    assert!(
        smtp.lines().iter().any(|line| line == nobody),
        "{:?}",
        smtp.lines()
    );
}
