//! Writes compared with the disk.

mod bare;

use crate::load::{Client, FEW, rate};
use crate::program::{self, Program};
use crate::seed::{Scratch, Seed, write};
use crate::table::{Floor, median, row, section};
use rota::actions::duty::SetOnDuty;
use rota::domain::ids::UserId;
use rota::runtime::clock::Clock;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// Rounds of disk and program in turn.
const ROUNDS: usize = 300;

/// Rounds of eight concurrent writers, and their duration.
const ROUNDS_TOGETHER: usize = 5;
const ROUND: Duration = Duration::from_millis(500);

/// PUT on-call by one writer compared with one synced append of a page to a file, and by eight concurrent writers, who share
/// commits. Only processor time has a limit; ratios to a sync depend on the disk.
pub fn run() {
    section("PUT on-call against a synced append on the same file system");
    let folder = Scratch::new("writes");
    let seed = Seed::new(folder.file("rota.db"), Clock::system());
    let ids: Vec<String> = (0..8)
        .map(|n| {
            seed.rotation(&format!("rotation {n}"), 1, &[&[]], seed.app.now())
                .id
                .to_string()
        })
        .collect();
    let (path, key) = (seed.path.clone(), seed.key.clone());
    drop(seed);
    let (rota, _) = program::serve(&path, &key);
    let writes: Vec<Vec<Vec<u8>>> = ids.iter().map(|id| take_turns(&rota, id)).collect();

    let (sync, write) = alone(&rota, &writes[0], &folder.file("append"));
    let measured = format!("{:.0} us of {:.0} us", write * 1e6, sync * 1e6);
    row(
        "one writer, median time of a write, in syncs",
        &measured,
        write / sync,
        Floor::None,
    );

    let used = rota.processor();
    let round = |_| rate(rota.address, &writes, FEW, 200, ROUND);
    let rates: Vec<f64> = (0..ROUNDS_TOGETHER).map(round).collect();
    let used = rota.processor() - used;
    let made: f64 = rates.iter().map(|rate| rate * ROUND.as_secs_f64()).sum();
    row(
        "eight writers, processor time of a write, us",
        "",
        used / made * 1e6,
        Floor::AtMost(180.0),
    );
    let together = median(rates);
    let measured = format!("{together:.0}/s of {:.0}/s", 1.0 / sync);
    row(
        "eight writers, against one sync each",
        &measured,
        together * sync,
        Floor::None,
    );
    let measured = format!("{together:.0}/s of {:.0}/s", 1.0 / write);
    row(
        "eight writers, against one",
        &measured,
        together * write,
        Floor::None,
    );
    drop(rota);
    row(
        "the same rows alone, four to a bare transaction, us",
        "",
        bare::rows(&path, &ids) * 1e6,
        Floor::None,
    );
}

/// Puts one person on duty, then another.
fn take_turns(rota: &Program, id: &str) -> Vec<Vec<u8>> {
    let put = |user: &str| {
        let body = format!(r#"{{"userIds":["{user}"]}}"#);
        rota.request(
            "PUT",
            &format!("/v1/rotations/{id}/on-call"),
            &[("If-Match", "*")],
            &body,
        )
    };
    vec![put("U1"), put("U2")]
}

/// Median times of a synced append and of a write, measured in turn.
fn alone(rota: &Program, writes: &[Vec<u8>], file: &Path) -> (f64, f64) {
    let mut file = File::create(file).expect("a file beside the database");
    let mut client = Client::connect(rota.address);
    let (mut syncs, mut times) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let begun = Instant::now();
        file.write_all(&[0; 4096])
            .and_then(|()| file.sync_data())
            .expect("an append");
        syncs.push(begun.elapsed().as_secs_f64());
        let begun = Instant::now();
        let answer = client.ask(&writes[round % writes.len()]);
        times.push(begun.elapsed().as_secs_f64());
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    (median(syncs), median(times))
}

/// Writes for the profiler.
const WRITES: usize = 3000;

/// The same work in this process, for a profiler.
pub fn here() {
    section("PUT on-call in this process");
    let folder = Scratch::new("writes-here");
    let seed = Seed::new(folder.file("rota.db"), Clock::system());
    let id = seed.rotation("rotation", 1, &[&[]], seed.app.now()).id;
    let begun = Instant::now();
    for round in 0..WRITES {
        let user = UserId::from(["U1", "U2"][round % 2]);
        write(&seed.app, &id, SetOnDuty { users: vec![user] });
    }
    let took = begun.elapsed().as_secs_f64() / WRITES as f64 * 1e6;
    row("a write with its sync, us", "", took, Floor::None);
}
