//! The config file. Every error names the line and the key, and says what to write instead.

use super::known::{self, Setting};
use super::{
    AuditPart, BaseUrl, CalendarsPart, ChatPart, Config, HolidaysPart, HttpPart, Listen, LogFilter,
    LoginPart, MailPart, MetricsPart, Origins, PartnersPart, PlanPart, RateLimitPart, SlackPart,
    WebhooksPart, values,
};
use crate::wire::strict::nearest;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

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
    calendars: CalendarsPart,
    chat: ChatPart,
    slack: SlackPart,
    mail: MailPart,
    metrics: MetricsPart,
    login: LoginPart,
    audit: AuditPart,
    partners: PartnersPart,
    http: HttpPart,
}

/// What to do where a file cannot be read that somebody named.
pub(super) const NAMED: &str = "name a TOML file by --config or ROTA_CONFIG, or neither";

/// What to do where the file cannot be read that nobody named.
pub(super) const USUAL: &str = "run this as root or as the user of the service, or name a config file by --config or a database by --db";

/// Reads a config file. The error names the file, the line and the key; that of a file that cannot be read ends with the advice.
pub(super) fn read(path: &Path, advice: &str) -> Result<Config, String> {
    let name = path.display();
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}; {advice}"))?;
    let config = parse(&text).map_err(|(line, why)| format!("{name}:{line}: {why}"))?;
    let origin = |(setting, line): (&Setting, usize)| {
        let path = setting.path();
        let origin = format!("{name}:{line}: {path}");
        (path, origin)
    };
    let origins = Origins(lines(&text).map(origin).collect());
    Ok(Config {
        file: Some(path.to_owned()),
        origins,
        ..config
    })
}

/// Parses a config file. The error is the line, from 1, and what is wrong, starting with the key.
pub(super) fn parse(text: &str) -> Result<Config, (usize, String)> {
    let table = DeTable::parse(text).map_err(|error| malformed(text, &error))?;
    let file: File = serde_path_to_error::deserialize(toml::Deserializer::from(table))
        .map_err(|error| misused(text, &error.path().to_string(), error.inner()))?;
    Ok(Config {
        db: file.db,
        listen: file.listen,
        base_url: file.base_url,
        log: file.log,
        plan: file.plan,
        holidays: file.holidays,
        rate_limit: file.rate_limit,
        webhooks: file.webhooks,
        calendars: file.calendars,
        chat: file.chat,
        slack: file.slack,
        mail: file.mail,
        metrics: file.metrics,
        login: file.login,
        audit: file.audit,
        partners: file.partners,
        http: file.http,
        file: None,
        origins: Origins::default(),
    })
}

/// The settings that a well-formed file has, each with its line, from 1.
fn lines(text: &str) -> impl Iterator<Item = (&'static Setting, usize)> {
    let table = DeTable::parse(text).ok();
    known::SETTINGS.iter().filter_map(move |setting| {
        let top = table.as_ref()?.get_ref();
        let names = setting.table.split('.').filter(|name| !name.is_empty());
        let mut table = top;
        for name in names {
            table = match table.get(name)?.get_ref() {
                DeValue::Table(table) => table,
                _ => return None,
            };
        }
        let (key, _) = table.get_key_value(setting.key)?;
        Some((setting, line_of(text, key.span().start)))
    })
}

/// The line of a byte, from 1.
fn line_of(text: &str, at: usize) -> usize {
    let before = &text.as_bytes()[..at.min(text.len())];
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

fn start_of(error: &toml::de::Error) -> usize {
    error.span().map_or(0, |span| span.start)
}

/// What is wrong with a text that is not TOML. Most often it is a value without quotes.
fn malformed(text: &str, error: &toml::de::Error) -> (usize, String) {
    let number = line_of(text, start_of(error));
    let why = error.message().replace('\n', ", ");
    let mut before = text.lines().take(number - 1);
    let header = |line: &str| {
        let name = line.trim().strip_prefix('[')?.split(']').next()?;
        Some(name.trim().to_owned())
    };
    let table = before
        .by_ref()
        .filter_map(header)
        .last()
        .unwrap_or_default();
    let line = text.lines().nth(number - 1).unwrap_or_default();
    let Some((key, value)) = line.split_once('=') else {
        let advice = match header(line) {
            Some(_) => format!("write a table as [{}]", known::tables()[0]),
            None => format!(
                "write KEY = VALUE with text in quotes, such as {}",
                known::SETTINGS[1].line()
            ),
        };
        return (number, format!("{why}; {advice}"));
    };
    let (key, value) = (key.trim(), value.trim());
    let path = match table.as_str() {
        "" => key.to_owned(),
        table => format!("{table}.{key}"),
    };
    let setting = Setting::find(&path);
    let wants = |first: &[char]| setting.is_some_and(|setting| setting.example.starts_with(first));
    let has_quotes = value.contains(['"', '\'']);
    let is_bare = !value.is_empty() && !value.starts_with(['"', '\'', '[', '{', '#']);
    let why = if wants(&['[']) && !has_quotes {
        "this is a list of text in quotes".to_owned()
    } else {
        why
    };
    let is_secret = setting.is_some_and(Setting::is_secret);
    let why = if is_bare && !is_secret && !wants(&['[']) && !why.starts_with("duplicate") {
        let value = value.split(" #").next().unwrap_or_default().trim_end();
        let value = value.trim_matches('"').replace('\\', "\\\\");
        format!("text needs quotes; write {key} = \"{value}\"")
    } else {
        match setting {
            Some(setting) => format!("{why}; write {}", setting.line()),
            None => format!(
                "{why}; write KEY = VALUE, such as {}",
                known::SETTINGS[1].line()
            ),
        }
    };
    (number, format!("{path}: {why}"))
}

/// What is wrong with a key or its value.
fn misused(text: &str, path: &str, error: &toml::de::Error) -> (usize, String) {
    let number = line_of(text, start_of(error));
    let message = error.message().replace('\n', ", ");
    // An item of a list is told by the key of the list.
    let path = path.split('[').next().unwrap_or_default();
    if message.starts_with("unknown field `") {
        return (number, format!("{path}: unknown key; {}", meant(path)));
    }
    let Some(setting) = Setting::find(path) else {
        let keys = known::keys(path);
        let key = keys.first().copied().unwrap_or_default();
        let line = example(path, key);
        let advice =
            format!("write [{path}] alone on a line, and below it its keys, such as {line}");
        return (number, format!("{path}: this is a table; {advice}"));
    };
    let why = match told(&message) {
        _ if setting.is_secret() && message.starts_with("invalid ") => {
            format!("this is not text in quotes; write {}", setting.line())
        }
        // The parsers of values say what to write.
        why if why.contains("; write ") || why.contains(": write ") => why,
        why => format!("{why}; write {}", setting.line()),
    };
    (number, format!("{path}: {why}"))
}

/// A message of serde in words of TOML.
fn told(message: &str) -> String {
    let wrong = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "));
    let Some((found, expected)) = wrong.and_then(|wrong| wrong.split_once(", expected ")) else {
        return message.to_owned();
    };
    let found = match found {
        "sequence" => "a list",
        "map" => "a table",
        found => found
            .trim_start_matches("string ")
            .trim_start_matches("integer "),
    };
    let expected = match expected {
        "a sequence" => "a list",
        "u32" | "u64" => "a whole number from 0 up, or too large",
        expected if expected.starts_with("struct ") => "a table",
        // Of a path.
        expected if expected.contains("string") => "text in quotes",
        expected => expected,
    };
    format!(
        "{} is not {expected}",
        found.replace('`', "").replace(" as i128", "")
    )
}

/// The line that sets a key, as an example.
fn example(table: &str, key: &str) -> String {
    let path = match table {
        "" => key.to_owned(),
        table => format!("{table}.{key}"),
    };
    Setting::find(&path).map(Setting::line).unwrap_or_default()
}

/// Which key was probably meant by one that is unknown.
fn meant(path: &str) -> String {
    let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
    let below = |table: &str| match table {
        "" => "above the first table".to_owned(),
        table => format!("below [{table}]"),
    };
    if let Some(near) = nearest(key, &known::keys(table)) {
        return format!("did you mean {near}? Write {}", example(table, near));
    }
    if table.is_empty()
        && let Some(near) = nearest(key, &known::tables())
    {
        return format!(
            "did you mean [{near}]? Its keys are {}",
            known::keys(near).join(", ")
        );
    }
    let mut elsewhere = known::SETTINGS.iter();
    let elsewhere = elsewhere.find(|setting| nearest(key, &[setting.key]).is_some());
    if let Some(setting) = elsewhere {
        let place = below(setting.table);
        return format!(
            "did you mean {}? Write {} {place}",
            setting.path(),
            setting.line()
        );
    }
    match table {
        "" => format!(
            "known are {} and the tables {}; write for example {}",
            known::keys("").join(", "),
            known::tables().join(", "),
            known::SETTINGS[1].line()
        ),
        table => {
            let keys = known::keys(table);
            let example = keys.first().map(|key| example(table, key));
            format!(
                "known are {}; write for example {}",
                keys.join(", "),
                example.unwrap_or_default()
            )
        }
    }
}

/// What serde says of a file with an unknown key, with the keys that it knows.
#[cfg(test)]
pub(super) fn unknown_key(document: toml::Deserializer) -> String {
    let file = File::deserialize(document);
    file.err()
        .map_or_else(String::new, |error| error.message().to_owned())
}
