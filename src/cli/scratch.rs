//! A temporary folder for a database.

use rand::RngExt;
use rand::distr::Alphanumeric;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// A folder below the system's temporary folder. Removed on drop.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Creates it, readable only by its owner.
    pub fn new() -> Result<Scratch, String> {
        let path = std::env::temp_dir().join(format!("rota-dev-{}", random_letters()));
        let made = std::fs::DirBuilder::new().mode(0o700).create(&path);
        made.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Scratch(path))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            log::warn!("{}: {error}", self.0.display());
        }
    }
}

fn random_letters() -> String {
    rand::rng()
        .sample_iter(Alphanumeric)
        .take(12)
        .map(char::from)
        .collect()
}
