//! Swaps in progress when the server is killed.

use crate::cli::succeeds;
use crate::faults::durability::version;
use crate::support::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Swaps per rotation: two of every three turns of its people, within six months.
const SWAPS: i64 = 40;

/// The state of a swap, and whether its legs in the schedule agree with it.
#[track_caller]
fn whole(rotation: &Rot, swap: &Asked, made: &BTreeMap<String, Value>) -> bool {
    let record = swap.record();
    let legs = record["legs"].as_array().expect("legs");
    let named: Vec<&str> = legs.iter().map(|leg| text(&leg["arrangementId"])).collect();
    match text(&record["state"]) {
        "pending" => {
            assert_eq!(named, ["-", "-"], "{record}");
            assert_eq!(record["acceptedUserId"], Value::Null);
            assert_eq!(int(&record["revision"]), 1);
            false
        }
        "accepted" => {
            for (leg, id) in legs.iter().zip(named) {
                let made = made.get(id).unwrap_or_else(|| panic!("{id} of {record}"));
                assert_eq!(made["rotationId"], json!(rotation.id));
                assert_eq!(made["kind"], json!("swapLeg"));
                assert_eq!(made["userId"], leg["assigneeUserId"]);
                assert_eq!(interval(made), interval(leg));
            }
            assert_eq!(record["acceptedUserId"], record["recipientUserId"]);
            assert_eq!(int(&record["revision"]), 2);
            true
        }
        other => panic!("{other}: {record}"),
    }
}

#[test]
fn a_killed_server_has_made_both_legs_of_a_swap_or_neither() {
    const KILLS: [usize; 5] = [1, 19, 7, 23, 12];
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let mut rota = Start::default().db(&db).go();
    rota.people(3);
    // U1 holds every third day from the 8th, U2 the following one.
    let offer = |rotation: &Rot, n: i64| {
        let day = |days: i64| plus("2026-01-08T09:00Z", (3 * n + days) * DAY);
        let [first, second, third] = [0, 1, 2].map(day);
        let (own, others) = (format!("{first} {second}"), format!("{second} {third}"));
        rotation.offer_swap("U1", &own, "U2", &others).id
    };
    let offered: Vec<(String, Vec<String>)> = (0..3)
        .map(|_| {
            let rotation = rota.daily("U1 U2 U3", 1);
            let swaps = (0..SWAPS).map(|n| offer(&rotation, n)).collect();
            (rotation.id, swaps)
        })
        .collect();
    let token = rota.token("U2");
    let next: Vec<AtomicUsize> = offered.iter().map(|_| AtomicUsize::new(0)).collect();
    // Answered with 200.
    let acknowledged = Mutex::new(Vec::new());
    let answered = || acknowledged.lock().unwrap().len();
    for writes in KILLS {
        let enough = (answered() + writes).min(3 * SWAPS as usize);
        std::thread::scope(|scope| {
            for ((id, swaps), next) in offered.iter().zip(&next) {
                let (rota, token, acknowledged) = (&rota, &token, &acknowledged);
                scope.spawn(move || {
                    let mut connection = Connection::open(rota.address());
                    while let Some(swap) = swaps.get(next.load(Ordering::Relaxed)) {
                        let path = format!("/v1/rotations/{id}/swap-requests/{swap}/accept");
                        // The same after a kill: a completed one returns its response again.
                        let body = json!({ "operationId": swap, "expectedRevision": 1 });
                        match post_over(&mut connection, token, &path, &body) {
                            None => return,
                            Some((status, received)) => assert_eq!(status, 200, "{received}"),
                        }
                        next.fetch_add(1, Ordering::Relaxed);
                        acknowledged.lock().unwrap().push(swap.clone());
                    }
                });
            }
            eventually("so many acceptances", || answered() >= enough);
            rota.process.signal("KILL");
        });
        drop(rota);
        succeeds(&db, "check");
        rota = Start::default().db(&db).go();
        for (id, swaps) in &offered {
            let rotation = crate::faults::durability::rotation(&rota, id);
            let made = rotation.agreements();
            let made: BTreeMap<String, Value> = made
                .into_iter()
                .map(|made| (text(&made["id"]).to_owned(), made))
                .collect();
            let mut accepted = 0;
            for swap in swaps {
                let received = acknowledged.lock().unwrap().contains(swap);
                let done = whole(&rotation, &Asked::known(&rota, id, swap), &made);
                assert!(done || !received, "{swap} was answered and is not there");
                accepted += usize::from(done);
            }
            assert_eq!(made.len(), 2 * accepted, "arrangements without a swap");
            // Creation and grid, then every offer and every acceptance.
            let expected = 2 + SWAPS + accepted as i64;
            assert_eq!(version(&db, id), expected);
            let plan = rotation.turns("schedule", "2026-01-08T09:00Z", "2026-01-08T10:00Z");
            let first = if accepted > 0 { "U2" } else { "U1" };
            assert_eq!(text(&plan[0]["userId"]), first);
            rotation.is_a_chain("05T08 06");
        }
    }
    assert_eq!(rota.stop().0.code(), Some(0));
    succeeds(&db, "check");
}
