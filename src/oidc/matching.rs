//! The claims by which a person may be matched.

use super::settings::{Matching, Settings};
use super::token::Claims;
use crate::domain::identity::ProvidedName;

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
