//! What edits of a rotation have to know of the workspace.

use super::{
    ReadTx, Result, absence, find_group, is_known_channel, list_people_in_rotations,
    list_people_of_group, load_group, rotation_by_code, rows, unknown_people,
};
use crate::domain::absence::Absences;
use crate::domain::absence_policy::AbsencePolicy;
use crate::domain::edit::{DutyGroupChoice, Edits, RotationPatch};
use crate::domain::facts::Facts;
use crate::domain::ids::{GroupId, UserId};
use crate::domain::rotation::{Members, Rotation};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The facts about what edits of a rotation name. `counts_people` is whether the tier limits people.
pub fn load_facts(
    tx: &ReadTx,
    rotation: &Rotation,
    edits: &[&Edits],
    counts_people: bool,
) -> Result<Facts> {
    let mut facts = Facts::default();
    let patches = || edits.iter().filter_map(|edits| edits.patch.as_ref());
    let lists = patches().flat_map(|patch| [&patch.owners, &patch.users]);
    let named: BTreeSet<&UserId> = lists.flatten().flatten().collect();
    let named: Vec<UserId> = named.into_iter().cloned().collect();
    facts.unknown_people = unknown_people(tx, &named)?.into_iter().collect();
    for code in patches().filter_map(|patch| patch.code.as_ref()?.as_ref()) {
        if let Some(holder) = rotation_by_code(tx, code)? {
            facts.codes.insert(code.clone(), holder);
        }
    }
    for group in patches().flat_map(|patch| patch.groups.iter().flatten()) {
        add_group(tx, &mut facts, group)?;
    }
    let channels = edits
        .iter()
        .flat_map(|edits| edits.channels.iter().flatten());
    for spec in channels {
        if is_known_channel(tx, &spec.channel)? {
            facts.channels.insert(spec.channel.clone());
        }
    }
    let mut filled: Vec<GroupId> = rotation.profile.duty_group.iter().cloned().collect();
    let choices = edits
        .iter()
        .filter_map(|edits| edits.duty_group.as_ref()?.as_ref());
    for choice in choices {
        match choice {
            DutyGroupChoice::Group(group) => {
                add_group(tx, &mut facts, group)?;
                filled.push(group.clone());
            }
            DutyGroupChoice::Handle(handle) => {
                if let Some(group) = find_group(tx, handle)? {
                    facts.handles.insert(handle.clone(), group.clone());
                    filled.push(group);
                }
            }
        }
    }
    let names_groups = !facts.groups.is_empty() || !rotation.members.groups.is_empty();
    for group in filled.into_iter().filter(|_| names_groups) {
        let by_way = list_filled(tx, &group)?;
        facts.filled.insert(group, by_way);
    }
    let changes_lists = patches().any(|patch| patch.users.is_some() || patch.groups.is_some());
    if counts_people && changes_lists {
        let others = list_people_in_rotations(tx, Some(&rotation.id))?;
        let present = list_people_in_rotations(tx, None)?.len();
        facts.people = Some((others.into_iter().collect(), present));
    }
    let changes_policy = patches().any(|patch| patch.absence_policy.is_some());
    if changes_lists || changes_policy {
        facts.absences = absences(tx, rotation, &facts, patches())?;
    }
    Ok(facts)
}

fn add_group(tx: &ReadTx, facts: &mut Facts, group: &GroupId) -> Result<()> {
    if !facts.groups.contains_key(group) && load_group(tx, group)?.is_some() {
        let people = list_people_of_group(tx, group)?;
        facts.groups.insert(group.clone(), people);
    }
    Ok(())
}

/// The user groups that rotations fill which take their members from a group, directly or by way of others.
pub fn list_filled(tx: &ReadTx, group: &GroupId) -> Result<Vec<GroupId>> {
    let sql = "SELECT r.duty_group_id FROM rotation_group g JOIN rotation r ON r.id = g.rotation_id
               WHERE g.group_id = ?1 AND r.duty_group_id IS NOT NULL";
    let mut filled = vec![group.clone()];
    let mut next = 0;
    while let Some(group) = filled.get(next).cloned() {
        next += 1;
        let more: Vec<GroupId> = rows::ids(tx.conn, sql, [group.as_str()])?;
        for group in more {
            if !filled.contains(&group) {
                filled.push(group);
            }
        }
    }
    Ok(filled)
}

/// The absences of everybody who may be a member, by each policy that may hold.
fn absences<'p>(
    tx: &ReadTx,
    rotation: &Rotation,
    facts: &Facts,
    patches: impl Iterator<Item = &'p RotationPatch>,
) -> Result<Vec<(AbsencePolicy, Arc<Absences>)>> {
    let mut users = rotation.members.users.clone();
    users.extend(facts.groups.values().flatten().cloned());
    let mut policies = vec![rotation.absence_policy];
    for patch in patches {
        users.extend(patch.users.iter().flatten().cloned());
        if let Some(change) = &patch.absence_policy {
            let changed = policies
                .iter()
                .filter_map(|policy| policy.changed(change).ok());
            let new: Vec<AbsencePolicy> = changed.collect();
            policies.extend(new);
        }
    }
    let mut seen = BTreeSet::new();
    users.retain(|user| seen.insert(user.clone()));
    let mut found: Vec<(AbsencePolicy, Arc<Absences>)> = Vec::new();
    for policy in policies {
        if found.iter().any(|(known, _)| *known == policy) {
            continue;
        }
        let with = Rotation {
            members: Members {
                users: users.clone(),
                groups: rotation.members.groups.clone(),
            },
            absence_policy: policy,
            ..rotation.clone()
        };
        found.push((policy, Arc::new(absence::load_absences(tx, &with)?)));
    }
    Ok(found)
}
