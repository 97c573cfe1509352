//! Whether the files of an open database still have their names. A file that was deleted or renamed goes on taking writes
//! for as long as it is open, and all of them are lost with the process.
//!
//! Files are looked at by their names alone: to open one and close it again would take SQLite's locks with it.

use super::files::is_same_file;
use super::paths::{named, with_suffix};
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The files as they were when the database was opened. SQLite keeps its log for as long as somebody has the database open.
#[derive(Debug)]
pub(super) struct Held {
    database: PathBuf,
    files: Vec<HeldFile>,
    /// Set once; what has gone does not come back.
    lost: OnceLock<String>,
}

#[derive(Debug)]
struct HeldFile {
    what: &'static str,
    path: PathBuf,
    data: Metadata,
}

impl Held {
    /// Of a database that somebody has open, and has read from.
    pub(super) fn of(database: &Path) -> std::io::Result<Held> {
        let files = [
            ("database file", ""),
            ("write-ahead log", "-wal"),
            ("index of the write-ahead log", "-shm"),
        ];
        let files = files.into_iter().map(|(what, suffix)| {
            let path = with_suffix(database, suffix);
            let data = path.symlink_metadata()?;
            Ok(HeldFile { what, path, data })
        });
        Ok(Held {
            database: database.to_owned(),
            files: files.collect::<std::io::Result<_>>()?,
            lost: OnceLock::new(),
        })
    }

    /// What went wrong with the database, told with its path.
    pub(super) fn named(&self, what: &str) -> String {
        named(&self.database, what)
    }

    /// The error says what happened to which file, also when everything is back in its place.
    pub(super) fn check(&self) -> Result<(), String> {
        if let Some(why) = self.lost.get() {
            return Err(why.clone());
        }
        match self.files.iter().find_map(HeldFile::loss) {
            Some(why) => Err(self.lost.get_or_init(|| why).clone()),
            None => Ok(()),
        }
    }
}

impl Held {
    /// Whether the log has lost its name, nobody has made another one, and everything else is in its place.
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

impl HeldFile {
    fn loss(&self) -> Option<String> {
        let happened = match self.path.symlink_metadata() {
            Ok(now) if is_same_file(&now, &self.data) => return None,
            Ok(_) => "replaced by another file",
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory => "deleted or renamed",
                // Nobody may look at the moment; the file may be there.
                _ => return None,
            },
        };
        let path = self.path.display();
        Some(format!(
            "{path}: the {} was {happened} while it was in use",
            self.what
        ))
    }
}

#[cfg(test)]
mod tests {
    use crate::runtime::clock::Clock;
    use crate::store::{Fault, Store, load_fact, save_fact};
    use std::sync::Arc;

    /// The file goes while the write is under way: after it began, before it is committed.
    #[test]
    fn a_commit_to_a_file_that_has_gone_is_not_acknowledged() {
        let folder = std::env::temp_dir().join(format!("rota-held-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        let (path, away) = (folder.join("rota.db"), folder.join("away.db"));
        let store = Store::open(&path, Arc::new(Clock::system()), true).expect("a database");
        let (from, to) = (path.clone(), away.clone());
        let outcome: Result<(), Fault> = store.write(move |tx| {
            std::fs::rename(from, to).expect("a rename");
            save_fact(tx, "rules", "lost")
        });
        let why = outcome.expect_err("a lost write");
        assert!(why.is_unavailable(), "{why}");
        assert!(why.to_string().contains("deleted or renamed"), "{why}");
        // What has gone does not come back: somebody else may have written meanwhile.
        std::fs::rename(&away, &path).expect("a rename");
        let again: Result<(), Fault> = store.write(|tx| save_fact(tx, "rules", "again"));
        assert!(again.is_err() && store.check_files().is_err());
        let read: Result<_, Fault> = store.read(|tx| load_fact(tx, "rules"));
        assert!(read.is_ok(), "connections that are open still answer");
        drop(store);
        std::fs::remove_dir_all(&folder).expect("the folder");
    }
}
