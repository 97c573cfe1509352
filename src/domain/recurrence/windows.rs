//! Names of time zones in Windows, which Exchange and Outlook write into calendars and some partners into schedules.

/// `Name<tab>City` lines in order of name; generated, see `data/README.md`.
static NAMES: &str = include_str!("../data/windows-zones.txt");

/// The city that CLDR names for a zone of Windows, without regard to case.
pub fn city(name: &str) -> Option<&'static str> {
    let lines = NAMES.lines().filter(|line| !line.starts_with('#'));
    let mut pairs = lines.filter_map(|line| line.split_once('\t'));
    let found = pairs.find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, city)| city)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::recurrence::zone::Zone;

    #[test]
    fn every_name_leads_to_a_compiled_in_zone() {
        let lines = NAMES.lines().filter(|line| !line.starts_with('#'));
        let names: Vec<&str> = lines.map(|line| line.split('\t').next().unwrap()).collect();
        assert!(names.len() > 130 && names.is_sorted());
        for name in names {
            assert!(Zone::by_name(name).is_some(), "{name}");
        }
        assert_eq!(city("w. europe standard time"), Some("Europe/Berlin"));
        assert_eq!(city("Customized Time Zone"), None);
    }
}
