//! The queue of deliveries: every use of it, a clock that was set back, recalls.

use super::*;
use crate::actions::sending::{self, Done, Job, Step};
use crate::domain::ids::WebhookId;
use crate::domain::retry_schedule;
use crate::domain::webhook::{AttemptResult, DeliveryState, EventType, Webhook, WebhookSpec};
use crate::store::Queue;
use std::sync::Arc;

fn endpoint(app: &App) -> Webhook {
    let spec = WebhookSpec {
        name: "test".into(),
        url: "http://127.0.0.1:9/".into(),
        event_types: EventType::SUBSCRIBABLE.to_vec(),
    };
    webhooks::register(app, &author(), spec).expect("an endpoint")
}

/// The result of an attempt that was not made.
fn done(job: Arc<Job>, status: u16) -> Done {
    Done {
        job,
        result: AttemptResult {
            outcome: retry_schedule::outcome_of(status).0,
            status: Some(status),
            error: None,
            duration: None,
            snippet: None,
            retry_after_seconds: None,
        },
        asked_to_wait: false,
    }
}

fn step(webhook: &WebhookId, queue: Queue, done: Option<Done>, put_back: Option<Arc<Job>>) -> Step {
    Step {
        webhook: webhook.clone(),
        queue,
        done: done.map(Arc::new),
        put_back,
        take: true,
    }
}

/// Every use of the tables of webhooks, for the statements that it runs.
pub(super) fn every_use(app: &App, rotation: &RotationId) {
    let any = Precondition::Any;
    let hook = endpoint(app).id;
    for _ in 0..4 {
        webhooks::test(app, &author(), &hook).expect("a test event");
    }
    let test = webhooks::test(app, &author(), &hook).expect("a test event");
    let take = |queue, done, back| step(&hook, queue, done, back).run(app).expect("a step");
    let job = take(Queue::Fresh, None, None).expect("something due");
    let job = take(Queue::Fresh, None, Some(job)).expect("the same again");
    let job = take(Queue::Fresh, Some(done(job, 404)), None).expect("the next");
    assert!(job.is_current(app));
    sending::start_over(app).expect("a start");
    sending::queues(app).expect("queues");
    let newest = sending::newest(app).expect("the newest");
    assert!(sending::unfinished(app, newest).expect("a count") > 0);
    take(Queue::Retry, Some(done(job, 200)), None).expect("the interrupted one");
    webhooks::rotate_secret(
        app,
        &author(),
        &hook,
        &any,
        jiff::SignedDuration::from_secs(1),
    )
    .expect("a secret");
    webhooks::disable(app, &author(), &hook, &any).expect("disabled");
    webhooks::enable(app, &author(), &hook, &any).expect("enabled");
    let page = Page {
        number: 1,
        size: 10,
    };
    for state in DeliveryState::ALL.map(Some).into_iter().chain([None]) {
        for event_type in [None, Some(EventType::DutyChanged)] {
            for rotation in [None, Some(rotation.clone())] {
                let filter = store::DeliveryFilter {
                    state,
                    event_type,
                    rotation,
                };
                deliveries::list(app, &hook, filter, page).expect("a list");
            }
        }
    }
    deliveries::attempts(app, &hook, &test.id).expect("a log");
    assert!(deliveries::cancel(app, &author(), &hook, &test.id).expect("cancelled"));
    deliveries::resend(app, &author(), &hook, &test.id).expect("sent anew");
    deliveries::cancel(app, &author(), &hook, &test.id).expect("cancelled");
    app.clock().set(at("2026-05-01T00:00:00Z"));
    while retention::purge(app).expect("cleared") {}
    webhooks::remove(app, &author(), &hook, &any).expect("removed");
    while retention::purge(app).expect("cleared") {}
}

#[test]
fn what_is_queued_is_due_also_where_the_clock_was_stepped_back() {
    let office = Office::open("stepped-back");
    let app = &office.app;
    let hook = endpoint(app).id;
    office.create("one");
    app.clock().set(at("2026-03-01T23:45:00Z"));
    office.create("two");
    let next = sending::next(app).expect("the queue").expect("something");
    assert!(next <= app.now(), "{next} is after {}", app.now());
    let job = step(&hook, Queue::Fresh, None, None).run(app);
    let job = job.expect("a step").expect("something due");
    // The receiver compares it with its own clock.
    let response = at("2026-03-01T23:45:00Z").as_second().to_string();
    let header = job
        .headers
        .iter()
        .find(|(name, _)| name == "Service-Timestamp");
    assert_eq!(header.expect("a timestamp").1, response);
}

#[test]
fn what_was_taken_ahead_keeps_its_place_when_the_process_ends() {
    let office = Office::open("taken-ahead");
    let app = &office.app;
    let hook = endpoint(app).id;
    let made: Vec<_> = (0..3).map(|n| office.create(&n.to_string()).id).collect();
    let take = |queue| {
        let job = step(&hook, queue, None, None).run(app).expect("a step");
        let job = job.expect("something due");
        let body: serde_json::Value = serde_json::from_str(&job.body).expect("JSON");
        body["rotationId"].as_str().expect("a rotation").to_owned()
    };
    assert_eq!(take(Queue::Fresh), made[0].as_str());
    assert_eq!(take(Queue::Fresh), made[1].as_str());
    assert_eq!(sending::start_over(app).expect("a start"), 2);
    assert_eq!(take(Queue::Fresh), made[1].as_str());
    assert_eq!(take(Queue::Fresh), made[2].as_str());
    assert_eq!(take(Queue::Retry), made[0].as_str());
}

#[test]
fn what_was_taken_may_be_recalled_before_it_is_sent() {
    let office = Office::open("recalled");
    let app = &office.app;
    let hook = endpoint(app).id;
    office.create("one");
    let take = |back| {
        step(&hook, Queue::Fresh, None, back)
            .run(app)
            .expect("a step")
    };
    let job = take(None).expect("something due");
    assert!(job.is_current(app));
    webhooks::disable(app, &author(), &hook, &Precondition::Any).expect("disabled");
    assert!(!job.is_current(app));
    assert!(take(Some(job)).is_none());
    webhooks::enable(app, &author(), &hook, &Precondition::Any).expect("enabled");
    let page = Page {
        number: 1,
        size: 10,
    };
    let (listed, _) = deliveries::list(app, &hook, Default::default(), page).expect("a list");
    assert_eq!(listed[0].attempts, 0);
    let job = take(None).expect("the same delivery");
    let log = deliveries::attempts(app, &hook, &listed[0].id).expect("a log");
    assert!(log.attempts.is_empty());
    step(&hook, Queue::Fresh, Some(done(job, 200)), None)
        .run(app)
        .expect("a step");
    let log = deliveries::attempts(app, &hook, &listed[0].id).expect("a log");
    assert_eq!(log.attempts[0].number, 1);
}
