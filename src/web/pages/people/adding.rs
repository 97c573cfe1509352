//! Adds people, one by a form or many as lines, and invites them.

use crate::actions::directory_edit;
use crate::actions::sessions::{self, LINKED_FOR};
use crate::actions::{ActionError, App};
use crate::domain::directory::Person;
use crate::domain::directory_edit::{NewPerson, PersonPatch};
use crate::domain::ids::UserId;
use crate::domain::people_lines;
use crate::domain::refusal::Refusal;
use crate::domain::zones;
use crate::server::{Outcome, Problem};
use crate::web::answer;
use crate::web::form::{Errors, Form, sentence};
use crate::web::notes::Note;
use crate::web::pages::times;
use crate::web::parts::confirm;
use crate::web::parts::fields::{Choice, Filled, hidden};
use crate::web::parts::icon::icon;
use crate::web::parts::people;
use crate::web::parts::refusals;
use crate::web::visit::Visit;
use maud::{Markup, html};

const FIELDS: [&str; 7] = [
    "displayName",
    "email",
    "timeZone",
    "phone",
    "isAdmin",
    "invite",
    "people",
];

/// How somebody signs in first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Invite {
    Mail,
    Link,
    No,
}

impl Invite {
    fn of(form: &Form) -> Invite {
        match form.one("invite") {
            "true" => Invite::Mail,
            "link" => Invite::Link,
            _ => Invite::No,
        }
    }
}

/// Whether mail is sent.
fn has_mail(app: &App) -> bool {
    app.relays().mail.is_some()
}

/// What the form for one person has at first.
pub(super) fn first(visit: &Visit) -> Form {
    let invite = if has_mail(visit.app()) {
        "true"
    } else {
        "link"
    };
    Form::with([("timeZone", visit.zone.as_str()), ("invite", invite)])
}

/// The form for one person.
pub(super) fn form(visit: &Visit, values: &Form, errors: &Errors) -> Markup {
    let filled = Filled { values, errors };
    let zones: Vec<Choice> = zones::names().map(|name| Choice::new(name, name)).collect();
    let ways = [
        ("true", "Send a link by mail", "Works once, for 7 days"),
        ("link", "Show me the link", "Works once, for 24 hours"),
        ("false", "Not now", "They can be on call without signing in"),
    ];
    let ways = ways
        .into_iter()
        .filter(|(way, ..)| *way != "true" || has_mail(visit.app()));
    let is_open = ["phone", "isAdmin"]
        .iter()
        .any(|name| values.filled(name).is_some());
    html! {
        section.card aria-labelledby="add" {
            header { h2 #add { "Add a person" } }
            form.pad.pt0.stack method="post" action="/people" {
                (hidden("operationId", &confirm::operation_id()))
                (filled.input("text", "displayName", "Name", "", true))
                (filled.input("email", "email", "Mail, optional", "", false))
                (filled.select("timeZone", "Time zone", "", &zones))
                fieldset id="f-invite" {
                    legend { "First sign-in" }
                    @for wrong in errors.of("invite") { p.wrong { (wrong) } }
                    div.pick.one {
                        @for (way, name, about) in ways {
                            label.tile {
                                input type="radio" name="invite" value=(way) checked[values.has("invite", way)];
                                span { b { (name) } small.muted { (about) } }
                            }
                        }
                    }
                }
                details.more open[is_open] {
                    summary { "More" }
                    div.stack {
                        (filled.input("tel", "phone", "Telephone, optional", "With the country, such as +4722334455", false))
                        (filled.tick("isAdmin", "Admin"))
                    }
                }
                button.btn.go type="submit" data-action="create" { (icon("plus")) "Add" }
            }
        }
    }
}

/// The form for many people, a line each.
pub fn lines(visit: &Visit, values: &Form, errors: &Errors, back: &str) -> Markup {
    html! {
        form.stack method="post" action="/people" {
            (hidden("operationId", &confirm::operation_id()))
            (hidden("back", back))
            div.f {
                label for="f-people" { "People, one a line" }
                p.hint #f-people-hint { "Name, mail, zone if it is another; with commas or tabs between. Paste from a sheet." }
                @for wrong in errors.of("people") { p.wrong { (wrong) } }
                textarea.wide id="f-people" name="people" rows="5" required aria-describedby="f-people-hint" { (values.one("people")) }
            }
            @if has_mail(visit.app()) {
                label.switch {
                    input type="checkbox" name="invite" value="true" checked[!values.names("people") || values.has("invite", "true")];
                    "Mail each a link to sign in"
                }
            }
            div.row {
                button.btn.go type="submit" data-action="create" { "Add people" }
                a.btn href="/admin/directory" { "From a file" }
            }
        }
    }
}

/// POST /people.
pub fn add(visit: &Visit) -> Outcome {
    visit.caller.check_directory()?;
    visit.once(|| match visit.form.names("people") {
        true => add_lines(visit),
        false => add_one(visit),
    })
}

fn add_one(visit: &Visit) -> Outcome {
    let invite = Invite::of(&visit.form);
    let made = read_one(&visit.form, invite).map_err(ActionError::from);
    let made = made.and_then(|new| {
        let author = visit.author("createUser");
        directory_edit::create_person(visit.app(), &author, new)
    });
    let person = match made {
        Ok(record) => record.person,
        Err(stop) => return refused(visit, stop.into()),
    };
    told(visit, &person, invite)?;
    Ok(answer::see("/people"))
}

fn read_one(form: &Form, invite: Invite) -> Result<NewPerson, Refusal> {
    let text = |name: &str| Some(form.filled(name).map(str::to_owned));
    let with = PersonPatch {
        display_name: Some(form.one("displayName").trim().to_owned()),
        email: text("email"),
        time_zone: text("timeZone"),
        phone: text("phone"),
        is_admin: Some(form.has("isAdmin", "true")),
        invite: invite == Invite::Mail,
        ..PersonPatch::default()
    };
    NewPerson { id: None, with }.checked()
}

fn add_lines(visit: &Visit) -> Outcome {
    let text = visit.form.one("people");
    let made = people_lines::read(text, visit.zone.as_str()).map_err(ActionError::from);
    let made = made.and_then(|mut people| {
        for new in &mut people {
            let has_address = new.with.email.as_ref().is_some_and(Option::is_some);
            new.with.invite = visit.form.has("invite", "true") && has_address;
        }
        let author = visit.author("createUser");
        directory_edit::create_people(visit.app(), &author, people)
    });
    match made {
        Ok(made) => {
            visit.note(Note::new(match made.len() {
                1 => "One person was added.".to_owned(),
                count => format!("{count} people were added."),
            }));
            Ok(answer::see(match visit.form.one("back") {
                "home" => "/",
                _ => "/people",
            }))
        }
        Err(stop) => refused(visit, stop.into()),
    }
}

/// The list with what was refused, and what was typed.
fn refused(visit: &Visit, problem: Problem) -> Outcome {
    if !matches!(problem.status, 400 | 409) {
        return Err(problem);
    }
    let mut errors = Errors::default();
    let line = problem.member().strip_prefix("people[");
    match line.and_then(|rest| rest.split_once(']')?.0.parse::<usize>().ok()) {
        Some(at) => {
            let mut said = Errors::default();
            refusals::add(visit, &mut said, &problem, &["people"])?;
            let said = said.of("people").collect::<Vec<_>>().join(" ");
            errors.add("people", sentence(&format!("Line {}: {said}", at + 1)));
        }
        None => refusals::add(visit, &mut errors, &problem, &FIELDS)?,
    }
    super::page(visit, problem.status, &visit.form, &errors)
}

/// Says that somebody was added or invited, with their link where it is to be shown.
fn told(visit: &Visit, person: &Person, invite: Invite) -> Result<(), Problem> {
    let name = person.name();
    visit.note(match invite {
        Invite::No => Note::new(format!("{name} was added.")),
        Invite::Mail => Note::new(format!("A sign-in link is mailed to {name}. It works once, for 7 days.")),
        Invite::Link => {
            let (app, author) = (visit.app(), visit.author("login-link"));
            let made = sessions::create_link(app.store(), &author, person.id.clone(), LINKED_FOR);
            let (secret, until) = made?;
            let until = times(visit).text(until);
            Note {
                secret: Some(format!("{}/in/{secret}", app.base_url())),
                ..Note::new(format!(
                    "A sign-in link for {name} is made. It works once, until {until}: give it to {name} alone."
                ))
            }
        }
    });
    Ok(())
}

/// The button that invites somebody.
pub(super) fn button(visit: &Visit, person: &Person) -> Markup {
    let is_mailed = has_mail(visit.app()) && person.email.is_some();
    let invite = if is_mailed { "true" } else { "link" };
    html! {
        form.bare method="post" action={ (people::path(&person.id)) "/invite" } {
            (hidden("operationId", &confirm::operation_id()))
            button.btn.s type="submit" name="invite" value=(invite) data-action="invite" {
                "Invite" span.sr { " " (person.name()) }
            }
        }
    }
}

/// POST /people/{user}/invite.
pub fn invite(visit: &Visit) -> Outcome {
    visit.caller.check_directory()?;
    visit.once(|| {
        let user = UserId::from(visit.part(0));
        let found = visit
            .app()
            .store()
            .read(|tx| directory_edit::load_person(tx, &user))?;
        let found = found.filter(|found| found.person.is_active());
        let person = found.ok_or(Refusal::NotFound("person"))?.person;
        let invite = match Invite::of(&visit.form) {
            Invite::Mail => {
                let author = visit.author("patchUser");
                directory_edit::invite_person(visit.app(), &author, &user)?;
                Invite::Mail
            }
            _ => Invite::Link,
        };
        told(visit, &person, invite)?;
        Ok(answer::see("/people"))
    })
}
