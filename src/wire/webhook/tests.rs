use super::*;
use crate::domain::refusal::UrlFault;
use crate::domain::webhook::{CurrentSecret, Disabled, EventType, SigningSecret, WebhookSpec};
use serde_json::{Value, json};

/// Accepts `https` only, and marks the URL, so that a test sees that it was called.
fn target(url: &str) -> Target {
    match url.strip_prefix("https://") {
        Some(rest) => Ok(format!("dialled:{rest}")),
        None => Err(Refusal::WebhookUrl(
            UrlFault::SchemeNotAllowed,
            "url: send https".into(),
        )),
    }
}

fn posted(body: Value) -> Spec {
    new_webhook(body.to_string().as_bytes(), target)
}

fn refused(read: Spec) -> String {
    crate::tests::detail(&read.unwrap_err())
}

fn put(body: Value) -> Spec {
    replacement(body.to_string().as_bytes(), target)
}

#[test]
fn bodies_become_endpoints() {
    use EventType::{DutyChanged, NobodyOnCall, RotationDeleted};
    for (types, expected) in [
        (json!([]), vec![]),
        (
            json!(["rotation.deleted", "duty.changed"]),
            vec![DutyChanged, RotationDeleted],
        ),
        (
            json!(["nobody.on_call", "nobody.on_call"]),
            vec![NobodyOnCall],
        ),
    ] {
        let body =
            json!({ "name": " å ", "url": "https://x/", "eventTypes": types, "state": [null] });
        let expected = WebhookSpec {
            name: " å ".into(),
            url: "dialled:x/".into(),
            event_types: expected,
        };
        assert_eq!(posted(body.clone()), Ok(expected.clone()), "{types}");
        assert_eq!(put(body), Ok(expected), "{types}");
    }
    let bare = json!({ "name": "å".repeat(100), "url": "https://x/" });
    assert_eq!(
        posted(bare.clone()).map(|spec| spec.event_types),
        Ok(vec![])
    );
    let missing = "eventTypes: missing; it is required";
    assert_eq!(refused(put(bare)), missing);
}

#[test]
fn refusals_name_the_wrong_member() {
    let whole = json!({ "name": "a", "url": "https://x/", "eventTypes": [] });
    for (member, value, expected) in [
        ("name", json!(null), "name: send a string, not null"),
        ("name", json!(7), "name: send a string, not integer `7`"),
        (
            "name",
            json!(" \t"),
            "name: send 1 to 100 characters that are not all blank",
        ),
        (
            "name",
            json!("å".repeat(101)),
            "name: send at most 100 characters, not 101",
        ),
        (
            "name",
            json!("a\nb"),
            "name: send no line breaks or other control characters",
        ),
        ("url", json!(null), "url: send a string, not null"),
        (
            "eventTypes",
            json!(null),
            "eventTypes: send a list, not null",
        ),
        (
            "eventTypes",
            json!("duty.changed"),
            "eventTypes: send a list, not string \"duty.changed\"",
        ),
        (
            "eventTypes",
            json!(["duty.changed", 7]),
            "eventTypes[1]: send a string, not integer `7`",
        ),
    ] {
        let mut body = whole.clone();
        body[member] = value;
        for read in [posted, put] {
            assert_eq!(refused(read(body.clone())), expected, "{body}");
        }
    }
    for member in ["name", "url"] {
        let mut body = whole.clone();
        body.as_object_mut().unwrap().remove(member);
        let missing = format!("{member}: missing; it is required");
        assert_eq!(refused(posted(body)), missing);
    }
}

#[test]
fn refusals_with_their_own_code() {
    let with = |types: Value| json!({ "name": "a", "url": "https://x/", "eventTypes": types });
    for read in [posted, put] {
        assert_eq!(
            read(with(json!(["duty.changed", "Duty.Changed"]))),
            Err(Refusal::EventTypeUnknown(
                "eventTypes[1]".into(),
                "send one of `duty.changed` `nobody.on_call` `rotation.created` `rotation.updated` `rotation.deleted`"
                    .into()
            ))
        );
        assert_eq!(
            read(with(json!(["webhook.test"]))),
            Err(Refusal::EventTypeNotSubscribable(
                "eventTypes[0]".into(),
                "`webhook.test` is only sent on request; omit it".into()
            ))
        );
        let mut insecure = with(json!([]));
        insecure["url"] = json!("http://x/");
        assert!(matches!(read(insecure), Err(Refusal::WebhookUrl(..))));
    }
}

#[test]
fn grace_periods() {
    for (body, expected) in [
        ("", Ok(86_400)),
        ("null", Ok(86_400)),
        ("{}", Ok(86_400)),
        (r#"{"graceSeconds":0}"#, Ok(0)),
        (r#"{"graceSeconds":604800}"#, Ok(604_800)),
        (r#"{"graceSeconds":"60"}"#, Ok(60)),
        (
            r#"{"graceSeconds":604801}"#,
            Err("graceSeconds: send a whole number from 0 to 604800, not 604801"),
        ),
        (
            r#"{"graceSeconds":-1}"#,
            Err("graceSeconds: send a whole number from 0 to 604800, not -1"),
        ),
        (
            r#"{"graceSeconds":null}"#,
            Err("graceSeconds: send a whole number of at most 32 bits, not null"),
        ),
        ("[]", Err("the body: send an object, not a list")),
    ] {
        let expected = expected.map(SignedDuration::from_secs);
        let read = grace(body.as_bytes()).map_err(|refusal| crate::tests::detail(&refusal));
        assert_eq!(read, expected.map_err(str::to_owned), "{body}");
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn webhook() -> Webhook {
    Webhook {
        id: "whk_1".into(),
        name: "pager".into(),
        url: "https://x/".into(),
        event_types: vec![EventType::DutyChanged, EventType::RotationDeleted],
        disabled: None,
        current: CurrentSecret {
            id: "sec_2".into(),
            secret: SigningSecret("svc_whsec_now".into()),
            created_at: at("2026-11-20T08:00:00Z"),
        },
        previous: None,
        version: 1,
        created_at: at("2026-11-20T07:00:00Z"),
        updated_at: None,
    }
}

#[test]
fn an_enabled_endpoint_outside_a_grace_period() {
    let now = at("2026-11-20T09:00:00Z");
    let mut shown = json!({
        "id": "whk_1",
        "name": "pager",
        "url": "https://x/",
        "eventTypes": ["duty.changed", "rotation.deleted"],
        "state": "enabled",
        "currentSecretId": "sec_2",
        "currentSecretCreatedAt": "2026-11-20T08:00:00Z",
        "createdAt": "2026-11-20T07:00:00Z",
        "updatedAt": null,
    });
    assert_eq!(json!(render(&webhook(), now)), shown);
    assert_eq!(
        json!(with_secret(&webhook(), now)),
        json!({ "endpoint": shown, "signingSecret": "svc_whsec_now" })
    );

    let mut other = webhook();
    other.event_types.clear();
    other.updated_at = Some(now);
    (shown["eventTypes"], shown["updatedAt"]) = (json!([]), json!("2026-11-20T09:00:00Z"));
    assert_eq!(json!(render(&other, now)), shown);
}

#[test]
fn a_disabled_endpoint_within_and_after_a_grace_period() {
    let mut webhook = webhook();
    webhook.disabled = Some(Disabled {
        reason: DisabledReason::DeliveryFailures,
        since: at("2026-11-20T08:30:00Z"),
    });
    webhook.previous = Some(PreviousSecret {
        id: "sec_1".into(),
        secret: SigningSecret("svc_whsec_then".into()),
        expires_at: at("2026-11-21T08:00:00Z"),
    });
    let shown = json!(render(&webhook, at("2026-11-21T07:59:59.999Z")));
    assert_eq!(shown["state"], "disabled");
    assert_eq!(shown["disabledReason"], "delivery_failures");
    assert_eq!(shown["previousSecretId"], "sec_1");
    assert_eq!(shown["previousSecretExpiresAt"], "2026-11-21T08:00:00Z");
    assert!(!shown.to_string().contains("whsec"), "{shown}");
    let later = json!(render(&webhook, at("2026-11-21T08:00:00Z")));
    assert_eq!(later.get("previousSecretId"), None);
    assert_eq!(later.get("previousSecretExpiresAt"), None);
}
