//! Every page.

use super::pages::{
    absences, admin, assign, board, calendars, cover, create, docs, duty, feeds, history, home,
    inbox, load, login, mail, me, mention, people, provider, report, requests, rotation, rotations,
    sessions, settings, shift, swap, warnings, webhooks, why,
};
use super::visit::Visit;
use super::{ROOM, Web, assets};
use crate::server::{Outcome, Request};
use crate::wire::url;
use std::borrow::Cow;

/// The input of a handler that needs no reader: the parts of the path that its pattern leaves open.
type Plain = fn(&Web, &Request, &[Cow<str>]) -> Outcome;

/// Who may ask for a page.
#[derive(Clone, Copy)]
pub enum Who {
    /// Anybody, and nobody is asked who they are.
    Everybody(Plain),
    /// Anybody, whether or not they are signed in.
    Signing(fn(&Visit) -> Outcome),
    /// Whoever is signed in; others too where the settings make public rotations public.
    Public(fn(&Visit) -> Outcome),
    /// Whoever is signed in.
    Reader(fn(&Visit) -> Outcome),
}

/// One page.
pub struct Row {
    pub method: &'static str,
    /// Parts in braces are left open.
    pub pattern: &'static str,
    pub who: Who,
}

const MIB: usize = 1024 * 1024;

impl Row {
    /// The memory for making the page, in bytes.
    pub fn memory(&self) -> usize {
        match self.pattern {
            // What the API takes for the same.
            "/reports/duty" => 20 * MIB,
            "/rotations/{rotation}/why" => 16 * MIB,
            _ => ROOM,
        }
    }
}

const fn get(pattern: &'static str, who: Who) -> Row {
    Row {
        method: "GET",
        pattern,
        who,
    }
}

const fn post(pattern: &'static str, who: Who) -> Row {
    Row {
        method: "POST",
        pattern,
        who,
    }
}

/// Every page. Of two patterns that a path matches the first counts.
pub const ROUTES: &[Row] = &[
    get("/static/{hash}/{name}", Who::Everybody(asset)),
    get("/board/{secret}", Who::Everybody(board::show)),
    get("/calendar/{secret}", Who::Everybody(feeds::read)),
    get("/docs", Who::Everybody(docs::show)),
    get("/docs/{tag}", Who::Everybody(docs::show_tag)),
    get("/login", Who::Signing(login::show)),
    post("/login", Who::Signing(login::sign_in)),
    post("/logout", Who::Signing(login::sign_out)),
    get("/auth/oidc/start", Who::Signing(provider::start)),
    get("/auth/callback", Who::Signing(provider::finish)),
    get("/", Who::Public(home::show)),
    get("/rotations", Who::Reader(rotations::show)),
    post("/rotations", Who::Reader(create::create)),
    get("/rotations/new", Who::Reader(create::show)),
    get("/rotations/{rotation}", Who::Public(rotation::show)),
    get(
        "/rotations/{rotation}/rotate",
        Who::Reader(duty::show_rotate),
    ),
    post("/rotations/{rotation}/rotate", Who::Reader(duty::rotate)),
    get("/rotations/{rotation}/on-call", Who::Reader(duty::show_set)),
    post("/rotations/{rotation}/on-call", Who::Reader(duty::set)),
    get("/rotations/{rotation}/assign", Who::Reader(assign::show)),
    post("/rotations/{rotation}/assign", Who::Reader(assign::assign)),
    post(
        "/rotations/{rotation}/arrangements/{arrangement}/end",
        Who::Reader(assign::end),
    ),
    get("/rotations/{rotation}/cover", Who::Reader(cover::show)),
    post("/rotations/{rotation}/cover", Who::Reader(cover::ask)),
    get("/rotations/{rotation}/swap", Who::Reader(swap::show)),
    post("/rotations/{rotation}/swap", Who::Reader(swap::offer)),
    get(
        "/rotations/{rotation}/shifts/{cell}/{start}",
        Who::Public(shift::show),
    ),
    get("/rotations/{rotation}/history", Who::Reader(history::show)),
    get("/rotations/{rotation}/why", Who::Reader(why::show)),
    get("/rotations/{rotation}/load", Who::Reader(load::show)),
    get(
        "/rotations/{rotation}/warnings",
        Who::Reader(warnings::show),
    ),
    get(
        "/rotations/{rotation}/settings",
        Who::Reader(settings::show),
    ),
    get(
        "/rotations/{rotation}/settings/{part}",
        Who::Reader(settings::show_part),
    ),
    post(
        "/rotations/{rotation}/settings/{part}",
        Who::Reader(settings::save_part),
    ),
    get(
        "/rotations/{rotation}/settings/{part}/{named}",
        Who::Reader(settings::show_part),
    ),
    post(
        "/rotations/{rotation}/settings/{part}/{named}",
        Who::Reader(settings::save_part),
    ),
    get("/requests", Who::Reader(requests::show_all)),
    get("/requests/{request}", Who::Reader(requests::show)),
    post(
        "/requests/{request}/{step}",
        Who::Reader(requests::answer_step),
    ),
    get("/mentions/{mention}", Who::Reader(mention::show)),
    post(
        "/mentions/{mention}/{step}",
        Who::Reader(mention::answer_step),
    ),
    get("/reports/duty", Who::Reader(report::show)),
    get("/people", Who::Reader(people::show_all)),
    get("/people/{user}", Who::Reader(people::show)),
    post(
        "/people/{user}/sessions/end",
        Who::Reader(sessions::end_of_person),
    ),
    get("/me", Who::Reader(me::show)),
    get("/me/inbox", Who::Reader(inbox::show)),
    get("/me/mail", Who::Reader(mail::show)),
    post("/me/mail", Who::Reader(mail::choose)),
    post("/me/zone", Who::Reader(me::choose_zone)),
    post("/me/sessions/end", Who::Reader(sessions::end_own)),
    post("/me/absences", Who::Reader(absences::create)),
    get("/me/absences/new", Who::Reader(absences::show_new)),
    get("/me/absences/{absence}", Who::Reader(absences::show)),
    post("/me/absences/{absence}/end", Who::Reader(absences::end)),
    get("/me/calendars", Who::Reader(calendars::show)),
    post("/me/calendars", Who::Reader(calendars::create)),
    post(
        "/me/calendars/{calendar}/read",
        Who::Reader(calendars::read),
    ),
    post(
        "/me/calendars/{calendar}/remove",
        Who::Reader(calendars::remove),
    ),
    post("/me/feeds", Who::Reader(me::make_feed)),
    post("/me/feeds/{feed}/rotate", Who::Reader(feeds::rotate)),
    post("/me/feeds/{feed}/withdraw", Who::Reader(feeds::withdraw)),
    get("/admin", Who::Reader(admin::overview::show)),
    get("/admin/audit", Who::Reader(admin::audit::show)),
    get("/admin/keys", Who::Reader(admin::keys::show)),
    post("/admin/keys", Who::Reader(admin::keys::create)),
    post("/admin/keys/{key}/{step}", Who::Reader(admin::keys::step)),
    get("/admin/tokens", Who::Reader(admin::tokens::show)),
    post("/admin/tokens", Who::Reader(admin::tokens::create)),
    post(
        "/admin/tokens/{token}/revoke",
        Who::Reader(admin::tokens::revoke),
    ),
    get("/admin/directory", Who::Reader(admin::directory::show)),
    post("/admin/directory", Who::Reader(admin::directory::preview)),
    post(
        "/admin/directory/import",
        Who::Reader(admin::directory::import),
    ),
    get(
        "/admin/directory.json",
        Who::Reader(admin::directory::export),
    ),
    get("/admin/boards", Who::Reader(admin::boards::show)),
    post("/admin/boards", Who::Reader(admin::boards::create)),
    post(
        "/admin/boards/{board}/withdraw",
        Who::Reader(admin::boards::withdraw),
    ),
    get("/webhooks", Who::Reader(webhooks::list::show)),
    post("/webhooks", Who::Reader(webhooks::edit::create)),
    get("/webhooks/new", Who::Reader(webhooks::edit::show_new)),
    get("/webhooks/{webhook}", Who::Reader(webhooks::endpoint::show)),
    get(
        "/webhooks/{webhook}/edit",
        Who::Reader(webhooks::edit::show),
    ),
    post(
        "/webhooks/{webhook}/edit",
        Who::Reader(webhooks::edit::replace),
    ),
    get(
        "/webhooks/{webhook}/delete",
        Who::Reader(webhooks::edit::show_delete),
    ),
    post(
        "/webhooks/{webhook}/{step}",
        Who::Reader(webhooks::endpoint::step),
    ),
    get(
        "/webhooks/{webhook}/deliveries/{delivery}",
        Who::Reader(webhooks::delivery::show),
    ),
    post(
        "/webhooks/{webhook}/deliveries/{delivery}/{step}",
        Who::Reader(webhooks::delivery::step),
    ),
];

fn asset(_: &Web, request: &Request, parts: &[Cow<str>]) -> Outcome {
    match parts {
        [hash, name] => assets::serve(request, hash, name),
        _ => Err(super::answer::nothing_here()),
    }
}

/// A path as the log shows it: ended where a pattern has `{secret}`, whatever follows.
pub fn logged(path: &str) -> Cow<'_, str> {
    let patterns = ROUTES.iter().map(|row| row.pattern);
    let mut before = patterns.filter_map(|pattern| Some(pattern.split_once("{secret}")?.0));
    match before.find(|before| path.starts_with(before)) {
        Some(before) => format!("{before}...").into(),
        None => path.into(),
    }
}

/// Where a path leads.
pub enum RouteMatch<'a> {
    /// To a row of the table, with the parts that its pattern leaves open.
    Row(usize, Vec<Cow<'a, str>>),
    /// To rows for these methods alone.
    OtherMethod(String),
    Nothing,
}

/// Finds a path. What a pattern names matches byte for byte; only the parts that it leaves open are decoded.
pub fn find<'a>(method: &str, path: &'a str) -> RouteMatch<'a> {
    let Some(sent) = url::segments(path) else {
        return RouteMatch::Nothing;
    };
    let method = if method == "HEAD" { "GET" } else { method };
    let mut allowed: Vec<&str> = Vec::new();
    for (index, row) in ROUTES.iter().enumerate() {
        let Some(parts) = matched(row.pattern, &sent) else {
            continue;
        };
        if row.method == method {
            return RouteMatch::Row(index, parts);
        }
        if !allowed.contains(&row.method) {
            allowed.push(row.method);
        }
    }
    match allowed.is_empty() {
        true => RouteMatch::Nothing,
        false => {
            if allowed.contains(&"GET") {
                allowed.push("HEAD");
            }
            RouteMatch::OtherMethod(allowed.join(", "))
        }
    }
}

fn matched<'a>(pattern: &str, sent: &[&'a str]) -> Option<Vec<Cow<'a, str>>> {
    let wanted = url::segments(pattern)?;
    if wanted.len() != sent.len() {
        return None;
    }
    let mut parts = Vec::new();
    for (wanted, sent) in wanted.iter().zip(sent) {
        if wanted.starts_with('{') {
            parts.push(url::decode(sent).filter(|part| !part.is_empty())?);
        } else if wanted != sent {
            return None;
        }
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_pages_take_what_they_hold() {
        let larger = ROUTES.iter().filter(|row| row.memory() > ROOM);
        let larger: Vec<(&str, usize)> = larger
            .map(|row| (row.pattern, row.memory() / MIB))
            .collect();
        let expected = [("/rotations/{rotation}/why", 16), ("/reports/duty", 20)];
        assert_eq!(larger, expected);
    }

    #[test]
    fn secrets_are_not_logged() {
        for (path, expected) in [
            ("/board/abc", "/board/..."),
            ("/board/abc/x", "/board/..."),
            ("/boards", "/boards"),
            ("/calendar/x.ics", "/calendar/..."),
            ("/calendar/x/y", "/calendar/..."),
            ("/calendars", "/calendars"),
            ("/me", "/me"),
            ("/", "/"),
        ] {
            assert_eq!(logged(path), expected, "{path}");
        }
    }

    #[test]
    fn paths_lead_to_their_rows() {
        for (method, path, expected) in [
            ("GET", "/login", "/login"),
            ("HEAD", "/login", "/login"),
            (
                "GET",
                "/static/a/style.css",
                "/static/{hash}/{name} a style.css",
            ),
            ("GET", "/static/a%2Fb/c", "/static/{hash}/{name} a/b c"),
            ("GET", "/static//c", "-"),
            ("GET", "/static/%ff/c", "-"),
            ("GET", "/Login", "-"),
            ("GET", "/log%69n", "-"),
            ("GET", "/login/", "-"),
            ("GET", "/logout", "POST"),
            ("DELETE", "/login", "GET, POST, HEAD"),
        ] {
            let shown = match find(method, path) {
                RouteMatch::Row(index, parts) => {
                    let parts = parts.iter().map(|part| format!(" {part}"));
                    format!("{}{}", ROUTES[index].pattern, parts.collect::<String>())
                }
                RouteMatch::OtherMethod(allowed) => allowed,
                RouteMatch::Nothing => "-".into(),
            };
            assert_eq!(shown, expected, "{method} {path}");
        }
    }
}
