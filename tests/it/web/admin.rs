//! The pages for workspace admins: keys and tokens, the audit log, the directory, how the server stands.

use super::{Browser, with_admin};
use crate::support::*;
use serde_json::{Value, json};

/// What a page shows once.
#[track_caller]
fn secret(page: &str) -> String {
    let rest = page
        .split_once("<code class=\"secret\">")
        .expect("a secret");
    rest.1.split('<').next().unwrap().to_owned()
}

/// The action of the first form of a page that begins and ends so.
#[track_caller]
fn action(page: &str, begin: &str, end: &str) -> String {
    let actions = page.split("action=\"").skip(1);
    let mut actions = actions.map(|rest| rest.split('"').next().unwrap());
    let found = actions.find(|action| action.starts_with(begin) && action.ends_with(end));
    found
        .unwrap_or_else(|| panic!("no {begin}...{end}"))
        .to_owned()
}

/// rules.md 12.6.
#[test]
fn a_key_is_made_shown_once_and_revoked() {
    let rota = with_admin(Start::default().env("ROTA_LOG", "debug"), 2);
    let rotation = rota.daily("U2", 1);
    let admin = Browser::signed_in(&rota, "U1");
    let fields = [
        ("name", "<b>Pager"),
        ("scopes", "read:oncall"),
        ("rotationIds", &rotation.id),
        ("expires", "7d"),
    ];
    let made = admin.fill("/admin/keys", "/admin/keys", &fields).is(303);
    let page = admin.follow(&made);
    let key = secret(&page);
    assert!(page.contains("&lt;b&gt;Pager") && !page.contains("<b>Pager"));
    let own = rota.with(&key).get("/v1/keys/self").ok().json();
    assert_eq!(own["scopes"], json!(["read:oncall"]));
    assert_eq!(own["selector"]["rotationIds"], json!([rotation.id]));
    assert_eq!(own["expiresAt"], "2026-01-12T08:00:00Z");
    let list = admin.get("/admin/keys").text();
    assert!(!list.contains(&key));
    let disable = action(&list, "/admin/keys/", "/disable");
    let id = text(&own["id"]).to_owned();
    let disable = disable.replace(disable.split('/').nth(3).unwrap(), &id);
    admin.fill_in(&list, &disable, &[]).is(303);
    rota.with(&key)
        .get("/v1/keys/self")
        .refused(401, "disabled");
    let list = admin.get("/admin/keys").text();
    let step = |page: &str, step: &str| {
        let path = format!("/admin/keys/{id}/{step}");
        admin.follow(&admin.fill_in(page, &path, &[]).is(303))
    };
    let page = step(&list, "enable");
    let page = step(&page, "rotate");
    let second = secret(&page);
    for key in [&key, &second] {
        rota.with(key).get("/v1/keys/self").ok();
    }
    step(&page, "revoke");
    for key in [&key, &second] {
        rota.with(key).get("/v1/keys/self").refused(401, "unknown");
    }
    let entries = rota.get("/v1/audit?actor=U1").ok().json();
    let actions: Vec<&str> = entries["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| text(&entry["action"]))
        .collect();
    assert_eq!(
        actions[..5],
        [
            "key revoke",
            "key rotate",
            "key enable",
            "key disable",
            "key create"
        ]
    );
    let (_, log) = rota.stop();
    assert!(!log.contains(&key) && !log.contains(&second));
}

#[test]
fn a_token_acts_as_its_person_until_it_is_revoked() {
    let rota = with_admin(Start::default(), 2);
    let admin = Browser::signed_in(&rota, "U1");
    let page = admin.get("/admin/tokens").text();
    let fields = [("userId", "U2"), ("expires", "never")];
    let made = admin.fill_in(&page, "/admin/tokens", &fields).is(303);
    let again = admin.fill_in(&page, "/admin/tokens", &fields).is(303);
    assert_eq!(made.header("location"), again.header("location"));
    let page = admin.follow(&made);
    let token = secret(&page);
    rota.with(&token).get("/v1/users/U2").ok();
    let list = admin.get("/admin/tokens").text();
    assert!(!list.contains(&token));
    // The form that was sent twice made one.
    assert_eq!(
        list.matches("data-user=\"U2\"").count() + list.matches("/people/U2").count(),
        1
    );
    let revoke = action(&list, "/admin/tokens/", "/revoke");
    admin.fill_in(&list, &revoke, &[]).is(303);
    rota.with(&token)
        .get("/v1/users/U2")
        .refused(401, "unknown");
    for (name, value) in [("userId", "UNONE"), ("expires", "soon")] {
        let page = admin.get("/admin/tokens").text();
        let mut wrong = fields.to_vec();
        wrong.retain(|(known, _)| *known != name);
        wrong.push((name, value));
        let page = admin.fill_in(&page, "/admin/tokens", &wrong).is(400).text();
        assert!(page.contains(&format!("href=\"#f-{name}\"")), "{page}");
    }
}

#[test]
fn an_import_shows_what_it_changes_and_asks_before_people_leave_duty() {
    let rota = with_admin(Start::default(), 3);
    let rotation = rota.daily("U2 U3", 1);
    rotation.put_on_call("U2").is(200);
    let admin = Browser::signed_in(&rota, "U1");
    let mut file = admin.get("/admin/directory.json").is(200).json();
    let page = |file: &Value| {
        let text = file.to_string();
        let fields = [("file", text.as_str())];
        admin
            .fill("/admin/directory", "/admin/directory", &fields)
            .is(200)
            .text()
    };
    let users = file["users"].as_array_mut().unwrap();
    users.retain(|user| user["id"] != "U2");
    let mut new = user("U9");
    new["displayName"] = json!("<i>New");
    users.push(new);
    let shown = page(&file);
    for part in [
        "&lt;i&gt;New",
        "Person U2",
        "loses, on call",
        "name=\"yes\"",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    admin.get("/people/U9").is(404);
    let refused = admin
        .fill_in(&shown, "/admin/directory/import", &[])
        .is(409);
    assert!(refused.text().contains("href=\"#f-yes\""));
    admin.get("/people/U9").is(404);
    let yes = [("yes", "true")];
    let done = admin
        .fill_in(&shown, "/admin/directory/import", &yes)
        .is(303);
    assert!(admin.follow(&done).contains("was imported"));
    admin.get("/people/U9").is(200);
    assert!(admin.get("/people/U2").text().contains("Deactivated"));
    let entries = rota.get("/v1/audit?action=directory%20import").ok().json();
    assert_eq!(entries["data"][0]["actor"]["id"], "U1");
    for wrong in ["", "{", "{\"users\": 1}"] {
        let answer = admin.fill("/admin/directory", "/admin/directory", &[("file", wrong)]);
        let page = answer.is(400).text();
        assert!(page.contains("href=\"#f-file\""), "{wrong}: {page}");
    }
}

#[test]
fn the_audit_log_is_filtered_and_paged() {
    let rota = with_admin(Start::default(), 2);
    let rotation = rota.daily("U2", 1);
    let admin = Browser::signed_in(&rota, "U1");
    rota.to("2026-01-05T10:00Z");
    rotation
        .seen_by("U1")
        .patch(json!({ "name": "<i>Other" }))
        .is(200);
    for (query, expected) in [
        ("", true),
        ("?actor=U1", true),
        ("?actor=clock", false),
        ("?action=patchRotation", true),
        ("?action=rotate", false),
        (&format!("?rotationId={}", rotation.id), true),
        ("?from=2026-01-05T11:00", true),
        ("?from=2026-01-05T11:01", false),
        ("?to=2026-01-05T11:00", false),
        ("?page=900", false),
    ] {
        let page = admin.get(&format!("/admin/audit{query}")).is(200).text();
        // Every entry of the rotation has its name; one says that it was given.
        let renamed = page.contains("to &quot;&lt;i&gt;Other&quot;");
        assert_eq!(renamed, expected, "{query}");
        assert!(!page.contains("<i>Other"));
    }
    let page = admin.get("/admin/audit?from=soon").is(400).text();
    assert!(page.contains("href=\"#f-from\"") && page.contains("value=\"soon\""));
    for name in 0..51 {
        let body = json!({ "name": format!("Name {name}") });
        rotation.patch(body).is(200);
    }
    let page = admin.get("/admin/audit").text();
    assert_eq!(page.matches("data-entry=").count(), 20);
    assert!(page.contains("page=2"));
}

#[test]
fn the_first_page_says_how_the_server_stands() {
    let rota = with_admin(Start::default(), 2);
    let admin = Browser::signed_in(&rota, "U1");
    let page = admin.get("/admin").is(200).text();
    for part in [
        "Team One",
        "Running",
        "0 messages waiting",
        "Everything works",
        "schema 8",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let rotation = rota.daily("U2", 1);
    rotation.clear().is(200);
    let page = admin.get("/admin").is(200).text();
    assert!(page.contains("Nobody is on call in"), "{page}");
}

/// rules.md 12.6.
#[test]
fn others_do_not_administer() {
    let rota = with_admin(Start::default(), 2);
    let member = Browser::signed_in(&rota, "U2");
    assert!(!member.get("/").text().contains("href=\"/admin\""));
    let paths = [
        "/admin",
        "/admin/keys",
        "/admin/tokens",
        "/admin/audit",
        "/admin/directory",
        "/admin/directory.json",
        "/admin/boards",
    ];
    for path in paths {
        let page = member.get(path).is(403).text();
        assert!(page.contains("workspace admins"), "{path}: {page}");
        Browser::of(&rota).get(path).is(303);
    }
    let fields = [
        ("operationId", "x"),
        ("name", "Mine"),
        ("scopes", "read:oncall"),
        ("expires", "1d"),
        ("userId", "U1"),
        ("file", "{}"),
        ("yes", "true"),
    ];
    for path in [
        "/admin/keys",
        "/admin/keys/key_x/revoke",
        "/admin/tokens",
        "/admin/tokens/tok_x/revoke",
        "/admin/directory",
        "/admin/directory/import",
    ] {
        member.post(path, &fields).is(403);
    }
    let admin = Browser::signed_in(&rota, "U1");
    admin.post("/admin/keys/key_x/revoke", &fields).is(404);
    admin.post("/admin/keys/key_x/explode", &fields).is(404);
    admin.post("/admin/tokens/tok_x/revoke", &fields).is(404);
}
