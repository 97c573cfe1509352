//! Retries of failing deliveries, and their end.

use super::*;
use serde_json::json;

const STEPS: [i64; 8] = [
    30,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    6 * HOUR,
    12 * HOUR,
    24 * HOUR,
    24 * HOUR,
];

#[test]
fn nine_rounds_and_then_the_endpoint_is_disabled() {
    let rota = server();
    let (hook, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 404, "body": "who?" }));
    let id = hook.test();
    rota.advance(0);
    for (step, made) in STEPS.into_iter().zip(1..) {
        let attempts = hook.attempts(&id);
        assert_eq!(attempts.len(), made);
        let (newest, older) = attempts.split_last().unwrap();
        assert_eq!(attempt_line(newest), format!("{made}.{made} failed 404 -"));
        assert_eq!(int(&newest["totalRounds"]), 9);
        assert_eq!(newest["responseBodySnippet"], "who?");
        assert!(older.iter().all(|a| a.get("nextAttemptDueAt").is_none()));
        is_step(hook.wait(&id), step);
        let due = &newest["nextAttemptDueAt"];
        let shown = hook.delivery(&id);
        assert_eq!(&shown["nextAttemptDueAt"], due);
        assert_eq!(
            (text(&shown["state"]), int(&shown["attempts"])),
            ("pending", made as i64)
        );
        assert_eq!(hook.health(), "enabled");
        let just_before = at(text(due)) - jiff::SignedDuration::from_millis(1);
        rota.to(&just_before.to_string());
        assert_eq!(receiver.requests().len(), made, "too early");
        rota.to(text(due));
        assert_eq!(&hook.newest_attempt(&id)["at"], due, "not when it was told");
    }
    assert_eq!(hook.attempt_log(&id).pop().unwrap(), "9.9 failed 404 -");
    assert_eq!(hook.wait(&id), None);
    let shown = hook.delivery(&id);
    assert_eq!(text(&shown["state"]), "exhausted");
    assert_eq!(shown.get("nextAttemptDueAt"), None);
    assert_eq!(hook.health(), "delivery_failures");
    rota.advance(WEEK);
    assert_eq!(receiver.requests().len(), 9);
}

#[test]
fn a_day_in_one_move_makes_every_round_at_its_own_instant() {
    let rota = Rota::with_people(3);
    rota.daily("U1 U2 U3", 1);
    let (failing, at_failing) = rota.hook("");
    let (shift, at_shift) = rota.hook("duty.changed");
    at_failing.answers(json!({ "status": 404 }));
    at_shift.answers(json!({ "status": 500 }));
    let id = failing.test();
    rota.to("2026-01-06T09:00:20Z");

    let attempts = failing.attempts(&id);
    let rounds: Vec<i64> = attempts.iter().map(|a| int(&a["round"])).collect();
    assert_eq!(rounds, [1, 2, 3, 4, 5, 6, 7]);
    for (pair, step) in attempts.windows(2).zip(STEPS) {
        is_step(Some(millis(&pair[0]["at"], &pair[1]["at"])), step);
    }
    let instants =
        |of: Vec<Value>| -> Vec<String> { of.iter().map(|r| instant(&r["at"])).collect() };
    assert_eq!(instants(at_failing.requests()), instants(attempts));
    // The event of the hand-over at 09:00 was tried at once, after a second and after another four.
    let created = shift.newest();
    assert_eq!(instant(&created["createdAt"]), "2026-01-06T09:00Z");
    assert_eq!(
        instants(at_shift.requests()),
        [
            "2026-01-06T09:00Z",
            "2026-01-06T09:00:01Z",
            "2026-01-06T09:00:05Z"
        ]
    );
}

#[test]
fn the_ladder_can_be_set() {
    for (retry_schedule, steps) in [
        ("1s,2s", &[1, 2][..]),
        ("1h", &[3600]),
        ("90s,15m,7h", &[90, 900, 25200]),
    ] {
        let rota = server_with_ladder(retry_schedule);
        let (hook, receiver) = rota.hook("");
        receiver.answers(json!({ "status": 410 }));
        let id = hook.test();
        rota.advance(DAY);
        let attempts = hook.attempts(&id);
        assert_eq!(attempts.len(), steps.len() + 1, "{retry_schedule}");
        for (pair, step) in attempts.windows(2).zip(steps) {
            is_step(Some(millis(&pair[0]["at"], &pair[1]["at"])), *step);
        }
        for attempt in &attempts {
            assert_eq!(int(&attempt["totalRounds"]), attempts.len() as i64);
        }
        assert_eq!(
            (hook.state(&id), hook.health()),
            ("exhausted".into(), "delivery_failures".into())
        );
    }
}

#[test]
fn round_one_tries_twice_more_what_may_pass() {
    let rota = server();
    let (hook, receiver) = rota.hook("");
    let refusing = rota.hook_at("http://127.0.0.1:1/", "");
    for (answer, quick) in [
        (Some(500), true),
        (Some(502), true),
        (Some(503), true),
        (Some(504), true),
        (None, true),
        (Some(501), false),
        (Some(505), false),
        (Some(404), false),
        (Some(429), false),
        (Some(400), false),
        (Some(302), false),
    ] {
        let hook = match answer {
            Some(status) => {
                receiver.answers(json!({ "status": status }));
                &hook
            }
            None => &refusing,
        };
        let id = hook.test();
        rota.advance(0);
        let mut made = 1;
        if quick {
            for wait in [1, 4] {
                assert_eq!(hook.wait(&id), Some(wait * 1000), "{answer:?}");
                rota.advance(wait);
                made += 1;
                assert_eq!(hook.attempts(&id).len(), made, "{answer:?}");
            }
        }
        // Later rounds try once.
        for (step, round) in [(30, 2), (5 * MINUTE, 3), (30 * MINUTE, 4)] {
            is_step(hook.wait(&id), step);
            let newest = hook.newest_attempt(&id);
            assert_eq!(
                (int(&newest["attemptNumber"]), int(&newest["round"])),
                (made as i64, round - 1),
                "{answer:?}"
            );
            rota.to(text(&newest["nextAttemptDueAt"]));
            made += 1;
            assert_eq!(hook.attempts(&id).len(), made, "{answer:?}");
        }
        assert!(hook.cancel(&id));
    }
}

#[test]
fn a_quick_retry_that_meets_something_else_ends_the_round() {
    let rota = server();
    let (hook, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 500 }));
    let id = hook.test();
    rota.advance(0);
    receiver.answers(json!({ "status": 404 }));
    rota.advance(1);
    is_step(hook.wait(&id), 30);
    receiver.answers(json!({ "status": 200 }));
    rota.advance(33);
    assert_eq!(
        hook.attempt_log(&id),
        [
            "1.1 failed 500 -",
            "2.1 failed 404 -",
            "3.2 delivered 200 -"
        ]
    );
    assert_eq!(
        (hook.state(&id), hook.wait(&id)),
        ("delivered".into(), None)
    );
    rota.advance(WEEK);
    assert_eq!(receiver.requests().len(), 3);
}

/// rules.md 16.3.
#[test]
fn no_round_is_made_after_seven_days() {
    // Retry-After is not jittered: the eighth round is at the end of the seventh day.
    let rota = server_with_ladder("1s,1s,1s,1s,1s,1s,1s,1s,1s,1s");
    let (hook, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 503, "headers": { "Retry-After": "86400" } }));
    let id = hook.test();
    rota.advance(20 * DAY);
    let attempts = hook.attempts(&id);
    let days = |a: &Value| millis(&attempts[0]["at"], &a["at"]) / (DAY * 1000);
    assert_eq!(
        attempts.iter().map(days).collect::<Vec<_>>(),
        [0, 1, 2, 3, 4, 5, 6, 7]
    );
    assert_eq!(
        millis(&attempts[0]["at"], &attempts[7]["at"]),
        7 * DAY * 1000
    );
    assert_eq!(
        (hook.state(&id), hook.health()),
        ("exhausted".into(), "delivery_failures".into())
    );

    let rota = server_with_ladder("6d,2d,1s");
    let (hook, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 404 }));
    let id = hook.test();
    rota.advance(20 * DAY);
    assert_eq!(
        hook.attempt_log(&id),
        ["1.1 failed 404 -", "2.2 failed 404 -"]
    );
    assert_eq!(
        (hook.state(&id), hook.wait(&id)),
        ("exhausted".into(), None)
    );
}

#[test]
fn a_round_that_the_server_was_away_for_is_not_made_after_a_week() {
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(3);
    rota.rotation("U1 U2 U3");
    let own = OwnReceiver::open();
    let hook = rota.hook_at(&own.url(), "");
    let late = hook.test();
    own.arrival().status(404);
    rota.advance(0);
    let never_sent = hook.test();
    let id = hook.id.clone();
    own.arrival();
    rota.stop();

    let rota = Start::default().db(&db).clock("2026-01-15T08:00Z").go();
    let hook = Hook::again(&rota, &id);
    // A delivery that was never tried is sent however late; a further round is not.
    let arrival = own.arrival();
    assert_eq!(arrival.delivery(), never_sent);
    arrival.status(200);
    rota.advance(0);
    assert_eq!(hook.attempt_log(&late), ["1.1 failed 404 -"]);
    assert_eq!(hook.state(&late), "exhausted");
    assert_eq!(hook.health(), "enabled");
    own.is_left_alone();
}
