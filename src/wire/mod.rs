//! JSON of the API: renders domain values as responses and parses bodies into domain values. One file per resource.
//!
//! Parsing validates the shape: what this module returns is well-formed, and a malformed body is refused with the path of
//! the member and what to send instead. The OpenAPI document is generated from these types, so their doc comments are its
//! descriptions.

use std::fmt::Write;

pub mod absence;
pub mod absence_policy;
pub mod arrangement;
pub mod audit;
pub mod body;
pub mod cadence;
pub mod calendar_feed;
pub mod change;
pub mod chat;
pub mod conflict;
pub mod coverage;
pub mod csv;
pub mod cursor;
pub mod dealing;
pub mod delivery;
pub mod dev;
pub mod directory;
pub mod directory_edit;
pub mod edit;
pub mod edit_body;
pub mod etag;
pub mod event;
pub mod explain;
pub mod external;
pub mod grid;
pub mod history;
pub mod ical;
pub mod int32;
pub mod key;
pub mod mention;
pub mod message;
pub mod moment;
pub mod notice;
pub mod notification;
pub mod on_call;
pub mod page;
pub mod personal_calendar;
pub mod plan;
pub mod preview;
pub mod problem;
pub mod receiver;
pub mod repeated;
pub mod replica;
pub mod report;
pub mod request;
pub mod roster;
pub mod rotation;
pub mod schedule;
mod schema;
pub mod signature;
pub mod strict;
#[cfg(test)]
mod tests;
pub mod trade;
pub mod turn_invitation;
pub mod url;
pub mod warning;
pub mod webhook;
pub mod weekly;

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// Converts a count or an index to int32, saturating at its maximum.
pub fn to_i32(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
