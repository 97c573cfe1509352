//! Where people are signed in: shown to themselves, and to administrators on the page of a person.

use super::times;
use crate::actions::sessions::{self, Ended};
use crate::domain::directory::Person;
use crate::domain::ids::{SessionId, UserId};
use crate::server::{Outcome, Problem};
use crate::store::SessionRecord;
use crate::web::notes::Note;
use crate::web::parts::confirm;
use crate::web::parts::fields::hidden;
use crate::web::parts::people;
use crate::web::visit::Visit;
use crate::web::{answer, cookie};
use maud::{Markup, html};

/// The sessions of the reader, each with a button that ends it.
pub fn own(visit: &Visit) -> Result<Markup, Problem> {
    let me = visit.me()?;
    let all = of(visit, &me.person.id)?;
    Ok(html! {
        section.card.pad aria-labelledby="sessions" {
            h2 #sessions { "Where you are signed in" }
            @if all.is_empty() { p.muted { "A proxy signs you in with every request." } } @else {
                (list(visit, &all, "/me/sessions/end", &html! {}))
            }
        }
    })
}

/// The sessions of a person, for administrators; nothing for others.
pub fn of_person(visit: &Visit, person: &Person) -> Result<Markup, Problem> {
    if visit.caller.check_administer().is_err() {
        return Ok(html! {});
    }
    let all = of(visit, &person.id)?;
    let carried = hidden("operationId", &confirm::operation_id());
    let action = format!("{}/sessions/end", people::path(&person.id));
    Ok(html! {
        section.card.pad aria-labelledby="sessions" {
            h2 #sessions { "Signed in" }
            @if all.is_empty() { p.muted { "Nowhere." } } @else {
                (list(visit, &all, &action, &carried))
            }
            form.bare method="post" action=(action) {
                (carried)
                button.btn.s type="submit" { "End all, and unused links" }
            }
        }
    })
}

fn of(visit: &Visit, user: &UserId) -> Result<Vec<SessionRecord>, Problem> {
    let rules = &visit.web.login.rules;
    Ok(sessions::list(visit.app().store(), user, rules, visit.now)?)
}

/// The list, with a form for each that also sends what is `carried`.
fn list(visit: &Visit, sessions: &[SessionRecord], action: &str, carried: &Markup) -> Markup {
    let times = times(visit);
    let current = visit.reader.as_ref().and_then(|me| me.session.as_ref());
    html! {
        ul.items {
            @for session in sessions {
                li {
                    div.split {
                        span {
                            bdi { (session.agent.as_deref().unwrap_or("Unknown browser")) }
                            @if current == Some(&session.id) { " " span.tag.good { "this one" } }
                            br;
                            span.muted { "Since " (times.show(session.created_at)) ", by " (way(session.origin.way())) ", last used " (times.show(session.used_at)) }
                        }
                        form.bare method="post" action=(action) {
                            (carried)
                            (hidden("sessionId", session.id.as_str()))
                            button.btn.s type="submit" { "End" }
                        }
                    }
                }
            }
        }
    }
}

fn way(way: &str) -> &str {
    match way {
        "link" => "a link",
        "token" => "a member token",
        "oidc" => "the identity provider",
        "development" => "name, for development",
        other => other,
    }
}

/// POST /me/sessions/end.
pub fn end_own(visit: &Visit) -> Outcome {
    let me = visit.me()?;
    let id = SessionId::from(visit.form.one("sessionId"));
    let (store, author) = (visit.app().store(), visit.author("login end"));
    sessions::end(store, &author, Some(&me.person.id), &id)?;
    if me.session.as_ref() == Some(&id) {
        return Ok(cookie::take_back(&visit.web.site, answer::see("/login")));
    }
    visit.note(Note::new("The session was ended."));
    Ok(answer::see("/me"))
}

/// POST /people/{user}/sessions/end: the session that is named, else all of them.
pub fn end_of_person(visit: &Visit) -> Outcome {
    visit.caller.check_administer()?;
    visit.once(|| {
        let (store, author) = (visit.app().store(), visit.author("login end"));
        let user = UserId::from(visit.part(0));
        let done = match visit.form.filled("sessionId").map(SessionId::from) {
            Some(id) => {
                sessions::end(store, &author, Some(&user), &id)?;
                "The session was ended.".to_owned()
            }
            None => {
                let Ended { sessions, links } = sessions::end_all(store, &author, &user)?;
                format!("Sessions ended: {sessions}. Unused links taken back: {links}.")
            }
        };
        visit.note(Note::new(done));
        Ok(answer::see(people::path(&user)))
    })
}
