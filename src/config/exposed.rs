//! Secrets in files that every user of this machine can read.

use super::Config;
use super::known::SETTINGS;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

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
        let files = self.secret_files().into_iter();
        let files = files.filter(|(_, file)| is_readable_by_all(file));
        let files = files.map(|(path, file)| {
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
            _ => setting.is_secret(),
        });
        let paths = secrets.map(|setting| setting.path());
        let in_file = |path: &String| self.origins.of(path).starts_with(&begins);
        paths.filter(in_file).collect()
    }

    /// The files that hold a secret alone, each with its setting.
    fn secret_files(&self) -> Vec<(&'static str, &PathBuf)> {
        let (slack, partners) = (&self.slack, &self.partners);
        let single = [
            ("slack.bot_token_file", &slack.bot_token_file),
            ("slack.app_token_file", &slack.app_token_file),
            ("slack.signing_secret_file", &slack.signing_secret_file),
            ("mail.password_file", &self.mail.password_file),
            (
                "login.oidc.client_secret_file",
                &self.login.oidc.client_secret_file,
            ),
            (
                "partners.pagerPartner.api_key_file",
                &partners.pager.api_key_file,
            ),
            (
                "partners.opsPartner.api_key_file",
                &partners.ops.api_key_file,
            ),
            (
                "partners.deskPartner.api_token_file",
                &partners.desk.api_token_file,
            ),
        ];
        let single = single
            .into_iter()
            .filter_map(|(path, file)| Some((path, file.as_ref()?)));
        let webhooks = self.chat.incoming_webhook.iter().flatten();
        let urls = webhooks.filter_map(|webhook| webhook.url_file.as_ref());
        single
            .chain(urls.map(|file| ("chat.incoming_webhook", file)))
            .collect()
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
