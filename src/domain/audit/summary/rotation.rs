//! Summaries of what is another in a rotation.

use super::super::phrase::Phrase;
use super::cadence::{cadence, hours};
use super::{Summary, or_none, period, quoted, text_or_none};
use crate::domain::absence_policy::AbsencePolicy;
use crate::domain::arrangement::Arranged;
use crate::domain::ids::{ChannelId, UserId};
use crate::domain::key::Key;
use crate::domain::linked::External;
use crate::domain::rotation::{Cell, ChannelSetting, Members, Rotation, Window};
use crate::domain::warning_kinds::WarningSettings;

/// What is another in a rotation. Next turns that a hand-over moves go without saying.
pub fn rotation_changes(before: &Rotation, after: &Rotation) -> Summary {
    let mut told = Summary::default();
    if before.profile != after.profile {
        profile(&mut told, before, after);
    }
    told.changed("enabled", &before.enabled, &after.enabled, bool::to_string);
    told.changed(
        "doubleCover",
        &before.double_cover,
        &after.double_cover,
        bool::to_string,
    );
    told.changed(
        "skipsAreOffTime",
        &before.skips_are_off_time,
        &after.skips_are_off_time,
        bool::to_string,
    );
    told.changed(
        "absencePolicy",
        &before.absence_policy,
        &after.absence_policy,
        absence_policy,
    );
    if before.members != after.members {
        members(&mut told, before, after);
    }
    grid(&mut told, before, after);
    duty(&mut told, before, after);
    arranged(&mut told, before, after);
    rosters(&mut told, before, after);
    told
}

fn profile(told: &mut Summary, before: &Rotation, after: &Rotation) {
    let (before, after) = (&before.profile, &after.profile);
    told.changed("name", &before.name, &after.name, |name| quoted(name));
    told.changed(
        "description",
        &before.description,
        &after.description,
        text_or_none,
    );
    told.changed("code", &before.code, &after.code, text_or_none);
    told.changed("public", &before.public, &after.public, bool::to_string);
    told.list("owners", &before.owners, &after.owners, |user| {
        Phrase::from(user)
    });
    told.changed(
        "enableTopic",
        &before.enable_topic,
        &after.enable_topic,
        bool::to_string,
    );
    told.changed(
        "topicTemplate",
        &before.topic_template,
        &after.topic_template,
        text_or_none,
    );
    told.changed(
        "on-duty group",
        &before.duty_group,
        &after.duty_group,
        |group| group.as_ref().map_or_else(|| "none".into(), Phrase::from),
    );
    let shown = |channels: &[ChannelSetting]| -> Vec<(ChannelId, &str)> {
        let shown = |channel: &ChannelSetting| {
            let told = match (channel.posts_messages, channel.syncs_topic) {
                (true, true) => "messages and topic",
                (true, false) => "messages",
                (false, _) => "topic",
            };
            (channel.channel.clone(), told)
        };
        channels.iter().map(shown).collect()
    };
    told.list(
        "channels",
        &shown(&before.channels),
        &shown(&after.channels),
        |(channel, told)| Phrase::from(channel).and(format!(" ({told})")),
    );
    let (warnings, wanted) = (&before.warnings, &after.warnings);
    let off = |settings: &WarningSettings| -> Vec<_> {
        settings.off.iter().map(|kind| kind.name()).collect()
    };
    told.list("warnings off", &off(warnings), &off(wanted), |kind| *kind);
    told.changed(
        "short rest",
        &warnings.short_rest_hours,
        &wanted.short_rest_hours,
        |hours| format!("{hours} hours"),
    );
    let (before, after) = (&before.mentions, &after.mentions);
    let minutes = |minutes: &u32| format!("{minutes} minutes");
    told.changed(
        "mentions expire after",
        &before.expires_after_minutes,
        &after.expires_after_minutes,
        minutes,
    );
    told.changed(
        "mentions remind after",
        &before.remind_after_minutes,
        &after.remind_after_minutes,
        |after| after.as_ref().map_or_else(|| "none".into(), minutes),
    );
    told.changed(
        "mentions one at a time",
        &before.one_at_a_time,
        &after.one_at_a_time,
        bool::to_string,
    );
    told.changed(
        "rotate after a mention is acknowledged",
        &before.rotate_after_acknowledgement,
        &after.rotate_after_acknowledgement,
        bool::to_string,
    );
}

fn members(told: &mut Summary, before: &Rotation, after: &Rotation) {
    let (before, after) = (&before.members, &after.members);
    told.list("members", &before.users, &after.users, |user| {
        Phrase::from(user)
    });
    let groups = |members: &Members| -> Vec<_> {
        let groups = members.groups.iter().map(|group| group.group.clone());
        groups.collect()
    };
    told.list("user groups", &groups(before), &groups(after), |group| {
        Phrase::from(group)
    });
    for group in &after.groups {
        if let Some(known) = before.groups.iter().find(|g| g.group == group.group) {
            let what = Phrase::from("members of ").and(&group.group);
            told.list(what, &known.users, &group.users, |user| Phrase::from(user));
        }
    }
}

fn grid(told: &mut Summary, before: &Rotation, after: &Rotation) {
    if before.lanes != after.lanes {
        let ids = |rotation: &Rotation| -> Vec<_> {
            rotation.lanes.iter().map(|lane| lane.id.clone()).collect()
        };
        told.list("lanes", &ids(before), &ids(after), |id| {
            let known = [after, before].into_iter().find_map(|rotation| {
                let index = rotation.lanes.iter().position(|lane| lane.id == *id)?;
                Some(lane_label(rotation, index))
            });
            known.unwrap_or_default()
        });
        for (index, lane) in after.lanes.iter().enumerate() {
            if let Some(known) = before.lanes.iter().find(|known| known.id == lane.id) {
                let what = format!("name of lane {}", index + 1);
                told.changed(what, &known.name, &lane.name, text_or_none);
                let what = format!("key of {}", lane_label(after, index));
                told.changed(what, &known.key, &lane.key, key_or_none);
            }
        }
    }
    if before.windows != after.windows {
        let ids = |rotation: &Rotation| -> Vec<_> {
            let ids = rotation.windows.iter().map(|window| window.id.clone());
            ids.collect()
        };
        told.list("windows", &ids(before), &ids(after), |id| {
            let known = [after, before].into_iter().find_map(|rotation| {
                let index = rotation.windows.iter().position(|one| one.id == *id)?;
                Some(window_label(rotation, index))
            });
            known.unwrap_or_default()
        });
        for (index, window) in after.windows.iter().enumerate() {
            if let Some(known) = before.windows.iter().find(|known| known.id == window.id) {
                changed_window(told, known, (after, index));
                continue;
            }
            let driven = match &after.external {
                Some(external) => followed(external).into(),
                None => cadence(&window.cadence),
            };
            let label = window_label(after, index);
            let open = Phrase::from(format!("{label}: hours ")).and(hours(&window.coverage));
            told.add(open.and(", cadence ").and(driven));
        }
    }
    for cell in &after.cells {
        if let Some(known) = before.cells.iter().find(|known| known.id == cell.id) {
            let label = cell_label(after, cell);
            let what = match &label {
                Some(label) => format!("roster of {label}"),
                None => "roster".to_owned(),
            };
            told.changed(what, &known.roster, &cell.roster, |roster| {
                roster
                    .as_ref()
                    .map_or_else(|| "the common one".into(), |id| quoted(id.as_str()))
            });
            let what = format!("{} runs", label.as_deref().unwrap_or("duty"));
            told.changed(what, &!known.stopped, &!cell.stopped, bool::to_string);
        }
    }
}

/// A lane by its name, else by its number.
fn lane_label(rotation: &Rotation, index: usize) -> String {
    label("lane", rotation.lanes[index].name.as_deref(), index)
}

/// A window by its name, else by its number.
fn window_label(rotation: &Rotation, index: usize) -> String {
    label("window", rotation.windows[index].name.as_deref(), index)
}

fn label(what: &str, name: Option<&str>, index: usize) -> String {
    let name = name.filter(|name| !name.trim().is_empty());
    let name = name.map_or_else(|| (index + 1).to_string(), quoted);
    format!("{what} {name}")
}

/// The lane and the window of a cell, as far as there are several of them; `None` in a rotation with one of each.
fn cell_label(rotation: &Rotation, cell: &Cell) -> Option<String> {
    let lane = (rotation.lanes.len() > 1).then(|| lane_label(rotation, cell.lane));
    let window = (rotation.windows.len() > 1).then(|| window_label(rotation, cell.window));
    let parts: Vec<String> = lane.into_iter().chain(window).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn changed_window(told: &mut Summary, before: &Window, (rotation, index): (&Rotation, usize)) {
    let after = &rotation.windows[index];
    let label = window_label(rotation, index);
    told.changed(
        format!("key of {label}"),
        &before.key,
        &after.key,
        key_or_none,
    );
    told.changed(
        format!("name of window {}", index + 1),
        &before.name,
        &after.name,
        text_or_none,
    );
    told.changed(
        format!("zone of {label}"),
        &before.zone,
        &after.zone,
        or_none,
    );
    told.changed(
        format!("hours of {label}"),
        &before.coverage,
        &after.coverage,
        |coverage| hours(coverage),
    );
    told.changed(
        format!("cadence of {label}"),
        &before.cadence,
        &after.cadence,
        cadence,
    );
}

/// Who holds the cells.
fn duty(told: &mut Summary, before: &Rotation, after: &Rotation) {
    let holder = |cell: &Cell| cell.holder.as_ref().map(|holder| holder.user.clone());
    let shown = |user: &Option<UserId>| match user {
        Some(user) => Phrase::from(user),
        None => "nobody".into(),
    };
    for (slot, cell) in after.cells.iter().enumerate() {
        let known = before.slot_near(&cell.id, slot);
        let known = known.and_then(|slot| holder(&before.cells[slot]));
        let now = holder(cell);
        if known != now {
            let what = match cell_label(after, cell) {
                None => "on duty".to_owned(),
                Some(label) => format!("on duty in {label}"),
            };
            told.changed(what, &known, &now, shown);
        }
    }
}

fn arranged(told: &mut Summary, before: &Rotation, after: &Rotation) {
    if before.arranged == after.arranged {
        return;
    }
    let shown = |rotation: &Rotation, of: &Arranged| {
        let slot = rotation.slot_of(&of.cell);
        let label = slot.and_then(|slot| cell_label(rotation, &rotation.cells[slot]));
        let label = label.map_or_else(String::new, |label| format!(" in {label}"));
        Phrase::from(&of.user).and(format!("{label} {}", period(of.period)))
    };
    for new in &after.arranged {
        match before.arranged.iter().find(|known| known.id == new.id) {
            None => told.add(Phrase::from("arranged: ").and(shown(after, new))),
            Some(known) => {
                let what = Phrase::from("period arranged for ").and(&new.user);
                told.changed(what, &known.period, &new.period, |of| period(*of));
            }
        }
    }
    for gone in &before.arranged {
        if !after.arranged.iter().any(|kept| kept.id == gone.id) {
            let what = Phrase::from("no longer arranged: ");
            told.add(what.and(shown(before, gone)));
        }
    }
}

fn rosters(told: &mut Summary, before: &Rotation, after: &Rotation) {
    if before.rosters == after.rosters {
        return;
    }
    let handed_over = |before: &Rotation, after: &Rotation| {
        let holders = |rotation: &Rotation| -> Vec<_> {
            let holders = rotation.cells.iter();
            holders.map(|cell| cell.holder.clone()).collect()
        };
        holders(before) != holders(after)
    };
    for roster in &after.rosters {
        let name = roster.id.as_ref().map_or_else(
            || "the common roster".to_owned(),
            |id| format!("roster {}", quoted(id.as_str())),
        );
        let Some(known) = before.rosters.iter().find(|known| known.id == roster.id) else {
            told.add(format!("{name} added"));
            continue;
        };
        if known.narrowed != roster.narrowed {
            let people = |rotation: &Rotation, roster| -> Vec<UserId> {
                let order = rotation.order(roster).into_iter();
                order.map(|position| position.user).collect()
            };
            let (before, after) = (people(before, known), people(after, roster));
            told.list(name, &before, &after, |user| Phrase::from(user));
        } else if !handed_over(before, after) {
            for next in &roster.next_turns {
                let was = known.next_turn(&next.window);
                let mut windows = after.windows.iter();
                let index = windows.position(|window| window.id == next.window);
                let of = match index.filter(|_| after.windows.len() > 1) {
                    Some(index) => format!(" of {}", window_label(after, index)),
                    None => String::new(),
                };
                let what = format!("next turn{of} in {name}");
                told.changed(what, &was, &Some(next.turn), or_none);
            }
        }
    }
}

/// What drives a rotation from outside.
fn followed(external: &External) -> String {
    match &external.link {
        Some(link) => format!(
            "of schedule {} {} of {}",
            link.schedule,
            quoted(&external.schedule.name),
            link.partner.name()
        ),
        None => "of no schedule yet".into(),
    }
}

fn key_or_none(key: &Option<Key>) -> String {
    key.as_ref()
        .map_or_else(|| "none".into(), |key| quoted(key.as_str()))
}

fn absence_policy(policy: &AbsencePolicy) -> String {
    let calendars = policy.calendars.name();
    let calendars = match policy.calendars.minimum_hours() {
        Some(hours) => format!("{calendars} ({hours} h)"),
        None => calendars.to_owned(),
    };
    let (over, duty) = (policy.pass_over.name(), policy.while_on_duty.name());
    format!("calendars {calendars}, {over}, {duty}")
}
