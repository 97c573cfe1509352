//! Limits on the memory that callers make the process hold, and returning freed memory to the system.
//!
//! A [`Budget`] counts bytes in total, per client address and per credential. A request takes a [`Share`] before it
//! allocates much and keeps it until its response has been sent. A caller who never reads exhausts only its own part. A
//! request that does not fit waits in a queue for a bounded time and is then refused.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::runtime::clock::monotonic;

/// Releasing a share of this size, in bytes, makes a trim of the heap worthwhile.
const LARGE: usize = 2 * 1024 * 1024;

/// Whether much has been freed since the last call of [`take_freed`].
static FREED: AtomicBool = AtomicBool::new(false);

/// The limits of a budget, in bytes held at once.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub all: usize,
    /// Per client address; IPv6 addresses count by their /64.
    pub address: usize,
    pub credential: usize,
}

/// The caller that bytes are held for.
#[derive(Clone, Debug)]
pub struct Holder {
    address: IpAddr,
    /// `None` if the caller is unknown; then only the address counts.
    credential: Option<Arc<str>>,
}

impl Holder {
    /// A caller at an address, with their credential if it is known.
    pub fn new(address: IpAddr, credential: Option<&str>) -> Holder {
        Holder {
            address: network(address),
            credential: credential.map(Arc::from),
        }
    }
}

/// The network that an address counts as: whoever has one IPv6 address has its whole /64.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        v4 => v4,
    }
}

/// A number of bytes shared by many requests.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    held: usize,
    by_address: HashMap<IpAddr, usize>,
    by_credential: HashMap<Arc<str>, usize>,
    /// In order of arrival.
    waiting: VecDeque<Arc<Waiter>>,
}

#[derive(Debug)]
struct Waiter {
    holder: Holder,
    bytes: usize,
    granted: AtomicBool,
    wake: Condvar,
}

/// Why a request does not fit at the moment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Full {
    /// The caller holds too much; other callers may pass.
    Own,
    /// All callers together hold too much; requests are served in order.
    All,
}

impl Budget {
    /// Creates an empty budget.
    pub fn new(limits: Limits) -> Arc<Budget> {
        Arc::new(Budget {
            limits,
            state: Mutex::default(),
        })
    }

    /// Takes `bytes`, waiting at most `patience`. `None` if they have not become free. A request for more than a caller's limit
    /// counts as that limit, so it gets through alone.
    pub fn take(
        self: &Arc<Self>,
        holder: &Holder,
        bytes: usize,
        patience: Duration,
    ) -> Option<Share> {
        let mut share = self.claim(holder, 0);
        share.grow(bytes, patience).then_some(share)
    }

    /// Takes `bytes` even if they are not free, for memory that is already held.
    pub fn claim(self: &Arc<Self>, holder: &Holder, bytes: usize) -> Share {
        let share = Share {
            budget: Arc::clone(self),
            holder: holder.clone(),
            bytes,
        };
        self.lock().add(holder, bytes);
        share
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds `bytes` to a holder's account once they fit; `false` after a time-out.
    fn wait(&self, holder: &Holder, bytes: usize, patience: Duration) -> bool {
        let mut state = self.lock();
        // Requests that wait are served first.
        if state.waiting.is_empty() && state.full(&self.limits, holder, bytes).is_none() {
            state.add(holder, bytes);
            return true;
        }
        let waiter = Arc::new(Waiter {
            holder: holder.clone(),
            bytes,
            granted: AtomicBool::new(false),
            wake: Condvar::new(),
        });
        state.waiting.push_back(Arc::clone(&waiter));
        state.grant(&self.limits);
        let deadline = monotonic() + patience;
        loop {
            if waiter.granted.load(Ordering::Relaxed) {
                return true;
            }
            let left = deadline.saturating_duration_since(monotonic());
            if left.is_zero() {
                break;
            }
            state = match waiter.wake.wait_timeout(state, left) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        state.waiting.retain(|other| !Arc::ptr_eq(other, &waiter));
        // It may have blocked others.
        state.grant(&self.limits);
        false
    }

    fn give(&self, holder: &Holder, bytes: usize) {
        let mut state = self.lock();
        state.held = state.held.saturating_sub(bytes);
        reduce(&mut state.by_address, &holder.address, bytes);
        if let Some(credential) = &holder.credential {
            reduce(&mut state.by_credential, credential, bytes);
        }
        state.grant(&self.limits);
    }
}

fn reduce<K: Hash + Eq>(accounts: &mut HashMap<K, usize>, key: &K, bytes: usize) {
    if let Some(held) = accounts.get_mut(key) {
        *held = held.saturating_sub(bytes);
        if *held == 0 {
            accounts.remove(key);
        }
    }
}

impl State {
    fn full(&self, limits: &Limits, holder: &Holder, bytes: usize) -> Option<Full> {
        let fits = |held: usize, limit: usize| held == 0 || held.saturating_add(bytes) <= limit;
        let of_address = self.by_address.get(&holder.address).copied();
        let of_credential = holder.credential.as_ref();
        let of_credential = of_credential.and_then(|name| self.by_credential.get(name).copied());
        if !fits(of_address.unwrap_or_default(), limits.address)
            || !fits(of_credential.unwrap_or_default(), limits.credential)
        {
            return Some(Full::Own);
        }
        (!fits(self.held, limits.all)).then_some(Full::All)
    }

    fn add(&mut self, holder: &Holder, bytes: usize) {
        if bytes == 0 {
            return;
        }
        self.held += bytes;
        *self.by_address.entry(holder.address).or_default() += bytes;
        if let Some(credential) = &holder.credential {
            let account = self.by_credential.entry(Arc::clone(credential));
            *account.or_default() += bytes;
        }
    }

    /// Grants the waiting requests that now fit, in order.
    fn grant(&mut self, limits: &Limits) {
        let mut at = 0;
        while let Some(waiter) = self.waiting.get(at) {
            match self.full(limits, &waiter.holder, waiter.bytes) {
                Some(Full::Own) => at += 1,
                Some(Full::All) => return,
                None => {
                    let Some(waiter) = self.waiting.remove(at) else {
                        return;
                    };
                    self.add(&waiter.holder, waiter.bytes);
                    waiter.granted.store(true, Ordering::Relaxed);
                    waiter.wake.notify_one();
                }
            }
        }
    }
}

/// Bytes taken from a budget. Released on drop.
#[derive(Debug)]
pub struct Share {
    budget: Arc<Budget>,
    holder: Holder,
    bytes: usize,
}

impl Share {
    /// Takes `bytes` more, waiting at most `patience`. `false` if they have not become free.
    pub fn grow(&mut self, bytes: usize, patience: Duration) -> bool {
        let limits = &self.budget.limits;
        let bytes = bytes.min(limits.credential).min(limits.address);
        let granted = self.budget.wait(&self.holder, bytes, patience);
        if granted {
            self.bytes += bytes;
        }
        granted
    }

    /// Sets the share to the number of bytes that are really held.
    pub fn set(&mut self, bytes: usize) {
        if bytes < self.bytes {
            self.budget.give(&self.holder, self.bytes - bytes);
            note_freed(self.bytes - bytes);
        } else {
            let more = bytes - self.bytes;
            self.budget.lock().add(&self.holder, more);
        }
        self.bytes = bytes;
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.budget.give(&self.holder, self.bytes);
            note_freed(self.bytes);
        }
    }
}

fn note_freed(bytes: usize) {
    if bytes >= LARGE && !FREED.load(Ordering::Relaxed) {
        note_much_freed();
    }
}

/// Notes that work which is not counted in shares has freed megabytes, so that a trim of the heap is worthwhile.
pub fn note_much_freed() {
    FREED.store(true, Ordering::Relaxed);
}

/// Whether much has been freed since the last call. If so, [`trim`] is worthwhile.
pub fn take_freed() -> bool {
    FREED.swap(false, Ordering::Relaxed)
}

/// Returns freed memory to the system. Otherwise glibc keeps it in the arenas of threads: gigabytes after a burst. Takes
/// milliseconds, so a background loop calls it every few seconds at most.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code)]
pub fn trim() {
    // SAFETY: `malloc_trim` takes a number, locks what it touches and may be called from any thread at any time. It does not
    // change allocated memory.
    unsafe { libc::malloc_trim(0) };
}

/// Does nothing: other allocators return freed memory themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn trim() {}

/// Takes the program's code out of the process's resident memory: the parts that only the start needed stay out, the others come
/// back from the page cache when they run next. The kernel maps 64 KiB around each place that runs, so that after the start most
/// of the program would be resident.
#[cfg(target_os = "linux")]
#[expect(unsafe_code)]
pub fn release_program() {
    let program = std::env::current_exe().unwrap_or_default();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let code = |line: &str| {
        let (range, rest) = line.split_once(' ')?;
        let path = rest.get(rest.find('/')?..)?;
        let is_code = rest.starts_with("r-xp") && std::path::Path::new(path) == program;
        let (from, until) = range.split_once('-').filter(|_| is_code)?;
        let address = |text| usize::from_str_radix(text, 16).ok();
        Some(address(from)?..address(until)?)
    };
    for range in maps.lines().filter_map(code) {
        // SAFETY: the range is a mapping of the program's own file that is never written, so what is dropped is read from the
        // file again with the same bytes.
        unsafe { libc::madvise(range.start as *mut _, range.len(), libc::MADV_DONTNEED) };
    }
}

/// Does nothing: resident memory is counted in another way.
#[cfg(not(target_os = "linux"))]
pub fn release_program() {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    const LIMITS: Limits = Limits {
        all: 100,
        address: 60,
        credential: 40,
    };
    const NOW: Duration = Duration::ZERO;
    /// Never elapses in a test that passes.
    const PATIENCE: Duration = Duration::from_secs(60);

    fn holder(address: &str, credential: &str) -> Holder {
        let credential = Some(credential).filter(|name| !name.is_empty());
        Holder::new(address.parse().unwrap(), credential)
    }

    fn held(budget: &Budget) -> (usize, usize, usize) {
        let state = budget.lock();
        (
            state.held,
            state.by_address.len(),
            state.by_credential.len(),
        )
    }

    #[test]
    fn each_limit_holds() {
        // The caller, the bytes, and whether they fit beside the previous ones.
        let cases: [(&str, &str, usize, bool); 10] = [
            ("192.0.2.1", "a", 30, true),
            ("192.0.2.1", "a", 11, false),
            ("192.0.2.9", "a", 11, false),
            ("192.0.2.1", "a", 10, true),
            ("192.0.2.1", "b", 20, true),
            ("192.0.2.1", "c", 1, false),
            ("192.0.2.1", "", 1, false),
            ("::ffff:192.0.2.1", "", 1, false),
            ("2001:db8::1", "c", 40, true),
            ("2001:db8:1::1", "", 1, false),
        ];
        let budget = Budget::new(LIMITS);
        let mut shares = Vec::new();
        for (address, credential, bytes, fits) in cases {
            let share = budget.take(&holder(address, credential), bytes, NOW);
            assert_eq!(share.is_some(), fits, "{address} {credential} {bytes}");
            shares.extend(share);
        }
        assert_eq!(held(&budget), (100, 2, 3));
        drop(shares);
        assert_eq!(held(&budget), (0, 0, 0));
    }

    #[test]
    fn networks() {
        for (address, expected) in [
            ("192.0.2.1", "192.0.2.1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ] {
            let address: IpAddr = address.parse().unwrap();
            assert_eq!(network(address).to_string(), expected);
        }
    }

    #[test]
    fn more_than_anybody_may_have_goes_through_alone() {
        let budget = Budget::new(LIMITS);
        let one = holder("192.0.2.1", "a");
        let whole = budget.take(&one, 1_000, NOW).expect("nothing is held");
        assert_eq!(held(&budget).0, 40);
        assert!(budget.take(&one, 1, NOW).is_none());
        drop(whole);
        // Memory that is already held is counted, and its release makes room.
        let mut claimed = budget.claim(&one, 1_000);
        let other = holder("192.0.2.2", "b");
        assert!(budget.take(&other, 1, NOW).is_none());
        claimed.set(10);
        let other = budget.take(&other, 1, NOW);
        assert!(other.is_some() && claimed.grow(30, NOW) && !claimed.grow(1, NOW));
        claimed.set(50);
        assert_eq!(held(&budget), (51, 2, 2));
    }

    fn until_waiting(budget: &Budget, count: usize) {
        let began = monotonic();
        while budget.lock().waiting.len() < count {
            assert!(began.elapsed() < PATIENCE);
            thread::yield_now();
        }
    }

    #[test]
    fn whoever_waits_is_served_in_order_and_overtaken_only_at_its_own_limit() {
        let budget = Budget::new(LIMITS);
        let (a, b) = (holder("192.0.2.1", "a"), holder("192.0.2.2", "b"));
        let c = holder("192.0.2.3", "c");
        let first = budget.take(&a, 40, NOW).unwrap();
        thread::scope(|scope| {
            let more = scope.spawn(|| budget.take(&a, 20, PATIENCE).is_some());
            until_waiting(&budget, 1);
            // It waits for its own limit, so others pass.
            let other = budget.take(&b, 40, NOW).expect("there is room");
            let large = scope.spawn(|| budget.take(&c, 30, PATIENCE).is_some());
            until_waiting(&budget, 2);
            // It would fit, but an earlier request waits for more.
            assert!(budget.take(&holder("192.0.2.4", "d"), 10, NOW).is_none());
            drop(other);
            assert!(large.join().unwrap());
            drop(first);
            assert!(more.join().unwrap());
        });
        assert_eq!(held(&budget), (0, 0, 0));
    }

    #[test]
    fn many_threads_never_hold_more_than_the_limits() {
        let budget = Budget::new(LIMITS);
        thread::scope(|scope| {
            for number in 0..8 {
                let budget = &budget;
                scope.spawn(move || {
                    let name = ["a", "b", "c"][number % 3];
                    let holder = holder(&format!("192.0.2.{}", number % 2), name);
                    for round in 0..200 {
                        let bytes = (number * 7 + round) % 40 + 1;
                        let mut share = budget.take(&holder, bytes, PATIENCE).expect("in time");
                        assert!(held(budget).0 <= LIMITS.all);
                        share.set(bytes / 2);
                    }
                });
            }
        });
        assert_eq!(held(&budget), (0, 0, 0));
    }

    #[test]
    fn something_large_is_noted_when_it_is_freed() {
        let budget = Budget::new(Limits {
            all: LARGE * 2,
            address: LARGE * 2,
            credential: LARGE * 2,
        });
        // Other tests may release large shares at the same time, so a false result cannot be tested.
        drop(budget.take(&holder("192.0.2.1", "a"), LARGE, NOW));
        assert!(take_freed());
        trim();
    }
}
