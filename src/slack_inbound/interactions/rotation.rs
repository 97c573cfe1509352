//! `/rota CODE`: one rotation, with buttons for what the reader may do.

use super::blocks::{Blocks, Button, ephemeral, modal};
use super::buttons::Click;
use super::mrkdwn::{link, people, person_for, plain, time};
use super::times;
use super::visit::{Outcome, Visit, name, slot, title};
use crate::actions::{Result, duties, duty, overview, whole_turns};
use crate::domain::duty::Duty;
use crate::domain::external::External;
use crate::domain::ids::RotationId;
use crate::domain::resolve;
use crate::domain::roster;
use crate::domain::rotation::{Cell, Mode, Rotation};
use crate::domain::time::Interval;
use crate::slack_inbound::reply::Reply;
use jiff::SignedDuration;
use serde_json::Value;

/// How far ahead it is looked for who follows.
const AHEAD: SignedDuration = SignedDuration::from_hours(14 * 24);

/// Turns and people that the details list.
const TURNS: usize = 20;
const PEOPLE: usize = 100;

/// `/rota CODE`.
pub fn show(visit: &Visit, id: &RotationId) -> Outcome {
    let (text, blocks) = card(visit, id, None)?;
    Ok(Reply::body(ephemeral(&text, blocks)))
}

/// Who is on call in a rotation, until when, who follows, and the buttons. `first` stands above it.
pub fn card(visit: &Visit, id: &RotationId, first: Option<&str>) -> Result<(String, Blocks)> {
    let (rotation, items, _) = duties::list(visit.app, visit.caller(), id, ahead(visit))?;
    let heading = title(&rotation.profile.name, rotation.profile.code.as_deref());
    let mut lines: Vec<String> = first.map(str::to_owned).into_iter().collect();
    if !rotation.enabled {
        lines.push("The rotation is disabled: nobody goes on or off duty.".to_owned());
    }
    let cells = rotation.running();
    lines.extend(cells.map(|cell| line(visit, &rotation, cell, &items)));
    if rotation.mode() == Mode::Manual {
        let one = overview::one(visit.app, visit.caller(), id, SignedDuration::ZERO)?;
        if let Some(next) = one.next.filter(|next| !next.users.is_empty()) {
            lines.push(format!(
                "Next, when somebody hands over: {}.",
                people(&next.users)
            ));
        }
    }
    lines.extend(waiting(visit, &rotation));
    let mut blocks = Blocks::message();
    blocks.header(&heading);
    blocks.lines(&lines);
    blocks.buttons(&buttons(visit, &rotation)?);
    let text = format!("{}\n{}", plain(&heading), lines.join("\n"));
    Ok((text, blocks))
}

/// The address of the page of a rotation.
fn url(visit: &Visit, rotation: &Rotation) -> String {
    let code = rotation.profile.code.as_deref();
    let path = code.unwrap_or(rotation.id.as_str());
    format!("{}/rotations/{path}", visit.app.base_url())
}

/// How many changes wait, with a link to where they are shown and can be cancelled.
fn waiting(visit: &Visit, rotation: &Rotation) -> Option<String> {
    let at = time(rotation.next_change()?, visit.zone());
    let shown = link(
        &format!("{}#waiting", url(visit, rotation)),
        "Look at what is planned",
    );
    Some(match rotation.waiting.len() {
        1 => format!("A planned change waits for {at}. {shown}"),
        many => format!("{many} planned changes wait, the first for {at}. {shown}"),
    })
}

fn ahead(visit: &Visit) -> Interval {
    Interval::ahead(visit.now, AHEAD)
}

/// One slot: who is on call, until when, who follows.
fn line(visit: &Visit, rotation: &Rotation, cell: &Cell, items: &[Duty]) -> String {
    let zone = visit.zone();
    let label = match slot(rotation, cell) {
        label if label.is_empty() => String::new(),
        label => format!("{}: ", plain(&label)),
    };
    let of_cell = || items.iter().filter(|item| item.cell == cell.id);
    let is_now = |item: &&Duty| item.entry.start <= visit.now && !item.is_over(visit.now);
    let current = of_cell().find(is_now);
    let end = current.and_then(|item| item.end);
    let hold = resolve::on_call(rotation, cell);
    let user = hold.map(|hold| {
        let turn = hold.dealt();
        let owner = turn.and_then(|turn| turn.instead_of(hold.user()));
        person_for(hold.user(), owner)
    });
    let user_is_on = user.is_some();
    let outsider = rotation.external.as_ref().and_then(External::outsider);
    let now = match (user, end) {
        (Some(user), Some(end)) => format!("{user} until {}", time(end, zone)),
        (Some(user), None) => user,
        (None, _) if rotation.windows[cell.window].open => match outsider {
            Some(outsider) => format!("{} (not in chat)", plain(&outsider.called())),
            None => "*nobody is on call*".to_owned(),
        },
        (None, _) => "shut now".to_owned(),
    };
    let later = |item: &&Duty| item.entry.start > visit.now && item.entry.user.is_some();
    let next = of_cell().filter(|_| rotation.enabled).find(later);
    let next = next.and_then(|item| Some((planned(item)?, item.entry.start)));
    let next = next.map_or(String::new(), |(user, start)| {
        // The end of who is on call stands there already.
        let from = match user_is_on && end == Some(start) {
            true => String::new(),
            false => format!(" from {}", time(start, zone)),
        };
        format!(", then {user}{from}")
    });
    format!("{label}{now}{next}")
}

/// Who is to be on call by a turn to come, with whoever's turn it is.
fn planned(item: &Duty) -> Option<String> {
    let user = item.entry.user.as_ref()?;
    Some(person_for(user, item.instead_of()))
}

/// The actions that the reader may take.
fn buttons(visit: &Visit, rotation: &Rotation) -> Result<Vec<Button>> {
    let (caller, id) = (visit.caller(), &rotation.id);
    let mut buttons = Vec::new();
    if rotation.enabled && caller.check_edit(rotation).is_ok() {
        buttons.push(rotate(visit, id)?);
    }
    if rotation.enabled && rotation.has_member(visit.me()) {
        let me = visit.me();
        let (_, held) = whole_turns::held_by(visit.app, caller, id, me)?;
        if !held.is_empty() {
            buttons.push(Click::Cover(id.clone()).button());
        }
        let (_, turns) = whole_turns::swappable(visit.app, caller, id, None)?;
        if !turns.own.is_empty() {
            buttons.push(Click::Swap(id.clone()).button());
        }
    }
    buttons.push(Click::Details(id.clone()).button());
    Ok(buttons)
}

/// Hands over now, once its reader has seen who goes off and who comes on.
fn rotate(visit: &Visit, id: &RotationId) -> Result<Button> {
    let (stored, then) = duty::preview_rotate(visit.app, visit.caller(), id)?;
    let dealt = |rotation: &Rotation, cell: &Cell| {
        let holder = rotation.slot_of(&cell.id);
        let holder = holder.and_then(|index| rotation.cells[index].holder.as_ref());
        holder.map(|holder| holder.user.clone())
    };
    let changes = stored.running().map(|cell| {
        (
            slot(&stored, cell),
            dealt(&stored, cell),
            dealt(&then, cell),
        )
    });
    let changes: Vec<_> = changes.collect();
    let named = changes.iter().flat_map(|(_, off, on)| off.iter().chain(on));
    let names = visit.names(named)?;
    let shown = changes.iter().map(|(slot, off, on)| {
        let who = |user: &Option<_>| match user {
            Some(user) => name(&names, user).to_owned(),
            None => "nobody".to_owned(),
        };
        let label = match slot.is_empty() {
            true => String::new(),
            false => format!("{slot}: "),
        };
        format!("{label}{} goes off, {} comes on.", who(off), who(on))
    });
    let text = shown.collect::<Vec<_>>().join(" ");
    let tag = visit.tag(&stored);
    let click = Click::Rotate {
        rotation: id.clone(),
        tag,
    };
    Ok(Button {
        confirm: Some(("Hand over now?".to_owned(), text)),
        ..click.button()
    })
}

/// The turns to come, the people and the owners, as a view with nothing to send.
pub fn details(visit: &Visit, id: &RotationId) -> Result<Value> {
    let (rotation, items, _) = duties::list(visit.app, visit.caller(), id, ahead(visit))?;
    let (profile, zone) = (&rotation.profile, visit.zone());
    let members = roster::order(&rotation.members, None);
    let members = members.into_iter().map(|position| position.user);
    let members: Vec<_> = members.collect();
    let mut blocks = Blocks::view();
    blocks.header(&title(&profile.name, profile.code.as_deref()));
    if let Some(description) = &profile.description {
        blocks.section(&plain(description));
    }
    let mut turns = vec!["*Turns to come*".to_owned()];
    let held = items.iter().filter(|item| item.entry.user.is_some());
    turns.extend(held.take(TURNS).map(|item| {
        let slot = duties::slot_of(&rotation, item).join(", ");
        let slot = match slot.is_empty() {
            true => String::new(),
            false => format!("{}: ", plain(&slot)),
        };
        let who = planned(item).unwrap_or_default();
        format!(
            "• {slot}{who}, {}",
            times::period(item.entry.start, item.end, zone)
        )
    }));
    if turns.len() == 1 {
        turns.push("None is planned in the next 14 days.".to_owned());
    }
    blocks.lines(&turns);
    let listed = |label: &str, users: &[_]| {
        let more = users.len().saturating_sub(PEOPLE);
        let more = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        match users.is_empty() {
            true => format!("*{label}*: nobody"),
            false => format!("*{label}*: {}{more}", people(users.iter().take(PEOPLE))),
        }
    };
    blocks.section(&listed("People in turn", &members));
    blocks.section(&listed("Owners", &profile.owners));
    if let Some(waiting) = waiting(visit, &rotation) {
        blocks.section(&waiting);
    }
    blocks.section(&link(
        &url(visit, &rotation),
        "Open the page of this rotation",
    ));
    blocks.context(&format!("Times in {}.", plain(zone.as_str())));
    Ok(modal("details", "Details", None, "", blocks))
}
