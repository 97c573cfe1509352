//! One server per database: a lock file beside the database that names its holder.

use super::files::{create_new, open_own, open_to_read, owner_beside, refuse_other_names};
use super::paths::{named, with_suffix};
use super::version::VERSION;
use super::{copy, files, migrate};
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::fchown;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The lock of a database. The system releases it when the process ends for any reason.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock of a database that is about to be served, unless the file belongs to another program: no lock file is
    /// created beside it.
    pub fn take_known(database: &Path) -> Result<Lock, String> {
        refuse_other_names(database)?;
        // After an interrupted restore the log may be missing until the lock is taken. Only databases of rota are restored.
        let is_ours = !files::unfinished_names(database).is_empty();
        if !is_ours {
            migrate::recognise_file(database)?;
        }
        let lock = Lock::take(database)?;
        if is_ours {
            migrate::recognise_file(database)?;
        }
        Ok(lock)
    }

    /// Takes the lock of a database. The error names the current holder.
    ///
    /// The lock depends on the file's name, so the path must have no links.
    pub fn take(database: &Path) -> Result<Lock, String> {
        refuse_other_names(database)?;
        let path = with_suffix(database, ".lock");
        let owner = owner_beside(database);
        let mut file = match create_new(&path)? {
            Some(file) => {
                // Root may restore a database that another user serves; the lock file then belongs to that user.
                if let Some((user, group)) = owner {
                    drop(fchown(&file, Some(user), Some(group)));
                }
                file
            }
            None => open_own(&path, owner.map(|(user, _)| user))?,
        };
        match try_lock(&file) {
            Ok(()) => {
                copy::undo_unfinished(database)?;
                Ok(Lock { file, path })
            }
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                file.read_to_string(&mut holder)
                    .map_err(|error| named(&path, error))?;
                Err(format!(
                    "{} is in use by another server: {}",
                    database.display(),
                    holder.trim()
                ))
            }
            Err(TryLockError::Error(error)) => Err(named(&path, error)),
        }
    }

    /// Takes the lock of a database to migrate it. A server of its version would go on writing rows that the new schema does not
    /// have.
    pub(super) fn take_to_migrate(database: &Path, version: i64) -> Result<Lock, String> {
        let taken = Lock::take(database).map_err(|why| {
            format!(
                "{why}; it uses schema {version}, and this program {VERSION}: stop that server, then start it with this version, or run \
                 the command again"
            )
        });
        let mut lock = taken?;
        lock.sign(&format!("process {}", std::process::id()))?;
        Ok(lock)
    }

    /// Who holds the lock of a database, as they have signed it; `None` where nobody does.
    pub fn holder(database: &Path) -> Result<Option<String>, String> {
        let path = with_suffix(database, ".lock");
        let mut file = match open_to_read(&path) {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(None),
            Err(error) => return Err(named(&path, error)),
        };
        match file.try_lock_shared() {
            // Nobody: it is let go of again as the file is closed.
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let read = file.read_to_string(&mut holder);
                read.map_err(|error| named(&path, error))?;
                Ok(Some(holder.trim().to_owned()))
            }
            Err(TryLockError::Error(error)) => Err(named(&path, error)),
        }
    }

    /// Writes the holder into the lock file, for the error of other servers.
    pub fn sign(&mut self, holder: &str) -> Result<(), String> {
        let mut write = || -> std::io::Result<()> {
            self.file.set_len(0)?;
            self.file.rewind()?;
            writeln!(self.file, "{holder}")
        };
        write().map_err(|error| named(&self.path, error))
    }
}

/// Takes the lock of the system. Whoever asks who holds it has it for a moment, which must not keep a server from starting.
fn try_lock(file: &File) -> Result<(), TryLockError> {
    const TRIES: u32 = 5;
    const PAUSE: Duration = Duration::from_millis(10);
    for _ in 1..TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            done => return done,
        }
    }
    file.try_lock()
}
