//! Users of this machine.

/// The name of a user. Where the machine has no list of users, as in small containers, it is not known.
pub fn name_of(user: u32) -> Option<String> {
    let list = std::fs::read_to_string("/etc/passwd").ok()?;
    name_in(&list, user)
}

fn name_in(list: &str, user: u32) -> Option<String> {
    let mut lines = list.lines().map(|line| line.split(':'));
    lines.find_map(|mut parts| {
        let name = parts.next()?;
        let id: u32 = parts.nth(1)?.parse().ok()?;
        (id == user && !name.is_empty()).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::name_in;

    #[test]
    fn the_list_of_users_is_read_by_id() {
        let list =
            "root:x:0:0:root:/root:/bin/sh\n\n# no\nrota:x:998:998::/:/sbin/nologin\nbad:x:a:1\n";
        for (id, expected) in [(0, Some("root")), (998, Some("rota")), (1, None)] {
            assert_eq!(name_in(list, id).as_deref(), expected, "{id}");
        }
    }
}
