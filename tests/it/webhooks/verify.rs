//! `rota verify`: what it accepts, and its errors.

use crate::cli::succeeds;
use crate::support::*;
use rota::wire::signature::{header, sign};
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

pub const SECRET: &str = "svc_whsec_Vw3kq0cXU2Ttq9f1";
pub const OTHER: &str = "svc_whsec_9mZr4bYp7LhJ6sQe";
pub const BODY: &[u8] = br#"{"deliveryId":"0011","note":"G\u00fcnter"}"#;
const AT: i64 = 1_763_640_000;

/// The system clock in Unix seconds.
pub fn unix_now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    since.as_secs().try_into().unwrap()
}

/// A program that reads this body; the file stays in the directory.
pub fn reading(mut command: Command, dir: &Path, body: &[u8]) -> Command {
    let path = dir.join("body");
    std::fs::write(&path, body).unwrap();
    command.stdin(File::open(&path).unwrap());
    command
}

/// The command's exit code, output and errors.
fn verify(arguments: &[&str], body: &[u8]) -> (i32, String, String) {
    let dir = TempDir::new();
    let mut command = rota(dir.path());
    command.arg("verify").args(arguments);
    run(&mut reading(command, dir.path(), body))
}

/// The same with a secret and the two headers.
fn with(secret: &str, at: &str, signature: &str, body: &[u8]) -> (i32, String, String) {
    let timestamp = format!("Service-Timestamp: {at}");
    let signature = format!("Service-Signature: {signature}");
    verify(&["--secret", secret, &timestamp, &signature], body)
}

#[track_caller]
fn valid(found: (i32, String, String)) {
    assert_eq!(found, (0, "valid\n".into(), String::new()));
}

/// A failure with this exit code, these words on standard error and nothing on standard output.
#[track_caller]
fn fails((code, output, errors): (i32, String, String), expected: i32, words: &str) {
    assert_eq!((code, output.as_str()), (expected, ""), "{errors}");
    assert!(
        errors.contains(words),
        "{words:?} is not response: {errors}"
    );
}

#[test]
fn a_signed_delivery_is_valid() {
    let at = AT.to_string();
    let good = header(&[SECRET], AT, BODY);
    valid(with(SECRET, &at, &good, BODY));
    let binary = b"\x00\xff\xfe\r\n\x80 end";
    for body in [&binary[..], b"", b"\n"] {
        valid(with(SECRET, &at, &header(&[SECRET], AT, body), body));
    }
}

#[test]
fn another_secret_or_body_is_not() {
    let at = AT.to_string();
    let good = header(&[SECRET], AT, BODY);
    let not = |secret: &str, at: &str, body: &[u8]| {
        fails(with(secret, at, &good, body), 1, "does not match");
    };
    not(OTHER, &at, BODY);
    not(SECRET, &(AT + 1).to_string(), BODY);
    not(SECRET, &at, b"");
    // An additional line end is another body.
    not(SECRET, &at, &[BODY, b"\n"].concat());
    let hint = "begins with svc_whsec_";
    let cut = SECRET.trim_start_matches("svc_whsec_");
    fails(with(cut, &at, &good, BODY), 1, hint);
    let (_, _, errors) = with(OTHER, &at, &good, BODY);
    assert!(!errors.contains(hint), "{errors}");
    valid(with(
        "any text",
        &at,
        &header(&["any text"], AT, BODY),
        BODY,
    ));
}

#[test]
fn either_secret_of_a_rotation_verifies() {
    let at = AT.to_string();
    let both = header(&[OTHER, SECRET], AT, BODY);
    valid(with(SECRET, &at, &both, BODY));
    valid(with(OTHER, &at, &both, BODY));
    fails(
        with("svc_whsec_third", &at, &both, BODY),
        1,
        "does not match",
    );
}

#[test]
fn schemes_and_digests_are_as_they_are_sent() {
    let at = AT.to_string();
    let digest = sign(SECRET, AT, BODY);
    valid(with(SECRET, &at, &format!("v0=x,v1={digest},v2"), BODY));
    for (signature, words) in [
        (format!("v1={}", digest.to_uppercase()), "does not match"),
        (format!("v1={OTHER}, v1={digest}"), "does not match"),
        ("v1=".into(), "does not match"),
        (format!("v2={digest}"), "no element with v1="),
        (digest, "no element with v1="),
        (String::new(), "no element with v1="),
    ] {
        fails(with(SECRET, &at, &signature, BODY), 1, words);
    }
}

#[test]
fn headers_are_taken_as_they_were_received() {
    let at = format!("service-timestamp:{AT}");
    let good = format!("SERVICE-SIGNATURE :\t{}  ", header(&[SECRET], AT, BODY));
    let of = |headers: &[&str]| verify(&[&["--secret", SECRET], headers].concat(), BODY);
    let others = ["Content-Type: application/json", "Empty:", ":path: /hook"];
    valid(of(&[&others[..], &[&good, &at]].concat()));
    fails(of(&[&at]), 1, "Service-Signature is missing");
    fails(of(&[&good]), 1, "Service-Timestamp is missing");
    fails(of(&[]), 1, "Service-Timestamp is missing");
    fails(
        of(&[&at, &good, &good]),
        1,
        "Service-Signature occurs more than once",
    );
    fails(
        of(&[&at, &at, &good]),
        1,
        "Service-Timestamp occurs more than once",
    );
    for bad in ["", "soon", "-1", "1763640000.0", "99999999999999999999"] {
        let bad = format!("Service-Timestamp: {bad}");
        fails(of(&[&bad, &good]), 1, "Service-Timestamp is not a number");
    }
}

#[test]
fn age_counts_with_a_tolerance() {
    let now = unix_now();
    let within = |tolerance: &str, at: i64| {
        let timestamp = format!("Service-Timestamp: {at}");
        let signature = format!("Service-Signature: {}", header(&[SECRET], at, BODY));
        let tolerance = format!("--tolerance={tolerance}");
        verify(
            &["--secret", SECRET, &tolerance, &timestamp, &signature],
            BODY,
        )
    };
    valid(within("5m", now));
    valid(within("5m", now - 200));
    valid(within("5m", now + 200));
    valid(within("7d", now - 6 * DAY));
    fails(within("5m", now - 400), 1, "timestamp is too old");
    fails(within("5m", now + 400), 1, "timestamp is too far ahead");
    // Without a tolerance an old delivery of the log verifies.
    valid(with(SECRET, "1", &header(&[SECRET], 1, BODY), BODY));
}

/// A development clock keeps its time, also after its server has ended.
#[test]
fn age_counts_against_the_clock_of_the_database_that_is_named() {
    let dir = TempDir::new();
    let (frozen, plain) = (dir.join("frozen.db"), dir.join("plain.db"));
    drop(Start::default().db(&frozen).go());
    dir.file("people.json", directory(1).to_string());
    succeeds(&plain, "directory import people.json");
    dir.file("empty.db", "");
    let (then, now) = (at(MONDAY).as_second(), unix_now());
    let settle = |command: &mut Command, sent: i64, tolerance: &[&str]| {
        let timestamp = format!("Service-Timestamp: {sent}");
        let signature = format!("Service-Signature: {}", header(&[SECRET], sent, BODY));
        command.args(["verify", "--secret", SECRET]).args(tolerance);
        command.args([timestamp, signature]);
    };
    let on = |sent: i64, db: &str| {
        let mut command = rota(dir.path());
        settle(&mut command, sent, &["--tolerance", "5m", "--db", db]);
        run(&mut reading(command, dir.path(), BODY))
    };
    valid(on(then, "frozen.db"));
    fails(on(now, "frozen.db"), 1, "timestamp is too far ahead");
    // A database that is missing, empty or without its own clock leaves the system clock.
    for db in ["missing.db", "empty.db", "plain.db"] {
        valid(on(now, db));
        fails(on(then, db), 1, "timestamp is too old");
    }
    assert!(!dir.join("missing.db").exists());
    let mut command = rota(dir.path());
    command.env("ROTA_DB", &frozen);
    settle(&mut command, then, &["--tolerance", "5m"]);
    valid(run(&mut reading(command, dir.path(), BODY)));
    // The database is not opened if the age is not checked.
    dir.file("broken.db", "no database");
    let mut command = rota(dir.path());
    settle(&mut command, then, &["--db", "broken.db"]);
    valid(run(&mut reading(command, dir.path(), BODY)));
    fails(on(then, "broken.db"), 1, "broken.db");
}

#[test]
fn wrong_usage_is_told() {
    let at = format!("Service-Timestamp: {AT}");
    fails(verify(&[&at], BODY), 2, "--secret");
    fails(verify(&["--secret", "", &at], BODY), 2, "--secret");
    fails(
        verify(&["--secret", SECRET, "POST /hook"], BODY),
        2,
        "is not a header",
    );
    fails(
        verify(&["--secret", SECRET, "--tolerance", "5"], BODY),
        2,
        "is not a duration",
    );
    let (code, help, _) = verify(&["--help"], b"");
    assert_eq!(code, 0);
    assert!(
        help.contains("Examples:") && help.contains("list of processes"),
        "{help}"
    );
}
