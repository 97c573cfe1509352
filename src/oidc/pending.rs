//! Sign-ins that have started and wait for their callback. They are kept in memory: a restart ends them.

use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// How long a sign-in may take.
const KEPT: SignedDuration = SignedDuration::from_mins(10);

/// Sign-ins kept at the most; the oldest make room.
const MOST: usize = 1_000;

/// Sign-ins kept of one address, so that one address cannot push out everybody else's.
const MOST_OF_ADDRESS: usize = 200;

/// A sign-in that waits for its callback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// SHA-256 of the secret in the browser's cookie.
    pub browser: [u8; 32],
    pub nonce: String,
    /// `None` where the provider takes no code challenge.
    pub verifier: Option<String>,
    /// Where the person goes afterwards.
    pub next: String,
    pub address: IpAddr,
    pub started_at: Timestamp,
}

impl Pending {
    fn is_fresh(&self, now: Timestamp) -> bool {
        now.duration_since(self.started_at) < KEPT
    }
}

/// All of them, by state.
#[derive(Default)]
pub struct AllPending(Mutex<HashMap<String, Pending>>);

impl AllPending {
    /// Keeps a sign-in under its state.
    pub fn put(&self, state: String, pending: Pending) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = pending.started_at;
        all.retain(|_, other| other.is_fresh(now));
        let of_address = all.values();
        let of_address = of_address.filter(|other| other.address == pending.address);
        if of_address.count() >= MOST_OF_ADDRESS {
            remove_oldest(&mut all, |other| other.address == pending.address);
        }
        if all.len() >= MOST {
            remove_oldest(&mut all, |_| true);
        }
        all.insert(state, pending);
    }

    /// Takes the sign-in of a state: each is answered once.
    pub fn take(&self, state: &str, now: Timestamp) -> Option<Pending> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(state).filter(|pending| pending.is_fresh(now))
    }
}

fn remove_oldest(all: &mut HashMap<String, Pending>, is_meant: impl Fn(&Pending) -> bool) {
    let meant = all.iter().filter(|(_, pending)| is_meant(pending));
    let oldest = meant.min_by_key(|(_, pending)| pending.started_at);
    if let Some(state) = oldest.map(|(state, _)| state.clone()) {
        all.remove(&state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending(address: u8, second: i64) -> Pending {
        Pending {
            browser: [0; 32],
            nonce: String::new(),
            verifier: None,
            next: "/".into(),
            address: IpAddr::from([192, 0, 2, address]),
            started_at: Timestamp::from_second(second).expect("in range"),
        }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("in range")
    }

    #[test]
    fn a_state_is_used_once_and_within_ten_minutes() {
        let all = AllPending::default();
        all.put("a".into(), pending(1, 0));
        assert_eq!(all.take("b", at(1)), None);
        assert!(all.take("a", at(599)).is_some());
        assert_eq!(all.take("a", at(599)), None);
        all.put("a".into(), pending(1, 0));
        assert_eq!(all.take("a", at(600)), None);
    }

    #[test]
    fn the_oldest_make_room() {
        let all = AllPending::default();
        all.put("other".into(), pending(0, 0));
        for n in 0..=MOST_OF_ADDRESS {
            all.put(format!("one {n}"), pending(1, n as i64 / 10));
        }
        assert!(all.take("other", at(30)).is_some());
        assert_eq!(all.0.lock().expect("unused").len(), MOST_OF_ADDRESS);
        for n in 0..MOST {
            all.put(format!("many {n}"), pending((n % 250) as u8, 60));
        }
        assert_eq!(all.0.lock().expect("unused").len(), MOST);
        assert_eq!(all.take("one 200", at(60)), None);
        assert!(all.take("many 999", at(60)).is_some());
    }
}
