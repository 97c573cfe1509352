//! Refuses connections on the accepting thread.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::Shutdown;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::answer::{self, Client, Date, Ending};
use super::registry::Open;
use super::{Malformed, Service};
use crate::runtime::clock::monotonic;

/// How many refused connections stay open, so that unread input does not reset them before the client has read the
/// response. The oldest is closed first.
const LINGERING: usize = 64;

/// How long they stay open at least, unless a newer one replaces them.
const LINGER: Duration = Duration::from_secs(1);

pub(super) struct Refusals {
    service: Arc<dyn Service>,
    lingering: VecDeque<(Instant, Arc<Open>)>,
    /// Whether the last connection was refused. An overload is logged once, not for each client.
    refusing: bool,
}

impl Refusals {
    pub(super) fn new(service: Arc<dyn Service>) -> Refusals {
        Refusals {
            service,
            lingering: VecDeque::new(),
            refusing: false,
        }
    }

    /// Refuses a connection because `cap` others are open.
    pub(super) fn too_many(&mut self, open: Arc<Open>, cap: usize) {
        if !self.refusing {
            log::warn!("{cap} connections are open; answering further ones 503");
        }
        self.refusing = true;
        self.refuse(open);
    }

    /// Refuses a connection because no thread could be started.
    pub(super) fn no_thread(&mut self, open: Arc<Open>) {
        self.refuse(open);
    }

    /// A connection was accepted, so the overload is over.
    pub(super) fn over(&mut self) {
        self.refusing = false;
        while let Some((since, _)) = self.lingering.front()
            && monotonic() - *since > LINGER
        {
            self.lingering.pop_front();
        }
    }

    fn refuse(&mut self, open: Arc<Open>) {
        let problem = Malformed::new(503, "Too many connections are open; try again in a moment.");
        let rendered = catch_unwind(AssertUnwindSafe(|| {
            let mut bytes = Vec::new();
            let response = self.service.malformed(problem);
            let mut date = Date::default();
            let date = date.at(self.service.date());
            let client = Client {
                is_head: false,
                is_http_1_1: false,
            };
            answer::render(response, client, &mut { Ending::Close }, date, &mut bytes)?;
            io::Result::Ok(bytes)
        }));
        let Ok(Ok(bytes)) = rendered else {
            return;
        };
        // A new socket accepts a short response at once. If not, the client gets no response.
        let mut stream = &open.stream;
        let _ = stream.set_nonblocking(true);
        let _ = stream.write(&bytes);
        let _ = stream.shutdown(Shutdown::Write);
        if self.lingering.len() == LINGERING {
            self.lingering.pop_front();
        }
        self.lingering.push_back((monotonic(), open));
    }
}
