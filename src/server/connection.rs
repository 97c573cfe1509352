//! Reads and answers the requests of one connection, in order, from one buffer.

use std::io::{self, ErrorKind};
use std::net::Shutdown;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::answer::{self, Client, Date, Ending};
use super::body::{self, Chunked, Framing};
use super::exchange::Request;
use super::head::{self, Head, Persistence};
use super::registry::Open;
use super::response::Response;
use super::wire::Wire;
use super::{Malformed, Service, Shared, panic_message};
use crate::failpoint;
use crate::memory::{Holder, Share};
use crate::runtime::clock::monotonic;

/// After an error the client may still be sending. Closing at once would reset the connection and lose the response, so this
/// many bytes are first read and discarded, for at most `DISCARD_TIME`. That covers a body of a few times the limit from a
/// client that reads the response only after it has sent everything.
const DISCARD_BYTES: usize = 4 * 1024 * 1024;
const DISCARD_TIME: Duration = Duration::from_secs(1);

/// How far a client may fall behind the rate at which it takes a response at least.
const PACED_PATIENCE: Duration = Duration::from_secs(5);

/// Bodies up to this size, in bytes, are not counted.
const SMALL_BODY: usize = 16 * 1024;

/// The capacity of the output buffer that is kept between responses, in bytes.
const KEPT: usize = 8 * 1024;

/// A complete request.
struct Received {
    head: Head,
    body: Vec<u8>,
    /// Released once the request is answered.
    _share: Option<Share>,
}

/// Why there is no further request.
enum End {
    /// The client disconnected or was idle for too long. No response is sent.
    Gone,
    Malformed(Malformed),
    /// The head is valid and the body too large.
    TooLarge(Box<Head>, Malformed),
}

impl From<Malformed> for End {
    fn from(problem: Malformed) -> End {
        End::Malformed(problem)
    }
}

/// Serves a connection until it ends.
pub(super) fn serve(open: &Open, shared: &Shared, service: &dyn Service) {
    failpoint::point("connection");
    // Without it responses wait for acknowledgements. Fails only if the connection is gone.
    let _ = open.stream.set_nodelay(true);
    let mut connection = Connection {
        open,
        shared,
        service,
        wire: Wire::new(&open.stream),
        out: Vec::new(),
        date: Date::default(),
    };
    loop {
        match connection.next_request() {
            Ok(received) => {
                if !connection.answer(received) {
                    return;
                }
            }
            Err(End::Gone) => return,
            Err(End::Malformed(problem)) => return connection.refuse(problem),
            Err(End::TooLarge(head, problem)) => return connection.refuse_body(*head, problem),
        }
    }
}

struct Connection<'a> {
    open: &'a Open,
    shared: &'a Shared,
    service: &'a dyn Service,
    wire: Wire<'a>,
    /// The response being sent. Kept to reuse its capacity.
    out: Vec<u8>,
    date: Date,
}

impl Connection<'_> {
    fn next_request(&mut self) -> Result<Received, End> {
        let head = self.read_head()?;
        let (mut body, mut share) = (Vec::new(), None);
        if head.framing == Framing::Sized(0) {
            return Ok(Received {
                head,
                body,
                _share: share,
            });
        }
        if head.framing == Framing::TooLarge {
            let problem = body::too_large(self.shared.limits.body_bytes);
            return Err(End::TooLarge(Box::new(head), problem));
        }
        let mut deadline = monotonic() + self.shared.limits.body;
        // A client that has begun to send its body does not wait for `100 Continue`.
        if head.expects_continue && self.wire.received().is_empty() {
            let limit = self.shared.limits.write;
            self.wire
                .send(b"HTTP/1.1 100 Continue\r\n\r\n", limit)
                .map_err(|_| End::Gone)?;
        }
        let complete = match head.framing {
            Framing::Sized(length) => {
                let first = length.min(SMALL_BODY);
                let mut read = self.wire.read_body(&mut body, first, deadline);
                if length > first && read.as_ref().is_ok_and(|complete| *complete) {
                    // Reserved this late so that a client that announces much and sends little reserves nothing.
                    share = Some(self.make_room(&head, length, &mut deadline)?);
                    read = self.wire.read_body(&mut body, length, deadline);
                }
                read.map_err(|error| self.broken(&error, "body"))?
            }
            // Refused above.
            Framing::TooLarge => false,
            Framing::Chunked => {
                let limits = &self.shared.limits;
                let mut decoder = Chunked::new(limits.body_bytes, limits.head_bytes);
                loop {
                    let used = match decoder.decode(self.wire.received(), &mut body) {
                        Ok(used) => used,
                        Err(problem) if problem.status == 413 => {
                            return Err(End::TooLarge(Box::new(head), problem));
                        }
                        Err(problem) => return Err(problem.into()),
                    };
                    self.wire.consume(used);
                    if decoder.is_done() {
                        break true;
                    }
                    if body.len() > SMALL_BODY && share.is_none() {
                        let most = self.shared.limits.body_bytes;
                        share = Some(self.make_room(&head, most, &mut deadline)?);
                    }
                    let more = self.wire.fill(deadline);
                    if more.map_err(|error| self.broken(&error, "body"))? == 0 {
                        break false;
                    }
                }
            }
        };
        if !complete {
            // During a shutdown the server itself may have ended the reading.
            return Err(if self.shared.stopping() {
                End::Gone
            } else {
                Malformed::new(400, "The request body ended before it was complete.").into()
            });
        }
        Ok(Received {
            head,
            body,
            _share: share,
        })
    }

    /// Waits until a body of this size fits beside others. The wait does not count against the client's deadline. Bodies of
    /// callers without a valid credential count as one caller's, so they cannot exhaust their address.
    fn make_room(
        &self,
        head: &Head,
        bytes: usize,
        deadline: &mut Instant,
    ) -> Result<Share, Malformed> {
        let (began, patience) = (monotonic(), self.shared.limits.patience);
        let (method, target) = (head.method.clone(), head.target.clone());
        let headers = head.headers.clone();
        let request = Request::new(self.open.peer, method, target, headers, Vec::new());
        let request = request.behind(&self.shared.proxies);
        let account = self.service.account(&request).unwrap_or_default();
        let holder = Holder::new(request.client_address(), Some(&account));
        let share = self.shared.bodies.take(&holder, bytes, patience);
        *deadline += began.elapsed();
        share.ok_or_else(|| {
            let detail = "Too many large request bodies are being received; try again in a moment.";
            Malformed::new(503, detail)
        })
    }

    fn read_head(&mut self) -> Result<Head, End> {
        let limits = &self.shared.limits;
        // Old clients send an empty line after a body. It is not part of a request.
        while self.wire.received().starts_with(b"\r\n") {
            self.wire.consume(2);
        }
        if self.wire.received().is_empty() {
            self.open.set_idle(true);
            if self.shared.stopping() {
                // A request that arrived before the stop is still answered.
                self.open.stop_reading();
            }
            let received = self.wire.wait(limits.idle);
            if !received.is_ok_and(|count| count > 0) {
                // It still counts as idle: a client that has gone keeps no new one out while its thread ends.
                return Err(End::Gone);
            }
            self.open.set_idle(false);
        }
        let mut deadline = None;
        loop {
            if let Some((head, length)) = head::parse(self.wire.received(), limits)? {
                self.wire.consume(length);
                return Ok(head);
            }
            let deadline = *deadline.get_or_insert_with(|| monotonic() + limits.head);
            match self.wire.fill(deadline) {
                Ok(0) => return Err(End::Gone),
                Ok(_) => {}
                Err(_) if self.wire.received().trim_ascii().is_empty() => return Err(End::Gone),
                Err(error) => return Err(self.broken(&error, "head")),
            }
        }
    }

    fn broken(&self, error: &io::Error, part: &str) -> End {
        if error.kind() != ErrorKind::TimedOut {
            return End::Gone;
        }
        Malformed::new(
            408,
            format!("The request {part} elapsed too long to arrive."),
        )
        .into()
    }

    /// Answers a request. Returns `false` if the connection must end.
    fn answer(&mut self, received: Received) -> bool {
        let Received { head, body, _share } = received;
        let client = Client::of(&head);
        let persistence = head.persistence;
        let request = Request::new(self.open.peer, head.method, head.target, head.headers, body)
            .behind(&self.shared.proxies);
        // On a panic the request is used again only to render the error.
        let handled = catch_unwind(AssertUnwindSafe(|| self.service.handle(&request)));
        let response =
            handled.unwrap_or_else(|panic| self.service.panicked(&request, panic_message(&*panic)));
        let stopping = self.shared.stopping();
        let ending = match persistence {
            Persistence::Close => Ending::Close,
            _ if stopping => Ending::Close,
            Persistence::KeepAlive => Ending::KeepAlive,
            Persistence::KeepAliveRequested => Ending::ConfirmedKeepAlive,
        };
        // The handler is done with the body, and sending the response may take long.
        drop((request, _share));
        let Ok(ending) = self.send(response, client, ending) else {
            return false;
        };
        if stopping && persistence != Persistence::Close {
            // The client may already be sending its next request.
            self.close_gracefully();
        }
        ending != Ending::Close
    }

    fn refuse(&mut self, problem: Malformed) {
        let response = self.service.malformed(problem);
        let client = Client {
            is_head: false,
            is_http_1_1: false,
        };
        if self.send(response, client, Ending::Close).is_ok() {
            self.close_gracefully();
        }
    }

    fn refuse_body(&mut self, head: Head, problem: Malformed) {
        let client = Client::of(&head);
        let (peer, none) = (self.open.peer, Vec::new());
        let request = Request::new(peer, head.method, head.target, head.headers, none)
            .behind(&self.shared.proxies);
        let answer = AssertUnwindSafe(|| self.service.too_large(&request, problem));
        let response = catch_unwind(answer)
            .unwrap_or_else(|panic| self.service.panicked(&request, panic_message(&*panic)));
        if self.send(response, client, Ending::Close).is_ok() {
            self.close_gracefully();
        }
    }

    /// Sends a response and returns what it says about the connection.
    fn send(
        &mut self,
        response: Response,
        client: Client,
        mut ending: Ending,
    ) -> io::Result<Ending> {
        let date = self.date.at(self.service.date());
        let rate = response.least_rate;
        // What is sent at a rate has as long as it takes at that rate, and this long at its beginning.
        let patience = match rate {
            Some(_) => self.shared.limits.write.min(PACED_PATIENCE),
            None => self.shared.limits.write,
        };
        let rest = answer::render(response, client, &mut ending, date, &mut self.out)?;
        let mut deadline = self.wire.send(&self.out, patience)?;
        if let Some(mut rest) = rest {
            loop {
                let began = monotonic();
                if !rest.next(&mut self.out)? {
                    break;
                }
                // Rendering time does not count against the client's deadline.
                deadline += began.elapsed();
                if let Some(rate) = rate {
                    deadline += Duration::from_secs(1) * self.out.len() as u32 / rate;
                }
                self.wire.send_more(&self.out, deadline)?;
            }
        }
        // A thousand connections may be idle.
        self.out.clear();
        self.out.shrink_to(KEPT);
        Ok(ending)
    }

    /// Closes the sending side and drains the receiving side, so that the client can read the whole response.
    fn close_gracefully(&mut self) {
        if self.open.stream.shutdown(Shutdown::Write).is_ok() {
            self.wire.discard(DISCARD_BYTES, monotonic() + DISCARD_TIME);
        }
    }
}
