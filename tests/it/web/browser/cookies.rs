//! Signing in, as browsers do it: which cookie they keep, and whose forms reach us.

use super::enter;
use crate::support::browser::{Named, Window};
use crate::support::{self, Behavior, Outlet, Rota, Start, TempDir, Then};
use serde_json::{Value, json};

/// The only cookie that the window has for the page.
#[track_caller]
fn cookie(window: &Window) -> Value {
    let mut all = window.cookies();
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[test]
fn on_this_machine_the_cookie_is_secure() {
    let Some(window) = Window::open() else {
        return;
    };
    let rota = Rota::with_people(1);
    enter(&window, &rota, "U1", "/me");
    window.sees("Person U1");
    let cookie = cookie(&window);
    assert_eq!(cookie["name"], "__Host-rota");
    for (member, expected) in [
        ("secure", json!(true)),
        ("httpOnly", json!(true)),
        ("sameSite", json!("Lax")),
        ("path", json!("/")),
        ("session", json!(false)),
    ] {
        assert_eq!(cookie[member], expected, "{member}: {cookie}");
    }
    assert_eq!(window.run("return document.cookie", json!([])), "");
    window.click(Named::Button("Sign out"));
    window.sees("Sign in");
    assert_eq!(window.cookies().len(), 0);
}

/// A server of somebody else, whose page has a form and a link that lead to us.
fn stranger(target: &str) -> Outlet {
    let page = format!(
        "<!doctype html><title>elsewhere</title><form method=post action=\"{target}/me/zone\">\
         <input name=timeZone value=Asia/Tokyo><button>Win</button></form><a href=\"{target}/me\">Look</a>"
    );
    let answer = format!(
        "HTTP/1.1 200 -\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{page}",
        page.len()
    );
    Outlet::new(Behavior::reads(move |_| Then::Say(answer.clone().into())))
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn on_a_name_in_the_network_without_tls() {
    let rota = Start::default()
        .env("ROTA_BASE_URL", "http://rota.lan")
        .go();
    rota.people(1);
    let elsewhere = stranger("http://rota.lan");
    let rules = format!(
        "MAP rota.lan {}, MAP evil.rota.lan {other}, MAP evil.example {other}",
        rota.address(),
        other = format!("127.0.0.1:{}", elsewhere.port)
    );
    let Some(window) = Window::with_hosts(&rules) else {
        return;
    };
    window.go("http://rota.lan/login?as=U1&next=/me");
    window.sees("Person U1");
    let cookie = cookie(&window);
    assert_eq!(cookie["name"], "rota");
    assert_eq!(
        (
            &cookie["secure"],
            &cookie["httpOnly"],
            &cookie["sameSite"],
            &cookie["domain"]
        ),
        (
            &json!(false),
            &json!(true),
            &json!("Lax"),
            &json!("rota.lan")
        )
    );
    // Our own forms are taken, though the browser sends no Sec-Fetch-Site without TLS.
    window.fill("Show times in", "Europe/Paris");
    window.click_within("//form[@action='/me/zone']", Named::Button("Save"));
    window.sees("Times are shown in Europe/Paris");
    // A sibling and a stranger reach the page by a link, and their forms are refused.
    for site in ["http://evil.rota.lan/", "http://evil.example/"] {
        window.go(site);
        window.click(Named::Button("Win"));
        // From another site the cookie is not even sent along, so nobody is signed in there.
        window.sees("Not allowed");
        window.go(site);
        window.click(Named::Link("Look"));
        window.sees("Europe/Paris");
    }
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn forms_of_other_sites_on_this_machine_are_refused() {
    let Some(window) = Window::open() else {
        return;
    };
    let rota = Rota::with_people(1);
    let elsewhere = stranger(&rota.url);
    enter(&window, &rota, "U1", "/me");
    window.sees("Person U1");
    // Another port is the same site of another origin; another name is another site.
    for host in ["127.0.0.1", "localhost"] {
        window.go(&format!("http://{host}:{}/", elsewhere.port));
        window.click(Named::Button("Win"));
        window.sees("Not allowed");
    }
    window.go(&format!("{}/me", rota.url));
    window.sees("Times in Europe/Oslo");
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn a_link_signs_in_by_its_button_alone() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(2);
    let Some(window) = Window::open() else {
        return;
    };
    let mut command = support::rota(dir.path());
    command
        .args(["login-link", "--user", "U2", "--db"])
        .arg(&db);
    let (code, printed, told) = support::run(&mut command);
    assert_eq!(code, 0, "{told}");
    let link = printed.trim();
    for _ in 0..3 {
        window.go(link);
        window.sees("This link signs you in as Person U2");
        assert_eq!(window.cookies().len(), 0);
    }
    window.click(Named::Button("Sign in as Person U2"));
    window.sees("Who is on call");
    assert_eq!(cookie(&window)["name"], "__Host-rota");
    window.go(link);
    window.sees("has been used");
}
