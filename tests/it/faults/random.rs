//! Repeated kills at random under a mixed load; and stops under the same load.

use super::audit::{audit, ends};
use super::client::Client;
use super::world::{CLIENTS, World};
use crate::cli::succeeds;
use crate::support::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Kills; `ROTA_FAULT_ROUNDS` sets another number.
const ROUNDS: usize = 10;

/// Rounds per workspace: clients write further and further into the future.
const ROUNDS_EACH: usize = 10;

/// Clients write and the clock moves until `end` has ended the server.
fn write_on(
    world: &World,
    rota: &mut Rota,
    clients: &mut [Client],
    writes: usize,
    end: impl FnOnce(&Process),
) -> String {
    let (done, address) = (AtomicUsize::new(0), rota.address().to_owned());
    let reaches = |enough: usize| {
        eventually("so many writes", || done.load(Ordering::SeqCst) >= enough);
    };
    std::thread::scope(|scope| {
        for client in clients {
            let (done, address) = (&done, &address);
            scope.spawn(move || {
                let mut connection = Connection::open(address);
                while client.act(&mut connection).is_some() {
                    done.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        reaches(writes / 2);
        world.clock.step(5 * HOUR);
        reaches(writes);
        end(&rota.process);
    });
    let (status, log) = rota.process.ended();
    format!("{:?} {log}", status.code())
}

#[test]
fn killed_at_random() {
    let rounds =
        std::env::var("ROTA_FAULT_ROUNDS").map_or(ROUNDS, |n| n.parse().expect("a number"));
    let mut seed = 1_u64;
    for _ in 0..rounds.div_ceil(ROUNDS_EACH) {
        let world = World::new();
        let mut clients: Vec<Client> = (0..CLIENTS).map(|n| Client::new(&world, n)).collect();
        for _ in 0..rounds.min(ROUNDS_EACH) {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let writes = 1 + (seed >> 33) as usize % 60;
            let mut rota = world.go("");
            write_on(&world, &mut rota, &mut clients, writes, |process| {
                process.signal("KILL")
            });
            succeeds(&world.db, "check");
            let rota = world.go("");
            for client in &mut clients {
                client.holds_to_it(&rota);
            }
            audit(&world, &rota, &clients);
            ends(&world, rota);
        }
    }
}

#[test]
fn told_to_stop_under_load() {
    let world = World::new();
    let mut clients: Vec<Client> = (0..CLIENTS).map(|n| Client::new(&world, n)).collect();
    for writes in [5, 40] {
        let mut rota = world.go("");
        let end = write_on(&world, &mut rota, &mut clients, writes, |process| {
            process.signal("TERM")
        });
        assert!(end.starts_with("Some(0) "), "{end}");
        // Unanswered requests were not started.
        for client in &clients {
            client.has_nothing_unanswered();
        }
        let rota = world.go("");
        for client in &mut clients {
            client.holds_to_it(&rota);
        }
        audit(&world, &rota, &clients);
        ends(&world, rota);
    }
}
