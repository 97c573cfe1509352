//! Strict stand-ins of the three partners in the test's own process. They compute who is on call from layers, restrictions,
//! overrides and zones by code of their own, check every request, and fail as they are told. A request that the partner would
//! refuse, or that it documents otherwise, fails the test at its end.

mod desk;
mod ops;
mod pager;
mod plan;
mod serving;

pub use plan::{Forward, Hours, Layer, Override, Plan, Turns};

use jiff::Timestamp;
use serving::{Asked, Reply};
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

/// The key that the stand-ins take at first.
pub const PARTNER_KEY: &str = "key-of-tests";

/// The account of Jira's token.
pub const DESK_EMAIL: &str = "robot@example.com";

/// The cloud id of Jira's site.
pub const CLOUD_ID: &str = "cloud-1";

/// Which of the three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Pager,
    Ops,
    Desk,
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::Pager, Kind::Ops, Kind::Desk];

    /// The partner's name in rota.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Pager => "pagerPartner",
            Kind::Ops => "opsPartner",
            Kind::Desk => "deskPartner",
        }
    }
}

/// How requests are answered instead.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// With this status.
    Status(u16),
    /// 429 with this header.
    TooMany(&'static str, String),
    /// Not at all.
    Hangs,
    /// With text that is no JSON.
    Garbage,
    /// With JSON that is none of the documented answers.
    OtherJson,
    /// With a body of more than 10 MB.
    Huge,
    /// The connection ends within the body.
    Torn,
}

/// Somebody at the partner.
#[derive(Clone, Debug)]
pub struct Somebody {
    pub name: String,
    /// `None`: hidden.
    pub email: Option<String>,
}

/// What a partner has; a test changes it at any time.
pub struct Estate {
    pub plans: BTreeMap<String, Plan>,
    pub people: BTreeMap<String, Somebody>,
    /// For paths that contain the text; empty for all.
    pub troubles: Vec<(String, Trouble)>,
    pub key: String,
    /// What timelines take for the present; nothing has passed if unset.
    pub now: Option<Timestamp>,
    /// The limit of requests that answers state.
    pub limit: Option<u32>,
    /// How many items a page has at most.
    pub page: usize,
    /// Every request, as `GET /path?query`.
    pub asked: Vec<String>,
    /// What was wrong with requests.
    pub wrong: Vec<String>,
}

/// A stand-in, until the end of the test.
pub struct StandIn {
    pub kind: Kind,
    pub url: String,
    estate: Arc<Mutex<Estate>>,
}

impl StandIn {
    /// A partner without schedules.
    pub fn new(kind: Kind) -> StandIn {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("its address"));
        let estate = Arc::new(Mutex::new(Estate {
            plans: BTreeMap::new(),
            people: BTreeMap::new(),
            troubles: Vec::new(),
            key: PARTNER_KEY.to_owned(),
            now: None,
            limit: None,
            page: 100,
            asked: Vec::new(),
            wrong: Vec::new(),
        }));
        let shared = Arc::clone(&estate);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&shared);
                thread::spawn(move || serving::serve(stream, kind, &shared));
            }
        });
        StandIn { kind, url, estate }
    }

    /// Changes or reads what the partner has.
    pub fn with<T>(&self, act: impl FnOnce(&mut Estate) -> T) -> T {
        act(&mut self.estate.lock().unwrap())
    }

    /// Adds or replaces a schedule.
    pub fn plan(&self, id: &str, plan: Plan) {
        self.with(|estate| estate.plans.insert(id.to_owned(), plan));
    }

    /// Adds people of these ids, whose addresses are those of the test directory's people of the same number, as `a1` is
    /// `u1@example.com`.
    pub fn people(&self, ids: &[&str]) {
        for id in ids {
            let number: String = id.chars().filter(char::is_ascii_digit).collect();
            let somebody = Somebody {
                name: format!("Outside {number}"),
                email: Some(format!("u{number}@example.com")),
            };
            self.with(|estate| estate.people.insert((*id).to_owned(), somebody));
        }
    }

    /// From now on every request is answered like this; `None` ends it.
    pub fn trouble(&self, trouble: Option<Trouble>) {
        self.with(|estate| {
            estate.troubles = trouble
                .into_iter()
                .map(|one| (String::new(), one))
                .collect();
        });
    }

    /// The settings with which rota reads it.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        self.settings_at(&self.url)
    }

    /// The same by way of another address, such as a proxy that compares.
    pub fn settings_at(&self, url: &str) -> Vec<(&'static str, String)> {
        let (url, key) = (url.to_owned(), PARTNER_KEY.to_owned());
        match self.kind {
            Kind::Pager => vec![
                ("ROTA_PARTNERS_PAGERPARTNER_API_KEY", key),
                ("ROTA_PARTNERS_PAGERPARTNER_URL", url),
            ],
            Kind::Ops => vec![
                ("ROTA_PARTNERS_OPSPARTNER_API_KEY", key),
                ("ROTA_PARTNERS_OPSPARTNER_URL", url),
            ],
            Kind::Desk => vec![
                ("ROTA_PARTNERS_DESKPARTNER_SITE", self.url.clone()),
                ("ROTA_PARTNERS_DESKPARTNER_EMAIL", DESK_EMAIL.to_owned()),
                ("ROTA_PARTNERS_DESKPARTNER_API_TOKEN", key),
                ("ROTA_PARTNERS_DESKPARTNER_URL", url),
            ],
        }
    }

    /// The requests whose path contains a text.
    pub fn asked(&self, text: &str) -> usize {
        self.with(|estate| {
            let asked = estate.asked.iter();
            asked.filter(|one| one.contains(text)).count()
        })
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        if !thread::panicking() {
            let wrong = self.with(|estate| std::mem::take(&mut estate.wrong));
            assert!(
                wrong.is_empty(),
                "requests that break the documents: {wrong:#?}"
            );
        }
    }
}

impl Estate {
    /// Answers a request, and takes note of what is wrong with it.
    fn answer(&mut self, kind: Kind, asked: &Asked) -> Reply {
        let answered = match kind {
            Kind::Pager => pager::answer(self, asked),
            Kind::Ops => ops::answer(self, asked),
            Kind::Desk => desk::answer(self, asked),
        };
        let mut reply = answered.unwrap_or_else(|why| {
            self.wrong.push(format!("{}: {why}", asked.line));
            Reply::error(400, &why)
        });
        if let Some(limit) = self.limit {
            let name = match kind {
                Kind::Pager => "ratelimit-limit",
                Kind::Ops | Kind::Desk => "X-RateLimit-Limit",
            };
            reply.headers.push((name.to_owned(), limit.to_string()));
        }
        reply
    }

    /// The name and address of somebody; both are missing of who is gone.
    fn somebody(&self, id: &str) -> Somebody {
        self.people.get(id).cloned().unwrap_or(Somebody {
            name: format!("Gone {id}"),
            email: None,
        })
    }
}
