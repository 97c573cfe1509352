//! `rota check`: reports errors in the configuration and the database. Changes neither.

use super::outgoing::{Receivers, outward, trusted};
use super::output::{answer, tell};
use super::run::{countries_without_holidays, holidays_end};
use super::workspace::{days, development_clock, existing_database, parse_clock, settings};
use super::{Failure, Place};
use crate::actions::inbox_only::{self, InboxOnly};
use crate::client::Tls;
use crate::config::Config;
use crate::domain::holidays::Calendar;
use crate::domain::ids::RotationId;
use crate::domain::partner::Partner;
use crate::oidc::{Provider, Settings};
use crate::relays::Relays;
use crate::runtime::clock::Clock;
use crate::store::{
    Damage, Error, Inspection, ReadTx, list_broken_chains, list_following, list_overlaps,
    list_readings, list_rotation_names, load_rotation,
};
use crate::web::has_secure_cookies;

pub const EXAMPLES: &str = "\
Reads everything and changes nothing, also while a server runs. Prints a line for each thing that is wrong. Exit code 0 if
nothing is, 1 if anything is.

Examples:
  rota check
  rota check --config /etc/rota/rota.toml";

/// Looks, prints what is wrong a line each, and fails if anything is.
pub fn run(place: Place) -> Result<(), Failure> {
    // A wrong configuration is a finding, not a usage error.
    check(place).map_err(|failure| match failure {
        Failure::Usage(sentence) | Failure::Failed(sentence) => Failure::Failed(sentence),
    })
}

fn check(place: Place) -> Result<(), Failure> {
    let config = settings(place)?;
    let calendar = days(&config)?;
    // Certificate authorities are read as a server would.
    let tls = trusted(&config)?;
    let outward = outward(String::new(), &config, &tls, Receivers::Public)?;
    let login = config.login().map_err(Failure::Usage)?;
    let partners: Vec<Partner> = config
        .partners()
        .map_err(Failure::Usage)?
        .partners()
        .collect();
    config.slack().map_err(Failure::Usage)?;
    config.matrix().map_err(Failure::Usage)?;
    let path = existing_database(&config)?;
    for exposed in config.exposed_secrets() {
        tell(&format!("note: {exposed}"));
    }
    if let Some(note) = exposed_sessions(&config) {
        tell(&note);
    }
    let database = Inspection::open(&path)?;
    let (mut problems, advice) = problems(&database, &calendar)?;
    if problems.is_empty() {
        note_inbox_only(&database, &outward.relays)?;
        problems.extend(unconnected(&database, &partners)?);
    }
    problems.extend(login.provider.and_then(|settings| unready(settings, &tls)));
    for problem in &problems {
        answer(problem)?;
    }
    for line in &advice {
        answer(line)?;
    }
    match problems.len() {
        0 => {
            tell(&format!("{}: nothing is wrong", path.display()));
            Ok(())
        }
        count => Err(Failure::Failed(format!(
            "{}: {count} found to be wrong",
            path.display()
        ))),
    }
}

/// What to know where sessions can be read on their way. Whoever has no TLS has chosen so, and nothing else is wrong.
fn exposed_sessions(config: &Config) -> Option<String> {
    let base_url = config.base_url.as_ref()?.to_string();
    let origin = config.origins.of("base_url");
    (!has_secure_cookies(&base_url)).then(|| {
        format!(
            "note: {origin}: {base_url} is plain http, so the cookie of a session has no Secure and anybody on the way can \
             read it; write an https address, such as \"https://rota.example.org\""
        )
    })
}

/// Rotations that follow a schedule of a partner without settings: who is on call in them is known for two weeks at the most.
fn unconnected(database: &Inspection, partners: &[Partner]) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for (link, _) in database.read(list_readings)? {
        if partners.contains(&link.partner) {
            continue;
        }
        for rotation in database.read(|tx: &ReadTx| list_following(tx, &link))? {
            found.push(format!(
                "{rotation} follows schedule {} of {name}, which has no settings; write its key below [partners.{name}], or \
                 unlink the rotation",
                link.schedule,
                name = link.partner.name()
            ));
        }
    }
    Ok(found)
}

/// Why nobody can sign in at the identity provider now, by what it publishes.
fn unready(settings: Settings, tls: &Tls) -> Option<String> {
    let provider = Provider::new(settings, tls);
    let checked = provider.check(Clock::system().now());
    let issuer = &provider.settings().issuer;
    match checked {
        Ok(()) => {
            tell(&format!(
                "{issuer}: discovery document and keys are readable"
            ));
            None
        }
        Err(error) => Some(format!("login.oidc.issuer: {issuer}: {error}")),
    }
}

/// What is wrong in the database, and what to do where it is damaged.
fn problems(
    database: &Inspection,
    calendar: &Calendar,
) -> Result<(Vec<String>, Vec<String>), Failure> {
    let differences = database.differences();
    for harmless in &differences.harmless {
        tell(&format!("note: {harmless}, and harmless"));
    }
    // Tables of another program could be constructed to make queries run forever.
    if !differences.wrong.is_empty() {
        return Ok((differences.wrong.clone(), Vec::new()));
    }
    let Damage {
        findings: mut problems,
        advice,
    } = database.damage()?;
    problems.extend(database.unready());
    // Rows of a damaged file may be wrong and those of an older schema cannot be read, so further checks would be
    // misleading.
    if !problems.is_empty() {
        return Ok((problems, advice));
    }
    for (rotation, cell) in database.read(list_broken_chains)? {
        problems.push(format!(
            "the history of {cell} of {rotation} has a gap or an overlap"
        ));
    }
    for (rotation, cell) in database.read(list_overlaps)? {
        problems.push(format!("arrangements over {cell} of {rotation} overlap"));
    }
    let now = match parse_clock(database.read(development_clock)?)? {
        Some(at) => at,
        None => Clock::system().now(),
    };
    for country in database.read(|tx| countries_without_holidays(tx, calendar, now))? {
        problems.push(holidays_end(calendar, country));
    }
    Ok((problems, advice))
}

/// Notes whom messages reach by the inbox alone, which is not wrong.
fn note_inbox_only(database: &Inspection, relays: &Relays) -> Result<(), Failure> {
    let found = database.read(|tx: &ReadTx| -> Result<InboxOnly, Error> {
        let mut found = InboxOnly::default();
        for listed in list_rotation_names(tx)? {
            if let Some(rotation) = load_rotation(tx, &RotationId::from(listed.id.as_str()))? {
                found.add(inbox_only::with_relays(tx, relays, &rotation)?);
            }
        }
        Ok(found)
    })?;
    let users: Vec<&str> = found.users.iter().map(|user| user.as_str()).collect();
    let channels: Vec<&str> = found
        .channels
        .iter()
        .map(|channel| channel.as_str())
        .collect();
    for (who, ids) in [("people", users), ("channels", channels)] {
        if !ids.is_empty() {
            tell(&format!(
                "note: messages reach these {who} by the inbox alone: {}",
                ids.join(", ")
            ));
        }
    }
    Ok(())
}
