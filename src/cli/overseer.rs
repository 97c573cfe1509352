//! Supervision of the threads that a server cannot do without. One that has ended ends the server, in the usual way but
//! with exit code 1, so that whoever started it starts it again: a server without its timer looks well and hands nothing
//! over. One that hangs is told in the log and by `/readyz`, and the service manager hears of it by hearing nothing more.

use super::notify::Manager;
use crate::actions::{Desk, Vitals};
use crate::runtime::clock::monotonic;
use crate::runtime::heartbeat::{Pulse, late};
use crate::runtime::wakeup::Bell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often it looks, unless the service manager wants to hear more often.
const LOOK: Duration = Duration::from_secs(1);

/// Longer than any commit takes, also one that brings a log of gigabytes into the file on a slow disk. Whoever writes waits
/// for it, and to end the server would only have it begin anew.
const LONGEST_COMMIT: Duration = Duration::from_secs(300);

/// Stops the server in the usual way; the second time changes nothing.
pub type Halt = Arc<dyn Fn() + Send + Sync>;

/// The running supervision.
pub struct Overseer {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

struct Shared {
    vitals: Arc<Vitals>,
    watched: Vec<Watched>,
    storage: Pulse,
    manager: Arc<Manager>,
    stop: Halt,
    /// The first thread that ended by itself.
    fallen: OnceLock<&'static str>,
    over: AtomicBool,
    bell: Bell,
}

struct Watched {
    pulse: Pulse,
    /// Whether a turn of its loop is short, so that one that is not hangs. Chat may take its time.
    is_brisk: bool,
}

/// The storage, as far as others wait for it.
enum Storage {
    /// It goes on.
    Fresh,
    /// It has been at one commit for long.
    Busy,
    /// It has been for too long.
    Hangs,
}

impl Storage {
    fn of(pulse: &Pulse) -> Storage {
        match pulse.age() {
            Some(age) if age > LONGEST_COMMIT => Storage::Hangs,
            // Those who wait for it began before it did.
            Some(age) if age > late() / 2 => Storage::Busy,
            _ => Storage::Fresh,
        }
    }
}

/// Watches over the threads of a server, of which `accepting` lets connections in.
pub fn start(
    desk: &Desk,
    accepting: Pulse,
    manager: Arc<Manager>,
    stop: Halt,
) -> std::io::Result<Overseer> {
    let vitals = Arc::clone(desk.vitals());
    let brisk = [
        &vitals.timer,
        &vitals.delivery,
        desk.store().pulse(),
        &accepting,
    ];
    let watch = |is_brisk: bool| {
        move |pulse: &Pulse| Watched {
            pulse: pulse.clone(),
            is_brisk,
        }
    };
    let brisk = brisk.into_iter().map(watch(true));
    let watched = brisk.chain(vitals.chat.iter().map(watch(false))).collect();
    let shared = Arc::new(Shared {
        vitals,
        watched,
        storage: desk.store().pulse().clone(),
        manager,
        stop,
        fallen: OnceLock::new(),
        over: AtomicBool::new(false),
        bell: Bell::default(),
    });
    let watching = Arc::clone(&shared);
    let thread = std::thread::Builder::new()
        .name("overseer".into())
        .spawn(move || watching.run())?;
    Ok(Overseer { shared, thread })
}

impl Overseer {
    /// Ends the supervision; answers which thread has ended by itself, if any.
    pub fn stop(self) -> Option<&'static str> {
        self.shared.over.store(true, Ordering::Release);
        self.shared.bell.ring();
        drop(self.thread.join());
        self.shared.fallen.get().copied()
    }
}

impl Shared {
    fn run(&self) {
        let every = self.manager.ping_every();
        let wait = every.map_or(LOOK, |every| LOOK.min(every / 2));
        let mut hanging = vec![false; self.watched.len()];
        let mut pinged: Option<Instant> = None;
        while !self.over.load(Ordering::Acquire) {
            let heard = self.bell.rings();
            let well = self.look(&mut hanging) && !self.vitals.is_stopping();
            let due = every.filter(|every| pinged.is_none_or(|at| at.elapsed() >= *every));
            if well && due.is_some() {
                self.manager.ping();
                pinged = Some(monotonic());
            }
            self.bell.wait(heard, wait);
        }
    }

    /// Whether all is well, or only waits for a commit that takes long. What is not well is told once.
    fn look(&self, hanging: &mut [bool]) -> bool {
        for (watched, hangs) in self.watched.iter().zip(&mut *hanging) {
            let (pulse, name) = (&watched.pulse, watched.pulse.name());
            // In this order: a thread ends by being told to only after that was said.
            if pulse.has_ended() && !self.vitals.is_stopping() {
                log::error!("{name}: its thread has ended; stopping the server");
                self.fallen.get_or_init(|| name);
                (self.stop)();
            }
            // Before the first request the accepting thread has not begun.
            let age = pulse.age().filter(|_| watched.is_brisk);
            let late = age.is_some() && !pulse.is_fresh();
            if late && !*hangs {
                let seconds = age.unwrap_or_default().as_secs();
                log::error!("{name}: nothing happened for {seconds} s");
            }
            if *hangs && !late && !pulse.has_ended() {
                log::info!("{name}: goes on");
            }
            *hangs = late;
        }
        let goes_on = match Storage::of(&self.storage) {
            Storage::Fresh => !hanging.contains(&true),
            Storage::Busy => true,
            Storage::Hangs => false,
        };
        goes_on && self.fallen.get().is_none()
    }
}
