//! Turns as invitations: which letters go out, and what they make of a calendar.

use super::mailing;
use super::reader::{Reader, invitations, line};
use super::smtp::{Manners, Smtp};
use crate::fuzz::Chance;
use crate::support::*;
use crate::web::Browser;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::path::Path;

fn start(smtp: &Smtp) -> Start {
    mailing(smtp).env("ROTA_BASE_URL", "https://rota.example")
}

fn put(by: &Caller, user: &str, invitations: bool) -> Answer {
    let body = json!({ "mail": false, "kinds": [], "invitations": invitations });
    let path = format!("/v1/users/{user}/notifications");
    by.request("PUT", &path).json(&body).send()
}

/// The turns of a person that begin within the horizon.
fn planned(rota: &Rota, rotation: &Rot, user: &str) -> Vec<(Timestamp, Timestamp)> {
    let now = at(&rota.now());
    let until = now + jiff::SignedDuration::from_hours(60 * 24);
    let turns = rotation.turns("schedule", &now.to_string(), &until.to_string());
    let mut all: Vec<_> = (turns.iter())
        .filter(|turn| turn["userId"] == user)
        .map(|turn| (at(text(&turn["start"])), at(text(&turn["end"]))))
        .filter(|(from, _)| *from > now && *from < until)
        .collect();
    all.sort();
    all
}

/// rules.md 19.15.
#[test]
fn turns_are_mailed_twenty_a_minute_and_follow_the_plan() {
    let smtp = Smtp::secure();
    let rota = start(&smtp).go();
    rota.people(3);
    let rotation = rota.daily("U1 U2", 1);
    rota.advance(0);
    put(&rota.caller(), "U1", true).is(200);
    rota.advance(0);
    let mut reader = Reader::default();
    let lines = reader.read(&smtp, "u1@example.com");
    assert_eq!(lines.len(), 20, "{lines:?}");
    let first = &planned(&rota, &rotation, "U1")[..20];
    assert_eq!(reader.after(at(&rota.now())), first);
    assert!(
        lines.iter().all(|line| line.starts_with("REQUEST 0 ")),
        "{lines:?}"
    );
    rota.advance(59);
    assert_eq!(reader.read(&smtp, "u1@example.com"), Vec::<String>::new());
    rota.advance(1);
    let plan = planned(&rota, &rotation, "U1");
    assert_eq!(reader.read(&smtp, "u1@example.com").len(), plan.len() - 20);
    assert_eq!(
        reader.after(at(&rota.now())),
        planned(&rota, &rotation, "U1")
    );

    let letter = &invitations(&smtp)[0];
    assert_eq!(letter.header("Subject"), "Duty: Rotation, Wed 7 Jan 10:00");
    let words = letter.part("plain");
    assert!(
        words.starts_with(
            "You are on call:\n\nDuty: Rotation\nWed 7 Jan 10:00 to Thu 8 Jan 10:00 (Europe/Oslo)\n"
        ),
        "{words}"
    );
    let calendar = letter.part("calendar");
    for (name, value) in [
        ("SUMMARY", "Duty: Rotation".to_owned()),
        (
            "URL",
            format!("https://rota.example/rotations/{}", rotation.id),
        ),
        ("TRANSP", "TRANSPARENT".to_owned()),
    ] {
        assert_eq!(line(&calendar, name), value);
    }
    // Nobody is reminded by this server.
    assert!(!calendar.contains("VALARM"));

    // One absence: what moves is sent, and nothing else.
    rota.advance(DAY);
    reader.read(&smtp, "u1@example.com");
    let known = reader.after(at(&rota.now()));
    rotation.away("U2", "2026-01-10T00:00Z", "2026-01-10T12:00Z");
    rota.advance(0);
    rota.advance(300);
    let lines = reader.read(&smtp, "u1@example.com");
    let plan = planned(&rota, &rotation, "U1");
    assert_eq!(reader.after(at(&rota.now())), plan);
    let moved = known.iter().filter(|one| !plan.contains(one)).count()
        + plan.iter().filter(|one| !known.contains(one)).count();
    assert!(lines.len() <= moved && !lines.is_empty(), "{lines:?}");
    // Names, addresses and reminders are sent with the next change alone.
    rotation.patch(json!({ "name": "Other" })).is(200);
    rota.advance(120);
    assert_eq!(reader.read(&smtp, "u1@example.com"), Vec::<String>::new());
    rotation.delete();
    rota.advance(240);
    let lines = reader.read(&smtp, "u1@example.com");
    assert!(
        lines.iter().all(|line| line.starts_with("CANCEL ")),
        "{lines:?}"
    );
    assert_eq!(reader.after(at(&rota.now())), []);
    let last = invitations(&smtp).pop().expect("a letter");
    assert!(
        last.header("Subject")
            .starts_with("Cancelled: Duty: Rotation, "),
        "{last:?}"
    );
}

/// rules.md 19.15.
#[test]
fn invitations_count_on_when_they_come_back_and_follow_the_address() {
    let smtp = Smtp::secure();
    let rota = start(&smtp).go();
    rota.people(2);
    let rotation = rota.rotation("U1 U2");
    rotation.cover(1, &[always(weekly("UTC", "2026-01-12T09:00"))]);
    rota.advance(0);
    let leads = json!({ "mail": true, "kinds": [], "invitations": true, "remindBefore": ["7d", "15m", "12h"] });
    let path = "/v1/users/U1/notifications";
    rota.caller()
        .request("PUT", path)
        .json(&leads)
        .send()
        .is(200);
    rota.advance(0);
    let mut reader = Reader::default();
    let turns = planned(&rota, &rotation, "U1");
    assert_eq!(turns.len(), 4);
    assert_eq!(reader.read(&smtp, "u1@example.com").len(), 4);
    let calendar = invitations(&smtp)[0].part("calendar");
    let triggers: Vec<&str> = calendar
        .lines()
        .filter_map(|line| line.strip_prefix("TRIGGER:"))
        .collect();
    assert_eq!(triggers, ["-PT720M", "-PT15M"]);
    // Another address gets everything anew, the old one nothing.
    let mut people = directory(2);
    people["users"][0]["email"] = json!("new@example.com");
    rota.import(&people);
    rota.advance(0);
    let moved = reader.read(&smtp, "new@example.com");
    assert_eq!(moved.len(), 4, "{moved:?}");
    assert!(
        moved.iter().all(|line| line.starts_with("REQUEST 1 ")),
        "{moved:?}"
    );
    assert_eq!(invitations(&smtp).len(), 8);
    put(&rota.caller(), "U1", false).is(200);
    rota.advance(0);
    let off = reader.read(&smtp, "new@example.com");
    assert!(
        off.len() == 4 && off.iter().all(|line| line.starts_with("CANCEL 2 ")),
        "{off:?}"
    );
    put(&rota.caller(), "U1", true).is(200);
    rota.advance(60);
    let on = reader.read(&smtp, "new@example.com");
    assert!(
        on.len() == 4 && on.iter().all(|line| line.starts_with("REQUEST 3 ")),
        "{on:?}"
    );
    assert_eq!(reader.after(at(&rota.now())), turns);
    // Nothing is said of what has begun, and what comes into the horizon is sent as it does.
    rota.to("2026-01-20T00:00Z");
    let later = reader.read(&smtp, "new@example.com");
    assert!(
        later.iter().all(|line| line.starts_with("REQUEST 0 ")),
        "{later:?}"
    );
    assert_eq!(
        reader.after(at(&rota.now())),
        planned(&rota, &rotation, "U1")
    );
    rotation.patch(json!({ "enabled": false })).is(200);
    rota.advance(0);
    reader.read(&smtp, "new@example.com");
    assert_eq!(reader.after(at(&rota.now())), []);
}

/// rules.md 19.15.
#[test]
fn a_letter_that_is_overtaken_while_it_waits_is_not_sent() {
    let smtp = Smtp::secure();
    let rota = start(&smtp).go();
    rota.people(2);
    rota.daily("U1 U2", 1);
    rota.advance(0);
    put(&rota.caller(), "U1", true).is(200);
    rota.advance(0);
    let mut reader = Reader::default();
    assert_eq!(reader.read(&smtp, "u1@example.com").len(), 20);
    put(&rota.caller(), "U1", false).is(200);
    rota.advance(600);
    let lines = reader.read(&smtp, "u1@example.com");
    assert!(
        lines.len() == 20 && lines.iter().all(|line| line.starts_with("CANCEL 1 ")),
        "{lines:?}"
    );
    assert_eq!(reader.after(at(&rota.now())), []);
}

#[test]
fn invitations_need_a_mail_server_and_an_address() {
    let rota = Rota::with_people(1);
    put(&rota.caller(), "U1", true).refused(409, "no_mail");
    put(&rota.caller(), "U1", false).is(200);
    let smtp = Smtp::secure();
    let rota = start(&smtp).go();
    let mut people = directory(2);
    people["users"][0]["email"] = Value::Null;
    rota.import(&people);
    put(&rota.caller(), "U1", true).refused(409, "no_address");
    put(&rota.caller(), "U2", true).is(200);
    let path = "/v1/users/U2/notifications";
    assert_eq!(rota.caller().get(path).is(200).json()["invitations"], true);
    let entry = rota.newest_entry();
    assert!(text(&entry["summary"]).ends_with(": off to on"), "{entry}");
    for bad in [json!("yes"), json!(null), json!(1)] {
        let body = json!({ "mail": true, "kinds": [], "invitations": bad });
        let refused = rota
            .caller()
            .request("PUT", path)
            .json(&body)
            .send()
            .is(400);
        refused.names("invitations");
    }
}

/// rules.md 19.15.
#[test]
fn refused_invitations_are_tried_again_like_mail_and_shown() {
    let later = Manners {
        certificate: Some("good"),
        refuses: vec![("RCPT", "450 4.2.0 later")],
        ..Manners::default()
    };
    let smtp = Smtp::new(later);
    let rota = start(&smtp).go();
    rota.people(2);
    let rotation = rota.rotation("U1 U2");
    rotation.cover(1, &[always(weekly("UTC", "2026-01-12T09:00"))]);
    rota.advance(0);
    put(&rota.caller(), "U1", true).is(200);
    rota.advance(0);
    let path = "/v1/users/U1/notifications";
    let failure = rota.caller().get(path).is(200).json()["lastFailure"].clone();
    assert_eq!(failure["by"], "invitations");
    assert_eq!(instant(&failure["at"]), rota.now());
    assert!(
        text(&failure["error"]).contains("450 4.2.0 later"),
        "{failure}"
    );
    smtp.now(Manners {
        certificate: Some("good"),
        ..Manners::default()
    });
    rota.advance(2);
    let mut reader = Reader::default();
    let lines = reader.read(&smtp, "u1@example.com");
    assert!(
        lines.len() == 4 && lines.iter().all(|line| line.starts_with("REQUEST 0 ")),
        "{lines:?}"
    );
    // A code from 500 gives a letter up.
    smtp.now(Manners {
        certificate: Some("good"),
        refuses: vec![("RCPT", "550 5.1.1 no")],
        ..Manners::default()
    });
    rotation.patch(json!({ "enabled": false })).is(200);
    rota.advance(0);
    smtp.now(Manners {
        certificate: Some("good"),
        ..Manners::default()
    });
    rota.advance(DAY);
    assert_eq!(reader.read(&smtp, "u1@example.com"), Vec::<String>::new());
    let failure = rota.caller().get(path).is(200).json()["lastFailure"].clone();
    assert!(
        text(&failure["error"]).contains("550 5.1.1 no"),
        "{failure}"
    );
}

/// rules.md 19.15: wherever the process ends, no number is used twice and the calendar is the plan.
#[test]
fn a_kill_between_a_letter_and_its_record_uses_no_number_twice() {
    for point in ["turn.begun=kill@2", "turn.sent=kill@2", "turn.sent=kill"] {
        let smtp = Smtp::secure();
        let dir = TempDir::new();
        let db = dir.join("rota.db");
        let go = |db: &Path| start(&smtp).db(db);
        let mut rota = go(&db).env("ROTA_FAILPOINTS", point).go();
        rota.people(2);
        let id = {
            let rotation = rota.rotation("U1 U2");
            rotation.cover(1, &[always(weekly("UTC", "2026-01-12T09:00"))]);
            rota.advance(0);
            rotation.id
        };
        // Its answer may not come.
        let body = r#"{"mail":false,"kinds":[],"invitations":true}"#;
        let mut connection = Connection::open(rota.address());
        connection.send(format!(
            "PUT /v1/users/U1/notifications HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            rota.key,
            body.len()
        ));
        rota.process.ended();
        let rota = go(&db).go();
        rota.advance(0);
        let rotation = Rot {
            by: rota.caller(),
            id,
        };
        let mut reader = Reader::default();
        reader.read(&smtp, "u1@example.com");
        assert_eq!(
            reader.after(at(&rota.now())),
            planned(&rota, &rotation, "U1"),
            "{point}"
        );
    }
}

/// rules.md 19.15: after random changes the calendar is the plan.
#[test]
fn the_calendar_made_of_the_letters_is_the_plan() {
    let changes = if in_full() { 100 } else { 25 };
    let smtp = Smtp::secure();
    let rota = start(&smtp).go();
    rota.people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rota.advance(0);
    put(&rota.caller(), "U1", true).is(200);
    let (mut reader, mut chance) = (Reader::default(), Chance::of(1));
    let mut absences: Vec<String> = Vec::new();
    for step in 0..changes {
        let user = *chance.pick(&["U1", "U2", "U3"]);
        let day = jiff::SignedDuration::from_hours(24 * (1 + chance.below(40) as i64));
        let from = at(&rota.now()) + day;
        let until = from + jiff::SignedDuration::from_hours(1 + chance.below(100) as i64);
        match chance.below(5) {
            0 if !absences.is_empty() => {
                // It may be over.
                let path = rotation.path(&format!("/availability/{}", absences.remove(0)));
                rotation.by.delete(&path);
            }
            0 | 1 => {
                let path = rotation.path("/availability");
                let body =
                    json!({ "userId": user, "from": from.to_string(), "until": until.to_string() });
                let made = rotation.by.post(&path, body);
                if made.status() == 201 {
                    absences.push(text(&made.json()["id"]).to_owned());
                }
            }
            2 => {
                let people = *chance.pick(&[&["U1", "U2"][..], &["U3", "U1", "U2"], &["U2", "U3"]]);
                rotation.patch(json!({ "userIds": people })).is(200);
            }
            3 => {
                let shut = [hours("UTC", &weekdays("09:00", "17:00"), daily())];
                let window = match chance.once_in(2) {
                    true => &shut[..],
                    false => &[always(daily())],
                };
                rotation.cover(1, window);
            }
            _ => rota.advance(3600 * (1 + chance.below(30) as i64)),
        }
        if chance.once_in(3) {
            continue;
        }
        rota.advance(0);
        // Long enough for all letters at twenty a minute.
        rota.advance(600);
        reader.read(&smtp, "u1@example.com");
        let now = at(&rota.now());
        let last = now + jiff::SignedDuration::from_hours(59 * 24);
        let before = |all: Vec<(Timestamp, Timestamp)>| -> Vec<(Timestamp, Timestamp)> {
            all.into_iter().filter(|(from, _)| *from < last).collect()
        };
        assert_eq!(
            before(reader.after(now)),
            before(planned(&rota, &rotation, "U1")),
            "step {step}"
        );
    }
}

#[test]
fn the_page_offers_invitations_where_there_is_mail() {
    let smtp = Smtp::secure();
    let rota = start(&smtp).go();
    let mut people = directory(2);
    people["users"][1]["email"] = Value::Null;
    rota.import(&people);
    let page = Browser::signed_in(&rota, "U1");
    let shown = page.get("/me/mail").is(200).text();
    assert!(
        shown.contains("Mail me my turns as calendar invitations"),
        "{shown}"
    );
    let chosen = [
        ("mail", "true"),
        ("remindBefore", ""),
        ("summary.day", ""),
        ("invitations", "true"),
    ];
    let wants = |user: &str| {
        let path = format!("/v1/users/{user}/notifications");
        rota.caller().get(&path).is(200).json()["invitations"].clone()
    };
    page.post("/me/mail", &chosen).is(303);
    assert_eq!(wants("U1"), true);
    page.post("/me/mail", &chosen[..3]).is(303);
    assert_eq!(wants("U1"), false);
    let refused = Browser::signed_in(&rota, "U2")
        .post("/me/mail", &chosen)
        .is(400)
        .text();
    assert!(refused.contains("There is a problem"), "{refused}");
    assert_eq!(wants("U2"), false);
    let without = Rota::with_people(1);
    let shown = Browser::signed_in(&without, "U1")
        .get("/me/mail")
        .is(200)
        .text();
    assert!(!shown.contains("calendar invitations"), "{shown}");
}
