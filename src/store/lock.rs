//! One server a file: a lock beside the database that says who holds it.

use super::{copy, migrate};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::Path;

/// Held while a server uses the database; the system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of a database that is to be served, where there is one of ours or none yet: beside another
    /// program's file nothing is left.
    pub fn take_known(database: &Path) -> Result<Lock, String> {
        refuse_other_names(database)?;
        // Beside a restore that was cut short the log may be missing, which comes back with the lock. Only ours are restored.
        let is_ours = !copy::unfinished_names(database).is_empty();
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
        let path = copy::with_suffix(database, ".lock");
        let named = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(named)?;
        match file.try_lock() {
            Ok(()) => {
                copy::undo_unfinished(database)?;
                // Root may restore what another user serves, and leaves the lock to that user.
                if let Ok(data) = std::fs::metadata(database) {
                    drop(fchown(&file, Some(data.uid()), Some(data.gid())));
                }
                Ok(Lock { file })
            }
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                file.read_to_string(&mut holder).map_err(named)?;
                Err(format!(
                    "{} is in use by another server: {}",
                    database.display(),
                    holder.trim()
                ))
            }
            Err(TryLockError::Error(error)) => Err(named(error)),
        }
    }

    /// Leaves word of who holds it, for whoever is refused.
    pub fn sign(&mut self, holder: &str) -> Result<(), String> {
        let mut write = || -> std::io::Result<()> {
            self.file.set_len(0)?;
            self.file.rewind()?;
            writeln!(self.file, "{holder}")
        };
        write().map_err(|error| format!("the lock file cannot be written: {error}"))
    }
}

/// Under a second name the same file would have another lock and another write-ahead log. Names that a restore left which
/// was cut short are not counted: whoever has the lock takes them away.
fn refuse_other_names(database: &Path) -> Result<(), String> {
    let known = 1 + copy::unfinished_names(database).len() as u64;
    match std::fs::metadata(database) {
        Ok(data) if data.is_file() && data.nlink() > known => Err(format!(
            "{}: the file has {} names (hard links), and two servers could use it at once; leave it one name",
            database.display(),
            data.nlink()
        )),
        _ => Ok(()),
    }
}
