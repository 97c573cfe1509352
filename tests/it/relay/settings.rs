//! What people choose to be mailed, and who may choose it.

use super::smtp::Smtp;
use super::{lines, listed, mailing};
use crate::support::*;
use crate::web::Browser;
use serde_json::{Value, json};

const DEFAULT: [&str; 14] = [
    "onDuty",
    "comingUp",
    "nobody",
    "coverAsked",
    "coverAnswered",
    "swapAsked",
    "swapAnswered",
    "mention",
    "mentionAnswered",
    "handOver",
    "shiftsMoved",
    "summary",
    "weekAhead",
    "changeFailed",
];

/// The settings of somebody who chose nothing but these.
fn chosen(mail: bool, kinds: Value) -> Value {
    json!({ "mail": mail, "kinds": kinds, "remindBefore": null, "summary": null,
        "push": null, "invitations": false, "lastFailure": null })
}

fn put(by: &Caller, user: &str, body: Value) -> Answer {
    let path = format!("/v1/users/{user}/notifications");
    by.request("PUT", &path).json(&body).send()
}

/// rules.md 19.3.
#[test]
fn people_and_admins_choose_what_is_mailed() {
    let rota = Rota::with_people(3);
    let path = "/v1/users/U1/notifications";
    let usual = rota.caller().get(path).is(200).json();
    assert_eq!(usual, chosen(true, json!(DEFAULT)));
    let token = rota.token("U1");
    let own = rota.with(&token);
    let body = json!({ "mail": true, "kinds": ["offDuty", "onDuty"] });
    let answer = put(&own, "U1", body).is(200).json();
    assert_eq!(answer, chosen(true, json!(["onDuty", "offDuty"])));
    assert_eq!(own.get(path).is(200).json(), answer);
    let entry = rota.newest_entry();
    assert_eq!(entry["action"], "setNotificationSettings");
    assert!(
        text(&entry["summary"]).ends_with(" to onDuty, offDuty"),
        "{entry}"
    );
    // What changes nothing leaves no entry.
    put(&own, "U1", answer.clone()).is(200);
    assert_eq!(rota.newest_entry()["id"], entry["id"]);

    let other = rota.token("U2");
    put(&rota.with(&other), "U1", answer.clone()).is(403);
    rota.with(&other).get(path).is(403);
    rota.caller().get("/v1/users/nobody/notifications").is(404);
    put(
        &rota.with(&rota.key("read:directory")),
        "U1",
        answer.clone(),
    )
    .is(403);
    for (body, path) in [
        (json!({ "mail": true, "kinds": ["onduty"] }), "kinds[0]"),
        (json!({ "mail": "yes", "kinds": [] }), "mail"),
        (json!({ "kinds": [] }), "mail"),
        (json!({ "mail": true }), "kinds"),
        (json!({ "mail": true, "kinds": [], "sms": true }), "sms"),
    ] {
        let detail = put(&own, "U1", body).is(400).json()["detail"].clone();
        assert!(text(&detail).contains(path), "{path}: {detail}");
    }
}

#[test]
fn only_what_was_chosen_is_mailed() {
    let smtp = Smtp::secure();
    let rota = mailing(&smtp).go();
    rota.people(4);
    let mut directory = directory(4);
    directory["users"][3]["email"] = Value::Null;
    rota.import(&directory);
    put(
        &rota.caller(),
        "U2",
        json!({ "mail": false, "kinds": DEFAULT }),
    )
    .is(200);
    put(
        &rota.caller(),
        "U3",
        json!({ "mail": true, "kinds": ["offDuty"] }),
    )
    .is(200);
    let rotation = rota.rotation("U1 U2 U3 U4");
    for user in ["U1", "U2", "U3", "U4", "U1"] {
        rotation.put_on_call(user).is(200);
        rota.advance(1);
    }
    let subjects = smtp.lines();
    let on = "u1@example.com: You are on duty: Rotation";
    assert_eq!(
        subjects,
        [on, "u3@example.com: You are off duty: Rotation", on]
    );
    let inbox = lines(&listed(&rota.caller(), "userId=U2"));
    assert_eq!(inbox, ["U2 offDuty sent inbox", "U2 onDuty sent inbox"]);
    let status = rotation.chat_status();
    assert_eq!(
        status["inboxOnly"],
        json!({ "userIds": ["U2", "U4"], "channelIds": [] })
    );
}

#[test]
fn the_page_of_mail_has_the_same_choice() {
    let rota = Rota::with_people(2);
    let browser = Browser::signed_in(&rota, "U1");
    let page = browser.get("/me/mail").is(200).text();
    assert!(page.contains("This server sends no mail."), "{page}");
    let answer = browser.post(
        "/me/mail",
        &[("mail", "true"), ("kinds", "offDuty"), ("kinds", "nobody")],
    );
    let page = browser.follow(&answer.is(303));
    assert!(page.contains("Saved."), "{page}");
    let path = "/v1/users/U1/notifications";
    let settings = rota.caller().get(path).is(200).json();
    let kinds = [
        "offDuty",
        "nobody",
        "mentionAnswered",
        "handOver",
        "weekAhead",
        "changeFailed",
    ];
    assert_eq!(settings, chosen(true, json!(kinds)));
    // When they are told, too; what is wrong stands at its field.
    let chosen = [
        ("mail", "true"),
        ("remindBefore", "1d, 15m"),
        ("summary.day", "monday"),
        ("summary.time", "08:00"),
        ("push.url", ""),
    ];
    browser.post("/me/mail", &chosen).is(303);
    let settings = rota.caller().get(path).is(200).json();
    assert_eq!(settings["remindBefore"], json!(["1d", "15m"]));
    assert_eq!(
        settings["summary"],
        json!({ "day": "monday", "time": "08:00" })
    );
    let page = browser.get("/me/mail").is(200).text();
    assert!(page.contains("value=\"1d, 15m\""), "{page}");
    for (name, value) in [
        ("remindBefore", "1w"),
        ("summary.time", "8"),
        ("push.url", "https://10.0.0.1/topic"),
    ] {
        let mut wrong = chosen.to_vec();
        wrong.retain(|(known, _)| *known != name);
        wrong.push((name, value));
        let page = browser.post("/me/mail", &wrong).is(400).text();
        assert!(page.contains("There is a problem"), "{name}");
    }
    browser
        .post(
            "/me/mail",
            &[("remindBefore", "never"), ("summary.day", "")],
        )
        .is(303);
    let settings = rota.caller().get(path).is(200).json();
    assert_eq!(
        (&settings["remindBefore"], &settings["summary"]),
        (&json!([]), &Value::Null)
    );
    let sent = browser.post("/me/mail/test", &[]).is(303);
    assert!(browser.follow(&sent).contains("inbox: sent."));
    browser.post("/me/mail", &[]).is(303);
    assert_eq!(rota.caller().get(path).is(200).json()["mail"], false);
    browser.post("/me/mail", &[("kinds", "other")]).is(400);
}
