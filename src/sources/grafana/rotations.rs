//! Rhythms as rotations with lanes (pure).

use super::hours;
use super::parse::instant;
use super::rhythm::{Rhythm, joined};
use crate::domain::partner::{Member, PartnerRotation, Turn};
use crate::domain::zones::ZoneName;
use jiff::{SignedDuration, Timestamp};

/// Turns rhythms into rotations, those of the highest level first.
pub(super) fn settle(
    rhythms: Vec<Rhythm>,
    zone: ZoneName,
    now: Timestamp,
    rotations: &mut Vec<PartnerRotation>,
    unsaid: &mut Vec<String>,
) {
    let is_over = |one: &Rhythm| one.until.is_some_and(|until| until <= now);
    let current: Vec<Rhythm> = rhythms.into_iter().filter(|one| !is_over(one)).collect();
    let begins = |one: &Rhythm| instant(one.begins, one.zone).unwrap_or(now);
    // A new version of a shift begins where the last one ends.
    let ends: Vec<(i64, Timestamp)> = (current.iter())
        .filter_map(|one| Some((one.level, one.until?)))
        .collect();
    let follows = |one: &Rhythm| {
        let day = SignedDuration::from_hours(24);
        let at = begins(one);
        at > now
            && ends
                .iter()
                .any(|(level, until)| *level == one.level && until.duration_until(at).abs() <= day)
    };
    let (later, current): (Vec<Rhythm>, Vec<Rhythm>) = current.into_iter().partition(follows);
    for one in &later {
        let at = begins(one);
        unsaid.push(format!(
            "the shift {:?} takes over from another one at {at}; import again then",
            one.name
        ));
    }
    let mut current = joined(current);
    current.sort_by_key(|one| std::cmp::Reverse(one.level));
    for one in &current {
        add(one, zone, now, rotations, unsaid);
    }
}

/// Adds a rotation for each place in the groups of a rhythm.
fn add(
    rhythm: &Rhythm,
    zone: ZoneName,
    now: Timestamp,
    rotations: &mut Vec<PartnerRotation>,
    unsaid: &mut Vec<String>,
) {
    let begins = instant(rhythm.begins, rhythm.zone).unwrap_or(now);
    let mut say = |what: String| {
        unsaid.push(format!(
            "the shift {:?} {what}, from {begins} on",
            rhythm.name
        ));
    };
    for part in &rhythm.left_out {
        say(format!("has a {part}, which is left out"));
    }
    let (turn, anchor, odd_turn) = hours::turn(rhythm);
    let (restrictions, odd_hours) = hours::restrictions(rhythm);
    for odd in odd_turn.into_iter().chain(odd_hours) {
        say(odd);
    }
    let lanes = rhythm.groups.iter().map(Vec::len).max().unwrap_or(0);
    if lanes == 0 {
        say("has nobody".to_owned());
    }
    let anchor = instant(anchor, rhythm.zone).unwrap_or(begins);
    for lane in 0..lanes {
        let people = rhythm.groups.iter().map(|group| group.get(lane));
        let people = people.map(|id| id.map_or_else(Member::empty, Member::user));
        let (id, name) = match lane {
            0 => (rhythm.id.clone(), rhythm.name.clone()),
            _ => {
                let number = lane + 1;
                (
                    format!("{}/{number}", rhythm.id),
                    format!("{} {number}", rhythm.name),
                )
            }
        };
        let participants: Vec<Member> = people.collect();
        rotations.push(PartnerRotation {
            id,
            name,
            turn: match participants.len() {
                // Whoever is alone has no turns.
                1 => Turn::Weeks(1),
                _ => turn.clone(),
            },
            participants,
            anchor,
            begins,
            ends: rhythm.until,
            restrictions: restrictions.clone(),
            level: rhythm.level,
            zone: (rhythm.zone != zone).then_some(rhythm.zone),
            turn_zone: None,
            current: None,
        });
    }
}
