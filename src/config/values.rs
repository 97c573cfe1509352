//! Parsers of single settings. Every error says what to send instead.

use super::parsed::{parsed, parsed_list};
use crate::api::Access;
use crate::client::Trust;
use crate::domain::address::Net;
use crate::domain::retry_schedule::LIFE;
use crate::domain::tiers::Tier;
use crate::domain::time::FOREVER;
use crate::wire::moment;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// An address to listen on: host and port. With port 0 the system picks one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listen(String);

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Listen, String> {
        let parts = text.rsplit_once(':').filter(|(host, port)| {
            let bracketed = host.starts_with('[') && host.ends_with(']');
            let plain = !host.is_empty() && !host.contains([':', '[', ']', '/', ' ']);
            (bracketed || plain) && port.parse::<u16>().is_ok()
        });
        match parts {
            Some(_) => Ok(Listen(text.to_owned())),
            None => Err(format!(
                "{text:?} is not an address; write HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080"
            )),
        }
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The public URL of the server, without a trailing slash. It has no path: pages, forms and cookies are at the root of a host name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(String);

impl FromStr for BaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<BaseUrl, String> {
        let rest = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"));
        let odd =
            |c: char| c.is_whitespace() || c.is_control() || matches!(c, '?' | '#' | '@' | '"');
        let rest = rest.map(|rest| rest.trim_end_matches('/'));
        let plain =
            |rest: &&str| !rest.is_empty() && !rest.starts_with(['/', ':']) && !rest.contains(odd);
        let Some(rest) = rest.filter(plain) else {
            return Err(format!(
                "{text:?} is not a base URL; write one such as https://rota.example.org"
            ));
        };
        if let Some((_, path)) = rest.split_once('/') {
            return Err(format!(
                "{text:?} has the path \"/{path}\"; give rota a host name of its own: write one such as https://rota.example.org"
            ));
        }
        Ok(BaseUrl(text.trim_end_matches('/').to_owned()))
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The log filter: a level, or levels per module, such as `info,rota::delivery=debug`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFilter(String);

impl LogFilter {
    /// The filter in env_logger's syntax.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for LogFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<LogFilter, String> {
        // env_logger reads an unknown word as a module name, so a misspelt level would disable logging.
        let level = |word: &str| word.parse::<log::LevelFilter>().is_ok();
        let module = |name: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-');
            !name.is_empty() && name.chars().all(plain)
        };
        // The text after a slash is a filter on messages.
        let levels = text.split_once('/').map_or(text, |(levels, _)| levels);
        let parts = levels.split(',').map(str::trim);
        let wrong = parts
            .filter(|part| !part.is_empty())
            .find(|part| match part.split_once('=') {
                Some((name, word)) => !module(name.trim()) || !level(word.trim()),
                None => !level(part),
            });
        match wrong {
            None => Ok(LogFilter(text.to_owned())),
            Some(part) => Err(format!(
                "{part:?} is not a log level; write error, warn, info, debug or off, or levels of modules such as \
                 info,rota::delivery=debug"
            )),
        }
    }
}

/// Parses a duration such as `90s`, `15m`, `24h` or `7d`; a day is 24 hours.
pub fn duration(text: &str) -> Result<Duration, String> {
    let read = || {
        let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
        let unit = match unit {
            "s" => 1,
            "m" => 60,
            "h" => 60 * 60,
            "d" => 24 * 60 * 60,
            _ => return None,
        };
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let seconds = digits
            .parse::<u64>()
            .ok()
            .filter(|_| plain)?
            .checked_mul(unit)?;
        Some(Duration::from_secs(seconds))
    };
    read().ok_or_else(|| {
        format!(
            "{text:?} is not a duration; write a number and a unit, such as 90s, 15m, 24h or 7d"
        )
    })
}

/// Parses a duration and refuses 0, which would expire immediately.
pub fn lifetime(text: &str) -> Result<Duration, String> {
    let positive = |length: &Duration| !length.is_zero();
    let read = duration(text)?;
    Some(read).filter(positive).ok_or_else(|| {
        format!("{text:?} would expire immediately; write a longer duration, such as 24h")
    })
}

/// Parses an instant in RFC 3339 with an offset.
pub fn instant(text: &str) -> Result<Timestamp, String> {
    let read: Option<Timestamp> = text.parse().ok().or_else(|| moment::parse_instant(text));
    // The clock counts in milliseconds.
    let whole = read.map(|at| at.min(FOREVER));
    let whole = whole.and_then(|at| Timestamp::from_millisecond(at.as_millisecond()).ok());
    whole.ok_or_else(|| {
        format!(
            "{text:?} is not an instant; write RFC 3339 with an offset, such as 2026-11-23T09:00:00Z"
        )
    })
}

pub(super) fn whole_number<T: FromStr>(text: &str) -> Result<T, String> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let read = text.parse().ok().filter(|_| plain);
    read.ok_or_else(|| {
        format!("{text:?} is not a number in range; write a whole number from 0 up, such as 1000")
    })
}

/// Any text.
pub(super) fn text_of(text: &str) -> Result<String, String> {
    Ok(text.to_owned())
}

pub(super) fn parse_tier(text: &str) -> Result<Tier, String> {
    Tier::parse(text).ok_or_else(|| format!("{text:?} is not a plan; write \"free\" or \"pro\""))
}

pub(super) fn parse_burst(text: &str) -> Result<u32, String> {
    whole_number(text).and_then(check_burst)
}

/// Refuses a burst of 0, which would refuse every request.
fn check_burst(burst: u32) -> Result<u32, String> {
    let off = "0 would refuse every request; write at least 1, or requests_per_minute 0 to turn the limit off";
    if burst == 0 {
        Err(off.into())
    } else {
        Ok(burst)
    }
}

/// The most waits in a retry schedule.
const MOST_WAITS: usize = 50;

pub(super) fn parse_retry_schedule(text: &str) -> Result<Vec<SignedDuration>, String> {
    list(text, wait).and_then(check_count)
}

fn wait(text: &str) -> Result<SignedDuration, String> {
    let length = duration(text)?;
    let wait = SignedDuration::try_from(length).ok();
    // No round begins after that time.
    wait.filter(|wait| *wait <= LIFE)
        .ok_or_else(|| format!("{text:?} is too long; write at most 7d"))
}

fn check_count(waits: Vec<SignedDuration>) -> Result<Vec<SignedDuration>, String> {
    match waits.len() {
        0..=MOST_WAITS => Ok(waits),
        count => Err(format!(
            "{count} waits are too many; write at most {MOST_WAITS}"
        )),
    }
}

pub(super) fn parse_reminder(text: &str) -> Result<SignedDuration, String> {
    const MOST: SignedDuration = SignedDuration::from_hours(30 * 24);
    let before = SignedDuration::try_from(duration(text)?).ok();
    before
        .filter(|before| *before <= MOST)
        .ok_or_else(|| format!("{text:?} is too long; write at most 30d, or 0s for no reminders"))
}

pub(super) fn parse_audit_keep(text: &str) -> Result<SignedDuration, String> {
    const LEAST: SignedDuration = SignedDuration::from_hours(24);
    let keep = SignedDuration::try_from(duration(text)?).ok();
    keep.filter(|keep| *keep >= LEAST)
        .ok_or_else(|| format!("{text:?} is out of range; write at least 1d, such as 400d"))
}

pub(super) fn parse_read_every(text: &str) -> Result<SignedDuration, String> {
    const LEAST: SignedDuration = SignedDuration::from_mins(1);
    const MOST: SignedDuration = SignedDuration::from_hours(7 * 24);
    let every = SignedDuration::try_from(duration(text)?).ok();
    every
        .filter(|every| (LEAST..=MOST).contains(every))
        .ok_or_else(|| format!("{text:?} is out of range; write 1m to 7d, such as 15m"))
}

pub(super) fn read_every<'de, D>(from: D) -> Result<Option<SignedDuration>, D::Error>
where
    D: Deserializer<'de>,
{
    parsed(from, parse_read_every)
}

/// How long sessions may last at the most.
pub(super) fn parse_session(text: &str) -> Result<SignedDuration, String> {
    const MOST: SignedDuration = SignedDuration::from_hours(400 * 24);
    let length = SignedDuration::try_from(lifetime(text)?).ok();
    length
        .filter(|length| *length <= MOST)
        .ok_or_else(|| format!("{text:?} is too long; send at most 400d"))
}

pub(super) fn parse_switch(text: &str) -> Result<bool, String> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("{text:?} is not known; send true or false")),
    }
}

pub(super) fn session<'de, D>(from: D) -> Result<Option<SignedDuration>, D::Error>
where
    D: Deserializer<'de>,
{
    parsed(from, parse_session)
}

pub(super) fn parse_nets(text: &str) -> Result<Vec<Net>, String> {
    list(text, str::parse)
}

pub(super) fn parse_trust(text: &str) -> Result<Trust, String> {
    match text {
        "bundled" => Ok(Trust::Bundled),
        "system" => Ok(Trust::System),
        _ => Err(format!(
            "{text:?} is not known; write \"bundled\" or \"system\""
        )),
    }
}

pub(super) fn parse_access(text: &str) -> Result<Access, String> {
    match text {
        "open" => Ok(Access::Open),
        "limited" => Ok(Access::Limited),
        "key" => Ok(Access::Key),
        _ => Err(format!(
            "{text:?} is not known; write \"limited\", \"open\" or \"key\""
        )),
    }
}

/// Splits at commas and trims whitespace around items.
fn list<T>(text: &str, item: fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    text.split(',').map(|text| item(text.trim())).collect()
}

pub(super) fn tier<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Tier>, D::Error> {
    parsed(from, parse_tier)
}

pub(super) fn audit_keep<'de, D>(from: D) -> Result<Option<SignedDuration>, D::Error>
where
    D: Deserializer<'de>,
{
    parsed(from, parse_audit_keep)
}

pub(super) fn reminder<'de, D>(from: D) -> Result<Option<SignedDuration>, D::Error>
where
    D: Deserializer<'de>,
{
    parsed(from, parse_reminder)
}

pub(super) fn trust<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Trust>, D::Error> {
    parsed(from, parse_trust)
}

pub(super) fn access<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Access>, D::Error> {
    parsed(from, parse_access)
}

pub(super) fn burst<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    let burst = u32::deserialize(from)?;
    check_burst(burst).map(Some).map_err(D::Error::custom)
}

pub(super) fn retry_schedule<'de, D>(from: D) -> Result<Option<Vec<SignedDuration>>, D::Error>
where
    D: Deserializer<'de>,
{
    let waits = parsed_list(from, wait)?;
    waits.map(check_count).transpose().map_err(D::Error::custom)
}

pub(super) fn nets<'de, D>(from: D) -> Result<Option<Vec<Net>>, D::Error>
where
    D: Deserializer<'de>,
{
    parsed_list(from, str::parse)
}

/// Deserializes a value that is written as a string.
pub(super) fn text<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err = String>,
{
    parsed(from, str::parse)
}
