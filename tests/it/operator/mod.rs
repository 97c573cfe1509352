//! The operator's view: metrics, readiness, supervision, request ids, the log.

mod answers;
mod backups;
mod cli;
mod imports;
mod logs;
mod metrics;
pub mod migrate;
mod names;
mod on_call;
mod planted;
mod progress;
pub mod readiness;
mod replication;
mod retention;
mod schema;
mod settings;
mod shell;
mod status;
pub mod supervision;

use crate::support::*;
use std::time::{Duration, Instant};

/// A page of metrics.
pub struct Page(pub String);

impl Page {
    /// The value of a series; `None` if it is missing.
    pub fn value(&self, series: &str) -> Option<f64> {
        let mut lines = self.0.lines();
        let line = lines.find_map(|line| line.strip_prefix(series)?.strip_prefix(' '))?;
        Some(line.parse().unwrap_or_else(|_| panic!("{series}: {line}")))
    }

    /// The value of a series; 0 if it is missing.
    pub fn count(&self, series: &str) -> u64 {
        self.value(series).unwrap_or_default() as u64
    }

    /// The series of a family, without its name.
    pub fn family(&self, name: &str) -> Vec<String> {
        let lines = self.0.lines();
        let series = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix('{'));
        series.map(str::to_owned).collect()
    }
}

impl Rota {
    #[track_caller]
    pub fn metrics(&self) -> Page {
        let answer = self.get("/metrics").is(200);
        let kind = answer.header("content-type");
        assert_eq!(kind, Some("text/plain; version=0.0.4; charset=utf-8"));
        Page(answer.text())
    }
}

/// Repeats a check until it succeeds, for conditions that take more than ten seconds.
#[track_caller]
pub fn at_last(what: &str, mut probe: impl FnMut() -> bool) {
    let start = Instant::now();
    while !probe() {
        let waited = start.elapsed();
        assert!(waited < Duration::from_secs(45), "not in time: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
