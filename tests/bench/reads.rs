//! Who is on call, asked as fast as it is answered.

use crate::load::{Client, FEW, rate};
use crate::program::{self, Program};
use crate::seed::{Scratch, Seed};
use crate::table::{Floor, median, row, section};
use rota::runtime::clock::Clock;
use std::time::Duration;

/// Rounds of each server in turn: a machine that gets slower for a while slows both.
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_millis(350);

/// GET on-call with its credential check, and its 304, each against a bare handler that gives the very same answer.
pub fn run() {
    section("GET on-call against a bare handler with the same answer (requests/s)");
    let folder = Scratch::new("reads");
    let seed = Seed::new(folder.file("rota.db"), Clock::system());
    let rotation = seed.rotation("payments", 2, &[&[], &[]], seed.app.now());
    let (path, key) = (seed.path.clone(), seed.key.clone());
    drop(seed);
    let (rota, _) = program::serve(&path, &key);
    let url = format!("/v1/rotations/{}/on-call", rotation.id);
    let whole = rota.request("GET", &url, &[], "");
    let answer = Client::connect(rota.address).ask(&whole);
    assert_eq!(answer.status, 200, "{answer:?}");
    let tag = answer.header("ETag").expect("a validator").to_owned();
    let known = rota.request("GET", &url, &[("If-None-Match", &tag)], "");
    let bare = program::bare(&answer.head, &answer.body);

    for (what, request, status, floor) in [("200", &whole, 200, 0.5), ("304", &known, 304, 0.7)] {
        let mut rates = Vec::new();
        for connections in [1, 8, 64] {
            let before = [&rota, &bare].map(Program::processor);
            let (ours, ratio) = compare(&rota, &bare, request, connections, status);
            let figure = format!(
                "{what}, {connections} connections, {} bytes",
                if status == 200 { answer.body.len() } else { 0 }
            );
            let floor = if connections == 8 {
                Floor::AtLeast(floor)
            } else {
                Floor::None
            };
            row(
                &figure,
                &format!("{ours:.0} of {:.0}", ours / ratio),
                ratio,
                floor,
            );
            if connections == 8 {
                let used = [rota.processor() - before[0], bare.processor() - before[1]];
                // In equal time at these rates; without the client's share, which the ratio of rates has in both.
                let share = used[1] / (used[0] / ratio);
                row(
                    &format!("{what}, 8 connections, processor time a request"),
                    "",
                    share,
                    Floor::None,
                );
            }
            rates.push(ours);
        }
        row(
            &format!("{what}, 64 connections against 8"),
            "",
            rates[2] / rates[1],
            Floor::AtLeast(0.7),
        );
    }
}

/// Our requests a second, and the middle ratio of the rounds.
fn compare(
    rota: &Program,
    bare: &Program,
    request: &[u8],
    connections: usize,
    status: u16,
) -> (f64, f64) {
    let requests = vec![vec![request.to_vec()]; connections];
    let (mut ours, mut ratios) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let own = rate(rota.address, &requests, FEW, status, ROUND);
        let theirs = rate(bare.address, &requests, FEW, status, ROUND);
        ours.push(own);
        ratios.push(own / theirs);
    }
    (median(ours), median(ratios))
}
