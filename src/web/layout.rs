//! The frame of every page: head, landmarks, the line about the last write; and pages that say what is wrong.

pub use super::address::encoded;
use super::assets::{self, ICON, SCRIPT, STYLE};
use super::parts::icon::icon;
use super::parts::people;
use super::visit::Visit;
use super::{answer, form};
use crate::actions::overview;
use crate::actions::standby::Standby;
use crate::domain::ids::UserId;
use crate::domain::site;
use crate::domain::zones::ZoneName;
use crate::server::{Problem, Response};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// A page of somebody who may be signed in.
pub fn page(visit: &Visit, title: &str, content: Markup) -> Response {
    page_with(visit, 200, title, content)
}

/// A page with another status: a form with something wrong.
pub fn page_with(visit: &Visit, status: u16, title: &str, content: Markup) -> Response {
    let note = visit.take_note();
    let main = html! {
        @if let Some(standby) = visit.app().standby() { (standby_line(standby, visit.zone)) }
        @if let Some(note) = &note {
            div.flash role="status" {
                p { (note.text) }
                @if let Some(undo) = &note.undo {
                    form.bare method="post" action=(undo.action) {
                        @for (name, value) in &undo.fields { input type="hidden" name=(name) value=(value); }
                        button.btn.s type="submit" { "Undo" }
                    }
                }
            }
            @if let Some(secret) = &note.secret {
                section.card.pad aria-labelledby="secret" {
                    h2 #secret { "Shown this once" }
                    p { "Copy it now: it cannot be shown again." }
                    code.secret { (secret) }
                }
            }
        }
        (content)
    };
    let page = frame(title, Some(navigation(visit)), main, foot(visit));
    match visit.app().standby() {
        Some(_) => answer::html(status, without_writes(page)),
        None => answer::html(status, page),
    }
}

/// The line of a standby: from when its pages are, and where changes are made.
pub fn standby_line(standby: &Standby, zone: ZoneName) -> Markup {
    let copied = standby.copied().map(|copied| {
        let at = zone.tz().to_datetime(copied.at);
        (at.strftime("%H:%M:%S").to_string(), copied.age().as_secs())
    });
    let seconds = |age: u64| if age == 1 { "second" } else { "seconds" };
    html! {
        div.note.warn role="status" {
            p {
                "Standby. "
                @if let Some((at, age)) = &copied { "As of " (at) ", " (age) " " (seconds(*age)) " ago. " }
                "Changes are made at " (site::site(standby.first()).map_or(&**standby.first(), |(_, authority)| authority)) "."
            }
        }
    }
}

/// A page whose forms that write are disabled. Those that only choose what is shown stay.
fn without_writes(page: Markup) -> Markup {
    let page = page.into_string();
    let mut parts = page.split("<form");
    let mut disabled = parts.next().unwrap_or_default().to_owned();
    for form in parts {
        disabled.push_str("<form");
        let (tag, rest) = form.split_once('>').unwrap_or((form, ""));
        match tag.contains("method=\"post\"") {
            true => {
                let rest = rest.replacen("</form>", "</fieldset></form>", 1);
                disabled.push_str(&format!("{tag}><fieldset class=\"bare\" disabled>{rest}"));
            }
            false => disabled.push_str(form),
        }
    }
    PreEscaped(disabled)
}

/// A page before signing in.
pub fn bare(status: u16, title: &str, content: Markup) -> Response {
    answer::html(status, frame(title, None, content, html! {}))
}

fn frame(title: &str, navigation: Option<Navigation>, main: Markup, foot: Markup) -> Markup {
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
                        a.brand href="/" { img src=(assets::path(&ICON)) alt="" width="26" height="26"; "rota" }
                        @if let Some(navigation) = &navigation { (navigation.wide) }
                    }
                }
                main #main tabindex="-1" { (main) }
                footer.foot { (foot) span { a href="/docs" { "API" } " · rota " (env!("CARGO_PKG_VERSION")) } }
                @if let Some(navigation) = &navigation { (navigation.narrow) }
            }
        }
    }
}

/// The way about the site, at the head of wide pages and along the foot of narrow ones.
struct Navigation {
    wide: Markup,
    narrow: Markup,
}

/// A place of the site: where, what it is called, and its drawing.
type Place = (&'static str, &'static str, &'static str);

const PLACES: [Place; 4] = [
    ("/", "Home", "home"),
    ("/rotations", "Rotations", "rota"),
    ("/requests", "Requests", "inbox"),
    ("/people", "People", "people"),
];

/// The place of those who administer the workspace.
const ADMIN: Place = ("/admin", "Admin", "admin");

/// The place of the reader, whom wide pages show at their head.
const ME: Place = ("/me", "Me", "me");

fn navigation(visit: &Visit) -> Navigation {
    let Some(reader) = &visit.reader else {
        let here = (visit.here() == "/").then_some("page");
        let wide = html! {
            nav.nav aria-label="Main" { ul { li { a href="/" aria-current=[here] { (icon("home")) span { "Home" } } } } }
            div.who { a.btn.s href=(sign_in_path(visit.request.target())) { "Sign in" } }
        };
        let narrow = html! {};
        return Navigation { wide, narrow };
    };
    let waiting = waiting(visit, &reader.person.id);
    let link = |place: &Place| link(visit, place, waiting);
    let is_admin = visit.caller.check_administer().is_ok();
    let (user, name) = (&reader.person.id, reader.person.name());
    let wide = html! {
        nav.nav aria-label="Main" {
            ul {
                @for place in &PLACES { li { (link(place)) } }
                @if is_admin { li { (link(&ADMIN)) } }
            }
        }
        div.who {
            a.per href="/me" aria-current=[is_at(visit, "/me").then_some("page")] {
                span class=(format_args!("av {} me", people::colour(user))) aria-hidden="true" { (people::initials(name)) }
                bdi.hide-s aria-hidden="true" { (name) }
                span.sr { bdi { (name) } ", my page" }
            }
        }
    };
    let narrow = html! {
        nav.phone-nav aria-label="Main, below" {
            @for place in &PLACES { (link(place)) }
            (link(&ME))
        }
    };
    Navigation { wide, narrow }
}

/// How many requests wait for an answer of somebody. The page is shown without the number rather than not at all.
fn waiting(visit: &Visit, user: &UserId) -> u64 {
    overview::count_waiting(visit.app(), user).unwrap_or_else(|error| {
        log::warn!("a page does not say how many requests wait: {error}");
        0
    })
}

fn link(visit: &Visit, (path, name, drawing): &Place, waiting: u64) -> Markup {
    let waiting = (*path == "/requests" && waiting > 0).then_some(waiting);
    html! {
        a href=(path) aria-current=[is_at(visit, path).then_some("page")] {
            (icon(drawing)) span { (name) }
            @if let Some(count) = waiting { span.count { (count) span.sr { " waiting" } } }
        }
    }
}

/// Whether the page is at a place or below it.
fn is_at(visit: &Visit, path: &str) -> bool {
    let is_below = |path: &str| {
        let rest = visit.here().strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match path {
        "/" => visit.here() == "/",
        "/admin" => is_below(path) || is_below("/webhooks"),
        path => is_below(path),
    }
}

/// Where to sign in, to go on to a path.
pub fn sign_in_path(next: &str) -> String {
    match next {
        "/" => "/login".to_owned(),
        next => format!("/login?next={}", encoded(next)),
    }
}

/// What stands along the foot: the zone of all times, and what is needed now and then.
fn foot(visit: &Visit) -> Markup {
    let is_admin = visit.caller.check_administer().is_ok();
    let reader = visit.reader.as_ref();
    html! {
        span { "Times in " (visit.zone.as_str()) @if reader.is_some() { " · " a href="/me#zone" { "change" } } }
        @if is_admin { span { a href="/admin" { "Admin" } " · " a href="/webhooks" { "Webhooks" } } }
        @if reader.is_some_and(|reader| reader.session.is_some()) {
            form.bare method="post" action="/logout" { button.btn.s.ghost type="submit" { "Sign out" } }
        }
    }
}

/// A problem as a page. `id` names the request, here and in the log.
pub fn problem(problem: &Problem, id: &str) -> Response {
    let (title, detail) = (heading(problem), told(problem));
    let content = html! {
        h1 { (title) }
        div.note.bad role="alert" { p { (detail) } }
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
