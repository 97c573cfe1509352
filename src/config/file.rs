//! The config file.

use super::{
    BaseUrl, ChatPart, Config, HolidaysPart, Listen, LogFilter, MetricsPart, PlanPart,
    RateLimitPart, WebhooksPart, values,
};
use serde::Deserialize;
use std::path::{Path, PathBuf};

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    db: Option<PathBuf>,
    #[serde(deserialize_with = "values::text")]
    listen: Option<Listen>,
    #[serde(deserialize_with = "values::text")]
    base_url: Option<BaseUrl>,
    #[serde(deserialize_with = "values::text")]
    log: Option<LogFilter>,
    plan: PlanPart,
    holidays: HolidaysPart,
    rate_limit: RateLimitPart,
    webhooks: WebhooksPart,
    chat: ChatPart,
    metrics: MetricsPart,
}

/// Reads a config file. The error names the file, the line and the key.
pub(super) fn read(path: &Path) -> Result<Config, String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse(&text).map_err(|(line, why)| format!("{}:{line}: {why}", path.display()))
}

/// Parses a config file. The error is the line, from 1, and what is wrong, starting with the key.
pub(super) fn parse(text: &str) -> Result<Config, (usize, String)> {
    let document = toml::Deserializer::parse(text).map_err(|error| broken(text, "", &error))?;
    let file: File = serde_path_to_error::deserialize(document)
        .map_err(|error| broken(text, &error.path().to_string(), error.inner()))?;
    Ok(Config {
        db: file.db,
        listen: file.listen,
        base_url: file.base_url,
        log: file.log,
        plan: file.plan,
        holidays: file.holidays,
        rate_limit: file.rate_limit,
        webhooks: file.webhooks,
        chat: file.chat,
        metrics: file.metrics,
    })
}

fn broken(text: &str, key: &str, error: &toml::de::Error) -> (usize, String) {
    let at = error.span().map_or(0, |span| span.start).min(text.len());
    let line = 1 + text.as_bytes()[..at]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count();
    let message = error.message().replace('\n', ", ");
    let message = match message.split_once(", expected struct ") {
        Some((found, _)) => format!("{found}, expected a table"),
        None => message,
    };
    // The path already names the key.
    let message = match message
        .strip_prefix("unknown field `")
        .and_then(|rest| rest.split_once('`'))
    {
        Some((_, expected)) => format!("unknown key{expected}"),
        None => message,
    };
    let path = if key.is_empty() || key == "." {
        String::new()
    } else {
        format!("{key}: ")
    };
    (line, path + &message)
}
