use super::*;
use crate::domain::absence::Skipped;
use crate::domain::audit::Actor;
use crate::domain::holidays::CountryCode;
use crate::domain::naming::Naming;
use crate::domain::rotation::PassedOver;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn said(step: &Step, naming: Naming) -> String {
    let people = [("U1", "Ada"), ("U2", "Alan\nT")];
    let people = people.map(|(id, name)| (id.into(), name.to_owned()));
    let vocabulary = Vocabulary {
        people: people.into(),
        slots: [("cel_1".into(), "Primary".to_owned())].into(),
        naming,
    };
    text(step, &vocabulary, ZoneName::parse("Europe/Paris").unwrap())
}

fn doer(kind: ActorKind, name: Option<&str>, in_chat: bool) -> Option<Doer> {
    Some(Doer {
        actor: Actor {
            kind,
            id: Some("U1".into()),
            name: name.map(str::to_owned),
        },
        in_chat,
    })
}

#[test]
fn each_step_is_one_sentence_with_local_times() {
    let morning = at("2026-03-28T08:00:00Z");
    let by_hand = |deed, by| Step::ByHand {
        deed,
        by,
        at: morning,
    };
    let zone = ZoneName::parse("America/New_York").ok();
    let hours = |from, until| Opening { from, until, zone };
    let skipped = |user: &str, source| Step::PassedOver {
        absence: Skipped {
            user: user.into(),
            from: Some(morning),
            until: Some(at("2026-03-29T08:00:00Z")),
            source,
        },
        id: None,
    };
    let off_day = |is_weekend, name: Option<&str>| Step::OffDay {
        date: jiff::civil::date(2026, 3, 28),
        country: CountryCode::parse("NO").unwrap(),
        is_weekend,
        name: name.map(str::to_owned),
    };
    let unknown = |since, is_linked| Step::ScheduleUnknown { since, is_linked };
    for (step, expected) in [
        (
            Step::WindowOpen(hours(Some(morning), Some(at("2026-03-28T16:30:00Z")))),
            "The hours are open from Sat 28 Mar 2026, 04:00 (America/New_York) to Sat 28 Mar 2026, 12:30 (America/New_York).",
        ),
        (
            Step::WindowOpen(hours(None, None)),
            "The hours are always open.",
        ),
        (
            Step::WindowShut(hours(None, Some(morning))),
            "The hours are not covered until Sat 28 Mar 2026, 09:00 (Europe/Paris).",
        ),
        (
            off_day(true, None),
            "Sat 28 Mar 2026 is on the weekend in NO, and days off count as not covered.",
        ),
        (
            off_day(false, None),
            "Sat 28 Mar 2026 is a national holiday in NO, and days off count as not covered.",
        ),
        (
            off_day(false, Some("Fair\nday")),
            "Sat 28 Mar 2026 is a national holiday in NO (Fair day), and days off count as not covered.",
        ),
        (
            Step::Frozen {
                since: morning,
                until: None,
            },
            "The rotation is disabled, and stands as it did on Sat 28 Mar 2026, 09:00 (Europe/Paris).",
        ),
        (
            Step::Frozen {
                since: morning,
                until: Some(at("2026-03-29T08:00:00Z")),
            },
            "The rotation was disabled until Sun 29 Mar 2026, 10:00 (Europe/Paris), and stood as it did on Sat 28 Mar 2026, 09:00 (Europe/Paris).",
        ),
        (
            unknown(Some(morning), true),
            "Nothing is known of the partner's schedule from Sat 28 Mar 2026, 09:00 (Europe/Paris) on, so it stands as it was known last.",
        ),
        (
            unknown(None, true),
            "Nothing is known of the partner's schedule yet.",
        ),
        (
            unknown(None, false),
            "The rotation follows no schedule of a partner yet.",
        ),
        (
            Step::DealtAt {
                at: at("2026-03-30T07:00:00Z"),
                reason: Reason::NextOnScheduledDuty,
                cadence: None,
                moved_from: Some(morning),
            },
            "The hand-over is on Mon 30 Mar 2026, 09:00 (Europe/Paris), moved from Sat 28 Mar 2026, 09:00 (Europe/Paris) because that day is skipped.",
        ),
        (
            Step::Order {
                roster: None,
                window: "win_1".into(),
                next_turn: 1,
                order: vec!["U1".into(), "U2".into()],
            },
            "2 people are in the order, and Alan T is next.",
        ),
        (
            skipped("U1", AbsenceSource::Calendar),
            "Ada is absent from Sat 28 Mar 2026, 09:00 (Europe/Paris) to Sun 29 Mar 2026, 10:00 (Europe/Paris) by their calendar and is passed over.",
        ),
        (
            Step::AlreadyOnDuty(PassedOver {
                user: "U9".into(),
                cell: "cel_1".into(),
            }),
            "U9 is on call at the same time in Primary and is passed over.",
        ),
        (
            by_hand(Deed::Set, doer(ActorKind::Person, Some("Ada L"), true)),
            "Ada L, in Slack, put people on duty on Sat 28 Mar 2026, 09:00 (Europe/Paris).",
        ),
        (
            by_hand(Deed::Rotated, doer(ActorKind::Key, Some("ci"), false)),
            "The API key ci handed over on Sat 28 Mar 2026, 09:00 (Europe/Paris).",
        ),
        (
            by_hand(Deed::Cleared, doer(ActorKind::InboundWebhook, None, false)),
            "The inbound webhook took whoever was on duty off duty on Sat 28 Mar 2026, 09:00 (Europe/Paris).",
        ),
        (
            by_hand(Deed::Removed, None),
            "Somebody removed whoever was on duty on Sat 28 Mar 2026, 09:00 (Europe/Paris).",
        ),
        (
            by_hand(
                Deed::Acknowledged,
                doer(ActorKind::Person, Some("Ada"), false),
            ),
            "Ada acknowledged a mention and handed over on Sat 28 Mar 2026, 09:00 (Europe/Paris).",
        ),
        (
            Step::ExternalShift {
                at: morning,
                until: None,
                outsider: Some("Eve".into()),
                is_anybody: true,
            },
            "The partner's schedule has Eve, who is unknown here, from Sat 28 Mar 2026, 09:00 (Europe/Paris).",
        ),
        (
            Step::Arrangement {
                id: "arr_1".into(),
                kind: Some(ArrangementKind::AcceptedCover),
                by: doer(ActorKind::Person, Some("Ada"), true),
                reason: None,
                from: morning,
                until: Some(FOREVER),
            },
            "An accepted cover is in place from Sat 28 Mar 2026, 09:00 (Europe/Paris) until further notice; Ada, in Slack, made it.",
        ),
    ] {
        assert_eq!(said(&step, Naming::Names), expected);
        let by_ids = said(&step, Naming::Ids);
        for name in ["Ada", "Alan", "Primary", " ci ", "Eve"] {
            assert!(!by_ids.contains(name), "{by_ids}");
        }
    }
    let skipped = skipped("U1", AbsenceSource::Stored);
    assert!(said(&skipped, Naming::Ids).starts_with("U1 is absent from"));
    let day = Step::OffDay {
        date: jiff::civil::date(2026, 3, 28),
        country: CountryCode::parse("NO").unwrap(),
        is_weekend: false,
        name: Some("Fair day".into()),
    };
    assert!(!said(&day, Naming::Ids).contains("Fair"));
    let rotated = by_hand(Deed::Rotated, doer(ActorKind::Key, Some("ci"), false));
    assert!(said(&rotated, Naming::Ids).starts_with("The API key U1 handed over"));
}
