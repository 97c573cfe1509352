//! Creates rotations.

use super::chat_ids::{self, NamedIds};
use super::membership::{check_people, joined_channels, known_groups, known_people};
use super::{App, Result, audit, outbox, told_plan};
use crate::domain::audit::{AuditedChange, Author, quoted};
use crate::domain::edit::NewRotation;
use crate::domain::event::Event;
use crate::domain::grid::Mint;
use crate::domain::ids::{CellId, ChannelId, LaneId, RotationId, UserId, WindowId};
use crate::domain::mention::MentionSettings;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::{
    Cell, ChannelSetting, Lane, Members, NextTurn, Profile, Roster, Rotation, Stamps, Window,
};
use crate::domain::tiers::TierLimits;
use crate::domain::warning_kinds::WarningSettings;
use crate::store::{self, CreationKey, Errand, MemberLists, ReadTx, WriteTx};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

/// How long a creation key returns the rotation of its first use.
const CREATION_KEY_LIFE: SignedDuration = SignedDuration::from_hours(24);

/// A rotation to create, under a key that makes retries safe.
#[derive(Clone, Debug)]
pub struct NewCreation {
    pub key: String,
    /// SHA-256 of the content of the body, in canonical form.
    pub body_hash: [u8; 32],
    pub rotation: NewRotation,
}

/// The result of a creation: a new rotation, or the one created earlier with the same key.
#[derive(Clone, Debug)]
pub struct Created {
    pub rotation: Rotation,
    pub replayed: bool,
}

/// Creates a rotation, or returns the one created by an earlier try with the same key.
pub fn create(app: &App, author: &Author, creation: NewCreation) -> Result<Created> {
    author.principal.check_create()?;
    let new = &creation.rotation;
    let named = NamedIds {
        people: new.owners.iter().chain(&new.users).cloned().collect(),
        channels: new.channels.clone(),
    };
    chat_ids::ask(app, &named)?;
    let shared = app.clone();
    audit::write(app.store(), author, move |tx, author| {
        let credential = author.principal.credential().to_owned();
        if let Some(used) = store::load_creation_key(&tx.as_read(), &credential, &creation.key)? {
            let rotation = replay(tx, &used, &creation.body_hash)?;
            let replayed = true;
            return Ok((Created { rotation, replayed }, None));
        }
        check_new(&tx.as_read(), &creation.rotation, &shared.tier_limits())?;
        let rotation = insert(tx, creation.rotation)?;
        outbox::announce(
            tx,
            &shared,
            &rotation,
            &[Event::Created],
            outbox::Occurs::Now,
        )?;
        told_plan::mark(tx, author, &rotation.id, "the rotation was created")?;
        store::insert_creation_key(
            tx,
            &CreationKey {
                credential,
                key: creation.key,
                body_hash: creation.body_hash,
                rotation: rotation.id.clone(),
                created_at: tx.now(),
            },
        )?;
        let created = format!("rotation {} created", quoted(&rotation.profile.name));
        let change = AuditedChange {
            rotation: Some(rotation.id.clone()),
            ..AuditedChange::of(rotation.id.as_str(), created)
        };
        let replayed = false;
        Ok((Created { rotation, replayed }, Some(change)))
    })
}

fn replay(tx: &WriteTx, used: &CreationKey, body_hash: &[u8; 32]) -> Result<Rotation> {
    if tx.now().duration_since(used.created_at) >= CREATION_KEY_LIFE {
        return Err(
            Refusal::IdempotencyKeySpent("the key was first used more than 24 hours ago").into(),
        );
    }
    if &used.body_hash != body_hash {
        return Err(Refusal::IdempotencyKeyReused.into());
    }
    let rotation = store::load_rotation(&tx.as_read(), &used.rotation)?;
    Ok(rotation.ok_or(Refusal::IdempotencyKeySpent(
        "the rotation that it created has been deleted",
    ))?)
}

/// Checks the content of the body first, then the tier, then conflicts with other rotations.
pub(super) fn check_new(tx: &ReadTx, new: &NewRotation, limits: &TierLimits) -> Result<()> {
    known_people(tx, "owners", &new.owners)?;
    known_people(tx, "userIds", &new.users)?;
    known_groups(tx, &new.groups)?;
    joined_channels(tx, &new.channels)?;
    let groups = new
        .groups
        .iter()
        .map(|group| store::list_people_of_group(tx, group));
    let groups: Vec<Vec<UserId>> = groups.collect::<Result<_, _>>()?;
    let is_member =
        |user: &UserId| new.users.contains(user) || groups.iter().any(|group| group.contains(user));
    new.dealing.check_members(is_member)?;
    limits.check_lanes(0, new.lanes)?;
    check_count(tx, limits)?;
    limits.check_groups(!new.groups.is_empty())?;
    check_people(tx, limits, &new.users, &new.groups)?;
    match &new.code {
        Some(code) if store::rotation_by_code(tx, code)?.is_some() => {
            Err(Refusal::RotationCodeTaken(code.clone()).into())
        }
        _ => Ok(()),
    }
}

/// Refuses one more rotation than the tier includes.
pub(super) fn check_count(tx: &ReadTx, limits: &TierLimits) -> Result<()> {
    if let Some(most) = limits.max_rotations
        && store::count_rotations(tx)? >= most
    {
        let detail = format!("the plan includes {most} rotations, and the workspace has them all");
        return Err(Refusal::PaymentRequired("".into(), detail).into());
    }
    Ok(())
}

/// A new rotation without its members.
pub(super) fn blank(new: NewRotation, at: Timestamp, mint: &mut Mint) -> Rotation {
    let window = Window {
        id: WindowId::from(mint("win_")),
        key: None,
        name: None,
        zone: None,
        coverage: Vec::new(),
        cadence: None,
        open: true,
    };
    let lanes: Vec<Lane> = (0..new.lanes)
        .map(|_| Lane {
            id: LaneId::from(mint("lan_")),
            key: None,
            name: None,
        })
        .collect();
    let cells = (0..new.lanes)
        .map(|lane| Cell::never_held(CellId::from(mint("cel_")), lane, at))
        .collect();
    let channel = |channel: ChannelId| ChannelSetting {
        channel,
        posts_messages: true,
        syncs_topic: false,
    };
    Rotation {
        id: RotationId::from(mint("rot_")),
        profile: Profile {
            name: new.name,
            description: new.description,
            code: new.code,
            public: new.public,
            owners: new.owners,
            channels: new.channels.into_iter().map(channel).collect(),
            enable_topic: false,
            topic_template: None,
            managed_by: None,
            duty_group: None,
            mentions: MentionSettings::default(),
            warnings: WarningSettings::default(),
            summary: new.summary,
        },
        enabled: true,
        double_cover: false,
        skips_are_off_time: false,
        absence_policy: new.absence_policy,
        dealing: new.dealing,
        members: Members::default(),
        lanes,
        cells,
        rosters: vec![Roster {
            id: None,
            narrowed: None,
            next_turns: vec![NextTurn::new(window.id.clone(), 0)],
        }],
        windows: vec![window],
        ended: Vec::new(),
        external: None,
        arranged: Vec::new(),
        pending: Vec::new(),
        absences: Arc::default(),
        waiting: Vec::new(),
        stamps: Stamps {
            version: 1,
            created_at: at,
            updated_at: at,
            judged_at: at,
            remind_at: None,
            copied_at: None,
        },
        trace: None,
    }
}

/// Stores a new rotation and begins its record.
pub(super) fn insert(tx: &mut WriteTx, mut new: NewRotation) -> Result<Rotation> {
    let at = tx.now();
    let (users, groups) = (
        std::mem::take(&mut new.users),
        std::mem::take(&mut new.groups),
    );
    let mut rotation = blank(new, at, &mut |prefix: &str| tx.mint(prefix));
    store::insert_rotation(tx, &rotation, None)?;
    store::save_members(
        tx,
        &rotation.id,
        &MemberLists {
            users: Some(users),
            groups: Some(groups),
        },
    )?;
    if rotation.profile.summary.is_some() {
        store::look_again(tx, Errand::WeekAhead, rotation.id.as_str())?;
    }
    rotation.members = store::load_members(&tx.as_read(), &rotation.id)?;
    let all: Vec<usize> = (0..rotation.cells.len()).collect();
    store::begin_entries(tx, &rotation, &all, None)?;
    Ok(rotation)
}
