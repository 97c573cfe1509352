//! Webhooks: the durable queue against a plain loop that posts the same bodies, and the latency of an event.

use crate::load::{Client, thread_time};
use crate::program::{self, Program};
use crate::seed::{AUTHOR, Scratch, Seed, write};
use crate::table::{Floor, median, row, section};
use rota::actions::duty::SetOnDuty;
use rota::actions::{App, Outward, webhooks};
use rota::client::guard::{GuardedClient, Rules};
use rota::client::{Tls, Trust};
use rota::domain::address::AllowedNetworks;
use rota::domain::ids::{RotationId, UserId};
use rota::domain::retry_schedule::RetrySchedule;
use rota::domain::webhook::{EventType, WebhookSpec};
use rota::runtime::clock::Clock;
use rota::wire::signature;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Deliveries in the queue.
const QUEUED: usize = 2000;
/// Events sent one at a time.
const ALONE: usize = 200;
/// The frozen clock of the database.
const CLOCK: &str = "2026-11-23T09:00:00Z";
/// Longer than anything here should take.
const PATIENCE: Duration = Duration::from_secs(60);

pub fn run() {
    section("webhooks to a receiver on loopback");
    through_the_queue();
    one_by_one(
        "from a write sent to its event received, idle, median ms",
        0,
        |times| median(times) * 1e3,
        Floor::AtMost(20.0),
    );
    one_by_one(
        "the same with nine of ten endpoints hanging, p99 ms",
        9,
        |times| late(times) * 1e3,
        Floor::AtMost(100.0),
    );
}

/// The 99th percentile.
fn late(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() * 99 / 100]
}

/// One healthy endpoint with a full queue, three times; the median counts.
fn through_the_queue() {
    let rounds: Vec<Queued> = (0..3).map(|_| queue_and_loop()).collect();
    let middle = |figure: fn(&Queued) -> f64| median(rounds.iter().map(figure).collect());
    let processor = middle(|round| round.processor) * 1e6;
    row(
        "the queue, processor time of a delivery, us",
        "",
        processor,
        Floor::AtMost(200.0),
    );
    row(
        "a plain ureq loop, processor time of a post, us",
        "",
        middle(|round| round.plain_processor) * 1e6,
        Floor::None,
    );
    let (queued, plain) = (middle(|round| round.queue), middle(|round| round.plain));
    row(
        "the queue, against a plain ureq loop, same signed bodies",
        &format!("{queued:.0}/s of {plain:.0}/s"),
        queued / plain,
        Floor::None,
    );
}

/// The result of one full queue.
struct Queued {
    /// Deliveries a second.
    queue: f64,
    /// Processor time per delivery, in seconds.
    processor: f64,
    /// Posts per second of a loop with the same bodies.
    plain: f64,
    /// Processor time of each of its posts, in seconds, without the receiver's.
    plain_processor: f64,
}

/// Deliveries through the queue, and by a loop that posts the same bodies.
fn queue_and_loop() -> Queued {
    let folder = Scratch::new("webhooks");
    let (receiver, arrived) = receive();
    let seed = Seed::new(
        folder.file("rota.db"),
        Clock::frozen(CLOCK.parse().expect("an instant")),
    );
    let seed = local(seed);
    let rotation = seed.rotation("rotation", 1, &[&[]], seed.app.now()).id;
    register(&seed.app, receiver);
    for round in 0..QUEUED {
        take_turns(&seed.app, &rotation, round);
    }
    let path = seed.path.clone();
    drop(seed);

    let rota = program::dev(&path, CLOCK);
    let first = arrived.recv_timeout(PATIENCE).expect("a first delivery");
    let before = rota.processor();
    let rest: Vec<Arrival> = (1..QUEUED)
        .map(|_| arrived.recv_timeout(PATIENCE).expect("a delivery"))
        .collect();
    let last = rest.last().expect("many deliveries");
    let processor = (rota.processor() - before) / rest.len() as f64;
    let queue = rest.len() as f64 / last.at.duration_since(first.at).as_secs_f64();
    drop(rota);

    let config = ureq::Agent::config_builder()
        .proxy(None)
        .max_idle_connections(0);
    let agent = config.build().into();
    let (begun, used) = (Instant::now(), thread_time());
    for arrival in &rest {
        post(&agent, receiver, &arrival.body);
    }
    Queued {
        queue,
        processor,
        plain: rest.len() as f64 / begun.elapsed().as_secs_f64(),
        plain_processor: (thread_time() - used) / rest.len() as f64,
    }
}

/// Events one at a time to one endpoint, while other endpoints hang.
fn one_by_one(figure: &str, hanging: usize, judge: fn(Vec<f64>) -> f64, floor: Floor) {
    let folder = Scratch::new("webhooks");
    let (receiver, arrived) = receive();
    let hang = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let clock = Clock::frozen(CLOCK.parse().expect("an instant"));
    let seed = local(Seed::new(folder.file("rota.db"), clock));
    let rotation = seed.rotation("rotation", 1, &[&[]], seed.app.now()).id;
    for _ in 0..hanging {
        register(&seed.app, hang.local_addr().expect("a bound address"));
    }
    register(&seed.app, receiver);
    let path = seed.path.clone();
    drop(seed);

    let rota = program::dev(&path, CLOCK);
    let writes = puts(&rota, &rotation);
    let mut client = Client::connect(rota.address);
    let mut times = Vec::with_capacity(ALONE);
    for round in 0..ALONE {
        let begun = Instant::now();
        let answer = client.ask(&writes[round % writes.len()]);
        assert_eq!(answer.status, 200, "{answer:?}");
        let arrival = arrived.recv_timeout(PATIENCE).expect("a delivery");
        times.push(arrival.at.saturating_duration_since(begun).as_secs_f64());
        // Waits until this endpoint is idle again.
        std::thread::sleep(Duration::from_millis(2));
    }
    let judged = judge(times);
    row(figure, &format!("{judged:.1} ms"), judged, floor);
}

/// The same seed with an app that may connect to loopback.
fn local(seed: Seed) -> Seed {
    let rules = Rules {
        allowed_networks: AllowedNetworks {
            loopback: true,
            nets: Vec::new(),
        },
        plain_http: true,
    };
    let outward = Outward {
        base_url: "http://127.0.0.1:8080".into(),
        retry_schedule: RetrySchedule::default(),
        webhook_client: GuardedClient::new(&Tls::load(Trust::Bundled, None).expect("TLS"), rules),
        ..Outward::usual("http://rota.example").expect("TLS")
    };
    seed.with(outward)
}

fn register(app: &App, receiver: SocketAddr) {
    let spec = WebhookSpec {
        name: "bench".into(),
        url: format!("http://{receiver}/hook"),
        event_types: vec![EventType::DutyChanged],
    };
    webhooks::register(app, &AUTHOR, spec).expect("an endpoint");
}

fn take_turns(app: &App, rotation: &RotationId, round: usize) {
    let user = UserId::from(["U2", "U3"][round % 2]);
    write(app, rotation, SetOnDuty { users: vec![user] });
}

fn puts(rota: &Program, rotation: &RotationId) -> Vec<Vec<u8>> {
    let path = format!("/v1/rotations/{rotation}/on-call");
    let put = |user: &str| {
        let body = format!(r#"{{"userIds":["{user}"]}}"#);
        rota.request("PUT", &path, &[("If-Match", "*")], &body)
    };
    vec![put("U2"), put("U3")]
}

/// A received delivery.
struct Arrival {
    /// When its first byte arrived.
    at: Instant,
    body: Vec<u8>,
}

/// Receives one request at a time and returns 200.
fn receive() -> (SocketAddr, Receiver<Arrival>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("a bound address");
    let (arrivals, arrived) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            // A connection that ends early is not counted.
            drop(answer(stream, &arrivals));
        }
    });
    (address, arrived)
}

fn answer(stream: TcpStream, arrivals: &Sender<Arrival>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    reader.fill_buf()?;
    let at = Instant::now();
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let done = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    reader.get_mut().write_all(done)?;
    // Fails for the plain loop, which is not recorded.
    drop(arrivals.send(Arrival { at, body }));
    Ok(())
}

/// A plain sender: sign, post, read the response, over its own connection.
fn post(agent: &ureq::Agent, receiver: SocketAddr, body: &[u8]) {
    let (secret, timestamp) = ("svc_whsec_bench", 1_763_888_400);
    let mut answer = agent
        .post(format!("http://{receiver}/hook"))
        .header("Content-Type", "application/json")
        .header(signature::TIMESTAMP_HEADER, timestamp.to_string())
        .header(
            signature::SIGNATURE_HEADER,
            signature::header(&[secret], timestamp, body),
        )
        .send(body)
        .expect("the receiver answers");
    answer.body_mut().read_to_vec().expect("an empty body");
}

/// Empties the queue within this process, receiver included, for a profiler.
pub fn here() {
    section("webhooks in this process");
    let folder = Scratch::new("webhooks-here");
    let (receiver, arrived) = receive();
    let clock = Clock::frozen(CLOCK.parse().expect("an instant"));
    let seed = local(Seed::new(folder.file("rota.db"), clock));
    let rotation = seed.rotation("rotation", 1, &[&[]], seed.app.now()).id;
    register(&seed.app, receiver);
    for round in 0..QUEUED {
        take_turns(&seed.app, &rotation, round);
    }
    let begun = Instant::now();
    let delivery = rota::delivery::start(seed.app.clone()).expect("the delivery side starts");
    for _ in 0..QUEUED {
        arrived.recv_timeout(PATIENCE).expect("a delivery");
    }
    let took = begun.elapsed().as_secs_f64() / QUEUED as f64 * 1e6;
    delivery.stop(PATIENCE);
    row("a delivery, us", "", took, Floor::None);
}
