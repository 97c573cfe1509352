//! Names and the addresses behind them.

use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use super::server::{BUDGET, LONG, SHORT, answering, rules};
use super::{HEADERS, answered, post};
use crate::client::{BadTarget, Budget, Dialler, End, Rules, SendError, lookup};
use crate::domain::address::Openings;
use crate::runtime::clock::monotonic;

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
        openings: Openings::default(),
        ..rules()
    };
    let dialler = Dialler::with(rules, BUDGET, turning).expect("a dialler");
    let url = format!("http://turns.example:{port}/");
    let target = dialler.target(&url).expect("a target");
    assert_eq!(dialler.judge(&target), Ok(()));
    let exchange = post(&dialler, &url);
    assert_eq!(exchange.end, End::Failed(SendError::PrivateAddress));
    assert_eq!(exchange.duration, None);
    let headers = dialler.request_headers(&url, HEADERS, 2);
    assert_eq!(headers.len(), 4 + HEADERS.len());
    listener.set_nonblocking(true).unwrap();
    let dialled = listener.accept().expect_err("nothing was dialled");
    assert_eq!(dialled.kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn one_private_address_refuses_the_name() {
    let rules = Rules {
        openings: Openings::default(),
        ..rules()
    };
    // Behind more public ones than are ever tried.
    let mixed = Arc::new(|_: &str, port| {
        let mut all = vec![SocketAddr::from(([93, 184, 215, 14], port)); 20];
        all.push(SocketAddr::from(([10, 1, 2, 3], port)));
        Ok(all)
    });
    let dialler = Dialler::with(rules, BUDGET, mixed).expect("a dialler");
    let target = dialler.target("https://mixed.example/").expect("a target");
    let bad = dialler.judge(&target).expect_err("a private address");
    assert!(matches!(bad, BadTarget::PrivateAddress(_)), "{bad:?}");
    assert!(bad.detail().starts_with("url: "), "{bad}");
    let names = ["mixed.example", " private "];
    assert!(
        names.iter().all(|word| bad.detail().contains(word)),
        "{bad}"
    );
    // The answer must not tell what a name of the inner network resolves to.
    assert!(!bad.detail().contains("10.1.2.3"), "{bad}");
    let exchange = post(&dialler, target.as_str());
    assert_eq!(exchange.end, End::Failed(SendError::PrivateAddress));
}

/// Spellings of this machine, as the system's resolver understands them.
#[test]
fn addresses_are_judged_and_never_strings() {
    let rules = Rules {
        openings: Openings::default(),
        ..rules()
    };
    let dialler = Dialler::with(rules, BUDGET, Arc::new(lookup::system)).expect("a dialler");
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
        let target = dialler.target(&format!("https://{host}/")).expect(host);
        match dialler.judge(&target) {
            Err(BadTarget::PrivateAddress(detail)) => {
                assert!(detail.contains(&format!(" {range} ")), "{host}: {detail}");
            }
            // Not every system knows these, and then there is nothing to dial.
            Err(BadTarget::HostNotResolvable(_)) if !host.starts_with('[') => {}
            other => panic!("{host}: {other:?}"),
        }
    }
}

#[test]
fn names_without_addresses_are_told_apart() {
    let none = Arc::new(|_: &str, _| Err(std::io::Error::other("no such name")));
    let dialler = Dialler::with(rules(), BUDGET, none).expect("a dialler");
    let target = dialler
        .target("https://nowhere.example/")
        .expect("a target");
    let bad = dialler.judge(&target).expect_err("no address");
    assert!(matches!(bad, BadTarget::HostNotResolvable(_)), "{bad:?}");
    let exchange = post(&dialler, target.as_str());
    assert_eq!(exchange.end, End::Failed(SendError::NameResolution));
    assert_eq!(exchange.duration, None);

    let (release, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    let hangs = Arc::new(move |_: &str, _| {
        let _ = held.lock().unwrap().recv();
        Ok(Vec::new())
    });
    let budget = Budget {
        head: SHORT,
        judge: SHORT,
        ..BUDGET
    };
    let dialler = Dialler::with(rules(), budget, hangs).expect("a dialler");
    let started = monotonic();
    let bad = dialler.judge(&target).expect_err("no answer");
    assert!(matches!(bad, BadTarget::HostNotResolvable(_)), "{bad:?}");
    let exchange = post(&dialler, target.as_str());
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
    let dialler = Dialler::with(rules(), BUDGET, two).expect("a dialler");
    let exchange = post(&dialler, &format!("http://two.example:{port}/"));
    assert_eq!(exchange.end, answered(204, ""));
    served.join().unwrap();
}
