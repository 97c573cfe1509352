//! `rota verify`: checks the signature of a delivery.

use super::output::answer;
use super::workspace::{Program, database, development_clock, parse_clock, settings_with};
use super::{Failure, Place};
use crate::config;
use crate::config::Config;
use crate::runtime::clock::Clock;
use crate::store::Inspection;
use crate::wire::signature::{
    SECRET_PREFIX, SIGNATURE_HEADER, TIMESTAMP_HEADER, VerifyError, seconds, verify,
};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use jiff::Timestamp;
use std::ffi::OsString;
use std::io::Read;
use std::time::Duration;

const EXAMPLES: &str = "\
The raw body is read from standard input, every byte as it was received: a line end more or less does not verify.
Prints `valid` and exits with 0, or says why not and exits with 1. Other users of this machine can see the secret in
the list of processes while the command runs.

Examples:
  rota verify --secret svc_whsec_... \"Service-Timestamp: 1795166400\" \"Service-Signature: v1=5d76...\" <body.json
  rota verify --secret svc_whsec_... --tolerance 5m \"Service-Timestamp: 1795166400\" \\
      \"Service-Signature: v1=5d76...,v1=9212...\" <body.json";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// The whole signing secret
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    secret: String,
    /// How far the timestamp may be from the clock of the given database, otherwise of this machine: 90s, 15m, 24h, 7d
    /// [default: not checked]
    #[arg(long, value_name = "DURATION", value_parser = config::duration)]
    tolerance: Option<Duration>,
    /// The received headers, each as "Name: value"; headers other than the two are ignored
    #[arg(value_name = "HEADER")]
    headers: Vec<OsString>,
}

/// Verifies the delivery. Fails if it is not valid.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    let headers = headers(&flags.headers)?;
    let timestamp = the_one(&headers, TIMESTAMP_HEADER)?;
    let signature = the_one(&headers, SIGNATURE_HEADER)?;
    let mut body = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut body)
        .map_err(|error| format!("standard input: {error}"))?;
    verify(&flags.secret, timestamp, signature, &body)
        .map_err(|why| explain(why, &flags.secret))?;
    if let Some(tolerance) = flags.tolerance {
        let sent = seconds(timestamp).map_err(|why| why.to_string())?;
        check_age(sent, now(place)?.as_second(), tolerance)?;
    }
    answer("valid")
}

/// The current instant by the clock of the given database, if it exists and has a development clock; otherwise by the system
/// clock.
fn now(place: Place) -> Result<Timestamp, Failure> {
    let config = settings_with(place, Config::default(), Program::Receiver)?;
    let mut kept = None;
    if config.db.as_ref().is_some_and(|path| path.exists()) {
        let database = Inspection::open(&database(&config)?)?;
        if !database.is_empty() {
            kept = parse_clock(database.read(development_clock)?)?;
        }
    }
    Ok(kept.unwrap_or_else(|| Clock::system().now()))
}

/// Names and values without surrounding spaces. Bytes that are not text cannot belong to a signature.
fn headers(given: &[OsString]) -> Result<Vec<(String, String)>, Failure> {
    let pair = |header: &OsString| {
        let text = header.to_string_lossy();
        let (name, value) = text
            .split_once(':')
            .ok_or_else(|| format!("{text:?} is not a header; send it as \"Name: value\""))?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    given
        .iter()
        .map(pair)
        .collect::<Result<_, _>>()
        .map_err(Failure::Usage)
}

/// The value of a header that must occur once.
fn the_one<'a>(headers: &'a [(String, String)], name: &str) -> Result<&'a str, String> {
    let mut values = headers
        .iter()
        .filter(|(given, _)| given.eq_ignore_ascii_case(name));
    match (values.next(), values.next()) {
        (Some((_, value)), None) => Ok(value),
        (Some(_), Some(_)) => Err(format!("{name} occurs more than once; send one")),
        (None, _) => Err(format!(
            "{name} is missing; send \"{name}: ...\" as received"
        )),
    }
}

fn explain(why: VerifyError, secret: &str) -> String {
    if why == VerifyError::Mismatch && !secret.starts_with(SECRET_PREFIX) {
        format!("{why}; a signing secret begins with {SECRET_PREFIX}, which is part of it")
    } else {
        why.to_string()
    }
}

/// Both in Unix seconds.
fn check_age(sent: i64, now: i64, tolerance: Duration) -> Result<(), String> {
    let away = now.abs_diff(sent);
    if away <= tolerance.as_secs() {
        return Ok(());
    }
    let direction = if sent < now { "old" } else { "far ahead" };
    Err(format!(
        "the signature matches, but the timestamp is too {direction}: {away} s from this clock, where {} s are allowed",
        tolerance.as_secs()
    ))
}
