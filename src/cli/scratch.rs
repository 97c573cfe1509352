//! A folder for a database that is not kept.

use rand::RngExt;
use rand::distr::Alphanumeric;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// A folder of one's own below the system's temporary one; removed when dropped.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes it, readable for nobody else.
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
