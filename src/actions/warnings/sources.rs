//! Calendars and partners' schedules that cannot be read, of several rotations at once.

use super::ahead;
use crate::actions::{App, Result};
use crate::domain::ids::{RotationId, UserId};
use crate::domain::roster;
use crate::domain::rotation::Rotation;
use crate::domain::warning::Warning;
use crate::domain::warning_kinds::WarningKind;
use crate::store;
use jiff::Timestamp;
use std::collections::BTreeMap;

/// A warning for each source that cannot be read now, without its text. No plan is made for it.
pub fn unread(app: &App, rotations: &[&Rotation]) -> Result<Vec<(RotationId, Warning)>> {
    let members = |rotation: &Rotation| -> Vec<UserId> {
        let order = roster::order(&rotation.members, None).into_iter();
        order.map(|member| member.user).collect()
    };
    let all: Vec<Vec<UserId>> = rotations.iter().map(|rotation| members(rotation)).collect();
    let mut ids: Vec<&str> = all.iter().flatten().map(UserId::as_str).collect();
    ids.sort_unstable();
    ids.dedup();
    let calendars = app
        .store()
        .read(|tx| store::list_unread_calendars(tx, &ids))?;
    let calendars: BTreeMap<UserId, Timestamp> = calendars.into_iter().collect();
    let now = app.now();
    let warning = |users: Vec<UserId>, since: Option<Timestamp>| Warning {
        kind: WarningKind::StaleSource,
        period: ahead(now, super::DAYS),
        cell: None,
        users,
        text: String::new(),
        since,
    };
    let mut found = Vec::new();
    for (rotation, members) in rotations.iter().zip(all) {
        for user in members {
            if let Some(since) = calendars.get(&user) {
                found.push((rotation.id.clone(), warning(vec![user], Some(*since))));
            }
        }
        let external = rotation.external.as_ref();
        if let Some(external) = external.filter(|it| it.is_unread(&app.as_of(now))) {
            let since = external.schedule.read_at;
            found.push((rotation.id.clone(), warning(Vec::new(), since)));
        }
    }
    Ok(found)
}
