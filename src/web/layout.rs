//! The frame of every page: head, landmarks, the line about the last write; and pages that say what is wrong.

use super::assets::{self, ICON, SCRIPT, STYLE};
use super::visit::Visit;
use super::{answer, form};
use crate::server::{Problem, Response};
use maud::{DOCTYPE, Markup, html};

/// A page of somebody who may be signed in.
pub fn page(visit: &Visit, title: &str, content: Markup) -> Response {
    page_with(visit, 200, title, content)
}

/// A page with another status: a form with something wrong.
pub fn page_with(visit: &Visit, status: u16, title: &str, content: Markup) -> Response {
    let note = visit.take_note();
    let main = html! {
        @if let Some(note) = &note {
            div.flash role="status" {
                p { (note.text) }
                @if let Some(undo) = &note.undo {
                    form.bare method="post" action=(undo.action) {
                        @for (name, value) in &undo.fields { input type="hidden" name=(name) value=(value); }
                        button.small type="submit" { "Undo" }
                    }
                }
            }
            @if let Some(secret) = &note.secret {
                section.card aria-labelledby="secret" {
                    h2 #secret { "Shown this once" }
                    p { "Copy it now: it cannot be shown again." }
                    code.secret { (secret) }
                }
            }
        }
        (content)
    };
    answer::html(
        status,
        frame(title, Some(navigation(visit)), main, zone_line(visit)),
    )
}

/// A page before signing in.
pub fn bare(status: u16, title: &str, content: Markup) -> Response {
    answer::html(status, frame(title, None, content, html! {}))
}

fn frame(title: &str, navigation: Option<Markup>, main: Markup, foot: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · rota" }
                link rel="icon" type="image/svg+xml" href=(assets::path(&ICON));
                link rel="stylesheet" href=(assets::path(&STYLE));
                script src=(assets::path(&SCRIPT)) defer {}
            }
            body {
                a.skip href="#main" { "Skip to content" }
                header.top {
                    div {
                        a.brand href="/" { "rota" }
                        @if let Some(navigation) = navigation { (navigation) }
                    }
                }
                main #main tabindex="-1" { (main) }
                footer.foot { (foot) p { "rota " (env!("CARGO_PKG_VERSION")) " · " a href="/docs" { "API" } } }
            }
        }
    }
}

/// The places of the site, for whoever may see them.
const PLACES: [(&str, &str); 5] = [
    ("/", "On call"),
    ("/rotations", "Rotations"),
    ("/requests", "Requests"),
    ("/people", "People"),
    ("/me", "Me"),
];

/// The places of those who administer the workspace.
const ADMIN_PLACES: [(&str, &str); 2] = [("/webhooks", "Webhooks"), ("/admin", "Admin")];

/// Where the reader may go.
fn places(visit: &Visit) -> impl Iterator<Item = (&'static str, &'static str)> {
    let is_admin = visit.caller.check_administer().is_ok();
    let more = ADMIN_PLACES.into_iter().filter(move |_| is_admin);
    PLACES.into_iter().chain(more)
}

fn navigation(visit: &Visit) -> Markup {
    let here = visit.here();
    let is_here = |path: &str| match path {
        "/" => here == "/",
        path => {
            here == path
                || here
                    .strip_prefix(path)
                    .is_some_and(|rest| rest.starts_with('/'))
        }
    };
    html! {
        @match &visit.reader {
            Some(reader) => {
                nav aria-label="Main" {
                    ul {
                        @for (path, name) in places(visit) {
                            li { a href=(path) aria-current=[is_here(path).then_some("page")] { (name) } }
                        }
                    }
                }
                div.who {
                    bdi.muted { (reader.person.name()) }
                    @if reader.session.is_some() {
                        form.bare method="post" action="/logout" { button.plain type="submit" { "Sign out" } }
                    }
                }
            }
            None => {
                nav aria-label="Main" {
                    ul { li { a href="/" aria-current=[is_here("/").then_some("page")] { "On call" } } }
                }
                div.who { a.button.small href=(sign_in_path(visit.request.target())) { "Sign in" } }
            }
        }
    }
}

/// Where to sign in, to go on to a path.
pub fn sign_in_path(next: &str) -> String {
    match next {
        "/" => "/login".to_owned(),
        next => format!("/login?next={}", encoded(next)),
    }
}

/// A text as the value of a query parameter.
pub fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                encoded.push(char::from(byte));
            }
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

fn zone_line(visit: &Visit) -> Markup {
    html! {
        p {
            "Times in " (visit.zone.as_str()) "."
            @if visit.reader.is_some() { " " a href="/me#zone" { "Change" } }
        }
    }
}

/// A problem as a page. `id` names the request, here and in the log.
pub fn problem(problem: &Problem, id: &str) -> Response {
    let (title, detail) = (heading(problem), told(problem));
    let content = html! {
        h1 { (title) }
        div.errors role="alert" { p { (detail) } }
        p { a href="/" { "Go to the home page" } }
        p.muted { "Request " code { (id) } }
    };
    let mut response = bare(problem.status, title, content);
    response.headers.extend(problem.headers().iter().cloned());
    response
}

fn heading(problem: &Problem) -> &'static str {
    match problem.status {
        403 => "Not allowed",
        404 => "Nothing here",
        429 => "Too many tries",
        _ => problem.title(),
    }
}

/// The text of a problem for somebody who reads pages.
fn told(problem: &Problem) -> String {
    match problem.status {
        404 => "There is nothing at this address, or it is not for you to see.".to_owned(),
        500 => {
            "The server could not do it. Look whether it was done before you try again.".to_owned()
        }
        _ => form::problem(problem),
    }
}
