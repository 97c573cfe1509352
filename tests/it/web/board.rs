//! Boards: made and withdrawn by workspace admins, read by whoever has the address.

use super::{Browser, with_admin};
use crate::support::*;
use serde_json::json;

/// The path of the board whose address a page shows once.
#[track_caller]
fn address(rota: &Rota, page: &str) -> String {
    let rest = page
        .split_once("<code class=\"secret\">")
        .expect("a secret");
    let address = rest.1.split('<').next().unwrap();
    let path = address.strip_prefix(&rota.url).expect("our address");
    assert!(path.starts_with("/board/") && path.len() > 40, "{path}");
    path.to_owned()
}

/// Makes a board of a rotation; answers its path.
#[track_caller]
pub fn made(rota: &Rota, admin: &Browser, rotation: &str) -> String {
    let fields = [("title", "Wall <1>"), ("rotationIds", rotation)];
    let answer = admin.fill("/admin/boards", "/admin/boards", &fields);
    address(rota, &admin.follow(&answer.is(303)))
}

/// rules.md 12.7.
#[test]
fn a_board_shows_who_is_on_call_and_follows_the_hand_over() {
    let rota = with_admin(Start::default(), 3);
    let rotation = rota.daily("U2 U3", 1);
    let hidden = rota.daily("U3", 1);
    rota.to("2026-01-05T10:00Z");
    let admin = Browser::signed_in(&rota, "U1");
    let path = made(&rota, &admin, &rotation.id);
    let anybody = Browser::of(&rota);
    let answer = anybody.get(&path).is(200);
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("x-robots-tag"), Some("noindex"));
    let page = answer.text();
    for part in [
        "<meta http-equiv=\"refresh\" content=\"60\">",
        "Wall &lt;1&gt;",
        "then <bdi>",
        "Europe/Oslo",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for part in ["@example.com", "href=\"/people", &hidden.id, "<script>"] {
        assert!(!page.contains(part), "{part}");
    }
    let on_call = |page: &str| {
        page.split_once("data-user=\"")
            .map(|(_, rest)| rest[..2].to_owned())
    };
    let before = on_call(&page).expect("somebody");
    rota.to("2026-01-06T10:00Z");
    let mut after = String::new();
    eventually("the hand-over on the board", || {
        after = on_call(&anybody.get(&path).text()).unwrap_or_default();
        after != before
    });
    assert_eq!([before, after].concat().len(), 4);
    rotation.by.delete_if(&rotation.path(""), "*").is(204);
    assert!(anybody.get(&path).text().contains("were deleted"));
}

/// rules.md 12.7.
#[test]
fn an_address_is_shown_once_and_leads_nowhere_when_withdrawn() {
    let rota = with_admin(Start::default().env("ROTA_LOG", "debug"), 2);
    let rotation = rota.daily("U2", 1);
    let admin = Browser::signed_in(&rota, "U1");
    let path = made(&rota, &admin, &rotation.id);
    let anybody = Browser::of(&rota);
    anybody.get(&path).is(200);
    let list = admin.get("/admin/boards").is(200).text();
    let secret = path.strip_prefix("/board/").unwrap().to_owned();
    assert!(!list.contains(&secret) && list.contains("data-board="));
    let other = format!("/board/{}", "x".repeat(43));
    let plain = |answer: &Answer| {
        let page = answer.text();
        let request = page
            .split("<code>req_")
            .next()
            .unwrap_or_default()
            .to_owned();
        (
            answer.status(),
            request,
            answer.header("referrer-policy").map(str::to_owned),
        )
    };
    let unknown = plain(&anybody.get(&other).is(404));
    let action = list
        .split("action=\"")
        .find(|rest| rest.starts_with("/admin/boards/brd_"));
    let action = action
        .expect("a form")
        .split('"')
        .next()
        .unwrap()
        .to_owned();
    let withdrawn = admin.fill_in(&list, &action, &[]).is(303);
    assert!(admin.follow(&withdrawn).contains("was withdrawn"));
    assert_eq!(plain(&anybody.get(&path)), unknown);
    for odd in [
        "/board/%2F",
        "/board/%00",
        &format!("/board/{}", "y".repeat(2_000)),
    ] {
        assert_eq!(plain(&anybody.get(odd)), unknown, "{odd}");
    }
    for (action, count) in [("createBoard", 1), ("withdrawBoard", 1)] {
        let path = format!("/v1/audit?action={action}");
        let entries = rota.get(&path).ok().json();
        assert_eq!(entries["totalItems"], json!(count), "{action}");
        assert!(!entries.to_string().contains(&secret));
    }
    let (_, log) = rota.stop();
    assert!(log.contains("GET /board/... 200"), "{log}");
    assert!(!log.contains(&secret));
}

#[test]
fn others_make_no_boards() {
    let rota = with_admin(Start::default(), 2);
    let rotation = rota.daily("U2", 1);
    let member = Browser::signed_in(&rota, "U2");
    member.get("/admin/boards").is(403);
    let fields = [
        ("title", "Mine"),
        ("rotationIds", &rotation.id),
        ("timeZone", "Europe/Oslo"),
        ("operationId", "x"),
    ];
    member.post("/admin/boards", &fields).is(403);
    member.post("/admin/boards/brd_x/withdraw", &fields).is(403);
    let admin = Browser::signed_in(&rota, "U1");
    for (name, value, field) in [
        ("title", " ", "#f-title"),
        ("rotationIds", "rot_none", "#f-rotationIds"),
        ("timeZone", "EST", "#f-timeZone"),
    ] {
        let mut wrong = fields.to_vec();
        wrong.retain(|(known, _)| *known != name);
        wrong.push((name, value));
        let page = admin.post("/admin/boards", &wrong).is(400).text();
        assert!(
            page.contains(&format!("href=\"{field}\"")),
            "{name}: {page}"
        );
    }
    admin.post("/admin/boards/brd_x/withdraw", &fields).is(404);
}
