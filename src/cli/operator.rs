//! Who runs a command, for the audit log.

use crate::domain::access::Principal;
use crate::domain::audit::Author;
use crate::runtime::users;
use std::os::unix::fs::MetadataExt;

/// The operator, by the command without the program's name.
pub fn operator(command: &'static str) -> Author {
    let principal = Principal::Operator {
        user: system_user(),
    };
    Author::local(principal, command)
}

/// The name of the user that the process runs as, where it is known.
fn system_user() -> Option<String> {
    users::name_of(std::fs::metadata("/proc/self").ok()?.uid())
}
