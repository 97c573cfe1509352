//! Tables of who may take which action on a request, and when it expires.

use super::*;
use crate::domain::access::{Role, Via};
use crate::domain::rotation::tests::rotation;

fn member(user: &str, is_admin: bool) -> Principal {
    Principal::Person {
        user: user.into(),
        name: "test".into(),
        role: match is_admin {
            true => Role::Admin,
            false => Role::Member,
        },
        via: Via::Token("tok_1".into()),
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// U1 asks U2 and U3 for seconds 10 to 20.
fn request(kind: RequestKind, state: RequestState) -> Request {
    let accepted = matches!(state, RequestState::Accepted | RequestState::Ended);
    Request {
        id: "cov_1".into(),
        rotation: "rot_1".into(),
        kind,
        requester: "U1".into(),
        recipients: vec!["U2".into(), "U3".into()],
        declined: vec!["U3".into()],
        legs: vec![Leg {
            key: None,
            cell: "cel_1".into(),
            holder: "U1".into(),
            assignee: None,
            period: Interval {
                from: at(10),
                until: at(20),
            },
            arrangement: None,
        }],
        reason: String::new(),
        turn_selection: None,
        acknowledged: Vec::new(),
        revision: 1,
        state,
        accepted_by: accepted.then(|| "U2".into()),
    }
}

/// The permitted actions of a caller, as letters: accept, decline, cancel, end.
fn may(request: &Request, caller: &Principal, enabled: bool, now: i64) -> String {
    let mut rotation = rotation();
    rotation.enabled = enabled;
    rotation.profile.public = true;
    rotation.profile.owners = vec!["U8".into()];
    rotation.members.users = ["U1", "U2", "U3"].map(Into::into).to_vec();
    let can = request.capability(caller, &rotation, at(now));
    let any = can.can_accept || can.can_decline || can.can_cancel || can.can_end;
    assert_eq!(can.reason.is_none(), any, "{can:?}");
    let letters = [
        (can.can_accept, 'a'),
        (can.can_decline, 'd'),
        (can.can_cancel, 'c'),
        (can.can_end, 'e'),
    ];
    letters
        .into_iter()
        .filter(|(can, _)| *can)
        .map(|(_, letter)| letter)
        .collect()
}

#[test]
fn who_may_do_what_with_a_request() {
    use RequestKind::{Cover, Swap};
    use RequestState::{Accepted, Cancelled, Declined, Ended, Expired, Pending};
    let callers = [
        member("U1", false),
        member("U2", false),
        member("U3", false),
        member("U8", false),
        member("U9", true),
        member("U4", false),
    ];
    for (kind, state, enabled, now, expected) in [
        (Cover, Pending, true, 0, "c ad a c c -"),
        (Swap, Pending, true, 0, "c ad a c c -"),
        (Cover, Accepted, true, 0, "e e - - - -"),
        (Cover, Accepted, true, 19, "e e - - - -"),
        (Cover, Accepted, true, 20, "- - - - - -"),
        (Swap, Accepted, true, 0, "- - - - - -"),
        (Cover, Declined, true, 0, "- - - - - -"),
        (Cover, Cancelled, true, 0, "- - - - - -"),
        (Cover, Expired, true, 0, "- - - - - -"),
        (Cover, Ended, true, 0, "- - - - - -"),
        (Cover, Pending, false, 0, "- - - - - -"),
        (Cover, Accepted, false, 0, "- - - - - -"),
    ] {
        let request = request(kind, state);
        let shown = callers
            .iter()
            .map(|caller| match may(&request, caller, enabled, now) {
                none if none.is_empty() => "-".to_owned(),
                letters => letters,
            });
        let shown: Vec<String> = shown.collect();
        assert_eq!(
            shown.join(" "),
            expected,
            "{kind:?} {state:?} {enabled} {now}"
        );
    }
    let key = Principal::Key {
        id: "key_1".into(),
        name: "test".into(),
        scopes: Vec::new(),
        rotations: None,
    };
    assert_eq!(may(&request(Cover, Pending), &key, true, 0), "");
}

#[test]
fn a_request_expires_with_the_first_of_its_legs() {
    let mut request = request(RequestKind::Swap, RequestState::Pending);
    request.legs.push(Leg {
        period: Interval {
            from: at(5),
            until: at(15),
        },
        holder: "U2".into(),
        ..request.legs[0].clone()
    });
    let pending = request.pending();
    assert_eq!((pending.expires_at(), pending.until()), (at(15), at(20)));
    assert_eq!((request.span().from, request.span().until), (at(5), at(20)));
    assert_eq!(request.own_leg().period.from, at(10));
    assert!(request.legs[1].has_started(at(5)) && !request.legs[1].has_started(at(4)));
}
