//! The timeline: a row for each lane and window, drawn. Readers of the screen are told the same by the table below it.

use super::time::Times;
use crate::domain::time::Interval;
use jiff::civil::Weekday;
use jiff::{SignedDuration, Timestamp, ToSpan};
use maud::{Markup, html};

/// One row.
pub struct Row {
    pub name: String,
    pub pieces: Vec<Piece>,
}

/// A stretch of a row.
pub struct Piece {
    pub period: Interval,
    pub kind: Kind,
    /// Who; nothing where it is nobody.
    pub who: String,
    /// The text where there is no room for the name.
    pub short: String,
    /// The class of their colour.
    pub colour: String,
    /// Whoever is on call is absent.
    pub is_away: bool,
}

/// The kind of a stretch; each is told apart by a word and a pattern, not by colour alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Turn,
    Assignment,
    Cover,
    Swap,
    /// An open window, and nobody on call.
    Gap,
    Shut,
}

impl Kind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Turn => "turn",
            Kind::Assignment => "assigned",
            Kind::Cover => "cover",
            Kind::Swap => "swap",
            Kind::Gap => "nobody",
            Kind::Shut => "shut",
        }
    }

    /// Its text in the legend; none for turns, which name their holder.
    fn legend(self) -> Option<&'static str> {
        match self {
            Kind::Turn => None,
            Kind::Assignment => Some("Assigned"),
            Kind::Cover => Some("Cover"),
            Kind::Swap => Some("Swap"),
            Kind::Gap => Some("Nobody on call"),
            Kind::Shut => Some("Outside covered hours"),
        }
    }

    fn pattern(self) -> Option<&'static str> {
        match self {
            Kind::Assignment => Some("url(#t-assigned)"),
            Kind::Cover => Some("url(#t-cover)"),
            Kind::Swap => Some("url(#t-swap)"),
            Kind::Turn | Kind::Gap | Kind::Shut => None,
        }
    }
}

/// Heights in pixels: the head with the days, a row, its name, the bar in it, and the strip along the foot of the bar that has
/// the pattern. The pattern stays clear of the text.
const HEAD: usize = 36;
const ROW: usize = 56;
const NAME: usize = 20;
const BAR: usize = 28;
const STRIP: usize = 7;

/// The width of a letter, in hundredths of the width of a timeline on a desk.
const LETTER: f64 = 0.68;

/// From which width on, in the same measure, a time without cover says so.
const SHUT_FROM: f64 = 8.0;

/// Draws rows over a range.
pub fn timeline(rows: &[Row], range: Interval, times: &Times) -> Markup {
    let height = HEAD + rows.len() * ROW + 2;
    let (scale, days) = (Scale(range), days(range, times));
    html! {
        svg.timeline aria-hidden="true" focusable="false" height=(height) {
            defs {
                pattern #t-cover width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                    line.mark x1="0" y1="0" x2="0" y2="6" {}
                }
                pattern #t-assigned width="6" height="7" patternUnits="userSpaceOnUse" {
                    line.mark x1="0" y1="0" x2="0" y2="7" {}
                }
                pattern #t-away width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)" {
                    line.mark x1="0" y1="0" x2="0" y2="5" {}
                }
                pattern #t-swap width="8" height="7" patternUnits="userSpaceOnUse" {
                    circle.dot cx="4" cy="3.5" r="2.2" {}
                }
            }
            @for (index, day) in days.iter().enumerate().filter(|(_, day)| day.is_weekend) {
                @let (x, end) = (scale.x(day.from), days.get(index + 1).map_or(100.0, |next| scale.x(next.from)));
                rect.weekend x=(percent(x)) width=(percent(end - x)) y="0" height=(height) {}
            }
            @for day in &days {
                @let x = scale.x(day.from);
                line.grid x1=(percent(x)) x2=(percent(x)) y1="0" y2=(height) {}
                text.faint x=(percent(x)) dx="5" y="14" { (day.label) }
            }
            @for (index, row) in rows.iter().enumerate() {
                @for piece in &row.pieces { (bar(piece, &scale, HEAD + index * ROW + NAME)) }
            }
            @if range.contains(times.now) {
                @let x = scale.x(times.now);
                @let (anchor, dx) = if x > 95.0 { ("end", "-4") } else { ("start", "4") };
                line.now x1=(percent(x)) x2=(percent(x)) y1="20" y2=(height) {}
                text.now-text x=(percent(x)) dx=(dx) y="30" text-anchor=(anchor) { "now" }
            }
            @for (index, row) in rows.iter().enumerate() {
                text.row-name x="2" y=(HEAD + index * ROW + NAME - 6) { (row.name) }
            }
        }
        (legend(rows))
    }
}

/// The legend of the patterns that occur.
fn legend(rows: &[Row]) -> Markup {
    let kinds = [
        Kind::Cover,
        Kind::Swap,
        Kind::Assignment,
        Kind::Gap,
        Kind::Shut,
    ];
    let is_there = |kind: &Kind| {
        let mut pieces = rows.iter().flat_map(|row| &row.pieces);
        pieces.any(|piece| piece.kind == *kind)
    };
    let found: Vec<Kind> = kinds.into_iter().filter(is_there).collect();
    let is_any_away = rows
        .iter()
        .flat_map(|row| &row.pieces)
        .any(|one| one.is_away);
    html! {
        @if !found.is_empty() || is_any_away {
            p.legend {
                @for kind in found {
                    span {
                        svg.swatch aria-hidden="true" focusable="false" width="22" height="14" {
                            rect.(class(kind, "")) x="1" y="1" width="20" height="12" {}
                            @if let Some(pattern) = kind.pattern() { rect fill=(pattern) x="1" y="6" width="20" height="7" {} }
                            @if kind.pattern().is_some() { rect.edge x="1" y="1" width="20" height="12" {} }
                        }
                        @if let Some(words) = kind.legend() { (words) }
                    }
                }
                @if is_any_away {
                    span {
                        svg.swatch aria-hidden="true" focusable="false" width="22" height="14" {
                            rect.(class(Kind::Turn, "")) x="1" y="1" width="20" height="12" {}
                            rect fill="url(#t-away)" x="1" y="1" width="20" height="6" {}
                            rect.edge x="1" y="1" width="20" height="12" {}
                        }
                        "Away and still on call"
                    }
                }
            }
        }
    }
}

fn class(kind: Kind, colour: &str) -> String {
    match kind {
        Kind::Gap => "gap".to_owned(),
        Kind::Shut => "shut".to_owned(),
        _ => format!("held {colour}"),
    }
}

fn bar(piece: &Piece, scale: &Scale, y: usize) -> Markup {
    let (x, end) = (scale.x(piece.period.from), scale.x(piece.period.until));
    let width = (end - x).max(0.15);
    let text_class = match piece.kind {
        Kind::Gap => "gap-text",
        Kind::Shut => "faint",
        _ => "",
    };
    let is_held = !matches!(piece.kind, Kind::Gap | Kind::Shut);
    html! {
        svg.bar x=(percent(x)) y=(y) width=(percent(width)) height=(BAR) {
            rect.(class(piece.kind, &piece.colour)) width="100%" height="100%" {}
            @if let Some(pattern) = piece.kind.pattern() { rect fill=(pattern) y=(BAR - STRIP) width="100%" height=(STRIP) {} }
            @if piece.is_away { rect fill="url(#t-away)" width="100%" height=(STRIP) {} }
            @if is_held { rect.edge width="100%" height="100%" {} }
            @if let Some(text) = fitting(piece, width) { text.(text_class) x="5" y="17" { (text) } }
        }
    }
}

/// The longest text that fits: who and what, who, initials; nothing in a sliver.
fn fitting(piece: &Piece, width: f64) -> Option<String> {
    let word = piece.kind.word();
    let whole = match (piece.kind, piece.who.as_str()) {
        (_, "") => word.to_owned(),
        (Kind::Turn, who) if piece.is_away => format!("{who} (away)"),
        (Kind::Turn, who) => who.to_owned(),
        (_, who) if piece.is_away => format!("{who} ({word}, away)"),
        (_, who) => format!("{who} ({word})"),
    };
    // Short times without cover are many and need no word each.
    if piece.kind == Kind::Shut && width < SHUT_FROM {
        return None;
    }
    let fits = |text: &str| (text.chars().count() as f64 + 1.0) * LETTER <= width;
    [whole, piece.who.clone(), piece.short.clone()]
        .into_iter()
        .find(|text| !text.is_empty() && fits(text))
}

fn percent(share: f64) -> String {
    format!("{share:.2}%")
}

/// Instants as hundredths of the width.
struct Scale(Interval);

impl Scale {
    fn x(&self, at: Timestamp) -> f64 {
        let whole = self.0.until.duration_since(self.0.from).as_secs_f64();
        let part = at.duration_since(self.0.from).as_secs_f64();
        (part / whole.max(1.0) * 100.0).clamp(0.0, 100.0)
    }
}

/// A line across, with what stands at its head.
struct Day {
    from: Timestamp,
    label: String,
    is_weekend: bool,
}

/// The lines across: midnights of a reader's days, or hours of a single day.
fn days(range: Interval, times: &Times) -> Vec<Day> {
    let length = range.until.duration_since(range.from);
    let mut lines = Vec::new();
    let mut date = times.date(range.from);
    if length <= SignedDuration::from_hours(30) {
        let mut at = range.from;
        while at < range.until {
            lines.push(Day {
                from: at,
                label: times.hour(at),
                is_weekend: false,
            });
            at = at
                .saturating_add(SignedDuration::from_hours(3))
                .unwrap_or(range.until);
        }
        return lines;
    }
    // Every day has its line. Where there are many, one a week has a label.
    let every = if length > SignedDuration::from_hours(24 * 15) {
        7
    } else {
        1
    };
    for count in 0.. {
        let Some(at) = times.midnight(date).filter(|at| *at < range.until) else {
            break;
        };
        if at >= range.from {
            lines.push(Day {
                from: at,
                label: match count % every {
                    0 => times.day_text(date),
                    _ => String::new(),
                },
                is_weekend: matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday),
            });
        }
        let Ok(next) = date.checked_add(1.day()) else {
            break;
        };
        date = next;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::zones::ZoneName;

    #[test]
    fn what_is_drawn() {
        let at = |text: &str| text.parse::<Timestamp>().expect("an instant");
        let range = Interval {
            from: at("2026-11-23T00:00:00Z"),
            until: at("2026-11-30T00:00:00Z"),
        };
        let piece = |from: &str, until: &str, kind: Kind| Piece {
            period: Interval {
                from: at(from),
                until: at(until),
            },
            kind,
            who: "<ada>".into(),
            short: "A".into(),
            colour: "p3".into(),
            is_away: kind == Kind::Cover,
        };
        let rows = [Row {
            name: "Primary".into(),
            pieces: vec![
                piece("2026-11-20T00:00:00Z", "2026-11-24T00:00:00Z", Kind::Turn),
                piece("2026-11-24T00:00:00Z", "2026-11-25T00:00:00Z", Kind::Cover),
                piece("2026-11-25T00:00:00Z", "2026-12-25T00:00:00Z", Kind::Gap),
            ],
        }];
        let times = Times {
            zone: ZoneName::utc(),
            now: at("2026-11-23T12:00:00Z"),
        };
        let drawn = timeline(&rows, range, &times).into_string();
        for part in [
            "aria-hidden=\"true\"",
            "x=\"0.00%\" y=\"56\" width=\"14.29%\"",
            "url(#t-cover)",
            "url(#t-away)",
            "Away and still on call",
            "class=\"gap\"",
            "class=\"weekend\" x=\"71.43%\"",
            "Nobody on call",
            "x1=\"7.14%\"",
            "&lt;ada&gt;",
            "Mon 23 Nov",
        ] {
            assert!(drawn.contains(part), "{part}: {drawn}");
        }
        assert!(!drawn.contains("Swap"), "only what is there is explained");
        assert!(
            !drawn.contains("style="),
            "the policy allows no styles in attributes"
        );
    }
}
