//! Answers that meet one another, the clock and a kill: one of them counts, and nothing is half done.

mod crash;
mod racing;
