//! A small HTTP client on raw sockets: keep-alive connections that send requests as fast as they are answered.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// Threads for [`rate`] that drive many connections: each sends on all of its own, then reads all responses, so that
/// the client costs little compared to the server.
pub const FEW: usize = 2;

/// One keep-alive connection.
pub struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// A response: its status, headers and body.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// The headers in order.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.head
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(": "))
    }
}

impl Client {
    /// Connects.
    pub fn connect(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_nodelay(true).expect("an open socket");
        // If the server hangs, the benchmark fails instead of hanging.
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("an open socket");
        Client {
            stream,
            buffer: Vec::new(),
        }
    }

    /// Sends a request and waits for its response.
    pub fn ask(&mut self, request: &[u8]) -> Answer {
        self.send(request);
        let (status, head, end) = self.receive();
        let answer = Answer {
            status,
            head: String::from_utf8_lossy(&self.buffer[..head]).into_owned(),
            body: self.buffer[head + 4..end].to_vec(),
        };
        self.buffer.drain(..end);
        answer
    }

    fn send(&mut self, request: &[u8]) {
        self.stream.write_all(request).expect("a request goes out");
    }

    /// Waits for a whole response: its status, and where its head and its body end.
    fn receive(&mut self) -> (u16, usize, usize) {
        let mut piece = [0; 16 * 1024];
        loop {
            if let Some(found) = whole(&self.buffer) {
                return found;
            }
            let count = self.stream.read(&mut piece).expect("an answer comes back");
            assert!(count > 0, "the server closed the connection");
            self.buffer.extend_from_slice(&piece[..count]);
        }
    }
}

fn whole(bytes: &[u8]) -> Option<(u16, usize, usize)> {
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let status = std::str::from_utf8(bytes.get(9..12)?).ok()?.parse().ok()?;
    let text = std::str::from_utf8(&bytes[..head]).expect("a head in ASCII");
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("Content-Length: "));
    let length: usize = length.map_or(0, |length| length.parse().expect("a length"));
    let end = head + 4 + if status == 304 { 0 } else { length };
    (bytes.len() >= end).then_some((status, head, end))
}

/// A request as bytes.
pub fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n");
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    if !body.is_empty() {
        text += &format!(
            "Content-Type: application/json\r\nContent-Length: {}\r\n",
            body.len()
        );
    }
    (text + "\r\n" + body).into_bytes()
}

/// Requests per second over one connection per element, which repeats its requests, from `threads` threads. Every response
/// must have this status.
pub fn rate(
    address: SocketAddr,
    connections: &[Vec<Vec<u8>>],
    threads: usize,
    status: u16,
    time: Duration,
) -> f64 {
    let share = connections.len().div_ceil(threads.min(connections.len()));
    let drive = |mine: &[Vec<Vec<u8>>]| -> f64 {
        let mut clients: Vec<Client> = mine.iter().map(|_| Client::connect(address)).collect();
        let begun = Instant::now();
        let mut rounds = 0;
        while begun.elapsed() < time {
            for (client, requests) in clients.iter_mut().zip(mine) {
                client.send(&requests[rounds % requests.len()]);
            }
            for client in &mut clients {
                let (answered, _, end) = client.receive();
                assert_eq!(
                    answered,
                    status,
                    "{}",
                    String::from_utf8_lossy(&client.buffer)
                );
                client.buffer.drain(..end);
            }
            rounds += 1;
        }
        (rounds * mine.len()) as f64 / begun.elapsed().as_secs_f64()
    };
    thread::scope(|scope| {
        let threads: Vec<_> = connections
            .chunks(share)
            .map(|mine| scope.spawn(move || drive(mine)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a client that does not fail"))
            .sum()
    })
}

/// Processor time that this thread has used, in seconds.
pub fn thread_time() -> f64 {
    let figures = std::fs::read_to_string("/proc/thread-self/schedstat").expect("its schedule");
    let used = figures.split_whitespace().next().expect("a first figure");
    used.parse::<f64>().expect("nanoseconds") / 1e9
}
