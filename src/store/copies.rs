//! A folder of copies that are named after their time.

use super::paths::named;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::fs::{DirBuilder, File};
use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// How names of copies begin and end.
const BEGIN: &str = "rota-";
const END: &str = ".db";
const UNFINISHED: &str = ".db.unfinished";

/// The copies in a folder. Other files there are left alone.
pub struct Copies(PathBuf);

impl Copies {
    /// The folder, which is made for its owner alone if it is missing.
    ///
    /// # Errors
    /// Names the folder.
    pub fn in_folder(folder: PathBuf) -> Result<Copies, String> {
        let made = DirBuilder::new().mode(0o700).create(&folder);
        match made {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(named(&folder, error)),
            _ => Ok(Copies(folder)),
        }
    }

    /// The file of a copy made at an instant: `rota-2026-11-28T03-00-00Z.db`. Names are in the order of time.
    pub fn name(&self, at: Timestamp) -> PathBuf {
        let at = at.to_zoned(TimeZone::UTC);
        self.0
            .join(format!("{BEGIN}{}{END}", at.strftime("%Y-%m-%dT%H-%M-%SZ")))
    }

    /// Deletes what copies that were killed left behind, and all but the newest copies. Returns the files that are gone.
    ///
    /// # Errors
    /// Names the file that cannot be deleted.
    pub fn sweep(&self, keep: Option<NonZeroUsize>) -> Result<Vec<PathBuf>, String> {
        let mut copies = self.files(END)?;
        copies.sort();
        let too_many = keep.map_or(0, |keep| copies.len().saturating_sub(keep.get()));
        copies.truncate(too_many);
        let mut gone = Vec::new();
        let left = self.files(UNFINISHED)?;
        for file in left.into_iter().filter(|file| is_left(file)).chain(copies) {
            match std::fs::remove_file(&file) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(named(&file, error));
                }
                _ => gone.push(file),
            }
        }
        Ok(gone)
    }

    /// The files with the name of a copy, and this end.
    fn files(&self, end: &str) -> Result<Vec<PathBuf>, String> {
        let entries = std::fs::read_dir(&self.0).map_err(|error| named(&self.0, error))?;
        let is_one = |name: &str| {
            let time = name.strip_prefix(BEGIN).and_then(|it| it.strip_suffix(end));
            time.is_some_and(|time| {
                time.len() == "2026-11-28T03-00-00Z".len() && time.ends_with('Z')
            })
        };
        let named = entries
            .filter_map(Result::ok)
            .filter(|entry| is_one(&entry.file_name().to_string_lossy()));
        Ok(named.map(|entry| entry.path()).collect())
    }
}

/// Whether nobody writes an unfinished copy any more: its maker holds a lock on it.
fn is_left(file: &Path) -> bool {
    File::open(file).is_ok_and(|file| file.try_lock().is_ok())
}
