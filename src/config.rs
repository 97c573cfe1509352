//! Settings from flags, `ROTA_*` environment variables, the config file and defaults, in this order of precedence.
//!
//! Each layer is read and checked as a whole, so that an error names the source of the value. An unknown key in the file is
//! an error that names the nearest known one. Unknown variables are ignored: those that resemble a setting are logged.

mod file;
mod known;
mod secret;
mod table;
#[cfg(test)]
mod tests;
mod values;

pub use known::variables;
pub use values::{BaseUrl, Listen, LogFilter, duration, instant, lifetime};

mod login;
mod matrix;
mod oidc;
mod partners;
mod relay;
mod slack;

pub use login::{LoginPart, ProxyPart};
pub use matrix::MatrixPart;
pub use oidc::OidcPart;
pub use partners::{DeskPart, OpsPart, PagerPart, PartnersPart};
pub use relay::{IncomingWebhookPart, MailPart};
pub use secret::Hidden;
pub use slack::{Platform, SlackPart};

use crate::actions::REMINDER_BEFORE;
use crate::actions::told_plan::NoticeSettings;
use crate::api::Access;
use crate::client::Trust;
use crate::domain::address::Net;
use crate::domain::personal_calendar::READ_EVERY;
use crate::domain::retry_schedule::{LIFE, RetrySchedule};
use crate::domain::tiers::{Tier, TierLimits};
use crate::web::Login;
use jiff::SignedDuration;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use table::{
    Aside, Given, Layer, Part, Setting, Table, Wrong, commas, items, list, number, one, path,
    table, text,
};
use values::{DAY, MINUTE, choice, within};

table! {
    /// Settings of the operator. For `None` the command uses its default.
    Config at "" {
        /// The database file.
        db: Option<PathBuf> = one(path, r#""/var/lib/rota/rota.db""#),
        /// The address to listen on.
        listen: Option<Listen> = text(str::parse, r#""127.0.0.1:8080""#),
        /// The public URL of the server.
        base_url: Option<BaseUrl> = text(str::parse, r#""https://rota.example.org""#),
        /// The log filter.
        log: Option<LogFilter> = text(str::parse, r#""info""#),
        http: HttpPart = Part,
        audit: AuditPart = Part,
        metrics: MetricsPart = Part,
        login: LoginPart = Part,
        plan: PlanPart = Part,
        chat: ChatPart = Part,
        notices: NoticesPart = Part,
        slack: SlackPart = Part,
        matrix: MatrixPart = Part,
        mail: MailPart = Part,
        partners: PartnersPart = Part,
        holidays: HolidaysPart = Part,
        rate_limit: RateLimitPart = Part,
        webhooks: WebhooksPart = Part,
        calendars: CalendarsPart = Part,
        /// The config file that was read.
        file: Option<PathBuf> = Aside,
        /// Where what is set was set.
        origins: Origins = Aside,
    }
}

table! {
    /// `[http]`: how requests reach the server.
    HttpPart at "http" {
        /// The networks of reverse proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` count.
        trusted_proxies: Option<Vec<Net>> = list(str::parse, r#"["127.0.0.1", "10.1.0.0/16"]"#) => Vec::new(),
    }
}

table! {
    /// `[audit]`: the audit log.
    #[derive(Copy)]
    AuditPart at "audit" {
        /// How long entries are kept.
        keep: Option<SignedDuration> = text(
            |text| within(text, DAY..=i64::MAX, "out of range; write at least 1d, such as 400d"),
            r#""400d""#,
        ),
    }
}

table! {
    /// `[metrics]`: access to metrics.
    #[derive(Copy)]
    MetricsPart at "metrics" {
        /// Who may read metrics.
        access: Option<Access> = text(
            |text| choice(
                text,
                [("limited", Access::Limited), ("open", Access::Open), ("key", Access::Key)],
                "known; write \"limited\", \"open\" or \"key\"",
            ),
            r#""limited""#,
        ) => Access::default(),
    }
}

table! {
    /// `[chat]`: messages.
    ChatPart at "chat" {
        /// Where the people, groups and channels are.
        platform: Option<Platform> = text(
            |text| choice(
                text,
                [("local", Platform::Local), ("slack", Platform::Slack), ("matrix", Platform::Matrix)],
                "known; write \"local\", \"slack\" or \"matrix\"",
            ),
            r#""slack""#,
        ) => Platform::default(),
        /// How long before a hand-over the reminder is sent; 0 sends none.
        reminder_before: Option<SignedDuration> = text(
            |text| within(text, 0..=30 * DAY, "too long; write at most 30d, or 0s for no reminders"),
            r#""1h""#,
        ) => REMINDER_BEFORE,
        /// Where the messages to channels are posted.
        incoming_webhook: Option<Vec<IncomingWebhookPart>> = one(relay::incoming_webhooks, relay::EXAMPLE),
    }
}

table! {
    /// `[notices]`: when people are told of what moved in their own plan.
    #[derive(Copy)]
    NoticesPart at "notices" {
        /// How far ahead.
        horizon: Option<SignedDuration> = text(
            |text| within(text, 7 * DAY..=180 * DAY, "out of range; write 7d to 180d, such as 60d"),
            r#""60d""#,
        ) => NoticeSettings::default().horizon,
        /// How long after the last change.
        delay: Option<SignedDuration> = text(
            |text| within(text, 0..=10 * MINUTE, "too long; write at most 10m, or 0s to tell them at once"),
            r#""60s""#,
        ) => NoticeSettings::default().delay,
    }
}

table! {
    /// `[plan]`: tier and quotas of the workspace.
    #[derive(Copy)]
    PlanPart at "plan" {
        name: Option<Tier> = text(
            |text| Tier::parse(text).ok_or_else(|| format!("{text:?} is not a plan; write \"free\" or \"pro\"")),
            r#""pro""#,
        ) => Tier::Pro,
        /// The most rotations; the tier's quota if unset.
        max_rotations: Option<u64> = one(number, "100"),
        /// The most people in rotations, each counted once; the tier's quota if unset.
        max_people: Option<u64> = one(number, "1000"),
    }
}

table! {
    /// `[holidays]`: additional holidays.
    HolidaysPart at "holidays" {
        /// A file of days to add or remove.
        file: Option<PathBuf> = one(path, r#""/etc/rota/holidays.txt""#),
    }
}

table! {
    /// `[rate_limit]`: the rate limit of each credential.
    #[derive(Copy)]
    RateLimitPart at "rate_limit" {
        /// 0 turns the limit off.
        requests_per_minute: Option<u32> = one(number, "600"),
        /// Requests that may arrive at once. With 0 every one would be refused.
        burst: Option<u32> = one(
            |given| match number(given)? {
                0 => Err("0 would refuse every request; write at least 1, or requests_per_minute 0 to turn the limit off"
                    .to_owned()
                    .into()),
                burst => Ok(burst),
            },
            "100",
        ),
    }
}

/// The most waits in a retry schedule.
const MOST_WAITS: usize = 50;

table! {
    /// `[webhooks]`: how deliveries are sent.
    WebhooksPart at "webhooks" {
        /// The retry schedule: the wait before each further round. No round begins after 7 days.
        ladder: Option<Vec<SignedDuration>> = one(
            |given| {
                let wait = |text: &str| within(text, 0..=LIFE.as_secs(), "too long; write at most 7d");
                let waits = items(given, commas, wait)?;
                match waits.len() {
                    0..=MOST_WAITS => Ok(waits),
                    count => Err(format!("{count} waits are too many; write at most {MOST_WAITS}").into()),
                }
            },
            r#"["30s", "5m", "1h"]"#,
        ),
        /// Allowed networks: addresses that deliveries may connect to although they are not public.
        allow_nets: Option<Vec<Net>> = list(str::parse, r#"["10.1.0.0/16"]"#) => Vec::new(),
        /// A PEM file of certificate authorities, trusted in addition to `trust`.
        extra_ca_file: Option<PathBuf> = one(path, r#""/etc/rota/ca.pem""#),
        /// Which certificate authorities are trusted.
        trust: Option<Trust> = text(
            |text| choice(
                text,
                [("bundled", Trust::Bundled), ("system", Trust::System)],
                "known; write \"bundled\" or \"system\"",
            ),
            r#""bundled""#,
        ) => Trust::default(),
    }
}

table! {
    /// `[calendars]`: how calendars of people are read.
    #[derive(Copy)]
    CalendarsPart at "calendars" {
        /// How often each is read.
        read_every: Option<SignedDuration> = text(
            |text| within(text, MINUTE..=7 * DAY, "out of range; write 1m to 7d, such as 15m"),
            r#""15m""#,
        ) => READ_EVERY,
    }
}

/// Where settings were set, by their path: `rota.toml:3: holidays.file`, `ROTA_HOLIDAYS_FILE`, `--db`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins(BTreeMap<String, String>);

impl Origins {
    /// Where the setting of a path such as `holidays.file` was set; the path itself where it is unset.
    pub fn of<'a>(&'a self, path: &'a str) -> &'a str {
        self.0.get(path).map_or(path, String::as_str)
    }

    /// Where the first setting is set whose path begins like this; the beginning itself where there is none.
    fn first_below<'a>(&'a self, beginning: &'a str) -> &'a str {
        let found = self.0.iter().find(|(path, _)| path.starts_with(beginning));
        found.map_or(beginning, |(_, origin)| origin)
    }

    /// What to say where a key is missing in a table of which others are set.
    fn missing(&self, table: &str, key: &str) -> String {
        self.missing_beside(table, "", key)
    }

    /// The same of a key that goes with the one that this begins.
    fn missing_beside(&self, table: &str, beginning: &str, key: &str) -> String {
        format!(
            "{}: {key} is missing beside it; write {} below [{table}]",
            self.first_below(&format!("{table}.{beginning}")),
            known::line_of(&format!("{table}.{key}"))
        )
    }
}

/// What to say of a variable that is no setting and resembles one; `None` of every other.
pub use known::resembling;

impl PlanPart {
    /// The tier with its quotas; without a name it is pro.
    pub fn tier_limits(self) -> TierLimits {
        let own = TierLimits::of(self.name());
        TierLimits {
            max_rotations: self.max_rotations.or(own.max_rotations),
            max_people: self.max_people.or(own.max_people),
            ..own
        }
    }
}

impl NoticesPart {
    /// Both settings.
    pub fn settings(self) -> NoticeSettings {
        NoticeSettings {
            horizon: self.horizon(),
            delay: self.delay(),
        }
    }
}

impl WebhooksPart {
    /// The retry schedule.
    pub fn retry_schedule(&self) -> RetrySchedule {
        self.ladder
            .clone()
            .map(RetrySchedule::new)
            .unwrap_or_default()
    }
}

impl Config {
    /// Merges the layers. `flags` are the settings of the command line, `config` is the file that it named, and
    /// `environment` returns a variable by its name. `usual` is the file that is read, if it is there, where neither a file nor a
    /// database is named.
    ///
    /// The error is one line: the source of the value, what is wrong with it, and what to send instead.
    pub fn load(
        flags: Config,
        config: Option<PathBuf>,
        usual: Option<&Path>,
        environment: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Config, String> {
        let given = |name: &str| environment(name).filter(|value| !value.is_empty());
        let names_database = flags.db.is_some() || given("ROTA_DB").is_some();
        let usual = usual.filter(|path| !names_database && !is_absent(path));
        let named = config.or_else(|| given("ROTA_CONFIG").map(PathBuf::from));
        let mut config = match (named, usual) {
            (Some(path), _) => file::read(&path, file::NAMED)?,
            (None, Some(path)) => file::read(path, file::USUAL)?,
            (None, None) => Config::default(),
        };
        config.lay_variables(&given)?;
        for (path, is_set) in [
            ("db", lay_flag(&mut config.db, flags.db)),
            ("listen", lay_flag(&mut config.listen, flags.listen)),
            ("base_url", lay_flag(&mut config.base_url, flags.base_url)),
            ("log", lay_flag(&mut config.log, flags.log)),
        ] {
            if is_set {
                let flag = format!("--{}", path.replace('_', "-"));
                config.origins.0.insert(path.to_owned(), flag);
            }
        }
        Ok(config)
    }

    /// Lays what variables set over what is set.
    fn lay_variables(&mut self, given: &dyn Fn(&str) -> Option<OsString>) -> Result<(), String> {
        let variable = Setting::variable;
        let layer = |setting: &Setting| given(&variable(setting)).map(Given::Text);
        self.lay(&layer, &variable)
            .map_err(|wrong| format!("{}: {}", variable(&wrong.setting), wrong.why))
    }

    /// Lays what a layer gives over what is set, with where it was set.
    fn lay(&mut self, layer: &Layer, origin: &dyn Fn(&Setting) -> String) -> Result<(), Wrong> {
        self.read(layer)?;
        let set = known::SETTINGS.iter();
        let set = set.filter(|setting| layer(setting).is_some());
        let origins = set.map(|setting| (setting.path(), origin(setting)));
        self.origins.0.extend(origins);
        Ok(())
    }

    /// How people sign in.
    ///
    /// # Errors
    /// As [`LoginPart::login`].
    pub fn login(&self) -> Result<Login, String> {
        self.login.login(&self.origins)
    }
}

/// Lays a flag over what is set; whether it is set.
fn lay_flag<T>(below: &mut Option<T>, flag: Option<T>) -> bool {
    let is_set = flag.is_some();
    if is_set {
        *below = flag;
    }
    is_set
}

/// Whether there is certainly no such file: one that cannot be looked at may be there.
fn is_absent(path: &Path) -> bool {
    let found = path.metadata();
    found.is_err_and(|error| error.kind() == ErrorKind::NotFound)
}
