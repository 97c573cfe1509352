//! Member tokens: made and revoked. The text of a token is shown once.

use super::{check, crumbs, lifetime, lifetimes};
use crate::actions::{ActionError, keys};
use crate::domain::ids::{TokenId, UserId};
use crate::server::{Outcome, Problem, Response};
use crate::store::{Page, PersonFilter, list_people};
use crate::web::form::{Errors, Form};
use crate::web::notes::Note;
use crate::web::pages::{refused, times};
use crate::web::parts::confirm;
use crate::web::parts::fields::{self, Choice, Filled, hidden};
use crate::web::parts::people::People;
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use maud::{Markup, html};

const FIELDS: [&str; 2] = ["userId", "expires"];

/// People that are offered in a list; in a larger workspace their id is typed.
const OFFERED: u32 = 500;

/// GET /admin/tokens.
pub fn show(visit: &Visit) -> Outcome {
    page(visit, 200, &visit.query, &Errors::default())
}

fn page(visit: &Visit, status: u16, values: &Form, errors: &Errors) -> Result<Response, Problem> {
    let all = keys::list_all_tokens(visit.app().store(), &visit.caller)?;
    let people = People::load(visit.app(), all.iter().map(|token| &token.user), true)?;
    let times = times(visit);
    let content = html! {
        (fields::summary(errors))
        (crumbs())
        h1 { "Member tokens" }
        p { "A token acts as one person, with the rights of that person. Give it to nobody else." }
        section.card.flush aria-label="Tokens" {
            @if all.is_empty() { div.pad { p.muted { "There are no tokens yet." } } } @else {
                table.rows {
                    caption.sr { "Tokens, the oldest first" }
                    thead { tr { th scope="col" { "Person" } th scope="col" { "Id" } th scope="col" { "Created" } th scope="col" { "Expires" } th scope="col" { span.sr { "Actions" } } } }
                    tbody {
                        @for token in &all {
                            tr data-token=(token.id) {
                                th scope="row" { (people.show(&token.user)) }
                                td data-label="Id" { code { (token.id) } }
                                td data-label="Created" { (times.show(token.created_at)) }
                                td data-label="Expires" {
                                    @match token.expires_at { Some(at) => (times.show(at)), None => span.muted { "Never" } }
                                    @if token.disabled { " " span.tag.bad { "Disabled" } }
                                    @else if token.expires_at.is_some_and(|at| at <= visit.now) { " " span.tag.bad { "Expired" } }
                                }
                                td {
                                    details {
                                        summary { "Revoke" }
                                        p { "What uses it is refused from now on." }
                                        form.bare method="post" action=(format!("/admin/tokens/{}/revoke", token.id)) {
                                            (hidden("operationId", &confirm::operation_id()))
                                            button.btn.s type="submit" { "Revoke the token" }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        form.card.pad method="post" action="/admin/tokens" {
            h2 { "New token" }
            (hidden("operationId", &confirm::operation_id()))
            (person(visit, Filled { values, errors })?)
            (Filled { values, errors }.select("expires", "Expires", "", &lifetimes()))
            p.hint { "The token is shown once, on the next page." }
            p.actions { button.btn.go type="submit" { "Make the token" } }
        }
    };
    Ok(layout::page_with(visit, status, "Member tokens", content))
}

/// The field for whom a token acts as.
fn person(visit: &Visit, filled: Filled) -> Result<Markup, Problem> {
    let page = Page::first(OFFERED);
    let everybody = PersonFilter::default();
    let (people, total) = visit
        .app()
        .store()
        .read(|tx| list_people(tx, &everybody, false, page))?;
    if total > OFFERED.into() {
        let hint = "The person's id, as their page says.";
        return Ok(filled.input("text", "userId", "Person", hint, true));
    }
    let choices: Vec<Choice> = people
        .iter()
        .map(|person| Choice::new(person.id.as_str(), person.name()))
        .collect();
    Ok(filled.select("userId", "Person", "", &choices))
}

/// POST /admin/tokens.
pub fn create(visit: &Visit) -> Outcome {
    check(visit)?;
    visit.once(|| {
        let store = visit.app().store();
        let author = visit.author("token create");
        let user = UserId::from(visit.form.one("userId").trim());
        let made = lifetime(visit)
            .map_err(ActionError::from)
            .and_then(|lifetime| keys::create_token(store, &author, user, lifetime));
        let again = |status, errors: Errors| page(visit, status, &visit.form, &errors);
        let (_, token) = match refused(visit, made, &FIELDS, again)? {
            Ok(made) => made,
            Err(page) => return Ok(page),
        };
        visit.note(Note {
            secret: Some(token),
            ..Note::new("The token was made.")
        });
        Ok(answer::see("/admin/tokens"))
    })
}

/// POST /admin/tokens/{token}/revoke.
pub fn revoke(visit: &Visit) -> Outcome {
    check(visit)?;
    visit.once(|| {
        let (author, id) = (visit.author("token revoke"), TokenId::from(visit.part(0)));
        keys::revoke_token(visit.app().store(), &author, id)?;
        visit.note(Note::new("The token was revoked."));
        Ok(answer::see("/admin/tokens"))
    })
}
