//! A receiver controlled by the test: it records the raw request, and responds when the test says so.

use super::receiver::read_request;
use super::server::eventually;
use std::io::{ErrorKind, Write};
use std::net::{TcpListener, TcpStream};

/// Accepts one request per connection, each when the test asks for it.
pub struct OwnReceiver(TcpListener);

/// A request that waits for its response. Dropping it closes the connection without one.
pub struct Arrival {
    pub line: String,
    /// In order, names as sent.
    pub headers: Vec<(String, String)>,
    pub body: String,
    stream: TcpStream,
}

impl OwnReceiver {
    pub fn open() -> OwnReceiver {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).unwrap();
        OwnReceiver(listener)
    }

    /// `127.0.0.1:PORT`.
    pub fn authority(&self) -> String {
        self.0.local_addr().unwrap().to_string()
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.authority())
    }

    /// Waits for the next connection.
    #[track_caller]
    pub fn connection(&self) -> TcpStream {
        let mut stream = None;
        eventually("a connection", || {
            stream = self.0.accept().ok().map(|(stream, _)| stream);
            stream.is_some()
        });
        stream.unwrap()
    }

    /// Waits for the next request.
    #[track_caller]
    pub fn arrival(&self) -> Arrival {
        let mut stream = self.connection();
        let request = read_request(&mut stream).expect("a request");
        let request = String::from_utf8(request).expect("text");
        let (head, body) = request.split_once("\r\n\r\n").expect("a head");
        let mut lines = head.lines().map(str::to_owned);
        let header = |line: String| {
            let (name, value) = line.split_once(": ").expect("a header");
            (name.to_owned(), value.to_owned())
        };
        Arrival {
            line: lines.next().expect("a line"),
            headers: lines.map(header).collect(),
            body: body.to_owned(),
            stream,
        }
    }

    /// Checks that nobody has connected except those accepted.
    #[track_caller]
    pub fn is_left_alone(&self) {
        let next = self.0.accept().map(|(_, from)| from);
        assert_eq!(next.expect_err("nobody").kind(), ErrorKind::WouldBlock);
    }
}

impl Arrival {
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(n, _)| n == name);
        &found.unwrap_or_else(|| panic!("no {name}")).1
    }

    #[track_caller]
    pub fn delivery(&self) -> String {
        let body: serde_json::Value = serde_json::from_str(&self.body).expect("JSON");
        super::text(&body["deliveryId"]).to_owned()
    }

    /// Responds without a body.
    pub fn status(self, status: u16) {
        self.raw(&format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n"));
    }

    /// Responds with these bytes and closes.
    pub fn raw(mut self, answer: &str) {
        // The sender may be gone.
        let _ = self.stream.write_all(answer.as_bytes());
    }

    /// Responds with these bytes and keeps the connection open while the returned stream is held.
    pub fn stall(mut self, answer: &str) -> TcpStream {
        let _ = self.stream.write_all(answer.as_bytes());
        self.stream
    }
}
