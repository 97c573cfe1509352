//! `rota restore`: replaces the database with a copy.

use super::output::tell;
use super::workspace::{database, settings};
use super::{Failure, Place};
use crate::runtime::clock::Clock;
use crate::store::{Lock, REPLACED, are_same_file, check_database, replace_database};
use clap::Args;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
The copy is checked before anything is replaced. Stop the server first; what is replaced is kept
beside the database as NAME.replaced-TIME.

Examples:
  rota restore /backup/rota-2026-11-20.db";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// A file that `rota backup` created
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Restores the copy.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    let path = database(&settings(place)?)?;
    if are_same_file(&flags.file, &path) {
        return Err(Failure::Failed(format!(
            "{}: this is the database itself",
            flags.file.display()
        )));
    }
    check_database(&flags.file)?;
    let mut lock = Lock::take(&path)?;
    lock.sign(&format!("`rota restore`, process {}", std::process::id()))?;
    let kept = kept_name(&path);
    let replaced = replace_database(&path, &flags.file, &kept)?;
    tell(&format!(
        "restored {} from {}",
        path.display(),
        flags.file.display()
    ));
    if replaced {
        tell(&format!("kept the replaced database as {}", kept.display()));
    }
    Ok(())
}

/// Uses the system clock even with a development clock, because the name must be unique.
fn kept_name(path: &Path) -> PathBuf {
    let now = Clock::system().now().strftime("%Y%m%dT%H%M%S%.3fZ");
    let mut name = path.as_os_str().to_owned();
    name.push(format!("{REPLACED}{now}"));
    PathBuf::from(name)
}
