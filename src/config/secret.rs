//! Secrets in settings: written as they are, or as the path of a file that holds the secret alone.

use super::known::{self, SETTINGS};
use super::table::{Layer, Place, Setting, Spec, Table, Wrong, hidden, one, path};
use super::{Config, Origins};
use crate::client::Secret;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A secret as the uppermost layer has it that sets it in either way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    value: Option<Secret>,
    /// A file that holds it instead.
    file: Option<PathBuf>,
}

/// How a secret is set: by its key, or by the same key with `_file`.
pub(super) struct InEitherWay {
    parse: fn(&str) -> Result<Secret, String>,
    example: &'static str,
    file: &'static str,
}

/// A secret, with examples of its value and of its file.
pub(super) fn secret(
    parse: fn(&str) -> Result<Secret, String>,
    example: &'static str,
    file: &'static str,
) -> InEitherWay {
    InEitherWay {
        parse,
        example,
        file,
    }
}

impl Spec<Hidden> for InEitherWay {
    fn settings(&self, place @ (table, _, key): Place, found: &mut Vec<Setting>) {
        hidden(self.parse, self.example).settings(place, found);
        one(path, self.file).settings((table, key, ""), found);
    }

    fn read(
        &self,
        place @ (table, _, key): Place,
        field: &mut Hidden,
        layer: &Layer,
    ) -> Result<(), Wrong> {
        let mut own = Hidden::default();
        hidden(self.parse, self.example).read(place, &mut own.value, layer)?;
        one(path, self.file).read((table, key, ""), &mut own.file, layer)?;
        if own != Hidden::default() {
            *field = own;
        }
        Ok(())
    }

    fn secret_files<'a>(
        &self,
        (table, _, key): Place,
        field: &'a Hidden,
        found: &mut Vec<(String, &'a Path)>,
    ) {
        let file = field.file.as_deref();
        found.extend(file.map(|file| (format!("{table}.{key}"), file)));
    }
}

impl Hidden {
    /// The file that holds it, where one is set.
    pub(super) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The secret of a setting, such as `slack.bot_token`; `None` if it is set in neither way. Reads its file.
    ///
    /// # Errors
    /// Where the file was set, and what to write, if it is set in both ways, or if the file cannot be read or does not fit.
    pub(super) fn read(
        &self,
        path: &str,
        origins: &Origins,
        parse: fn(&str) -> Result<Secret, String>,
    ) -> Result<Option<Secret>, String> {
        let path = format!("{path}_file");
        let origin = origins.of(&path);
        match (&self.value, &self.file) {
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
                    let line = known::line_of(&path);
                    let file = file.display();
                    format!("{origin}: {file}: {why}; the file holds the value alone: write {line}")
                }),
        }
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

impl Config {
    /// The files with secrets that every user of this machine can read: a sentence each, with what makes them private.
    pub fn exposed_secrets(&self) -> Vec<String> {
        let keys = self.secrets_in_file();
        let own = self.file.as_deref().filter(|_| !keys.is_empty());
        let own = own.filter(|file| is_readable_by_all(file)).map(|file| {
            let name = file.display();
            format!(
                "{name}: every user of this machine can read it, and it holds {}; run: chmod o= {name}",
                keys.join(", ")
            )
        });
        let mut files = Vec::new();
        self.secret_files(&mut files);
        let webhooks = self.chat.incoming_webhook.iter().flatten();
        let urls = webhooks.filter_map(|webhook| webhook.url_file.as_deref());
        files.extend(urls.map(|file| ("chat.incoming_webhook".to_owned(), file)));
        files.retain(|(_, file)| is_readable_by_all(file));
        let files = files.iter().map(|(path, file)| {
            let (origin, name) = (self.origins.of(path), file.display());
            format!(
                "{origin}: every user of this machine can read {name}, which holds a secret; run: chmod o= {name}"
            )
        });
        own.into_iter().chain(files).collect()
    }

    /// The settings that the config file has and whose values are secrets.
    fn secrets_in_file(&self) -> Vec<String> {
        let Some(file) = &self.file else {
            return Vec::new();
        };
        let begins = format!("{}:", file.display());
        let mut webhooks = self.chat.incoming_webhook.iter().flatten();
        let has_url = webhooks.any(|webhook| webhook.url.is_some());
        let secrets = SETTINGS.iter().filter(|setting| match setting.key {
            "incoming_webhook" => has_url,
            _ => setting.is_secret,
        });
        let in_file = |path: &String| self.origins.of(path).starts_with(&begins);
        secrets.map(Setting::path).filter(in_file).collect()
    }
}

/// Whether every user can read a regular file: its mode says so, and every folder on its path lets them in.
fn is_readable_by_all(file: &Path) -> bool {
    let Ok(real) = file.canonicalize() else {
        return false;
    };
    let may = |path: &Path, bit: u32| {
        let data = path.metadata();
        data.is_ok_and(|data| data.mode() & bit != 0)
    };
    let mut folders = real.ancestors().skip(1);
    real.is_file() && may(&real, 0o004) && folders.all(|folder| may(folder, 0o001))
}
