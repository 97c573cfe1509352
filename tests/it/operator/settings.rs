//! Settings that are wrong: exit code 2, file, line and key, and what to write; nothing is made.

use crate::cli::{imported, on, succeeds};
use crate::support::*;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

#[test]
fn wrong_settings_say_where_they_are_and_what_to_write() {
    for (text, place, advice) in [
        (
            "listen = 127.0.0.1:8080\n",
            "rota.toml:1: listen: ",
            "write listen = \"127.0.0.1:8080\"",
        ),
        (
            "base_url = \"https://intra.example.org/rota\"\n",
            "rota.toml:1: base_url: \"https://intra.example.org/rota\" has the path \"/rota\"",
            "give rota a host name of its own: write one such as https://rota.example.org",
        ),
        (
            "[webhooks]\nlader = []\n",
            "rota.toml:2: webhooks.lader: ",
            "did you mean ladder? Write ladder = [",
        ),
        (
            "[plan]\nmax_people = \"7\"\n",
            "rota.toml:2: plan.max_people: ",
            "write max_people = 1000",
        ),
        (
            "\ndb = \"nowhere/rota.db\"\n",
            "rota.toml:2: db: the folder nowhere ",
            "such as \"/var/lib/rota/rota.db\"",
        ),
        (
            "[webhooks]\nextra_ca_file = \"empty.pem\"\n",
            "rota.toml:2: webhooks.extra_ca_file: empty.pem: contains no certificate",
            "write the path of a PEM file",
        ),
        (
            "[webhooks]\ntrust = \"system\"\nextra_ca_file = \"absent.pem\"\n",
            "rota.toml:3: webhooks.extra_ca_file: absent.pem: ",
            "write the path of a PEM file",
        ),
        (
            "[holidays]\nfile = \"absent.txt\"\n",
            "rota.toml:2: holidays.file: absent.txt: ",
            "write the path of a text file",
        ),
        (
            "[http]\ntrusted_proxies = [\"10.1.0.1/16\"]\n",
            "rota.toml:2: http.trusted_proxies: ",
            "write 10.1.0.0/16 for the network",
        ),
        (
            "[http]\ntrusted_proxies = [\"::1/129\"]\n",
            "rota.toml:2: http.trusted_proxies: ",
            "such as fd12:3456::/32",
        ),
        (
            "[holidays]\nfile = \"days.txt\"\n",
            "days.txt:2: holidays.file: `2027-13-40` is not a date",
            "as in GB 2027-06-07 Jubilee",
        ),
    ] {
        let dir = TempDir::new();
        dir.file("rota.toml", text);
        dir.file("empty.pem", "");
        dir.file("days.txt", "# Ours.\nGB 2027-13-40 Jubilee\n");
        dir.file("people.json", directory(1).to_string());
        for (line, code) in [
            ("serve --config rota.toml --listen 127.0.0.1:0", 2),
            ("directory import people.json --config rota.toml", 2),
            ("check --config rota.toml", 1),
        ] {
            let mut command = rota(dir.path());
            let (found, output, errors) = run(command.args(line.split(' ')));
            // Only what a command uses is looked at by it.
            assert_eq!(found, code, "{line}: {output}{errors}");
            assert!(
                errors.contains(place) && errors.contains(advice),
                "{line}: {errors}"
            );
            assert!(!dir.join("rota.db").exists(), "{line} made a database");
        }
    }
}

/// What is missing beside a setting is told with where that stands.
#[test]
fn an_unfinished_login_proxy_says_where_it_is() {
    for (text, place, advice) in [
        (
            "[login.proxy]\nmatch = \"id\"\nheader = \"Remote-User\"\n",
            "rota.toml:3: login.proxy.header: login.proxy.trusted is missing",
            "such as trusted = [\"10.0.0.0/8\"]",
        ),
        (
            "[login.proxy]\ntrusted = [\"10.0.0.0/8\"]\n",
            "rota.toml:2: login.proxy.trusted: login.proxy.header is missing",
            "such as header = \"Remote-User\"",
        ),
    ] {
        let dir = TempDir::new();
        dir.file("rota.toml", text);
        for (line, code) in [
            ("serve --config rota.toml --listen 127.0.0.1:0", 2),
            ("check --config rota.toml", 1),
        ] {
            let (found, _, errors) = run(rota(dir.path()).args(line.split(' ')));
            assert_eq!(found, code, "{line}: {errors}");
            assert!(
                errors.contains(place) && errors.contains(advice),
                "{line}: {errors}"
            );
            assert!(!dir.join("rota.db").exists(), "{line} made a database");
        }
    }
}

#[test]
fn a_missing_folder_names_the_setting() {
    let dir = TempDir::new();
    let (code, _, errors) = run(rota(dir.path()).args(["check", "--db", "nowhere/rota.db"]));
    assert_eq!(code, 1, "{errors}");
    assert!(
        errors.starts_with("rota: --db: the folder nowhere "),
        "{errors}"
    );
    let mut command = rota(dir.path());
    let command = command
        .args(["key", "list"])
        .env("ROTA_DB", "nowhere/rota.db");
    let (code, _, errors) = run(command);
    assert_eq!(code, 2, "{errors}");
    assert!(
        errors.starts_with("rota: ROTA_DB: the folder nowhere "),
        "{errors}"
    );
}

#[test]
fn a_variable_that_resembles_a_setting_is_told() {
    let (_dir, db) = imported();
    let mut command = on(&db, "key list");
    command
        .env("ROTA_LISTN", "1")
        .env("ROTA_TEAM_NAME_OF_OURS", "2");
    let (code, _, errors) = run(command.env("ROTA_URL", "http://127.0.0.1:1"));
    assert_eq!(code, 0, "{errors}");
    let told: Vec<&str> = errors.lines().collect();
    assert_eq!(told.len(), 1, "{errors}");
    assert!(told[0].contains("WARN"), "{errors}");
    assert!(
        told[0].ends_with("ROTA_LISTN is no setting and is ignored; did you mean ROTA_LISTEN?")
    );
}

#[test]
fn a_check_names_secrets_that_everybody_can_read() {
    let (dir, db) = imported();
    let secret = "[partners.pagerPartner]\napi_key = \"0123456789abcdef\"\n";
    let by_file = "[partners.pagerPartner]\napi_key_file = \"pager.key\"\n";
    let mode = |name: &str, mode: u32| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(dir.join(name), permissions).expect("a mode");
    };
    dir.file("pager.key", "0123456789abcdef\n");
    for (text, config, key, folder, note) in [
        (
            secret,
            0o644,
            0o644,
            0o755,
            "note: rota.toml: every user of this machine can read it, and it holds partners.pagerPartner.api_key; run: chmod o= \
             rota.toml",
        ),
        (secret, 0o640, 0o644, 0o755, ""),
        (secret, 0o644, 0o644, 0o750, ""),
        ("log = \"info\"\n", 0o644, 0o644, 0o755, ""),
        (
            by_file,
            0o644,
            0o604,
            0o755,
            "note: rota.toml:2: partners.pagerPartner.api_key_file: every user of this machine can read pager.key, which holds a \
             secret; run: chmod o= pager.key",
        ),
        (by_file, 0o644, 0o640, 0o755, ""),
    ] {
        dir.file("rota.toml", text);
        mode("rota.toml", config);
        mode("pager.key", key);
        mode("", folder);
        let (code, output, errors) = run(&mut on(&db, "check --config rota.toml"));
        assert_eq!(code, 0, "{text}: {output}{errors}");
        let mut told = errors.lines().filter(|line| line.contains("chmod"));
        assert_eq!(told.next().unwrap_or_default(), note, "{text}: {errors}");
        assert_eq!(told.next(), None);
        assert!(!errors.contains("0123456789"), "{errors}");
    }
}

/// Puts a config file where the Debian package has it, for one command alone.
const IN_ETC: &str = r#"
mount -t tmpfs none /etc && mkdir /etc/rota && cp "$1" /etc/rota/rota.toml && shift && exec "$@"
"#;

#[test]
fn commands_elsewhere_use_the_database_of_the_service() {
    let isolated = Command::new("unshare").args(["--mount", "true"]).status();
    if !isolated.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no mount namespaces here");
        return;
    }
    let dir = TempDir::new();
    let (service, elsewhere) = (dir.join("service.db"), dir.join("elsewhere"));
    std::fs::create_dir(&elsewhere).expect("a folder");
    let config = dir.file("service.toml", format!("db = {service:?}\n"));
    let people = dir.file("people.json", directory(2).to_string());
    let tried = |line: &str| {
        let plain = rota(&elsewhere);
        let mut command = Command::new("unshare");
        command.args(["--mount", "bash", "-c", IN_ETC, "in etc"]);
        command.arg(&config).arg(BINARY).args(line.split(' '));
        for (name, value) in plain.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        run(command.current_dir(&elsewhere))
    };
    let key = "key create --name cli --scope read:oncall";
    let (code, _, errors) = tried(key);
    assert_eq!(code, 1, "{errors}");
    assert!(
        errors.contains("service.db: there is no database here"),
        "{errors}"
    );
    for line in [
        &format!("directory import {}", people.display()),
        key,
        "check",
    ] {
        let (code, output, errors) = tried(line);
        assert_eq!(code, 0, "{line}: {output}{errors}");
    }
    assert!(succeeds(&service, "key list").contains("cli"));
    // A database that is named is another one, and its settings are not those of the service.
    let (code, _, errors) = tried("key list --db own.db");
    assert_eq!(code, 1, "{errors}");
    assert!(
        errors.contains("own.db: there is no database here"),
        "{errors}"
    );
    let left = std::fs::read_dir(&elsewhere).expect("the folder");
    assert_eq!(left.count(), 0, "something was made elsewhere");
}

/// Commands that need a database say which commands make one.
#[test]
fn commands_before_the_first_start_say_what_to_do() {
    let dir = TempDir::new();
    for line in [
        "key list",
        "key revoke key_x",
        "token list",
        "directory export",
        "backup copy.db",
        "check",
        "status",
    ] {
        let (code, _, errors) = run(&mut on(&dir.join("rota.db"), line));
        assert_eq!(code, 1, "{line}: {errors}");
        let told = run(&mut on(&dir.join("rota.db"), line));
        let told = [told.1, told.2].concat();
        assert!(
            told.contains("rota.db: there is no database here"),
            "{line}: {told}"
        );
        assert!(
            told.contains("`rota serve`") && told.contains("--db"),
            "{line}: {told}"
        );
    }
}
