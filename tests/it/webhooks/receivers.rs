//! The programs of `packaging/docs/webhooks.md` agree with `rota verify`.

use super::verify::{BODY, OTHER, SECRET, reading, unix_now};
use crate::support::*;
use rota::wire::signature::{header, sign};
use std::path::Path;
use std::process::Command;

const PAGE: &str = include_str!("../../../packaging/docs/webhooks.md");

/// The code in the fence of one language, of which the page has one.
fn program(language: &str) -> &'static str {
    let fence = format!("```{language}\n");
    let mut after = PAGE.split(fence.as_str()).skip(1);
    let (Some(code), None) = (after.next(), after.next()) else {
        panic!("the page has not one program in {language}");
    };
    code.split("```").next().unwrap()
}

struct Case {
    what: &'static str,
    secret: &'static str,
    timestamp: String,
    signature: String,
    body: Vec<u8>,
    valid: bool,
}

fn cases() -> Vec<Case> {
    let now = unix_now();
    let good = header(&[SECRET], now, BODY);
    let digest = sign(SECRET, now, BODY);
    let binary = b"\x00\xff\xfe\r\n\x80 end\n";
    let case = |what, timestamp: &dyn ToString, signature: &str, body: &[u8], valid| Case {
        what,
        secret: SECRET,
        timestamp: timestamp.to_string(),
        signature: signature.to_owned(),
        body: body.to_vec(),
        valid,
    };
    let at = |what, at: i64, valid| case(what, &at, &header(&[SECRET], at, BODY), BODY, valid);
    let signed = |what, signature: &str, valid| case(what, &now, signature, BODY, valid);
    let mut cases = vec![
        signed("valid", &good, true),
        signed(
            "during a rotation, the old secret",
            &header(&[OTHER, SECRET], now, BODY),
            true,
        ),
        signed(
            "during a rotation, the new secret",
            &header(&[SECRET, OTHER], now, BODY),
            true,
        ),
        signed("beside unknown schemes", &format!("v0=x,{good},v2"), true),
        case(
            "bytes that are not text",
            &now,
            &header(&[SECRET], now, binary),
            binary,
            true,
        ),
        case(
            "an empty body",
            &now,
            &header(&[SECRET], now, b""),
            b"",
            true,
        ),
        case("another body", &now, &good, b"{}", false),
        case(
            "a line end more",
            &now,
            &good,
            &[BODY, b"\n"].concat(),
            false,
        ),
        signed("rubbish", "v1=v1=\u{fc},=,v1", false),
        signed("no signature", "", false),
        signed(
            "upper case",
            &format!("v1={}", digest.to_uppercase()),
            false,
        ),
        signed("a blank after the comma", &format!("v1=0, {good}"), false),
        signed("no scheme", &digest, false),
        at("a clock a little behind", now - 240, true),
        at("too old", now - 600, false),
        at("too far ahead", now + 600, false),
        at("before 1970", -1, false),
        case("another timestamp", &(now + 1), &good, BODY, false),
        case("no number", &"soon", &good, BODY, false),
        case(
            "more than a number holds",
            &"9".repeat(20),
            &good,
            BODY,
            false,
        ),
        case("no timestamp", &"", &good, BODY, false),
    ];
    cases.push(Case {
        secret: OTHER,
        ..signed("another secret", &good, false)
    });
    cases
}

/// Writes the page's program to a file and runs it on every case. Skipped if its interpreter is missing.
#[track_caller]
fn agrees(language: &str, interpreter: &[&str], file: &str) {
    let dir = TempDir::new();
    let path = dir.file(file, program(language));
    agrees_by(language, interpreter, &dir, &path);
}

/// Runs a program on every case.
#[track_caller]
fn agrees_by(language: &str, interpreter: &[&str], dir: &TempDir, path: &Path) {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&folders).any(|folder| folder.join(interpreter[0]).is_file()) {
        eprintln!("passed over: {} is not here", interpreter[0]);
        return;
    }
    for case in cases() {
        let mut oracle = rota(dir.path());
        oracle.args(["verify", "--tolerance=5m", "--secret", case.secret]);
        oracle.arg(format!("Service-Timestamp: {}", case.timestamp));
        oracle.arg(format!("Service-Signature: {}", case.signature));
        let (expected, _, why) = run(&mut reading(oracle, dir.path(), &case.body));
        assert_eq!(expected == 0, case.valid, "{}: {why}", case.what);

        let mut command = Command::new(interpreter[0]);
        command.args(&interpreter[1..]).arg(path);
        command.args([case.secret, &case.timestamp, &case.signature]);
        let (code, output, errors) = run(&mut reading(command, dir.path(), &case.body));
        // Its output distinguishes a refusal from a program that failed.
        let response = if case.valid { "valid\n" } else { "invalid\n" };
        assert_eq!(
            (code, output.as_str()),
            (expected, response),
            "{language}, {}: {errors}",
            case.what
        );
    }
}

#[test]
fn python_agrees() {
    agrees("python", &["python3"], "verify.py");
}

#[test]
fn javascript_agrees() {
    agrees("javascript", &["node"], "verify.js");
}

#[test]
fn go_agrees() {
    agrees("go", &["go", "run"], "verify.go");
}

#[test]
fn ruby_agrees() {
    agrees("ruby", &["ruby"], "verify.rb");
}

#[test]
fn java_agrees() {
    let dir = TempDir::new();
    let path = dir.file("Verify.java", program("java"));
    // Compiled once where there is a compiler, and otherwise by each run.
    let compiled = Command::new("javac")
        .arg("-d")
        .arg(dir.path())
        .arg(&path)
        .status();
    let quickly = ["java", "-XX:TieredStopAtLevel=1"];
    match compiled {
        Ok(status) if status.success() => {
            let folder = dir.path().to_str().expect("a path");
            let main = Path::new("Verify");
            agrees_by(
                "java",
                &[&quickly[..], &["-cp", folder]].concat(),
                &dir,
                main,
            );
        }
        _ => agrees_by("java", &quickly, &dir, &path),
    }
}
