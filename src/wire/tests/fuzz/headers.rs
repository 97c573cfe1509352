//! ETags, cursors and signatures.

use crate::domain::time::Interval;
use crate::tests::{bent_text, try_out};
use crate::wire::etag::{Precondition, is_known};
use crate::wire::{cursor, signature};
use jiff::Timestamp;
use proptest::prelude::*;

fn some_tag() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just("\"r1\"".to_owned()),
        1 => Just("W/\"r1\"".to_owned()),
        3 => "(W/)?\"[!#-~\u{e5}]{0,4}\"",
        1 => Just(String::new()),
    ]
}

/// Parses a list of ETags letter by letter: whether each is weak, and its quoted text. `None` if the list contains anything
/// else.
fn letters(header: &str) -> Option<Vec<(bool, String)>> {
    let mut tags = Vec::new();
    let (mut between, mut weak, mut open) = (true, 0, None::<String>);
    for c in header.chars() {
        match (&mut open, c) {
            (Some(tag), '"') => {
                tags.push((weak == 2, format!("\"{tag}\"")));
                (open, between, weak) = (None, false, 0);
            }
            (Some(_), '\0'..=' ' | '\u{7f}') => return None,
            (Some(tag), c) => tag.push(c),
            (None, '"') if between && weak != 1 => open = Some(String::new()),
            (None, 'W') if between && weak == 0 => weak = 1,
            (None, '/') if weak == 1 => weak = 2,
            (None, ',') if weak == 0 => between = true,
            (None, ' ' | '\t') if weak == 0 => {}
            _ => return None,
        }
    }
    (open.is_none() && weak == 0).then_some(tags)
}

#[test]
fn etag_lists_are_parsed_exactly() {
    let list = prop::collection::vec((some_tag(), "[ \t]{0,2},[ \t]{0,2}"), 0..4);
    let header = list.prop_map(|tags| {
        let parts: Vec<String> = tags
            .iter()
            .map(|(tag, comma)| format!("{tag}{comma}"))
            .collect();
        let list = parts.concat();
        list.trim_end_matches([' ', ',', '\t']).to_owned()
    });
    try_out(4_000, 20..=80, bent_text(header), |header| {
        let current = "\"r1\"";
        let read = letters(&header);
        let star = header.trim() == "*";
        let has = |weakly: bool| {
            let tags = read.iter().flatten();
            star || tags
                .into_iter()
                .any(|(weak, tag)| tag == current && (weakly || !weak))
        };
        let precondition = Precondition::parse(&header);
        let admits = |current: &str| precondition.check(|| current.to_owned()).is_ok();
        prop_assert_eq!(admits(current), has(false), "{:?}", header);
        prop_assert_eq!(is_known(&header, current), has(true), "{:?}", header);
        // The parsed value reads the same after it is rendered.
        if let Precondition::OneOf { strong, weakened } = &precondition {
            let mut tags = strong.clone();
            tags.extend(weakened.then(|| "W/\"x\"".to_owned()));
            prop_assert_eq!(&Precondition::parse(&tags.join(", ")), &precondition);
            prop_assert!(!admits("1") && !admits("r1"));
        }
        Ok(admits(current))
    });
}

#[test]
fn cursors_are_bound_to_their_list_and_range() {
    let instant =
        || (-377_705_023_201_i64..253_402_207_200).prop_map(|s| Timestamp::from_second(s).unwrap());
    let number = || prop_oneof![any::<i64>(), -9_i64..9, Just(i64::MIN), Just(i64::MAX)];
    let made = (
        number(),
        number(),
        "(cover|swap) rot_[a-z0-9]{0,3}",
        instant(),
        instant(),
    );
    let case = made.prop_flat_map(|(one, other, scope, from, until)| {
        let range = Interval { from, until };
        let text = cursor::write((one, other), &scope, range);
        (
            Just(((one, other), scope, range, text.clone())),
            bent_text(Just(text)),
        )
    });
    try_out(
        2_000,
        20..=60,
        case,
        |((position, scope, range, text), sent)| {
            prop_assert_eq!(cursor::read(&text, &scope, range), Some(position));
            prop_assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric()));
            let later = Interval {
                from: range.from,
                until: range.from.max(range.until),
            };
            let other = cursor::read(&text, &scope, later);
            prop_assert_eq!(other.is_some(), later == range);
            prop_assert_eq!(cursor::read(&text, &format!("{scope} "), range), None);
            let read = cursor::read(&sent, &scope, range);
            prop_assert_eq!(read, (sent == text).then_some(position), "{:?}", sent);
            Ok(read.is_some())
        },
    );
}

#[test]
fn a_signature_covers_timestamp_and_body() {
    let secret = "(svc_whsec_)?[a-z0-9\u{e5}]{0,80}";
    let parts = (
        prop::collection::vec(secret, 1..3),
        prop_oneof![0..i64::MAX, 0..9_i64],
        prop::collection::vec(any::<u8>(), 0..80),
        prop::collection::vec("(v0=[0-9a-f]{4}|v1=[0-9a-f]{64}|v2|)", 0..3),
    );
    let case = parts.prop_flat_map(|(secrets, at, body, others)| {
        let names: Vec<&str> = secrets.iter().map(String::as_str).collect();
        let header = signature::header(&names, at, &body);
        let sent = others
            .into_iter()
            .chain([header])
            .collect::<Vec<_>>()
            .join(",");
        let bent = (bent_text(Just(at.to_string())), bent_text(Just(sent)));
        (Just((secrets, at, body)), bent)
    });
    try_out(
        1_500,
        15..=80,
        case,
        |((secrets, at, body), (timestamp, header))| {
            let digits =
                !timestamp.is_empty() && timestamp.bytes().all(|byte| byte.is_ascii_digit());
            let seconds = timestamp.parse::<i64>().ok().filter(|_| digits);
            prop_assert_eq!(signature::seconds(&timestamp).ok(), seconds);
            let mut taken = false;
            for secret in &secrets {
                // One signature is exactly the digest of the text with this secret.
                let ours = match seconds {
                    Some(seconds) if seconds.to_string() == timestamp => {
                        let digest = signature::sign(secret, seconds, &body);
                        header
                            .split(',')
                            .any(|element| element == format!("v1={digest}"))
                    }
                    // Another notation of the same number has another signature.
                    _ => false,
                };
                let found = signature::verify(secret, &timestamp, &header, &body);
                prop_assert_eq!(found.is_ok(), ours, "{} {}", timestamp, header);
                if ours {
                    taken = true;
                    let mut more = body.clone();
                    more.push(0);
                    let others = [(secret.as_str(), &more), ("svc_whsec_ANOTHER", &body)];
                    for (other, body) in others {
                        let same = other == secret && body.len() != more.len();
                        prop_assert!(
                            same || signature::verify(other, &timestamp, &header, body).is_err()
                        );
                    }
                }
            }
            Ok(taken && timestamp == at.to_string())
        },
    );
}
