//! Finished deliveries are kept for 30 days after their end, unfinished ones always.

use super::*;
use jiff::ToSpan;
use serde_json::json;

/// Moves to an instant that is this much after another.
fn go(rota: &Rota, from: &str, milliseconds: i64) {
    rota.to(&(at(from) + milliseconds.milliseconds()).to_string());
}

const KEPT: i64 = 30 * DAY * 1000;

#[test]
fn each_goes_thirty_days_after_its_own_end() {
    let rota = server_with_ladder("1d");
    let (hook, receiver) = rota.hook("");
    let delivered = hook.test();
    rota.advance(0);
    receiver.answers(json!({ "status": 404 }));
    let (cancelled, exhausted) = (hook.test(), hook.test());
    rota.advance(HOUR);
    assert!(hook.cancel(&cancelled));
    rota.advance(2 * DAY);
    assert_eq!(hook.state(&exhausted), "exhausted");
    let last = text(&hook.newest_attempt(&exhausted)["at"]).to_owned();
    for (id, end) in [
        (&delivered, MONDAY),
        (&cancelled, &plus(MONDAY, HOUR)),
        (&exhausted, &last),
    ] {
        go(&rota, end, KEPT - 1);
        assert!(!hook.attempts(id).is_empty());
        assert_eq!(
            hook.by
                .all(&format!("{}/deliveries", hook.path()))
                .last()
                .unwrap()["deliveryId"],
            json!(id)
        );
        go(&rota, end, KEPT);
        for action in ["cancel", "resend"] {
            hook.on(id, action).refused(404, "");
        }
        let attempts = format!("{}/deliveries/{id}/attempts", hook.path());
        rota.get(&attempts).refused(404, "");
    }
    assert_eq!(hook.deliveries(), Vec::<Value>::new());
}

#[test]
fn what_is_unfinished_stays() {
    let rota = server();
    let (hook, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 404 }));
    let id = hook.test();
    rota.advance(0);
    hook.act("disable").is(200);
    rota.advance(100 * DAY);
    assert_eq!(
        (hook.state(&id), hook.attempt_log(&id).len()),
        ("pending".into(), 1)
    );
    receiver.answers(json!({ "status": 200 }));
    hook.act("enable").is(200);
    rota.advance(0);
    assert_eq!(hook.state(&id), "delivered");
    rota.advance(30 * DAY - 1);
    assert_eq!(
        hook.attempt_log(&id).len(),
        2,
        "from its end, not from its making"
    );
    rota.advance(1);
    assert_eq!(hook.deliveries(), Vec::<Value>::new());
}

#[test]
fn what_is_sent_again_counts_anew() {
    let rota = server();
    let (hook, receiver) = rota.hook("");
    let id = hook.test();
    rota.advance(20 * DAY);
    receiver.answers(json!({ "status": 404 }));
    hook.resend(&id);
    rota.advance(2 * DAY);
    receiver.answers(json!({ "status": 200 }));
    rota.advance(5 * DAY);
    let attempts = hook.attempts(&id);
    let last = attempts.last().unwrap();
    assert_eq!(
        (hook.state(&id), text(&last["outcome"])),
        ("delivered".into(), "delivered")
    );
    let end = text(&last["at"]);
    go(&rota, end, KEPT - 1);
    assert_eq!(hook.attempts(&id), attempts);
    go(&rota, end, KEPT);
    assert_eq!(hook.deliveries(), Vec::<Value>::new());
}

#[test]
fn a_long_log_is_cleared_as_a_whole() {
    let rota = Rota::with_people(3);
    let (one, at_one) = rota.hook(ALL_EVENTS);
    let (two, _) = rota.hook(ALL_EVENTS);
    let rotation = rota.rotation("U1 U2 U3");
    for n in 0..300 {
        rotation.patch(json!({ "name": n.to_string() })).is(200);
    }
    rota.advance(0);
    assert_eq!(at_one.requests().len(), 301);
    rota.advance(30 * DAY - 1);
    for hook in [&one, &two] {
        let page = rota.get(&format!("{}/deliveries", hook.path())).ok().json();
        assert_eq!(int(&page["totalItems"]), 301);
    }
    rota.advance(1);
    for hook in [&one, &two] {
        assert_eq!(hook.deliveries(), Vec::<Value>::new());
    }
}
