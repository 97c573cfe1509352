//! Property tests: a file and the environment give the same settings, and an error names the right line.

use super::*;
use crate::tests::{bent_text, try_out};
use proptest::prelude::*;

fn some_duration() -> impl Strategy<Value = String> {
    prop_oneof![8 => "[0-9]{1,4}[smhd]", 1 => "[0-9]{15,21}[smhd]", 1 => "[0-9]{0,3}[a-zA-Z]?"]
}

#[test]
fn durations_are_digits_and_a_unit() {
    try_out(4_000, 30..=85, bent_text(some_duration()), |text| {
        let units = [('s', 1), ('m', 60), ('h', 3_600), ('d', 86_400)];
        let known = units.iter().find(|(unit, _)| text.ends_with(*unit));
        let expected = known.and_then(|(_, seconds)| {
            let digits = &text[..text.len() - 1];
            let plain = !digits.is_empty() && digits.chars().all(|digit| digit.is_ascii_digit());
            let count = digits.trim_start_matches('0');
            let count: u128 = if count.is_empty() {
                0
            } else {
                count.get(..count.len().min(30))?.parse().ok()?
            };
            u64::try_from(count * seconds).ok().filter(|_| plain)
        });
        let read = duration(&text);
        prop_assert_eq!(
            read.clone().ok(),
            expected.map(Duration::from_secs),
            "{}",
            text
        );
        prop_assert_eq!(
            lifetime(&text).ok(),
            read.clone().ok().filter(|length| !length.is_zero())
        );
        if let Err(why) = &read {
            prop_assert!(
                why.contains("90s") && !why.contains(char::is_control),
                "{:?}",
                why
            );
        }
        Ok(read.is_ok())
    });
}

/// Quotes a string for TOML.
fn quoted(text: &str) -> String {
    let escape = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\U{:08x}", u32::from(c)),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

/// Table and key in the file, the variable, a generated value, and its form in the file.
fn some_setting()
-> impl Strategy<Value = ((&'static str, &'static str, &'static str), String, Form)> {
    let text = |setting, values: BoxedStrategy<String>| {
        (Just(setting), bent_text(values), Just(Form::Text)).boxed()
    };
    let number = |setting, values: BoxedStrategy<i64>| {
        (
            Just(setting),
            values.prop_map(|n| n.to_string()),
            Just(Form::Number),
        )
            .boxed()
    };
    let list = |setting, values: BoxedStrategy<String>| {
        (
            Just(setting),
            prop::collection::vec(bent_text(values), 1..4).prop_map(|items| items.join(",")),
            Just(Form::List),
        )
            .boxed()
    };
    let whole = || prop_oneof![0..200_i64, 0..=i64::MAX].boxed();
    prop_oneof![
        text(("", "db", "ROTA_DB"), "[a-z/.]{1,8}".boxed()),
        text(
            ("", "listen", "ROTA_LISTEN"),
            "([a-z.]{1,6}|\\[::1\\]|127\\.0\\.0\\.1):[0-9]{1,5}".boxed()
        ),
        text(
            ("", "base_url", "ROTA_BASE_URL"),
            "https?://[a-z.]{1,6}(:[0-9]{1,4})?(/[a-z]{0,3}){0,2}".boxed()
        ),
        text(("plan", "name", "ROTA_PLAN_NAME"), "(free|pro)".boxed()),
        number(
            ("plan", "max_rotations", "ROTA_PLAN_MAX_ROTATIONS"),
            whole()
        ),
        number(("plan", "max_people", "ROTA_PLAN_MAX_PEOPLE"), whole()),
        text(
            ("holidays", "file", "ROTA_HOLIDAYS_FILE"),
            "[a-z/.]{1,8}".boxed()
        ),
        number(
            (
                "rate_limit",
                "requests_per_minute",
                "ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE"
            ),
            whole()
        ),
        number(("rate_limit", "burst", "ROTA_RATE_LIMIT_BURST"), whole()),
        list(
            ("webhooks", "ladder", "ROTA_WEBHOOKS_LADDER"),
            "[0-9]{1,3}[smh]".boxed()
        ),
        list(
            ("http", "trusted_proxies", "ROTA_HTTP_TRUSTED_PROXIES"),
            "(10\\.[0-9]{1,3}\\.0\\.0/(16|24)|fd12::/32|::1)".boxed()
        ),
        list(
            ("webhooks", "allow_nets", "ROTA_WEBHOOKS_ALLOW_NETS"),
            "(10\\.[0-9]{1,3}\\.0\\.0/(16|24)|fd12::/32|::1)".boxed()
        ),
        text(
            ("webhooks", "extra_ca_file", "ROTA_WEBHOOKS_EXTRA_CA_FILE"),
            "[a-z/.]{1,8}".boxed()
        ),
        text(
            ("webhooks", "trust", "ROTA_WEBHOOKS_TRUST"),
            "(bundled|system)".boxed()
        ),
        text(
            ("chat", "reminder_before", "ROTA_CHAT_REMINDER_BEFORE"),
            some_duration().boxed()
        ),
    ]
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Text,
    Number,
    List,
}

#[test]
fn file_and_environment_agree() {
    try_out(
        3_000,
        40..=95,
        some_setting(),
        |((table, key, variable), value, form)| {
            // The environment trims values, and an empty value is unset.
            let items: Vec<&str> = value.split(',').map(str::trim).collect();
            let value = value.trim();
            if value.is_empty() {
                return Ok(false);
            }
            let written = match form {
                Form::Text => quoted(value),
                Form::Number => value.to_owned(),
                Form::List => format!(
                    "[{}]",
                    items
                        .iter()
                        .map(|item| quoted(item))
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
            };
            let head = if table.is_empty() {
                String::new()
            } else {
                format!("\n# x\n[{table}]\n")
            };
            let from_file = file::parse(&format!("{head}{key} = {written}\n"));
            // Environment variables with paths may be any bytes.
            let from_environment = load(Config::default(), &[(variable, value)]);
            match (&from_file, &from_environment) {
                (Ok(file), Ok(environment)) => {
                    let origins = Origins::default();
                    let environment = Config {
                        origins,
                        ..environment.clone()
                    };
                    prop_assert_eq!(file, &environment);
                }
                (Err((line, why)), Err(error)) => {
                    prop_assert_eq!(*line, if table.is_empty() { 1 } else { 4 }, "{}", why);
                    let path = if table.is_empty() {
                        key.to_owned()
                    } else {
                        format!("{table}.{key}")
                    };
                    prop_assert!(why.starts_with(&path), "{}", why);
                    prop_assert!(error.starts_with(&format!("{variable}: ")), "{}", error);
                    prop_assert!(!why.contains('\n') && !error.contains('\n'));
                }
                _ => {
                    return Err(TestCaseError::fail(format!(
                        "{key} = {written}: {from_file:?}, {from_environment:?}"
                    )));
                }
            }
            if let Ok(config) = &from_file {
                // A setting's displayed form parses to the same setting.
                let listen = config
                    .listen
                    .as_ref()
                    .map(|listen| listen.to_string().parse::<Listen>());
                prop_assert_eq!(listen, config.listen.clone().map(Ok));
                let base = config
                    .base_url
                    .as_ref()
                    .map(|url| url.to_string().parse::<BaseUrl>());
                prop_assert_eq!(base, config.base_url.clone().map(Ok));
            }
            Ok(from_file.is_ok())
        },
    );
}

#[test]
fn file_errors_name_the_line() {
    let whole = "# rota\ndb = 'x.db'\nlisten = \"127.0.0.1:80\"\n\n[plan]\nname = 'free'\nmax_people = 7\n[webhooks]\n\
                 ladder = [\"30s\", \"5m\"]\nallow_nets = [\n  '10.0.0.0/8',\n]\n[chat]\nreminder_before = '1h'\n";
    try_out(
        3_000,
        25..=80,
        bent_text(Just(whole.to_owned())),
        |text| match file::parse(&text) {
            Ok(config) => {
                prop_assert_eq!(&over(config.clone(), &[]), &config);
                let listening = over(config.clone(), &[("ROTA_LISTEN", "a:1")]);
                prop_assert_eq!(&listening.db, &config.db);
                let more = format!(
                    "{text}
# more"
                );
                prop_assert_eq!(file::parse(&more), Ok(config));
                Ok(true)
            }
            Err((line, why)) => {
                let lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
                prop_assert!((1..=lines).contains(&line), "{}: {}", line, why);
                prop_assert!(!why.is_empty() && !why.contains('\n'), "{:?}", why);
                Ok(false)
            }
        },
    );
}
