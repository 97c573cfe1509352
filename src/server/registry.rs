//! The open connections: their limit, and closing them at shutdown.

use std::collections::HashMap;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Shared;
use crate::runtime::clock::monotonic;

/// One accepted connection.
pub(super) struct Open {
    pub(super) stream: TcpStream,
    pub(super) peer: SocketAddr,
    /// Since when it has been waiting for the first byte of a request.
    idle: Mutex<Option<Instant>>,
}

impl Open {
    pub(super) fn new(stream: TcpStream, peer: SocketAddr) -> Open {
        Open {
            stream,
            peer,
            // Idle before its thread starts, too.
            idle: Mutex::new(Some(monotonic())),
        }
    }

    /// Sets whether the connection waits for the first byte of a request.
    pub(super) fn set_idle(&self, idle: bool) {
        *self.idle() = idle.then(monotonic);
    }

    fn idle(&self) -> MutexGuard<'_, Option<Instant>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the wait for a request. Received data is still read and answered.
    pub(super) fn stop_reading(&self) {
        // Fails if the client is gone, which has the same effect.
        let _ = self.stream.shutdown(Shutdown::Read);
    }
}

#[derive(Default)]
pub(super) struct Registry {
    members: Mutex<Members>,
    left: Condvar,
}

#[derive(Default)]
struct Members {
    open: HashMap<u64, Arc<Open>>,
    next: u64,
    /// Whether the last new connection replaced an idle one. Logged once.
    full: bool,
}

impl Members {
    /// Closes the connection that has been idle for longest. `false` if none has been idle for `silence`. A request that
    /// arrives at this moment is lost, as after an idle time-out: it must not be served without being counted.
    fn make_room(&mut self, silence: Duration) -> bool {
        let idle = self.open.iter();
        let idle = idle.filter_map(|(id, open)| Some(((*open.idle())?, *id)));
        let Some((_, longest)) = idle.min().filter(|(since, _)| since.elapsed() >= silence) else {
            return false;
        };
        if let Some(open) = self.open.remove(&longest) {
            // Fails if the client is gone, which has the same effect.
            let _ = open.stream.shutdown(Shutdown::Both);
        }
        true
    }
}

impl Registry {
    /// Registers a connection until the entry is dropped. `None` if the limit is reached and no connection is idle. An idle one
    /// is replaced, so that a client that opens many idle connections does not block others.
    pub(super) fn enter(shared: &Arc<Shared>, open: &Arc<Open>) -> Option<Entry> {
        let mut members = shared.registry.lock();
        let cap = shared.limits.connections;
        let full = members.open.len() >= cap;
        if full && !members.make_room(shared.limits.silence) {
            return None;
        }
        if full && !members.full {
            log::warn!("{cap} connections are open; closing those that have been idle for longest");
        }
        members.full = full;
        let id = members.next;
        members.next += 1;
        members.open.insert(id, Arc::clone(open));
        Some(Entry {
            id,
            open: Arc::clone(open),
            shared: Arc::clone(shared),
        })
    }

    /// Whether every connection waits for a request.
    #[cfg(test)]
    pub(super) fn is_idle(&self) -> bool {
        self.lock().open.values().all(|open| open.idle().is_some())
    }

    /// Closes idle connections.
    pub(super) fn close_idle(&self) {
        for open in self.lock().open.values() {
            if open.idle().is_some() {
                open.stop_reading();
            }
        }
    }

    /// Waits until every connection has ended, at most until `deadline`; then closes the remaining ones.
    pub(super) fn drain(&self, deadline: Instant) {
        let mut members = self.lock();
        while !members.open.is_empty() {
            let left = deadline.saturating_duration_since(monotonic());
            if left.is_zero() {
                break;
            }
            members = match self.left.wait_timeout(members, left) {
                Ok((members, _)) => members,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        for open in members.open.values() {
            let _ = open.stream.shutdown(Shutdown::Both);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Members> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Registers a connection until it is dropped.
pub(super) struct Entry {
    id: u64,
    open: Arc<Open>,
    shared: Arc<Shared>,
}

impl Entry {
    pub(super) fn open(&self) -> &Open {
        &self.open
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let registry = &self.shared.registry;
        registry.lock().open.remove(&self.id);
        registry.left.notify_all();
    }
}
