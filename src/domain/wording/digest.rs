//! The wording of weekly summaries: a line for each turn, cover, request and absence.

use super::Words;
use crate::domain::forecast::Stretch;
use crate::domain::message::{Listed, PersonSummary, WeekAhead};
use crate::domain::time::Interval;
use crate::domain::zones::ZoneName;

impl Words<'_> {
    /// A person's next days.
    pub(super) fn summary(&self, summary: &PersonSummary) -> String {
        let zone = summary.zone;
        let mut lines = vec!["Your next 14 days.".to_owned()];
        push(&mut lines, &summary.shifts, |shift| {
            let (title, period) = (self.named(&shift.title), self.period(shift.period, zone));
            let covered = match &shift.covers_for {
                Some(user) => format!(", covering for {}", self.name(user)),
                None => String::new(),
            };
            format!("You are on call for {title} {period}{covered}.")
        });
        push(&mut lines, &summary.covered, |shift| {
            let (title, period) = (self.named(&shift.title), self.period(shift.period, zone));
            format!("{} covers {title} for you {period}.", self.holder(shift))
        });
        push(&mut lines, &summary.requests, |waiting| {
            let name = self.renderer.plain(&waiting.rotation);
            let noun = waiting.kind().noun();
            let who = self.name(&waiting.requester);
            format!("{who} waits for your answer to a {noun} in {name}.")
        });
        push(&mut lines, &summary.away, |period| {
            format!("You are away {}.", self.period(*period, zone))
        });
        lines.join("\n")
    }

    /// A rotation's coming week.
    pub(super) fn week_ahead(&self, week: &WeekAhead) -> String {
        let zone = week.zone;
        let mut lines = vec![format!("{}: the next 7 days.", self.title(&[]))];
        push(&mut lines, &week.turns, |turn| {
            let (who, period) = (self.holder(turn), self.period(turn.period, zone));
            let covers = match &turn.covers_for {
                Some(user) => format!(", for {}", self.name(user)),
                None => String::new(),
            };
            match turn.title.is_empty() {
                true => format!("{who} is on call {period}{covers}."),
                false => format!(
                    "{}: {who} is on call {period}{covers}.",
                    self.named(&turn.title)
                ),
            }
        });
        push(&mut lines, &week.vacant, |hours| {
            let period = self.period(hours.period, zone);
            match hours.title.is_empty() {
                true => format!("Nobody is on call {period}."),
                false => format!("{}: nobody is on call {period}.", self.named(&hours.title)),
            }
        });
        push(&mut lines, &week.away, |absent| {
            let period = self.period(absent.period, zone);
            format!("{} is away {period}.", self.name(&absent.user))
        });
        lines.join("\n")
    }

    fn named(&self, title: &[String]) -> String {
        let parts = title.iter().map(|part| self.renderer.plain(part));
        parts.collect::<Vec<_>>().join(", ")
    }

    /// Who is on call, without notifying them: it is days ahead.
    fn holder(&self, stretch: &Stretch) -> String {
        let outside = stretch.outside.as_deref();
        match &stretch.user {
            Some(user) => self.name(user),
            None => outside.map_or_else(
                || "nobody".to_owned(),
                |name| format!("{} (not in chat)", self.renderer.plain(name)),
            ),
        }
    }

    fn period(&self, Interval { from, until }: Interval, zone: ZoneName) -> String {
        let time = |at| self.renderer.time(at, Some(zone));
        format!("from {} to {}", time(from), time(until))
    }
}

/// Adds a line for each entry, and one for those that are left out.
fn push<T>(lines: &mut Vec<String>, list: &Listed<T>, line: impl Fn(&T) -> String) {
    lines.extend(list.first.iter().map(line));
    if list.more > 0 {
        lines.push(format!("And {} more.", list.more));
    }
}
