//! Rotations and what makes one up: members, cadence, coverage, covered hours, rosters, absences, the tier.

mod absences;
mod cadence;
mod coverage;
mod hours;
mod lifecycle;
mod outsiders;
mod rosters;
mod tiers;
