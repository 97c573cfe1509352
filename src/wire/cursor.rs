//! Cursors of request lists: opaque, and bound to one list and range.

use super::hex;
use crate::domain::time::Interval;
use sha2::{Digest, Sha256};

/// Encodes a position as a cursor. `scope` identifies the list.
pub fn write(position: (i64, i64), scope: &str, range: Interval) -> String {
    let digits = format!("{:016x}{:016x}", position.0, position.1);
    let checksum = checksum(&digits, scope, range);
    digits + &checksum
}

/// Decodes a cursor. `None` if it is malformed or belongs to another list or range.
pub fn read(cursor: &str, scope: &str, range: Interval) -> Option<(i64, i64)> {
    let (digits, sent) = cursor.split_at_checked(32)?;
    if sent != checksum(digits, scope, range) {
        return None;
    }
    let number = |text| u64::from_str_radix(text, 16).ok().map(u64::cast_signed);
    Some((number(&digits[..16])?, number(&digits[16..])?))
}

fn checksum(digits: &str, scope: &str, range: Interval) -> String {
    let text = format!("{digits} {scope} {} {}", range.from, range.until);
    hex(&Sha256::digest(text)[..8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    #[test]
    fn a_cursor_is_valid_only_for_its_list_and_range() {
        let range = |until| Interval {
            from: Timestamp::UNIX_EPOCH,
            until: Timestamp::from_second(until).unwrap(),
        };
        for position in [(0, 0), (1_795_000_000_000, 7), (-5, i64::MAX)] {
            let cursor = write(position, "cover rot_1", range(10));
            assert_eq!(read(&cursor, "cover rot_1", range(10)), Some(position));
            assert_eq!(read(&cursor, "cover rot_2", range(10)), None);
            assert_eq!(read(&cursor, "cover rot_1", range(11)), None);
            assert_eq!(read(&cursor[1..], "cover rot_1", range(10)), None);
            let other = cursor.replacen(char::is_alphanumeric, "g", 1);
            assert_eq!(read(&other, "cover rot_1", range(10)), None);
        }
        for wrong in [
            "",
            "x",
            "é",
            "é".repeat(16).as_str(),
            "é".repeat(40).as_str(),
        ] {
            assert_eq!(read(wrong, "cover rot_1", range(10)), None, "{wrong}");
        }
    }
}
