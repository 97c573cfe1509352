//! The rules, pure: values in, values out. No clock, no I/O, no serde, no SQL.
pub mod ids;
pub mod time;
