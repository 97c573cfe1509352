//! The server ends while deliveries are in flight or queued, and restarts on the same database.

use crate::support::*;
use crate::webhooks::deliveries::is_step;
use std::path::Path;

fn server_on(db: &Path) -> Rota {
    Start::default().db(db).go()
}

fn with_rotation(db: &Path) -> Rota {
    let rota = server_on(db);
    rota.people(3);
    rota.rotation("U1 U2 U3");
    rota
}

/// Waits until the server accepts no new connections.
fn stops_listening(rota: &Rota) {
    eventually("the server stops listening", || {
        std::net::TcpStream::connect(rota.address()).is_err()
    });
}

#[test]
fn a_stop_lets_what_is_on_the_wire_end_and_keeps_the_rest() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let mut rota = with_rotation(&db);
    let own = OwnReceiver::open();
    let hook = rota.hook_at(&own.url(), "");
    let endpoint = hook.id.clone();
    let (first, second) = (hook.test(), hook.test());
    let arrival = own.arrival();
    rota.process.signal("TERM");
    stops_listening(&rota);
    arrival.status(200);
    let (status, log) = rota.process.ended();
    assert_eq!(status.code(), Some(0), "{log}");
    own.is_left_alone();

    let rota = server_on(&db);
    let arrival = own.arrival();
    assert_eq!(arrival.delivery(), second);
    arrival.status(200);
    rota.advance(WEEK);
    own.is_left_alone();
    let hook = Hook::again(&rota, &endpoint);
    for id in [&first, &second] {
        assert_eq!(hook.attempt_log(id), ["1.1 delivered 200 -"]);
    }
}

pub fn a_stop_waits_no_longer_than_its_grace() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let mut rota = with_rotation(&db);
    let own = OwnReceiver::open();
    let hook = rota.hook_at(&own.url(), "");
    let endpoint = hook.id.clone();
    let id = hook.test();
    let hanging = own.arrival();
    rota.process.signal("TERM");
    let (status, log) = rota.process.ended();
    assert_eq!(status.code(), Some(0), "{log}");

    let rota = server_on(&db);
    let hook = Hook::again(&rota, &endpoint);
    std::thread::scope(|scope| {
        scope.spawn(|| rota.advance(40));
        let again = own.arrival();
        assert_eq!((again.delivery(), &again.body), (id.clone(), &hanging.body));
        again.status(200);
    });
    let tale = hook.attempt_log(&id);
    assert_eq!(tale.len(), 2, "{tale:?}");
    // Whichever of the two ten-second limits ends first.
    assert!(
        ["1.1 no_response - timeout", "1.1 no_response - interrupted"].contains(&&*tale[0]),
        "{tale:?}"
    );
    assert!(tale[1].ends_with("delivered 200 -"), "{tale:?}");
    own.is_left_alone();
}

#[test]
fn what_a_kill_interrupts_is_made_again_at_once_in_the_same_round() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = with_rotation(&db);
    let own = OwnReceiver::open();
    let hook = rota.hook_at(&own.url(), "");
    let endpoint = hook.id.clone();
    let failed = hook.test();
    own.arrival().status(404);
    rota.advance(0);
    let (id, queued) = (hook.test(), hook.test());
    let cut = own.arrival();
    rota.process.signal("KILL");
    drop(rota);

    let rota = server_on(&db);
    let hook = Hook::again(&rota, &endpoint);
    let mut again = [own.arrival(), own.arrival()];
    again.sort_by_key(|arrival| arrival.delivery() != id);
    let [again, first] = again;
    assert_eq!(
        (again.delivery(), first.delivery()),
        (id.clone(), queued.clone())
    );
    assert_eq!(again.body, cut.body);
    assert_eq!(hook.attempt_log(&id), ["1.1 no_response - interrupted"]);
    again.status(500);
    first.status(200);
    rota.advance(0);
    assert_eq!(
        hook.attempt_log(&id),
        ["1.1 no_response - interrupted", "2.1 failed 500 -"]
    );
    assert_eq!(hook.wait(&id), Some(1000), "a quick retry of the round");
    assert_eq!(hook.attempt_log(&queued), ["1.1 delivered 200 -"]);
    // A delivery that was not in flight keeps its due instant.
    assert_eq!(hook.attempt_log(&failed), ["1.1 failed 404 -"]);
    is_step(hook.wait(&failed), 30);
    own.is_left_alone();
}

#[test]
fn what_was_cancelled_on_the_wire_is_not_made_again() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = with_rotation(&db);
    let own = OwnReceiver::open();
    let hook = rota.hook_at(&own.url(), "");
    let endpoint = hook.id.clone();
    let id = hook.test();
    let _cut = own.arrival();
    assert!(hook.cancel(&id));
    rota.process.signal("KILL");
    drop(rota);

    let rota = server_on(&db);
    let hook = Hook::again(&rota, &endpoint);
    rota.advance(WEEK);
    own.is_left_alone();
    assert_eq!(hook.attempt_log(&id), ["1.1 no_response - interrupted"]);
    assert_eq!(hook.state(&id), "cancelled");
}
