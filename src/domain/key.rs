//! Keys: handles of the caller's own, by which a grid names lanes and windows (rules.md 4.6).

use std::fmt;

/// How ids begin; a key begins otherwise, so that one is never taken for the other.
pub const PREFIXES: [&str; 4] = ["lan_", "win_", "cel_", "ros_"];

/// A caller's own handle of a lane or window, kept with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key of this text: 1 to 64 of `A-Z a-z 0-9 _ -`, not beginning like an id. `None` where the text is no key.
    pub fn parse(text: &str) -> Option<Key> {
        let fits = is_plain(text) && !PREFIXES.iter().any(|prefix| text.starts_with(prefix));
        fits.then(|| Key(text.to_owned()))
    }

    /// As it was sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a text is 1 to 64 of `A-Z a-z 0-9 _ -`.
pub fn is_plain(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&text.len()) && text.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_do_not_begin_like_ids() {
        let long = "x".repeat(64);
        for text in [
            "a", "primary", "A-1_b", "lan", "lane_1", "rot_1", "LAN_1", &long,
        ] {
            assert!(Key::parse(text).is_some(), "{text}");
        }
        let longer = "x".repeat(65);
        for text in [
            "", "a b", "é", "a.b", "lan_", "lan_1", "win_x", "cel_1", "ros_1", &longer,
        ] {
            assert!(Key::parse(text).is_none(), "{text}");
        }
    }
}
