//! The config file. Every error names the line and the key, and says what to write instead.

use super::Config;
use super::known::{self, SETTINGS};
use super::table::{Given, Setting, Wrong};
use crate::wire::strict::nearest;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What to do where a file cannot be read that somebody named.
pub(super) const NAMED: &str = "name a TOML file by --config or ROTA_CONFIG, or neither";

/// What to do where the file cannot be read that nobody named.
pub(super) const USUAL: &str = "run this as root or as the user of the service, or name a config file by --config or a database by --db";

/// Reads a config file. The error names the file, the line and the key; that of a file that cannot be read ends with the advice.
pub(super) fn read(path: &Path, advice: &str) -> Result<Config, String> {
    let name = path.display().to_string();
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}; {advice}"))?;
    let mut config = Config {
        file: Some(path.to_owned()),
        ..Config::default()
    };
    lay(&mut config, &name, &text).map_err(|(line, why)| format!("{name}:{line}: {why}"))?;
    Ok(config)
}

/// Lays the settings of a file over what is set. The error is the line, from 1, and what is wrong, starting with the key.
pub(super) fn lay(config: &mut Config, name: &str, text: &str) -> Result<(), (usize, String)> {
    let table = DeTable::parse(text).map_err(|error| malformed(text, &error))?;
    let table = table.get_ref();
    refuse_unknown(text, table, "")?;
    let given = |setting: &Setting| Some(Given::Value(find(table, setting)?.1));
    let origin = |setting: &Setting| {
        let line = find(table, setting).map_or(1, |(start, _)| line_of(text, start));
        format!("{name}:{line}: {}", setting.path())
    };
    config
        .lay(&given, &origin)
        .map_err(|wrong| misused(text, wrong))
}

/// A setting in a file: where its key begins, and its value.
fn find<'a>(
    mut table: &'a DeTable<'a>,
    setting: &Setting,
) -> Option<(usize, &'a Spanned<DeValue<'a>>)> {
    for name in setting.table.split('.').filter(|name| !name.is_empty()) {
        table = match table.get(name)?.get_ref() {
            DeValue::Table(table) => table,
            _ => return None,
        };
    }
    let (key, value) = table.get_key_value(setting.key)?;
    Some((key.span().start, value))
}

/// Refuses keys that are no settings, and values that stand where tables have to.
fn refuse_unknown(text: &str, table: &DeTable, above: &str) -> Result<(), (usize, String)> {
    for (key, value) in table {
        let path = path_of(above, key.get_ref());
        let below = format!("{path}.");
        let is_table =
            |setting: &Setting| setting.table == path || setting.table.starts_with(&below);
        // A key in quotes may have a dot, and is then no path.
        let is_plain = !key.get_ref().contains('.');
        if is_plain && known::find(&path).is_some() {
            continue;
        }
        if !is_plain || !SETTINGS.iter().any(is_table) {
            let why = format!("{path}: unknown key; {}", meant(&path));
            return Err((line_of(text, key.span().start), why));
        }
        let DeValue::Table(table) = value.get_ref() else {
            let key = known::keys(&path).first().copied().unwrap_or_default();
            let line = example(&path, key);
            let why = format!(
                "{path}: this is a table; write [{path}] alone on a line, and below it its keys, such as {line}"
            );
            return Err((line_of(text, value.span().start), why));
        };
        refuse_unknown(text, table, &path)?;
    }
    Ok(())
}

/// The path of a key in a table.
fn path_of(table: &str, key: &str) -> String {
    match table {
        "" => key.to_owned(),
        table => format!("{table}.{key}"),
    }
}

/// The line of a byte, from 1.
fn line_of(text: &str, at: usize) -> usize {
    let before = &text.as_bytes()[..at.min(text.len())];
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

/// What is wrong with a text that is not TOML. Most often it is a value without quotes.
fn malformed(text: &str, error: &toml::de::Error) -> (usize, String) {
    let number = line_of(text, error.span().map_or(0, |span| span.start));
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
                SETTINGS[1].line()
            ),
        };
        return (number, format!("{why}; {advice}"));
    };
    let (key, value) = (key.trim(), value.trim());
    let path = path_of(&table, key);
    let setting = known::find(&path);
    let wants = |first: &[char]| setting.is_some_and(|setting| setting.example.starts_with(first));
    let has_quotes = value.contains(['"', '\'']);
    let is_bare = !value.is_empty() && !value.starts_with(['"', '\'', '[', '{', '#']);
    let why = if wants(&['[']) && !has_quotes {
        "this is a list of text in quotes".to_owned()
    } else {
        why
    };
    let is_secret = setting.is_some_and(|setting| setting.is_secret);
    let why = if is_bare && !is_secret && !wants(&['[']) && !why.starts_with("duplicate") {
        let value = value.split(" #").next().unwrap_or_default().trim_end();
        let value = value.trim_matches('"').replace('\\', "\\\\");
        format!("text needs quotes; write {key} = \"{value}\"")
    } else {
        match setting {
            Some(setting) => format!("{why}; write {}", setting.line()),
            None => format!("{why}; write KEY = VALUE, such as {}", SETTINGS[1].line()),
        }
    };
    (number, format!("{path}: {why}"))
}

/// What is wrong with the value of a setting.
fn misused(text: &str, wrong: Wrong) -> (usize, String) {
    let (path, line) = (wrong.setting.path(), wrong.setting.line());
    let why = match wrong.why {
        // The parsers of values say what to write.
        why if why.contains("; write ") || why.contains(": write ") => why,
        why => format!("{why}; write {line}"),
    };
    (line_of(text, wrong.at), format!("{path}: {why}"))
}

/// The line that sets a key, as an example.
fn example(table: &str, key: &str) -> String {
    known::line_of(&path_of(table, key))
}

/// Which key was probably meant by one that is unknown.
fn meant(path: &str) -> String {
    let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
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
    let mut elsewhere = SETTINGS.iter();
    let elsewhere = elsewhere.find(|setting| nearest(key, &[setting.key]).is_some());
    if let Some(setting) = elsewhere {
        let place = match setting.table {
            "" => "above the first table".to_owned(),
            table => format!("below [{table}]"),
        };
        let (path, line) = (setting.path(), setting.line());
        return format!("did you mean {path}? Write {line} {place}");
    }
    let keys = known::keys(table);
    let (tables, example) = match table {
        "" => {
            let tables = known::tables().join(", ");
            (format!(" and the tables {tables}"), SETTINGS[1].line())
        }
        table => (
            String::new(),
            example(table, keys.first().copied().unwrap_or_default()),
        ),
    };
    let keys = keys.join(", ");
    format!("known are {keys}{tables}; write for example {example}")
}
