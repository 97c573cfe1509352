//! Who could take a turn: everybody in the list, with their hours of the quarter, and why not.

use super::Shown;
use crate::actions::ActionError;
use crate::actions::report;
use crate::domain::ids::UserId;
use crate::domain::time::Interval;
use crate::server::Problem;
use crate::web::parts::days::STEPS;
use crate::web::parts::item::Kind;
use crate::web::parts::load::lines;
use crate::web::parts::people::{Size, colour};
use jiff::SignedDuration;
use jiff::civil::Date;
use maud::{Markup, html};
use std::collections::HashMap;

/// People whose name the button can say without a script; of more it says "They take".
const MOST_NAMED: usize = 40;

/// Whether somebody can take the hours, and what is to be known first.
struct Candidate {
    user: UserId,
    /// Why they cannot.
    why_not: Option<String>,
    /// What is in the way, and can be accepted.
    but: Option<String>,
    hours: SignedDuration,
}

/// The list, and the names for the button: that of whoever is chosen is shown.
pub fn list(page: &Shown) -> Result<(Markup, Markup), Problem> {
    let all = candidates(page)?;
    let most = all.iter().map(|one| one.hours).max().unwrap_or_default();
    let free = all
        .iter()
        .filter(|one| one.why_not.is_none() && one.but.is_none());
    let least = free.min_by_key(|one| one.hours).map(|one| one.user.clone());
    let chosen = page.visit.query.filled("userId").map(UserId::from);
    let chosen = chosen
        .filter(|user| all.iter().any(|one| one.user == *user))
        .or(least.clone());
    let list = html! {
        fieldset {
            legend { "Who" }
            div.cand {
                @for (index, one) in all.iter().enumerate() {
                    (tile(page, one, index, most, least.as_ref() == Some(&one.user), chosen.as_ref() == Some(&one.user)))
                }
                @if all.is_empty() { p.muted { "Nobody is in the list." } }
            }
        }
    };
    let names = html! {
        @for (index, one) in all.iter().enumerate().take(MOST_NAMED) {
            span class=(format_args!("k k{index}")) { bdi { (page.people.name(&one.user)) } " takes" }
        }
        @if all.len() > MOST_NAMED { span { "They take" } }
    };
    Ok((list, names))
}

fn tile(
    page: &Shown,
    one: &Candidate,
    index: usize,
    most: SignedDuration,
    is_least: bool,
    is_chosen: bool,
) -> Markup {
    let share = one.hours.as_secs() * STEPS / most.as_secs().max(1);
    let is_out = one.why_not.is_some();
    let said = one
        .why_not
        .as_deref()
        .or(one.but.as_deref())
        .unwrap_or("Free.");
    html! {
        label class=(format_args!("tile c{index}{}", if is_out { " no" } else { "" })) {
            input type="radio" name="userId" value=(one.user) required disabled[is_out] checked[is_chosen && !is_out];
            span {
                (page.people.avatar(&one.user, Size::Large))
                b { bdi { (page.people.name(&one.user)) } @if is_least { " " span.tag.good { "least hours" } } }
                small.muted { (said) }
                span.load {
                    span { (one.hours.as_hours()) " h" span.u { " this quarter" } }
                    span class=(format_args!("meter {}", colour(&one.user))) { i class=(format_args!("w{share}")) {} }
                }
            }
        }
    }
}

fn candidates(page: &Shown) -> Result<Vec<Candidate>, Problem> {
    let (from, to) = page.hours();
    let wanted = Interval::new(from, to.unwrap_or(page.item.end()));
    let slot = page
        .rotation
        .slot_of(&page.item.cell)
        .map(|slot| &page.rotation.cells[slot]);
    let order = match slot {
        Some(cell) => page
            .rotation
            .order(page.rotation.roster(cell.roster.as_ref())),
        None => Vec::new(),
    };
    let carried = hours_of_quarter(page)?;
    let candidate = |user: UserId| Candidate {
        why_not: why_not(page, &user, wanted),
        but: away(page, &user, wanted),
        hours: carried.get(&user).copied().unwrap_or_default(),
        user,
    };
    let mut all: Vec<Candidate> = order.into_iter().map(|one| candidate(one.user)).collect();
    all.sort_by_key(|one| (one.why_not.is_some(), one.but.is_some(), one.hours));
    Ok(all)
}

/// Whoever has it already, or is on call in another place at the same time.
fn why_not(page: &Shown, user: &UserId, wanted: Interval) -> Option<String> {
    let items = page.rows.iter().flat_map(|row| &row.items);
    let mut theirs = items.filter(|item| {
        let meets = item.from < wanted.until && item.end() > wanted.from;
        item.user.as_ref() == Some(user) && meets && item.kind != Kind::Off
    });
    let has = |item: &&super::Item| {
        item.cell == page.item.cell && item.from <= wanted.from && item.end() >= wanted.until
    };
    if theirs.clone().any(|item| has(&item)) {
        return Some("Has it already.".to_owned());
    }
    let other = theirs.find(|item| item.cell != page.item.cell);
    let other = other.filter(|_| !page.rotation.double_cover);
    other.map(|item| format!("Is {} at this time.", item.place))
}

fn away(page: &Shown, user: &UserId, wanted: Interval) -> Option<String> {
    let periods = page.rotation.absences.periods_of(user);
    let away = periods
        .into_iter()
        .find(|period| period.meets(wanted).is_some())?;
    Some(format!(
        "Is away, {}.",
        page.times().stretch(away.from, away.until)
    ))
}

/// The hours of each person in this rotation in the quarter of the turn.
fn hours_of_quarter(page: &Shown) -> Result<HashMap<UserId, SignedDuration>, Problem> {
    let times = page.times();
    let day = times.date(page.item.from.max(page.visit.now));
    let month = (day.month() - 1) / 3 * 3 + 1;
    let first = Date::new(day.year(), month, 1);
    let next = match month {
        10 => Date::new(day.year() + 1, 1, 1),
        month => Date::new(day.year(), month + 3, 1),
    };
    let edge = |date: Result<Date, jiff::Error>| date.ok().and_then(|date| times.midnight(date));
    let (Some(from), Some(until)) = (edge(first), edge(next)) else {
        return Ok(HashMap::new());
    };
    let (app, caller) = (page.visit.app(), &page.visit.caller);
    let found = report::of_rotation(app, caller, &page.rotation.id, Interval { from, until });
    let rows = match found {
        Ok((_, rows)) => rows,
        // So many turns that they are not counted for a look at the page.
        Err(ActionError::Refused(_)) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let carried = lines(rows)
        .into_iter()
        .filter_map(|line| Some((line.user?, line.load.hours)));
    Ok(carried.collect())
}
