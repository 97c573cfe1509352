//! A server of calendars in the test's own process. It answers as it is told, and notes what it is asked.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// How a request is answered.
#[derive(Clone)]
pub enum Then {
    /// This body with this validator; 304 to those who know it.
    Calendar(String, &'static str),
    /// These bytes, then close.
    Raw(Vec<u8>),
    /// Nothing until the client is gone, or the feed lets it go.
    Hang,
}

/// The server, until the end of the test.
pub struct Feed {
    address: String,
    state: Arc<Mutex<State>>,
}

struct State {
    then: Then,
    /// Heads of requests, in lower case.
    asked: Vec<String>,
    /// Connections on which nothing is answered.
    held: Vec<TcpStream>,
}

/// An answer with this status, these header lines and no body.
pub fn status(status: u16, headers: &str) -> Then {
    let head =
        format!("HTTP/1.1 {status} -\r\n{headers}Content-Length: 0\r\nConnection: close\r\n\r\n");
    Then::Raw(head.into_bytes())
}

/// A calendar with these events, each `SUMMARY FROM UNTIL` with UTC times such as `20260106T090000Z`, or dates.
pub fn calendar(events: &[&str]) -> String {
    let mut text = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n".to_owned();
    for (number, event) in events.iter().enumerate() {
        let mut words = event.rsplitn(3, ' ');
        let (until, from, summary) = (words.next(), words.next(), words.next());
        let time = |name: &str, value: Option<&str>| match value.unwrap() {
            value if value.len() == 8 => format!("{name};VALUE=DATE:{value}\r\n"),
            value => format!("{name}:{value}\r\n"),
        };
        text += &format!(
            "BEGIN:VEVENT\r\nUID:{number}\r\nSUMMARY:{}\r\n{}{}END:VEVENT\r\n",
            summary.unwrap(),
            time("DTSTART", from),
            time("DTEND", until)
        );
    }
    text + "END:VCALENDAR\r\n"
}

impl Feed {
    pub fn new(then: Then) -> Feed {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address").to_string();
        let state = Arc::new(Mutex::new(State {
            then,
            asked: Vec::new(),
            held: Vec::new(),
        }));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || drop(answer(stream, &shared)));
            }
        });
        Feed { address, state }
    }

    /// One with these events.
    pub fn of(events: &[&str]) -> Feed {
        Feed::new(Then::Calendar(calendar(events), "1"))
    }

    /// The host with its port.
    pub fn host(&self) -> &str {
        &self.address
    }

    pub fn url(&self) -> String {
        format!("http://{}/calendar/very-secret.ics", self.address)
    }

    pub fn now(&self, then: Then) {
        self.state.lock().unwrap().then = then;
    }

    /// Closes the connections on which nothing was answered.
    pub fn let_go(&self) {
        for stream in self.state.lock().unwrap().held.drain(..) {
            drop(stream.shutdown(Shutdown::Both));
        }
    }

    /// Heads of the requests so far.
    pub fn asked(&self) -> Vec<String> {
        self.state.lock().unwrap().asked.clone()
    }
}

fn answer(mut stream: TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte)? == 0 {
            return Ok(());
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).to_lowercase();
    let then = {
        let mut state = state.lock().unwrap();
        if let Then::Hang = state.then {
            state.held.push(stream.try_clone()?);
        }
        state.asked.push(head.clone());
        state.then.clone()
    };
    match then {
        Then::Raw(bytes) => stream.write_all(&bytes),
        Then::Hang => stream.read_to_end(&mut Vec::new()).map(drop),
        Then::Calendar(_, tag) if head.contains(&format!("if-none-match: \"{tag}\"")) => {
            stream.write_all(b"HTTP/1.1 304 -\r\nConnection: close\r\n\r\n")
        }
        Then::Calendar(body, tag) => {
            let length = body.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/calendar\r\nETag: \"{tag}\"\r\nContent-Length: {length}\r\n\
                 Connection: close\r\n\r\n"
            );
            stream.write_all((head + &body).as_bytes())
        }
    }
}
