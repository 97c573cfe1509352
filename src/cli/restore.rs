//! `rota restore`: replaces the database with a copy.

use super::output::tell;
use super::workspace::{database, settings};
use super::{Failure, Place};
use crate::runtime::clock::Clock;
use crate::store::{
    Error, Inspection, Lock, REPLACED, are_same_file, check_database, find_epoch, load_marker,
    raise_epoch, replace_database,
};
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
    if let Some(marker) = load_marker(&path)? {
        return Err(Error::Standby(marker.first.into()).into());
    }
    check_database(&flags.file)?;
    let mut lock = Lock::take(&path)?;
    lock.sign(&format!("`rota restore`, process {}", std::process::id()))?;
    let kept = kept_name(&path);
    // What was promoted stays so: a server of an earlier epoch would give way to the one that it took over from.
    let epoch = Inspection::open(&path).and_then(|replaced| replaced.read(find_epoch));
    let replaced = replace_database(&path, &flags.file, &kept)?;
    if let Ok(Some(epoch)) = epoch {
        raise_epoch(&path, epoch.number)?;
    }
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
