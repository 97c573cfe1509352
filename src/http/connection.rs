//! The requests of one connection, one after the other from one buffer.

use std::io::{self, ErrorKind};
use std::net::Shutdown;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use rouille::{Request, Response};

use super::answer::{self, Date, Ending, PIECE};
use super::body::{self, Chunked, Framing};
use super::head::{self, Head, Persistence};
use super::registry::Open;
use super::wire::Wire;
use super::{Malformed, Service, Shared, panic_message};
use crate::fault;
use crate::runtime::clock::monotonic;

/// After an error the client may still be sending. Closing at once would reset the connection and take the answer
/// with it, so this much, for this long, is read and thrown away first: a body of a few times the limit, from a client
/// that looks for the answer only after it has sent everything.
const DISCARD_BYTES: usize = 4 * 1024 * 1024;
const DISCARD_TIME: Duration = Duration::from_secs(1);

/// Why there is no further request.
enum End {
    /// The client went away or stayed silent: nobody waits for an answer.
    Gone,
    Malformed(Malformed),
    /// The head is good, the body too large.
    TooLarge(Box<Head>, Malformed),
}

impl From<Malformed> for End {
    fn from(problem: Malformed) -> End {
        End::Malformed(problem)
    }
}

/// Serves a connection to its end.
pub(super) fn serve(open: &Open, shared: &Shared, service: &dyn Service) {
    fault::point("connection");
    // Without it answers wait for acknowledgements. It fails only for a connection that is gone.
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
            Ok((head, body)) => {
                if !connection.answer(head, body) {
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
    /// The answer being sent; kept for its room.
    out: Vec<u8>,
    date: Date,
}

impl Connection<'_> {
    fn next_request(&mut self) -> Result<(Head, Vec<u8>), End> {
        let head = self.read_head()?;
        let mut body = Vec::new();
        if head.framing == Framing::Sized(0) {
            return Ok((head, body));
        }
        if head.framing == Framing::TooLarge {
            let problem = body::too_large(self.shared.limits.body_bytes);
            return Err(End::TooLarge(Box::new(head), problem));
        }
        let deadline = monotonic() + self.shared.limits.body;
        // A client that has begun to send does not wait.
        if head.expects_continue && self.wire.received().is_empty() {
            let limit = self.shared.limits.write;
            self.wire
                .send(b"HTTP/1.1 100 Continue\r\n\r\n", limit)
                .map_err(|_| End::Gone)?;
        }
        let complete = match head.framing {
            Framing::Sized(length) => self
                .wire
                .read_body(&mut body, length, deadline)
                .map_err(|error| self.broken(&error, "body"))?,
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
                    let more = self.wire.fill(deadline);
                    if more.map_err(|error| self.broken(&error, "body"))? == 0 {
                        break false;
                    }
                }
            }
        };
        if !complete {
            // While stopping it may be us who ended the reading.
            return Err(if self.shared.stopping() {
                End::Gone
            } else {
                Malformed::new(400, "The request body ended before it was complete.").into()
            });
        }
        Ok((head, body))
    }

    fn read_head(&mut self) -> Result<Head, End> {
        let limits = &self.shared.limits;
        // Old clients send an empty line after a body; it belongs to no request.
        while self.wire.received().starts_with(b"\r\n") {
            self.wire.consume(2);
        }
        if self.wire.received().is_empty() {
            self.open.set_idle(true);
            if self.shared.stopping() {
                // What has come before the stop is still answered.
                self.open.stop_reading();
            }
            let received = self.wire.wait(limits.idle);
            self.open.set_idle(false);
            if !received.is_ok_and(|count| count > 0) {
                return Err(End::Gone);
            }
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
        Malformed::new(408, format!("The request {part} took too long to arrive.")).into()
    }

    /// Answers a request; `false` when the connection is to end.
    fn answer(&mut self, head: Head, body: Vec<u8>) -> bool {
        let bare = head.method == "HEAD";
        let persistence = head.persistence;
        let request =
            Request::fake_http_from(self.open.peer, head.method, head.target, head.headers, body);
        // The request is only shown once more, to render the failure.
        let handled = catch_unwind(AssertUnwindSafe(|| self.service.handle(&request)));
        let response =
            handled.unwrap_or_else(|panic| self.service.panicked(&request, panic_message(&*panic)));
        let stopping = self.shared.stopping();
        let ending = match persistence {
            Persistence::Close => Ending::Close,
            _ if stopping => Ending::Close,
            Persistence::KeepAlive => Ending::KeepAlive,
            Persistence::Asked => Ending::SaidKeepAlive,
        };
        if self.send(response, bare, ending).is_err() {
            return false;
        }
        if stopping && persistence != Persistence::Close {
            // The client may be sending its next request already.
            self.part();
        }
        ending != Ending::Close
    }

    fn refuse(&mut self, problem: Malformed) {
        let response = self.service.malformed(problem);
        if self.send(response, false, Ending::Close).is_ok() {
            self.part();
        }
    }

    fn refuse_body(&mut self, head: Head, problem: Malformed) {
        let bare = head.method == "HEAD";
        let (peer, none) = (self.open.peer, Vec::new());
        let request = Request::fake_http_from(peer, head.method, head.target, head.headers, none);
        let answer = AssertUnwindSafe(|| self.service.too_large(&request, problem));
        let response = catch_unwind(answer)
            .unwrap_or_else(|panic| self.service.panicked(&request, panic_message(&*panic)));
        if self.send(response, bare, Ending::Close).is_ok() {
            self.part();
        }
    }

    fn send(&mut self, response: Response, bare: bool, ending: Ending) -> io::Result<()> {
        let date = self.date.at(self.service.date());
        let rest = answer::render(response, bare, ending, date, &mut self.out)?;
        let deadline = self.wire.send(&self.out, self.shared.limits.write)?;
        if let Some(mut rest) = rest {
            while rest.next(&mut self.out)? {
                self.wire.send_more(&self.out, deadline)?;
            }
        }
        // A body of unknown size may have made it large.
        self.out.clear();
        self.out.shrink_to(PIECE * 2);
        Ok(())
    }

    /// Says that no more comes and lets the client read up to there.
    fn part(&mut self) {
        if self.open.stream.shutdown(Shutdown::Write).is_ok() {
            self.wire.discard(DISCARD_BYTES, monotonic() + DISCARD_TIME);
        }
    }
}
