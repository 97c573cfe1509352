//! Who runs a command, for the audit log.

use crate::domain::access::Principal;
use crate::domain::audit::Author;
use crate::runtime::users;
use std::os::unix::fs::MetadataExt;

/// The operator, by the command without the program's name.
pub fn operator(command: &'static str) -> Author {
    let principal = Principal::Operator { user: human() };
    Author::local(principal, command)
}

/// Who typed the command, where it is known: whoever called sudo, whoever logged in, else the user that the process runs as.
fn human() -> Option<String> {
    let by_sudo = std::env::var("SUDO_USER")
        .ok()
        .filter(|name| !name.is_empty());
    by_sudo.or_else(login_user).or_else(system_user)
}

/// Whoever logged in, by the kernel's audit (credentials(7)).
fn login_user() -> Option<String> {
    let id = std::fs::read_to_string("/proc/self/loginuid").ok()?;
    users::name_of(id.trim().parse().ok().filter(|id| *id != u32::MAX)?)
}

/// The user that the process runs as.
fn system_user() -> Option<String> {
    users::name_of(std::fs::metadata("/proc/self").ok()?.uid())
}
