//! Parsers of single settings. Every error says what to send instead.

use crate::domain::time::{self, FOREVER};
use crate::wire::moment;
use jiff::{SignedDuration, Timestamp};
use std::fmt;
use std::ops::RangeInclusive;
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
    time::length(text).ok_or_else(|| {
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

/// Lengths in seconds, as [`within`] takes them.
pub(super) const MINUTE: i64 = 60;
pub(super) const HOUR: i64 = 60 * MINUTE;
pub(super) const DAY: i64 = 24 * HOUR;

/// Parses a duration of so many seconds. The error says that any other one is what `why` says.
pub(super) fn within(
    text: &str,
    seconds: RangeInclusive<i64>,
    why: &str,
) -> Result<SignedDuration, String> {
    let length = SignedDuration::try_from(duration(text)?).ok();
    let length = length.filter(|length| seconds.contains(&length.as_secs()));
    length.ok_or_else(|| format!("{text:?} is {why}"))
}

/// Parses one of several words. The error says that any other one is not what `why` says.
pub(super) fn choice<T, const N: usize>(
    text: &str,
    known: [(&str, T); N],
    why: &str,
) -> Result<T, String> {
    let found = known.into_iter().find(|(word, _)| *word == text);
    found
        .map(|(_, value)| value)
        .ok_or_else(|| format!("{text:?} is not {why}"))
}

/// The text if it fits. The error says that it is not what `why` says.
pub(super) fn fitting(text: &str, fits: bool, why: &str) -> Result<String, String> {
    match fits {
        true => Ok(text.to_owned()),
        false => Err(format!("{text:?} is not {why}")),
    }
}

/// Whether a text is a mail address, also without the characters that do not fit.
pub(super) fn is_mail_address(text: &str, odd: fn(char) -> bool) -> bool {
    let parts = text.rsplit_once('@');
    let is_full = parts.is_some_and(|(user, domain)| !user.is_empty() && !domain.is_empty());
    is_full && !text.contains(|c: char| c.is_whitespace() || c.is_control() || odd(c))
}

/// Whether a host, with a port and a path or without, has no part of a URL besides, such as a query or a user.
pub(super) fn is_plain_host(text: &str) -> bool {
    let odd = |c: char| !c.is_ascii_graphic() || matches!(c, '?' | '#' | '@' | '"' | '\\');
    !text.is_empty() && !text.starts_with(['/', ':']) && !text.contains(odd)
}
