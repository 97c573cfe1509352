//! One socket: an input buffer that keeps the start of the next request, and deadlines for whole steps.
//!
//! A kernel time-out covers a single call. Before each call it is set to the remaining time of the step, and only if it
//! changed: a request that arrives in one piece costs one read and one write.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::runtime::clock::monotonic;

/// The initial size of the input buffer; most heads fit.
const INPUT: usize = 4 * 1024;

pub(super) struct Wire<'a> {
    stream: &'a TcpStream,
    /// Received bytes are `input[start..end]`; the rest is free.
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

    /// The received bytes that are not consumed.
    pub(super) fn received(&self) -> &[u8] {
        &self.input[self.start..self.end]
    }

    /// Consumes the first `count` received bytes.
    pub(super) fn consume(&mut self, count: usize) {
        self.start += count;
    }

    /// Waits at most `idle` for a first byte. Returns 0 if the client has closed its side.
    ///
    /// # Errors
    /// `TimedOut` after that time, or the error of the socket.
    pub(super) fn wait(&mut self, idle: Duration) -> io::Result<usize> {
        if self.start == self.end && self.input.len() > INPUT {
            // Shrinks the buffer after a large head: most connections are idle most of the time.
            self.input = vec![0; INPUT];
            (self.start, self.end) = (0, 0);
        }
        self.make_room();
        // Always the same value, so that no system call is needed between requests.
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

    /// Receives some more bytes. Returns 0 if the client has closed its side.
    ///
    /// # Errors
    /// `TimedOut` at the deadline, or the error of the socket.
    pub(super) fn fill(&mut self, deadline: Instant) -> io::Result<usize> {
        self.make_room();
        let mut input = std::mem::take(&mut self.input);
        let read = self.read_until(&mut input[self.end..], deadline);
        self.input = input;
        let count = read?;
        self.end += count;
        Ok(count)
    }

    /// Moves received bytes to the end of `body` until it has `length`. `false` if the client closes its side before.
    ///
    /// # Errors
    /// `TimedOut` at the deadline, or the error of the socket.
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
        // Reads directly into the body, so that the buffer stays small.
        let mut source = Until {
            wire: self,
            deadline,
        }
        .take((missing - here) as u64);
        source.read_to_end(body)?;
        Ok(body.len() == length)
    }

    /// Sends all of `bytes` and returns the deadline of the whole response, `total` from now.
    ///
    /// # Errors
    /// `TimedOut` if the client has not accepted them in that time, or the error of the socket.
    pub(super) fn send(&mut self, bytes: &[u8], total: Duration) -> io::Result<Instant> {
        let deadline = monotonic() + total;
        // Always the same value, as in `wait`.
        self.set_write_timeout(total)?;
        let sent = self.write(bytes)?;
        self.send_more(&bytes[sent..], deadline)?;
        Ok(deadline)
    }

    /// Sends all of `bytes` as part of what `send` started.
    pub(super) fn send_more(&mut self, bytes: &[u8], deadline: Instant) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            self.set_write_timeout(left(deadline)?)?;
            let sent = self.write(rest)?;
            rest = &rest[sent..];
        }
        Ok(())
    }

    /// Discards input until the client closes its side, `bytes` are read or the deadline is reached.
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
                // Only a head stays in the buffer, and its size is limited.
                self.input.resize(self.input.len() * 2, 0);
            }
        }
    }

    fn read_until(&mut self, buffer: &mut [u8], deadline: Instant) -> io::Result<usize> {
        loop {
            self.set_read_timeout(left(deadline)?)?;
            match self.stream.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The kernel counts in ticks and may return early, so the deadline is checked again.
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }

    /// One write. Returns 0 after a time-out; the caller checks the deadline.
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

/// A reader on the socket that ends at a deadline.
struct Until<'w, 'a> {
    wire: &'w mut Wire<'a>,
    deadline: Instant,
}

impl Read for Until<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.wire.read_until(buffer, self.deadline)
    }
}
