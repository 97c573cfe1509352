//! The weekly summary of a person: shifts, covers, requests and absences of the next days.

use super::Outcome;
use crate::actions::{App, Error, sessions};
use crate::domain::forecast::{self, Stretch};
use crate::domain::handover::DealingContext;
use crate::domain::ids::UserId;
use crate::domain::message::{self, Listed, PersonSummary, Waiting};
use crate::domain::request::{RequestKind, RequestState};
use crate::domain::time::Interval;
use crate::domain::zones::ZoneName;
use crate::store::{self, AgendaEntry, Page, Part, ReadTx, RequestFilter};
use jiff::{SignedDuration, Timestamp};

/// How far a summary looks ahead.
const AHEAD: SignedDuration = SignedDuration::from_hours(14 * 24);

/// The most requests that are looked at.
const REQUESTS: u32 = 100;

pub(super) fn run(
    tx: &ReadTx,
    app: &App,
    entry: &AgendaEntry,
    now: Timestamp,
) -> Result<Outcome, Error> {
    let user = UserId::from(entry.subject.clone());
    let Some(weekly) = store::load_summary(tx, &user)? else {
        return Ok(Outcome::default());
    };
    let Some(person) = store::load_person(tx, &user)? else {
        return Ok(Outcome::default());
    };
    let chosen = store::load_chosen_zone(tx, &user)?;
    let zone = sessions::zone_of(chosen.or(person.time_zone).as_deref());
    let mut outcome = Outcome {
        next: weekly.next(zone, now),
        ..Outcome::default()
    };
    if weekly.due(zone, entry.done_until, now) && !person.is_deleted {
        let summary = gather(tx, app, &user, zone, now)?;
        let something = Some(summary).filter(|summary| !summary.is_empty());
        outcome.messages = something
            .map(|summary| message::summary(&user, summary))
            .into_iter()
            .collect();
    }
    Ok(outcome)
}

fn gather(
    tx: &ReadTx,
    app: &App,
    user: &UserId,
    zone: ZoneName,
    now: Timestamp,
) -> Result<PersonSummary, Error> {
    let range = Interval::ahead(now, AHEAD);
    let (mut shifts, mut covered) = (Vec::new(), Vec::new());
    let mut rotations: Vec<_> = store::list_rotations_about(tx, user, now)?
        .into_iter()
        .collect();
    rotations.sort();
    for rotation in store::each_rotation(tx, &rotations) {
        let rotation = rotation?;
        let dealing = DealingContext::new(app.calendar(), &rotation.absences);
        let named = [rotation.profile.name.clone()];
        let ahead = forecast::ahead(&rotation, dealing, range, &named);
        // A rotation whose turns are too many to look at is left out.
        for turn in ahead.map(|ahead| ahead.turns).unwrap_or_default() {
            if turn.user.as_ref() == Some(user) {
                shifts.push(turn);
            } else if turn.covers_for.as_ref() == Some(user) {
                covered.push(turn);
            }
        }
    }
    let begins = |stretch: &Stretch| stretch.period;
    shifts.sort_by_key(begins);
    covered.sort_by_key(begins);
    let stored = store::list_absences_of(tx, user, now)?.into_iter();
    let mirrored = store::list_mirrored_of(tx, user, now)?.into_iter();
    let mirrored = mirrored.map(|(_, absence)| absence.period);
    let away = forecast::within_range(stored.map(|absence| absence.period).chain(mirrored), range);
    Ok(PersonSummary {
        zone,
        shifts: Listed::of(shifts),
        covered: Listed::of(covered),
        requests: Listed::of(waiting(tx, user)?),
        away: Listed::of(away),
    })
}

/// The requests that wait for a person's answer.
fn waiting(tx: &ReadTx, user: &UserId) -> Result<Vec<Waiting>, Error> {
    let filter = RequestFilter {
        state: Some(RequestState::Pending),
        user: Some((user.clone(), Some(Part::Recipient))),
        ..RequestFilter::default()
    };
    let (found, _) = store::list_requests_across(tx, &filter, Page::first(REQUESTS))?;
    let mut waiting = Vec::new();
    for (rotation, kind, id) in found {
        let request = store::load_request(tx, &rotation, kind, &id)?;
        if let Some(request) = request.filter(|request| !request.declined.contains(user)) {
            let name = store::load_rotation_name(tx, &rotation)?;
            waiting.push(Waiting {
                is_swap: kind == RequestKind::Swap,
                requester: request.requester,
                rotation: name.unwrap_or_default(),
            });
        }
    }
    Ok(waiting)
}
