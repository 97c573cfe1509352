//! SCIM where the directory is Slack's.

use super::{ERROR, GROUP, USER};
use crate::support::slack::Slack;
use crate::support::*;
use serde_json::json;

/// rules.md 17.9.
#[test]
fn all_of_it_is_refused_while_slack_has_the_people() {
    let slack = Slack::with_people(2);
    let rota = slack.go();
    let user = json!({ "schemas": [USER], "userName": "new@example.com" });
    let group = json!({ "schemas": [GROUP], "displayName": "Ops", "members": [] });
    let patch = json!({
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        "Operations": [{ "op": "replace", "path": "active", "value": false }]
    });
    let nothing = json!({});
    for (method, path, body) in [
        ("GET", "/ServiceProviderConfig", &nothing),
        ("GET", "/ResourceTypes", &nothing),
        ("GET", "/Schemas", &nothing),
        ("GET", "/Users", &nothing),
        ("GET", "/Users/U2", &nothing),
        ("POST", "/Users", &user),
        ("PUT", "/Users/U2", &user),
        ("PATCH", "/Users/U2", &patch),
        ("DELETE", "/Users/U2", &nothing),
        ("GET", "/Groups", &nothing),
        ("POST", "/Groups", &group),
        ("PUT", "/Groups/G1", &group),
        ("PATCH", "/Groups/G1", &patch),
        ("DELETE", "/Groups/G1", &nothing),
        ("POST", "/.search", &nothing),
    ] {
        let answer = rota.scim(method, path, body);
        let error = answer.is(409).json();
        let detail = text(&error["detail"]);
        assert!(
            detail.starts_with("directory_is_slack"),
            "{method} {path}: {error}"
        );
        assert_eq!(error["schemas"], json!([ERROR]), "{method} {path}: {error}");
        assert_eq!(text(&error["status"]), "409", "{error}");
    }
    // A key without the right hears of that first, and nothing has changed.
    let blind = rota.key("read:directory");
    let path = "/scim/v2/Users";
    rota.with(&blind).get(path).is(403);
    let users = rota.caller().all("/v1/users");
    assert_eq!(users.len(), 2, "{users:?}");
    assert!(
        users.iter().all(|user| user["isDeleted"] == false),
        "{users:?}"
    );
}
