//! The history, the schedule, and two years of both compared with a second implementation.

mod history;
pub mod model;
mod report;
mod schedule;
mod shifts;
pub mod walk;
