//! One integration binary: it starts the real `rota` and speaks HTTP to it.

mod model;
mod support;

mod absences;
mod cadence;
mod cli;
mod coverage;
mod credentials;
mod dealing;
mod dev;
mod directory;
mod durability;
mod duty;
mod etags;
mod history;
mod hours;
mod house;
mod http;
mod openapi;
mod plan_tiers;
mod problems;
mod receivers;
mod rosters;
mod rotations;
mod schedule;
mod verify;
mod walk;
