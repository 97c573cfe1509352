//! The process: stopped during work, started twice, short of descriptors or threads, and panicking.

use super::audit::{audit, ends};
use super::disk::{as_nobody, give_away};
use super::world::World;
use crate::cli::{fails_with, succeeds};
use crate::support::*;
use serde_json::json;
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

const SERVE: &str = "serve --listen 127.0.0.1:0";

pub fn told_to_stop_while_a_receiver_hangs() {
    let world = World::new();
    world.outlet.now(Behavior::hangs());
    for (signals, code) in [(1, 0), (2, 1)] {
        let mut rota = world.go("");
        let bound = Rot {
            by: rota.caller(),
            id: world.base.rotations[1].clone(),
        };
        let on_call = bound.on_call();
        bound
            .put_on_call(if on_call == "U1" { "U2" } else { "U1" })
            .is(200);
        let before = world.outlet.posts().len();
        eventually("both are asked", || {
            world.outlet.posts().len() >= before.max(2)
        });
        let begun = Instant::now();
        rota.process.signal("TERM");
        if signals > 1 {
            // A repeated signal is ignored at once; a second later it ends the process.
            recurring(&mut rota.process);
        }
        let (status, log) = rota.process.ended();
        assert_eq!(status.code(), Some(code), "{log}");
        let patience = if signals > 1 { 3 } else { 12 };
        assert!(
            begun.elapsed() < Duration::from_secs(patience),
            "{:?}",
            begun.elapsed()
        );
    }
    world.outlet.now(Behavior::says(200));
    // An attempt may have timed out just before it would have been interrupted; its next round is due by then.
    world.clock.step(60);
    let rota = world.go("");
    audit(&world, &rota, &[]);
    ends(&world, rota);
}

/// Signals again until the process has ended.
fn recurring(process: &mut Process) {
    eventually("an end", || {
        if !process.is_over() {
            process.signal("TERM");
            std::thread::sleep(Duration::from_millis(50));
        }
        process.is_over()
    });
}

#[test]
fn a_server_is_refused_while_another_one_starts() {
    let world = World::new();
    world.clock.step(DAY);
    let now = world.clock.now().as_millisecond();
    let sql = format!("SELECT count(*) FROM rotation WHERE next_due_at <= {now}");
    let due = world.number(&sql);
    let mut first = world.command(SERVE);
    first.env("ROTA_FAILPOINTS", "due.batch=hang");
    let (first, _lines) = Process::spawn(&mut first);
    // On a busy machine the first batch has some of them.
    eventually("it has begun to catch up", || world.number(&sql) < due);
    let holder = format!("process {}", first.id());
    fails_with(run(&mut world.command(SERVE)), &["rota.db", &holder]);
    // By another spelling of the path, and by a link.
    let folder = world
        .dir
        .path()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    std::os::unix::fs::symlink("rota.db", world.dir.join("link.db")).unwrap();
    for path in ["rota.db", &format!("../{folder}/./rota.db"), "link.db"] {
        let mut second = rota(world.dir.path());
        second.args(SERVE.split(' ')).args(["--db", path]);
        fails_with(run(&mut second), &[&holder]);
    }
    fails_with(run(&mut world.command("restore rota.db")), &["rota.db"]);
    drop(first);
    let rota = world.go("");
    audit(&world, &rota, &[]);
    ends(&world, rota);
}

#[test]
fn a_request_that_panics_is_one_answer() {
    let world = World::new();
    let rota = world.go("request=panic@2 request=panic@4");
    let path = format!("/v1/rotations/{}", world.base.idle);
    for expected in [200, 500, 200, 500, 200] {
        let answer = rota.get(&path);
        if expected == 200 {
            answer.is(200);
            continue;
        }
        let problem = answer.refused(500, "");
        assert!(!problem.to_string().contains("fault"), "{problem}");
        let instance = text(&problem["instance"]);
        eventually("its line in the log", || {
            let log = rota.process.log.text();
            let mut lines = log.lines().filter(|line| line.contains("ERROR"));
            lines.any(|line| line.contains(instance) && line.contains("failpoint reached: request"))
        });
    }
    ends(&world, rota);
}

#[test]
fn connections_that_panic_are_counted_out() {
    // More than the limit of threads.
    const PANICS: usize = 1100;
    let world = World::new();
    let faults: Vec<String> = (1..=PANICS)
        .map(|n| format!("connection=panic@{n}"))
        .collect();
    let rota = world.go(&faults.join(" "));
    for _ in 0..PANICS {
        let mut connection = Connection::open(rota.address());
        assert!(
            connection.answer("GET").is_none(),
            "an answer from a connection that panicked"
        );
    }
    // The next requests succeed.
    let path = format!("/v1/rotations/{}", world.base.idle);
    rota.get(&path).is(200);
    let idle = Rot {
        by: rota.caller(),
        id: world.base.idle.clone(),
    };
    idle.patch(json!({ "description": "after" })).is(200);
    ends(&world, rota);
}

pub fn a_timer_that_panics_looks_again() {
    let world = World::new();
    let rota = world.go("timer.look=panic@3");
    let log = || rota.process.log.text();
    eventually("a panic", || log().contains("timer: a panic was caught"));
    world.clock.step(DAY);
    eventually("what is due is done", || world.is_settled());
    audit(&world, &rota, &[]);
    ends(&world, rota);
}

/// The production server with a limit set by the shell. `None` if the shell cannot set it.
fn limited(world: &World, limit: &str) -> Option<Rota> {
    let command = world.command(SERVE);
    let script = format!("{limit} && exec \"$0\" \"$@\"");
    let shell = |rest: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", &script, BINARY]).args(rest);
        command
    };
    if !shell(&["--version"])
        .output()
        .is_ok_and(|output| output.status.success())
    {
        return None;
    }
    let mut new = shell(&[]);
    new.args(command.get_args()).current_dir(world.dir.path());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => new.env(name, value),
            None => new.env_remove(name),
        };
    }
    Some(serve(new, &world.base.key))
}

#[test]
fn short_of_descriptors_and_back() {
    let world = World::new();
    let Some(server) = limited(&world, "ulimit -n 40") else {
        return;
    };
    let path = format!("/v1/rotations/{}", world.base.idle);
    server.get(&path).is(200);
    let held: Vec<TcpStream> = (0..80)
        .map(|_| TcpStream::connect(server.address()).expect("the system accepts"))
        .collect();
    let log = || server.process.log.text();
    eventually("it is out of them", || {
        log().contains("cannot accept connections")
    });
    // Hand-overs continue, as far as they need no descriptors.
    world.clock.step(DAY);
    eventually("what is due is done", || world.is_settled());
    drop(held);
    eventually("connections again", || server.get(&path).status() == 200);
    let idle = Rot {
        by: server.caller(),
        id: world.base.idle.clone(),
    };
    idle.patch(json!({ "description": "after" })).is(200);
    let (status, log) = server.stop();
    assert_eq!(status.code(), Some(0));
    assert!(log.lines().count() < 40, "{log}");
    succeeds(&world.db, "check");
}

#[test]
fn short_of_threads_and_back() {
    let world = World::new();
    let Some(mut command) = as_nobody(&world.command(SERVE), "prlimit --nproc=24") else {
        return;
    };
    give_away(&world);
    command.env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", "0");
    let server = serve(command, &world.base.key);
    let idle = Rot {
        by: server.caller(),
        id: world.base.idle.clone(),
    };
    idle.get("").is(200);
    let held: Vec<Connection> = (0..40)
        .map(|_| Connection::open(server.address()))
        .collect();
    let log = || server.process.log.text();
    eventually("it is out of them", || {
        log().contains("cannot start a thread")
    });
    world.clock.step(DAY);
    eventually("what is due is done", || world.is_settled());
    drop(held);
    eventually("answers again", || idle.get("").status() == 200);
    idle.patch(json!({ "description": "after" })).is(200);
    let (status, log) = server.stop();
    assert_eq!(status.code(), Some(0), "{log}");
    succeeds(&world.db, "check");
}
