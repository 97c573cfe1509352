//! Pseudo-random numbers, the same in every run.

use serde_json::{Value, json};

/// A sequence of numbers (SplitMix64).
pub struct Chance(u64);

/// A variable of proptest as a number.
fn asked(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

/// A number of cases, scaled by `PROPTEST_CASES`.
pub fn cases(usual: usize) -> usize {
    asked("PROPTEST_CASES").map_or(usual, |cases| (usual * cases as usize).div_ceil(256))
}

impl Chance {
    pub fn new() -> Chance {
        Chance(asked("PROPTEST_RNG_SEED").unwrap_or(1))
    }

    /// One of many, each with another sequence.
    pub fn of(number: u64) -> Chance {
        Chance(
            asked("PROPTEST_RNG_SEED")
                .unwrap_or(1)
                .wrapping_add(number << 32),
        )
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// True once in `many` times on average.
    pub fn once_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// A word, or an unusual text.
    pub fn odd_text(&mut self) -> String {
        const ODD: [&str; 36] = [
            "",
            " ",
            "\0",
            "a\u{0}b",
            "\r\n",
            "\u{202e}x",
            "\u{1f642}",
            "e\u{301}",
            "\u{feff}",
            "\u{10ffff}",
            "../..",
            "%",
            "%2F",
            "a/b",
            "'",
            "\"",
            "--",
            "';DROP TABLE rotation;--",
            "null",
            "true",
            "-1",
            "0",
            "2147483648",
            "9999999999999999999999",
            "1e9",
            "0000-01-01T00:00:00Z",
            "9999-12-30T22:00:00Z",
            "9999-12-31T23:59:59Z",
            "2026-01-05T08:00:00+23:59",
            "2026-02-30T08:00:00Z",
            "24:00",
            "Europe/Oslo",
            "*",
            "W/\"x\"",
            "rot_",
            "svc_key_x_y",
        ];
        match self.below(8) {
            0 => {
                let c = *self.pick(&['x', '\u{e9}', '\u{1f642}', '%', '9']);
                c.to_string().repeat(1 + self.below(3_000))
            }
            1 => (0..self.below(6))
                .map(|_| char::from_u32(self.below(0x1_1000) as u32).unwrap_or('\u{fffd}'))
                .collect(),
            _ => (*self.pick(&ODD)).to_owned(),
        }
    }

    /// Any JSON value, with a limited depth.
    pub fn odd_value(&mut self, levels: usize) -> Value {
        match self.below(if levels == 0 { 6 } else { 9 }) {
            0 => Value::Null,
            1 => json!(self.once_in(2)),
            2 => json!(self.below(100)),
            3 => self
                .pick(&[
                    json!(-1),
                    json!(i64::MIN),
                    json!(i64::MAX),
                    json!(u64::MAX),
                    json!(1.5),
                    json!(1e300),
                    json!(2_147_483_648_i64),
                ])
                .clone(),
            4 | 5 => json!(self.odd_text()),
            6 => (0..self.below(4))
                .map(|_| self.odd_value(levels - 1))
                .collect(),
            7 => (0..self.below(4))
                .map(|_| (self.odd_text(), self.odd_value(levels - 1)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            _ => (0..self.below(90)).fold(json!(1), |inner, _| json!([inner])),
        }
    }
}
