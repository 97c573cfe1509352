//! The rules, pure: values in, values out. No clock, no I/O, no serde, no SQL.

pub mod absence;
pub mod access;
pub mod address;
pub mod agreement;
pub mod arrangement;
pub mod cadence;
pub mod census;
pub mod chat;
pub mod conflict;
pub mod coverage;
mod days;
pub mod dealing;
pub mod directory;
pub mod edit;
pub mod event;
pub mod forecast;
pub mod grid;
pub mod handover;
pub mod holidays;
pub mod ids;
pub mod ladder;
pub mod mention;
pub mod message;
pub mod refusal;
pub mod request;
pub mod resolve;
pub mod roster;
pub mod rotation;
pub mod shift;
#[cfg(test)]
mod tests;
pub mod tiers;
pub mod time;
pub mod webhook;
pub mod wording;
pub mod zones;
