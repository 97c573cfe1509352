//! Logging to standard error, one line per event.

use crate::config::LogFilter;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;

/// Logs from now on, as the settings have it; where they have nothing `info`, and of a `command` not the audit entries: it says
/// itself what it did.
pub fn begin(set: Option<&LogFilter>, command: bool) {
    let unset = if command { "rota::audit=off" } else { "" };
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
    if is_journal() {
        // The journal adds its own time to every line.
        builder.format_timestamp(None);
    }
    builder.init();
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
