//! iCalendar (RFC 5545): written for feeds of duty, read from calendars of people.

pub mod component;
pub mod error;
pub mod event;
pub mod line;
pub mod reader;
mod rule;
#[cfg(test)]
mod tests;
mod value;
mod writer;
mod zones;

pub use writer::Writer;
