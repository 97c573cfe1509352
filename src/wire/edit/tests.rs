use super::*;
use serde_json::{Value, json};

fn detail<T: std::fmt::Debug>(read: Result<T, Refusal>) -> String {
    crate::tests::detail(&read.unwrap_err())
}

fn create(change: Value) -> Result<NewRotation, Refusal> {
    let mut body = json!({ "name": "Ops", "owners": ["U1"] });
    body.as_object_mut()
        .unwrap()
        .extend(change.as_object().unwrap().clone());
    new_rotation(body.to_string().as_bytes())
}

#[test]
fn codes_are_short_ascii_and_upper_case() {
    for (text, expected) in [
        ("ops-Night_1", Some("OPS-NIGHT_1")),
        ("7", Some("7")),
        (&"x".repeat(40), Some(&*"X".repeat(40))),
        (&"x".repeat(41), None),
        ("", None),
        ("a b", None),
        ("a/b", None),
        ("vakt-å", None),
    ] {
        let code = create(json!({ "code": text }))
            .ok()
            .and_then(|new| new.code);
        assert_eq!(code.as_deref(), expected, "{text}");
    }
}

#[test]
fn refusals_of_a_creation_name_the_wrong_member() {
    let people: Vec<String> = (0..1001).map(|n| format!("U{n}")).collect();
    for (change, path) in [
        (json!({ "name": " \t" }), "name: "),
        (json!({ "name": "x".repeat(201) }), "name: "),
        (json!({ "name": null }), "name: "),
        (json!({ "owners": [] }), "owners: "),
        (json!({ "owners": people[..51] }), "owners: "),
        (json!({ "owners": ["U1", "U1"] }), "owners[1]: "),
        (json!({ "owners": ["U1", 2] }), "owners[1]: "),
        (json!({ "userIds": people }), "userIds: "),
        (json!({ "userGroupIds": people[..101] }), "userGroupIds: "),
        (json!({ "channels": people[..51] }), "channels: "),
        (json!({ "lanes": 0 }), "lanes: "),
        (json!({ "lanes": "21" }), "lanes: "),
        (json!({ "lanes": null }), "lanes: "),
        (json!({ "public": null }), "public: "),
        (json!({ "name": "a\u{0}b" }), "name: "),
        (json!({ "name": "a\nb" }), "name: "),
        (json!({ "name": "a\u{85}" }), "name: "),
        (json!({ "description": "x".repeat(4001) }), "description: "),
        (json!({ "description": 7 }), "description: "),
        (json!({ "code": "a b" }), "code: "),
    ] {
        let detail = detail(create(change.clone()));
        assert!(detail.starts_with(path), "{change}: {detail}");
    }
    let long = "å\n".repeat(2000);
    let described = create(json!({ "description": long, "code": null })).unwrap();
    assert_eq!((described.description, described.code), (Some(long), None));
    let bare = create(json!({ "description": null })).unwrap();
    assert_eq!(bare.description, None);
    let name = "å".repeat(200);
    let most = create(json!({ "name": name, "lanes": "20", "userIds": people[..1000] })).unwrap();
    assert_eq!((most.lanes, most.users.len()), (20, 1000));
}

#[test]
fn equal_bodies_have_one_canonical_form() {
    let canonical_of = |change: Value| canonical(&create(change).unwrap());
    let bare = canonical_of(json!({}));
    for same in [
        json!({ "public": false, "lanes": "1", "code": null, "description": null }),
        json!({ "lanes": 1, "userIds": [], "userGroupIds": [], "channels": [], "mode": 1 }),
    ] {
        assert_eq!(canonical_of(same.clone()), bare, "{same}");
    }
    assert_eq!(
        canonical_of(json!({ "code": "ops" })),
        canonical_of(json!({ "code": "OPS" }))
    );
    let mut all = vec![bare];
    for other in [
        json!({ "name": "ops" }),
        json!({ "description": "" }),
        json!({ "code": "ops" }),
        json!({ "public": true }),
        json!({ "lanes": 2 }),
        json!({ "owners": ["U1", "U2"] }),
        json!({ "owners": ["U2", "U1"] }),
        json!({ "channels": ["U2"] }),
        json!({ "userIds": ["U2"] }),
        json!({ "userGroupIds": ["U2"] }),
    ] {
        let text = canonical_of(other.clone());
        assert!(!all.contains(&text), "{other}");
        all.push(text);
    }
}

#[test]
fn a_patch_clears_with_null() {
    let read = |body: Value| patch(body.to_string().as_bytes());
    assert_eq!(read(json!({})).unwrap(), RotationPatch::default());
    let cleared =
        read(json!({ "description": null, "code": null, "topicTemplate": null })).unwrap();
    assert_eq!(cleared.description, Some(None));
    assert_eq!(
        (cleared.code, cleared.topic_template),
        (Some(None), Some(None))
    );
    assert_eq!(
        read(json!({ "code": "x" })).unwrap().code,
        Some(Some("X".into()))
    );
    for (change, path) in [
        (json!({ "name": "a\tb" }), "name: "),
        (json!({ "description": "x".repeat(4001) }), "description: "),
        (
            json!({ "topicTemplate": "x".repeat(4001) }),
            "topicTemplate: ",
        ),
    ] {
        assert!(detail(read(change)).starts_with(path), "{path}");
    }
    for member in [
        "name",
        "public",
        "enabled",
        "owners",
        "userIds",
        "doubleCover",
        "enableTopic",
    ] {
        let detail = detail(read(json!({ member: null })));
        assert!(detail.starts_with(&format!("{member}: ")), "{detail}");
    }
}

#[test]
fn optional_bodies() {
    for body in ["", "null", "{}"] {
        assert_eq!(
            channel(body.as_bytes()),
            Ok(ChannelChange::default()),
            "{body}"
        );
        assert_eq!(rotate(body.as_bytes()), Ok(None), "{body}");
    }
    for (body, path) in [
        (r#"{"cellIds":[]}"#, "cellIds: "),
        (r#"{"cellIds":["a","a"]}"#, "cellIds[1]: "),
        (r#"{"cellIds":null}"#, "cellIds: "),
    ] {
        assert!(detail(rotate(body.as_bytes())).starts_with(path), "{body}");
    }
    assert!(detail(on_call(b"")).contains("empty"));
    assert!(detail(on_call(br#"{"userIds":[]}"#)).starts_with("userIds: "));
}
