//! Failures: the process is killed at a failpoint or at random, the disk is full, the file is locked, damaged or missing, the
//! clock steps, threads panic.
//!
//! `durability`, `agreements`, `chat`, `deliveries`, `in_flight` (deliveries) and `mentions` kill or restart the server in the
//! middle of their subject. The other modules break the process, its files or its clock under a mixed load.

mod agreements;
mod audit;
mod chat;
mod client;
mod clock;
mod damage;
mod deliveries;
mod disk;
pub mod durability;
mod files;
mod in_flight;
mod lost;
mod mentions;
mod points;
mod process;
mod random;
mod world;

use std::panic::{catch_unwind, resume_unwind};

/// Tests that mostly wait: for a lock, a receiver or a retry. All run at once, in the time of one worker.
#[test]
fn what_takes_its_time() {
    let rows: [(&str, fn()); 5] = [
        (
            "a full disk",
            disk::a_hand_over_waits_for_room_on_a_full_disk,
        ),
        ("a lock", disk::a_database_that_somebody_else_has_locked),
        (
            "a lock at the start",
            disk::a_start_on_a_locked_database_says_what_is_wrong,
        ),
        ("a stop", process::told_to_stop_while_a_receiver_hangs),
        ("a panic", process::a_timer_that_panics_looks_again),
    ];
    std::thread::scope(|scope| {
        for (name, test) in rows {
            scope.spawn(move || {
                if let Err(why) = catch_unwind(test) {
                    eprintln!("{name} failed");
                    resume_unwind(why);
                }
            });
        }
    });
}
