use super::*;
use crate::store::{Store, load_fact, save_fact};
use std::path::PathBuf;
use std::time::Duration;

/// A new database whose writes all go through the storage thread.
fn contended(name: &str) -> (Store, PathBuf) {
    let folder = std::env::temp_dir().join(format!("rota-writer-{name}-{}", std::process::id()));
    drop(std::fs::remove_dir_all(&folder));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let clock = Arc::new(Clock::system());
    let store = Store::open(&folder.join("rota.db"), clock, true).expect("a database");
    let contention = &store.open.writer.shared.contention;
    contention.store(CONTENTION_BATCHES, Ordering::SeqCst);
    (store, folder)
}

/// Runs a first write, and others once it has begun; it ends when all of them wait.
fn meanwhile(store: &Store, safety: Safety, others: &[&'static str]) {
    let (begun, begins) = sync_channel(1);
    std::thread::scope(|scope| {
        let (shared, jobs) = (Arc::clone(&store.open.writer.shared), others.len() + 1);
        scope.spawn(move || {
            let wrote: Result<()> = store.open.writer.run(safety, move |tx| {
                begun.send(()).expect("somebody listens");
                while shared.waiting.load(Ordering::SeqCst) < jobs {
                    std::thread::sleep(Duration::from_millis(1));
                }
                save_fact(tx, "first", "yes")
            });
            wrote.expect("the first write");
        });
        begins.recv().expect("the first write begins");
        for name in others {
            scope.spawn(|| {
                let wrote: Result<()> = store.write(|tx| save_fact(tx, name, "yes"));
                wrote.expect("another write");
            });
        }
    });
    for name in others.iter().chain(&["first"]) {
        let fact = store.read(|tx| load_fact(tx, name)).expect("a read");
        assert_eq!(fact.as_deref(), Some("yes"), "{name}");
    }
}

#[test]
fn jobs_that_arrive_while_a_batch_runs_share_its_commit() {
    let (store, folder) = contended("share");
    let before = store.signals().generation();
    meanwhile(&store, Safety::Power, &["second", "third"]);
    assert_eq!(store.signals().generation(), before + 1);
    drop(store);
    drop(std::fs::remove_dir_all(folder));
}

#[test]
fn a_job_does_not_join_a_commit_that_survives_less() {
    let (store, folder) = contended("apart");
    let before = store.signals().generation();
    meanwhile(&store, Safety::Process, &["second"]);
    // Only commits that survive the power count.
    assert_eq!(store.signals().generation(), before + 1);
    let connection = store
        .open
        .writer
        .shared
        .connection
        .lock()
        .expect("a connection");
    assert_eq!(connection.safety, Safety::Power);
    drop(connection);
    drop(store);
    drop(std::fs::remove_dir_all(folder));
}
