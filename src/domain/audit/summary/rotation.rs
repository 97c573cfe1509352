//! Summaries of what is another in a rotation.

use super::super::phrase::{Phrase, Quoted};
use super::{Both, Summary, kept, period, quoted};
use crate::domain::arrangement::Arranged;
use crate::domain::books::Share;
use crate::domain::cadence::Cadence;
use crate::domain::coverage::Stretch;
use crate::domain::external::External;
use crate::domain::forecast::{self, OpenTrade};
use crate::domain::key::Key;
use crate::domain::rotation::{Cell, ChannelSetting, Profile, Rotation, Window};
use crate::domain::wording;

/// The difference of two states of a rotation. Next turns that a hand-over moves go without saying.
pub fn rotation_changes(before: &Rotation, after: &Rotation) -> Summary {
    let mut told = Summary::default();
    let both = (before, after);
    if before.profile != after.profile {
        profile(&mut told, both);
    }
    told.changed("enabled", both, |r| r.enabled);
    told.changed("doubleCover", both, |r| r.double_cover);
    told.changed("skipsAreOffTime", both, |r| r.skips_are_off_time);
    told.changed("absencePolicy", both, absence_policy);
    told.changed("missedTurn", both, |r| r.dealing.missed_turn.name());
    told.changed("restHours", both, |r| {
        format!("{} hours", r.dealing.rest_hours)
    });
    told.list("shares", both, |r| r.dealing.shares.iter().map(share));
    told.list("members", both, |r| &r.members.users);
    told.list("user groups", both, |r| {
        r.members.groups.iter().map(|one| &one.group)
    });
    for both in kept(both, |r| &r.members.groups, |one| &one.group) {
        let what = Phrase::from("members of ").and(&both.1.group);
        told.list(what, both, |group| &group.users);
    }
    if before.lanes != after.lanes {
        lanes(&mut told, both);
    }
    if before.windows != after.windows {
        windows(&mut told, both);
    }
    cells(&mut told, both);
    duty(&mut told, both);
    if before.arranged != after.arranged {
        arranged(&mut told, both);
    }
    if before.rosters != after.rosters {
        rosters(&mut told, both);
        told.list("open trades", both, |r| {
            forecast::open_trades(r).into_iter().map(owes)
        });
    }
    told
}

fn profile(told: &mut Summary, (before, after): Both<Rotation>) {
    let both = (&before.profile, &after.profile);
    told.changed("name", both, |p| Quoted(&p.name));
    told.changed("description", both, |p| {
        p.description.as_deref().map(Quoted)
    });
    told.changed("code", both, |p| p.code.as_deref().map(Quoted));
    told.changed("public", both, |p| p.public);
    told.list("owners", both, |p| &p.owners);
    told.changed("enableTopic", both, |p| p.enable_topic);
    told.changed("topicTemplate", both, |p| {
        p.topic_template.as_deref().map(Quoted)
    });
    told.changed("managedBy", both, |p| p.managed_by.as_deref().map(Quoted));
    told.changed("on-duty group", both, |p| p.duty_group.as_ref());
    let shown = |one: &ChannelSetting| {
        let told = match (one.posts_messages, one.syncs_topic) {
            (true, true) => "messages and topic",
            (true, false) => "messages",
            (false, _) => "topic",
        };
        Phrase::from(&one.channel).and(format!(" ({told})"))
    };
    told.list("channels", both, |p| p.channels.iter().map(shown));
    told.list("warnings off", both, |p| {
        p.warnings.off.iter().map(|kind| kind.name())
    });
    told.changed("short rest", both, |p| {
        format!("{} hours", p.warnings.short_rest_hours)
    });
    told.changed("summary", both, summary);
    let minutes = |minutes: u32| format!("{minutes} minutes");
    let both = (&both.0.mentions, &both.1.mentions);
    told.changed("mentions expire after", both, |m| {
        minutes(m.expires_after_minutes)
    });
    told.changed("mentions remind after", both, |m| {
        m.remind_after_minutes.map(minutes)
    });
    told.changed("mentions one at a time", both, |m| m.one_at_a_time);
    let what = "rotate after a mention is acknowledged";
    told.changed(what, both, |m| m.rotate_after_acknowledgement);
}

fn summary(profile: &Profile) -> Phrase {
    let Some(summary) = &profile.summary else {
        return "none".into();
    };
    let (weekly, zone) = (summary.weekly, summary.zone.as_str());
    let day = wording::day_name(weekly.day);
    let phrase = Phrase::from(format!("{day} {} ({zone}) in", weekly.time));
    let channels = summary.channels.iter();
    channels.fold(phrase, |phrase, channel| phrase.and(" ").and(channel))
}

fn owes(open: OpenTrade) -> Phrase {
    let owes = Phrase::from(&open.trade.owes).and(" owes ");
    owes.and(&open.trade.owed)
        .and(format!(" a turn since {}", open.trade.from))
}

fn share(share: &Share) -> Phrase {
    Phrase::from(&share.user).and(format!(" ({} %)", share.percent))
}

fn absence_policy(rotation: &Rotation) -> String {
    let policy = &rotation.absence_policy;
    let calendars = policy.calendars.name();
    let calendars = match policy.calendars.minimum_hours() {
        Some(hours) => format!("{calendars} ({hours} h)"),
        None => calendars.to_owned(),
    };
    let (over, duty) = (policy.pass_over.name(), policy.while_on_duty.name());
    format!("calendars {calendars}, {over}, {duty}")
}

fn lanes(told: &mut Summary, both: Both<Rotation>) {
    let (before, after) = both;
    let label = |id: &_| {
        let at = |r: &Rotation| Some(lane_label(r, r.lanes.iter().position(|one| one.id == *id)?));
        at(after).or_else(|| at(before)).unwrap_or_default()
    };
    told.list_by(
        "lanes",
        both,
        |r| r.lanes.iter().map(|lane| &lane.id),
        |id| label(id).into(),
    );
    for both in kept(both, |r| &r.lanes, |lane| &lane.id) {
        let index = after
            .lanes
            .iter()
            .position(|one| one.id == both.1.id)
            .unwrap_or_default();
        let what = format!("name of lane {}", index + 1);
        told.changed(what, both, |lane| lane.name.as_deref().map(Quoted));
        let what = format!("key of {}", lane_label(after, index));
        told.changed(what, both, |lane| key(&lane.key));
    }
}

fn windows(told: &mut Summary, both: Both<Rotation>) {
    let (before, after) = both;
    let label = |id: &_| {
        let at = |r: &Rotation| {
            Some(window_label(
                r,
                r.windows.iter().position(|one| one.id == *id)?,
            ))
        };
        at(after).or_else(|| at(before)).unwrap_or_default()
    };
    told.list_by(
        "windows",
        both,
        |r| r.windows.iter().map(|window| &window.id),
        |id| label(id).into(),
    );
    for (index, window) in after.windows.iter().enumerate() {
        let label = window_label(after, index);
        let Some(known) = before.windows.iter().find(|known| known.id == window.id) else {
            let driven = match &after.external {
                Some(external) => followed(external),
                None => cadence(&window.cadence),
            };
            told.add(format!(
                "{label}: hours {}, cadence {driven}",
                hours(&window.coverage)
            ));
            continue;
        };
        let both: Both<Window> = (known, window);
        told.changed(format!("key of {label}"), both, |w| key(&w.key));
        let name = format!("name of window {}", index + 1);
        told.changed(name, both, |w| w.name.as_deref().map(Quoted));
        told.changed(format!("zone of {label}"), both, |w| {
            w.zone.as_ref().map(ToString::to_string)
        });
        told.changed(format!("hours of {label}"), both, |w| hours(&w.coverage));
        told.changed(format!("cadence of {label}"), both, |w| cadence(&w.cadence));
    }
}

fn hours(coverage: &[Stretch]) -> String {
    match coverage {
        [] => "always".into(),
        // A semicolon separates changes.
        coverage => wording::hours(coverage).replace(';', ","),
    }
}

fn cadence(cadence: &Option<Cadence>) -> String {
    let Some(cadence) = cadence else {
        return "manual".into();
    };
    let when = wording::hand_overs(cadence).replace(';', ",");
    format!("{when}, since {}", cadence.starts_at)
}

fn cells(told: &mut Summary, both: Both<Rotation>) {
    for cells in kept(both, |r| &r.cells, |cell| &cell.id) {
        let label = cell_label(both.1, cells.1);
        let what = match &label {
            Some(label) => format!("roster of {label}"),
            None => "roster".to_owned(),
        };
        told.changed(what, cells, |cell| match &cell.roster {
            Some(id) => quoted(id.as_str()),
            None => "the common one".into(),
        });
        let what = format!("{} runs", label.as_deref().unwrap_or("duty"));
        told.changed(what, cells, |cell| !cell.stopped);
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

/// Who holds the cells.
fn duty(told: &mut Summary, (before, after): Both<Rotation>) {
    let holder = |cell: &Cell| cell.holder.as_ref().map(|holder| holder.user.clone());
    for (slot, cell) in after.cells.iter().enumerate() {
        let known = before.slot_near(&cell.id, slot);
        let both = (
            known.and_then(|slot| holder(&before.cells[slot])),
            holder(cell),
        );
        if both.0 != both.1 {
            let what = match cell_label(after, cell) {
                None => "on duty".to_owned(),
                Some(label) => format!("on duty in {label}"),
            };
            told.changed(what, (&both.0, &both.1), |user| match user {
                Some(user) => Phrase::from(user),
                None => "nobody".into(),
            });
        }
    }
}

fn arranged(told: &mut Summary, both: Both<Rotation>) {
    let (before, after) = both;
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
                told.changed(what, (known, new), |of| period(of.period));
            }
        }
    }
    for gone in &before.arranged {
        if !after.arranged.iter().any(|kept| kept.id == gone.id) {
            told.add(Phrase::from("no longer arranged: ").and(shown(before, gone)));
        }
    }
}

fn rosters(told: &mut Summary, (before, after): Both<Rotation>) {
    let holders = |rotation: &Rotation| -> Vec<_> {
        let holders = rotation.cells.iter();
        holders.map(|cell| cell.holder.clone()).collect()
    };
    let handed_over = holders(before) != holders(after);
    for roster in &after.rosters {
        let name = match &roster.id {
            Some(id) => format!("roster {}", quoted(id.as_str())),
            None => "the common roster".to_owned(),
        };
        let Some(known) = before.rosters.iter().find(|known| known.id == roster.id) else {
            told.add(format!("{name} added"));
            continue;
        };
        if known.narrowed != roster.narrowed {
            let both = (&(before, known), &(after, roster));
            told.list(name, both, |(rotation, roster)| -> Vec<Phrase> {
                let order = rotation.order(roster);
                order
                    .iter()
                    .map(|position| (&position.user).into())
                    .collect()
            });
        } else if !handed_over {
            for next in &roster.next_turns {
                let mut windows = after.windows.iter();
                let index = windows.position(|window| window.id == next.window);
                let of = match index.filter(|_| after.windows.len() > 1) {
                    Some(index) => format!(" of {}", window_label(after, index)),
                    None => String::new(),
                };
                let what = format!("next turn{of} in {name}");
                told.changed(what, (known, roster), |roster| {
                    roster.next_turn(&next.window).map(|turn| turn.to_string())
                });
            }
        }
    }
}

/// The schedule that drives a rotation from outside.
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

fn key(key: &Option<Key>) -> Option<Quoted<'_>> {
    key.as_ref().map(|key| Quoted(key.as_str()))
}
