//! What the log says of duty: a line for each place in which somebody else comes on call, and a warning where nobody is.

use super::Error;
use crate::domain::event::{self, Cause, Event, Nobody};
use crate::domain::external::Who;
use crate::domain::forecast;
use crate::domain::holidays::Calendar;
use crate::domain::ids::UserId;
use crate::domain::rotation::{Cell, Rotation};
use crate::store::{self, LogLine, ReadTx, WriteTx};

/// Has the log say, once the write is committed, who came on call by it.
pub(super) fn note(
    tx: &mut WriteTx,
    [before, after]: [&Rotation; 2],
    news: &[Event],
    calendar: &Calendar,
) -> Result<(), Error> {
    // Most writes change nobody's duty, and a command leaves these lines out.
    let tells = |one: &Event| matches!(one, Event::DutyChanged { .. } | Event::NobodyOnCall { .. });
    if !news.iter().any(tells) || !LogLine::tells_duty() {
        return Ok(());
    }
    let name = name(after);
    for one in news {
        match one {
            Event::DutyChanged { cause } => {
                let why = match cause {
                    Some(Cause::Scheduled) => "scheduled",
                    Some(Cause::Manual) => "by hand",
                    None => "as agreed",
                };
                for moved in moved(&tx.as_read(), before, after)? {
                    let text = format!("{name}{moved}, {why}");
                    tx.log_once_stored(LogLine::Duty { warns: false, text });
                }
            }
            Event::NobodyOnCall { reason, resumes_at } => {
                let next = match reason {
                    Nobody::Unplanned => next_hand_over(after, calendar),
                    Nobody::AsArranged => *resumes_at,
                };
                let until = match (reason, next) {
                    (Nobody::Unplanned, Some(at)) => format!("; the next hand-over is at {at}"),
                    (Nobody::AsArranged, Some(at)) => format!(", as planned, until {at}"),
                    (Nobody::Unplanned, None) => " until somebody is put on call".to_owned(),
                    (Nobody::AsArranged, None) => ", as planned".to_owned(),
                };
                tx.log_once_stored(LogLine::Duty {
                    warns: *reason == Nobody::Unplanned,
                    text: format!("{name}{}: nobody is on call{until}", emptied(before, after)),
                });
            }
            _ => {}
        }
    }
    Ok(())
}

/// The places that have become empty, where somebody is on call in others.
fn emptied(before: &Rotation, after: &Rotation) -> String {
    if event::who(after).is_empty() {
        return String::new();
    }
    let moves = event::moves(before, after).into_iter();
    let emptied = moves.filter(|one| one.is.is_none());
    let places = emptied.map(|one| place(one.place.0, one.place.1));
    places.collect::<Vec<_>>().join(",")
}

/// The code, or the name with the id.
fn name(rotation: &Rotation) -> String {
    match &rotation.profile.code {
        Some(code) => code.to_string(),
        None => format!("{} ({})", rotation.profile.name, rotation.id),
    }
}

/// Each place with who was on call there and who is: ` primary: ada -> bob`.
fn moved(tx: &ReadTx, before: &Rotation, after: &Rotation) -> Result<Vec<String>, Error> {
    let called = |id: &str| -> Result<String, Error> {
        let name = store::load_name(tx, &UserId::from(id))?;
        Ok(name.map_or_else(|| id.to_owned(), |(name, _)| name))
    };
    let or_nobody = |id: Option<&str>| id.map_or_else(|| Ok("nobody".to_owned()), called);
    if before.external.is_some() || after.external.is_some() {
        let everybody = |rotation: &Rotation| -> Result<String, Error> {
            let mut names = Vec::new();
            for who in event::who(rotation) {
                names.push(match &who {
                    Who::Here(user) => called(user.as_str())?,
                    Who::Outside(_) => "somebody outside".to_owned(),
                });
            }
            match names.is_empty() {
                true => Ok("nobody".to_owned()),
                false => Ok(names.join(" and ")),
            }
        };
        let (was, is) = (everybody(before)?, everybody(after)?);
        return Ok(vec![format!(": {was} -> {is}")]);
    }
    let line = |one: event::Move| {
        let (was, is) = (or_nobody(one.was)?, or_nobody(one.is)?);
        let (rotation, cell) = one.place;
        Ok(format!("{}: {was} -> {is}", place(rotation, cell)))
    };
    event::moves(before, after).into_iter().map(line).collect()
}

/// The names of lane and window of a place, where they have any.
fn place(rotation: &Rotation, cell: &Cell) -> String {
    let names = forecast::slot_name(rotation, cell);
    names.iter().map(|name| format!(" {name}")).collect()
}

/// The first hand-over of the hours that run.
fn next_hand_over(rotation: &Rotation, calendar: &Calendar) -> Option<jiff::Timestamp> {
    let open = rotation.windows.iter().filter(|window| window.open);
    let cadences = open.filter_map(|window| window.cadence.as_ref());
    let now = rotation.stamps.judged_at;
    cadences
        .filter_map(|cadence| cadence.next(calendar, now))
        .min()
}
