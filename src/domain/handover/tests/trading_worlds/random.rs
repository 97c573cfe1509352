//! What is random in a world.

use super::super::trading_model::{Cell, Line, World};
use super::*;

/// The same numbers for the same seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below another one; 0 below 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    pub fn between(&mut self, from: Hour, until: Hour) -> Hour {
        from + self.below((until - from) as u64) as Hour
    }

    pub fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }

    pub fn any<T: Copy, const N: usize>(&mut self, list: &[T; N]) -> T {
        self.of(list)
    }

    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last as u64 + 1) as usize);
        }
    }

    /// Somebody in five has another share than all of their turns.
    pub fn shares(&mut self, members: &[Person]) -> BTreeMap<Person, u32> {
        let mut shares = BTreeMap::new();
        for member in members {
            if self.below(5) == 0 {
                shares.insert(*member, self.any(&[0, 0, 25, 33, 50, 50, 75]));
            }
        }
        shares
    }

    /// The hours of a window that hands over at some hour after `now`.
    pub fn window(&mut self, now: Hour) -> Plain {
        let every = self.any(&[24, 24, 48, 168, 168, 168, 168, 336]);
        let first = now + self.between(0, 168);
        let covered = match self.below(3) {
            0 => Vec::new(),
            1 => {
                let from = self.between(0, 168);
                vec![(from, from + self.between(1, 144))]
            }
            // The same hours of each day.
            _ => {
                let (from, hours) = (self.between(0, 24), self.between(1, 24));
                let day = |day: Hour| (24 * day + from, 24 * day + from + hours);
                (0..7).map(day).collect()
            }
        };
        Plain {
            first,
            every,
            covered,
        }
    }

    /// Windows that cut the week between them, so that their hours never meet.
    pub fn cut(&mut self, windows: usize) -> Vec<Plain> {
        let mut hours: Vec<Hour> = Vec::new();
        while hours.len() < windows {
            let hour = self.between(0, 168);
            // A stretch that ends on its own day before it starts would end on the day after.
            if hours.iter().all(|other| other / 24 != hour / 24) {
                hours.push(hour);
            }
        }
        hours.sort_unstable();
        let piece = |index: usize| {
            let next = hours.get(index + 1).copied();
            let until = next.unwrap_or(hours[0] + 168);
            (hours[index], until)
        };
        let window = |index: usize| Plain {
            first: hours[index],
            every: 168,
            covered: match windows {
                1 => Vec::new(),
                _ => vec![piece(index)],
            },
        };
        (0..windows).map(window).collect()
    }

    /// Somebody's absence of hours or weeks, some time in the coming weeks.
    fn absence(&mut self, members: &[Person]) -> (Person, (Hour, Hour)) {
        let (person, from) = (self.of(members), self.between(0, 2_000));
        (person, (from, from + self.any(&[12, 48, 168, 400, 1_000])))
    }

    /// The rosters of cells: one list for all, one for each lane, one for each window, or any.
    fn rosters(&mut self, lanes: usize, windows: usize) -> Vec<usize> {
        let way = self.below(5);
        let cells = (0..windows).flat_map(|window| (0..lanes).map(move |lane| (window, lane)));
        let roster = |(window, lane): (usize, usize)| match way {
            0 | 1 => 0,
            2 => lane,
            3 => window,
            _ => self.below(3) as usize,
        };
        cells.map(roster).collect()
    }

    pub fn world(&mut self) -> Both {
        let (people, lanes, windows) = (
            1 + self.below(9) as usize,
            1 + self.below(3) as usize,
            1 + self.below(3) as usize,
        );
        let members: Vec<Person> = (0..people).collect();
        let rosters = self.rosters(lanes, windows);
        let listed: Vec<Option<Vec<Person>>> = (0..3)
            .map(|roster| {
                let narrowed = roster > 0 && self.below(2) == 0;
                narrowed.then(|| {
                    let mut list = members.clone();
                    self.shuffle(&mut list);
                    list.truncate(1 + self.below(people as u64) as usize);
                    list
                })
            })
            .collect();
        let plain = match self.below(2) {
            0 => self.cut(windows),
            _ => (0..windows).map(|_| self.window(0)).collect(),
        };
        let away = self.below(5);
        let traded = self.below(10) > 0;
        let shared = traded && self.below(2) == 0;
        let model = World {
            now: 0,
            traded,
            rest: match traded {
                true => self.any(&[0, 0, 11, 24, 48]),
                false => 0,
            },
            shares: match shared {
                true => self.shares(&members),
                false => BTreeMap::new(),
            },
            double_cover: self.below(5) == 0,
            during_turn: self.below(4) > 0,
            hands_over: self.below(4) == 0,
            rosters: compare::rosters(&members, &listed),
            windows: plain,
            cells: (0..windows * lanes)
                .map(|cell| Cell {
                    window: cell / lanes,
                    roster: rosters[cell],
                    held: None,
                })
                .collect(),
            lines: lines(&rosters, lanes, windows),
            absences: (0..away).map(|_| self.absence(&members)).collect(),
            past: Vec::new(),
            handed_over: vec![None; windows],
        };
        Both::new(model, members, listed)
    }
}

/// One line for each roster and window that deals from it, in that order.
pub fn lines(rosters: &[usize], lanes: usize, windows: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for roster in 0..3 {
        for window in 0..windows {
            let mut cells = (0..lanes).map(|lane| window * lanes + lane);
            if cells.any(|cell| rosters[cell] == roster) {
                lines.push(Line {
                    roster,
                    window,
                    next: 0,
                    credits: BTreeMap::new(),
                    helped: BTreeMap::new(),
                    trades: Vec::new(),
                });
            }
        }
    }
    lines
}
