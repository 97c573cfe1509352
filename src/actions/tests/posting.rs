//! Messages of the local platform: the write that stores them posts them, unless something keeps them waiting.

use super::chat_uses::{faulty, redirect};
use super::*;
use crate::domain::chat::{ChatError, FailureMode};
use crate::domain::relay::MessageState;
use crate::store::MessageFilter;

/// Every message, oldest first: to whom, and what became of it.
fn messages(app: &App) -> Vec<(String, MessageState)> {
    let page = Page {
        number: 1,
        size: 100,
    };
    let filter = MessageFilter::default();
    let found = app
        .store()
        .read(|tx| store::list_messages(tx, &filter, page))
        .expect("messages");
    let record = |record: &store::MessageRecord| (record.to.to_string(), record.state());
    found.0.iter().rev().map(record).collect()
}

fn hand_over(app: &App, id: &RotationId) {
    let rotate = Rotate { cells: None };
    write(app, &caller(), id, &Precondition::Any, rotate).expect("a hand-over");
}

fn expect(app: &App, all: &[(&str, MessageState)]) {
    let all: Vec<_> = all
        .iter()
        .map(|(to, state)| (to.to_string(), *state))
        .collect();
    assert_eq!(messages(app), all);
}

use MessageState::{Dropped, Sent, Waiting};

#[test]
fn a_hand_over_posts_its_messages() {
    let office = Office::open("posting");
    let id = office.create("told").id;
    hand_over(&office.app, &id);
    expect(&office.app, &[("channel C1", Sent), ("person U1", Sent)]);
    let next = office.app.store().read(store::next_message);
    assert_eq!(next.expect("the queue"), None);
}

#[test]
fn messages_wait_for_earlier_ones_to_the_same_recipient() {
    let office = Office::open("posting-behind");
    let id = office.create("told").id;
    let (app, control) = faulty(&office.app);
    control.set(FailureMode {
        failure: Some(ChatError::Unavailable("down".into())),
        ..FailureMode::default()
    });
    hand_over(&app, &id);
    let first = [("channel C1", Waiting), ("person U1", Waiting)];
    expect(&app, &first);
    control.set(FailureMode::default());
    hand_over(&app, &id);
    // U2 comes on, and nothing to them waits.
    let behind = [
        ("channel C1", Waiting),
        ("person U2", Sent),
        ("person U1", Waiting),
    ];
    expect(&app, &[&first[..], &behind].concat());
    tell(&app).expect("the queues");
    assert!(messages(&app).iter().all(|(_, state)| *state == Sent));
}

#[test]
fn a_channel_without_the_app_is_told_nothing() {
    let office = Office::open("posting-without");
    let id = office.create("told").id;
    redirect(&office.app, |directory| {
        directory.channels[0].app_is_member = false;
    });
    hand_over(&office.app, &id);
    expect(&office.app, &[("channel C1", Waiting), ("person U1", Sent)]);
    tell(&office.app).expect("the queues");
    expect(&office.app, &[("channel C1", Dropped), ("person U1", Sent)]);
}
