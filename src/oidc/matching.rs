//! What the claims say of a person: by what they may be matched, what a new person is made of, and their groups.

use super::settings::{Matching, Settings};
use super::token::Claims;
use crate::domain::identity::{Profile, ProvidedName};
use crate::domain::ids::GroupId;
use serde_json::Value;

/// How the provider names a person who is not linked; the reason for the log where nothing that it says counts.
pub fn name(claims: &Claims, settings: &Settings) -> Result<ProvidedName, &'static str> {
    match settings.matching {
        Matching::Slack => match (&claims.slack_team, &claims.slack_user) {
            (Some(team), Some(user)) => Ok(ProvidedName::Chat {
                team: team.clone(),
                user: user.as_str().into(),
            }),
            _ => Err("the ID token has no Slack user and team"),
        },
        Matching::Email => address(claims, settings).map(ProvidedName::Address),
    }
}

/// The address of a person, where it is verified and the provider is believed about its domain; else the reason for the log.
pub fn address(claims: &Claims, settings: &Settings) -> Result<String, &'static str> {
    let email = claims.email.as_deref().unwrap_or_default();
    let Some((_, domain)) = email.rsplit_once('@').filter(|(user, _)| !user.is_empty()) else {
        return Err("the provider names no mail address");
    };
    if !claims.email_verified {
        return Err("the provider has not verified the mail address");
    }
    match settings.email_domains.contains(&domain.to_lowercase()) {
        true => Ok(email.to_owned()),
        false => Err("the domain of the mail address is not in login.oidc.email_domains"),
    }
}

/// Whether the ID token lacks something that the userinfo endpoint may say and that counts with these settings.
pub fn lacks(claims: &Claims, settings: &Settings) -> bool {
    let counts = settings.matching == Matching::Email || !settings.admins.is_empty();
    let lacks = |claim: &str| !claims.others.contains_key(claim);
    let lacks_name = settings.creates_people && lacks("name");
    let lacks_groups = settings.groups_claim.as_deref().is_some_and(lacks);
    (counts && claims.email.is_none()) || lacks_name || lacks_groups
}

/// What a new person is made of.
pub fn profile(claims: &Claims) -> Profile {
    let text = |claim: &str| {
        let text = claims.others.get(claim)?.as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    Profile {
        name: text("name"),
        zone: text("zoneinfo"),
        handle: text("preferred_username"),
    }
}

/// The user groups of the settings, each with whether the claim puts the person into it; `None` without the claim.
pub fn groups(claims: &Claims, settings: &Settings) -> Option<Vec<(GroupId, bool)>> {
    let said = claims.others.get(settings.groups_claim.as_deref()?)?;
    let said: Vec<&str> = match said {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        // Of one group, some providers say only its name.
        Value::String(name) => vec![name],
        _ => return None,
    };
    let mut found: Vec<(GroupId, bool)> = Vec::new();
    for (name, group) in &settings.groups {
        let is_said = said.contains(&name.as_str());
        match found.iter_mut().find(|(known, _)| known == group) {
            Some((_, belongs)) => *belongs |= is_said,
            None => found.push((group.clone(), is_said)),
        }
    }
    Some(found)
}
