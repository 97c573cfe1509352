//! An endpoint is disabled when a delivery is exhausted that was created after its last success.

use super::*;
use serde_json::json;

/// Fails a delivery created before the event and one created after it. Returns the endpoint's state after each.
fn around(sign: impl Fn(&Rota, &Hook, &Receiver)) -> (String, String) {
    let rota = server_with_ladder("10m");
    let (hook, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 404 }));
    let before = hook.test();
    rota.advance(MINUTE);
    sign(&rota, &hook, &receiver);
    rota.advance(20 * MINUTE);
    assert_eq!(hook.state(&before), "exhausted");
    assert_eq!(hook.attempt_log(&before).len(), 2);
    let first = hook.health();
    if first == "enabled" {
        let after = hook.test();
        rota.advance(20 * MINUTE);
        assert_eq!(hook.state(&after), "exhausted");
    }
    (first, hook.health())
}

fn put(rota: &Rota, hook: &Hook, name: &str, url: &str) {
    let body = json!({ "name": name, "url": url, "eventTypes": [] });
    rota.put_if(&hook.path(), "*", body).is(200);
}

/// rules.md 16.4.
#[test]
fn a_sign_of_health_excuses_what_was_made_before_it() {
    let excused = ("enabled".to_owned(), "delivery_failures".to_owned());
    let delivered = around(|rota, hook, receiver| {
        receiver.answers(json!({ "status": 204 }));
        let other = hook.test();
        rota.advance(0);
        assert_eq!(hook.state(&other), "delivered");
        receiver.answers(json!({ "status": 404 }));
    });
    assert_eq!(delivered, excused);
    let enabled = around(|_, hook, _| {
        hook.act("disable").is(200);
        hook.act("enable").is(200);
    });
    assert_eq!(enabled, excused);
    let moved = around(|rota, hook, receiver| {
        let url = format!("{}?moved", receiver.url());
        put(rota, hook, "test", &url);
    });
    assert_eq!(moved, excused);
}

/// rules.md 16.4.
#[test]
fn without_one_the_first_that_is_given_up_disables() {
    let disabled = (
        "delivery_failures".to_owned(),
        "delivery_failures".to_owned(),
    );
    assert_eq!(around(|_, _, _| {}), disabled);
    let renamed = around(|rota, hook, receiver| put(rota, hook, "other", &receiver.url()));
    assert_eq!(renamed, disabled);
    let enabled_already = around(|_, hook, _| drop(hook.act("enable").is(200)));
    assert_eq!(enabled_already, disabled);
    let rotated = around(|_, hook, _| drop(hook.act("rotate").is(200)));
    assert_eq!(rotated, disabled);
    let failing_otherwise = around(|rota, hook, receiver| {
        receiver.answers(json!({ "status": 302 }));
        let other = hook.test();
        rota.advance(0);
        assert!(hook.cancel(&other));
    });
    assert_eq!(failing_otherwise, disabled);
}

#[test]
fn another_endpoint_is_not_disabled_with_it() {
    let rota = server_with_ladder("1s");
    let (well, _) = rota.hook("");
    let (ill, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 404 }));
    well.test();
    ill.test();
    rota.advance(MINUTE);
    assert_eq!(
        (well.health(), ill.health()),
        ("enabled".into(), "delivery_failures".into())
    );
}
