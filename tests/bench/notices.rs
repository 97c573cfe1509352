//! What notices cost: the mark of a write, and the comparison of many rotations that change at once.

use crate::due::{MONDAY, SUNDAY, at};
use crate::load::Client;
use crate::program;
use crate::seed::{AUTHOR, Scratch, Seed, users};
use crate::table::{Floor, row, section};
use rota::actions::App;
use rota::actions::told_plan::{self, NoticeWorker};
use rota::domain::actor::Actor;
use rota::domain::ids::RotationId;
use rota::domain::told_plan::{Mark, Reason, Sentence};
use rota::runtime::clock::{Clock, real_time};
use rota::store;
use std::path::Path;
use std::time::{Duration, Instant};

/// Rotations that change at once.
const ROTATIONS: usize = 200;

/// Marks that are timed.
const MARKS: usize = 2_000;

/// Reads that are timed.
const READS: usize = 2_000;

/// The mark of a write in its transaction; the comparison of 200 rotations of six people; and how long it takes from an import
/// until everybody is told, with what reads of others take meanwhile.
pub fn run() {
    section("What moved in people's own plans");
    let folder = Scratch::new("notices");
    let seed = Seed::new(folder.file("rota.db"), Clock::frozen(at(SUNDAY)));
    let first = seed.rotation("first", 1, &[&[]], at(MONDAY));
    let id = first.id.clone();
    let marked = mark(&seed.app, &id) * 1e6;
    row("the mark of a write, us", "", marked, Floor::AtMost(3.0));
    seed.copies(first, ROTATIONS - 1);
    let took = compare(&seed.app);
    row(
        "200 rotations compared with the told plan",
        &format!("{took:.3} s"),
        took,
        Floor::AtMost(1.0),
    );
    let path = seed.path.clone();
    drop(seed);
    import(&path, id.as_str());
}

/// Seconds of a mark beside others in one transaction.
fn mark(app: &App, rotation: &RotationId) -> f64 {
    let rotation = rotation.clone();
    let marked = app.store().write(move |tx| -> Result<_, store::Error> {
        let mark = a_mark(tx);
        let begun = Instant::now();
        for _ in 0..MARKS {
            store::mark_pending(tx, &rotation, real_time(), &mark)?;
        }
        Ok(begun.elapsed().as_secs_f64() / MARKS as f64)
    });
    marked.expect("marks")
}

/// Compares all rotations in this process: seconds.
fn compare(app: &App) -> f64 {
    let mut worker = NoticeWorker::default();
    worker.begin(app).expect("the first plans");
    let marked = app.store().write(|tx| -> Result<(), store::Error> {
        for id in store::list_rotation_ids(&tx.as_read())? {
            store::mark_pending(tx, &id, real_time(), &a_mark(tx))?;
        }
        Ok(())
    });
    marked.expect("marks");
    let begun = Instant::now();
    told_plan::send_all(app).expect("the comparison");
    begun.elapsed().as_secs_f64()
}

fn a_mark(tx: &store::WriteTx) -> Mark {
    Mark {
        actor: Actor::of(&AUTHOR.principal),
        reason: Reason {
            at: tx.now(),
            said: Sentence::from("U1 was put on duty in place of U2"),
        },
        told_otherwise: Vec::new(),
    }
}

/// One import that changes every rotation, by the program itself: the time from its answer until everybody is told, and what reads
/// take meanwhile.
fn import(path: &Path, id: &str) {
    let rota = program::dev_with(path, SUNDAY, &[("ROTA_NOTICES_DELAY", "1s")]);
    let mut client = Client::connect(rota.address);
    let read = rota.request("GET", &format!("/v1/rotations/{id}/on-call"), &[], "");
    let list = rota.request("GET", "/v1/messages?userId=U1&pageSize=1", &[], "");
    let mut told = |client: &mut Client| -> u64 {
        let answer: serde_json::Value =
            serde_json::from_slice(&client.ask(&list).body).expect("a list");
        answer["totalItems"].as_u64().expect("a number")
    };
    let quiet = p99(&(0..READS)
        .map(|_| timed(&mut client, &read))
        .collect::<Vec<_>>());
    let before = told(&mut client);
    let people: Vec<serde_json::Value> = (users().iter().take(5))
        .map(|user| serde_json::json!({ "id": user.as_str(), "displayName": user.as_str() }))
        .collect();
    let body = serde_json::json!({ "team": { "id": "T1" }, "users": people }).to_string();
    let answer = client.ask(&rota.request("PUT", "/dev/directory", &[], &body));
    assert_eq!(answer.status, 200, "{answer:?}");
    let begun = Instant::now();
    let mut reads = Vec::new();
    while told(&mut client) < before + ROTATIONS as u64 {
        reads.extend((0..20).map(|_| timed(&mut client, &read)));
        assert!(begun.elapsed() < Duration::from_secs(60), "nobody is told");
    }
    let took = begun
        .elapsed()
        .saturating_sub(Duration::from_secs(1))
        .as_secs_f64();
    row(
        "200 rotations changed by one import, told after the delay",
        &format!("{took:.2} s"),
        took,
        Floor::AtMost(5.0),
    );
    let busy = p99(&reads);
    let measured = format!("{:.0} us of {:.0} us", busy * 1e6, quiet * 1e6);
    row(
        "GET on-call meanwhile, p99, against before",
        &measured,
        busy / quiet,
        Floor::AtMost(1.2),
    );
}

/// Seconds of a request.
fn timed(client: &mut Client, request: &[u8]) -> f64 {
    let begun = Instant::now();
    let answer = client.ask(request);
    assert_eq!(answer.status, 200, "{answer:?}");
    begun.elapsed().as_secs_f64()
}

fn p99(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times[times.len() * 99 / 100]
}
