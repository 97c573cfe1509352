//! rouille's response to bytes.

use std::io::{self, Read, Write};

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;
use rouille::Response;

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
    left: usize,
}

impl Rest {
    /// Replaces `out` with the next piece; `false` when there is none.
    ///
    /// # Errors
    /// When the body is shorter than was announced, or cannot be read.
    pub(super) fn next(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        out.clear();
        let size = self.left.min(PIECE);
        let mut piece = (&mut self.reader).take(size as u64);
        if piece.read_to_end(out)? < size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= size;
        Ok(size > 0)
    }
}

/// Replaces `out` with the response: its head and, up to a piece, its body. `bare` leaves the body out and keeps its
/// length, for HEAD.
///
/// # Errors
/// When the body cannot be read, which those in memory always can.
pub(super) fn render(
    response: Response,
    bare: bool,
    ending: Ending,
    date: &str,
    out: &mut Vec<u8>,
) -> io::Result<Option<Rest>> {
    let Response {
        status_code,
        headers,
        data,
        ..
    } = response;
    // An interim or unknown status would leave the client waiting for another answer.
    let status = match status_code {
        200..=599 => status_code,
        _ => 500,
    };
    let (mut reader, size) = data.into_reader_and_size();
    let bodiless = status == 204 || status == 304;
    let head = |out: &mut Vec<u8>, length: usize| {
        out.clear();
        begin(out, status, ending, date);
        // For 304 it would be that of the body left out, which we do not know; 204 may not have one.
        if !bodiless {
            let _ = write!(out, "Content-Length: {length}\r\n");
        }
        for (name, value) in &headers {
            field(out, name, value);
        }
        out.extend_from_slice(b"\r\n");
    };
    match size {
        _ if bodiless => head(out, 0),
        Some(size) if bare => head(out, size),
        Some(size) if size > PIECE => {
            head(out, size);
            return Ok(Some(Rest { reader, left: size }));
        }
        _ => {
            let announced = size.unwrap_or_default();
            head(out, announced);
            let at = out.len();
            let length = reader.read_to_end(out)?;
            if length != announced {
                let body = out.split_off(at);
                head(out, length);
                out.extend_from_slice(&body);
            }
            if bare {
                out.truncate(out.len() - length);
            }
        }
    }
    Ok(None)
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

    use rouille::ResponseBody;

    use super::*;

    const HEAD: &str = "Date: now\r\n";

    fn response(
        status_code: u16,
        headers: &[(&'static str, &'static str)],
        data: ResponseBody,
    ) -> Response {
        let headers = headers
            .iter()
            .map(|(name, value)| (Cow::from(*name), Cow::from(*value)))
            .collect();
        Response {
            status_code,
            headers,
            data,
            upgrade: None,
        }
    }

    fn check(response: Response, bare: bool, ending: Ending, expected: &str) {
        let mut out = b"left over".to_vec();
        let rest = render(response, bare, ending, "now", &mut out).expect("in memory");
        assert!(rest.is_none());
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }

    #[test]
    fn responses() {
        let text = || ResponseBody::from_string("hello");
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
            response(200, &[], ResponseBody::empty()),
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
            response(100, &[], ResponseBody::empty()),
            false,
            Ending::KeepAlive,
            &format!("HTTP/1.1 500 Internal Server Error\r\n{HEAD}Content-Length: 0\r\n\r\n"),
        );
        check(
            response(299, &[], ResponseBody::empty()),
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
                ResponseBody::from_reader(&b"hello"[..]),
                ResponseBody::from_reader_and_size(&b"hello"[..], 5),
            ] {
                check(response(200, &[], data), bare, Ending::KeepAlive, &expected);
            }
        }
        for wrong in [3, 9] {
            check(
                response(
                    200,
                    &[],
                    ResponseBody::from_reader_and_size(&b"hello"[..], wrong),
                ),
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
                ResponseBody::empty(),
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
        let large = response(200, &[], ResponseBody::from_data(body.clone()));
        let mut rest = render(large, false, Ending::KeepAlive, "now", &mut out)
            .expect("in memory")
            .expect("more than a piece");
        assert!(String::from_utf8_lossy(&out).contains(&format!("Content-Length: {}", body.len())));
        let mut sent = Vec::new();
        while rest.next(&mut out).expect("in memory") {
            assert!(out.len() <= PIECE);
            sent.extend_from_slice(&out);
        }
        assert_eq!(sent, body);

        let short = ResponseBody::from_reader_and_size(&b"hello"[..], PIECE + 1);
        let mut rest = render(
            response(200, &[], short),
            false,
            Ending::KeepAlive,
            "now",
            &mut out,
        )
        .expect("in memory")
        .expect("more than a piece");
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
