//! Cancelling unfinished deliveries.

use super::*;
use serde_json::json;

#[test]
fn what_is_in_retry_is_tried_no_more() {
    let rota = server();
    let (hook, receiver) = rota.hook("");
    for (status, wait) in [(404, 0), (500, 0), (500, 1), (404, 2 * DAY)] {
        receiver.forget();
        receiver.answers(json!({ "status": status }));
        let id = hook.test();
        rota.advance(wait);
        let made = hook.attempt_log(&id);
        assert!(hook.wait(&id).is_some(), "{status}");
        assert!(hook.cancel(&id), "{status}");
        rota.advance(WEEK);
        let shown = hook.delivery(&id);
        assert_eq!(text(&shown["state"]), "cancelled");
        assert_eq!(shown.get("nextAttemptDueAt"), None);
        assert_eq!(
            (hook.wait(&id), hook.attempt_log(&id)),
            (None, made.clone())
        );
        assert_eq!(receiver.requests().len(), made.len());
        assert_eq!(hook.health(), "enabled");
        assert!(!hook.cancel(&id), "a second time");
    }
}

#[test]
fn what_is_finished_is_not_cancelled() {
    let rota = server_with_ladder("1s");
    let (hook, receiver) = rota.hook("");
    let delivered = hook.test();
    rota.advance(0);
    receiver.answers(json!({ "status": 404 }));
    let exhausted = hook.test();
    rota.advance(MINUTE);
    for (id, state) in [(&delivered, "delivered"), (&exhausted, "exhausted")] {
        assert!(!hook.cancel(id));
        assert_eq!(hook.state(id), state);
    }
}

#[test]
fn what_is_on_the_wire_ends_and_is_logged() {
    let rota = server();
    let own = OwnReceiver::open();
    let hook = rota.hook_at(&own.url(), "");
    for (status, response) in [
        (200, "1.1 delivered 200 -"),
        (500, "1.1 failed 500 -"),
        (404, "1.1 failed 404 -"),
    ] {
        let id = hook.test();
        let arrival = own.arrival();
        assert!(hook.cancel(&id), "{status}");
        assert_eq!(hook.state(&id), "cancelled");
        assert!(hook.attempts(&id).is_empty(), "it has not ended");
        arrival.status(status);
        rota.advance(WEEK);
        assert_eq!(hook.attempt_log(&id), [response]);
        assert_eq!(
            (hook.state(&id), hook.wait(&id)),
            ("cancelled".into(), None)
        );
        assert_eq!(int(&hook.delivery(&id)["attempts"]), 1);
        own.is_left_alone();
        assert!(!hook.cancel(&id));
    }
    assert_eq!(hook.health(), "enabled");
}

#[test]
fn what_waits_for_its_first_attempt_is_never_sent() {
    let rota = server();
    let own = OwnReceiver::open();
    let hook = rota.hook_at(&own.url(), "");
    let (first, second, third) = (hook.test(), hook.test(), hook.test());
    let arrival = own.arrival();
    assert!(hook.cancel(&second));
    arrival.status(200);
    let arrival = own.arrival();
    assert_eq!(arrival.delivery(), third);
    arrival.status(200);
    rota.advance(WEEK);
    own.is_left_alone();
    let states = [&first, &second, &third].map(|id| hook.state(id));
    assert_eq!(states, ["delivered", "cancelled", "delivered"]);
    assert!(hook.attempts(&second).is_empty());
}

#[test]
fn what_is_held_can_be_cancelled_on_any_plan() {
    let rota = server();
    let (hook, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 404 }));
    let id = hook.test();
    rota.advance(0);
    rota.plan("free");
    assert_eq!(hook.health(), "plan_downgrade");
    assert_eq!(hook.attempt_log(&id).len(), 1);
    assert!(hook.cancel(&id));
    rota.plan("pro");
    hook.act("enable").is(200);
    rota.advance(WEEK);
    assert_eq!(
        (hook.state(&id), receiver.requests().len()),
        ("cancelled".into(), 1)
    );
}
