//! The history, the schedule, and years of both compared with a second implementation.

mod dealt;
mod explain;
mod history;
mod instants;
pub mod model;
mod report;
mod schedule;
mod shifts;
pub mod walk;
