//! What is wrong with the plans of 90 days, of one rotation and of 200.

use crate::load::Client;
use crate::program::{self, Program};
use crate::seed::{Scratch, Seed, caller, working_week};
use crate::table::{Floor, median, row, section};
use rota::actions::warnings::{self, Asked};
use rota::domain::ids::RotationId;
use rota::domain::naming::Naming;
use rota::runtime::clock::Clock;
use std::time::Instant;

const ROUNDS: usize = 10;
const ROTATIONS: usize = 200;

/// The time of the warnings of one rotation, and of all of them.
pub fn run() {
    section("Warnings of 90 days, from the request sent to the answer received (median)");
    let folder = Scratch::new("warnings");
    let (seed, one) = rotations(&folder);
    let (path, key) = (seed.path.clone(), seed.key.clone());
    drop(seed);
    let (rota, _) = program::serve(&path, &key);
    let one = format!("/v1/rotations/{one}/warnings");
    measure(&rota, "one rotation", &one, Floor::None);
    let all = format!("{ROTATIONS} rotations");
    measure(&rota, &all, "/v1/warnings", Floor::AtMost(500.0));
}

/// All rotations, and the one of several windows among them.
fn rotations(folder: &Scratch) -> (Seed, RotationId) {
    let seed = Seed::new(folder.file("rota.db"), Clock::system());
    let hours = [working_week()];
    let rotation = seed.rotation("payments", 2, &[&hours, &[]], seed.app.now());
    let simple = seed.rotation("simple", 1, &[&[]], seed.app.now());
    seed.copies(simple, ROTATIONS - 2);
    (seed, rotation.id)
}

/// The same work in this process, for a profiler.
pub fn here() {
    section("Warnings of 90 days in this process");
    let folder = Scratch::new("warnings-here");
    let (seed, _) = rotations(&folder);
    let begun = Instant::now();
    let asked = Asked {
        days: warnings::DAYS,
        severity: None,
        naming: Naming::Names,
    };
    let found = warnings::of_all(&seed.app, &caller(), asked);
    let found = found.expect("the warnings").len();
    let took = begun.elapsed().as_secs_f64() * 1e3;
    let figure = format!("{ROTATIONS} rotations, {found} warnings");
    row(
        &figure,
        &format!("{took:.1} ms"),
        took,
        Floor::AtMost(500.0),
    );
}

fn measure(rota: &Program, what: &str, path: &str, most: Floor) {
    let request = rota.request("GET", path, &[], "");
    let mut client = Client::connect(rota.address);
    let times = (0..ROUNDS).map(|_| {
        let begun = Instant::now();
        let answer = client.ask(&request);
        assert_eq!(answer.status, 200, "{}", answer.head);
        begun.elapsed().as_secs_f64() * 1e3
    });
    let took = median(times.collect());
    row(what, &format!("{took:.1} ms"), took, most);
}
