//! Groups.

use super::*;

/// rules.md 17.17.
#[test]
fn a_group_becomes_a_user_group() {
    let rota = Rota::with_people(3);
    let id = rota.add_group("Site Reliability", &["U2", "U1", "U2"]);
    let path = format!("/v1/groups/{id}");
    let group = rota.get(&path).is(200).json();
    assert_eq!(
        (text(&group["handle"]), text(&group["source"])),
        ("site-reliability", "scim")
    );
    assert_eq!(group["userIds"], json!(["U2", "U1"]));
    let second = rota.add_group("Site  Reliability!", &[]);
    assert_eq!(
        text(&rota.get(&format!("/v1/groups/{second}")).json()["handle"]),
        "site-reliability-2"
    );
    let patch = rota
        .caller()
        .patch_if(&path, &rota.get(&path).etag(), json!({ "name": "x" }));
    patch.refused(409, "group_is_provisioned");
    rota.caller()
        .delete_if(&path, &rota.get(&path).etag())
        .refused(409, "group_is_provisioned");
    // The handle stays.
    let scim = format!("/Groups/{id}");
    rota.patch_scim(
        &scim,
        json!([{ "op": "Replace", "path": "displayName", "value": "SRE" }]),
    )
    .is(200);
    let group = rota.get(&path).json();
    assert_eq!(
        (text(&group["name"]), text(&group["handle"])),
        ("SRE", "site-reliability")
    );
    let shown = rota
        .patch_scim(
            &scim,
            json!([
                { "op": "Add", "path": "members", "value": [{ "value": "U3", "type": "User" }] },
                { "op": "Remove", "path": "members", "value": [{ "value": "U2" }] }
            ]),
        )
        .is(200)
        .json();
    let at = |user: &str| format!("{}/scim/v2/Users/{user}", rota.url);
    let expected = json!([
        { "value": "U1", "$ref": at("U1") }, { "value": "U3", "$ref": at("U3"), "type": "User" }
    ]);
    assert_eq!(shown["members"], expected);
    for member in [
        json!({ "value": second, "type": "Group" }),
        json!({ "value": second }),
        json!({ "value": "nobody" }),
        json!({}),
    ] {
        let add = json!([{ "op": "add", "path": "members", "value": [member] }]);
        let answer = rota.patch_scim(&scim, add);
        match answer.status() {
            200 => assert_eq!(member, json!({})),
            _ => drop(refused(answer, 400, "invalidValue")),
        }
    }
    rota.scim("DELETE", &scim, &json!({})).is(204);
    rota.get(&path).is(404);
    refused(rota.read_scim(&scim), 404, "");
}

#[test]
fn deactivated_people_keep_their_groups() {
    let rota = Rota::with_people(2);
    let id = rota.add_group("g", &["U1", "U2"]);
    let off = json!([{ "op": "replace", "value": { "active": false } }]);
    rota.patch_scim("/Users/U1", off).is(200);
    let members = rota.read_scim(&format!("/Groups/{id}")).json()["members"].clone();
    assert_eq!(members.as_array().unwrap().len(), 2);
    assert_eq!(
        rota.read_scim("/Users/U1").is(200).json()["active"],
        json!(false)
    );
}
