//! `/rota CODE`: one rotation, with buttons for what the reader may do.

use super::blocks::{Blocks, Button, ephemeral, modal};
use super::buttons::Click;
use super::visit::{Outcome, Visit};
use crate::actions::{Result, duties, duty, whole_turns};
use crate::domain::ids::RotationId;
use crate::domain::roster;
use crate::domain::rotation::{Cell, Rotation};
use crate::slack_inbound::reply::Reply;
use crate::talk::visit::{name, slot, title};
use crate::talk::{self, times};
use serde_json::Value;

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
    let card = talk::rotation::card(visit, id)?;
    let mut lines: Vec<String> = first.map(str::to_owned).into_iter().collect();
    lines.extend(card.lines);
    let mut blocks = Blocks::message();
    blocks.header(&card.heading);
    blocks.lines(&lines);
    blocks.buttons(&buttons(visit, &card.rotation)?);
    let text = format!("{}\n{}", visit.plain(&card.heading), lines.join("\n"));
    Ok((text, blocks))
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
    let (rotation, items, _) =
        duties::list(visit.app, visit.caller(), id, talk::rotation::ahead(visit))?;
    let (profile, zone) = (&rotation.profile, visit.zone());
    let members = roster::order(&rotation.members, None);
    let members = members.into_iter().map(|position| position.user);
    let members: Vec<_> = members.collect();
    let mut blocks = Blocks::view();
    blocks.header(&title(&profile.name, profile.code.as_deref()));
    if let Some(description) = &profile.description {
        blocks.section(&visit.plain(description));
    }
    let mut turns = vec!["*Turns to come*".to_owned()];
    let held = items.iter().filter(|item| item.entry.user.is_some());
    turns.extend(held.take(TURNS).map(|item| {
        let slot = duties::slot_of(&rotation, item).join(", ");
        let slot = match slot.is_empty() {
            true => String::new(),
            false => format!("{}: ", visit.plain(&slot)),
        };
        let who = talk::rotation::planned(visit, item).unwrap_or_default();
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
            false => format!(
                "*{label}*: {}{more}",
                visit.people(users.iter().take(PEOPLE))
            ),
        }
    };
    blocks.section(&listed("People in turn", &members));
    blocks.section(&listed("Owners", &profile.owners));
    let path = profile.code.as_deref().unwrap_or(rotation.id.as_str());
    let url = format!("{}/rotations/{path}", visit.app.base_url());
    blocks.section(&visit.markup.link(&url, "Open the page of this rotation"));
    blocks.context(&format!("Times in {}.", visit.plain(zone.as_str())));
    Ok(modal("details", "Details", None, "", blocks))
}
