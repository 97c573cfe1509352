//! The summary of a rotation's coming week, for channels.

use super::Outcome;
use crate::actions::{App, Error};
use crate::domain::forecast;
use crate::domain::handover::DealingContext;
use crate::domain::ids::RotationId;
use crate::domain::message::{self, Absent, Listed, WeekAhead};
use crate::domain::roster;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::domain::zones::ZoneName;
use crate::store::{self, AgendaEntry, ReadTx};
use jiff::{SignedDuration, Timestamp};

/// How far it looks ahead.
const AHEAD: SignedDuration = SignedDuration::from_hours(7 * 24);

pub(super) fn run(
    tx: &ReadTx,
    app: &App,
    entry: &AgendaEntry,
    now: Timestamp,
) -> Result<Outcome, Error> {
    let rotation = store::load_rotation(tx, &RotationId::from(entry.subject.clone()))?;
    let Some(rotation) = rotation else {
        return Ok(Outcome::default());
    };
    let Some(summary) = &rotation.profile.summary else {
        return Ok(Outcome::default());
    };
    let mut outcome = Outcome {
        next: summary.weekly.next(summary.zone, now),
        ..Outcome::default()
    };
    let is_due = summary.weekly.due(summary.zone, entry.done_until, now);
    if is_due && rotation.enabled {
        let week = gather(app, &rotation, summary.zone, now);
        outcome.messages = message::week_ahead(&rotation, &summary.channels, &week);
    }
    Ok(outcome)
}

fn gather(app: &App, rotation: &Rotation, zone: ZoneName, now: Timestamp) -> WeekAhead {
    let range = Interval::ahead(now, AHEAD);
    let dealing = DealingContext::new(app.calendar(), &rotation.absences);
    let ahead = forecast::ahead(rotation, dealing, range, &[]);
    // What takes too much to look at says nothing of turns.
    let ahead = ahead.unwrap_or_default();
    let mut away = Vec::new();
    for member in roster::order(&rotation.members, None) {
        let periods = rotation.absences.of(&member.user).map(|away| away.period);
        let periods = forecast::within_range(periods, range).into_iter();
        away.extend(periods.map(|period| Absent {
            user: member.user.clone(),
            period,
        }));
    }
    away.sort_by_key(|absent| absent.period);
    WeekAhead {
        zone,
        turns: Listed::of(ahead.turns),
        away: Listed::of(away),
        vacant: Listed::of(ahead.vacant),
    }
}
