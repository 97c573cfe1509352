//! Servers of one database: one that writes it, and others that answer from copies of it.

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
