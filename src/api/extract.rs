//! The input of handlers: path, query, paging and headers as values.

use super::Api;
use super::operation::{self, LARGEST_PAGE, LAST_PAGE};
use crate::actions::mutation::{Mutation, Operation, Written};
use crate::actions::{ActionError, App};
use crate::domain::access::Principal;
use crate::domain::audit::{Author, Origin};
use crate::domain::fault::Fault;
use crate::domain::ids::ChangeId;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::time::Interval;
use crate::server::room::Room;
use crate::server::{Problem, Request};
use crate::store::Page;
use crate::wire::etag::Precondition;
use crate::wire::{moment, strict, url};
use jiff::{SignedDuration, Timestamp};
use std::borrow::Cow;
use std::cell::RefCell;
use std::net::IpAddr;

/// The shortest time that there is.
const INSTANT: SignedDuration = SignedDuration::from_nanos(1);

/// One request of somebody known, its path matched and its body read.
pub struct Call<'a> {
    pub api: &'a Api,
    pub app: &'a App,
    pub caller: &'a Principal,
    /// The `operationId`.
    pub action: &'static str,
    /// As the answer names the request.
    pub request_id: &'a str,
    /// The client's own id of the request, where it sent one.
    pub client_request_id: Option<&'a str>,
    /// Of the client.
    pub address: IpAddr,
    /// Empty if the operation takes none.
    pub body: Vec<u8>,
    pub if_none_match: Option<Cow<'a, str>>,
    pub accept: Option<Cow<'a, str>>,
    pub path: Path<'a>,
    pub query: Query,
    /// The public URL for addresses in the answer, without a slash at its end.
    pub base_url: Cow<'a, str>,
    pub room: Room<'a>,
    /// The changes that wait which a write of this request makes fail.
    pub will_fail: RefCell<Vec<ChangeId>>,
}

impl Call<'_> {
    /// Who writes by this request.
    pub fn author(&self) -> Author {
        Author {
            principal: self.caller.clone(),
            action: self.action,
            origin: Origin {
                request_id: Some(self.request_id.to_owned()),
                client_request_id: self.client_request_id.map(str::to_owned),
                address: Some(self.address),
            },
        }
    }

    /// Runs an operation on the rotation in the path.
    pub fn write<O: Operation>(
        &self,
        precondition: &Precondition,
        operation: O,
    ) -> Result<Written<O::Output>, ActionError> {
        let mutation = Mutation {
            author: &self.author(),
            rotation: &self.path.id("rotationId"),
            precondition,
            operation,
        };
        let written = mutation.run(self.app)?;
        let mut will_fail = self.will_fail.borrow_mut();
        will_fail.extend(written.will_fail.iter().cloned());
        Ok(written)
    }
}

/// The decoded parameters of a path, by the names in its pattern.
pub struct Path<'a>(pub Vec<(&'static str, Cow<'a, str>)>);

impl Path<'_> {
    /// The parameters with `me` below /v1/users as the person whose token this is.
    pub fn named(mut self, pattern: &str, caller: &Principal) -> Self {
        let below_users = pattern.starts_with("/v1/users/{userId}");
        if let (true, Ok(person)) = (below_users, caller.person()) {
            let mut own = self.0.iter_mut();
            let own = own.find(|(name, value)| *name == "userId" && value == "me");
            if let Some((_, value)) = own {
                *value = Cow::Owned(person.to_string());
            }
        }
        self
    }

    /// The value of a parameter.
    pub fn id<T: for<'s> From<&'s str>>(&self, name: &str) -> T {
        let found = self.0.iter().find(|(known, _)| *known == name);
        // A parameter that the pattern lacks reads as the empty id, which nothing has.
        T::from(found.map_or("", |(_, value)| value.as_ref()))
    }
}

/// A header. Several lines are joined to one list.
pub fn header<'r>(request: &'r Request, name: &str) -> Option<Cow<'r, str>> {
    let mut lines = request
        .headers()
        .filter(|(known, _)| known.eq_ignore_ascii_case(name));
    let (_, first) = lines.next()?;
    let mut joined = Cow::Borrowed(first);
    for (_, more) in lines {
        let all = joined.to_mut();
        all.push(',');
        all.push_str(more);
    }
    Some(joined)
}

/// Refuses a request whose Content-Type is not JSON, or is sent twice.
pub fn check_media_type(request: &Request) -> Result<(), Problem> {
    let value = request.single("Content-Type")?.unwrap_or_default();
    let kind = value.split(';').next().unwrap_or_default().trim();
    let known = ["application/json-patch+json", "application/json"];
    match known.iter().any(|known| kind.eq_ignore_ascii_case(known)) {
        true => Ok(()),
        false => Err(Problem::wrong_media_type()),
    }
}

/// The parameters of a query. Each is one that the operation takes, and may be there once, unless the operation says otherwise.
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Parses the query of a request for an operation with these parameters.
    ///
    /// # Errors
    /// If it is not valid percent-encoded UTF-8, or has a parameter that the operation does not have.
    pub fn parse(text: &str, operation: &operation::Operation) -> Result<Query, Refusal> {
        let Some(pairs) = url::parameters(text) else {
            return invalid("", "the query is not valid percent-encoded UTF-8");
        };
        let known: Vec<&str> = operation
            .parameters()
            .map(|parameter| parameter.name)
            .collect();
        strict::check_query(&pairs, &known)?;
        Ok(Query(pairs))
    }

    /// A parameter as text.
    ///
    /// # Errors
    /// If it occurs twice.
    pub fn one(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let mut values = self.0.iter().filter(|(known, _)| known == name);
        let first = values.next().map(|(_, value)| value.as_str());
        match values.next() {
            Some(_) => invalid(name, Fault::SentTwice),
            None => Ok(first),
        }
    }

    /// The requested page: `page` from 1, `pageSize` 1 to 200, 50 by default.
    ///
    /// # Errors
    /// If one of them is out of range.
    pub fn page(&self) -> Result<Page, Refusal> {
        let number = self.whole("page", 1, LAST_PAGE)?;
        let size = self.whole("pageSize", 50, LARGEST_PAGE)?;
        Ok(Page { number, size })
    }

    /// A whole number from 1 to `most`.
    ///
    /// # Errors
    /// If it is none of them.
    pub fn whole(&self, name: &str, default: u32, most: u32) -> Result<u32, Refusal> {
        let Some(text) = self.one(name)? else {
            return Ok(default);
        };
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(number) if digits && (1..=most).contains(&number) => Ok(number),
            _ => invalid(name, format!("send a whole number from 1 to {most}")),
        }
    }

    /// The sort field, one of `fields`, and whether it is descending.
    ///
    /// # Errors
    /// If it is not one of them.
    pub fn sort<T: Copy>(&self, fields: &[(&str, T)]) -> Result<Option<(T, bool)>, Refusal> {
        let Some(text) = self.one("sort")? else {
            return Ok(None);
        };
        let (name, descending) = match text.strip_prefix('-') {
            Some(name) => (name, true),
            None => (text, false),
        };
        match fields.iter().find(|(known, _)| *known == name) {
            Some((_, field)) => Ok(Some((*field, descending))),
            None => {
                let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
                let names = names.join("` `");
                invalid(
                    "sort",
                    format!("send one of `{names}`, prefixed with `-` for descending"),
                )
            }
        }
    }

    /// A parameter with a fixed set of values, converted by `parse`.
    ///
    /// # Errors
    /// If `parse` returns `None`; the refusal lists `words`.
    pub fn choice<T>(
        &self,
        name: &str,
        words: &[&str],
        parse: fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Refusal> {
        let Some(text) = self.one(name)? else {
            return Ok(None);
        };
        match parse(text) {
            Some(value) => Ok(Some(value)),
            None => invalid(name, format!("send one of `{}`", words.join("` `"))),
        }
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// If it is neither.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, Refusal> {
        match self.one(name)? {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => invalid(name, "send true or false"),
        }
    }

    /// An instant with any offset. The `+` of an offset may have been decoded to a space.
    ///
    /// # Errors
    /// If it is not an RFC 3339 date-time with an offset.
    pub fn instant(&self, name: &str) -> Result<Option<Timestamp>, Refusal> {
        let Some(text) = self.one(name)? else {
            return Ok(None);
        };
        let read = moment::parse_instant(text);
        match read.or_else(|| moment::parse_instant(&text.replace(' ', "+"))) {
            Some(at) => Ok(Some(at)),
            None => invalid(name, format!("send {}", moment::INSTANT)),
        }
    }

    /// The range from `from` to `to`, both required, at most `most_days` long.
    ///
    /// # Errors
    /// If one is missing or invalid, or the range is empty or too long.
    pub fn range(&self, most_days: i64) -> Result<Interval, Refusal> {
        let range = self.any_range()?;
        if range.until.duration_since(range.from) > SignedDuration::from_hours(24 * most_days) {
            return invalid("to", Fault::DaysAfterFrom(most_days));
        }
        Ok(range)
    }

    /// The same, or one instant where `from` equals `to`.
    ///
    /// # Errors
    /// As [`Query::range`], save for an empty range.
    pub fn range_or_instant(&self, most_days: i64) -> Result<Interval, Refusal> {
        match (self.instant("from")?, self.instant("to")?) {
            (Some(from), Some(to)) if from == to => Ok(Interval {
                from,
                until: to.saturating_add(INSTANT).unwrap_or(Timestamp::MAX),
            }),
            _ => self.range(most_days),
        }
    }

    /// Each of the values of a parameter that may be sent several times, as [`Query::choice`] reads it.
    ///
    /// # Errors
    /// When `parse` knows no such word; the refusal tells `words`.
    pub fn choices<T>(
        &self,
        name: &str,
        words: &[&str],
        parse: fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, Refusal> {
        let values = self.0.iter().filter(|(known, _)| known == name);
        let read = values.map(|(_, value)| match parse(value) {
            Some(value) => Ok(value),
            None => invalid(name, format!("send one of `{}`", words.join("` `"))),
        });
        read.collect()
    }

    /// The range from `from` to `to`, both needed.
    ///
    /// # Errors
    /// If one is missing or invalid, or the range is empty.
    pub fn any_range(&self) -> Result<Interval, Refusal> {
        let needed = |name| match self.instant(name)? {
            Some(at) => Ok(at),
            None => invalid(
                name,
                Fault::Missing(format!("send {}", moment::INSTANT).into()),
            ),
        };
        let range = Interval::new(needed("from")?, needed("to")?);
        check_order(range)?;
        Ok(range)
    }

    /// The range from `from` to `to`, both optional.
    ///
    /// # Errors
    /// If one is invalid, or the range is empty.
    pub fn open_range(&self) -> Result<(Option<Timestamp>, Option<Timestamp>), Refusal> {
        let (from, until) = (self.instant("from")?, self.instant("to")?);
        if let (Some(from), Some(until)) = (from, until) {
            check_order(Interval { from, until })?;
        }
        Ok((from, until))
    }
}

fn check_order(range: Interval) -> Result<(), Refusal> {
    match range.from < range.until {
        true => Ok(()),
        false => invalid("to", Fault::NotAfterFrom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Query {
        Query(url::parameters(text).unwrap())
    }

    #[test]
    fn pages() {
        for (text, expected) in [
            ("", Some((1, 50))),
            ("page=3&pageSize=200", Some((3, 200))),
            ("pageSize=1", Some((1, 1))),
            ("page=2147483647", Some((2_147_483_647, 50))),
            ("page=2147483648", None),
            ("page=4294967295", None),
            ("page=0", None),
            ("page=-1", None),
            ("page=%2B1", None),
            ("page=x", None),
            ("page=", None),
            ("page=1.0", None),
            ("page=99999999999", None),
            ("page=1&page=2", None),
            ("pageSize=0", None),
            ("pageSize=201", None),
        ] {
            let page = query(text).page().ok().map(|page| (page.number, page.size));
            assert_eq!(page, expected, "{text}");
        }
    }

    #[test]
    fn sorting() {
        for (text, expected) in [
            ("", Some(None)),
            ("sort=name", Some(Some((1, false)))),
            ("sort=-name", Some(Some((1, true)))),
            ("sort=-createdAt", Some(Some((2, true)))),
            ("sort=Name", None),
            ("sort=--name", None),
            ("sort=-", None),
            ("sort=", None),
            ("sort=name,createdAt", None),
            ("sort=name&sort=name", None),
        ] {
            let sort = query(text).sort(&[("name", 1), ("createdAt", 2)]);
            assert_eq!(sort.ok(), expected, "{text}");
        }
    }

    #[test]
    fn choices() {
        let words = ["1", "2"];
        for (text, expected) in [
            ("", Ok(None)),
            ("n=2", Ok(Some(1))),
            ("n=3", Err("n: send one of `1` `2`")),
            ("n=", Err("n: send one of `1` `2`")),
            ("n=1&n=1", Err("n: sent twice; send it once")),
        ] {
            let read = query(text).choice("n", &words, |text| {
                ["1", "2"].iter().position(|word| *word == text)
            });
            let read = read.map_err(|refusal| crate::tests::detail(&refusal));
            assert_eq!(read, expected.map_err(str::to_owned), "{text}");
        }
    }

    #[test]
    fn ranges() {
        let day = "from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z";
        let offset = "from=2026-01-01T02:00:00+02:00&to=2026-01-02T00:00:00%2B00:00";
        for (text, expected) in [
            (day, "2026-01-01T00:00:00Z"),
            (offset, "2026-01-01T00:00:00Z"),
            (
                "from=2026-01-01T00:00:00Z&to=2026-04-01T00:00:00Z",
                "2026-01-01T00:00:00Z",
            ),
            (
                "from=2026-01-01T00:00:00Z&to=2026-04-01T00:00:00.001Z",
                "to: ",
            ),
            ("from=2026-01-01T00:00:00Z", "to: missing"),
            ("to=2026-01-01T00:00:00Z", "from: missing"),
            ("from=yesterday&to=2026-01-01T00:00:00Z", "from: send"),
            (
                "from=2026-01-01T02:00:00+0200&to=2026-01-02T00:00:00Z",
                "from: send",
            ),
            (
                "from=2026-01-01T00:00:00Z[UTC]&to=2026-01-02T00:00:00Z",
                "from: send",
            ),
            (
                "from=2026-01-01T00:00:00&to=2026-01-02T00:00:00Z",
                "from: send",
            ),
            (
                "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z",
                "to: send",
            ),
            (
                "from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z",
                "to: send",
            ),
        ] {
            let read = match query(text).range(90) {
                Ok(range) => range.from.to_string(),
                Err(refusal) => crate::tests::detail(&refusal),
            };
            assert!(read.starts_with(expected), "{text}: {read}");
        }
        assert_eq!(query("").open_range(), Ok((None, None)));
        assert!(query(day).open_range().is_ok());
        assert!(query("to=x").open_range().is_err());
    }
}
