//! The cost of a long history for reads of a rotation.

use crate::load::Client;
use crate::program::{self, Program};
use crate::seed::{Scratch, Seed};
use crate::table::{Floor, median, row, section};
use jiff::{SignedDuration, Timestamp};
use rota::runtime::clock::Clock;
use std::path::PathBuf;
use std::time::Instant;

const ROUNDS: usize = 300;

/// The entries of the short and of the long history.
const SHORT: i64 = 10;
const LONG: i64 = 10_000_000;

/// Reads with a history of ten entries and of ten million, which should cost the same. The long history takes a minute to
/// create and is kept for further runs.
pub fn run() {
    section("Reads by the length of the record (median time)");
    let Made { path, key, ids, at } = made();
    let (rota, _) = program::serve(&path, &key);

    let on_call = |id: &str| format!("/v1/rotations/{id}/on-call");
    compare("GET on-call after a write", &rota, &ids, &on_call);
    // The last hours, which both histories have.
    let from = at - SignedDuration::from_hours(SHORT - 1);
    let recent = |id: &str| history(id, from, at);
    compare("GET history of the last nine hours", &rota, &ids, &recent);
    let (from, until) = (
        at - SignedDuration::from_hours(LONG / 2),
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
    let middle = format!("/v1/rotations/{}/on-call?at={from}", ids[1]);
    let took = times(&rota, [&ids[1], &ids[1]], &[&middle]);
    row(
        "GET on-call at an instant in the middle of the long one",
        &format!("{:.0} us", took[0] * 1e6),
        took[0] * 1e6,
        Floor::AtMost(200.0),
    );
    let ahead = at + SignedDuration::from_hours(24);
    let explained = [from, ahead].map(|at| format!("/v1/rotations/{}/explain?at={at}", ids[1]));
    let took = times(
        &rota,
        [&ids[1], &ids[1]],
        &explained.each_ref().map(|path| path.as_str()),
    );
    row(
        "GET explain of that instant, and of one a day ahead",
        &format!("{:.0} us, {:.0} us", took[0] * 1e6, took[1] * 1e6),
        took[0].max(took[1]) * 1e3,
        Floor::AtMost(1.0),
    );
}

/// A database with a short and a long history that end at the same instant.
struct Made {
    path: PathBuf,
    key: String,
    ids: [String; 2],
    at: Timestamp,
}

/// The database of an earlier run, or a new one.
fn made() -> Made {
    let schema = rota::store::schema_version();
    let folder = Scratch::kept(&format!("record-turns-{schema}-{LONG}"));
    let (path, note) = (folder.file("rota.db"), folder.file("made"));
    if let Ok(text) = std::fs::read_to_string(&note) {
        let lines: Vec<&str> = text.lines().collect();
        let [key, short, long, at] = lines[..] else {
            panic!("{} is not what a run wrote; remove it", note.display())
        };
        return Made {
            path,
            key: key.to_owned(),
            ids: [short.to_owned(), long.to_owned()],
            at: at.parse().expect("an instant"),
        };
    }
    let seed = Seed::new(path.clone(), Clock::system());
    let at = seed.app.now();
    let ids = [("short", SHORT), ("long", LONG)].map(|(name, hours)| {
        let rotation = seed.rotation(name, 1, &[&[]], at);
        seed.record(rotation.clone(), hours);
        rotation.id.to_string()
    });
    let key = seed.key.clone();
    drop(seed);
    // Both were there before their histories.
    let file = rusqlite::Connection::open(&path).expect("the database");
    let earlier = (at - SignedDuration::from_hours(LONG + 1)).as_millisecond();
    let dated = file.execute("UPDATE rotation SET created_at = ?1", [earlier]);
    dated.expect("earlier rotations");
    drop(file);
    std::fs::write(&note, format!("{key}\n{}\n{}\n{at}\n", ids[0], ids[1])).expect("a note");
    Made { path, key, ids, at }
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

/// The median time of each read. Each follows a write to its rotation, so that nothing is cached.
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
