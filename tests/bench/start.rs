//! Starting with ten thousand rotations.

use crate::due;
use crate::load::Client;
use crate::program;
use crate::seed::Scratch;
use crate::table::{Floor, median, row, section};
use std::path::Path;
use std::time::Duration;

const STARTS: usize = 7;

/// Keep-alive connections; the server's limit.
const CONNECTIONS: usize = 1000;

/// The time from the start of the process to its first response to /healthz, and its memory then.
pub fn run() {
    section("rota serve with ten thousand rotations");
    let folder = Scratch::new("start");
    let path = folder.file("rota.db");
    let key = due::seed(&path);
    // The first start of a new version or with new holidays computes every due instant again.
    let (first, took) = program::serve(&path, &key);
    row(
        "first start after an upgrade",
        &format!("{:.0} ms", took.as_secs_f64() * 1e3),
        took.as_secs_f64() * 1e3,
        Floor::None,
    );
    // It makes the told plans that the seed has left out; what is measured below has none to make.
    wait_until_idle(&first);
    drop(first);
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let (program, took) = program::serve(&path, &key);
        times.push(took.as_secs_f64() * 1e3);
        std::thread::sleep(Duration::from_millis(300));
        memory.push(program.resident());
    }
    let (took, resident) = (median(times), median(memory));
    row(
        "to the first answer, median",
        &format!("{took:.0} ms"),
        took,
        Floor::AtMost(50.0),
    );
    row(
        "resident memory when idle",
        &format!("{resident:.1} MB"),
        resident,
        Floor::AtMost(15.0),
    );
    connected(&path, &key);
}

/// Waits until the server has used no processor time for half a second.
fn wait_until_idle(program: &program::Program) {
    let mut used = program.processor();
    loop {
        std::thread::sleep(Duration::from_millis(500));
        let now = program.processor();
        if now - used < 0.01 {
            return;
        }
        used = now;
    }
}

/// The memory of a server with the maximum number of connections, each after one request.
fn connected(path: &Path, key: &str) {
    let (program, _) = program::serve(path, key);
    let before = program.resident();
    let request = program.request("GET", "/v1/rotations?pageSize=1", &[], "");
    let clients: Vec<Client> = (0..CONNECTIONS)
        .map(|_| {
            let mut client = Client::connect(program.address);
            let answer = client.ask(&request);
            assert_eq!(answer.status, 200, "{answer:?}");
            client
        })
        .collect();
    let resident = program.resident();
    row(
        &format!("resident memory with {} idle connections", clients.len()),
        &format!("{resident:.1} MB of {before:.1} MB"),
        resident,
        Floor::None,
    );
}
