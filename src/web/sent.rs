//! Forms that were sent: a form that is sent twice is carried out once, and the second request is sent to where the first was.
//! Kept in memory for a day. A write to a rotation does not need it: its `operationId` is kept in the database.

use crate::server::Outcome;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How long a form is remembered.
const KEPT: SignedDuration = SignedDuration::from_hours(24);

/// Forms that are remembered at the most.
const MOST: usize = 10_000;

/// Where the answer to a form led; `None` while it has not been carried out. Locked while it is.
type Slot = Arc<Mutex<Option<String>>>;

/// The forms of the last day.
#[derive(Default)]
pub struct Sent(Mutex<HashMap<[u8; 32], (Slot, Timestamp)>>);

impl Sent {
    /// Carries a form out, unless it has been. `key` names the form, its reader and what they typed. An answer that redirects is
    /// remembered; after any other the form may be sent again. While a form is carried out, the same form waits.
    ///
    /// # Errors
    /// Those of `act`.
    pub fn once(
        &self,
        key: [u8; 32],
        now: Timestamp,
        act: impl FnOnce() -> Outcome,
        again: impl FnOnce(String) -> Outcome,
    ) -> Outcome {
        let slot = self.slot(key, now);
        let mut led = locked(&slot);
        if let Some(path) = &*led {
            return again(path.clone());
        }
        let response = act()?;
        if response.status == 303 {
            let mut headers = response.headers.iter();
            let location = headers.find(|(name, _)| name == "Location");
            *led = location.map(|(_, path)| path.to_string());
        }
        Ok(response)
    }

    fn slot(&self, key: [u8; 32], now: Timestamp) -> Slot {
        let mut all = locked(&self.0);
        if all.len() >= MOST {
            all.retain(|_, (_, at)| now.duration_since(*at) < KEPT);
        }
        if all.len() >= MOST {
            // Room for the newest: the oldest half is forgotten.
            let mut times: Vec<Timestamp> = all.values().map(|(_, at)| *at).collect();
            times.sort_unstable();
            let middle = times[times.len() / 2];
            all.retain(|_, (_, at)| *at > middle);
        }
        let (slot, _) = all.entry(key).or_insert_with(|| (Slot::default(), now));
        Arc::clone(slot)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::{Problem, Response};
    use crate::web::answer;
    use std::cell::Cell;

    #[test]
    fn what_redirects_is_done_once() {
        let (sent, now) = (Sent::default(), Timestamp::UNIX_EPOCH);
        let count = Cell::new(0);
        let send = |key: u8, status: u16| {
            let act = || {
                count.set(count.get() + 1);
                match status {
                    303 => Ok(answer::see(format!("/done/{}", count.get()))),
                    200 => Ok(Response::empty(200)),
                    _ => Err(Problem::unknown_route()),
                }
            };
            let outcome = sent.once([key; 32], now, act, |path| Ok(answer::see(path)));
            outcome.map(|response| {
                let mut headers = response.headers.into_iter();
                let location = headers.find(|(name, _)| name == "Location");
                location.map(|(_, path)| path.into_owned())
            })
        };
        for (key, status, expected, times) in [
            (1, 200, Some(None), 1),
            (1, 404, None, 2),
            (1, 303, Some(Some("/done/3")), 3),
            (1, 303, Some(Some("/done/3")), 3),
            (2, 303, Some(Some("/done/4")), 4),
        ] {
            let led = send(key, status).ok();
            let led = led.as_ref().map(|path| path.as_deref());
            assert_eq!((led, count.get()), (expected, times), "{key} {status}");
        }
    }

    #[test]
    fn few_are_kept() {
        let sent = Sent::default();
        let at = |second: i64| Timestamp::from_second(second).expect("in range");
        for number in 0..MOST + 10 {
            let mut key = [0; 32];
            key[..8].copy_from_slice(&number.to_be_bytes());
            let act = || Ok(answer::see("/"));
            let outcome = sent.once(key, at(number as i64), act, |path| Ok(answer::see(path)));
            assert!(outcome.is_ok());
        }
        assert!(locked(&sent.0).len() < MOST);
    }
}
