//! `rota token`: access tokens that act as one person.

use super::operator::operator;
use super::output::{answer, instant_or_dash, naming, state, table, tell};
use super::workspace::{Missing, database, open, open_with_clock, settings};
use super::{Failure, Place};
use crate::actions::keys;
use crate::config;
use crate::domain::ids::{TokenId, UserId};
use crate::store::{ReadTx, Store, TokenRecord, list_tokens};
use clap::{Args, Subcommand};
use jiff::Timestamp;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  rota token create --user UADA
  rota token create --user UADA --expires 7d";

#[derive(Subcommand)]
pub enum Command {
    /// Create a token that acts as a person and print it once, alone on its line
    #[command(after_help = EXAMPLES)]
    Create(Create),
    /// List tokens, oldest first; those of people who have left are disabled
    List,
    /// Remove a token permanently
    Revoke(TokenArgument),
}

#[derive(Args)]
pub struct Create {
    /// The person's id in the chat workspace
    #[arg(long, value_name = "ID")]
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
        Command::List => {
            let (store, clock) = open_with_clock(&path, Missing::Refuse, None, None)?;
            list(&store, clock.now())
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
    let (user, author) = (UserId::from(create.user), operator("token create"));
    let (record, token) = keys::create_token(store, &author, user, create.expires)?;
    tell(&format!(
        "created {}, which acts as {}; the token is shown this once:",
        record.id, record.user
    ));
    answer(&token)
}

fn list(store: &Store, now: Timestamp) -> Result<(), Failure> {
    let tokens = store.read(|tx: &ReadTx| list_tokens(tx))?;
    let row = |token: &TokenRecord| {
        vec![
            token.id.to_string(),
            token.user.to_string(),
            state(token.disabled, token.expires_at, now).into(),
            token.created_at.to_string(),
            instant_or_dash(token.expires_at),
        ]
    };
    let rows: Vec<Vec<String>> = tokens.iter().map(row).collect();
    answer(&table(
        &["ID", "USER", "STATE", "CREATED", "EXPIRES"],
        &rows,
    ))
}
