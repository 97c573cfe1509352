//! GET on-call as fast as possible.

use crate::load::{Client, FEW, rate};
use crate::program::{self, Program};
use crate::seed::{Scratch, Seed};
use crate::table::{Floor, median, row, section};
use rota::runtime::clock::Clock;
use std::time::Duration;

/// Rounds of each server in turn, so that a slow phase of the machine affects both.
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_millis(350);
/// How long processor time is measured: its unit is a hundredth of a second.
const MEASURED: Duration = Duration::from_secs(3);

/// GET on-call with its credential check, and its 304, each against the baseline with the same response.
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
            rates.push(ours);
        }
        let used = [&rota, &bare].map(|server| processor_time(server, request, status));
        row(
            &format!("{what}, 8 connections, processor time against the bare handler's"),
            &format!("{:.1} us of {:.1} us", used[0] * 1e6, used[1] * 1e6),
            used[0] / used[1],
            // A 304 leaves the bare handler nothing to do but to read the head, so only the whole answer has a floor.
            match status {
                200 => Floor::AtMost(1.15),
                _ => Floor::None,
            },
        );
        row(
            &format!("{what}, 64 connections against 8"),
            "",
            rates[2] / rates[1],
            Floor::AtLeast(0.7),
        );
    }
}

/// The server's processor time per request with 8 connections, without the client's.
fn processor_time(server: &Program, request: &[u8], status: u16) -> f64 {
    let requests = vec![vec![request.to_vec()]; 8];
    let before = server.processor();
    let answered = rate(server.address, &requests, FEW, status, MEASURED) * MEASURED.as_secs_f64();
    (server.processor() - before) / answered
}

/// Requests per second, and the median ratio of the rounds.
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
