//! Instants in the reader's zone, with another zone beside them where they differ; and local times as people type them.

use crate::domain::time::{FOREVER, Interval};
use crate::domain::zones::ZoneName;
use crate::wire::moment;
use jiff::civil::{Date, DateTime};
use jiff::tz::AmbiguousOffset;
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};

/// How a reader is shown instants.
#[derive(Clone, Copy)]
pub struct Times {
    pub zone: ZoneName,
    pub now: Timestamp,
}

/// Covered stretches that are listed at the most.
const MOST_STRETCHES: usize = 7;

pub const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

fn local(at: Timestamp, zone: ZoneName) -> DateTime {
    zone.tz().to_datetime(at)
}

fn day(date: Date, now: DateTime) -> String {
    let weekday = DAYS[date.weekday().to_monday_zero_offset().unsigned_abs() as usize];
    let month = MONTHS[date.month().unsigned_abs() as usize - 1];
    match date.year() == now.year() {
        true => format!("{weekday} {} {month}", date.day()),
        false => format!("{weekday} {} {month} {}", date.day(), date.year()),
    }
}

/// The minute of an instant: of now, no seconds are shown.
pub fn whole_minute(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second().div_euclid(60) * 60).unwrap_or(at)
}

fn clock(at: DateTime) -> String {
    match at.second() {
        0 => format!("{:02}:{:02}", at.hour(), at.minute()),
        second => format!("{:02}:{:02}:{second:02}", at.hour(), at.minute()),
    }
}

impl Times {
    /// An instant in words.
    pub fn text(&self, at: Timestamp) -> String {
        self.text_in(at, self.zone)
    }

    fn text_in(&self, at: Timestamp, zone: ZoneName) -> String {
        if at >= FOREVER {
            return "for ever".to_owned();
        }
        let (shown, now) = (local(at, zone), local(self.now, zone));
        format!("{} {}", day(shown.date(), now), clock(shown))
    }

    /// An instant.
    pub fn show(&self, at: Timestamp) -> Markup {
        html! { time datetime=(at) { (self.text(at)) } }
    }

    /// An instant, with how it reads in another zone where that differs.
    pub fn show_with(&self, at: Timestamp, other: Option<ZoneName>) -> Markup {
        html! { (self.show(at)) (self.beside(at, other)) }
    }

    /// How an instant reads in another zone, where that differs.
    fn beside(&self, at: Timestamp, other: Option<ZoneName>) -> Markup {
        let Some(other) = other.filter(|_| at < FOREVER) else {
            return html! {};
        };
        let (own, there) = (local(at, self.zone), local(at, other));
        let text = match own.date() == there.date() {
            _ if own == there => return html! {},
            true => clock(there),
            false => self.text_in(at, other),
        };
        html! { " " span.muted.small { "(" (text) " " (other.as_str()) ")" } }
    }

    /// A period; an end that is not known is open.
    pub fn period(&self, from: Timestamp, until: Option<Timestamp>) -> Markup {
        self.period_with(from, until, None)
    }

    /// The covered hours of a period, where they are not all of it.
    pub fn covered(&self, covered: &[Interval], whole: Interval) -> Markup {
        let rest = covered.len().saturating_sub(MOST_STRETCHES);
        html! {
            @if covered != [whole] {
                p.muted {
                    @if covered.is_empty() { "No covered hours lie in it." } @else { "Covered hours, which are those that count: " }
                    @for (index, span) in covered.iter().take(MOST_STRETCHES).enumerate() {
                        @if index > 0 { "; " }
                        (self.period(span.from, Some(span.until)))
                    }
                    @if rest > 0 { "; and " (rest) " more" }
                    @if !covered.is_empty() { "." }
                }
            }
        }
    }

    /// A period, with how it reads in another zone where that differs.
    pub fn period_with(
        &self,
        from: Timestamp,
        until: Option<Timestamp>,
        other: Option<ZoneName>,
    ) -> Markup {
        let Some(until) = until.filter(|until| *until < FOREVER) else {
            return html! { "from " (self.show_with(from, other)) };
        };
        let (begin, end) = (local(from, self.zone), local(until, self.zone));
        html! {
            (self.show(from)) " to "
            time datetime=(until) {
                @if begin.date() == end.date() { (clock(end)) } @else { (self.text(until)) }
            }
            (self.period_beside(from, Some(until), other))
        }
    }

    /// How a period reads in another zone, where that differs.
    pub fn period_beside(
        &self,
        from: Timestamp,
        until: Option<Timestamp>,
        other: Option<ZoneName>,
    ) -> Markup {
        let Some(until) = until.filter(|until| *until < FOREVER) else {
            return self.beside(from, other);
        };
        html! {
            @if let Some(other) = other.filter(|other| differ(from, until, self.zone, *other)) {
                @let both = [from, until].map(|at| local(at, other));
                @let same_days = both[0].date() == local(from, self.zone).date() && both[1].date() == local(until, self.zone).date();
                " " span.muted.small {
                    "("
                    @if same_days { (clock(both[0])) " to " (clock(both[1])) }
                    @else if both[0].date() == both[1].date() { (self.text_in(from, other)) " to " (clock(both[1])) }
                    @else { (self.text_in(from, other)) " to " (self.text_in(until, other)) }
                    " " (other.as_str()) ")"
                }
            }
        }
    }

    /// How long until an instant, or since.
    pub fn away(&self, at: Timestamp) -> String {
        let length = at.duration_since(self.now);
        match length.is_negative() {
            true => format!("{} ago", duration(-length)),
            false => format!("in {}", duration(length)),
        }
    }

    /// The date of an instant, as inputs take it.
    pub fn date_value(&self, at: Timestamp) -> String {
        local(at, self.zone).date().to_string()
    }

    /// An instant as `datetime-local` inputs take it.
    pub fn value(&self, at: Timestamp) -> String {
        let at = local(at, self.zone);
        let text = format!("{}T{:02}:{:02}", at.date(), at.hour(), at.minute());
        match at.second() {
            0 => text,
            second => format!("{text}:{second:02}"),
        }
    }

    /// The first instant of a day.
    pub fn midnight(&self, date: Date) -> Option<Timestamp> {
        let at = self.zone.tz().to_ambiguous_timestamp(date.at(0, 0, 0, 0));
        at.compatible().ok()
    }

    /// The day of an instant.
    pub fn date(&self, at: Timestamp) -> Date {
        local(at, self.zone).date()
    }

    /// An instant by the local clock.
    pub fn local(&self, at: Timestamp) -> DateTime {
        local(at, self.zone)
    }

    /// "Mon".
    pub fn weekday_of(&self, date: Date) -> &'static str {
        DAYS[date.weekday().to_monday_zero_offset().unsigned_abs() as usize]
    }

    /// "23 Nov".
    pub fn short_day(&self, date: Date) -> String {
        let month = MONTHS[date.month().unsigned_abs() as usize - 1];
        format!("{} {month}", date.day())
    }

    /// The time of day of an instant.
    pub fn hour(&self, at: Timestamp) -> String {
        clock(local(at, self.zone))
    }

    /// A day in words.
    pub fn day_text(&self, date: Date) -> String {
        day(date, local(self.now, self.zone))
    }
}

fn differ(from: Timestamp, until: Timestamp, one: ZoneName, other: ZoneName) -> bool {
    [from, until]
        .into_iter()
        .any(|at| local(at, one) != local(at, other))
}

/// A length of time in its two largest units.
pub fn duration(length: SignedDuration) -> String {
    let minutes = length.as_secs().unsigned_abs() / 60;
    let (days, hours, rest) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    let part = |count: u64, unit: &str| (count > 0).then(|| format!("{count} {unit}"));
    let parts = match (days, hours) {
        (0, 0) => vec![Some(format!("{rest} min"))],
        (0, _) => vec![part(hours, "h"), part(rest, "min")],
        _ => vec![
            part(days, if days == 1 { "day" } else { "days" }),
            part(hours, "h"),
        ],
    };
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// A local time as somebody typed it, made an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Typed {
    pub at: Timestamp,
    /// A remark, where the clocks are changed.
    pub odd: Option<Odd>,
}

/// A local time that is not exactly one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Odd {
    /// The clocks skip it: it is later by as much.
    Skipped,
    /// It is there twice: it is the first.
    Twice,
}

impl Typed {
    /// The remark about an odd time, with the instant that is taken.
    pub fn remark(&self, zone: ZoneName) -> Option<String> {
        let shown = local(self.at, zone);
        let shown = format!("{} {}", shown.date(), clock(shown));
        let why = match self.odd? {
            Odd::Skipped => "does not exist in",
            Odd::Twice => "exists twice in",
        };
        Some(format!(
            "The local time {why} {}, where the clocks change; taken is {shown} ({} UTC).",
            zone.as_str(),
            self.at
        ))
    }
}

/// Reads what a `datetime-local` input sends, as a local time of a zone. An instant with its offset is taken too.
pub fn parse(text: &str, zone: ZoneName) -> Option<Typed> {
    let text = text.trim();
    let text = if text.len() == 10 {
        format!("{text}T00:00")
    } else {
        text.to_owned()
    };
    if let Some(at) = moment::parse_instant(&text) {
        return Some(Typed { at, odd: None });
    }
    let local: DateTime = text.parse().ok().filter(|_| text.contains('T'))?;
    let ambiguous = zone.tz().to_ambiguous_timestamp(local);
    let odd = match ambiguous.offset() {
        AmbiguousOffset::Unambiguous { .. } => None,
        AmbiguousOffset::Gap { .. } => Some(Odd::Skipped),
        AmbiguousOffset::Fold { .. } => Some(Odd::Twice),
    };
    let at = ambiguous.compatible().ok()?.min(FOREVER);
    let at = Timestamp::from_millisecond(at.as_millisecond()).ok()?;
    Some(Typed { at, odd })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str) -> ZoneName {
        ZoneName::parse(name).expect("a zone")
    }

    fn at(text: &str) -> Timestamp {
        text.parse().expect("an instant")
    }

    #[test]
    fn local_times() {
        for (text, zone_name, expected, odd) in [
            (
                "2026-11-23T09:00",
                "Europe/Berlin",
                "2026-11-23T08:00:00Z",
                None,
            ),
            ("2026-11-23T09:00:30", "UTC", "2026-11-23T09:00:30Z", None),
            (
                "2026-11-23",
                "America/New_York",
                "2026-11-23T05:00:00Z",
                None,
            ),
            (
                "2026-03-29T02:30",
                "Europe/Berlin",
                "2026-03-29T01:30:00Z",
                Some(Odd::Skipped),
            ),
            (
                "2026-10-25T02:30",
                "Europe/Berlin",
                "2026-10-25T00:30:00Z",
                Some(Odd::Twice),
            ),
            (
                "2026-11-23T09:00:00+02:00",
                "UTC",
                "2026-11-23T07:00:00Z",
                None,
            ),
        ] {
            let typed = parse(text, zone(zone_name)).expect(text);
            assert_eq!((typed.at, typed.odd), (at(expected), odd), "{text}");
            assert_eq!(typed.remark(zone(zone_name)).is_some(), odd.is_some());
        }
        for wrong in [
            "",
            "tomorrow",
            "2026-13-01T00:00",
            "2026-02-30T00:00",
            "09:00",
            "20261123T0900x",
        ] {
            assert_eq!(parse(wrong, ZoneName::utc()), None, "{wrong}");
        }
    }

    #[test]
    fn instants_in_words() {
        let times = Times {
            zone: zone("Europe/London"),
            now: at("2026-11-23T08:00:00Z"),
        };
        assert_eq!(times.text(at("2026-11-24T09:00:00Z")), "Tue 24 Nov 09:00");
        assert_eq!(
            times.text(at("2027-01-01T00:00:00Z")),
            "Fri 1 Jan 2027 00:00"
        );
        let shown = times.show_with(at("2026-11-24T09:00:00Z"), Some(zone("Europe/Berlin")));
        assert!(shown.into_string().contains("(10:00 Europe/Berlin)"));
        let same = times.show_with(at("2026-11-24T09:00:00Z"), Some(ZoneName::utc()));
        assert!(!same.into_string().contains("UTC"));
        for (until, text) in [
            ("2026-11-23T08:20:00Z", "in 20 min"),
            ("2026-11-23T10:30:00Z", "in 2 h 30 min"),
            ("2026-11-24T09:00:00Z", "in 1 day 1 h"),
            ("2026-11-21T08:00:00Z", "2 days ago"),
        ] {
            assert_eq!(times.away(at(until)), text);
        }
    }
}
