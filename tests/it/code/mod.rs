//! Rotations as code: `rota export`, `plan`, `apply`, `who` and `next` against a server.

mod applying;
mod export;
mod files;
mod issues;
mod relay;
mod terminal;
mod unchanged;
mod waiting;
mod who;

use crate::support::*;
use serde_json::Value;
use std::process::Command;

/// A folder of files, and the server that they are about.
struct Shell<'a> {
    rota: &'a Rota,
    dir: TempDir,
    key: String,
    url: String,
}

/// What a command printed.
struct Printed {
    code: i32,
    output: String,
    errors: String,
}

impl Printed {
    #[track_caller]
    fn is(self, code: i32) -> Printed {
        assert_eq!(self.code, code, "{}{}", self.output, self.errors);
        assert!(!self.errors.contains("panicked"), "{}", self.errors);
        self
    }

    /// It has these words.
    #[track_caller]
    fn says(self, words: &[&str]) -> Printed {
        let all = format!("{}{}", self.output, self.errors);
        for word in words {
            assert!(all.contains(word), "{word:?} is not in: {all}");
        }
        self
    }

    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.output)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.output, self.errors))
    }
}

impl<'a> Shell<'a> {
    fn at(rota: &'a Rota) -> Shell<'a> {
        Shell {
            rota,
            dir: TempDir::new(),
            key: rota.key.clone(),
            url: rota.url.clone(),
        }
    }

    fn with_key(self, key: &str) -> Shell<'a> {
        Shell {
            key: key.to_owned(),
            ..self
        }
    }

    fn with_url(self, url: String) -> Shell<'a> {
        Shell { url, ..self }
    }

    fn command(&self, line: &str) -> Command {
        let mut command = rota(self.dir.path());
        command
            .args(line.split_whitespace())
            .env("ROTA_URL", &self.url)
            .env("ROTA_API_KEY", &self.key);
        command
    }

    fn run(&self, line: &str) -> Printed {
        let (code, output, errors) = run(&mut self.command(line));
        Printed {
            code,
            output,
            errors,
        }
    }

    /// Writes `team.toml`.
    fn file(&self, text: &str) -> &Shell<'a> {
        self.dir.file("team.toml", text);
        self
    }

    /// Applies `team.toml` without a question.
    #[track_caller]
    fn apply(&self, flags: &str) -> Printed {
        self.run(&format!("apply team.toml --yes {flags}")).is(0)
    }

    /// A rotation by its code.
    #[track_caller]
    fn rotation(&self, code: &str) -> Rot<'a> {
        let found = self
            .rota
            .get(&format!("/v1/rotations?code={code}"))
            .is(200)
            .json();
        Rot {
            by: self.rota.caller(),
            id: text(&found["data"][0]["id"]).to_owned(),
        }
    }
}

/// A rotation of these people, handed over every Monday at 09:00 UTC from the second one on, owned by the first.
fn weekly_file(code: &str, people: &str, more: &str) -> String {
    let people: Vec<String> = words(people)
        .iter()
        .map(|id| format!("{}@example.com", id.to_lowercase()))
        .collect();
    let people = serde_json::json!(people);
    format!(
        r#"[[rotation]]
code = "{code}"
name = "Rotation {code}"
owners = ["u1@example.com"]
members = {people}
dealing = {{ missed_turn = "lost" }}
{more}
[[rotation.lane]]
key = "primary"
[[rotation.window]]
key = "week"
[rotation.window.hand_over]
every = "week"
at = "09:00"
starting = 2026-01-12
time_zone = "UTC"
"#
    )
}
