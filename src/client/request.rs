//! A request, its limits and the response.

use serde_json::Value;
use std::borrow::Cow;
use std::time::Duration;

/// The method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Delete,
    Put,
}

/// The limits of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time for resolving, connecting, TLS, the request, the response headers and the response body together.
    pub total: Duration,
    /// The part of `total` that is reserved for the response body. The headers must arrive before it, and the body may take
    /// no longer than this. Zero reserves nothing: the body may use all the remaining time.
    pub body: Duration,
    /// The bytes of the response body that are kept.
    pub body_bytes: usize,
}

impl Default for Limits {
    /// For the API of another service: 30 seconds, 4 MiB.
    fn default() -> Limits {
        Limits {
            total: Duration::from_secs(30),
            body: Duration::ZERO,
            body_bytes: 4 * 1024 * 1024,
        }
    }
}

/// A request to be sent.
///
/// ```
/// # use rota::client::Request;
/// # use serde_json::json;
/// let request = Request::post("https://slack.com/api/chat.postMessage")
///     .header("Authorization", "Bearer TOKEN")
///     .json(&json!({ "channel": "C1", "text": "hello" }));
/// ```
#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub method: Method,
    pub url: &'a str,
    /// In the order in which they are sent.
    pub headers: Cow<'a, [(String, String)]>,
    /// Only for POST and PUT.
    pub body: Cow<'a, [u8]>,
    pub limits: Limits,
}

impl<'a> Request<'a> {
    /// Creates a GET with the default limits.
    pub fn get(url: &'a str) -> Request<'a> {
        Request::new(Method::Get, url)
    }

    /// Creates a POST with the default limits and an empty body.
    pub fn post(url: &'a str) -> Request<'a> {
        Request::new(Method::Post, url)
    }

    /// Creates a DELETE with the default limits.
    pub fn delete(url: &'a str) -> Request<'a> {
        Request::new(Method::Delete, url)
    }

    /// Creates a PUT with the default limits and an empty body.
    pub fn put(url: &'a str) -> Request<'a> {
        Request::new(Method::Put, url)
    }

    /// Creates a request with the default limits and an empty body.
    pub fn new(method: Method, url: &'a str) -> Request<'a> {
        Request {
            method,
            url,
            headers: Cow::default(),
            body: Cow::default(),
            limits: Limits::default(),
        }
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Request<'a> {
        self.headers
            .to_mut()
            .push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets a JSON body and its Content-Type.
    pub fn json(mut self, body: &Value) -> Request<'a> {
        self.body = body.to_string().into_bytes().into();
        self.header("Content-Type", "application/json; charset=utf-8")
    }

    /// Sets a form body and its Content-Type.
    pub fn form(mut self, fields: &[(&str, &str)]) -> Request<'a> {
        self.body = encode_fields(fields).into_bytes().into();
        self.header("Content-Type", "application/x-www-form-urlencoded")
    }

    /// Sets the limits.
    pub fn within(self, limits: Limits) -> Request<'a> {
        Request { limits, ..self }
    }
}

/// Encodes fields as a form body or the query of a URL (`application/x-www-form-urlencoded`).
pub fn encode_fields(fields: &[(&str, &str)]) -> String {
    let field = |(name, value): &(&str, &str)| format!("{}={}", encode(name), encode(value));
    fields.iter().map(field).collect::<Vec<_>>().join("&")
}

/// Encodes a segment of the path of a URL. What may stand in it as it is stays, so that ids stay readable.
pub fn encode_segment(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'-' | b'.' | b'_' | b'~' | b'@' | b':' | b'!' | b'$' => encoded.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => encoded.push(byte.into()),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// Encodes a name or value of a form field.
pub fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' ' => encoded.push('+'),
            b'*' | b'-' | b'.' | b'_' => encoded.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => encoded.push(byte.into()),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// A response, whatever its status. Redirects are not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpResponse {
    /// 101, or 200 to 999.
    pub status: u16,
    /// In the order received, with names in lower case. Invalid UTF-8 is replaced.
    pub headers: Vec<(String, String)>,
    /// The body, or its beginning if it is truncated.
    pub body: Vec<u8>,
    /// Whether the body is incomplete: over the limit, or not complete at the deadline or the end of the connection.
    pub truncated: bool,
}

impl HttpResponse {
    /// The first header with that name, in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::{encode, encode_segment};

    #[test]
    fn segments_of_paths_are_encoded() {
        for (text, encoded) in [
            ("@ana:example.org", "@ana:example.org"),
            ("!a/b?c#d", "!a%2Fb%3Fc%23d"),
            ("#ops é", "%23ops%20%C3%A9"),
            ("..%2f", "..%252f"),
        ] {
            assert_eq!(encode_segment(text), encoded, "{text}");
        }
    }

    #[test]
    fn form_fields_are_encoded() {
        for (text, encoded) in [
            ("plain-1_2.3*", "plain-1_2.3*"),
            ("a b&c=d+e", "a+b%26c%3Dd%2Be"),
            ("caf\u{e9} #1", "caf%C3%A9+%231"),
            ("~/%", "%7E%2F%25"),
            ("", ""),
        ] {
            assert_eq!(encode(text), encoded, "{text}");
        }
    }
}
