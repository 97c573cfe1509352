//! `rota login`: where people are signed in to the pages, and who they are at the identity provider.

use super::named;
use super::operator::operator;
use super::output::{answer, answer_lines, naming, table, tell};
use super::workspace::{Missing, database, open, open_with_clock, settings};
use super::{Failure, Place};
use crate::actions::identities;
use crate::actions::sessions::{self, Ended};
use crate::domain::identity::Identity;
use crate::domain::ids::SessionId;
use crate::store::{ReadTx, SessionRecord};
use clap::{Args, Subcommand};
use serde::Serialize;

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
    /// Only those of this person: a name, an address or an id
    #[arg(long, value_name = "PERSON")]
    user: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
pub struct End {
    /// The session's id, as `rota login sessions` shows it
    #[arg(value_name = "SESSION")]
    id: Option<String>,
    /// The person: a name, an address or an id
    #[arg(long, value_name = "PERSON")]
    user: Option<String>,
}

#[derive(Args)]
pub struct LinkIdentity {
    /// The person: a name, an address or an id
    #[arg(long, value_name = "PERSON")]
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    id: String,
    user_id: String,
    by: &'static str,
    since: String,
    last_used: String,
    browser: Option<String>,
}

fn line(session: SessionRecord) -> Line {
    Line {
        id: session.id.to_string(),
        user_id: session.user.to_string(),
        by: session.origin.way(),
        since: session.created_at.to_string(),
        last_used: session.used_at.to_string(),
        browser: session.agent,
    }
}

fn list(place: Place, flags: Listed) -> Result<(), Failure> {
    let config = settings(place)?;
    let (store, clock) = open_with_clock(&database(&config)?, Missing::Refuse, None, None)?;
    let mut found = sessions::list_all(&store, &config.login.rules(), clock.now())?;
    if let Some(named) = flags.user {
        let user = store.read(|tx: &ReadTx| named::person(tx, &named))?;
        found.retain(|session| session.user == user);
    }
    let lines = found.into_iter().map(line);
    if flags.json {
        return answer_lines(lines);
    }
    let row = |line: Line| {
        let agent = line.browser.unwrap_or_default();
        vec![
            line.id,
            line.user_id,
            line.by.into(),
            line.since,
            line.last_used,
            agent,
        ]
    };
    let rows: Vec<Vec<String>> = lines.map(row).collect();
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
    let named = flags.user.unwrap_or_default();
    let user = store.read(|tx: &ReadTx| named::person(tx, &named))?;
    let ended = sessions::end_all(&store, &author, &user);
    let Ended { sessions, links } = ended.map_err(naming(user.as_str()))?;
    tell(&format!(
        "of {user}: sessions ended: {sessions}; unused links taken back: {links}"
    ));
    Ok(())
}

fn link(place: Place, flags: LinkIdentity) -> Result<(), Failure> {
    let store = open(&database(&settings(place)?)?)?;
    let user = store.read(|tx: &ReadTx| named::person(tx, &flags.user))?;
    let author = operator("login link-identity");
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
