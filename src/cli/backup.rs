//! `rota backup`: a copy of the database, also while a server uses it.

use super::output::tell;
use super::workspace::{database, settings};
use super::{Failure, Place};
use crate::store::{copy_database, unfinished};
use clap::Args;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

const EXAMPLES: &str = "\
The copy is of one instant and needs no other file. A file that exists is not overwritten.

Examples:
  rota backup /backup/rota-$(date +%F).db";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// The new file
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Makes the copy.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    let source = database(&settings(place)?)?;
    copy_with_progress(&source, &flags.file)?;
    let size = std::fs::metadata(&flags.file)
        .map(|data| data.len())
        .unwrap_or_default();
    tell(&format!(
        "copied {} to {} ({size} bytes)",
        source.display(),
        flags.file.display()
    ));
    Ok(())
}

/// SQLite copies in one step and tells nothing, but the copy can be watched growing.
fn copy_with_progress(source: &Path, target: &Path) -> Result<(), Failure> {
    if !std::io::stderr().is_terminal() {
        return Ok(copy_database(source, target)?);
    }
    let (done, finished) = channel::<()>();
    let growing = unfinished(target);
    let copied = std::thread::scope(|scope| {
        scope.spawn(move || show_growth(&growing, &finished));
        let copied = copy_database(source, target);
        drop(done);
        copied
    });
    Ok(copied?)
}

fn show_growth(file: &Path, finished: &Receiver<()>) {
    let mut stderr = std::io::stderr();
    while finished.recv_timeout(Duration::from_millis(200)) == Err(RecvTimeoutError::Timeout) {
        let size = std::fs::metadata(file)
            .map(|data| data.len())
            .unwrap_or_default();
        // Progress is for whoever looks on; a terminal that has gone away must not fail the copy.
        drop(
            write!(stderr, "\rcopying: {:.1} MB", size as f64 / 1e6).and_then(|()| stderr.flush()),
        );
    }
    drop(write!(stderr, "\r\x1b[K"));
}
