//! Settings from flags, `ROTA_*` environment variables, the config file and defaults, in this order of precedence.
//!
//! Each layer is read and checked as a whole, so that an error names the source of the value. An unknown key in the file is
//! an error that names the nearest known one. Unknown variables are ignored: those that resemble a setting are logged.

mod exposed;
mod file;
mod known;
mod parsed;
mod secret;
#[cfg(test)]
mod tests;
mod values;

pub use values::{BaseUrl, Listen, LogFilter, duration, instant, lifetime};

mod login;
mod oidc;
mod partners;
mod reach;
mod slack;

pub use login::{LoginPart, ProxyPart};
pub use oidc::OidcPart;
pub use partners::{DeskPart, KeyPart, PartnersPart};
pub use reach::{IncomingWebhookPart, MailPart};
pub use slack::{Platform, SlackPart};

use crate::api::Access;
use crate::client::{Proxy, Trust};
use crate::domain::address::Net;
use crate::domain::retry_schedule::RetrySchedule;
use crate::domain::tiers::{Tier, TierLimits};
use crate::web::Login;
use jiff::SignedDuration;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

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
    pub calendars: CalendarsPart,
    pub chat: ChatPart,
    pub slack: SlackPart,
    pub mail: MailPart,
    pub metrics: MetricsPart,
    pub login: LoginPart,
    pub http: HttpPart,
    pub audit: AuditPart,
    pub partners: PartnersPart,
    /// The config file that was read.
    pub file: Option<PathBuf>,
    /// Where what is set was set.
    pub origins: Origins,
}

/// `[audit]`: the audit log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AuditPart {
    /// How long entries are kept, at least a day.
    #[serde(deserialize_with = "values::audit_keep")]
    pub keep: Option<SignedDuration>,
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

    /// What was set by these flags, each the path of a setting.
    fn flags<'a>(set: impl IntoIterator<Item = &'a str>) -> Origins {
        let flag = |path: &str| (path.to_owned(), format!("--{}", path.replace('_', "-")));
        Origins(set.into_iter().map(flag).collect())
    }

    fn over(self, mut below: Origins) -> Origins {
        below.0.extend(self.0);
        below
    }
}

/// What to say of a variable that is no setting and resembles one; `None` of every other.
pub use known::resembling;

/// `[http]`: how requests reach the server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HttpPart {
    /// The networks of reverse proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` count; none if unset.
    #[serde(deserialize_with = "values::nets")]
    pub trusted_proxies: Option<Vec<Net>>,
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChatPart {
    /// Where the people, groups and channels are; the local platform if unset.
    #[serde(deserialize_with = "slack::platform")]
    pub platform: Option<Platform>,
    /// How long before a hand-over the reminder is sent, at most 30 days; 0 sends none.
    #[serde(deserialize_with = "values::reminder")]
    pub reminder_before: Option<SignedDuration>,
    /// Where the messages to channels are posted.
    pub incoming_webhook: Option<Vec<IncomingWebhookPart>>,
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

/// `[calendars]`: how calendars of people are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CalendarsPart {
    /// How often each is read. One minute to 7 days.
    #[serde(deserialize_with = "values::read_every")]
    pub read_every: Option<SignedDuration>,
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
        let set = [
            ("db", flags.db.is_some()),
            ("listen", flags.listen.is_some()),
            ("base_url", flags.base_url.is_some()),
        ];
        let set = set.into_iter().filter(|(_, is_set)| *is_set);
        let flags = Config {
            origins: Origins::flags(set.map(|(path, _)| path)),
            ..flags
        };
        let names_database = flags.db.is_some() || given("ROTA_DB").is_some();
        let usual = usual.filter(|path| !names_database && !is_absent(path));
        let named = config.or_else(|| given("ROTA_CONFIG").map(PathBuf::from));
        let file = match (named, usual) {
            (Some(path), _) => file::read(&path, file::NAMED)?,
            (None, Some(path)) => file::read(path, file::USUAL)?,
            (None, None) => Config::default(),
        };
        Ok(flags.over(from_environment(&given)?).over(file))
    }

    /// How people sign in.
    ///
    /// # Errors
    /// As [`LoginPart::login`].
    pub fn login(&self) -> Result<Login, String> {
        self.login.login(&self.origins)
    }

    /// This layer, with unset values from the one below.
    fn over(self, below: Config) -> Config {
        Config {
            file: self.file.or(below.file),
            origins: self.origins.over(below.origins),
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
            calendars: CalendarsPart {
                read_every: self.calendars.read_every.or(below.calendars.read_every),
            },
            chat: ChatPart {
                platform: self.chat.platform.or(below.chat.platform),
                reminder_before: self.chat.reminder_before.or(below.chat.reminder_before),
                incoming_webhook: (self.chat.incoming_webhook).or(below.chat.incoming_webhook),
            },
            slack: self.slack.over(below.slack),
            mail: self.mail.over(below.mail),
            metrics: MetricsPart {
                access: self.metrics.access.or(below.metrics.access),
            },
            login: self.login.over(below.login),
            audit: AuditPart {
                keep: self.audit.keep.or(below.audit.keep),
            },
            partners: self.partners.over(below.partners),
            http: HttpPart {
                trusted_proxies: self.http.trusted_proxies.or(below.http.trusted_proxies),
            },
        }
    }
}

/// Whether there is certainly no such file: one that cannot be looked at may be there.
fn is_absent(path: &Path) -> bool {
    let found = path.metadata();
    found.is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// The environment layer. An empty variable is unset.
fn from_environment(given: &dyn Fn(&str) -> Option<OsString>) -> Result<Config, String> {
    let variables = Variables { given };
    let set = known::SETTINGS.iter();
    let set = set.map(|setting| (setting.path(), setting.variable()));
    let set = set.filter(|(_, variable)| given(variable).is_some());
    Ok(Config {
        file: None,
        origins: Origins(set.collect()),
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
        calendars: CalendarsPart {
            read_every: variables.read("ROTA_CALENDARS_READ_EVERY", values::parse_read_every)?,
        },
        chat: ChatPart {
            platform: variables.read("ROTA_CHAT_PLATFORM", slack::parse_platform)?,
            reminder_before: variables.read("ROTA_CHAT_REMINDER_BEFORE", values::parse_reminder)?,
            incoming_webhook: variables
                .read("ROTA_CHAT_INCOMING_WEBHOOK", reach::parse_incoming_webhooks)?,
        },
        slack: SlackPart {
            bot_token: variables.read("ROTA_SLACK_BOT_TOKEN", slack::parse_bot_token)?,
            bot_token_file: given("ROTA_SLACK_BOT_TOKEN_FILE").map(PathBuf::from),
            app_token: variables.read("ROTA_SLACK_APP_TOKEN", slack::parse_app_token)?,
            app_token_file: given("ROTA_SLACK_APP_TOKEN_FILE").map(PathBuf::from),
            signing_secret: variables
                .read("ROTA_SLACK_SIGNING_SECRET", slack::parse_signing_secret)?,
            signing_secret_file: given("ROTA_SLACK_SIGNING_SECRET_FILE").map(PathBuf::from),
            api_url: variables.read("ROTA_SLACK_API_URL", str::parse)?,
            proxy: variables.read("ROTA_SLACK_PROXY", Proxy::parse)?,
            sync_every: variables.read("ROTA_SLACK_SYNC_EVERY", slack::parse_sync_every)?,
            away_emoji: variables.read("ROTA_SLACK_AWAY_EMOJI", slack::parse_away_emoji)?,
        },
        mail: MailPart {
            server: variables.read("ROTA_MAIL_SERVER", str::parse)?,
            username: variables.read("ROTA_MAIL_USERNAME", values::text_of)?,
            password: variables.read("ROTA_MAIL_PASSWORD", values::text_of)?,
            password_file: given("ROTA_MAIL_PASSWORD_FILE").map(PathBuf::from),
            from: variables.read("ROTA_MAIL_FROM", str::parse)?,
            reply_to: variables.read("ROTA_MAIL_REPLY_TO", str::parse)?,
        },
        metrics: MetricsPart {
            access: variables.read("ROTA_METRICS_ACCESS", values::parse_access)?,
        },
        login: LoginPart {
            idle: variables.read("ROTA_LOGIN_IDLE", values::parse_session)?,
            lifetime: variables.read("ROTA_LOGIN_LIFETIME", values::parse_session)?,
            public: variables.read("ROTA_LOGIN_PUBLIC", values::parse_switch)?,
            proxy: ProxyPart {
                header: variables.read("ROTA_LOGIN_PROXY_HEADER", login::parse_header_name)?,
                by: variables.read("ROTA_LOGIN_PROXY_MATCH", login::parse_match)?,
                trusted: variables.read("ROTA_LOGIN_PROXY_TRUSTED", values::parse_nets)?,
                secret_header: variables
                    .read("ROTA_LOGIN_PROXY_SECRET_HEADER", login::parse_secret_header)?,
            },
            oidc: OidcPart {
                issuer: variables.read("ROTA_LOGIN_OIDC_ISSUER", oidc::parse_issuer)?,
                client_id: variables.read("ROTA_LOGIN_OIDC_CLIENT_ID", oidc::parse_client_id)?,
                client_secret: variables
                    .read("ROTA_LOGIN_OIDC_CLIENT_SECRET", oidc::parse_client_secret)?,
                client_secret_file: given("ROTA_LOGIN_OIDC_CLIENT_SECRET_FILE").map(PathBuf::from),
                scopes: variables.read("ROTA_LOGIN_OIDC_SCOPES", oidc::parse_scopes)?,
                name: variables.read("ROTA_LOGIN_OIDC_NAME", oidc::parse_name)?,
                by: variables.read("ROTA_LOGIN_OIDC_MATCH", oidc::parse_matching)?,
                email_domains: variables
                    .read("ROTA_LOGIN_OIDC_EMAIL_DOMAINS", oidc::parse_domains)?,
                admins: variables.read("ROTA_LOGIN_OIDC_ADMINS", oidc::parse_addresses)?,
            },
        },
        audit: AuditPart {
            keep: variables.read("ROTA_AUDIT_KEEP", values::parse_audit_keep)?,
        },
        partners: PartnersPart {
            poll_every: variables.read("ROTA_PARTNERS_POLL_EVERY", partners::parse_poll_every)?,
            proxy: variables.read("ROTA_PARTNERS_PROXY", partners::parse_proxy)?,
            pager: KeyPart {
                api_key: variables
                    .read("ROTA_PARTNERS_PAGERPARTNER_API_KEY", partners::parse_secret)?,
                api_key_file: given("ROTA_PARTNERS_PAGERPARTNER_API_KEY_FILE").map(PathBuf::from),
                url: variables.read("ROTA_PARTNERS_PAGERPARTNER_URL", partners::parse_url)?,
            },
            ops: KeyPart {
                api_key: variables
                    .read("ROTA_PARTNERS_OPSPARTNER_API_KEY", partners::parse_secret)?,
                api_key_file: given("ROTA_PARTNERS_OPSPARTNER_API_KEY_FILE").map(PathBuf::from),
                url: variables.read("ROTA_PARTNERS_OPSPARTNER_URL", partners::parse_url)?,
            },
            desk: DeskPart {
                site: variables.read("ROTA_PARTNERS_DESKPARTNER_SITE", partners::parse_site)?,
                email: variables.read("ROTA_PARTNERS_DESKPARTNER_EMAIL", partners::parse_email)?,
                api_token: variables.read(
                    "ROTA_PARTNERS_DESKPARTNER_API_TOKEN",
                    partners::parse_secret,
                )?,
                api_token_file: given("ROTA_PARTNERS_DESKPARTNER_API_TOKEN_FILE")
                    .map(PathBuf::from),
                cloud_id: variables.read(
                    "ROTA_PARTNERS_DESKPARTNER_CLOUD_ID",
                    partners::parse_cloud_id,
                )?,
                url: variables.read("ROTA_PARTNERS_DESKPARTNER_URL", partners::parse_url)?,
            },
        },
        http: HttpPart {
            trusted_proxies: variables.read("ROTA_HTTP_TRUSTED_PROXIES", values::parse_nets)?,
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
