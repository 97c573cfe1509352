//! HTTP/1.1 over blocking sockets, and the dispatch of requests to edges.
//!
//! This module bounds everything that a client can make the process hold: connections, bytes, and the *total* time of each
//! step, even if the bytes trickle. It reads and writes the bytes; `exchange` has the types that handlers see.
//!
//! | File | Part |
//! |---|---|
//! | `head` | parses a request head (pure) |
//! | `body` | Content-Length and chunked bodies (pure) |
//! | `answer` | serializes responses |
//! | `wire` | one socket with its input buffer and deadlines |
//! | `connection` | the requests of one connection, in order |
//! | `registry` | open and idle connections; draining at shutdown |
//! | `workers` | threads that serve connections |
//! | `exchange`, `response` | requests and responses as handlers see them; only `exchange` knows rouille |
//! | `dispatch` | dispatch to edges; request ids, log lines, metrics |
//! | `switch` | another service in the place of one, while requests are answered |
//! | `problem` | problem responses |
//! | `proxies` | the client behind a trusted proxy (pure) |
//! | `rate` | rate limits of credentials, and of failed ones of an address |
//! | `room` | memory budget of requests and responses |

mod answer;
mod body;
mod connection;
mod dispatch;
mod exchange;
mod head;
mod headers;
mod problem;
mod proxies;
pub mod rate;
mod refusals;
mod registry;
mod response;
pub mod room;
mod switch;
#[cfg(test)]
mod tests;
mod wire;
mod workers;

pub use answer::is_own as is_own_header;
pub use dispatch::{Dispatch, Edge, Gate, Outcome};
pub use exchange::{Body, Request};
pub use problem::Problem;
pub use proxies::{REQUEST_ID, Scheme, TrustedProxies};
pub use response::{Header, Response};
pub use switch::Switch;

use crate::failpoint;
use crate::memory::{self, Budget};
use crate::runtime::heartbeat::Heartbeat;
use std::any::Any;
use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use refusals::Refusals;
use registry::{Open, Registry};
use workers::Workers;

/// The pause of the accept loop after an error, usually a lack of file descriptors.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

/// The limits of one server, one connection and one request.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Open connections. One more closes the connection that has been idle for longest, or gets 503 if none has been idle for
    /// long.
    pub connections: usize,
    /// Bytes of a request line and its headers together; more is 431. Also limits the trailers of a chunked body.
    pub head_bytes: usize,
    /// Header lines of a request; more is 431. At most 128.
    pub headers: usize,
    /// Bytes of a decoded request body; more is 413.
    pub body_bytes: usize,
    /// Bytes of request bodies held at once, from arrival until the response is sent. Small bodies are not counted.
    pub bodies: memory::Limits,
    /// How long a body waits for memory; longer is 503.
    pub patience: Duration,
    /// How long a connection may be idle before it is closed without a response.
    pub idle: Duration,
    /// How long it may be idle at least, even at the connection limit.
    pub silence: Duration,
    /// How long a head may take from its first byte; longer is 408.
    pub head: Duration,
    /// How long a body may take from the end of its head; longer is 408.
    pub body: Duration,
    /// How long the client may take to accept a whole response; after that the connection is closed.
    pub write: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 1000,
            head_bytes: 16 * 1024,
            headers: 100,
            body_bytes: 1024 * 1024,
            bodies: memory::Limits {
                all: 32 * 1024 * 1024,
                address: 16 * 1024 * 1024,
                credential: 8 * 1024 * 1024,
            },
            patience: Duration::from_secs(5),
            idle: Duration::from_secs(60),
            silence: Duration::from_secs(1),
            head: Duration::from_secs(10),
            body: Duration::from_secs(20),
            write: Duration::from_secs(20),
        }
    }
}

/// A request that no handler sees, and its error response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// 400, 408, 413, 417, 431, 501, 503 or 505.
    pub status: u16,
    /// For people: what is wrong and what to send instead.
    pub detail: String,
}

impl Malformed {
    fn new(status: u16, detail: impl Into<String>) -> Malformed {
        Malformed {
            status,
            detail: detail.into(),
        }
    }
}

/// Answers requests. Called from many threads concurrently.
pub trait Service: Send + Sync + 'static {
    /// Answers one request.
    ///
    /// The method is as sent, including `HEAD`: answer it like `GET`; the server omits the body. A body of unknown size is
    /// read while it is sent; if its reader fails, the connection closes before the response is complete. The URL is the
    /// request target as received: it begins with `/` (or is `*` for OPTIONS) and is not decoded. The server sets these
    /// response headers itself and ignores the handler's: Connection, Content-Length, Date, Keep-Alive, Trailer,
    /// Transfer-Encoding and Upgrade.
    fn handle(&self, request: &Request) -> Response;

    /// Renders the response to an unreadable request; the connection closes after it. Must not block: at the connection limit
    /// it runs on the accepting thread.
    fn malformed(&self, problem: Malformed) -> Response;

    /// Answers a request whose body exceeds the limit; the connection closes after it. The request has no body, so that
    /// an earlier refusal, such as of the credential, can take precedence.
    fn too_large(&self, request: &Request, problem: Malformed) -> Response;

    /// The caller that a large body is counted for while it is received. `None` if the head has no valid credential. The
    /// request has no body, and this call neither answers nor counts it.
    fn account(&self, request: &Request) -> Option<String> {
        let _ = request;
        None
    }

    /// Renders the response after [`Service::handle`] panicked with the message `panic`.
    fn panicked(&self, request: &Request, panic: &str) -> Response;

    /// The time for the `Date` header.
    fn date(&self) -> jiff::Timestamp;
}

/// The state shared by the accept loop, the connections and the stoppers.
struct Shared {
    limits: Limits,
    proxies: TrustedProxies,
    stopping: AtomicBool,
    /// A duplicate of the listening socket: shutting it down wakes `accept`.
    listening: TcpStream,
    bodies: Arc<Budget>,
    registry: Registry,
    heartbeat: Heartbeat,
}

impl Shared {
    fn stopping(&self) -> bool {
        // Sequentially consistent, and `Open::idle` has a lock: either the connection sees the flag or the drain sees it idle.
        self.stopping.load(Ordering::SeqCst)
    }
}

/// A bound HTTP server that is not serving yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    /// Binds `addr`, a `host:port`; port 0 selects a free port. Clients can connect from now on and are served by
    /// [`Server::run`]. The headers of `proxies` name the client of a request.
    ///
    /// # Errors
    /// If the address does not parse or resolve, is in use, or may not be bound.
    pub fn bind(addr: &str, limits: Limits, proxies: TrustedProxies) -> io::Result<Server> {
        let listener = TcpListener::bind(addr)?;
        let address = listener.local_addr()?;
        let listening = TcpStream::from(OwnedFd::from(listener.try_clone()?));
        Ok(Server {
            listener,
            address,
            shared: Arc::new(Shared {
                bodies: Budget::new(limits.bodies),
                limits,
                proxies,
                stopping: AtomicBool::new(false),
                listening,
                registry: Registry::default(),
                heartbeat: Heartbeat::new("accept loop"),
            }),
        })
    }

    /// The bound address with the real port.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// A handle that stops [`Server::run`] from another thread, even before it starts.
    pub fn stopper(&self) -> Stopper {
        Stopper {
            shared: Arc::clone(&self.shared),
        }
    }

    /// The heartbeat of the accept loop, which is idle between connections.
    pub fn heartbeat(&self) -> Heartbeat {
        self.shared.heartbeat.clone()
    }

    /// Serves until stopped, or until the accept loop panics. Then closes idle connections at once, waits at most `grace` for
    /// running requests, and closes the remaining connections.
    pub fn run(self, service: Arc<dyn Service>, grace: Duration) {
        let Server {
            listener, shared, ..
        } = self;
        let accepting = AssertUnwindSafe(|| accept(&listener, &shared, &service));
        if let Err(panic) = catch_unwind(accepting) {
            log::error!("the accept loop panicked: {}", panic_message(&*panic));
            // Refuses clients that wait for a connection and lets running requests end.
            shared.stopping.store(true, Ordering::SeqCst);
        }
        drop(listener);
        shared.registry.close_idle();
        shared
            .registry
            .drain(crate::runtime::clock::monotonic() + grace);
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>, service: &Arc<dyn Service>) {
    let workers = Workers::default();
    let mut refusals = Refusals::new(Arc::clone(service));
    let mut failing = false;
    let _guard = shared.heartbeat.start();
    while !shared.stopping() {
        shared.heartbeat.idle();
        let accepted = listener.accept();
        shared.heartbeat.beat();
        failpoint::point("accept.thread");
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(_) if shared.stopping() => break,
            Err(error) => {
                // Logged once per series: without descriptors this repeats twenty times a second.
                if !failing {
                    log::warn!("cannot accept connections, retrying: {error}");
                }
                failing = true;
                std::thread::sleep(ACCEPT_RETRY);
                continue;
            }
        };
        failing = false;
        let open = Arc::new(Open::new(stream, peer));
        let Some(entry) = Registry::enter(shared, &open) else {
            refusals.too_many(open, shared.limits.connections);
            continue;
        };
        refusals.over();
        let (serving, service) = (Arc::clone(shared), Arc::clone(service));
        let started = workers.run(Box::new(move || {
            connection::serve(entry.open(), &serving, &*service);
        }));
        if let Err(error) = started {
            log::warn!("cannot start a thread for a connection: {error}");
            refusals.no_thread(open);
        }
    }
}

/// Stops a [`Server::run`]. Clones do the same.
#[derive(Clone)]
pub struct Stopper {
    shared: Arc<Shared>,
}

impl Stopper {
    /// Asks the server to stop and returns at once. Idempotent.
    pub fn stop(&self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Fails if it is already shut down. The flag decides.
        let _ = self.shared.listening.shutdown(Shutdown::Both);
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    if let Some(text) = panic.downcast_ref::<&str>() {
        text
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text
    } else {
        "a panic without a message"
    }
}
