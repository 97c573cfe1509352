//! Rights are the API's, and names hold anything.

use super::Browser;
use crate::support::{MONDAY, Rota, channel, new_rotation, user};
use serde_json::json;

#[test]
fn what_one_may_not_do_is_not_offered_and_refused() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2", 1);
    let path = format!("/rotations/{}", rotation.id);
    let (owner, member, outsider) = (
        Browser::signed_in(&rota, "U1"),
        Browser::signed_in(&rota, "U2"),
        Browser::signed_in(&rota, "U4"),
    );
    let page = owner.get(&path).is(200).text();
    for offered in [
        "/rotate\"",
        "/on-call\"",
        "do=assign\"",
        "do=cover\"",
        "do=swap\"",
    ] {
        assert!(page.contains(offered), "{offered}");
    }
    let page = member.get(&path).is(200).text();
    for offered in ["/rotate\"", "/on-call\"", "do=assign"] {
        assert!(!page.contains(offered), "{offered}");
    }
    assert!(page.contains("do=cover\""));
    for step in ["rotate", "on-call", "assign"] {
        let answer = member.get(&format!("{path}/{step}")).is(403);
        assert!(answer.text().contains("owners"), "{}", answer.text());
        member
            .post(
                &format!("{path}/{step}"),
                &[("ifMatch", "*"), ("operationId", "x"), ("userIds", "U2")],
            )
            .is(403);
    }
    for page in ["", "/rotate", "/cover", "/history"] {
        outsider.get(&format!("{path}{page}")).is(404);
    }
    assert!(!outsider.get("/").text().contains(&rotation.id));
    let forged = Browser::of(&rota).post(&format!("{path}/rotate"), &[]);
    assert_eq!(forged.header("location"), Some("/login"));
}

#[test]
fn people_from_outside_see_nothing() {
    let rota = Rota::at(MONDAY);
    let mut outside = user("U2");
    outside["isExternal"] = json!(true);
    let file = json!({ "team": { "id": "T1" }, "users": [user("U1"), outside], "groups": [], "channels": [channel("C1", false, true)] });
    rota.import(&file);
    let mut body = new_rotation("U1");
    body["public"] = json!(true);
    let rotation = rota.create(body);
    let eve = Browser::signed_in(&rota, "U2");
    assert!(!eve.get("/").is(200).text().contains(&rotation.id));
    eve.get(&format!("/rotations/{}", rotation.id)).is(404);
    eve.get("/people").is(403);
}

#[test]
fn names_hold_anything() {
    let rota = Rota::at(MONDAY);
    let names = [
        "<script>alert(1)</script>",
        "\u{202e}\u{5d0}\u{5d1}\u{5d2}",
        "\u{1f469}\u{200d}\u{1f680} \"quoted\" & 'single'",
        "</option></select><img src=x>",
        "x",
    ];
    let mut users: Vec<_> = (1..=5).map(|n| user(&format!("U{n}"))).collect();
    for (person, name) in users.iter_mut().zip(names) {
        person["displayName"] = json!(name);
    }
    users[4]["displayName"] = json!("W".repeat(200));
    rota.import(&json!({ "team": { "id": "T1" }, "users": users, "groups": [], "channels": [] }));
    let mut body = new_rotation("U1 U2 U3 U4 U5");
    body["name"] = json!("<img src=x onerror=alert(1)>");
    body["description"] = json!("</p><script>");
    let rotation = rota.create(body);
    rotation.cover(1, &[crate::support::always(crate::support::daily())]);
    let ada = Browser::signed_in(&rota, "U1");
    let path = format!("/rotations/{}", rotation.id);
    for page in [
        "/".into(),
        "/rotations".into(),
        "/people".into(),
        "/people/U1".into(),
        "/reports/duty".into(),
        "/reports/duty?by=personRotation".into(),
        "/me".into(),
        "/me/absences/new".into(),
        path.clone(),
        format!("{path}/rotate"),
        format!("{path}/on-call"),
        format!("{path}/assign"),
        format!("{path}/cover"),
        format!("{path}/swap"),
        format!("{path}/history"),
        format!("{path}/load"),
    ] {
        let text = ada.get(&page).is(200).text();
        for raw in ["<script>alert", "<img src=x", "</p><script>"] {
            assert!(!text.contains(raw), "{page}: {raw}");
        }
    }
    let odd = ada.get("/rotations/%3Cscript%3E");
    assert!(odd.status() == 404 && !odd.text().contains("<script>"));
}
