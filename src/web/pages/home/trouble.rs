//! What is wrong in the next days, in the rotations that concern the reader: where nobody will be on call, or somebody who is away.

use super::{AHEAD, is_mine, times};
use crate::actions::overview::Overview;
use crate::actions::warnings;
use crate::domain::ids::UserId;
use crate::domain::rotation::{Cell, Rotation};
use crate::domain::time::Interval;
use crate::domain::warning::Warning;
use crate::domain::warning_kinds::WarningKind;
use crate::server;
use crate::web::pages::admin::problems::words;
use crate::web::pages::path_to;
use crate::web::parts::icon::icon;
use crate::web::parts::near;
use crate::web::parts::people::People;
use crate::web::parts::place;
use crate::web::parts::problem::{self, Offer, Problem};
use crate::web::parts::warned;
use crate::web::visit::Visit;
use jiff::Timestamp;
use maud::{Markup, html};

/// Problems that are shown; of more there is the count.
const MOST: usize = 3;

/// Problems by where they begin.
pub struct Found(Vec<(Timestamp, Problem)>);

/// The rotations that concern the reader: theirs; for an administrator without any, all.
fn concerned<'a>(visit: &Visit, all: &'a [Overview]) -> Vec<&'a Overview> {
    if visit.reader.is_none() {
        return Vec::new();
    }
    let mine: Vec<&Overview> = all
        .iter()
        .filter(|one| is_mine(visit, &one.rotation))
        .collect();
    match mine.is_empty() && visit.caller.check_administer().is_ok() {
        true => all.iter().collect(),
        false => mine,
    }
}

/// What is wrong in them.
pub fn found(
    visit: &Visit,
    all: &[Overview],
    people: &mut People,
) -> Result<Found, server::Problem> {
    let mut found = Vec::new();
    let mine = concerned(visit, all);
    let edited: Vec<&Rotation> = (mine.iter())
        .map(|one| &one.rotation)
        .filter(|rotation| visit.caller.check_edit(rotation).is_ok())
        .collect();
    let unread = match edited.is_empty() {
        true => Vec::new(),
        false => warnings::unread(visit.app(), &edited)?,
    };
    let named = unread.iter().flat_map(|(_, warning)| &warning.users);
    let on_call = mine.iter().flat_map(|one| on_call(one));
    people.add(
        visit.app(),
        named.chain(on_call).cloned().collect::<Vec<_>>(),
    )?;
    for one in mine {
        let rotation = &one.rotation;
        let is_on = |kind| is_on(rotation, kind);
        if is_on(WarningKind::Nobody) {
            found.extend(gaps(visit, one));
        }
        if is_on(WarningKind::AbsentOnDuty) {
            found.extend(absent(visit, one, people));
        }
        let edits = visit.caller.check_edit(rotation).is_ok();
        if is_on(WarningKind::EmptyRoster) && edits {
            found.extend(empty(visit, rotation));
        }
        if is_on(WarningKind::Unreachable) && edits {
            found.extend(unreachable(visit, one, people));
        }
        let sources = unread.iter().filter(|(id, _)| *id == rotation.id);
        let sources = sources.filter(|(_, warning)| warning.matters(visit.now, edits));
        if is_on(WarningKind::StaleSource) {
            found.extend(sources.map(|(_, warning)| stale(visit, rotation, warning, people)));
        }
    }
    found.sort_by_key(|(at, _)| *at);
    Ok(Found(found))
}

fn is_on(rotation: &Rotation, kind: WarningKind) -> bool {
    rotation.enabled && !rotation.profile.warnings.off.contains(&kind)
}

/// Those who are on call, and who come on next.
fn on_call(one: &Overview) -> impl Iterator<Item = &UserId> {
    let next = one.next.iter().flat_map(|next| &next.users);
    one.summary.on_call.iter().chain(next)
}

/// Whoever is on call or is next and has left the workspace, or is not known here.
fn unreachable(visit: &Visit, one: &Overview, people: &People) -> Option<(Timestamp, Problem)> {
    let rotation = &one.rotation;
    let has_left = |user: &&UserId| people.person(user).is_none_or(|person| person.is_deleted);
    let left = on_call(one).find(has_left).map(|user| people.name(user));
    let outsider = || {
        let running = rotation.running();
        running
            .into_iter()
            .find_map(|cell| cell.entry.outside.as_deref())
    };
    let text = match left {
        Some(who) => format!(
            "{who} is on call for {} and has left",
            rotation.profile.name
        ),
        None => format!(
            "{} is on call for {} and is not known here",
            outsider()?,
            rotation.profile.name
        ),
    };
    let problem = Problem {
        text,
        more: String::new(),
        offers: vec![Offer {
            words: "See the people",
            path: match rotation.external {
                Some(_) => format!("{}/settings/partner", path_to(rotation)),
                None => format!("{}/settings/people", path_to(rotation)),
            },
            action: None,
        }],
    };
    Some((visit.now, problem))
}

fn stale(
    visit: &Visit,
    rotation: &Rotation,
    warning: &Warning,
    people: &People,
) -> (Timestamp, Problem) {
    let text = warned::text(warning, people, &times(visit));
    let problem = Problem {
        text: text.trim_end_matches('.').to_owned(),
        more: format!(
            "{}: absences or turns may be missing.",
            rotation.profile.name
        ),
        offers: words::offers(warning, &path_to(rotation), false),
    };
    (visit.now, problem)
}

fn edits(visit: &Visit, rotation: &Rotation) -> bool {
    rotation.external.is_none() && visit.caller.check_edit(rotation).is_ok()
}

/// Stretches of one place and day are one line.
fn gaps(visit: &Visit, one: &Overview) -> Vec<(Timestamp, Problem)> {
    let times = times(visit);
    let day = |at: Timestamp| times.date(at);
    let mut days: Vec<(usize, Interval)> = Vec::new();
    let mut gaps: Vec<_> = one.gaps.iter().collect();
    gaps.sort_by_key(|gap| (gap.cell, gap.period));
    for gap in gaps {
        match days.last_mut() {
            Some((cell, period))
                if *cell == gap.cell && day(period.from) == day(gap.period.from) =>
            {
                period.until = gap.period.until;
            }
            _ => days.push((gap.cell, gap.period)),
        }
    }
    let told = |(cell, period): (usize, Interval)| {
        let cell = &one.rotation.cells[cell];
        let mut offers = Vec::new();
        let is_member = visit
            .user()
            .is_some_and(|user| one.rotation.has_member(user));
        if is_member && one.rotation.external.is_none() {
            offers.push(offer("Take it", &one.rotation, cell, period, "take"));
        }
        if edits(visit, &one.rotation) {
            offers.push(offer(
                "Find somebody",
                &one.rotation,
                cell,
                period,
                "assign",
            ));
        }
        let place = named(&one.rotation, cell);
        let problem = Problem {
            text: format!(
                "Nobody is on call for {place} on {}",
                times.stretch(period.from, period.until)
            ),
            more: begins(visit, period),
            offers,
        };
        (period.from, problem)
    };
    days.into_iter().map(told).collect()
}

fn absent(visit: &Visit, one: &Overview, people: &People) -> Vec<(Timestamp, Problem)> {
    let times = times(visit);
    let told = |absent: &crate::domain::forecast::AbsentOnCall| {
        let (cell, period) = (&one.rotation.cells[absent.cell], absent.period);
        let mut offers = Vec::new();
        if one.rotation.external.is_none() && visit.user() == Some(&absent.user) {
            offers.push(offer("Ask for cover", &one.rotation, cell, period, "cover"));
        }
        if edits(visit, &one.rotation) {
            offers.push(offer(
                "Find somebody",
                &one.rotation,
                cell,
                period,
                "assign",
            ));
        }
        let who = people.name(&absent.user);
        let problem = Problem {
            text: format!(
                "{who} is away and still on call, {}",
                times.stretch(period.from, period.until)
            ),
            more: format!("{}. {}", named(&one.rotation, cell), begins(visit, period)),
            offers,
        };
        (period.from, problem)
    };
    one.absent.iter().map(told).collect()
}

fn empty(visit: &Visit, rotation: &Rotation) -> Option<(Timestamp, Problem)> {
    let is_empty = |cell: &Cell| {
        rotation
            .order(rotation.roster(cell.roster.as_ref()))
            .is_empty()
    };
    let found = rotation.external.is_none() && rotation.running().any(is_empty);
    found.then(|| {
        let problem = Problem {
            text: format!("Nobody is in {}", rotation.profile.name),
            more: "The first who is added comes on.".to_owned(),
            offers: vec![Offer {
                words: "Add people",
                path: format!("{}/settings/people", path_to(rotation)),
                action: None,
            }],
        };
        (visit.now, problem)
    })
}

/// "Platform, Secondary", or the rotation alone where there is one place.
fn named(rotation: &Rotation, cell: &Cell) -> String {
    let name = &rotation.profile.name;
    match rotation.cells.len() {
        0 | 1 => name.clone(),
        _ => format!("{name}, {}", place::of(rotation, cell).whole),
    }
}

fn begins(visit: &Visit, period: Interval) -> String {
    let length = period.from.duration_since(visit.now);
    match length.is_positive() {
        true => format!("In {}.", near::length(length)),
        false => "Now.".to_owned(),
    }
}

/// The turn with what mends it chosen, and its hours filled in.
fn offer(
    words: &'static str,
    rotation: &Rotation,
    cell: &Cell,
    period: Interval,
    step: &'static str,
) -> Offer {
    let Interval { from, until } = period;
    Offer {
        words,
        path: format!(
            "{}/shifts/{}/{from}?do={step}&from={from}&to={until}",
            path_to(rotation),
            cell.id
        ),
        action: Some(step),
    }
}

/// The first problems in red; nothing where there are none.
pub fn alert(found: &Found) -> Markup {
    let left = found.0.len().saturating_sub(MOST);
    let first: Vec<&Problem> = found
        .0
        .iter()
        .map(|(_, problem)| problem)
        .take(MOST)
        .collect();
    html! { @if !first.is_empty() { (problem::alert(&first, left)) } }
}

/// The last line: until when there is nothing else to worry about, and how many smaller notes there are.
pub fn quiet(visit: &Visit, all: &[Overview], found: &Found) -> Markup {
    let times = times(visit);
    let until = visit.now.saturating_add(AHEAD).unwrap_or(visit.now);
    let until = times.short_day(times.date(until));
    let counted = visit.app().warned().counted();
    let concerned = concerned(visit, all);
    let edits_any = concerned
        .iter()
        .any(|one| visit.caller.check_edit(&one.rotation).is_ok());
    let counts: Vec<u64> = (concerned.iter())
        .filter_map(|one| Some(counted.get(&one.rotation.id)?.values().sum()))
        .filter(|count| *count > 0)
        .collect();
    let notes = counts
        .iter()
        .sum::<u64>()
        .saturating_sub(found.0.len() as u64);
    let (notes_word, rotations_word) = (
        if notes == 1 { "note" } else { "notes" },
        if counts.len() == 1 {
            "rotation"
        } else {
            "rotations"
        },
    );
    html! {
        p.muted.small.quiet {
            (icon("check"))
            @if found.0.is_empty() { " Nothing to worry about until " } @else { " Nothing else to worry about until " }
            (until) "."
            @if notes > 0 {
                " "
                @if edits_any { a href="/admin/problems" { (notes) " smaller " (notes_word) } } @else { (notes) " smaller " (notes_word) }
                " in " (counts.len()) " " (rotations_word) "."
            }
        }
    }
}
