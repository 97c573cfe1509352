//! Calendars whose hosts have other addresses at each reading.

use super::*;
use crate::actions::calendars::{self, KnownCalendar, Which};
use crate::actions::polling::{self, Source};
use crate::domain::address::AllowedNetworks;
use crate::domain::personal_calendar::{CalendarEdit, NewCalendar, SecretAddress, State};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server that answers every request alike, on the addresses of this machine. Answers its port, and how often it was asked.
fn server(answer: impl Fn(u16) -> String + Send + 'static) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("0.0.0.0:0").expect("a free port");
    let port = listener.local_addr().expect("its address").port();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let (mut head, mut byte) = (Vec::new(), [0]);
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read > 0)
            {
                head.push(byte[0]);
            }
            count.fetch_add(1, Ordering::Relaxed);
            drop(stream.write_all(answer(port).as_bytes()));
        }
    });
    (port, asked)
}

/// A workspace in which 127.0.0.1 stands for the addresses that may be called. Names have the addresses of `turns`, one after
/// the other, the last one from then on.
fn office(name: &str, turns: &'static [Ipv4Addr]) -> Office {
    let asked = AtomicUsize::new(0);
    let look_up = move |_: &str, port: u16| {
        let turn = asked.fetch_add(1, Ordering::Relaxed).min(turns.len() - 1);
        Ok(vec![SocketAddr::from((turns[turn], port))])
    };
    let rules = Rules {
        allowed_networks: AllowedNetworks {
            loopback: false,
            nets: vec!["127.0.0.1/32".parse().expect("a network")],
        },
        plain_http: true,
    };
    let tls = Tls::load(Trust::Bundled, None).expect("TLS");
    let outward = Outward {
        calendar_client: GuardedClient::resolving(&tls, rules, look_up),
        ..local()
    };
    Office::open_with(name, outward)
}

fn add(app: &App, port: u16) -> Which {
    let new = NewCalendar {
        user: "U1".into(),
        address: SecretAddress(format!("http://turns.example:{port}/secret.ics")),
        settings: CalendarEdit::default(),
    };
    let made = calendars::create(app, &author(), new).expect("a calendar");
    Which {
        user: made.calendar.user,
        calendar: made.calendar.id,
    }
}

fn read(app: &App, which: &Which) -> KnownCalendar {
    calendars::read_now(app, &author(), which).expect("a reading")
}

const GOOD: &str = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Vacation\r\nDTSTART:20270101T000000Z\r\n\
                    DTEND:20270102T000000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

/// As it may be called, and as it may not: another address of the same machine, on which the server is there all the same.
const HERE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 1);
const INSIDE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// Five hundred zones whose rules take all the work that a zone may take.
fn hostile() -> String {
    let rules = "RRULE:FREQ=DAILY\r\n".repeat(9);
    let part = |number: usize| {
        format!(
            "BEGIN:VTIMEZONE\r\nTZID:Z{number}\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0100\r\n\
             TZOFFSETTO:+0200\r\n{rules}END:STANDARD\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\nDTSTART;TZID=Z{number}:20270101T000000\r\n\
             DURATION:PT1H\r\nEND:VEVENT\r\n"
        )
    };
    let parts: String = (0..500).map(part).collect();
    format!("BEGIN:VCALENDAR\r\n{parts}END:VCALENDAR\r\n")
}

fn with_length(body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

#[test]
fn a_calendar_that_takes_too_long_keeps_what_it_had() {
    let answered = AtomicUsize::new(0);
    let (port, _) = server(move |_| match answered.fetch_add(1, Ordering::Relaxed) {
        0 => with_length(GOOD),
        _ => with_length(&hostile()),
    });
    let office = office("calendars-slow", &[HERE]);
    let which = add(&office.app, port);
    assert_eq!(read(&office.app, &which).ahead, 1);
    let slow = read(&office.app, &which);
    let error = slow.calendar.reading.error.clone().unwrap_or_default();
    assert!(
        error.starts_with("the calendar takes too long to read"),
        "{error}"
    );
    assert_eq!((slow.calendar.state(), slow.ahead), (State::Stale, 1));
}

#[test]
fn a_reading_ends_when_its_calendar_is_removed() {
    let office = office("calendars-removed", &[HERE]);
    let (gone, stays) = (add(&office.app, 1), add(&office.app, 1));
    let begin = |which: &Which| office.app.calendar_readings().begin(&which.calendar);
    let [one, other] = [begin(&gone), begin(&stays)].map(|begun| begun.expect("a place"));
    calendars::remove(&office.app, &author(), &gone).expect("a removal");
    assert!(one.is_unwanted() && !other.is_unwanted());
}

#[test]
fn nothing_is_read_for_a_server_that_stops() {
    let (port, asked) = server(|_| with_length(GOOD));
    let office = office("calendars-stop", &[HERE]);
    let which = add(&office.app, port);
    office.app.runtime().begin_stop();
    let refused = calendars::read_now(&office.app, &author(), &which);
    assert!(matches!(refused, Err(ActionError::Failed(Error::Stopped))));
    let source = calendars::CalendarSource::new(office.app.clone());
    let readings = source.read(polling::Which::Due).expect("a turn");
    assert!(readings.is_empty());
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[test]
fn a_host_that_turns_private_between_readings_is_not_called_again() {
    let (port, asked) = server(|_| with_length(GOOD));
    let office = office("calendars-turn", &[HERE, INSIDE]);
    let which = add(&office.app, port);
    let first = read(&office.app, &which);
    assert_eq!(first.calendar.reading.error, None);
    assert_eq!(
        (first.calendar.state(), asked.load(Ordering::Relaxed)),
        (State::Current, 1)
    );
    let second = read(&office.app, &which);
    let error = second.calendar.reading.error.clone();
    assert_eq!(
        error.as_deref(),
        Some("the host has an address that is not public")
    );
    assert_eq!(
        (second.calendar.state(), asked.load(Ordering::Relaxed)),
        (State::Stale, 1)
    );
    // What was read stays.
    assert_eq!((first.ahead, second.ahead), (1, 1));
}

#[test]
fn a_host_that_turns_private_during_a_reading_is_not_called_again() {
    let (port, asked) = server(|port| {
        format!(
            "HTTP/1.1 302 Found\r\nLocation: http://turns.example:{port}/next\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
    });
    let office = office("calendars-redirect", &[HERE, HERE, INSIDE]);
    let read = read(&office.app, &add(&office.app, port));
    let error = read.calendar.reading.error.clone();
    assert_eq!(
        error.as_deref(),
        Some("the host has an address that is not public")
    );
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}
