//! What is wrong with the plans of 90 days, of one rotation and of 200.

use crate::load::Client;
use crate::program::{self, Program};
use crate::seed::{Scratch, Seed, working_week};
use crate::table::{Floor, median, row, section};
use rota::runtime::clock::Clock;
use std::time::Instant;

const ROUNDS: usize = 10;
const ROTATIONS: usize = 200;

/// The time of the warnings of one rotation, and of all of them.
pub fn run() {
    section("Warnings of 90 days, from the request sent to the answer received (median)");
    let folder = Scratch::new("warnings");
    let seed = Seed::new(folder.file("rota.db"), Clock::system());
    let hours = [working_week()];
    let rotation = seed.rotation("payments", 2, &[&hours, &[]], seed.app.now());
    let simple = seed.rotation("simple", 1, &[&[]], seed.app.now());
    seed.copies(simple, ROTATIONS - 2);
    let (path, key) = (seed.path.clone(), seed.key.clone());
    drop(seed);
    let (rota, _) = program::serve(&path, &key);
    let one = format!("/v1/rotations/{}/warnings", rotation.id);
    measure(&rota, "one rotation", &one, Floor::None);
    let all = format!("{ROTATIONS} rotations");
    measure(&rota, &all, "/v1/warnings", Floor::AtMost(500.0));
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
