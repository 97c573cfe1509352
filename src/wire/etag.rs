//! Validators: the ETag of a rotation, and the preconditions that callers make of it (contract section 2; RFC 9110,
//! section 13).

use crate::domain::rotation::Rotation;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The strong validator of a rotation and of its on-call resource, in quotes. It changes with every version and begins
/// with a letter, so nobody takes it for the version.
pub fn tag(rotation: &Rotation) -> String {
    let mut hash = Sha256::new();
    hash.update(rotation.id.as_str());
    hash.update([0]);
    hash.update(rotation.stamps.version.to_be_bytes());
    hash.update(rotation.stamps.updated_at.as_millisecond().to_be_bytes());
    let mut tag = String::with_capacity(36);
    tag.push_str("\"r");
    for byte in &hash.finalize()[..16] {
        // Writing to a string cannot fail.
        let _ = write!(tag, "{byte:02x}");
    }
    tag.push('"');
    tag
}

/// What `If-Match` demands of the current validator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// `*`: whatever is current, on purpose.
    Any,
    /// One of these strong validators, in quotes. Weak ones are left out: they never match here.
    OneOf(Vec<String>),
}

impl Precondition {
    /// Reads an `If-Match` header. One that is neither `*` nor a list of quoted validators names no validator at all,
    /// so it admits nothing, as a stale one does: a bare version, say, or an ETag that lost its quotes.
    pub fn parse(header: &str) -> Precondition {
        if header.trim() == "*" {
            return Precondition::Any;
        }
        let tags = validators(header).unwrap_or_default();
        let strong = tags.into_iter().filter(|tag| !tag.weak);
        Precondition::OneOf(strong.map(|tag| tag.quoted.to_owned()).collect())
    }

    /// Whether the write may go on against the current validator.
    pub fn admits(&self, current: &str) -> bool {
        match self {
            Precondition::Any => true,
            Precondition::OneOf(tags) => tags.iter().any(|tag| tag == current),
        }
    }
}

/// Whether an `If-None-Match` header names the current validator, by weak comparison. A header that cannot be read
/// names nothing: the whole answer is always right.
pub fn is_known(if_none_match: &str, current: &str) -> bool {
    if if_none_match.trim() == "*" {
        return true;
    }
    let tags = validators(if_none_match);
    tags.is_some_and(|tags| tags.iter().any(|tag| tag.quoted == current))
}

#[derive(Debug, PartialEq, Eq)]
struct Validator<'a> {
    weak: bool,
    quoted: &'a str,
}

/// The validators of a list; `None` when it is malformed. Empty elements are passed over, as lists in headers allow.
fn validators(header: &str) -> Option<Vec<Validator<'_>>> {
    let mut tags = Vec::new();
    let mut rest = header.trim_matches([' ', '\t']);
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(',') {
            rest = after.trim_start_matches([' ', '\t']);
            continue;
        }
        let (weak, opened) = match rest.strip_prefix("W/") {
            Some(opened) => (true, opened),
            None => (false, rest),
        };
        let end = opened.strip_prefix('"')?.find('"')? + 2;
        let (quoted, after) = opened.split_at(end);
        if quoted.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
            return None;
        }
        tags.push(Validator { weak, quoted });
        rest = after.trim_start_matches([' ', '\t']);
        if !rest.is_empty() && !rest.starts_with(',') {
            return None;
        }
    }
    Some(tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn if_match_is_a_list_of_strong_validators() {
        for (header, admitted) in [
            ("*", true),
            (" * ", true),
            ("\"r1\"", true),
            ("\"x\", \"r1\"", true),
            ("\"x\",\"r1\" ,", true),
            (", ,\"r1\"", true),
            ("\"a,b\", \"r1\"", true),
            ("\"a,\"r1\"", false),
            ("\"x\"", false),
            ("W/\"r1\"", false),
            ("W/\"r1\", \"r1\"", true),
            ("w/\"r1\"", false),
            ("\"\"", false),
            ("r1", false),
            ("1", false),
            ("", false),
            (",", false),
            ("\"r1", false),
            ("\"r1\" \"r1\"", false),
            ("*, \"r1\"", false),
            ("\"r 1\"", false),
        ] {
            let precondition = Precondition::parse(header);
            assert_eq!(precondition.admits("\"r1\""), admitted, "{header}");
        }
    }

    #[test]
    fn if_none_match_compares_weakly() {
        for (header, known) in [
            ("*", true),
            ("\"r1\"", true),
            ("W/\"r1\"", true),
            ("\"x\", W/\"r1\"", true),
            ("\"x\"", false),
            ("r1", false),
            ("", false),
        ] {
            assert_eq!(is_known(header, "\"r1\""), known, "{header}");
        }
    }
}
