//! Serializes responses.

use std::io::{self, Read, Write};

use super::head::Head;
use super::response::Response;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;

/// Bodies up to this size, in bytes, are sent in one write with their head. Larger ones are sent in pieces of this size, so
/// memory use stays flat.
pub(super) const PIECE: usize = 64 * 1024;

/// The response's statement about the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It stays open, which HTTP/1.1 clients assume.
    KeepAlive,
    /// It stays open, which an HTTP/1.0 client needs to be told.
    ConfirmedKeepAlive,
    Close,
}

/// The unsent part of a body that is larger than one piece.
pub(super) struct Rest {
    reader: Box<dyn Read + Send>,
    framing: Framing,
}

/// How the client finds the end of the unsent part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    /// This many bytes of the announced length remain.
    Sized(usize),
    Chunked,
    /// The connection closes after the body.
    Closing,
    /// The whole body has been sent.
    Done,
}

impl Rest {
    /// Replaces `out` with the next piece. Returns `false` at the end.
    ///
    /// # Errors
    /// If the body is shorter than announced or cannot be read. The connection must then close, so that the client notices.
    pub(super) fn next(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        out.clear();
        let max = match self.framing {
            Framing::Sized(left) => left.min(PIECE),
            Framing::Chunked | Framing::Closing => PIECE,
            Framing::Done => return Ok(false),
        };
        // `reserve` may double the capacity.
        out.reserve_exact(max + CHUNK_FRAME);
        let read = (&mut self.reader).take(max as u64).read_to_end(out)?;
        match &mut self.framing {
            Framing::Sized(_) if read < max => return Err(io::ErrorKind::UnexpectedEof.into()),
            Framing::Sized(left) => *left -= read,
            Framing::Chunked => frame(out, 0),
            Framing::Closing | Framing::Done => {}
        }
        if read < max || self.framing == Framing::Sized(0) {
            self.framing = Framing::Done;
        }
        Ok(!out.is_empty())
    }
}

/// Room for what [`frame`] adds: two sizes in hexadecimal and their line ends.
const CHUNK_FRAME: usize = 32;

/// Frames the bytes of `out` from `at` on as a chunk. Less than a full piece is the last chunk.
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

/// The properties of the client that framing depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Client {
    /// A HEAD request: the body is omitted.
    pub(super) is_head: bool,
    /// The client speaks HTTP/1.1 and understands chunks.
    pub(super) is_http_1_1: bool,
}

impl Client {
    pub(super) fn of(head: &Head) -> Client {
        Client {
            is_head: head.method == "HEAD",
            is_http_1_1: head.is_http_1_1,
        }
    }
}

/// Replaces `out` with the head of the response and up to one piece of its body. The response to HEAD has the length of the
/// omitted body if that is known without rendering it. A larger body of unknown length is chunked, or ends with the connection:
/// `ending` is then set to close.
///
/// # Errors
/// If the body cannot be read. Bodies in memory never fail.
pub(super) fn render(
    response: Response,
    client: Client,
    ending: &mut Ending,
    date: &str,
    out: &mut Vec<u8>,
) -> io::Result<Option<Rest>> {
    let is_head = client.is_head;
    let Response {
        status,
        headers,
        body,
        ..
    } = response;
    // After an interim or unknown status the client would wait for another response.
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
            Length::Omitted => {}
        }
        for (name, value) in &headers {
            field(out, name, value);
        }
        out.extend_from_slice(b"\r\n");
    };
    let known = Length::Known;
    match size {
        // For 304 it would be the length of the omitted body, which is unknown. 204 may not have one.
        _ if bodiless => head(out, Length::Omitted, *ending),
        Some(size) if is_head => head(out, known(size), *ending),
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
            } else if is_head {
                head(out, Length::Omitted, *ending);
            } else if client.is_http_1_1 {
                head(out, Length::Chunked, *ending);
            } else {
                *ending = Ending::Close;
                head(out, Length::Omitted, *ending);
            }
            if is_head {
                return Ok(None);
            }
            let at = out.len();
            out.extend_from_slice(&body);
            if length == PIECE {
                let framing = match client.is_http_1_1 {
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

/// The head's statement of the length of the body.
enum Length {
    Known(usize),
    Chunked,
    Omitted,
}

fn begin(out: &mut Vec<u8>, status: u16, ending: Ending, date: &str) {
    let _ = write!(out, "HTTP/1.1 {status} ");
    out.extend_from_slice(reason(status).as_bytes());
    out.extend_from_slice(b"\r\nDate: ");
    out.extend_from_slice(date.as_bytes());
    out.extend_from_slice(match ending {
        Ending::KeepAlive => b"\r\n",
        Ending::ConfirmedKeepAlive => b"\r\nConnection: keep-alive\r\n",
        Ending::Close => b"\r\nConnection: close\r\n",
    });
}

/// Whether the server sets a response header itself and ignores the handler's: framing, connection and date.
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
    // A line end in a header value would let its author write the rest of the response.
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
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        428 => "Precondition Required",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        // The reason may be empty, and clients ignore it.
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
            // Fails only for years with more than four digits; then the response has no date.
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
    const HTTP_1_1: Client = Client {
        is_head: false,
        is_http_1_1: true,
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
            least_rate: None,
        }
    }

    fn check(response: Response, is_head: bool, ending: Ending, expected: &str) {
        let mut out = b"left over".to_vec();
        let client = Client {
            is_head,
            is_http_1_1: true,
        };
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
            Ending::ConfirmedKeepAlive,
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
        // A status that does not end the exchange.
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
        for is_head in [false, true] {
            let body = if is_head { "" } else { "hello" };
            let expected = format!("HTTP/1.1 200 OK\r\n{HEAD}Content-Length: 5\r\n\r\n{body}");
            for data in [
                Body::from_reader(&b"hello"[..]),
                Body::from_reader_and_size(&b"hello"[..], 5),
            ] {
                check(
                    response(200, &[], data),
                    is_head,
                    Ending::KeepAlive,
                    &expected,
                );
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
        let mut rest = render(large, HTTP_1_1, &mut ending, "now", &mut out)
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
            HTTP_1_1,
            &mut ending,
            "now",
            &mut out,
        )
        .expect("in memory")
        .expect("more than a piece");
        assert!(rest.next(&mut out).is_err());
    }

    /// The bytes sent for a body of unknown size, and whether the connection closes afterwards.
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
            is_head: false,
            is_http_1_1: false,
        };
        let head = Client {
            is_head: true,
            is_http_1_1: true,
        };
        for size in [0, 1, PIECE - 1, PIECE, PIECE + 1, PIECE * 2, PIECE * 3 + 7] {
            let body = vec![b'x'; size];
            let data = || Body::from_reader(std::io::Cursor::new(body.clone()));
            let long = size >= PIECE;

            let mut expected = format!("HTTP/1.1 200 OK\r\n{HEAD}").into_bytes();
            let (sent, closes) = all(HTTP_1_1, data());
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
            let (sent_head, text) = sent.split_once("\r\n\r\n").expect("a head");
            assert_eq!((closes, text.len()), (long, size));
            assert_eq!(sent_head.contains("Connection: close"), long, "{sent_head}");
            assert_eq!(sent_head.contains("Content-Length"), !long, "{sent_head}");
            assert!(!sent_head.contains("chunked"), "{sent_head}");

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
                HTTP_1_1,
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
            HTTP_1_1,
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
