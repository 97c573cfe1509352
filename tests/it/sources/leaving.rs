//! `rota import goAlert` and `rota import grafanaOnCall` from stand-ins, compared minute by minute.

mod goalert;
mod grafana;

use crate::cli::on;
use crate::support::leaving::{LEAVING_KEY, Leaving, System};
use crate::support::*;
use jiff::Timestamp;
use std::path::PathBuf;

/// All minutes of 90 days.
const ALL: &str = "agrees    on 129600 of 129600 minutes";

/// A database with six people, its server and a system that has them too.
struct World<S> {
    system: Leaving<S>,
    rota: Rota,
    db: PathBuf,
    dir: TempDir,
    name: &'static str,
}

impl<S: System> World<S> {
    fn of(name: &'static str, clock: &str, system: S) -> World<S> {
        let dir = TempDir::new();
        let db = dir.join("rota.db");
        let rota = Start::default().db(&db).clock(clock).go();
        rota.people(6);
        World {
            system: Leaving::new(system),
            rota,
            db,
            dir,
            name,
        }
    }

    /// Exit code, output and messages of a command.
    fn run(&self, line: &str) -> (i32, String, String) {
        let mut command = on(&self.db, line);
        let table = format!("ROTA_PARTNERS_{}", self.name.to_uppercase());
        command
            .env(format!("{table}_API_KEY"), LEAVING_KEY)
            .env(format!("{table}_URL"), &self.system.url);
        run(&mut command)
    }

    fn import(&self, line: &str) -> (i32, String, String) {
        self.run(&format!("import {} {line}", self.name))
    }

    /// Imports a schedule that agrees on every minute, writes it, and sees that a second time changes nothing. Answers the output.
    #[track_caller]
    fn agrees(&self, id: &str) -> String {
        let (code, output, errors) = self.import(&format!("{id} --code {id} --apply"));
        assert_eq!(code, 0, "{id}: {output}{errors}");
        assert!(
            output.contains(ALL) || output.contains("clocks    "),
            "{id}: {output}"
        );
        assert!(errors.contains("the rotation was made"), "{id}: {errors}");
        let (code, again, errors) = self.import(&format!("{id} --code {id} --apply"));
        assert_eq!(code, 0, "{id}: {again}{errors}");
        assert!(errors.contains("the same already"), "{id}: {again}{errors}");
        output
    }

    fn rotations(&self) -> usize {
        self.rota.caller().all("/v1/rotations").len()
    }
}

/// When schedules are compared, so that 90 days each make a year. In short runs it is the time with the most changes of clocks.
fn times_of_a_year() -> &'static [&'static str] {
    let all: &[&str] = &[
        "2026-01-05T08:00:00Z",
        "2026-04-02T03:00:00Z",
        "2026-07-01T12:00:00Z",
        "2026-09-27T21:00:00Z",
    ];
    if in_full() { all } else { &all[..1] }
}

fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

/// Nobody follows these: they are no partners.
#[test]
fn they_are_not_followed() {
    let rota = Start::default()
        .env("ROTA_PARTNERS_GOALERT_API_KEY", LEAVING_KEY)
        .env("ROTA_PARTNERS_GOALERT_URL", "http://127.0.0.1:9")
        .env("ROTA_PARTNERS_GRAFANAONCALL_API_KEY", LEAVING_KEY)
        .env("ROTA_PARTNERS_GRAFANAONCALL_URL", "http://127.0.0.1:9")
        .go();
    rota.people(2);
    let listed = rota.caller().all("/v1/partners");
    assert!(listed.is_empty(), "{listed:?}");
    let rotation = rota.daily("U1 U2", 1);
    for partner in ["goAlert", "grafanaOnCall"] {
        let body = serde_json::json!({ "partner": partner, "scheduleId": "S1" });
        let refused = rotation
            .by
            .put_if(&rotation.path("/external"), "*", body)
            .is(400)
            .text();
        assert!(refused.contains("partner"), "{refused}");
    }
}

#[test]
fn settings_are_named_where_they_are_missing() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let _rota = Start::default().db(&db).go();
    for name in ["goAlert", "grafanaOnCall"] {
        let missing = format!("partners.{name}: missing");
        let (code, _, errors) = run(&mut on(&db, &format!("import {name} S1")));
        assert_eq!(code, 2, "{errors}");
        assert!(errors.contains(&missing), "{errors}");
        let table = format!("ROTA_PARTNERS_{}", name.to_uppercase());
        for (url, words) in [
            (None, "url is missing beside it"),
            (Some("http://example.org"), "on loopback"),
            (
                Some("https://example.org/api/v1"),
                "without it: \"https://example.org\"",
            ),
            (
                Some("https://example.org/api/graphql/"),
                "without it: \"https://example.org\"",
            ),
        ] {
            let mut command = on(&db, &format!("import {name} S1"));
            command.env(format!("{table}_API_KEY"), "key");
            if let Some(url) = url {
                command.env(format!("{table}_URL"), url);
            }
            let (code, _, errors) = run(&mut command);
            assert_eq!(code, 2, "{errors}");
            assert!(errors.contains(words), "{name} {url:?}: {errors}");
        }
    }
}
