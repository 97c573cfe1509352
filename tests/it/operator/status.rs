//! `rota status`: the server by its lock or its address, what is due, what waits, what is wrong.

use crate::cli::on;
use crate::operator::at_last;
use crate::support::*;
use serde_json::{Value, json};
use std::path::Path;

/// What it prints as JSON, and whether it calls the server ready by its exit code.
fn status(db: &Path) -> Value {
    let (code, output, errors) = run(&mut on(db, "status --json"));
    let status: Value = serde_json::from_str(&output).expect("JSON on standard output");
    let ready = status["ready"] == json!(true);
    assert_eq!(code, if ready { 0 } else { 1 }, "{output}{errors}");
    status
}

fn wrong(status: &Value) -> String {
    let wrong = status["wrong"].as_array().expect("a list").iter();
    wrong.map(text).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_server_is_found_by_its_lock() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(3);
    let (_, receiver) = rota.hook("duty.changed");
    receiver.answers(json!({ "status": 503 }));
    let rotation = rota.daily("U1 U2 U3", 1);
    let up = status(&db);
    let process = format!("process {} at {}", rota.process.id(), rota.url);
    assert_eq!(
        up["server"],
        json!({
            "state": "ready", "url": rota.url, "holder": process, "detail": null, "lastFailure": null, "clockBehindSeconds": 0.0,
            "role": "primary", "epoch": 1, "copiedAt": null, "ageSeconds": null, "standbys": []
        })
    );
    let work = &up["work"];
    assert_eq!(
        [&work["overdue"], &work["pendingDeliveries"]],
        [&json!(0), &json!(1)]
    );
    assert_eq!(instant(&work["nextDueAt"]), "2026-01-06T09:00Z");
    assert_eq!(work["oldestDelivery"]["eventType"], json!("duty.changed"));
    assert_eq!(up["wrong"], json!([]));
    let (code, output, errors) = run(&mut on(&db, "status"));
    assert_eq!(code, 0, "{errors}");
    let begins = format!(
        "server      ready at {} (process {})\n",
        rota.url,
        rota.process.id()
    );
    assert!(output.starts_with(&begins), "{output}");
    assert!(output.ends_with("wrong       nothing\n"), "{output}");

    // An endpoint that takes nothing, and nobody on call, are wrong; the server is ready all the same.
    rota.advance(HOUR);
    rotation.clear().is(200);
    let name = text(&rotation.get("").is(200).json()["name"]).to_owned();
    let up = status(&db);
    assert_eq!(up["ready"], json!(true));
    assert_eq!(up["work"]["nobodyOnCall"], json!(1));
    for expected in [
        "a webhook endpoint has not taken duty.changed (",
        &format!("nobody is on call in {name} ({})", rotation.id),
    ] {
        assert!(wrong(&up).contains(expected), "{up}");
    }
    rota.stop();
    let down = status(&db);
    assert_eq!(down["server"]["state"], json!("down"));
    assert!(wrong(&down).contains("the server is down"), "{down}");
    assert_eq!(
        down["work"]["nobodyOnCall"],
        json!(1),
        "what waits is shown also then"
    );
}

#[test]
fn a_server_is_found_by_its_address() {
    let dir = TempDir::new();
    let rota = Rota::at(MONDAY);
    let mut command = on(&dir.join("other.db"), "status --json");
    let (code, output, errors) = run(command.env("ROTA_LISTEN", rota.address()));
    assert_eq!(code, 0, "{output}{errors}");
    let status: Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!(status["server"]["url"], json!(rota.url));
    assert_eq!(status["work"], Value::Null);
    let detail = text(&status["server"]["detail"]);
    assert!(
        detail.contains("does not use") && detail.contains("other.db"),
        "{detail}"
    );
    assert!(
        wrong(&status).contains("there is no database here"),
        "{status}"
    );
    assert!(!dir.join("other.db").exists(), "nothing is made");
    assert!(!dir.join("other.db.lock").exists());
}

#[test]
fn what_is_no_server_of_ours_is_down() {
    let dir = TempDir::new();
    // It listens and never answers.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("its address").to_string();
    let answers = std::thread::spawn(move || {
        if let Ok((mut stream, _)) = listener.accept() {
            let page = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi";
            drop(std::io::Write::write_all(&mut stream, page));
        }
    });
    let mut command = on(&dir.join("rota.db"), "status --json");
    let (code, output, errors) = run(command.env("ROTA_LISTEN", &address));
    answers.join().expect("it was asked");
    assert_eq!(code, 1, "{output}{errors}");
    assert!(output.contains("\"state\": \"down\""), "{output}");
}

#[test]
fn a_server_that_is_not_ready_fails_it() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let start = Start::default().db(&db).env("ROTA_FAULT_LATE", 4);
    let rota = start.env("ROTA_FAILPOINTS", "timer.look=hang@2").go();
    at_last("unready", || rota.anyone().get("/readyz").status() == 503);
    let found = status(&db);
    assert_eq!(found["server"]["state"], json!("notReady"));
    assert!(wrong(&found).contains("timer: no progress for"), "{found}");
}

/// A status that looks at the lock does not keep a server from taking it.
#[test]
fn looking_does_not_get_in_the_way() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    drop(Start::default().db(&db).go());
    let lock = std::fs::File::open(dir.join("rota.db.lock")).expect("the lock");
    lock.lock_shared().expect("nobody holds it");
    std::thread::scope(|scope| {
        let started = scope.spawn(|| Start::default().db(&db).attempt().is_ok());
        // Held for good it is refused.
        assert!(!started.join().expect("an outcome"));
    });
    lock.unlock().expect("ours");
    assert!(Start::default().db(&db).attempt().is_ok());
}
