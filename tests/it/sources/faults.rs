//! Partners that refuse, hang, or answer what they should not.

use super::{fortnight, reader};
use crate::support::partners::{Kind, Plan, StandIn, Trouble};
use rota::domain::partner::ReadFailure;
use std::time::{Duration, Instant};

fn partner(kind: Kind) -> StandIn {
    let partner = StandIn::new(kind);
    partner.people(&["a1", "a2"]);
    let plan = Plan::weekly("S1", "Europe/Oslo", "2026-11-02T08:00:00Z", &["a1", "a2"]);
    partner.plan("S1", plan);
    partner
}

#[test]
fn every_failure_has_its_name() {
    for kind in Kind::ALL {
        let partner = partner(kind);
        let reader = reader(&partner);
        // Jira's site has said where the API is.
        reader.timeline("S1", fortnight()).expect("the timeline");
        for (trouble, failure) in [
            (Trouble::Status(401), ReadFailure::Unauthorized),
            (Trouble::Status(403), ReadFailure::Forbidden),
            (Trouble::Status(404), ReadFailure::NotFound),
            (Trouble::Status(422), ReadFailure::InvalidResponse),
            (Trouble::Status(302), ReadFailure::InvalidResponse),
            (Trouble::Status(500), ReadFailure::ServerError),
            (Trouble::Status(503), ReadFailure::ServerError),
            (Trouble::Garbage, ReadFailure::InvalidResponse),
            (Trouble::OtherJson, ReadFailure::InvalidResponse),
            (Trouble::Huge, ReadFailure::InvalidResponse),
            (Trouble::Torn, ReadFailure::Connection),
        ] {
            partner.trouble(Some(trouble.clone()));
            let found = reader.timeline("S1", fortnight()).expect_err("a failure");
            assert_eq!(found.kind, failure, "{kind:?} {trouble:?}: {found}");
        }
        partner.trouble(None);
        reader
            .timeline("S1", fortnight())
            .expect("the timeline again");
        for id in ["", "..", "none", "a/b", "\n"] {
            let found = reader.timeline(id, fortnight()).expect_err("no schedule");
            assert_eq!(found.kind, ReadFailure::NotFound, "{kind:?} {id:?}");
            let found = reader.definition(id, fortnight()).expect_err("no schedule");
            assert_eq!(found.kind, ReadFailure::NotFound, "{kind:?} {id:?}");
        }
        partner.with(|it| it.key = "another".to_owned());
        let found = reader.schedules().expect_err("an old key");
        assert_eq!(found.kind, ReadFailure::Unauthorized, "{kind:?}");
    }
}

pub fn a_partner_that_hangs_costs_ten_seconds() {
    let partner = partner(Kind::Ops);
    let reader = reader(&partner);
    partner.trouble(Some(Trouble::Hangs));
    let began = Instant::now();
    let found = reader.timeline("S1", fortnight()).expect_err("a failure");
    assert_eq!(found.kind, ReadFailure::Timeout);
    let took = began.elapsed();
    assert!((9..20).contains(&took.as_secs()), "{took:?}");
}

#[test]
fn a_partner_that_is_not_there_is_a_failed_connection() {
    let partner = partner(Kind::Pager);
    let url = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        format!("http://{}", listener.local_addr().expect("its address"))
    };
    let reader = super::reader_at(&partner, &url);
    let found = reader.timeline("S1", fortnight()).expect_err("a failure");
    assert_eq!(found.kind, ReadFailure::Connection);
}

#[test]
fn a_refusal_is_waited_out() {
    for (kind, header) in [
        (Kind::Pager, "ratelimit-reset"),
        (Kind::Ops, "X-RateLimit-Period-In-Sec"),
        (Kind::Desk, "Retry-After"),
    ] {
        let partner = partner(kind);
        let reader = reader(&partner);
        assert_eq!(reader.wait(), Duration::ZERO);
        reader.timeline("S1", fortnight()).expect("the timeline");
        partner.trouble(Some(Trouble::TooMany(header, "3600".to_owned())));
        let found = reader.timeline("S1", fortnight()).expect_err("a failure");
        assert_eq!(found.kind, ReadFailure::RateLimited, "{kind:?}");
        assert_eq!(found.wait, Some(Duration::from_secs(3600)));
        // Nothing is sent until then, although the partner would answer.
        partner.trouble(None);
        let sent = partner.asked("");
        let found = reader.timeline("S1", fortnight()).expect_err("a failure");
        assert_eq!(found.kind, ReadFailure::RateLimited);
        assert_eq!(partner.asked(""), sent);
        assert!(reader.wait() > Duration::from_secs(3500), "{kind:?}");
    }
}

#[test]
fn half_of_a_stated_limit_is_kept() {
    for kind in Kind::ALL {
        let partner = partner(kind);
        partner.with(|it| it.limit = Some(8));
        let reader = reader(&partner);
        let mut read = 0;
        // The fifth would have to wait for most of a minute.
        let failure = loop {
            match reader.timeline("S1", fortnight()) {
                Ok(_) => read += 1,
                Err(failure) => break failure,
            }
        };
        assert_eq!(failure.kind, ReadFailure::RateLimited);
        assert_eq!(read, 4, "{kind:?}");
        assert_eq!(partner.asked("S1"), 4, "{kind:?}");
    }
}

#[test]
fn a_wrong_site_is_no_missing_schedule() {
    let desk = partner(Kind::Desk);
    let missing = ("tenant_info".to_owned(), Trouble::Status(404));
    desk.with(|it| it.troubles.push(missing));
    let reader = reader(&desk);
    for failure in [
        reader.schedules().err(),
        reader.definition("S1", fortnight()).err(),
        reader.reading("S1", fortnight()).err(),
    ] {
        let failure = failure.expect("a failure");
        assert_eq!(failure.kind, ReadFailure::InvalidResponse, "{failure}");
        assert!(
            failure.detail.contains("partners.deskPartner.site"),
            "{failure}"
        );
    }
}
