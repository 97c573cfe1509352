//! An on-duty group has the people on call, and keeps strangers.

use crate::support::*;
use serde_json::json;

/// Four people, the last in no rotation, and these user groups.
fn with_groups(groups: &[(&str, &str)]) -> Rota {
    let rota = Rota::unreminded(4);
    rota.import_with(4, groups, &[]);
    rota
}

/// rules.md 14.6.
#[test]
fn an_adopted_group_is_filled_at_once_and_kept() {
    let rota = with_groups(&[("G1", "U4 U3")]);
    let rotation = rota.daily("U1 U2 U3", 1);
    let shown = rota.get("/v1/groups/G1").is(200).json();
    rotation.bind("G1");
    // U3 is a member and off duty; U4 is a stranger.
    assert_eq!(rota.group("G1"), "U4 U1");
    rota.to("2026-01-06T09:00Z");
    assert_eq!(rota.group("G1"), "U4 U2");
    rotation.put_on_call("U3").is(200);
    assert_eq!(rota.group("G1"), "U4 U3");
    rotation.clear().is(200);
    assert_eq!(rota.group("G1"), "U4");
    // Its name does not change.
    let now = rota.get("/v1/groups/G1").is(200).json();
    for member in ["id", "name", "handle", "source"] {
        assert_eq!(now[member], shown[member], "{member}");
    }
}

#[test]
fn several_people_stand_in_the_order_of_places() {
    let rota = with_groups(&[("G1", "")]);
    let rotation = rota.daily("U1 U2 U3", 2);
    rotation.bind("G1");
    assert_eq!(rota.group("G1"), "U1 U2");
    rota.to("2026-01-06T09:00Z");
    // A person who stays keeps their position in the group.
    assert_eq!(rotation.on_call(), "U3 U1");
    assert_eq!(rota.group("G1"), "U1 U3");
}

#[test]
fn a_group_of_several_rotations_holds_the_union() {
    let rota = with_groups(&[("G1", "U4")]);
    let first = rota.daily("U1 U2", 1);
    let second = rota.daily("U2 U3", 1);
    first.bind("G1");
    second.bind("G1");
    assert_eq!(rota.group("G1"), "U4 U1 U2");
    // U2 is on call in both, and counts once.
    first.rotate();
    assert_eq!(rota.group("G1"), "U4 U2");
    // Each removes only its own people.
    second.rotate();
    assert_eq!(
        (first.on_call(), second.on_call()),
        ("U2".into(), "U3".into())
    );
    assert_eq!(rota.group("G1"), "U4 U2 U3");
    second.clear().is(200);
    assert_eq!(rota.group("G1"), "U4 U2");
    first.unbind();
    assert_eq!(rota.group("G1"), "U4");
    second.put_on_call("U2").is(200);
    assert_eq!(rota.group("G1"), "U4 U2");
    second.delete();
    assert_eq!(rota.group("G1"), "U4");
}

#[test]
fn a_window_that_shuts_takes_its_person_out() {
    let rota = with_groups(&[("G1", "")]);
    let rotation = rota.rotation("U1 U2");
    rotation.cover(1, &[hours("UTC", &weekdays("09:00", "17:00"), daily())]);
    rotation.bind("G1");
    for (instant, people) in [
        ("2026-01-05T08:59Z", ""),
        ("2026-01-05T09:00Z", "U1"),
        ("2026-01-05T16:59Z", "U1"),
        ("2026-01-05T17:00Z", ""),
        ("2026-01-06T09:00Z", "U2"),
    ] {
        rota.to(instant);
        assert_eq!(rota.group("G1"), people, "{instant}");
    }
}

#[test]
fn an_arrangement_shows_while_it_runs() {
    let rota = with_groups(&[("G1", "")]);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.bind("G1");
    let now = rotation.assign(0, "U2", "2026-01-05T08:00Z", "2026-01-05T20:00Z");
    assert_eq!(rota.group("G1"), "U2");
    rotation.end(&now);
    assert_eq!(rota.group("G1"), "U1");
    rotation.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-05T13:00Z");
    for (instant, people) in [
        ("2026-01-05T11:59Z", "U1"),
        ("2026-01-05T12:00Z", "U3"),
        ("2026-01-05T13:00Z", "U1"),
    ] {
        rota.to(instant);
        assert_eq!(rota.group("G1"), people, "{instant}");
    }
}

#[test]
fn a_member_who_goes_leaves_the_group() {
    let rota = with_groups(&[("G1", "U4")]);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.bind("G1");
    rotation.patch(json!({ "userIds": ["U2", "U3"] })).is(200);
    assert_eq!(rota.group("G1"), "U4 U2");
    // The same for a person who loses their slot in a new grid.
    let two = rotation.cover(2, &[always(daily())]);
    assert_eq!(rota.group("G1"), "U4 U2 U3");
    assert_eq!(two["lanes"].as_array().map(Vec::len), Some(2));
    rotation.cover(1, &[always(daily())]);
    assert_eq!(rota.group("G1"), "U4 U2");
}

/// rules.md 14.6.
#[test]
fn a_deleted_rotation_leaves_strangers() {
    let rota = with_groups(&[("G1", "U4 U1 U3"), ("G2", "")]);
    let rotation = rota.daily("U1 U2", 1);
    rotation.bind("G1");
    assert_eq!(rota.group("G1"), "U4 U1 U3");
    rotation.delete();
    assert_eq!(rota.group("G1"), "U4 U3");
    let rotation = rota.daily("U1 U2", 1);
    rotation.bind("G2");
    assert_eq!(rota.group("G2"), "U1");
    rotation.delete();
    assert_eq!(rota.group("G2"), "");
}

#[test]
fn a_disabled_rotation_holds_whoever_was_on_duty() {
    let rota = with_groups(&[("G1", "")]);
    let rotation = rota.daily("U1 U2", 1);
    rotation.bind("G1");
    rotation.patch(json!({ "enabled": false })).is(200);
    rota.to("2026-01-07T12:00Z");
    assert_eq!(
        (rotation.on_call(), rota.group("G1")),
        ("U1".into(), "U1".into())
    );
}

#[test]
fn what_is_bound_is_bound() {
    let rota = with_groups(&[("G1", "")]);
    let rotation = rota.daily("U1 U2", 1);
    rotation.bind("G1");
    let (etag, mut reader) = (rotation.etag(), crate::events::Reader::new(&rota));
    // Binding it again changes nothing.
    rotation.bind("G1");
    assert_eq!(
        (rotation.etag(), reader.words()),
        (etag.clone(), String::new())
    );
    rotation.unbind();
    assert_ne!(rotation.etag(), etag);
    assert_eq!(reader.words(), "updated");
    let etag = rotation.etag();
    rotation.unbind();
    assert_eq!((rotation.etag(), reader.words()), (etag, String::new()));
    rotation.bind("G1");
    assert_eq!(reader.words(), "updated");
}
