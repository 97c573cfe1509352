//! Webhook endpoints: the tier at the time of a write, a clock that was set back, the limit of resending.

use super::*;
use crate::domain::ids::{DeliveryId, WebhookId};
use crate::domain::refusal::Refusal;
use crate::domain::tiers::Tier;
use crate::domain::webhook::{Webhook, WebhookSpec};
use std::sync::mpsc;

const ANY: &Precondition = &Precondition::Any;

/// A public address, which is checked and never connected to.
fn spec() -> WebhookSpec {
    WebhookSpec {
        name: "hook".into(),
        url: "https://93.184.215.14/".into(),
        event_types: Vec::new(),
    }
}

fn free() -> TierLimits {
    TierLimits::of(Tier::Free)
}

impl Office {
    fn hook(&self) -> WebhookId {
        webhooks::register(&self.app, &author(), spec())
            .expect("an endpoint")
            .id
    }

    fn file(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.app.store().path()).expect("the file")
    }

    /// A finished delivery with a number of attempts.
    fn ended(&self, hook: &WebhookId, attempts: i64) -> DeliveryId {
        let delivery = webhooks::test(&self.app, &author(), hook).expect("a delivery");
        let ended = "UPDATE delivery SET state = 'exhausted', ended_at = created_at, stage = NULL, due_at = NULL,
                     attempts = ?2 WHERE id = ?1";
        let file = self.file();
        file.execute(ended, rusqlite::params![delivery.id.as_str(), attempts])
            .expect("its end");
        delivery.id
    }
}

#[test]
fn a_clock_that_was_set_back_shortens_no_life() {
    let office = Office::open("set-back");
    office.create("one");
    let hook = office.hook();
    webhooks::test(&office.app, &author(), &hook).expect("a delivery");
    let expires = |office: &Office| -> i64 {
        let sql = "SELECT expires_at FROM delivery";
        office
            .file()
            .query_row(sql, [], |row| row.get(0))
            .expect("a delivery")
    };
    let before = expires(&office);
    webhooks::disable(&office.app, &author(), &hook, ANY).expect("disabled");
    let back = Office::app(&office.folder, at(BEGUN) - SignedDuration::from_hours(1));
    webhooks::enable(&back, &author(), &hook, ANY).expect("enabled");
    assert_eq!(expires(&office), before);
}

/// Writes that start during a downgrade run after it.
#[test]
fn a_write_goes_by_the_plan_at_its_turn() {
    type Act = fn(&App, &WebhookId, &DeliveryId) -> Result<(), ActionError>;
    let acts: [(&str, Act); 5] = [
        ("register", |app, _, _| {
            webhooks::register(app, &author(), spec()).map(drop)
        }),
        ("replace", |app, hook, _| {
            webhooks::replace(app, &author(), hook, ANY, spec()).map(drop)
        }),
        ("enable", |app, hook, _| {
            webhooks::enable(app, &author(), hook, ANY).map(drop)
        }),
        ("rotate", |app, hook, _| {
            webhooks::rotate_secret(app, &author(), hook, ANY, SignedDuration::ZERO).map(drop)
        }),
        ("resend", |app, hook, delivery| {
            deliveries::resend(app, &author(), hook, delivery).map(drop)
        }),
    ];
    let office = Office::open("downgrade");
    office.create("one");
    let hook = office.hook();
    let delivery = office.ended(&hook, 1);
    for (name, act) in acts {
        office.app.set_tier_limits(TierLimits::of(Tier::Pro));
        let (begun, begins) = mpsc::channel();
        let (release, held) = mpsc::channel::<()>();
        let app = office.app.clone();
        let outcome = std::thread::scope(|scope| {
            let downgrade = scope.spawn(move || {
                let shared = app.clone();
                app.store().write(move |_| {
                    begun.send(()).expect("somebody waits");
                    held.recv().expect("a release");
                    shared.set_tier_limits(free());
                    Ok::<(), ActionError>(())
                })
            });
            begins.recv().expect("a downgrade that has begun");
            let asked = scope.spawn(|| act(&office.app, &hook, &delivery));
            release.send(()).expect("a downgrade that waits");
            downgrade.join().expect("no panic").expect("a plan");
            asked.join().expect("no panic")
        });
        assert!(
            matches!(
                outcome,
                Err(ActionError::Refused(Refusal::PaymentRequired(..)))
            ),
            "{name}: {outcome:?}"
        );
    }
}

#[test]
fn a_plan_that_could_not_be_stored_is_not_switched_to() {
    let office = Office::open("unstored");
    let hook = office.hook();
    let enabled = |hook: &Webhook| hook.disabled.is_none();
    office
        .file()
        .execute_batch("ALTER TABLE meta RENAME TO elsewhere")
        .expect("damage");
    assert!(tier::switch(&office.app, &author(), free()).is_err());
    assert_eq!(office.app.tier_limits(), TierLimits::of(Tier::Pro));
    assert!(enabled(&webhooks::read(&office.app, &hook).expect("it")));
    office
        .file()
        .execute_batch("ALTER TABLE elsewhere RENAME TO meta")
        .expect("a repair");
    tier::switch(&office.app, &author(), free()).expect("a plan");
    assert_eq!(office.app.tier_limits(), free());
    assert!(!enabled(&webhooks::read(&office.app, &hook).expect("it")));
}

#[test]
fn a_delivery_is_not_sent_again_without_end() {
    let office = Office::open("resending");
    office.create("one");
    let hook = office.hook();
    for (attempts, more) in [(1, true), (199, true), (200, false), (300, false)] {
        let delivery = office.ended(&hook, attempts);
        let outcome = deliveries::resend(&office.app, &author(), &hook, &delivery);
        match outcome {
            Ok(_) => assert!(more, "{attempts}"),
            Err(ActionError::Refused(Refusal::DeliveryAttempts)) => assert!(!more, "{attempts}"),
            other => panic!("{attempts}: {other:?}"),
        }
    }
}
