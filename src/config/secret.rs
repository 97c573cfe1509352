//! Secrets in settings: written as they are, or as the path of a file that holds the secret alone.

use super::Origins;
use super::known::Setting;
use std::path::{Path, PathBuf};

/// Both ways to set a secret, as one layer has them.
pub(super) type Ways<T> = (Option<T>, Option<PathBuf>);

/// The way that the upper layer has, whichever it is, else that of the one below.
pub(super) fn over<T>(upper: Ways<T>, below: Ways<T>) -> Ways<T> {
    match upper {
        (None, None) => below,
        own => own,
    }
}

/// The secret of a setting, such as `slack.bot_token`; `None` if it is set in neither way. Reads its file.
///
/// # Errors
/// Where the file was set, and what to write, if it is set in both ways, or if the file cannot be read or does not fit.
pub(super) fn read<T: Clone>(
    path: &str,
    (value, file): (&Option<T>, &Option<PathBuf>),
    origins: &Origins,
    parse: fn(&str) -> Result<T, String>,
) -> Result<Option<T>, String> {
    let path = format!("{path}_file");
    let origin = origins.of(&path);
    match (value, file) {
        (Some(_), Some(_)) => {
            let file = path.rsplit('.').next().unwrap_or_default();
            let key = file.trim_end_matches("_file");
            Err(format!(
                "{origin}: it is set twice; write {key} or {file}, not both"
            ))
        }
        (value, None) => Ok(value.clone()),
        (None, Some(file)) => one_line(file)
            .and_then(|text| parse(&text))
            .map(Some)
            .map_err(|why| {
                let line = Setting::find(&path).map(Setting::line).unwrap_or_default();
                format!(
                    "{origin}: {}: {why}; the file holds the value alone: write {line}",
                    file.display()
                )
            }),
    }
}

/// The only line of a file.
pub(super) fn one_line(file: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    match text.trim() {
        "" => Err("nothing is in it".into()),
        text if text.contains(['\n', '\r']) => Err("it has more than one line".into()),
        text => Ok(text.to_owned()),
    }
}
