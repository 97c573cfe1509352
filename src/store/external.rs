//! Rotations that follow schedules of partners, and what is known of these schedules.

use super::rows::{column, from_json, instant_or_none, json, millis, zone};
use super::{Error, ReadTx, Result, WriteTx};
use crate::domain::external::{Assignment, External, Link, LinkedSchedule};
use crate::domain::ids::{RotationId, UserId};
use crate::domain::partner::{Partner, PartnerPerson, ReadFailure};
use crate::domain::rotation::Rotation;
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, params};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The schedule of an external rotation, with the people whom it shows as they are known now.
pub(super) fn load_external(tx: &ReadTx, id: &RotationId) -> Result<External> {
    let sql = "SELECT partner, schedule_id, current FROM rotation_external WHERE rotation_id = ?1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let found = query.query_row([id.as_str()], |row| {
        let link: Option<(String, String)> = row.get::<_, Option<_>>(0)?.zip(row.get(1)?);
        Ok((link, row.get::<_, String>(2)?))
    });
    let (link, current) = found
        .optional()?
        .ok_or_else(|| Error::Corrupt(format!("rotation {id} follows nothing")))?;
    let link = link
        .map(|(partner, schedule)| {
            Ok::<_, Error>(Link {
                partner: partner_of(&partner)?,
                schedule,
            })
        })
        .transpose()?;
    let current = from_json(&current)?;
    Ok(External {
        current,
        ..load_link(tx, link)?
    })
}

/// The state of a schedule and its people, for a rotation that follows it; without assignments.
pub fn load_link(tx: &ReadTx, link: Option<Link>) -> Result<External> {
    let Some(link) = link else {
        return Ok(External::unlinked());
    };
    let schedule = load_schedule(tx, &link)?.unwrap_or_default();
    let people = load_participants(tx, link.partner, &schedule)?;
    let mut records = BTreeMap::new();
    for user in people.values() {
        if !records.contains_key(user)
            && let Some(person) = super::directory::load_person(tx, user)?
        {
            records.insert(user.clone(), person);
        }
    }
    Ok(External {
        link: Some(link),
        current: Vec::new(),
        schedule: Arc::new(schedule),
        people: Arc::new(people),
        records: Arc::new(records),
    })
}

fn partner_of(name: &str) -> Result<Partner> {
    Partner::parse(name).ok_or_else(|| Error::Corrupt(format!("partner {name}")))
}

/// Writes what differs of a rotation's link and assignments.
pub(super) fn save_external(tx: &mut WriteTx, before: &Rotation, after: &Rotation) -> Result<()> {
    let stored = |rotation: &Rotation| -> Option<(Option<Link>, Vec<Assignment>)> {
        let external = rotation.external.as_ref()?;
        Some((external.link.clone(), external.current.clone()))
    };
    let (was, is) = (stored(before), stored(after));
    if was == is {
        return Ok(());
    }
    let Some((link, current)) = is else {
        let sql = "DELETE FROM rotation_external WHERE rotation_id = ?1";
        tx.run(sql, [after.id.as_str()])?;
        return Ok(());
    };
    let sql = "INSERT INTO rotation_external (rotation_id, partner, schedule_id, current) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (rotation_id) DO UPDATE SET
                   partner = excluded.partner, schedule_id = excluded.schedule_id, current = excluded.current";
    tx.run(
        sql,
        params![
            after.id.as_str(),
            link.as_ref().map(|link| link.partner.name()),
            link.as_ref().map(|link| &link.schedule),
            json(&current)?,
        ],
    )?;
    Ok(())
}

/// The state of a schedule; `None` if nothing follows it.
pub fn load_schedule(tx: &ReadTx, link: &Link) -> Result<Option<LinkedSchedule>> {
    let sql = "SELECT name, time_zone, timeline, participants, people, read_at, failed_at, failure, failures
               FROM external_schedule WHERE partner = ?1 AND schedule_id = ?2";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query([link.partner.name(), &link.schedule])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let text = |column: usize| -> Result<Option<String>> { Ok(row.get(column)?) };
    let failure = text(7)?.map(|name| {
        ReadFailure::parse(&name).ok_or_else(|| Error::Corrupt(format!("failure {name}")))
    });
    let people = column::<Vec<PartnerPerson>>(row, 4)?.into_iter();
    let people = people.map(|one| (one.participant_id.clone(), one));
    Ok(Some(LinkedSchedule {
        name: row.get(0)?,
        zone: text(1)?.as_deref().map(zone).transpose()?,
        timeline: column(row, 2)?,
        participants: column(row, 3)?,
        people: people.collect(),
        read_at: instant_or_none(row.get(5)?)?,
        failed_at: instant_or_none(row.get(6)?)?,
        failure: failure.transpose()?,
        failures: row.get(8)?,
    }))
}

/// Stores what is known of a schedule.
pub fn save_schedule(tx: &mut WriteTx, link: &Link, schedule: &LinkedSchedule) -> Result<()> {
    let sql = "INSERT INTO external_schedule (partner, schedule_id, name, time_zone, timeline, participants, people,
                                              read_at, failed_at, failure, failures)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
               ON CONFLICT (partner, schedule_id) DO UPDATE SET
                   name = excluded.name, time_zone = excluded.time_zone, timeline = excluded.timeline,
                   participants = excluded.participants, people = excluded.people, read_at = excluded.read_at,
                   failed_at = excluded.failed_at, failure = excluded.failure, failures = excluded.failures";
    tx.run(
        sql,
        params![
            link.partner.name(),
            link.schedule,
            schedule.name,
            schedule.zone.map(|zone| zone.to_string()),
            schedule.timeline.as_ref().map(json).transpose()?,
            json(&schedule.participants)?,
            json(&schedule.people.values().collect::<Vec<_>>())?,
            schedule.read_at.map(millis),
            schedule.failed_at.map(millis),
            schedule.failure.map(ReadFailure::name),
            schedule.failures,
        ],
    )?;
    Ok(())
}

/// The schedules that rotations follow, each once.
pub fn list_linked_schedules(tx: &ReadTx) -> Result<Vec<Link>> {
    let sql =
        "SELECT DISTINCT partner, schedule_id FROM rotation_external WHERE partner IS NOT NULL
               ORDER BY partner, schedule_id";
    tx.list(sql, [], link)
}

fn link(row: &Row) -> Result<Link> {
    Ok(Link {
        partner: partner_of(&row.get::<_, String>(0)?)?,
        schedule: row.get(1)?,
    })
}

/// The schedules that rotations follow, each with when it was last read.
pub fn list_readings(tx: &ReadTx) -> Result<Vec<(Link, Option<Timestamp>)>> {
    let sql =
        "SELECT partner, schedule_id, read_at FROM external_schedule ORDER BY partner, schedule_id";
    tx.list(sql, [], |row| {
        Ok((link(row)?, instant_or_none(row.get(2)?)?))
    })
}

/// The rotations that follow a schedule.
pub fn list_following(tx: &ReadTx, link: &Link) -> Result<Vec<RotationId>> {
    let sql = "SELECT rotation_id FROM rotation_external WHERE partner = ?1 AND schedule_id = ?2 ORDER BY rotation_id";
    super::rows::ids(tx.conn, sql, [link.partner.name(), &link.schedule])
}

/// The rotations that follow any schedule of a partner.
pub fn list_external_rotations(tx: &ReadTx, partner: Partner) -> Result<Vec<RotationId>> {
    let sql = "SELECT rotation_id FROM rotation_external WHERE partner = ?1 ORDER BY rotation_id";
    super::rows::ids(tx.conn, sql, [partner.name()])
}

/// Forgets the schedules that nothing follows.
pub fn clear_unlinked_schedules(tx: &mut WriteTx) -> Result<()> {
    let sql = "DELETE FROM external_schedule WHERE NOT EXISTS (SELECT 1 FROM rotation_external f
                   WHERE f.partner = external_schedule.partner AND f.schedule_id = external_schedule.schedule_id)";
    tx.run(sql, [])?;
    Ok(())
}

/// Says who a partner's person is, or with `None` that the mail address tells.
pub fn link_participant(
    tx: &mut WriteTx,
    partner: Partner,
    participant: &str,
    user: Option<&UserId>,
) -> Result<()> {
    let sql = "DELETE FROM external_identity WHERE partner = ?1 AND participant_id = ?2";
    let mut statement = tx.conn.prepare_cached(sql)?;
    statement.execute([partner.name(), participant])?;
    if let Some(user) = user {
        let sql =
            "INSERT INTO external_identity (partner, participant_id, user_id) VALUES (?1, ?2, ?3)";
        let mut statement = tx.conn.prepare_cached(sql)?;
        statement.execute([partner.name(), participant, user.as_str()])?;
    }
    Ok(())
}

/// Who somebody said that a partner's people are, as long as these are in the workspace.
pub fn list_participant_links(tx: &ReadTx, partner: Partner) -> Result<BTreeMap<String, UserId>> {
    let sql =
        "SELECT i.participant_id, p.id FROM external_identity i JOIN person p ON p.id = i.user_id
               WHERE i.partner = ?1 AND NOT p.is_deleted AND NOT p.is_external";
    let links = tx.list(sql, [partner.name()], |row| {
        Ok((row.get(0)?, row.get::<_, String>(1)?.into()))
    });
    Ok(links?.into_iter().collect())
}

/// Who the people of a schedule are here: as somebody said, else by their mail address, whatever the case.
pub fn load_participants(
    tx: &ReadTx,
    partner: Partner,
    schedule: &LinkedSchedule,
) -> Result<BTreeMap<String, UserId>> {
    let explicit = list_participant_links(tx, partner)?;
    let mut known = BTreeMap::new();
    for (id, PartnerPerson { email, .. }) in &schedule.people {
        let said = explicit.get(id).cloned();
        let by_email = || -> Result<Option<UserId>> {
            let Some(email) = email.as_deref().filter(|email| !email.is_empty()) else {
                return Ok(None);
            };
            Ok(super::directory::list_people_by_email(tx, email)?
                .into_iter()
                .next())
        };
        let user = match said {
            Some(user) => Some(user),
            None => by_email()?,
        };
        if let Some(user) = user {
            known.insert(id.clone(), user);
        }
    }
    Ok(known)
}
