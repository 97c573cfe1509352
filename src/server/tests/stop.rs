//! Shutdown.

use super::*;

#[test]
fn idle_connections_close_and_running_requests_finish() {
    let mut server = Running::start(Limits::default());
    let mut fresh = server.connect();
    let mut kept = server.connect();
    assert_eq!(kept.get("/a").status, 200);
    let mut running = server.connect();
    running.send(b"GET /wait HTTP/1.1\r\nHost: h\r\n\r\nGET /later HTTP/1.1\r\nHost: h\r\n\r\n");
    server.entered.recv_timeout(PATIENCE).expect("handled");

    server.stopper.stop();
    server.stopper.clone().stop();
    assert_eq!(kept.rest(), "");
    assert_eq!(fresh.rest(), "");
    server.open.send(()).expect("waiting");
    let answer = running.answer();
    assert_eq!(answer.body, "waited");
    assert!(answer.closes());
    // The pipelined request was not started, and the client can tell.
    assert_eq!(running.rest(), "");
    drop(running);
    server.join();
    assert_eq!(server.handled(), 2);
    assert!(TcpStream::connect(server.address).is_err());
}

#[test]
fn the_grace_ends() {
    let grace = Duration::from_millis(100);
    let mut server = Running::with_grace(Limits::default(), grace);
    let mut running = server.connect();
    running.send(b"GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    server.entered.recv_timeout(PATIENCE).expect("handled");
    let began = monotonic();
    server.stopper.stop();
    server.join();
    assert!(began.elapsed() >= grace);
    assert!(began.elapsed() < PATIENCE);
    server.open.send(()).expect("still waiting");
    assert_eq!(running.rest(), "");
}

#[test]
fn stopping_does_not_wait_for_the_grace() {
    let mut server = Running::start(Limits::default());
    let clients: Vec<Client> = (0..20).map(|_| server.connect()).collect();
    let began = monotonic();
    server.stopper.stop();
    server.join();
    assert!(began.elapsed() < GRACE);
    drop(clients);
}

#[test]
fn stopping_before_running() {
    let server = Server::bind("127.0.0.1:0", Limits::default(), TrustedProxies::default())
        .expect("a free port");
    let address = server.local_addr();
    server.stopper().stop();
    let (entered, _) = channel();
    let (_, open) = channel();
    let toy = Toy {
        handled: AtomicUsize::new(0),
        gate: Mutex::new(Gate { entered, open }),
    };
    server.run(Arc::new(toy), GRACE);
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn an_address_in_use_is_an_error() {
    let server = Running::start(Limits::default());
    assert!(
        Server::bind(
            &server.address.to_string(),
            Limits::default(),
            TrustedProxies::default()
        )
        .is_err()
    );
    assert!(Server::bind("nonsense", Limits::default(), TrustedProxies::default()).is_err());
}
