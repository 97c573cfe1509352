//! A second machine: copies of the first server's database, a standby that answers from them, taking over, and the fence.

mod answers;
mod copies;
mod fence;
mod hand_over;
mod kills;
mod pages;
mod replica;
mod taking_over;

use crate::cli::{imported, key, on};
use crate::support::*;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A production server with three people, on the system clock.
struct First {
    _dir: TempDir,
    db: PathBuf,
    replicate: String,
    rota: Rota,
}

const SCOPES: &str =
    "--scope read:rotations write:rotations read:oncall write:duty read:directory manage:webhooks";

impl First {
    fn new() -> First {
        First::with(|_| {})
    }

    fn with(set: impl FnOnce(&mut Command)) -> First {
        let (dir, db) = imported();
        let all = key(&db, SCOPES);
        let replicate = key(&db, "--scope replicate");
        let rota = primary(&db, &all, set);
        First {
            _dir: dir,
            db,
            replicate,
            rota,
        }
    }

    /// The same server, started again.
    fn again(self, set: impl FnOnce(&mut Command)) -> First {
        let First {
            _dir,
            db,
            replicate,
            rota,
        } = self;
        let key = rota.key.clone();
        rota.stop();
        let rota = primary(&db, &key, set);
        First {
            _dir,
            db,
            replicate,
            rota,
        }
    }

    /// A standby of this server, on another machine as far as it knows.
    fn standby(&self) -> Second {
        Second::of(&self.rota.url, &self.replicate, &self.rota.key, |_| {})
    }
}

/// Starts `rota serve` on a free port.
fn primary(db: &Path, key: &str, set: impl FnOnce(&mut Command)) -> Rota {
    let mut command = on(db, "serve --listen 127.0.0.1:0");
    command.env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", "0");
    set(&mut command);
    serve(command, key)
}

/// A standby with a folder of its own.
struct Second {
    _dir: TempDir,
    db: PathBuf,
    rota: Rota,
    set: Vec<(String, String)>,
}

impl Second {
    fn of(from: &str, replicate: &str, key: &str, set: impl FnOnce(&mut Command)) -> Second {
        let dir = TempDir::new();
        let db = dir.join("rota.db");
        let key_file = dir.file("standby.key", replicate);
        let set_by = vec![
            ("ROTA_STANDBY_FROM".to_owned(), from.to_owned()),
            (
                "ROTA_STANDBY_KEY_FILE".to_owned(),
                key_file.display().to_string(),
            ),
            ("ROTA_STANDBY_EVERY".to_owned(), "2s".to_owned()),
        ];
        let rota = start(&db, key, &set_by, set);
        Second {
            _dir: dir,
            db,
            rota,
            set: set_by,
        }
    }

    /// Waits until it answers from a copy.
    fn ready(self) -> Second {
        eventually("the standby has a copy", || {
            let answer = self.rota.anyone().get("/readyz");
            answer.status() == 200
        });
        self
    }

    /// Waits until it has what the first server has committed.
    fn has_taken(&self, marker: impl Fn(&Rota) -> bool) {
        eventually("the standby has the next copy", || marker(&self.rota));
    }

    /// A command on its machine.
    fn command(&self, line: &str) -> (i32, String, String) {
        let mut command = on(&self.db, line);
        command.envs(self.set.iter().cloned());
        run(&mut command)
    }

    fn role(&self) -> String {
        let epoch = self.rota.anyone().get("/v1/epoch").ok().json();
        format!("{} {}", text(&epoch["role"]), epoch["epoch"])
    }
}

fn start(
    db: &Path,
    key: &str,
    set_by: &[(String, String)],
    set: impl FnOnce(&mut Command),
) -> Rota {
    let mut command = on(db, "standby --listen 127.0.0.1:0");
    command.env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", "0");
    command.envs(set_by.iter().cloned());
    set(&mut command);
    serve(command, key)
}

/// How often somebody has handed over by hand.
fn rotations(rota: &Rota) -> i64 {
    let entries = rota.get("/v1/audit?action=rotate&pageSize=1").ok().json();
    int(&entries["totalItems"])
}

fn token_of(first: &First, user: &str) -> String {
    let output = crate::cli::succeeds(&first.db, &format!("token create --user {user}"));
    let line = output.lines().find(|line| line.starts_with("svc_mbr_"));
    line.expect("a token").to_owned()
}

/// An answer without what differs by design: ETags are headers, and instants of writes and marks of the forecast are left out.
fn comparable(mut value: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.remove("forecast");
                members.remove("updatedAt");
                // Warnings are from now on, for three months.
                if members.contains_key("severity") {
                    members.remove("from");
                    members.remove("to");
                }
                members.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut value);
    value
}
