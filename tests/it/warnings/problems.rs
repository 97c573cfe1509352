//! The page of all problems, by kind, and silencing them.

use super::*;
use crate::support::Start;
use crate::web::{Browser, with_admin};

/// What a page shows of each kind, in order: `kind count`, once a group.
fn groups(page: &str) -> Vec<String> {
    let groups = page.split("<summary data-kind=\"").skip(1);
    let groups = groups.map(|group| {
        let (kind, rest) = group.split_once('"').expect("a kind");
        let count = rest.split("class=\"count ").nth(1).expect("a count");
        let (mark, count) = count.split_once("\">").expect("a mark");
        let count = count.split('<').next().expect("a number");
        format!("{kind} {mark} {count}")
    });
    groups.collect()
}

/// rules.md 27.12.
#[test]
fn what_matters_comes_first_and_is_silenced_by_kind() {
    let rota = with_admin(Start::default(), 4);
    let rotation = rota.daily("U2", 1);
    rotation
        .patch(json!({ "owners": ["U2"], "name": "Platform" }))
        .is(200);
    let other = rota.rotation("U3 U4");
    other
        .patch(json!({ "owners": ["U3"], "name": "Payments" }))
        .is(200);
    // Two days that matter now, and two that begin later.
    rotation.away("U2", "2026-01-07T00:00Z", "2026-01-09T00:00Z");
    rotation.away("U2", "2026-02-07T00:00Z", "2026-02-09T00:00Z");
    let admin = Browser::signed_in(&rota, "U1");
    let page = admin.get("/admin/problems").is(200).text();
    let found = groups(&page);
    let red: Vec<&String> = found.iter().filter(|line| line.contains(" bad ")).collect();
    assert!(
        !red.is_empty()
            && found.starts_with(&red.iter().map(|line| line.to_string()).collect::<Vec<_>>()),
        "{found:?}"
    );
    assert!(red[0].starts_with("nobody bad"), "{found:?}");
    assert!(
        found.iter().any(|line| line.starts_with("nobody warn")),
        "{found:?}"
    );
    assert!(
        page.contains("Nobody is on call") && page.contains("Find somebody"),
        "{page}"
    );
    assert!(page.contains("Not for <bdi>Platform</bdi>"), "{page}");
    assert!(page.contains("data-action=\"silence\""));

    // Owners see and silence their own rotations, others nothing.
    let owner = Browser::signed_in(&rota, "U2");
    let theirs = owner.get("/admin/problems").is(200).text();
    assert!(
        theirs.contains("Platform") && !theirs.contains("Payments"),
        "{theirs}"
    );
    let nobody = Browser::signed_in(&rota, "U4");
    nobody.get("/admin/problems").is(403);
    let off = format!("off:nobody:{}", rotation.id);
    let sent = [("operationId", "1"), ("silence", off.as_str())];
    nobody.post("/admin/problems", &sent).is(403);
    let foreign = format!("off:nobody:{}", other.id);
    owner
        .post(
            "/admin/problems",
            &[("operationId", "2"), ("silence", &foreign)],
        )
        .is(404);
    for wrong in [
        "",
        "off",
        "off:nothing",
        "shortRestHours:0",
        "shortRestHours:x",
        "up:nobody",
    ] {
        let answer = owner.post(
            "/admin/problems",
            &[("operationId", wrong), ("silence", wrong)],
        );
        assert_eq!(answer.status(), 400, "{wrong}");
    }

    let done = owner
        .post(
            "/admin/problems",
            &[("operationId", "3"), ("silence", &off)],
        )
        .is(303);
    let page = owner.follow(&done);
    assert!(
        page.contains("is not shown any more for Platform"),
        "{page}"
    );
    assert!(
        !groups(&page).iter().any(|line| line.starts_with("nobody")),
        "{page}"
    );
    assert!(
        page.contains("Silenced") && page.contains("Nobody is on call, Platform"),
        "{page}"
    );
    let settings = rotation.get("/warning-settings").is(200).json();
    assert_eq!(settings, json!({ "off": ["nobody"], "shortRestHours": 11 }));
    let undone = owner.fill_in(&page, "/admin/problems", &[]).is(303);
    assert!(
        owner
            .follow(&undone)
            .contains("is shown again for Platform")
    );
    assert_eq!(rotation.get("/warning-settings").json()["off"], json!([]));

    // Everywhere: each rotation that one may change.
    let done = admin
        .post(
            "/admin/problems",
            &[("operationId", "4"), ("silence", "off:nobody")],
        )
        .is(303);
    let page = admin.follow(&done);
    assert!(page.contains("for 2 rotations"), "{page}");
    assert_eq!(
        other.get("/warning-settings").json()["off"],
        json!(["nobody"])
    );
    admin
        .post(
            "/admin/problems",
            &[("operationId", "5"), ("silence", "shortRestHours:9")],
        )
        .is(303);
    assert_eq!(other.get("/warning-settings").json()["shortRestHours"], 9);
    // It only ever lowers them.
    admin
        .post(
            "/admin/problems",
            &[("operationId", "6"), ("silence", "shortRestHours:20")],
        )
        .is(303);
    assert_eq!(other.get("/warning-settings").json()["shortRestHours"], 9);
}

#[test]
fn the_first_three_of_a_kind_and_then_all() {
    let rota = with_admin(Start::default(), 2);
    let rotation = rota.daily("U2", 1);
    rotation.patch(json!({ "name": "Platform" })).is(200);
    for day in [7, 10, 13, 16] {
        let (from, until) = (
            format!("2026-01-{day:02}T00:00Z"),
            format!("2026-01-{:02}T00:00Z", day + 1),
        );
        rotation.away("U2", &from, &until);
    }
    let admin = Browser::signed_in(&rota, "U1");
    let page = admin.get("/admin/problems").is(200).text();
    let lines = |page: &str| page.matches("<li data-kind=\"nobody\"").count();
    assert_eq!(lines(&page), 3, "{page}");
    let all = admin.get("/admin/problems?kind=nobody").is(200).text();
    assert_eq!(lines(&all), 4, "{all}");
    assert_eq!(groups(&all), ["nobody bad 4"]);
    let few = admin.get("/admin/problems?within=3").is(200).text();
    assert!(lines(&few) <= 1, "{few}");
    // No id of a rotation or a person is among the words.
    let words: String = page
        .split('<')
        .filter_map(|part| part.split_once('>'))
        .map(|(_, text)| text)
        .collect();
    assert!(
        !words.contains("rot_") && !words.contains("cel_"),
        "{words}"
    );
}
