//! Rosters of an edit.

use super::super::fault::advice;
use super::super::grid::{Grid, Roster};
use super::super::written::{keys, text, texts};
use super::{Making, NoEdit};
use serde_json::{Map, Value, json};

impl<'e> Making<'e, '_> {
    /// Rosters as PUT coverage takes them. A narrowed one that a cell names and the file does not list follows all members.
    pub(super) fn grid_rosters(
        &self,
        grid: &Grid,
        rosters: &[Roster],
        window: &dyn Fn(&str) -> String,
    ) -> Result<Vec<Value>, NoEdit> {
        let mut sent = Vec::new();
        for roster in rosters {
            let key = roster.key.as_ref().map(|named| named.text.clone());
            let mut one = self.listed(roster)?.unwrap_or_default();
            if let Some(turn) = roster.next_turn {
                one.insert("nextTurn".into(), turn.into());
            }
            if !roster.next_turns.is_empty() {
                let turns = roster.next_turns.iter();
                let turns: Vec<Value> = turns
                    .map(|(named, turn)| json!({ "windowId": window(&named.text), "nextTurn": turn }))
                    .collect();
                one.insert("nextTurns".into(), turns.into());
            }
            if !one.is_empty() {
                one.insert("rosterId".into(), key.into());
                sent.push(one.into());
            }
        }
        let mut followers: Vec<&str> = grid
            .cells
            .values()
            .map(|named| named.text.as_str())
            .collect();
        followers.sort_unstable();
        followers.dedup();
        let is_listed = |key: &str| {
            let mut keys = rosters.iter().filter_map(|roster| roster.key.as_ref());
            keys.any(|named| named.text == key)
        };
        for key in followers.into_iter().filter(|key| !is_listed(key)) {
            if self
                .stored(key)
                .is_some_and(|stored| stored["userIds"].is_array())
            {
                sent.push(json!({ "rosterId": key, "userIds": null, "userGroupIds": null }));
            }
        }
        Ok(sent)
    }

    /// The roster as the server has it.
    fn stored(&self, key: &str) -> Option<&'e Value> {
        let rosters = self.rotation?["rosters"].as_array()?;
        rosters.iter().find(|roster| roster["rosterId"] == *key)
    }

    /// The lists of a roster to write; `None` where they are what the server has, but for people who have left.
    fn listed(&self, roster: &Roster) -> Result<Option<Map<String, Value>>, NoEdit> {
        let Some(key) = &roster.key else {
            return Ok(None);
        };
        let stored = self.stored(&key.text);
        let is_narrowed = stored.is_some_and(|stored| stored["userIds"].is_array());
        if roster.members.is_none() && roster.groups.is_none() {
            let follow = json!({ "userIds": null, "userGroupIds": null });
            return Ok(is_narrowed.then(|| follow.as_object().cloned()).flatten());
        }
        let people = self.people(
            "roster.members",
            roster.members.as_deref().unwrap_or_default(),
        )?;
        let groups = self.groups(
            "roster.groups",
            roster.groups.as_deref().unwrap_or_default(),
        )?;
        if let Some(stored) = stored.filter(|_| is_narrowed) {
            let same_groups = groups
                .iter()
                .map(String::as_str)
                .eq(texts(&stored["userGroupIds"]));
            if same_groups && self.same_people(&people, texts(&stored["userIds"]))? {
                return Ok(None);
            }
        }
        let lists = [("userIds", people), ("userGroupIds", groups)];
        let lists = lists
            .into_iter()
            .map(|(member, ids)| (member.to_owned(), ids.into()));
        Ok(Some(lists.collect()))
    }

    /// Rosters without a grid, as PUT of each takes them. A next turn counts there always, so it is sent only with a list that
    /// changes, where it counts in a grid too.
    pub(super) fn rosters(&self, rosters: &[Roster]) -> Result<Map<String, Value>, NoEdit> {
        let mut sent = Map::new();
        let windows = self
            .rotation
            .map(|rotation| keys(rotation, "windows"))
            .unwrap_or_default();
        for roster in rosters {
            let key = roster.key.as_ref().map_or("", |named| named.text.as_str());
            if !key.is_empty() && self.stored(key).is_none() {
                let known: Vec<&str> = self
                    .rotation
                    .and_then(|rotation| rotation["rosters"].as_array())
                    .into_iter()
                    .flatten()
                    .filter_map(|roster| text(roster, "rosterId"))
                    .collect();
                let what = format!("no cell deals from `{key}`; {}", advice(key, &known));
                self.fault(roster.line, "roster.key", what);
                continue;
            }
            let listed = self.listed(roster)?;
            let changes = match key.is_empty() {
                true => self.members_change()?,
                false => listed.is_some(),
            };
            let mut one = listed.unwrap_or_default();
            if changes {
                if let Some(turn) = roster.next_turn {
                    one.insert("nextTurn".into(), turn.into());
                }
                let turns = roster.next_turns.iter().filter_map(|(named, turn)| {
                    let window = windows.iter().find(|(_, key)| *key == named.text);
                    if window.is_none() {
                        let known: Vec<&str> =
                            windows.iter().map(|(_, key)| key.as_str()).collect();
                        let advice = advice(&named.text, &known);
                        let what = format!("there is no window `{}`; {advice}", named.text);
                        self.fault(named.line, "roster.next_turns", what);
                    }
                    Some(json!({ "windowId": window?.0, "nextTurn": turn }))
                });
                let turns: Vec<Value> = turns.collect();
                if !turns.is_empty() {
                    one.insert("nextTurns".into(), turns.into());
                }
            }
            if !one.is_empty() {
                sent.insert(key.to_owned(), one.into());
            }
        }
        Ok(sent)
    }

    /// Whether the file changes who belongs to the rotation.
    fn members_change(&self) -> Result<bool, NoEdit> {
        let people = match &self.entry.members {
            Some(members) => {
                let ids = self.people("members", members)?;
                !self.same_people(&ids, self.member_ids())?
            }
            None => false,
        };
        let groups = match &self.entry.groups {
            Some(groups) => {
                let there = self
                    .rotation
                    .and_then(|rotation| rotation["members"]["userGroups"].as_array());
                let there = there
                    .into_iter()
                    .flatten()
                    .filter_map(|group| text(group, "userGroupId"));
                !self
                    .groups("groups", groups)?
                    .iter()
                    .map(String::as_str)
                    .eq(there)
            }
            None => false,
        };
        Ok(people || groups)
    }
}
