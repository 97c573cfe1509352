//! Settings from flags, `ROTA_*` environment variables, the config file and defaults, in this order of precedence.
//!
//! Each layer is read and checked as a whole, so that an error names the source of the value. Unknown variables are
//! ignored; an unknown key in the file is an error that names it.

mod file;
#[cfg(test)]
mod tests;
mod values;

pub use values::{BaseUrl, Listen, LogFilter, duration, instant, lifetime};

use crate::api::Access;
use crate::client::Trust;
use crate::domain::address::Net;
use crate::domain::ladder::Ladder;
use crate::domain::tiers::{Tier, TierLimits};
use jiff::SignedDuration;
use serde::Deserialize;
use std::ffi::OsString;
use std::path::PathBuf;

/// Settings of the operator. For `None` the command uses its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The database file.
    pub db: Option<PathBuf>,
    /// The address to listen on.
    pub listen: Option<Listen>,
    /// The public URL of the server.
    pub base_url: Option<BaseUrl>,
    /// The log filter.
    pub log: Option<LogFilter>,
    pub plan: PlanPart,
    pub holidays: HolidaysPart,
    pub rate_limit: RateLimitPart,
    pub webhooks: WebhooksPart,
    pub chat: ChatPart,
    pub metrics: MetricsPart,
}

/// `[metrics]`: access to metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MetricsPart {
    /// Who may read metrics.
    #[serde(deserialize_with = "values::access")]
    pub access: Option<Access>,
}

/// `[chat]`: messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChatPart {
    /// How long before a hand-over the reminder is sent, at most 30 days; 0 sends none.
    #[serde(deserialize_with = "values::reminder")]
    pub reminder_before: Option<SignedDuration>,
}

/// `[plan]`: tier and quotas of the workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanPart {
    #[serde(deserialize_with = "values::tier")]
    pub name: Option<Tier>,
    /// The most rotations; the tier's quota if unset.
    pub max_rotations: Option<u64>,
    /// The most people in rotations, each counted once; the tier's quota if unset.
    pub max_people: Option<u64>,
}

/// `[holidays]`: additional holidays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HolidaysPart {
    /// A file of days to add or remove.
    pub file: Option<PathBuf>,
}

/// `[rate_limit]`: the rate limit of each credential.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RateLimitPart {
    /// 0 turns the limit off.
    pub requests_per_minute: Option<u32>,
    /// Requests that may arrive at once.
    #[serde(deserialize_with = "values::burst")]
    pub burst: Option<u32>,
}

/// `[webhooks]`: how deliveries are sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebhooksPart {
    /// The retry schedule: the wait before each further round. At most 50 waits of at most 7 days.
    #[serde(deserialize_with = "values::retry_schedule")]
    pub ladder: Option<Vec<SignedDuration>>,
    /// Allowed networks: addresses that deliveries may connect to although they are not public.
    #[serde(deserialize_with = "values::nets")]
    pub allow_nets: Option<Vec<Net>>,
    /// A PEM file of certificate authorities, trusted in addition to `trust`.
    pub extra_ca_file: Option<PathBuf>,
    /// Which certificate authorities are trusted; the bundled ones if unset.
    #[serde(deserialize_with = "values::trust")]
    pub trust: Option<Trust>,
}

impl PlanPart {
    /// The tier with its quotas; without a name it is pro.
    pub fn tier_limits(self) -> TierLimits {
        let own = TierLimits::of(self.name.unwrap_or(Tier::Pro));
        TierLimits {
            max_rotations: self.max_rotations.or(own.max_rotations),
            max_people: self.max_people.or(own.max_people),
            ..own
        }
    }
}

impl WebhooksPart {
    /// The retry schedule.
    pub fn ladder(&self) -> Ladder {
        self.ladder.clone().map(Ladder::new).unwrap_or_default()
    }
}

impl Config {
    /// Merges the layers. `flags` are the settings of the command line, `config` is the file that it named, and
    /// `environment` returns a variable by its name.
    ///
    /// The error is one line: the source of the value, what is wrong with it, and what to send instead.
    pub fn load(
        flags: Config,
        config: Option<PathBuf>,
        environment: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Config, String> {
        let given = |name: &str| environment(name).filter(|value| !value.is_empty());
        let file = match config.or_else(|| given("ROTA_CONFIG").map(PathBuf::from)) {
            Some(path) => file::read(&path)?,
            None => Config::default(),
        };
        Ok(flags.over(from_environment(&given)?).over(file))
    }

    /// This layer, with unset values from the one below.
    fn over(self, below: Config) -> Config {
        Config {
            db: self.db.or(below.db),
            listen: self.listen.or(below.listen),
            base_url: self.base_url.or(below.base_url),
            log: self.log.or(below.log),
            plan: PlanPart {
                name: self.plan.name.or(below.plan.name),
                max_rotations: self.plan.max_rotations.or(below.plan.max_rotations),
                max_people: self.plan.max_people.or(below.plan.max_people),
            },
            holidays: HolidaysPart {
                file: self.holidays.file.or(below.holidays.file),
            },
            rate_limit: RateLimitPart {
                requests_per_minute: (self.rate_limit.requests_per_minute)
                    .or(below.rate_limit.requests_per_minute),
                burst: self.rate_limit.burst.or(below.rate_limit.burst),
            },
            webhooks: WebhooksPart {
                ladder: self.webhooks.ladder.or(below.webhooks.ladder),
                allow_nets: self.webhooks.allow_nets.or(below.webhooks.allow_nets),
                extra_ca_file: (self.webhooks.extra_ca_file).or(below.webhooks.extra_ca_file),
                trust: self.webhooks.trust.or(below.webhooks.trust),
            },
            chat: ChatPart {
                reminder_before: self.chat.reminder_before.or(below.chat.reminder_before),
            },
            metrics: MetricsPart {
                access: self.metrics.access.or(below.metrics.access),
            },
        }
    }
}

/// The environment layer. An empty variable is unset.
fn from_environment(given: &dyn Fn(&str) -> Option<OsString>) -> Result<Config, String> {
    let variables = Variables { given };
    Ok(Config {
        db: given("ROTA_DB").map(PathBuf::from),
        listen: variables.read("ROTA_LISTEN", str::parse)?,
        base_url: variables.read("ROTA_BASE_URL", str::parse)?,
        log: variables.read("ROTA_LOG", str::parse)?,
        plan: PlanPart {
            name: variables.read("ROTA_PLAN_NAME", values::parse_tier)?,
            max_rotations: variables.read("ROTA_PLAN_MAX_ROTATIONS", values::whole_number)?,
            max_people: variables.read("ROTA_PLAN_MAX_PEOPLE", values::whole_number)?,
        },
        holidays: HolidaysPart {
            file: given("ROTA_HOLIDAYS_FILE").map(PathBuf::from),
        },
        rate_limit: RateLimitPart {
            requests_per_minute: variables
                .read("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", values::whole_number)?,
            burst: variables.read("ROTA_RATE_LIMIT_BURST", values::parse_burst)?,
        },
        webhooks: WebhooksPart {
            ladder: variables.read("ROTA_WEBHOOKS_LADDER", values::parse_retry_schedule)?,
            allow_nets: variables.read("ROTA_WEBHOOKS_ALLOW_NETS", values::parse_nets)?,
            extra_ca_file: given("ROTA_WEBHOOKS_EXTRA_CA_FILE").map(PathBuf::from),
            trust: variables.read("ROTA_WEBHOOKS_TRUST", values::parse_trust)?,
        },
        chat: ChatPart {
            reminder_before: variables.read("ROTA_CHAT_REMINDER_BEFORE", values::parse_reminder)?,
        },
        metrics: MetricsPart {
            access: variables.read("ROTA_METRICS_ACCESS", values::parse_access)?,
        },
    })
}

struct Variables<'a> {
    given: &'a dyn Fn(&str) -> Option<OsString>,
}

impl Variables<'_> {
    fn read<T>(
        &self,
        name: &str,
        parse: fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let Some(value) = (self.given)(name) else {
            return Ok(None);
        };
        let Some(text) = value.to_str() else {
            return Err(format!("{name}: the value is not UTF-8; set plain text"));
        };
        parse(text.trim())
            .map(Some)
            .map_err(|why| format!("{name}: {why}"))
    }
}
