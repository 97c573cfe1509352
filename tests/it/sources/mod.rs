//! Reading partners: what their stand-ins answer, and every way to fail. The readers are those of the program, called without
//! a server.

mod documents;
pub mod faults;
mod import;
mod import_again;
mod import_doubts;
mod leaving;
mod reading;

use crate::support::partners::{CLOUD_ID, DESK_EMAIL, Kind, PARTNER_KEY, StandIn};
use rota::client::{Secret, Tls, Trust};
use rota::domain::partner::{Shift, Timeline};
use rota::domain::time::Interval;
use rota::sources::{DeskSettings, KeySettings, Settings, Source, readers};
use std::sync::Arc;

/// The program's reader of a stand-in.
fn reader(partner: &StandIn) -> Arc<dyn Source> {
    reader_at(partner, &partner.url)
}

/// The same by way of another address.
fn reader_at(partner: &StandIn, url: &str) -> Arc<dyn Source> {
    let key = || {
        Some(KeySettings {
            api_key: Secret::new(PARTNER_KEY),
            url: url.to_owned(),
        })
    };
    let mut settings = Settings::default();
    match partner.kind {
        Kind::Pager => settings.pager = key(),
        Kind::Ops => settings.ops = key(),
        Kind::Desk => {
            settings.desk = Some(DeskSettings {
                site: partner.url.clone(),
                email: DESK_EMAIL.to_owned(),
                api_token: Secret::new(PARTNER_KEY),
                // The site says it, unless a proxy of the other address is in between.
                cloud_id: (url != partner.url).then(|| CLOUD_ID.to_owned()),
                url: url.to_owned(),
            });
        }
    }
    let tls = Tls::load(Trust::Bundled, None).expect("certificate authorities");
    readers(&settings, &tls).pop().expect("a reader")
}

fn span(from: &str, until: &str) -> Interval {
    Interval {
        from: from.parse().expect("an instant"),
        until: until.parse().expect("an instant"),
    }
}

/// Two weeks from an hour before a Wednesday morning.
fn fortnight() -> Interval {
    span("2026-11-25T09:00:00Z", "2026-12-09T10:00:00Z")
}

/// A shift a line.
fn shown(timeline: &Timeline) -> Vec<String> {
    let short = |at: jiff::Timestamp| at.strftime("%m-%dT%H").to_string();
    let row = |shift: &Shift| {
        let id = |id: &Option<String>| id.clone().unwrap_or_else(|| "-".to_owned());
        format!(
            "{} {} {} {} {}..{} of {}..{}",
            shift
                .member
                .id
                .as_deref()
                .unwrap_or(shift.member.kind.name()),
            shift.source.kind.name(),
            id(&shift.source.rotation_id),
            id(&shift.source.override_id),
            short(shift.span.from),
            short(shift.span.until),
            short(shift.original.from),
            short(shift.original.until),
        )
    };
    timeline.shifts.iter().map(row).collect()
}
