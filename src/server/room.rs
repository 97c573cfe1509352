//! The memory budget of requests and responses, shared by all edges.
//!
//! An edge takes a share by a rough estimate before it starts the work. Once the response is rendered the share shrinks to
//! its size, or is released if the response is small.

use super::exchange::{Body, Request};
use super::problem::Problem;
use super::response::Response;
use crate::failpoint;
use crate::memory::{Budget, Holder, Limits, Share};
use std::io::{self, Read};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// The limits for responses and the work on them.
pub const LIMITS: Limits = Limits {
    all: 64 * MIB,
    address: 48 * MIB,
    credential: 24 * MIB,
};

/// The limits, or those that a test has set.
fn limits() -> Limits {
    match failpoint::room() {
        Some(mebibytes) => Limits {
            all: 3 * mebibytes * MIB,
            address: 2 * mebibytes * MIB,
            credential: mebibytes * MIB,
        },
        None => LIMITS,
    }
}

/// Responses up to this size, in bytes, are not counted while they are sent.
pub const SMALL: usize = 64 * KIB;

/// How long a request waits for memory before it is refused.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a streamed response waits for memory before its connection is closed.
const LONG_PATIENCE: Duration = Duration::from_secs(20);

/// The memory for one step of a long collection: one item and its query.
pub const STEP: usize = 3 * MIB;

/// The holder of all requests without a credential. No credential is empty.
const ANONYMOUS: &str = "";

/// The budget of one server's requests. Clones share it.
#[derive(Clone)]
pub struct RequestBudget(Arc<Budget>);

impl Default for RequestBudget {
    fn default() -> RequestBudget {
        RequestBudget(Budget::new(limits()))
    }
}

impl RequestBudget {
    /// The budget as seen by a request with this credential.
    pub fn room<'a>(&'a self, request: &Request, credential: Option<&'a str>) -> Room<'a> {
        Room {
            budget: &self.0,
            address: request.client_address(),
            credential,
        }
    }
}

/// The budget as seen by one request.
#[derive(Clone, Copy)]
pub struct Room<'a> {
    budget: &'a Arc<Budget>,
    address: IpAddr,
    credential: Option<&'a str>,
}

impl Room<'_> {
    /// Takes memory for an operation. `None` if it needs none.
    ///
    /// # Errors
    /// If too much has been held for the caller, their address or all callers for the whole wait.
    pub fn take(&self, bytes: usize) -> Result<Option<Share>, Problem> {
        if bytes == 0 {
            return Ok(None);
        }
        let share = self.budget.take(&self.holder(), bytes, PATIENCE);
        share.map(Some).ok_or_else(Problem::overloaded)
    }

    /// The holder that the request counts for. All requests without a credential are one holder, so that they do not exhaust
    /// the address that they may share with others.
    fn holder(&self) -> Holder {
        Holder::new(self.address, Some(self.credential.unwrap_or(ANONYMOUS)))
    }
}

/// The response with its share, which a large one keeps until it has been sent.
pub fn hold(response: Response, share: Option<Share>) -> Response {
    let Some(mut share) = share.filter(|_| response.least_rate.is_none()) else {
        return response;
    };
    let (reader, size) = response.body.into_reader_and_size();
    let body = match size {
        Some(size) if size <= SMALL => Body::from_reader_and_size(reader, size),
        Some(size) => {
            share.set(size);
            let _share = share;
            Body::from_reader_and_size(Held { reader, _share }, size)
        }
        // It takes its own shares.
        None => Body::from_reader(reader),
    };
    Response { body, ..response }
}

/// A body with its share.
struct Held<R> {
    reader: R,
    _share: Share,
}

impl<R: Read> Read for Held<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

/// The share of a body that is rendered while it is sent.
pub struct Steps(Share);

impl Steps {
    /// Starts with `rendered` bytes that are already rendered.
    pub fn begin(room: Room, rendered: usize) -> Steps {
        Steps(room.budget.claim(&room.holder(), rendered))
    }

    /// Releases the bytes that were sent and takes memory for the next step.
    ///
    /// # Errors
    /// If there has been no memory for the whole wait.
    pub fn begin_next(&mut self) -> io::Result<()> {
        // Nothing is held during the wait, so that active readers do not block one another.
        self.0.set(0);
        match self.0.grow(STEP, LONG_PATIENCE) {
            true => Ok(()),
            false => Err(io::Error::other(
                "no memory to render the rest of a response",
            )),
        }
    }

    /// Counts rendered bytes.
    pub fn rendered(&mut self, bytes: usize) {
        self.0.set(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_leave_room_for_others_wherever_they_are() {
        let budget = Budget::new(LIMITS);
        let room = |last: u8, credential| Room {
            budget: &budget,
            address: [192, 0, 2, last].into(),
            credential,
        };
        let take = |room: Room, bytes| room.budget.take(&room.holder(), bytes, Duration::ZERO);
        // The whole share of requests without a credential, from many addresses.
        let shares: Vec<_> = (0..100)
            .map_while(|number| take(room(number, None), MIB))
            .collect();
        assert_eq!(shares.len(), LIMITS.credential / MIB);
        assert!(take(room(0, None), MIB).is_none());
        let other = take(room(0, Some("key_a")), LIMITS.credential);
        assert!(other.is_some());
    }

    #[test]
    fn large_answers_are_held_until_they_have_been_sent() {
        let budget = Budget::new(LIMITS);
        let room = Room {
            budget: &budget,
            address: [192, 0, 2, 1].into(),
            credential: Some("key_a"),
        };
        let all_is_free = || budget.take(&room.holder(), LIMITS.credential, Duration::ZERO);
        for (size, held) in [(SMALL, false), (SMALL + 1, true)] {
            let share = room.take(MIB).expect("there is room");
            assert!(all_is_free().is_none());
            let response = hold(
                Response::new(200, "text/plain", Body::from_data(vec![b'x'; size])),
                share,
            );
            assert_eq!(all_is_free().is_none(), held, "{size}");
            let (mut reader, length) = response.body.into_reader_and_size();
            let mut body = Vec::new();
            assert_eq!(reader.read_to_end(&mut body).expect("in memory"), size);
            assert_eq!(length, Some(size));
            drop(reader);
            assert!(all_is_free().is_some());
        }
    }
}
