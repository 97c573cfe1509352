//! Retry-After: it lengthens the wait of the retry schedule, and never shortens it.

use super::*;
use serde_json::json;

/// What follows the first attempt.
enum Follows {
    /// A quick retry.
    Quick,
    /// The step of the retry schedule.
    Step,
    /// Exactly this many seconds, in the next round.
    Exactly(i64),
}

#[test]
fn it_lengthens_the_wait() {
    use Follows::*;
    let rota = server();
    let (hook, receiver) = rota.hook("");
    for (status, header, recorded, follows) in [
        (503, "120", Some(120), Exactly(120)),
        (429, "120", Some(120), Exactly(120)),
        (429, "34", Some(34), Exactly(34)),
        (503, "86400", Some(86400), Exactly(DAY)),
        (503, "86401", Some(86401), Exactly(DAY)),
        (429, "999999999", Some(999_999_999), Exactly(DAY)),
        // It never shortens a wait, and it disables quick retries.
        (503, "29", Some(29), Step),
        (503, "1", Some(1), Step),
        (503, "0", Some(0), Step),
        (429, "0", Some(0), Step),
        // The tests' Monday is 5 January, 08:00.
        (
            503,
            "Mon, 05 Jan 2026 08:05:00 GMT",
            Some(300),
            Exactly(300),
        ),
        (429, "Mon, 05 Jan 2026 08:00:34 GMT", Some(34), Exactly(34)),
        (
            503,
            "Thu, 08 Jan 2026 08:00:00 GMT",
            Some(3 * DAY),
            Exactly(DAY),
        ),
        (503, "Mon, 05 Jan 2026 08:00:00 GMT", Some(0), Step),
        (503, "Sun, 04 Jan 2026 08:00:00 GMT", Some(0), Step),
        (429, "Thu, 01 Jan 1970 00:00:00 GMT", Some(0), Step),
        // The two obsolete date formats that a recipient must parse (RFC 9110, section 5.6.7).
        (
            503,
            "Monday, 05-Jan-26 08:05:00 GMT",
            Some(300),
            Exactly(300),
        ),
        (429, "Mon Jan  5 08:05:00 2026", Some(300), Exactly(300)),
        (503, "Sunday, 06-Nov-94 08:49:37 GMT", Some(0), Step),
        (503, "Sun Nov  6 08:49:37 1994", Some(0), Step),
        // An invalid value is ignored.
        (503, "soon", None, Quick),
        (503, "-1", None, Quick),
        (503, "1.5", None, Quick),
        (503, "", None, Quick),
        (503, "120, 60", None, Quick),
        (429, "soon", None, Step),
        // On other statuses it does not change the wait, but still disables quick retries.
        (500, "120", None, Step),
        (502, "120", None, Step),
        (504, "120", None, Step),
        (404, "120", None, Step),
        (302, "120", None, Step),
    ] {
        let row = format!("{status} {header:?}");
        receiver.answers(json!({ "status": status, "headers": { "Retry-After": header } }));
        let id = hook.test();
        rota.advance(0);
        let attempt = hook.newest_attempt(&id);
        let asked = attempt.get("retryAfterSecondsRequested").map(int);
        assert_eq!(asked, recorded, "{row}");
        let wait = hook.wait(&id).expect(&row);
        match follows {
            Quick => assert_eq!(wait, 1000, "{row}"),
            Exactly(seconds) => assert_eq!(wait, seconds * 1000, "{row}"),
            Step => assert!((30_000..=33_000).contains(&wait), "{row}: {wait}"),
        }
        assert!(hook.cancel(&id));
    }
}

#[test]
fn it_takes_the_place_of_a_step_and_adds_no_round() {
    let rota = server_with_ladder("10s,1h,10s");
    let (hook, receiver) = rota.hook("");
    let asks = |seconds: &str| {
        receiver.answers(json!({ "status": 503, "headers": { "Retry-After": seconds } }));
    };
    asks("600");
    let id = hook.test();
    rota.advance(0);
    assert_eq!(hook.wait(&id), Some(600_000));
    rota.advance(600);
    // Shorter than the step of this round.
    is_step(hook.wait(&id), HOUR);
    asks("7200");
    rota.advance(HOUR + 360);
    assert_eq!(hook.wait(&id), Some(7_200_000));
    rota.advance(2 * HOUR);
    assert_eq!(
        hook.attempt_log(&id),
        [
            "1.1 failed 503 -",
            "2.2 failed 503 -",
            "3.3 failed 503 -",
            "4.4 failed 503 -"
        ]
    );
    let rounds = hook.attempts(&id);
    assert!(rounds.iter().all(|a| int(&a["totalRounds"]) == 4));
    assert_eq!(int(&rounds[3]["retryAfterSecondsRequested"]), 7200);
    assert_eq!(
        (hook.state(&id), hook.wait(&id)),
        ("exhausted".into(), None)
    );
}

#[test]
fn it_ends_the_quick_retries_that_were_left() {
    let rota = server();
    let (hook, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 503 }));
    let id = hook.test();
    rota.advance(0);
    receiver.answers(json!({ "status": 503, "headers": { "Retry-After": "2" } }));
    rota.advance(1);
    assert_eq!(
        hook.attempt_log(&id),
        ["1.1 failed 503 -", "2.1 failed 503 -"]
    );
    is_step(hook.wait(&id), 30);
    let newest = hook.newest_attempt(&id);
    assert_eq!(int(&newest["retryAfterSecondsRequested"]), 2);
}
