//! The WebSocket of the fake: hello, envelopes, acknowledgements, repetitions, refreshes and faults. As Slack does, it sends what
//! was not acknowledged again on the next connection.

use super::methods::Answer;
use super::state::Team;
use crate::support::unique;
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tungstenite::{Error, Message, WebSocket, accept_hdr};

/// `apps.connections.open`.
pub(super) fn open(team: &Team) -> Answer {
    let sockets = team.sockets.as_ref().ok_or("too_many_websockets")?;
    Ok(json!({ "url": sockets.url() }))
}

/// How long a test waits for something on the socket.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often a connection looks for something to send.
const LOOK: Duration = Duration::from_millis(2);

/// What a test has a connection do.
enum Order {
    Say(Message),
    /// Closes it as the protocol says.
    Close,
    /// Drops it without a word.
    Cut,
    /// Reads and says nothing more; the connection stays.
    Freeze,
}

/// How new connections are treated.
#[derive(Clone, Debug, Default)]
pub struct Manners {
    /// The handshake is refused with this status.
    pub refuse: Option<u16>,
    /// What is said in place of the hello.
    pub greet: Option<Value>,
    /// Nothing is said at all.
    pub mute: bool,
    /// This is said after the hello, before any envelope.
    pub then: Vec<String>,
    /// `apps.connections.open` gives this address.
    pub address: Option<String>,
}

/// A connection as the tests see it.
struct Line {
    number: usize,
    orders: Sender<Order>,
    /// It had its hello.
    greeted: bool,
}

/// An acknowledgement.
#[derive(Clone, Debug)]
pub struct Acknowledged {
    pub envelope_id: String,
    pub payload: Option<Value>,
    /// The connection on which it came.
    pub on: usize,
    /// How long after the envelope was first sent.
    pub after: Duration,
}

struct Sent {
    envelope: Value,
    at: Instant,
    acknowledged: bool,
}

#[derive(Default)]
struct State {
    manners: Manners,
    open: Vec<Line>,
    /// How many connections had their hello.
    greeted: usize,
    /// How many addresses were given.
    given: usize,
    tickets: Vec<String>,
    /// The most connections at one time.
    most_open: usize,
    envelopes: Vec<Sent>,
    acknowledged: Vec<Acknowledged>,
    pings: usize,
}

/// The sockets of one fake workspace.
#[derive(Clone)]
pub struct Sockets {
    address: String,
    shared: Arc<(Mutex<State>, Condvar)>,
}

impl Default for Sockets {
    fn default() -> Sockets {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address").to_string();
        let sockets = Sockets {
            address,
            shared: Arc::default(),
        };
        let serving = sockets.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let serving = serving.clone();
                std::thread::spawn(move || serving.serve(stream));
            }
        });
        sockets
    }
}

impl Sockets {
    /// The address that `apps.connections.open` gives. Each is good once.
    pub fn url(&self) -> String {
        let mut state = self.state();
        state.given += 1;
        if let Some(address) = &state.manners.address {
            return address.clone();
        }
        let ticket = unique("ticket");
        let url = format!("ws://{}/link/?ticket={ticket}&app_id=A1", self.address);
        state.tickets.push(ticket);
        self.shared.1.notify_all();
        url
    }

    /// Changes how new connections are treated.
    pub fn manners(&self, change: impl FnOnce(&mut Manners)) {
        change(&mut self.state().manners);
    }

    /// How many connections had their hello since the start.
    pub fn greeted(&self) -> usize {
        self.state().greeted
    }

    /// How many connections are open now.
    pub fn open(&self) -> usize {
        self.state().open.iter().filter(|line| line.greeted).count()
    }

    /// The most connections at one time.
    pub fn most_open(&self) -> usize {
        self.state().most_open
    }

    /// How many addresses were given.
    pub fn given(&self) -> usize {
        self.state().given
    }

    /// How many pings came.
    pub fn pings(&self) -> usize {
        self.state().pings
    }

    /// Waits until a number of connections had their hello.
    #[track_caller]
    pub fn await_greeted(&self, number: usize) {
        self.await_that("a connection", |state| {
            (state.greeted >= number).then_some(())
        });
    }

    /// Waits until a number of connections are open.
    #[track_caller]
    pub fn await_open(&self, number: usize) {
        self.await_that("connections", |state| {
            (state.open.len() == number).then_some(())
        });
    }

    /// Sends an envelope on the newest connection, or on the next one. Returns its id.
    pub fn send(&self, kind: &str, payload: Value) -> String {
        let id = unique("envelope");
        let envelope = json!({
            "envelope_id": id,
            "type": kind,
            "payload": payload,
            "accepts_response_payload": kind != "events_api",
        });
        self.send_envelope(envelope);
        id
    }

    /// Sends a whole envelope.
    pub fn send_envelope(&self, envelope: Value) {
        let mut state = self.state();
        if let Some(line) = state.open.iter().rev().find(|line| line.greeted) {
            let _ = line
                .orders
                .send(Order::Say(Message::text(envelope.to_string())));
        }
        state.envelopes.push(Sent {
            envelope,
            at: Instant::now(),
            acknowledged: false,
        });
    }

    /// Sends an envelope again, whether it was acknowledged or not.
    #[track_caller]
    pub fn send_again(&self, id: &str) {
        let state = self.state();
        let sent = state
            .envelopes
            .iter()
            .find(|sent| sent.envelope["envelope_id"] == id);
        let sent = sent.expect("an envelope that was sent");
        let line = state
            .open
            .iter()
            .rev()
            .find(|line| line.greeted)
            .expect("a connection");
        let _ = line
            .orders
            .send(Order::Say(Message::text(sent.envelope.to_string())));
    }

    /// Waits for the acknowledgement of an envelope.
    #[track_caller]
    pub fn acknowledged(&self, id: &str) -> Acknowledged {
        self.await_that("an acknowledgement", |state| {
            let mut all = state.acknowledged.iter();
            all.find(|one| one.envelope_id == id).cloned()
        })
    }

    /// Waits until every envelope is acknowledged.
    #[track_caller]
    pub fn await_all(&self) {
        self.await_that("all acknowledgements", |state| {
            let mut all = state.envelopes.iter();
            all.all(|sent| sent.acknowledged).then_some(())
        });
    }

    /// All acknowledgements of an envelope so far.
    pub fn acknowledgements(&self, id: &str) -> usize {
        let state = self.state();
        let of = |one: &&Acknowledged| one.envelope_id == id;
        state.acknowledged.iter().filter(of).count()
    }

    /// Says something on the newest connection.
    pub fn say(&self, message: Message) {
        self.order_newest(Order::Say(message));
    }

    /// Asks for another connection in place of the newest one.
    pub fn refresh(&self, reason: &str) {
        let frame =
            json!({ "type": "disconnect", "reason": reason, "debug_info": { "host": "fake" } });
        self.say(Message::text(frame.to_string()));
    }

    /// Drops all connections without a word.
    pub fn cut(&self) {
        for line in &self.state().open {
            let _ = line.orders.send(Order::Cut);
        }
    }

    /// Closes the oldest connection.
    pub fn close_oldest(&self) {
        if let Some(line) = self.state().open.first() {
            let _ = line.orders.send(Order::Close);
        }
    }

    /// Keeps the newest connection, and reads and says nothing more on it.
    pub fn freeze(&self) {
        self.order_newest(Order::Freeze);
    }

    fn order_newest(&self, order: Order) {
        if let Some(line) = self.state().open.last() {
            let _ = line.orders.send(order);
        }
    }

    #[track_caller]
    fn await_that<T>(&self, what: &str, mut found: impl FnMut(&State) -> Option<T>) -> T {
        let end = Instant::now() + PATIENCE;
        let mut state = self.state();
        loop {
            if let Some(found) = found(&state) {
                return found;
            }
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "not in time: {what}");
            let waited = self.shared.1.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, stream: TcpStream) {
        let manners = self.state().manners.clone();
        // The size of the refusal is tungstenite's.
        #[allow(clippy::result_large_err)]
        let judge = |request: &Request, response: Response| {
            let query = request.uri().query().unwrap_or_default();
            let mut state = self.state();
            let ticket = state
                .tickets
                .iter()
                .position(|ticket| query.contains(ticket.as_str()));
            let status = manners.refuse.or(ticket.is_none().then_some(403));
            if let Some(at) = ticket {
                state.tickets.remove(at);
            }
            match status {
                None => Ok(response),
                Some(status) => {
                    let mut refusal = ErrorResponse::new(None);
                    *refusal.status_mut() = status.try_into().expect("a status");
                    Err(refusal)
                }
            }
        };
        let Ok(mut socket) = accept_hdr(stream, judge) else {
            return;
        };
        let stream = socket.get_ref();
        stream.set_read_timeout(Some(LOOK)).expect("a time-out");
        stream.set_nodelay(true).expect("no delay");
        let (sender, orders) = channel();
        let number = {
            let mut state = self.state();
            let number = state.given + state.open.len() + state.greeted;
            state.open.push(Line {
                number,
                orders: sender,
                greeted: false,
            });
            state.most_open = state.most_open.max(state.open.len());
            number
        };
        self.converse(&mut socket, number, &orders, &manners);
        self.state().open.retain(|line| line.number != number);
        self.shared.1.notify_all();
    }

    fn converse(
        &self,
        socket: &mut WebSocket<TcpStream>,
        number: usize,
        orders: &Receiver<Order>,
        manners: &Manners,
    ) {
        if !manners.mute && self.greet(socket, number, manners).is_err() {
            return;
        }
        loop {
            while let Ok(order) = orders.try_recv() {
                match order {
                    Order::Say(message) => {
                        if socket.send(message).is_err() {
                            return;
                        }
                    }
                    Order::Close => drop(socket.close(None)),
                    Order::Cut => return,
                    Order::Freeze => {
                        // Until a test cuts it.
                        while !matches!(orders.recv(), Ok(Order::Cut) | Err(_)) {}
                        return;
                    }
                }
            }
            match socket.read() {
                Ok(Message::Text(text)) => self.heard(&text, number),
                Ok(Message::Ping(_)) => self.state().pings += 1,
                Ok(_) => {}
                Err(Error::Io(error))
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(_) => return,
            }
        }
    }

    /// Says hello, and what was not acknowledged before.
    fn greet(
        &self,
        socket: &mut WebSocket<TcpStream>,
        number: usize,
        manners: &Manners,
    ) -> Result<(), Box<Error>> {
        let hello = json!({
            "type": "hello",
            "num_connections": 1,
            "connection_info": { "app_id": "A1" },
            "debug_info": { "host": "fake", "approximate_connection_time": 18060 },
        });
        let greeting = manners.greet.clone().unwrap_or(hello);
        socket.send(Message::text(greeting.to_string()))?;
        if manners.greet.is_some() {
            return Ok(());
        }
        for text in &manners.then {
            socket.send(Message::text(text.clone()))?;
        }
        let mut state = self.state();
        state.greeted += 1;
        if let Some(line) = state.open.iter_mut().find(|line| line.number == number) {
            line.greeted = true;
        }
        let left = state.envelopes.iter().filter(|sent| !sent.acknowledged);
        let left: Vec<String> = left.map(|sent| sent.envelope.to_string()).collect();
        drop(state);
        self.shared.1.notify_all();
        for text in left {
            socket.send(Message::text(text))?;
        }
        Ok(())
    }

    fn heard(&self, text: &str, on: usize) {
        let frame: Value = serde_json::from_str(text).expect("JSON");
        let id = frame["envelope_id"].as_str().expect("an envelope id");
        let members = frame.as_object().expect("an object");
        let known = ["envelope_id", "payload"];
        assert!(
            members.keys().all(|name| known.contains(&name.as_str())),
            "{frame}"
        );
        let mut state = self.state();
        let sent = state.envelopes.iter_mut();
        let sent = sent.rev().find(|sent| sent.envelope["envelope_id"] == id);
        let after = sent.map_or(Duration::ZERO, |sent| {
            sent.acknowledged = true;
            sent.at.elapsed()
        });
        let payload = frame.get("payload").cloned();
        state.acknowledged.push(Acknowledged {
            envelope_id: id.to_owned(),
            payload,
            on,
            after,
        });
        drop(state);
        self.shared.1.notify_all();
    }
}
