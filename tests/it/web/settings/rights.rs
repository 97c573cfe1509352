//! Who may see and change settings.

use super::{Browser, action, world};
use crate::support::{MONDAY, Rota, always, channel, daily, directory, group, weekly};
use crate::web::attribute;
use serde_json::json;

const PARTS: [&str; 12] = [
    "details",
    "people",
    "grid",
    "skips",
    "absences",
    "rosters",
    "partner",
    "channels",
    "on-duty-group",
    "mentions",
    "inbound-webhook",
    "delete",
];

#[test]
fn owners_and_admins_may_others_are_told_why_not() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    let path = format!("/rotations/{}", rotation.id);
    let [owner, member, outsider, admin] =
        ["U1", "U2", "U4", "U5"].map(|user| Browser::signed_in(&rota, user));
    let before = rotation.read();
    let index = admin.get(&format!("{path}/settings")).is(200).text();
    for part in PARTS {
        let to = action(&rotation, part);
        assert!(index.contains(&format!("/settings/{part}\"")), "{part}");
        let page = admin.get(&to).is(200).text();
        assert_eq!(page.matches("<h1").count(), 1, "{part}");
        assert!(page.contains("aria-current=\"page\""), "{part}");
        assert!(
            !page.contains(" style=") && !page.contains(" onclick"),
            "{part}"
        );
        assert!(page.len() < 100_000, "{part}: {}", page.len());
        if part != "inbound-webhook" {
            owner.get(&to).is(200);
        }
        let forged = [
            ("ifMatch", "*"),
            ("operationId", part),
            ("name", "x"),
            ("step", "add"),
        ];
        let answer = member.get(&to).is(403);
        assert!(
            answer.text().contains("owners"),
            "{part}: {}",
            answer.text()
        );
        member.post(&to, &forged).is(403);
        outsider.get(&to).is(404);
        outsider.post(&to, &forged).is(404);
        let stranger = Browser::of(&rota).post(&to, &forged).is(303);
        assert_eq!(stranger.header("location"), Some("/login"));
    }
    let restore = [
        ("ifMatch", "*"),
        ("operationId", "r"),
        ("operation", "patchRotation"),
        ("body", "{\"name\":\"x\"}"),
    ];
    member.post(&action(&rotation, "restore"), &restore).is(403);
    outsider
        .post(&action(&rotation, "restore"), &restore)
        .is(404);
    assert_eq!(rotation.read(), before);
    assert!(owner.get(&path).text().contains("/settings\""));
    assert!(!member.get(&path).text().contains("/settings\""));
    for wrong in ["nothing", "windows", "windows/none", "details/more"] {
        owner.get(&action(&rotation, wrong)).is(404);
        owner
            .post(
                &action(&rotation, wrong),
                &[("ifMatch", "*"), ("operationId", "w")],
            )
            .is(404);
    }
    // Without the validator and the id nothing is done.
    let bare = owner
        .post(
            &action(&rotation, "details"),
            &[("name", "x"), ("owners", "U1")],
        )
        .is(400);
    assert!(
        bare.text().contains("open the form again"),
        "{}",
        bare.text()
    );
    let body = [
        ("ifMatch", "*"),
        ("operationId", "r"),
        ("operation", "createRotation"),
        ("body", "{}"),
    ];
    owner.post(&action(&rotation, "restore"), &body).is(400);
}

#[test]
fn every_field_has_its_own_label() {
    let rota = Rota::at(MONDAY);
    let mut file = directory(6);
    file["users"][0]["isAdmin"] = json!(true);
    file["groups"] = json!([group("G1", "U5 U6"), group("G2", "U4")]);
    file["channels"] = json!([
        channel("C1", false, true),
        channel("C2", false, true),
        channel("C3", false, true)
    ]);
    rota.import(&file);
    let rotation = rota.rotation("U1 U2 U3");
    rotation
        .patch(json!({ "userGroupIds": ["G1", "G2"] }))
        .is(200);
    for id in ["C1", "C2"] {
        rotation.put(&format!("/channels/{id}"), json!({})).is(200);
    }
    let mut grid = rotation.grid(
        2,
        &[always(daily()), always(weekly("UTC", "2026-01-05T09:00"))],
    );
    for (index, roster) in ["one", "two", "one", "two"].into_iter().enumerate() {
        grid["cells"][index]["rosterId"] = json!(roster);
    }
    grid["rosters"] = json!([{ "rosterId": "one", "userIds": ["U1"] }, { "rosterId": "two", "userIds": ["U2", "U3"] }]);
    rotation.put("/coverage", grid).is(200);
    let ada = Browser::signed_in(&rota, "U1");
    let window = rotation.read()["windows"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let window = format!("windows/{window}");
    for part in PARTS.into_iter().chain([window.as_str(), "windows/new"]) {
        let page = ada.get(&action(&rotation, part)).is(200).text();
        let tags: Vec<&str> = page
            .split('<')
            .skip(1)
            .map(|tag| tag.split('>').next().unwrap())
            .collect();
        let ids: Vec<String> = tags
            .iter()
            .filter_map(|tag| attribute(tag, " id"))
            .collect();
        for (index, id) in ids.iter().enumerate() {
            assert!(!ids[..index].contains(id), "{part}: {id} is there twice");
        }
        // Chips have their field inside.
        let labels = tags.iter().filter(|tag| tag.starts_with("label "));
        for wanted in labels.filter_map(|tag| attribute(tag, "for")) {
            assert!(ids.contains(&wanted), "{part}: no field {wanted}");
        }
        let fields = tags.iter().filter(|tag| {
            let hidden = attribute(tag, "type").is_some_and(|kind| kind == "hidden");
            ["input ", "select ", "textarea "]
                .iter()
                .any(|kind| tag.starts_with(kind))
                && !hidden
        });
        for field in fields {
            let is_within = || page.contains(&format!("<label class=\"chip\"><{field}>"));
            let is_named = attribute(field, "aria-label").is_some();
            if is_named || is_within() {
                continue;
            }
            let id = attribute(field, " id").unwrap_or_else(|| panic!("{part}: {field}"));
            assert!(
                page.contains(&format!(" for=\"{id}\"")),
                "{part}: no label for {id}"
            );
        }
    }
}
