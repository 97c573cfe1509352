//! How rotations follow.

use super::*;

/// rules.md 17.18.
#[test]
fn rotations_follow_together_and_within_a_second() {
    let rota = Rota::with_people(3);
    let (one, other) = (
        rota.add_group("one", &["U1", "U2"]),
        rota.add_group("other", &["U3"]),
    );
    let body =
        json!({ "name": "R", "owners": ["U1"], "userIds": [], "userGroupIds": [one, other] });
    let rotation = rota.create(body);
    rotation.cover(1, &[always(daily())]);
    assert_eq!(rotation.order(), "U1 U2 U3");
    let on_call = rotation.holders();
    // From one group to the other, in two requests: whoever is on call stays.
    let member = json!([{ "value": "U1" }]);
    rota.patch_scim(
        &format!("/Groups/{one}"),
        json!([{ "op": "remove", "path": "members", "value": member }]),
    )
    .is(200);
    let ids = rota.get(&format!("/v1/groups/{one}")).json()["userIds"].clone();
    assert_eq!(ids, json!(["U2"]));
    rota.patch_scim(
        &format!("/Groups/{other}"),
        json!([{ "op": "add", "path": "members", "value": member }]),
    )
    .is(200);
    eventually("the rotation follows", || rotation.order() == "U2 U3 U1");
    assert_eq!(rotation.holders(), on_call);
    let entries = rota.audit("action=followScim");
    assert_eq!(entries.len(), 1, "{entries:?}");
}

/// rules.md 17.18.
#[test]
fn nobody_deactivated_is_on_call_after_the_answer() {
    let rota = Rota::with_people(3);
    let group = rota.add_group("one", &["U1", "U2", "U3"]);
    let rotation = rota
        .create(json!({ "name": "R", "owners": ["U1"], "userIds": [], "userGroupIds": [group] }));
    rotation.cover(1, &[always(daily())]);
    let before = rotation.holders();
    // A change that waits does not hold it up.
    let add = json!([{ "op": "remove", "path": "members[value eq \"U3\"]" }]);
    rota.patch_scim(&format!("/Groups/{group}"), add).is(200);
    let off = json!([{ "op": "replace", "path": "active", "value": false }]);
    rota.patch_scim(&format!("/Users/{before}"), off).is(200);
    let after = rotation.holders();
    assert_ne!(after, before);
    rota.follow_scim();
    assert!(!rotation.order().contains(&before) && !rotation.order().contains("U3"));
    // So does a deletion.
    let now = rotation.holders();
    rota.scim("DELETE", &format!("/Users/{now}"), &json!({}))
        .is(204);
    assert_ne!(rotation.holders(), now);
}

/// rules.md 17.18.
#[test]
fn a_frozen_clock_waits_for_it_and_so_does_an_import() {
    let rota = Rota::with_people(3);
    let group = rota.add_group("one", &["U1"]);
    let rotation = rota
        .create(json!({ "name": "R", "owners": ["U1"], "userIds": [], "userGroupIds": [group] }));
    let add = |user: &str| {
        let add = json!([{ "op": "add", "path": "members", "value": [{ "value": user }] }]);
        rota.patch_scim(&format!("/Groups/{group}"), add).is(200);
    };
    add("U2");
    rota.follow_scim();
    assert_eq!(rotation.order(), "U1 U2");
    add("U3");
    rota.people(3);
    assert_eq!(rotation.order(), "U1 U2 U3");
}
