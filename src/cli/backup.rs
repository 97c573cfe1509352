//! `rota backup`: copies the database, also while a server uses it, and keeps the newest copies of a folder.

use super::output::tell;
use super::workspace::{Missing, existing_database, open_with_clock, settings};
use super::{Failure, Place};
use crate::actions::backup::{self, Made};
use crate::store::{Copies, check_database, copy_database};
use clap::Args;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
The copy is of one instant and needs no other file. A file that exists is not overwritten. With --into the copy is checked to its
end, and `rota status` and a metric say when the last one was made.

Examples:
  rota backup /backup/rota-$(date +%F).db
  rota backup --into /var/lib/rota/backups --keep 14      as rota-backup.service does every night";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// The new file
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// A folder for copies that are named after their time; made if it is missing
    #[arg(long, value_name = "FOLDER", conflicts_with = "file")]
    into: Option<PathBuf>,
    /// Keep this many of the newest copies in the folder and delete older ones
    #[arg(long, value_name = "N")]
    keep: Option<NonZeroUsize>,
}

/// Makes the copy.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    let source = existing_database(&settings(place)?)?;
    match (flags.file, flags.into) {
        (Some(_), _) if flags.keep.is_some() => Err(Failure::Usage(
            "--keep: goes with --into, not with a file".into(),
        )),
        (Some(file), _) => copy(&source, &file).map(drop),
        (None, Some(folder)) => copy_into(&source, folder, flags.keep),
        (None, None) => Err(Failure::Usage(
            "name a file, or a folder with --into".into(),
        )),
    }
}

/// Copies; returns how many bytes.
fn copy(source: &Path, file: &Path) -> Result<u64, Failure> {
    copy_database(source, file)?;
    let size = std::fs::metadata(file)
        .map(|data| data.len())
        .unwrap_or_default();
    tell(&format!(
        "copied {} to {} ({size} bytes)",
        source.display(),
        file.display()
    ));
    Ok(size)
}

fn copy_into(source: &Path, folder: PathBuf, keep: Option<NonZeroUsize>) -> Result<(), Failure> {
    let (store, clock) = open_with_clock(source, Missing::Refuse, None, None)?;
    let copies = Copies::in_folder(folder)?;
    let at = clock.now();
    let file = copies.name(at);
    let bytes = copy(source, &file)?;
    check_database(&file)?;
    let made = Made {
        at,
        file: file.display().to_string(),
        bytes,
    };
    backup::note(&store, made)?;
    let swept = copies.sweep(keep)?;
    for gone in &swept {
        tell(&format!("deleted {}", gone.display()));
    }
    Ok(())
}
