//! One socket: an input buffer that keeps what belongs to the next request, and deadlines that trickling cannot
//! stretch.
//!
//! The kernel's time-outs count a single call. They are set to what is left of the whole step before each call, and
//! only when they differ from the last: a request that comes in one piece costs one read and one write.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::runtime::clock::monotonic;

/// What the input buffer begins with: most heads fit.
const INPUT: usize = 4 * 1024;

pub(super) struct Wire<'a> {
    stream: &'a TcpStream,
    /// Received bytes are `input[start..end]`; the rest is room.
    input: Vec<u8>,
    start: usize,
    end: usize,
    read_timeout: Duration,
    write_timeout: Duration,
}

impl<'a> Wire<'a> {
    pub(super) fn new(stream: &'a TcpStream) -> Wire<'a> {
        Wire {
            stream,
            input: vec![0; INPUT],
            start: 0,
            end: 0,
            read_timeout: Duration::ZERO,
            write_timeout: Duration::ZERO,
        }
    }

    /// What has come and is not used up.
    pub(super) fn received(&self) -> &[u8] {
        &self.input[self.start..self.end]
    }

    /// Uses up the first `count` received bytes.
    pub(super) fn consume(&mut self, count: usize) {
        self.start += count;
    }

    /// Waits for a first byte for at most `idle`; 0 when the client sends no more.
    ///
    /// # Errors
    /// `TimedOut` after that time, or what the socket says.
    pub(super) fn wait(&mut self, idle: Duration) -> io::Result<usize> {
        if self.start == self.end && self.input.len() > INPUT {
            // A large head came: most connections wait much longer than they work.
            self.input = vec![0; INPUT];
            (self.start, self.end) = (0, 0);
        }
        self.make_room();
        // The same value every time: between requests no time-out has to be set.
        self.set_read_timeout(idle)?;
        loop {
            match self.stream.read(&mut self.input[self.end..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    return Err(ErrorKind::TimedOut.into());
                }
                Ok(count) => {
                    self.end += count;
                    return Ok(count);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Receives some more bytes; 0 when the client sends no more.
    ///
    /// # Errors
    /// `TimedOut` at the deadline, or what the socket says.
    pub(super) fn fill(&mut self, deadline: Instant) -> io::Result<usize> {
        self.make_room();
        let mut input = std::mem::take(&mut self.input);
        let read = self.read_until(&mut input[self.end..], deadline);
        self.input = input;
        let count = read?;
        self.end += count;
        Ok(count)
    }

    /// Moves received bytes to the end of `body` until it holds `length`; `false` when the client stops short of it.
    ///
    /// # Errors
    /// `TimedOut` at the deadline, or what the socket says.
    pub(super) fn read_body(
        &mut self,
        body: &mut Vec<u8>,
        length: usize,
        deadline: Instant,
    ) -> io::Result<bool> {
        let missing = length.saturating_sub(body.len());
        let received = self.received();
        let here = received.len().min(missing);
        body.reserve_exact(missing);
        body.extend_from_slice(&received[..here]);
        self.consume(here);
        // Straight into the body: the buffer stays small whatever is sent.
        let mut source = Until {
            wire: self,
            deadline,
        }
        .take((missing - here) as u64);
        source.read_to_end(body)?;
        Ok(body.len() == length)
    }

    /// Sends all of `bytes` and returns the deadline, `total` from now, for what belongs to them.
    ///
    /// # Errors
    /// `TimedOut` when they are not all accepted in that time, or what the socket says.
    pub(super) fn send(&mut self, bytes: &[u8], total: Duration) -> io::Result<Instant> {
        let deadline = monotonic() + total;
        // The same value every time, as in `wait`.
        self.set_write_timeout(total)?;
        let sent = self.write(bytes)?;
        self.send_more(&bytes[sent..], deadline)?;
        Ok(deadline)
    }

    /// Sends all of `bytes`, which belong to what `send` began.
    ///
    /// # Errors
    /// As `send`.
    pub(super) fn send_more(&mut self, bytes: &[u8], deadline: Instant) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            self.set_write_timeout(left(deadline)?)?;
            let sent = self.write(rest)?;
            rest = &rest[sent..];
        }
        Ok(())
    }

    /// Throws away what still comes, until the client ends, `bytes` are gone or the deadline is reached.
    pub(super) fn discard(&mut self, mut bytes: usize, deadline: Instant) {
        while bytes > 0 {
            self.consume(self.received().len());
            match self.fill(deadline) {
                Ok(0) | Err(_) => return,
                Ok(count) => bytes = bytes.saturating_sub(count),
            }
        }
    }

    fn make_room(&mut self) {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.end == self.input.len() {
            if self.start > 0 {
                self.input.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, self.end - self.start);
            } else {
                // Only a head stays in the buffer, and it is refused once it is over its limit.
                self.input.resize(self.input.len() * 2, 0);
            }
        }
    }

    fn read_until(&mut self, buffer: &mut [u8], deadline: Instant) -> io::Result<usize> {
        loop {
            self.set_read_timeout(left(deadline)?)?;
            match self.stream.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The kernel counts in ticks and may be early: look at the deadline again.
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }

    /// One write; 0 when the time-out set is over, which the caller's deadline judges.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.stream.write(bytes) {
            Ok(0) => Err(ErrorKind::WriteZero.into()),
            Err(error)
                if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) =>
            {
                Ok(0)
            }
            written => written,
        }
    }

    fn set_read_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        if self.read_timeout != timeout {
            self.stream.set_read_timeout(Some(timeout))?;
            self.read_timeout = timeout;
        }
        Ok(())
    }

    fn set_write_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        if self.write_timeout != timeout {
            self.stream.set_write_timeout(Some(timeout))?;
            self.write_timeout = timeout;
        }
        Ok(())
    }
}

fn left(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(monotonic());
    if left.is_zero() {
        return Err(ErrorKind::TimedOut.into());
    }
    Ok(left)
}

/// The socket as a reader that ends at a deadline.
struct Until<'w, 'a> {
    wire: &'w mut Wire<'a>,
    deadline: Instant,
}

impl Read for Until<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.wire.read_until(buffer, self.deadline)
    }
}
