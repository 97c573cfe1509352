//! `rota backup`: copies the database, also while a server uses it.

use super::output::tell;
use super::workspace::{existing_database, settings};
use super::{Failure, Place};
use crate::store::copy_database;
use clap::Args;
use std::path::PathBuf;

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
    let source = existing_database(&settings(place)?)?;
    copy_database(&source, &flags.file)?;
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
