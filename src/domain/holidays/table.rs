//! The compiled-in table, searched in place. `data/README.md` describes the layout.

use std::sync::LazyLock;

static TABLE: &[u8] = include_bytes!("../data/holidays.bin");

/// The first year of the layout.
const FIRST_YEAR: u16 = 2000;
const BLOCK_DAYS: u16 = 2922;
const BLOCKS: u16 = 7;

const HEAD: usize = 16;
const ROW: usize = 16;
const CODE: usize = 6;
const NO_PARENT: u16 = 0xFFFF;

fn u16_at(at: usize) -> u16 {
    u16::from_le_bytes([TABLE[at], TABLE[at + 1]])
}

/// A hash of the whole table, computed once.
pub(super) fn fingerprint() -> u64 {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    static HASH: LazyLock<u64> = LazyLock::new(|| super::fnv1a(OFFSET_BASIS, TABLE));
    *HASH
}

/// Another layout would be misread, so the table's header must match.
#[cfg(test)]
#[test]
fn the_table_has_the_layout_that_is_read() {
    assert_eq!(&TABLE[..8], b"rotahol1");
    let head = [u16_at(10), u16_at(12), u16_at(14)];
    assert_eq!(head, [FIRST_YEAR, BLOCK_DAYS, BLOCKS]);
}

/// A code of the table, by index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Row(u16);

impl Row {
    pub(super) fn all() -> impl Iterator<Item = Row> {
        (0..u16_at(8)).map(Row)
    }

    pub(super) fn find(code: &str) -> Option<Row> {
        // Codes are padded with spaces, so a text with spaces must not match.
        if code.is_empty() || code.len() > CODE || code.contains(' ') {
            return None;
        }
        let (mut low, mut high) = (0, u16_at(8));
        while low < high {
            let middle = Row((low + high) / 2);
            match middle.code().cmp(code) {
                std::cmp::Ordering::Less => low = middle.0 + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle.0,
            }
        }
        None
    }

    fn at(self) -> usize {
        HEAD + ROW * usize::from(self.0)
    }

    pub(super) fn code(self) -> &'static str {
        let text = &TABLE[self.at()..self.at() + CODE];
        std::str::from_utf8(text).unwrap_or_default().trim_end()
    }

    pub(super) fn weekend(self) -> u8 {
        TABLE[self.at() + 6]
    }

    pub(super) fn last_year(self) -> i16 {
        FIRST_YEAR as i16 - 1 + i16::from(TABLE[self.at() + 7])
    }

    pub(super) fn parent(self) -> Option<Row> {
        Some(u16_at(self.at() + 8))
            .filter(|&parent| parent != NO_PARENT)
            .map(Row)
    }

    /// A country's own days, or the days that only the subdivision has.
    fn added(self) -> List {
        self.list(10)
    }

    /// The days that the country has and the subdivision has not.
    fn dropped(self) -> List {
        self.list(13)
    }

    fn list(self, field: usize) -> List {
        let at = self.at() + field;
        let offset = u32::from_le_bytes([TABLE[at], TABLE[at + 1], TABLE[at + 2], 0]);
        List(HEAD + ROW * usize::from(u16_at(8)) + offset as usize)
    }

    pub(super) fn is_holiday(self, day: i64) -> bool {
        self.added().holds(day)
            || self
                .parent()
                .is_some_and(|whole| whole.added().holds(day) && !self.dropped().holds(day))
    }

    /// Every day, unordered.
    pub(super) fn holidays(self) -> Vec<i64> {
        let mut found = self.added().days();
        if let Some(whole) = self.parent() {
            let dropped = self.dropped();
            let kept = whole.added().days().into_iter();
            found.extend(kept.filter(|&day| !dropped.holds(day)));
        }
        found
    }
}

/// A list of days by offset: the end of each block of eight years, then the distances between days, one byte each.
#[derive(Clone, Copy)]
struct List(usize);

impl List {
    /// The bytes of one block, and the day before it begins.
    fn block(self, block: usize) -> (&'static [u8], i64) {
        let end = |block: usize| usize::from(u16_at(self.0 + 2 * block));
        let body = self.0 + 2 * usize::from(BLOCKS);
        let from = if block == 0 { 0 } else { end(block - 1) };
        let before = block as i64 * i64::from(BLOCK_DAYS) - 1;
        (&TABLE[body + from..body + end(block)], before)
    }

    fn holds(self, day: i64) -> bool {
        let block = day.div_euclid(i64::from(BLOCK_DAYS));
        if !(0..i64::from(BLOCKS)).contains(&block) {
            return false;
        }
        let (bytes, mut at) = self.block(block as usize);
        for &byte in bytes {
            at += step(byte);
            if at >= day && byte != 0 {
                return at == day;
            }
        }
        false
    }

    fn days(self) -> Vec<i64> {
        let mut found = Vec::new();
        for block in 0..usize::from(BLOCKS) {
            let (bytes, mut at) = self.block(block);
            for &byte in bytes {
                at += step(byte);
                if byte != 0 {
                    found.push(at);
                }
            }
        }
        found
    }
}

/// The distance of a byte: 0 advances 255 days without a holiday.
fn step(byte: u8) -> i64 {
    if byte == 0 { 255 } else { i64::from(byte) }
}
