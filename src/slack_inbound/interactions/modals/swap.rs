//! Offering somebody a swap of two turns.

use super::cover::rotations;
use super::field::{self, REASON_FIELD, THEIRS, TURN};
use super::{Metadata, closed, errors, propose, refused, update};
use crate::actions::whole_turns;
use crate::actions::{ActionError, Result};
use crate::domain::edit::{NewLeg, NewSwap};
use crate::domain::forecast;
use crate::domain::ids::{ChannelId, RotationId};
use crate::domain::message::PeopleNames;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::slack_inbound::incoming::View;
use crate::slack_inbound::interactions::blocks::{Blocks, Choice, Element, modal};
use crate::slack_inbound::interactions::visit::{Outcome, Visit};
use crate::slack_inbound::reply::Reply;
use crate::talk::proposing::FormOutcome;
use crate::talk::times;
use crate::talk::visit::{name, title};
use serde_json::Value;

/// The `callback_id`.
pub const NAME: &str = "swap";

/// The fields that refusals are about, by the members of the API that they name. The first one takes the others.
const FIELDS: [(&str, &str); 4] = [
    ("legs[0]", TURN),
    ("legs[1]", THEIRS),
    ("recipientUserId", THEIRS),
    ("reason", REASON_FIELD),
];

/// The values of the form.
#[derive(Default)]
struct Entered {
    own: Option<String>,
    theirs: Option<String>,
    reason: String,
}

/// The form; `Err` says why there is nothing to offer.
pub fn form(
    visit: &Visit,
    rotation: Option<&Rotation>,
    channel: Option<&ChannelId>,
) -> Result<Result<Value, String>> {
    let metadata = Metadata::of(rotation, channel);
    render(visit, &metadata, Entered::default(), |_| {})
}

fn render(
    visit: &Visit,
    metadata: &Metadata,
    entered: Entered,
    add: impl FnOnce(&mut Blocks),
) -> Result<Result<Value, String>> {
    let (mut own, mut theirs) = (Vec::new(), Vec::new());
    let rotations = rotations(visit, metadata.rotation.as_ref())?;
    let most_mine = field::share(field::OWN_TURNS, rotations.len());
    let most_theirs = field::share(field::OTHER_TURNS, rotations.len());
    let mut is_cut = false;
    for rotation in &rotations {
        let (rotation, turns) = whole_turns::swappable(visit.app, visit.caller(), rotation, None)?;
        let (mine, others) = (turns.own, turns.others);
        let names = visit.names(others.iter().map(|turn| &turn.holder))?;
        let choice = |turn: &NewLeg| choice(visit, &rotation, &names, turn);
        is_cut |= mine.len() > most_mine || others.len() > most_theirs;
        let mine: Vec<Choice> = mine.iter().take(most_mine).map(choice).collect();
        let others: Vec<Choice> = others.iter().take(most_theirs).map(choice).collect();
        if mine.is_empty() {
            continue;
        }
        let profile = &rotation.profile;
        let heading = title(&profile.name, profile.code.as_deref());
        own.push((heading.clone(), mine));
        theirs.push((heading, others));
    }
    if own.is_empty() {
        return Ok(Err(
            "No whole turn of yours in the next eight weeks can be swapped for one of somebody else. Ask for cover instead."
                .to_owned(),
        ));
    }
    let mut blocks = Blocks::view();
    blocks.section("Two whole turns change hands once the other one accepts. Both keep their turns until then.");
    blocks.input(
        TURN,
        "Your turn",
        "",
        false,
        Element::Menu(own, entered.own),
    );
    let element = Element::Menu(theirs, entered.theirs);
    blocks.input(THEIRS, "For the turn of", "", false, element);
    field::reason(&mut blocks, "The other one reads it.", entered.reason);
    add(&mut blocks);
    if is_cut && rotations.len() > 1 {
        field::left_out(visit, &mut blocks, NAME);
    }
    blocks.context(&format!("Turns in {}.", visit.zone().as_str()));
    let metadata = metadata.text();
    Ok(Ok(modal(
        NAME,
        "Offer a swap",
        Some("Offer"),
        &metadata,
        blocks,
    )))
}

/// A turn as the menu names it: by rotation, slot, bounds and holder.
fn choice(visit: &Visit, rotation: &Rotation, names: &PeopleNames, turn: &NewLeg) -> Choice {
    let (user, Interval { from, until }) = (&turn.holder, turn.period);
    let slot = forecast::slot_named(rotation, &turn.cell).join(", ");
    let period = times::period(from, Some(until), visit.zone());
    let period = match slot.is_empty() {
        true => period,
        false => format!("{period}, {slot}"),
    };
    Choice {
        value: format!("{} {} {from} {until} {user}", rotation.id, turn.cell),
        label: match user == visit.me() {
            true => period,
            false => format!("{}: {period}", name(names, user)),
        },
    }
}

/// A turn as the menu named it: the rotation and the leg.
fn leg(key: &str, value: &str) -> Option<(RotationId, NewLeg)> {
    let mut parts = value.splitn(5, ' ');
    let (rotation, cell) = (parts.next()?.into(), parts.next()?.into());
    let (from, until) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let leg = NewLeg {
        key: key.to_owned(),
        cell,
        holder: parts.next()?.into(),
        period: Interval { from, until },
    };
    Some((rotation, leg))
}

/// The form was sent.
pub fn sent(visit: &Visit, view: &View, metadata: &Metadata) -> Outcome {
    let choose = |field| Ok(errors(vec![(field, "Choose a turn.".to_owned())]));
    let Some((rotation, own)) = leg("own", &field::text(view, TURN)) else {
        return choose(TURN);
    };
    let Some((other, theirs)) = leg("theirs", &field::text(view, THEIRS)) else {
        return choose(THEIRS);
    };
    if rotation != other {
        let why = "Choose a turn of the same rotation as yours.".to_owned();
        return Ok(errors(vec![(THEIRS, why)]));
    }
    let new = NewSwap {
        recipient: theirs.holder.clone(),
        legs: vec![own, theirs],
        reason: field::text(view, REASON_FIELD),
        acknowledged: Vec::new(),
    };
    match propose((visit, view), &rotation, "createSwapRequest", new.checked()) {
        Ok(FormOutcome::Again) => Ok(Reply::nothing()),
        Ok(FormOutcome::Now) => Ok(closed(
            visit,
            metadata,
            "Your offer was sent. Both keep their turns until it is accepted.",
        )),
        Ok(FormOutcome::InTheWay(found)) => {
            let entered = Entered {
                own: view.values.filled(TURN, TURN),
                theirs: view.values.filled(THEIRS, THEIRS),
                reason: field::text(view, REASON_FIELD),
            };
            let made = render(visit, metadata, entered, |blocks| {
                field::conflicts(visit, blocks, &found);
            })?;
            Ok(made.map_or_else(|why| errors(vec![(TURN, why)]), update))
        }
        Err(ActionError::Refused(refusal)) => Ok(refused(visit, &refusal, &FIELDS)?),
        Err(stop) => Err(stop),
    }
}
