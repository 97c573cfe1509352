//! Ten thousand rotations are due at one instant.

use crate::load::Client;
use crate::program;
use crate::seed::{self, Scratch, Seed, working_week};
use crate::table::{Floor, row, section};
use jiff::{SignedDuration, Timestamp};
use rota::actions::chat_sync::{self, InFlight, Queue};
use rota::actions::{App, dev_clock, due};
use rota::runtime::clock::Clock;
use rota::store::Error;
use std::path::Path;
use std::time::{Duration, Instant};

/// The number of rotations.
pub const ROTATIONS: usize = 10_000;

/// How many are due at one instant of the system clock, and how far ahead of the seeding that is.
const REAL: usize = 1000;
const AHEAD: SignedDuration = SignedDuration::from_secs(4);

/// A Sunday in the future, so that a server on the system clock finds nothing due.
pub const SUNDAY: &str = "2031-03-02T12:00:00Z";

/// When all of them hand over and open: that Monday, 09:00 in Oslo.
pub const MONDAY: &str = "2031-03-03T08:00:00Z";

/// When everyone is reminded of it.
const EARLIER: &str = "2031-03-03T07:00:00Z";

/// An instant of this benchmark.
pub fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

/// Creates the database. Returns its key.
pub fn seed(path: &Path) -> String {
    let seed = Seed::new(path.to_owned(), Clock::frozen(at(SUNDAY)));
    let first = seed.rotation("first", 1, &[&[working_week()]], at(MONDAY));
    seed.copies(first, ROTATIONS - 1);
    let next = due::next(&seed.app).expect("a look at the due index");
    assert_eq!(next, Some(at(EARLIER)));
    seed.key
}

/// The time of a POST /dev/clock to the hand-over, with all messages posted; and before that, of one to the
/// reminders.
pub fn run() {
    section("Ten thousand hand-overs at one instant");
    let folder = Scratch::new("due");
    let path = folder.file("rota.db");
    seed(&path);
    let rota = program::dev(&path, SUNDAY);
    let mut client = Client::connect(rota.address);
    for (instant, name, floor) in [
        (EARLIER, "everybody reminded before", Floor::None),
        (MONDAY, "until POST /dev/clock answers", Floor::AtMost(0.5)),
    ] {
        let body = format!(r#"{{"to":"{instant}"}}"#);
        let begun = Instant::now();
        let answer = client.ask(&rota.request("POST", "/dev/clock", &[], &body));
        let took = begun.elapsed().as_secs_f64();
        assert_eq!(answer.status, 200, "{answer:?}");
        row(name, &format!("{took:.3} s"), took, floor);
    }
    on_the_real_clock();
}

/// How late a thousand rotations that are due at one instant of the system clock are processed, by the server's metrics.
fn on_the_real_clock() {
    let folder = Scratch::new("lateness");
    let seed = Seed::new(folder.file("rota.db"), Clock::system());
    let starts_at = seed.app.now().round(jiff::Unit::Second).expect("a second") + AHEAD;
    let first = seed.rotation("first", 1, &[&[]], starts_at);
    seed.copies(first, REAL - 1);
    let (path, key) = (seed.path.clone(), seed.key.clone());
    drop(seed);
    let (rota, _) = program::serve(&path, &key);
    let mut client = Client::connect(rota.address);
    let page = rota.request("GET", "/metrics", &[], "");
    let buckets = loop {
        let answer = client.ask(&page);
        assert_eq!(answer.status, 200, "{answer:?}");
        let buckets = lateness(&String::from_utf8_lossy(&answer.body));
        if buckets
            .last()
            .is_some_and(|(_, count)| *count >= REAL as f64)
        {
            break buckets;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    let p99 = buckets
        .iter()
        .find(|(_, count)| *count >= REAL as f64 * 0.99);
    let bound = p99.map_or(f64::INFINITY, |(bound, _)| *bound) * 1e3;
    let within = |bound: f64| {
        let found = buckets.iter().find(|(known, _)| *known >= bound);
        found.map_or(0.0, |(_, count)| count / REAL as f64 * 100.0)
    };
    let shares = format!("{:.0} %, {:.0} % in 50, 100", within(0.05), within(0.1));
    row(
        &format!("{REAL} due on the real clock, lateness p99 at most, ms"),
        &shares,
        bound,
        Floor::AtMost(50.0),
    );
}

/// The upper bounds of the lateness histogram, in seconds, each with the cumulative count.
fn lateness(page: &str) -> Vec<(f64, f64)> {
    let bucket = |line: &str| {
        let rest = line.strip_prefix("rota_timer_lateness_seconds_bucket{le=\"")?;
        let (bound, count) = rest.split_once("\"} ")?;
        Some((bound.parse().ok()?, count.parse().ok()?))
    };
    page.lines().filter_map(bucket).collect()
}

/// Posts everything that is queued for chat.
pub fn settle(app: &App) -> Result<(), Error> {
    for queue in Queue::ALL {
        while chat_sync::run_due(app, queue, &mut InFlight::default())? {}
    }
    Ok(())
}

/// The same work in this process, for a profiler.
pub fn here() {
    section("Ten thousand hand-overs in this process");
    let folder = Scratch::new("due-here");
    let path = folder.file("rota.db");
    seed(&path);
    let app = seed::app(&path, Clock::frozen(at(SUNDAY)));
    let begun = Instant::now();
    dev_clock::advance(&app, at(MONDAY), &|| settle(&app)).expect("the hand-overs");
    let took = begun.elapsed().as_secs_f64();
    row(
        "actions::dev_clock::advance over one instant",
        &format!("{took:.3} s"),
        took,
        Floor::AtMost(0.5),
    );
}
