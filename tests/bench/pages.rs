//! The pages that are opened most, each made for a reader who is signed in.

use crate::load::Client;
use crate::program::{self, Program};
use crate::seed::{AUTHOR, Scratch, Seed, working_week};
use crate::table::{Floor, median, row, section};
use rota::actions::sessions::{self, Browser, Proof};
use rota::domain::ids::UserId;
use rota::runtime::clock::Clock;
use std::time::{Duration, Instant};

const ROUNDS: usize = 100;

/// Rotations on the first page, as many as it shows.
const ROTATIONS: usize = 200;

/// The time and the size of the first page with 200 rotations, and of a rotation's page with 28 days.
pub fn run() {
    section("Pages, from the request sent to the page received (median)");
    let folder = Scratch::new("pages");
    let seed = Seed::new(folder.file("rota.db"), Clock::system());
    // Follow-the-sun in miniature: two lanes by day and two around the clock.
    let hours = [working_week()];
    let rotation = seed.rotation("payments", 2, &[&hours, &[]], seed.app.now());
    let simple = seed.rotation("simple", 1, &[&[]], seed.app.now());
    seed.copies(simple, ROTATIONS - 2);
    let browser = Browser {
        agent: None,
        replaced: None,
        origin: AUTHOR.origin.clone(),
    };
    let (store, user) = (seed.app.store(), UserId::from("U1"));
    let link = sessions::create_link(store, &AUTHOR, user, Duration::from_secs(60));
    let (secret, _) = link.expect("a link");
    let proof = Proof::Link(secret);
    let begun = sessions::sign_in(&seed.app, proof, browser, &Default::default());
    let begun = begun.expect("a session").expect("somebody known");
    let cookie = format!("__Host-rota={}", begun.secret);
    let (path, key) = (seed.path.clone(), seed.key.clone());
    drop(seed);
    let (rota, _) = program::serve(&path, &key);
    let shown = format!("/rotations/{}?span=28d", rotation.id);
    measure(&rota, &cookie, "a rotation with 28 days", &shown, 5.0);
    measure(&rota, &cookie, "/ with 200 rotations", "/", 20.0);
}

fn measure(rota: &Program, cookie: &str, what: &str, path: &str, most: f64) {
    let headers = [("Cookie", cookie), ("Accept", "text/html")];
    let request = rota.request("GET", path, &headers, "");
    let mut client = Client::connect(rota.address);
    let mut bytes = 0;
    let times = (0..ROUNDS).map(|_| {
        let begun = Instant::now();
        let answer = client.ask(&request);
        assert_eq!(answer.status, 200, "{}", answer.head);
        bytes = answer.body.len();
        begun.elapsed().as_secs_f64() * 1e3
    });
    let took = median(times.collect());
    let size = bytes as f64 / 1e3;
    row(what, &format!("{took:.1} ms"), took, Floor::AtMost(most));
    let bound = match path {
        "/" => Floor::None,
        _ => Floor::AtMost(100.0),
    };
    row(
        &format!("{what}, size"),
        &format!("{size:.0} kB"),
        size,
        bound,
    );
}
