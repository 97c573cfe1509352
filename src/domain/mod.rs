//! The rules, pure: values in, values out. No clock, no I/O, no serde, no SQL.

pub mod cadence;
pub mod coverage;
mod days;
pub mod holidays;
pub mod ids;
pub mod time;
pub mod zones;
