//! Who runs a command, for the audit log.

use crate::domain::access::Principal;
use crate::domain::audit::Author;
use std::os::unix::fs::MetadataExt;

/// The operator, by the command without the program's name.
pub fn operator(command: &'static str) -> Author {
    let principal = Principal::Operator {
        user: system_user(),
    };
    Author::local(principal, command)
}

/// The name of the user that the process runs as. Where the machine has no list of users, as in small containers, it is not
/// known.
fn system_user() -> Option<String> {
    let user = std::fs::metadata("/proc/self").ok()?.uid();
    let list = std::fs::read_to_string("/etc/passwd").ok()?;
    name_of(user, &list)
}

fn name_of(user: u32, list: &str) -> Option<String> {
    let mut lines = list.lines().map(|line| line.split(':'));
    lines.find_map(|mut parts| {
        let name = parts.next()?;
        let id: u32 = parts.nth(1)?.parse().ok()?;
        (id == user && !name.is_empty()).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::name_of;

    #[test]
    fn the_list_of_users_is_read_by_id() {
        let list =
            "root:x:0:0:root:/root:/bin/sh\n\n# no\nrota:x:998:998::/:/sbin/nologin\nbad:x:a:1\n";
        for (id, expected) in [(0, Some("root")), (998, Some("rota")), (1, None)] {
            assert_eq!(name_of(id, list).as_deref(), expected, "{id}");
        }
    }
}
