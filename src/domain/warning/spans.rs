//! Sets of instants as lists of intervals that are in order and apart, as [`joined`](crate::domain::time::joined) makes them.

use crate::domain::time::Interval;

/// What of an interval lies in a union.
pub(super) fn within(union: &[Interval], span: Interval) -> impl Iterator<Item = Interval> {
    let first = union.partition_point(|one| one.until <= span.from);
    let meeting = union[first..].iter();
    let meeting = meeting.take_while(move |one| one.from < span.until);
    meeting.filter_map(move |one| one.meets(span))
}

/// What two unions share.
pub(super) fn shared(one: &[Interval], other: &[Interval]) -> Vec<Interval> {
    one.iter().flat_map(|span| within(other, *span)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::{joined, without};
    use jiff::Timestamp;

    fn spans(list: &[(i64, i64)]) -> Vec<Interval> {
        let at = |second| Timestamp::from_second(second).expect("an instant");
        let span = |(from, until): &(i64, i64)| Interval {
            from: at(*from),
            until: at(*until),
        };
        list.iter().map(span).collect()
    }

    #[test]
    fn intervals_as_sets() {
        let union = joined(spans(&[(5, 7), (0, 2), (2, 3), (6, 9), (4, 4)]));
        assert_eq!(union, spans(&[(0, 3), (5, 9)]));
        let whole = spans(&[(1, 6)])[0];
        assert_eq!(
            within(&union, whole).collect::<Vec<_>>(),
            spans(&[(1, 3), (5, 6)])
        );
        assert_eq!(without(&[whole], &union), spans(&[(3, 5)]));
        assert_eq!(without(&spans(&[(20, 22)]), &union), spans(&[(20, 22)]));
        assert_eq!(without(&spans(&[(0, 3)]), &union), []);
        assert_eq!(
            shared(&union, &spans(&[(2, 6), (8, 20)])),
            spans(&[(2, 3), (5, 6), (8, 9)])
        );
    }
}
