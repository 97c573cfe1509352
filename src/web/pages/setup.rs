//! The page behind the printed set-up address: whoever opens it becomes the first admin.

use super::login::agent;
use crate::actions::first_run::{self, Admin};
use crate::actions::sessions::{Begun, Browser};
use crate::actions::{ActionError, directory};
use crate::domain::directory::Person;
use crate::domain::directory_edit::{NewPerson, PersonPatch};
use crate::domain::ids::UserId;
use crate::domain::zones;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::parts::fields::{self, Choice, Filled};
use crate::web::parts::icon::icon;
use crate::web::parts::refusals;
use crate::web::visit::Visit;
use crate::web::{answer, cookie, layout};
use maud::{Markup, html};

const FIELDS: [&str; 4] = ["displayName", "email", "timeZone", "userId"];

/// What an address answers that does not work.
const OVER: &str = "This address was used or is too old. On the server: rota setup-link";

/// The steps to the first hand-over, each with what it takes.
pub(super) const STEPS: [(&str, &str); 4] = [
    ("You, the admin", "a minute"),
    ("Add people", "name and mail, one a line"),
    (
        "Make the first rotation",
        "a pattern, people, a look at four weeks",
    ),
    (
        "Let people sign in",
        "by mailed link, Slack or your provider",
    ),
];

/// Keeps the address out of what the browser sends to others.
pub(super) fn unreferred(response: Response) -> Response {
    response.with("Referrer-Policy", "no-referrer")
}

/// The answer of a secret address that does not work: it says what does. It counts as a failed try of whoever asks.
pub(super) fn over(visit: &Visit, title: &str, said: &str) -> Outcome {
    visit.web.count_failure(visit)?;
    let content = html! {
        h1 { (title) }
        div.note.bad role="alert" { p { (said) } }
        p { a href="/login" { "Other ways to sign in" } }
    };
    Ok(unreferred(layout::bare(404, title, content)))
}

/// GET /setup/{secret}. Looking uses nothing up.
pub fn show(visit: &Visit) -> Outcome {
    if !first_run::is_open(visit.app(), visit.part(0))? {
        return over(visit, "Set up", OVER);
    }
    let values = Form::with([("timeZone", visit.zone.as_str())]);
    page(visit, 200, &values, &Errors::default())
}

/// POST /setup/{secret}.
pub fn set_up(visit: &Visit) -> Outcome {
    if !first_run::is_open(visit.app(), visit.part(0))? {
        return over(visit, "Set up", OVER);
    }
    let mut errors = Errors::default();
    match begin(visit) {
        Ok(Some(begun)) => {
            log::info!("{} is the first admin: {}", begun.user, begun.id);
            let rules = &visit.web.login.rules;
            let response = unreferred(answer::see("/"));
            Ok(cookie::give(
                &visit.web.site,
                response,
                &begun.secret,
                rules.lifetime,
            ))
        }
        Ok(None) => over(visit, "Set up", OVER),
        Err(stop) => {
            let problem = Problem::from(stop);
            match problem.status {
                400 | 409 => {
                    refusals::add(visit, &mut errors, &problem, &FIELDS)?;
                    page(visit, problem.status, &visit.form, &errors)
                }
                _ => Err(problem),
            }
        }
    }
}

fn begin(visit: &Visit) -> Result<Option<Begun>, ActionError> {
    let form = &visit.form;
    let text = |name: &str| form.filled(name).map(str::to_owned);
    let admin = match form.filled("userId") {
        Some(user) => Admin::Known(UserId::from(user)),
        None => {
            let with = PersonPatch {
                display_name: Some(form.one("displayName").trim().to_owned()),
                email: Some(text("email")),
                time_zone: Some(text("timeZone")),
                ..PersonPatch::default()
            };
            Admin::New(NewPerson { id: None, with }.checked()?)
        }
    };
    let browser = Browser {
        agent: agent(visit.request),
        replaced: None,
        origin: visit.origin(),
    };
    let rules = &visit.web.login.rules;
    first_run::set_up(visit.app(), visit.part(0), admin, browser, rules)
}

fn page(visit: &Visit, status: u16, values: &Form, errors: &Errors) -> Outcome {
    let people = directory::active_people(visit.app())?;
    let content = html! {
        (fields::summary(errors))
        section.hero {
            div.stack.g2 {
                p.live { "rota is running on " (host(visit)) }
                h1.big { "From nothing to the first hand-over in five minutes" }
                p { "No file to write, no command to learn. You can leave at any step and come back." }
            }
        }
        div.cols.a {
            section.card aria-labelledby="you" { (form(&people, values, errors)) }
            section.card aria-labelledby="next" {
                header { h2 #next { "What comes next" } span.small.muted { "0 of " (STEPS.len()) } }
                ol.check {
                    @for (index, (name, takes)) in STEPS.iter().enumerate() {
                        li { span.num { (index + 1) } div.what { b { (name) } small.muted { (takes) } } }
                    }
                }
            }
        }
    };
    Ok(unreferred(layout::bare(status, "Set up", content)))
}

/// Who becomes the admin: one of the people of a file, or somebody new.
fn form(people: &[Person], values: &Form, errors: &Errors) -> Markup {
    let filled = Filled { values, errors };
    let zones: Vec<Choice> = zones::names().map(|name| Choice::new(name, name)).collect();
    let mut known = vec![Choice::new("", "Somebody else, named below")];
    known.extend(
        people
            .iter()
            .map(|person| Choice::new(person.id.as_str(), person.name())),
    );
    html! {
        form.step method="post" {
            h2 #you { span.num { "1" } "Who are you?" }
            p.small.muted { "You become the first admin. This address works once; from here on you are signed in." }
            @if !people.is_empty() { (filled.select("userId", "You are", "", &known)) }
            div.two-c {
                (filled.input("text", "displayName", "Name", "", people.is_empty()))
                (filled.input("email", "email", "Mail, optional, for links that sign in", "", false))
            }
            (filled.select("timeZone", "Time zone", "", &zones))
            div.row { button.btn.go type="submit" data-action="setUp" { "Become the admin" (icon("hand")) } }
        }
    }
}

fn host(visit: &Visit) -> String {
    let base = visit.app().base_url();
    let bare = base.split_once("://").map_or(base, |(_, rest)| rest);
    bare.to_owned()
}
