//! Ordering: first attempts are in order; retries and hanging endpoints do not delay others.

use super::*;
use serde_json::json;

/// rules.md 16.5.
#[test]
fn first_attempts_start_in_commit_order() {
    let rota = Rota::with_people(3);
    let rotations: Vec<Rot> = (0..5).map(|_| rota.rotation("U1 U2 U3")).collect();
    let (hook, receiver) = rota.hook(ALL_EVENTS);
    for n in 0..25 {
        rotations[n % 5]
            .patch(json!({ "name": unique("name") }))
            .is(200);
        rotations[(n + 3) % 5]
            .put_on_call(&format!("U{}", n / 5 % 3 + 1))
            .is(200);
    }
    rota.advance(0);
    let mut logged: Vec<String> = hook
        .by
        .all(&format!("{}/deliveries", hook.path()))
        .iter()
        .map(|d| text(&d["deliveryId"]).to_owned())
        .collect();
    logged.reverse();
    assert_eq!(ids(&receiver), logged);
    assert_eq!(logged.len(), 50);
    for rotation in &rotations {
        let bodies = receiver.bodies();
        let of = bodies
            .iter()
            .filter(|body| body["rotationId"] == json!(rotation.id));
        let versions: Vec<i64> = of.map(|body| int(&body["version"])).collect();
        assert!(versions.is_sorted() && versions.len() == 10, "{versions:?}");
    }
}

#[test]
fn one_request_a_lane_is_in_flight() {
    let rota = server();
    let own = OwnReceiver::open();
    let hook = rota.hook_at(&own.url(), "");
    let made: Vec<String> = (0..3).map(|_| hook.test()).collect();
    for id in &made {
        let arrival = own.arrival();
        assert_eq!(&arrival.delivery(), id);
        own.is_left_alone();
        arrival.status(200);
    }
    rota.advance(0);
    own.is_left_alone();
}

/// rules.md 16.5.
#[test]
fn a_retry_never_holds_up_a_first_attempt() {
    let rota = server();
    let own = OwnReceiver::open();
    let hook = rota.hook_at(&own.url(), "");
    let failing = hook.test();
    own.arrival().status(500);
    rota.advance(0);
    std::thread::scope(|scope| {
        let advanced = scope.spawn(|| rota.advance(1));
        let hanging = own.arrival();
        assert_eq!(hanging.delivery(), failing);
        for _ in 0..3 {
            let new = hook.test();
            let arrival = own.arrival();
            assert_eq!(arrival.delivery(), new);
            arrival.status(200);
            eventually("it is delivered", || hook.state(&new) == "delivered");
        }
        assert!(
            !advanced.is_finished(),
            "it answers once everything due is attempted"
        );
        hanging.status(200);
    });
    assert_eq!(
        hook.attempt_log(&failing),
        ["1.1 failed 500 -", "2.1 delivered 200 -"]
    );
}

/// rules.md 16.5.
#[test]
fn an_endpoint_that_hangs_holds_up_no_other() {
    let rota = Rota::with_people(3);
    let own = OwnReceiver::open();
    let hanging = rota.hook_at(&own.url(), "rotation.created duty.changed");
    let (prompt, receiver) = rota.hook("rotation.created duty.changed");
    let rotation = rota.rotation("U1 U2 U3");
    let arrival = own.arrival();
    rotation.put_on_call("U1").is(200);
    assert_eq!(receiver.events(2), "rotation.created duty.changed");
    eventually("both are delivered", || {
        prompt
            .deliveries()
            .iter()
            .all(|d| d["state"] == "delivered")
    });
    own.is_left_alone();
    assert!(hanging.deliveries().iter().all(|d| d["state"] == "pending"));
    // The same event is a separate delivery for each endpoint.
    assert_ne!(arrival.delivery(), ids(&receiver)[0]);
    arrival.status(200);
    let next = own.arrival();
    next.status(200);
    rota.advance(0);
    assert!(
        hanging
            .deliveries()
            .iter()
            .all(|d| d["state"] == "delivered")
    );
}

#[test]
fn the_running_clock_wakes_it() {
    let rota = Start::default().running_clock().go();
    rota.people(3);
    rota.rotation("U1 U2 U3");
    let (hook, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 500 }));
    let id = hook.test();
    receiver.wait_for(1);
    eventually("the first attempt in the log", || {
        !hook.attempts(&id).is_empty()
    });
    receiver.answers(json!({ "status": 200 }));
    receiver.wait_for(2);
    eventually("it is delivered", || hook.state(&id) == "delivered");
    let attempts = hook.attempts(&id);
    assert_eq!(
        hook.attempt_log(&id),
        ["1.1 failed 500 -", "2.1 delivered 200 -"]
    );
    let apart = millis(&attempts[0]["at"], &attempts[1]["at"]);
    assert!((1000..8000).contains(&apart), "{apart} ms");
}
