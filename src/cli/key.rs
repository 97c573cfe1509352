//! `rota key`: team API keys.

use super::named;
use super::operator::operator;
use super::output::{Listed, answer, answer_lines, instant_or_dash, naming, state, table, tell};
use super::workspace::{Missing, database, open_with_clock, settings};
use super::{Failure, Place};
use crate::actions::keys::{self, NewKey};
use crate::config;
use crate::domain::access::Scope;
use crate::domain::audit::Author;
use crate::domain::ids::{KeyId, RotationId};
use crate::store::{KeyRecord, ReadTx, Store, list_keys};
use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde::Serialize;
use std::time::Duration;

const EXAMPLES: &str = "\
Scopes:
  read:rotations   rotations, schedule, history, absences
  write:rotations  create, change and delete rotations
  read:oncall      who is on call
  write:duty       on-call, rotate, absences
  read:directory   people, user groups, channels
  manage:webhooks  webhook endpoints and their delivery log
  read:contacts    telephone numbers and addresses of people
  manage:directory add and change people, user groups, channels

Examples:
  rota key create --name dashboard --scope read:oncall read:rotations
  rota key create --name pager --scope write:duty --rotation PLATFORM --expires 90d";

#[derive(Subcommand)]
pub enum Command {
    /// Create a key and print it once, alone on its line
    #[command(after_help = EXAMPLES)]
    Create(Create),
    /// List keys, oldest first
    List(Listed),
    /// Disable a key: it returns 401 `disabled` until it is enabled again
    Disable(KeyArgument),
    /// Enable a disabled key
    Enable(KeyArgument),
    /// Remove a key permanently
    Revoke(KeyArgument),
    /// Give a key a new secret and print the new key; the old one keeps working for the grace
    ///
    /// Secrets that an earlier rotation replaced keep the grace they were given. To stop all of them at once, revoke the key.
    Rotate(Rotate),
}

#[derive(Args)]
pub struct Create {
    /// A name for it
    #[arg(long)]
    name: String,
    /// What it may be used for; may be repeated
    #[arg(long, required = true, num_args = 1.., value_name = "SCOPE", value_parser = scope)]
    scope: Vec<Scope>,
    /// Limit it to this rotation: its code, name or id; may be repeated
    #[arg(long, num_args = 1.., value_name = "ROTATION")]
    rotation: Vec<String>,
    /// Let it expire after this long: 90s, 15m, 24h, 7d
    #[arg(long, value_name = "DURATION", value_parser = config::lifetime)]
    expires: Option<Duration>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    id: String,
    name: String,
    state: &'static str,
    /// When replaced secrets stop working.
    old_secrets_until: Vec<String>,
    created_at: String,
    expires_at: Option<String>,
    scopes: Vec<&'static str>,
    /// `None` means all.
    rotation_ids: Option<Vec<RotationId>>,
}

#[derive(Args)]
pub struct KeyArgument {
    /// The key's id, as `rota key list` shows it
    #[arg(value_name = "ID")]
    id: String,
}

#[derive(Args)]
pub struct Rotate {
    /// The key's id, as `rota key list` shows it
    #[arg(value_name = "ID")]
    id: String,
    /// How long the secret that is replaced keeps working: 90s, 15m, 24h, 7d
    #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = config::duration)]
    grace: Duration,
}

fn scope(name: &str) -> Result<Scope, String> {
    let names = || Scope::ALL.map(Scope::name).join(", ");
    Scope::parse(name).ok_or_else(|| format!("send one of {}", names()))
}

/// Runs a subcommand.
pub fn run(place: Place, command: Command) -> Result<(), Failure> {
    let path = database(&settings(place)?)?;
    let (store, clock) = open_with_clock(&path, Missing::Refuse, None, None)?;
    match command {
        Command::Create(create) => mint(&store, &operator("key create"), create, clock.now()),
        Command::List(flags) => list(&store, flags, clock.now()),
        Command::Disable(named) => set_disabled(&store, &operator("key disable"), named, true),
        Command::Enable(named) => set_disabled(&store, &operator("key enable"), named, false),
        Command::Revoke(named) => {
            keys::revoke_key(
                &store,
                &operator("key revoke"),
                KeyId::from(named.id.as_str()),
            )
            .map_err(naming(&named.id))?;
            tell(&format!("revoked {}", named.id));
            Ok(())
        }
        Command::Rotate(rotate) => renew(&store, &operator("key rotate"), rotate),
    }
}

fn mint(store: &Store, author: &Author, create: Create, now: Timestamp) -> Result<(), Failure> {
    let rotations = store.read(|tx: &ReadTx| -> Result<Vec<RotationId>, Failure> {
        let named = create.rotation.iter();
        named.map(|name| named::rotation(tx, name)).collect()
    })?;
    let new = NewKey {
        name: create.name,
        scopes: create.scope,
        rotations: Some(rotations).filter(|rotations| !rotations.is_empty()),
        disabled: false,
        expires_at: expiry(now, create.expires)?,
    };
    let (record, key) = keys::create_key(store, author, new)?;
    tell(&format!(
        "created {}; the key is shown this once:",
        record.id
    ));
    answer(&key)
}

fn expiry(now: Timestamp, lifetime: Option<Duration>) -> Result<Option<Timestamp>, Failure> {
    let after = |lifetime| now.checked_add(lifetime);
    let beyond =
        |_| Failure::Usage("--expires: the duration is too long; send a shorter one".into());
    lifetime.map(after).transpose().map_err(beyond)
}

fn set_disabled(
    store: &Store,
    author: &Author,
    named: KeyArgument,
    disabled: bool,
) -> Result<(), Failure> {
    keys::set_disabled(store, author, KeyId::from(named.id.as_str()), disabled)
        .map_err(naming(&named.id))?;
    tell(&format!(
        "{} {}",
        if disabled { "disabled" } else { "enabled" },
        named.id
    ));
    Ok(())
}

fn renew(store: &Store, author: &Author, rotate: Rotate) -> Result<(), Failure> {
    let key = keys::rotate_key(store, author, KeyId::from(rotate.id.as_str()), rotate.grace)
        .map_err(naming(&rotate.id))?;
    tell(&format!(
        "rotated {}; the new key is shown this once:",
        rotate.id
    ));
    answer(&key)
}

fn list(store: &Store, flags: Listed, now: Timestamp) -> Result<(), Failure> {
    let keys = store.read(|tx: &ReadTx| list_keys(tx))?;
    if flags.json {
        return answer_lines(keys.iter().map(|key| line(key, now)));
    }
    let heads = [
        "ID",
        "NAME",
        "STATE",
        "OLD SECRET UNTIL",
        "CREATED",
        "EXPIRES",
        "SCOPES",
        "ROTATIONS",
    ];
    let rows: Vec<Vec<String>> = keys.iter().map(|key| row(key, now)).collect();
    answer(&table(&heads, &rows))
}

fn line(key: &KeyRecord, now: Timestamp) -> Line {
    let in_grace = key.outgoing.iter().filter(|(_, until)| *until > now);
    Line {
        id: key.id.to_string(),
        name: key.name.clone(),
        state: state(key.disabled, key.expires_at, now),
        old_secrets_until: in_grace.map(|(_, until)| until.to_string()).collect(),
        created_at: key.created_at.to_string(),
        expires_at: key.expires_at.map(|at| at.to_string()),
        scopes: key.scopes.iter().map(|scope| scope.name()).collect(),
        rotation_ids: key.rotations.clone(),
    }
}

fn row(key: &KeyRecord, now: Timestamp) -> Vec<String> {
    let line = line(key, now);
    let rotations = line.rotation_ids.map_or("all".into(), |ids| {
        ids.iter()
            .map(RotationId::as_str)
            .collect::<Vec<_>>()
            .join(",")
    });
    vec![
        line.id,
        line.name,
        line.state.into(),
        line.old_secrets_until.join(","),
        line.created_at,
        instant_or_dash(key.expires_at),
        line.scopes.join(","),
        rotations,
    ]
}
