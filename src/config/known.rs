//! Every setting: where it is written, and what it can look like.

use crate::wire::strict::nearest;

/// A key of the config file with the variable that sets the same.
#[derive(Debug)]
pub struct Setting {
    /// The table of the key; empty where it is in none.
    pub table: &'static str,
    pub key: &'static str,
    /// A value as it is written in the file.
    pub example: &'static str,
}

const fn setting(table: &'static str, key: &'static str, example: &'static str) -> Setting {
    Setting {
        table,
        key,
        example,
    }
}

/// The settings, table by table.
pub const SETTINGS: &[Setting] = &[
    setting("", "db", r#""/var/lib/rota/rota.db""#),
    setting("", "listen", r#""127.0.0.1:8080""#),
    setting("", "base_url", r#""https://rota.example.org""#),
    setting("", "log", r#""info""#),
    setting("http", "trusted_proxies", r#"["127.0.0.1", "10.1.0.0/16"]"#),
    setting("audit", "keep", r#""400d""#),
    setting("metrics", "access", r#""limited""#),
    setting("login", "idle", r#""14d""#),
    setting("login", "lifetime", r#""90d""#),
    setting("login", "public", "false"),
    setting("login.oidc", "issuer", r#""https://accounts.google.com""#),
    setting("login.oidc", "client_id", r#""rota""#),
    setting("login.oidc", "client_secret", r#""0123456789abcdef""#),
    setting(
        "login.oidc",
        "client_secret_file",
        r#""/etc/rota/oidc-secret""#,
    ),
    setting("login.oidc", "scopes", r#""openid email profile""#),
    setting("login.oidc", "name", r#""Google""#),
    setting("login.oidc", "match", r#""email""#),
    setting("login.oidc", "email_domains", r#"["example.org"]"#),
    setting("login.oidc", "admins", r#"["ana@example.org"]"#),
    setting("login.proxy", "header", r#""Remote-User""#),
    setting("login.proxy", "match", r#""email""#),
    setting("login.proxy", "trusted", r#"["10.1.0.0/16"]"#),
    setting(
        "login.proxy",
        "secret_header",
        r#""X-Proxy-Secret: 0123456789abcdef""#,
    ),
    setting("plan", "name", r#""pro""#),
    setting("plan", "max_rotations", "100"),
    setting("plan", "max_people", "1000"),
    setting("chat", "platform", r#""slack""#),
    setting("chat", "reminder_before", r#""1h""#),
    setting(
        "chat",
        "incoming_webhook",
        r#"[{ channel = "C1", url_file = "/etc/rota/c1.url", style = "slack" }]"#,
    ),
    setting("slack", "bot_token", r#""xoxb-0123456789""#),
    setting("slack", "bot_token_file", r#""/etc/rota/slack-bot-token""#),
    setting("slack", "app_token", r#""xapp-0123456789""#),
    setting("slack", "app_token_file", r#""/etc/rota/slack-app-token""#),
    setting(
        "slack",
        "signing_secret",
        r#""8f742231b10e8888abcd99yyyzzz85a5""#,
    ),
    setting(
        "slack",
        "signing_secret_file",
        r#""/etc/rota/slack-signing-secret""#,
    ),
    setting("slack", "api_url", r#""https://slack.com/api/""#),
    setting("slack", "proxy", r#""http://proxy.example.org:3128""#),
    setting("slack", "sync_every", r#""15m""#),
    setting("slack", "away_emoji", r#"["palm_tree", "airplane"]"#),
    setting("mail", "server", r#""smtps://mail.example.org:465""#),
    setting("mail", "username", r#""rota""#),
    setting("mail", "password", r#""secret""#),
    setting("mail", "password_file", r#""/etc/rota/mail.password""#),
    setting("mail", "from", r#""rota <rota@example.org>""#),
    setting("mail", "reply_to", r#""oncall@example.org""#),
    setting("partners", "poll_every", r#""60s""#),
    setting("partners", "proxy", r#""http://proxy.example.org:3128""#),
    setting("partners.pagerPartner", "api_key", r#""0123456789abcdef""#),
    setting(
        "partners.pagerPartner",
        "api_key_file",
        r#""/etc/rota/pagerduty.key""#,
    ),
    setting(
        "partners.pagerPartner",
        "url",
        r#""https://api.pagerduty.com""#,
    ),
    setting("partners.opsPartner", "api_key", r#""0123456789abcdef""#),
    setting(
        "partners.opsPartner",
        "api_key_file",
        r#""/etc/rota/opsgenie.key""#,
    ),
    setting(
        "partners.opsPartner",
        "url",
        r#""https://api.eu.opsgenie.com""#,
    ),
    setting("partners.deskPartner", "site", r#""acme.atlassian.net""#),
    setting("partners.deskPartner", "email", r#""rota@example.org""#),
    setting("partners.deskPartner", "api_token", r#""0123456789abcdef""#),
    setting(
        "partners.deskPartner",
        "api_token_file",
        r#""/etc/rota/jira.token""#,
    ),
    setting("partners.deskPartner", "cloud_id", r#""0123-4567""#),
    setting(
        "partners.deskPartner",
        "url",
        r#""https://api.atlassian.com""#,
    ),
    setting("holidays", "file", r#""/etc/rota/holidays.txt""#),
    setting("rate_limit", "requests_per_minute", "600"),
    setting("rate_limit", "burst", "100"),
    setting("webhooks", "ladder", r#"["30s", "5m", "1h"]"#),
    setting("webhooks", "allow_nets", r#"["10.1.0.0/16"]"#),
    setting("webhooks", "extra_ca_file", r#""/etc/rota/ca.pem""#),
    setting("webhooks", "trust", r#""bundled""#),
    setting("calendars", "read_every", r#""15m""#),
];

impl Setting {
    /// The setting of a path such as `webhooks.ladder`.
    pub fn find(path: &str) -> Option<&'static Setting> {
        let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
        let found = |setting: &&Setting| setting.table == table && setting.key == key;
        SETTINGS.iter().find(found)
    }

    /// `webhooks.ladder`.
    pub fn path(&self) -> String {
        match self.table {
            "" => self.key.to_owned(),
            table => format!("{table}.{}", self.key),
        }
    }

    /// `ROTA_WEBHOOKS_LADDER`.
    pub fn variable(&self) -> String {
        format!("ROTA_{}", self.path().replace('.', "_").to_uppercase())
    }

    /// Whether its value is a secret, which no message repeats.
    pub fn is_secret(&self) -> bool {
        matches!(
            self.key,
            "client_secret"
                | "secret_header"
                | "api_key"
                | "api_token"
                | "bot_token"
                | "app_token"
                | "signing_secret"
                | "password"
        )
    }

    /// The line of the file that sets it, as an example.
    pub fn line(&self) -> String {
        format!("{} = {}", self.key, self.example)
    }
}

/// The tables, each once.
pub fn tables() -> Vec<&'static str> {
    let mut tables: Vec<&str> = SETTINGS.iter().map(|setting| setting.table).collect();
    tables.dedup();
    tables.retain(|table| !table.is_empty());
    tables
}

/// The keys of a table.
pub fn keys(table: &str) -> Vec<&'static str> {
    let of_table = SETTINGS.iter().filter(|setting| setting.table == table);
    of_table.map(|setting| setting.key).collect()
}

/// Variables that begin like settings and are none: which file is read, what `rota dev` prints, what tests set.
const OTHERS: [&str; 3] = ["ROTA_CONFIG", "ROTA_URL", "ROTA_API_KEY"];
const OTHER_BEGINNINGS: [&str; 3] = ["ROTA_TOKEN_", "ROTA_FAULT_", "ROTA_FAILPOINTS"];

/// What to say of a variable that is no setting and resembles one; `None` of every other.
pub fn resembling(variable: &str) -> Option<String> {
    let name = variable.strip_prefix("ROTA_")?;
    let other = OTHER_BEGINNINGS
        .iter()
        .any(|other| variable.starts_with(other));
    let variables: Vec<String> = SETTINGS.iter().map(Setting::variable).collect();
    if other || OTHERS.contains(&variable) || variables.iter().any(|known| known == variable) {
        return None;
    }
    let bare: Vec<&str> = variables
        .iter()
        .map(|known| &known["ROTA_".len()..])
        .collect();
    // A table too many or too few is no misspelling, but it is meant for the setting.
    let tail = |known: &&&str| is_tail(known, name) || is_tail(name, known);
    let meant = nearest(name, &bare).or_else(|| bare.iter().find(tail).copied());
    meant
        .map(|meant| format!("{variable} is no setting and is ignored; did you mean ROTA_{meant}?"))
}

fn is_tail(short: &str, long: &str) -> bool {
    let rest = long.strip_suffix(short);
    !short.is_empty() && rest.is_some_and(|rest| rest.ends_with('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_resemble_settings_are_told() {
        for (variable, meant) in [
            ("ROTA_LISTN", "ROTA_LISTEN"),
            ("ROTA_BASEURL", "ROTA_BASE_URL"),
            ("ROTA_WEBHOOK_LADDER", "ROTA_WEBHOOKS_LADDER"),
            ("ROTA_LADDER", "ROTA_WEBHOOKS_LADDER"),
            ("ROTA_TRUSTED_PROXIES", "ROTA_HTTP_TRUSTED_PROXIES"),
            ("ROTA_HTTP_LISTEN", "ROTA_LISTEN"),
            ("ROTA_RATELIMIT_BURST", "ROTA_RATE_LIMIT_BURST"),
            ("ROTA_listen", "ROTA_LISTEN"),
            ("ROTA_LISTEN", ""),
            ("ROTA_CONFIG", ""),
            ("ROTA_URL", ""),
            ("ROTA_API_KEY", ""),
            ("ROTA_TOKEN_UADA", ""),
            ("ROTA_TEAM", ""),
            ("ROTA_", ""),
            ("ROTA_OTHER", ""),
            ("LISTN", ""),
        ] {
            let expected = (!meant.is_empty())
                .then(|| format!("{variable} is no setting and is ignored; did you mean {meant}?"));
            assert_eq!(resembling(variable), expected, "{variable}");
        }
    }
}
