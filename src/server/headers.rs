//! Headers that count only once.

use super::exchange::Request;
use crate::domain::fault::Fault;
use crate::domain::refusal::{Refusal, invalid};

impl Request {
    /// The value of a header that must not be repeated.
    ///
    /// # Errors
    /// If it has several lines, whatever their values.
    pub fn single<'a>(&'a self, name: &'a str) -> Result<Option<&'a str>, Refusal> {
        let named = |(known, _): &(&str, &str)| known.eq_ignore_ascii_case(name);
        let mut lines = self.headers().filter(named).map(|(_, value)| value);
        let first = lines.next();
        match lines.next() {
            Some(_) => invalid(name, Fault::SentTwice),
            None => Ok(first),
        }
    }
}
