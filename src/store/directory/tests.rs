use super::*;
use crate::runtime::clock::Clock;
use crate::store::Store;
use std::path::PathBuf;
use std::sync::Arc;

/// A temporary database that is removed at the end of the test.
struct Scratch {
    folder: PathBuf,
    store: Store,
}

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("rota-unit-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        let clock = Arc::new(Clock::system());
        let store = Store::open(&folder.join("rota.db"), clock, true).expect("a new database");
        Scratch { folder, store }
    }

    fn import(&self, directory: Directory) {
        let done: Result<()> = self
            .store
            .write(move |tx| replace_directory(tx, &directory));
        done.expect("an import");
    }

    fn read<T>(&self, act: impl FnOnce(&ReadTx) -> Result<T>) -> T {
        self.store.read(act).expect("a read")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
}

/// People as `id` or `id/Display/email`, groups as `id:a,b`, channels as `id`, `id!` (private) or `id+` (joined).
fn directory(people: &str, groups: &str, channels: &str) -> Directory {
    let team = Team {
        id: "T1".into(),
        name: Some("Lab".into()),
        domain: None,
    };
    let channel = |name: &str| Channel {
        id: ChannelId::from(name.trim_matches(['!', '+'])),
        team_id: "T1".into(),
        name: None,
        is_private: name.contains('!'),
        app_is_member: name.contains('+'),
        topic: None,
        source: Source::File,
    };
    Directory {
        team,
        people: words(people).map(somebody).collect(),
        groups: words(groups).map(some_group).collect(),
        channels: words(channels).map(channel).collect(),
        handles: Vec::new(),
        phones: Default::default(),
    }
}

fn somebody(text: &str) -> Person {
    let mut parts = text.split('/');
    Person {
        id: UserId::from(parts.next().unwrap_or_default()),
        team_id: "T1".into(),
        display_name: parts.next().map(String::from),
        real_name: None,
        email: parts.next().map(String::from),
        is_guest: false,
        is_external: false,
        is_deleted: false,
        is_admin: false,
        avatar_url: None,
        time_zone: None,
        handle: None,
        source: Source::File,
        zone_is_own: false,
    }
}

fn some_group(text: &str) -> Group {
    let (id, users) = text.split_once(':').unwrap_or((text, ""));
    let users = users
        .split(',')
        .filter(|id| !id.is_empty())
        .map(UserId::from);
    Group {
        id: GroupId::from(id),
        team_id: "T1".into(),
        name: None,
        handle: Some(format!("{id}-team")),
        users: users.collect(),
        source: Source::File,
    }
}

fn shown<T: ToString>(ids: impl IntoIterator<Item = T>) -> String {
    ids.into_iter()
        .map(|id| id.to_string())
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn lists_search_sort_and_page() {
    let scratch = Scratch::new("lists");
    scratch.import(directory("c/Çelik/c@x.io a/ada/A@x.io b/50%_off d", "", ""));
    let rows = [
        ("", "", false, 1, 50, "b a d c", 4),
        ("", "", true, 1, 50, "c d a b", 4),
        ("", "", false, 2, 3, "c", 4),
        ("", "", false, 9, 3, "", 4),
        ("ÇEL", "", false, 1, 50, "c", 1),
        ("A", "", false, 1, 50, "a", 1),
        ("%_", "", false, 1, 50, "b", 1),
        ("a%", "", false, 1, 50, "", 0),
        ("", "a@X.IO", false, 1, 50, "a", 1),
        ("", "a@x", false, 1, 50, "", 0),
        ("cel", "a@x.io", false, 1, 50, "", 0),
        ("f", "", false, u32::MAX, 200, "", 1),
    ];
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    for (text, email, descending, number, size, expected, total) in rows {
        let filter = PersonFilter {
            text: given(text),
            email: given(email),
            ..PersonFilter::default()
        };
        let (people, count) =
            scratch.read(|tx| list_people(tx, &filter, descending, Page { number, size }));
        let found = (shown(people.iter().map(|person| &person.id)), count);
        assert_eq!(
            found,
            (expected.to_owned(), total),
            "{text} {email} {number}"
        );
    }
}

#[test]
fn an_import_replaces_and_forgets_nobody() {
    let scratch = Scratch::new("import");
    scratch.import(directory("a b c", "g:a,b h:c", "one two+"));
    scratch.import(directory("c b d", "g:d,c,b", "two+ three!"));
    let people = scratch.read(|tx| Ok(load_directory(tx)?.people));
    let deleted = people.iter().filter(|person| person.is_deleted);
    assert_eq!(shown(deleted.map(|person| &person.id)), "a");
    let page = Page {
        number: 1,
        size: 50,
    };
    let (listed, _) = scratch.read(|tx| list_people(tx, &PersonFilter::default(), false, page));
    assert_eq!(shown(listed.iter().map(|person| &person.id)), "b c d");
    assert_eq!(
        shown(scratch.read(|tx| people_of_group(tx, &GroupId::from("g"), Order::Duty))),
        "b d c"
    );
    assert!(
        scratch
            .read(|tx| load_group(tx, &GroupId::from("h")))
            .is_none()
    );
    let (channels, _) = scratch.read(|tx| list_channels(tx, None, false, page));
    assert_eq!(shown(channels.iter().map(|channel| &channel.id)), "two");
    let ids: Vec<UserId> = words("a b x").map(UserId::from).collect();
    assert_eq!(shown(scratch.read(|tx| unknown_people(tx, &ids))), "a x");
    let ids: Vec<ChannelId> = words("one two three").map(ChannelId::from).collect();
    assert_eq!(
        shown(scratch.read(|tx| unknown_channels(tx, &ids))),
        "one three"
    );
}

#[test]
fn a_topic_outlives_an_import_that_does_not_name_it() {
    let scratch = Scratch::new("topic");
    let mut first = directory("", "", "one");
    first.channels[0].topic = Some("hello".into());
    scratch.import(first);
    scratch.import(directory("", "", "one"));
    let channel = scratch.read(|tx| load_channel(tx, &ChannelId::from("one")));
    assert_eq!(
        channel.and_then(|channel| channel.topic).as_deref(),
        Some("hello")
    );
}

#[test]
fn newcomers_stand_last() {
    // The order of duty and the platform's before, the platform's now, and the resulting order of duty.
    let rows = [
        ("", "", "a b", "a b"),
        ("a b", "a b", "b a", "b a"),
        ("b", "b", "a b c", "b a c"),
        ("b a c", "a b c", "a b c", "b a c"),
        ("b a c", "a b c", "a d b c", "b a c d"),
        ("b a c", "a b c", "a c", "a c"),
        ("b a c", "a b c", "c b a", "c b a"),
        ("a b", "a b", "", ""),
    ];
    for (before, platform, now, expected) in rows {
        let [before, platform, now] =
            [before, platform, now].map(|ids| words(ids).map(UserId::from).collect::<Vec<_>>());
        let order = replace::newcomers_last(&before, &platform, &now);
        assert_eq!(shown(order), expected, "{before:?} {now:?}");
    }
}

#[test]
fn the_same_import_again_changes_no_order() {
    let scratch = Scratch::new("again");
    for group in ["g:a,b", "g:c,a,b", "g:c,a,b"] {
        scratch.import(directory("a b c", group, ""));
    }
    let order = scratch.read(|tx| people_of_group(tx, &GroupId::from("g"), Order::Duty));
    assert_eq!(shown(order), "a b c");
    let exported = scratch.read(|tx| Ok(load_directory(tx)?.groups.remove(0).users));
    assert_eq!(shown(exported), "c a b");
}
