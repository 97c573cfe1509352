mod files;
mod fuzz;
mod partners;
mod secrets;

use super::*;
use std::collections::HashMap;
use std::time::Duration;

fn load(flags: Config, environment: &[(&str, &str)]) -> Result<Config, String> {
    let map: HashMap<&str, &str> = environment.iter().copied().collect();
    Config::load(flags, None, None, &|name| map.get(name).map(OsString::from))
}

/// The config file without its name.
mod file {
    use super::*;

    pub fn parse(text: &str) -> Result<Config, (usize, String)> {
        let mut config = Config::default();
        super::super::file::lay(&mut config, "rota.toml", text)?;
        config.origins = Origins::default();
        Ok(config)
    }
}

/// What variables set over a file.
fn over(mut file: Config, environment: &[(&str, &str)]) -> Config {
    let given = |name: &str| {
        let found = environment.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, value)| OsString::from(value))
            .filter(|value| !value.is_empty())
    };
    file.lay_variables(&given).expect("good values");
    file
}

fn listening(on: &str) -> Config {
    Config {
        listen: on.parse().ok(),
        ..Config::default()
    }
}

#[test]
fn durations_are_a_number_and_a_unit() {
    let rows = [
        ("90s", Some(90)),
        ("15m", Some(900)),
        ("24h", Some(86_400)),
        ("7d", Some(604_800)),
        ("0s", Some(0)),
        ("", None),
        ("s", None),
        ("90", None),
        ("+9s", None),
        ("-9s", None),
        ("1.5h", None),
        ("1 h", None),
        ("1H", None),
        ("1w", None),
        ("99999999999999999999d", None),
        ("9999999999999999999d", None),
        ("1ü", None),
    ];
    for (text, seconds) in rows {
        assert_eq!(
            duration(text).ok(),
            seconds.map(Duration::from_secs),
            "{text}"
        );
    }
}

#[test]
fn addresses_and_urls_are_checked() {
    for good in [
        "127.0.0.1:8080",
        "127.0.0.1:0",
        "[::1]:80",
        "localhost:65535",
        "0.0.0.0:1",
    ] {
        assert!(good.parse::<Listen>().is_ok(), "{good}");
    }
    for bad in [
        "",
        "8080",
        ":80",
        "::1:80",
        "a:65536",
        "a:",
        "http://a:80",
        "a b:1",
        "[::1]",
    ] {
        assert!(bad.parse::<Listen>().is_err(), "{bad}");
    }
    let url = |text: &str| text.parse::<BaseUrl>().ok().map(|url| url.to_string());
    assert_eq!(
        url("https://a.example//").as_deref(),
        Some("https://a.example")
    );
    assert_eq!(
        url("http://127.0.0.1:80").as_deref(),
        Some("http://127.0.0.1:80")
    );
    for bad in [
        "",
        "a.example",
        "ftp://a",
        "https://",
        "https:///x",
        "https://a?b",
        "https://u@a",
        "https://a b",
        "https://a.example/rota",
        "https://a.example/rota/",
        "https://a.example//x",
    ] {
        assert_eq!(url(bad), None, "{bad}");
    }
    let why = "https://a.example/rota/".parse::<BaseUrl>().unwrap_err();
    assert_eq!(
        why,
        "\"https://a.example/rota/\" has the path \"/rota\"; give rota a host name of its own: write one such as \
         https://rota.example.org"
    );
}

#[test]
fn log_filters_are_levels() {
    for good in [
        "info",
        "OFF",
        "warn,rota::delivery=debug",
        "rota=off , error",
        "trace",
        "",
        "info,",
        "info/rot_7",
    ] {
        assert!(good.parse::<LogFilter>().is_ok(), "{good}");
    }
    for (bad, named) in [
        ("loud", "\"loud\""),
        ("info,rota::delivery", "\"rota::delivery\""),
        ("rota=", "\"rota=\""),
        ("=info", "\"=info\""),
        ("a b=info", "\"a b=info\""),
        ("loud/info", "\"loud\""),
    ] {
        let why = bad.parse::<LogFilter>().expect_err(bad);
        assert!(why.starts_with(named), "{bad}: {why}");
    }
}

#[test]
fn metrics_are_open_limited_or_for_keys() {
    let access = |text: &str| file::parse(text).map(|config| config.metrics.access);
    assert_eq!(access("[metrics]"), Ok(None));
    assert_eq!(access("[metrics]\naccess = 'open'"), Ok(Some(Access::Open)));
    assert_eq!(access("[metrics]\naccess = 'key'"), Ok(Some(Access::Key)));
    let limited = access("[metrics]\naccess = 'limited'");
    assert_eq!(limited, Ok(Some(Access::Limited)));
    assert_eq!(Access::default(), Access::Limited);
    let (line, why) = access("[metrics]\naccess = 'all'").expect_err("not known");
    assert_eq!(
        (line, why.as_str()),
        (
            2,
            "metrics.access: \"all\" is not known; write \"limited\", \"open\" or \"key\""
        )
    );
    let variable = [("ROTA_METRICS_ACCESS", "key"), ("ROTA_LOG", "debug")];
    let config = load(Config::default(), &variable).expect("good values");
    assert_eq!(config.metrics.access, Some(Access::Key));
    assert_eq!(config.log, "debug".parse().ok());
}

#[test]
fn the_upper_layer_wins() {
    let environment = [
        ("ROTA_LISTEN", "a:2"),
        ("ROTA_PLAN_NAME", "free"),
        ("ROTA_OTHER", "?"),
        ("ROTA_DB", ""),
    ];
    let config = load(listening("a:1"), &environment).expect("good values");
    assert_eq!(
        (config.listen, config.plan.name),
        ("a:1".parse().ok(), Some(Tier::Free))
    );
    assert_eq!(config.db, None);
    let file = file::parse("listen = 'a:3'\ndb = 'x.db'\n[plan]\nname = 'pro'\nmax_people = 7")
        .expect("a good file");
    let layered = over(file, &environment);
    assert_eq!(
        (layered.listen, layered.plan.name),
        ("a:2".parse().ok(), Some(Tier::Free))
    );
    assert_eq!(
        (layered.db, layered.plan.max_people),
        (Some("x.db".into()), Some(7))
    );
}

#[test]
fn quotas_fill_in_from_the_plan() {
    let rows = [
        ("", (Tier::Pro, None, None)),
        ("name = 'free'", (Tier::Free, Some(3), Some(15))),
        (
            "name = 'free'\nmax_people = 20",
            (Tier::Free, Some(3), Some(20)),
        ),
        ("max_rotations = 9", (Tier::Pro, Some(9), None)),
    ];
    for (text, expected) in rows {
        let plan = file::parse(&format!("[plan]\n{text}"))
            .expect("a good file")
            .plan
            .tier_limits();
        assert_eq!(
            (plan.tier, plan.max_rotations, plan.max_people),
            expected,
            "{text}"
        );
    }
}

/// The value from one layer.
fn webhooks(file: &str) -> WebhooksPart {
    let text = format!("[webhooks]\n{file}");
    file::parse(&text).expect("a good file").webhooks
}

#[test]
fn webhook_settings_come_from_each_layer() {
    let nets = |list: &[&str]| Some(list.iter().map(|net| net.parse().unwrap()).collect());
    let steps = |seconds: &[i64]| {
        let steps = seconds.iter().map(|step| SignedDuration::from_secs(*step));
        Some(steps.collect::<Vec<_>>())
    };
    let environment = [
        ("ROTA_WEBHOOKS_LADDER", " 1s , 7d,0s "),
        ("ROTA_WEBHOOKS_ALLOW_NETS", "10.1.0.0/16 ,fd00:1::/32"),
        ("ROTA_WEBHOOKS_EXTRA_CA_FILE", ""),
        ("ROTA_WEBHOOKS_TRUST", " bundled"),
    ];
    let file = webhooks("ladder = []\nallow_nets = []\nextra_ca_file = 'ca.pem'\ntrust = 'system'");
    assert_eq!(
        (&file.ladder, &file.allow_nets, file.trust),
        (&steps(&[]), &nets(&[]), Some(Trust::System))
    );
    let below = Config {
        webhooks: file,
        ..Config::default()
    };
    let expected = WebhooksPart {
        ladder: steps(&[1, 7 * 86_400, 0]),
        allow_nets: nets(&["10.1.0.0/16", "fd00:1::/32"]),
        extra_ca_file: Some("ca.pem".into()),
        trust: Some(Trust::Bundled),
    };
    assert_eq!(over(below, &environment).webhooks, expected);
    let unset = load(Config::default(), &[("ROTA_WEBHOOKS_ALLOW_NETS", "")]);
    assert_eq!(unset, Ok(Config::default()));
}

#[test]
fn a_retry_schedule_has_one_round_more_than_waits() {
    assert_eq!(WebhooksPart::default().retry_schedule().rounds(), 9);
    assert_eq!(webhooks("ladder = []").retry_schedule().rounds(), 1);
    let most = vec!["1s"; 50].join(",");
    let load = |retry_schedule: &str| {
        load(
            Config::default(),
            &[("ROTA_WEBHOOKS_LADDER", retry_schedule)],
        )
    };
    let config = load(&most).expect("as many as there may be");
    assert_eq!(config.webhooks.retry_schedule().rounds(), 51);
    assert_eq!(
        load(&format!("{most},1s")),
        Err("ROTA_WEBHOOKS_LADDER: 51 waits are too many; write at most 50".into())
    );
}

#[test]
fn an_extra_ca_works_with_either_trust() {
    let file = ("ROTA_WEBHOOKS_EXTRA_CA_FILE", "ca.pem");
    for (name, trust) in [("bundled", Trust::Bundled), ("system", Trust::System)] {
        let loaded = load(Config::default(), &[file, ("ROTA_WEBHOOKS_TRUST", name)]);
        let webhooks = loaded.expect("good settings").webhooks;
        assert_eq!(webhooks.extra_ca_file, Some("ca.pem".into()));
        assert_eq!(webhooks.trust, Some(trust));
    }
}

#[test]
fn reminders_come_from_each_layer() {
    let before = |text: &str| {
        let environment = [("ROTA_CHAT_REMINDER_BEFORE", text)];
        let config = load(Config::default(), &environment).expect("a good value");
        config.chat.reminder_before
    };
    let secs = |secs| Some(SignedDuration::from_secs(secs));
    for (text, expected) in [
        ("15m", secs(900)),
        ("0s", secs(0)),
        ("24h", secs(86_400)),
        ("30d", secs(30 * 86_400)),
        ("", None),
    ] {
        assert_eq!(before(text), expected, "{text}");
        let file = file::parse(&format!("[chat]\nreminder_before = '{text}'"));
        let file = file.map(|file| file.chat.reminder_before);
        // A key in the file needs a value.
        assert_eq!(file.ok().flatten(), expected, "{text}");
    }
    let file = file::parse("[chat]\nreminder_before = '2h'").expect("a good file");
    let upper = over(file.clone(), &[("ROTA_CHAT_REMINDER_BEFORE", "0s")]);
    // Zero, which sends no reminders, is a value too.
    assert_eq!(upper.chat.reminder_before, secs(0));
    let unset = over(file, &[]);
    assert_eq!(unset.chat.reminder_before, secs(7200));
}

#[test]
fn an_invalid_variable_is_named() {
    let rows = [
        (
            "ROTA_LISTEN",
            "80",
            "ROTA_LISTEN: \"80\" is not an address; write HOST:PORT",
        ),
        (
            "ROTA_BASE_URL",
            "x",
            "ROTA_BASE_URL: \"x\" is not a base URL",
        ),
        (
            "ROTA_PLAN_NAME",
            "gold",
            "ROTA_PLAN_NAME: \"gold\" is not a plan; write \"free\" or \"pro\"",
        ),
        (
            "ROTA_PLAN_MAX_ROTATIONS",
            "-1",
            "ROTA_PLAN_MAX_ROTATIONS: \"-1\" is not a number",
        ),
        (
            "ROTA_RATE_LIMIT_BURST",
            "0",
            "ROTA_RATE_LIMIT_BURST: 0 would refuse every request",
        ),
        (
            "ROTA_WEBHOOKS_LADDER",
            "30s,5",
            "ROTA_WEBHOOKS_LADDER: \"5\" is not a duration; write a number",
        ),
        (
            "ROTA_WEBHOOKS_LADDER",
            "9999999999999d",
            "ROTA_WEBHOOKS_LADDER: \"9999999999999d\" is too long",
        ),
        (
            "ROTA_WEBHOOKS_ALLOW_NETS",
            "10.1.0.0/16,",
            "ROTA_WEBHOOKS_ALLOW_NETS: \"\" is not a network: write an address or a CIDR",
        ),
        (
            "ROTA_WEBHOOKS_TRUST",
            "System",
            "ROTA_WEBHOOKS_TRUST: \"System\" is not known; write",
        ),
        (
            "ROTA_CHAT_REMINDER_BEFORE",
            "1",
            "ROTA_CHAT_REMINDER_BEFORE: \"1\" is not a duration; write",
        ),
        (
            "ROTA_CHAT_REMINDER_BEFORE",
            "31d",
            "ROTA_CHAT_REMINDER_BEFORE: \"31d\" is too long; write at most 30d",
        ),
        (
            "ROTA_CHAT_REMINDER_BEFORE",
            "99999999999999d",
            "ROTA_CHAT_REMINDER_BEFORE: \"99999999999999d\" is too long",
        ),
        ("ROTA_CONFIG", "/nowhere/rota.toml", "/nowhere/rota.toml: "),
    ];
    for (name, value, expected) in rows {
        let error = load(Config::default(), &[(name, value)]).expect_err("a bad value");
        assert!(error.starts_with(expected), "{error}");
    }
}
