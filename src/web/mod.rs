//! The pages: what people use every day, made by the same server. HTML, one style sheet, and one script that only helps.
//!
//! Pages know no rules: they call the actions that the API calls, with the rights of whoever is signed in.
//!
//! | File | Part |
//! |---|---|
//! | `routes` | every page: method, path, who may ask, handler |
//! | `gate` | hosts, origins of writes, headers of all answers |
//! | `cookie`, `entry` | the cookie of a session; who reads a page |
//! | `visit` | one request: its path, query, form and reader; writes under an `operationId` |
//! | `form`, `notes`, `sent` | what a form sends and what is wrong with it; what the next page says of a write; forms sent twice |
//! | `readings` | how often calendar feeds are read |
//! | `layout`, `answer`, `assets`, `address` | the frame of pages, answers, style sheet, icons and script, texts in addresses |
//! | `parts` | what pages are built of: fields, people, times, the timeline, safe forms |
//! | `pages` | the pages, a file each |
//!
//! # Add a page
//!
//! 1. Write `pages/NAME.rs`. A handler is `fn(&Visit) -> Outcome`. It reads by an action with `visit.caller`, builds HTML from
//!    `parts`, and returns `layout::page(visit, title, content)`. A page has one `h1`.
//! 2. A form has `parts::fields`, with the API's member names as field names, and `confirm::carried` where it writes to a
//!    rotation. Its handler makes the value of the domain of it, whose constructor holds the limits, writes by `Visit::write`, leaves
//!    a `Note` and returns `answer::see(path)`. `pages::failing` shows refusals beside the form, with what was typed.
//! 3. Add a row to `routes`, and the place to `layout` where it is one of the first level.
//!    A page of a rotation's settings is a row of `pages/settings/sections.rs` instead.
//! 4. Test it in `tests/it/web`: status, rights, what is said where there is nothing yet, names that hold anything.

mod address;
mod answer;
mod assets;
mod cookie;
mod entry;
mod form;
mod form_history;
mod gate;
mod layout;
mod notes;
mod pages;
mod parts;
mod readings;
mod routes;
mod visit;

use crate::actions::App;
use crate::actions::sessions::{self, SessionRules};
use crate::domain::access::Principal;
use crate::domain::address::Net;
use crate::domain::ids::UserId;
use crate::domain::zones::ZoneName;
use crate::metrics::RouteMetrics;
use crate::oidc::{self, SignIns};
use crate::runtime::clock;
use crate::server::rate::{Rates, Refusals};
use crate::server::room::{self, RequestBudget};
use crate::server::{Edge, Outcome, Problem, Request, Response};
use crate::wire::url;
use crate::wire::url::RouteMatch;
use form::Form;
use form_history::{FormHistory, Repeats};
use gate::Site;
use notes::{Notes, Undos};
use pages::docs::Docs;
use pages::settings::Restores;
use readings::FeedReadings;
use routes::{ROUTES, Who};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use visit::Visit;

/// How people sign in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Login {
    pub rules: SessionRules,
    /// Public rotations are read without signing in.
    pub public: bool,
    pub proxy: Option<Proxy>,
    /// Where people sign in by OpenID Connect.
    pub provider: Option<oidc::Settings>,
}

impl Login {
    /// Whether an identity provider or a proxy says who signs in and administers, so that nobody has to be set up here.
    pub fn says_who_administers(&self) -> bool {
        let provider = self.rules.provider.as_ref();
        self.proxy.is_some() || provider.is_some_and(|provider| !provider.admins.is_empty())
    }
}

/// A proxy that says who the reader is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxy {
    /// The header that names the person.
    pub header: String,
    pub by: ProxyMatch,
    /// Only requests from these networks are believed, by the address of the connection.
    pub trusted: Vec<Net>,
    /// A header, with its value, that such requests carry too.
    pub secret: Option<(String, String)>,
}

/// The value of a proxy's header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProxyMatch {
    #[default]
    Email,
    Id,
}

/// The edge of the pages.
pub struct Web {
    app: App,
    login: Login,
    site: Site,
    rates: Arc<Rates>,
    refusals: Refusals,
    budget: RequestBudget,
    notes: Notes,
    undos: Undos<Restores>,
    feed_readings: FeedReadings,
    sent: FormHistory,
    repeats: Repeats,
    /// Makes the OpenAPI document, of which the pages about the API are made when first asked for.
    api: fn() -> Value,
    docs: OnceLock<Docs>,
    /// Sign-ins at the identity provider, where there is one.
    sign_ins: Option<SignIns>,
    /// Counts the answers of each row of the table of routes.
    counters: Vec<RouteMetrics>,
}

/// Whether browsers keep the secure cookies of a server at this base URL: over TLS, or on this machine.
pub fn has_secure_cookies(base_url: &str) -> bool {
    Site::new(base_url, "").has_secure_cookies
}

/// Room for making one page, in bytes.
const ROOM: usize = 6 * 1024 * 1024;

impl Web {
    /// The pages of a workspace that is reached at its base URL and listens at an address. Requests count in the rates, and take
    /// room from the budget, that all edges share.
    pub fn new(
        app: App,
        login: Login,
        listen: &str,
        rates: Arc<Rates>,
        budget: RequestBudget,
    ) -> Web {
        let counted = |row: &routes::Row| app.metrics().route(row.method, row.pattern);
        Web {
            site: Site::new(app.base_url(), listen)
                .and_at(app.standby().map_or(&[][..], |standby| standby.hosts())),
            rates,
            refusals: Refusals::default(),
            notes: Notes::default(),
            undos: Undos::default(),
            feed_readings: FeedReadings::default(),
            sent: FormHistory::default(),
            repeats: Repeats::default(),
            api: || Value::Null,
            docs: OnceLock::new(),
            counters: ROUTES.iter().map(counted).collect(),
            sign_ins: None,
            login,
            budget,
            app,
        }
    }

    /// With pages about the API of this OpenAPI document.
    pub fn with_api(self, api: fn() -> Value) -> Web {
        Web { api, ..self }
    }

    fn docs(&self) -> &Docs {
        self.docs.get_or_init(|| Docs::of(&(self.api)()))
    }

    /// Adds an identity provider at which people sign in.
    pub fn with_sign_ins(self, sign_ins: Option<SignIns>) -> Web {
        Web { sign_ins, ..self }
    }

    fn answer<'a>(
        &'a self,
        request: &Request,
        id: &str,
        counted: &mut &'a RouteMetrics,
    ) -> Outcome {
        let (path, query) = url::split(request.target());
        let is_read = matches!(request.method(), "GET" | "HEAD");
        let (row, parts) = match routes::find(request.method(), path) {
            RouteMatch::Row(index, parts) => {
                let parts: Vec<Cow<str>> = parts.into_iter().map(|(_, part)| part).collect();
                (index, parts)
            }
            RouteMatch::Nothing => return Err(Problem::unknown_route()),
            RouteMatch::OtherMethod(allowed) => {
                self.site.check_host(request)?;
                return Err(Problem::wrong_method(&allowed));
            }
        };
        self.site.check_host(request)?;
        if !is_read {
            let bears_secret = routes::bears_secret(path);
            self.site.check_origin(request, bears_secret)?;
        }
        *counted = &self.counters[row];
        let row = &ROUTES[row];
        if let Who::Everybody(run) = row.who {
            return run(self, request, &parts);
        }
        cookie::check(&self.site, request)?;
        let reader = entry::reader(self, request)?;
        if let Some(reader) = &reader {
            self.ask(&reader.person.id)?;
        }
        let is_known = reader.is_some();
        let run = match row.who {
            Who::Reader(run) if is_known => run,
            Who::Public(run) if is_known || self.login.public => run,
            Who::Signing(run) => run,
            _ => {
                let next = if is_read { request.target() } else { "/" };
                return Ok(answer::see(layout::sign_in_path(next)));
            }
        };
        let query = url::parameters(query).map(Form::with).ok_or_else(|| {
            let detail = "the address is not percent-encoded UTF-8";
            Problem::new(400, "invalid_request", detail)
        })?;
        if matches!(row.who, Who::Reader(_)) && !is_read {
            self.app.store().check_written_here()?;
        }
        let form = match is_read {
            true => Form::default(),
            false => Form::read(request)?,
        };
        let credential = reader.as_ref().map(|reader| reader.person.id.to_string());
        let share = self
            .budget
            .room(request, credential.as_deref())
            .take(row.memory())?;
        let visit = Visit {
            web: self,
            id,
            request,
            path: parts,
            query,
            form,
            caller: reader
                .as_ref()
                .map_or(Principal::Visitor, |reader| reader.principal.clone()),
            zone: reader
                .as_ref()
                .map_or(ZoneName::utc(), |reader| reader.zone),
            reader,
            now: self.app.now(),
        };
        let response = match row.who {
            Who::Reader(_) if !is_read => visit.unless_repeated(|| run(&visit))?,
            _ => run(&visit)?,
        };
        Ok(room::hold(response, share))
    }

    /// Counts a request of a person.
    fn ask(&self, user: &UserId) -> Result<(), Problem> {
        let asked = self.rates.ask(user.as_str(), clock::monotonic());
        asked.map_err(Problem::rate_limited)
    }

    /// Counts a failed sign-in of an address, and has the first within a minute in the audit log.
    fn count_failure(&self, visit: &Visit) -> Result<(), Problem> {
        let address = visit.request.client_address();
        let waits = self.rates.fail(address, clock::monotonic());
        waits.map_err(Problem::rate_limited)?;
        if self.refusals.is_first(address, visit.now)
            && let Err(error) = sessions::refused(&self.app, visit.origin())
        {
            log::warn!("a refused sign-in is not in the audit log: {error}");
        }
        Ok(())
    }
}

impl Edge for Web {
    /// Everything that is no other edge's: so that a wrong address is answered by a page.
    fn prefixes(&self) -> &'static [&'static str] {
        &[""]
    }

    fn log_target(&self) -> &'static str {
        "rota::web"
    }

    fn handle<'a>(
        &'a self,
        request: &Request,
        id: &str,
        counted: &mut &'a RouteMetrics,
    ) -> Outcome {
        self.answer(request, id, counted).map(gate::secured)
    }

    fn counted(&self, request: &Request) -> Option<&RouteMetrics> {
        let (path, _) = url::split(request.target());
        match routes::find(request.method(), path) {
            RouteMatch::Row(index, _) => Some(&self.counters[index]),
            RouteMatch::OtherMethod(_) | RouteMatch::Nothing => None,
        }
    }

    fn logged<'a>(&self, path: &'a str) -> Cow<'a, str> {
        routes::logged(path)
    }

    fn render(&self, request: &Request, problem: &Problem, id: &str) -> Response {
        match gate::wants_html(request) {
            true => gate::secured(layout::problem(problem, id)),
            false => gate::secured(problem.render(id)),
        }
    }
}
