//! The JSON of the API: domain values to answers, bodies to domain values. One file a resource.
//!
//! Requests are parsed at the door: what comes out of this folder is in shape, and what does not fit is refused with the
//! path of the member and what to send instead (contract section 2). The OpenAPI document is made of these very types,
//! so doc comments here are what its readers see.

use std::fmt::Write;

pub mod absence;
pub mod arrangement;
pub mod body;
pub mod cadence;
pub mod chat;
pub mod conflict;
pub mod coverage;
pub mod cursor;
pub mod delivery;
pub mod dev;
pub mod directory;
pub mod edit;
pub mod etag;
pub mod event;
pub mod grid;
pub mod history;
pub mod int32;
pub mod key;
pub mod mention;
pub mod moment;
pub mod on_call;
pub mod page;
pub mod problem;
pub mod receiver;
pub mod request;
pub mod rotation;
pub mod schedule;
pub mod signature;
#[cfg(test)]
mod tests;
pub mod url;
pub mod webhook;
mod words;

/// Bytes as lower-case hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// A count or a place as int32. Nothing of a rotation comes near the limit.
pub fn small(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
