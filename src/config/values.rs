//! How single settings are written. Every error says what to send instead.

use crate::api::Access;
use crate::client::Trust;
use crate::domain::address::Net;
use crate::domain::ladder::LIFE;
use crate::domain::tiers::Tier;
use crate::domain::time::FOREVER;
use crate::wire::moment;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// An address to listen on: a host or address, and a port. Port 0 is one that the system picks.
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
                "{text:?} is not an address; send HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080"
            )),
        }
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The address that others reach this server at, without a slash at its end.
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
        match rest.map(|rest| rest.trim_end_matches('/')) {
            Some(rest)
                if !rest.is_empty() && !rest.starts_with(['/', ':']) && !rest.contains(odd) =>
            {
                Ok(BaseUrl(text.trim_end_matches('/').to_owned()))
            }
            _ => Err(format!(
                "{text:?} is not a base URL; send one such as https://rota.example.org"
            )),
        }
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is logged: a level, or levels of modules, as `info,rota::delivery=debug`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFilter(String);

impl LogFilter {
    /// As env_logger reads it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for LogFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<LogFilter, String> {
        // A word that is no level would be taken for a module, and a slip of the pen would log all of nothing.
        let level = |word: &str| word.parse::<log::LevelFilter>().is_ok();
        let module = |name: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-');
            !name.is_empty() && name.chars().all(plain)
        };
        // What comes after a slash is looked for in the text of each line.
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
                "{part:?} is not a log level; send error, warn, info, debug or off, or levels of modules such as \
                 info,rota::delivery=debug"
            )),
        }
    }
}

/// A length of time as `90s`, `15m`, `24h` or `7d`; a day is 24 hours.
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
        format!("{text:?} is not a duration; send a number and a unit, such as 90s, 15m, 24h or 7d")
    })
}

/// The same, for what would be over at once with 0.
pub fn lifetime(text: &str) -> Result<Duration, String> {
    let positive = |length: &Duration| !length.is_zero();
    let read = duration(text)?;
    Some(read).filter(positive).ok_or_else(|| {
        format!("{text:?} would be over at once; send a longer duration, such as 24h")
    })
}

/// An instant in RFC 3339 with its offset.
pub fn instant(text: &str) -> Result<Timestamp, String> {
    let read: Option<Timestamp> = text.parse().ok().or_else(|| moment::parse_instant(text));
    // The clock counts whole milliseconds.
    let whole = read.map(|at| at.min(FOREVER));
    let whole = whole.and_then(|at| Timestamp::from_millisecond(at.as_millisecond()).ok());
    whole.ok_or_else(|| {
        format!(
            "{text:?} is not an instant; send RFC 3339 with an offset, such as 2026-11-23T09:00:00Z"
        )
    })
}

pub(super) fn whole_number<T: FromStr>(text: &str) -> Result<T, String> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let read = text.parse().ok().filter(|_| plain);
    read.ok_or_else(|| format!("{text:?} is not a number in range; send a whole number from 0 up"))
}

pub(super) fn parse_tier(text: &str) -> Result<Tier, String> {
    Tier::parse(text).ok_or_else(|| format!("{text:?} is not a plan; send \"free\" or \"pro\""))
}

pub(super) fn parse_burst(text: &str) -> Result<u32, String> {
    whole_number(text).and_then(some_burst)
}

/// With a burst of 0 no request would ever pass.
fn some_burst(burst: u32) -> Result<u32, String> {
    let off = "0 lets nobody in; send at least 1, or requests_per_minute 0 to turn the limit off";
    if burst == 0 {
        Err(off.into())
    } else {
        Ok(burst)
    }
}

/// Waits that a ladder may have.
const MOST_STEPS: usize = 50;

pub(super) fn parse_ladder(text: &str) -> Result<Vec<SignedDuration>, String> {
    list(text, step).and_then(not_too_many)
}

fn step(text: &str) -> Result<SignedDuration, String> {
    let length = duration(text)?;
    let step = SignedDuration::try_from(length).ok();
    // No round begins later than that, so a longer wait would be for nothing.
    step.filter(|step| *step <= LIFE)
        .ok_or_else(|| format!("{text:?} is too long to wait; send at most 7d"))
}

fn not_too_many(steps: Vec<SignedDuration>) -> Result<Vec<SignedDuration>, String> {
    match steps.len() {
        0..=MOST_STEPS => Ok(steps),
        count => Err(format!(
            "{count} waits are too many; send at most {MOST_STEPS}"
        )),
    }
}

pub(super) fn parse_reminder(text: &str) -> Result<SignedDuration, String> {
    const MOST: SignedDuration = SignedDuration::from_hours(30 * 24);
    let before = SignedDuration::try_from(duration(text)?).ok();
    before.filter(|before| *before <= MOST).ok_or_else(|| {
        format!("{text:?} is too long before; send at most 30d, or 0s to remind nobody")
    })
}

pub(super) fn parse_nets(text: &str) -> Result<Vec<Net>, String> {
    list(text, str::parse)
}

pub(super) fn parse_trust(text: &str) -> Result<Trust, String> {
    match text {
        "bundled" => Ok(Trust::Bundled),
        "system" => Ok(Trust::System),
        _ => Err(format!(
            "{text:?} is not known; send \"bundled\" or \"system\""
        )),
    }
}

pub(super) fn parse_access(text: &str) -> Result<Access, String> {
    match text {
        "open" => Ok(Access::Open),
        "limited" => Ok(Access::Limited),
        "key" => Ok(Access::Key),
        _ => Err(format!(
            "{text:?} is not known; send \"limited\", \"open\" or \"key\""
        )),
    }
}

/// Items between commas; blanks around them do not count.
fn list<T>(text: &str, item: fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    text.split(',').map(|text| item(text.trim())).collect()
}

pub(super) fn tier<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Tier>, D::Error> {
    let text = String::deserialize(from)?;
    parse_tier(&text).map(Some).map_err(D::Error::custom)
}

pub(super) fn reminder<'de, D>(from: D) -> Result<Option<SignedDuration>, D::Error>
where
    D: Deserializer<'de>,
{
    let text = String::deserialize(from)?;
    parse_reminder(&text).map(Some).map_err(D::Error::custom)
}

pub(super) fn trust<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Trust>, D::Error> {
    let text = String::deserialize(from)?;
    parse_trust(&text).map(Some).map_err(D::Error::custom)
}

pub(super) fn access<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Access>, D::Error> {
    let text = String::deserialize(from)?;
    parse_access(&text).map(Some).map_err(D::Error::custom)
}

pub(super) fn burst<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    let burst = u32::deserialize(from)?;
    some_burst(burst).map(Some).map_err(D::Error::custom)
}

pub(super) fn ladder<'de, D>(from: D) -> Result<Option<Vec<SignedDuration>>, D::Error>
where
    D: Deserializer<'de>,
{
    let steps = items(from, step)?;
    not_too_many(steps).map(Some).map_err(D::Error::custom)
}

pub(super) fn nets<'de, D>(from: D) -> Result<Option<Vec<Net>>, D::Error>
where
    D: Deserializer<'de>,
{
    items(from, str::parse).map(Some)
}

/// A list of values that are written as text.
fn items<'de, D, T>(from: D, item: fn(&str) -> Result<T, String>) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
{
    let texts = Vec::<String>::deserialize(from)?;
    let items = texts.iter().map(|text| item(text));
    items.collect::<Result<_, _>>().map_err(D::Error::custom)
}

/// A value that is written as text and parsed from it.
pub(super) fn text<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err = String>,
{
    let text = String::deserialize(from)?;
    text.parse().map(Some).map_err(D::Error::custom)
}
