//! Logging to standard error, one line per event.

use super::output::visible;
use crate::config::LogFilter;
use env_logger::fmt::Formatter;
use log::{Level, Record};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;

/// Logs from now on, as the settings have it; where they have nothing `info`, and of a `command` neither the audit entries nor
/// duty: it says itself what it did.
pub fn begin(set: Option<&LogFilter>, command: bool) {
    let unset = match command {
        true => "rota::audit=off,rota::duty=off",
        false => "",
    };
    let mut builder = env_logger::Builder::new();
    builder
        // If only modules are named, other modules log at `info`.
        .filter_level(log::LevelFilter::Info)
        // ureq logs every header at `debug`. The delivery loop logs the results.
        .filter_module("ureq", log::LevelFilter::Warn)
        .filter_module("ureq_proto", log::LevelFilter::Warn)
        .parse_filters(set.map_or(unset, LogFilter::as_str))
        // After the settings: it logs handshakes with the ticket of a socket, and the texts of frames.
        .filter_module("tungstenite", log::LevelFilter::Warn);
    // The journal adds its own time to every line.
    let has_time = !is_journal();
    builder.format(move |to, record| write(to, record, has_time));
    builder.init();
}

/// Writes a line as env_logger does by default, its text with [`visible`] characters: names that people wrote are in some.
fn write(to: &mut Formatter, record: &Record, has_time: bool) -> io::Result<()> {
    let (level, target) = (record.level(), record.target());
    let style = to.default_level_style(level);
    let time = match has_time {
        true => format!("{} ", to.timestamp_seconds()),
        false => String::new(),
    };
    // The journal sorts by this and takes it off.
    let priority = match has_time {
        true => "",
        false => priority(level),
    };
    // Further lines of a text are indented, so that none looks like a line of its own.
    let further = format!("\n{priority}    ");
    let text = visible(&record.args().to_string()).replace('\n', &further);
    writeln!(
        to,
        "{priority}[{time}{style}{level:<5}{style:#} {target}] {text}"
    )
}

/// The priority of a level as systemd's journal reads it at the begin of a line (sd-daemon(3)).
fn priority(level: Level) -> &'static str {
    match level {
        Level::Error => "<3>",
        Level::Warn => "<4>",
        Level::Info => "<6>",
        Level::Debug | Level::Trace => "<7>",
    }
}

/// Whether standard error goes to systemd's journal. The variable names the file and may be inherited by programs with
/// other output.
fn is_journal() -> bool {
    let named = std::env::var("JOURNAL_STREAM").unwrap_or_default();
    let Ok(stderr) = std::io::stderr().as_fd().try_clone_to_owned() else {
        return false;
    };
    let file = std::fs::File::from(stderr).metadata();
    file.is_ok_and(|file| named == format!("{}:{}", file.dev(), file.ino()))
}
