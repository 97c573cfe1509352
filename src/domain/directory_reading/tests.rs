use super::*;
use crate::domain::directory::Source;

/// `ada` is present, `-ada` is deactivated, `~ada` is from outside, `ada=Lovelace` is called so.
fn people(text: &str) -> Vec<Person> {
    let person = |word: &str| {
        let (id, name) = word.split_once('=').unwrap_or((word, word));
        let id = id.trim_start_matches(['-', '~']);
        Person {
            id: id.into(),
            team_id: "T1".into(),
            display_name: Some(name.trim_start_matches(['-', '~']).to_owned()),
            real_name: None,
            email: None,
            is_guest: false,
            is_external: word.starts_with('~'),
            is_deleted: word.starts_with('-'),
            is_admin: false,
            avatar_url: None,
            time_zone: None,
            handle: None,
            source: Source::Slack,
            zone_is_own: false,
        }
    };
    text.split_whitespace().map(person).collect()
}

/// `eng:ada,bob` is a user group.
fn groups(text: &str) -> Vec<Group> {
    let group = |word: &str| {
        let (id, users) = word.split_once(':').expect("a group");
        Group {
            id: id.into(),
            team_id: "T1".into(),
            name: None,
            handle: Some(id.to_owned()),
            users: users
                .split(',')
                .filter(|id| !id.is_empty())
                .map(UserId::from)
                .collect(),
            source: Source::Slack,
        }
    };
    text.split_whitespace().map(group).collect()
}

/// `C1` is a channel with the app in it, `-C1` one without.
fn channels(text: &str) -> Vec<Channel> {
    let channel = |word: &str| Channel {
        id: word.trim_start_matches('-').into(),
        team_id: "T1".into(),
        name: None,
        is_private: false,
        app_is_member: !word.starts_with('-'),
        topic: None,
        source: Source::Slack,
    };
    text.split_whitespace().map(channel).collect()
}

fn directory([some_people, some_groups, some_channels]: [&str; 3]) -> Directory {
    Directory {
        team: Team {
            id: "T1".into(),
            name: None,
            domain: None,
        },
        people: people(some_people),
        groups: groups(some_groups),
        channels: channels(some_channels),
        handles: Vec::new(),
        phones: Default::default(),
    }
}

fn stored(lists: [&str; 3]) -> StoredDirectory {
    StoredDirectory {
        directory: directory(lists),
        away: AwayInChat::new(),
        busy: vec!["busy".into()],
        own: vec!["own".into(), "off".into()],
        disabled: vec!["off".into()],
    }
}

fn reading(lists: [&str; 3]) -> Reading {
    let directory = directory(lists);
    Reading {
        accounts: directory.people.len() + 1,
        directory,
        away: AwayInChat::new(),
        disabled: BTreeMap::new(),
        replaced: Vec::new(),
    }
}

#[test]
fn what_took_the_place_of_others_is_followed_once() {
    let replaced = |old: &str| Replaced {
        old: old.into(),
        new: "new".into(),
    };
    for (before, old, expected) in [
        (["", "old:", ""], "old", "old / old"),
        // Even one that rota made.
        (["", "own:", ""], "own", "own / own"),
        (["", "", "old"], "old", "old / "),
        (["", "other:", "new"], "old", " / other"),
    ] {
        let mut read = reading(["", "", "new"]);
        read.replaced = vec![replaced(old)];
        let changes = read.changes(&stored(before));
        let olds = words(changes.replaced.iter().map(|one| &one.old));
        let found = format!("{olds} / {}", words(&changes.lost_groups));
        assert_eq!(found, expected, "{before:?} {old}");
    }
}

fn words<T: ToString>(ids: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = ids.into_iter().map(|id| id.to_string()).collect();
    words.join(" ")
}

#[test]
fn only_what_differs_is_written() {
    // Stored and read; people written, moved, renamed.
    for (before, now, expected) in [
        ("ada bob", "ada bob", ["", "", ""]),
        ("ada bob", "bob ada", ["", "", ""]),
        ("", "ada", ["ada", "ada", ""]),
        ("ada", "ada=Ada", ["ada", "", "ada"]),
        ("ada bob", "ada", ["bob", "bob", ""]),
        ("ada bob", "ada -bob", ["bob", "bob", ""]),
        ("ada -bob", "ada", ["", "", ""]),
        ("ada -bob", "ada bob", ["bob", "bob", ""]),
        ("ada", "~ada", ["ada", "ada", ""]),
        ("", "-ada ~bob", ["ada bob", "", ""]),
        ("ada", "ada ada=Other", ["", "", ""]),
    ] {
        let changes = reading([now, "", ""]).changes(&stored([before, "", ""]));
        let written = changes.people.iter().map(|person| &person.id);
        let found = [
            words(written),
            words(&changes.moved),
            words(&changes.renamed),
        ];
        assert_eq!(found, expected.map(String::from), "{before} to {now}");
        assert_eq!(
            changes.is_empty(),
            expected == ["", "", ""],
            "{before} to {now}"
        );
        let left = changes
            .people
            .iter()
            .filter(|one| !people(now).contains(one));
        assert!(left.into_iter().all(|person| person.is_deleted));
    }
}

#[test]
fn groups_and_channels_come_change_and_go() {
    // Groups stored and read; written, lost, followed by rotations.
    for (before, now, expected) in [
        ("eng:ada", "eng:ada", ["", "", ""]),
        ("", "eng:ada", ["eng", "", "eng"]),
        ("eng:ada", "eng:ada,bob", ["eng", "", "eng"]),
        ("eng:ada,bob", "eng:bob,ada", ["eng", "", "eng"]),
        ("eng:ada", "", ["", "eng", "eng"]),
        // Somebody of whom there is no record is left out.
        ("eng:ada", "eng:ada,stranger", ["", "", ""]),
        // Ours, and one whose people are about to be written.
        ("own:ada", "", ["", "", ""]),
        ("busy:ada", "busy:bob", ["", "", ""]),
        ("", "busy:bob", ["busy", "", "busy"]),
    ] {
        let changes = reading(["ada bob", now, ""]).changes(&stored(["ada bob", before, ""]));
        let written = changes.groups.iter().map(|group| &group.id);
        let found = [
            words(written),
            words(&changes.lost_groups),
            words(&changes.regrouped),
        ];
        assert_eq!(found, expected.map(String::from), "{before} to {now}");
    }
    for (before, now, written, lost) in [
        ("C1 C2", "C1 C2", "", ""),
        ("C1", "C1 C2", "C2", ""),
        ("C1 C2", "C1", "", "C2"),
        ("C1", "-C1", "C1", ""),
    ] {
        let changes = reading(["", "", now]).changes(&stored(["", "", before]));
        let found = words(changes.channels.iter().map(|channel| &channel.id));
        assert_eq!(
            (found.as_str(), words(&changes.lost_channels).as_str()),
            (written, lost)
        );
    }
}

#[test]
fn a_topic_that_is_stored_is_no_difference() {
    let mut before = stored(["", "", "C1"]);
    before.directory.channels[0].topic = Some("on call: ada".into());
    assert!(reading(["", "", "C1"]).changes(&before).is_empty());
}

#[test]
fn chat_statuses_come_change_and_end() {
    let at = |second| Some(Timestamp::from_second(second).unwrap());
    let mut before = stored(["ada bob eve", "", ""]);
    before.away = [("ada".into(), at(5)), ("bob".into(), None)].into();
    let mut now = reading(["ada bob eve", "", ""]);
    now.away = [
        ("ada".into(), at(6)),
        ("eve".into(), None),
        ("stranger".into(), None),
    ]
    .into();
    let changes = now.changes(&before);
    let expected = [
        ("ada".into(), AwayChange::Away(at(6))),
        ("eve".into(), AwayChange::Away(None)),
        ("bob".into(), AwayChange::Back),
    ];
    assert_eq!(changes.away, expected);
    assert!(!changes.changes_records() && !changes.is_empty());
}

#[test]
fn many_are_missing_when_they_are_more_than_ten_and_more_than_a_fifth() {
    for (known, missing, expected) in [
        (10, 10, false),
        (11, 11, true),
        (50, 10, false),
        (54, 11, true),
        (55, 11, false),
        (56, 11, false),
        (5_000, 1_000, false),
        (5_000, 1_001, true),
    ] {
        let all: Vec<String> = (0..known).map(|n| format!("u{n}")).collect();
        let (before, now) = (all.join(" "), all[missing..].join(" "));
        let found = reading([&now, "", ""]).many_missing(&directory([&before, "", ""]));
        let expected = expected.then_some(ManyMissing { missing, known });
        assert_eq!(found, expected, "{missing} of {known}");
        // People whom the platform calls deactivated are not missing.
        let gone: Vec<String> = all[..missing].iter().map(|id| format!("-{id}")).collect();
        let now = format!("{now} {}", gone.join(" "));
        assert_eq!(
            reading([&now, "", ""]).many_missing(&directory([&before, "", ""])),
            None
        );
    }
}

#[test]
fn a_platform_without_any_account_is_not_believed() {
    let mut nothing = reading(["", "", ""]);
    nothing.accounts = 0;
    let (missing, known) = (1, 1);
    let expected = Some(ManyMissing { missing, known });
    assert_eq!(nothing.many_missing(&directory(["ada", "", ""])), expected);
    assert_eq!(nothing.many_missing(&directory(["", "", ""])), None);
    assert_eq!(
        reading(["", "", ""]).many_missing(&directory(["ada", "", ""])),
        None
    );
}

#[test]
fn what_was_said_since_the_reading_began_wins() {
    let known = stored(["ada -bob cy=new", "eng:ada ops:cy", "C1 C2"]);
    let read = || {
        let mut read = reading(["ada=old bob eve", "eng:ada,bob new:eve", "C2 -C1 C3 C4"]);
        read.away.insert("ada".into(), None);
        read
    };
    let said = Said {
        people: ["ada", "bob", "cy", "eve"].map(UserId::from).into(),
        groups: ["eng", "ops", "new"].map(GroupId::from).into(),
        channels: ["C1", "C3"].map(ChannelId::from).into(),
    };
    let changes = read().giving_way(&said, &known).changes(&known);
    // Eve and the new group are stored after the reading. C3 was closed, and C4 nobody spoke of.
    assert_eq!(words(changes.people.iter().map(|one| &one.id)), "eve");
    assert_eq!(words(changes.groups.iter().map(|one| &one.id)), "new");
    assert_eq!(words(changes.channels.iter().map(|one| &one.id)), "C4");
    assert!(changes.lost_groups.is_empty() && changes.lost_channels.is_empty());
    assert!(changes.away.is_empty());
    // Of nobody else.
    let changes = read()
        .giving_way(&Said::person(&"cy".into()), &known)
        .changes(&known);
    let changed = words(changes.people.iter().map(|one| &one.id));
    assert_eq!(changed, "ada bob eve");
    assert_eq!(words(changes.lost_groups), "ops");
}

#[test]
fn own_groups_that_somebody_switches_are_noticed() {
    let off = |ids: &str| {
        let all = ["own", "off", "adopted"];
        let said = all.map(|id| (id.into(), ids.split(' ').any(|off| off == id)));
        Reading {
            disabled: said.into(),
            ..reading(["", "own: off: adopted:", ""])
        }
    };
    let known = stored(["", "own: off: adopted:", ""]);
    for (ids, expected) in [
        ("off", ""),
        ("own off", "own"),
        ("", "off"),
        ("own", "own off"),
        ("off adopted", ""),
    ] {
        let changes = off(ids).changes(&known);
        assert_eq!(words(&changes.switched), expected, "{ids}");
        assert_eq!(changes.is_empty(), expected.is_empty(), "{ids}");
    }
    // What is not said, what was said later, and what is about to be synced is no news.
    let silent = reading(["", "own: off: adopted:", ""]);
    assert!(silent.changes(&known).is_empty());
    let later = off("own").giving_way(&Said::group(&"own".into()), &known);
    assert_eq!(words(&later.changes(&known).switched), "off");
    let busy = StoredDirectory {
        busy: vec!["own".into()],
        ..known
    };
    assert_eq!(words(&off("own").changes(&busy).switched), "off");
}
