//! Who may do what in a room, by the rules of its version.

use serde_json::Value;

/// From this version of rooms on, creators may always do everything.
const CREATORS_ABOVE_ALL: u64 = 12;

/// What somebody may want to do in a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    Write,
    SetTopic,
    Invite,
    Kick,
    /// Change who may do what: whoever may administers the room.
    Administer,
}

impl Deed {
    /// For sentences: `50 is needed to set the topic`.
    pub(super) fn text(self) -> &'static str {
        match self {
            Deed::Write => "write",
            Deed::SetTopic => "set the topic",
            Deed::Invite => "invite",
            Deed::Kick => "kick",
            Deed::Administer => "administer it",
        }
    }
}

/// The power of somebody. Creators of newer rooms are above everybody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Power {
    Level(i64),
    Creator,
}

impl std::fmt::Display for Power {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Power::Level(level) => level.fmt(f),
            Power::Creator => f.write_str("that of a creator"),
        }
    }
}

/// The powers of a room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Powers {
    /// The content of `m.room.power_levels`; null if the room has none.
    levels: Value,
    creators: Vec<String>,
    version: u64,
}

impl Powers {
    /// By the contents of `m.room.power_levels` and `m.room.create`, and the sender of the latter.
    pub(super) fn new(levels: Value, create: &Value, creator: &str) -> Powers {
        let version = create["room_version"].as_str().unwrap_or("1");
        let additional = create["additional_creators"].as_array();
        let additional = additional.into_iter().flatten().filter_map(Value::as_str);
        let creators = std::iter::once(creator).chain(additional);
        Powers {
            levels,
            creators: creators.map(str::to_owned).collect(),
            version: version.parse().unwrap_or_default(),
        }
    }

    /// The power of somebody.
    pub(super) fn of(&self, user: &str) -> Power {
        if self.version >= CREATORS_ABOVE_ALL && self.creators.iter().any(|one| one == user) {
            return Power::Creator;
        }
        if self.levels.is_null() {
            let is_creator = self.creators.first().is_some_and(|creator| creator == user);
            return Power::Level(if is_creator { 100 } else { 0 });
        }
        let own = number(&self.levels["users"][user]);
        Power::Level(
            own.or_else(|| number(&self.levels["users_default"]))
                .unwrap_or(0),
        )
    }

    /// The power that something takes.
    pub(super) fn needed(&self, deed: Deed) -> Power {
        let levels = &self.levels;
        let event = |name: &str, others: &str, usual: i64| {
            let own = number(&levels["events"][name]);
            let default =
                || number(&levels[others]).unwrap_or(if levels.is_null() { 0 } else { usual });
            own.unwrap_or_else(default)
        };
        Power::Level(match deed {
            Deed::Write => event("m.room.message", "events_default", 0),
            Deed::SetTopic => event("m.room.topic", "state_default", 50),
            Deed::Administer => event("m.room.power_levels", "state_default", 50),
            Deed::Invite => number(&levels["invite"]).unwrap_or(0),
            Deed::Kick => number(&levels["kick"]).unwrap_or(50),
        })
    }

    /// Whether somebody may do something.
    pub(super) fn allow(&self, user: &str, deed: Deed) -> bool {
        self.of(user) >= self.needed(deed)
    }

    /// Whether somebody may remove somebody else.
    pub(super) fn allow_kick(&self, user: &str, other: &str) -> bool {
        self.allow(user, Deed::Kick) && self.of(user) > self.of(other)
    }
}

/// A level. Rooms of old versions may have them as texts.
fn number(value: &Value) -> Option<i64> {
    let text = value.as_str().and_then(|text| text.trim().parse().ok());
    value.as_i64().or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn powers_follow_the_version_of_the_room() {
        let levels = json!({
            "users": { "@ana": 100, "@bo": "50" }, "users_default": 10, "state_default": 50,
            "events": { "m.room.topic": 20 }, "invite": 30,
        });
        let of = |version: &str, levels: &Value| {
            let create = json!({ "room_version": version, "additional_creators": ["@dee"] });
            Powers::new(levels.clone(), &create, "@cyd")
        };
        let (old, new) = (of("11", &levels), of("12", &levels));
        let none = of("10", &Value::Null);
        let empty = of("10", &json!({}));
        for (powers, user, expected) in [
            (&old, "@ana", Power::Level(100)),
            (&old, "@bo", Power::Level(50)),
            (&old, "@cyd", Power::Level(10)),
            (&old, "@dee", Power::Level(10)),
            (&new, "@ana", Power::Level(100)),
            (&new, "@cyd", Power::Creator),
            (&new, "@dee", Power::Creator),
            (&none, "@cyd", Power::Level(100)),
            (&none, "@dee", Power::Level(0)),
            (&empty, "@cyd", Power::Level(0)),
        ] {
            assert_eq!(powers.of(user), expected, "{user}");
        }
        for (powers, user, deed, expected) in [
            (&old, "@bo", Deed::Administer, true),
            (&old, "@cyd", Deed::Administer, false),
            (&new, "@cyd", Deed::Administer, true),
            (&old, "@cyd", Deed::SetTopic, false),
            (&old, "@cyd", Deed::Invite, false),
            (&old, "@bo", Deed::Invite, true),
            (&old, "@eve", Deed::Write, true),
            (&old, "@bo", Deed::Kick, true),
            (&none, "@dee", Deed::SetTopic, true),
            (&none, "@dee", Deed::Kick, false),
            (&empty, "@dee", Deed::SetTopic, false),
            (&empty, "@dee", Deed::Invite, true),
        ] {
            assert_eq!(powers.allow(user, deed), expected, "{user} {deed:?}");
        }
        for (powers, user, other, expected) in [
            (&old, "@ana", "@bo", true),
            (&old, "@bo", "@ana", false),
            (&old, "@ana", "@ana", false),
            (&new, "@ana", "@cyd", false),
            (&new, "@cyd", "@dee", false),
            (&new, "@cyd", "@ana", true),
        ] {
            assert_eq!(powers.allow_kick(user, other), expected, "{user} {other}");
        }
    }
}
