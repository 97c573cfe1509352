//! The baseline: the program's HTTP loop with a handler that returns a prepared response. The difference is the cost of
//! the API.

use rota::runtime::clock::Clock;
use rota::server::{
    Body, Header, Limits, Malformed, Request, Response, Server, Service, TrustedProxies,
};
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

/// Runs this program as the baseline server.
pub const ARGUMENT: &str = "serve-bare";

struct Bare {
    headers: Vec<Header>,
    body: Vec<u8>,
    clock: Clock,
}

impl Service for Bare {
    /// The response, or 304 if the request has a validator.
    fn handle(&self, request: &Request) -> Response {
        let known = request.header("If-None-Match").is_some();
        let body = if known {
            Body::empty()
        } else {
            Body::from_data(self.body.clone())
        };
        Response {
            status: if known { 304 } else { 200 },
            headers: self.headers.clone(),
            body,
            least_rate: None,
        }
    }

    fn malformed(&self, problem: Malformed) -> Response {
        Response::new(
            problem.status,
            "text/plain",
            Body::from_data(problem.detail),
        )
    }

    fn too_large(&self, _: &Request, problem: Malformed) -> Response {
        self.malformed(problem)
    }

    fn panicked(&self, _: &Request, _: &str) -> Response {
        Response::empty(500)
    }

    fn date(&self) -> jiff::Timestamp {
        self.clock.now()
    }
}

/// Reads the response from standard input, prints the address and serves until killed.
pub fn serve() {
    let mut input = Vec::new();
    std::io::stdin()
        .read_to_end(&mut input)
        .expect("an answer to give");
    let end = input
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .expect("a head");
    let head = String::from_utf8(input[..end].to_vec()).expect("a head in ASCII");
    let own = ["Date", "Content-Length", "Connection"];
    let headers = head
        .lines()
        .filter_map(|line| line.split_once(": "))
        .filter(|(name, _)| !own.contains(name));
    let headers = headers
        .map(|(name, value)| (name.to_owned().into(), value.to_owned().into()))
        .collect();
    let server = Server::bind("127.0.0.1:0", Limits::default(), TrustedProxies::default())
        .expect("a free port");
    println!("{}", server.local_addr());
    std::io::stdout().flush().expect("an open output");
    server.run(
        Arc::new(Bare {
            headers,
            body: input[end + 4..].to_vec(),
            clock: Clock::system(),
        }),
        Duration::ZERO,
    );
}
