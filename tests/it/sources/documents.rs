//! Requests and the answers of the stand-ins, held against the partners' own descriptions by Prism, which `ROTA_PRISM` names.

use super::{fortnight, reader_at, span};
use crate::support::partners::{Kind, Plan, StandIn};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The proxy, until the end of the test.
struct Prism {
    child: Child,
    url: String,
}

impl Prism {
    /// A proxy before a stand-in that refuses what its document does not describe.
    fn before(program: &str, partner: &StandIn) -> Prism {
        let document = match partner.kind {
            Kind::Pager => "pagerduty.json",
            Kind::Ops => "opsgenie.json",
            Kind::Desk => "jsm_ops_subset.json",
        };
        let document = format!(
            "{}/tests/data/partners/{document}",
            env!("CARGO_MANIFEST_DIR")
        );
        let port = {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
            listener.local_addr().expect("its address").port()
        };
        let child = Command::new(program)
            .args([
                "proxy",
                "--errors",
                "-h",
                "127.0.0.1",
                "-p",
                &port.to_string(),
            ])
            .args([&document, &partner.url])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("Prism starts");
        let began = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "Prism does not listen"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
        Prism {
            child,
            url: format!("http://127.0.0.1:{port}"),
        }
    }
}

impl Drop for Prism {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn requests_and_answers_are_as_the_partners_describe_them() {
    let Ok(program) = std::env::var("ROTA_PRISM") else {
        println!("skipped: ROTA_PRISM does not name Prism");
        return;
    };
    for kind in Kind::ALL {
        let partner = StandIn::new(kind);
        partner.people(&["a1", "a2", "a3"]);
        let plan = Plan::weekly("S1", "Europe/Oslo", "2026-11-02T08:00:00Z", &["a1", "a2"]);
        let plan = plan.override_by("O1", "a3", "2026-11-26T10:00:00Z", "2026-11-26T12:00:00Z");
        if kind == Kind::Pager {
            let shift_based = Plan {
                shift_based: true,
                ..plan.clone()
            };
            partner.plan("S2", shift_based);
        }
        partner.plan("S1", plan);
        let prism = Prism::before(&program, &partner);
        let reader = reader_at(&partner, &prism.url);
        let ids = ["a1".to_owned()];
        let all = || -> Result<(), rota::sources::Failure> {
            assert!(!reader.schedules()?.is_empty());
            for id in partner.with(|it| it.plans.keys().cloned().collect::<Vec<_>>()) {
                reader.definition(&id, fortnight())?;
                assert!(reader.timeline(&id, fortnight())?.shifts.len() > 3);
                let quarter = span("2026-11-25T09:00:00Z", "2027-02-23T09:00:00Z");
                assert!(reader.timeline(&id, quarter)?.shifts.len() > 12);
            }
            reader.people(&ids)?;
            Ok(())
        };
        let read = all();
        assert!(read.is_ok(), "{kind:?}: {read:?}");
    }
}
