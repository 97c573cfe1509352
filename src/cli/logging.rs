//! What is logged, and how: a line an event, on standard error.

use crate::config::LogFilter;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;

/// Logs from now on, as the settings have it; `info` where they have nothing.
pub fn begin(set: Option<&LogFilter>) {
    let mut builder = env_logger::Builder::new();
    builder
        // Where modules alone are named, the others are not silent.
        .filter_level(log::LevelFilter::Info)
        // It tells of every header at `debug`; what became of a send is told by the delivery side.
        .filter_module("ureq", log::LevelFilter::Warn)
        .filter_module("ureq_proto", log::LevelFilter::Warn)
        .parse_filters(set.map_or("", LogFilter::as_str));
    if is_journal() {
        // The journal has a time of its own for every line.
        builder.format_timestamp(None);
    }
    builder.init();
}

/// Whether standard error goes to systemd's journal: the variable names the file, and may be inherited by programs whose
/// output goes elsewhere.
fn is_journal() -> bool {
    let named = std::env::var("JOURNAL_STREAM").unwrap_or_default();
    let Ok(stderr) = std::io::stderr().as_fd().try_clone_to_owned() else {
        return false;
    };
    let file = std::fs::File::from(stderr).metadata();
    file.is_ok_and(|file| named == format!("{}:{}", file.dev(), file.ino()))
}
