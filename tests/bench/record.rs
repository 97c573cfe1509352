//! What a long record costs those who read a rotation.

use crate::load::Client;
use crate::program::{self, Program};
use crate::seed::{Scratch, Seed};
use crate::table::{Floor, median, row, section};
use jiff::{SignedDuration, Timestamp};
use rota::runtime::clock::Clock;
use std::time::Instant;

const ROUNDS: usize = 300;

/// Entries of the short and of the long record.
const SHORT: i64 = 10;
const LONG: i64 = 100_000;

/// Reads with a record of ten entries and of a hundred thousand; they should cost the same.
pub fn run() {
    section("Reads by the length of the record (median time)");
    let folder = Scratch::new("record");
    let seed = Seed::new(folder.file("rota.db"), Clock::system());
    let ids = [("short", SHORT), ("long", LONG)].map(|(name, hours)| {
        let rotation = seed.rotation(name, 1, &[&[]], seed.app.now());
        seed.record(rotation.clone(), hours);
        rotation.id.to_string()
    });
    let (path, key, now) = (seed.path.clone(), seed.key.clone(), seed.app.now());
    drop(seed);
    let (rota, _) = program::serve(&path, &key);

    let on_call = |id: &str| format!("/v1/rotations/{id}/on-call");
    compare("GET on-call after a write", &rota, &ids, &on_call);
    // The last hours, which both records have.
    let from = now - SignedDuration::from_hours(SHORT - 1);
    let recent = |id: &str| history(id, from, now);
    compare("GET history of the last nine hours", &rota, &ids, &recent);
    let (from, until) = (
        now - SignedDuration::from_hours(LONG / 2),
        SignedDuration::from_hours(24),
    );
    let day = history(&ids[1], from, from + until);
    let took = times(&rota, [&ids[1], &ids[1]], &[&day]);
    row(
        "GET history of a day in the middle of the long one",
        &format!("{:.0} us", took[0] * 1e6),
        took[0] * 1e3,
        Floor::None,
    );
}

fn history(id: &str, from: Timestamp, until: Timestamp) -> String {
    format!("/v1/rotations/{id}/history?from={from}&to={until}")
}

fn compare(figure: &str, rota: &Program, ids: &[String; 2], path: &dyn Fn(&str) -> String) {
    let paths = ids.each_ref().map(|id| path(id));
    let took = times(rota, ids.each_ref(), &[&paths[0], &paths[1]]);
    let measured = format!("{:.0} us of {:.0} us", took[1] * 1e6, took[0] * 1e6);
    row(
        &format!("{figure}, {LONG} entries against {SHORT}"),
        &measured,
        took[1] / took[0],
        Floor::AtMost(1.25),
    );
}

/// The median time of each read, where each comes after a write to its rotation, so that nothing of it is at hand.
fn times(rota: &Program, ids: [&String; 2], paths: &[&str]) -> Vec<f64> {
    let mut client = Client::connect(rota.address);
    let mut times = vec![Vec::new(); paths.len()];
    for round in 0..ROUNDS {
        for (place, path) in paths.iter().enumerate() {
            let body = format!(r#"{{"description":"round {round}"}}"#);
            let url = format!("/v1/rotations/{}", ids[place]);
            let written = client.ask(&rota.request("PATCH", &url, &[("If-Match", "*")], &body));
            assert_eq!(written.status, 200, "{written:?}");
            let read = rota.request("GET", path, &[], "");
            let begun = Instant::now();
            let answer = client.ask(&read);
            times[place].push(begun.elapsed().as_secs_f64());
            assert_eq!(answer.status, 200, "{answer:?}");
        }
    }
    times.into_iter().map(median).collect()
}
