//! Limits that several values share: the length of lists, texts and names, and the order of instants.

use super::fault::Fault;
use super::refusal::{Refusal, invalid};
use super::time::{HhMm, Interval};
use std::ops::RangeInclusive;

/// The longest reason of an absence or a request, in characters.
pub const REASON: usize = 2_000;

/// The most people that one list names.
pub const PEOPLE: usize = 1_000;

/// The most user groups that one list names.
pub const GROUPS: usize = 100;

/// How much of what was typed a refusal shows, in characters.
const SHOWN: usize = 50;

/// The longest operation id, in characters.
const OPERATION_ID: usize = 128;

/// The most conflicts or legs that one request acknowledges.
const ACKNOWLEDGED: usize = 1_000;

/// Refuses a list with more than `most` items or with a repeated item. The refusal does not repeat the id, which may
/// identify a person.
pub fn check_list<T: PartialEq>(path: &str, list: &[T], most: usize) -> Result<(), Refusal> {
    check_most(path, list.len(), most)?;
    for (index, item) in list.iter().enumerate() {
        if list[..index].contains(item) {
            return invalid(format!("{path}[{index}]"), Fault::Repeated);
        }
    }
    Ok(())
}

/// Refuses a list with more than `most` items.
pub fn check_most(path: &str, sent: usize, most: usize) -> Result<(), Refusal> {
    match sent > most {
        true => invalid(path, Fault::TooMany { most, sent }),
        false => Ok(()),
    }
}

/// Refuses a text of more than `most` characters.
pub fn check_length(path: &str, text: Option<&str>, most: usize) -> Result<(), Refusal> {
    match text.map_or(0, |text| text.chars().count()) {
        sent if sent > most => invalid(path, Fault::TooLong { most, sent }),
        _ => Ok(()),
    }
}

/// The longest name, in characters.
pub const NAME: usize = 200;

/// Refuses a name that is too long or contains control characters.
pub fn check_name(path: &str, name: Option<&str>) -> Result<(), Refusal> {
    check_length(path, name, NAME)?;
    match name {
        Some(name) if name.contains(char::is_control) => invalid(path, Fault::ControlCharacters),
        _ => Ok(()),
    }
}

/// Reads a whole number of at most 32 bits as text has it: `^-?(0|[1-9][0-9]*)$`.
pub fn digits(text: &str) -> Option<i32> {
    let magnitude = text.strip_prefix('-').unwrap_or(text);
    let plain = magnitude.bytes().all(|byte| byte.is_ascii_digit());
    let padded = magnitude.len() > 1 && magnitude.starts_with('0');
    if magnitude.is_empty() || !plain || padded {
        return None;
    }
    text.parse().ok()
}

/// Reads a whole number that somebody typed.
pub fn whole_number(path: &str, text: &str) -> Result<i32, Refusal> {
    match digits(text) {
        Some(number) => Ok(number),
        None => not(path, "a whole number of at most 32 bits", text),
    }
}

/// Reads a time of day that somebody typed.
pub fn time_of_day(path: &str, text: &str) -> Result<HhMm, Refusal> {
    match HhMm::parse(text) {
        Some(time) => Ok(time),
        None => not(path, "a time of day as HH:mm, such as 09:00", text),
    }
}

fn not<T>(path: &str, what: &str, text: &str) -> Result<T, Refusal> {
    let shown: String = text.chars().take(SHOWN).collect();
    invalid(
        path,
        Fault::Mistyped {
            expected: what.to_owned(),
            found: format!("string {shown:?}"),
        },
    )
}

/// Refuses a number that is not in a range.
pub fn within(path: &str, number: i32, range: RangeInclusive<u32>) -> Result<u32, Refusal> {
    match u32::try_from(number) {
        Ok(fitting) if range.contains(&fitting) => Ok(fitting),
        _ => {
            let (least, most) = ((*range.start()).into(), (*range.end()).into());
            out_of_range(path, [least, most, number.into()])
        }
    }
}

/// Refuses a list whose length is not in a range.
pub fn check_count(path: &str, count: usize, range: RangeInclusive<usize>) -> Result<(), Refusal> {
    match range.contains(&count) {
        true => Ok(()),
        false => out_of_range(
            path,
            [*range.start(), *range.end(), count].map(|n| n as i64),
        ),
    }
}

fn out_of_range<T>(path: &str, [least, most, sent]: [i64; 3]) -> Result<T, Refusal> {
    invalid(path, Fault::OutOfRange { least, most, sent })
}

/// Refuses a name that is blank, longer than `most` characters, or contains control characters.
pub fn check_title(path: &str, name: &str, most: usize) -> Result<(), Refusal> {
    if name.trim().is_empty() {
        return invalid(path, Fault::Blank { most });
    }
    check_length(path, Some(name), most)?;
    check_name(path, Some(name))
}

/// Refuses an interval that ends where or before it begins. `member` is the path of the member with its end.
pub fn check_order(member: &str, period: Interval) -> Result<(), Refusal> {
    match period.is_empty() {
        true => invalid(member, Fault::NotAfterFrom),
        false => Ok(()),
    }
}

/// Refuses too many ids of what is acknowledged.
pub fn check_acknowledged(path: &str, ids: &[String]) -> Result<(), Refusal> {
    check_most(path, ids.len(), ACKNOWLEDGED)
}

/// Refuses an operation id that is empty or too long.
pub fn check_operation_id(id: &str) -> Result<(), Refusal> {
    if id.is_empty() {
        return invalid(
            "operationId",
            "empty; send an id of your own, the same on every retry",
        );
    }
    check_length("operationId", Some(id), OPERATION_ID)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_bounded_and_have_no_duplicates() {
        assert_eq!(check_list("ids", &["a", "b"], 2), Ok(()));
        let check = |list: &[&str]| check_list("ids", list, 3);
        let twice = invalid("ids[2]", Fault::Repeated);
        assert_eq!(check(&["a", "b", "a"]), twice);
        let many = invalid("ids", Fault::TooMany { most: 3, sent: 4 });
        assert_eq!(check(&["a", "b", "c", "a"]), many);
    }
}
