//! The report of duty over a year.

use crate::load::Client;
use crate::program;
use crate::seed::{Scratch, Seed};
use crate::table::{Floor, median, row, section};
use jiff::SignedDuration;
use rota::runtime::clock::Clock;
use std::time::Instant;

const ROTATIONS: usize = 100;
const ROUNDS: usize = 20;

/// A hundred rotations with two lanes and weekly turns over a year: a week of hourly entries of each in the record, the rest
/// planned.
pub fn run() {
    section("GET the report of duty over a year (median time)");
    let folder = Scratch::new("report");
    let seed = Seed::new(folder.file("rota.db"), Clock::system());
    let now = seed.app.now();
    let rotation = seed.rotation("payments", 2, &[&[]], now);
    seed.copies(rotation.clone(), ROTATIONS - 1);
    seed.record(rotation, 7 * 24);
    let (path, key) = (seed.path.clone(), seed.key.clone());
    drop(seed);
    let (rota, _) = program::serve(&path, &key);
    let day = |days: i64| now + SignedDuration::from_hours(24 * days);
    let range = format!("from={}&to={}", day(-7), day(358));
    for by in ["person", "personRotation", "month"] {
        let url = format!("/v1/reports/duty?{range}&groupBy={by}");
        let request = rota.request("GET", &url, &[], "");
        let mut client = Client::connect(rota.address);
        let times = (0..ROUNDS).map(|_| {
            let begin = Instant::now();
            let answer = client.ask(&request);
            assert_eq!(answer.status, 200, "{answer:?}");
            begin.elapsed().as_secs_f64()
        });
        let took = median(times.collect());
        let measured = format!("{:.0} ms", took * 1e3);
        let figure = format!("{ROTATIONS} rotations, by {by}");
        row(&figure, &measured, took * 1e3, Floor::AtMost(200.0));
    }
}
