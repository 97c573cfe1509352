//! Slightly corrupted chunked bodies, checked against a second decoder that has the whole input.

use super::super::body::{Chunked, is_token};
use crate::tests::{bent, try_out};
use proptest::prelude::*;

fn some_body() -> impl Strategy<Value = Vec<u8>> {
    let chunk = (
        prop::collection::vec(any::<u8>(), 1..20),
        "(0{0,3})",
        "( ?;[a-z=\"; ]{0,6})?",
        any::<bool>(),
    )
        .prop_map(|(data, zeros, extension, upper)| {
            let size = match upper {
                true => format!("{:X}", data.len()),
                false => format!("{:x}", data.len()),
            };
            [
                format!("{zeros}{size}{extension}\r\n").as_bytes(),
                &data,
                b"\r\n",
            ]
            .concat()
        });
    let end = "0{1,3}(;[a-z]{0,3})?\r\n([A-Za-z-]{1,5}:[ -~\t]{0,6}\r\n){0,2}\r\n(GET /)?";
    let whole = (prop::collection::vec(chunk, 0..4), end)
        .prop_map(|(chunks, end)| [chunks.concat(), end.into_bytes()].concat());
    let odd = prop_oneof![
        3 => prop::sample::select(b"\r\n \t;:0159afAFx-+\0\x7f\xff".to_vec()),
        1 => any::<u8>(),
    ];
    bent(whole, odd)
}

/// Splits at the next line end. `None` if there is no valid one.
fn line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\r')?;
    let rest = bytes[end..].strip_prefix(b"\r\n")?;
    let plain = |byte: &u8| *byte == b'\t' || *byte >= b' ' && *byte != 0x7f;
    bytes[..end]
        .iter()
        .all(plain)
        .then_some((&bytes[..end], rest))
}

/// The body and the number of bytes after it. `None` if it is incomplete or malformed.
fn whole(mut bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut body = Vec::new();
    loop {
        let (size, rest) = line(bytes)?;
        let size = std::str::from_utf8(size.split(|byte| *byte == b';').next()?).ok()?;
        let has_extension = line(bytes)?.0.contains(&b';');
        let digits = if has_extension {
            size.trim_end_matches([' ', '\t'])
        } else {
            size
        };
        if digits.starts_with('+') || digits.len() > 16 {
            return None;
        }
        let size = usize::from_str_radix(digits, 16).ok()?;
        bytes = rest;
        if size == 0 {
            break;
        }
        body.extend_from_slice(bytes.get(..size)?);
        bytes = bytes.get(size..)?.strip_prefix(b"\r\n")?;
    }
    loop {
        let (trailer, rest) = line(bytes)?;
        bytes = rest;
        if trailer.is_empty() {
            return Some((body, bytes.len()));
        }
        let colon = trailer.iter().position(|byte| *byte == b':')?;
        if colon == 0 || !trailer[..colon].iter().all(|byte| is_token(*byte)) {
            return None;
        }
    }
}

/// Decodes in pieces. Returns the body, the bytes used and whether it is complete.
fn decode(
    input: &[u8],
    pieces: usize,
    limits: (usize, usize),
) -> Result<(Vec<u8>, usize, bool), u16> {
    let mut decoder = Chunked::new(limits.0, limits.1);
    let (mut body, mut used) = (Vec::new(), 0);
    for piece in input.chunks(pieces) {
        let count = decoder.decode(piece, &mut body);
        used += count.map_err(|problem| problem.status)?;
        assert!(body.len() <= limits.0, "more than may be kept");
        if decoder.is_done() {
            break;
        }
    }
    Ok((body, used, decoder.is_done()))
}

#[test]
fn chunks_are_what_all_of_them_say() {
    try_out(
        3_000,
        35..=80,
        (some_body(), 1_usize..9),
        |(input, pieces)| {
            let at_once = decode(&input, usize::MAX, (1000, 1000));
            prop_assert_eq!(
                &decode(&input, pieces, (1000, 1000)),
                &at_once,
                "in pieces of {}",
                pieces
            );
            let expected = whole(&input).filter(|(body, _)| body.len() <= 1000);
            let read = match &at_once {
                Ok((body, used, true)) => Some((body.clone(), input.len() - used)),
                Ok((_, used, false)) => {
                    prop_assert_eq!(*used, input.len());
                    None
                }
                Err(status) => {
                    prop_assert!([400, 413, 431].contains(status));
                    None
                }
            };
            prop_assert_eq!(&read, &expected);
            // Tighter limits give the same body or an error.
            if let Ok((body, _, true)) = decode(&input, pieces, (24, 12)) {
                prop_assert_eq!(Some(body), read.clone().map(|(body, _)| body));
            }
            Ok(read.is_some())
        },
    );
}
