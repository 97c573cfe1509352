//! A response to bytes.

use std::io::{self, Read, Write};

use super::exchange::Response;
use super::head::Head;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;

/// Bodies up to this size, in bytes, leave in one write with their head; larger ones are passed on in such pieces, so
/// that memory stays flat.
pub(super) const PIECE: usize = 64 * 1024;

/// What the answer says about the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It stays open, as HTTP/1.1 assumes.
    KeepAlive,
    /// It stays open, as an HTTP/1.0 client has to be told.
    SaidKeepAlive,
    Close,
}

/// What is still to be sent of a body that is larger than a piece.
pub(super) struct Rest {
    reader: Box<dyn Read + Send>,
    framing: Framing,
}

/// How the client finds the end of what is still to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    /// So many bytes are left of the length that was announced.
    Sized(usize),
    Chunked,
    /// The connection closes after it.
    Closing,
    /// It has been found.
    Over,
}

impl Rest {
    /// Replaces `out` with the next piece; `false` when there is none.
    ///
    /// # Errors
    /// When the body is shorter than was announced, or cannot be read. The client must then see the answer break off.
    pub(super) fn next(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        out.clear();
        let most = match self.framing {
            Framing::Sized(left) => left.min(PIECE),
            Framing::Chunked | Framing::Closing => PIECE,
            Framing::Over => return Ok(false),
        };
        // Not twice as much, which a vector that grows by itself ends up with.
        out.reserve_exact(most + CHUNK_FRAME);
        let read = (&mut self.reader).take(most as u64).read_to_end(out)?;
        match &mut self.framing {
            Framing::Sized(_) if read < most => return Err(io::ErrorKind::UnexpectedEof.into()),
            Framing::Sized(left) => *left -= read,
            Framing::Chunked => frame(out, 0),
            Framing::Closing | Framing::Over => {}
        }
        if read < most || self.framing == Framing::Sized(0) {
            self.framing = Framing::Over;
        }
        Ok(!out.is_empty())
    }
}

/// Room for what [`frame`] adds: two sizes in hexadecimal with their line ends.
const CHUNK_FRAME: usize = 32;

/// Makes a chunk of what `out` holds from `at` on; less than a whole piece of it is the last.
fn frame(out: &mut Vec<u8>, at: usize) {
    let size = out.len() - at;
    if size > 0 {
        out.splice(at..at, format!("{size:x}\r\n").into_bytes());
        out.extend_from_slice(b"\r\n");
    }
    if size < PIECE {
        out.extend_from_slice(b"0\r\n\r\n");
    }
}

/// Who the answer goes to, as far as its framing depends on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Client {
    /// It asked by HEAD: the body is left out.
    pub(super) bare: bool,
    /// It speaks HTTP/1.1 and knows chunks.
    pub(super) modern: bool,
}

impl Client {
    pub(super) fn of(head: &Head) -> Client {
        Client {
            bare: head.method == "HEAD",
            modern: head.modern,
        }
    }
}

/// Replaces `out` with the response: its head and, up to a piece, its body. For HEAD the length is that of the body left out,
/// where it is known without rendering all of it. A larger body of unknown length comes in chunks, or closes the connection
/// after it, to which `ending` is then set.
///
/// # Errors
/// When the body cannot be read, which those in memory always can.
pub(super) fn render(
    response: Response,
    client: Client,
    ending: &mut Ending,
    date: &str,
    out: &mut Vec<u8>,
) -> io::Result<Option<Rest>> {
    let bare = client.bare;
    let Response {
        status,
        headers,
        body,
    } = response;
    // An interim or unknown status would leave the client waiting for another answer.
    let status = match status {
        200..=599 => status,
        _ => 500,
    };
    let (mut reader, size) = body.into_reader_and_size();
    let bodiless = status == 204 || status == 304;
    let head = |out: &mut Vec<u8>, length: Length, ending: Ending| {
        out.clear();
        begin(out, status, ending, date);
        match length {
            Length::Known(length) => {
                let _ = write!(out, "Content-Length: {length}\r\n");
            }
            Length::Chunked => out.extend_from_slice(b"Transfer-Encoding: chunked\r\n"),
            Length::Untold => {}
        }
        for (name, value) in &headers {
            field(out, name, value);
        }
        out.extend_from_slice(b"\r\n");
    };
    let known = Length::Known;
    match size {
        // For 304 it would be that of the body left out, which we do not know; 204 may not have one.
        _ if bodiless => head(out, Length::Untold, *ending),
        Some(size) if bare => head(out, known(size), *ending),
        Some(size) if size > PIECE => {
            head(out, known(size), *ending);
            let framing = Framing::Sized(size);
            return Ok(Some(Rest { reader, framing }));
        }
        Some(announced) => {
            head(out, known(announced), *ending);
            let at = out.len();
            let length = reader.read_to_end(out)?;
            if length != announced {
                let body = out.split_off(at);
                head(out, known(length), *ending);
                out.extend_from_slice(&body);
            }
        }
        None => {
            let mut body = Vec::with_capacity(PIECE);
            let length = (&mut reader).take(PIECE as u64).read_to_end(&mut body)?;
            if length < PIECE {
                head(out, known(length), *ending);
            } else if bare {
                head(out, Length::Untold, *ending);
            } else if client.modern {
                head(out, Length::Chunked, *ending);
            } else {
                *ending = Ending::Close;
                head(out, Length::Untold, *ending);
            }
            if bare {
                return Ok(None);
            }
            let at = out.len();
            out.extend_from_slice(&body);
            if length == PIECE {
                let framing = match client.modern {
                    true => Framing::Chunked,
                    false => Framing::Closing,
                };
                if framing == Framing::Chunked {
                    frame(out, at);
                }
                return Ok(Some(Rest { reader, framing }));
            }
        }
    }
    Ok(None)
}

/// What the head says about the length of the body.
enum Length {
    Known(usize),
    Chunked,
    Untold,
}

fn begin(out: &mut Vec<u8>, status: u16, ending: Ending, date: &str) {
    let _ = write!(out, "HTTP/1.1 {status} ");
    out.extend_from_slice(reason(status).as_bytes());
    out.extend_from_slice(b"\r\nDate: ");
    out.extend_from_slice(date.as_bytes());
    out.extend_from_slice(match ending {
        Ending::KeepAlive => b"\r\n",
        Ending::SaidKeepAlive => b"\r\nConnection: keep-alive\r\n",
        Ending::Close => b"\r\nConnection: close\r\n",
    });
}

/// Whether a response header is decided here, whatever the handler says: framing, the connection and the date.
pub fn is_own(name: &str) -> bool {
    const OURS: [&str; 7] = [
        "connection",
        "content-length",
        "date",
        "keep-alive",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ];
    OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours))
}

fn field(out: &mut Vec<u8>, name: &str, value: &str) {
    // Whoever gets a line end into a header could write the rest of the response.
    let splits = |text: &str| text.bytes().any(|byte| matches!(byte, b'\r' | b'\n' | 0));
    if name.is_empty() || splits(name) || splits(value) {
        return;
    }
    if is_own(name) {
        return;
    }
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    out.extend_from_slice(value.as_bytes());
    out.extend_from_slice(b"\r\n");
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        412 => "Precondition Failed",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        417 => "Expectation Failed",
        422 => "Unprocessable Content",
        428 => "Precondition Required",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        // Allowed to be empty, and read by nobody.
        _ => "",
    }
}

/// The `Date` header's value, rendered once a second.
#[derive(Default)]
pub(super) struct Date {
    second: i64,
    text: String,
}

impl Date {
    pub(super) fn at(&mut self, now: Timestamp) -> &str {
        let second = now.as_second();
        if self.second != second || self.text.is_empty() {
            self.second = second;
            self.text.clear();
            // Fails only for years beyond four digits, and then the answer is better than its date.
            let _ = DateTimePrinter::new().print_timestamp_rfc9110(&now, &mut self.text);
        }
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::super::exchange::Body;
    use super::*;

    const HEAD: &str = "Date: now\r\n";
    const MODERN: Client = Client {
        bare: false,
        modern: true,
    };

    fn response(status: u16, headers: &[(&'static str, &'static str)], body: Body) -> Response {
        let headers = headers
            .iter()
            .map(|(name, value)| (Cow::from(*name), Cow::from(*value)))
            .collect();
        Response {
            status,
            headers,
            body,
        }
    }

    fn check(response: Response, bare: bool, ending: Ending, expected: &str) {
        let mut out = b"left over".to_vec();
        let client = Client { bare, modern: true };
        let rest = render(response, client, &mut { ending }, "now", &mut out).expect("in memory");
        assert!(rest.is_none());
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }

    #[test]
    fn responses() {
        let text = || Body::from_data("hello");
        check(
            response(
                200,
                &[("Content-Type", "text/plain"), ("ETag", "\"1\"")],
                text(),
            ),
            false,
            Ending::KeepAlive,
            &format!(
                "HTTP/1.1 200 OK\r\n{HEAD}Content-Length: 5\r\nContent-Type: text/plain\r\nETag: \"1\"\r\n\r\nhello"
            ),
        );
        check(
            response(200, &[], text()),
            true,
            Ending::KeepAlive,
            &format!("HTTP/1.1 200 OK\r\n{HEAD}Content-Length: 5\r\n\r\n"),
        );
        check(
            response(404, &[], text()),
            false,
            Ending::Close,
            &format!(
                "HTTP/1.1 404 Not Found\r\n{HEAD}Connection: close\r\nContent-Length: 5\r\n\r\nhello"
            ),
        );
        check(
            response(200, &[], Body::empty()),
            false,
            Ending::SaidKeepAlive,
            &format!(
                "HTTP/1.1 200 OK\r\n{HEAD}Connection: keep-alive\r\nContent-Length: 0\r\n\r\n"
            ),
        );
        check(
            response(204, &[], text()),
            false,
            Ending::KeepAlive,
            &format!("HTTP/1.1 204 No Content\r\n{HEAD}\r\n"),
        );
        check(
            response(304, &[("ETag", "\"1\"")], text()),
            false,
            Ending::KeepAlive,
            &format!("HTTP/1.1 304 Not Modified\r\n{HEAD}ETag: \"1\"\r\n\r\n"),
        );
        // A status that would not end the exchange.
        check(
            response(100, &[], Body::empty()),
            false,
            Ending::KeepAlive,
            &format!("HTTP/1.1 500 Internal Server Error\r\n{HEAD}Content-Length: 0\r\n\r\n"),
        );
        check(
            response(299, &[], Body::empty()),
            false,
            Ending::KeepAlive,
            &format!("HTTP/1.1 299 \r\n{HEAD}Content-Length: 0\r\n\r\n"),
        );
    }

    #[test]
    fn the_length_is_that_of_the_body_whatever_was_promised() {
        for bare in [false, true] {
            let body = if bare { "" } else { "hello" };
            let expected = format!("HTTP/1.1 200 OK\r\n{HEAD}Content-Length: 5\r\n\r\n{body}");
            for data in [
                Body::from_reader(&b"hello"[..]),
                Body::from_reader_and_size(&b"hello"[..], 5),
            ] {
                check(response(200, &[], data), bare, Ending::KeepAlive, &expected);
            }
        }
        for wrong in [3, 9] {
            check(
                response(200, &[], Body::from_reader_and_size(&b"hello"[..], wrong)),
                false,
                Ending::KeepAlive,
                &format!("HTTP/1.1 200 OK\r\n{HEAD}Content-Length: 5\r\n\r\nhello"),
            );
        }
    }

    #[test]
    fn headers_that_do_not_go_out() {
        check(
            response(
                200,
                &[
                    ("Location", "/a\r\nSet-Cookie: b"),
                    ("X\nY", "a"),
                    ("X", "a\0b"),
                    ("X", "a\rb"),
                    ("", "a"),
                    ("content-length", "99"),
                    ("Transfer-Encoding", "chunked"),
                    ("CONNECTION", "upgrade"),
                    ("Upgrade", "h2c"),
                    ("Date", "then"),
                    ("Trailer", "X"),
                    ("Keep-Alive", "timeout=5"),
                    ("X-Kept", "caf\u{e9}"),
                ],
                Body::empty(),
            ),
            false,
            Ending::KeepAlive,
            &format!("HTTP/1.1 200 OK\r\n{HEAD}Content-Length: 0\r\nX-Kept: caf\u{e9}\r\n\r\n"),
        );
    }

    #[test]
    fn large_bodies_go_in_pieces() {
        let body: Vec<u8> = (0..PIECE * 2 + 7).map(|at| (at % 251) as u8).collect();
        let mut out = Vec::new();
        let large = response(200, &[], Body::from_data(body.clone()));
        let mut ending = Ending::KeepAlive;
        let mut rest = render(large, MODERN, &mut ending, "now", &mut out)
            .expect("in memory")
            .expect("more than a piece");
        assert!(String::from_utf8_lossy(&out).contains(&format!("Content-Length: {}", body.len())));
        let mut sent = Vec::new();
        while rest.next(&mut out).expect("in memory") {
            assert!(out.len() <= PIECE);
            sent.extend_from_slice(&out);
        }
        assert_eq!(sent, body);

        let short = Body::from_reader_and_size(&b"hello"[..], PIECE + 1);
        let mut rest = render(
            response(200, &[], short),
            MODERN,
            &mut ending,
            "now",
            &mut out,
        )
        .expect("in memory")
        .expect("more than a piece");
        assert!(rest.next(&mut out).is_err());
    }

    /// What goes out of a body of unknown size, and whether the connection closes after it.
    fn all(client: Client, data: Body) -> (Vec<u8>, bool) {
        let (mut out, mut ending) = (Vec::new(), Ending::KeepAlive);
        let rest = render(
            response(200, &[], data),
            client,
            &mut ending,
            "now",
            &mut out,
        );
        let mut sent = out.clone();
        if let Some(mut rest) = rest.expect("in memory") {
            while rest.next(&mut out).expect("in memory") {
                assert!(out.len() <= PIECE + CHUNK_FRAME, "{}", out.len());
                sent.extend_from_slice(&out);
            }
            assert!(!rest.next(&mut out).expect("it has ended"));
        }
        (sent, ending == Ending::Close)
    }

    #[test]
    fn long_bodies_of_unknown_size_come_in_chunks() {
        let old = Client {
            bare: false,
            modern: false,
        };
        let head = Client {
            bare: true,
            modern: true,
        };
        for size in [0, 1, PIECE - 1, PIECE, PIECE + 1, PIECE * 2, PIECE * 3 + 7] {
            let body = vec![b'x'; size];
            let data = || Body::from_reader(std::io::Cursor::new(body.clone()));
            let long = size >= PIECE;

            let mut expected = format!("HTTP/1.1 200 OK\r\n{HEAD}").into_bytes();
            let (sent, closes) = all(MODERN, data());
            assert!(!closes);
            if long {
                expected.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
                for chunk in body.chunks(PIECE) {
                    expected.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
                    expected.extend_from_slice(chunk);
                    expected.extend_from_slice(b"\r\n");
                }
                expected.extend_from_slice(b"0\r\n\r\n");
            } else {
                expected.extend_from_slice(format!("Content-Length: {size}\r\n\r\n").as_bytes());
                expected.extend_from_slice(&body);
            }
            assert!(sent == expected, "{size}");

            let (sent, closes) = all(old, data());
            let sent = String::from_utf8(sent).expect("text");
            let (told, text) = sent.split_once("\r\n\r\n").expect("a head");
            assert_eq!((closes, text.len()), (long, size));
            assert_eq!(told.contains("Connection: close"), long, "{told}");
            assert_eq!(told.contains("Content-Length"), !long, "{told}");
            assert!(!told.contains("chunked"), "{told}");

            let (sent, closes) = all(head, data());
            let sent = String::from_utf8(sent).expect("text");
            assert!(sent.ends_with("\r\n\r\n") && !closes);
            assert_eq!(sent.contains(&format!("Content-Length: {size}\r\n")), !long);
        }
    }

    /// A reader that fails after some bytes.
    struct Breaking(usize);

    impl Read for Breaking {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = buffer.len().min(self.0);
            buffer[..count].fill(b'x');
            self.0 -= count;
            match count {
                0 => Err(io::ErrorKind::Other.into()),
                count => Ok(count),
            }
        }
    }

    #[test]
    fn an_answer_that_breaks_has_no_end() {
        for size in [0, PIECE - 1] {
            let (mut out, mut ending) = (Vec::new(), Ending::KeepAlive);
            let data = Body::from_reader(Breaking(size));
            let rest = render(
                response(200, &[], data),
                MODERN,
                &mut ending,
                "now",
                &mut out,
            );
            assert!(rest.is_err(), "nothing has been sent yet");
        }
        let (mut out, mut ending) = (Vec::new(), Ending::KeepAlive);
        let data = Body::from_reader(Breaking(PIECE * 2 + 5));
        let rest = render(
            response(200, &[], data),
            MODERN,
            &mut ending,
            "now",
            &mut out,
        );
        let mut rest = rest.expect("in memory").expect("more than a piece");
        assert!(rest.next(&mut out).expect("a whole piece"));
        assert!(out.ends_with(b"x\r\n"));
        assert!(rest.next(&mut out).is_err());
    }

    #[test]
    fn dates() {
        let mut date = Date::default();
        for (at, expected) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (1_795_424_461, "Mon, 23 Nov 2026 09:01:01 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ] {
            let now = Timestamp::from_second(at).expect("in range");
            assert_eq!(date.at(now), expected);
        }
    }
}
