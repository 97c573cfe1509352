//! Connections that are turned away on the accepting thread, without a thread of their own.

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

/// How many refused connections stay open, so that what they still send does not reset them before the client has
/// read its answer. The oldest makes room.
const LINGERING: usize = 64;

/// How long they stay at least, while no newer one needs the place.
const LINGER: Duration = Duration::from_secs(1);

pub(super) struct Refusals {
    service: Arc<dyn Service>,
    lingering: VecDeque<(Instant, Arc<Open>)>,
    /// Whether the last connection was refused: an overload is logged once, not for every client.
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

    /// Turns a connection away because `cap` others are open.
    pub(super) fn too_many(&mut self, open: Arc<Open>, cap: usize) {
        if !self.refusing {
            log::warn!("{cap} connections are open; answering further ones 503");
        }
        self.refusing = true;
        self.refuse(open);
    }

    /// Turns a connection away because the system gives us no thread for it.
    pub(super) fn no_thread(&mut self, open: Arc<Open>) {
        self.refuse(open);
    }

    /// A connection found room: the overload, if there was one, is over.
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
                bare: false,
                modern: false,
            };
            answer::render(response, client, &mut { Ending::Close }, date, &mut bytes)?;
            io::Result::Ok(bytes)
        }));
        let Ok(Ok(bytes)) = rendered else {
            return;
        };
        // A fresh socket takes a short answer whole; if it does not, this client goes without.
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
