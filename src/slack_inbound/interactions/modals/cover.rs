//! Asking others to cover a turn.

use super::field::{self, FROM, REASON_FIELD, TO, TURN, WHOM};
use super::{Metadata, closed, errors, propose, refused, update};
use crate::actions::whole_turns;
use crate::actions::{ActionError, Result, duties, overview};
use crate::domain::duty::Duty;
use crate::domain::edit::NewCover;
use crate::domain::ids::{CellId, ChannelId, RotationId, UserId};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::slack_inbound::incoming::View;
use crate::slack_inbound::interactions::blocks::{Blocks, Choice, Element, modal};
use crate::slack_inbound::interactions::visit::{Outcome, Visit};
use crate::slack_inbound::reply::Reply;
use crate::talk::proposing::FormOutcome;
use crate::talk::times;
use crate::talk::visit::title;
use jiff::Timestamp;
use serde_json::Value;

/// The `callback_id`.
pub const NAME: &str = "cover";

/// The fields that refusals are about, by the members of the API that they name. The first one takes the others.
const FIELDS: [(&str, &str); 6] = [
    ("cellId", TURN),
    ("from", FROM),
    ("to", TO),
    ("recipientUserIds", WHOM),
    ("reason", REASON_FIELD),
    ("turnSelection", TO),
];

/// Rotations whose turns one form offers.
const ROTATIONS: usize = 20;

/// The values of the form.
#[derive(Default)]
struct Entered {
    turn: Option<String>,
    from: Option<i64>,
    to: Option<i64>,
    whom: Vec<String>,
    reason: String,
}

/// The form; `Err` says why there is nothing to ask for.
pub fn form(
    visit: &Visit,
    rotation: Option<&Rotation>,
    channel: Option<&ChannelId>,
) -> Result<Result<Value, String>> {
    let metadata = Metadata::of(rotation, channel);
    render(visit, &metadata, Entered::default(), |_| {})
}

/// The form with what was entered; `add` adds blocks below it.
fn render(
    visit: &Visit,
    metadata: &Metadata,
    entered: Entered,
    add: impl FnOnce(&mut Blocks),
) -> Result<Result<Value, String>> {
    let mut groups = Vec::new();
    let mut eligible: Vec<UserId> = Vec::new();
    let rotations = rotations(visit, metadata.rotation.as_ref())?;
    let most = field::share(field::OWN_TURNS, rotations.len());
    let mut is_cut = false;
    for rotation in &rotations {
        let (rotation, held) =
            whole_turns::held_by(visit.app, visit.caller(), rotation, visit.me())?;
        is_cut |= held.len() > most;
        let choices: Vec<Choice> = held
            .iter()
            .take(most)
            .map(|turn| choice(visit, &rotation, turn))
            .collect();
        if choices.is_empty() {
            continue;
        }
        for user in others(visit, &rotation, &held) {
            if !eligible.contains(&user) {
                eligible.push(user);
            }
        }
        let profile = &rotation.profile;
        groups.push((title(&profile.name, profile.code.as_deref()), choices));
    }
    if groups.is_empty() {
        let place = match metadata.rotation {
            Some(_) => " in this rotation",
            None => "",
        };
        return Ok(Err(format!(
            "You have no turn{place} in the next eight weeks that others could cover."
        )));
    }
    let names = visit.names(&eligible)?;
    let first = groups[0].1.first().map(|choice| choice.value.clone());
    let chosen = entered
        .turn
        .or(first.filter(|_| metadata.rotation.is_some()));
    let mut blocks = Blocks::view();
    blocks.section("You stay on call until somebody accepts. The first who accepts takes over.");
    blocks.input(TURN, "Your turn", "", false, Element::Menu(groups, chosen));
    let hint = "Leave it empty for the whole turn.";
    blocks.input(FROM, "From", hint, true, Element::Instant(entered.from));
    blocks.input(TO, "To", hint, true, Element::Instant(entered.to));
    let whom = field::people(&eligible, &names, entered.whom);
    blocks.input(WHOM, "Whom to ask", "", false, whom);
    field::reason(&mut blocks, "Those whom you ask read it.", entered.reason);
    add(&mut blocks);
    if is_cut && rotations.len() > 1 {
        field::left_out(visit, &mut blocks, NAME);
    }
    blocks.context(&format!("Turns in {}.", visit.zone().as_str()));
    let metadata = metadata.text();
    Ok(Ok(modal(
        NAME,
        "Ask for cover",
        Some("Ask"),
        &metadata,
        blocks,
    )))
}

/// The rotation that the form is about, or those of the person.
pub fn rotations(visit: &Visit, one: Option<&RotationId>) -> Result<Vec<RotationId>> {
    if let Some(one) = one {
        return Ok(vec![one.clone()]);
    }
    let all = overview::rotations_of(visit.app, visit.caller(), visit.me())?;
    let theirs = all
        .into_iter()
        .filter(|rotation| rotation.enabled && rotation.has_member(visit.me()));
    Ok(theirs.map(|rotation| rotation.id).take(ROTATIONS).collect())
}

/// A turn as the menu names it: by rotation, slot and bounds.
fn choice(visit: &Visit, rotation: &Rotation, turn: &Duty) -> Choice {
    let slot = duties::slot_of(rotation, turn).join(", ");
    let from = turn.entry.start;
    let period = times::period(from, turn.end, visit.zone());
    let until = turn.end.map_or("-".to_owned(), |until| until.to_string());
    Choice {
        value: format!("{} {} {from} {until}", rotation.id, turn.cell),
        label: match slot.is_empty() {
            true => period,
            false => format!("{period}, {slot}"),
        },
    }
}

/// Everybody else in the rosters of these turns' slots.
fn others(visit: &Visit, rotation: &Rotation, held: &[Duty]) -> Vec<UserId> {
    let cells = held.iter().filter_map(|turn| turn.slot);
    let rosters = cells.map(|index| rotation.cells[index].roster.as_ref());
    let people = rosters.flat_map(|roster| rotation.order(rotation.roster(roster)));
    let mut found: Vec<UserId> = Vec::new();
    for position in people {
        if position.user != *visit.me() && !found.contains(&position.user) {
            found.push(position.user.clone());
        }
    }
    found
}

/// A turn as the menu named it.
fn parse(value: &str) -> Option<(RotationId, CellId, Timestamp, Option<Timestamp>)> {
    let mut parts = value.split(' ');
    let (rotation, cell) = (parts.next()?, parts.next()?);
    let from = parts.next()?.parse().ok()?;
    let until = parts.next()?.parse().ok();
    Some((rotation.into(), cell.into(), from, until))
}

/// The form was sent.
pub fn sent(visit: &Visit, view: &View, metadata: &Metadata) -> Outcome {
    let entered = || Entered {
        turn: view.values.filled(TURN, TURN),
        from: field::instant(view, FROM).map(Timestamp::as_second),
        to: field::instant(view, TO).map(Timestamp::as_second),
        whom: field::chosen(view, WHOM),
        reason: field::text(view, REASON_FIELD),
    };
    let Some((rotation, cell, begins, ends)) = parse(&field::text(view, TURN)) else {
        return Ok(errors(vec![(TURN, "Choose a turn.".to_owned())]));
    };
    let from = field::instant(view, FROM).unwrap_or(begins);
    let Some(to) = field::instant(view, TO).or(ends) else {
        let why = "This turn has no end. Say until when.".to_owned();
        return Ok(errors(vec![(TO, why)]));
    };
    let whom = field::chosen(view, WHOM);
    if whom.is_empty() {
        return Ok(errors(vec![(WHOM, "Choose whom to ask.".to_owned())]));
    }
    let new = NewCover {
        cell,
        asked: Interval { from, until: to },
        recipients: whom.into_iter().map(UserId::from).collect(),
        reason: field::text(view, REASON_FIELD),
        turn_selection: None,
        acknowledged: Vec::new(),
    };
    match propose(
        (visit, view),
        &rotation,
        "createCoverRequest",
        new.checked(),
    ) {
        Ok(FormOutcome::Again) => Ok(Reply::nothing()),
        Ok(FormOutcome::Now) => Ok(closed(
            visit,
            metadata,
            "Your request was sent. You stay on call until somebody accepts.",
        )),
        Ok(FormOutcome::InTheWay(found)) => {
            let made = render(visit, metadata, entered(), |blocks| {
                field::conflicts(visit, blocks, &found);
            })?;
            Ok(made.map_or_else(|why| errors(vec![(TURN, why)]), update))
        }
        Err(ActionError::Refused(refusal)) => Ok(refused(visit, &refusal, &FIELDS)?),
        Err(stop) => Err(stop),
    }
}
