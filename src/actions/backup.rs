//! When the database was last copied by `rota backup --into`, for status, metric and alert.

use super::Error;
use crate::store::{self, ReadTx, Store};
use jiff::Timestamp;

/// The fact that keeps it.
const LAST_BACKUP: &str = "last_backup";

/// A copy that was made and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The instant of the copy.
    pub at: Timestamp,
    pub bytes: u64,
    pub file: String,
}

/// Notes a copy.
///
/// # Errors
/// When the database that was copied cannot be written.
pub fn note(store: &Store, made: Made) -> Result<(), Error> {
    let text = format!("{} {} {}", made.at, made.bytes, made.file);
    store.write(move |tx| store::save_fact(tx, LAST_BACKUP, &text))
}

/// The last copy; `None` where none was noted.
///
/// # Errors
/// When the database cannot be read, or what it says of a copy.
pub fn last(tx: &ReadTx) -> Result<Option<Made>, Error> {
    let Some(text) = store::load_fact(tx, LAST_BACKUP)? else {
        return Ok(None);
    };
    let mut parts = text.splitn(3, ' ');
    let mut next = || parts.next().unwrap_or_default();
    match (next().parse(), next().parse(), next()) {
        (Ok(at), Ok(bytes), file) => Ok(Some(Made {
            at,
            bytes,
            file: file.to_owned(),
        })),
        _ => Err(Error::Corrupt(format!("{LAST_BACKUP}: {text:?}"))),
    }
}
