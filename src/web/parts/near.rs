//! Instants as a sentence says them: by the day of the week where they are near.

use super::time::{DAYS, Times};
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

const WHOLE_DAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

impl Times {
    /// An instant near by: "18:00 today", "tomorrow 08:00", "Saturday 09:00"; further away "Mon 30 Nov 09:00".
    pub fn near(&self, at: Timestamp) -> String {
        match self.days_ahead(at) {
            Some(0) => format!("{} today", self.hour(at)),
            Some(1) => format!("tomorrow {}", self.hour(at)),
            Some(2..=5) => format!("{} {}", self.weekday(at, &WHOLE_DAYS), self.hour(at)),
            _ => self.text(at),
        }
    }

    /// The same, shorter: "18:00", "Sat 09:00", "Mon 30 Nov 09:00".
    pub fn brief(&self, at: Timestamp) -> String {
        match self.days_ahead(at) {
            Some(0) => self.hour(at),
            Some(1..=5) => format!("{} {}", self.weekday(at, &DAYS), self.hour(at)),
            _ => self.text(at),
        }
    }

    /// A period: "Wed 2 Dec, 08:00 to 18:00", or both ends with their days.
    pub fn stretch(&self, from: Timestamp, until: Timestamp) -> String {
        match self.date(from) == self.date(until) {
            true => format!(
                "{}, {} to {}",
                self.day_text(self.date(from)),
                self.hour(from),
                self.hour(until)
            ),
            false => format!("{} to {}", self.text(from), self.text(until)),
        }
    }

    /// "Mon 23 to Mon 30 Nov".
    pub fn days_text(&self, from: Date, until: Date) -> String {
        match (from.year(), from.month()) == (until.year(), until.month()) {
            true => format!(
                "{} {} to {}",
                self.weekday_of(from),
                from.day(),
                self.day_text(until)
            ),
            false => format!("{} to {}", self.day_text(from), self.day_text(until)),
        }
    }

    /// A day as the head of a page says it: "Tuesday 24 November".
    pub fn whole_day(&self, at: Timestamp) -> String {
        let date = self.date(at);
        let month = MONTHS[date.month().unsigned_abs() as usize - 1];
        format!("{} {} {month}", self.weekday(at, &WHOLE_DAYS), date.day())
    }

    fn days_ahead(&self, at: Timestamp) -> Option<i32> {
        let span = self.date(self.now).until(self.date(at)).ok()?;
        Some(span.get_days()).filter(|days| *days >= 0)
    }

    fn weekday(&self, at: Timestamp, names: &[&'static str; 7]) -> &'static str {
        names[self
            .date(at)
            .weekday()
            .to_monday_zero_offset()
            .unsigned_abs() as usize]
    }
}

/// A length in words: "3 days and 3 hours", "45 minutes".
pub fn length(length: SignedDuration) -> String {
    let minutes = length.as_secs().unsigned_abs() / 60;
    let (days, hours, rest) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    let part = |count: u64, one: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {one}s")),
    };
    let parts = match (days, hours) {
        (0, 0) => [part(rest.max(1), "minute"), None],
        (0, _) => [part(hours, "hour"), part(rest, "minute")],
        _ => [part(days, "day"), part(hours, "hour")],
    };
    parts
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" and ")
}

/// The same as one says it: "a day", "an hour and 30 minutes".
pub fn spelt(of: SignedDuration) -> String {
    let text = length(of);
    for (one, spelt) in [
        ("1 day", "a day"),
        ("1 hour", "an hour"),
        ("1 minute", "a minute"),
    ] {
        if let Some(rest) = text.strip_prefix(one) {
            return format!("{spelt}{rest}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::zones::ZoneName;

    #[test]
    fn near_and_far() {
        let at = |text: &str| text.parse::<Timestamp>().expect("an instant");
        let times = Times {
            zone: ZoneName::utc(),
            now: at("2026-11-24T13:20:00Z"),
        };
        for (instant, near, brief) in [
            ("2026-11-24T18:00:00Z", "18:00 today", "18:00"),
            ("2026-11-25T08:00:00Z", "tomorrow 08:00", "Wed 08:00"),
            ("2026-11-28T09:00:00Z", "Saturday 09:00", "Sat 09:00"),
            (
                "2026-11-30T09:00:00Z",
                "Mon 30 Nov 09:00",
                "Mon 30 Nov 09:00",
            ),
            (
                "2026-11-23T09:00:00Z",
                "Mon 23 Nov 09:00",
                "Mon 23 Nov 09:00",
            ),
        ] {
            assert_eq!(times.near(at(instant)), near);
            assert_eq!(times.brief(at(instant)), brief);
        }
        for (minutes, text) in [
            (0, "1 minute"),
            (60, "1 hour"),
            (75 * 60, "3 days and 3 hours"),
            (90, "1 hour and 30 minutes"),
        ] {
            assert_eq!(length(SignedDuration::from_mins(minutes)), text);
        }
        assert_eq!(spelt(SignedDuration::from_hours(24)), "a day");
    }
}
