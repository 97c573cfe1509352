//! `rota login`: where people are signed in to the pages, and who they are at the identity provider.

use super::operator::operator;
use super::output::{answer, naming, table, tell};
use super::workspace::{Missing, database, open, open_with_clock, settings};
use super::{Failure, Place};
use crate::actions::identities;
use crate::actions::sessions::{self, Ended};
use crate::domain::identity::Identity;
use crate::domain::ids::{SessionId, UserId};
use crate::store::SessionRecord;
use clap::{Args, Subcommand};

const LINK_EXAMPLES: &str = "\
Replaces the identity that the person has at this issuer, and the person whom this identity was linked to. Sessions that
began with either end.

Examples:
  rota login link-identity --user UADA --issuer https://accounts.google.com --sub 110169484474386276334";

const END_EXAMPLES: &str = "\
With --user every session of the person ends, and links of `rota login-link` that have not been used no longer work. A member
token signs in again until it is revoked.

Examples:
  rota login end ses_9fKq2mZx4LrT7vBn1cWd
  rota login end --user UADA";

#[derive(Subcommand)]
pub enum Command {
    /// List where people are signed in
    Sessions(Listed),
    /// End a session, or every session of a person
    #[command(after_help = END_EXAMPLES)]
    End(End),
    /// Link an account at an identity provider to a person
    #[command(after_help = LINK_EXAMPLES)]
    LinkIdentity(LinkIdentity),
}

#[derive(Args)]
pub struct Listed {
    /// Only those of this person
    #[arg(long, value_name = "ID")]
    user: Option<String>,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
pub struct End {
    /// The session's id, as `rota login sessions` shows it
    #[arg(value_name = "SESSION")]
    id: Option<String>,
    /// The person's id in the chat workspace
    #[arg(long, value_name = "ID")]
    user: Option<String>,
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
    match command {
        Command::Sessions(flags) => list(place, flags),
        Command::End(flags) => end(place, flags),
        Command::LinkIdentity(flags) => link(place, flags),
    }
}

fn list(place: Place, flags: Listed) -> Result<(), Failure> {
    let config = settings(place)?;
    let (store, clock) = open_with_clock(&database(&config)?, Missing::Refuse, None, None)?;
    let mut found = sessions::list_all(&store, &config.login.rules(), clock.now())?;
    if let Some(user) = flags.user.map(UserId::from) {
        found.retain(|session| session.user == user);
    }
    let row = |session: &SessionRecord| {
        vec![
            session.id.to_string(),
            session.user.to_string(),
            session.origin.way().to_owned(),
            session.created_at.to_string(),
            session.used_at.to_string(),
            session.agent.clone().unwrap_or_default(),
        ]
    };
    let rows: Vec<Vec<String>> = found.iter().map(row).collect();
    let heads = ["ID", "USER", "BY", "SINCE", "LAST USED", "BROWSER"];
    answer(&table(&heads, &rows))
}

fn end(place: Place, flags: End) -> Result<(), Failure> {
    let store = open(&database(&settings(place)?)?)?;
    let author = operator("login end");
    if let Some(id) = flags.id {
        let ended = sessions::end(&store, &author, None, &SessionId::from(id.as_str()));
        let user = ended.map_err(naming(&id))?;
        tell(&format!("ended {id} of {user}"));
        return Ok(());
    }
    let user = UserId::from(flags.user.unwrap_or_default());
    let ended = sessions::end_all(&store, &author, &user);
    let Ended { sessions, links } = ended.map_err(naming(user.as_str()))?;
    tell(&format!(
        "of {user}: sessions ended: {sessions}; unused links taken back: {links}"
    ));
    Ok(())
}

fn link(place: Place, flags: LinkIdentity) -> Result<(), Failure> {
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
