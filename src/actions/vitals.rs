//! What keeps a server going, as those see it who watch it.

use super::effects::Lane;
use crate::runtime::heartbeat::Pulse;
use std::sync::atomic::{AtomicBool, Ordering};

/// The threads that carry out what falls due, and whether they are to end.
#[derive(Debug)]
pub struct Vitals {
    pub timer: Pulse,
    /// Of the thread that starts the lanes of webhook endpoints.
    pub delivery: Pulse,
    /// In the order of [`Lane::ALL`].
    pub chat: [Pulse; Lane::ALL.len()],
    stopping: AtomicBool,
}

impl Default for Vitals {
    fn default() -> Vitals {
        Vitals {
            timer: Pulse::new("timer"),
            delivery: Pulse::new("delivery"),
            chat: Lane::ALL.map(|lane| Pulse::new(lane.name())),
            stopping: AtomicBool::new(false),
        }
    }
}

impl Vitals {
    /// Says that threads which end from now on do so because they were told to.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

    /// Whether the server is stopping.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }
}
