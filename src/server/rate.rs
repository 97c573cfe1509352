//! Rate limits: requests per key or person, and failed credentials per address.

use crate::memory::network;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The limits set by the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Requests per minute of one key, or of one person by all their tokens and sessions; 0 turns off all limits of this module.
    pub requests_per_minute: u32,
    /// Requests of one of them that may arrive at once.
    pub burst: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            requests_per_minute: 600,
            burst: 100,
        }
    }
}

impl Limits {
    /// No limits.
    pub const OFF: Limits = Limits {
        requests_per_minute: 0,
        burst: 1,
    };
}

/// Failed credentials per minute of one address.
const FAILURES: u32 = 10;

/// The maximum number of buckets of a kind. Full buckets are dropped first, because they contain no information.
const KEPT: usize = 10_000;

/// The buckets of all credentials and addresses.
pub struct Rates {
    limits: Limits,
    credentials: Mutex<Buckets<String>>,
    failures: Mutex<Buckets<IpAddr>>,
}

impl Rates {
    /// Starts with full buckets.
    pub fn new(limits: Limits) -> Rates {
        let burst = limits.burst.max(1);
        Rates {
            limits,
            credentials: Mutex::new(Buckets::new(limits.requests_per_minute, burst)),
            failures: Mutex::new(Buckets::new(FAILURES, FAILURES)),
        }
    }

    /// Counts a request of a credential.
    ///
    /// # Errors
    /// The whole seconds to wait, if the limit is exceeded.
    pub fn ask(&self, credential: &str, now: Instant) -> Result<(), u64> {
        if self.limits.requests_per_minute == 0 {
            return Ok(());
        }
        let mut buckets = self
            .credentials
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        buckets.take(credential, now)
    }

    /// Counts a failed credential of an address. Valid credentials are not affected by other failures at the address: behind a
    /// proxy all clients share one.
    ///
    /// # Errors
    /// The whole seconds to wait, if the limit is exceeded.
    pub fn fail(&self, address: IpAddr, now: Instant) -> Result<(), u64> {
        if self.limits.requests_per_minute == 0 {
            return Ok(());
        }
        let mut buckets = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.take(&network(address), now)
    }
}

/// How often one address has an audit entry of a refused credential at most, in seconds.
const ENTRY_EVERY: SignedDuration = SignedDuration::from_secs(60);

/// The addresses of which a refused credential has had an audit entry within a minute.
#[derive(Default)]
pub struct Refusals(Mutex<HashMap<IpAddr, Timestamp>>);

impl Refusals {
    /// Whether this is the first refused credential of an address within a minute, by the clock that the entries show.
    /// Where more addresses than are kept have failed, it is not.
    pub fn is_first(&self, address: IpAddr, now: Timestamp) -> bool {
        let address = network(address);
        let recent = |at: &Timestamp| now.duration_since(*at) < ENTRY_EVERY;
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.get(&address).is_some_and(recent) {
            return false;
        }
        if noted.len() >= KEPT {
            noted.retain(|_, at| recent(at));
        }
        if noted.len() >= KEPT {
            return false;
        }
        noted.insert(address, now);
        true
    }
}

/// Token buckets of one size.
struct Buckets<K> {
    per_second: f64,
    size: f64,
    by_key: HashMap<K, Bucket>,
    /// Used by callers without a bucket while there are too many.
    shared: Bucket,
}

#[derive(Clone, Copy)]
struct Bucket {
    tokens: f64,
    /// When the tokens were counted; before the first request the bucket is full.
    at: Option<Instant>,
}

impl<K: Hash + Eq> Buckets<K> {
    fn new(per_minute: u32, size: u32) -> Buckets<K> {
        let size = f64::from(size);
        Buckets {
            per_second: f64::from(per_minute) / 60.0,
            size,
            by_key: HashMap::new(),
            shared: Bucket {
                tokens: size,
                at: None,
            },
        }
    }

    fn take<Q>(&mut self, key: &Q, now: Instant) -> Result<(), u64>
    where
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
        K: std::borrow::Borrow<Q>,
    {
        let (per_second, size) = (self.per_second, self.size);
        if !self.by_key.contains_key(key) {
            if self.by_key.len() >= KEPT {
                self.by_key
                    .retain(|_, bucket| bucket.filled(now, per_second, size).tokens < size);
            }
            if self.by_key.len() >= KEPT {
                return self.shared.take(now, per_second, size);
            }
            self.by_key.insert(
                key.to_owned(),
                Bucket {
                    tokens: size,
                    at: None,
                },
            );
        }
        let bucket = self.by_key.get_mut(key).unwrap_or(&mut self.shared);
        bucket.take(now, per_second, size)
    }
}

impl Bucket {
    fn filled(self, now: Instant, per_second: f64, size: f64) -> Bucket {
        let passed = self
            .at
            .map_or(0.0, |at| now.saturating_duration_since(at).as_secs_f64());
        Bucket {
            tokens: (self.tokens + passed * per_second).min(size),
            at: Some(now),
        }
    }

    fn take(&mut self, now: Instant, per_second: f64, size: f64) -> Result<(), u64> {
        *self = self.filled(now, per_second, size);
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            return Ok(());
        }
        let wait = ((1.0 - self.tokens) / per_second).ceil();
        Err((wait as u64).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_bucket_lets_a_burst_through_and_then_drips() {
        let start = crate::runtime::clock::monotonic();
        let at = |millis| start + Duration::from_millis(millis);
        let rates = Rates::new(Limits {
            requests_per_minute: 60,
            burst: 3,
        });
        for (millis, expected) in [
            (0, Ok(())),
            (0, Ok(())),
            (0, Ok(())),
            (0, Err(1)),
            (500, Err(1)),
            (1_001, Ok(())),
            (1_001, Err(1)),
            (60_000, Ok(())),
            (60_000, Ok(())),
            (60_000, Ok(())),
            (60_000, Err(1)),
        ] {
            assert_eq!(rates.ask("a", at(millis)), expected, "at {millis}");
        }
        assert_eq!(
            rates.ask("b", at(60_000)),
            Ok(()),
            "each credential has its own"
        );
        let slow = Rates::new(Limits {
            requests_per_minute: 1,
            burst: 1,
        });
        assert_eq!(slow.ask("a", start), Ok(()));
        assert_eq!(slow.ask("a", start), Err(60));
        assert_eq!(slow.ask("a", at(30_500)), Err(30));
    }

    #[test]
    fn failures_count_by_network() {
        let now = crate::runtime::clock::monotonic();
        let rates = Rates::new(Limits::default());
        let fail = |address: &str| rates.fail(address.parse().unwrap(), now);
        for n in 0..10 {
            assert_eq!(fail(&format!("2001:db8::{n}")), Ok(()));
        }
        assert_eq!(fail("2001:db8::ffff"), Err(6));
        assert_eq!(fail("2001:db8:0:1::"), Ok(()));
        for _ in 0..10 {
            assert_eq!(fail("192.0.2.1"), Ok(()));
        }
        assert_eq!(fail("::ffff:192.0.2.1"), Err(6));
    }

    #[test]
    fn an_address_has_one_entry_a_minute() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let address = |n: u32| IpAddr::from(std::net::Ipv4Addr::from_bits(n));
        let refusals = Refusals::default();
        for (n, second, expected) in [
            (1, 0, true),
            (1, 59, false),
            (2, 59, true),
            (1, 60, true),
            (1, 61, false),
        ] {
            let first = refusals.is_first(address(n), at(second));
            assert_eq!(first, expected, "{n} at {second}");
        }
        for n in 0..2 * KEPT as u32 {
            refusals.is_first(address(n), at(100));
        }
        assert_eq!(refusals.0.lock().unwrap().len(), KEPT);
        assert!(!refusals.is_first(address(u32::MAX), at(100)));
        assert!(refusals.is_first(address(u32::MAX), at(160)));
        assert_eq!(refusals.0.lock().unwrap().len(), 1);
    }

    #[test]
    fn memory_is_bounded_and_off_is_off() {
        let now = crate::runtime::clock::monotonic();
        let rates = Rates::new(Limits::default());
        for n in 0..KEPT as u32 + 10 {
            let address = std::net::Ipv4Addr::from_bits(n);
            assert_eq!(rates.fail(address.into(), now), Ok(()));
        }
        assert_eq!(rates.failures.lock().unwrap().by_key.len(), KEPT);
        assert_eq!(
            rates.fail("9.9.9.9".parse().unwrap(), now),
            Err(6),
            "the shared bucket"
        );
        let later = now + Duration::from_secs(60);
        assert_eq!(rates.fail("9.9.9.9".parse().unwrap(), later), Ok(()));
        assert_eq!(rates.failures.lock().unwrap().by_key.len(), 1);
        let off = Rates::new(Limits::OFF);
        assert!(
            (0..100_000)
                .all(|_| off.ask("a", now).is_ok() && off.fail([1, 2, 3, 4].into(), now).is_ok())
        );
    }
}
