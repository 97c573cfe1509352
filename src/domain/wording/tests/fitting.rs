//! Property tests: texts are cut only where they are not misleading.

use super::*;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};

fn text(piece: &Piece) -> &str {
    match piece {
        Piece::Plain(text) | Piece::Value(text) => text,
    }
}

fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let plain = "[ab é🙂,:|-]{0,6}".prop_map(Piece::Plain);
    let value = "[A-Cé🙂]{1,4}([ :-][A-C]{1,3})?[-:]?".prop_map(Piece::Value);
    proptest::collection::vec(prop_oneof![plain, value], 0..8)
}

/// The byte ranges of values in the whole text.
fn values(pieces: &[Piece]) -> Vec<(usize, usize)> {
    let mut from = 0;
    let mut stretches = Vec::new();
    for piece in pieces {
        let until = from + text(piece).len();
        if matches!(piece, Piece::Value(_)) {
            stretches.push((from, until));
        }
        from = until;
    }
    stretches
}

fn splits(stretches: &[(usize, usize)], at: usize) -> bool {
    stretches
        .iter()
        .any(|(from, until)| *from < at && at < *until)
}

fn check(pieces: &[Piece], most: usize) -> Result<(), TestCaseError> {
    let whole: String = pieces.iter().map(text).collect();
    let fitted = fit(pieces, most);
    if whole.trim().chars().count() <= most {
        prop_assert_eq!(fitted, whole.trim());
        return Ok(());
    }
    prop_assert!(fitted.chars().count() <= most, "too long: {}", fitted);
    let kept = fitted.strip_suffix('…').expect("a sign that it was cut");
    prop_assert!(
        whole.trim_start().starts_with(kept),
        "other text: {}",
        fitted
    );
    let leading = whole.len() - whole.trim_start().len();
    let (end, stretches) = (leading + kept.len(), values(pieces));
    if splits(&stretches, end) {
        // Every other cut that leaves some text is within a value.
        let room = |at: usize| {
            let left = whole[..at].trim();
            !left.is_empty() && left.chars().count() < most
        };
        let ends = whole.char_indices().map(|(at, _)| at);
        let other = ends.filter(|at| room(*at)).find(|at| {
            let blank = whole[*at..].starts_with(char::is_whitespace);
            let edge = stretches
                .iter()
                .any(|(from, until)| from == at || until == at);
            (blank || edge) && !splits(&stretches, *at)
        });
        prop_assert_eq!(other, None, "cut within a value: {}", fitted);
    }
    Ok(())
}

#[test]
fn texts_fit_and_values_stay_whole() {
    let config = Config {
        cases: 4_000,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&(pieces(), 1_usize..30), |(pieces, most)| {
            check(&pieces, most)
        })
        .expect("texts that fit");
}

#[test]
fn what_fits_is_left_alone() {
    let topic = [
        Piece::Plain("On call: ".into()),
        Piece::Value("Ann Lee".into()),
        Piece::Plain(" | ".into()),
        Piece::Value("x".repeat(231)),
    ];
    let whole: String = topic.iter().map(text).collect();
    assert_eq!(whole.chars().count(), 250);
    assert_eq!(fit(&topic, 250), whole);
    assert_eq!(fit(&topic, 249), "On call: Ann Lee…");
}
