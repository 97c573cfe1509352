use super::*;
use crate::domain::partner::Partner;

fn partners(environment: &[(&str, &str)]) -> Result<crate::sources::Settings, String> {
    load(Config::default(), environment)?.partners()
}

fn in_file(text: &str) -> Result<crate::sources::Settings, String> {
    let config = file::parse(text).map_err(|(line, why)| format!("{line}: {why}"))?;
    config.partners()
}

#[test]
fn nothing_is_read_without_settings() {
    let none = partners(&[]).expect("settings");
    assert_eq!(none, crate::sources::Settings::default());
    assert_eq!(none.partners().count(), 0);
}

#[test]
fn each_partner_has_its_settings() {
    let read = in_file(
        r#"
        [partners]
        poll_every = "10s"
        proxy = "http://proxy.example.org:3128"
        [partners.pagerPartner]
        api_key = "key-1"
        [partners.opsPartner]
        api_key = "key-2"
        url = "https://api.eu.opsgenie.com/"
        [partners.deskPartner]
        site = "acme.atlassian.net"
        email = "rota@example.org"
        api_token = "token"
        "#,
    )
    .expect("settings");
    assert_eq!(read.poll_every, SignedDuration::from_secs(10));
    assert_eq!(read.partners().collect::<Vec<_>>(), Partner::ALL);
    let pager = read.pager.expect("PagerDuty");
    assert_eq!(pager.url, "https://api.pagerduty.com");
    assert_eq!(pager.api_key.reveal(), "key-1");
    assert_eq!(
        read.ops.expect("Opsgenie").url,
        "https://api.eu.opsgenie.com"
    );
    let desk = read.desk.expect("Jira");
    assert_eq!(desk.site, "https://acme.atlassian.net");
    assert_eq!(desk.url, "https://api.atlassian.com");
    assert_eq!(desk.cloud_id, None);

    let read = partners(&[
        ("ROTA_PARTNERS_POLL_EVERY", "1h"),
        ("ROTA_PARTNERS_PAGERPARTNER_API_KEY", "key"),
        ("ROTA_PARTNERS_PAGERPARTNER_URL", "http://127.0.0.1:99"),
        ("ROTA_PARTNERS_DESKPARTNER_SITE", "http://localhost:98"),
        ("ROTA_PARTNERS_DESKPARTNER_EMAIL", "a@example.org"),
        ("ROTA_PARTNERS_DESKPARTNER_API_TOKEN", "token"),
        ("ROTA_PARTNERS_DESKPARTNER_CLOUD_ID", "c-1"),
    ])
    .expect("settings");
    assert_eq!(read.pager.expect("PagerDuty").url, "http://127.0.0.1:99");
    assert_eq!(read.desk.expect("Jira").site, "http://localhost:98");
}

#[test]
fn what_is_only_imported_from_is_no_partner() {
    let read = in_file(
        r#"
        [partners.goAlert]
        api_key = "key-1"
        url = "https://goalert.example.org/"
        [partners.grafanaOnCall]
        api_key = "key-2"
        url = "https://example.org/oncall"
        grafana_url = "https://acme.grafana.net/"
        "#,
    )
    .expect("settings");
    assert_eq!(read.partners().count(), 0);
    let go_alert = read.go_alert.expect("GoAlert");
    assert_eq!(go_alert.url, "https://goalert.example.org");
    let grafana = read.grafana_on_call.expect("Grafana OnCall");
    assert_eq!(grafana.url, "https://example.org/oncall");
    let address = grafana.grafana_url.as_deref();
    assert_eq!(address, Some("https://acme.grafana.net"));
}

#[test]
fn what_does_not_fit_is_refused_with_what_to_write() {
    let key = "[partners.pagerPartner]\napi_key = \"k\"\n";
    for (text, why) in [
        (
            "[partners]\npoll_every = \"9s\"".to_owned(),
            "2: partners.poll_every: \"9s\" is out of range; write 10s to 1h",
        ),
        (
            "[partners]\npoll_every = \"2h\"".to_owned(),
            "is out of range",
        ),
        (
            "[partners]\nproxy = \"proxy:1\"".to_owned(),
            "is not a proxy: write http://HOST:PORT",
        ),
        (
            format!("{key}url = \"http://example.org\""),
            "or http://HOST:PORT on loopback",
        ),
        (
            format!("{key}url = \"http://127.0.0.1.example.org\""),
            "on loopback",
        ),
        (
            format!("{key}url = \"https://a@example.org\""),
            "is not an address",
        ),
        (
            format!("{key}api_key_file = \"/k\""),
            "write api_key or api_key_file, not both",
        ),
        (
            "[partners.pagerPartner]\nurl = \"https://example.org\"".to_owned(),
            "api_key is missing beside it; write api_key = \"0123456789abcdef\" below [partners.pagerPartner]",
        ),
        (
            "[partners.goAlert]\napi_key = \"k\"".to_owned(),
            "url is missing beside it; write url = \"https://goalert.example.org\" below [partners.goAlert]",
        ),
        (
            "[partners.goAlert]\nurl = \"https://example.org/api/graphql\"".to_owned(),
            "has the path of the API; write the address without it: \"https://example.org\"",
        ),
        (
            "[partners.grafanaOnCall]\nurl = \"https://example.org\"".to_owned(),
            "api_key is missing beside it",
        ),
        (
            "[partners.opsPartner]\napi_key_file = \"/none/there\"".to_owned(),
            "/none/there: No such file",
        ),
        (
            "[partners.deskPartner]\nsite = \"acme.atlassian.net\"".to_owned(),
            "email is missing beside it",
        ),
        (
            "[partners.deskPartner]\nsite = \"http://acme.atlassian.net\"".to_owned(),
            "is not a site; write its host, such as \"acme.atlassian.net\"",
        ),
        (
            "[partners.deskPartner]\nemail = \"a:b@example.org\"".to_owned(),
            "is not a mail address",
        ),
        (
            "[partners.deskPartner]\ncloud_id = \"a/b\"".to_owned(),
            "is not a cloud id",
        ),
    ] {
        let error = in_file(&text).expect_err(&text);
        assert!(error.contains(why), "{text}: {error}");
    }
}

#[test]
fn keys_are_not_repeated() {
    let error = in_file("[partners.opsPartner]\napi_key = \"se cret\"").expect_err("a space");
    assert!(
        error.contains("this is not a key") && !error.contains("cret\""),
        "{error}"
    );
    let error = in_file("[partners.opsPartner]\napi_key = secret").expect_err("no quotes");
    assert!(!error.contains("= \"secret\""), "{error}");
    let shown = format!(
        "{:?}",
        in_file("[partners.opsPartner]\napi_key = \"hidden\"")
    );
    assert!(!shown.contains("hidden"), "{shown}");
}
