//! Slack's users, user groups and channels as records of the directory.

use crate::chat::FoundPerson;
use crate::domain::directory::{Channel, Group, Person, Source};
use crate::domain::ids::{ChannelId, GroupId, UserId};
use jiff::Timestamp;
use serde_json::Value;

/// Slack's own assistant. It is listed as a person.
const SLACKBOT: &str = "USLACKBOT";

/// The longest id that is taken, in bytes. Slack's have about eleven.
const LONGEST_ID: usize = 100;

/// A person with their status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlackPerson {
    pub person: Person,
    /// The emoji of the status, without colons; empty if there is none.
    pub emoji: String,
    /// When the status ends; `None` if it has no end.
    pub until: Option<Timestamp>,
}

impl SlackPerson {
    /// Until when the person is away, if their status has one of these emoji.
    pub fn away(&self, emoji: &[String]) -> Option<Option<Timestamp>> {
        let is_away = !self.person.is_deleted && emoji.contains(&self.emoji);
        is_away.then_some(self.until)
    }

    /// The person, and whether their status has one of these emoji.
    pub fn with_away(self, emoji: &[String]) -> FoundPerson {
        let away = self.away(emoji);
        let person = self.person;
        FoundPerson { person, away }
    }
}

/// The person of a user object; `None` for a bot, Slack's assistant, and what is no user. `team` is the workspace of the app.
pub fn person(user: &Value, team: &str) -> Option<SlackPerson> {
    let id = id(&user["id"])?;
    if id == SLACKBOT || is(user, "is_bot") {
        return None;
    }
    let profile = &user["profile"];
    let team_id = text(&user["team_id"]).or_else(|| text(&profile["team"]));
    let team_id = team_id.unwrap_or_else(|| team.to_owned());
    // In an organization with several workspaces, people of ours may belong to another one first.
    let shared = user["enterprise_user"]["teams"].as_array();
    let is_ours = team_id == team
        || shared.is_some_and(|teams| teams.iter().any(|one| one.as_str() == Some(team)));
    let real_name = text(&profile["real_name"]).or_else(|| text(&user["real_name"]));
    let emoji = profile["status_emoji"].as_str().unwrap_or_default();
    let expiration = profile["status_expiration"].as_i64().filter(|end| *end > 0);
    Some(SlackPerson {
        person: Person {
            id: UserId::from(id),
            team_id,
            display_name: text(&profile["display_name"]),
            real_name: real_name.or_else(|| text(&user["name"])),
            email: text(&profile["email"]),
            is_guest: is(user, "is_restricted") || is(user, "is_ultra_restricted"),
            is_external: !is_ours || is(user, "is_stranger"),
            is_deleted: is(user, "deleted"),
            is_admin: is(user, "is_admin") || is(user, "is_owner"),
            avatar_url: text(&profile["image_192"]),
            time_zone: text(&user["tz"]),
            handle: None,
            source: Source::Slack,
            zone_is_own: false,
        },
        emoji: without_tone(emoji.trim_matches(':')).to_owned(),
        until: expiration.and_then(|end| Timestamp::from_second(end).ok()),
    })
}

/// Keeps what is stored of a person where an event does not say it. Returns whether it says nothing of the status.
pub fn keep_unsaid(found: &mut SlackPerson, known: Person, user: &Value) -> bool {
    let (profile, now) = (&user["profile"], &mut found.person);
    let says = |object: &Value, names: &[&str]| names.iter().any(|name| object.get(name).is_some());
    if !says(profile, &["display_name"]) {
        now.display_name = known.display_name;
    }
    if !says(profile, &["real_name"]) && !says(user, &["real_name"]) {
        now.real_name = known.real_name;
    }
    if !says(profile, &["email"]) {
        now.email = known.email;
    }
    if !says(profile, &["image_192"]) {
        now.avatar_url = known.avatar_url;
    }
    if !says(user, &["tz"]) {
        now.time_zone = known.time_zone;
    }
    if !says(user, &["is_restricted", "is_ultra_restricted"]) {
        now.is_guest = known.is_guest;
    }
    if !says(user, &["is_admin", "is_owner"]) {
        now.is_admin = known.is_admin;
    }
    if !says(user, &["deleted"]) {
        now.is_deleted = known.is_deleted;
    }
    if !says(user, &["team_id", "is_stranger"]) && !says(profile, &["team"]) {
        (now.team_id, now.is_external) = (known.team_id, known.is_external);
    }
    !says(profile, &["status_emoji"]) && !now.is_deleted
}

/// The user group of a group object, with its people; `None` for what is no group. A disabled group stays one: its rotations
/// keep their members until somebody takes them out.
pub fn group(group: &Value, team: &str) -> Option<Group> {
    let id = id(&group["id"])?;
    let mut users: Vec<UserId> = Vec::new();
    for user in group["users"].as_array().into_iter().flatten() {
        let user = user.as_str().map(UserId::from);
        users.extend(user.filter(|user| !users.contains(user)));
    }
    Some(Group {
        id: GroupId::from(id),
        team_id: text(&group["team_id"]).unwrap_or_else(|| team.to_owned()),
        name: text(&group["name"]),
        handle: text(&group["handle"]),
        users,
        source: Source::Slack,
    })
}

/// Whether a group object is of a disabled group; `None` if it does not say.
pub fn is_disabled(group: &Value) -> Option<bool> {
    group["date_delete"].as_i64().map(|at| at != 0)
}

/// The channel of a channel object; `None` for what is none, an archived one, and conversations between people.
pub fn channel(channel: &Value, team: &str) -> Option<Channel> {
    let id = id(&channel["id"])?;
    if is(channel, "is_archived") || is(channel, "is_im") || is(channel, "is_mpim") {
        return None;
    }
    let is_private = is(channel, "is_private") || is(channel, "is_group");
    Some(Channel {
        id: ChannelId::from(id),
        team_id: text(&channel["context_team_id"]).unwrap_or_else(|| team.to_owned()),
        name: text(&channel["name"]),
        is_private,
        app_is_member: is(channel, "is_member"),
        topic: None,
        source: Source::Slack,
    })
}

/// An id as Slack makes them: letters and digits.
pub fn id(value: &Value) -> Option<&str> {
    value.as_str().filter(|id| is_id(id))
}

/// Whether Slack could have made such an id.
pub fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= LONGEST_ID && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// An emoji without its skin tone: `wave::skin-tone-3` is a wave.
fn without_tone(emoji: &str) -> &str {
    emoji.split("::").next().unwrap_or_default()
}

/// A text; Slack leaves out and sends empty what it does not have. Characters that no name has are left out.
fn text(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn is(object: &Value, flag: &str) -> bool {
    object[flag].as_bool().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ada() -> Value {
        json!({
            "id": "U1", "team_id": "T1", "name": "ada", "deleted": false, "tz": "Europe/London",
            "is_admin": false, "is_owner": false, "is_bot": false, "is_restricted": false,
            "is_ultra_restricted": false, "is_stranger": false,
            "profile": {
                "real_name": "Ada Lovelace", "display_name": "ada", "email": "ada@example.org",
                "image_192": "https://example.org/ada.png", "status_emoji": "", "status_expiration": 0,
            },
        })
    }

    fn with(change: Value) -> Value {
        fn merge(into: &mut Value, change: Value) {
            match (into, change) {
                (Value::Object(into), Value::Object(change)) => {
                    for (name, value) in change {
                        merge(into.entry(name).or_insert(Value::Null), value);
                    }
                }
                (into, change) => *into = change,
            }
        }
        let mut user = ada();
        merge(&mut user, change);
        user
    }

    fn plain() -> Person {
        Person {
            id: "U1".into(),
            team_id: "T1".into(),
            display_name: Some("ada".into()),
            real_name: Some("Ada Lovelace".into()),
            email: Some("ada@example.org".into()),
            is_guest: false,
            is_external: false,
            is_deleted: false,
            is_admin: false,
            avatar_url: Some("https://example.org/ada.png".into()),
            time_zone: Some("Europe/London".into()),
            handle: None,
            source: Source::Slack,
            zone_is_own: false,
        }
    }

    #[test]
    fn users_are_people() {
        let check = |change: Value, expected: Person| {
            let found = person(&with(change.clone()), "T1").map(|found| found.person);
            assert_eq!(found, Some(expected), "{change}");
        };
        check(json!({}), plain());
        for flag in ["is_admin", "is_owner"] {
            let expected = Person {
                is_admin: true,
                ..plain()
            };
            check(json!({ flag: true }), expected);
        }
        for flag in ["is_restricted", "is_ultra_restricted"] {
            let expected = Person {
                is_guest: true,
                ..plain()
            };
            check(json!({ flag: true }), expected);
        }
        check(
            json!({ "is_stranger": true }),
            Person {
                is_external: true,
                ..plain()
            },
        );
        check(
            json!({ "deleted": true }),
            Person {
                is_deleted: true,
                ..plain()
            },
        );
        let other = Person {
            team_id: "T2".into(),
            ..plain()
        };
        let external = Person {
            is_external: true,
            ..other.clone()
        };
        check(json!({ "team_id": "T2" }), external);
        check(
            json!({ "team_id": "T2", "enterprise_user": { "teams": ["T1"] } }),
            other,
        );
        check(
            json!({ "profile": { "email": null } }),
            Person {
                email: None,
                ..plain()
            },
        );
        check(
            json!({ "profile": { "display_name": "" } }),
            Person {
                display_name: None,
                ..plain()
            },
        );
        check(
            json!({ "tz": null }),
            Person {
                time_zone: None,
                ..plain()
            },
        );
        let named = Person {
            display_name: Some("<!channel> & @here".into()),
            ..plain()
        };
        check(
            json!({ "profile": { "display_name": " <!channel> & @here\n", "real_name": "a\u{0} b\u{202e}" } }),
            Person {
                real_name: Some("a b\u{202e}".into()),
                ..named
            },
        );
        // The least that Slack sends of a deactivated account.
        let bare = json!({ "id": "U9", "name": "gone", "deleted": true });
        let found = person(&bare, "T1").expect("a person").person;
        assert_eq!(
            (found.name(), found.is_deleted, &*found.team_id),
            ("gone", true, "T1")
        );
    }

    #[test]
    fn bots_are_no_people() {
        for change in [
            json!({ "is_bot": true }),
            json!({ "id": "USLACKBOT" }),
            json!({ "id": "" }),
            json!({ "id": null }),
            json!({ "id": "U 1" }),
            json!({ "id": "U1\n" }),
        ] {
            assert_eq!(person(&with(change.clone()), "T1"), None, "{change}");
        }
        for odd in [json!(null), json!([]), json!("U1"), json!({ "profile": 5 })] {
            assert_eq!(person(&odd, "T1"), None);
        }
    }

    #[test]
    fn a_status_is_away_by_its_emoji() {
        let at = |second| Timestamp::from_second(second).ok();
        let emoji = ["palm_tree".to_owned(), "wave".to_owned()];
        for (status, expiration, expected) in [
            (":palm_tree:", json!(0), Some(None)),
            (":palm_tree:", json!(null), Some(None)),
            (":palm_tree:", json!(1_700_000_000), Some(at(1_700_000_000))),
            (":palm_tree:", json!(-5), Some(None)),
            (":palm_tree:", json!(i64::MAX), Some(None)),
            (":wave::skin-tone-3:", json!(0), Some(None)),
            (":coffee:", json!(0), None),
            ("", json!(0), None),
        ] {
            let user = with(json!({
                "profile": { "status_emoji": status, "status_expiration": expiration },
            }));
            let found = person(&user, "T1").expect("a person").away(&emoji);
            assert_eq!(found, expected, "{status} {expiration}");
        }
        let gone = with(json!({ "deleted": true, "profile": { "status_emoji": ":wave:" } }));
        assert_eq!(person(&gone, "T1").expect("a person").away(&emoji), None);
    }

    /// rules.md 17.6.
    #[test]
    fn events_that_say_less_keep_what_is_known() {
        let known = person(&with(json!({ "is_admin": true })), "T1").expect("a person");
        for (user, expected, keeps_status) in [
            (json!({ "id": "U1" }), known.person.clone(), true),
            (
                json!({ "id": "U1", "profile": { "status_emoji": ":wave:" } }),
                known.person.clone(),
                false,
            ),
            (
                json!({ "id": "U1", "profile": { "display_name": "" } }),
                Person {
                    display_name: None,
                    ..known.person.clone()
                },
                true,
            ),
            (
                json!({ "id": "U1", "deleted": true }),
                Person {
                    is_deleted: true,
                    ..known.person.clone()
                },
                false,
            ),
            (
                json!({ "id": "U1", "is_admin": false, "is_owner": false, "is_restricted": true }),
                Person {
                    is_admin: false,
                    is_guest: true,
                    ..known.person.clone()
                },
                true,
            ),
        ] {
            let mut found = person(&user, "T1").expect("a person");
            let keeps = keep_unsaid(&mut found, known.person.clone(), &user);
            assert_eq!((found.person, keeps), (expected, keeps_status), "{user}");
        }
    }

    #[test]
    fn groups_have_their_people_once() {
        let shown = json!({
            "id": "S1", "team_id": "T1", "name": "Engineers", "handle": "eng", "date_delete": 0,
            "users": ["U2", "U1", "U2", 5],
        });
        let expected = Group {
            id: "S1".into(),
            team_id: "T1".into(),
            name: Some("Engineers".into()),
            handle: Some("eng".into()),
            users: vec!["U2".into(), "U1".into()],
            source: Source::Slack,
        };
        assert_eq!(group(&shown, "T1"), Some(expected));
        assert_eq!(group(&json!({ "name": "x" }), "T1"), None);
    }

    #[test]
    fn channels_are_public_private_or_none() {
        let of = |object: Value| {
            let found = channel(&object, "T1")?;
            Some((found.is_private, found.app_is_member))
        };
        for (object, expected) in [
            (
                json!({ "id": "C1", "is_member": true }),
                Some((false, true)),
            ),
            (json!({ "id": "C1" }), Some((false, false))),
            (
                json!({ "id": "C1", "is_private": true, "is_member": true }),
                Some((true, true)),
            ),
            (
                json!({ "id": "G1", "is_group": true, "is_member": true }),
                Some((true, true)),
            ),
            (json!({ "id": "C1", "is_archived": true }), None),
            (json!({ "id": "D1", "is_im": true }), None),
            (json!({ "name": "x" }), None),
        ] {
            assert_eq!(of(object.clone()), expected, "{object}");
        }
    }
}
