//! Where the bars of a row lie: pure arithmetic in steps.

use super::days::{Days, STEPS};
use super::item::{Item, Kind};

/// A stretch of a row, in steps.
#[derive(Clone, Debug)]
pub struct Bar<'i> {
    pub x: i64,
    pub end: i64,
    /// One; more where they are too short to be told apart.
    pub items: Vec<&'i Item>,
}

impl Bar<'_> {
    /// The classes of its place and length.
    pub fn class(&self) -> String {
        format!("x{} w{}", self.x, self.end - self.x)
    }
}

/// The bars of a row, from left to right, and beside each other where several people are on call at once: none overlaps another.
pub fn tracks<'i>(items: &'i [Item], days: &Days) -> Vec<Vec<Bar<'i>>> {
    let range = days.range();
    let shown = |item: &&Item| item.from < range.until && item.end() > range.from;
    let mut tracks: Vec<Vec<&Item>> = Vec::new();
    for item in items.iter().filter(shown) {
        let free =
            |track: &&mut Vec<&Item>| track.last().is_none_or(|last| last.end() <= item.from);
        match tracks.iter_mut().find(free) {
            Some(track) => track.push(item),
            None => tracks.push(vec![item]),
        }
    }
    let placed = tracks
        .into_iter()
        .map(|track| match is_by_day(&track, days) {
            true => whole_days(&track, days),
            false => by_instants(&track, days),
        });
    placed.collect()
}

/// Whether four weeks have at most one item a day.
fn is_by_day(track: &[&Item], days: &Days) -> bool {
    let held: Vec<&&Item> = track.iter().filter(|item| item.kind != Kind::Off).collect();
    let meets = held.windows(2).any(|pair| {
        let (_, last) = of_days(pair[0], days);
        last >= of_days(pair[1], days).0
    });
    days.count == 28 && !meets
}

/// The first and the last day of an item.
fn of_days(item: &Item, days: &Days) -> (i64, i64) {
    let width = days.width() as f64;
    let first = (days.step(item.from) / width).floor() as i64;
    let last = (days.step(item.end()) / width).ceil() as i64 - 1;
    (first, last.max(first))
}

fn whole_days<'i>(track: &[&'i Item], days: &Days) -> Vec<Bar<'i>> {
    let mut bars: Vec<Bar> = Vec::new();
    for item in track.iter().filter(|item| item.kind != Kind::Off) {
        let (first, last) = of_days(item, days);
        let bar = |x: i64, end: i64, item: &'i Item| Bar {
            x: x * days.width(),
            end: end.min(days.count) * days.width(),
            items: vec![item],
        };
        bars.push(bar(first.min(days.count - 1), last + 1, item));
    }
    // The days without anybody are shut as planned, in whole days too.
    let off = track.iter().find(|item| item.kind == Kind::Off);
    if let Some(off) = off {
        let mut at = 0;
        let mut between = Vec::new();
        for bar in &bars {
            if bar.x > at {
                between.push((at, bar.x));
            }
            at = bar.end;
        }
        if at < STEPS {
            between.push((at, STEPS));
        }
        bars.extend(between.into_iter().map(|(x, end)| Bar {
            x,
            end,
            items: vec![*off],
        }));
        bars.sort_by_key(|bar| bar.x);
    }
    bars
}

/// Each bar where its instants are, a step long at least; what follows begins after it. Items that share a step are one bar.
fn by_instants<'i>(track: &[&'i Item], days: &Days) -> Vec<Bar<'i>> {
    let mut bars: Vec<Bar> = Vec::new();
    for item in track {
        let (from, until) = (days.step(item.from), days.step(item.end()));
        let (first, last) = (from.floor() as i64, until.floor() as i64);
        let free = bars.last().map_or(0, |bar| bar.end);
        if item.kind == Kind::Off {
            if last > first.max(free) {
                bars.push(Bar {
                    x: first.max(free),
                    end: last,
                    items: vec![item],
                });
            }
            continue;
        }
        let x = first.max(free);
        let is_crowded = x >= STEPS || (x as f64 - from > 1.0) || (x > first && last <= x);
        match bars
            .last_mut()
            .filter(|bar| is_crowded && bar.items[0].kind != Kind::Off)
        {
            Some(bar) if last - first < 2 => {
                bar.items.push(item);
                bar.end = bar.end.max(last).min(STEPS);
            }
            _ => bars.push(Bar {
                x: x.min(STEPS - 1),
                end: last.max(x + 1).min(STEPS),
                items: vec![item],
            }),
        }
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::zones::ZoneName;
    use crate::web::parts::time::Times;
    use jiff::Timestamp;

    fn at(text: &str) -> Timestamp {
        format!("2026-11-{text}Z").parse().expect("an instant")
    }

    fn item(from: &str, until: &str, kind: Kind) -> Item {
        Item {
            cell: "cel_1".into(),
            from: at(from),
            until: Some(at(until)),
            user: None,
            who: "Ada".into(),
            kind,
            word: None,
            place: "primary".into(),
            turn: None,
            path: "/".into(),
        }
    }

    /// The bars of items as `x..end`, with how many items where it is not one.
    #[track_caller]
    fn check(count: i64, items: &[(&str, &str)], expected: &[&str]) {
        let times = Times {
            zone: ZoneName::utc(),
            now: at("24T13:20:00"),
        };
        let days = Days::new("2026-11-23".parse().expect("a date"), count, times);
        let items: Vec<Item> = items
            .iter()
            .map(|(from, until)| match until.strip_suffix(" off") {
                Some(until) => item(from, until, Kind::Off),
                None => item(from, until, Kind::Turn),
            })
            .collect();
        let tracks = tracks(&items, &days);
        let shown: Vec<String> = tracks
            .iter()
            .flat_map(|track| track.iter().chain([]))
            .map(|bar| match bar.items.len() {
                1 => format!("{}..{}", bar.x, bar.end),
                count => format!("{}..{} {count}", bar.x, bar.end),
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn bars_lie_where_their_instants_are() {
        check(
            7,
            &[
                ("20T09:00:00", "24T12:00:00"),
                ("24T12:00:00", "30T09:00:00"),
            ],
            &["0..72", "72..336"],
        );
        check(14, &[("23T09:00:00", "30T09:00:00")], &["9..177"]);
        // Two on call at once are beside each other.
        check(
            7,
            &[
                ("23T00:00:00", "25T00:00:00"),
                ("24T00:00:00", "26T00:00:00"),
            ],
            &["0..96", "48..144"],
        );
        // Minutes are a step long, and what follows begins after them.
        check(
            28,
            &[
                ("23T00:00:00", "23T00:10:00"),
                ("23T00:10:00", "25T00:00:00"),
            ],
            &["0..1", "1..24"],
        );
        let short = [
            ("23T00:00:00", "23T00:10:00"),
            ("23T00:10:00", "23T00:20:00"),
            ("23T00:20:00", "23T00:30:00"),
            ("23T00:30:00", "25T00:00:00"),
        ];
        check(28, &short, &["0..1 3", "1..24"]);
        check(
            7,
            &[
                ("23T00:00:00", "23T08:00:00 off"),
                ("23T08:00:00", "23T18:00:00"),
            ],
            &["0..16", "16..36"],
        );
    }

    #[test]
    fn a_day_each_is_a_day_wide_in_four_weeks() {
        let office = [
            ("23T08:00:00", "23T18:00:00"),
            ("23T18:00:00", "24T08:00:00 off"),
            ("24T08:00:00", "24T18:00:00"),
        ];
        check(28, &office, &["0..12", "12..24", "24..336"]);
        check(14, &office, &["8..18", "18..32", "32..42"]);
    }
}
