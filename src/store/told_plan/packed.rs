//! The packed form of a plan: the ids in it once, then each stretch in a few bytes, its instants counted in minutes from the one
//! before wherever they are whole minutes.

use crate::domain::ids::{CellId, UserId};
use crate::domain::time::Interval;
use crate::domain::told_plan::Stretch;
use crate::store::{Error, Result};
use jiff::Timestamp;
use std::collections::BTreeMap;

const MINUTE: i64 = 60_000;

/// Packs stretches.
pub(super) fn pack(stretches: &[Stretch]) -> Vec<u8> {
    let mut packed = Vec::new();
    let cells = ids(&mut packed, stretches.iter().map(|one| one.cell.as_str()));
    let users = ids(&mut packed, stretches.iter().map(|one| one.user.as_str()));
    number(&mut packed, stretches.len() as u64);
    let mut last = 0;
    for stretch in stretches {
        number(&mut packed, cells[stretch.cell.as_str()]);
        number(&mut packed, users[stretch.user.as_str()]);
        for at in [stretch.period.from, stretch.period.until] {
            last = instant(&mut packed, at.as_millisecond(), last);
        }
    }
    packed
}

/// Writes each id once, and numbers them.
fn ids<'s>(packed: &mut Vec<u8>, all: impl Iterator<Item = &'s str>) -> BTreeMap<&'s str, u64> {
    let mut numbers: BTreeMap<&str, u64> = all.map(|id| (id, 0)).collect();
    number(packed, numbers.len() as u64);
    for (index, (id, place)) in numbers.iter_mut().enumerate() {
        *place = index as u64;
        number(packed, id.len() as u64);
        packed.extend_from_slice(id.as_bytes());
    }
    numbers
}

/// Writes an instant, and returns its minute, from which the next one counts.
fn instant(packed: &mut Vec<u8>, millis: i64, last: i64) -> i64 {
    let (minute, rest) = (millis.div_euclid(MINUTE), millis.rem_euclid(MINUTE));
    let steps = minute - last;
    let steps = (steps << 1) ^ (steps >> 63);
    number(packed, (steps.cast_unsigned() << 1) | u64::from(rest != 0));
    if rest != 0 {
        number(packed, rest.unsigned_abs());
    }
    minute
}

/// Seven bits a byte, the lowest first; all but the last have the eighth.
fn number(packed: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        packed.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    packed.push(value as u8);
}

/// Reads what [`pack`] wrote.
pub(super) fn unpack(packed: &[u8]) -> Result<Vec<Stretch>> {
    let mut reader = Reader(packed);
    let read = reader.stretches();
    read.ok_or_else(|| Error::Corrupt("told plan: it ends too early".into()))
}

struct Reader<'p>(&'p [u8]);

impl Reader<'_> {
    fn stretches(&mut self) -> Option<Vec<Stretch>> {
        let cells: Vec<CellId> = self.ids()?.into_iter().map(Into::into).collect();
        let users: Vec<UserId> = self.ids()?.into_iter().map(Into::into).collect();
        let count = self.number()?;
        let mut last = 0;
        let mut stretches = Vec::new();
        for _ in 0..count {
            let cell = cells.get(usize::try_from(self.number()?).ok()?)?;
            let user = users.get(usize::try_from(self.number()?).ok()?)?;
            let from = self.instant(&mut last)?;
            let until = self.instant(&mut last)?;
            stretches.push(Stretch {
                cell: cell.clone(),
                user: user.clone(),
                period: Interval::new(from, until),
            });
        }
        Some(stretches)
    }

    fn ids(&mut self) -> Option<Vec<String>> {
        let count = self.number()?;
        let mut ids = Vec::new();
        for _ in 0..count {
            let length = usize::try_from(self.number()?).ok()?;
            let (id, rest) = self.0.split_at_checked(length)?;
            self.0 = rest;
            ids.push(String::from_utf8(id.to_vec()).ok()?);
        }
        Some(ids)
    }

    fn instant(&mut self, last: &mut i64) -> Option<Timestamp> {
        let written = self.number()?;
        let rest = match written & 1 {
            0 => 0,
            _ => self.number()?.cast_signed(),
        };
        let steps = written >> 1;
        let steps = (steps >> 1).cast_signed() ^ -((steps & 1).cast_signed());
        *last = last.checked_add(steps)?;
        let millis = last.checked_mul(MINUTE)?.checked_add(rest)?;
        Timestamp::from_millisecond(millis).ok()
    }

    fn number(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
            shift += 7;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_read_as_they_were_packed() {
        let at = |millis| Timestamp::from_millisecond(millis).unwrap();
        let stretch = |cell: &str, user: &str, from, until| Stretch {
            cell: cell.into(),
            user: user.into(),
            period: Interval::new(at(from), at(until)),
        };
        let week = 7 * 24 * 60 * MINUTE;
        let now = 1_795_420_800_123;
        let stretches = vec![
            stretch("cel_1", "U2", now, 1_795_420_800_000 + week),
            stretch(
                "cel_1",
                "Ünï",
                1_795_420_800_000 + week,
                253_402_207_200_000,
            ),
            stretch("cel_2", "U2", -1, 0),
            stretch("cel_2", "U2", 59_999, 60_000),
        ];
        let packed = pack(&stretches);
        assert_eq!(unpack(&packed).unwrap(), stretches);
        assert_eq!(unpack(&pack(&[])).unwrap(), []);
        // Half of it is refused.
        for length in 0..packed.len() {
            assert!(unpack(&packed[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn a_weekly_rotation_takes_few_bytes() {
        let week = 7 * 24 * 60 * MINUTE;
        let stretch = |number: i64| Stretch {
            cell: "cel_12345678901234567890".into(),
            user: format!("U{:010}", number % 6).into(),
            period: Interval::new(
                Timestamp::from_millisecond(number * week).unwrap(),
                Timestamp::from_millisecond((number + 1) * week).unwrap(),
            ),
        };
        let stretches: Vec<Stretch> = (2965..2974).map(stretch).collect();
        assert!(pack(&stretches).len() < 200);
    }
}
