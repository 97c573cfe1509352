//! Who is connected: the cap on connections, and the end of them all when the server stops.

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
    /// Since when it waits for a request of which no byte has come.
    idle: Mutex<Option<Instant>>,
}

impl Open {
    pub(super) fn new(stream: TcpStream, peer: SocketAddr) -> Open {
        Open {
            stream,
            peer,
            // Also before its thread begins.
            idle: Mutex::new(Some(monotonic())),
        }
    }

    /// Says whether the connection waits for a request of which no byte has come.
    pub(super) fn set_idle(&self, idle: bool) {
        *self.idle() = idle.then(monotonic);
    }

    fn idle(&self) -> MutexGuard<'_, Option<Instant>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the waiting for a request. What has come already is still read, and can still be answered.
    pub(super) fn stop_reading(&self) {
        // Fails when the client is gone, which is as good.
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
    /// Whether the last one to come had to be made room for: told in the log once.
    crowded: bool,
}

impl Members {
    /// Closes the one that has waited longest for a request; `false` where none has waited for so long. What it begins to send
    /// in this moment is lost, as where its time was over: it must not be served without being counted.
    fn make_room(&mut self, silence: Duration) -> bool {
        let idle = self.open.iter();
        let idle = idle.filter_map(|(id, open)| Some(((*open.idle())?, *id)));
        let Some((_, longest)) = idle.min().filter(|(since, _)| since.elapsed() >= silence) else {
            return false;
        };
        if let Some(open) = self.open.remove(&longest) {
            // Fails when the client is gone, which is as good.
            let _ = open.stream.shutdown(Shutdown::Both);
        }
        true
    }
}

impl Registry {
    /// Counts a connection in, until the entry is dropped; `None` when there are as many as there may be and all are at a
    /// request. One that only waits makes room: whoever opens many and is silent must not keep others out.
    pub(super) fn enter(shared: &Arc<Shared>, open: &Arc<Open>) -> Option<Entry> {
        let mut members = shared.registry.lock();
        let cap = shared.limits.connections;
        let crowded = members.open.len() >= cap;
        if crowded && !members.make_room(shared.limits.silence) {
            return None;
        }
        if crowded && !members.crowded {
            log::warn!("{cap} connections are open; closing those that wait longest for a request");
        }
        members.crowded = crowded;
        let id = members.next;
        members.next += 1;
        members.open.insert(id, Arc::clone(open));
        Some(Entry {
            id,
            open: Arc::clone(open),
            shared: Arc::clone(shared),
        })
    }

    /// Closes the connections that wait for a request.
    pub(super) fn close_idle(&self) {
        for open in self.lock().open.values() {
            if open.idle().is_some() {
                open.stop_reading();
            }
        }
    }

    /// Waits until every connection has ended, at most until `deadline`; then cuts the others.
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

/// A connection's place in the registry.
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
