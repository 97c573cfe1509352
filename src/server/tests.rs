//! Tests over TCP with raw bytes, against a small test service.

use crate::runtime::clock::monotonic;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use super::*;
use jiff::Timestamp;

mod abuse;
mod dispatch;
mod exchange;
mod fuzz;
mod stop;

/// How long a test waits for an expected event.
const PATIENCE: Duration = Duration::from_secs(10);
const GRACE: Duration = Duration::from_secs(8);

/// Signals that a handler at `/wait` has started, and blocks it.
struct Gate {
    entered: Sender<()>,
    open: Receiver<()>,
}

struct Toy {
    handled: AtomicUsize,
    gate: Mutex<Gate>,
}

impl Service for Toy {
    fn handle(&self, request: &Request) -> Response {
        self.handled.fetch_add(1, Ordering::SeqCst);
        let path = request.target();
        match path.split_once('?').unwrap_or((path, "")) {
            ("/wait", _) => {
                let gate = self.gate.lock().expect("no panic under it");
                gate.entered.send(()).expect("the test waits");
                gate.open.recv().expect("the test opens");
                text(200, "waited")
            }
            ("/panic", _) => panic!("out of {}", "order"),
            ("/large", size) => {
                let size = size.parse().expect("a size");
                Response::new(200, "text/plain", Body::from_data(vec![b'x'; size]))
            }
            ("/stream", size) => stream(size, None),
            ("/broken-stream", size) => stream(size, Some(ErrorKind::Other)),
            ("/unknown-size", _) => {
                let body = Body::from_reader(&b"of a reader"[..]);
                Response::new(200, "text/plain", body)
            }
            ("/empty", _) => Response::empty(204),
            ("/same", _) => text(304, "not sent"),
            ("/split", _) => text(200, "split").with("Location", "/\r\nSet-Cookie: a=b"),
            _ => {
                let body = request.take_body().expect("it is in memory");
                let body = String::from_utf8(body).expect("text");
                let host = request.header("Host").unwrap_or("-");
                text(200, format!("{} {path} {host} {body}", request.method()))
            }
        }
    }

    fn too_large(&self, _: &Request, problem: Malformed) -> Response {
        self.malformed(problem)
    }

    fn malformed(&self, problem: Malformed) -> Response {
        text(problem.status, problem.detail)
    }

    fn panicked(&self, request: &Request, panic: &str) -> Response {
        text(500, format!("{} {panic}", request.target()))
    }

    fn date(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
}

fn text(status: u16, body: impl Into<String>) -> Response {
    Response::new(status, "text/plain", Body::from_data(body.into()))
}

/// A body of unknown size that ends, or fails, after `size` bytes.
fn stream(size: &str, failure: Option<ErrorKind>) -> Response {
    struct End(Option<ErrorKind>);
    impl Read for End {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            self.0.map_or(Ok(0), |kind| Err(kind.into()))
        }
    }
    let size = size.parse().expect("a size");
    let body = std::io::Cursor::new(vec![b'x'; size]).chain(End(failure));
    Response::new(200, "text/plain", Body::from_reader(body))
}

/// A running server that is stopped at the end of the test.
struct Running {
    address: SocketAddr,
    stopper: Stopper,
    toy: Arc<Toy>,
    entered: Receiver<()>,
    open: Sender<()>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn start(limits: Limits) -> Running {
        Running::with_grace(limits, GRACE)
    }

    fn with_grace(limits: Limits, grace: Duration) -> Running {
        let (entering, entered) = channel();
        let (open, opened) = channel();
        let toy = Arc::new(Toy {
            handled: AtomicUsize::new(0),
            gate: Mutex::new(Gate {
                entered: entering,
                open: opened,
            }),
        });
        let server =
            Server::bind("127.0.0.1:0", limits, TrustedProxies::default()).expect("a free port");
        let (address, stopper) = (server.local_addr(), server.stopper());
        let service: Arc<dyn Service> = toy.clone();
        let thread = std::thread::spawn(move || server.run(service, grace));
        Running {
            address,
            stopper,
            toy,
            entered,
            open,
            thread: Some(thread),
        }
    }

    fn connect(&self) -> Client {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        stream.set_write_timeout(Some(PATIENCE)).expect("a socket");
        Client {
            stream,
            received: Vec::new(),
        }
    }

    /// Sends `bytes` on a new connection and returns everything received until it is closed.
    fn exchange(&self, bytes: &[u8]) -> String {
        let mut client = self.connect();
        client.send(bytes);
        client.rest()
    }

    fn handled(&self) -> usize {
        self.toy.handled.load(Ordering::SeqCst)
    }

    /// Waits until no connection is being served: a client has its response before its connection is idle again.
    fn until_idle(&self) {
        let began = monotonic();
        while !self.stopper.shared.registry.is_idle() {
            assert!(began.elapsed() < PATIENCE, "a connection stays busy");
            std::thread::yield_now();
        }
    }

    /// Waits until `run` has returned.
    fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server does not panic");
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
        if !std::thread::panicking() {
            self.join();
        }
    }
}

struct Client {
    stream: TcpStream,
    received: Vec<u8>,
}

impl Client {
    fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("it reads");
    }

    fn get(&mut self, target: &str) -> Answer {
        self.send(format!("GET {target} HTTP/1.1\r\nHost: h\r\n\r\n").as_bytes());
        self.answer()
    }

    /// The next response, with the announced body.
    fn answer(&mut self) -> Answer {
        let head = self.take_until(|bytes| {
            let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
            end.map(|at| at + 4)
        });
        let head = String::from_utf8(head).expect("text");
        let mut answer = Answer {
            status: head[9..12].parse().expect("a status"),
            head,
            body: String::new(),
        };
        let length = answer.header("Content-Length");
        let length: usize = length.map_or(0, |length| length.parse().expect("a number"));
        let body = self.take_until(|bytes| (bytes.len() >= length).then_some(length));
        answer.body = String::from_utf8(body).expect("text");
        answer
    }

    fn take_until(&mut self, end: impl Fn(&[u8]) -> Option<usize>) -> Vec<u8> {
        loop {
            if let Some(end) = end(&self.received) {
                let rest = self.received.split_off(end);
                return std::mem::replace(&mut self.received, rest);
            }
            let mut buffer = [0; 4096];
            match self.stream.read(&mut buffer).expect("an answer in time") {
                0 => panic!(
                    "closed after {:?}",
                    self.received.escape_ascii().to_string()
                ),
                count => self.received.extend_from_slice(&buffer[..count]),
            }
        }
    }

    /// Everything received until the server closes the connection properly.
    fn rest(&mut self) -> String {
        self.stream
            .read_to_end(&mut self.received)
            .expect("closed, not reset, and in time");
        String::from_utf8(std::mem::take(&mut self.received)).expect("text")
    }
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    fn closes(&self) -> bool {
        self.header("Connection") == Some("close")
    }
}
