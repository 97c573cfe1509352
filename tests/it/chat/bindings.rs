//! The on-duty group of a rotation: adopted, found by its handle, created; replaced; removed; on either plan.

use crate::events::Reader;
use crate::support::*;
use serde_json::{Value, json};

fn with_groups(groups: &[(&str, &str)]) -> Rota {
    let rota = Rota::unreminded(4);
    rota.import_with(4, groups, &[]);
    rota
}

fn owned(rotation: &Rot) -> bool {
    rotation.chat_status()["onDutyGroup"]["owned"] == json!(true)
}

#[test]
fn a_group_is_made_where_there_is_none_of_the_handle() {
    let rota = with_groups(&[("G1", "")]);
    let rotation = rota.daily("U1 U2", 1);
    rotation.patch(json!({ "name": "First line" })).is(200);
    let id = rotation.bind_handle("first-line");
    assert_eq!(rota.group(&id), "U1");
    assert!(owned(&rotation));
    let shown = rota.get(&format!("/v1/groups/{id}")).is(200).json();
    assert_eq!(
        (
            text(&shown["name"]),
            text(&shown["handle"]),
            text(&shown["teamId"])
        ),
        ("First line", "first-line", TEAM)
    );
    assert_eq!(rota.groups().len(), 2);
    rota.to("2026-01-06T09:00Z");
    assert_eq!(rota.group(&id), "U2");
    // The next rotation with that handle adopts it, and it stays rota's.
    let other = rota.daily("U3", 1);
    assert_eq!(other.bind_handle("@First-Line"), id);
    assert_eq!(rota.group(&id), "U2 U3");
    assert!(owned(&other));
    assert_eq!(rota.groups().len(), 2);
}

#[test]
fn a_group_of_the_handle_is_adopted() {
    for handle in ["g1", "G1", "@g1", "@G1"] {
        let rota = with_groups(&[("G1", "U4"), ("G2", "")]);
        let rotation = rota.daily("U1 U2", 1);
        assert_eq!(rotation.bind_handle(handle), "G1", "{handle}");
        assert_eq!(rota.group("G1"), "U4 U1");
        assert!(!owned(&rotation), "{handle}");
        assert_eq!(rota.groups(), ["G1", "G2"]);
    }
    // Whatever its case in the directory.
    let rota = Rota::unreminded(2);
    let mut all = directory_with(2, &[("G1", "")], &[]);
    all["groups"][0]["handle"] = json!("@Duty");
    rota.import(&all);
    let rotation = rota.daily("U1 U2", 1);
    assert_eq!(rotation.bind_handle("duty"), "G1");
    rotation.tells_in("C1");
    rotation
        .patch(json!({ "topicTemplate": "%DUTYHANDLE%" }))
        .is(200);
    assert_eq!(rota.topic("C1"), "@Duty");
}

#[test]
fn another_group_takes_its_place() {
    let rota = with_groups(&[("G1", "U4"), ("G2", "U3")]);
    let rotation = rota.daily("U1 U2", 1);
    rotation.bind("G1");
    rotation.bind("G2");
    assert_eq!([rota.group("G1"), rota.group("G2")], ["U4", "U3 U1"]);
    rotation.rotate();
    assert_eq!([rota.group("G1"), rota.group("G2")], ["U4", "U3 U2"]);
    let own = rotation.bind_handle("own");
    assert_eq!([rota.group("G2"), rota.group(&own)], ["U3", "U2"]);
    rotation.unbind();
    assert_eq!([rota.group("G2"), rota.group(&own)], ["U3", ""]);
    // A group that rota created stays rota's.
    assert_eq!(rotation.bind_handle("own"), own);
    assert!(owned(&rotation));
}

#[test]
fn groups_that_rota_made_survive_an_import() {
    let rota = with_groups(&[("G1", "")]);
    let rotation = rota.daily("U1 U2", 1);
    let own = rotation.bind_handle("own");
    rota.import_with(4, &[("G2", "")], &[]);
    let mut groups = vec!["G2".to_owned(), own.clone()];
    groups.sort();
    assert_eq!(rota.groups(), groups);
    assert_eq!(rota.group(&own), "U1");
    assert_eq!(rotation.read()["onDutyUserGroupId"], json!(own));
    rotation.rotate();
    assert_eq!(rota.group(&own), "U2");
    // Also while no rotation uses it.
    rotation.unbind();
    assert_eq!(rota.group(&own), "");
    rota.import_with(4, &[], &[]);
    assert_eq!(rotation.bind_handle("own"), own);
}

#[test]
fn an_import_that_drops_or_refills_a_group_is_noticed() {
    let rota = with_groups(&[("G1", "")]);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.bind("G1");
    // Someone removed our people and added another member.
    rota.import_with(4, &[("G1", "U4 U2")], &[]);
    assert_eq!(rota.group("G1"), "U4 U1");
    rota.import_with(4, &[], &[]);
    assert_eq!(rota.group("G1"), "gone");
    let group = rotation.chat_status()["onDutyGroup"].clone();
    assert_eq!(text(&group["lastError"]), "there is no user group `G1`");
    assert_eq!(group["inStep"], json!(false));
    // Duty is not affected, and the group is filled once it exists again.
    rota.to("2026-01-06T09:00Z");
    assert_eq!(rotation.on_call(), "U2");
    rota.import_with(4, &[("G1", "")], &[]);
    assert_eq!(rota.group("G1"), "U2");
}

#[test]
fn on_duty_groups_are_for_the_pro_plan() {
    let rota = with_groups(&[("G1", "U4"), ("G2", "")]);
    let rotation = rota.daily("U1 U2", 1);
    rotation.bind("G1");
    assert_eq!(rota.group("G1"), "U4 U1");
    rota.plan("free");
    // Our people are removed, and the setting is kept.
    assert_eq!(rota.group("G1"), "U4");
    assert_eq!(rotation.read()["onDutyUserGroupId"], "G1");
    rota.to("2026-01-06T09:00Z");
    assert_eq!(rota.group("G1"), "U4");
    let etag = rotation.etag();
    for body in [
        json!({ "userGroupId": "G2" }),
        json!({ "handle": "g1" }),
        json!({ "handle": "new" }),
    ] {
        rotation.try_bind(body).refused(402, "payment_required");
    }
    assert_eq!((rotation.etag(), rota.groups()), (etag, words("G1 G2")));
    rota.plan("pro");
    assert_eq!(rota.group("G1"), "U4 U2");
    // Unbinding needs no plan.
    rota.plan("free");
    rotation.unbind();
    rota.plan("pro");
    assert_eq!(rota.group("G1"), "U4");
}

#[test]
fn a_rotation_that_follows_the_group_of_another_changes_with_it() {
    let rota = with_groups(&[("G1", "")]);
    let mut body = new_rotation("U4");
    body["userIds"] = json!([]);
    body["userGroupIds"] = json!(["G1"]);
    let follower = rota.create(body);
    let leader = rota.daily("U1 U2 U3", 1);
    let mut reader = Reader::new(&rota);
    let members = |rotation: &Rot| rotation.read()["members"]["userGroups"][0]["users"].clone();
    let of = |user: &str| json!([{ "userId": user, "sequenceNumber": 0 }]);
    assert_eq!(members(&follower), json!([]));
    leader.bind("G1");
    rota.chat_settles();
    assert_eq!(members(&follower), of("U1"));
    follower.cover(1, &[always(daily())]);
    assert_eq!(follower.on_call(), "U1");
    rota.chat_settles();
    reader.news();
    let etag = follower.etag();
    leader.rotate();
    rota.chat_settles();
    assert_eq!(members(&follower), of("U2"));
    assert_eq!(follower.on_call(), "U2");
    assert_ne!(follower.etag(), etag);
    let news = reader.news();
    let of_rotation = |id: &str| -> Vec<&Value> {
        news.iter()
            .filter(|body| text(&body["rotationId"]) == id)
            .collect()
    };
    let kinds = |bodies: &[&Value]| -> Vec<String> {
        bodies
            .iter()
            .map(|body| crate::events::word(body))
            .collect()
    };
    assert_eq!(kinds(&of_rotation(&leader.id)), ["duty manual"]);
    let posted = of_rotation(&follower.id);
    assert_eq!(kinds(&posted), ["updated", "duty manual"]);
    // One change, one version.
    assert_eq!(posted[0]["version"], posted[1]["version"]);
    assert_eq!(posted[0]["rotation"]["onCall"]["onCall"][0]["userId"], "U2");
}

#[test]
fn a_rotation_cannot_follow_its_own_group() {
    let rota = with_groups(&[("G1", "U1"), ("G2", "")]);
    let rotation = rota.rotation("U1 U2");
    rotation.patch(json!({ "userGroupIds": ["G1"] })).is(200);
    rotation
        .try_bind(json!({ "userGroupId": "G1" }))
        .names("userGroupId");
    let answer = rotation
        .try_bind(json!({ "handle": "g1" }))
        .refused(400, "invalid_request");
    assert!(text(&answer["detail"]).contains("G1"), "{answer}");
    rotation.bind("G2");
    rotation
        .patch(json!({ "userGroupIds": ["G1", "G2"] }))
        .names("userGroupIds[1]");
    assert_eq!(rota.group("G1"), "U1");
}

#[test]
fn rotations_fill_no_groups_in_a_circle() {
    let rota = with_groups(&[("G1", "U1 U2"), ("G2", "U3 U4"), ("G3", "U1")]);
    let follows = |groups: serde_json::Value| {
        let rotation = rota.rotation("U1");
        rotation
            .patch(json!({ "userIds": [], "userGroupIds": groups }))
            .is(200);
        rotation
    };
    let (one, two, three) = (
        follows(json!(["G1"])),
        follows(json!(["G2"])),
        follows(json!(["G3"])),
    );
    one.bind("G2");
    two.bind("G3");
    three
        .try_bind(json!({ "userGroupId": "G1" }))
        .names("userGroupId");
    three.try_bind(json!({ "handle": "g1" })).names("handle");
    // A cycle is found from any side.
    one.unbind();
    three.bind("G1");
    one.try_bind(json!({ "userGroupId": "G2" }))
        .names("userGroupId");
    two.patch(json!({ "userGroupIds": ["G2", "G1"] }))
        .names("userGroupIds[1]");
    three.unbind();
    two.patch(json!({ "userGroupIds": ["G2", "G1"] })).is(200);
}

#[test]
fn one_group_is_made_for_a_handle_that_many_ask_for() {
    let rota = with_groups(&[]);
    let rotations: Vec<Rot> = (0..6).map(|_| rota.daily("U1 U2", 1)).collect();
    // Both look it up before either has created it.
    rota.set_failure_mode(json!({ "delayMs": 60 }));
    let made: Vec<String> = std::thread::scope(|scope| {
        let asking: Vec<_> = (rotations.iter())
            .map(|rotation| scope.spawn(move || rotation.bind_handle("duty")))
            .collect();
        asking
            .into_iter()
            .map(|made| made.join().unwrap())
            .collect()
    });
    rota.chat_is_up();
    assert_eq!(rota.groups().len(), 1, "{made:?}");
    assert!(made.iter().all(|id| *id == made[0]), "{made:?}");
    assert_eq!(rota.group(&made[0]), "U1");
}
