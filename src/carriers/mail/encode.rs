//! The encodings of mail: base64 (RFC 4648), quoted-printable (RFC 2045) and encoded words of headers (RFC 2047). Everything
//! that is sent is ASCII in short lines, so that no server has to change it.

/// Base64, padded, without line breaks.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group
            .iter()
            .fold(0u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - group.len()));
        for digit in 0..4 {
            match digit <= group.len() {
                true => text.push(char::from(DIGITS[(bits >> (18 - 6 * digit)) as usize & 63])),
                false => text.push('='),
            }
        }
    }
    text
}

/// The longest line of quoted-printable text, without its end.
const LINE: usize = 76;

/// Text with lines that end in `\n` as quoted-printable with lines that end in `\r\n`.
pub fn quoted_printable(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len() * 2);
    for line in text.lines() {
        let bytes = line.as_bytes();
        let mut used = 0;
        for (at, byte) in bytes.iter().enumerate() {
            let is_last = at + 1 == bytes.len();
            let plain = match byte {
                b'=' => false,
                // Servers may remove blanks at the end of a line.
                b' ' | b'\t' => !is_last,
                byte => (b'!'..=b'~').contains(byte),
            };
            let piece = match plain {
                true => char::from(*byte).to_string(),
                false => format!("={byte:02X}"),
            };
            // A soft line break needs one more character.
            let room = if is_last { LINE } else { LINE - 1 };
            if used + piece.len() > room {
                encoded.push_str("=\r\n");
                used = 0;
            }
            encoded.push_str(&piece);
            used += piece.len();
        }
        encoded.push_str("\r\n");
    }
    encoded
}

/// The bytes of text in one encoded word: the word has at most 75 characters.
const WORD: usize = 45;

/// Whether a text can stand in a header as it is: printable ASCII that does not look like an encoded word.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && !text.contains("=?")
}

/// A text as encoded words, which lines of a header may be broken between.
fn words(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = rest.len().min(WORD);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, left) = rest.split_at(end);
        words.push(format!("=?utf-8?B?{}?=", base64(piece.as_bytes())));
        rest = left;
    }
    words.join("\r\n ")
}

/// The value of a header of text, such as the subject. Contains no line break but those that continue the header.
pub fn text(value: &str) -> String {
    match is_plain(value) && value.len() <= 900 {
        true => value.to_owned(),
        false => words(value),
    }
}

/// A name before an address: quoted, or as encoded words.
pub fn phrase(name: &str) -> String {
    match is_plain(name) && name.len() <= 200 {
        true => format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")),
        false => words(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_padded() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
            ("\0ana\0secret", "AGFuYQBzZWNyZXQ="),
            ("\u{fc}\u{fffd}", "w7zvv70="),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text, "{bytes:?}");
        }
    }

    #[test]
    fn quoted_printable_keeps_lines_short_and_text_readable() {
        for (text, encoded) in [
            ("", ""),
            ("plain. ok", "plain. ok\r\n"),
            ("a=b", "a=3Db\r\n"),
            ("ends \nnext", "ends=20\r\nnext\r\n"),
            ("caf\u{e9}", "caf=C3=A9\r\n"),
            (".", ".\r\n"),
            ("a\n\nb\n", "a\r\n\r\nb\r\n"),
        ] {
            assert_eq!(quoted_printable(text), encoded, "{text:?}");
        }
        for text in ["x".repeat(500), "\u{1f600}".repeat(60), "= ".repeat(90)] {
            let encoded = quoted_printable(&text);
            assert!(encoded.lines().all(|line| line.len() <= LINE), "{encoded}");
            let whole = encoded.replace("=\r\n", "");
            assert_eq!(
                whole.replace("=3D", "").contains('='),
                text.contains('\u{1f600}') || text.ends_with(' ')
            );
        }
    }

    #[test]
    fn headers_hold_no_line_of_their_own() {
        for (value, header) in [
            ("Nobody is on call", "Nobody is on call"),
            ("caf\u{e9}", "=?utf-8?B?Y2Fmw6k=?="),
            ("=?utf-8?Q?x?=", "=?utf-8?B?PT91dGYtOD9RP3g/PQ==?="),
            ("a\r\nBcc: x@y", "=?utf-8?B?YQ0KQmNjOiB4QHk=?="),
        ] {
            assert_eq!(text(value), header, "{value:?}");
        }
        let long = text(&"\u{5d0}\u{1f600}".repeat(80));
        for line in long.split("\r\n") {
            assert!(
                line.len() <= 76 && line.trim_start().starts_with("=?utf-8?B?"),
                "{line}"
            );
        }
        assert_eq!(phrase("Ana \"A\" \\ <x>"), "\"Ana \\\"A\\\" \\\\ <x>\"");
        assert_eq!(phrase("\u{c1}na"), "=?utf-8?B?w4FuYQ==?=");
    }
}
