use super::*;
use crate::actions::Outward;
use crate::domain::holidays::Calendar;
use crate::domain::tiers::{Tier, TierLimits};
use crate::runtime::background::stop_all;
use crate::runtime::clock::Clock;
use crate::runtime::wakeup::Wakeup;
use crate::store::Store;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;

const LONG: Duration = Duration::from_secs(60);

/// A source that is due every minute. It reports each reading, and can hang.
struct Minutely {
    app: App,
    next: Mutex<Option<Timestamp>>,
    wakeup: Wakeup,
    readings: Mutex<Sender<Which>>,
    hold: Option<Mutex<Receiver<()>>>,
}

impl Source for Minutely {
    fn name(&self) -> &'static str {
        "sync: test"
    }

    fn wakeup(&self) -> &Wakeup {
        &self.wakeup
    }

    fn next(&self) -> Result<Option<Timestamp>, Error> {
        Ok(*self.next.lock().unwrap())
    }

    fn read(&self, which: Which) -> Result<Readings, Error> {
        let next = self.next()?;
        let is_due = match which {
            Which::New => next.is_none(),
            Which::Due => next.is_none_or(|at| at <= self.app.now()),
            Which::All => true,
        };
        if !is_due {
            return Ok(Readings::default());
        }
        if let Some(hold) = &self.hold {
            let _ = hold.lock().unwrap().recv();
        }
        let minute = jiff::SignedDuration::from_secs(60);
        *self.next.lock().unwrap() = Some(self.app.now() + minute);
        let _ = self.readings.lock().unwrap().send(which);
        Ok(Readings::one(true))
    }
}

/// An app in a folder of its own, which is removed at the end.
struct Office {
    app: App,
    folder: PathBuf,
}

impl Office {
    fn open(name: &str, clock: Clock) -> Office {
        let folder = std::env::temp_dir().join(format!("rota-sync-{name}-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        let clock = Arc::new(clock);
        let store = Store::open(&folder.join("rota.db"), Arc::clone(&clock), true);
        let app = App::new(
            store.expect("a database"),
            Calendar::embedded(),
            clock,
            TierLimits::of(Tier::Pro),
            Outward::usual("http://rota.example").expect("TLS"),
        );
        Office { app, folder }
    }

    fn source(&self, hold: Option<Receiver<()>>) -> (Box<dyn Source>, Receiver<Which>) {
        let (readings, seen) = channel();
        let source = Minutely {
            app: self.app.clone(),
            next: Mutex::default(),
            wakeup: Wakeup::default(),
            readings: Mutex::new(readings),
            hold: hold.map(Mutex::new),
        };
        (Box::new(source), seen)
    }
}

impl Drop for Office {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

fn frozen() -> Clock {
    Clock::frozen("2026-11-25T10:00:00Z".parse().unwrap())
}

#[test]
fn a_frozen_clock_leaves_what_is_due_to_its_moves() {
    let office = Office::open("frozen", frozen());
    let (source, seen) = office.source(None);
    let sources = Sources::new(office.app.clone(), vec![source]);
    let loops = sources.start().expect("a thread");
    assert_eq!(seen.recv_timeout(LONG), Ok(Which::New));
    // The clock, what is read then, and how many there were.
    for (at, which, expected) in [
        ("2026-11-25T10:00:59Z", Which::Due, 0),
        ("2026-11-25T10:01:00Z", Which::Due, 1),
        ("2026-11-25T10:01:00Z", Which::Due, 0),
        ("2026-11-25T10:01:00Z", Which::All, 1),
        ("2026-11-25T10:01:01Z", Which::Due, 0),
        ("2026-11-25T11:00:00Z", Which::Due, 1),
    ] {
        office.app.clock().set(at.parse().unwrap());
        let readings = sources.read(which, monotonic() + LONG).expect("a reading");
        let failed = 0;
        assert_eq!(
            readings,
            Readings {
                read: expected,
                failed
            },
            "{at}"
        );
        assert_eq!(seen.try_iter().count() as u64, expected, "{at} {which:?}");
    }
    stop_all(loops, LONG);
}

#[test]
fn the_loop_reads_what_is_due_on_a_clock_that_runs() {
    let office = Office::open("running", Clock::system());
    let (source, seen) = office.source(None);
    let sources = Sources::new(office.app.clone(), vec![source]);
    let loops = sources.start().expect("a thread");
    assert_eq!(seen.recv_timeout(LONG), Ok(Which::Due));
    stop_all(loops, LONG);
}

#[test]
fn a_source_that_hangs_delays_only_its_own_loop() {
    let office = Office::open("hanging", frozen());
    let (release, hold) = channel();
    let (slow, slow_seen) = office.source(Some(hold));
    let (quick, quick_seen) = office.source(None);
    let sources = Sources::new(office.app.clone(), vec![slow, quick]);
    let deadline = monotonic() + Duration::from_millis(200);
    let readings = sources.read(Which::All, deadline).expect("a reading");
    assert_eq!(readings, Readings { read: 1, failed: 1 });
    assert_eq!(quick_seen.recv_timeout(LONG), Ok(Which::All));
    assert_eq!(slow_seen.try_iter().count(), 0);
    // The reading goes on, and its result is applied when it is there.
    release.send(()).unwrap();
    assert_eq!(slow_seen.recv_timeout(LONG), Ok(Which::All));
}

#[test]
fn without_sources_nothing_is_read() {
    let office = Office::open("none", frozen());
    let sources = Sources::new(office.app.clone(), Vec::new());
    let readings = sources
        .read(Which::All, monotonic() + LONG)
        .expect("a reading");
    assert!(readings.is_empty());
    assert!(sources.start().expect("no thread").is_empty());
}
