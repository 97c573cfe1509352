//! What is told of a config file that is wrong, and where a setting was set.

use super::super::*;
use super::{file, listening};

#[test]
fn file_errors_name_line_and_key() {
    let rows = [
        ("", (0, "")),
        (
            "lisen = 'a:1'",
            (
                1,
                "lisen: unknown key; did you mean listen? Write listen = \"127.0.0.1:8080\"",
            ),
        ),
        (
            "[plan]\n\nnmae = 'pro'",
            (
                3,
                "plan.nmae: unknown key; did you mean name? Write name = \"pro\"",
            ),
        ),
        (
            "[webhook]\nx = 1",
            (
                1,
                "webhook: unknown key; did you mean [webhooks]? Its keys are ladder, allow_nets",
            ),
        ),
        (
            "plan = 3",
            (
                1,
                "plan: this is a table; write [plan] alone on a line, and below it its keys, such as name",
            ),
        ),
        (
            "[webhooks]\nallow_net = []",
            (
                2,
                "webhooks.allow_net: unknown key; did you mean allow_nets? Write allow_nets = [\"10.1.0.0/16\"]",
            ),
        ),
        (
            "[webhooks]\nladder = ['1s', '5x']",
            (2, "webhooks.ladder: \"5x\" is not a duration; write"),
        ),
        (
            "[webhooks]\nladder = '1s'",
            (
                2,
                "webhooks.ladder: \"1s\" is not a list; write ladder = [\"30s\", \"5m\", \"1h\"]",
            ),
        ),
        (
            "[webhooks]\nladder = ['8d']",
            (2, "webhooks.ladder: \"8d\" is too long; write at most 7d"),
        ),
        (
            "[webhooks]\nallow_nets = ['10.1.0.0/16', '']",
            (
                2,
                "webhooks.allow_nets: \"\" is not a network: write an address or a CIDR",
            ),
        ),
        (
            "[webhooks]\ntrust = 'all'",
            (
                2,
                "webhooks.trust: \"all\" is not known; write \"bundled\" or",
            ),
        ),
        (
            "[chat]\nremind_before = '1h'",
            (
                2,
                "chat.remind_before: unknown key; did you mean reminder_before? Write reminder_before = \"1h\"",
            ),
        ),
        (
            "[chat]\nreminder_before = 'soon'",
            (2, "chat.reminder_before: \"soon\" is not a duration; write"),
        ),
        (
            "[chat]\nreminder_before = '30d'\n[plan]\nx = 1",
            (
                4,
                "plan.x: unknown key; known are name, max_rotations, max_people; write for example name",
            ),
        ),
        (
            "[chat]\nreminder_before = '721h'",
            (
                2,
                "chat.reminder_before: \"721h\" is too long; write at most 30d",
            ),
        ),
        (
            "[chat]\nreminder_before = 3600",
            (
                2,
                "chat.reminder_before: 3600 is not text in quotes; write reminder_before = \"1h\"",
            ),
        ),
        (
            "listen = 80",
            (
                1,
                "listen: 80 is not text in quotes; write listen = \"127.0.0.1:8080\"",
            ),
        ),
        ("\nlisten = '80'", (2, "listen: \"80\" is not an address")),
        (
            "[plan]\nname = 'gold'",
            (2, "plan.name: \"gold\" is not a plan"),
        ),
        (
            "[plan]\nmax_people = 'x'",
            (
                2,
                "plan.max_people: \"x\" is not a whole number from 0 up, or too large; write max_people = 1000",
            ),
        ),
        (
            "[plan]\nmax_people = -1",
            (
                2,
                "plan.max_people: -1 is not a whole number from 0 up, or too large; write max_people = 1000",
            ),
        ),
        (
            "[rate_limit]\nburst = 0",
            (2, "rate_limit.burst: 0 would refuse every request"),
        ),
        ("listen = ", (1, "listen: ")),
        (
            "log = 'info'\nlisten = 127.0.0.1:8080 # here",
            (
                2,
                "listen: text needs quotes; write listen = \"127.0.0.1:8080\"",
            ),
        ),
        (
            "[mail]\npassword = hunter2",
            (
                2,
                "mail.password: string values must be quoted, expected literal string; write password = \"secret\"",
            ),
        ),
        (
            "base_url = https://rota.example.org",
            (
                1,
                "base_url: text needs quotes; write base_url = \"https://rota.example.org\"",
            ),
        ),
        (
            "[metrics]\n# Who may read.\n  access = key",
            (
                3,
                "metrics.access: text needs quotes; write access = \"key\"",
            ),
        ),
        (
            "[chat]\nreminder_before = 1h",
            (
                2,
                "chat.reminder_before: text needs quotes; write reminder_before = \"1h\"",
            ),
        ),
        (
            "[http]\ntrusted_proxies = [10.1.0.0/16]",
            (
                2,
                "http.trusted_proxies: this is a list of text in quotes; write trusted_proxies = [\"127.0.0.1\"",
            ),
        ),
        (
            "[http]\ntrusted_proxies = 10.1.0.0/16",
            (
                2,
                "http.trusted_proxies: this is a list of text in quotes; write trusted_proxies = [\"127.0.0.1\"",
            ),
        ),
        (
            "[http]\ntrusted_proxies = '10.1.0.0/16'",
            (
                2,
                "http.trusted_proxies: \"10.1.0.0/16\" is not a list; write trusted_proxies = [\"127.0.0.1\", \"10.1.0.0/16\"]",
            ),
        ),
        (
            "[http]\ntrusted_proxies = ['10.1.0.1/16']",
            (
                2,
                "http.trusted_proxies: \"10.1.0.1/16\" is not the first address of its network: write 10.1.0.0/16 for",
            ),
        ),
        (
            "[http]\ntrusted_proxies = [1]",
            (
                2,
                "http.trusted_proxies: 1 is not text in quotes; write trusted_proxies = [",
            ),
        ),
        (
            "[plan]\nburst = 3",
            (
                2,
                "plan.burst: unknown key; did you mean rate_limit.burst? Write burst = 100 below [rate_limit]",
            ),
        ),
        (
            "trusted_proxies = []",
            (
                1,
                "trusted_proxies: unknown key; did you mean http.trusted_proxies? Write",
            ),
        ),
        (
            "colour = 3",
            (
                1,
                "colour: unknown key; known are db, listen, base_url, log and the tables http, ",
            ),
        ),
        ("[plan", (1, "")),
        ("listen", (1, "")),
        ("db = 'a'\ndb = 'b'", (2, "db: duplicate key; write db = ")),
    ];
    for (text, (line, expected)) in rows {
        let found = file::parse(text).err().unwrap_or_default();
        assert_eq!(found.0, line, "{text}: {found:?}");
        assert!(
            found.1.starts_with(expected)
                && !found.1.contains('\n')
                && (text.is_empty()
                    || found.1.to_lowercase().contains("write ")
                    || found.1.contains("keys are")),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn every_setting_is_known_with_a_good_example() {
    for setting in known::SETTINGS.iter() {
        let table = setting.table;
        let head = if table.is_empty() {
            String::new()
        } else {
            format!("[{table}]\n")
        };
        let text = format!("{head}{}", setting.line());
        let config = file::parse(&text).expect(&text);
        assert_ne!(config, Config::default(), "{text}");
    }
    let count = |mut names: Vec<String>| {
        names.sort_unstable();
        names.dedup();
        names.len()
    };
    let variables = known::SETTINGS.iter().map(Setting::variable);
    assert_eq!(count(variables.collect()), known::SETTINGS.len());
    let tables = known::tables().into_iter().map(str::to_owned);
    assert_eq!(count(tables.collect()), known::tables().len());
}

#[test]
fn what_is_set_knows_where() {
    let folder = std::env::temp_dir().join(format!("rota-origins-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("rota.toml");
    let text = "db = 'x.db'\nlisten = 'a:1'\n\n[webhooks]\n# Ours.\nextra_ca_file = 'ca.pem'\ntrust = 'system'\n";
    std::fs::write(&path, text).expect("a file");
    let environment = |name: &str| (name == "ROTA_WEBHOOKS_TRUST").then(|| "bundled".into());
    let config = Config::load(listening("b:2"), Some(path.clone()), None, &environment);
    let origins = config.expect("good values").origins;
    let name = path.display();
    for (setting, expected) in [
        ("db", format!("{name}:1: db")),
        ("listen", "--listen".to_owned()),
        (
            "webhooks.extra_ca_file",
            format!("{name}:6: webhooks.extra_ca_file"),
        ),
        ("webhooks.trust", "ROTA_WEBHOOKS_TRUST".to_owned()),
        ("holidays.file", "holidays.file".to_owned()),
    ] {
        assert_eq!(origins.of(setting), expected);
    }
    std::fs::remove_dir_all(&folder).expect("our folder");
}

/// The usual file is read where neither a file nor a database is named.
#[test]
fn the_usual_file_is_read_where_nothing_else_is_said() {
    let folder = std::env::temp_dir().join(format!("rota-usual-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file");
        path
    };
    let usual = file("usual.toml", "db = 'usual.db'\nlisten = 'usual:1'");
    let other = file("other.toml", "listen = 'other:1'");
    let absent = folder.join("absent").join("rota.toml");
    let on = |db: &str| Config {
        db: Some(db.into()),
        ..Config::default()
    };
    let other_name = other.to_string_lossy();
    type Variables<'a> = &'a [(&'a str, &'a str)];
    let rows: [(Config, Option<&PathBuf>, Variables, _, _); 7] = [
        (
            Config::default(),
            None,
            &[],
            Some("usual.db"),
            Some("usual:1"),
        ),
        (listening("a:1"), None, &[], Some("usual.db"), Some("a:1")),
        (Config::default(), Some(&other), &[], None, Some("other:1")),
        (
            Config::default(),
            None,
            &[("ROTA_CONFIG", &other_name)],
            None,
            Some("other:1"),
        ),
        (on("own.db"), None, &[], Some("own.db"), None),
        (
            Config::default(),
            None,
            &[("ROTA_DB", "own.db")],
            Some("own.db"),
            None,
        ),
        // An empty variable is unset.
        (
            Config::default(),
            None,
            &[("ROTA_DB", "")],
            Some("usual.db"),
            Some("usual:1"),
        ),
    ];
    for (flags, named, variables, db, listen) in rows {
        let environment = |name: &str| {
            let mut found = variables.iter().filter(|(known, _)| *known == name);
            found.next().map(|(_, value)| OsString::from(value))
        };
        let load = |usual| Config::load(flags.clone(), named.cloned(), usual, &environment);
        let config = load(Some(usual.as_path())).expect("good values");
        assert_eq!(config.db, db.map(PathBuf::from), "{variables:?}");
        let found = config.listen.map(|listen| listen.to_string());
        assert_eq!(found.as_deref(), listen, "{variables:?}");
        let without = load(None).expect("good values");
        assert_eq!(load(Some(absent.as_path())), Ok(without), "{variables:?}");
    }
    // It is there and cannot be read.
    let error = Config::load(Config::default(), None, Some(&folder), &|_| None).unwrap_err();
    assert!(
        error.contains("run this as root or as the user of the service"),
        "{error}"
    );
    std::fs::remove_dir_all(&folder).expect("our folder");
}

#[test]
fn the_sample_file_is_valid() {
    let sample = include_str!("../../../packaging/rota.toml");
    assert_eq!(file::parse(sample), Ok(Config::default()));
    // Settings are commented out without a space after `#`.
    let settings: String = sample
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(setting) if !setting.starts_with(' ') => format!("{setting}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let config = file::parse(&settings).expect("good values");
    assert!(config.db.is_some() && config.listen.is_some() && config.base_url.is_some());
    assert!(
        config.plan.name.is_some()
            && config.plan.max_rotations.is_some()
            && config.plan.max_people.is_some()
    );
    assert!(config.holidays.file.is_some() && config.http.trusted_proxies.is_some());
    assert_eq!(
        config.chat.reminder_before,
        Some(crate::actions::REMINDER_BEFORE),
        "the sample file shows the default"
    );
    assert!(config.rate_limit.requests_per_minute.is_some() && config.rate_limit.burst.is_some());
    let webhooks = config.webhooks;
    assert!(webhooks.allow_nets.is_some() && webhooks.extra_ca_file.is_some());
    assert_eq!(webhooks.trust, Some(Trust::Bundled));
    assert!(webhooks.ladder.is_some());
    assert_eq!(
        webhooks.retry_schedule(),
        RetrySchedule::default(),
        "the sample file shows the defaults"
    );
}
