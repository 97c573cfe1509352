//! Rate limits: requests per credential, and failed credentials per address.

use crate::memory::network;
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// What the operator allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Requests a minute of one credential; 0 turns all limits of this module off.
    pub requests_per_minute: u32,
    /// Requests of one credential that may come at once.
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
    /// No limit at all.
    pub const OFF: Limits = Limits {
        requests_per_minute: 0,
        burst: 1,
    };
}

/// Failed credentials a minute that one address may present.
const FAILURES: u32 = 10;

/// Buckets kept of a kind. A full bucket says nothing, so those are let go of first.
const KEPT: usize = 10_000;

/// The buckets of all credentials and addresses.
pub struct Rates {
    limits: Limits,
    credentials: Mutex<Buckets<String>>,
    failures: Mutex<Buckets<IpAddr>>,
}

impl Rates {
    /// Begins with every bucket full.
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
    /// The whole seconds to wait, when it has asked for too much.
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

    /// Counts a failed credential of an address. Good ones pass whatever others at the address present: behind a proxy
    /// everybody shares one.
    ///
    /// # Errors
    /// The whole seconds to wait, when there have been too many.
    pub fn fail(&self, address: IpAddr, now: Instant) -> Result<(), u64> {
        if self.limits.requests_per_minute == 0 {
            return Ok(());
        }
        let mut buckets = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.take(&network(address), now)
    }
}

/// Token buckets of one size.
struct Buckets<K> {
    per_second: f64,
    size: f64,
    by_key: HashMap<K, Bucket>,
    /// Taken from by whoever has no bucket of their own while there are too many.
    shared: Bucket,
}

#[derive(Clone, Copy)]
struct Bucket {
    tokens: f64,
    /// When the tokens were counted; before the first request they are all there.
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
