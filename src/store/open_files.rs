//! Checks that the files of an open database still have their names. A deleted or renamed file accepts writes while it is
//! open, and they are lost when the process ends.
//!
//! Files are checked by name only: opening and closing one would release SQLite's locks.

use super::files::is_same_file;
use super::paths::{named, with_suffix};
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The files as they were when the database was opened. SQLite keeps its log while any connection is open.
#[derive(Debug)]
pub(super) struct OpenFiles {
    database: PathBuf,
    files: Vec<OpenFile>,
    /// Set once, even if the file reappears.
    lost: OnceLock<String>,
}

#[derive(Debug)]
struct OpenFile {
    what: &'static str,
    path: PathBuf,
    data: Metadata,
}

impl OpenFiles {
    /// Records the files of a database that is open and has been read.
    pub(super) fn of(database: &Path) -> std::io::Result<OpenFiles> {
        let files = [
            ("database file", ""),
            ("write-ahead log", "-wal"),
            ("index of the write-ahead log", "-shm"),
        ];
        let files = files.into_iter().map(|(what, suffix)| {
            let path = with_suffix(database, suffix);
            let data = path.symlink_metadata()?;
            Ok(OpenFile { what, path, data })
        });
        Ok(OpenFiles {
            database: database.to_owned(),
            files: files.collect::<std::io::Result<_>>()?,
            lost: OnceLock::new(),
        })
    }

    /// An error message that begins with the database's path.
    pub(super) fn named(&self, what: &str) -> String {
        named(&self.database, what)
    }

    /// Makes every check from now on fail for this reason: the file is still there, and must not be written.
    pub(super) fn give_up(&self, why: String) {
        self.lost.get_or_init(|| self.named(&why));
    }

    /// The error names the file and what happened to it, even if the file has reappeared.
    pub(super) fn check(&self) -> Result<(), String> {
        if let Some(why) = self.lost.get() {
            return Err(why.clone());
        }
        match self.files.iter().find_map(OpenFile::loss) {
            Some(why) => Err(self.lost.get_or_init(|| why).clone()),
            None => Ok(()),
        }
    }
}

impl OpenFiles {
    /// Whether only the log has lost its name, and no other file has taken it.
    pub(super) fn misses_log_alone(&self) -> bool {
        self.files.iter().all(|file| {
            let is_log = file.path.to_string_lossy().ends_with("-wal");
            match file.path.symlink_metadata() {
                Ok(now) => !is_log && is_same_file(&now, &file.data),
                Err(error) => is_log && error.kind() == ErrorKind::NotFound,
            }
        })
    }
}

impl OpenFile {
    fn loss(&self) -> Option<String> {
        let happened = match self.path.symlink_metadata() {
            Ok(now) if is_same_file(&now, &self.data) => return None,
            Ok(_) => "replaced by another file",
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory => "deleted or renamed",
                // The file may exist but cannot be checked at the moment.
                _ => return None,
            },
        };
        let path = self.path.display();
        Some(format!(
            "{path}: the {} was {happened} while it was in use; put the file back or restore a copy, then start the server again",
            self.what
        ))
    }
}

#[cfg(test)]
mod tests {
    use crate::runtime::clock::Clock;
    use crate::store::{Error, Store, load_fact, save_fact};
    use std::sync::Arc;

    /// The file is removed during a write: after it began, before it is committed.
    #[test]
    fn a_commit_to_a_file_that_has_gone_is_not_acknowledged() {
        let folder = std::env::temp_dir().join(format!("rota-held-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        let (path, away) = (folder.join("rota.db"), folder.join("away.db"));
        let store = Store::open(&path, Arc::new(Clock::system()), true).expect("a database");
        let (from, to) = (path.clone(), away.clone());
        let outcome: Result<(), Error> = store.write(move |tx| {
            std::fs::rename(from, to).expect("a rename");
            save_fact(tx, "rules", "lost")
        });
        let why = outcome.expect_err("a lost write");
        assert!(why.is_unavailable(), "{why}");
        assert!(why.to_string().contains("deleted or renamed"), "{why}");
        // A reappearing file is not accepted: another process may have written to it.
        std::fs::rename(&away, &path).expect("a rename");
        let again: Result<(), Error> = store.write(|tx| save_fact(tx, "rules", "again"));
        assert!(again.is_err() && store.check_files().is_err());
        let read: Result<_, Error> = store.read(|tx| load_fact(tx, "rules"));
        assert!(read.is_ok(), "connections that are open still answer");
        drop(store);
        std::fs::remove_dir_all(&folder).expect("the folder");
    }
}
