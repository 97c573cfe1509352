//! Every setting: where it is written, and what it can look like.

use super::Config;
use super::table::{Setting, Table};
use crate::wire::strict::nearest;
use std::sync::LazyLock;

/// The settings, table by table.
pub static SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    let mut found = Vec::new();
    Config::settings(&mut found);
    found
});

/// The setting of a path such as `webhooks.ladder`.
pub fn find(path: &str) -> Option<&'static Setting> {
    let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
    let found = |setting: &&Setting| setting.table == table && setting.key == key;
    SETTINGS.iter().find(found)
}

/// The line that sets the setting of a path, as an example; empty where there is none.
pub fn line_of(path: &str) -> String {
    find(path).map(Setting::line).unwrap_or_default()
}

/// The tables, each once.
pub fn tables() -> Vec<&'static str> {
    let mut tables: Vec<&str> = SETTINGS.iter().map(|setting| setting.table).collect();
    tables.dedup();
    tables.retain(|table| !table.is_empty());
    tables
}

/// The keys of a table.
pub fn keys(table: &str) -> Vec<&'static str> {
    let of_table = SETTINGS.iter().filter(|setting| setting.table == table);
    of_table.map(|setting| setting.key).collect()
}

/// Variables that begin like settings and are none: which file is read, what `rota dev` prints, what tests set.
const OTHERS: [&str; 3] = ["ROTA_CONFIG", "ROTA_URL", "ROTA_API_KEY"];
const OTHER_BEGINNINGS: [&str; 3] = ["ROTA_TOKEN_", "ROTA_FAULT_", "ROTA_FAILPOINTS"];

/// What to say of a variable that is no setting and resembles one; `None` of every other.
pub fn resembling(variable: &str) -> Option<String> {
    let name = variable.strip_prefix("ROTA_")?;
    let other = OTHER_BEGINNINGS
        .iter()
        .any(|other| variable.starts_with(other));
    let variables: Vec<String> = SETTINGS.iter().map(Setting::variable).collect();
    if other || OTHERS.contains(&variable) || variables.iter().any(|known| known == variable) {
        return None;
    }
    let bare: Vec<&str> = variables
        .iter()
        .map(|known| &known["ROTA_".len()..])
        .collect();
    // A table too many or too few is no misspelling, but it is meant for the setting.
    let tail = |known: &&&str| is_tail(known, name) || is_tail(name, known);
    let meant = nearest(name, &bare).or_else(|| bare.iter().find(tail).copied());
    meant
        .map(|meant| format!("{variable} is no setting and is ignored; did you mean ROTA_{meant}?"))
}

fn is_tail(short: &str, long: &str) -> bool {
    let rest = long.strip_suffix(short);
    !short.is_empty() && rest.is_some_and(|rest| rest.ends_with('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_resemble_settings_are_told() {
        for (variable, meant) in [
            ("ROTA_LISTN", "ROTA_LISTEN"),
            ("ROTA_BASEURL", "ROTA_BASE_URL"),
            ("ROTA_WEBHOOK_LADDER", "ROTA_WEBHOOKS_LADDER"),
            ("ROTA_LADDER", "ROTA_WEBHOOKS_LADDER"),
            ("ROTA_TRUSTED_PROXIES", "ROTA_HTTP_TRUSTED_PROXIES"),
            ("ROTA_HTTP_LISTEN", "ROTA_LISTEN"),
            ("ROTA_RATELIMIT_BURST", "ROTA_RATE_LIMIT_BURST"),
            ("ROTA_listen", "ROTA_LISTEN"),
            ("ROTA_LISTEN", ""),
            ("ROTA_CONFIG", ""),
            ("ROTA_URL", ""),
            ("ROTA_API_KEY", ""),
            ("ROTA_TOKEN_UADA", ""),
            ("ROTA_TEAM", ""),
            ("ROTA_", ""),
            ("ROTA_OTHER", ""),
            ("LISTN", ""),
        ] {
            let expected = (!meant.is_empty())
                .then(|| format!("{variable} is no setting and is ignored; did you mean {meant}?"));
            assert_eq!(resembling(variable), expected, "{variable}");
        }
    }
}
