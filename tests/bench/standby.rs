//! A database of 200 MB that is copied every two seconds, while others read and write.

use crate::load::Client;
use crate::program::{self, Program};
use crate::seed::{AUTHOR, Scratch, Seed};
use crate::table::{Floor, row, section};
use rota::actions::keys::{NewKey, create_key};
use rota::domain::access::Scope;
use rota::runtime::clock::Clock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// About 200 MB.
const HOURS: i64 = 900_000;
const WRITES_A_SECOND: usize = 200;
const WRITERS: usize = 4;
const READS_A_SECOND: usize = 5_000;
const READERS: usize = 2;
const MEASURED: Duration = Duration::from_secs(12);

/// The reads a second and the p99 of writes, without copies and with them.
pub fn run() {
    section("A database that is copied every 2 s under 200 writes and 5,000 reads a second");
    let folder = Scratch::new("standby");
    let seed = Seed::new(folder.file("rota.db"), Clock::system());
    let rotation = seed.rotation("payments", 2, &[&[]], seed.app.now());
    let (path, key, id) = (seed.path.clone(), seed.key.clone(), rotation.id.clone());
    seed.record(rotation, HOURS);
    let replicate = NewKey {
        name: "standby".into(),
        scopes: vec![Scope::Replicate],
        rotations: None,
        disabled: false,
        expires_at: None,
    };
    let (_, replicate) = create_key(seed.app.store(), &AUTHOR, replicate).expect("a key");
    drop(seed);
    let size = std::fs::metadata(&path).expect("a database").len();
    let (rota, _) = program::serve(&path, &key);
    let url = format!("/v1/rotations/{id}/on-call");
    let plain = measure(&rota, &url, None);
    let copied = measure(&rota, &url, Some(&replicate));
    row(
        "copies taken",
        &format!("{} of {} MB", copied.copies, size / 1_000_000),
        copied.copies as f64,
        Floor::None,
    );
    row(
        "reads a second while it is copied, against without",
        &format!("{:.0} of {:.0}", copied.reads, plain.reads),
        copied.reads / plain.reads,
        Floor::AtLeast(0.9),
    );
    row(
        "p99 of writes while it is copied, against without",
        &format!("{:.2} of {:.2} ms", copied.p99 * 1e3, plain.p99 * 1e3),
        copied.p99 / plain.p99,
        Floor::AtMost(2.0),
    );
    row(
        "the longest write while it is copied",
        &format!("{:.1} ms", copied.longest * 1e3),
        copied.longest * 1e3,
        Floor::None,
    );
}

struct Measured {
    reads: f64,
    p99: f64,
    longest: f64,
    copies: usize,
}

/// Reads and writes at their rates. With a key it is copied as well.
fn measure(rota: &Program, url: &str, replicate: Option<&str>) -> Measured {
    let (over, reads, copies) = (
        AtomicBool::new(false),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    );
    let mut took: Vec<f64> = thread::scope(|scope| {
        for _ in 0..READERS {
            scope.spawn(|| {
                let mut client = Client::connect(rota.address);
                let request = rota.request("GET", url, &[], "");
                paced(READS_A_SECOND / READERS, &over, || {
                    assert_eq!(client.ask(&request).status, 200);
                    reads.fetch_add(1, Ordering::Relaxed);
                });
            });
        }
        if let Some(key) = replicate {
            let copies = &copies;
            let over = &over;
            scope.spawn(move || {
                let bearer = format!("Bearer {key}");
                let headers = [("Authorization", bearer.as_str())];
                let request = crate::load::request("GET", "/v1/replica", &headers, "");
                while !over.load(Ordering::Relaxed) {
                    match Client::connect(rota.address).ask(&request).status {
                        200 => drop(copies.fetch_add(1, Ordering::Relaxed)),
                        status => assert_eq!(status, 429),
                    }
                    thread::sleep(Duration::from_millis(100));
                }
            });
        }
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let over = &over;
                scope.spawn(move || {
                    let mut client = Client::connect(rota.address);
                    let people = ["U1", "U2"].map(|user| {
                        let body = format!(r#"{{"userIds":["{user}"]}}"#);
                        rota.request("PUT", url, &[("If-Match", "*")], &body)
                    });
                    let (mut took, mut turn) = (Vec::new(), writer);
                    paced(WRITES_A_SECOND / WRITERS, over, || {
                        let begun = Instant::now();
                        let answer = client.ask(&people[turn % people.len()]);
                        assert_eq!(answer.status, 200, "{answer:?}");
                        took.push(begun.elapsed().as_secs_f64());
                        turn += 1;
                    });
                    took
                })
            })
            .collect();
        thread::sleep(MEASURED);
        over.store(true, Ordering::Relaxed);
        let writers = writers.into_iter();
        let took = writers.map(|writer| writer.join().expect("a writer that does not fail"));
        took.flatten().collect()
    });
    took.sort_by(f64::total_cmp);
    Measured {
        reads: reads.load(Ordering::Relaxed) as f64 / MEASURED.as_secs_f64(),
        p99: took[took.len() * 99 / 100],
        longest: took[took.len() - 1],
        copies: copies.load(Ordering::Relaxed),
    }
}

/// Does something so many times a second, as far as it can.
fn paced(a_second: usize, over: &AtomicBool, mut act: impl FnMut()) {
    let begun = Instant::now();
    let mut done = 0;
    while !over.load(Ordering::Relaxed) {
        let due = (begun.elapsed().as_secs_f64() * a_second as f64) as usize;
        if done >= due {
            thread::sleep(Duration::from_micros(200));
            continue;
        }
        act();
        done += 1;
    }
}
