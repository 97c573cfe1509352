//! The covered week as a picture.

use crate::domain::coverage::Stretch;
use crate::domain::wording::{DAYS, capital};
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

/// Heights of the picture in pixels: a row for each day.
const ROW: i64 = 16;

/// The covered week, drawn: a row for each day, from 0 to 24 hours. Hidden from readers; [`hours`] says the same.
pub fn week(coverage: &[Stretch]) -> Markup {
    let pieces: Vec<(i64, i64)> = match coverage.is_empty() {
        true => vec![(0, WEEK)],
        false => coverage.iter().flat_map(minutes).collect(),
    };
    let height = 7 * ROW + 18;
    let share = |minute: i64| format!("{:.2}%", 10.0 + minute as f64 / DAY as f64 * 89.0);
    let width = |minutes: i64| format!("{:.2}%", minutes as f64 / DAY as f64 * 89.0);
    html! {
        svg aria-hidden="true" focusable="false" width="100%" height=(height) font-size="11" fill="currentColor" {
            @for (index, name) in DAYS.iter().enumerate() {
                @let top = index as i64 * ROW;
                @let begin = index as i64 * DAY;
                text x="0" y=(top + 12) { (capital(&name[..3])) }
                rect x=(share(0)) y=(top + 2) width=(width(DAY)) height=(ROW - 4) fill-opacity="0.1" {}
                @for (from, until) in &pieces {
                    @let (from, until) = ((*from).max(begin), (*until).min(begin + DAY));
                    @if from < until {
                        rect x=(share(from - begin)) y=(top + 2) width=(width(until - from)) height=(ROW - 4) fill-opacity="0.75" {}
                    }
                }
            }
            @for hour in [0, 6, 12, 18] {
                text x=(share(hour * 60)) y=(7 * ROW + 14) { (format!("{hour:02}:00")) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::HhMm;
    use jiff::civil::Weekday;

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
            let picture = week(&coverage).into_string();
            assert_eq!(picture.matches("\"0.75\"").count(), drawn, "{picture}");
            assert!(!picture.contains(" style="));
        }
    }
}
