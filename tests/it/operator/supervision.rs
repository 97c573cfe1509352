//! Threads that end, and notifications to systemd.

use super::at_last;
use crate::support::*;
use std::os::unix::net::UnixDatagram;
use std::sync::{Arc, Mutex};

/// The process must end by itself, and its log must name the thread.
#[track_caller]
fn ends(mut rota: Rota, fault: &str, name: &str) {
    let (status, log) = rota.process.ended();
    assert_eq!(status.code(), Some(1), "{fault}\n{log}");
    let notified = |line: &&str| line.contains("its thread has ended; stopping the server");
    let line = log.lines().find(notified).unwrap_or_default();
    assert!(line.contains(name), "{fault}\n{log}");
    assert!(log.contains("rota: the thread of the "), "{fault}\n{log}");
}

#[test]
fn a_thread_that_ends_ends_the_server() {
    for (fault, name) in [
        ("timer.thread=panic@3", "timer"),
        ("delivery.thread=panic@3", "delivery"),
        // Whichever of its queues is first.
        ("chat.thread=panic@5", "chat: "),
    ] {
        ends(
            Start::default().env("ROTA_FAILPOINTS", fault).go(),
            fault,
            name,
        );
    }
}

#[test]
fn a_server_without_its_accept_loop_ends() {
    let mut rota = Start::default()
        .env("ROTA_FAILPOINTS", "accept.thread=panic")
        .go();
    drop(Connection::open(rota.address()));
    let (status, log) = rota.process.ended();
    assert_eq!(status.code(), Some(1), "{log}");
    assert!(log.contains("the accept loop panicked: failpoint"), "{log}");
}

#[test]
fn a_server_without_its_storage_thread_ends() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default()
        .db(&db)
        .env("ROTA_FAILPOINTS", "storage.thread=panic")
        .go();
    rota.people(3);
    let path = rota.rotation("U1 U2 U3").path("");
    let body = r#"{"description":"waits"}"#;
    let request = format!(
        "PATCH {path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {}\r\nIf-Match: *\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        rota.key,
        body.len(),
    );
    // While another program holds the file, one write waits for it in its own thread. The next is the storage thread's.
    let other = rusqlite::Connection::open(&db).expect("the database");
    other.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    let writes = [(); 2].map(|()| {
        let mut connection = Connection::open(rota.address());
        connection.send(&request);
        connection
    });
    let log = &rota.process.log;
    eventually("the end of the storage thread", || {
        log.text().contains("failpoint reached: storage.thread")
    });
    other.execute_batch("ROLLBACK").expect("the end of it");
    ends(rota, "storage.thread", "storage");
    drop(writes);
}

/// A signal that reads the settings of other servers anew. It must not end this one, and nobody should believe that it read any.
#[test]
fn a_hang_up_is_logged_and_ends_nothing() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    let log = rota.process.log.clone();
    for count in 1..=2 {
        rota.process.signal("HUP");
        eventually("a line", || {
            log.text().matches("SIGHUP: nothing is read anew").count() == count
        });
        rotation.put_on_call(&format!("U{count}")).is(200);
    }
    assert!(log.text().contains("restart the service"));
    let (status, log) = rota.stop();
    assert_eq!(status.code(), Some(0), "{log}");
}

/// A service manager.
struct Manager {
    notified: Arc<Mutex<Vec<String>>>,
    _dir: TempDir,
    path: std::path::PathBuf,
}

impl Manager {
    fn new() -> Manager {
        let dir = TempDir::new();
        let path = dir.join("notify");
        let socket = UnixDatagram::bind(&path).expect("a socket");
        let notified = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&notified);
        // Ends with the tests: nothing signals the end of the messages.
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length) = socket.recv(&mut bytes) {
                let message = String::from_utf8_lossy(&bytes[..length]).into_owned();
                heard
                    .lock()
                    .unwrap()
                    .extend(message.lines().map(str::to_owned));
            }
        });
        Manager {
            notified,
            _dir: dir,
            path,
        }
    }

    fn start(&self, faults: &str) -> Rota {
        Start::default()
            .env("NOTIFY_SOCKET", self.path.display())
            .env("WATCHDOG_USEC", 200_000)
            .env("ROTA_FAILPOINTS", faults)
            .env("ROTA_FAULT_LATE", 4)
            .go()
    }

    fn notifications(&self) -> Vec<String> {
        self.notified.lock().unwrap().clone()
    }

    fn pings(&self) -> usize {
        let notified = self.notifications();
        notified.iter().filter(|line| *line == "WATCHDOG=1").count()
    }
}

#[test]
fn a_service_manager_is_told() {
    let manager = Manager::new();
    let rota = manager.start("");
    eventually("pings", || manager.pings() >= 3);
    let listening = format!("STATUS=listening on {}", rota.url);
    let (status, log) = rota.stop();
    assert_eq!(status.code(), Some(0), "{log}");
    eventually("the end", || {
        manager.notifications().contains(&"STOPPING=1".into())
    });
    let mut notified = manager.notifications();
    let pinged = notified.iter().position(|line| line == "WATCHDOG=1");
    let ready = notified.iter().position(|line| line == "READY=1");
    assert!(ready.is_some() && pinged.is_some(), "{notified:?}");
    notified.retain(|line| line != "WATCHDOG=1");
    assert_eq!(
        notified,
        [
            "STATUS=opening the database",
            "STATUS=catching up",
            "READY=1",
            &listening,
            "STOPPING=1",
            "STATUS=stopping",
        ]
    );
}

pub fn a_service_manager_hears_nothing_of_a_server_that_hangs() {
    let manager = Manager::new();
    let rota = manager.start("timer.look=hang@2");
    eventually("pings", || manager.pings() >= 3);
    let log = rota.process.log.clone();
    at_last("a line in the log", || {
        log.text().contains("timer: no progress for")
    });
    // The supervisor checks twenty times a second: it would ping again within this many requests.
    let pings = manager.pings();
    let asked = std::time::Instant::now();
    while asked.elapsed() < std::time::Duration::from_millis(500) {
        rota.anyone().get("/healthz").is(200);
    }
    assert!(
        manager.pings() <= pings + 1,
        "{:?}",
        manager.notifications()
    );
    // It stops on request, whatever hangs.
    let (status, log) = rota.stop();
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(log.contains("timer: still busy"), "{log}");
}

/// No time-out ends it, so it must be reported; other deliveries continue.
pub fn a_lane_that_hangs_is_told() {
    let rota = Start::default()
        .env("ROTA_FAILPOINTS", "send.taken=hang")
        .go();
    rota.people(2);
    let (stuck, _) = rota.hook("duty.changed");
    let rotation = rota.rotation("U1 U2");
    rotation.put_on_call("U1").is(200);
    // Its only attempt has been taken, and is not made.
    eventually("the attempt", || {
        text(&stuck.newest()["state"]) == "pending"
    });
    let (other, receiver) = rota.hook("duty.changed");
    let log = rota.process.log.clone();
    let line = format!(
        "delivery: a queue of webhook {} has been on one attempt for 30 s",
        stuck.id
    );
    at_last("a line in the log", || log.text().contains(&line));
    rota.anyone().get("/readyz").is(200);
    rotation.put_on_call("U2").is(200);
    assert_eq!(receiver.events(1), "duty.changed");
    eventually("an end", || text(&other.newest()["state"]) == "delivered");
    assert_eq!(stuck.deliveries().len(), 2);
    assert_eq!(log.text().matches(&line).count(), 1);
}
