//! Providers of identities that write people and user groups by SCIM.

mod discovery;
mod following;
mod groups;
mod malformed;
mod people;
mod providers;
mod under_slack;
mod worlds;

use crate::support::*;
use serde_json::{Value, json};

const USER: &str = "urn:ietf:params:scim:schemas:core:2.0:User";
const GROUP: &str = "urn:ietf:params:scim:schemas:core:2.0:Group";
const ERROR: &str = "urn:ietf:params:scim:api:messages:2.0:Error";

impl Rota {
    fn scim(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.request(method, &format!("/scim/v2{path}"))
            .header("Content-Type", "application/scim+json")
            .body(body.to_string())
            .send()
    }

    fn read_scim(&self, path: &str) -> Answer {
        self.get(&format!("/scim/v2{path}"))
    }

    /// Adds a User; answers the id.
    #[track_caller]
    fn add_user(&self, mut body: Value) -> String {
        body["schemas"] = json!([USER]);
        let made = self.scim("POST", "/Users", &body).is(201).json();
        text(&made["id"]).to_owned()
    }

    /// Adds a Group with these members; answers the id.
    #[track_caller]
    fn add_group(&self, name: &str, members: &[&str]) -> String {
        let members: Vec<Value> = members.iter().map(|id| json!({ "value": id })).collect();
        let body = json!({ "schemas": [GROUP], "displayName": name, "members": members });
        let made = self.scim("POST", "/Groups", &body).is(201).json();
        text(&made["id"]).to_owned()
    }

    #[track_caller]
    fn patch_scim(&self, path: &str, operations: Value) -> Answer {
        let body = json!({
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": operations
        });
        self.scim("PATCH", path, &body)
    }

    /// Lets rotations follow, as each movement of the clock does.
    #[track_caller]
    fn follow_scim(&self) {
        self.post("/dev/clock", json!({ "advanceSeconds": 0 }))
            .is(200);
    }

    /// How many match a filter.
    #[track_caller]
    fn matching(&self, kind: &str, filter: &str) -> i64 {
        let path = format!("/{kind}?count=0&filter={}", escaped(filter));
        int(&self.read_scim(&path).is(200).json()["totalResults"])
    }
}

fn escaped(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// Refused in SCIM's form.
#[track_caller]
fn refused(answer: Answer, status: u16, kind: &str) -> String {
    let answer = answer.is(status);
    assert_eq!(answer.header("content-type"), Some("application/scim+json"));
    let error = answer.json();
    assert_eq!(error["schemas"], json!([ERROR]));
    assert_eq!(error["status"], json!(status.to_string()));
    let found = error.get("scimType").and_then(Value::as_str);
    assert_eq!(found.unwrap_or_default(), kind, "{error}");
    text(&error["detail"]).to_owned()
}

/// Numbers that are the same in every run.
struct Chance(u64);

impl Chance {
    /// A number below this one.
    fn below(&mut self, most: usize) -> usize {
        // The constants of PCG.
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        (!from.is_empty()).then(|| from[self.below(from.len())].clone())
    }
}
