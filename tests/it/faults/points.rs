//! Kills at every failpoint while clients write and the clock makes hand-overs: answered writes are stored, and the stored
//! state, deliveries and messages are consistent.

use super::audit::{audit, ends};
use super::client::Client;
use super::world::{CLIENTS, World};
use crate::cli::succeeds;
use crate::support::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Writes of each client before the clock moves.
const WRITES: usize = 6;

/// The maximum number of days.
const DAYS: usize = 12;

/// How many writes each client may make; it waits for more.
#[derive(Default)]
struct Pace {
    allowed: AtomicUsize,
    done: AtomicUsize,
    over: AtomicBool,
}

impl Pace {
    /// Waits until the write with this number is permitted. `false` at the end.
    fn wait_for(&self, number: usize) -> bool {
        while self.allowed.load(Ordering::SeqCst) <= number {
            if self.over.load(Ordering::SeqCst) {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }
}

/// Writes and moves the clock until the process has ended.
fn live(world: &World, mut rota: Rota, clients: &mut [Client], name: &str) {
    let (pace, address) = (Pace::default(), rota.address().to_owned());
    std::thread::scope(|scope| {
        let mut hands = Vec::new();
        for client in clients {
            let (pace, address) = (&pace, &address);
            hands.push(scope.spawn(move || {
                let Some(mut connection) = Connection::try_open(address) else {
                    return;
                };
                for number in 0.. {
                    if !pace.wait_for(number) || client.act(&mut connection).is_none() {
                        return;
                    }
                    pace.done.fetch_add(1, Ordering::SeqCst);
                }
            }));
        }
        let mut day = 0;
        eventually("its end", || {
            if rota.process.is_over() {
                return true;
            }
            let allowed = pace.allowed.load(Ordering::SeqCst);
            let is_done = pace.done.load(Ordering::SeqCst) == allowed * CLIENTS;
            if is_done && day < DAYS && world.is_settled() {
                day += 1;
                world.clock.step(DAY);
                pace.allowed.fetch_add(WRITES, Ordering::SeqCst);
            }
            false
        });
        pace.over.store(true, Ordering::SeqCst);
        assert!(hands.into_iter().all(|hand| hand.join().is_ok()), "{name}");
    });
    let (status, log) = rota.process.ended();
    assert_eq!(status.code(), None, "{name}: killed: {log}");
}

fn killed_at(faults: &str, downtime: i64) {
    let world = World::new();
    let mut clients: Vec<Client> = (0..CLIENTS).map(|n| Client::new(&world, n)).collect();
    if let Some(rota) = world.attempt(faults) {
        live(&world, rota, &mut clients, faults);
    }
    succeeds(&world.db, "check");
    world.clock.step(downtime);
    let rota = world.go("");
    for client in &mut clients {
        client.holds_to_it(&rota);
    }
    audit(&world, &rota, &clients);
    ends(&world, rota);
}

/// Runs a few at a time, because they mostly wait. Every other one if not all tests are asked for.
fn each(table: &[(&str, &str)]) {
    let cases: Vec<String> = table
        .iter()
        .flat_map(|(point, passes)| {
            words(passes)
                .into_iter()
                .step_by(if in_full() { 1 } else { 2 })
                .map(move |n| format!("{point}=kill@{n}"))
        })
        .collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some(faults) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let long = faults.len() % 2 == 0;
                    let run = || killed_at(faults, if long { 5 * HOUR } else { 1 });
                    if let Err(why) = std::panic::catch_unwind(run) {
                        eprintln!("killed at {faults}");
                        std::panic::resume_unwind(why);
                    }
                }
            });
        }
    });
}

#[test]
fn while_writing() {
    each(&[
        ("commit.begun", "1 2 5 40"),
        ("commit.ready", "1 2 5 40"),
        ("commit.done", "1 2 5 40"),
        ("due.batch", "1 2 3"),
    ]);
}

#[test]
fn while_sending_and_telling() {
    each(&[
        ("send.taken", "1 2 5 30"),
        ("send.answered", "1 2 5 30"),
        ("chat.posted", "1 2 5"),
        ("chat.topic", "1 2 5"),
        ("chat.group", "1 2 5"),
    ]);
}
