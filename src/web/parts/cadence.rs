//! The covered week as a picture.

use crate::domain::coverage::Stretch;
use crate::domain::wording::{self, DAYS, capital};
use maud::{Markup, html};

const DAY: i64 = 24 * 60;
const WEEK: i64 = 7 * DAY;

/// The minutes of the week that a stretch covers, from Monday 00:00: one piece, or two where it goes on in the next week.
fn minutes(stretch: &Stretch) -> Vec<(i64, i64)> {
    let (from, until) = stretch.minutes();
    match until > WEEK {
        true => vec![(from, WEEK), (0, (until - WEEK).min(from))],
        false => vec![(from, until)],
    }
}

/// Steps across a day in the picture.
const STEPS: i64 = 336;

/// The covered week of some hours with their names, drawn: days beside each other, from 0 to 24 hours each; those that it is about
/// stand out.
pub fn week(rows: &[(String, &[Stretch], bool)]) -> Markup {
    let said: Vec<String> = rows
        .iter()
        .map(|(name, coverage, _)| match name.as_str() {
            "" => wording::hours(coverage),
            name => format!("{name}: {}", wording::hours(coverage)),
        })
        .collect();
    html! {
        div.cc role="img" aria-label=(format_args!("Covered: {}", said.join(". "))) {
            span {}
            @for name in DAYS { span.h { (capital(&name[..3])) } }
            @for (name, coverage, is_main) in rows {
                span.z { (name) }
                @for day in 0..7 {
                    span.t { @for (x, w) in of_day(coverage, day) { i class=(format_args!("{} x{x} w{w}", if *is_main { "a" } else { "n" })) {} } }
                }
            }
        }
        p.small.muted { "Each day from 00:00 to 24:00." }
    }
}

/// The covered parts of a day, from 0 for Monday: where each begins, and how long it is.
fn of_day(coverage: &[Stretch], day: i64) -> Vec<(i64, i64)> {
    let pieces: Vec<(i64, i64)> = match coverage.is_empty() {
        true => vec![(0, WEEK)],
        false => coverage.iter().flat_map(minutes).collect(),
    };
    let begin = day * DAY;
    let step = |minute: i64| (minute - begin) * STEPS / DAY;
    let within = pieces.into_iter().filter_map(|(from, until)| {
        let (from, until) = (from.max(begin), until.min(begin + DAY));
        (from < until).then(|| (step(from), (step(until) - step(from)).max(1)))
    });
    within.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::HhMm;
    use jiff::civil::Weekday;

    #[test]
    fn hours_lie_where_they_are_in_their_day() {
        let desk = [Stretch {
            start_day: Weekday::Monday,
            start_time: HhMm::parse("08:00").expect("a time"),
            end_day: Weekday::Monday,
            end_time: HhMm::parse("18:00").expect("a time"),
        }];
        assert_eq!(of_day(&desk, 0), [(112, 140)]);
        assert_eq!(of_day(&desk, 1), []);
        assert_eq!(of_day(&[], 6), [(0, 336)]);
    }

    #[test]
    fn the_week_is_drawn() {
        let stretch = |start_day, start: &str, end_day, end: &str| Stretch {
            start_day,
            start_time: HhMm::parse(start).expect("a time"),
            end_day,
            end_time: HhMm::parse(end).expect("a time"),
        };
        use Weekday::{Friday, Monday, Tuesday};
        for (coverage, drawn) in [
            (vec![], 7),
            (
                vec![
                    stretch(Monday, "09:00", Monday, "17:00"),
                    stretch(Friday, "18:00", Monday, "09:00"),
                    stretch(Tuesday, "09:00", Tuesday, "17:00"),
                ],
                2 + 3 + 1,
            ),
        ] {
            let picture = week(&[("Desk".to_owned(), coverage.as_slice(), true)]).into_string();
            assert_eq!(picture.matches("class=\"a x").count(), drawn, "{picture}");
            assert!(!picture.contains(" style="));
        }
    }
}
