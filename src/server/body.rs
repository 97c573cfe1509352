//! Framing of request bodies and the chunked coding. Pure: bytes in, bytes out.

use super::Malformed;

/// How the end of a request body is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// This many bytes; 0 without an announced body.
    Sized(usize),
    /// Chunks, up to one of size 0 and its trailers.
    Chunked,
    /// More bytes than allowed. They are not read.
    TooLarge,
}

impl Framing {
    /// Reads the two headers that can announce a body. Refuses everything that two servers could read differently, because that
    /// allows request smuggling.
    pub(super) fn of(
        content_length: Option<&[u8]>,
        transfer_encoding: Option<&[u8]>,
        limit: usize,
    ) -> Result<Framing, Malformed> {
        match (content_length, transfer_encoding) {
            (None, None) => Ok(Framing::Sized(0)),
            (Some(_), Some(_)) => Err(Malformed::new(
                400,
                "Send either Content-Length or Transfer-Encoding, not both.",
            )),
            (None, Some(coding)) if coding.eq_ignore_ascii_case(b"chunked") => Ok(Framing::Chunked),
            (None, Some(_)) => Err(Malformed::new(
                501,
                "The only supported Transfer-Encoding is `chunked`, sent once.",
            )),
            (Some(length), None) => match parse_length(length)? {
                length if length > limit as u64 => Ok(Framing::TooLarge),
                // At most the limit, so it fits a usize.
                length => Ok(Framing::Sized(length as usize)),
            },
        }
    }
}

fn parse_length(text: &[u8]) -> Result<u64, Malformed> {
    let invalid = || {
        Malformed::new(
            400,
            "Content-Length must be one number of bytes, digits only.",
        )
    };
    // `parse` would accept a plus sign.
    if !text.iter().all(u8::is_ascii_digit) {
        return Err(invalid());
    }
    let digits = str::from_utf8(text).map_err(|_| invalid())?;
    digits.parse().map_err(|_| invalid())
}

/// The refusal of a body over the limit.
pub(super) fn too_large(limit: usize) -> Malformed {
    Malformed::new(
        413,
        format!("The request body is larger than the {limit} bytes allowed."),
    )
}

/// Decodes one chunked body from input pieces of any size.
#[derive(Debug)]
pub(super) struct Chunked {
    state: State,
    limit: usize,
    /// Bytes of extensions and trailers that are still allowed. They are discarded while they are read, so no other limit
    /// applies to them.
    overhead: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Size {
        digits: u8,
        size: u64,
    },
    /// White space after a size, allowed only before an extension.
    Space {
        size: u64,
    },
    Extension {
        size: u64,
    },
    SizeLf {
        size: u64,
    },
    Data {
        left: usize,
    },
    DataCr,
    DataLf,
    TrailerStart,
    TrailerName,
    TrailerValue,
    TrailerLf,
    LastLf,
    Done,
}

impl Chunked {
    /// Creates a decoder for a body of at most `limit` bytes, with at most `overhead` bytes of extensions and trailers.
    pub(super) fn new(limit: usize, overhead: usize) -> Chunked {
        Chunked {
            state: State::Size { digits: 0, size: 0 },
            limit,
            overhead,
        }
    }

    /// Whether the body and its trailers are complete.
    pub(super) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Appends decoded `input` to `body` and returns the number of input bytes used: all, unless the body ended earlier. The
    /// remaining bytes belong to the next request.
    ///
    /// # Errors
    /// 400 if the coding is malformed, 413 and 431 if a limit is exceeded.
    pub(super) fn decode(&mut self, input: &[u8], body: &mut Vec<u8>) -> Result<usize, Malformed> {
        let mut at = 0;
        while at < input.len() && self.state != State::Done {
            if let State::Data { left } = self.state {
                let here = left.min(input.len() - at);
                body.extend_from_slice(&input[at..at + here]);
                at += here;
                self.state = match left - here {
                    0 => State::DataCr,
                    left => State::Data { left },
                };
            } else {
                self.state = self.step(input[at], body.len())?;
                at += 1;
            }
        }
        Ok(at)
    }

    fn step(&mut self, byte: u8, decoded: usize) -> Result<State, Malformed> {
        use State::*;
        Ok(match (self.state, byte) {
            (Size { digits, size }, _) if byte.is_ascii_hexdigit() => {
                // Sixteen digits fill a u64.
                if digits == 16 {
                    return Err(malformed("a chunk size is too long"));
                }
                let digit = char::from(byte).to_digit(16).unwrap_or_default();
                Size {
                    digits: digits + 1,
                    size: size << 4 | u64::from(digit),
                }
            }
            (Size { digits: 0, .. }, _) => return Err(malformed("a chunk size is missing")),
            (Size { size, .. }, b'\r') => SizeLf { size },
            (Size { size, .. } | Space { size }, b';') => self.spend(Extension { size })?,
            (Size { size, .. } | Space { size }, b' ' | b'\t') => self.spend(Space { size })?,
            (Extension { size }, b'\r') => SizeLf { size },
            (Extension { size }, _) if is_text(byte) => self.spend(Extension { size })?,
            (SizeLf { size: 0 }, b'\n') => TrailerStart,
            (SizeLf { size }, b'\n') => match usize::try_from(size) {
                Ok(left) if left <= self.limit.saturating_sub(decoded) => Data { left },
                _ => return Err(too_large(self.limit)),
            },
            (DataCr, b'\r') => DataLf,
            (DataLf, b'\n') => Size { digits: 0, size: 0 },
            (DataCr | DataLf, _) => {
                return Err(malformed("a chunk does not end where its size says"));
            }
            (TrailerStart, b'\r') => LastLf,
            (TrailerStart, _) if is_token(byte) => self.spend(TrailerName)?,
            (TrailerName, b':') => self.spend(TrailerValue)?,
            (TrailerName, _) if is_token(byte) => self.spend(TrailerName)?,
            (TrailerValue, b'\r') => TrailerLf,
            (TrailerValue, _) if is_text(byte) => self.spend(TrailerValue)?,
            (TrailerLf, b'\n') => TrailerStart,
            (LastLf, b'\n') => Done,
            (TrailerStart | TrailerName | TrailerValue | TrailerLf | LastLf, _) => {
                return Err(malformed("a trailer after the last chunk is not a header"));
            }
            _ => return Err(malformed("a chunk size line is invalid")),
        })
    }

    fn spend(&mut self, next: State) -> Result<State, Malformed> {
        match self.overhead.checked_sub(1) {
            Some(overhead) => self.overhead = overhead,
            None => {
                return Err(Malformed::new(
                    431,
                    "The chunk extensions and trailers of the body are too long.",
                ));
            }
        }
        Ok(next)
    }
}

fn malformed(what: &str) -> Malformed {
    Malformed::new(400, format!("The chunked body is malformed: {what}."))
}

/// Whether a header value may contain this byte.
fn is_text(byte: u8) -> bool {
    byte == b'\t' || byte >= b' ' && byte != 0x7f
}

/// Whether a header name may contain this byte.
pub(super) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {

    use super::*;

    /// Decodes `input` in the pieces given by `cuts`.
    fn decode(input: &[u8], cuts: &[usize]) -> Result<(Vec<u8>, usize, bool), u16> {
        let mut decoder = Chunked::new(64, 32);
        let (mut body, mut used, mut from) = (Vec::new(), 0, 0);
        for cut in cuts.iter().copied().chain([input.len()]) {
            let piece = &input[from..cut];
            from = cut;
            let count = decoder
                .decode(piece, &mut body)
                .map_err(|problem| problem.status)?;
            used += count;
            if count < piece.len() {
                break;
            }
        }
        Ok((body, used, decoder.is_done()))
    }

    /// Checks the whole input, then every split into two parts, then single bytes.
    fn check(input: &str, expected: Result<(&str, usize, bool), u16>) {
        let input = input.as_bytes();
        let expected =
            expected.map(|(body, rest, done)| (body.as_bytes().to_vec(), input.len() - rest, done));
        for cut in 0..=input.len() {
            assert_eq!(
                decode(input, &[cut]),
                expected,
                "{:?} cut at {cut}",
                input.escape_ascii().to_string()
            );
        }
        let every: Vec<usize> = (0..input.len()).collect();
        assert_eq!(decode(input, &every), expected, "byte by byte");
    }

    #[test]
    fn chunked_bodies() {
        check("0\r\n\r\n", Ok(("", 0, true)));
        check("5\r\nhello\r\n0\r\n\r\n", Ok(("hello", 0, true)));
        check(
            "5\r\nhello\r\n1\r\n!\r\n000\r\n\r\nGET /",
            Ok(("hello!", 5, true)),
        );
        check("A\r\n0123456789\r\n0\r\n\r\n", Ok(("0123456789", 0, true)));
        check("5;a=b\r\nhello\r\n0;c\r\n\r\n", Ok(("hello", 0, true)));
        check(
            "5 \t;a=\"b;\"\r\nhello\r\n0\r\n\r\n",
            Ok(("hello", 0, true)),
        );
        check("0\r\nA: b\r\nC:\td\r\n\r\n", Ok(("", 0, true)));
        check("5\r\nhel", Ok(("hel", 0, false)));
        check("5\r\nhello\r\n0\r\n", Ok(("hello", 0, false)));
    }

    #[test]
    fn chunked_bodies_that_are_refused() {
        for input in [
            "\r\n",
            "x\r\n",
            "+5\r\nhello\r\n",
            "0x5\r\nhello\r\n",
            " 5\r\nhello\r\n",
            "-1\r\n",
            "5 \r\nhello\r\n",
            "5\nhello\r\n",
            "5\r\rhello\r\n",
            "5\r\nhello0\r\n\r\n",
            "5\r\nhello\n0\r\n\r\n",
            "5\r\nhello\r0\r\n\r\n",
            "5\r\nhello\r\n\r\n",
            "4\r\nhello\r\n0\r\n\r\n",
            "5;a\nhello\r\n",
            "5;a\0\r\nhello\r\n",
            "00000000000000005\r\nhello\r\n",
            "0\r\n: b\r\n\r\n",
            "0\r\n a: b\r\n\r\n",
            "0\r\na : b\r\n\r\n",
            "0\r\na\r\n\r\n",
            "0\r\na: b\n\r\n",
            "0\r\na: \x01\r\n\r\n",
            "0\r\n\n",
            "0\r\n\rG",
        ] {
            check(input, Err(400));
        }
    }

    #[test]
    fn chunked_bodies_over_the_limits() {
        check("41\r\n", Err(413));
        check("ffffffffffffffff\r\n", Err(413));
        let full = "x".repeat(64);
        check(&format!("40\r\n{full}\r\n1\r\n"), Err(413));
        check(&format!("40\r\n{full}\r\n0\r\n\r\n"), Ok((&full, 0, true)));
        check(&format!("0;{}\r\n\r\n", "x".repeat(31)), Ok(("", 0, true)));
        check(&format!("0;{}\r\n\r\n", "x".repeat(32)), Err(431));
        check(&format!("0\r\n{}", "a: b\r\n".repeat(9)), Err(431));
        check(&"1;aaaaaaa\r\nx\r\n".repeat(5), Err(431));
    }

    #[test]
    fn framing_from_headers() {
        let check = |length: Option<&str>, coding: Option<&str>, expected| {
            let framing = Framing::of(length.map(str::as_bytes), coding.map(str::as_bytes), 100);
            assert_eq!(
                framing.map_err(|problem| problem.status),
                expected,
                "{length:?} {coding:?}"
            );
        };
        check(None, None, Ok(Framing::Sized(0)));
        check(Some("0"), None, Ok(Framing::Sized(0)));
        check(Some("100"), None, Ok(Framing::Sized(100)));
        check(Some("007"), None, Ok(Framing::Sized(7)));
        check(Some("101"), None, Ok(Framing::TooLarge));
        check(Some("18446744073709551615"), None, Ok(Framing::TooLarge));
        for invalid in [
            "",
            "+5",
            "-5",
            "5,5",
            "5, 6",
            "5 5",
            "0x5",
            "5.0",
            "five",
            "18446744073709551616",
            "\u{661}",
        ] {
            check(Some(invalid), None, Err(400));
        }
        check(None, Some("chunked"), Ok(Framing::Chunked));
        check(None, Some("Chunked"), Ok(Framing::Chunked));
        for coding in [
            "",
            "gzip",
            "identity",
            "gzip, chunked",
            "chunked, chunked",
            "chunked;q=1",
            "xchunked",
        ] {
            check(None, Some(coding), Err(501));
        }
        check(Some("5"), Some("chunked"), Err(400));
        check(Some("x"), Some("gzip"), Err(400));
    }
}
