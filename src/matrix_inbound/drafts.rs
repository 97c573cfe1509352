//! What is said back before it is sent: covers, swaps, absences, and acceptances that something is in the way of. A draft keeps what
//! was typed and what its author saw in the way; it is worked out anew when they confirm it.

use super::draft::{Draft, Drafted};
use super::line::{Day, Line};
use super::visitor::{Answer, Visitor};
use crate::actions::acceptance;
use crate::actions::proposals::{self, Proposal};
use crate::actions::{ActionError, Result, absences, overview, shifts, whole_turns};
use crate::domain::agreement::check_unblocked;
use crate::domain::duty::Duty;
use crate::domain::edit::{Answering, NewAbsence, NewCover, NewLeg, NewSwap};
use crate::domain::ids::{RequestId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::request::{RequestWritten, Step};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::domain::zones::ZoneName;
use crate::talk::command::PersonWord;
use crate::talk::proposing::{self, FormOutcome};
use crate::talk::visit::{Visit, title};
use crate::talk::{help, people, requests};
use jiff::civil::{Date, DateTime};
use jiff::{Timestamp, ToSpan};

/// Whether it is said back, or confirmed by who saw what.
#[derive(Clone, Copy)]
enum Stage<'a> {
    SaidBack,
    Confirmed { seen: &'a str },
}

/// What came of a line.
enum Came {
    /// It waits to be confirmed: what it is, and what is in the way, with its name.
    Waits { lines: Vec<String>, seen: String },
    /// It is sent.
    Sent(&'static str),
    /// It can be sent neither now nor after a confirmation.
    Not(String),
}

/// Says a line back.
pub fn propose(visitor: &Visitor, text: &str, line: &Line) -> Result<Answer> {
    let visit = visitor.private_visit(&visitor.event.id);
    let came = go(visitor, &visit, line, Stage::SaidBack)?;
    Ok(answer(came, Drafted::Line(text.to_owned())))
}

/// Sends what somebody has confirmed, known by the message that asked. What is in the way now and was not then is said back again.
pub fn confirm(visitor: &Visitor, draft: &Draft, asked: &str) -> Result<Answer> {
    let visit = visitor.private_visit(asked);
    let stage = Stage::Confirmed { seen: &draft.seen };
    let came = match &draft.what {
        Drafted::Line(text) => match Line::parse(text) {
            Some(Ok(line)) => go(visitor, &visit, &line, stage),
            _ => Ok(Came::Not("This cannot be read any more.".to_owned())),
        },
        Drafted::Acceptance(request) => accept(&visit, request, stage),
    };
    match came {
        Ok(came) => Ok(answer(came, draft.what.clone())),
        Err(ActionError::Refused(refusal)) => {
            let why = match &draft.what {
                Drafted::Acceptance(request) => requests::over(&visit, request, &refusal)?,
                Drafted::Line(_) => visit.why(&refusal)?,
            };
            Ok(Answer::private(why))
        }
        Err(stop) => Err(stop),
    }
}

/// Names what is in the way of accepting a request.
pub fn in_the_way(visitor: &Visitor, request: &RequestId) -> Result<Answer> {
    let visit = visitor.private_visit(&visitor.event.id);
    let came = accept(&visit, request, Stage::SaidBack)?;
    Ok(answer(came, Drafted::Acceptance(request.clone())))
}

fn answer(came: Came, what: Drafted) -> Answer {
    match came {
        Came::Sent(text) => Answer::private(text),
        Came::Not(why) => Answer::private(why),
        Came::Waits { mut lines, seen } => {
            lines.push(match seen.is_empty() {
                true => "✅ sends it within 15 minutes, ❌ drops it.".to_owned(),
                false => "✅ goes on all the same within 15 minutes, ❌ drops it.".to_owned(),
            });
            Answer {
                draft: Some(Draft { what, seen }),
                ..Answer::privately(lines)
            }
        }
    }
}

fn go(visitor: &Visitor, visit: &Visit, line: &Line, stage: Stage) -> Result<Came> {
    match line {
        Line::Away {
            first,
            last,
            reason,
        } => away(visitor, visit, (*first, *last), reason, stage),
        Line::Cover {
            code,
            people,
            from,
            to,
            reason,
        } => in_rotation(visitor, visit, code, |rotation, zone| {
            let asked = (instant(*from, zone)?, instant(*to, zone)?);
            cover(visit, (rotation, zone), people, asked, reason, stage)
        }),
        Line::Swap {
            code,
            own,
            with,
            theirs,
            reason,
        } => in_rotation(visitor, visit, code, |rotation, zone| {
            let days = (*own, *theirs);
            swap(visit, (rotation, zone), days, with, reason, stage)
        }),
    }
}

/// Does something with the rotation of a code, in the zone in which the person writes times of it.
fn in_rotation(
    visitor: &Visitor,
    visit: &Visit,
    code: &str,
    act: impl FnOnce(&Rotation, ZoneName) -> Result<Came>,
) -> Result<Came> {
    match help::known(visit, code)? {
        Ok(rotation) => act(&rotation, visitor.zone_for(&rotation)),
        Err(why) => Ok(Came::Not(why)),
    }
}

/// A local time; one that does not exist moves forward, of one that exists twice it is the first.
fn instant(at: DateTime, zone: ZoneName) -> Result<Timestamp> {
    let found = zone.tz().to_ambiguous_timestamp(at).compatible();
    found.map_err(|_| Refusal::invalid("", "this time is beyond the calendar").into())
}

fn cover(
    visit: &Visit,
    (rotation, zone): (&Rotation, ZoneName),
    named: &[PersonWord],
    (from, to): (Timestamp, Timestamp),
    reason: &str,
    stage: Stage,
) -> Result<Came> {
    let (_, held) = whole_turns::held_by(visit.app, visit.caller(), &rotation.id, visit.me())?;
    let at = from.max(visit.now);
    let is_held = |turn: &&Duty| turn.entry.start <= at && turn.end.is_none_or(|end| at < end);
    let Some(turn) = held.iter().find(is_held) else {
        return Ok(Came::Not(format!(
            "You have no turn in {} at {}.",
            visit.plain(&rotation.profile.name),
            visit.markup.time(from, zone)
        )));
    };
    let recipients = match people::resolved(visit, rotation, named)? {
        Ok(people) if people.is_empty() => others(visit, rotation, turn.slot),
        Ok(people) => people,
        Err(why) => return Ok(Came::Not(why)),
    };
    let new = NewCover {
        cell: turn.cell.clone(),
        asked: Interval { from, until: to },
        recipients: recipients.clone(),
        reason: reason.to_owned(),
        turn_selection: None,
        acknowledged: Vec::new(),
    };
    let asks = format!(
        "You ask {} to cover {}: {} to {}.",
        visit.people(&recipients),
        heading(visit, rotation),
        visit.markup.time(from, zone),
        visit.markup.time(to, zone),
    );
    let done = "Your request was sent. You stay on call until somebody accepts.";
    let action = "createCoverRequest";
    offer(
        visit,
        rotation,
        action,
        new.checked()?,
        (asks, reason, done),
        stage,
    )
}

/// Everybody else in the roster of a slot.
fn others(visit: &Visit, rotation: &Rotation, slot: Option<usize>) -> Vec<UserId> {
    let roster = slot.and_then(|index| rotation.cells[index].roster.as_ref());
    let order = rotation.order(rotation.roster(roster));
    let people = order.iter().map(|position| position.user.clone());
    people.filter(|user| user != visit.me()).collect()
}

fn swap(
    visit: &Visit,
    (rotation, zone): (&Rotation, ZoneName),
    (own, theirs): (Day, Day),
    with: &PersonWord,
    reason: &str,
    stage: Stage,
) -> Result<Came> {
    let whom = match people::resolved(visit, rotation, std::slice::from_ref(with))? {
        Ok(people) => people.into_iter().next().unwrap_or(visit.me().clone()),
        Err(why) => return Ok(Came::Not(why)),
    };
    let (_, turns) = whole_turns::swappable(visit.app, visit.caller(), &rotation.id, None)?;
    let begins = |turn: &&NewLeg, day: Day| {
        let begin = zone.tz().to_datetime(turn.period.from);
        begin.date() == day.date && day.time.is_none_or(|time| begin.time() == time)
    };
    let mut legs = Vec::new();
    let others = turns.others.iter().filter(|turn| turn.holder == whom);
    let (own_turns, other_turns): (Vec<&NewLeg>, Vec<&NewLeg>) =
        (turns.own.iter().collect(), others.collect());
    for (key, whose, all, day) in [
        ("own", visit.me(), own_turns, own),
        ("theirs", &whom, other_turns, theirs),
    ] {
        let found: Vec<&NewLeg> = all.into_iter().filter(|turn| begins(turn, day)).collect();
        match found[..] {
            [turn] => legs.push(NewLeg {
                key: key.to_owned(),
                ..turn.clone()
            }),
            [] => {
                return Ok(Came::Not(format!(
                    "No whole turn of {} that can be swapped begins on {} ({}).",
                    visit.person(whose),
                    day.date,
                    zone.as_str()
                )));
            }
            _ => {
                let times: Vec<String> = found
                    .iter()
                    .map(|turn| visit.markup.time(turn.period.from, zone))
                    .collect();
                return Ok(Came::Not(format!(
                    "Several turns of {} begin on that day: {}. Write the time behind the day.",
                    visit.person(whose),
                    times.join(" and ")
                )));
            }
        }
    }
    let period = |leg: &NewLeg| {
        let Interval { from, until } = leg.period;
        format!(
            "{} to {}",
            visit.markup.time(from, zone),
            visit.markup.time(until, zone)
        )
    };
    let asks = format!(
        "You offer {} a swap in {}: {} for {}.",
        visit.person(&whom),
        heading(visit, rotation),
        period(&legs[0]),
        period(&legs[1]),
    );
    let new = NewSwap {
        recipient: whom,
        legs,
        reason: reason.to_owned(),
        acknowledged: Vec::new(),
    };
    let done = "Your offer was sent. Both keep their turns until it is accepted.";
    let action = "createSwapRequest";
    offer(
        visit,
        rotation,
        action,
        new.checked()?,
        (asks, reason, done),
        stage,
    )
}

fn heading(visit: &Visit, rotation: &Rotation) -> String {
    let profile = &rotation.profile;
    visit.plain(&title(&profile.name, profile.code.as_deref()))
}

/// Says a proposal back, or sends it.
fn offer<P: Proposal<Output = RequestWritten>>(
    visit: &Visit,
    rotation: &Rotation,
    action: &'static str,
    new: P,
    (asks, reason, done): (String, &str, &'static str),
    stage: Stage,
) -> Result<Came> {
    let found = match stage {
        Stage::SaidBack => {
            let by = (visit.app, visit.caller());
            let (_, preview) = proposals::preview(by.0, by.1, &rotation.id, &new)?;
            let found = preview.conflicts();
            check_unblocked(&found)?;
            found
        }
        Stage::Confirmed { seen } => {
            let is_seen = |token: &str| token == seen;
            match proposing::propose(visit, &rotation.id, action, Ok(new), is_seen)? {
                FormOutcome::Now | FormOutcome::Again => return Ok(Came::Sent(done)),
                FormOutcome::InTheWay(found) => found,
            }
        }
    };
    let mut lines = vec![asks];
    if !reason.trim().is_empty() {
        lines.push(visit.markup.quote(reason));
    }
    let seen = match found.is_empty() {
        true => String::new(),
        false => {
            lines.push(visit.markup.strong("In the way"));
            lines.extend(proposing::conflict_lines(visit, &found));
            proposing::token(&found)
        }
    };
    Ok(Came::Waits { lines, seen })
}

fn away(
    visitor: &Visitor,
    visit: &Visit,
    (first, last): (Date, Date),
    reason: &str,
    stage: Stage,
) -> Result<Came> {
    let own = absences::own_rotations(visit.app, visit.caller(), visit.me())?;
    let Some(rotation) = own.first() else {
        return Ok(Came::Not(
            "You are in no rotation, so nobody counts on you.".to_owned(),
        ));
    };
    let zone = visitor.zone_for(rotation);
    let behind = last.checked_add(1.day()).unwrap_or(last);
    let midnight = |day: Date| instant(day.at(0, 0, 0, 0), zone);
    let (from, until) = (midnight(first)?, midnight(behind)?);
    let new = NewAbsence {
        user: visit.me().clone(),
        period: Interval { from, until },
        reason: Some(reason.to_owned()).filter(|reason| !reason.is_empty()),
        everywhere: true,
    };
    let standing = match stage {
        Stage::SaidBack => {
            let new = new.checked()?;
            shifts::would_stand(visit.app, visit.caller(), &rotation.id, &new)?
        }
        Stage::Confirmed { seen } => {
            match proposing::be_away(visit, &rotation.id, new, |token| token == seen)? {
                FormOutcome::Now | FormOutcome::Again => {
                    return Ok(Came::Sent("Your absence was saved."));
                }
                FormOutcome::InTheWay(standing) => standing,
            }
        }
    };
    let mut lines = vec![format!(
        "You are away in all rotations from {} to {}.",
        visit.markup.time(from, zone),
        visit.markup.time(until, zone)
    )];
    if !reason.is_empty() {
        lines.push(visit.markup.quote(reason));
    }
    let seen = match standing.is_empty() {
        true => String::new(),
        false => {
            lines.push(visit.markup.strong("Still yours meanwhile"));
            lines.extend(proposing::standing_lines(visit, &standing));
            proposing::standing_token(&standing)
        }
    };
    Ok(Came::Waits { lines, seen })
}

/// Names what is in the way of accepting, or accepts.
fn accept(visit: &Visit, request: &RequestId, stage: Stage) -> Result<Came> {
    let (rotation, _) = overview::request(visit.app, visit.caller(), request)?;
    let found = acceptance::preview(visit.app, visit.caller(), &rotation.id, request)?;
    let token = proposing::acceptance_token(&found);
    let is_free = found.conflicts.is_empty() && found.started_legs.is_empty();
    if let Stage::Confirmed { seen } = stage
        && (is_free || seen == token)
    {
        let answering = Answering {
            expected_revision: found.revision,
            acknowledged: found.conflicts.into_iter().map(|one| one.id).collect(),
            started_legs: found.started_legs,
        };
        let once = visit.operation_id.clone();
        requests::take(visit, &rotation.id, request, Step::Accept, once, answering)?;
        return Ok(Came::Sent(requests::done(Step::Accept)));
    }
    check_unblocked(&found.conflicts)?;
    let mut lines = vec![format!(
        "Something is in the way of accepting in {}.",
        heading(visit, &rotation)
    )];
    if !found.started_legs.is_empty() {
        lines.push("A turn has begun: the rest of it changes hands.".to_owned());
    }
    lines.extend(proposing::conflict_lines(visit, &found.conflicts));
    Ok(Came::Waits { lines, seen: token })
}
