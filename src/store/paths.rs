//! Names of files beside a database.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folder that a file is in.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// The path of a file with a suffix appended to its name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// Says that a database is missing, and what makes one.
pub fn missing_database(path: &Path) -> String {
    match left_log(path) {
        Some(log) => named(
            path,
            format!(
                "there is no database here, but its log {}; put the file back, or `rota restore` a copy",
                log.display()
            ),
        ),
        None => named(
            path,
            "there is no database here; `rota serve` and `rota directory import` create one, --db or --config names another",
        ),
    }
}

/// The log of a database that was deleted or moved while it was in use.
pub(super) fn left_log(path: &Path) -> Option<PathBuf> {
    let log = with_suffix(path, "-wal");
    let data = log.symlink_metadata();
    data.is_ok_and(|data| data.len() > 0).then_some(log)
}

/// An error message that begins with the path it is about.
pub(super) fn named(path: &Path, what: impl std::fmt::Display) -> String {
    format!("{}: {what}", path.display())
}
