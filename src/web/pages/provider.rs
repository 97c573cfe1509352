//! Signing in at the identity provider: there, and back.

use super::login;
use crate::actions::identities;
use crate::actions::sessions::Proof;
use crate::actions::sign_ups::{self, Newcomer};
use crate::domain::directory::Person;
use crate::domain::identity::{Identity, Unrecognised};
use crate::oidc::{self, Arrived, Callback, SignIns};
use crate::server::{Outcome, Problem};
use crate::web::visit::Visit;
use crate::web::{answer, cookie};
use maud::html;

fn name(sign_ins: &SignIns) -> &str {
    &sign_ins.provider().settings().name
}

fn sign_ins<'a>(visit: &'a Visit) -> Result<&'a SignIns, Problem> {
    visit.web.sign_ins.as_ref().ok_or_else(answer::nothing_here)
}

/// GET /auth/oidc/start: sends the browser to the provider.
pub fn start(visit: &Visit) -> Outcome {
    let sign_ins = sign_ins(visit)?;
    let (site, next) = (&visit.web.site, login::next(&visit.query));
    let known = cookie::sign_in_secret(site, visit.request);
    let address = visit.request.client_address();
    let started = oidc::browser_secret(known).and_then(|secret| {
        let url = sign_ins.start(&secret, next, address, visit.now)?;
        Ok((url, secret))
    });
    match started {
        Ok((url, secret)) => Ok(cookie::give_sign_in(site, answer::see(url), &secret)),
        Err(error) => failed(visit, sign_ins, &error, next),
    }
}

/// GET /auth/callback: the provider sends the browser back.
pub fn finish(visit: &Visit) -> Outcome {
    let sign_ins = sign_ins(visit)?;
    let secret = cookie::sign_in_secret(&visit.web.site, visit.request);
    match sign_ins.finish(callback(visit), secret, visit.now) {
        Ok(arrived) => sign_in(visit, sign_ins, arrived),
        Err(failure) => {
            let next = failure.next.as_deref().unwrap_or("/");
            failed(visit, sign_ins, &failure.error, next)
        }
    }
}

/// The parameters of the query. One that has a parameter twice belongs to no sign-in.
fn callback<'a>(visit: &'a Visit) -> Callback<'a> {
    let query = &visit.query;
    let names = ["state", "code", "iss", "error"];
    if names.iter().any(|name| query.all(name).nth(1).is_some()) {
        return Callback::default();
    }
    let one = |name| query.names(name).then(|| query.one(name));
    Callback {
        state: query.one("state"),
        code: one("code").filter(|code| !code.is_empty()),
        issuer: one("iss"),
        error: one("error"),
    }
}

fn sign_in(visit: &Visit, sign_ins: &SignIns, arrived: Arrived) -> Outcome {
    let Arrived { identity, name, .. } = &arrived;
    let person = match recognised(visit, sign_ins, &arrived)? {
        Ok(person) => person,
        Err(unrecognised) => {
            let reason = name.as_ref().err().copied();
            let reason = reason.unwrap_or(unrecognised.reason());
            return refused(visit, sign_ins, &arrived, (unrecognised, reason));
        }
    };
    let settings = sign_ins.provider().settings();
    let mut addresses = [&arrived.email, &person.email].into_iter().flatten();
    let proof = Proof::Provider {
        is_admin: addresses.any(|email| settings.names_admin(email)),
        user: person.id,
        identity: identity.clone(),
        email: arrived.email.clone(),
    };
    match login::begin(visit, proof, &arrived.next)? {
        Some(response) => Ok(cookie::take_back_sign_in(&visit.web.site, response)),
        // Deactivated in between.
        None => {
            let why = Unrecognised::NotInWorkspace;
            refused(visit, sign_ins, &arrived, (why, why.reason()))
        }
    }
}

/// Who somebody is: whom the provider's account is linked to, or whom its name matches; else, where the settings say so, the
/// person whom they become.
fn recognised(
    visit: &Visit,
    sign_ins: &SignIns,
    arrived: &Arrived,
) -> Result<Result<Person, Unrecognised>, Problem> {
    let Arrived { identity, name, .. } = arrived;
    let named = name.as_ref().ok();
    let found = identities::recognise(visit.app(), identity, named, visit.origin())?;
    let creates = sign_ins.provider().settings().creates_people;
    match (found, &arrived.email) {
        (Err(Unrecognised::Nobody), Some(email)) if creates => {
            let newcomer = Newcomer {
                identity: identity.clone(),
                email: email.clone(),
                profile: arrived.profile.clone(),
                groups: arrived.groups.clone(),
            };
            Ok(sign_ups::sign_up(visit.app(), newcomer, visit.origin())?)
        }
        (Ok(person), _) => {
            if let Some(groups) = &arrived.groups {
                sign_ups::follow_groups(visit.app(), &person, groups, visit.origin())?;
            }
            Ok(Ok(person))
        }
        (found, _) => Ok(found),
    }
}

/// The page of somebody whom the provider knows and the workspace does not.
fn refused(
    visit: &Visit,
    sign_ins: &SignIns,
    arrived: &Arrived,
    (why, reason): (Unrecognised, &str),
) -> Outcome {
    let Identity { issuer, subject } = &arrived.identity;
    log::warn!(
        "sign-in of {subject:?} at {issuer} refused: {reason} ({})",
        visit.id
    );
    visit.web.count_failure(visit)?;
    let provider = name(sign_ins);
    let text = match why {
        Unrecognised::Nobody => {
            format!("Your account at {provider} is not linked to anybody in this workspace.")
        }
        Unrecognised::Several => {
            format!("Several people have the mail address of your account at {provider}.")
        }
        Unrecognised::LinkedOtherwise => format!(
            "The mail address of your account belongs to somebody who signs in with another account at {provider}."
        ),
        Unrecognised::NotInWorkspace => {
            format!("Your account at {provider} belongs to somebody who is not in this workspace.")
        }
    };
    // Names are for whoever the provider vouches for.
    let admins = match (why, &arrived.email) {
        (Unrecognised::Nobody, Some(_)) => sign_ups::whom_to_ask(visit.app())?,
        _ => Vec::new(),
    };
    let more = html! {
        @if why == Unrecognised::Nobody {
            p {
                "Ask an administrator of rota to add you"
                @for (at, name) in admins.iter().enumerate() { (if at == 0 { ": " } else { ", " }) bdi { (name) } }
                "."
            }
        }
        @if why != Unrecognised::NotInWorkspace {
            p { "An administrator can link your account on the server:" }
            p { code { "rota login link-identity --user ID --issuer ISSUER --sub SUB" } }
            dl {
                dt { "Issuer" } dd { code { (issuer) } }
                dt { "Sub" } dd { code { (subject) } }
            }
        }
    };
    Ok(login::ways_to(visit, (403, &text), &arrived.next, more))
}

/// The page of a sign-in that fails.
fn failed(visit: &Visit, sign_ins: &SignIns, error: &oidc::Error, next: &str) -> Outcome {
    let issuer = &sign_ins.provider().settings().issuer;
    log::warn!("sign-in at {issuer} failed: {error} ({})", visit.id);
    if error.is_failed_attempt() {
        visit.web.count_failure(visit)?;
    }
    let (status, text) = explained(error, name(sign_ins));
    Ok(login::ways_to(visit, (status, &text), next, html! {}))
}

/// The text of an error for whoever wanted to sign in.
fn explained(error: &oidc::Error, provider: &str) -> (u16, String) {
    use oidc::Error;
    match error {
        Error::Provider(_) => (
            502,
            format!("{provider} does not answer as it should. Try again in a moment, or sign in another way."),
        ),
        Error::Busy | Error::NoRandomness => (
            503,
            "Many people are signing in at this moment. Try again shortly.".into(),
        ),
        Error::UnknownState => (
            400,
            "This sign-in has been used already, or took longer than 10 minutes. Start again.".into(),
        ),
        Error::OtherBrowser => (
            400,
            "This sign-in was started in another browser, or at another address of this server. Start again here."
                .into(),
        ),
        Error::Declined => (
            403,
            format!("The sign-in was cancelled, or {provider} does not let you in here."),
        ),
        Error::OtherIssuer | Error::Refused(_) | Error::Token(_) | Error::OtherPerson => (
            403,
            format!(
                "{provider} could not confirm who you are. Start again; if that does not help, tell an administrator."
            ),
        ),
    }
}
