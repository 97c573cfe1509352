//! Names and their addresses.

use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use super::server::{End, LIMITS, LONG, SHORT, Sender, answering, limits, rules, tls};
use super::{HEADERS, answered, post, request};
use crate::client::guard::{GuardedClient, Rules};
use crate::client::lookup::{self, LookUp};
use crate::client::{Limits, UrlError};
use crate::domain::address::AllowedNetworks;
use crate::domain::webhook::SendError;
use crate::runtime::clock::monotonic;

fn sender(rules: Rules, limits: Limits, look_up: Arc<LookUp>) -> Sender {
    let check_within = limits.total - limits.body;
    let client = GuardedClient::with(&tls(), rules, check_within, look_up);
    Sender { client, limits }
}

/// rules.md 16.6.
#[test]
fn a_name_that_turns_private_is_not_dialled() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = AtomicUsize::new(0);
    let turning = Arc::new(move |_: &str, port| {
        let address = match asked.fetch_add(1, Ordering::Relaxed) {
            0 => [93, 184, 215, 14],
            _ => [127, 0, 0, 1],
        };
        Ok(vec![SocketAddr::from((address, port))])
    });
    let rules = Rules {
        allowed_networks: AllowedNetworks::default(),
        ..rules()
    };
    let sender = sender(rules, LIMITS, turning);
    let url = format!("http://turns.example:{port}/");
    let target = sender.client.url(&url).expect("a target");
    assert_eq!(sender.client.check(&target), Ok(()));
    let exchange = post(&sender, &url);
    assert_eq!(exchange.end, End::Failed(SendError::PrivateAddress));
    assert_eq!(exchange.duration, None);
    let headers = sender.client.headers(&request(&url, HEADERS, b"{}"));
    assert_eq!(headers.len(), 4 + HEADERS.len());
    listener.set_nonblocking(true).unwrap();
    let dialled = listener.accept().expect_err("nothing was dialled");
    assert_eq!(dialled.kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn one_private_address_refuses_the_name() {
    let rules = Rules {
        allowed_networks: AllowedNetworks::default(),
        ..rules()
    };
    // After more public addresses than are ever tried.
    let mixed = Arc::new(|_: &str, port| {
        let mut all = vec![SocketAddr::from(([93, 184, 215, 14], port)); 20];
        all.push(SocketAddr::from(([10, 1, 2, 3], port)));
        Ok(all)
    });
    let sender = sender(rules, LIMITS, mixed);
    let target = sender
        .client
        .url("https://mixed.example/")
        .expect("a target");
    let bad = sender.client.check(&target).expect_err("a private address");
    assert!(matches!(bad, UrlError::PrivateAddress(_)), "{bad:?}");
    assert!(bad.detail().starts_with("url: "), "{bad}");
    let names = ["mixed.example", " private "];
    assert!(
        names.iter().all(|word| bad.detail().contains(word)),
        "{bad}"
    );
    // The error must not reveal what a name of the inner network resolves to.
    assert!(!bad.detail().contains("10.1.2.3"), "{bad}");
    let exchange = post(&sender, target.as_str());
    assert_eq!(exchange.end, End::Failed(SendError::PrivateAddress));
}

/// Notations of this machine's address that the system's resolver understands.
#[test]
fn addresses_are_judged_and_never_strings() {
    let rules = Rules {
        allowed_networks: AllowedNetworks::default(),
        ..rules()
    };
    let sender = sender(rules, LIMITS, Arc::new(lookup::system));
    for (host, range) in [
        ("127.0.0.1", "loopback"),
        ("127.1", "loopback"),
        ("0x7f.1", "loopback"),
        ("0177.0.0.1", "loopback"),
        ("2130706433", "loopback"),
        ("localhost", "loopback"),
        ("localhost.", "loopback"),
        ("[::1]", "loopback"),
        ("[::ffff:127.0.0.1]", "loopback"),
        ("[::FFFF:7f00:1]", "loopback"),
        ("0", "unspecified"),
        ("[::]", "unspecified"),
        ("169.254.169.254", "metadata"),
        ("[64:ff9b::a9fe:a9fe]", "metadata"),
    ] {
        let target = sender.client.url(&format!("https://{host}/")).expect(host);
        match sender.client.check(&target) {
            Err(UrlError::PrivateAddress(detail)) => {
                assert!(detail.contains(&format!(" {range} ")), "{host}: {detail}");
            }
            // Not every system supports these notations; then there is nothing to connect to.
            Err(UrlError::HostNotResolvable(_)) if !host.starts_with('[') => {}
            other => panic!("{host}: {other:?}"),
        }
    }
}

#[test]
fn names_without_addresses_are_told_apart() {
    let none = Arc::new(|_: &str, _| Err(std::io::Error::other("no such name")));
    let sender = sender(rules(), LIMITS, none);
    let target = sender
        .client
        .url("https://nowhere.example/")
        .expect("a target");
    let bad = sender.client.check(&target).expect_err("no address");
    assert!(matches!(bad, UrlError::HostNotResolvable(_)), "{bad:?}");
    let exchange = post(&sender, target.as_str());
    assert_eq!(exchange.end, End::Failed(SendError::NameResolution));
    assert_eq!(exchange.duration, None);

    let (release, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    let hangs = Arc::new(move |_: &str, _| {
        let _ = held.lock().unwrap().recv();
        Ok(Vec::new())
    });
    let sender = self::sender(rules(), limits(SHORT, LONG), hangs);
    let started = monotonic();
    let bad = sender.client.check(&target).expect_err("no answer");
    assert!(matches!(bad, UrlError::HostNotResolvable(_)), "{bad:?}");
    let exchange = post(&sender, target.as_str());
    assert_eq!(exchange.end, End::Failed(SendError::Timeout));
    assert_eq!(exchange.duration, None);
    assert!(monotonic() - started < LONG / 4);
    drop(release);
}

#[test]
fn the_next_address_is_tried() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = free.local_addr().unwrap();
    drop(free);
    let (port, served) = answering("HTTP/1.1 204 No Content\r\n\r\n");
    let two =
        Arc::new(move |_: &str, port| Ok(vec![closed, SocketAddr::from(([127, 0, 0, 1], port))]));
    let sender = sender(rules(), LIMITS, two);
    let exchange = post(&sender, &format!("http://two.example:{port}/"));
    assert_eq!(exchange.end, answered(204, ""));
    served.join().unwrap();
}
