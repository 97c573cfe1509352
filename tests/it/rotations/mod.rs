//! Rotations and their parts: members, cadence, coverage, covered hours, rosters, absences, the tier.

mod absences;
mod cadence;
mod changes;
mod coverage;
mod dealing;
mod frozen;
mod hours;
mod keys;
mod lifecycle;
mod managed;
mod outsiders;
mod plans;
mod previews;
mod rosters;
mod tiers;
