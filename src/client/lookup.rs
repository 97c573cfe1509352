//! Resolves names. The system's resolver has no deadline and cannot be interrupted, so it runs on threads that are abandoned
//! after a time-out. The number of these threads is limited.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::{Addresses, DialError};

/// Concurrent lookups, including abandoned ones. A further one fails at once, so that a name server that hangs does not
/// cost a thread per attempt.
const MAX_LOOKUPS: usize = 32;

/// Finds the addresses of a host, with the port.
pub type LookUp = dyn Fn(&str, u16) -> io::Result<Vec<SocketAddr>> + Send + Sync;

/// Asks the system: its hosts file, name servers, and every notation of an address.
pub fn system(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    Ok((host, port).to_socket_addrs()?.collect())
}

/// Resolves names with a deadline.
pub struct Lookups {
    look_up: Arc<LookUp>,
    running: Arc<AtomicUsize>,
}

impl Lookups {
    pub fn new(look_up: Arc<LookUp>) -> Lookups {
        Lookups {
            look_up,
            running: Arc::default(),
        }
    }
}

impl Addresses for Lookups {
    fn addresses(
        &self,
        host: &str,
        port: u16,
        within: Duration,
    ) -> Result<Vec<SocketAddr>, DialError> {
        // An address needs no lookup and no thread.
        if let Ok(address) = host.parse() {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        let Some(slot) = LookupSlot::take(&self.running) else {
            log::warn!("{MAX_LOOKUPS} name lookups are running; not resolving {host}");
            return Err(DialError::NameResolution);
        };
        let (answer, answered) = mpsc::sync_channel(1);
        let (look_up, name) = (Arc::clone(&self.look_up), host.to_string());
        let started = thread::Builder::new()
            .name("lookup".to_string())
            .spawn(move || {
                let found = look_up(&name, port);
                // Before the result is sent, so that the caller finds the slot free.
                drop(slot);
                // Fails if the caller no longer waits.
                let _ = answer.send(found);
            });
        if let Err(error) = started {
            log::warn!("cannot start a thread to resolve {host}: {error}");
            return Err(DialError::NameResolution);
        }
        match answered.recv_timeout(within) {
            Ok(Ok(addresses)) if !addresses.is_empty() => Ok(addresses),
            Ok(Ok(_)) | Err(RecvTimeoutError::Disconnected) => Err(DialError::NameResolution),
            Ok(Err(error)) => {
                log::debug!("{host} does not resolve: {error}");
                Err(DialError::NameResolution)
            }
            Err(RecvTimeoutError::Timeout) => Err(DialError::ResolutionTimeout),
        }
    }
}

/// One of the lookups that may run; released also after a panic.
struct LookupSlot(Arc<AtomicUsize>);

impl LookupSlot {
    fn take(running: &Arc<AtomicUsize>) -> Option<LookupSlot> {
        let taken = running.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |running| {
            (running < MAX_LOOKUPS).then_some(running + 1)
        });
        taken.ok().map(|_| LookupSlot(Arc::clone(running)))
    }
}

impl Drop for LookupSlot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Addresses, DialError};
    use super::{Lookups, MAX_LOOKUPS};
    use std::net::SocketAddr;
    use std::sync::{Arc, Condvar, Mutex};
    use std::time::Duration;

    const SOON: Duration = Duration::from_millis(10);
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn what_hangs_is_bounded_and_what_ends_makes_room() {
        let gate = Arc::new((Mutex::new(false), Condvar::new()));
        let held = Arc::clone(&gate);
        let lookups = Lookups::new(Arc::new(move |host, port| {
            if host == "hangs" {
                let open = held.0.lock().unwrap();
                let _open = held.1.wait_while(open, |open| !*open).unwrap();
            }
            Ok(vec![SocketAddr::from(([127, 0, 0, 1], port))])
        }));
        for _ in 0..MAX_LOOKUPS {
            assert_eq!(
                lookups.addresses("hangs", 1, SOON),
                Err(DialError::ResolutionTimeout)
            );
        }
        assert_eq!(
            lookups.addresses("quick", 1, LONG),
            Err(DialError::NameResolution)
        );
        *gate.0.lock().unwrap() = true;
        gate.1.notify_all();
        while lookups.running.load(super::Ordering::Relaxed) > 0 {
            std::thread::yield_now();
        }
        for _ in 0..2 * MAX_LOOKUPS {
            assert!(lookups.addresses("quick", 1, LONG).is_ok());
        }
    }

    #[test]
    fn nothing_and_a_panic_are_no_addresses() {
        let lookups = Lookups::new(Arc::new(|host, _| match host {
            "panics" => panic!("a look-up that panics"),
            "fails" => Err(std::io::Error::other("no such name")),
            _ => Ok(Vec::new()),
        }));
        for host in ["panics", "fails", "empty"] {
            for _ in 0..2 * MAX_LOOKUPS {
                assert_eq!(
                    lookups.addresses(host, 1, LONG),
                    Err(DialError::NameResolution)
                );
            }
        }
    }
}
