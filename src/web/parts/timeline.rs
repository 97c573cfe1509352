//! The timeline: a row for each lane and window, drawn. Readers of the screen are told the same by the table below it.

use super::time::Times;
use crate::domain::time::Interval;
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
    /// Who, and what it is where it is no turn.
    pub text: String,
    /// What stands where there is no room for the text.
    pub short: String,
    /// Of eight.
    pub colour: u32,
}

/// What a stretch is; each is told apart by a word and a pattern, not by colour alone.
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

    fn pattern(self) -> Option<&'static str> {
        match self {
            Kind::Assignment => Some("url(#t-assigned)"),
            Kind::Cover => Some("url(#t-cover)"),
            Kind::Swap => Some("url(#t-swap)"),
            Kind::Turn | Kind::Gap | Kind::Shut => None,
        }
    }
}

/// Heights in pixels: the head with the days, a row, and the bar in it.
const HEAD: usize = 34;
const ROW: usize = 46;
const BAR: usize = 24;

/// Narrower pieces have initials in the place of their text, in hundredths of the width; still narrower ones have nothing.
const TEXT_FROM: f64 = 5.0;
const INITIALS_FROM: f64 = 1.5;

/// Draws rows over a range.
pub fn timeline(rows: &[Row], range: Interval, times: &Times) -> Markup {
    let height = HEAD + rows.len() * ROW + 4;
    let scale = Scale(range);
    html! {
        svg.timeline aria-hidden="true" focusable="false" height=(height) {
            defs {
                pattern #t-cover width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                    line.mark x1="0" y1="0" x2="0" y2="8" {}
                }
                pattern #t-assigned width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)" {
                    line.mark x1="0" y1="0" x2="0" y2="8" {}
                }
                pattern #t-swap width="7" height="7" patternUnits="userSpaceOnUse" {
                    circle.dot cx="3" cy="3" r="1.8" {}
                }
            }
            @for (at, label) in days(range, times) {
                @let x = scale.x(at);
                line.grid x1=(percent(x)) x2=(percent(x)) y1="0" y2=(height) {}
                text.faint x=(percent(x + 0.4)) y="14" { (label) }
            }
            @for (index, row) in rows.iter().enumerate() {
                @let top = HEAD + index * ROW;
                text x="0" y=(top + 12) { (row.name) }
                @for piece in &row.pieces { (bar(piece, &scale, top + 17)) }
            }
            @if range.contains(times.now) {
                @let x = scale.x(times.now);
                line.now x1=(percent(x)) x2=(percent(x)) y1=(HEAD - 14) y2=(height) {}
                text.now-text x=(percent(x)) dx="3" y=(HEAD - 6) text-anchor=(if x > 95.0 { "end" } else { "start" }) { "now" }
            }
        }
        p.legend {
            span { "Stripes rising: cover" } span { "Stripes falling: assigned" } span { "Dots: swap" }
            span { "Dashed: nobody on call" } span { "Grey: shut" }
        }
    }
}

fn bar(piece: &Piece, scale: &Scale, y: usize) -> Markup {
    let (x, end) = (scale.x(piece.period.from), scale.x(piece.period.until));
    let width = (end - x).max(0.15);
    let class = match piece.kind {
        Kind::Gap => "gap".to_owned(),
        Kind::Shut => "shut".to_owned(),
        _ => format!("c{}", piece.colour),
    };
    let text_class = match piece.kind {
        Kind::Gap => "gap-text",
        Kind::Shut => "faint",
        _ => "",
    };
    let is_held = !matches!(piece.kind, Kind::Gap | Kind::Shut);
    html! {
        svg.bar x=(percent(x)) y=(y) width=(percent(width)) height=(BAR) {
            rect.(class) width="100%" height="100%" {}
            @if let Some(pattern) = piece.kind.pattern() { rect fill=(pattern) width="100%" height="100%" {} }
            @if is_held { rect.edge width="100%" height="100%" {} }
            @if width >= TEXT_FROM { text.(text_class) x="5" y="16" { (piece.text) } }
            @else if width >= INITIALS_FROM { text.(text_class) x="3" y="16" { (piece.short) } }
        }
    }
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

/// The lines across: midnights of a reader's days, or hours of a single day, each with its label.
fn days(range: Interval, times: &Times) -> Vec<(Timestamp, String)> {
    let length = range.until.duration_since(range.from);
    let mut lines = Vec::new();
    let mut date = times.date(range.from);
    if length <= SignedDuration::from_hours(30) {
        let mut at = range.from;
        while at < range.until {
            lines.push((at, times.hour(at)));
            at = at
                .saturating_add(SignedDuration::from_hours(3))
                .unwrap_or(range.until);
        }
        return lines;
    }
    // Every day has its line; where they are many every other has a label.
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
            let label = if count % every == 0 {
                times.day_text(date)
            } else {
                String::new()
            };
            lines.push((at, label));
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
            text: "<ada>".into(),
            short: "A".into(),
            colour: 3,
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
            "x=\"0.00%\" y=\"51\" width=\"14.29%\"",
            "url(#t-cover)",
            "class=\"gap\"",
            "x1=\"7.14%\"",
            "&lt;ada&gt;",
            "Mon 23 Nov",
        ] {
            assert!(drawn.contains(part), "{part}: {drawn}");
        }
        assert!(
            !drawn.contains("style="),
            "the policy allows no styles in attributes"
        );
    }
}
