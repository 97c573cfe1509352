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
    named(
        path,
        "there is no database here; `rota serve` creates one, --db names another",
    )
}

/// An error message that begins with the path it is about.
pub(super) fn named(path: &Path, what: impl std::fmt::Display) -> String {
    format!("{}: {what}", path.display())
}
