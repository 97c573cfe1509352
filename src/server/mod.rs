//! HTTP/1.1 over blocking sockets, and the dispatch of requests to edges.
//!
//! Everything that a stranger can make the process hold is bounded here: connections, bytes, and the *total* time that each
//! step may take, however the bytes trickle. The bytes are read and written here; `exchange` has the types that handlers see.
//!
//! | File | Part |
//! |---|---|
//! | `head` | bytes to a request head, or to the refusal (pure) |
//! | `body` | Content-Length and chunked bodies (pure) |
//! | `answer` | a response to bytes |
//! | `wire` | one socket: its input buffer and its deadlines |
//! | `connection` | the requests of one connection, in order |
//! | `registry` | who is connected, who is idle; draining at the end |
//! | `workers` | the threads that serve connections |
//! | `exchange` | requests and responses as handlers see them; the only file that knows rouille |
//! | `dispatch` | the edge that has a path; request ids, log lines, metrics |
//! | `problem` | requests that are not carried out |
//! | `room` | what requests may hold in memory |

mod answer;
mod body;
mod connection;
mod dispatch;
mod exchange;
mod head;
mod problem;
mod refusals;
mod registry;
pub mod room;
#[cfg(test)]
mod tests;
mod wire;
mod workers;

pub use answer::is_own as is_own_header;
pub use dispatch::{Dispatch, Edge, Outcome, REQUEST_ID};
pub use exchange::{Body, Header, Request, Response};
pub use problem::Problem;

use crate::fault;
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

/// How long the accept loop rests after an error, most often a lack of file descriptors.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

/// What one server, one connection and one request may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections open at once; one more closes the one that has waited longest for a request, or is answered 503 where none has
    /// waited for long.
    pub connections: usize,
    /// Bytes of a request line and its headers together; more is 431. Also bounds the trailers of a chunked body.
    pub head_bytes: usize,
    /// Header lines of a request; more is 431. At most 128.
    pub headers: usize,
    /// Bytes of a request body once decoded; more is 413.
    pub body_bytes: usize,
    /// Bytes of request bodies held at once, from their arrival to the end of their answer. Small ones do not count.
    pub bodies: memory::Limits,
    /// How long a body waits for room among the others; longer is 503.
    pub patience: Duration,
    /// How long a connection may wait between requests before it is closed without a word.
    pub idle: Duration,
    /// How long it may wait at least, however many others want its place.
    pub silence: Duration,
    /// How long a whole head may take from its first byte; longer is 408.
    pub head: Duration,
    /// How long a whole body may take from the end of its head; longer is 408.
    pub body: Duration,
    /// How long the client may take to accept a whole response; then the connection is closed.
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

/// A request that no handler sees, and the answer it gets.
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

/// What answers the requests. Called from many threads at once.
pub trait Service: Send + Sync + 'static {
    /// Answers one request.
    ///
    /// The method is as sent, `HEAD` too: answer it like `GET`, the body is left out on the way. A body of unknown size is read
    /// as it is sent; when its reader fails, the connection ends before the answer does. The raw URL is the
    /// request target as received, begins with `/` (or is `*` for OPTIONS) and is not decoded. These response headers
    /// are the loop's own and ignored here: Connection, Content-Length, Date, Keep-Alive, Trailer, Transfer-Encoding
    /// and Upgrade.
    fn handle(&self, request: &Request) -> Response;

    /// Renders the answer to a request that could not be read; the connection closes after it. Must not wait for
    /// anything: over the cap of connections it runs on the accepting thread.
    fn malformed(&self, problem: Malformed) -> Response;

    /// Answers a request whose body is over the limit; the connection closes after it. The request is shown without its
    /// body, so that whoever may not make it at all is told so instead.
    fn too_large(&self, request: &Request, problem: Malformed) -> Response;

    /// The caller that a large body is counted for while it is received; `None` where the head shows no good credential. The
    /// request is shown without its body, and is neither answered nor counted by this.
    fn account(&self, request: &Request) -> Option<String> {
        let _ = request;
        None
    }

    /// Renders the answer after [`Service::handle`] panicked with the message `panic`.
    fn panicked(&self, request: &Request, panic: &str) -> Response;

    /// The time for the `Date` header.
    fn date(&self) -> jiff::Timestamp;
}

/// What the accept loop, the connections and the stoppers share.
struct Shared {
    limits: Limits,
    stopping: AtomicBool,
    /// A duplicate of the listening socket: shutting it down wakes `accept`.
    listening: TcpStream,
    bodies: Arc<Budget>,
    registry: Registry,
    heartbeat: Heartbeat,
}

impl Shared {
    fn stopping(&self) -> bool {
        // Sequentially consistent, and `Open::idle` is behind a lock: either the connection sees the flag or the drain sees it idle.
        self.stopping.load(Ordering::SeqCst)
    }
}

/// A bound, not yet serving HTTP server.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    /// Binds `addr`, a `host:port` where port 0 picks a free one. From here on clients can connect; they are served
    /// by [`Server::run`].
    ///
    /// # Errors
    /// When the address does not parse or resolve, is in use or not ours to bind.
    pub fn bind(addr: &str, limits: Limits) -> io::Result<Server> {
        let listener = TcpListener::bind(addr)?;
        let address = listener.local_addr()?;
        let listening = TcpStream::from(OwnedFd::from(listener.try_clone()?));
        Ok(Server {
            listener,
            address,
            shared: Arc::new(Shared {
                bodies: Budget::new(limits.bodies),
                limits,
                stopping: AtomicBool::new(false),
                listening,
                registry: Registry::default(),
                heartbeat: Heartbeat::new("accept loop"),
            }),
        })
    }

    /// The address bound, with the real port.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// A handle that ends [`Server::run`] from another thread, also before it began.
    pub fn stopper(&self) -> Stopper {
        Stopper {
            shared: Arc::clone(&self.shared),
        }
    }

    /// What the accept loop does: it is idle while nobody connects.
    pub fn heartbeat(&self) -> Heartbeat {
        self.shared.heartbeat.clone()
    }

    /// Serves until stopped, or until the accept loop panics. Then closes idle connections at once, lets running requests
    /// finish for at most `grace`, cuts what is left and returns.
    pub fn run(self, service: Arc<dyn Service>, grace: Duration) {
        let Server {
            listener, shared, ..
        } = self;
        let accepting = AssertUnwindSafe(|| accept(&listener, &shared, &service));
        if let Err(panic) = catch_unwind(accepting) {
            log::error!("the accept loop panicked: {}", panic_message(&*panic));
            // Whoever waits to be let in is let go, and what runs is told to end.
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
        fault::point("accept.thread");
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(_) if shared.stopping() => break,
            Err(error) => {
                // Once a row: out of descriptors this comes back twenty times a second.
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

/// Ends a [`Server::run`]; clones do the same.
#[derive(Clone)]
pub struct Stopper {
    shared: Arc<Shared>,
}

impl Stopper {
    /// Asks the server to stop and returns at once. Doing it again changes nothing.
    pub fn stop(&self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Fails when it is shut already; the flag is what counts.
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
