//! Collections with large items: rendered one by one, and streamed.
//!
//! A page of 200 whole rotations of 1,000 people is 20 MB. The first [`SMALL`] bytes are rendered at once, from the snapshot
//! that selects the items of the page; a page that ends there is an ordinary response. The rest is read and rendered in
//! steps, each from a new snapshot once the client has read the previous step: a client that reads slowly holds neither
//! memory nor a transaction.

use super::answer::{self, Outcome};
use super::extract::Call;
use crate::actions::{ActionError, Error};
use crate::server::room::{SMALL, Steps};
use crate::server::{Body, Problem, Response};
use crate::wire::page::Page;
use serde::Serialize;
use std::io::{self, Read};

/// Rendered items as JSON.
#[derive(Default)]
pub struct Items {
    json: Vec<u8>,
    /// Whether an item precedes the next one.
    any: bool,
}

impl Items {
    /// Whether there are enough items for one step.
    pub fn is_enough(&self) -> bool {
        self.json.len() >= SMALL
    }

    /// The size of the rendered items, in bytes.
    pub fn size(&self) -> usize {
        self.json.len()
    }

    /// Adds an item.
    pub fn push<T: Serialize>(&mut self, item: &T) -> Result<(), ActionError> {
        if self.any {
            self.json.push(b',');
        }
        self.any = true;
        let written = serde_json::to_writer(&mut self.json, item);
        Ok(written.map_err(|error| Error::Corrupt(format!("cannot render: {error}")))?)
    }
}

/// Renders further items: adds some, at most until [`Items::is_enough`], and returns whether there are more. It reads from a
/// new snapshot and skips items that no longer exist.
pub type More = Box<dyn FnMut(&mut Items) -> Result<bool, ActionError> + Send>;

/// The response with a page: only `items` if they are all, otherwise followed by those that `more` adds while it is sent.
pub fn page(call: &Call, page: Page<()>, items: Items, more: Option<More>) -> Outcome {
    let envelope = answer::bytes(&page)?;
    let begin = br#"{"data":["#;
    let end = envelope.strip_prefix(begin).ok_or_else(|| {
        Problem::internal("the envelope of a page does not begin with its items".to_owned())
    })?;
    let mut json = Vec::with_capacity(begin.len() + items.json.len() + end.len());
    json.extend_from_slice(begin);
    json.extend_from_slice(&items.json);
    let Some(more) = more else {
        json.extend_from_slice(end);
        return Ok(answer::with_body(200, Body::from_data(json)));
    };
    let rest = Rest {
        steps: Steps::begin(call.room, json.capacity()),
        items: Items {
            json,
            any: items.any,
        },
        sent: 0,
        more: Some(more),
        end: end.to_vec(),
    };
    Ok(streamed(rest))
}

fn streamed(rest: Rest) -> Response {
    answer::with_body(200, Body::from_reader(rest))
}

/// A page that is being sent.
struct Rest {
    steps: Steps,
    /// The rendered items, of which `sent` bytes have been sent.
    items: Items,
    sent: usize,
    /// `None` once the last item has been rendered.
    more: Option<More>,
    end: Vec<u8>,
}

impl Rest {
    /// Renders the next items, or the end of the page.
    fn step(&mut self) -> io::Result<()> {
        self.sent = 0;
        self.items.json = Vec::new();
        let Some(more) = &mut self.more else {
            self.steps.rendered(0);
            return Ok(());
        };
        self.steps.begin_next()?;
        let goes_on = more(&mut self.items).map_err(|error| {
            let why = Problem::from(error).inside.map(String::from);
            io::Error::other(why.unwrap_or_default())
        })?;
        if !goes_on {
            self.more = None;
            self.items.json.append(&mut self.end);
        }
        self.items.json.shrink_to_fit();
        self.steps.rendered(self.items.json.len());
        Ok(())
    }
}

impl Read for Rest {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.sent == self.items.json.len() && (self.more.is_some() || self.sent > 0) {
            if let Err(error) = self.step() {
                log::warn!("a response was cut off: {error}");
                return Err(error);
            }
        }
        let here = (&self.items.json[self.sent..]).read(buffer)?;
        self.sent += here;
        Ok(here)
    }
}
