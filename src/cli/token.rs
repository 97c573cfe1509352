//! `rota token`: access tokens that act as one person.

use super::named;
use super::operator::operator;
use super::output::{Listed, answer, answer_lines, naming, state, table, tell};
use super::workspace::{Missing, database, open, open_with_clock, settings};
use super::{Failure, Place};
use crate::actions::keys;
use crate::config;
use crate::domain::ids::TokenId;
use crate::store::{ReadTx, Store, TokenRecord, list_tokens, load_name};
use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde::Serialize;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  rota token create --user UADA
  rota token create --user ada@example.com --expires 7d";

#[derive(Subcommand)]
pub enum Command {
    /// Create a token that acts as a person and print it once, alone on its line
    #[command(after_help = EXAMPLES)]
    Create(Create),
    /// List tokens, oldest first; those of people who have left are disabled
    List(Listed),
    /// Remove a token permanently
    Revoke(TokenArgument),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    id: String,
    user_id: String,
    user_name: String,
    state: &'static str,
    created_at: String,
    expires_at: Option<String>,
}

#[derive(Args)]
pub struct Create {
    /// The person: a name, an address or an id
    #[arg(long, value_name = "PERSON")]
    user: String,
    /// Let it expire after this long: 90s, 15m, 24h, 7d
    #[arg(long, value_name = "DURATION", value_parser = config::lifetime)]
    expires: Option<Duration>,
}

#[derive(Args)]
pub struct TokenArgument {
    /// The token's id, as `rota token list` shows it
    #[arg(value_name = "ID")]
    id: String,
}

/// Runs a subcommand.
pub fn run(place: Place, command: Command) -> Result<(), Failure> {
    let path = database(&settings(place)?)?;
    match command {
        Command::Create(create) => mint(&open(&path)?, create),
        Command::List(flags) => {
            let (store, clock) = open_with_clock(&path, Missing::Refuse, None, None)?;
            list(&store, flags, clock.now())
        }
        Command::Revoke(named) => {
            let store = open(&path)?;
            keys::revoke_token(
                &store,
                &operator("token revoke"),
                TokenId::from(named.id.as_str()),
            )
            .map_err(naming(&named.id))?;
            tell(&format!("revoked {}", named.id));
            Ok(())
        }
    }
}

fn mint(store: &Store, create: Create) -> Result<(), Failure> {
    let user = store.read(|tx: &ReadTx| named::person(tx, &create.user))?;
    let author = operator("token create");
    let (record, token) = keys::create_token(store, &author, user, create.expires)?;
    tell(&format!(
        "created {}, which acts as {}; the token is shown this once:",
        record.id, record.user
    ));
    answer(&token)
}

fn list(store: &Store, flags: Listed, now: Timestamp) -> Result<(), Failure> {
    let lines = store.read(|tx: &ReadTx| -> Result<Vec<Line>, Failure> {
        let line = |token: &TokenRecord| {
            let name = load_name(tx, &token.user)?.map(|(name, _)| name);
            Ok(Line {
                id: token.id.to_string(),
                user_id: token.user.to_string(),
                user_name: name.unwrap_or_default(),
                state: state(token.disabled, token.expires_at, now),
                created_at: token.created_at.to_string(),
                expires_at: token.expires_at.map(|at| at.to_string()),
            })
        };
        list_tokens(tx)?.iter().map(line).collect()
    })?;
    if flags.json {
        return answer_lines(lines);
    }
    let row = |line: Line| {
        let expires = line.expires_at.unwrap_or_else(|| "-".into());
        let state = line.state.to_owned();
        vec![
            line.id,
            line.user_id,
            line.user_name,
            state,
            line.created_at,
            expires,
        ]
    };
    let rows: Vec<Vec<String>> = lines.into_iter().map(row).collect();
    answer(&table(
        &["ID", "USER", "NAME", "STATE", "CREATED", "EXPIRES"],
        &rows,
    ))
}
