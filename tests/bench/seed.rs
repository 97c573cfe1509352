//! Creates databases for benchmarks through the library.

use jiff::Timestamp;
use rota::actions::creation::{self, NewCreation};
use rota::actions::directory::{self, Consent};
use rota::actions::grid::ReplaceCoverage;
use rota::actions::keys::{NewKey, create_key};
use rota::actions::mutation::{Mutation, Operation};
use rota::actions::{App, Outward};
use rota::domain::absence::Absences;
use rota::domain::access::{Principal, Scope};
use rota::domain::audit::Author;
use rota::domain::cadence::{Cadence, Kind, Skips};
use rota::domain::coverage::Stretch;
use rota::domain::edit::NewRotation;
use rota::domain::grid::{
    CadenceSpec, CellSpec, GridSpec, HandleSpec, LaneSpec, WindowSpec, ZoneSpec,
};
use rota::domain::handover::{self, DealingContext};
use rota::domain::holidays::Calendar;
use rota::domain::ids::{CellId, KeyId, LaneId, RotationId, UserId, WindowId};
use rota::domain::rotation::{Holder, Reason, Rotation};
use rota::domain::tiers::{Tier, TierLimits};
use rota::domain::time::HhMm;
use rota::domain::zones::ZoneName;
use rota::runtime::clock::Clock;
use rota::store::{self, Directory, Error, MemberLists, Person, Source, Store, Team};
use rota::wire::etag::Precondition;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder beside the build, on a real disk.
pub struct Scratch {
    path: PathBuf,
    kept: bool,
}

impl Scratch {
    /// A folder that is removed on drop.
    pub fn new(name: &str) -> Scratch {
        Scratch::at(&format!("{name}-{}", std::process::id()), false)
    }

    /// A folder with a fixed name that is kept for later runs.
    pub fn kept(name: &str) -> Scratch {
        Scratch::at(name, true)
    }

    fn at(name: &str, kept: bool) -> Scratch {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-{name}"));
        std::fs::create_dir_all(&path).expect("a folder for databases");
        Scratch { path, kept }
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.kept {
            drop(std::fs::remove_dir_all(&self.path));
        }
    }
}

/// History entries per commit.
const A_COMMIT: i64 = 200_000;

/// A database with six people and an API key with every scope.
pub struct Seed {
    pub app: App,
    pub path: PathBuf,
    pub key: String,
}

/// Whoever fills a database.
pub static AUTHOR: Author = Author::local(Principal::Operator { user: None }, "bench");

/// Writes a rotation, whatever its version.
pub fn write(app: &App, rotation: &RotationId, operation: impl Operation) -> Rotation {
    let mutation = Mutation {
        author: &Author::local(caller(), "bench"),
        rotation,
        precondition: &Precondition::Any,
        operation,
    };
    mutation.run(app).expect("a write").rotation
}

/// A caller with all rights.
pub fn caller() -> Principal {
    Principal::Key {
        id: KeyId::from("key_bench"),
        name: "test".into(),
        scopes: Scope::COMBINED.to_vec(),
        rotations: None,
    }
}

/// The app of a database.
pub fn app(path: &Path, clock: Clock) -> App {
    let outward = Outward::usual("http://127.0.0.1:8080").expect("TLS can be set up");
    app_with(path, Arc::new(clock), outward)
}

fn app_with(path: &Path, clock: Arc<Clock>, outward: Outward) -> App {
    let store = Store::open(path, Arc::clone(&clock), true).expect("a database");
    let limits = TierLimits::of(Tier::Pro);
    App::new(store, Calendar::embedded(), clock, limits, outward)
}

impl Seed {
    pub fn new(path: PathBuf, clock: Clock) -> Seed {
        Seed::of(path, clock, users())
    }

    /// The same with other people.
    pub fn of(path: PathBuf, clock: Clock, people: Vec<UserId>) -> Seed {
        let app = app(&path, clock);
        let directory = Directory {
            team: Team {
                id: "T1".into(),
                name: None,
                domain: None,
            },
            people: people.into_iter().map(person).collect(),
            groups: Vec::new(),
            channels: Vec::new(),
            handles: Vec::new(),
            phones: Default::default(),
        };
        directory::import(&app, &AUTHOR, directory, Consent::Given).expect("an import");
        let new = NewKey {
            name: "bench".into(),
            scopes: Scope::COMBINED.to_vec(),
            rotations: None,
            disabled: false,
            expires_at: None,
        };
        let (_, key) = create_key(app.store(), &AUTHOR, new).expect("a key");
        Seed { app, path, key }
    }

    /// The same with other outgoing settings.
    pub fn with(self, outward: Outward) -> Seed {
        let clock = Arc::clone(self.app.clock());
        let app = app_with(&self.path, clock, outward);
        Seed { app, ..self }
    }

    /// A rotation of all six people with `lanes` lanes, and windows with these hours (none means the whole week), all handed over
    /// weekly at one instant.
    pub fn rotation(
        &self,
        name: &str,
        lanes: usize,
        windows: &[&[Stretch]],
        starts_at: Timestamp,
    ) -> Rotation {
        self.rotation_of(name, users(), grid(lanes, windows, starts_at))
    }

    /// A rotation of these people with a grid.
    pub fn rotation_of(&self, name: &str, people: Vec<UserId>, grid: GridSpec) -> Rotation {
        let rotation = NewRotation {
            name: name.into(),
            description: None,
            code: None,
            public: true,
            lanes: 1,
            owners: vec![UserId::from("U1")],
            channels: Vec::new(),
            users: people,
            groups: Vec::new(),
            summary: None,
            dealing: Default::default(),
            absence_policy: Default::default(),
        };
        let creation = NewCreation {
            key: name.into(),
            body_hash: [0; 32],
            rotation,
        };
        let created = creation::create(&self.app, &AUTHOR, creation)
            .expect("a rotation")
            .rotation;
        write(&self.app, &created.id, ReplaceCoverage(grid))
    }

    /// A number of copies of a rotation, in one commit.
    pub fn copies(&self, like: Rotation, count: usize) {
        let calendar = Calendar::embedded();
        let dealing = DealingContext {
            calendar: &calendar,
            absences: &Absences::default(),
        };
        let due = handover::next_due(&like, dealing);
        let write = move |tx: &mut store::WriteTx| -> Result<(), Error> {
            for _ in 0..count {
                let mut copy = like.clone();
                copy.id = RotationId::from(tx.mint("rot_"));
                copy.lanes
                    .iter_mut()
                    .for_each(|lane| lane.id = LaneId::from(tx.mint("lan_")));
                copy.windows
                    .iter_mut()
                    .for_each(|window| window.id = WindowId::from(tx.mint("win_")));
                for roster in &mut copy.rosters {
                    for next in &mut roster.next_turns {
                        let windows = like.windows.iter().zip(&copy.windows);
                        let mut same = windows.filter(|(old, _)| old.id == next.window);
                        next.window = same.next().expect("its window").1.id.clone();
                    }
                }
                copy.cells
                    .iter_mut()
                    .for_each(|cell| cell.id = CellId::from(tx.mint("cel_")));
                store::insert_rotation(tx, &copy, due)?;
                let lists = MemberLists {
                    users: Some(users()),
                    groups: None,
                };
                store::save_members(tx, &copy.id, &lists)?;
                let all: Vec<usize> = (0..copy.cells.len()).collect();
                store::begin_entries(tx, &copy, &all, None)?;
            }
            Ok(())
        };
        self.app.store().write(write).expect("copies");
    }

    /// A history of this many hours before now, with an entry per hour, in the first cell of a rotation.
    pub fn record(&self, rotation: Rotation, hours: i64) {
        let mut left = hours;
        while left > 0 {
            let part = left.min(A_COMMIT);
            let (mut past, people, now) =
                (rotation.clone(), users(), rotation.cells[0].entry.start);
            let write = move |tx: &mut store::WriteTx| -> Result<(), Error> {
                for hour in (left - part + 1..=left).rev() {
                    let entry = &mut past.cells[0].entry;
                    entry.start = now - jiff::SignedDuration::from_hours(hour);
                    entry.user = Some(people[hour as usize % people.len()].clone());
                    entry.reason = Reason::NextOnScheduledDuty;
                    let (user, since) = (entry.user.clone(), entry.start);
                    past.cells[0].holder = user.map(|user| Holder {
                        user,
                        since,
                        dealt: None,
                        skipped: Vec::new(),
                    });
                    store::begin_entries(tx, &past, &[0], None)?;
                }
                Ok(())
            };
            self.app.store().write(write).expect("a record");
            left -= part;
        }
        let last = move |tx: &mut store::WriteTx| store::begin_entries(tx, &rotation, &[0], None);
        self.app.store().write(last).expect("the running entry");
    }
}

/// The ids of the people.
pub fn users() -> Vec<UserId> {
    (1..=6).map(|n| UserId::from(format!("U{n}"))).collect()
}

/// Monday 09:00 to Friday 17:00.
pub fn working_week() -> Stretch {
    use jiff::civil::Weekday;
    let time = |text| HhMm::parse(text).expect("a time of day");
    Stretch {
        start_day: Weekday::Monday,
        start_time: time("09:00"),
        end_day: Weekday::Friday,
        end_time: time("17:00"),
    }
}

fn person(id: UserId) -> Person {
    Person {
        display_name: Some(format!("Person {id}")),
        email: Some(format!("{id}@example.org")),
        id,
        team_id: "T1".into(),
        real_name: None,
        is_guest: false,
        is_external: false,
        is_deleted: false,
        is_admin: false,
        avatar_url: None,
        time_zone: None,
        handle: None,
        source: Source::File,
        zone_is_own: false,
    }
}

fn grid(lanes: usize, windows: &[&[Stretch]], starts_at: Timestamp) -> GridSpec {
    let zone = ZoneName::parse("Europe/Oslo").expect("a zone");
    let cadence = Cadence {
        kind: Kind::DayOfWeek,
        zone,
        starts_at,
        period: 1,
        skips: Skips::default(),
    };
    let lane = |n: usize| format!("lane-{n}");
    let window = |n: usize| format!("window-{n}");
    let window_spec = |(n, hours): (usize, &&[Stretch])| WindowSpec {
        handle: HandleSpec::id(&window(n)),
        name: Some(window(n)),
        zone: ZoneSpec::Named(zone),
        coverage: hours.to_vec(),
        cadence: CadenceSpec::Timed(cadence.clone()),
    };
    let cell = |w: usize, l: usize| CellSpec {
        id: None,
        lane: lane(l),
        window: window(w),
        roster: None,
    };
    GridSpec {
        lanes: (0..lanes)
            .map(|n| LaneSpec {
                handle: HandleSpec::id(&lane(n)),
                name: Some(Some(lane(n))),
            })
            .collect(),
        windows: Some(windows.iter().enumerate().map(window_spec).collect()),
        cells: (0..windows.len())
            .flat_map(|w| (0..lanes).map(move |l| (w, l)))
            .map(|(w, l)| cell(w, l))
            .collect(),
        double_cover: false,
        rosters: Vec::new(),
    }
}
