//! Ten thousand rotations fall due at one instant.

use crate::load::Client;
use crate::program;
use crate::seed::{self, Scratch, Seed, working_week};
use crate::table::{Floor, row, section};
use jiff::Timestamp;
use rota::actions::due;
use rota::actions::effects::{self, Lane};
use rota::runtime::clock::Clock;
use std::path::Path;
use std::time::Instant;

/// How many.
pub const ROTATIONS: usize = 10_000;

/// A Sunday that real time has not reached, so that a server on the system's clock finds nothing due.
pub const SUNDAY: &str = "2031-03-02T12:00:00Z";

/// When all of them hand over and open: that Monday, 09:00 in Oslo.
const MONDAY: &str = "2031-03-03T08:00:00Z";

/// When everybody is reminded of it.
const EARLIER: &str = "2031-03-03T07:00:00Z";

fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

/// Makes the database; answers its key.
pub fn seed(path: &Path) -> String {
    let seed = Seed::new(path.to_owned(), Clock::frozen(at(SUNDAY)));
    let first = seed.rotation("first", 1, &[&[working_week()]], at(MONDAY));
    seed.copies(first, ROTATIONS - 1);
    let next = due::next(&seed.app).expect("a look at the due index");
    assert_eq!(next, Some(at(EARLIER)));
    seed.key
}

/// The time that POST /dev/clock takes to answer when it moves the clock to that instant, with everybody told in chat; and
/// before that, to the instant at which everybody is reminded.
pub fn run() {
    section("Ten thousand hand-overs at one instant");
    let folder = Scratch::new("due");
    let path = folder.file("rota.db");
    seed(&path);
    let rota = program::dev(&path, SUNDAY);
    let mut client = Client::connect(rota.address);
    for (instant, name, floor) in [
        (EARLIER, "everybody reminded before", Floor::None),
        (
            MONDAY,
            "until POST /dev/clock answers (goal 0.5 s)",
            Floor::AtMost(2.0),
        ),
    ] {
        let body = format!(r#"{{"to":"{instant}"}}"#);
        let begun = Instant::now();
        let answer = client.ask(&rota.request("POST", "/dev/clock", &[], &body));
        let took = begun.elapsed().as_secs_f64();
        assert_eq!(answer.status, 200, "{answer:?}");
        row(name, &format!("{took:.3} s"), took, floor);
    }
}

/// The same work within this program, for a profiler to look at.
pub fn here() {
    section("Ten thousand hand-overs in this process");
    let folder = Scratch::new("due-here");
    let path = folder.file("rota.db");
    seed(&path);
    let app = seed::app(&path, Clock::frozen(at(SUNDAY)));
    let settle = || {
        for lane in Lane::ALL {
            while effects::carry_out(&app, lane, &mut effects::Hands::default())? {}
        }
        Ok(())
    };
    let begun = Instant::now();
    due::advance(&app, at(MONDAY), &settle).expect("the hand-overs");
    let took = begun.elapsed().as_secs_f64();
    row(
        "actions::due::advance over one instant",
        &format!("{took:.3} s"),
        took,
        Floor::AtMost(2.0),
    );
}
