//! Weekends and national public holidays, by country (rules.md 3.3).
//!
//! The days of 2000 to 2050 are compiled in as one table that is searched in place, without loading or copying. The operator's
//! file overrides it.

mod table;
#[cfg(test)]
mod tests;

use super::text::text;
use super::{days, zones};
use jiff::civil::Date;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use table::Row;

/// An ISO 3166-1 alpha-2 country code or an ISO 3166-2 subdivision of the table, upper case: `GB`, `GB-SCT`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountryCode(Row);

text! { CountryCode = "the code of a country, such as NO"; }

impl CountryCode {
    /// Parses a code in its exact spelling; `None` if it is unknown.
    pub fn parse(text: &str) -> Option<CountryCode> {
        Row::find(text).map(CountryCode)
    }

    /// Parses a code that somebody typed.
    ///
    /// # Errors
    /// A sentence that says what to send in place of an unknown code.
    pub fn known(text: &str) -> Result<CountryCode, String> {
        CountryCode::parse(text).ok_or_else(|| {
            let given: String = text.chars().take(20).map(zones::shown).collect();
            format!(
                "`{given}` is not known; send an ISO 3166-1 alpha-2 country such as NO, or an ISO 3166-2 subdivision such as \
                 GB-SCT, upper case"
            )
        })
    }

    /// The code as text.
    pub fn as_str(&self) -> &'static str {
        self.0.code()
    }

    /// The country of a subdivision; `None` for a country.
    pub fn country(&self) -> Option<CountryCode> {
        self.0.parent().map(CountryCode)
    }
}

impl fmt::Display for CountryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for CountryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CountryCode({})", self.as_str())
    }
}

/// A day of a line in the operator's file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum OperatorDay {
    /// A holiday, and what it is called.
    Added(Option<Arc<str>>),
    Removed,
}

/// Weekend days and national holidays by country.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calendar {
    /// The operator's days.
    changes: BTreeMap<(CountryCode, Date), OperatorDay>,
    fingerprint: u64,
}

impl Default for Calendar {
    fn default() -> Calendar {
        Calendar::embedded()
    }
}

impl Calendar {
    /// The compiled-in days without an operator's file.
    pub fn embedded() -> Calendar {
        Calendar::with_changes(BTreeMap::new())
    }

    /// The compiled-in days, overridden by the operator's file.
    ///
    /// A line adds a day, `GB 2027-06-07 Jubilee`, or removes one, `-GB 2027-12-28`. Country, date (`YYYY-MM-DD`) and
    /// name are separated by spaces or commas. The name, which may contain both, is for people and optional; it may also name a
    /// day that is compiled in. Blank lines and
    /// lines that begin with `#` are ignored. The last line about a day counts. A country's line also applies to its
    /// subdivisions, unless a subdivision has its own line for that day.
    ///
    /// An error has the number of the line, from 1, and what is wrong with it.
    pub fn with_file(text: &str) -> Result<Calendar, (usize, String)> {
        let mut changes = BTreeMap::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (key, change) = read_line(line).map_err(|why| (at + 1, why))?;
            changes.insert(key, change);
        }
        Ok(Calendar::with_changes(changes))
    }

    fn with_changes(changes: BTreeMap<(CountryCode, Date), OperatorDay>) -> Calendar {
        let mut hash = fnv1a(table::fingerprint(), zones::tzdata_version().as_bytes());
        for ((country, date), line) in &changes {
            let added = *line != OperatorDay::Removed;
            hash = fnv1a(hash, format!("{country} {date} {added};").as_bytes());
        }
        Calendar {
            changes,
            fingerprint: hash,
        }
    }

    /// Identifies the data that computed instants depend on: the compiled-in holidays, the operator's days and the time zone
    /// rules. Calendars with the same data have the same fingerprint, also across runs of the program.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Whether the day is a weekend day in a country. A subdivision has its country's weekend.
    pub fn is_weekend(&self, country: CountryCode, date: Date) -> bool {
        country.0.weekend() & (1 << date.weekday().to_monday_zero_offset()) != 0
    }

    /// Whether the day is a national public holiday in a country.
    pub fn is_national_holiday(&self, country: CountryCode, date: Date) -> bool {
        match self.change(country, date) {
            Some(line) => *line != OperatorDay::Removed,
            None => country.0.is_holiday(days::number(date)),
        }
    }

    /// The name of a holiday in the operator's file.
    pub fn name(&self, country: CountryCode, date: Date) -> Option<&str> {
        match self.change(country, date) {
            Some(OperatorDay::Added(name)) => name.as_deref(),
            _ => None,
        }
    }

    /// The last year with data in the table or the operator's file; 1999 if there is none. Later years have weekends but few or
    /// no holidays, which is worth a warning.
    pub fn covers_until(&self, country: CountryCode) -> i16 {
        self.changes
            .iter()
            .filter(|((code, _), line)| {
                **line != OperatorDay::Removed
                    && (*code == country || Some(*code) == country.country())
            })
            .map(|((_, date), _)| date.year())
            .fold(country.0.last_year(), i16::max)
    }

    /// All codes of the table, in order; a country precedes its subdivisions.
    pub fn countries(&self) -> impl Iterator<Item = CountryCode> + use<> {
        Row::all().map(CountryCode)
    }

    /// The weekend days of a country, bit 0 for Monday.
    pub(super) fn weekend(&self, country: CountryCode) -> u8 {
        country.0.weekend()
    }

    /// The numbers of all national holidays from day `from` on, unordered, possibly with duplicates.
    pub(super) fn holidays_from(&self, country: CountryCode, from: i64) -> Vec<i64> {
        let mut found = country.0.holidays();
        found.retain(|&day| day >= from);
        if self.changes.is_empty() {
            return found;
        }
        found.retain(|&day| {
            days::date(day)
                .is_none_or(|date| self.change(country, date) != Some(&OperatorDay::Removed))
        });
        for &(code, date) in self.changes.keys() {
            let ours = code == country || Some(code) == country.country();
            let added = || matches!(self.change(country, date), Some(OperatorDay::Added(_)));
            if ours && days::number(date) >= from && added() {
                found.push(days::number(date));
            }
        }
        found
    }

    fn change(&self, country: CountryCode, date: Date) -> Option<&OperatorDay> {
        // A fast path: few installations have a file, and every day of every walk is checked.
        if self.changes.is_empty() {
            return None;
        }
        let line = |code| self.changes.get(&(code, date));
        line(country).or_else(|| country.country().and_then(line))
    }
}

/// FNV-1a, 64 bits: continues `hash` with these bytes.
fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Parses one line of the operator's file.
fn read_line(line: &str) -> Result<((CountryCode, Date), OperatorDay), String> {
    let (added, line) = match line.strip_prefix('-') {
        Some(rest) => (false, rest.trim_start()),
        None => (true, line),
    };
    let (code, rest) = first_field(line);
    let country = CountryCode::parse(code).ok_or_else(|| {
        format!(
            "`{code}` is not a known country: an upper-case code such as GB or GB-SCT comes first"
        )
    })?;
    let (day, rest) = first_field(rest);
    let date = read_date(day).ok_or_else(|| {
        format!(
            "`{day}` is not a date: YYYY-MM-DD follows the country, as in GB 2027-06-07 Jubilee"
        )
    })?;
    let name = rest.trim_matches(is_separator);
    let change = match added {
        true => OperatorDay::Added((!name.is_empty()).then(|| name.into())),
        false => OperatorDay::Removed,
    };
    Ok(((country, date), change))
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || c == ','
}

/// The first field of a text, and what follows it.
fn first_field(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches(is_separator);
    text.split_at(text.find(is_separator).unwrap_or(text.len()))
}

/// Parses exactly `YYYY-MM-DD`; jiff accepts more.
fn read_date(text: &str) -> Option<Date> {
    let shape = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    (text.len() == 10 && text.bytes().enumerate().all(shape))
        .then(|| text.parse().ok())
        .flatten()
}
