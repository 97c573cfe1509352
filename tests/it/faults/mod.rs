//! Failures: the process is killed at a failpoint or at random, the disk is full, the file is locked, damaged or missing, the
//! clock steps, threads panic.
//!
//! `durability`, `agreements`, `changes`, `chat`, `deliveries`, `in_flight` (deliveries) and `mentions` kill or restart the server in the
//! middle of their subject. The other modules break the process, its files or its clock under a mixed load.

mod agreements;
mod audit;
mod changes;
mod chat;
mod client;
mod clock;
mod damage;
mod deliveries;
pub mod disk;
pub mod durability;
mod files;
pub mod in_flight;
mod lost;
mod mentions;
mod points;
pub mod process;
mod random;
mod world;
