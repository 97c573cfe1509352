//! Room in memory: what a request may hold while it is worked on, and its answer until it has been sent. All edges share one
//! budget.
//!
//! An edge takes room by a rough measure of what a request holds, before the work begins. Once the answer is rendered the
//! share shrinks to the size of the answer, or to nothing where that is small.

use super::exchange::{Body, Request, Response};
use super::problem::Problem;
use crate::fault;
use crate::memory::{Budget, Holder, Limits, Share};
use std::io::{self, Read};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// What answers and the work on them may take.
pub const LIMITS: Limits = Limits {
    all: 64 * MIB,
    address: 48 * MIB,
    credential: 24 * MIB,
};

/// The same, or what a test has set in its place.
fn limits() -> Limits {
    match fault::room() {
        Some(mebibytes) => Limits {
            all: 3 * mebibytes * MIB,
            address: 2 * mebibytes * MIB,
            credential: mebibytes * MIB,
        },
        None => LIMITS,
    }
}

/// Answers up to this size, in bytes, are not counted while they are sent.
pub const SMALL: usize = 64 * KIB;

/// How long a request waits for room before it is refused.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a long answer that has begun waits for room to go on, before the connection is closed.
const LONG_PATIENCE: Duration = Duration::from_secs(20);

/// Room for one step of a long collection: what one item and reading it take.
pub const STEP: usize = 3 * MIB;

/// Stands for those who show no credential; none is called so.
const NOBODY: &str = "";

/// The budget that the requests of one server share, whatever their edge; clones are the same.
#[derive(Clone)]
pub struct RequestBudget(Arc<Budget>);

impl Default for RequestBudget {
    fn default() -> RequestBudget {
        RequestBudget(Budget::new(limits()))
    }
}

impl RequestBudget {
    /// Where a request with this credential finds room.
    pub fn room<'a>(&'a self, request: &Request, credential: Option<&'a str>) -> Room<'a> {
        Room {
            budget: &self.0,
            address: request.peer().ip(),
            credential,
        }
    }
}

/// Where a request finds room.
#[derive(Clone, Copy)]
pub struct Room<'a> {
    budget: &'a Arc<Budget>,
    address: IpAddr,
    credential: Option<&'a str>,
}

impl Room<'_> {
    /// Takes room for an operation; nothing where it needs none.
    ///
    /// # Errors
    /// Too much is held for the caller, their address or all, and has been for a while.
    pub fn take(&self, bytes: usize) -> Result<Option<Share>, Problem> {
        if bytes == 0 {
            return Ok(None);
        }
        let share = self.budget.take(&self.holder(), bytes, PATIENCE);
        share.map(Some).ok_or_else(Problem::overloaded)
    }

    /// Whoever the request is from. Those who show no credential count as one: what is kept for them all must not leave
    /// others without, who may share an address with them.
    fn holder(&self) -> Holder {
        Holder::new(self.address, Some(self.credential.unwrap_or(NOBODY)))
    }
}

/// The answer with its share: held until it has been sent, where it is large.
pub fn hold(response: Response, share: Option<Share>) -> Response {
    let Some(mut share) = share else {
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
        // It takes room for itself.
        None => Body::from_reader(reader),
    };
    Response { body, ..response }
}

/// A body with what is held for it.
struct Held<R> {
    reader: R,
    _share: Share,
}

impl<R: Read> Read for Held<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

/// Room of a body that is rendered while it is sent.
pub struct Steps(Share);

impl Steps {
    /// With so many bytes rendered already.
    pub fn begin(room: Room, rendered: usize) -> Steps {
        Steps(room.budget.claim(&room.holder(), rendered))
    }

    /// What was rendered has been sent; takes room for more.
    ///
    /// # Errors
    /// There is none, and has not been for a while.
    pub fn begin_next(&mut self) -> io::Result<()> {
        // Nothing is held while it waits, so that those who read their answers do not block one another.
        self.0.set(0);
        match self.0.grow(STEP, LONG_PATIENCE) {
            true => Ok(()),
            false => Err(io::Error::other("no room to render the rest of an answer")),
        }
    }

    /// So many bytes have been rendered.
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
        // All that they get, from many addresses.
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
            let (mut reader, told) = response.body.into_reader_and_size();
            let mut body = Vec::new();
            assert_eq!(reader.read_to_end(&mut body).expect("in memory"), size);
            assert_eq!(told, Some(size));
            drop(reader);
            assert!(all_is_free().is_some());
        }
    }
}
