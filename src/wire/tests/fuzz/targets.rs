//! Paths and queries.

use crate::tests::{bent_text, odd_char, try_out};
use crate::wire::url::{decode, parameters, segments, split};
use proptest::prelude::*;

/// A text with some bytes percent-encoded: those that must be, and random others.
fn encoded(text: &str, also: &[bool]) -> String {
    let mut also = also.iter().copied().cycle();
    let mut out = String::new();
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        match (plain, also.next().unwrap_or(false)) {
            (true, false) => out.push(char::from(byte)),
            (_, true) => out.push_str(&format!("%{byte:02x}")),
            (false, false) => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn some_text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![3 => prop::char::range('a', 'f'), 1 => odd_char()],
        0..6,
    )
    .prop_map(|chars| chars.into_iter().collect())
}

#[test]
fn encoded_targets_are_decoded() {
    let texts = prop::collection::vec((some_text(), some_text()), 0..5);
    let at_will = prop::collection::vec(any::<bool>(), 1..5);
    try_out(2_000, 100..=100, (texts, at_will), |(texts, at_will)| {
        let encode = |text: &str| encoded(text, &at_will);
        let path: String = texts
            .iter()
            .map(|(text, _)| format!("/{}", encode(text)))
            .collect();
        let pairs: Vec<String> = texts
            .iter()
            .map(|(name, value)| format!("{}={}", encode(name), encode(value)))
            .collect();
        let target = format!("{path}?{}", pairs.join("&"));
        let (raw_path, raw_query) = split(&target);
        prop_assert_eq!(raw_path, &path);
        if !texts.is_empty() {
            let raw = segments(raw_path).expect("a path");
            let read: Option<Vec<_>> = raw.into_iter().map(decode).collect();
            let expected: Vec<&str> = texts.iter().map(|(text, _)| text.as_str()).collect();
            prop_assert_eq!(read.expect("what was encoded"), expected);
        }
        prop_assert_eq!(parameters(raw_query), Some(texts.clone()));
        prop_assert_eq!(parameters(&raw_query.replace("%20", "+")), Some(texts));
        Ok(true)
    });
}

/// The bytes that a text stands for; `None` if a percent sign is not followed by two digits.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let digits = part
            .get(..2)
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    Some(bytes)
}

#[test]
fn damaged_encodings_are_decoded_or_rejected() {
    let whole = prop::collection::vec(
        "(/|%2[fF]|%[0-9a-fA-F]{2}|%|[a-c+&=?.]|%[cC]3%[aA]5){0,3}",
        1..6,
    );
    let target = whole.prop_map(|parts| format!("/{}", parts.concat()));
    try_out(4_000, 10..=80, bent_text(target), |target| {
        let (path, query) = split(&target);
        let read = |text: &str| String::from_utf8(bytes(text)?).ok();
        let expected: Option<Vec<String>> = path
            .strip_prefix('/')
            .and_then(|path| path.split('/').map(read).collect());
        let found: Option<Vec<_>> =
            segments(path).and_then(|raw| raw.into_iter().map(decode).collect());
        prop_assert_eq!(
            found.as_ref().map(Vec::len),
            expected.as_ref().map(Vec::len),
            "{}",
            target
        );
        for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
            prop_assert_eq!(found, expected);
        }
        // Decoded once: the result is not decoded again.
        for segment in path.split('/').filter(|segment| !segment.contains('%')) {
            let read = decode(segment);
            prop_assert_eq!(read.as_deref(), Some(segment));
        }
        let pairs: Option<Vec<(String, String)>> = query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                let pair = pair.replace('+', " ");
                let (name, value) = pair.split_once('=').unwrap_or((&pair, ""));
                Some((read(name)?, read(value)?))
            })
            .collect();
        prop_assert_eq!(parameters(query), pairs, "{}", query);
        Ok(found.is_some())
    });
}
