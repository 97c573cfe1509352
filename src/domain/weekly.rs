//! Once a week: a day and a time.

use super::fault::Fault;
use super::ids::ChannelId;
use super::limits::check_list;
use super::refusal::{Refusal, invalid};
use super::time::HhMm;
use super::zones::ZoneName;
use jiff::civil::{DateTime, Weekday};
use jiff::{SignedDuration, Timestamp, ToSpan};

/// The most channels that one summary goes to.
const CHANNELS: usize = 50;

/// How long a summary is worth sending after its time.
const WORTH: SignedDuration = SignedDuration::from_hours(24);

/// A day of the week and a local time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weekly {
    pub day: Weekday,
    pub time: HhMm,
}

impl Weekly {
    /// The next time in a zone, after an instant. In a gap of the clock it is as much later as the gap is long.
    pub fn next(self, zone: ZoneName, after: Timestamp) -> Option<Timestamp> {
        // The one before may be later than the instant where the clock was set back.
        let first = self.near(zone, after).checked_sub(1.week()).ok()?;
        let mut times = first.series(1.week());
        let times = times.by_ref().take(4);
        let mut instants = times.filter_map(|time| self.instant(zone, time));
        instants.find(|at| *at > after)
    }

    /// The last time in a zone that is not after `now`, if it is after another instant and is still worth a summary.
    pub fn due(self, zone: ZoneName, done_until: Timestamp, now: Timestamp) -> bool {
        let since = now.checked_sub(WORTH).unwrap_or(now);
        // Whatever is due at the instant itself counts.
        let since = since
            .checked_sub(SignedDuration::from_millis(1))
            .unwrap_or(since);
        let next = self.next(zone, done_until.max(since));
        next.is_some_and(|at| at <= now)
    }

    /// The time in the week of an instant.
    fn near(self, zone: ZoneName, at: Timestamp) -> DateTime {
        let today = zone.tz().to_datetime(at).date();
        let ahead = self.day.since(today.weekday());
        let day = today.checked_add(i64::from(ahead).days()).unwrap_or(today);
        day.to_datetime(self.time.civil())
    }

    fn instant(self, zone: ZoneName, time: DateTime) -> Option<Timestamp> {
        let instant = zone.tz().to_ambiguous_timestamp(time).compatible();
        instant.ok()
    }
}

/// The summary of the coming week that channels of a rotation get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelSummary {
    pub weekly: Weekly,
    pub zone: ZoneName,
    /// Channels of the rotation, at least one.
    pub channels: Vec<ChannelId>,
}

impl ChannelSummary {
    /// The summary, if it keeps the limits.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] naming the member.
    pub fn checked(self) -> Result<ChannelSummary, Refusal> {
        if self.channels.is_empty() {
            return invalid(
                "summary.channelIds",
                Fault::OutOfRange {
                    least: 1,
                    most: CHANNELS as i64,
                    sent: 0,
                },
            );
        }
        check_list("summary.channelIds", &self.channels, CHANNELS)?;
        Ok(self)
    }

    /// Refuses channels that are not among those of the rotation.
    pub fn check_among<'a>(
        &self,
        channels: impl Iterator<Item = &'a ChannelId> + Clone,
    ) -> Result<(), Refusal> {
        for (index, channel) in self.channels.iter().enumerate() {
            if !channels.clone().any(|known| known == channel) {
                return invalid(
                    format!("summary.channelIds[{index}]"),
                    format!(
                        "{channel} is not a channel of the rotation; send one of its `channelSettings`"
                    ),
                );
            }
        }
        Ok(())
    }

    /// The summary without a channel; `None` if no channel is left.
    pub fn without(mut self, channel: &ChannelId) -> Option<ChannelSummary> {
        self.channels.retain(|kept| kept != channel);
        (!self.channels.is_empty()).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect(text)
    }

    #[test]
    fn the_next_time_keeps_its_local_time() {
        let monday = Weekly {
            day: Weekday::Monday,
            time: HhMm::parse("08:00").expect("a time"),
        };
        let sunday = Weekly {
            day: Weekday::Sunday,
            time: HhMm::parse("02:30").expect("a time"),
        };
        for (weekly, zone, after, next) in [
            (
                monday,
                "UTC",
                "2026-01-05T07:59:59Z",
                "2026-01-05T08:00:00Z",
            ),
            (
                monday,
                "UTC",
                "2026-01-05T08:00:00Z",
                "2026-01-12T08:00:00Z",
            ),
            (
                monday,
                "Europe/Oslo",
                "2026-03-28T12:00:00Z",
                "2026-03-30T06:00:00Z",
            ),
            (
                monday,
                "Pacific/Auckland",
                "2026-01-04T18:30:00Z",
                "2026-01-04T19:00:00Z",
            ),
            // The clock goes from 02:00 to 03:00, and in October from 03:00 back to 02:00.
            (
                sunday,
                "Europe/Oslo",
                "2026-03-28T12:00:00Z",
                "2026-03-29T01:30:00Z",
            ),
            (
                sunday,
                "Europe/Oslo",
                "2026-10-25T00:00:00Z",
                "2026-10-25T00:30:00Z",
            ),
            (
                sunday,
                "Europe/Oslo",
                "2026-10-25T00:30:00Z",
                "2026-11-01T01:30:00Z",
            ),
        ] {
            let zone = ZoneName::parse(zone).expect("a zone");
            assert_eq!(weekly.next(zone, at(after)), Some(at(next)), "{after}");
        }
    }

    /// rules.md 19.12.
    #[test]
    fn a_summary_is_due_for_a_day() {
        let monday = Weekly {
            day: Weekday::Monday,
            time: HhMm::parse("08:00").expect("a time"),
        };
        for (done_until, now, due) in [
            ("2026-01-05T07:00:00Z", "2026-01-05T07:59:59Z", false),
            ("2026-01-05T07:00:00Z", "2026-01-05T08:00:00Z", true),
            ("2026-01-05T08:00:00Z", "2026-01-05T09:00:00Z", false),
            ("2026-01-01T00:00:00Z", "2026-01-06T08:00:00Z", true),
            ("2026-01-01T00:00:00Z", "2026-01-06T08:00:01Z", false),
            ("2025-12-01T00:00:00Z", "2026-01-12T09:00:00Z", true),
        ] {
            let is_due = monday.due(ZoneName::utc(), at(done_until), at(now));
            assert_eq!(is_due, due, "{done_until} {now}");
        }
    }
}
