//! Every page.

use super::pages::{
    absences, admin, assign, board, calendars, changes, cover, create, docs, duty, feeds,
    getting_started, history, home, inbox, load, login, mail, me, mention, notices, people,
    provider, report, requests, rotation, rotations, secret_link, sessions, settings, setup, shift,
    swap, trades, warnings, webhooks, why,
};
use super::visit::Visit;
use super::{ROOM, Web, assets};
use crate::server::{Outcome, Request};
use crate::wire::url::{self, RouteMatch};
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

use Who::{Everybody, Public, Reader, Signing};

/// Every page. Of two patterns that a path matches the first counts.
#[rustfmt::skip]
pub const ROUTES: &[Row] = &[
    get("/static/{hash}/{name}", Everybody(asset)),
    get("/board/{secret}", Everybody(board::show)),
    get("/calendar/{secret}", Everybody(feeds::read)),
    get("/docs", Everybody(docs::show)),
    get("/docs/{tag}", Everybody(docs::show_tag)),
    get("/login", Signing(login::show)),
    post("/login", Signing(login::sign_in)),
    post("/logout", Signing(login::sign_out)),
    get("/in/{secret}", Signing(secret_link::show)),
    post("/in/{secret}", Signing(secret_link::sign_in)),
    get("/setup/{secret}", Signing(setup::show)),
    post("/setup/{secret}", Signing(setup::set_up)),
    get("/auth/oidc/start", Signing(provider::start)),
    get("/auth/callback", Signing(provider::finish)),
    get("/", Public(home::show)),
    get("/rotations", Reader(rotations::show)),
    post("/rotations", Reader(create::create)),
    get("/rotations/new", Reader(create::show)),
    get("/rotations/{rotation}", Public(rotation::show)),
    get("/rotations/{rotation}/rotate", Reader(duty::show_rotate)),
    post("/rotations/{rotation}/rotate", Reader(duty::rotate)),
    get("/rotations/{rotation}/on-call", Reader(duty::show_set)),
    post("/rotations/{rotation}/on-call", Reader(duty::set)),
    post("/rotations/{rotation}/tell", Reader(notices::tell)),
    get("/rotations/{rotation}/assign", Reader(assign::show)),
    post("/rotations/{rotation}/assign", Reader(assign::assign)),
    post("/rotations/{rotation}/arrangements/{arrangement}/end", Reader(assign::end)),
    post("/rotations/{rotation}/trades/{trade}/forgive", Reader(trades::forgive)),
    post("/rotations/{rotation}/changes/{change}/cancel", Reader(changes::cancel)),
    get("/rotations/{rotation}/cover", Reader(cover::show)),
    post("/rotations/{rotation}/cover", Reader(cover::ask)),
    get("/rotations/{rotation}/swap", Reader(swap::show)),
    post("/rotations/{rotation}/swap", Reader(swap::offer)),
    get("/rotations/{rotation}/shifts/{cell}/{start}", Public(shift::show)),
    get("/rotations/{rotation}/history", Reader(history::show)),
    get("/rotations/{rotation}/why", Reader(why::show)),
    get("/rotations/{rotation}/load", Reader(load::show)),
    get("/rotations/{rotation}/warnings", Reader(warnings::show)),
    get("/rotations/{rotation}/settings", Reader(settings::show)),
    get("/rotations/{rotation}/settings/{part}", Reader(settings::show_part)),
    post("/rotations/{rotation}/settings/{part}", Reader(settings::save_part)),
    get("/rotations/{rotation}/settings/{part}/{named}", Reader(settings::show_part)),
    post("/rotations/{rotation}/settings/{part}/{named}", Reader(settings::save_part)),
    get("/requests", Reader(requests::show_all)),
    get("/requests/{request}", Reader(requests::show)),
    post("/requests/{request}/{step}", Reader(requests::answer_step)),
    get("/mentions/{mention}", Reader(mention::show)),
    post("/mentions/{mention}/{step}", Reader(mention::answer_step)),
    get("/reports/duty", Reader(report::show)),
    get("/people", Reader(people::show_all)),
    post("/people", Reader(people::add)),
    get("/people/{user}", Reader(people::show)),
    post("/people/{user}/invite", Reader(people::invite)),
    post("/getting-started/hide", Reader(getting_started::hide)),
    post("/people/{user}/sessions/end", Reader(sessions::end_of_person)),
    get("/me", Reader(me::show)),
    get("/me/turns", Reader(me::turns::show)),
    get("/me/inbox", Reader(inbox::show)),
    get("/me/mail", Reader(mail::show)),
    post("/me/mail", Reader(mail::choose)),
    post("/me/mail/test", Reader(mail::test)),
    post("/me/zone", Reader(me::choose_zone)),
    post("/me/sessions/end", Reader(sessions::end_own)),
    post("/me/absences", Reader(absences::create)),
    get("/me/absences/new", Reader(absences::show_new)),
    get("/me/absences/{absence}", Reader(absences::show)),
    post("/me/absences/{absence}/end", Reader(absences::end)),
    post("/me/absences/{absence}/cover", Reader(absences::ask_for_all)),
    get("/me/calendars", Reader(calendars::show)),
    post("/me/calendars", Reader(calendars::create)),
    post("/me/calendars/{calendar}/read", Reader(calendars::read)),
    post("/me/calendars/{calendar}/remove", Reader(calendars::remove)),
    post("/me/feeds", Reader(me::make_feed)),
    post("/me/feeds/{feed}/rotate", Reader(feeds::rotate)),
    post("/me/feeds/{feed}/withdraw", Reader(feeds::withdraw)),
    get("/admin", Reader(admin::overview::show)),
    get("/admin/problems", Reader(admin::problems::show)),
    post("/admin/problems", Reader(admin::problems::silence)),
    get("/admin/audit", Reader(admin::audit::show)),
    get("/admin/keys", Reader(admin::keys::show)),
    post("/admin/keys", Reader(admin::keys::create)),
    post("/admin/keys/{key}/{step}", Reader(admin::keys::step)),
    get("/admin/tokens", Reader(admin::tokens::show)),
    post("/admin/tokens", Reader(admin::tokens::create)),
    post("/admin/tokens/{token}/revoke", Reader(admin::tokens::revoke)),
    get("/admin/directory", Reader(admin::directory::show)),
    post("/admin/directory", Reader(admin::directory::preview)),
    post("/admin/directory/import", Reader(admin::directory::import)),
    get("/admin/directory.json", Reader(admin::directory::export)),
    get("/admin/boards", Reader(admin::boards::show)),
    post("/admin/boards", Reader(admin::boards::create)),
    post("/admin/boards/{board}/withdraw", Reader(admin::boards::withdraw)),
    get("/webhooks", Reader(webhooks::list::show)),
    post("/webhooks", Reader(webhooks::edit::create)),
    get("/webhooks/new", Reader(webhooks::edit::show_new)),
    get("/webhooks/{webhook}", Reader(webhooks::endpoint::show)),
    get("/webhooks/{webhook}/edit", Reader(webhooks::edit::show)),
    post("/webhooks/{webhook}/edit", Reader(webhooks::edit::replace)),
    get("/webhooks/{webhook}/delete", Reader(webhooks::edit::show_delete)),
    post("/webhooks/{webhook}/{step}", Reader(webhooks::endpoint::step)),
    get("/webhooks/{webhook}/deliveries/{delivery}", Reader(webhooks::delivery::show)),
    post("/webhooks/{webhook}/deliveries/{delivery}/{step}", Reader(webhooks::delivery::step)),
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

/// Whether whoever has an address may send its form: signing in once, and becoming the first admin.
pub fn bears_secret(path: &str) -> bool {
    ["/in/", "/setup/"]
        .iter()
        .any(|before| path.starts_with(before))
}

/// Finds a path.
pub fn find<'a>(method: &str, path: &'a str) -> RouteMatch<'a> {
    let rows = ROUTES.iter().map(|row| (row.method, row.pattern));
    let sent = url::segments(path);
    sent.map_or(RouteMatch::Nothing, |sent| url::find(rows, method, &sent))
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
            ("/in/abc", "/in/..."),
            ("/setup/abc", "/setup/..."),
            ("/setup/abc/x", "/setup/..."),
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
                    let parts = parts.iter().map(|(_, part)| format!(" {part}"));
                    format!("{}{}", ROUTES[index].pattern, parts.collect::<String>())
                }
                RouteMatch::OtherMethod(allowed) => allowed,
                RouteMatch::Nothing => "-".into(),
            };
            assert_eq!(shown, expected, "{method} {path}");
        }
    }
}
