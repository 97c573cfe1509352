//! Settings: flags, then `ROTA_*` environment variables, then the config file, then defaults (contract section 1).
//!
//! Each layer is read whole and checked as it is read, so an error can say where the value stands. Names of variables
//! that nobody here knows are passed over; an unknown key in the file is an error that names it.

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

/// What the operator set. A `None` is left to the command, which knows its own default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The database file.
    pub db: Option<PathBuf>,
    /// Where to listen.
    pub listen: Option<Listen>,
    /// How the outside reaches this server.
    pub base_url: Option<BaseUrl>,
    /// What is logged.
    pub log: Option<LogFilter>,
    pub plan: PlanPart,
    pub holidays: HolidaysPart,
    pub rate_limit: RateLimitPart,
    pub webhooks: WebhooksPart,
    pub chat: ChatPart,
    pub metrics: MetricsPart,
}

/// `[metrics]`: for whoever watches over the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MetricsPart {
    /// Who may read them; anybody where unset.
    #[serde(deserialize_with = "values::access")]
    pub access: Option<Access>,
}

/// `[chat]`: what people are told (contract section 12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChatPart {
    /// How long before they come on people are reminded, at most 30 days; 0 is never.
    #[serde(deserialize_with = "values::reminder")]
    pub reminder_before: Option<SignedDuration>,
}

/// `[plan]`: what the workspace is entitled to (contract section 11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanPart {
    #[serde(deserialize_with = "values::tier")]
    pub name: Option<Tier>,
    /// Rotations; the tier's own quota where unset.
    pub max_rotations: Option<u64>,
    /// People in rotations, each counted once; the tier's own quota where unset.
    pub max_people: Option<u64>,
}

/// `[holidays]`: the operator's own days.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HolidaysPart {
    /// A file of days to add or remove.
    pub file: Option<PathBuf>,
}

/// `[rate_limit]`: how much one credential may ask for (contract section 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RateLimitPart {
    /// 0 turns the limit off.
    pub requests_per_minute: Option<u32>,
    /// Requests that may come at once.
    #[serde(deserialize_with = "values::burst")]
    pub burst: Option<u32>,
}

/// `[webhooks]`: how deliveries are sent (contract section 16).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebhooksPart {
    /// The waits from each round to the next: at most 50, each at most 7 days.
    #[serde(deserialize_with = "values::ladder")]
    pub ladder: Option<Vec<SignedDuration>>,
    /// Networks that may be dialled although they are not public.
    #[serde(deserialize_with = "values::nets")]
    pub allow_nets: Option<Vec<Net>>,
    /// A file of certificate authorities in PEM, trusted beside those of `trust`.
    pub extra_ca_file: Option<PathBuf>,
    /// Whose certificate authorities are trusted; the bundled ones where unset.
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
    /// When a failed delivery is tried again.
    pub fn ladder(&self) -> Ladder {
        self.ladder.clone().map(Ladder::new).unwrap_or_default()
    }
}

impl Config {
    /// Brings the layers together. `flags` is what the command line gave, `config` the file it named; `environment`
    /// answers a variable by its name.
    ///
    /// The error is one line: where the value came from, what is wrong with it and what to send instead.
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

    /// This layer with what it leaves open taken from the one below.
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

/// The layer of the environment. An empty variable counts as unset.
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
            ladder: variables.read("ROTA_WEBHOOKS_LADDER", values::parse_ladder)?,
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
