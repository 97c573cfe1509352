//! Two hundred rotations hand over at one instant, to two people each, who are mailed.

use crate::due::{MONDAY, SUNDAY, at};
use crate::load::Client;
use crate::program;
use crate::seed::{Scratch, Seed};
use crate::table::{Floor, row, section};
use rota::runtime::clock::Clock;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The number of rotations.
const ROTATIONS: usize = 200;

/// The time of a POST /dev/clock to the hand-over, which answers when every letter is sent.
pub fn run() {
    section("Mail after 200 hand-overs at one instant, to a server on loopback");
    let folder = Scratch::new("mail");
    let path = folder.file("rota.db");
    let seed = Seed::new(path.clone(), Clock::frozen(at(SUNDAY)));
    let first = seed.rotation("first", 2, &[&[]], at(MONDAY));
    seed.copies(first, ROTATIONS - 1);
    drop(seed);
    let (server, counts) = receive();
    let server = format!("smtp://{server}");
    let settings = [
        ("ROTA_MAIL_SERVER", server.as_str()),
        ("ROTA_MAIL_FROM", "rota@example.org"),
        ("ROTA_CHAT_REMINDER_BEFORE", "0s"),
    ];
    let rota = program::dev_with(&path, SUNDAY, &settings);
    let mut client = Client::connect(rota.address);
    let body = format!(r#"{{"to":"{MONDAY}"}}"#);
    let begun = Instant::now();
    let answer = client.ask(&rota.request("POST", "/dev/clock", &[], &body));
    let took = begun.elapsed().as_secs_f64();
    assert_eq!(answer.status, 200, "{answer:?}");
    let letters = counts.letters.load(Ordering::SeqCst);
    let connections = counts.connections.load(Ordering::SeqCst);
    assert!(letters > 0, "no letter was sent");
    row(
        "until the last letter is sent",
        &format!("{took:.3} s, {letters} letters"),
        took,
        Floor::None,
    );
    row(
        "letters a connection",
        &format!("{connections} connections"),
        letters as f64 / connections as f64,
        Floor::AtLeast(50.0),
    );
}

/// What the mail server was given.
#[derive(Default)]
struct Counts {
    letters: AtomicUsize,
    connections: AtomicUsize,
}

/// A mail server that takes everything.
fn receive() -> (SocketAddr, Arc<Counts>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("a bound address");
    let counts = Arc::<Counts>::default();
    let counted = Arc::clone(&counts);
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            counted.connections.fetch_add(1, Ordering::SeqCst);
            // A connection that ends early shows in the count of letters.
            drop(talk(stream, &counted.letters));
        }
    });
    (address, counts)
}

fn talk(stream: TcpStream, letters: &AtomicUsize) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    reader.get_mut().write_all(b"220 bench\r\n")?;
    let (mut line, mut in_letter) = (String::new(), false);
    while reader.read_line(&mut line)? > 0 {
        let reply = match (in_letter, line.trim_end()) {
            (true, ".") => {
                letters.fetch_add(1, Ordering::SeqCst);
                in_letter = false;
                "250 taken\r\n"
            }
            (true, _) => "",
            (false, "DATA") => {
                in_letter = true;
                "354 go ahead\r\n"
            }
            (false, "QUIT") => "221 bye\r\n",
            (false, _) => "250 ok\r\n",
        };
        reader.get_mut().write_all(reply.as_bytes())?;
        line.clear();
    }
    Ok(())
}
