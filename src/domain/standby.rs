//! Servers of one database: one that writes it, and others that answer from copies of it.

use super::refusal::{Refusal, invalid};
use super::words::words;

words! {
    /// What a server is to its database.
    pub enum ServerRole as Role {
        /// It writes, and does what falls due.
        Primary = "primary",
        /// It answers from the last copy, stepped to now.
        Standby = "standby",
    }
}

/// The server that goes on in the place of one that hands over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor {
    /// Names its process.
    pub instance: String,
    /// The epoch that it begins.
    pub epoch: u64,
}

/// The hexadecimal digits of an instance.
const DIGITS: usize = 32;

/// Refuses what does not name a process.
pub fn check_instance(instance: &str) -> Result<(), Refusal> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    match instance.len() == DIGITS && instance.bytes().all(is_digit) {
        true => Ok(()),
        false => invalid(
            "instance",
            "send what the standby has there at GET /v1/epoch: 32 hexadecimal digits",
        ),
    }
}
