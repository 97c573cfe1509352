//! The time zone of a partner's schedule, as a city.

use crate::domain::zones::{Reason, ZoneName};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Names that tzdata does not have, such as those of Rails and of Windows; generated, see `data/README.md`.
static NAMES: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    include_str!("../data/partner-zones.txt")
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .collect()
});

/// The zone of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideZone {
    /// As the partner writes it.
    pub given: String,
    /// The city; `None` if the name means none that is known.
    pub city: Option<ZoneName>,
}

impl OutsideZone {
    /// Finds the city of a name: a city of tzdata, an older name of one, or a name of Rails or Windows.
    pub fn of(given: &str) -> OutsideZone {
        let city = match ZoneName::parse(given) {
            Ok(city) => Some(city),
            Err(refusal) => match refusal.reason {
                Reason::WrongCase { right: name } | Reason::Legacy { instead: name } => Some(name),
                Reason::Unknown | Reason::FixedOffset => NAMES.get(given.trim()).copied(),
            }
            .and_then(|name| ZoneName::parse(name).ok()),
        };
        OutsideZone {
            given: given.to_owned(),
            city,
        }
    }

    /// The city, or UTC where the name means none.
    pub fn or_utc(&self) -> ZoneName {
        self.city.unwrap_or_else(ZoneName::utc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_partners_are_cities() {
        for (given, city) in [
            ("Europe/Oslo", Some("Europe/Oslo")),
            ("europe/oslo", Some("Europe/Oslo")),
            ("UTC", Some("UTC")),
            ("Etc/UTC", Some("UTC")),
            ("US/Eastern", Some("America/New_York")),
            ("Asia/Calcutta", Some("Asia/Kolkata")),
            ("Eastern Time (US & Canada)", Some("America/New_York")),
            ("Pacific Time (US & Canada)", Some("America/Los_Angeles")),
            ("Eastern Standard Time", Some("America/New_York")),
            ("W. Europe Standard Time", Some("Europe/Berlin")),
            ("Nuku'alofa", Some("Pacific/Tongatapu")),
            ("Mid-Atlantic", Some("Atlantic/South_Georgia")),
            ("Kyiv", Some("Europe/Kyiv")),
            ("London", Some("Europe/London")),
            ("International Date Line West", None),
            ("Middle Earth", None),
            ("+02:00", None),
            ("", None),
        ] {
            let zone = OutsideZone::of(given);
            assert_eq!(zone.city.map(|city| city.as_str()), city, "{given}");
            assert_eq!(zone.or_utc().as_str(), city.unwrap_or("UTC"), "{given}");
        }
    }

    #[test]
    fn every_name_of_the_table_is_a_city() {
        assert!(NAMES.len() > 270, "{}", NAMES.len());
        for (name, city) in NAMES.iter() {
            assert!(ZoneName::parse(city).is_ok(), "{name} {city}");
        }
    }
}
