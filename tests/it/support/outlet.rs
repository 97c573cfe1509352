//! A receiver of raw TCP in the test's own process: it behaves as configured and records its requests. It outlives servers
//! that are killed.

use super::receiver::{chain, read_request, server_config, trickle};
use super::text;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

pub use super::receiver::CERTS;

/// A complete request.
#[derive(Clone, Debug)]
pub struct Post {
    pub path: String,
    pub body: String,
    /// The delivery id in the body.
    pub id: String,
}

impl Post {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a body of JSON")
    }
}

/// A TLS configuration that presents a certificate of `certs`.
pub fn tls_of(certificate: &str) -> ServerConfig {
    server_config(chain(&[certificate]), rustls::ALL_VERSIONS)
}

/// The response to a request.
pub enum Then {
    /// These bytes, then close.
    Say(Vec<u8>),
    /// These bytes, then the others repeatedly until the client is gone.
    Trickle(&'static str, &'static str),
    /// Nothing until the client is gone.
    Hang,
    /// Close.
    Close,
}

/// A response with this status and an empty body.
pub fn status(status: u16) -> Then {
    Then::Say(format!("HTTP/1.1 {status} -\r\nContent-Length: 0\r\n\r\n").into_bytes())
}

type Act = dyn Fn(&Post) -> Then + Send + Sync;

/// How connections are handled.
#[derive(Clone)]
pub enum Behavior {
    Reads(Arc<Act>),
    /// Sends this at once, whatever arrives.
    Blurts(&'static str),
    /// Resets the connection once something has arrived.
    Resets,
}

impl Behavior {
    pub fn reads(act: impl Fn(&Post) -> Then + Send + Sync + 'static) -> Behavior {
        Behavior::Reads(Arc::new(act))
    }

    /// Returns this status for everything.
    pub fn says(code: u16) -> Behavior {
        Behavior::reads(move |_| status(code))
    }

    pub fn hangs() -> Behavior {
        Behavior::reads(|_| Then::Hang)
    }
}

/// Blocks until it is opened.
#[derive(Clone, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    pub fn pass(&self) {
        let open = self.0.0.lock().unwrap();
        drop(self.0.1.wait_while(open, |open| !*open).unwrap());
    }
}

#[derive(Default)]
struct Kept {
    connections: AtomicUsize,
    /// Completed requests.
    ended: AtomicUsize,
    posts: Mutex<Vec<Post>>,
    /// Incomplete requests by path: now, and the maximum at one time.
    open: Mutex<BTreeMap<String, (usize, usize)>>,
}

/// The receiver.
pub struct Outlet {
    pub port: u16,
    behavior: Arc<Mutex<Behavior>>,
    kept: Arc<Kept>,
}

impl Outlet {
    pub fn new(behavior: Behavior) -> Outlet {
        Outlet::start(behavior, None)
    }

    /// Over TLS, with a certificate of `certs`.
    pub fn secure(certificate: &str, behavior: Behavior) -> Outlet {
        Outlet::start(behavior, Some(Arc::new(tls_of(certificate))))
    }

    fn start(behavior: Behavior, tls: Option<Arc<ServerConfig>>) -> Outlet {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let outlet = Outlet {
            port: listener.local_addr().expect("an address").port(),
            behavior: Arc::new(Mutex::new(behavior)),
            kept: Arc::default(),
        };
        let (behavior, kept) = (Arc::clone(&outlet.behavior), Arc::clone(&outlet.kept));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                kept.connections.fetch_add(1, Ordering::SeqCst);
                let (behavior, kept) = (behavior.lock().unwrap().clone(), Arc::clone(&kept));
                let tls = tls.clone();
                std::thread::spawn(move || meet(stream, tls, &behavior, &kept));
            }
        });
        outlet
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    pub fn https(&self, host: &str) -> String {
        format!("https://{host}:{}/", self.port)
    }

    /// Sets how later connections are handled.
    pub fn now(&self, behavior: Behavior) {
        *self.behavior.lock().unwrap() = behavior;
    }

    /// All connections, including those without a request.
    pub fn connections(&self) -> usize {
        self.kept.connections.load(Ordering::SeqCst)
    }

    /// Requests whose connection has ended.
    pub fn ended(&self) -> usize {
        self.kept.ended.load(Ordering::SeqCst)
    }

    /// In order of arrival.
    pub fn posts(&self) -> Vec<Post> {
        self.kept.posts.lock().unwrap().clone()
    }

    pub fn posts_to(&self, path: &str) -> Vec<Post> {
        let mut posts = self.posts();
        posts.retain(|post| post.path == path);
        posts
    }

    /// The maximum number of concurrent requests to a path.
    pub fn most_at_once(&self, path: &str) -> usize {
        let open = self.kept.open.lock().unwrap();
        open.get(path).map_or(0, |(_, most)| *most)
    }
}

trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

fn meet(socket: TcpStream, tls: Option<Arc<ServerConfig>>, behavior: &Behavior, kept: &Kept) {
    let act = match behavior {
        Behavior::Reads(act) => act,
        Behavior::Blurts(what) => {
            let mut socket = socket;
            let _ = socket.write_all(what.as_bytes());
            let _ = socket.read_to_end(&mut Vec::new());
            return;
        }
        Behavior::Resets => {
            // Unread bytes turn the close into a reset.
            let _ = socket.peek(&mut [0]);
            return;
        }
    };
    let raw = socket.try_clone().expect("a socket");
    let mut stream: Box<dyn Stream> = match tls {
        Some(config) => {
            let connection = ServerConnection::new(config).expect("a connection");
            Box::new(StreamOwned::new(connection, socket))
        }
        None => Box::new(socket),
    };
    let Some(post) = read(&mut *stream) else {
        return;
    };
    kept.posts.lock().unwrap().push(post.clone());
    {
        let mut open = kept.open.lock().unwrap();
        let (now, most) = open.entry(post.path.clone()).or_default();
        *now += 1;
        *most = (*most).max(*now);
    }
    let over = || {
        if let Some((now, _)) = kept.open.lock().unwrap().get_mut(&post.path) {
            *now -= 1;
        }
    };
    let then = act(&post);
    // Before the response, because its receiver may send the next request before this thread continues.
    let is_last_word = matches!(then, Then::Say(_) | Then::Close);
    if is_last_word {
        over();
    }
    match then {
        Then::Close => {}
        // Fails if the client has stopped reading.
        Then::Say(answer) => drop(stream.write_all(&answer).and_then(|()| stream.flush())),
        Then::Hang => drop(stream.read_to_end(&mut Vec::new())),
        Then::Trickle(head, piece) => {
            let pause = Some(Duration::from_millis(20));
            raw.set_read_timeout(pause).expect("a time-out");
            if stream.write_all(head.as_bytes()).is_ok() {
                trickle(&mut *stream, piece.as_bytes());
            }
        }
    }
    if !is_last_word {
        over();
    }
    kept.ended.fetch_add(1, Ordering::SeqCst);
}

/// A complete request; `None` if the client disconnects before its end.
fn read(stream: &mut dyn Stream) -> Option<Post> {
    let request = String::from_utf8(read_request(stream)?).expect("text");
    let (head, body) = request.split_once("\r\n\r\n")?;
    let json: Value = serde_json::from_str(body).unwrap_or_default();
    Some(Post {
        path: head.split(' ').nth(1)?.to_owned(),
        body: body.to_owned(),
        id: text(&json["deliveryId"]).to_owned(),
    })
}
