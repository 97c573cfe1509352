//! The time zone of a partner's schedule, as a city.

use crate::domain::recurrence::windows;
use crate::domain::zones::{Reason, ZoneName};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Names of Ruby on Rails, which PagerDuty uses; generated, see `data/README.md`.
static RAILS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    include_str!("../data/rails-zones.txt")
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .collect()
});

/// The zone of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartnerZone {
    /// As the partner writes it.
    pub given: String,
    /// The city; `None` if the name means none that is known.
    pub city: Option<ZoneName>,
}

impl PartnerZone {
    /// Finds the city of a name: a city of tzdata, an older name of one, or a name of Rails or Windows.
    pub fn of(given: &str) -> PartnerZone {
        let name = given.trim();
        let other = || {
            let rails = RAILS.get(name).copied();
            city(rails.or_else(|| windows::city(name))?)
        };
        PartnerZone {
            given: given.to_owned(),
            city: city(name).or_else(other),
        }
    }

    /// The city, or UTC where the name means none.
    pub fn or_utc(&self) -> ZoneName {
        self.city.unwrap_or_else(ZoneName::utc)
    }
}

/// The city of a name of tzdata.
fn city(name: &str) -> Option<ZoneName> {
    match ZoneName::parse(name) {
        Ok(city) => Some(city),
        Err(refusal) => match refusal.reason {
            Reason::WrongCase { right: name } | Reason::Legacy { instead: name } => {
                ZoneName::parse(name).ok()
            }
            Reason::Unknown | Reason::FixedOffset => None,
        },
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
            ("FLE Standard Time", Some("Europe/Kyiv")),
            ("Dateline Standard Time", None),
            ("Nuku'alofa", Some("Pacific/Tongatapu")),
            ("Mid-Atlantic", Some("Atlantic/South_Georgia")),
            ("Kyiv", Some("Europe/Kyiv")),
            ("London", Some("Europe/London")),
            ("International Date Line West", None),
            ("Middle Earth", None),
            ("+02:00", None),
            ("", None),
        ] {
            let zone = PartnerZone::of(given);
            assert_eq!(zone.city.map(|city| city.as_str()), city, "{given}");
            assert_eq!(zone.or_utc().as_str(), city.unwrap_or("UTC"), "{given}");
        }
    }

    #[test]
    fn every_name_of_the_table_is_a_city() {
        assert!(RAILS.len() > 140, "{}", RAILS.len());
        for (name, city) in RAILS.iter() {
            assert!(ZoneName::parse(city).is_ok(), "{name} {city}");
        }
    }
}
