//! The person of an email address in `setonduty`.

use crate::support::*;
use serde_json::{Value, json};

/// Four people with these addresses, U1 to U3 of them in the rotation.
#[track_caller]
fn with_emails(emails: [Value; 4]) -> Rota {
    let rota = Rota::with_people(0);
    let mut people = directory(4);
    for (index, email) in emails.into_iter().enumerate() {
        people["users"][index]["email"] = email;
    }
    rota.import(&people);
    rota
}

#[test]
fn an_address_may_be_written_as_queries_write_it() {
    let rota = with_emails([
        json!("ada@example.com"),
        json!("Grace.Hopper+pager@Example.COM"),
        json!("o'neil_%x@example.com"),
        json!("stranger@example.com"),
    ]);
    let rotation = rota.daily("U1 U2 U3", 1);
    for (email, user) in [
        ("ada@example.com", "U1"),
        ("ada%40example.com", "U1"),
        ("%61%64%61%40example%2Ecom", "U1"),
        ("ADA@EXAMPLE.com", "U1"),
        // An unencoded plus is a space in a query.
        ("grace.hopper%2Bpager@example.com", "U2"),
        ("GRACE.HOPPER%2bPAGER%40EXAMPLE.COM", "U2"),
        ("o'neil_%25x@example.com", "U3"),
        ("o%27neil_%25X@example.com", "U3"),
    ] {
        rotation.clear().is(200);
        let action = format!("setonduty?email={email}");
        rotation.inbound().post(&action).is(200);
        assert_eq!(rotation.on_call(), user, "{email}");
    }
}

#[test]
fn an_address_that_names_no_member_is_refused() {
    let rota = with_emails([
        json!("ada@example.com"),
        json!("grace+pager@example.com"),
        Value::Null,
        json!("stranger@example.com"),
    ]);
    let rotation = rota.daily("U1 U2 U3", 1);
    let inbound = rotation.inbound();
    let etag = rotation.etag();
    for query in [
        "",
        "?",
        "?email",
        "?email=",
        "?Email=ada@example.com",
        "?email=ada@example.com&email=ada@example.com",
        "?email=ada@example.com&email=grace@example.com",
        // An unknown address, a part of one, several, one with spaces, one with an unencoded plus.
        "?email=nobody@example.com",
        "?email=ada",
        "?email=%25",
        "?email=ada%25",
        "?email=_da@example.com",
        "?email=ada@example.com%20",
        "?email=+ada@example.com",
        "?email=grace+pager@example.com",
        "?email=null",
        // The address of a person who is no member.
        "?email=stranger@example.com",
        // An id is not an address.
        "?email=U2",
    ] {
        inbound.post(&format!("setonduty{query}")).names("email");
    }
    inbound.post("setonduty?email=%ff").names("query");
    assert_eq!(rotation.etag(), etag);
}

#[test]
fn somebody_gone_has_no_address_any_more() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let inbound = rotation.inbound();
    let put = |user: &str| inbound.post(&format!("setonduty?email={user}@example.com"));
    let mut people = directory(3);
    people["users"][1]["isDeleted"] = json!(true);
    rota.import(&people);
    // The response for a deactivated person is that for an unknown one.
    let gone = put("u2").refused(400, "invalid_request");
    let nobody = put("u9").refused(400, "invalid_request");
    assert_eq!(gone["detail"], nobody["detail"]);
    // Omitted from the directory.
    rota.people(2);
    put("u3").names("email");
    put("u2").is(200);
    // The person who has the address now is selected.
    let mut people = directory(3);
    people["users"][0]["email"] = json!("other@example.com");
    people["users"][2]["email"] = json!("u1@example.com");
    rota.import(&people);
    rotation
        .patch(json!({ "userIds": ["U1", "U2", "U3"] }))
        .is(200);
    put("u1").is(200);
    assert_eq!(rotation.on_call(), "U3");
}

#[test]
fn of_two_people_with_one_address_the_member_is_meant() {
    let shared = || json!("team@example.com");
    let rota = with_emails([
        shared(),
        json!("TEAM@example.com"),
        json!("x@example.com"),
        shared(),
    ]);
    for (members, on_duty) in [("U3 U2", "U2"), ("U3 U4", "U4"), ("U1 U3", "U1")] {
        let rotation = rota.daily(members, 1);
        let post = |email: &str| rotation.inbound().post(&format!("setonduty?email={email}"));
        post("x@example.com").is(200);
        assert_eq!(rotation.on_call(), "U3");
        post("team@example.com").is(200);
        assert_eq!(rotation.on_call(), on_duty, "{members}");
    }
    // Of several people who are no members, none is selected.
    let rotation = rota.daily("U3", 1);
    let post = rotation.inbound().post("setonduty?email=team@example.com");
    post.names("email");
}

#[test]
fn somebody_by_way_of_a_group_is_a_member() {
    let rota = Rota::at(MONDAY);
    rota.people_and_groups(4, &[("G1", "U3 U4")]);
    let rotation = rota.create(json!({
        "name": "R", "owners": ["U1"], "userIds": ["U2"], "userGroupIds": ["G1"],
    }));
    let post = |user: &str| {
        let action = format!("setonduty?email={user}@example.com");
        rotation.inbound().post(&action)
    };
    post("u4").is(200);
    assert_eq!(rotation.on_call(), "U4");
    // The owner is no member.
    post("u1").names("email");
}
