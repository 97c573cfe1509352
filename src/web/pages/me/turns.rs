//! The turns of the reader: the next five on their page, and those of 90 days on a page of its own.

use super::super::{absences, path_of, slot_text, times, why};
use crate::actions::duties;
use crate::domain::absence::Absence;
use crate::domain::forecast::Shift;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::time::{FOREVER, Interval};
use crate::server::{Outcome, Problem};
use crate::web::layout;
use crate::web::parts::absence;
use crate::web::parts::people::People;
use crate::web::parts::time::Times;
use crate::web::visit::Visit;
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};

/// How far ahead turns are listed.
const AHEAD: SignedDuration = SignedDuration::from_hours(90 * 24);

/// Turns on the reader's page, and on the page of their own at the most.
const NEXT: usize = 5;
const MOST: usize = 30;

/// A turn of the reader: what they have of it, in order of time, never none. Hours that are not covered part no turn.
pub struct Mine {
    pub pieces: Vec<Shift>,
}

impl Mine {
    fn first(&self) -> &Shift {
        &self.pieces[0]
    }

    /// When it begins.
    pub fn from(&self) -> Timestamp {
        self.first().duty.entry.start
    }

    /// When it ends; `None` where somebody has to hand over.
    pub fn until(&self) -> Option<Timestamp> {
        self.pieces.last().and_then(|piece| piece.duty.end)
    }

    /// Its end, or the end of time.
    pub fn end(&self) -> Timestamp {
        self.until().unwrap_or(FOREVER)
    }

    /// Whether the reader is on call by it, or will be again before it ends.
    pub fn is_now(&self, now: Timestamp) -> bool {
        self.from() <= now && now < self.end()
    }

    pub fn rotation(&self) -> (&RotationId, &str) {
        let rotation = &self.first().rotation;
        (&rotation.id, &rotation.name)
    }

    /// "Platform, primary".
    pub fn name(&self) -> String {
        let (first, slot) = (self.first(), slot_text(&self.first().slot));
        match slot.is_empty() {
            true => first.rotation.name.clone(),
            false => format!("{}, {slot}", first.rotation.name),
        }
    }

    /// The address of its page.
    pub fn path(&self) -> String {
        let first = self.first();
        let base = path_of(&first.rotation.id, first.rotation.code.as_deref());
        format!("{base}/shifts/{}/{}", first.duty.cell, self.from())
    }

    /// The address where cover is asked for the rest of it; `None` where it has no end.
    fn cover(&self) -> Option<String> {
        self.until().map(|_| format!("{}?do=cover", self.path()))
    }

    fn why(&self, now: Timestamp) -> String {
        let first = self.first();
        let base = path_of(&first.rotation.id, first.rotation.code.as_deref());
        why::path(&base, &first.duty.cell, (self.from(), self.until()), now)
    }

    /// Whose turn it is, where it is not the reader's own.
    fn instead_of(&self) -> Option<&UserId> {
        self.first().duty.instead_of()
    }

    fn absence<'a>(&self, away: &'a [Absence]) -> Option<&'a Absence> {
        let whole = Interval::new(self.from(), self.end());
        let counts = |one: &&Absence| absence::counts(one, self.rotation().0);
        away.iter()
            .filter(counts)
            .find(|absence| absence.period.meets(whole).is_some())
    }
}

/// The turns of the reader in a range, by where they begin.
pub fn of_reader(visit: &Visit, range: Interval) -> Result<Vec<Mine>, Problem> {
    let me = visit.me()?;
    let own = duties::to_come(visit.app(), &visit.caller, &me.person.id, range)?;
    let mut all: Vec<Mine> = Vec::new();
    for piece in own {
        let is_same = |turn: &&mut Mine| {
            let first = &turn.first().duty;
            let since = (first.turn_since, piece.duty.turn_since);
            let same_cell =
                turn.rotation().0 == &piece.rotation.id && first.cell == piece.duty.cell;
            same_cell && since.0.is_some() && since.0 == since.1
        };
        match all.iter_mut().rev().find(is_same) {
            Some(turn) => turn.pieces.push(piece),
            None => all.push(Mine {
                pieces: vec![piece],
            }),
        }
    }
    Ok(all)
}

/// The turns of the next 90 days.
pub fn to_come(visit: &Visit) -> Result<Vec<Mine>, Problem> {
    of_reader(visit, Interval::ahead(visit.now, AHEAD))
}

/// The card with the next five.
pub fn card(visit: &Visit, own: &[Mine], away: &[Absence]) -> Result<Markup, Problem> {
    let next = list(visit, &own[..own.len().min(NEXT)], away)?;
    Ok(html! {
        section.card aria-labelledby="five" {
            header {
                h2 #five { "My next five" }
                a.btn.s.ghost href="/me/turns" { "All of 90 days" }
            }
            @if own.is_empty() {
                p.pad.pt0.muted { "None is planned. " a href="/rotations?mine=true" { "Rotations that you are in" } }
            }
            (next)
        }
    })
}

fn list(visit: &Visit, own: &[Mine], away: &[Absence]) -> Result<Markup, Problem> {
    let owners = own.iter().filter_map(Mine::instead_of);
    let people = People::load(visit.app(), owners, true)?;
    Ok(html! { ol.list { @for turn in own { (line(visit, turn, away, &people)) } } })
}

fn line(visit: &Visit, turn: &Mine, away: &[Absence], people: &People) -> Markup {
    let (times, is_now) = (times(visit), turn.is_now(visit.now));
    let me = visit.user();
    let first = turn.first();
    let gone = turn.absence(away);
    html! {
        li {
            div.ml.mid {
                (leaf(&times, turn.from(), is_now))
                div.what {
                    a href=(turn.path()) data-cell=(first.duty.cell) data-start=(turn.from()) data-end=[turn.until()] data-user=[me] { bdi { (turn.name()) } }
                    small.muted {
                        @if let Some(owner) = turn.instead_of() { "for " bdi { (people.name(owner)) } ", " }
                        @match (is_now, turn.until()) {
                            (true, Some(until)) => { "until " (times.text(until)) },
                            (true, None) => "until somebody hands over",
                            (false, until) => { (times.period_with(turn.from(), until, first.zone)) " · " (times.away(turn.from())) },
                        }
                    }
                    @if let Some(gone) = gone {
                        span.tag.warn { "you are away " (absence::days(&times, gone)) }
                    }
                }
            }
            span.row {
                @if is_now { span.tag.good { "on call now" } }
                a.btn.s.ghost href=(turn.why(visit.now)) { "Why?" }
                @if let Some(path) = turn.cover() {
                    a.btn.s href=(path) data-action="cover" { "Ask for cover" span.sr { " for " (turn.name()) ", " (times.text(turn.from())) } }
                }
            }
        }
    }
}

/// The day and month at which it begins, as a leaf of a calendar.
fn leaf(times: &Times, at: Timestamp, is_now: bool) -> Markup {
    let date = times.date(at);
    let day = times.day_text(date);
    let month = day.split(' ').nth(2).unwrap_or_default();
    html! { span.dt.on[is_now] aria-hidden="true" { b { (date.day()) } (month) } }
}

/// GET /me/turns.
pub fn show(visit: &Visit) -> Outcome {
    let own = to_come(visit)?;
    let away = absences::of_reader(visit)?;
    let from: usize = visit.query.one("from").parse().unwrap_or(0);
    let from = from.min(own.len());
    let turns = list(visit, &own[from..own.len().min(from + MOST)], &away)?;
    let left = own.len().saturating_sub(from + MOST);
    let content = html! {
        p.crumb { a href="/me" { "Me" } }
        h1 { "My turns in the next 90 days" }
        section.card aria-label="Turns" {
            @if own.is_empty() { p.pad.muted { "None is planned." } }
            (turns)
            @if left > 0 { p.pad { a href=(format!("/me/turns?from={}", from + MOST)) { "And " (left) " more" } } }
        }
    };
    Ok(layout::page(visit, "My turns", content))
}
