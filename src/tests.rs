//! Property tests run the same cases every time unless proptest's own variables are set: `PROPTEST_CASES` changes the number
//! of cases in proportion (its default is 256), `PROPTEST_RNG_SEED` selects other cases.

pub mod duty_model;
pub mod faults;

use crate::domain::refusal::Refusal;
use crate::server::Problem;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::cell::Cell;
use std::fmt::Debug;

/// proptest's default number of cases.
const USUAL: u64 = 256;

/// A refusal in the words of the API.
pub fn detail(refusal: &Refusal) -> String {
    Problem::from(refusal.clone()).detail().into_owned()
}

/// The path of the member that is invalid.
pub fn member<T>(outcome: &Result<T, Refusal>) -> Option<&str> {
    match outcome {
        Err(Refusal::Invalid { path, .. }) => Some(path.as_str()),
        _ => None,
    }
}

/// A number of cases, scaled by `PROPTEST_CASES`.
pub fn cases(usual: u32) -> Config {
    let set = |name: &str| std::env::var_os(name).is_some();
    let asked = Config::default();
    let count = match set("PROPTEST_CASES") {
        true => (u64::from(usual) * u64::from(asked.cases)).div_ceil(USUAL),
        false => u64::from(usual),
    };
    Config {
        cases: u32::try_from(count).unwrap_or(u32::MAX),
        rng_seed: match set("PROPTEST_RNG_SEED") {
            true => asked.rng_seed,
            false => RngSeed::Fixed(1),
        },
        failure_persistence: None,
        ..asked
    }
}

/// Checks a property that returns whether a case was fully tested. A minimum share of cases must be, because otherwise most
/// would fail the first check.
pub fn try_out<S: Strategy>(
    usual: u32,
    taken: std::ops::RangeInclusive<u32>,
    some: S,
    property: impl Fn(S::Value) -> Result<bool, TestCaseError>,
) where
    S::Value: Debug,
{
    let (good, all) = (Cell::new(0_u32), Cell::new(0_u32));
    let tried = TestRunner::new(cases(usual)).run(&some, |case| {
        let was_taken = property(case)?;
        good.set(good.get() + u32::from(was_taken));
        all.set(all.get() + 1);
        Ok(())
    });
    if let Err(why) = tried {
        panic!("{why}");
    }
    let share = 100 * good.get() / all.get().max(1);
    // The share is not meaningful for a handful of cases.
    assert!(
        all.get() < 100 || taken.contains(&share),
        "{share} in a hundred were taken, not {taken:?}"
    );
}

/// A change of an element of a sequence.
#[derive(Clone, Debug)]
enum Change<T> {
    Put(Index, T),
    Insert(Index, T),
    Remove(Index, usize),
    Repeat(Index, usize),
    Swap(Index, Index),
}

/// The same with nothing or a little of it changed; `odd` comes in.
pub fn bent<T: Clone + Debug + 'static>(
    whole: impl Strategy<Value = Vec<T>>,
    odd: impl Strategy<Value = T> + Clone + 'static,
) -> impl Strategy<Value = Vec<T>> {
    let at = any::<Index>;
    let change = prop_oneof![
        3 => (at(), odd.clone()).prop_map(|(at, odd)| Change::Put(at, odd)),
        3 => (at(), odd).prop_map(|(at, odd)| Change::Insert(at, odd)),
        2 => (at(), 1_usize..6).prop_map(|(at, count)| Change::Remove(at, count)),
        1 => (at(), 1_usize..12).prop_map(|(at, count)| Change::Repeat(at, count)),
        1 => (at(), at()).prop_map(|(one, other)| Change::Swap(one, other)),
    ];
    let changes = prop_oneof![2 => Just(0..1_usize), 3 => Just(1..2), 1 => Just(2..5)]
        .prop_flat_map(move |count| prop::collection::vec(change.clone(), count));
    (whole, changes).prop_map(|(mut whole, changes)| {
        for change in changes {
            apply(&mut whole, change);
        }
        whole
    })
}

fn apply<T: Clone>(whole: &mut Vec<T>, change: Change<T>) {
    let length = whole.len();
    match change {
        Change::Insert(at, odd) => whole.insert(at.index(length + 1), odd),
        _ if length == 0 => {}
        Change::Put(at, odd) => whole[at.index(length)] = odd,
        Change::Remove(at, count) => {
            let from = at.index(length);
            whole.drain(from..length.min(from + count));
        }
        Change::Repeat(at, count) => {
            let from = at.index(length);
            let part = whole[from..length.min(from + count)].to_vec();
            whole.splice(from..from, part);
        }
        Change::Swap(one, other) => whole.swap(one.index(length), other.index(length)),
    }
}

/// A text with nothing or a little of it changed.
pub fn bent_text(whole: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    bent(
        whole.prop_map(|text| text.chars().collect::<Vec<char>>()),
        odd_char(),
    )
    .prop_map(|chars| chars.into_iter().collect())
}

/// Characters that readers of text stumble over.
pub fn odd_char() -> impl Strategy<Value = char> + Clone {
    prop_oneof![
        4 => prop::sample::select(
            "\0\t\n\r \"%&'+,-./0159:;<=>?@AFTZ[\\]_adgz{}|~\u{7f}\u{85}\u{a0}\u{e9}\u{df}\u{130}\u{661}\u{200b}\u{202e}\u{2028}\u{feff}\u{fffd}\u{1f642}\u{10ffff}"
                .chars()
                .collect::<Vec<_>>()
        ),
        1 => any::<char>(),
    ]
}
