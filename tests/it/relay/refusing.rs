//! Mail servers that refuse, close, hang or are down: what is tried again, what is given up, and that nothing is lost.

use super::smtp::{Manners, Smtp};
use super::{lines, listed, mailing};
use crate::support::*;

fn manners(refuses: &[(&'static str, &'static str)]) -> Manners {
    Manners {
        certificate: Some("good"),
        refuses: refuses.to_vec(),
        ..Manners::default()
    }
}

/// What the list says of a message to U1 while the server has these manners: its state and error.
#[track_caller]
fn told(manners: Manners) -> (Smtp, String) {
    let smtp = Smtp::new(manners);
    let rota = mailing(&smtp).go();
    rota.people(2);
    rota.rotation("U1 U2").put_on_call("U1").is(200);
    rota.advance(0);
    let [message] = &listed(&rota.caller(), "userId=U1")[..] else {
        panic!("one message");
    };
    let told = format!("{}: {}", text(&message["state"]), text(&message["error"]));
    (smtp, told)
}

/// rules.md 19.5.
#[test]
fn refusals_are_final_only_with_5xx_to_a_letter() {
    for (phase, reply, expected) in [
        (
            "greeting",
            "554 5.3.2 closed",
            "waiting: the mail server said: 554 5.3.2 closed",
        ),
        ("EHLO", "550 who", "waiting: the mail server said: 550 who"),
        (
            "STARTTLS",
            "502 no",
            "waiting: the mail server said: 502 no",
        ),
        // Not the server's: somebody between adds replies to what TLS does not protect yet.
        (
            "STARTTLS",
            "220 go ahead\r\n250-mail.test\r\n250 AUTH PLAIN",
            "waiting: the mail server 127.0.0.1 is not reached: it sent something between STARTTLS and TLS",
        ),
        (
            "MAIL",
            "451 later",
            "waiting: the mail server said: 451 later",
        ),
        (
            "MAIL",
            "550 5.7.1 not you",
            "dropped: the mail server said: 550 5.7.1 not you",
        ),
        (
            "RCPT",
            "450 greylisted",
            "waiting: the mail server said: 450 greylisted",
        ),
        (
            "RCPT",
            "550 5.1.1 unknown",
            "dropped: the mail server said: 550 5.1.1 unknown",
        ),
        (
            "DATA",
            "421 busy",
            "waiting: the mail server said: 421 busy",
        ),
        ("DATA", "554 no", "dropped: the mail server said: 554 no"),
        (
            "letter",
            "452 full",
            "waiting: the mail server said: 452 full",
        ),
        (
            "letter",
            "552 too big",
            "dropped: the mail server said: 552 too big",
        ),
    ] {
        let (smtp, told) = told(manners(&[(phase, reply)]));
        let told = told.replace(&smtp.address(), "127.0.0.1");
        assert_eq!(told, expected, "{phase}");
        assert_eq!(smtp.letters().len(), 0, "{phase}");
    }
}

#[test]
fn a_server_that_closes_is_tried_again() {
    for phase in ["greeting", "EHLO", "MAIL", "RCPT", "DATA"] {
        let (_, told) = told(Manners {
            closes: Some(phase),
            ..manners(&[])
        });
        assert!(told.starts_with("waiting: "), "{phase}: {told}");
    }
}

#[test]
fn certificates_and_credentials_are_checked() {
    for certificate in ["expired", "elsewhere", "self-signed"] {
        let (smtp, told) = told(Manners {
            certificate: Some(certificate),
            ..Manners::default()
        });
        assert!(
            told.starts_with("waiting: ") && told.contains("no secure connection"),
            "{told}"
        );
        assert_eq!(smtp.letters().len(), 0);
    }
    // Base64 of `\0ana\0secret`, and of each.
    let (plain, login) = ("PLAIN AGFuYQBzZWNyZXQ=", "LOGIN YW5h c2VjcmV0");
    for (auth, password, sent) in [
        (plain, "secret", 1),
        (plain, "guess", 0),
        (login, "secret", 1),
        (login, "guess", 0),
    ] {
        let smtp = Smtp::new(Manners {
            auth: Some(auth),
            ..manners(&[])
        });
        let start = mailing(&smtp).env("ROTA_MAIL_USERNAME", "ana");
        let rota = start.env("ROTA_MAIL_PASSWORD", password).go();
        rota.people(2);
        rota.rotation("U1 U2").put_on_call("U1").is(200);
        rota.advance(0);
        assert_eq!(smtp.letters().len(), sent, "{auth} {password}");
        assert!(
            !rota.process.log.text().contains(password),
            "the log has the password"
        );
    }
}

#[test]
fn a_server_may_begin_with_tls() {
    let smtp = Smtp::new(Manners {
        tls_first: true,
        ..manners(&[])
    });
    let url = smtp.url().replace("smtp://127.0.0.1", "smtps://localhost");
    let rota = mailing(&smtp).env("ROTA_MAIL_SERVER", url).go();
    rota.people(2);
    rota.rotation("U1 U2").put_on_call("U1").is(200);
    rota.advance(0);
    assert!(smtp.letters()[0].secure);
}

#[test]
fn a_hanging_mail_server_delays_no_hand_over_and_no_message() {
    let gate = Gate::default();
    let smtp = Smtp::new(Manners {
        gate: Some(gate.clone()),
        ..manners(&[])
    });
    let rota = mailing(&smtp).running_clock().go();
    rota.people(2);
    let rotation = rota.rotation("U1 U2");
    for (count, user) in ["U1", "U2", "U1"].into_iter().enumerate() {
        rotation.put_on_call(user).is(200);
        let query = format!("userId={user}&state=waiting");
        eventually("the message in the inbox", || {
            listed(&rota.caller(), &query).len() == count / 2 + 1
        });
    }
    assert_eq!(smtp.letters().len(), 0);
    gate.open();
    eventually("all letters", || smtp.letters().len() == 3);
}

#[test]
fn on_loopback_mail_goes_in_the_clear_where_no_tls_is_offered() {
    let smtp = Smtp::new(Manners::default());
    let rota = mailing(&smtp).go();
    rota.people(2);
    rota.rotation("U1 U2").put_on_call("U1").is(200);
    rota.advance(0);
    assert!(!smtp.letters()[0].secure);
}

#[test]
fn retries_follow_the_schedule_until_a_day_is_over() {
    let smtp = Smtp::new(manners(&[("greeting", "421 down")]));
    let rota = mailing(&smtp).go();
    rota.people(2);
    rota.rotation("U1 U2").put_on_call("U1").is(200);
    rota.advance(0);
    // After 2 s, 10 s, 1 min, then every 5 min.
    for (seconds, tries) in [
        (0, 1),
        (1, 1),
        (1, 2),
        (9, 2),
        (1, 3),
        (59, 3),
        (1, 4),
        (299, 4),
        (1, 5),
        (300, 6),
    ] {
        rota.advance(seconds);
        assert_eq!(smtp.connections(), tries, "after another {seconds} s");
    }
    assert_eq!(listed(&rota.caller(), "state=waiting").len(), 1);
    rota.advance(DAY);
    let all = listed(&rota.caller(), "");
    assert_eq!(lines(&all), ["U1 onDuty dropped inbox"]);
    assert_eq!(all[0]["error"], "the mail server said: 421 down");
    let tries = smtp.connections();
    rota.advance(DAY);
    assert_eq!(smtp.connections(), tries);
}

#[test]
fn after_an_hour_without_a_server_everything_arrives_once() {
    let smtp = Smtp::new(manners(&[("greeting", "421 down")]));
    let rota = mailing(&smtp).go();
    rota.people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    for user in ["U1", "U2", "U3"] {
        rotation.put_on_call(user).is(200);
        rota.advance(20 * 60);
    }
    assert_eq!(smtp.letters().len(), 0);
    smtp.now(manners(&[]));
    rota.advance(5 * 60);
    let mut lines = smtp.lines();
    lines.sort();
    let on = |user: &str| format!("{user}@example.com: You are on duty: Rotation");
    assert_eq!(lines, ["u1", "u2", "u3"].map(on));
    rota.advance(HOUR / 2);
    assert_eq!(smtp.letters().len(), 3);
}

/// rules.md 19.6.
#[test]
fn one_refused_letter_does_not_stop_the_others() {
    let smtp = Smtp::secure();
    let rota = mailing(&smtp).go();
    rota.people(3);
    let rotation = rota.rotation("U1 U2 U3");
    smtp.now(manners(&[("RCPT", "550 unknown")]));
    rotation.put_on_call("U1").is(200);
    rota.advance(0);
    smtp.now(manners(&[]));
    rotation.put_on_call("U2").is(200);
    rota.advance(0);
    assert_eq!(smtp.lines(), ["u2@example.com: You are on duty: Rotation"]);
}

/// rules.md 19.7.
#[test]
fn a_lost_answer_is_the_only_reason_for_a_second_letter_and_it_is_the_same() {
    let smtp = Smtp::new(Manners {
        closes: Some("letter"),
        ..manners(&[])
    });
    let rota = mailing(&smtp).go();
    rota.people(2);
    rota.rotation("U1 U2").put_on_call("U1").is(200);
    rota.advance(0);
    smtp.now(manners(&[]));
    rota.advance(2);
    rota.advance(HOUR);
    let letters = smtp.letters();
    assert_eq!(letters.len(), 2);
    assert_eq!(letters[0].data, letters[1].data);
}
