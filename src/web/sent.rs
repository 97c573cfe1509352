//! Forms that were sent: a form that is sent twice is carried out once, and the second request is sent to where the first was.
//! Kept in memory for a day. A write to a rotation does not need it: its `operationId` is kept in the database.
//!
//! The last form of each person is remembered without its `operationId` as well, for a second.

use crate::server::{Outcome, Response};
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a form is remembered.
const KEPT: SignedDuration = SignedDuration::from_hours(24);

/// Forms that are remembered at the most.
const MOST: usize = 10_000;

/// Where the answer to a form led; `None` while it has not been carried out. Locked while it is.
type Slot = Arc<Mutex<Option<String>>>;

/// The forms of the last day.
#[derive(Default)]
pub struct FormHistory(Mutex<HashMap<[u8; 32], (Slot, Timestamp)>>);

impl FormHistory {
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
        *led = leads_to(&response);
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

/// Where an answer sends the browser, if it does.
fn leads_to(response: &Response) -> Option<String> {
    let mut headers = response.headers.iter().filter(|_| response.status == 303);
    let location = headers.find(|(name, _)| name == "Location");
    location.map(|(_, path)| path.to_string())
}

/// The same form within this time is the same press of a button.
const SAME_PRESS: Duration = Duration::from_secs(1);

/// Where the answer to a form led, and when it was carried out or sent again.
type LastSlot = Arc<Mutex<Option<(String, Instant)>>>;

/// A form as a person sent it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Press {
    /// Names the address of the form and what it says, without its `operationId`.
    pub form: [u8; 32],
    /// Empty where the form has none.
    pub operation: String,
}

/// The last form of each person.
#[derive(Default)]
pub struct Repeats(Mutex<HashMap<String, (Press, LastSlot)>>);

impl Repeats {
    /// Carries a form out, unless it is the last one that the person sent, and they sent it less than a second ago or while it was
    /// carried out. An answer that redirects counts; after any other the form may be sent again. Under the same `operationId` it
    /// goes on: what carries it out knows the id, and says again what it said. `clock` is real time.
    ///
    /// # Errors
    /// Those of `act`.
    pub fn once(
        &self,
        person: &str,
        press: Press,
        clock: impl Fn() -> Instant,
        act: impl FnOnce() -> Outcome,
        again: impl FnOnce(String) -> Outcome,
    ) -> Outcome {
        let sent = clock();
        let Some(slot) = self.slot(person, press) else {
            return act();
        };
        let mut last = locked(&slot);
        if let Some((path, at)) = &mut *last
            && sent.saturating_duration_since(*at) < SAME_PRESS
        {
            *at = sent.max(*at);
            return again(path.clone());
        }
        *last = None;
        let response = act()?;
        *last = leads_to(&response).map(|path| (path, clock()));
        Ok(response)
    }

    /// `None` for the last form under its own `operationId`. Another form takes the place of the one before, and does not wait
    /// for it.
    fn slot(&self, person: &str, press: Press) -> Option<LastSlot> {
        let mut all = locked(&self.0);
        if all.len() >= MOST && !all.contains_key(person) {
            all.clear();
        }
        let (last, slot) = all.entry(person.to_owned()).or_default();
        if *last == press && !press.operation.is_empty() {
            return None;
        }
        if last.form != press.form {
            (*last, *slot) = (press, LastSlot::default());
        }
        Some(Arc::clone(slot))
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
        let (sent, now) = (FormHistory::default(), Timestamp::UNIX_EPOCH);
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
    fn a_button_pressed_again_is_one_press() {
        let (repeats, start) = (Repeats::default(), crate::runtime::clock::monotonic());
        let count = Cell::new(0);
        // Whose, which form, when in milliseconds, and how long it takes.
        let id = Cell::new(0);
        let send = |person: &str, form: u8, at: u64, takes: u64, status: u16| {
            id.set(id.get() + 1);
            let press = Press {
                form: [form; 32],
                operation: id.get().to_string(),
            };
            let time = Cell::new(start + Duration::from_millis(at));
            let act = || {
                count.set(count.get() + 1);
                time.set(time.get() + Duration::from_millis(takes));
                Ok(match status {
                    303 => answer::see(format!("/done/{}", count.get())),
                    _ => Response::empty(status),
                })
            };
            let clock = || time.get();
            let outcome = repeats.once(person, press, clock, act, |path| Ok(answer::see(path)));
            leads_to(&outcome.expect("an answer"))
        };
        for (person, form, at, takes, status, expected, times) in [
            ("U1", 1, 0, 5_000, 303, Some("/done/1"), 1),
            // Sent while it was carried out, and within a second of that, again and again.
            ("U1", 1, 100, 0, 303, Some("/done/1"), 1),
            ("U1", 1, 5_900, 0, 303, Some("/done/1"), 1),
            ("U1", 1, 6_800, 0, 303, Some("/done/1"), 1),
            ("U1", 1, 7_800, 0, 303, Some("/done/2"), 2),
            // Somebody else, and another form in between.
            ("U2", 1, 7_800, 0, 303, Some("/done/3"), 3),
            ("U1", 2, 7_900, 0, 303, Some("/done/4"), 4),
            ("U1", 1, 8_000, 0, 303, Some("/done/5"), 5),
            // What does not redirect may be sent again at once.
            ("U1", 3, 8_100, 0, 400, None, 6),
            ("U1", 3, 8_100, 0, 400, None, 7),
            ("U1", 3, 8_100, 0, 303, Some("/done/8"), 8),
        ] {
            let led = send(person, form, at, takes, status);
            let found = (led.as_deref(), count.get());
            assert_eq!(found, (expected, times), "{person} {form} at {at}");
        }
        // Under its own id the last form goes on, without one it does not.
        for (operation, expected) in [("a", true), ("a", false), ("b", true), ("", true)] {
            let press = Press {
                form: [9; 32],
                operation: operation.into(),
            };
            assert_eq!(repeats.slot("U3", press).is_some(), expected, "{operation}");
        }
        for number in 0..2 * MOST {
            repeats.slot(&number.to_string(), Press::default());
        }
        assert!(locked(&repeats.0).len() <= MOST);
    }

    #[test]
    fn few_are_kept() {
        let sent = FormHistory::default();
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
