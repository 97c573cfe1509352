//! Signing in and out.

use crate::actions::directory;
use crate::actions::sessions::{self, Browser, Proof};
use crate::domain::audit::Author;
use crate::domain::ids::UserId;
use crate::server::{Outcome, Problem, Request, Response};
use crate::web::form::{Errors, Form};
use crate::web::parts::fields::{self, Filled, hidden};
use crate::web::visit::Visit;
use crate::web::{answer, cookie, entry, gate, layout};
use maud::{Markup, html};

/// Where to go on once signed in: a path of this site only.
pub(super) fn next(form: &Form) -> &str {
    form.filled("next").and_then(gate::path_here).unwrap_or("/")
}

/// GET /login: the ways to sign in; with `link` who one will be.
pub fn show(visit: &Visit) -> Outcome {
    if let Some(user) = visit
        .query
        .filled("as")
        .filter(|_| visit.web.login.rules.development)
    {
        let proof = Proof::Development(UserId::from(user));
        return match begin(visit, proof, next(&visit.query))? {
            Some(response) => Ok(response),
            None => Ok(ways(visit, 404, "The workspace has nobody with this id.")),
        };
    }
    match visit.query.filled("link") {
        Some(secret) => show_link(visit, secret),
        None if visit.reader.is_some() && visit.query.names("next") => {
            Ok(answer::see(next(&visit.query)))
        }
        None => Ok(ways(visit, 200, "")),
    }
}

/// Whom a link signs in. Looking does not use it up: programs that preview links look too.
fn show_link(visit: &Visit, secret: &str) -> Outcome {
    let Some(person) = sessions::person_of_link(visit.app(), secret)? else {
        visit.web.count_failure(visit)?;
        return Ok(ways(visit, 410, LINK_OVER));
    };
    Ok(layout::bare(
        200,
        "Sign in",
        html! {
            h1 { "Sign in" }
            div.card.pad {
                p { "This link signs you in as " strong { bdi { (person.name()) } } "." }
                form method="post" action="/login" {
                    (hidden("link", secret))
                    (hidden("next", next(&visit.query)))
                    p.actions { button.btn.go type="submit" { "Sign in as " bdi { (person.name()) } } }
                }
            }
        },
    ))
}

const LINK_OVER: &str = "This link has been used, or its time is over. Ask for another one.";
const TOKEN_WRONG: &str = "This token is unknown, revoked or has expired.";

/// POST /login: uses a link up, or takes a member token.
pub fn sign_in(visit: &Visit) -> Outcome {
    let (proof, wrong) = match (visit.form.filled("link"), visit.form.filled("token")) {
        (Some(link), _) => (Proof::Link(link.to_owned()), LINK_OVER),
        (None, Some(token)) => (Proof::Token(token.to_owned()), TOKEN_WRONG),
        (None, None) => return Ok(ways(visit, 400, "Enter a member token.")),
    };
    if let Some(response) = begin(visit, proof, next(&visit.form))? {
        return Ok(response);
    }
    visit.web.count_failure(visit)?;
    Ok(ways(visit, 401, wrong))
}

/// Begins a session, in the place of the one that the browser has; `None` where the proof proves nothing. It counts as a
/// request of the person whom the proof is of.
pub(super) fn begin(visit: &Visit, proof: Proof, next: &str) -> Result<Option<Response>, Problem> {
    let Some(user) = sessions::proven(visit.app(), &proof)? else {
        return Ok(None);
    };
    // Of the reader it is counted already.
    if visit.user() != Some(&user) {
        visit.web.ask(&user)?;
    }
    let before = entry::by_cookie(visit.web, visit.request)?;
    let replaced = before.and_then(|before| Some((before.person.id.clone(), before.session?)));
    let browser = Browser {
        agent: agent(visit.request),
        replaced,
        origin: visit.origin(),
    };
    let rules = &visit.web.login.rules;
    let begun = sessions::sign_in(visit.app(), proof, browser, rules)?;
    let Some(begun) = begun else { return Ok(None) };
    log::info!("{} signed in: {}", begun.user, begun.id);
    let response = answer::see(next.to_owned());
    let response = cookie::give(&visit.web.site, response, &begun.secret, rules.lifetime);
    Ok(Some(response))
}

/// The name of the browser, cut to the length that a list shows.
pub(super) fn agent(request: &Request) -> Option<String> {
    const SHOWN: usize = 200;
    let told = request.header("User-Agent")?;
    let plain = told.chars().filter(|c| !c.is_control());
    Some(plain.take(SHOWN).collect::<String>()).filter(|agent| !agent.is_empty())
}

/// POST /logout.
pub fn sign_out(visit: &Visit) -> Outcome {
    if let Some(reader) = entry::by_cookie(visit.web, visit.request)?
        && let Some(session) = &reader.session
    {
        let author = Author {
            principal: reader.principal.clone(),
            ..visit.author("signOut")
        };
        sessions::end(
            visit.app().store(),
            &author,
            Some(&reader.person.id),
            session,
        )?;
    }
    Ok(cookie::take_back(&visit.web.site, answer::see("/login")))
}

/// The ways to sign in, with what was wrong with the last try.
fn ways(visit: &Visit, status: u16, wrong: &str) -> Response {
    let asked = [&visit.form, &visit.query]
        .into_iter()
        .find(|form| form.names("next"));
    ways_to(visit, (status, wrong), asked.map_or("/", next), html! {})
}

/// The ways to sign in and go on to a path, with what was wrong with the last try, and more about that.
pub(super) fn ways_to(
    visit: &Visit,
    (status, wrong): (u16, &str),
    next: &str,
    more: Markup,
) -> Response {
    let mut errors = Errors::default();
    match wrong {
        "" => {}
        TOKEN_WRONG | "Enter a member token." => errors.add("token", wrong),
        other => errors.add_whole(other),
    }
    let values = Form::default();
    let filled = Filled {
        values: &values,
        errors: &errors,
    };
    // Without an answer of the storage the page is as usual.
    let is_empty = !directory::has_people(visit.app()).unwrap_or(true);
    layout::bare(
        status,
        "Sign in",
        html! {
            (fields::summary(&errors))
            (more)
            h1 { "Sign in" }
            @if let Some(reader) = &visit.reader {
                p.note.said { "You are signed in as " bdi { (reader.person.name()) } ". " a href=(next) { "Go on" } }
            }
            @if is_empty { (nobody_yet(visit)) }
            (provider(visit, next))
            div.card.pad {
                h2 { "With a member token" }
                form method="post" action="/login" {
                    (hidden("next", next))
                    (filled.input("password", "token", "Member token", "Begins with svc_mbr_. An administrator makes one with “rota token create”.", true))
                    p.actions { button.btn.go type="submit" { "Sign in" } }
                }
            }
            (other_ways(visit))
        },
    )
}

/// The instructions while the workspace has nobody who could sign in.
fn nobody_yet(visit: &Visit) -> Markup {
    html! {
        div.card.pad {
            h2 { "Nobody is in the workspace yet" }
            @if let Some(remote) = visit.app().remote() {
                p { "People are read from " (remote.names().title) ", which takes a moment after the first start. Where it stays like this, the log of the server says why." }
            } @else {
                p { "The server has printed an address that makes whoever opens it the admin. On the server, this prints another:" }
                p { code { "rota setup-link" } }
                p { "Or import people from a file, and make a link that signs you in:" }
                p { code { "rota directory import people.json" } }
                p { code { "rota login-link --user ID" } }
            }
        }
    }
}

/// The link that starts a sign-in, where there is a provider. A form would be blocked: the policy of the pages sends forms to
/// this server alone, and a redirect counts.
fn provider(visit: &Visit, next: &str) -> Markup {
    let start = match next {
        "/" => "/auth/oidc/start".to_owned(),
        next => format!("/auth/oidc/start?next={}", layout::encoded(next)),
    };
    html! {
        @if let Some(sign_ins) = &visit.web.sign_ins {
            div.card.pad {
                p.actions { a.btn.go href=(start) { "Sign in with " (sign_ins.provider().settings().name) } }
            }
        }
    }
}

fn other_ways(visit: &Visit) -> Markup {
    html! {
        div.card.pad {
            h2 { "With a link" }
            p { "Ask an administrator for a link that signs you in once. They make it on the server:" }
            p { code { "rota login-link --user ID" } }
        }
        @if visit.web.login.rules.development {
            div.card.pad {
                h2 { "For development" }
                p { "This server runs as “rota dev”: " code { "/login?as=ID" } " signs in as anybody." }
            }
        }
        @if visit.web.login.public { p { a href="/" { "Who is on call, without signing in" } } }
    }
}
