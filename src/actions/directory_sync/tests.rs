use super::*;
use crate::actions::Outward;
use crate::actions::creation::{self, NewCreation};
use crate::chat::slack::{ApiUrl, SlackSettings};
use crate::chat::{Remote, Workspace};
use crate::client::{Secret, Tls, Trust};
use crate::domain::directory::{Channel, Source};
use crate::domain::edit::NewRotation;
use crate::domain::holidays::Calendar;
use crate::domain::ids::RotationId;
use crate::domain::tiers::{Tier, TierLimits};
use crate::runtime::clock::Clock;
use crate::store::Store;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// A Slack workspace whose API cannot be reached.
struct Office {
    app: App,
    folder: PathBuf,
}

impl Office {
    fn open(name: &str) -> Office {
        let folder =
            std::env::temp_dir().join(format!("rota-events-{name}-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        let clock = Arc::new(Clock::frozen("2026-11-25T10:00:00Z".parse().unwrap()));
        let store = Store::open(&folder.join("rota.db"), Arc::clone(&clock), true);
        let tls = Tls::load(Trust::Bundled, None).expect("TLS");
        let app = App::new(
            store.expect("a database"),
            Calendar::embedded(),
            clock,
            TierLimits::of(Tier::Pro),
            Outward::usual("http://rota.example").expect("TLS"),
        );
        let settings = SlackSettings {
            bot_token: Secret::new("xoxb-1"),
            app_token: None,
            signing_secret: None,
            // Nothing listens there.
            api_url: "http://127.0.0.1:1/".parse::<ApiUrl>().expect("an address"),
            proxy: None,
            sync_every: jiff::SignedDuration::from_mins(15),
            away_emoji: vec!["palm_tree".into()],
            pages: None,
        };
        let app = app.with_slack(settings, &tls);
        app.slack().expect("Slack").expect_workspace(Workspace {
            team_id: "T1".into(),
            team: None,
            url: None,
            user_id: Some("UBOT".into()),
            bot_id: None,
        });
        Office { app, folder }
    }

    fn note(&self, event: Value) {
        note(&self.app, &event).expect("a note");
    }

    fn join(&self, id: &str) {
        self.note(json!({
            "type": "team_join",
            "user": { "id": id, "team_id": "T1", "is_admin": id == "U1", "profile": { "display_name": id } },
        }));
    }

    fn with_people(name: &str, people: u32) -> Office {
        let office = Office::open(name);
        for number in 1..=people {
            office.join(&format!("U{number}"));
        }
        office
    }

    /// A rotation of a user group.
    fn rotation(&self, group: &str) -> RotationId {
        let creation = NewCreation {
            key: format!("of {group}"),
            body_hash: [0; 32],
            rotation: NewRotation {
                name: "Rotation".into(),
                description: None,
                code: None,
                public: true,
                lanes: 1,
                owners: vec!["U1".into()],
                channels: Vec::new(),
                users: Vec::new(),
                groups: vec![group.into()],
                summary: None,
                dealing: Default::default(),
                absence_policy: Default::default(),
            },
        };
        let author = Author::local(Principal::Operator { user: None }, "test");
        let created = creation::create(&self.app, &author, creation).expect("a rotation");
        created.rotation.id
    }

    fn read<T>(&self, act: impl FnOnce(&ReadTx) -> Result<T, Error>) -> T {
        self.app.store().read(act).expect("a reading")
    }

    fn person(&self, id: &str) -> String {
        let person = self.read(|tx| store::load_person(tx, &id.into()));
        person.map_or("-".into(), |person| {
            let mark = |is: bool, mark: &str| if is { mark.to_owned() } else { String::new() };
            let deleted = mark(person.is_deleted, " deleted");
            format!(
                "{}{}{deleted}",
                person.name(),
                mark(person.is_admin, " admin")
            )
        })
    }

    fn channel(&self, id: &str) -> String {
        let channel = self.read(|tx| store::load_channel(tx, &id.into()));
        channel.map_or("-".into(), |channel| {
            let name = channel.name.unwrap_or_default();
            format!(
                "{name} {}",
                if channel.app_is_member { "in" } else { "out" }
            )
        })
    }

    fn group(&self, id: &str) -> String {
        let people = self.read(|tx| store::list_group_people(tx, &id.into()));
        let people: Vec<&str> = people.iter().map(|user| user.as_str()).collect();
        people.join(" ")
    }
}

impl Drop for Office {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

#[test]
fn people_join_change_and_leave() {
    let office = Office::with_people("people", 2);
    assert_eq!(office.person("U1"), "U1 admin");
    for (event, expected) in [
        ("user_change", "Ada admin"),
        ("user_profile_changed", "Grace admin"),
    ] {
        let name = expected.split(' ').next().unwrap();
        let profile = json!({ "display_name": name });
        office.note(json!({ "type": event, "user": { "id": "U1", "profile": profile } }));
        assert_eq!(office.person("U1"), expected);
    }
    office.note(json!({ "type": "user_change", "user": { "id": "U2", "deleted": true } }));
    assert_eq!(office.person("U2"), "U2 deleted");
    office.note(json!({ "type": "user_change", "user": { "id": "U2", "deleted": false } }));
    assert_eq!(office.person("U2"), "U2");
    // Somebody who was not known yet.
    office.note(json!({ "type": "user_change", "user": { "id": "U3", "name": "eve" } }));
    assert_eq!(office.person("U3"), "eve");
    office.note(json!({ "type": "team_join", "user": { "id": "U4", "is_bot": true } }));
    assert_eq!(office.person("U4"), "-");
}

#[test]
fn people_of_an_event_are_known_to_be_of_slack() {
    let office = Office::open("workspace");
    let platform = || office.read(|tx| store::load_fact(tx, store::CHAT_PLATFORM));
    assert_eq!(platform(), None);
    office.join("U1");
    assert_eq!(platform().as_deref(), Some("slack"));
    assert_eq!(office.read(store::load_team).id, "T1");
}

#[test]
fn a_status_is_followed() {
    let office = Office::with_people("status", 1);
    let away = || office.read(|tx| store::load_away_of(tx, &"U1".into()));
    let status = |emoji: &str, end: i64| {
        let profile = json!({ "status_emoji": emoji, "status_expiration": end });
        office.note(
            json!({ "type": "user_status_changed", "user": { "id": "U1", "profile": profile } }),
        );
    };
    let imports = office.read(store::count_imports);
    status(":palm_tree:", 0);
    assert_eq!(away(), Some(None));
    status(":palm_tree:", 1_800_000_000);
    assert_eq!(away(), Some(Timestamp::from_second(1_800_000_000).ok()));
    // An event that does not speak of it.
    office.note(json!({ "type": "user_change", "user": { "id": "U1", "tz": "Europe/Paris" } }));
    assert!(away().is_some());
    status(":coffee:", 0);
    assert_eq!(away(), None);
    status(":palm_tree:", 0);
    status("", 0);
    assert_eq!(away(), None);
    // The time zone alone was a change of the directory.
    assert_eq!(office.read(store::count_imports), imports + 1);
}

#[test]
fn user_groups_are_followed() {
    let office = Office::with_people("groups", 4);
    let group = json!({ "id": "S1", "name": "Engineers", "handle": "eng", "users": ["U2", "U1"] });
    office.note(json!({ "type": "subteam_created", "subteam": group }));
    assert_eq!(office.group("S1"), "U2 U1");
    let rotation = office.rotation("S1");
    let members = || {
        let rotation = office
            .read(|tx| store::load_rotation(tx, &rotation))
            .expect("it");
        let users = &rotation.members.groups[0].users;
        let users: Vec<&str> = users.iter().map(|user| user.as_str()).collect();
        format!("{} v{}", users.join(" "), rotation.stamps.version)
    };
    let before = members();
    // Said again, it is nothing new.
    office.note(json!({ "type": "subteam_updated", "subteam": group }));
    assert_eq!(members(), before);
    let changed = |added: &[&str], removed: &[&str]| {
        office.note(json!({
            "type": "subteam_members_changed", "subteam_id": "S1", "added_users": added, "removed_users": removed,
        }));
        members()
    };
    assert_eq!(changed(&["U3"], &["U2"]), "U1 U3 v2");
    assert_eq!(changed(&["U3"], &["U2"]), "U1 U3 v2");
    // Somebody whom nobody knows is left out: Slack cannot be asked here.
    assert_eq!(changed(&["U99"], &[]), "U1 U3 v2");
    let renamed = json!({ "id": "S1", "name": "Builders", "handle": "build" });
    office.note(json!({ "type": "subteam_updated", "subteam": renamed }));
    assert_eq!(members(), "U1 U3 v2");
    let found = office.read(|tx| store::find_group(tx, "build"));
    assert_eq!(found, Some("S1".into()));
    // A member who is deactivated leaves, and comes back.
    office.note(json!({ "type": "user_change", "user": { "id": "U3", "deleted": true } }));
    assert_eq!(members(), "U1 v3");
    office.note(json!({ "type": "user_change", "user": { "id": "U3", "deleted": false } }));
    assert_eq!(members(), "U1 U3 v4");
}

#[test]
fn channels_are_followed() {
    let office = Office::with_people("channels", 1);
    office.note(json!({ "type": "channel_created", "channel": { "id": "C1", "name": "on-call", "creator": "U1" } }));
    assert_eq!(office.channel("C1"), "on-call out");
    office.note(json!({ "type": "channel_rename", "channel": { "id": "C1", "name": "duty" } }));
    assert_eq!(office.channel("C1"), "duty out");
    let joined = Channel {
        id: "C2".into(),
        team_id: "T1".into(),
        name: Some("private".into()),
        is_private: true,
        app_is_member: true,
        topic: None,
        source: Source::Slack,
    };
    let change = move |tx: &mut WriteTx| {
        let channels = vec![joined];
        let changes = DirectoryChanges {
            channels,
            ..DirectoryChanges::default()
        };
        store::apply_directory_changes(tx, &changes)
    };
    office.app.store().write(change).expect("a channel");
    // Other people come and go.
    for event in ["member_left_channel", "member_joined_channel"] {
        office.note(json!({ "type": event, "user": "U1", "channel": "C2" }));
        assert_eq!(office.channel("C2"), "private in");
    }
    office.note(json!({ "type": "group_rename", "channel": { "id": "C2", "name": "secret" } }));
    assert_eq!(office.channel("C2"), "secret in");
    office.note(json!({ "type": "member_left_channel", "user": "UBOT", "channel": "C2" }));
    assert_eq!(office.channel("C2"), "secret out");
    office.note(json!({ "type": "group_left", "channel": "C2" }));
    assert_eq!(office.channel("C2"), "secret out");
    for (event, id) in [
        ("channel_deleted", "C1"),
        ("group_archive", "C2"),
        ("channel_left", "C9"),
    ] {
        office.note(json!({ "type": event, "channel": id }));
        assert_eq!(office.channel(id), "-");
    }
}

#[test]
fn events_that_say_nothing_change_nothing() {
    let office = Office::with_people("nothing", 1);
    let imports = office.read(store::count_imports);
    for event in [
        json!(null),
        json!([]),
        json!({}),
        json!({ "type": 5 }),
        json!({ "type": "message", "user": "U1" }),
        json!({ "type": "user_change" }),
        json!({ "type": "user_change", "user": "U1" }),
        json!({ "type": "user_change", "user": { "id": "U1'; --" } }),
        json!({ "type": "subteam_updated", "subteam": null }),
        json!({ "type": "subteam_members_changed", "subteam_id": "S9", "added_users": ["U1"] }),
        json!({ "type": "subteam_self_added", "subteam_id": "S1" }),
        json!({ "type": "channel_rename", "channel": "C1" }),
        json!({ "type": "channel_deleted", "channel": { "id": 5 } }),
        json!({ "type": "member_left_channel", "user": null, "channel": "C1" }),
        // Slack would have to be asked, and does not answer.
        json!({ "type": "member_joined_channel", "user": "UBOT", "channel": "C7" }),
    ] {
        office.note(event.clone());
        assert_eq!(office.read(store::count_imports), imports, "{event}");
    }
    assert_eq!(office.person("U1"), "U1 admin");
}
