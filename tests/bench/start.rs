//! Starting with ten thousand rotations.

use crate::due;
use crate::program;
use crate::seed::Scratch;
use crate::table::{Floor, median, row, section};
use std::time::Duration;

const STARTS: usize = 7;

/// From the start of the process to its first answer to /healthz, and the memory that it then holds.
pub fn run() {
    section("rota serve with ten thousand rotations");
    let folder = Scratch::new("start");
    let path = folder.file("rota.db");
    let key = due::seed(&path);
    // The first start of a new version or with new holidays computes every due instant anew.
    let (first, took) = program::serve(&path, &key);
    row(
        "first start after an upgrade",
        &format!("{:.0} ms", took.as_secs_f64() * 1e3),
        took.as_secs_f64() * 1e3,
        Floor::None,
    );
    drop(first);
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let (program, took) = program::serve(&path, &key);
        times.push(took.as_secs_f64() * 1e3);
        std::thread::sleep(Duration::from_millis(300));
        memory.push(program.resident());
    }
    let (took, resident) = (median(times), median(memory));
    row(
        "to the first answer, median",
        &format!("{took:.0} ms"),
        took,
        Floor::AtMost(200.0),
    );
    row(
        "resident memory when idle",
        &format!("{resident:.1} MB"),
        resident,
        Floor::AtMost(30.0),
    );
}
