//! Subjects of direct messages.

use super::moved::moved;
use super::*;
use crate::domain::message::{Message, PeopleNames, Subject};

#[test]
fn a_subject_says_what_happened_and_where() {
    let asked = || RequestAsked {
        requester: "ann".into(),
        shifts: Vec::new(),
        reason: None,
    };
    let declined = RequestOutcome::Declined {
        by: "bob".into(),
        nobody_left: false,
    };
    let rows = [
        (
            Content::OnDuty {
                handovers: Vec::new(),
            },
            "You are on duty: Ops",
        ),
        (
            Content::OffDuty {
                handovers: Vec::new(),
                rotation_deleted: true,
            },
            "You are off duty: Ops",
        ),
        (
            Content::ComingUp {
                at: at("2026-11-23T09:00:00Z"),
                handovers: Vec::new(),
            },
            "You come on duty at 2026-11-23 09:00 (UTC): Ops",
        ),
        (
            Content::Nobody {
                rotation_deleted: false,
            },
            "Nobody is on call: Ops",
        ),
        (Content::CoverAsked(asked()), "Ann asks you for cover: Ops"),
        (Content::SwapAsked(asked()), "Ann offers you a swap: Ops"),
        (
            Content::CoverAnswered(RequestOutcome::Ended { by: "bob".into() }),
            "Bob has ended the cover: Ops",
        ),
        (
            Content::SwapAnswered(declined),
            "Bob has declined your swap request: Ops",
        ),
        (
            Content::MentionAnswered {
                asker: "ann".into(),
                outcome: MentionOutcome::Expired,
            },
            "Nobody answers Ann: Ops",
        ),
        (Content::ShiftsMoved(moved()), "Your shifts moved: Ops"),
        (
            Content::Text {
                text: "Hello".into(),
            },
            "A message of rota",
        ),
    ];
    for (content, expected) in rows {
        let message = Message {
            to: Recipient::Person("cat".into()),
            rotation: Some("rot_1".into()),
            rotation_name: "Ops".into(),
            subject: Subject::Rotation,
            content,
            answers: Vec::new(),
            people: PeopleNames::new(),
            expires_at: None,
            thread: None,
        };
        assert_eq!(subject(&message, &named), expected);
    }
}
