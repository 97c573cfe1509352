//! The names of places in a rotation: who is first and second on call, in which hours.

use crate::domain::coverage::Stretch;
use crate::domain::rotation::{Cell, Rotation, Window};
use crate::domain::wording::capital;

/// How people who are on call at the same time are told apart where nobody has named them.
const LANES: [&str; 4] = ["Primary", "Secondary", "Third", "Fourth"];

/// The name of a place.
pub struct Place {
    /// In one line: "Primary · Europe".
    pub whole: String,
    /// The name of a row, and what is said below it.
    pub first: String,
    pub second: String,
}

/// The name of a lane.
pub fn lane_name(rotation: &Rotation, index: usize) -> String {
    let known = rotation.lanes[index].name.clone();
    known.unwrap_or_else(|| match LANES.get(index) {
        Some(name) => (*name).to_owned(),
        None => format!("Number {}", index + 1),
    })
}

/// The name of a window: its hours where nobody has named it.
pub fn window_name(window: &Window) -> String {
    let hours = || capital(&hours(&window.coverage));
    window.name.clone().unwrap_or_else(hours)
}

/// The name of a cell; never empty.
pub fn of(rotation: &Rotation, cell: &Cell) -> Place {
    let lane = (rotation.lanes.len() > 1).then(|| lane_name(rotation, cell.lane));
    let lane = lane.or_else(|| rotation.lane_name(cell.lane).cloned());
    let window = &rotation.windows[cell.window];
    let hours = hours(&window.coverage);
    let named =
        (rotation.windows.len() > 1).then(|| window.name.clone().unwrap_or_else(|| hours.clone()));
    let second = named.clone().unwrap_or(hours);
    let parts: Vec<String> = lane.iter().chain(&named).cloned().collect();
    match (lane, named) {
        (Some(lane), _) => Place {
            whole: parts.join(" · "),
            first: lane,
            second,
        },
        (None, Some(window_name)) => Place {
            whole: window_name.clone(),
            first: window_name,
            second: self::hours(&window.coverage),
        },
        (None, None) => Place {
            whole: rotation.profile.name.clone(),
            first: "On call".to_owned(),
            second,
        },
    }
}

const DAY: i64 = 24 * 60;

/// Covered hours in a few words: "all hours", "weekdays 8:00 to 18:00", "54 hours a week".
pub fn hours(coverage: &[Stretch]) -> String {
    if coverage.is_empty() {
        return "all hours".to_owned();
    }
    let spans: Vec<(i64, i64)> = coverage.iter().map(Stretch::minutes).collect();
    let of_day = |(from, until): &(i64, i64)| (from % DAY, until - from);
    let same = spans.iter().all(|span| of_day(span) == of_day(&spans[0]));
    let mut days: Vec<i64> = spans.iter().map(|(from, _)| from / DAY).collect();
    days.sort_unstable();
    let which = match days[..] {
        [0, 1, 2, 3, 4] => Some("weekdays"),
        [0, 1, 2, 3, 4, 5, 6] => Some("daily"),
        [5, 6] => Some("weekends"),
        _ => None,
    };
    let clock = |minute: i64| match minute % 60 {
        0 => format!("{}", minute / 60),
        rest => format!("{}:{rest:02}", minute / 60),
    };
    match which {
        Some(which) if same => {
            let (from, length) = of_day(&spans[0]);
            let until = (from + length - 1) % DAY + 1;
            format!("{which} {} to {}", clock(from), clock(until))
        }
        _ => {
            let minutes: i64 = spans.iter().map(|(from, until)| until - from).sum();
            format!("{} hours a week", (minutes + 30) / 60)
        }
    }
}
