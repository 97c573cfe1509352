//! Every use of chat and of inbound webhooks once, so that their statements are recorded.

use super::*;
use crate::actions::mentions::{MentionAnswer, OpenMention, SetMentionSettings};
use crate::chat::{FailureControl, FaultyChat};
use crate::domain::chat::{ChatError, FailureMode};
use crate::domain::edit::{ChannelChange, DutyGroupChoice, SettingsChange};
use crate::domain::ids::{GroupId, MentionId};
use crate::domain::mention::{Mention, MentionState, NewMention};
use crate::store::{Group, Source};

/// The same workspace with a platform that fails on request.
pub(super) fn faulty(app: &App) -> (App, FailureControl) {
    let control = FailureControl::default();
    let around = control.clone();
    let app = app
        .clone()
        .with_chat(|inner| Arc::new(FaultyChat::new(inner, around)));
    (app, control)
}

/// Replaces the directory with a changed one.
pub(super) fn redirect(app: &App, change: impl FnOnce(&mut Directory)) {
    let mut directory = app
        .store()
        .read(store::load_directory)
        .expect("the directory");
    change(&mut directory);
    super::directory::import(app, &author(), directory, super::directory::Consent::Given)
        .expect("an import");
}

pub(super) fn group(id: &str, users: &[&str]) -> Group {
    Group {
        id: GroupId::from(id),
        team_id: "T1".into(),
        name: None,
        handle: Some(id.to_lowercase()),
        users: users.iter().map(|user| UserId::from(*user)).collect(),
        source: Source::File,
    }
}

struct Uses {
    app: App,
    control: FailureControl,
    id: RotationId,
}

/// Every use of the tables of messages, topics, on-duty groups, mentions and inbound webhooks.
pub(super) fn every_use(office: &Office) {
    let (app, control) = faulty(&office.app);
    redirect(&app, |directory| {
        directory.groups = vec![group("G1", &["U5"]), group("G2", &["U5", "U6"])];
        directory.people[0].email = Some("u1@example.com".into());
    });
    let id = office.cover(&office.create("told")).id;
    let uses = Uses { app, control, id };
    uses.topics();
    uses.groups();
    uses.troubles();
    uses.mentions();
    uses.ways_in();
    uses.clearing();
}

impl Uses {
    fn patch(&self, patch: RotationPatch) {
        let any = Precondition::Any;
        write(&self.app, &caller(), &self.id, &any, PatchRotation(patch)).expect("a patch");
    }

    fn bind(&self, choice: DutyGroupChoice) {
        let any = Precondition::Any;
        write(
            &self.app,
            &caller(),
            &self.id,
            &any,
            BindDutyGroup::new(choice),
        )
        .expect("a group");
        tell(&self.app).expect("chat in line");
    }

    fn advance(&self, hours: i64) {
        let to = self.app.now() + SignedDuration::from_hours(hours);
        dev_clock::advance(&self.app, to, &|| tell(&self.app)).expect("some hours");
    }

    fn topics(&self) {
        self.patch(RotationPatch {
            enable_topic: Some(true),
            ..RotationPatch::default()
        });
        let change = ChannelChange {
            syncs_topic: Some(true),
            ..ChannelChange::default()
        };
        let (any, channel) = (Precondition::Any, ChannelId::from("C1"));
        write(
            &self.app,
            &caller(),
            &self.id,
            &any,
            SetChannel { channel, change },
        )
        .expect("a channel");
        self.advance(48);
        chat_status::read(&self.app, &caller(), &self.id).expect("the state in chat");
        self.patch(RotationPatch {
            enable_topic: Some(false),
            ..RotationPatch::default()
        });
        tell(&self.app).expect("chat in line");
        // Requested again during the restore.
        let forget = |tx: &mut store::WriteTx| store::remove_topic(tx, &"C1".into(), -1);
        self.app.store().write(forget).expect("a topic forgotten");
        self.patch(RotationPatch {
            enable_topic: Some(true),
            ..RotationPatch::default()
        });
    }

    fn groups(&self) {
        self.bind(DutyGroupChoice::Group("G1".into()));
        // Its members come from another group, which a third rotation could use.
        self.patch(RotationPatch {
            groups: Some(vec!["G2".into()]),
            ..RotationPatch::default()
        });
        self.bind(DutyGroupChoice::Handle("g1".into()));
        self.bind(DutyGroupChoice::Handle("made".into()));
        chat_status::read(&self.app, &caller(), &self.id).expect("the state in chat");
        let kept = self.app.store().read(store::list_duty_groups);
        assert_eq!(kept.expect("the groups kept").len(), 1);
        write(
            &self.app,
            &caller(),
            &self.id,
            &Precondition::Any,
            UnbindDutyGroup,
        )
        .expect("none");
        self.bind(DutyGroupChoice::Group("G1".into()));
    }

    fn troubles(&self) {
        let failures = [
            ChatError::Unavailable("down".into()),
            ChatError::RateLimited(SignedDuration::from_secs(30)),
            ChatError::NotFound("left".into()),
        ];
        for failure in failures {
            self.control.set(FailureMode {
                failure: Some(failure),
                ..FailureMode::default()
            });
            let any = Precondition::Any;
            write(&self.app, &caller(), &self.id, &any, Rotate { cells: None })
                .expect("a hand-over");
            self.advance(1);
            chat_status::read(&self.app, &caller(), &self.id).expect("the state in chat");
        }
        self.control.set(FailureMode::default());
        self.advance(48);
        let sent = self.app.store().read(|tx| store::list_sent(tx, 10));
        assert_eq!(sent.expect("what was sent").len(), 10);
    }

    fn ask(&self) -> Mention {
        let new = NewMention {
            thread: None,
            asker: "U1".into(),
            channel: "C1".into(),
            message: Some("the door".into()),
        };
        let mutation = Mutation {
            author: &author(),
            rotation: &self.id,
            precondition: &Precondition::Any,
            operation: OpenMention(new),
        };
        mutation.run(&self.app).expect("a mention").output
    }

    fn answer(&self, mention: &Mention, answer: MentionAnswer) -> MentionState {
        let person = Principal::Person {
            user: mention.notified[0].clone(),
            name: "test".into(),
            role: Role::Member,
            via: Via::Token("tok_1".into()),
        };
        let after = mentions::answer(&self.app, &by(person), &mention.id, answer);
        after.expect("an answer").state
    }

    fn mentions(&self) {
        let change = SettingsChange {
            one_at_a_time: Some(true),
            remind_after_minutes: Some(Some(20)),
            rotate_after_acknowledgement: Some(true),
            ..SettingsChange::default()
        };
        write(
            &self.app,
            &caller(),
            &self.id,
            &Precondition::Any,
            SetMentionSettings(change),
        )
        .expect("settings");
        let mention = self.ask();
        assert_eq!(
            self.answer(&mention, MentionAnswer::Pass),
            MentionState::Open
        );
        let taken = self.answer(&mention, MentionAnswer::Acknowledge);
        assert_eq!(taken, MentionState::Acknowledged);
        let forgotten: MentionId = self.ask().id;
        self.advance(2);
        let read = mentions::read(&self.app, &caller(), &forgotten).expect("a mention");
        assert_eq!(read.state, MentionState::Expired);
    }

    fn ways_in(&self) {
        let app = &self.app;
        let made = inbound::read(app, &author(), &self.id).expect("a way in");
        let anew = inbound::rotate_key(app, &author(), &self.id).expect("another key");
        let enters = |key: &str| inbound::enter(app, &made.path, key).expect("a way in").1;
        assert_eq!([enters(&made.key), enters(&anew.key)], [false, true]);
        let rotation = reads::rotation(app, &caller(), &self.id).expect("the rotation");
        let found = inbound::member_by_email(app, &rotation, "U1@Example.com");
        assert_eq!(found.expect("a member").as_str(), "U1");
    }

    /// Ninety days later only open records are left.
    fn clearing(&self) {
        self.patch(RotationPatch {
            enabled: Some(false),
            ..RotationPatch::default()
        });
        tell(&self.app).expect("chat in line");
        let later = self.app.now() + SignedDuration::from_hours(24 * 91);
        self.app.clock().set(later);
        while retention::purge(&self.app).expect("cleared") {}
        let sent = self.app.store().read(|tx| store::list_sent(tx, 10));
        assert_eq!(sent.expect("what was sent"), []);
        let any = Precondition::Any;
        write(&self.app, &caller(), &self.id, &any, DeleteRotation).expect("a deletion");
        tell(&self.app).expect("chat in line");
    }
}
