//! What stands in for the systems of the pages about leaving them, with the people of the demo workspace.

use crate::cli::on;
use crate::support::leaving::goalert::{
    ALWAYS, GoAlert, Override, Rotation, Rule, Schedule, WEEKDAYS,
};
use crate::support::leaving::grafana::{self, Grafana, Shift};
use crate::support::leaving::{Leaving, People};
use crate::support::*;
use jiff::civil::date;

/// The key in the pages.
pub const SHOWN_KEY: &str = "YOUR-KEY";

/// A system that a page shows under an address.
pub struct StandsIn {
    pub shown: &'static str,
    system: Either,
}

enum Either {
    GoAlert(Leaving<GoAlert>),
    Grafana(Leaving<Grafana>),
}

impl StandsIn {
    pub fn url(&self) -> &str {
        match &self.system {
            Either::GoAlert(system) => &system.url,
            Either::Grafana(system) => &system.url,
        }
    }
}

/// The system of a page.
pub fn of(page: &str) -> Option<StandsIn> {
    Some(match page {
        "packaging/docs/come-from-goalert.md" => StandsIn {
            shown: "https://goalert.example.org",
            system: Either::GoAlert(Leaving::new(goalert())),
        },
        "packaging/docs/come-from-grafana-oncall.md" => StandsIn {
            shown: "https://oncall.example.org",
            system: Either::Grafana(Leaving::new(grafana())),
        },
        _ => return None,
    })
}

fn people(ids: &[&str]) -> People {
    let names = ["Ada", "Linus", "Alan", "Grace", "Margaret"];
    let person = |(id, name): (&&str, &str)| {
        let email = format!("{}@demo.example", name.to_lowercase());
        ((*id).to_owned(), (name.to_owned(), email))
    };
    ids.iter().zip(names).map(person).collect()
}

/// Weekly turns, office hours with a backup, and an override.
fn goalert() -> GoAlert {
    let dir = TempDir::new();
    let (_, query, _) = run(&mut on(&dir.join("none.db"), "import goAlert --query"));
    let ids = [
        "0b0a-ada",
        "1c1b-linus",
        "2d2c-alan",
        "3e3d-grace",
        "4f4e-margaret",
    ];
    let mut system = GoAlert::new(
        query.trim_end().to_owned(),
        "2026-11-23T08:00:00Z",
        people(&ids),
    );
    let own = |numbers: &[usize]| {
        numbers
            .iter()
            .map(|number| ids[*number].to_owned())
            .collect()
    };
    for (id, kind, start, turns, name) in [
        (
            "7a11",
            "weekly",
            "2026-11-02T08:00:00Z",
            own(&[0, 1, 2]),
            "Database primary",
        ),
        (
            "7a22",
            "daily",
            "2026-11-02T08:00:00Z",
            own(&[3, 4]),
            "Database backup",
        ),
    ] {
        let rotation = Rotation {
            zone: "Europe/Oslo".to_owned(),
            start: start.parse().expect("an instant"),
            kind,
            length: 1,
            people: turns,
        };
        system.rotations.insert(id.to_owned(), rotation);
        system.names.insert(id.to_owned(), name.to_owned());
    }
    let rule = |target: &str, days, from: i64, until: i64| Rule {
        is_rotation: true,
        target: target.to_owned(),
        days,
        from: from * 60,
        until: until * 60,
    };
    for (id, name, rules) in [
        (
            "5d1e-database",
            "Database",
            vec![rule("7a11", ALWAYS, 0, 0), rule("7a22", WEEKDAYS, 9, 17)],
        ),
        ("6e2f-nights", "Nights", vec![rule("7a11", ALWAYS, 22, 6)]),
    ] {
        let schedule = Schedule {
            zone: "Europe/Oslo".to_owned(),
            rules,
            ..Schedule::default()
        };
        system.schedules.insert(id.to_owned(), schedule);
        system.names.insert(id.to_owned(), name.to_owned());
    }
    let database = system.schedules.get_mut("5d1e-database").expect("it");
    database.overrides = vec![Override {
        add: ids[4].to_owned(),
        remove: ids[1].to_owned(),
        from: "2026-12-24T08:00:00Z".parse().expect("an instant"),
        until: "2026-12-25T08:00:00Z".parse().expect("an instant"),
    }];
    system
}

/// Weekly turns with office hours above them and an override, and a schedule of a calendar.
fn grafana() -> Grafana {
    let ids = ["UADA1", "ULINUS2", "UALAN3", "UGRACE4", "UMARGARET5"];
    let mut system = Grafana::new(people(&ids));
    // Final shifts come in one page.
    system.page = 500;
    let monday = date(2026, 11, 2).at(8, 0, 0, 0);
    let week = Shift::rolling("O1", "weekly", monday, 168, &ids[..3]);
    let mut office = Shift::rolling("O2", "weekly", monday, 8, &ids[3..]);
    office.by_day = vec!["MO", "TU", "WE", "TH", "FR"];
    office.level = 2;
    let mut over = Shift::rolling("O3", "", date(2026, 12, 24).at(8, 0, 0, 0), 24, &ids[1..2]);
    over.kind = "override";
    for (id, kind, name, shifts) in [
        ("SBM7DV7BKFUYU", "web", "Database", vec![week, office, over]),
        ("S3Z477AHDXTMF", "ical", "Holidays", Vec::new()),
    ] {
        let schedule = grafana::Schedule {
            kind,
            zone: "UTC".to_owned(),
            shifts,
        };
        system.schedules.insert(id.to_owned(), schedule);
        system.names.insert(id.to_owned(), name.to_owned());
    }
    for (id, name) in [
        ("O1", "Week"),
        ("O2", "Office hours"),
        ("O3", "Christmas Eve"),
    ] {
        system.names.insert(id.to_owned(), name.to_owned());
    }
    system
}
