//! The page behind a link that signs in once: it says who one will be, and its button signs in.

use super::login;
use super::setup::{over, unreferred};
use crate::actions::sessions::{self, Proof};
use crate::server::Outcome;
use crate::web::layout;
use crate::web::visit::Visit;
use maud::html;

/// What a link answers that does not work.
const OVER: &str = "This link was used or is too old. Ask the admin for another";

/// GET /in/{secret}. Looking does not use it up: programs that preview links look too.
pub fn show(visit: &Visit) -> Outcome {
    let Some(person) = sessions::person_of_link(visit.app(), visit.part(0))? else {
        return over(visit, "Sign in", OVER);
    };
    let content = html! {
        div.auth {
            div.card.stack {
                h1 { "Sign in" }
                p { "This link signs you in as " strong { bdi { (person.name()) } } ", once." }
                form method="post" {
                    button.btn.go type="submit" { "Sign in as " bdi { (person.name()) } }
                }
            }
        }
    };
    Ok(unreferred(layout::bare(200, "Sign in", content)))
}

/// POST /in/{secret}: uses the link up.
pub fn sign_in(visit: &Visit) -> Outcome {
    let proof = Proof::Link(visit.part(0).to_owned());
    match login::begin(visit, proof, "/")? {
        Some(response) => Ok(unreferred(response)),
        None => over(visit, "Sign in", OVER),
    }
}
