//! One server a file: a lock beside the database that says who holds it.

use super::files::{create_new, open_own, owner_beside, refuse_other_names};
use super::paths::{named, with_suffix};
use super::{copy, files, migrate};
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::fchown;
use std::path::{Path, PathBuf};

/// Held while a server uses the database; the system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock of a database that is to be served, where there is one of ours or none yet: beside another
    /// program's file nothing is left.
    pub fn take_known(database: &Path) -> Result<Lock, String> {
        refuse_other_names(database)?;
        // Beside a restore that was cut short the log may be missing, which comes back with the lock. Only ours are restored.
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

    /// Takes the lock of a database. The error says who holds it.
    ///
    /// The lock goes by the file's name, so the path must be the real one, without links.
    pub fn take(database: &Path) -> Result<Lock, String> {
        refuse_other_names(database)?;
        let path = with_suffix(database, ".lock");
        let owner = owner_beside(database);
        let mut file = match create_new(&path)? {
            Some(file) => {
                // Root may restore what another user serves, and leaves the lock to that user.
                if let Some((user, group)) = owner {
                    drop(fchown(&file, Some(user), Some(group)));
                }
                file
            }
            None => open_own(&path, owner.map(|(user, _)| user))?,
        };
        match file.try_lock() {
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

    /// Leaves word of who holds it, for whoever is refused.
    pub fn sign(&mut self, holder: &str) -> Result<(), String> {
        let mut write = || -> std::io::Result<()> {
            self.file.set_len(0)?;
            self.file.rewind()?;
            writeln!(self.file, "{holder}")
        };
        write().map_err(|error| named(&self.path, error))
    }
}
