//! How often calendar feeds are read. Calendar programs read every hour or so; one that reads in a loop is told to wait.

use crate::domain::ids::CalendarFeedId;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Readings of one feed within [`WITHIN`].
const MOST: u32 = 60;

const WITHIN: SignedDuration = SignedDuration::from_hours(1);

/// Feeds that are counted at the most; hours that are over are dropped first.
const KEPT: usize = 10_000;

/// The readings of each feed since the first one of its hour.
#[derive(Default)]
pub struct FeedReadings(Mutex<HashMap<CalendarFeedId, (Timestamp, u32)>>);

impl FeedReadings {
    /// Counts a reading.
    ///
    /// # Errors
    /// The whole seconds to wait, if there were too many.
    pub fn count(&self, feed: &CalendarFeedId, now: Timestamp) -> Result<(), u64> {
        let is_over = |began: Timestamp| now.duration_since(began) >= WITHIN;
        let mut hours = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if hours.len() >= KEPT && !hours.contains_key(feed) {
            hours.retain(|_, (began, _)| !is_over(*began));
        }
        if hours.len() >= KEPT && !hours.contains_key(feed) {
            return Ok(());
        }
        let (began, count) = hours.entry(feed.clone()).or_insert((now, 0));
        if is_over(*began) {
            (*began, *count) = (now, 0);
        }
        if *count >= MOST {
            let left = WITHIN - now.duration_since(*began);
            return Err(left.as_secs().unsigned_abs().max(1));
        }
        *count += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixty_readings_an_hour() {
        let readings = FeedReadings::default();
        let count = |feed: &str, second| {
            let at = Timestamp::from_second(second).unwrap();
            readings.count(&feed.into(), at)
        };
        for minute in 0..60 {
            assert_eq!(count("cal_1", minute * 59), Ok(()), "{minute}");
        }
        assert_eq!(count("cal_1", 3540), Err(60));
        assert_eq!(count("cal_2", 3540), Ok(()));
        assert_eq!(count("cal_1", 3599), Err(1));
        assert_eq!(count("cal_1", 3600), Ok(()));
    }
}
