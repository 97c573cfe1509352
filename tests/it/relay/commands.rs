//! `rota mail test`, `rota chat test`, the note of `rota check`, and what is wrong with the settings.

use super::smtp::{Manners, Smtp};
use crate::support::*;
use std::process::Command;

fn command(dir: &TempDir, smtp: &Smtp) -> Command {
    let mut command = rota(dir.path());
    command
        .env("ROTA_MAIL_SERVER", smtp.url())
        .env("ROTA_MAIL_FROM", "rota@example.org")
        .env("ROTA_WEBHOOKS_EXTRA_CA_FILE", format!("{CERTS}/ca.pem"));
    command
}

#[test]
fn a_mail_is_tried_and_the_answer_shown() {
    let (dir, smtp) = (TempDir::new(), Smtp::secure());
    let (code, printed, errors) =
        run(command(&dir, &smtp).args(["mail", "test", "ana@example.org"]));
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(
        printed,
        "sent; the mail server said: 250 2.0.0 queued as 1\n"
    );
    let letters = smtp.letters();
    assert_eq!(letters[0].to, "ana@example.org");
    assert!(letters[0].part("plain").contains("This is a test of rota."));
    smtp.now(Manners {
        certificate: Some("good"),
        refuses: vec![("RCPT", "550 5.1.1 unknown")],
        ..Manners::default()
    });
    let (code, _, errors) = run(command(&dir, &smtp).args(["mail", "test", "ana@example.org"]));
    let expected = "rota: not sent: the mail server said: 550 5.1.1 unknown\n";
    assert_eq!((code, errors.as_str()), (1, expected));
    let (code, _, errors) = run(command(&dir, &smtp).args(["mail", "test", "ana"]));
    assert!(
        code == 2 && errors.contains("is not a mail address"),
        "{errors}"
    );
    let (code, _, errors) = run(rota(dir.path()).args(["mail", "test", "ana@example.org"]));
    assert!(
        code == 2 && errors.contains("mail.server: missing"),
        "{errors}"
    );
}

#[test]
fn a_post_is_tried_and_the_answer_shown() {
    let dir = TempDir::new();
    let outlet = Outlet::secure("good", Behavior::says(200));
    let file = dir.join("c1.url");
    std::fs::write(&file, format!("{}\n", outlet.https("localhost"))).expect("a file");
    let list = format!(
        "[{{ channel = \"C1\", url_file = \"{}\", style = \"slack\" }}]",
        file.display()
    );
    let base = || {
        let mut command = rota(dir.path());
        command
            .env("ROTA_CHAT_INCOMING_WEBHOOK", &list)
            .env("ROTA_WEBHOOKS_ALLOW_NETS", "127.0.0.0/8,::1")
            .env("ROTA_WEBHOOKS_EXTRA_CA_FILE", format!("{CERTS}/ca.pem"));
        command
    };
    let (code, printed, errors) = run(base().args(["chat", "test", "C1"]));
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(printed, "posted; the answer was: 200\n");
    assert_eq!(outlet.posts().len(), 1);
    outlet.now(Behavior::says(404));
    let (code, _, errors) = run(base().args(["chat", "test", "C1"]));
    let expected = "rota: not posted: the incoming webhook answered 404\n";
    assert_eq!((code, errors.as_str()), (1, expected));
    let (code, _, errors) = run(base().args(["chat", "test", "C9"]));
    assert!(
        code == 2 && errors.contains("there is none for the channel C9"),
        "{errors}"
    );
}

#[test]
fn check_notes_whom_the_inbox_alone_reaches() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let server = Start::default().db(&db).go();
    server.people(3);
    server.rotation("U1 U2").posts_in("C1");
    server.stop();
    let (code, _, errors) = run(rota(dir.path()).args(["check", "--db"]).arg(&db));
    assert_eq!(code, 0, "{errors}");
    assert!(
        errors.contains("note: messages reach these people by the inbox alone: U1, U2\n"),
        "{errors}"
    );
    assert!(
        errors.contains("note: messages reach these channels by the inbox alone: C1\n"),
        "{errors}"
    );
    let smtp = Smtp::secure();
    let (code, _, errors) = run(command(&dir, &smtp).args(["check", "--db"]).arg(&db));
    assert!(
        code == 0 && !errors.contains("people by the inbox"),
        "{errors}"
    );
}

#[test]
fn wrong_settings_are_named() {
    for (file, expected) in [
        (
            "[mail]\nserver = 'mail.example.org'",
            "rota.toml:2: mail.server: \"mail.example.org\" is not a mail server",
        ),
        ("[mail]\nserver = 'smtp://a'", "mail.from: missing"),
        ("[mail]\nfrom = 'a@b'", "mail.server: missing"),
        (
            "[mail]\nserver = 'smtp://a'\nfrom = 'a'",
            "mail.from: \"a\" is not a mail address",
        ),
        (
            "[mail]\nserver = 'smtp://a'\nfrom = 'a@b'\nusername = 'x'",
            "rota.toml:4: mail.username: there is no password",
        ),
        (
            "[mail]\nserver = 'smtp://a'\nfrom = 'a@b'\npassword = 'x'",
            "mail.username: missing",
        ),
        (
            "[mail]\nserver = 'smtp://a'\nfrom = 'a@b'\nusername = 'x'\npassword_file = 'none'",
            "rota.toml:5: mail.password_file: none: ",
        ),
        (
            "[mail]\nservr = 'x'",
            "rota.toml:2: mail.servr: unknown key; did you mean server?",
        ),
        (
            "[[chat.incoming_webhook]]\nchannel = 'C1'\nstyle = 'slak'",
            "\"slak\" is no style",
        ),
        (
            "[[chat.incoming_webhook]]\nchannel = 'C1'\nstyle = 'slack'",
            "C1: write either url or url_file",
        ),
        (
            "[[chat.incoming_webhook]]\nchannel = 'C1'\nstyle = 'slack'\nurl = 'https://a'\n\
             [[chat.incoming_webhook]]\nchannel = 'C1'\nstyle = 'json'\nurl = 'https://b'",
            "C1: this channel has two",
        ),
    ] {
        let dir = TempDir::new();
        std::fs::write(dir.join("rota.toml"), file).expect("a file");
        let (code, _, errors) = run(rota(dir.path()).args(["check", "--config", "rota.toml"]));
        assert_eq!(code, 1, "{file}");
        assert!(errors.contains(expected), "{file}\n{errors}");
    }
}
