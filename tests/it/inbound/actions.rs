//! The three actions: their effects and responses equal those of the other operations.

use crate::events::Reader;
use crate::support::*;
use serde_json::{Value, json};

const FROM: &str = "2026-01-05T00:00Z";
const TO: &str = "2026-01-07T00:00Z";

/// The response of rotate and setonduty must be the on-call resource with its ETag.
#[track_caller]
fn is_on_call(answer: Answer, rotation: &Rot, people: &str) {
    let answer = answer.is(200);
    let now = rotation.get("/on-call").is(200);
    assert_eq!(answer.etag(), now.etag());
    assert_eq!(answer.json(), now.json());
    assert_eq!(people_on_call(&answer.json()), people);
}

#[test]
fn rotate_hands_over_to_the_next() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    let inbound = rotation.inbound();
    let mut reader = Reader::new(&rota);
    rota.to("2026-01-05T08:30Z");
    is_on_call(inbound.post("rotate"), &rotation, "U2");
    let news = reader.news();
    let reply: Vec<String> = news.iter().map(crate::events::word).collect();
    assert_eq!(reply, ["duty manual"]);
    // Creation and grid came before.
    assert_eq!(news[0]["version"], 3);
    assert_eq!(
        rotation.history(FROM, TO),
        [
            "2026-01-05T08:00Z 2026-01-05T08:30Z U1 coverage-changed",
            "2026-01-05T08:30Z - U2 rotate-to-next-on-duty",
        ]
    );
    assert!(
        rota.messages_to("U2")
            .last()
            .unwrap()
            .contains("You are on duty")
    );
    is_on_call(inbound.post("rotate"), &rotation, "U3");
    is_on_call(inbound.post("rotate"), &rotation, "U1");
    // Scheduled hand-overs keep their times.
    assert_eq!(rotation.next_events()[0], "2026-01-06T09:00Z");
    rota.to("2026-01-06T09:00Z");
    assert_eq!(rotation.on_call(), "U2");
}

#[test]
fn rotate_hands_over_every_place() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    is_on_call(rotation.inbound().post("rotate"), &rotation, "U3 U4");
    let manual = rota.rotation("U1 U2");
    is_on_call(manual.inbound().post("rotate"), &manual, "U1");
}

#[test]
fn setonduty_puts_a_member_on_duty() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    let inbound = rotation.inbound();
    let mut reader = Reader::new(&rota);
    rota.to("2026-01-05T08:30Z");
    let put = |email: &str| inbound.post(&format!("setonduty?email={email}"));
    is_on_call(put("u3@example.com"), &rotation, "U3");
    assert_eq!(rotation.next_turn(), 0);
    let news = reader.news();
    let reply: Vec<String> = news.iter().map(crate::events::word).collect();
    assert_eq!(reply, ["duty manual"]);
    assert_eq!(news[0]["version"], 3);
    assert_eq!(
        rotation.history(FROM, TO),
        [
            "2026-01-05T08:00Z 2026-01-05T08:30Z U1 coverage-changed",
            "2026-01-05T08:30Z - U3 explicit-change",
        ]
    );
    // A person on duty stays on duty.
    let etag = rotation.etag();
    is_on_call(put("u3@example.com"), &rotation, "U3");
    assert_eq!(rotation.etag(), etag);
    assert_eq!(reader.words(), "");
    // The other operation has the same effect.
    rotation.put_on_call("U1").is(200);
    let (by_put, turn) = (rotation.read()["cells"].clone(), rotation.next_turn());
    rotation.put_on_call("U2").is(200);
    is_on_call(put("u1@example.com"), &rotation, "U1");
    assert_eq!(
        (rotation.read()["cells"].clone(), rotation.next_turn()),
        (by_put, turn)
    );
}

/// It has the effect of a PUT with one person, also with several slots.
#[test]
fn setonduty_is_the_replacement_with_one_person() {
    let rota = Rota::with_people(4);
    let office = hours(
        "UTC",
        &weekdays("09:00", "17:00"),
        weekly("UTC", "2026-01-12T09:00"),
    );
    // Two slots; a window that is shut now, so that all windows count; one that is shut and one that is open.
    let shapes = [
        (2, vec![always(daily())]),
        (1, vec![office.clone()]),
        (1, vec![office, always(daily())]),
    ];
    for (shape, (lanes, windows)) in shapes.iter().enumerate() {
        let (this, that) = (rota.rotation("U1 U2 U3"), rota.rotation("U1 U2 U3"));
        for rotation in [&this, &that] {
            rotation.cover(*lanes, windows);
        }
        this.inbound()
            .post("setonduty?email=u3@example.com")
            .is(200);
        that.put_on_call("U3").is(200);
        assert_eq!(this.holders(), that.holders(), "{shape}");
        assert_eq!(this.on_call(), that.on_call(), "{shape}");
        assert!(this.holders().contains("U3"), "{shape}");
    }
}

#[test]
fn mention_asks_for_whoever_is_on_call() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    let inbound = rotation.inbound();
    let etag = rotation.etag();
    let answer = inbound
        .post("mention?userId=U4&channelId=C2&message=Down")
        .is(200);
    assert_eq!(answer.header("etag"), None);
    let opened = answer.json();
    let id = text(&opened["mentionId"]).to_owned();
    let expected = json!({ "mentionId": id, "state": "open", "notifiedUserIds": ["U1"] });
    assert_eq!(opened, expected);
    assert_eq!(Mention { rota: &rota, id }.state_line(), "open U1");
    let asked = "@Person U1 Person U4 asks for whoever is on call in Rotation: Down";
    assert_eq!(rota.messages_to("C2"), [asked]);
    assert_eq!(rotation.etag(), etag);
    // Each opens a new one.
    let again = inbound.post("mention?userId=U4&channelId=C2&message=Down");
    assert_ne!(again.is(200).json()["mentionId"], opened["mentionId"]);
}

#[test]
fn a_body_sent_along_is_not_looked_at() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    let inbound = rotation.inbound();
    let other = json!({ "email": "u3@example.com", "userId": "U9", "cellIds": ["cel_x"] });
    let form = "application/x-www-form-urlencoded";
    for (kind, body) in [
        (PLAIN_JSON, other.to_string()),
        (PLAIN_JSON, "{".to_owned()),
        (form, "email=u3@example.com".to_owned()),
        ("text/plain", "\u{0}".to_owned()),
    ] {
        let post = |action: &str| {
            let request = inbound.request("POST", action);
            request
                .header("Content-Type", kind)
                .body(body.as_str())
                .send()
        };
        is_on_call(post("setonduty?email=u1@example.com"), &rotation, "U1");
        is_on_call(post("rotate"), &rotation, "U2");
        let opened = post("mention?userId=U4&channelId=C1").is(200).json();
        assert_eq!(opened["notifiedUserIds"], json!(["U2"]));
        // A missing parameter is not read from the body.
        post("setonduty").names("email");
    }
    // No Content-Type is required.
    let bare = inbound.request("POST", "rotate").body("x").send();
    is_on_call(bare, &rotation, "U3");
}

#[test]
fn parameters_that_mean_nothing_are_refused_and_headers_passed_over() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let inbound = rotation.inbound();
    inbound
        .post("rotate?email=u1@example.com")
        .names("email: unknown");
    let misspelt = "setonduty?emial=u1@example.com";
    inbound
        .post(misspelt)
        .names("emial: unknown; did you mean email?");
    is_on_call(inbound.post("rotate?"), &rotation, "U2");
    inbound.post("rotate").is(200);
    // A precondition is not asked for, and one that comes along is not looked at.
    let request = inbound.request("POST", "rotate");
    let stale = request.header("If-Match", "\"stale\"").send();
    is_on_call(stale, &rotation, "U1");
    // So is another credential.
    let request = inbound.request("POST", "rotate");
    let other = request.header("Authorization", "Bearer svc_key_x_y");
    is_on_call(other.send(), &rotation, "U2");
}

#[test]
fn what_fell_due_comes_first() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let (id, inbound) = (rotation.id.clone(), rotation.inbound());
    let (path, key) = (inbound.path, inbound.key);
    rota.stop();
    // A day later: the hand-over of Tuesday is processed before the action.
    let rota = Start::default().db(&db).clock("2026-01-06T10:00Z").go();
    let rotation = Rot {
        by: rota.caller(),
        id,
    };
    let inbound = Inbound {
        rota: &rota,
        path,
        key,
    };
    let opened: Value = inbound
        .post("mention?userId=U1&channelId=C1")
        .is(200)
        .json();
    assert_eq!(opened["notifiedUserIds"], json!(["U2"]));
    is_on_call(inbound.post("rotate"), &rotation, "U3");
}
