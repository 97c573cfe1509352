//! A workspace whose platform records the posts in order.

use super::super::chat_uses::group;
use super::super::*;
use crate::chat::{self, Chat, FailureControl, FaultyChat, ListedGroup};
use crate::domain::chat::{Capabilities, ChatError, FailureMode};
use crate::domain::ids::{GroupId, MessageReference};
use crate::domain::message::{Message, Recipient};
use crate::domain::rotation::Holder;
use crate::domain::zones::ZoneName;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// A post: recipient, text, key.
pub type Post = (String, String, String);

struct Recorder {
    inner: Arc<dyn Chat>,
    posts: Arc<Mutex<Vec<Post>>>,
}

impl Chat for Recorder {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn handle(&self, user: &UserId, name: &str) -> String {
        self.inner.handle(user, name)
    }

    fn plain(&self, text: &str) -> String {
        self.inner.plain(text)
    }

    fn post(
        &self,
        message: &Message,
        key: &str,
        reader: Option<ZoneName>,
    ) -> Result<MessageReference, ChatError> {
        self.inner.post(message, key, reader)?;
        let to = match &message.to {
            Recipient::Channel(id) => id.to_string(),
            Recipient::Person(id) => id.to_string(),
        };
        let mut posts = self.posts.lock().expect("posts");
        posts.push((to, chat::text(&*self.inner, message), key.into()));
        Ok(MessageReference::from(format!("post {key}")))
    }

    fn topic(&self, channel: &ChannelId) -> Result<String, ChatError> {
        self.inner.topic(channel)
    }

    fn set_topic(&self, channel: &ChannelId, topic: &str) -> Result<(), ChatError> {
        self.inner.set_topic(channel, topic)
    }

    fn find_group(&self, handle: &str) -> Result<Option<GroupId>, ChatError> {
        self.inner.find_group(handle)
    }

    fn create_group(&self, handle: &str, name: &str) -> Result<GroupId, ChatError> {
        self.inner.create_group(handle, name)
    }

    fn people(&self, group: &GroupId) -> Result<ListedGroup, ChatError> {
        self.inner.people(group)
    }

    fn set_people(
        &self,
        group: &GroupId,
        present: &[UserId],
        people: &[UserId],
    ) -> Result<(), ChatError> {
        self.inner.set_people(group, present, people)
    }

    fn set_disabled(&self, group: &GroupId, disabled: bool) -> Result<(), ChatError> {
        self.inner.set_disabled(group, disabled)
    }
}

/// A rotation's holders by cell id.
pub type Held = BTreeMap<String, Option<String>>;

pub struct Workspace {
    /// Keeps the file until the end.
    _office: Office,
    pub app: App,
    pub control: FailureControl,
    posts: Arc<Mutex<Vec<Post>>>,
}

impl Workspace {
    /// Six people, two channels and a user group with a person who is no member.
    pub fn open(name: &str, holds_empty_groups: bool) -> Workspace {
        let office = Office::open(name);
        chat_uses::redirect(&office.app, |directory| {
            let mut second = directory.channels[0].clone();
            second.id = "C2".into();
            directory.channels.push(second);
            directory.channels[0].topic = Some("welcome".into());
            directory.groups = vec![group("G1", &["U5"])];
        });
        let (control, posts) = (
            FailureControl::default(),
            Arc::<Mutex<Vec<Post>>>::default(),
        );
        let (mode, log) = (control.clone(), Arc::clone(&posts));
        let app = office.app.clone().with_chat(|inner| {
            let recorder = Recorder { inner, posts: log };
            Arc::new(FaultyChat::new(Arc::new(recorder), mode))
        });
        control.set(FailureMode {
            holds_empty_groups,
            ..FailureMode::default()
        });
        Workspace {
            _office: office,
            app,
            control,
            posts,
        }
    }

    /// The posts from an index on, without those about moved shifts: the model says nothing of them.
    pub fn posts(&self, from: usize) -> Vec<Post> {
        let mut posts = self.posts.lock().expect("posts").clone();
        posts.retain(|(_, text, _)| !text.starts_with("Your shifts in "));
        posts.split_off(from)
    }

    /// The same posts that the database records as sent, with the platform's reference in place of the key.
    pub fn sent(&self) -> Vec<Post> {
        let sent = self.app.store().read(|tx| store::list_sent(tx, 10_000));
        let post = |sent: store::SentMessage| {
            let to = match &sent.message.to {
                Recipient::Channel(id) => id.to_string(),
                Recipient::Person(id) => id.to_string(),
            };
            let text = chat::text(self.app.chat(), &sent.message);
            let reference = sent.reference.expect("a reference");
            (to, text, reference.to_string())
        };
        let sent = sent.expect("what was sent").into_iter().map(post);
        sent.filter(|(_, text, _)| !text.starts_with("Your shifts in "))
            .collect()
    }

    pub fn rotation(&self, id: &RotationId) -> Rotation {
        reads::rotation(&self.app, &caller(), id).expect("the rotation")
    }

    pub fn topic(&self, channel: &str) -> String {
        let channel = ChannelId::from(channel);
        let found = self
            .app
            .store()
            .read(|tx| store::load_channel(tx, &channel));
        let topic = found.expect("a channel").and_then(|channel| channel.topic);
        topic.unwrap_or_default()
    }

    /// The user group with a handle: its id, its people, and whether rota created and disabled it.
    pub fn group(&self, handle: &str) -> Option<(GroupId, Vec<String>, bool, bool)> {
        self.app
            .store()
            .read(|tx| -> Result<_, Error> {
                let Some(id) = store::find_group(tx, handle)? else {
                    return Ok(None);
                };
                let people = store::list_group_people(tx, &id)?;
                let people = people.iter().map(UserId::to_string).collect();
                let kept = store::load_duty_group(tx, &id)?;
                let own = kept.as_ref().is_some_and(|kept| kept.is_own);
                Ok(Some((
                    id,
                    people,
                    own,
                    kept.is_some_and(|kept| kept.disabled),
                )))
            })
            .expect("a group")
    }

    /// What must not depend on the platform: members, duty and its history.
    pub fn duty(&self, id: &RotationId) -> String {
        let rotation = self.rotation(id);
        let range = Interval {
            from: at(BEGUN),
            until: at("2027-01-01T00:00:00Z"),
        };
        let entries = duties::history(&self.app, &caller(), id, range).expect("the record");
        let place = |cell: &crate::domain::ids::CellId| rotation.slot_of(cell);
        let record: Vec<_> = entries
            .iter()
            .map(|one| {
                let entry = &one.entry;
                (
                    place(&one.cell),
                    entry.start,
                    one.end,
                    &entry.user,
                    entry.reason,
                )
            })
            .collect();
        let holders: Vec<Option<&Holder>> = rotation
            .cells
            .iter()
            .map(|cell| cell.holder.as_ref())
            .collect();
        let turns: Vec<usize> = rotation
            .rosters
            .iter()
            .flat_map(|list| list.next_turns.iter().map(|next| next.turn))
            .collect();
        let (version, enabled, members) = (
            rotation.stamps.version,
            rotation.enabled,
            &rotation.members.users,
        );
        format!("{version} {enabled} {members:?} {holders:?} {turns:?} {record:?}")
    }

    pub fn held(&self, id: &RotationId) -> Held {
        let rotation = self.rotation(id);
        let holder = |cell: &crate::domain::rotation::Cell| {
            let holder = cell.holder.as_ref().filter(|_| !cell.stopped);
            (
                cell.id.to_string(),
                holder.map(|holder| holder.user.to_string()),
            )
        };
        rotation.cells.iter().map(holder).collect()
    }

    /// The people on call, each once, in slot order: no window is ever shut here.
    pub fn on_call(&self, id: &RotationId) -> Vec<String> {
        let rotation = self.rotation(id);
        let mut people = Vec::new();
        for cell in rotation.cells.iter().filter(|cell| !cell.stopped) {
            let user = cell.holder.as_ref().map(|holder| holder.user.to_string());
            people.extend(user.filter(|user| !people.contains(user)));
        }
        people
    }
}

/// A rotation of three people that posts in both channels and is owned by a person who is no member.
pub fn made(app: &App, name: &str) -> Rotation {
    let rotation = NewRotation {
        name: name.into(),
        description: None,
        code: None,
        public: true,
        lanes: 1,
        owners: vec!["U6".into()],
        channels: vec!["C1".into(), "C2".into()],
        users: (1..=3).map(|n| UserId::from(format!("U{n}"))).collect(),
        groups: Vec::new(),
        summary: None,
        dealing: Default::default(),
        absence_policy: Default::default(),
    };
    let creation = creation::NewCreation {
        key: name.into(),
        body_hash: [0; 32],
        rotation,
    };
    let made = creation::create(app, &author(), creation);
    made.expect("a rotation").rotation
}

/// One or two lanes, handed over daily at a time in UTC.
pub fn daily(rotation: &Rotation, lanes: usize, time: &str) -> GridSpec {
    let cadence = Cadence {
        kind: Kind::Daily {
            times: vec![crate::domain::time::HhMm::parse(time).expect("a time")],
        },
        zone: ZoneName::utc(),
        starts_at: at(BEGUN),
        period: 1,
        skips: Skips::default(),
    };
    let (first, window) = (
        rotation.lanes[0].id.to_string(),
        rotation.windows[0].id.to_string(),
    );
    let lanes = &[first.as_str(), "second"][..lanes];
    let lane = |id: &&str| LaneSpec {
        handle: HandleSpec::id(id),
        name: Some(Some(if *id == first { "first" } else { "second" }.into())),
    };
    let cell = |lane: &&str| CellSpec {
        id: None,
        lane: lane.to_string(),
        window: window.clone(),
        roster: None,
    };
    GridSpec {
        lanes: lanes.iter().map(lane).collect(),
        windows: Some(vec![WindowSpec {
            handle: HandleSpec::id(&window),
            name: None,
            zone: ZoneSpec::Named(ZoneName::utc()),
            coverage: Vec::new(),
            cadence: CadenceSpec::Timed(cadence),
        }]),
        cells: lanes.iter().map(cell).collect(),
        double_cover: false,
        rosters: Vec::new(),
    }
}

const TEMPLATES: [&str; 3] = [
    "%NAME%: %USERID%",
    "%USERID% (%DUTY_SIZE%)",
    "%NAME% has %DUTY_SIZE%",
];

/// One of three templates.
pub fn worded(template: usize) -> RotationPatch {
    RotationPatch {
        topic_template: Some(Some(TEMPLATES[template].into())),
        ..RotationPatch::default()
    }
}
