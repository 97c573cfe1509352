//! `rota login`: who people are at the identity provider.

use super::operator::operator;
use super::output::tell;
use super::workspace::{database, open, settings};
use super::{Failure, Place};
use crate::actions::identities;
use crate::domain::identity::Identity;
use crate::domain::ids::UserId;
use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Replaces the identity that the person has at this issuer, and the person whom this identity was linked to.

Examples:
  rota login link-identity --user UADA --issuer https://accounts.google.com --sub 110169484474386276334";

#[derive(Subcommand)]
pub enum Command {
    /// Link an account at an identity provider to a person
    #[command(after_help = EXAMPLES)]
    LinkIdentity(LinkIdentity),
}

#[derive(Args)]
pub struct LinkIdentity {
    /// The person's id in the chat workspace
    #[arg(long, value_name = "ID")]
    user: String,
    /// The issuer, exactly as in login.oidc.issuer
    #[arg(long, value_name = "URL")]
    issuer: String,
    /// The account's `sub` at the provider; the page of a refused sign-in shows it
    #[arg(long, value_name = "SUB")]
    sub: String,
}

/// Runs a subcommand.
pub fn run(place: Place, command: Command) -> Result<(), Failure> {
    let Command::LinkIdentity(flags) = command;
    let store = open(&database(&settings(place)?)?)?;
    let (user, author) = (UserId::from(flags.user), operator("login link-identity"));
    let identity = Identity {
        issuer: flags.issuer,
        subject: flags.sub,
    };
    identities::link(&store, &author, user.clone(), identity.clone())?;
    tell(&format!(
        "{} of {} signs in as {user}",
        identity.subject, identity.issuer
    ));
    Ok(())
}
