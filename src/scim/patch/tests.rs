use super::super::schema::{GROUP, USER};
use super::*;
use serde_json::json;

fn patched(
    resource: &'static Resource,
    before: Value,
    operations_sent: Value,
) -> Result<Value, String> {
    let mut kept = before.as_object().cloned().unwrap();
    let body = json!({ "Operations": operations_sent });
    let done = operations(body.as_object().unwrap())
        .and_then(|operations| apply(resource, "U1", &mut kept, operations));
    match done {
        Ok(()) => Ok(kept.into()),
        Err(Refusal::Provisioning(fault, why)) => Err(format!("{} {why}", fault.name())),
        Err(other) => panic!("{other:?}"),
    }
}

fn two_mails() -> Value {
    json!({ "userName": "ada", "emails": [
        { "value": "a@x.org", "type": "work", "primary": true }, { "value": "b@x.org", "type": "home" }
    ] })
}

#[test]
fn operations_change_what_their_paths_lead_to() {
    let both = two_mails();
    let mails = |mails: Value| json!({ "userName": "ada", "emails": mails });
    for (operation, expected) in [
        (
            json!({ "op": "Replace", "path": "userName", "value": "bo" }),
            json!({ "userName": "bo", "emails": both["emails"] }),
        ),
        (
            json!({ "op": "add", "value": { "displayName": "Ada", "title": "Countess" } }),
            json!({ "userName": "ada", "displayName": "Ada", "emails": both["emails"] }),
        ),
        (
            json!({ "op": "replace", "value": { "name.givenName": "Ada" } }),
            json!({ "userName": "ada", "name": { "givenName": "Ada" }, "emails": both["emails"] }),
        ),
        (
            json!({ "op": "replace", "value": { "emails[type eq \"work\"].value": "c@x.org" } }),
            mails(
                json!([{ "value": "c@x.org", "type": "work", "primary": true }, both["emails"][1]]),
            ),
        ),
        (
            json!({ "op": "replace", "path": "emails[type eq \"home\"].primary", "value": true }),
            mails(
                json!([{ "value": "a@x.org", "type": "work", "primary": false },
                { "value": "b@x.org", "type": "home", "primary": true }]),
            ),
        ),
        (
            json!({ "op": "remove", "path": "emails[type eq \"work\"]" }),
            mails(json!([both["emails"][1]])),
        ),
        (
            json!({ "op": "remove", "path": "emails[type eq \"work\"].primary" }),
            mails(json!([{ "value": "a@x.org", "type": "work" }, both["emails"][1]])),
        ),
        (
            json!({ "op": "remove", "path": "emails" }),
            json!({ "userName": "ada" }),
        ),
        (
            json!({ "op": "remove", "path": "emails", "value": [{ "value": "a@x.org" }] }),
            mails(json!([both["emails"][1]])),
        ),
        (
            json!({ "op": "replace", "path": "emails", "value": null }),
            json!({ "userName": "ada" }),
        ),
        (
            json!({ "op": "add", "path": "emails", "value": { "value": "c@x.org" } }),
            mails(json!([both["emails"][0], both["emails"][1], { "value": "c@x.org" }])),
        ),
        (
            json!({ "op": "add", "path": "emails", "value": [both["emails"][1]] }),
            both.clone(),
        ),
        (
            json!({ "op": "add", "path": "emails[type eq \"other\"].value", "value": "c@x.org" }),
            mails(
                json!([both["emails"][0], both["emails"][1], { "type": "other", "value": "c@x.org" }]),
            ),
        ),
        (
            json!({ "op": "replace", "path": "emails", "value": [{ "value": "c@x.org" }] }),
            mails(json!([{ "value": "c@x.org" }])),
        ),
        // What is not kept is taken and dropped.
        (
            json!({ "op": "add", "path": "title", "value": "Countess" }),
            both.clone(),
        ),
        (
            json!({ "op": "add", "path": "emails[type eq \"work\"].display", "value": "x" }),
            both.clone(),
        ),
        (
            json!({ "op": "replace", "path": "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", "value": "x" }),
            both.clone(),
        ),
        (
            json!({ "op": "add", "value": { "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { "department": "x" } } }),
            both.clone(),
        ),
        (
            json!({ "op": "add", "value": { "id": "U1" } }),
            both.clone(),
        ),
    ] {
        assert_eq!(
            patched(&USER, both.clone(), json!([operation])),
            Ok(expected),
            "{operation}"
        );
    }
}

#[test]
fn operations_that_cannot_be_done_say_why() {
    let brackets = "emails[".repeat(1_000);
    for (operation, expected) in [
        (json!({ "op": "remove" }), "noTarget"),
        (json!({ "op": "remove", "path": "userName" }), "mutability"),
        (
            json!({ "op": "replace", "path": "userName", "value": null }),
            "mutability",
        ),
        (
            json!({ "op": "replace", "path": "id", "value": "x" }),
            "mutability",
        ),
        (json!({ "op": "add", "value": { "id": "x" } }), "mutability"),
        (
            json!({ "op": "replace", "path": "meta.created", "value": "x" }),
            "mutability",
        ),
        (
            json!({ "op": "replace", "path": "emails[type eq \"other\"].value", "value": "x@x.org" }),
            "noTarget",
        ),
        (
            json!({ "op": "remove", "path": "emails[type eq \"other\"]" }),
            "noTarget",
        ),
        (
            json!({ "op": "replace", "path": "emails[type", "value": "x" }),
            "invalidPath",
        ),
        (
            json!({ "op": "replace", "path": "emails[type eq \"work\"]value", "value": "x" }),
            "invalidPath",
        ),
        (
            json!({ "op": "replace", "path": brackets, "value": "x" }),
            "invalidPath",
        ),
        (
            json!({ "op": "replace", "path": "9", "value": "x" }),
            "invalidPath",
        ),
        (
            json!({ "op": "replace", "path": "emails[color eq \"red\"]", "value": {} }),
            "invalidFilter",
        ),
        (
            json!({ "op": "replace", "path": "userName[type eq \"x\"]", "value": "x" }),
            "invalidPath",
        ),
        (
            json!({ "op": "replace", "path": "active", "value": "perhaps" }),
            "invalidValue",
        ),
        (
            json!({ "op": "replace", "path": "userName", "value": ["x"] }),
            "invalidValue",
        ),
        (json!({ "op": "add", "value": "x" }), "invalidValue"),
        (
            json!({ "op": "add", "path": "emails", "value": [{ "value": "c", "primary": true }, { "value": "d", "primary": true }] }),
            "invalidValue",
        ),
        (json!({ "op": "move", "path": "userName" }), "invalidSyntax"),
        (json!({ "op": "add", "path": 5 }), "invalidSyntax"),
        (json!(5), "invalidSyntax"),
    ] {
        let why = patched(&USER, two_mails(), json!([operation])).expect_err("a refusal");
        assert!(why.starts_with(expected), "{operation}: {why}");
    }
    let many: Vec<Value> = (0..1_001)
        .map(|_| json!({ "op": "add", "path": "title" }))
        .collect();
    for wrong in [json!([]), json!({}), json!(many)] {
        assert!(patched(&USER, two_mails(), wrong).is_err());
    }
}

#[test]
fn members_are_added_once_and_removed_by_value() {
    let member = |id: &str| json!({ "value": id });
    let group = json!({ "displayName": "g", "members": [member("U1"), member("U2")] });
    for (operation, expected) in [
        (
            json!({ "op": "Add", "path": "members", "value": [{ "value": "U2", "type": "User" }, member("U3")] }),
            "U1 U2 U3",
        ),
        (
            json!({ "op": "Remove", "path": "members", "value": [member("U2"), member("U9")] }),
            "U1",
        ),
        (
            json!({ "op": "remove", "path": "members[value eq \"U1\"]" }),
            "U2",
        ),
        (json!({ "op": "remove", "path": "members" }), ""),
        (
            json!({ "op": "replace", "path": "members", "value": [member("U3"), member("U3")] }),
            "U3",
        ),
        (
            json!({ "op": "replace", "value": { "members": [member("U2")], "id": "U1" } }),
            "U2",
        ),
        (
            json!({ "op": "add", "path": "members[value eq \"U4\"]", "value": {} }),
            "U1 U2 U4",
        ),
    ] {
        let found = patched(&GROUP, group.clone(), json!([operation])).unwrap();
        let ids = found["members"].as_array().into_iter().flatten();
        let ids: Vec<&str> = ids.filter_map(|member| member["value"].as_str()).collect();
        assert_eq!(ids.join(" "), expected, "{operation}");
    }
    let wrong =
        json!([{ "op": "replace", "path": "members[value eq \"U1\"].value", "value": "U2" }]);
    assert!(
        patched(&GROUP, group, wrong)
            .unwrap_err()
            .starts_with("mutability")
    );
}
