//! What happened and what will: the history, the schedule, and two years of both compared with a second implementation.

mod history;
pub mod model;
mod schedule;
pub mod walk;
